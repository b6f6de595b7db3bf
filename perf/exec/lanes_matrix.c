/* lanes_matrix.c - D = A B + C for whole matrices, many columns at once. The same sums as
 * matrix_multiply.c defines, in arithmetic that vector units have: exact as long as all numbers are
 * zero or of middling size, which is looked at first. */
#include "perf/exec/lanes.h"

enum {
    GROUP = 4,  /* products that are added at a time */
    KEPT = 24,  /* places below the largest exponent */
    BIAS = 127, /* of binary32's exponent field */
};

/* Exponents that keep every product, scale and sum within binary32's normal numbers: those of
 * factors, and of the sum so far. Cutting leaves no sum below 2^(2 * LEAST_FACTOR - KEPT). */
enum { LEAST_FACTOR = -30, MOST_FACTOR = 30, LEAST_SUM = -60, MOST_SUM = 60 };

static WW_ALWAYS_INLINE uint32_t exponent_of(uint32_t bits)
{
    return bits >> 23 & 255;
}

/* Elements become binary32; false when one is neither zero nor of middling size. */
static bool widen(uint32_t *v, unsigned n, ww_type type)
{
    uint32_t bad = 0;
    if (type == WW_T_F16) {
        for (unsigned i = 0; i < n; i++) {
            uint32_t e = v[i] >> 10 & 31;
            bool zero = (v[i] & 0x7fff) == 0;
            bad |= !zero && (e == 0 || e == 31) ? 1u : 0u;
            uint32_t rest = zero ? 0 : ((v[i] & 0x7fff) << 13) + ((BIAS - 15u) << 23);
            v[i] = (v[i] & 0x8000) << 16 | rest;
        }
        return bad == 0;
    }
    unsigned shift = type == WW_T_BF16 ? 16 : 0;
    uint32_t kept = type == WW_T_TF32 ? ~0x1fffu : ~0u; /* tf32: the lowest places do not count */
    for (unsigned i = 0; i < n; i++) {
        uint32_t bits = v[i] << shift & kept;
        uint32_t e = exponent_of(bits);
        bool zero = bits << 1 == 0;
        bad |= !zero && (e < BIAS + LEAST_FACTOR || e > BIAS + MOST_FACTOR) ? 1u : 0u;
        v[i] = bits;
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

/* Biased exponent of a product of factors, of which the leading digits count; 0: the product is 0.
 */
static WW_ALWAYS_INLINE uint32_t product_exponent(uint32_t a, uint32_t b)
{
    uint32_t e = exponent_of(a) + exponent_of(b) - BIAS;
    return a << 1 == 0 || b << 1 == 0 ? 0 : e;
}

/* c + a[0] b[0] + … + a[3] b[3], cut toward zero. */
static WW_ALWAYS_INLINE uint32_t add_group(uint32_t c, const uint32_t a[GROUP],
                                           const uint32_t b[GROUP])
{
    uint32_t largest = exponent_of(c);
    for (unsigned k = 0; k < GROUP; k++) {
        uint32_t e = product_exponent(a[k], b[k]);
        largest = e > largest ? e : largest;
    }
    bool nothing = largest == 0;
    uint32_t e = nothing ? BIAS : largest;
    float scale = lanes_f32((2 * BIAS + KEPT - e) << 23);
    float unit = lanes_f32((e - KEPT) << 23);
    int32_t total = (int32_t)(lanes_f32(c) * scale);
    for (unsigned k = 0; k < GROUP; k++) {
        total += (int32_t)(lanes_f32(a[k]) * lanes_f32(b[k]) * scale);
    }
    int32_t magnitude = total < 0 ? -total : total; /* below 2^29 */
    float f = (float)magnitude;
    f = lanes_f32(lanes_bits32(f) - ((int32_t)f > magnitude ? 1u : 0u));
    uint32_t sum = lanes_bits32(f * unit) | ((uint32_t)total & 0x80000000u);
    return nothing ? c : sum;
}

/* Rows of so many columns. */
static WW_ALWAYS_INLINE void add_products(uint32_t *c, const uint32_t *a, const uint32_t *b,
                                          unsigned rows, unsigned columns, unsigned depth)
{
    for (unsigned row = 0; row < rows; row++, c += columns, a += depth) {
        for (unsigned k = 0; k < depth; k += GROUP) {
            const uint32_t *line = b + (size_t)k * columns;
            EACH_COLUMN(columns)
            {
                const uint32_t factor[GROUP] = {line[j], line[j + columns], line[j + 2 * columns],
                                                line[j + 3 * columns]};
                c[j] = add_group(c[j], a + k, factor);
            }
        }
    }
}

static bool multiply_float(const ww_matrix_job *m, ww_type type_a, ww_type type_b)
{
    if (!widen(m->a, m->rows * m->depth, type_a) || !widen(m->b, m->depth * m->columns, type_b) ||
        !sums_in_range(m->c, m->rows * m->columns)) {
        return false;
    }
    switch (m->columns) { /* vector code for each */
    case 8:
        add_products(m->c, m->a, m->b, m->rows, 8, m->depth);
        break;
    case 16:
        add_products(m->c, m->a, m->b, m->rows, 16, m->depth);
        break;
    default:
        add_products(m->c, m->a, m->b, m->rows, m->columns, m->depth);
        break;
    }
    return true;
}

static WW_ALWAYS_INLINE void add_int_products(uint32_t *c, const uint32_t *a, const uint32_t *b,
                                              unsigned rows, unsigned columns, unsigned depth)
{
    for (unsigned row = 0; row < rows; row++, c += columns, a += depth) {
        for (unsigned k = 0; k < depth; k++) {
            EACH_COLUMN(columns)
            {
                c[j] += a[k] * b[k * columns + j];
            }
        }
    }
}

static void extend(uint32_t *v, unsigned n, ww_type type)
{
    for (unsigned i = 0; i < n; i++) {
        v[i] = type == WW_T_S8 ? (uint32_t)(int32_t)(int8_t)(uint8_t)v[i] : (uint8_t)v[i];
    }
}

static void multiply_int(const ww_matrix_job *m, ww_type type_a, ww_type type_b)
{
    extend(m->a, m->rows * m->depth, type_a);
    extend(m->b, m->depth * m->columns, type_b);
    switch (m->columns) {
    case 8:
        add_int_products(m->c, m->a, m->b, m->rows, 8, m->depth);
        break;
    case 16:
        add_int_products(m->c, m->a, m->b, m->rows, 16, m->depth);
        break;
    default:
        add_int_products(m->c, m->a, m->b, m->rows, m->columns, m->depth);
        break;
    }
}

const ww_matrix_lanes LANES_NAME(ww__lanes_matrix) = {multiply_float, multiply_int};
