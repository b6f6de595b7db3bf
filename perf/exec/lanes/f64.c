/* f64.c - double-precision arithmetic; NaN results are 0xfff8000000000000. */
#include "perf/exec/lanes/lanes.h"

#include "base/assert.h"
#include "perf/exec/lanes/softfp.h"

#define SIGN64 (1ull << 63)

LANE_FN(add, OUTF64(F64(0) + F64(1));)
LANE_FN(sub, OUTF64(F64(0) - F64(1));)
LANE_FN(mul, OUTF64(F64(0) * F64(1));)
LANE_FN(divide, OUTF64(F64(0) / F64(1));)
LANE_FN(rcp, OUTF64(1.0 / F64(0));)
LANE_FN(root, OUTF64(__builtin_sqrt(F64(0)));)
#ifdef LANES_HAVE_FMA
LANE_FN(madd, OUTF64(__builtin_fma(F64(0), F64(1), F64(2)));)
#else
LANE_FN(madd, OUT64(ww__soft_fma(&ww__soft_f64, B64(0), B64(1), B64(2), WW_ROUND_RN));)
#endif

/* Directed rounding; x is the mode. */
#define MODE ((ww_round)x)
LANE_FN(soft_add, OUT64(ww__soft_add(&ww__soft_f64, B64(0), B64(1), MODE));)
LANE_FN(soft_sub, OUT64(ww__soft_add(&ww__soft_f64, B64(0), B64(1) ^ SIGN64, MODE));)
LANE_FN(soft_mul, OUT64(ww__soft_mul(&ww__soft_f64, B64(0), B64(1), MODE));)
LANE_FN(soft_fma, OUT64(ww__soft_fma(&ww__soft_f64, B64(0), B64(1), B64(2), MODE));)
LANE_FN(soft_div, OUT64(ww__soft_div(&ww__soft_f64, B64(0), B64(1), MODE));)
LANE_FN(soft_rcp, OUT64(ww__soft_div(&ww__soft_f64, 0x3ff0000000000000ull, B64(0), MODE));)
LANE_FN(soft_sqrt, OUT64(ww__soft_sqrt(&ww__soft_f64, B64(0), MODE));)

/* The number when one operand is NaN; -0 < +0. */
static WW_ALWAYS_INLINE uint64_t pick_f64(uint64_t a, uint64_t b, bool want_max)
{
    double fa = lanes_f64(a);
    double fb = lanes_f64(b);
    bool a_less = (fa < fb) | ((fa == fb) & ((a >> 63) > (b >> 63)));
    uint64_t r = a_less != want_max ? a : b;
    r = fa != fa ? b : r;
    r = fb != fb ? a : r;
    return ((fa != fa) & (fb != fb)) ? WW_NAN64 : r;
}
LANE_FN(min, OUT64(pick_f64(B64(0), B64(1), false));)
LANE_FN(max, OUT64(pick_f64(B64(0), B64(1), true));)
LANE_FN(abs_, OUT64(B64(0) & ~SIGN64);)
LANE_FN(neg, OUT64(B64(0) ^ SIGN64);)

static ww_lane_op arithmetic(const ww_inst *inst, ww_lane_fn *nearest, ww_lane_fn *soft)
{
    WW_ASSERT(inst->type == WW_T_F64);
    if (inst->round == WW_ROUND_DEFAULT || inst->round == WW_ROUND_RN) {
        return lane_op(nearest, 2);
    }
    return inst->round <= WW_ROUND_RP ? lane_op_x(soft, 2, inst->round) : lane_none();
}

ww_lane_op LANES_NAME(ww__lanes_f64)(const ww_inst *inst)
{
    if (inst->type != WW_T_F64) {
        return lane_none();
    }
    switch ((ww_op)inst->op) {
    case WW_OP_ADD:
        return arithmetic(inst, add, soft_add);
    case WW_OP_SUB:
        return arithmetic(inst, sub, soft_sub);
    case WW_OP_MUL:
        return arithmetic(inst, mul, soft_mul);
    case WW_OP_MAD:
    case WW_OP_FMA:
        return arithmetic(inst, madd, soft_fma);
    case WW_OP_DIV:
        return inst->sub == WW_SUB_NONE ? arithmetic(inst, divide, soft_div) : lane_none();
    case WW_OP_RCP:
        return inst->sub == WW_SUB_NONE ? arithmetic(inst, rcp, soft_rcp) : lane_none();
    case WW_OP_SQRT:
        return inst->sub == WW_SUB_NONE ? arithmetic(inst, root, soft_sqrt) : lane_none();
    case WW_OP_MIN:
        return lane_op(min, 2);
    case WW_OP_MAX:
        return lane_op(max, 2);
    case WW_OP_ABS:
        return lane_op(abs_, 2);
    case WW_OP_NEG:
        return lane_op(neg, 2);
    default:
        return lane_none();
    }
}
