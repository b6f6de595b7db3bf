/* bits.h - numbers as their bits and back, for tests that compare results to the last bit. */
#ifndef WW_TESTS_SUPPORT_BITS_H
#define WW_TESTS_SUPPORT_BITS_H

#include <stdint.h>
#include <string.h>

#define BITS_FUNCTION(name, to, from)                                                              \
    static inline to name(from x)                                                                  \
    {                                                                                              \
        to same;                                                                                   \
        memcpy(&same, &x, sizeof same);                                                            \
        return same;                                                                               \
    }
BITS_FUNCTION(f32_of, float, uint32_t)
BITS_FUNCTION(bits_of, uint32_t, float)
BITS_FUNCTION(f64_of, double, uint64_t)
BITS_FUNCTION(bits64_of, uint64_t, double)
#undef BITS_FUNCTION

/* The nearest bfloat16, the even one of two: the upper half of a single. Of a finite number. */
static inline uint16_t bf16_of(float f)
{
    const uint32_t bits = bits_of(f);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

#endif
