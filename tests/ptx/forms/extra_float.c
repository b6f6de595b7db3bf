/* extra_float.c - floating-point forms that compilers seldom make but the manual has. */
#include "halves.h"
#include "lane.h"
#include "singles.h"

#define SINGLE(X)                                                                                  \
    X(add_sat, "add.sat.f32", "f=ff", ieee_saturate(ieee_add32(A, B, 0, IEEE_RN)))                 \
    X(sub_rz, "sub.rz.f32", "f=ff", ieee_sub32(A, B, 0, IEEE_RZ))                                  \
    X(sub_rm, "sub.rm.f32", "f=ff", ieee_sub32(A, B, 0, IEEE_RM))                                  \
    X(mul_rz, "mul.rz.f32", "f=ff", ieee_mul32(A, B, 0, IEEE_RZ))                                  \
    X(mul_rp, "mul.rp.ftz.f32", "f=ff", ieee_flush(ieee_mul32(FA, FB, 0, IEEE_RP)))                \
    X(mul_sat, "mul.ftz.sat.f32", "f=ff",                                                          \
      ieee_saturate(ieee_flush(ieee_mul32(FA, FB, 0, IEEE_RN))))                                   \
    X(fma_rp, "fma.rp.f32", "f=fff", ieee_fma32(A, B, C, IEEE_RP))                                 \
    X(fma_sat, "fma.rn.sat.f32", "f=fff", ieee_saturate(ieee_fma32(A, B, C, IEEE_RN)))             \
    X(fma_rz_sat, "fma.rz.ftz.sat.f32", "f=fff",                                                   \
      ieee_saturate(ieee_flush(ieee_fma32(FA, FB, FC, IEEE_RZ))))                                  \
    X(div_rz, "div.rz.f32", "f=ff", ieee_div32(A, B, 0, IEEE_RZ))                                  \
    X(div_rm, "div.rm.f32", "f=ff", ieee_div32(A, B, 0, IEEE_RM))                                  \
    X(div_rp, "div.rp.ftz.f32", "f=ff", ieee_flush(ieee_div32(FA, FB, 0, IEEE_RP)))                \
    X(rcp_rz, "rcp.rz.f32", "f=f", ieee_div32(1, A, 0, IEEE_RZ))                                   \
    X(rcp_rm, "rcp.rm.f32", "f=f", ieee_div32(1, A, 0, IEEE_RM))                                   \
    X(rcp_rp, "rcp.rp.ftz.f32", "f=f", ieee_flush(ieee_div32(1, FA, 0, IEEE_RP)))                  \
    X(sqrt_rz, "sqrt.rz.f32", "f=f", ieee_sqrt32(A, 0, 0, IEEE_RZ))                                \
    X(sqrt_rm, "sqrt.rm.f32", "f=f", ieee_sqrt32(A, 0, 0, IEEE_RM))                                \
    X(sqrt_rp, "sqrt.rp.f32", "f=f", ieee_sqrt32(A, 0, 0, IEEE_RP))                                \
    X(min_nan, "min.NaN.f32", "f=ff",                                                              \
      isnan(A) || isnan(B) ? NAN : (float)ieee_min((double)A, (double)B))                          \
    X(max_nan, "max.NaN.f32", "f=ff",                                                              \
      isnan(A) || isnan(B) ? NAN : (float)ieee_max((double)A, (double)B))

#define DOUBLE(X)                                                                                  \
    X(add_rz64, "add.rz.f64", ieee_add64(a.f64, b.f64, 0, IEEE_RZ))                                \
    X(sub_rp64, "sub.rp.f64", ieee_sub64(a.f64, b.f64, 0, IEEE_RP))                                \
    X(mul_rz64, "mul.rz.f64", ieee_mul64(a.f64, b.f64, 0, IEEE_RZ))                                \
    X(div_rz64, "div.rz.f64", ieee_div64(a.f64, b.f64, 0, IEEE_RZ))

#define TRIPLE(X)                                                                                  \
    X(fma_rz64, "fma.rz.f64", ieee_fma64(a.f64, b.f64, c.f64, IEEE_RZ))                            \
    X(fma_rm64, "fma.rm.f64", ieee_fma64(a.f64, b.f64, c.f64, IEEE_RM))                            \
    X(fma_rp64, "fma.rp.f64", ieee_fma64(a.f64, b.f64, c.f64, IEEE_RP))

#define ROOTS(X)                                                                                   \
    X(rcp_rm64, "rcp.rm.f64", ieee_div64(1, a.f64, 0, IEEE_RM))                                    \
    X(rcp_rp64, "rcp.rp.f64", ieee_div64(1, a.f64, 0, IEEE_RP))                                    \
    X(sqrt_rz64, "sqrt.rz.f64", ieee_sqrt64(a.f64, 0, 0, IEEE_RZ))                                 \
    X(sqrt_rm64, "sqrt.rm.f64", ieee_sqrt64(a.f64, 0, 0, IEEE_RM))                                 \
    X(sqrt_rp64, "sqrt.rp.f64", ieee_sqrt64(a.f64, 0, 0, IEEE_RP))

/* ---- halves ---- */

typedef double operation(double a, double b);

static double plus(double a, double b)
{
    return a + b;
}
static double minus(double a, double b)
{
    return a - b;
}
static double times(double a, double b)
{
    return a * b;
}

static double unit(double v)
{
    return isnan(v) || v <= 0 ? 0 : v < 1 ? v : 1;
}

static uint32_t pair16(operation *op, lane_value a, lane_value b)
{
    return f16_from(op(f16_value(a.u16), f16_value(b.u16))) |
           f16_from(op(f16_value(a.u32 >> 16), f16_value(b.u32 >> 16))) << 16;
}

static uint32_t pair_bf16(operation *op, lane_value a, lane_value b)
{
    return bf16_from(op(bf16_value(a.u16), bf16_value(b.u16))) |
           bf16_from(op(bf16_value(a.u32 >> 16), bf16_value(b.u32 >> 16))) << 16;
}

static uint32_t relu(uint32_t h)
{
    return (h & 0x7fff) > 0x7c00 ? 0x7fff : (h & 0x8000) != 0 ? 0 : h;
}

static uint32_t fused(lane_value a, lane_value b, lane_value c)
{
    return f16_from(odd_fma(f16_value(a.u16), f16_value(b.u16), f16_value(c.u16)));
}

#define HALVES(X)                                                                                  \
    X(sub_f16, "sub.f16", "y=yy", pair16(minus, a, b))                                             \
    X(sub_x2, "sub.f16x2", "x=xx", pair16(minus, a, b))                                            \
    X(mul_f16, "mul.f16", "y=yy", pair16(times, a, b))                                             \
    X(add_sat16, "add.sat.f16", "y=yy", f16_from(unit(f16_value(a.u16) + f16_value(b.u16))))       \
    X(fma_f16, "fma.rn.f16", "y=yyy", fused(a, b, c))                                              \
    X(fma_relu, "fma.rn.relu.f16", "y=yyy", relu(fused(a, b, c)))                                  \
    X(neg_f16, "neg.f16", "y=y", a.u16 ^ 0x8000)                                                   \
    X(neg_x2, "neg.f16x2", "x=x", a.u32 ^ 0x80008000)                                              \
    X(abs_x2, "abs.f16x2", "x=x", a.u32 & 0x7fff7fff)                                              \
    X(min_x2, "min.f16x2", "x=xx", pair16(ieee_min, a, b))                                         \
    X(max_bf, "max.bf16x2", "z=zz", pair_bf16(ieee_max, a, b))                                     \
    X(add_bf, "add.bf16x2", "z=zz", pair_bf16(plus, a, b))                                         \
    X(abs_bf, "abs.bf16x2", "z=z", a.u32 & 0x7fff7fff)

/* ---- classes ---- */

#define CLASSES(X)                                                                                 \
    X(finite, isfinite(v))                                                                         \
    X(infinite, isinf(v))                                                                          \
    X(number, !isnan(v))                                                                           \
    X(notanumber, isnan(v))

static bool is_subnormal(double v, double least)
{
    return v != 0 && fabs(v) < least;
}

#define X(id, form, kinds, expression) LANE_FUNCTION(id, bits_of(expression))
SINGLE(X)
#undef X
#define X(id, form, expression) LANE_FUNCTION(id, bits64_of(expression))
DOUBLE(X)
TRIPLE(X)
ROOTS(X)
#undef X
HALVES(LANE_WANTS)
#define X(id, expression)                                                                          \
    static bool is_##id(double v)                                                                  \
    {                                                                                              \
        return expression;                                                                         \
    }                                                                                              \
    LANE_FUNCTION(id##32, is_##id((double)a.f32)) LANE_FUNCTION(id##64, is_##id(a.f64))
CLASSES(X)
#undef X
LANE_FUNCTION(subnormal32, is_subnormal((double)a.f32, 0x1p-126))
LANE_FUNCTION(subnormal64, is_subnormal(a.f64, 0x1p-1022))
LANE_FUNCTION(normal32, isfinite(a.f32) && !is_subnormal((double)a.f32, 0x1p-126))
LANE_FUNCTION(normal64, isfinite(a.f64) && !is_subnormal(a.f64, 0x1p-1022))

/* ---- approximate: two ulp over the whole range but for an infinite or subnormal quotient ---- */

static bool accepts_full(lane_value a, lane_value b, uint64_t bits)
{
    float got = form_f32_of(bits);
    double want = (double)a.f32 / (double)b.f32;
    if (isnan(want) || isinf(want) || want == 0) {
        return isnan(want) ? isnan(got) : (double)got == want;
    }
    if (fabs(want) < 0x1p-126 || fabs(want) >= 0x1p127) {
        return true; /* the manual's bound is for 2^-126 and above; near the end it may overflow */
    }
    return fabs((double)got - want) <= ldexp(2.0, ilogb(want) - 23);
}

static bool accepts_rsqrt(lane_value a, lane_value b, uint64_t bits)
{
    float got = form_f32_of(bits);
    double want = 1.0 / sqrt((double)ieee_flush(a.f32));
    (void)b;
    return isnan(want)                ? isnan(got)
           : isinf(want) || want == 0 ? (double)got == want
                                      : fabs((double)got / want - 1) <= exp2(-22.9);
}

static const lane_row rows[] = {
    SINGLE(LANE_ROW) HALVES(LANE_ROW)
#define X(id, form, expression) {form, "d=dd", want_##id, NULL, NULL},
        DOUBLE(X)
#undef X
#define X(id, form, expression) {form, "d=ddd", want_##id, NULL, NULL},
            TRIPLE(X)
#undef X
#define X(id, form, expression) {form, "d=d", want_##id, NULL, NULL},
                ROOTS(X)
#undef X
#define X(id, expression)                                                                          \
    {"testp." #id ".f32", "p=f", want_##id##32, NULL, NULL},                                       \
        {"testp." #id ".f64", "p=d", want_##id##64, NULL, NULL},
                    CLASSES(X)
#undef X
                        {"testp.normal.f32", "p=f", want_normal32, NULL, NULL},
    {"testp.normal.f64", "p=d", want_normal64, NULL, NULL},
    {"testp.subnormal.f32", "p=f", want_subnormal32, NULL, NULL},
    {"testp.subnormal.f64", "p=d", want_subnormal64, NULL, NULL},
    {"div.full.f32", "f=ff", NULL, accepts_full, NULL},
    {"rsqrt.approx.ftz.f32", "f=f", NULL, accepts_rsqrt, NULL},
};

LANE_FAMILY(form_extra_float, "floating point, seldom met");
