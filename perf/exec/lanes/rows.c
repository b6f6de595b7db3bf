/* rows.c - sums of products of rows. The order and the width of wgmma's sums are not documented.
 * Here, of floats: k ascending, each product rounded to binary32 (exact for 16 bits and less, and
 * for tf32 but where it leaves binary32's normal numbers), then added, rounded to nearest even.
 * NaN is 0x7fffffff. Integers: exact modulo 2^32, or exact and then clamped. */
#include "perf/exec/lanes/rows.h"

#include "perf/exec/lanes/half.h"
#include "perf/exec/lanes/lanes.h"

enum { ROWS = 16, VECTOR = 16, MOST_DEPTH = 32, TOGETHER = 4 };

typedef float floats __attribute__((vector_size(4 * VECTOR)));
typedef uint32_t words __attribute__((vector_size(4 * VECTOR)));

/* ---- elements ---- */

static WW_ALWAYS_INLINE float e4m3_to_f32(uint32_t bits)
{
    float scaled = lanes_f32((bits & 127) << 20) * 0x1p120f;
    uint32_t value = (bits & 127) == 127 ? 0x7fffffffu : lanes_bits32(scaled);
    return lanes_f32(value | (bits & 128) << 24);
}

static WW_ALWAYS_INLINE float element(ww_type type, uint32_t bits)
{
    switch (type) {
    case WW_T_F16:
        return ww__f16_to_f32((uint16_t)bits);
    case WW_T_BF16:
        return lanes_f32(bits << 16);
    case WW_T_TF32: /* the lowest places do not count */
        return lanes_f32(bits & 0xffffe000u);
    case WW_T_E4M3:
        return e4m3_to_f32(bits);
    default: /* e5m2: the upper half of an f16 */
        return ww__f16_to_f32((uint16_t)(bits << 8));
    }
}

static WW_ALWAYS_INLINE void widen_as(ww_type type, const uint32_t *bits, unsigned n,
                                      uint32_t flips, float *out)
{
    EACH_COLUMN(n)
    {
        out[j] = lanes_f32(lanes_bits32(element(type, bits[j])) ^ flips);
    }
}

/* One loop for each type. */
static void widen(ww_type type, const uint32_t *bits, unsigned n, bool negate, float *out)
{
    uint32_t flips = negate ? 0x80000000u : 0;
    switch (type) {
    case WW_T_F16:
        widen_as(WW_T_F16, bits, n, flips, out);
        break;
    case WW_T_BF16:
        widen_as(WW_T_BF16, bits, n, flips, out);
        break;
    case WW_T_TF32:
        widen_as(WW_T_TF32, bits, n, flips, out);
        break;
    case WW_T_E4M3:
        widen_as(WW_T_E4M3, bits, n, flips, out);
        break;
    default:
        widen_as(WW_T_E5M2, bits, n, flips, out);
        break;
    }
}

/* ---- sums ---- */

/* A few rows of VECTOR columns: the sums stay in registers over the depth. */
static WW_ALWAYS_INLINE void add_block(const float *a, const float *b, unsigned depth,
                                       uint32_t *sums)
{
    floats sum[TOGETHER];
    for (unsigned r = 0; r < TOGETHER; r++) {
        memcpy(&sum[r], sums + r * WW_ROWS_LINE, sizeof sum[r]);
    }
    for (unsigned k = 0; k < depth; k++) {
        floats line;
        memcpy(&line, b + k * WW_ROWS_LINE, sizeof line);
        for (unsigned r = 0; r < TOGETHER; r++) {
            sum[r] = sum[r] + a[r * depth + k] * line;
        }
    }
    for (unsigned r = 0; r < TOGETHER; r++) {
        words bits;
        memcpy(&bits, &sum[r], sizeof bits);
        words nan = (words)(sum[r] != sum[r]);
        bits = (bits & ~nan) | (nan & 0x7fffffffu);
        memcpy(sums + r * WW_ROWS_LINE, &bits, sizeof bits);
    }
}

static void add_floats(const ww_rows_job *m)
{
    float a[ROWS * MOST_DEPTH];
    _Alignas(64) float b[MOST_DEPTH * WW_ROWS_LINE];
    widen(m->type_a, m->a, ROWS * m->depth, m->negate_a, a);
    for (unsigned k = 0; k < m->depth; k++) {
        widen(m->type_b, m->b + k * WW_ROWS_LINE, m->columns, m->negate_b, b + k * WW_ROWS_LINE);
        /* Columns beyond the last are computed and forgotten. */
        memset(b + k * WW_ROWS_LINE + m->columns, 0,
               (WW_ROWS_LINE - m->columns < VECTOR ? WW_ROWS_LINE - m->columns : VECTOR) *
                   sizeof *b);
    }
    for (unsigned row = 0; row < ROWS; row += TOGETHER) {
        for (unsigned at = 0; at < m->columns; at += VECTOR) {
            add_block(a + row * m->depth, b + at, m->depth, m->sums + row * WW_ROWS_LINE + at);
        }
    }
}

static WW_ALWAYS_INLINE uint32_t integer(ww_type type, uint32_t bits)
{
    return type == WW_T_S8 ? (uint32_t)(int32_t)(int8_t)(uint8_t)bits : bits;
}

static WW_ALWAYS_INLINE uint32_t add_clamped(uint32_t c, uint32_t sum)
{
    uint32_t r = c + sum;
    uint32_t limit = 0x7fffffffu + (c >> 31);
    return ((c ^ r) & (sum ^ r)) >> 31 != 0 ? limit : r;
}

/* Products of a row, then the sums before them. */
static void add_integers(const ww_rows_job *m)
{
    for (unsigned row = 0; row < ROWS; row++) {
        uint32_t total[WW_ROWS_LINE] = {0};
        uint32_t *sums = m->sums + row * WW_ROWS_LINE;
        for (unsigned k = 0; k < m->depth; k++) {
            const uint32_t *b = m->b + k * WW_ROWS_LINE;
            uint32_t raw = m->a[row * m->depth + k];
            uint32_t a = integer(m->type_a, raw);
            if (m->type_a == WW_T_B1) {
                EACH_COLUMN(m->columns)
                {
                    total[j] += (uint32_t)__builtin_popcount(raw & b[j]);
                }
            } else {
                EACH_COLUMN(m->columns)
                {
                    total[j] += a * integer(m->type_b, b[j]);
                }
            }
        }
        EACH_COLUMN(m->columns)
        {
            sums[j] = m->saturates ? add_clamped(sums[j], total[j]) : sums[j] + total[j];
        }
    }
}

void LANES_NAME(ww__lanes_rows)(const ww_rows_job *m)
{
    if (ww_type_is_float(m->type_a)) {
        add_floats(m);
    } else {
        add_integers(m);
    }
}
