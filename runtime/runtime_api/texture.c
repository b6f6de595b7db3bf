/* texture.c - texture and surface objects over arrays and device memory. */
#include <string.h>

#include "runtime/core/context.h"
#include "runtime/core/limits.h"

static bool set_format(ww_texture *t, const cudaChannelFormatDesc *d)
{
    static const uint8_t channel[] = {WW_TEX_SIGNED, WW_TEX_UNSIGNED, WW_TEX_FLOAT};
    if (d->f < 0 || d->f > cudaChannelFormatKindFloat || (d->x != 8 && d->x != 16 && d->x != 32)) {
        return false;
    }
    t->channels = (uint8_t)((d->x > 0) + (d->y > 0) + (d->z > 0) + (d->w > 0));
    t->channel_bits = (uint8_t)d->x;
    t->channel = channel[d->f];
    return true;
}

static cudaError_t set_array(const rt_context *c, ww_texture *t, cudaArray_t a)
{
    if (!rt_is_array(c, a)) {
        return cudaErrorInvalidResourceHandle;
    }
    t->address = a->address;
    t->width = (uint32_t)a->extent.width;
    t->height = (uint32_t)a->extent.height;
    t->depth = (uint32_t)a->extent.depth;
    t->pitch = a->pitch;
    t->slice = a->slice;
    t->blocks = a->extent.height > 1;
    return set_format(t, &a->desc) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t set_linear(ww_texture *t, const cudaResourceDesc *r)
{
    size_t most = (size_t)1 << 30;
    t->address = (uintptr_t)r->res.linear.devPtr;
    if (!set_format(t, &r->res.linear.desc)) {
        return cudaErrorInvalidValue;
    }
    size_t width = r->res.linear.sizeInBytes / (t->channels * t->channel_bits / 8u);
    t->width = (uint32_t)(width < most ? width : most);
    return t->address != 0 && width > 0 ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t set_pitch_2d(ww_texture *t, const cudaResourceDesc *r)
{
    t->address = (uintptr_t)r->res.pitch2D.devPtr;
    t->width = (uint32_t)r->res.pitch2D.width;
    t->height = (uint32_t)r->res.pitch2D.height;
    t->pitch = r->res.pitch2D.pitchInBytes;
    return t->address != 0 && set_format(t, &r->res.pitch2D.desc) ? cudaSuccess
                                                                  : cudaErrorInvalidValue;
}

static cudaError_t set_resource(rt_context *c, ww_texture *t, const cudaResourceDesc *r)
{
    switch (r->resType) {
    case cudaResourceTypeArray:
        return set_array(c, t, r->res.array);
    case cudaResourceTypeLinear:
        return set_linear(t, r);
    case cudaResourceTypePitch2D:
        return set_pitch_2d(t, r);
    default:
        return rt_lacking(c, "a texture of a mipmapped array");
    }
}

static cudaError_t set_sampling(rt_context *c, ww_texture *t, const cudaTextureDesc *d)
{
    if (d->sRGB != 0) {
        return rt_lacking(c, "a texture with sRGB conversion");
    }
    for (int i = 0; i < 3; i++) {
        if (d->addressMode[i] < WW_TEX_WRAP || d->addressMode[i] > WW_TEX_BORDER) {
            return cudaErrorInvalidValue;
        }
        /* Wrapping and mirroring need normalized coordinates; without, the hardware clamps. */
        bool periodic = d->addressMode[i] == WW_TEX_WRAP || d->addressMode[i] == WW_TEX_MIRROR;
        t->mode[i] =
            (uint8_t)(periodic && d->normalizedCoords == 0 ? WW_TEX_CLAMP : d->addressMode[i]);
    }
    t->linear = d->filterMode != 0;
    t->normalized_coordinates = d->normalizedCoords != 0;
    t->normalized_read = d->readMode != 0 && t->channel != WW_TEX_FLOAT;
    if (t->linear && t->channel != WW_TEX_FLOAT && !t->normalized_read) {
        return cudaErrorInvalidValue; /* cudaErrorInvalidFilterSetting is of the past */
    }
    memcpy(t->border, d->borderColor, sizeof t->border);
    return cudaSuccess;
}

cudaError_t rt_describe_texture(rt_context *c, ww_texture *t, const cudaResourceDesc *resource,
                                const cudaTextureDesc *texture)
{
    cudaError_t code = set_resource(c, t, resource);
    return code == cudaSuccess && texture != NULL ? set_sampling(c, t, texture) : code;
}

static cudaError_t create(rt_context *c, uint64_t *out, const cudaResourceDesc *resource,
                          const cudaTextureDesc *texture)
{
    ww_texture t = {0};
    if (out == NULL || resource == NULL) {
        return cudaErrorInvalidValue;
    }
    cudaError_t code = rt_describe_texture(c, &t, resource, texture);
    rt_texture *entry = code == cudaSuccess ? WW_NEW(rt_texture) : NULL;
    if (entry == NULL) {
        return code != cudaSuccess ? code : cudaErrorMemoryAllocation;
    }
    ww_error err = {0};
    code = rt_failed(c, ww_device_texture_create(c->device, &t, &entry->handle, &err), &err);
    if (code != cudaSuccess) {
        ww_free(entry);
        return code;
    }
    entry->is_surface = texture == NULL;
    entry->resource = *resource;
    if (texture != NULL) {
        entry->texture = *texture;
    }
    entry->next = c->textures;
    c->textures = entry;
    *out = entry->handle;
    return cudaSuccess;
}

static cudaError_t destroy(rt_context *c, uint64_t handle, bool is_surface)
{
    for (rt_texture **t = &c->textures; *t != NULL; t = &(*t)->next) {
        if ((*t)->handle == handle && (*t)->is_surface == is_surface) {
            rt_texture *gone = *t;
            *t = gone->next;
            WW_CERTAIN(ww_device_texture_destroy(c->device, handle, NULL)); /* it is in the list */
            ww_free(gone);
            return cudaSuccess;
        }
    }
    return handle == 0 ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t describe(const rt_context *c, uint64_t handle, bool is_surface,
                            cudaResourceDesc *resource, cudaTextureDesc *texture)
{
    for (const rt_texture *t = c->textures; t != NULL; t = t->next) {
        if (t->handle == handle && t->is_surface == is_surface) {
            if (resource != NULL) {
                *resource = t->resource;
            }
            if (texture != NULL) {
                *texture = t->texture;
            }
            return resource != NULL || texture != NULL ? cudaSuccess : cudaErrorInvalidValue;
        }
    }
    return cudaErrorInvalidValue;
}

/* A view gives an array another format or part of its levels. */
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out, const cudaResourceDesc *resource,
                                    const cudaTextureDesc *texture,
                                    const cudaResourceViewDesc *view)
{
    uint64_t handle = 0;
    rt_context *c = rt_enter();
    cudaError_t code = c->failure;
    if (code == cudaSuccess) {
        code = out == NULL || texture == NULL ? cudaErrorInvalidValue
               : view != NULL                 ? rt_lacking(c, "a texture with a resource view")
                                              : create(c, &handle, resource, texture);
    }
    if (code == cudaSuccess) {
        *out = handle;
    }
    return rt_leave(c, code);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    RT_CALL(c, destroy(c, object, false));
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *out, cudaTextureObject_t object)
{
    RT_CALL(c, describe(c, object, false, out, NULL));
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *out, cudaTextureObject_t object)
{
    RT_CALL(c, describe(c, object, false, NULL, out));
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out, const cudaResourceDesc *resource)
{
    uint64_t handle = 0;
    rt_context *c = rt_enter();
    cudaError_t code = c->failure;
    if (code == cudaSuccess) {
        code = out == NULL ? cudaErrorInvalidValue : create(c, &handle, resource, NULL);
    }
    if (code == cudaSuccess) {
        *out = handle;
    }
    return rt_leave(c, code);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    RT_CALL(c, destroy(c, object, true));
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *out, cudaSurfaceObject_t object)
{
    RT_CALL(c, describe(c, object, true, out, NULL));
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *elements,
                                                 const cudaChannelFormatDesc *desc, int device)
{
    if (elements == NULL || desc == NULL || device != 0) {
        return device != 0 ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    }
    *elements = RT_TEXTURE_LINEAR;
    RT_CALL(c, cudaSuccess);
}
