/* surface.c - surface loads and stores of plain bits, and queries of sizes. x counts bytes, y and z
 * rows and slices; what lies outside is an error (.trap), the nearest place (.clamp), or reads as
 * zero and takes no stores (.zero). */
#include <string.h>

#include "perf/exec/memory/bulk.h"
#include "perf/exec/memory/pending.h"
#include "perf/exec/texture/texture.h"

enum { MOST_ELEMENTS = 4 };

/* An access in progress. */
typedef struct surface_access {
    uint32_t scratch[4 + MOST_ELEMENTS][WW_PAIR_WORDS];
    const uint32_t *source[4 + MOST_ELEMENTS];
    ww_tex_view view;
} surface_access;

static ww_status outside(const ww_exec_ctx *x, const ww_uop *u, unsigned lane, const ww_tex_view *v,
                         const int64_t at[3])
{
    return ww__lane_fault(x, u, lane,
                          "%s at byte %lld, row %lld, slice %lld of a surface of %u x %u x %u "
                          "elements of %u bytes",
                          ww_op_name((ww_op)u->inst->op), (long long)at[0], (long long)at[1],
                          (long long)at[2], v->size[0], v->size[1], v->size[2], v->element_bytes);
}

/* Byte, row and slice from the coordinates; a layer's number comes first. */
static void coordinates_of(const surface_access *a, const ww_uop *u, unsigned lane, int64_t at[3])
{
    ww_sub geometry = ww__surface_geometry(u->inst);
    bool layered = geometry == WW_SUB_A1D || geometry == WW_SUB_A2D;
    unsigned plain = u->x - layered;
    memset(at, 0, 3 * sizeof *at);
    for (unsigned d = 0; d < plain; d++) {
        at[d] = (int32_t)a->source[1 + layered + d][lane];
    }
    if (layered) {
        at[2] = (int32_t)a->source[1][lane];
    }
}

/* Host address of a lane's access; NULL: nothing to do. */
static ww_status place(ww_exec_ctx *x, const ww_uop *u, surface_access *a, unsigned lane,
                       unsigned char **out)
{
    const ww_inst *inst = u->inst;
    int64_t bytes = (int64_t)u->element_bytes * inst->vec;
    int64_t at[3];
    *out = NULL;
    WW_TRY(ww__tex_view(x, u, lane, ww__tex_handle(u, a->source[0], lane), &a->view));
    const ww_tex_view *v = &a->view;
    int64_t limit[3] = {(int64_t)v->size[0] * v->element_bytes - bytes, (int64_t)v->size[1] - 1,
                        (int64_t)v->size[2] - 1};
    coordinates_of(a, u, lane, at);
    bool misaligned = at[0] % bytes != 0 || limit[0] < 0;
    for (unsigned d = 0; d < 3; d++) {
        bool beyond = at[d] < 0 || at[d] > limit[d];
        if (beyond && (inst->mods & WW_MOD_OUTSIDE_ZERO) != 0) {
            return WW_OK;
        }
        if (misaligned || (beyond && (inst->mods & WW_MOD_OUTSIDE_CLAMP) == 0)) {
            return outside(x, u, lane, v, at);
        }
        at[d] = at[d] < 0 ? 0 : at[d] > limit[d] ? limit[d] : at[d];
    }
    uint64_t address = v->texture->address + (uint64_t)at[0] + (uint64_t)at[1] * v->texture->pitch +
                       (uint64_t)at[2] * v->texture->slice;
    x->out->address[lane] = address;
    *out = (unsigned char *)(address + x->code->bias);
    return WW_OK;
}

static void begin(ww_exec_ctx *x, const ww_uop *u, surface_access *a)
{
    memset(&a->view, 0, sizeof a->view);
    for (unsigned k = 0; k < u->element_count; k++) {
        a->source[k] = ww__src(x, &u->element[k], a->scratch[k]);
    }
    x->out->is_memory = true;
    x->out->space = WW_SPACE_GLOBAL;
    x->out->lane_bytes = (uint32_t)u->element_bytes * u->inst->vec;
    memset(x->out->address, 0, sizeof x->out->address);
}

ww_status ww__run_suld(ww_exec_ctx *x, const ww_uop *u)
{
    surface_access a;
    uint32_t result[MOST_ELEMENTS][WW_PAIR_WORDS] = {{0}};
    unsigned bytes = u->element_bytes;
    begin(x, u, &a);
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        unsigned char *p;
        WW_TRY(place(x, u, &a, lane, &p));
        if (p != NULL &&
            ww__pending_meets(x->env->pending, x->out->address, 1u << lane, bytes * u->dst_count)) {
            return ww__again(x);
        }
        for (unsigned k = 0; k < u->dst_count && p != NULL; k++) {
            uint64_t v = 0;
            memcpy(&v, p + k * bytes, bytes); /* little-endian */
            result[k][lane] = (uint32_t)v;
            result[k][lane + WW_LANES] = (uint32_t)(v >> 32);
        }
    }
    for (unsigned k = 0; k < u->dst_count; k++) {
        ww__dst_write(x, u->dst_list[k], result[k], bytes == 8 ? 2 : 1);
    }
    return WW_OK;
}

ww_status ww__run_sust(ww_exec_ctx *x, const ww_uop *u)
{
    surface_access a;
    unsigned bytes = u->element_bytes;
    begin(x, u, &a);
    x->out->is_store = true;
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        unsigned char *p;
        WW_TRY(place(x, u, &a, lane, &p));
        if (p != NULL && x->env->pending != NULL) {
            p = ww__pending_store(x->env->pending, x, x->out->address, 1u << lane,
                                  bytes * u->inst->vec);
            if (p == NULL) {
                return ww__pending_no_memory(x);
            }
        }
        for (unsigned k = 0; k < u->inst->vec && p != NULL; k++) {
            const uint32_t *s = a.source[1 + u->x + k];
            uint64_t v = bytes == 8 ? (uint64_t)s[lane + WW_LANES] << 32 | s[lane] : s[lane];
            memcpy(p + k * bytes, &v, bytes);
        }
    }
    return WW_OK;
}

/* An atomic operation on each lane's element. */
ww_status ww__run_sured(ww_exec_ctx *x, const ww_uop *u)
{
    surface_access a;
    uintptr_t where[WW_LANES] = {0};
    uint32_t lanes = 0;
    begin(x, u, &a);
    x->out->is_atomic = true;
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        unsigned char *p;
        WW_TRY(place(x, u, &a, lane, &p));
        where[lane] = (uintptr_t)p;
        lanes |= p != NULL ? 1u << lane : 0;
    }
    uint32_t value[WW_PAIR_WORDS] = {0};
    size_t planes = u->element_bytes == 8 ? 2 : 1;
    memcpy(value, a.source[1 + u->x], planes * WW_LANES * sizeof *value);
    return lanes != 0 ? ww__atomic_apply(x, u, lanes, true, where, value) : WW_OK;
}

ww_status ww__run_txq(ww_exec_ctx *x, const ww_uop *u)
{
    uint32_t scratch[WW_PAIR_WORDS];
    uint32_t result[WW_LANES] = {0};
    const uint32_t *handle = ww__src(x, &u->element[0], scratch);
    ww_tex_view view = {0};
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        WW_TRY(ww__tex_view(x, u, lane, ww__tex_handle(u, handle, lane), &view));
        result[lane] = u->inst->sub == WW_SUB_WIDTH    ? view.texture->width
                       : u->inst->sub == WW_SUB_HEIGHT ? view.texture->height
                                                       : view.texture->depth;
    }
    ww__dst_write(x, u->dst_list[0], result, 1);
    return WW_OK;
}
