/* f32.c - single-precision arithmetic: the host's own instructions for round-to-nearest,
 * softfp.h for the rest. Variants: plain, .ftz, .sat, .ftz.sat; NaN results are 0x7fffffff. */
#include "perf/exec/lanes/lanes.h"

#include "perf/exec/lanes/softfp.h"

#define PLAIN(k) F32(k)
#define FLUSH(k) lanes_f32(lanes_flush_bits32(B32(k)))

/* EXPR is evaluated with IN(k) reading operand k; four variants of each operation. */
#define F32_VARIANTS(name, EXPR)                                                                   \
    LANE_FN(name##_plain, OUTF32(EXPR(PLAIN));)                                                    \
    LANE_FN(name##_ftz, OUTF32(lanes_flush32(EXPR(FLUSH)));)                                       \
    LANE_FN(name##_sat, OUTF32(lanes_sat32(EXPR(PLAIN)));)                                         \
    LANE_FN(name##_ftz_sat, OUTF32(lanes_flush32(lanes_sat32(EXPR(FLUSH))));)                      \
    static ww_lane_fn *const name[4] = {name##_plain, name##_ftz, name##_sat, name##_ftz_sat};

#ifdef LANES_HAVE_FMA
#define FUSED(a, b, c) __builtin_fmaf(a, b, c)
#else
/* a*b is exact in double; the sum is rounded to odd there, so that rounding it again to float is
 * right (Boldo, Melquiond, "Emulation of a FMA and correctly rounded sums", IEEE Trans. Computers
 * 57(4), 2008). */
static WW_ALWAYS_INLINE float fused(float a, float b, float c)
{
    double p = (double)a * (double)b;
    double s = p + (double)c;
    double back = s - p;
    double error = (p - (s - back)) + ((double)c - back);
    uint64_t bits = lanes_bits64(s);
    bool away = (error > 0.0) == (s > 0.0);
    uint64_t odd = away ? bits + 1 : bits - 1;
    bits = error != 0.0 && error == error && (bits & 1) == 0 ? odd : bits;
    return (float)lanes_f64(bits);
}
#define FUSED(a, b, c) fused(a, b, c)
#endif

#define E_ADD(IN)  (IN(0) + IN(1))
#define E_SUB(IN)  (IN(0) - IN(1))
#define E_MUL(IN)  (IN(0) * IN(1))
#define E_FMA(IN)  FUSED(IN(0), IN(1), IN(2))
#define E_DIV(IN)  (IN(0) / IN(1))
#define E_RCP(IN)  (1.0f / IN(0))
#define E_SQRT(IN) __builtin_sqrtf(IN(0))
F32_VARIANTS(add, E_ADD)
F32_VARIANTS(sub, E_SUB)
F32_VARIANTS(mul, E_MUL)
F32_VARIANTS(madd, E_FMA)
F32_VARIANTS(divide, E_DIV)
F32_VARIANTS(rcp, E_RCP)
F32_VARIANTS(root, E_SQRT)

/* Directed rounding. x holds the rounding mode and, above it, WW_MOD_FTZ and WW_MOD_SAT. */
enum { SOFT_FTZ = 0x100, SOFT_SAT = 0x200 };
#define SOFT_IN(k) ((x & SOFT_FTZ) != 0 ? lanes_flush_bits32(B32(k)) : B32(k))
#define SOFT_ROUND ((ww_round)(x & 0xff))
#define SOFT_OUT(v)                                                                                \
    do {                                                                                           \
        float r_ = lanes_f32((uint32_t)(v));                                                       \
        r_ = (x & SOFT_SAT) != 0 ? lanes_sat32(r_) : r_;                                           \
        OUTF32((x & SOFT_FTZ) != 0 ? lanes_flush32(r_) : r_);                                      \
    } while (0)
LANE_FN(soft_add, SOFT_OUT(ww__soft_add(&ww__soft_f32, SOFT_IN(0), SOFT_IN(1), SOFT_ROUND));)
LANE_FN(soft_sub,
        SOFT_OUT(ww__soft_add(&ww__soft_f32, SOFT_IN(0), SOFT_IN(1) ^ 0x80000000u, SOFT_ROUND));)
LANE_FN(soft_mul, SOFT_OUT(ww__soft_mul(&ww__soft_f32, SOFT_IN(0), SOFT_IN(1), SOFT_ROUND));)
LANE_FN(soft_fma,
        SOFT_OUT(ww__soft_fma(&ww__soft_f32, SOFT_IN(0), SOFT_IN(1), SOFT_IN(2), SOFT_ROUND));)
LANE_FN(soft_div, SOFT_OUT(ww__soft_div(&ww__soft_f32, SOFT_IN(0), SOFT_IN(1), SOFT_ROUND));)
LANE_FN(soft_rcp, SOFT_OUT(ww__soft_div(&ww__soft_f32, 0x3f800000u, SOFT_IN(0), SOFT_ROUND));)
LANE_FN(soft_sqrt, SOFT_OUT(ww__soft_sqrt(&ww__soft_f32, SOFT_IN(0), SOFT_ROUND));)

/* The number when one operand is NaN; -0 < +0. x: 1 makes NaN win (.NaN). */
static WW_ALWAYS_INLINE uint32_t pick_f32(uint32_t a, uint32_t b, bool want_max, bool nan_wins)
{
    float fa = lanes_f32(a);
    float fb = lanes_f32(b);
    bool a_less = (fa < fb) | ((fa == fb) & ((a >> 31) > (b >> 31)));
    uint32_t r = a_less != want_max ? a : b;
    r = fa != fa ? b : r;
    r = fb != fb ? a : r;
    bool nan = nan_wins ? (fa != fa) | (fb != fb) : (fa != fa) & (fb != fb);
    return nan ? WW_NAN32 : r;
}
LANE_FN(min_plain, OUT32(pick_f32(B32(0), B32(1), false, x != 0));)
LANE_FN(max_plain, OUT32(pick_f32(B32(0), B32(1), true, x != 0));)
LANE_FN(min_ftz,
        OUT32(pick_f32(lanes_flush_bits32(B32(0)), lanes_flush_bits32(B32(1)), false, x != 0));)
LANE_FN(max_ftz,
        OUT32(pick_f32(lanes_flush_bits32(B32(0)), lanes_flush_bits32(B32(1)), true, x != 0));)

/* Sign operations touch nothing but the sign (and flush). */
LANE_FN(abs_plain, OUT32(B32(0) & 0x7fffffffu);)
LANE_FN(abs_ftz, OUT32(lanes_flush_bits32(B32(0)) & 0x7fffffffu);)
LANE_FN(neg_plain, OUT32(B32(0) ^ 0x80000000u);)
LANE_FN(neg_ftz, OUT32(lanes_flush_bits32(B32(0)) ^ 0x80000000u);)

static ww_lane_op arithmetic(const ww_inst *inst, ww_lane_fn *const variant[4], ww_lane_fn *soft)
{
    bool ftz = (inst->mods & WW_MOD_FTZ) != 0;
    bool sat = (inst->mods & WW_MOD_SAT) != 0;
    if (inst->round == WW_ROUND_DEFAULT || inst->round == WW_ROUND_RN) {
        return lane_op(variant[(ftz ? 1 : 0) + (sat ? 2 : 0)], 1);
    }
    if (inst->round > WW_ROUND_RP) {
        return lane_none();
    }
    return lane_op_x(soft, 1,
                     (uint32_t)inst->round | (ftz ? SOFT_FTZ : 0u) | (sat ? SOFT_SAT : 0u));
}

ww_lane_op LANES_NAME(ww__lanes_f32)(const ww_inst *inst)
{
    bool ftz = (inst->mods & WW_MOD_FTZ) != 0;
    bool nan_wins = (inst->mods & WW_MOD_NAN) != 0;
    if (inst->type != WW_T_F32) {
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
        return lane_op_x(ftz ? min_ftz : min_plain, 1, nan_wins);
    case WW_OP_MAX:
        return lane_op_x(ftz ? max_ftz : max_plain, 1, nan_wins);
    case WW_OP_ABS:
        return lane_op(ftz ? abs_ftz : abs_plain, 1);
    case WW_OP_NEG:
        return lane_op(ftz ? neg_ftz : neg_plain, 1);
    default:
        return lane_none();
    }
}
