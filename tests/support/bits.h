/* bits.h - numbers as their bits and back, for tests that compare results to the last bit. */
#ifndef WW_TESTS_SUPPORT_BITS_H
#define WW_TESTS_SUPPORT_BITS_H

#include <stdint.h>
#include <string.h>

static inline float f32_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint32_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static inline double f64_of(uint64_t bits)
{
    double f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline uint64_t bits64_of(double f)
{
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* The nearest bfloat16, the even one of two: the upper half of a single. Of a finite number. */
static inline uint16_t bf16_of(float f)
{
    const uint32_t bits = bits_of(f);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

#endif
