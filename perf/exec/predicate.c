/* predicate.c - instructions whose results or operands are predicates: setp, set, predicate logic
 * and moves. */
#include "perf/exec/code.h"

static uint32_t combine(uint8_t how, uint32_t a, uint32_t b)
{
    switch ((ww_bool_op)how) {
    case WW_BOOL_AND:
        return a & b;
    case WW_BOOL_OR:
        return a | b;
    case WW_BOOL_XOR:
        return a ^ b;
    default:
        return a;
    }
}

/* The comparison's mask; sources may need scratch planes. */
static uint32_t compare(const ww_exec_ctx *x, const ww_uop *u, ww_lane_fn *fn)
{
    _Alignas(64) uint32_t scratch[2][WW_PAIR_WORDS];
    const uint32_t *s[2];
    for (unsigned k = 0; k < 2; k++) {
        s[k] = ww__src(x, &u->src[k], scratch[k]);
    }
    return fn(NULL, s, 0);
}

ww_status ww__run_setp(ww_exec_ctx *x, const ww_uop *u)
{
    uint32_t mask = compare(x, u, u->fn);
    uint32_t with = ww__pred(x, u->pred);
    ww__pred_write(x, u->pred_dst, combine(u->inst->bool_op, mask, with));
    ww__pred_write(x, u->pred_dst2, combine(u->inst->bool_op, ~mask, with));
    return WW_OK;
}

/* Bits of "true" in a destination type. */
static uint32_t true_of(ww_type type)
{
    switch (type) {
    case WW_T_F32:
        return 0x3f800000u;
    case WW_T_F16:
    case WW_T_F16X2:
        return 0x3c00u;
    case WW_T_BF16:
    case WW_T_BF16X2:
        return 0x3f80u;
    default:
        return UINT32_MAX;
    }
}

ww_status ww__run_set(ww_exec_ctx *x, const ww_uop *u)
{
    ww_type type = (ww_type)u->inst->type;
    uint32_t with = ww__pred(x, u->pred);
    uint32_t mask = combine(u->inst->bool_op, compare(x, u, u->fn), with);
    uint32_t upper =
        u->fn_upper != NULL ? combine(u->inst->bool_op, compare(x, u, u->fn_upper), with) : 0;
    uint32_t one = true_of(type);
    bool pair = u->fn_upper != NULL;
    uint32_t low = pair ? one & 0xffff : ww_type_bytes(type) == 2 ? one & 0xffff : one;
    uint32_t result[WW_LANES];
    for (unsigned i = 0; i < WW_LANES; i++) {
        result[i] =
            ((mask >> i & 1) != 0 ? low : 0) | (pair && (upper >> i & 1) != 0 ? low << 16 : 0);
    }
    ww__dst_write(x, u->dst, result, 1);
    return WW_OK;
}

ww_status ww__run_pred_logic(ww_exec_ctx *x, const ww_uop *u)
{
    uint32_t a = ww__pred(x, u->pred);
    uint32_t b = ww__pred(x, u->pred2);
    uint32_t r = u->inst->op == WW_OP_AND   ? a & b
                 : u->inst->op == WW_OP_OR  ? a | b
                 : u->inst->op == WW_OP_XOR ? a ^ b
                                            : ~a;
    ww__pred_write(x, u->pred_dst, r);
    return WW_OK;
}

ww_status ww__run_pred_move(ww_exec_ctx *x, const ww_uop *u)
{
    ww__pred_write(x, u->pred_dst, ww__pred(x, u->pred));
    return WW_OK;
}
