/* sfu.c - the approximate operations as approx.h defines them, and the checks that go with
 * them. */
#include "perf/exec/lanes/lanes.h"

#include "perf/exec/lanes/approx.h"
#include "perf/exec/lanes/half.h"

#define IN_PLAIN(k) F32(k)
#define IN_FTZ(k)   lanes_f32(lanes_flush_bits32(B32(k)))
#define KEEP(v)     (v)

/* plain and .ftz versions of a unary function given as EXPR(a, FLUSH). */
#define SFU32(name, EXPR)                                                                          \
    LANE_FN(name##_plain, float a = IN_PLAIN(0); OUTF32(EXPR(a, KEEP));)                           \
    LANE_FN(name##_ftz, float a = IN_FTZ(0); OUTF32(lanes_flush32(EXPR(a, lanes_flush32)));)

#define E_RCP(a, FLUSH)   (1.0f / (a))
#define E_RSQRT(a, FLUSH) ((float)ww__approx_rsqrt((double)(a)))
#define E_SQRT(a, FLUSH)  (1.0f / FLUSH(E_RSQRT(a, FLUSH)))
#define E_SIN(a, FLUSH)   ((float)ww__approx_sin((double)(a)))
#define E_COS(a, FLUSH)   ((float)ww__approx_cos((double)(a)))
#define E_EX2(a, FLUSH)   ((float)ww__approx_ex2((double)(a)))
#define E_TANH(a, FLUSH)  ((float)ww__approx_tanh((double)(a)))
#define E_LG2(a, FLUSH)   lg2_f32(a)

static WW_ALWAYS_INLINE float lg2_f32(float a)
{
    float positive = a > 0.0f && a <= 0x1.fffffep127f ? a : 1.0f;
    float r = (float)ww__approx_lg2((double)positive);
    float infinity = lanes_f32(0x7f800000u);
    r = a == 0.0f ? -infinity : r;
    r = a == infinity ? a : r;
    return a < 0.0f || a != a ? lanes_f32(WW_NAN32) : r;
}

SFU32(rcp, E_RCP)
SFU32(rsqrt, E_RSQRT)
SFU32(sqrt, E_SQRT)
SFU32(sin, E_SIN)
SFU32(cos, E_COS)
SFU32(ex2, E_EX2)
SFU32(tanh, E_TANH)
SFU32(lg2, E_LG2)

/* Subnormal b counts as zero, subnormal 1/b becomes zero; the sign of the zero is b's. */
LANE_FN(div_approx_plain, OUTF32(F32(0) * lanes_flush32(1.0f / IN_FTZ(1)));)
LANE_FN(div_approx_ftz, OUTF32(lanes_flush32(IN_FTZ(0) * lanes_flush32(1.0f / IN_FTZ(1))));)

static WW_ALWAYS_INLINE float full_scale(float b)
{
    float m = lanes_f32(lanes_bits32(b) & 0x7fffffffu);
    float t = m > 0x1p126f ? 0.25f : 1.0f;
    return m < 0x1p-126f ? 0x1p24f : t;
}
LANE_FN(div_full_plain, float a = F32(0); float b = F32(1); float t = full_scale(b);
        OUTF32((a * t) * (1.0f / (b * t)));)
LANE_FN(div_full_ftz, float a = IN_FTZ(0); float b = IN_FTZ(1); float t = full_scale(b);
        float at = lanes_flush32(a * t); float r = lanes_flush32(1.0f / lanes_flush32(b * t));
        OUTF32(lanes_flush32(at * r));)

/* High words of double-precision approximations; subnormals are zero on both sides. */
static WW_ALWAYS_INLINE uint64_t flush64(uint64_t bits)
{
    return (bits & 0x7ff0000000000000ull) == 0 ? bits & 1ull << 63 : bits;
}
static WW_ALWAYS_INLINE uint32_t rcp64h_word(uint32_t high)
{
    double x = lanes_f64(flush64((uint64_t)high << 32));
    return (uint32_t)(flush64(lanes_canonical64(1.0 / x)) >> 32);
}
static WW_ALWAYS_INLINE uint32_t rsq64h_word(uint32_t high)
{
    double x = lanes_f64(flush64((uint64_t)high << 32));
    return (uint32_t)(lanes_canonical64(ww__approx_rsqrt(x)) >> 32);
}
LANE_FN(rcp64h, OUT32(rcp64h_word(B32(0)));)
LANE_FN(rsq64h, OUT32(rsq64h_word(B32(0)));)
LANE_FN(rcp_ftz_f64, uint32_t h = s[0][i + WW_LANES]; OUT64((uint64_t)rcp64h_word(h) << 32);)
LANE_FN(rsqrt_ftz_f64, uint32_t h = s[0][i + WW_LANES]; OUT64((uint64_t)rsq64h_word(h) << 32);)

#ifdef LANES_HAVE_FMA
#define FMA64(a, b, c) __builtin_fma(a, b, c)
#else
#include "perf/exec/lanes/softfp.h"
static double FMA64(double a, double b, double c)
{
    return lanes_f64(ww__soft_fma(&ww__soft_f64, lanes_bits64(a), lanes_bits64(b), lanes_bits64(c),
                                  WW_ROUND_RN));
}
#endif
LANE_FN(rsqrt_f64, double a = F64(0); uint32_t h = s[0][i + WW_LANES];
        double y = lanes_f64((uint64_t)rsq64h_word(h) << 32); double e = FMA64(-a, y *y, 1.0);
        double newton = FMA64(FMA64(e, 0.375, 0.5), y *e, y);
        bool special = h < 0x00100000u || h > 0x7fefffffu;
        OUTF64(special ? ww__approx_rsqrt(a) : newton);)

/* Half precision: through float, rounded once more. */
LANE_FN(ex2_f16, OUT32(ww__f16_from_f32((float)ww__approx_ex2((double)ww__f16_to_f32(U16(0)))));)
LANE_FN(tanh_f16, OUT32(ww__f16_from_f32((float)ww__approx_tanh((double)ww__f16_to_f32(U16(0)))));)
LANE_FN(ex2_bf16, OUT32(ww__bf16_from_f32((float)ww__approx_ex2((double)ww__bf16_to_f32(U16(0)))));)
LANE_FN(tanh_bf16,
        OUT32(ww__bf16_from_f32((float)ww__approx_tanh((double)ww__bf16_to_f32(U16(0)))));)
#define TWICE(FN)                                                                                  \
    uint32_t v_ = B32(0);                                                                          \
    OUT32((uint32_t)FN((uint16_t)v_) | (uint32_t)FN((uint16_t)(v_ >> 16)) << 16)
#define EX2_H(h)  ww__f16_from_f32((float)ww__approx_ex2((double)ww__f16_to_f32(h)))
#define TANH_H(h) ww__f16_from_f32((float)ww__approx_tanh((double)ww__f16_to_f32(h)))
#define EX2_B(h)  ww__bf16_from_f32((float)ww__approx_ex2((double)ww__bf16_to_f32(h)))
#define TANH_B(h) ww__bf16_from_f32((float)ww__approx_tanh((double)ww__bf16_to_f32(h)))
LANE_FN(ex2_f16x2, TWICE(EX2_H);)
LANE_FN(tanh_f16x2, TWICE(TANH_H);)
LANE_FN(ex2_bf16x2, TWICE(EX2_B);)
LANE_FN(tanh_bf16x2, TWICE(TANH_B);)

LANE_PRED_FN(fchk_f32, p = ww__approx_fchk32(B32(0), B32(1));)
LANE_PRED_FN(fchk_f64, p = ww__approx_fchk64(B64(0), B64(1));)
LANE_FN(copy_32, OUT32(B32(0));)

static ww_lane_op find_half(const ww_inst *inst)
{
    static ww_lane_fn *const fn[2][4] = {{ex2_f16, ex2_f16x2, ex2_bf16, ex2_bf16x2},
                                         {tanh_f16, tanh_f16x2, tanh_bf16, tanh_bf16x2}};
    if (inst->type < WW_T_F16 || inst->type > WW_T_BF16X2 ||
        (inst->op != WW_OP_EX2 && inst->op != WW_OP_TANH)) {
        return lane_none();
    }
    return lane_op(fn[inst->op == WW_OP_TANH][inst->type - WW_T_F16], 1);
}

static ww_lane_op find_f64(const ww_inst *inst)
{
    bool ftz = (inst->mods & WW_MOD_FTZ) != 0;
    switch ((ww_op)inst->op) {
    case WW_OP_RCP:
        return inst->sub == WW_SUB_APPROX ? lane_op(rcp_ftz_f64, 2) : lane_none();
    case WW_OP_RSQRT:
        return lane_op(ftz ? rsqrt_ftz_f64 : rsqrt_f64, 2);
    case WW_OP_FCHK:
        return lane_op(fchk_f64, 0);
    default:
        return lane_none();
    }
}

ww_lane_op LANES_NAME(ww__lanes_sfu)(const ww_inst *inst)
{
    bool ftz = (inst->mods & WW_MOD_FTZ) != 0;
    bool approx = inst->sub == WW_SUB_APPROX;
    if (inst->op == WW_OP_RCP64H || inst->op == WW_OP_RSQ64H) {
        return lane_op(inst->op == WW_OP_RCP64H ? rcp64h : rsq64h, 1);
    }
    if (inst->op == WW_OP_RRO) {
        return lane_op(copy_32, 1);
    }
    if (inst->type != WW_T_F32) {
        return inst->type == WW_T_F64 ? find_f64(inst) : find_half(inst);
    }
    switch ((ww_op)inst->op) {
    case WW_OP_RCP:
        return approx ? lane_op(ftz ? rcp_ftz : rcp_plain, 1) : lane_none();
    case WW_OP_SQRT:
        return approx ? lane_op(ftz ? sqrt_ftz : sqrt_plain, 1) : lane_none();
    case WW_OP_DIV:
        if (approx) {
            return lane_op(ftz ? div_approx_ftz : div_approx_plain, 1);
        }
        return inst->sub == WW_SUB_FULL ? lane_op(ftz ? div_full_ftz : div_full_plain, 1)
                                        : lane_none();
    case WW_OP_RSQRT:
        return lane_op(ftz ? rsqrt_ftz : rsqrt_plain, 1);
    case WW_OP_SIN:
        return lane_op(ftz ? sin_ftz : sin_plain, 1);
    case WW_OP_COS:
        return lane_op(ftz ? cos_ftz : cos_plain, 1);
    case WW_OP_LG2:
        return lane_op(ftz ? lg2_ftz : lg2_plain, 1);
    case WW_OP_EX2:
        return lane_op(ftz ? ex2_ftz : ex2_plain, 1);
    case WW_OP_TANH:
        return lane_op(ftz ? tanh_ftz : tanh_plain, 1);
    case WW_OP_FCHK:
        return lane_op(fchk_f32, 0);
    default:
        return lane_none();
    }
}
