/* half.h - f16 and bf16 to and from float and double, in integers; NaN becomes the canonical
 * 0x7fff. */
#ifndef WW_PERF_EXEC_LANES_HALF_H
#define WW_PERF_EXEC_LANES_HALF_H

#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

static WW_ALWAYS_INLINE uint32_t ww__half_bits32(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}
static WW_ALWAYS_INLINE float ww__half_f32(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/** Exact. */
static WW_ALWAYS_INLINE float ww__f16_to_f32(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
    uint32_t rest = h & 0x7fffu;
    /* As a float's fraction and exponent, then scaled from bias 15 to 127: exact for subnormals
     * too. */
    float scaled = ww__half_f32(rest << 13) * 0x1p112f;
    uint32_t bits =
        rest >= 0x7c00u ? (rest > 0x7c00u ? 0x7fffffffu : 0x7f800000u) : ww__half_bits32(scaled);
    return ww__half_f32(rest > 0x7c00u ? bits : bits | sign);
}

/** Rounded to nearest even. */
static WW_ALWAYS_INLINE uint16_t ww__f16_from_f32(float f)
{
    uint32_t bits = ww__half_bits32(f);
    uint32_t sign = bits >> 16 & 0x8000u;
    uint32_t rest = bits & 0x7fffffffu;
    uint32_t normal = (rest - 0x38000000u + 0xfffu + (rest >> 13 & 1)) >> 13;
    normal = normal > 0x7c00u ? 0x7c00u : normal;
    /* Subnormal results: adding 1/2 puts their unit, 2^-24, at the float's last place, and the
     * addition rounds. */
    uint32_t subnormal = ww__half_bits32(ww__half_f32(rest) + 0.5f) - 0x3f000000u;
    uint32_t h = rest < 0x38800000u ? subnormal : rest >= 0x47800000u ? 0x7c00u : normal;
    return (uint16_t)(rest > 0x7f800000u ? 0x7fffu : h | sign);
}

/** Exact. */
static WW_ALWAYS_INLINE float ww__bf16_to_f32(uint16_t h)
{
    uint32_t bits = (uint32_t)h << 16;
    return ww__half_f32((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : bits);
}

/** Rounded to nearest even. */
static WW_ALWAYS_INLINE uint16_t ww__bf16_from_f32(float f)
{
    uint32_t bits = ww__half_bits32(f);
    uint32_t r = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
    return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : r);
}

/** a + b rounded to odd in double: a later rounding to few bits is then a single one. Finite sums
 * must not overflow. */
static WW_ALWAYS_INLINE double ww__add_to_odd(double a, double b)
{
    double s = a + b;
    double back = s - a;
    double error = (a - (s - back)) + (b - back);
    uint64_t bits;
    memcpy(&bits, &s, sizeof bits);
    uint64_t odd = (error > 0.0) == (s > 0.0) ? bits + 1 : bits - 1;
    bits = error != 0.0 && error == error && (bits & 1) == 0 ? odd : bits;
    double r;
    memcpy(&r, &bits, sizeof r);
    return r;
}

/** A double rounded to odd in float: float_from(narrow_to_odd(x)) rounds x once. */
static WW_ALWAYS_INLINE float ww__narrow_to_odd(double x)
{
    float f = (float)x;
    double error = x - (double)f;
    uint32_t bits = ww__half_bits32(f);
    uint32_t odd = (error > 0.0) == (x > 0.0) ? bits + 1 : bits - 1;
    return ww__half_f32(error != 0.0 && error == error && (bits & 1) == 0 ? odd : bits);
}

#endif
