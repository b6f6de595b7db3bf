/* matrix.c - D = A B + C for whole matrices, many columns at once. The same sums as
 * matrix/multiply.c defines, in arithmetic that vector units have: exact as long as all numbers are
 * zero or of middling size, which is looked at first. */
#include "perf/exec/lanes/half.h"
#include "perf/exec/lanes/lanes.h"

enum {
    GROUP = 4,   /* products that are added at a time */
    KEPT = 24,   /* places below the largest exponent */
    BIAS = 127,  /* of binary32's exponent field */
    VECTOR = 16, /* columns that are worked on together, where there are as many */
    MOST_FACTORS = 512,
    MOST_SUMS = 512,
};

/* Exponents that keep every product, scale and sum within binary32's normal numbers: those of
 * factors, and of the sum so far. Cutting leaves no sum below 2^(2 * LEAST_FACTOR - KEPT). */
enum { LEAST_FACTOR = -30, MOST_FACTOR = 30, LEAST_SUM = -60, MOST_SUM = 60 };

/* Biased exponents of zeros and of sums of nothing: below all others, however they are added. */
enum { OF_ZERO = -1024, OF_NOTHING = KEPT + 1 };

static WW_ALWAYS_INLINE uint32_t exponent_of(uint32_t bits)
{
    return bits >> 23 & 255;
}

/* ---- floating-point factors ---- */

/* Factors of one matrix: their values, and the exponents of their leading places. */
typedef struct factors {
    _Alignas(64) float value[MOST_FACTORS];
    _Alignas(64) int32_t lead[MOST_FACTORS];
} factors;

/* An f16 as it counts; its subnormal numbers have the exponent of the smallest normal ones. Whether
 * it is infinite or NaN. */
static WW_ALWAYS_INLINE uint32_t take_f16(uint32_t h, int32_t bias, float *value, int32_t *lead)
{
    uint32_t rest = h & 0x7fff;
    uint32_t e = rest >> 10;
    *value = lanes_f32((h & 0x8000) << 16 | lanes_bits32(lanes_f32(rest << 13) * 0x1p112f));
    *lead = rest != 0 ? (int32_t)(e != 0 ? e : 1) - 15 + bias : OF_ZERO;
    return e == 31 ? 1 : 0;
}

/* Another one of binary32's exponents. Whether it is neither zero nor of middling size. */
static WW_ALWAYS_INLINE uint32_t take_f32(uint32_t bits, int32_t bias, float *value, int32_t *lead)
{
    uint32_t e = exponent_of(bits);
    bool zero = bits << 1 == 0;
    *value = lanes_f32(bits);
    *lead = zero ? OF_ZERO : (int32_t)e - BIAS + bias;
    return !zero && (e < BIAS + LEAST_FACTOR || e > BIAS + MOST_FACTOR) ? 1u : 0u;
}

/* The elements of words, lines of `line` of them: those of line w in lines w unit to w unit + unit
 * - 1. False: one does not fit. */
static bool take_apart(const uint32_t *word, unsigned words, unsigned line, ww_type type,
                       int32_t bias, factors *out)
{
    uint32_t bad = 0;
    unsigned unit = type == WW_T_TF32 ? 1 : 2;
    for (unsigned w = 0; w < words; w++, word += line) {
        float *low = out->value + w * unit * line;
        int32_t *low_lead = out->lead + w * unit * line;
        float *high = low + line;
        int32_t *high_lead = low_lead + line;
        if (type == WW_T_TF32) { /* the lowest places do not count */
            EACH_COLUMN(line)
            {
                bad |= take_f32(word[j] & ~0x1fffu, bias, &low[j], &low_lead[j]);
            }
        } else if (type == WW_T_F16) {
            EACH_COLUMN(line)
            {
                bad |= take_f16(word[j] & 0xffff, bias, &low[j], &low_lead[j]);
                bad |= take_f16(word[j] >> 16, bias, &high[j], &high_lead[j]);
            }
        } else {
            EACH_COLUMN(line)
            {
                bad |= take_f32(word[j] << 16, bias, &low[j], &low_lead[j]);
                bad |= take_f32(word[j] & 0xffff0000u, bias, &high[j], &high_lead[j]);
            }
        }
    }
    return bad == 0;
}

static bool sums_in_range(const uint32_t *c, unsigned n)
{
    uint32_t bad = 0;
    for (unsigned i = 0; i < n; i++) {
        uint32_t e = exponent_of(c[i]);
        bad |= c[i] << 1 != 0 && (e < BIAS + LEAST_SUM || e > BIAS + MOST_SUM) ? 1u : 0u;
    }
    return bad == 0;
}

/* Four factors of a row. */
typedef struct row_group {
    float value[GROUP];
    int32_t lead[GROUP];
} row_group;

/* c + a[0] b[0] + … + a[3] b[3], cut toward zero; b in every line'th place. */
static WW_ALWAYS_INLINE uint32_t add_group(uint32_t c, const row_group *a, const float *b,
                                           const int32_t *lead, unsigned line)
{
    int32_t largest = (int32_t)exponent_of(c);
    largest = largest > OF_NOTHING ? largest : OF_NOTHING;
    for (unsigned k = 0; k < GROUP; k++) {
        int32_t e = a->lead[k] + lead[k * line];
        largest = e > largest ? e : largest;
    }
    float scale = lanes_f32((uint32_t)(2 * BIAS + KEPT - largest) << 23);
    float unit = lanes_f32((uint32_t)(largest - KEPT) << 23);
    int32_t total = (int32_t)(lanes_f32(c) * scale);
    for (unsigned k = 0; k < GROUP; k++) {
        total += (int32_t)(a->value[k] * b[k * line] * scale);
    }
    /* Below 2^29. Rounded to 24 places, then a step back if that was away from zero. */
    float f = (float)total;
    int32_t beyond = (int32_t)f - total;
    bool away = (beyond != 0) & ((beyond ^ total) >= 0);
    f = lanes_f32(lanes_bits32(f) - (away ? 1u : 0u));
    return largest == OF_NOTHING ? c : lanes_bits32(f * unit);
}

/* A group of the depth for all rows before the next one: neighbouring sums then do not wait for
 * each other. */
static WW_ALWAYS_INLINE void add_rows(const ww_matrix_job *m, const factors *a, const factors *b,
                                      unsigned line, unsigned depth)
{
    for (unsigned k = 0; k < depth; k += GROUP) {
        const float *value = b->value + k * line;
        const int32_t *lead = b->lead + k * line;
        for (unsigned row = 0; row < m->rows; row++) {
            uint32_t *c = m->c + row * line;
            row_group g;
            for (unsigned i = 0; i < GROUP; i++) {
                g.value[i] = a->value[(k + i) * m->rows + row];
                g.lead[i] = a->lead[(k + i) * m->rows + row];
            }
            EACH_COLUMN(line)
            {
                c[j] = add_group(c[j], &g, value + j, lead + j, line);
            }
        }
    }
}

static void add_cut(const ww_matrix_job *m, unsigned depth, const factors *a, const factors *b)
{
    switch (m->columns) { /* vector code for each */
    case 8:
        add_rows(m, a, b, 8, depth);
        break;
    case 16:
        add_rows(m, a, b, 16, depth);
        break;
    case 32:
        add_rows(m, a, b, 32, depth);
        break;
    default:
        add_rows(m, a, b, m->columns, depth);
        break;
    }
}

static bool multiply_float(const ww_matrix_job *m)
{
    factors a;
    factors b;
    unsigned n = m->rows * m->columns;
    unsigned depth = m->words * (m->type_a == WW_T_TF32 ? 1 : 2);
    if (m->half_c) {
        for (unsigned i = 0; i < n; i++) {
            m->c[i] = lanes_bits32(ww__f16_to_f32((uint16_t)m->c[i]));
        }
    }
    /* The bias of a product's exponent comes from one side. */
    if (!take_apart(m->a, m->words, m->rows, m->type_a, 0, &a) ||
        !take_apart(m->b, m->words, m->columns, m->type_b, BIAS, &b) || !sums_in_range(m->c, n)) {
        return false;
    }
    add_cut(m, depth, &a, &b);
    if (m->half_d) {
        for (unsigned i = 0; i < n; i++) {
            m->c[i] = ww__f16_from_f32(lanes_f32(m->c[i]));
        }
    }
    return true;
}

/* ---- integers ---- */

/* Four bytes of each word as numbers: of word w in lines 4 w to 4 w + 3. Sums of their products
 * stay below 2^24, where binary32 is exact. */
static void bytes_apart(const uint32_t *word, unsigned words, unsigned line, ww_type type,
                        float *out)
{
    for (unsigned w = 0; w < words; w++) {
        const uint32_t *from = word + w * line;
        for (unsigned k = 0; k < 4; k++) {
            float *to = out + (4 * w + k) * line;
            if (type == WW_T_S8) {
                EACH_COLUMN(line)
                {
                    to[j] = (float)((int32_t)(from[j] << (24 - 8 * k)) >> 24);
                }
            } else {
                EACH_COLUMN(line)
                {
                    to[j] = (float)(int32_t)(from[j] >> 8 * k & 255);
                }
            }
        }
    }
}

/* Plain sums of the products of a row with columns, n at most VECTOR. */
static WW_ALWAYS_INLINE void dot_columns(const ww_matrix_job *m, unsigned depth, const float *a,
                                         const float *b, unsigned n, float total[VECTOR])
{
    typedef float vector __attribute__((vector_size(4 * VECTOR)));
    vector sum = {0};
    for (unsigned k = 0; k < depth; k++) {
        vector line = {0};
        memcpy(&line, b + k * m->columns, n * sizeof *b);
        sum += a[k * m->rows] * line;
    }
    memcpy(total, &sum, sizeof sum);
}

static WW_ALWAYS_INLINE uint32_t add_saturated(uint32_t c, uint32_t sum)
{
    uint32_t r = c + sum;
    uint32_t limit = 0x7fffffffu + (c >> 31);
    return ((c ^ r) & (sum ^ r)) >> 31 != 0 ? limit : r;
}

/* Columns of one row, n at most VECTOR. */
static WW_ALWAYS_INLINE void add_int_columns(const ww_matrix_job *m, const float *a, const float *b,
                                             uint32_t *c, unsigned n)
{
    float total[VECTOR];
    dot_columns(m, 4 * m->words, a, b, n, total);
    if (m->saturates) {
        EACH_COLUMN(n)
        {
            c[j] = add_saturated(c[j], (uint32_t)(int32_t)total[j]);
        }
    } else {
        EACH_COLUMN(n)
        {
            c[j] += (uint32_t)(int32_t)total[j];
        }
    }
}

static void multiply_int(const ww_matrix_job *m)
{
    _Alignas(64) float a[MOST_FACTORS];
    _Alignas(64) float b[MOST_FACTORS];
    bytes_apart(m->a, m->words, m->rows, m->type_a, a);
    bytes_apart(m->b, m->words, m->columns, m->type_b, b);
    for (unsigned row = 0; row < m->rows; row++) {
        uint32_t *c = m->c + row * m->columns;
        unsigned at = 0;
        for (; at + VECTOR <= m->columns; at += VECTOR) {
            add_int_columns(m, a + row, b + at, c + at, VECTOR);
        }
        if (at < m->columns) {
            add_int_columns(m, a + row, b + at, c + at, m->columns - at);
        }
    }
}

/* ---- binary64 ---- */

#ifdef LANES_HAVE_FMA
static WW_ALWAYS_INLINE void add_doubles(const ww_matrix_job *m, unsigned columns)
{
    uint64_t *c = m->wide_c;
    for (unsigned k = 0; k < m->words; k++) {
        const uint64_t *b = m->wide_b + k * columns;
        for (unsigned row = 0; row < m->rows; row++) {
            double a = lanes_f64(m->wide_a[row * m->words + k]);
            uint64_t *sum = c + row * columns;
            EACH_COLUMN(columns)
            {
                sum[j] = lanes_bits64(__builtin_fma(a, lanes_f64(b[j]), lanes_f64(sum[j])));
            }
        }
    }
    for (unsigned i = 0; i < m->rows * columns; i++) {
        c[i] = lanes_canonical64(lanes_f64(c[i]));
    }
}

static void multiply_double(const ww_matrix_job *m)
{
    if (m->columns == 8) {
        add_doubles(m, 8);
    } else {
        add_doubles(m, m->columns);
    }
}
#else
#define multiply_double NULL
#endif

const ww_matrix_lanes LANES_NAME(ww__lanes_matrix) = {multiply_float, multiply_int,
                                                      multiply_double};
