/* halves.h - f16, bf16 and tf32 by their definitions: values as doubles, which hold them exactly,
 * and rounding of a double to them. */
#ifndef WW_TESTS_PTX_FORMS_HALVES_H
#define WW_TESTS_PTX_FORMS_HALVES_H

#include "ieee.h"

static inline double f16_value(uint32_t h)
{
    unsigned e = h >> 10 & 31, f = h & 0x3ff;
    double v = e == 31  ? (f != 0 ? (double)NAN : (double)INFINITY)
               : e == 0 ? ldexp(f, -24)
                        : ldexp(0x400 + f, (int)e - 25);
    return (h & 0x8000) != 0 ? -v : v;
}

static inline double bf16_value(uint32_t h)
{
    return (double)form_f32_of((uint64_t)(h & 0xffff) << 16);
}

/* To the nearest of so many significant bits and least exponent; ties to even, or away from zero.
 */
static inline double rounded(double v, int bits, int least, bool away)
{
    if (!isfinite(v) || v == 0.0) {
        return v;
    }
    int e = ilogb(v);
    double quantum = ldexp(1.0, (e < least ? least : e) - bits + 1);
    return (away ? round(v / quantum) : nearbyint(v / quantum)) * quantum;
}

static inline uint32_t f16_from(double v)
{
    uint32_t sign = signbit(v) ? 0x8000 : 0;
    double r = fabs(rounded(v, 11, -14, false));
    if (isnan(v)) {
        return 0x7fff;
    }
    if (r >= 0x1p16) {
        return sign | 0x7c00;
    }
    if (r < 0x1p-14) {
        return sign | (uint32_t)ldexp(r, 24);
    }
    int e = ilogb(r);
    return sign | (uint32_t)(e + 15) << 10 | ((uint32_t)ldexp(r, 10 - e) & 0x3ff);
}

static inline uint32_t bf16_from(double v)
{
    double r = rounded(v, 8, -126, false); /* a float, or beyond: infinite then */
    return isnan(v) ? 0x7fff : (uint32_t)(bits_of((float)r) >> 16);
}

/* x * y + z to be rounded again to few bits: toward zero, the last bit set where anything was lost
 * ("round to odd": Boldo, Melquiond, IEEE Trans. Computers 57(4), 2008). */
static inline double odd_fma(double x, double y, double z)
{
    feclearexcept(FE_INEXACT);
    double r = ieee_fma64(x, y, z, IEEE_RZ);
    uint64_t bits = bits64_of(r);
    return fetestexcept(FE_INEXACT) != 0 && isfinite(r) ? f64_of(bits | 1) : r;
}

#endif
