/* warpgroup_reference.h - wgmma by its definition, element by element, in the order of sums that
 * perf/exec/lanes/warpgroup.c states. */
#ifndef WW_TESTS_SUPPORT_WARPGROUP_REFERENCE_H
#define WW_TESTS_SUPPORT_WARPGROUP_REFERENCE_H

#include <math.h>
#include <string.h>

#include "perf/exec/lanes/half.h"
#include "perf/exec/matrix/warpgroup.h"

static inline uint32_t reference_bits(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8 ^ *state << 16;
}

/* Elements of middling size, of any kind that the type has now and then. */
static inline uint32_t reference_element(ww_type type, uint32_t *state)
{
    uint32_t r = reference_bits(state);
    bool any = r % 61 == 0;
    switch (type) {
    case WW_T_F16:
        return any ? reference_bits(state) & 0xffff : (r & 0x83ff) | (13 + r / 65536 % 4) << 10;
    case WW_T_BF16:
        return any ? reference_bits(state) & 0xffff : (r & 0x807f) | (125 + r / 65536 % 4) << 7;
    case WW_T_TF32:
        return any ? reference_bits(state)
                   : (r & 0x807fffff) | (125 + reference_bits(state) % 4) << 23;
    case WW_T_B1:
        return reference_bits(state);
    default:
        return reference_bits(state) & 0xff;
    }
}

/* From the formats' definitions (OCP 8-bit floating point; IEEE 754; PTX ISA, "Alternate Floating-
 * Point Data Formats"). */
static inline float reference_value(ww_type type, uint32_t bits)
{
    unsigned fraction = type == WW_T_F16 ? 10 : type == WW_T_E4M3 ? 3 : type == WW_T_E5M2 ? 2 : 0;
    unsigned width = type == WW_T_F16 ? 16 : 8;
    if (type == WW_T_BF16 || type == WW_T_TF32) {
        return ww__half_f32(type == WW_T_BF16 ? bits << 16 : bits & ~0x1fffu);
    }
    unsigned most = (1u << (width - 1 - fraction)) - 1;
    unsigned e = bits >> fraction & most, f = bits & ((1u << fraction) - 1);
    int bias = (int)(most >> 1);
    double sign = bits >> (width - 1) & 1 ? -1 : 1;
    if (type == WW_T_E4M3 ? e == most && f == 7 : e == most && f != 0) {
        return (float)NAN;
    }
    if (type != WW_T_E4M3 && e == most) {
        return (float)(sign * (double)INFINITY);
    }
    double one = (double)(1u << fraction);
    double digits = e != 0 ? 1 + f / one : f / one;
    return (float)(sign * ldexp(digits, (int)(e != 0 ? e : 1) - bias));
}

static inline uint32_t reference_sum_bits(float v)
{
    return v != v ? 0x7fffffffu : ww__half_bits32(v);
}

static inline int64_t reference_integer(ww_type type, uint32_t bits)
{
    return type == WW_T_S8 ? (int8_t)(uint8_t)bits : (int64_t)bits;
}

typedef struct reference_matrices {
    uint32_t a[16][32], b[256][32]; /* [line][unit] */
    uint32_t sums[16][256];
} reference_matrices;

static inline uint32_t reference_product(const ww_warpgroup_shape *s, const reference_matrices *m,
                                         unsigned row, unsigned col)
{
    uint32_t before = m->sums[row][col];
    if (ww_type_is_float(s->type_a)) {
        float sum = s->type_d == WW_T_F16 ? ww__f16_to_f32((uint16_t)before) : ww__half_f32(before);
        for (unsigned k = 0; k < s->units; k++) {
            float a = reference_value(s->type_a, m->a[row][k]),
                  b = reference_value(s->type_b, m->b[col][k]);
            volatile float product = (s->negated_a ? -a : a) * (s->negated_b ? -b : b);
            sum = sum + product;
        }
        uint32_t bits = reference_sum_bits(sum);
        return s->type_d == WW_T_F16 ? ww__f16_from_f32(ww__half_f32(bits)) : bits;
    }
    int64_t sum = (int32_t)before;
    for (unsigned k = 0; k < s->units; k++) {
        sum += s->type_a == WW_T_B1 ? __builtin_popcount(m->a[row][k] & m->b[col][k])
                                    : reference_integer(s->type_a, m->a[row][k]) *
                                          reference_integer(s->type_b, m->b[col][k]);
    }
    sum = !s->saturates ? sum : sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

#endif
