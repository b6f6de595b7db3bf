/* memory.c - loads and stores. */
#include <string.h>

#include "perf/exec/memory/direct.h"
#include "perf/exec/memory/pending.h"

/* Runs BODY with p the lane's address for every lane of the mask; full warps need no bit scanning,
 * and threads have windows of their own in local memory alone. */
#define FOR_LANES(BODY)                                                                            \
    if (g->mask == UINT32_MAX && g->lane_stride == 0) {                                            \
        const uintptr_t base = g->base;                                                            \
        _Pragma("GCC unroll 8") for (unsigned i = 0; i < WW_LANES; i++)                            \
        {                                                                                          \
            uintptr_t p = base + address[i];                                                       \
            BODY                                                                                   \
        }                                                                                          \
    } else if (g->mask == UINT32_MAX) {                                                            \
        for (unsigned i = 0; i < WW_LANES; i++) {                                                  \
            uintptr_t p = g->base + address[i] + i * g->lane_stride;                               \
            BODY                                                                                   \
        }                                                                                          \
    } else {                                                                                       \
        for (uint32_t m = g->mask; m != 0; m &= m - 1) {                                           \
            unsigned i = (unsigned)__builtin_ctz(m);                                               \
            uintptr_t p = g->base + address[i] + i * g->lane_stride;                               \
            BODY                                                                                   \
        }                                                                                          \
    }

#define LOAD_FN(name, T, STORE)                                                                    \
    static void name(uint32_t *d, const ww_access *g, const uint64_t *address, unsigned at)        \
    {                                                                                              \
        FOR_LANES(T v; memcpy(&v, (const void *)(p + at), sizeof v); STORE)                        \
    }
#define TO_WORD d[i] = (uint32_t)v;
#define TO_PAIR                                                                                    \
    d[i] = (uint32_t)v;                                                                            \
    d[i + WW_LANES] = (uint32_t)((uint64_t)v >> 32);
LOAD_FN(load_u8, uint8_t, TO_WORD)
LOAD_FN(load_s8, int8_t, TO_WORD)
LOAD_FN(load_u16, uint16_t, TO_WORD)
LOAD_FN(load_s16, int16_t, TO_WORD)
LOAD_FN(load_32, uint32_t, TO_WORD)
LOAD_FN(load_u8_pair, uint8_t, TO_PAIR)
LOAD_FN(load_s8_pair, int8_t, TO_PAIR)
LOAD_FN(load_u16_pair, uint16_t, TO_PAIR)
LOAD_FN(load_s16_pair, int16_t, TO_PAIR)
LOAD_FN(load_u32_pair, uint32_t, TO_PAIR)
LOAD_FN(load_s32_pair, int32_t, TO_PAIR)
LOAD_FN(load_64, uint64_t, TO_PAIR)

typedef void load_fn(uint32_t *d, const ww_access *g, const uint64_t *address, unsigned at);

static load_fn *find_load(ww_type type, bool pair)
{
    bool sgn = ww_type_is_signed(type) && !ww_type_is_float(type);
    switch (ww_type_bytes(type)) {
    case 1:
        return pair ? (sgn ? load_s8_pair : load_u8_pair) : (sgn ? load_s8 : load_u8);
    case 2:
        return pair ? (sgn ? load_s16_pair : load_u16_pair) : (sgn ? load_s16 : load_u16);
    case 4:
        return pair ? (sgn ? load_s32_pair : load_u32_pair) : load_32;
    default:
        return load_64;
    }
}

/* The commonest accesses of one 32-bit element: neighbours, or all lanes alike. */
static bool load_fast(const ww_exec_ctx *x, const ww_uop *u, const ww_access *g)
{
    uint32_t *d = x->warp->regs + u->dst_list[0];
    const uint64_t *address = x->out->address;
    if (g->consecutive) {
        memcpy(d, (const void *)(g->base + address[0]), WW_LANES * sizeof *d);
        return true;
    }
    if (g->same && g->mask == UINT32_MAX) {
        uint32_t v;
        memcpy(&v, (const void *)(g->base + address[0]), sizeof v);
        for (unsigned i = 0; i < WW_LANES; i++) {
            d[i] = v;
        }
        return true;
    }
    return false;
}

/* ---- words of shared memory that each half-warp finds in a line ---- */

enum { HALF = WW_LANES / 2 };

static bool may_be_in_lines(const ww_exec_ctx *x, const ww_uop *u)
{
    return x->env->lines && x->exec == UINT32_MAX && u->direct != NULL && u->direct->shared_word;
}

/* Says where they are, without faults, in place of addresses; false: they are not to be had so. */
static bool find_lines(const ww_exec_ctx *x, const ww_uop *u)
{
    const struct ww_direct *d = u->direct;
    const uint32_t *base = (d->base_in_pool ? x->code->pool : x->warp->regs) + d->base;
    const uint32_t step = x->code->lanes->find_lines(base, d->base_words, 4);
    if (step == UINT32_MAX || (d->base_words == 2 && base[WW_LANES] != 0)) {
        return false;
    }
    const uint32_t before = (HALF - 1) * step; /* the last lane */
    const uint64_t end = x->warp->cta->shared_bytes;
    ww_step *out = x->out;
    for (unsigned half = 0; half < 2; half++) {
        const uint64_t low = base[half * HALF], at = low + d->offset;
        const uint64_t first = d->base_words == 1 ? (uint32_t)at : at;
        if (low + before > UINT32_MAX || (first & 3) != 0 || first >= end ||
            end - first < before + 4u) {
            return false;
        }
        out->line[half] = (uint32_t)first;
    }
    out->in_lines = true;
    out->line_step = step;
    out->is_memory = true;
    out->lane_bytes = 4;
    out->space = WW_SPACE_SHARED;
    return true;
}

static void load_lines(const ww_exec_ctx *x, uint32_t *d)
{
    for (unsigned half = 0; half < 2; half++, d += HALF) {
        const unsigned char *from = x->warp->cta->shared + x->out->line[half];
        if (x->out->line_step != 0) {
            memcpy(d, from, HALF * sizeof *d);
            continue;
        }
        uint32_t v;
        memcpy(&v, from, sizeof v);
        for (unsigned i = 0; i < HALF; i++) {
            d[i] = v;
        }
    }
}

static void store_lines(const ww_exec_ctx *x, const uint32_t *s)
{
    for (unsigned half = 0; half < 2; half++, s += HALF) {
        unsigned char *to = x->warp->cta->shared + x->out->line[half];
        if (x->out->line_step != 0) {
            memcpy(to, s, HALF * sizeof *s);
        } else { /* of lanes that store to one address the highest one's value stays */
            memcpy(to, &s[HALF - 1], sizeof *s);
        }
    }
}

/* ---- parameters ---- */

/* All lanes of a full warp read one, without addresses. */
static void load_parameter(const ww_exec_ctx *x, const ww_uop *u)
{
    ww_step *out = x->out;
    uint32_t v[2], *d = x->warp->regs + u->dst_list[0];
    memcpy(v, x->env->launch->params + u->parameter, u->element_bytes);
    for (unsigned k = 0; k < u->out_words; k++, d += WW_LANES) {
        for (unsigned i = 0; i < WW_LANES; i++) {
            d[i] = v[k];
        }
    }
    out->is_memory = true;
    out->lane_bytes = u->element_bytes;
    out->space = WW_SPACE_PARAM;
    out->same = true;
    out->address[0] = u->parameter;
}

ww_status ww__run_ld(ww_exec_ctx *x, const ww_uop *u)
{
    ww_access groups[WW_ACCESS_GROUPS];
    unsigned count;
    unsigned bytes = u->element_bytes;
    if (u->parameter != WW_NO_REG && x->env->lines && x->exec == UINT32_MAX) {
        load_parameter(x, u);
        return WW_OK;
    }
    if (may_be_in_lines(x, u) && find_lines(x, u)) {
        load_lines(x, x->warp->regs + u->direct->plane[0]);
        return WW_OK;
    }
    WW_TRY(ww__access_resolve(x, u, bytes * u->dst_count, groups, &count));
    if (WW_UNLIKELY(x->remote) && x->env->pending != NULL) {
        return ww__call_at_edge(x);
    }
    if (groups[0].base == x->code->bias && /* global lanes come first */
        ww__pending_meets(x->env->pending, x->out->address, groups[0].mask, bytes * u->dst_count)) {
        return ww__again(x);
    }
    if (u->out_words == 1 && bytes == 4 && u->dst_count == 1 && count == 1 &&
        u->dst_list[0] != WW_NO_REG && load_fast(x, u, groups)) {
        return WW_OK;
    }
    /* Several elements a lane: all planes at once, now that the access is known to be right. */
    if (u->dst_count > 1 && u->direct != NULL && count == 1 &&
        ww__direct_access(x, u->direct, groups[0].mask)) {
        return WW_OK;
    }
    const uint64_t *address = x->out->address;
    for (unsigned k = 0; k < u->dst_count; k++) {
        if (u->dst_list[k] == WW_NO_REG) {
            continue;
        }
        uint32_t *d = x->warp->regs + u->dst_list[k];
        for (unsigned g = 0; g < count; g++) {
            if (bytes == 16) {
                load_64(d, &groups[g], address, k * bytes);
                load_64(d + 2 * WW_LANES, &groups[g], address, k * bytes + 8);
            } else {
                find_load((ww_type)u->inst->type, u->out_words == 2)(d, &groups[g], address,
                                                                     k * bytes);
            }
        }
    }
    return WW_OK;
}

static void store_element(const uint32_t *s, const ww_access *g, const uint64_t *address,
                          unsigned at, unsigned bytes)
{
    switch (bytes) {
    case 1:
        FOR_LANES(*(unsigned char *)(p + at) = (unsigned char)s[i];)
        break;
    case 2:
        FOR_LANES(uint16_t v = (uint16_t)s[i]; memcpy((void *)(p + at), &v, sizeof v);)
        break;
    case 4:
        FOR_LANES(memcpy((void *)(p + at), &s[i], sizeof s[i]);)
        break;
    default:
        FOR_LANES(uint64_t v = (uint64_t)s[i + WW_LANES] << 32 | s[i];
                  memcpy((void *)(p + at), &v, sizeof v);)
        break;
    }
}

/* Turns a group in global memory into one in a record of the SM's pending stores, where its lanes
 * lie one after the other; *places: their offsets there. */
static ww_status keep_back(const ww_exec_ctx *x, ww_access *g, unsigned lane_bytes,
                           uint64_t places[WW_LANES])
{
    unsigned char *data =
        ww__pending_store(x->env->pending, x, x->out->address, g->mask, lane_bytes);
    if (data == NULL) {
        return ww__pending_no_memory(x);
    }
    uint64_t at = 0;
    for (uint32_t m = g->mask; m != 0; m &= m - 1) {
        places[__builtin_ctz(m)] = at;
        at += lane_bytes;
    }
    g->base = (uintptr_t)data;
    return WW_OK;
}

/* Neighbouring words: one place of all lanes' bytes. */
static ww_status store_run(const ww_exec_ctx *x, const ww_access *g, const uint32_t *s)
{
    void *to = (void *)(g->base + x->out->address[0]);
    if (x->env->pending != NULL && g->base == x->code->bias) {
        to = ww__pending_store(x->env->pending, x, x->out->address, 1, WW_LANES * sizeof *s);
        if (to == NULL) {
            return ww__pending_no_memory(x);
        }
    }
    memcpy(to, s, WW_LANES * sizeof *s);
    return WW_OK;
}

/* Lanes store in ascending order: of two that store to one address the higher lane's value stays.
 */
ww_status ww__run_st(ww_exec_ctx *x, const ww_uop *u)
{
    ww_access groups[WW_ACCESS_GROUPS];
    unsigned count;
    unsigned bytes = u->element_bytes;
    x->out->is_store = true;
    if (may_be_in_lines(x, u) && find_lines(x, u)) {
        store_lines(x, (u->direct->from_pool[0] ? x->code->pool : x->warp->regs) +
                           u->direct->plane[0]);
        return WW_OK;
    }
    WW_TRY(ww__access_resolve(x, u, bytes * u->element_count, groups, &count));
    if (WW_UNLIKELY(x->remote) && x->env->pending != NULL) {
        return ww__call_at_edge(x);
    }
    if (bytes == 4 && u->element_count == 1 && groups[0].consecutive) {
        uint32_t scratch[WW_PAIR_WORDS];
        return store_run(x, &groups[0], ww__src(x, &u->element[0], scratch));
    }
    uint64_t kept[WW_LANES];
    const uint64_t *first = x->out->address;
    if (x->env->pending != NULL && groups[0].base == x->code->bias) { /* global lanes come first */
        WW_TRY(keep_back(x, &groups[0], bytes * u->element_count, kept));
        first = kept;
    }
    for (unsigned k = 0; k < u->element_count; k++) {
        uint32_t scratch[WW_PAIR_WORDS];
        const uint32_t *s = ww__src(x, &u->element[k], scratch);
        for (unsigned g = 0; g < count; g++) {
            const uint64_t *address = g == 0 ? first : x->out->address;
            if (bytes == 16) {
                store_element(s, &groups[g], address, k * bytes, 8);
                store_element(s + 2 * WW_LANES, &groups[g], address, k * bytes + 8, 8);
            } else {
                store_element(s, &groups[g], address, k * bytes, bytes);
            }
        }
    }
    return WW_OK;
}
