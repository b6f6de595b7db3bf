/* f32.c - single-precision arithmetic in every rounding direction, with subnormals and flushed. */
#include "lane.h"
#include "singles.h"

#define BITS(f) bits_of(f)

#define SIMPLE(X)                                                                                  \
    X(add, "add.f32", "f=ff", ieee_add32(A, B, 0, IEEE_RN))                                        \
    X(add_rn, "add.rn.f32", "f=ff", ieee_add32(A, B, 0, IEEE_RN))                                  \
    X(add_rz, "add.rz.f32", "f=ff", ieee_add32(A, B, 0, IEEE_RZ))                                  \
    X(add_rm, "add.rm.f32", "f=ff", ieee_add32(A, B, 0, IEEE_RM))                                  \
    X(add_rp, "add.rp.f32", "f=ff", ieee_add32(A, B, 0, IEEE_RP))                                  \
    X(add_ftz, "add.ftz.f32", "f=ff", ieee_flush(ieee_add32(FA, FB, 0, IEEE_RN)))                  \
    X(add_rz_ftz, "add.rz.ftz.f32", "f=ff", ieee_flush(ieee_add32(FA, FB, 0, IEEE_RZ)))            \
    X(add_rp_ftz, "add.rp.ftz.f32", "f=ff", ieee_flush(ieee_add32(FA, FB, 0, IEEE_RP)))            \
    X(sub, "sub.f32", "f=ff", ieee_sub32(A, B, 0, IEEE_RN))                                        \
    X(sub_ftz, "sub.ftz.f32", "f=ff", ieee_flush(ieee_sub32(FA, FB, 0, IEEE_RN)))                  \
    X(mul, "mul.f32", "f=ff", ieee_mul32(A, B, 0, IEEE_RN))                                        \
    X(mul_rn, "mul.rn.f32", "f=ff", ieee_mul32(A, B, 0, IEEE_RN))                                  \
    X(mul_ftz, "mul.ftz.f32", "f=ff", ieee_flush(ieee_mul32(FA, FB, 0, IEEE_RN)))                  \
    X(mul_rn_ftz, "mul.rn.ftz.f32", "f=ff", ieee_flush(ieee_mul32(FA, FB, 0, IEEE_RN)))            \
    X(mad, "mad.f32", "f=fff", ieee_fma32(A, B, C, IEEE_RN))                                       \
    X(fma_rn, "fma.rn.f32", "f=fff", ieee_fma32(A, B, C, IEEE_RN))                                 \
    X(fma_rz, "fma.rz.f32", "f=fff", ieee_fma32(A, B, C, IEEE_RZ))                                 \
    X(fma_rm, "fma.rm.f32", "f=fff", ieee_fma32(A, B, C, IEEE_RM))                                 \
    X(fma_ftz, "fma.rn.ftz.f32", "f=fff", ieee_flush(ieee_fma32(FA, FB, FC, IEEE_RN)))             \
    X(div_rn, "div.rn.f32", "f=ff", ieee_div32(A, B, 0, IEEE_RN))                                  \
    X(div_ftz, "div.ftz.rn.f32", "f=ff", ieee_flush(ieee_div32(FA, FB, 0, IEEE_RN)))               \
    X(rcp_rn, "rcp.rn.f32", "f=f", ieee_div32(1, A, 0, IEEE_RN))                                   \
    X(sqrt_rn, "sqrt.rn.f32", "f=f", ieee_sqrt32(A, 0, 0, IEEE_RN))                                \
    X(sqrt_ftz, "sqrt.rn.ftz.f32", "f=f", ieee_flush(ieee_sqrt32(FA, 0, 0, IEEE_RN)))              \
    X(abs, "abs.f32", "g=f", fabsf(A))                                                             \
    X(abs_ftz, "abs.ftz.f32", "g=f", fabsf(FA))                                                    \
    X(neg, "neg.f32", "g=f", -A)                                                                   \
    X(neg_ftz, "neg.ftz.f32", "g=f", -FA)                                                          \
    X(min, "min.f32", "f=ff", (float)ieee_min((double)A, (double)B))                               \
    X(min_ftz, "min.ftz.f32", "f=ff", (float)ieee_min((double)FA, (double)FB))                     \
    X(max, "max.f32", "f=ff", (float)ieee_max((double)A, (double)B))                               \
    X(max_ftz, "max.ftz.f32", "f=ff", (float)ieee_max((double)FA, (double)FB))

#define X(id, form, kinds, expression) LANE_FUNCTION(id, BITS(expression))
SIMPLE(X)
#undef X

/* b with the sign of a, whatever they are. */
LANE_FUNCTION(copysign, (a.u32 & 0x80000000) | (b.u32 & 0x7fffffff))

static const lane_row rows[] = {
    SIMPLE(LANE_ROW){"copysign.f32", "g=ff", want_copysign, NULL, NULL},
};

LANE_FAMILY(form_f32, "single precision");
