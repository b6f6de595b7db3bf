/* texture.c - the table of textures and surfaces behind their handles. */
#include "base/mem.h"
#include "perf/exec/exec.h"

typedef struct entry {
    bool used;
    ww_texture texture;
} entry;

struct ww_textures {
    entry *entry; /* handle - 1 */
    size_t count, capacity;
};

ww_status ww_textures_create(ww_textures **out, ww_error *err)
{
    *out = WW_NEW(ww_textures);
    return *out != NULL ? WW_OK : ww_no_memory_for(err, "textures");
}

void ww_textures_destroy(ww_textures *textures)
{
    if (textures != NULL) {
        ww_free(textures->entry);
        ww_free(textures);
    }
}

static ww_status check(const ww_texture *t, ww_error *err)
{
    bool channels = t->channels == 1 || t->channels == 2 || t->channels == 4;
    bool bits = t->channel_bits == 16 || t->channel_bits == 32 ||
                (t->channel_bits == 8 && t->channel != WW_TEX_FLOAT);
    bool modes =
        t->mode[0] <= WW_TEX_BORDER && t->mode[1] <= WW_TEX_BORDER && t->mode[2] <= WW_TEX_BORDER;
    bool size =
        t->width > 0 && t->width <= 1u << 30 && t->pitch <= 1ull << 40 && t->slice <= 1ull << 40;
    if (t->address != 0 && (!channels || !bits || !modes || !size || t->channel > WW_TEX_FLOAT)) {
        return ww_fail(err, WW_ERANGE,
                       "A texture of %u x %u x %u elements of %u channels of %u bits cannot be.",
                       t->width, t->height, t->depth, t->channels, t->channel_bits);
    }
    return WW_OK;
}

ww_status ww_texture_add(ww_textures *textures, const ww_texture *texture, uint64_t *handle,
                         ww_error *err)
{
    size_t k = 0;
    if (texture != NULL) {
        WW_TRY(check(texture, err));
    }
    while (k < textures->count && textures->entry[k].used) {
        k++;
    }
    if (k == textures->capacity) {
        size_t capacity = k != 0 ? 2 * k : 16;
        entry *grown = ww_realloc_array(textures->entry, capacity, sizeof *grown);
        if (grown == NULL) {
            return ww_no_memory_for(err, "textures");
        }
        textures->entry = grown;
        textures->capacity = capacity;
    }
    textures->count = k < textures->count ? textures->count : k + 1;
    textures->entry[k] = (entry){.used = true};
    if (texture != NULL) {
        textures->entry[k].texture = *texture;
    }
    *handle = k + 1;
    return WW_OK;
}

static entry *find(const ww_textures *textures, uint64_t handle)
{
    bool valid = textures != NULL && handle - 1 < textures->count;
    return valid && textures->entry[handle - 1].used ? &textures->entry[handle - 1] : NULL;
}

static ww_status unknown(uint64_t handle, ww_error *err)
{
    return ww_fail(err, WW_ENOTFOUND, "0x%llx is not the handle of a texture or surface.",
                   (unsigned long long)handle);
}

ww_status ww_texture_set(ww_textures *textures, uint64_t handle, const ww_texture *texture,
                         ww_error *err)
{
    entry *e = find(textures, handle);
    if (e == NULL) {
        return unknown(handle, err);
    }
    WW_TRY(check(texture, err));
    e->texture = *texture;
    return WW_OK;
}

ww_status ww_texture_remove(ww_textures *textures, uint64_t handle, ww_error *err)
{
    entry *e = find(textures, handle);
    if (e == NULL) {
        return unknown(handle, err);
    }
    *e = (entry){0};
    return WW_OK;
}

const ww_texture *ww_texture_get(const ww_textures *textures, uint64_t handle)
{
    const entry *e = find(textures, handle);
    return e != NULL && e->texture.address != 0 ? &e->texture : NULL;
}
