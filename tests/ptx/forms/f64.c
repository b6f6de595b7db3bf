/* f64.c - double-precision arithmetic in every rounding direction. */
#include "ieee.h"
#include "lane.h"

#define BITS(f) bits64_of(f)
#define A       a.f64
#define B       b.f64
#define C       c.f64

#define SIMPLE(X)                                                                                  \
    X(add, "add.f64", "d=dd", ieee_add64(A, B, 0, IEEE_RN))                                        \
    X(add_rn, "add.rn.f64", "d=dd", ieee_add64(A, B, 0, IEEE_RN))                                  \
    X(add_rm, "add.rm.f64", "d=dd", ieee_add64(A, B, 0, IEEE_RM))                                  \
    X(add_rp, "add.rp.f64", "d=dd", ieee_add64(A, B, 0, IEEE_RP))                                  \
    X(sub, "sub.f64", "d=dd", ieee_sub64(A, B, 0, IEEE_RN))                                        \
    X(mul, "mul.f64", "d=dd", ieee_mul64(A, B, 0, IEEE_RN))                                        \
    X(mul_rn, "mul.rn.f64", "d=dd", ieee_mul64(A, B, 0, IEEE_RN))                                  \
    X(mul_rm, "mul.rm.f64", "d=dd", ieee_mul64(A, B, 0, IEEE_RM))                                  \
    X(mul_rp, "mul.rp.f64", "d=dd", ieee_mul64(A, B, 0, IEEE_RP))                                  \
    X(fma_rn, "fma.rn.f64", "d=ddd", ieee_fma64(A, B, C, IEEE_RN))                                 \
    X(div_rn, "div.rn.f64", "d=dd", ieee_div64(A, B, 0, IEEE_RN))                                  \
    X(div_rm, "div.rm.f64", "d=dd", ieee_div64(A, B, 0, IEEE_RM))                                  \
    X(div_rp, "div.rp.f64", "d=dd", ieee_div64(A, B, 0, IEEE_RP))                                  \
    X(rcp_rn, "rcp.rn.f64", "d=d", ieee_div64(1, A, 0, IEEE_RN))                                   \
    X(rcp_rz, "rcp.rz.f64", "d=d", ieee_div64(1, A, 0, IEEE_RZ))                                   \
    X(sqrt_rn, "sqrt.rn.f64", "d=d", ieee_sqrt64(A, 0, 0, IEEE_RN))                                \
    X(abs, "abs.f64", "d=d", fabs(A))                                                              \
    X(neg, "neg.f64", "d=d", -A)                                                                   \
    X(min, "min.f64", "d=dd", ieee_min(A, B))                                                      \
    X(max, "max.f64", "d=dd", ieee_max(A, B))

#define X(id, form, kinds, expression) LANE_FUNCTION(id, BITS(expression))
SIMPLE(X)
#undef X

LANE_FUNCTION(copysign, (a.u64 & (UINT64_C(1) << 63)) | (b.u64 & ~(UINT64_C(1) << 63)))

static const lane_row rows[] = {
    SIMPLE(LANE_ROW){"copysign.f64", "d=dd", want_copysign, NULL, NULL},
};

LANE_FAMILY(form_f64, "double precision");
