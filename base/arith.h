/* arith.h - the smaller and the larger of two, multiples, divisors and powers of two of unsigned
 * numbers. */
#ifndef WW_BASE_ARITH_H
#define WW_BASE_ARITH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline uint32_t ww_min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t ww_max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static inline uint64_t ww_min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t ww_max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/** How many parts of `part` > 0 hold n. */
static inline uint64_t ww_ceil_div(uint64_t n, uint64_t part)
{
    return (n + part - 1) / part;
}

/** The least multiple of `unit` > 0 that is not below n. */
static inline uint64_t ww_align_up(uint64_t n, uint64_t unit)
{
    return ww_ceil_div(n, unit) * unit;
}

/** The greatest common divisor; the other one where one is 0. */
static inline uint64_t ww_gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/** Exponent of the largest power of two that is not above n; 0 for 0. */
static inline uint32_t ww_log2_floor(uint64_t n)
{
    return n > 1 ? 63u - (uint32_t)__builtin_clzll(n) : 0;
}

/** Exponent of the smallest power of two that is not below n; 0 for 0. */
static inline uint32_t ww_log2_ceil(uint64_t n)
{
    return n > 1 ? 64u - (uint32_t)__builtin_clzll(n - 1) : 0;
}

/** The smallest power of two that is not below n, at most 2^31; 1 for 0. */
static inline uint32_t ww_power_of_two(uint32_t n)
{
    return UINT32_C(1) << ww_log2_ceil(n);
}

#ifdef __cplusplus
}
#endif

#endif
