/* multiply.c - D = A B + C of wmma and mma.
 * PTX leaves the order and the intermediate precision of floating-point sums open ("at least single
 * precision"). They are fixed here as measurements on Volta and Turing suggest (Fasi, Higham,
 * Mikaitis, Pranesh, "Numerical behavior of NVIDIA tensor cores", PeerJ CS 7:e330, 2021):
 *   f16, bf16, tf32, floats of 8 bits  k in groups of four, ascending. A group adds its four
 * products, exact and not normalised, to the sum so far: all five are cut toward zero to multiples
 * of 2^(e-24), e the largest of their exponents, and added exactly; the result is cut toward zero
 * to binary32. Subnormal numbers count in full. D of f16 is the last sum rounded to nearest even. A
 * NaN, inf * 0, or infinities of both signs give 0x7fffffff (f16: 0x7fff). Sums beyond binary32 are
 * infinite. f64              fma per k, ascending, rounded to nearest even s8, u8, s4, u4, counts
 * of single bits: exact modulo 2^32; .satfinite: exact sum over all k, then clamped to s32 */
#include <string.h>

#include "perf/exec/lanes/half.h"
#include "perf/exec/matrix/matrix.h"
#include "perf/exec/lanes/softfp.h"

enum { MOST_LINES = 32, MOST_DEPTH = 64, GROUP = 4, KEPT = 24 };

/* A floating-point number taken apart: value = (-1)^negative * digits * 2^exponent. */
typedef struct term {
    uint32_t digits;
    int32_t exponent;
    int32_t lead; /* exponent of the place before the point */
    uint8_t negative, infinite, nan;
} term;

/* Of a binary format with `fraction` bits behind the point. */
static term term_of(uint32_t bits, unsigned fraction, unsigned exponent_bits)
{
    uint32_t most = (1u << exponent_bits) - 1;
    uint32_t e = bits >> fraction & most;
    uint32_t f = bits & ((1u << fraction) - 1);
    int32_t bias = (int32_t)(most >> 1);
    return (term){.digits = e != 0 ? f | 1u << fraction : f,
                  .exponent = (int32_t)(e != 0 ? e : 1) - bias - (int32_t)fraction,
                  .lead = (int32_t)(e != 0 ? e : 1) - bias,
                  .negative = (uint8_t)(bits >> (fraction + exponent_bits) & 1),
                  .infinite = e == most && f == 0,
                  .nan = e == most && f != 0};
}

/* The largest exponent is one like the others, and all ones the only NaN. */
static term term_of_e4m3(uint32_t bits)
{
    uint32_t e = bits >> 3 & 15;
    uint32_t f = bits & 7;
    int32_t lead = (int32_t)(e != 0 ? e : 1) - 7;
    return (term){.digits = e != 0 ? f | 8 : f,
                  .exponent = lead - 3,
                  .lead = lead,
                  .negative = (uint8_t)(bits >> 7 & 1),
                  .nan = e == 15 && f == 7};
}

static term term_of_type(uint32_t bits, ww_type type)
{
    switch (type) {
    case WW_T_F16:
        return term_of(bits, 10, 5);
    case WW_T_BF16:
        return term_of(bits, 7, 8);
    case WW_T_TF32:
        return term_of(bits >> 13, 10, 8);
    case WW_T_E5M2:
        return term_of(bits, 2, 5);
    case WW_T_E4M3:
        return term_of_e4m3(bits);
    default:
        return term_of(bits, 23, 8);
    }
}

/* |sum| * 2^exponent, cut to binary32. */
static uint32_t cut_to_f32(int64_t sum, int32_t exponent)
{
    uint32_t sign = sum < 0 ? 0x80000000u : 0;
    uint64_t magnitude = sum < 0 ? 0 - (uint64_t)sum : (uint64_t)sum;
    if (magnitude == 0) {
        return 0;
    }
    int32_t top = 63 - __builtin_clzll(magnitude); /* 2^top is its leading digit */
    int32_t unit = top + exponent - 23;            /* weight of binary32's last place */
    unit = unit < -149 ? -149 : unit;
    int32_t shift = unit - exponent;
    uint64_t digits = shift >= 64 ? 0 : shift >= 0 ? magnitude >> shift : magnitude << -shift;
    if (unit + 23 > 127 && digits >> 23 != 0) {
        return sign | 0x7f800000u;
    }
    /* The hidden digit carries into the exponent field. */
    uint32_t biased = (uint32_t)(unit + 149);
    return sign | (uint32_t)(digits + ((uint64_t)biased << 23));
}

/* digits * 2^exponent in multiples of 2^unit, cut toward zero. No digit lies above 2^(unit + 50).
 */
static int64_t cut(uint32_t digits, int32_t exponent, bool negative, int32_t unit)
{
    int32_t shift = digits != 0 ? exponent - unit : 0;
    int64_t v = shift >= 0    ? (int64_t)((uint64_t)digits << shift)
                : shift > -32 ? (int64_t)(digits >> -shift)
                              : 0;
    return negative ? -v : v;
}

/* The result if it is not finite, else 0. */
static uint32_t special(const term *c, const term *a, const term *b, unsigned n)
{
    bool nan = c->nan != 0;
    bool infinite[2] = {c->infinite && !c->negative, c->infinite && c->negative};
    for (unsigned k = 0; k < n; k++) {
        bool endless = a[k].infinite || b[k].infinite;
        nan |= a[k].nan || b[k].nan || (endless && (a[k].digits == 0 || b[k].digits == 0));
        infinite[a[k].negative ^ b[k].negative] |= endless;
    }
    if (nan || (infinite[0] && infinite[1])) {
        return 0x7fffffffu;
    }
    return infinite[0] ? 0x7f800000u : infinite[1] ? 0xff800000u : 0;
}

/* sum + a[0] b[0] + … + a[n-1] b[n-1], n <= GROUP. */
static uint32_t add_group(uint32_t sum, const term *a, const term *b, unsigned n)
{
    term c = term_of(sum, 23, 8);
    uint32_t not_finite = special(&c, a, b, n);
    if (not_finite != 0) {
        return not_finite;
    }
    int32_t largest = c.digits != 0 ? c.lead : INT32_MIN;
    for (unsigned k = 0; k < n; k++) {
        int32_t e = a[k].lead + b[k].lead;
        bool zero = a[k].digits == 0 || b[k].digits == 0;
        largest = !zero && e > largest ? e : largest;
    }
    if (largest == INT32_MIN) {
        return sum; /* nothing but zeros */
    }
    int32_t unit = largest - KEPT;
    int64_t total = cut(c.digits, c.exponent, c.negative, unit);
    for (unsigned k = 0; k < n; k++) {
        uint32_t product = a[k].digits * b[k].digits; /* at most 22 bits */
        total += cut(product, a[k].exponent + b[k].exponent, a[k].negative != b[k].negative, unit);
    }
    return cut_to_f32(total, unit);
}

/* ---- whole matrices: A by rows, B by columns, C and D by rows ---- */

typedef struct dense {
    uint64_t bits[MOST_LINES][MOST_DEPTH]; /* [line][position] */
} dense;

static void unpack(const ww_exec_ctx *x, const ww_uop *u, unsigned first, const ww_fragment *f,
                   dense *out)
{
    ww_fragment_planes planes;
    ww__fragment_read(x, u, first, f, &planes);
    for (unsigned line = 0; line < f->lines; line++) {
        for (unsigned position = 0; position < f->positions; position++) {
            unsigned lane;
            unsigned e;
            ww_fragment_place(f, line, position, &lane, &e);
            out->bits[line][position] =
                f->bits == 64
                    ? (uint64_t)planes.word[2 * e + 1][lane] << 32 | planes.word[2 * e][lane]
                    : ww__fragment_get(&planes, f->bits, lane, e);
        }
    }
}

static void pack(ww_exec_ctx *x, const ww_uop *u, const ww_fragment *f, const dense *in)
{
    ww_fragment_planes planes = {0};
    for (unsigned line = 0; line < f->lines; line++) {
        for (unsigned position = 0; position < f->positions; position++) {
            unsigned lane;
            unsigned e;
            uint64_t bits = in->bits[line][position];
            ww_fragment_place(f, line, position, &lane, &e);
            if (f->bits == 64) {
                planes.word[2 * e][lane] = (uint32_t)bits;
                planes.word[2 * e + 1][lane] = (uint32_t)(bits >> 32);
            } else {
                ww__fragment_put(&planes, f->bits, lane, e, (uint32_t)bits);
            }
        }
    }
    ww__fragment_write(x, u, f, &planes);
}

static int32_t integer_of(uint64_t bits, ww_type type)
{
    switch (type) {
    case WW_T_S8:
        return (int8_t)(uint8_t)bits;
    case WW_T_S4:
        return (int32_t)((bits & 15) ^ 8) - 8;
    default: /* unsigned, and alone in its word */
        return (int32_t)bits;
    }
}

static uint64_t dot_int(const ww_matrix_product *p, const uint64_t *a, const uint64_t *b,
                        uint64_t c)
{
    int64_t sum = (int32_t)(uint32_t)c;
    for (unsigned k = 0; k < p->a.positions; k++) {
        sum += integer_of(a[k], p->type_a) * integer_of(b[k], p->type_b);
    }
    if (p->saturates) {
        sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    }
    return (uint32_t)sum;
}

/* The bits in which a and b differ, or that both have, are counted. */
static uint64_t dot_bits(const ww_matrix_product *p, const uint64_t *a, const uint64_t *b,
                         uint64_t c)
{
    uint32_t sum = (uint32_t)c;
    for (unsigned k = 0; k < p->a.positions; k++) {
        uint64_t met = p->bool_op == WW_BOOL_AND ? a[k] & b[k] : a[k] ^ b[k];
        sum += (uint32_t)__builtin_popcountll(met);
    }
    return sum;
}

static uint64_t dot_f64(const ww_matrix_product *p, const uint64_t *a, const uint64_t *b,
                        uint64_t c)
{
    for (unsigned k = 0; k < p->a.positions; k++) {
        c = ww__soft_fma(&ww__soft_f64, a[k], b[k], c, WW_ROUND_RN);
    }
    return c;
}

static uint64_t dot_float(const ww_matrix_product *p, const term *a, const term *b, uint64_t c)
{
    uint32_t sum = (uint32_t)c;
    if (p->type_c == WW_T_F16) {
        sum = ww__half_bits32(ww__f16_to_f32((uint16_t)c));
    }
    for (unsigned k = 0; k < p->a.positions; k += GROUP) {
        sum = add_group(sum, a + k, b + k, GROUP);
    }
    return p->type_d == WW_T_F16 ? ww__f16_from_f32(ww__half_f32(sum)) : sum;
}

/* Factors taken apart once, not once per product. */
static void take_apart(const dense *m, const ww_fragment *f, ww_type type,
                       term out[MOST_LINES][MOST_DEPTH])
{
    for (unsigned line = 0; line < f->lines; line++) {
        for (unsigned k = 0; k < f->positions; k++) {
            out[line][k] = term_of_type((uint32_t)m->bits[line][k], type);
        }
    }
}

static void multiply(const ww_matrix_product *p, const dense *a, const dense *b, dense *c)
{
    term ta[MOST_LINES][MOST_DEPTH];
    term tb[MOST_LINES][MOST_DEPTH];
    bool real = ww_type_is_float(p->type_a) && p->type_a != WW_T_F64;
    if (real) {
        take_apart(a, &p->a, p->type_a, ta);
        take_apart(b, &p->b, p->type_b, tb);
    }
    for (unsigned row = 0; row < p->a.lines; row++) {
        for (unsigned column = 0; column < p->b.lines; column++) {
            uint64_t *sum = &c->bits[row][column];
            *sum = real                    ? dot_float(p, ta[row], tb[column], *sum)
                   : p->type_a == WW_T_F64 ? dot_f64(p, a->bits[row], b->bits[column], *sum)
                   : p->type_a == WW_T_B1  ? dot_bits(p, a->bits[row], b->bits[column], *sum)
                                           : dot_int(p, a->bits[row], b->bits[column], *sum);
        }
    }
}

ww_status ww__run_matrix_multiply(ww_exec_ctx *x, const ww_uop *u)
{
    const ww_matrix_product *p = u->matrix;
    WW_TRY(ww__matrix_check_lanes(x, u));
    if (ww__matrix_multiply_dense(x, u, p)) {
        return WW_OK;
    }
    dense a;
    dense b;
    dense c;
    unpack(x, u, 0, &p->a, &a);
    unpack(x, u, p->a.registers, &p->b, &b);
    unpack(x, u, (unsigned)p->a.registers + p->b.registers, &p->c, &c);
    multiply(p, &a, &b, &c);
    pack(x, u, &p->d, &c);
    return WW_OK;
}
