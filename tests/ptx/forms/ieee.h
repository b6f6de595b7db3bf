/* ieee.h - arithmetic of the host in a chosen rounding direction, for expectations. The operands
 * pass through volatile variables, so that the compiler neither folds nor moves an operation across
 * a change of direction. */
#ifndef WW_TESTS_PTX_FORMS_IEEE_H
#define WW_TESTS_PTX_FORMS_IEEE_H

#include <fenv.h>
#include <math.h>

#include "forms.h"

/* rn, rz, rm, rp */
enum {
    IEEE_RN = FE_TONEAREST,
    IEEE_RZ = FE_TOWARDZERO,
    IEEE_RM = FE_DOWNWARD,
    IEEE_RP = FE_UPWARD
};

#define IEEE_FUNCTION(name, type, expression)                                                      \
    __attribute__((unused, noinline)) static type name(type a, type b, type c, int direction)      \
    {                                                                                              \
        volatile type x = a, y = b, z = c, r;                                                      \
        (void)x, (void)y, (void)z;                                                                 \
        fesetround(direction);                                                                     \
        r = (expression);                                                                          \
        fesetround(FE_TONEAREST);                                                                  \
        return r;                                                                                  \
    }

IEEE_FUNCTION(ieee_add32, float, x + y)
IEEE_FUNCTION(ieee_sub32, float, x - y)
IEEE_FUNCTION(ieee_mul32, float, x *y)
IEEE_FUNCTION(ieee_div32, float, x / y)
IEEE_FUNCTION(ieee_fma32, float, fmaf(x, y, z))
IEEE_FUNCTION(ieee_sqrt32, float, sqrtf(x))
IEEE_FUNCTION(ieee_add64, double, x + y)
IEEE_FUNCTION(ieee_sub64, double, x - y)
IEEE_FUNCTION(ieee_mul64, double, x *y)
IEEE_FUNCTION(ieee_div64, double, x / y)
IEEE_FUNCTION(ieee_fma64, double, fma(x, y, z))
IEEE_FUNCTION(ieee_sqrt64, double, sqrt(x))
IEEE_FUNCTION(ieee_integral, double, nearbyint(x))

/* .ftz: a subnormal counts as zero of its sign, and so it is returned. */
static inline float ieee_flush(float f)
{
    return fabsf(f) < 0x1p-126f ? copysignf(0.0f, f) : f;
}

/* .sat: into 0 to 1; NaN becomes +0. */
static inline float ieee_saturate(float f)
{
    return isnan(f) || f <= 0.0f ? 0.0f : f < 1.0f ? f : 1.0f;
}

/* The smaller or larger operand; a NaN loses against a number, -0 is below +0. */
static inline double ieee_min(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a < b || (a == b && signbit(a)) ? a : b;
}
static inline double ieee_max(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a > b || (a == b && !signbit(a)) ? a : b;
}

#endif
