/* map.c - tensor maps in memory: where they may lie, and the instructions that change them. */
#include "perf/exec/tensor/map.h"

#include <inttypes.h>
#include <string.h>

#include "perf/exec/memory/pending.h"

enum { MAP_ALIGNMENT = 64 };

ww_status ww__tensor_map_view(const ww_exec_ctx *x, const ww_uop *u, unsigned lane,
                              uint64_t address, ww_space space, unsigned char **out)
{
    uint64_t parameter = address - WW_PARAM_WINDOW, left = 0;
    const char *name = ww_op_name((ww_op)u->inst->op);
    uint64_t generic = space == WW_SPACE_SHARED ? address + WW_SHARED_WINDOW : address;
    if (parameter < WW_WINDOW_BYTES) {
        uint32_t bytes = x->env->launch->kernel->param_bytes;
        left = parameter < bytes ? bytes - parameter : 0;
        *out = (unsigned char *)(uintptr_t)x->env->launch->params + parameter;
    } else {
        *out = ww__generic_view(x, lane, generic, &left);
    }
    if (*out == NULL || left < WW_TENSOR_MAP_BYTES || address % MAP_ALIGNMENT != 0) {
        return ww__lane_fault(x, u, lane,
                              "%s names a tensor map at 0x%" PRIx64
                              ", which has not 128 bytes there or is no multiple of 64",
                              name, address);
    }
    return WW_OK;
}

ww_status ww__tensor_map_read(const ww_exec_ctx *x, const ww_uop *u, unsigned lane,
                              uint64_t address, ww_tensor_map *out)
{
    unsigned char *bytes;
    const char *name = ww_op_name((ww_op)u->inst->op);
    WW_TRY(ww__tensor_map_view(x, u, lane, address, WW_SPACE_GENERIC, &bytes));
    if (!ww_tensor_map_decode(bytes, out)) {
        return ww__lane_fault(x, u, lane, "%s: there is no tensor map at 0x%" PRIx64, name,
                              address);
    }
    const char *problem = ww_tensor_map_problem(out);
    return problem == NULL ? WW_OK
                           : ww__lane_fault(x, u, lane, "%s by the tensor map at 0x%" PRIx64 ": %s",
                                            name, address, problem);
}

/* ---- changes ---- */

static uint64_t pair(const uint32_t *planes, unsigned lane, bool wide)
{
    return planes[lane] | (wide ? (uint64_t)planes[lane + WW_LANES] << 32 : 0);
}

/* One place of 128 bytes, of the first lane. */
static void show(ww_exec_ctx *x, const ww_uop *u, uint64_t address)
{
    unsigned lane = (unsigned)__builtin_ctz(x->exec);
    x->out->exec = 1u << lane;
    x->out->is_memory = x->out->is_store = true;
    x->out->space = u->inst->space == WW_SPACE_SHARED ? WW_SPACE_SHARED : WW_SPACE_GLOBAL;
    x->out->lane_bytes = 16;
    x->out->address[lane] = address;
}

static uint64_t address_of(const ww_exec_ctx *x, const ww_uop *u, unsigned lane)
{
    uint32_t scratch[WW_PAIR_WORDS];
    const uint32_t *base = ww__src(x, &u->src[0], scratch);
    bool wide = u->src[0].words != 1; /* numbers are */
    uint64_t at = pair(base, lane, wide) + (uint64_t)u->inst->offset;
    return wide ? at : (uint32_t)at;
}

ww_status ww__run_tensormap_replace(ww_exec_ctx *x, const ww_uop *u)
{
    uint32_t scratch[WW_PAIR_WORDS];
    const uint32_t *value = ww__src(x, &u->src[1], scratch);
    bool shared = u->inst->space == WW_SPACE_SHARED;
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t address = address_of(x, u, lane);
        unsigned char *bytes;
        ww_tensor_map map;
        WW_TRY(ww__tensor_map_view(x, u, lane, address, (ww_space)u->inst->space, &bytes));
        if (!ww_tensor_map_decode(bytes, &map)) {
            return ww__lane_fault(x, u, lane, "%s: there is no tensor map at 0x%" PRIx64,
                                  ww_op_name((ww_op)u->inst->op), address);
        }
        if (address - WW_PARAM_WINDOW < WW_WINDOW_BYTES) {
            return ww__lane_fault(x, u, lane,
                                  "%s of the kernel's parameters, which can be read "
                                  "only",
                                  ww_op_name((ww_op)u->inst->op));
        }
        if (!shared && x->env->pending != NULL) {
            show(x, u, address);
            return ww__call_at_edge(x);
        }
        (void)ww_tensor_map_replace(&map, (ww_tensor_field)u->inst->vec, u->inst->tile,
                                    pair(value, lane, u->inst->type == WW_T_B64));
        ww_tensor_map_encode(&map, bytes);
    }
    show(x, u, address_of(x, u, (unsigned)__builtin_ctz(x->exec)));
    return WW_OK;
}

/* All lanes of the warp execute it with the same addresses: it is done once. */
ww_status ww__run_tensormap_copy(ww_exec_ctx *x, const ww_uop *u)
{
    uint32_t scratch[WW_PAIR_WORDS];
    unsigned lane = (unsigned)__builtin_ctz(x->exec);
    uint64_t address = address_of(x, u, lane);
    uint32_t inside = ww__src(x, &u->src[1], scratch)[lane];
    unsigned char *to, *from;
    WW_TRY(ww__tensor_map_view(x, u, lane, address, WW_SPACE_GENERIC, &to));
    WW_TRY(ww__tensor_map_view(x, u, lane, inside, WW_SPACE_SHARED, &from));
    show(x, u, address);
    if (x->env->pending != NULL) {
        return ww__call_at_edge(x);
    }
    memcpy(to, from, WW_TENSOR_MAP_BYTES);
    return WW_OK;
}

ww_status ww__decode_tensormap(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                               ww_error *err)
{
    bool copies = inst->op == WW_OP_TENSORMAP_COPY;
    if (inst->src_count != 2 || (!copies && inst->vec >= WW_TENSOR_FIELD_COUNT) ||
        (inst->space != WW_SPACE_GLOBAL && inst->space != WW_SPACE_SHARED &&
         inst->space != WW_SPACE_GENERIC)) {
        return ww__decode_malformed(code, inst, "operand missing", err);
    }
    WW_TRY(ww__decode_address(code, inst, u, err));
    WW_TRY(ww__operand_resolve(code, inst, &inst->src[1], copies ? WW_T_U32 : (ww_type)inst->type,
                               &u->src[1], err));
    u->src_count = 2;
    u->run = copies ? ww__run_tensormap_copy : ww__run_tensormap_replace;
    return WW_OK;
}
