/* memory.c - wmma.load and wmma.store. The warp moves a tile in 32 equal runs of
 * neighbouring bytes, one per lane, whatever lane the elements belong to: that is what the memory
 * system sees. */
#include <string.h>

#include "perf/exec/matrix/matrix.h"
#include "perf/exec/memory/pending.h"

enum {
    WIDEST = 16, /* bytes of one access per lane, and the alignment that wmma asks for */
    MOST_TILE_BYTES = WW_FRAGMENT_WORDS * WW_LANES * 4,
};

ww_status ww__matrix_check_lanes(const ww_exec_ctx *x, const ww_uop *u)
{
    const ww_kernel *kernel = x->env->launch->kernel;
    if (x->exec == UINT32_MAX) {
        return WW_OK;
    }
    return ww_fail_at(
        x->err, WW_EKERNEL, kernel->file, (int)u->inst->line, 0,
        "kernel %s: %s by %d lanes of warp %u of CTA (%u,%u,%u); all 32 must take part.",
        kernel->name, ww_op_name((ww_op)u->inst->op), __builtin_popcount(x->exec), x->warp->index,
        x->warp->cta->id[0], x->warp->cta->id[1], x->warp->cta->id[2]);
}

void ww__fragment_read(const ww_exec_ctx *x, const ww_uop *u, unsigned first, const ww_fragment *f,
                       ww_fragment_planes *out)
{
    unsigned words = f->bits == 64 ? 2 : 1;
    unsigned used = (f->content * f->bits + 31u) / 32;
    for (unsigned w = 0; w < used; w += words) {
        uint32_t scratch[WW_PAIR_WORDS];
        const uint32_t *s = ww__src(x, &u->element[first + w / words], scratch);
        memcpy(out->word[w], s, words * sizeof out->word[0]);
    }
}

void ww__fragment_write(ww_exec_ctx *x, const ww_uop *u, const ww_fragment *f,
                        const ww_fragment_planes *planes)
{
    unsigned words = f->bits == 64 ? 2 : 1;
    unsigned used = (f->content * f->bits + 31u) / 32;
    for (unsigned k = 0; k < u->dst_count; k++) {
        ww__dst_write(x, u->dst_list[k], planes->word[k * words % used], words);
    }
}

/* A tile in memory: `along` elements in a row, rows `stride` bytes apart. */
typedef struct tile_view {
    ww_fragment fragment;
    bool natural;   /* a row in memory is a line of the fragment; else a position of all lines */
    unsigned along; /* elements */
    unsigned run;   /* bytes per lane */
    uint64_t base, stride;
} tile_view;

static tile_view view_of(const ww_exec_ctx *x, const ww_uop *u)
{
    const ww_inst *inst = u->inst;
    tile_view v = {.fragment = u->matrix->d};
    v.natural = inst->sub == WW_SUB_B ? inst->layout != 0 : inst->layout == 0;
    v.along = v.natural ? v.fragment.positions : v.fragment.lines;
    v.run = v.fragment.content * u->element_bytes;
    uint32_t scratch[WW_PAIR_WORDS];
    const uint32_t *base = ww__src(x, &u->src[0], scratch);
    v.base = base[0];
    if (u->src[0].words == 2) {
        v.base |= (uint64_t)base[WW_LANES] << 32;
    }
    v.base += (uint64_t)inst->offset;
    v.stride = (uint64_t)ww__src_uniform(x, &u->src[1]) * u->element_bytes;
    return v;
}

/* Addresses of bytes [at, …) of every lane's run. */
static void set_addresses(const ww_exec_ctx *x, const tile_view *v, unsigned element_bytes,
                          unsigned at)
{
    unsigned row_bytes = v->along * element_bytes; /* a power of two */
    unsigned shift = (unsigned)__builtin_ctz(row_bytes);
    for (unsigned lane = 0; lane < WW_LANES; lane++) {
        unsigned byte = lane * v->run + at;
        x->out->address[lane] = v->base + (byte >> shift) * v->stride + (byte & (row_bytes - 1));
    }
}

static WW_ALWAYS_INLINE void load_element(ww_fragment_planes *planes, unsigned bytes, unsigned lane,
                                          unsigned element, const void *from)
{
    if (bytes == 8) {
        uint64_t v;
        memcpy(&v, from, sizeof v);
        planes->word[2 * element][lane] = (uint32_t)v;
        planes->word[2 * element + 1][lane] = (uint32_t)(v >> 32);
        return;
    }
    uint32_t v = 0;
    memcpy(&v, from, bytes); /* little-endian */
    ww__fragment_put(planes, 8 * bytes, lane, element, v);
}

static WW_ALWAYS_INLINE void store_element(const ww_fragment_planes *planes, unsigned bytes,
                                           unsigned lane, unsigned element, void *to)
{
    if (bytes == 8) {
        uint64_t v =
            (uint64_t)planes->word[2 * element + 1][lane] << 32 | planes->word[2 * element][lane];
        memcpy(to, &v, sizeof v);
        return;
    }
    uint32_t v = ww__fragment_get(planes, 8 * bytes, lane, element);
    memcpy(to, &v, bytes);
}

/* Elements of a tile as they lie in memory, row after row. */
typedef struct tile_bytes {
    _Alignas(8) unsigned char at[MOST_TILE_BYTES];
} tile_bytes;

/* Moves all elements between a tile and the planes that hold them, block after block as
 * ww_fragment_place counts them. */
static WW_ALWAYS_INLINE void distribute(const tile_view *v, unsigned bytes, tile_bytes *tile,
                                        ww_fragment_planes *planes, bool store)
{
    const ww_fragment *f = &v->fragment;
    unsigned blocks = f->content / f->unit;
    unsigned by_line = bytes * (v->natural ? v->along : 1);
    unsigned by_position = bytes * (v->natural ? 1 : v->along);
    for (unsigned block = 0; block < blocks; block++) {
        unsigned line, position;
        ww__fragment_block(f, block, &line, &position);
        for (unsigned lane = 0; lane < WW_LANES; lane++) {
            unsigned char *p = tile->at + (line + lane / 4) * by_line +
                               (position + lane % 4 * f->unit) * by_position;
            for (unsigned e = 0; e < f->unit; e++, p += by_position) {
                if (store) {
                    store_element(planes, bytes, lane, block * f->unit + e, p);
                } else {
                    load_element(planes, bytes, lane, block * f->unit + e, p);
                }
            }
        }
    }
}

/* The same for elements that fill whole words along a line, as those of factors do: 16 bytes of
 * each line of a block at a time. */
static void distribute_words(const tile_view *v, unsigned row_bytes, tile_bytes *tile,
                             ww_fragment_planes *planes, bool store)
{
    enum { BYTES = 16 };
    const ww_fragment *f = &v->fragment;
    unsigned blocks = f->content / f->unit;
    for (unsigned block = 0; block < blocks; block++) {
        unsigned line, position;
        ww__fragment_block(f, block, &line, &position);
        unsigned char *p = tile->at + line * row_bytes + position * f->bits / 8u;
        for (unsigned lane = 0; lane < WW_LANES; lane += 4, p += row_bytes) {
            if (store) {
                memcpy(p, &planes->word[block][lane], BYTES);
            } else {
                memcpy(&planes->word[block][lane], p, BYTES);
            }
        }
    }
}

/* The same for elements of 64 bits. */
static void distribute_wide(const tile_view *v, unsigned row_bytes, tile_bytes *tile,
                            ww_fragment_planes *planes)
{
    enum { ACROSS = 4 };
    const ww_fragment *f = &v->fragment;
    for (unsigned block = 0; block < f->content; block++) {
        uint64_t element[WW_LANES];
        unsigned line, position;
        ww__fragment_block(f, block, &line, &position);
        const unsigned char *p = tile->at + line * row_bytes + position * sizeof element[0];
        for (unsigned lane = 0; lane < WW_LANES; lane += ACROSS, p += row_bytes) {
            memcpy(&element[lane], p, ACROSS * sizeof element[0]);
        }
        for (unsigned lane = 0; lane < WW_LANES; lane++) {
            planes->word[2 * block][lane] = (uint32_t)element[lane];
            planes->word[2 * block + 1][lane] = (uint32_t)(element[lane] >> 32);
        }
    }
}

static void distribute_any(const tile_view *v, unsigned bytes, tile_bytes *tile,
                           ww_fragment_planes *planes, bool store)
{
    if (v->natural && v->fragment.unit * bytes == sizeof(uint32_t)) {
        distribute_words(v, v->along * bytes, tile, planes, store);
        return;
    }
    if (v->natural && v->fragment.unit == 1 && bytes == sizeof(uint64_t) && !store) {
        distribute_wide(v, v->along * bytes, tile, planes);
        return;
    }
    if (bytes < sizeof(uint32_t) && !store) { /* words come together from several elements */
        memset(planes, 0, sizeof *planes);
    }
    switch (bytes) { /* code for each size */
    case 1:
        distribute(v, 1, tile, planes, store);
        break;
    case 2:
        distribute(v, 2, tile, planes, store);
        break;
    case 4:
        distribute(v, 4, tile, planes, store);
        break;
    default:
        distribute(v, 8, tile, planes, store);
        break;
    }
}

/* Where the run of a lane lies for this move: in memory, or in the record of a store that waits for
 * the window's edge. */
static ww_status place_of(const ww_exec_ctx *x, const ww_access *g, bool store, unsigned lane,
                          unsigned width, uintptr_t *p)
{
    *p = g->base + x->out->address[lane] + lane * g->lane_stride;
    if (store && x->env->pending != NULL && g->base == x->code->bias) {
        *p = (uintptr_t)ww__pending_store(x->env->pending, x, x->out->address, 1u << lane, width);
        return *p != 0 ? WW_OK : ww__pending_no_memory(x);
    }
    return WW_OK;
}

static WW_ALWAYS_INLINE void copy_run(void *to, const void *from, unsigned width)
{
    if (width == WIDEST) { /* moves of their own for what is common */
        memcpy(to, from, WIDEST);
    } else if (width == WIDEST / 2) {
        memcpy(to, from, WIDEST / 2);
    } else {
        memcpy(to, from, width);
    }
}

/* Moves bytes [at, at + width) of all lanes' runs. */
static ww_status move(ww_exec_ctx *x, const ww_uop *u, const tile_view *v, unsigned at,
                      unsigned width, tile_bytes *tile)
{
    ww_access groups[WW_ACCESS_GROUPS];
    unsigned count;
    set_addresses(x, v, u->element_bytes, at);
    bool store = u->inst->op == WW_OP_WMMA_STORE;
    WW_TRY(ww__access_resolve_set(x, u, width, groups, &count));
    if (!store && groups[0].base == x->code->bias &&
        ww__pending_meets(x->env->pending, x->out->address, groups[0].mask, width)) {
        return ww__again(x);
    }
    for (unsigned g = 0; g < count; g++) {
        for (uint32_t m = groups[g].mask; m != 0; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            unsigned char *run = tile->at + lane * v->run + at;
            uintptr_t p;
            WW_TRY(place_of(x, &groups[g], store, lane, width, &p));
            copy_run(store ? (void *)p : run, store ? run : (const void *)p, width);
        }
    }
    return WW_OK;
}

static ww_status move_tile(ww_exec_ctx *x, const ww_uop *u, const tile_view *v, tile_bytes *tile)
{
    unsigned width = v->run < WIDEST ? v->run : WIDEST;
    /* The first part last: the step then reports where the runs begin. */
    for (unsigned at = v->run; at > 0 && !x->out->again;) {
        at -= width;
        WW_TRY(move(x, u, v, at, width, tile));
    }
    x->out->lane_bytes = v->run;
    return WW_OK;
}

ww_status ww__run_matrix_load(ww_exec_ctx *x, const ww_uop *u)
{
    WW_TRY(ww__matrix_check_lanes(x, u));
    tile_view v = view_of(x, u);
    tile_bytes tile;
    WW_TRY(move_tile(x, u, &v, &tile));
    if (x->out->again) {
        return WW_OK;
    }
    ww_fragment_planes planes;
    distribute_any(&v, u->element_bytes, &tile, &planes, false);
    ww__fragment_write(x, u, &v.fragment, &planes);
    return WW_OK;
}

ww_status ww__run_matrix_store(ww_exec_ctx *x, const ww_uop *u)
{
    WW_TRY(ww__matrix_check_lanes(x, u));
    tile_view v = view_of(x, u);
    ww_fragment_planes planes;
    ww__fragment_read(x, u, 0, &v.fragment, &planes);
    x->out->is_store = true;
    tile_bytes tile;
    distribute_any(&v, u->element_bytes, &tile, &planes, true);
    return move_tile(x, u, &v, &tile);
}
