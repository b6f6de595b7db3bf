/* tuple.c - arithmetic on affine tuples. */
#include "perf/ptx/analysis/tuple.h"

#include <string.h>

static uint64_t mask_of(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* Brings every field below 2^bits. */
static void wrap(ww_tuple *t)
{
    uint64_t mask = mask_of(t->bits);
    t->base &= mask;
    t->mod_base &= mask;
    t->divisor &= mask;
    for (unsigned d = 0; d < WW_INDEX_COUNT; d++) {
        t->offset[d] &= mask;
    }
}

ww_tuple ww_tuple_scalar(uint64_t value, unsigned bits)
{
    return (ww_tuple){.base = value & mask_of(bits), .bits = (uint8_t)bits};
}

ww_tuple ww_tuple_index(ww_index which, unsigned bits)
{
    ww_tuple t = ww_tuple_scalar(0, bits);
    t.offset[which] = 1;
    return t;
}

static bool no_offset(const ww_tuple *t, unsigned first, unsigned end)
{
    uint64_t any = 0;
    for (unsigned d = first; d < end; d++) {
        any |= t->offset[d];
    }
    return any == 0;
}

bool ww_tuple_is_scalar(const ww_tuple *t)
{
    return t->divisor == 0 && no_offset(t, 0, WW_INDEX_COUNT);
}

bool ww_tuple_is_cta_scalar(const ww_tuple *t)
{
    return t->divisor == 0 && no_offset(t, WW_INDEX_TX, WW_INDEX_BX);
}

bool ww_tuple_equal(const ww_tuple *a, const ww_tuple *b)
{
    return a->bits == b->bits && a->base == b->base && a->mod_base == b->mod_base &&
           a->divisor == b->divisor && memcmp(a->offset, b->offset, sizeof a->offset) == 0;
}

unsigned ww_tuple_lanes(const ww_tuple *t)
{
    unsigned n = t->divisor != 0 ? 3 : 1;
    for (unsigned d = 0; d < WW_INDEX_COUNT; d++) {
        n += t->offset[d] != 0;
    }
    return n;
}

uint64_t ww_tuple_at(const ww_tuple *t, const uint32_t *index)
{
    uint64_t sum = 0;
    for (unsigned d = 0; d < WW_INDEX_COUNT; d++) {
        sum += t->offset[d] * index[d];
    }
    if (t->divisor != 0) { /* offsets are below the divisor: the sum does not wrap */
        return (t->base + (t->mod_base + sum) % t->divisor) & mask_of(t->bits);
    }
    return (t->base + sum) & mask_of(t->bits);
}

bool ww_tuple_add(const ww_tuple *a, const ww_tuple *b, ww_tuple *out)
{
    if (a->divisor != 0 || b->divisor != 0) {
        bool first = a->divisor != 0;
        const ww_tuple *other = first ? b : a;
        ww_tuple sum = first ? *a : *b;
        sum.base += other->base;
        bool known = ww_tuple_is_scalar(other);
        wrap(&sum);
        *out = sum;
        return known;
    }
    ww_tuple sum = *a;
    sum.base += b->base;
    for (unsigned d = 0; d < WW_INDEX_COUNT; d++) {
        sum.offset[d] += b->offset[d];
    }
    wrap(&sum);
    *out = sum;
    return true;
}

bool ww_tuple_sub(const ww_tuple *a, const ww_tuple *b, ww_tuple *out)
{
    if (b->divisor != 0) {
        return false;
    }
    ww_tuple minus = *b;
    minus.base = -b->base;
    for (unsigned d = 0; d < WW_INDEX_COUNT; d++) {
        minus.offset[d] = -b->offset[d];
    }
    wrap(&minus);
    return ww_tuple_add(a, &minus, out);
}

bool ww_tuple_mul(const ww_tuple *a, const ww_tuple *b, ww_tuple *out)
{
    const ww_tuple *factor = ww_tuple_is_scalar(b) ? b : a;
    ww_tuple product = factor == b ? *a : *b;
    if (!ww_tuple_is_scalar(factor)) {
        return false;
    }
    uint64_t f = factor->base, scaled;
    if (__builtin_mul_overflow(product.divisor, f, &scaled) || scaled > mask_of(a->bits)) {
        return false;
    }
    product.base *= f;
    product.mod_base *= f;
    product.divisor *= f;
    for (unsigned d = 0; d < WW_INDEX_COUNT; d++) {
        product.offset[d] *= f;
    }
    wrap(&product);
    *out = product;
    return true;
}

bool ww_tuple_shl(const ww_tuple *a, unsigned n, ww_tuple *out)
{
    const ww_tuple factor = ww_tuple_scalar(n < a->bits ? UINT64_C(1) << n : 0, a->bits);
    return ww_tuple_mul(a, &factor, out);
}

/* ---- ranges ---- */

static int64_t as_signed(uint64_t v, unsigned bits)
{
    return bits >= 64 ? (int64_t)v : (int64_t)(v << (64 - bits)) >> (64 - bits);
}

/* Smallest and largest value of base + the sum, offsets with their signs, as numbers without wrap;
 * false when they do not fit 64 bits. */
static bool bounds(const ww_tuple *t, int64_t base, const uint32_t *most, int64_t *low,
                   int64_t *high)
{
    *low = *high = base;
    for (unsigned d = 0; d < WW_INDEX_COUNT; d++) {
        int64_t offset = as_signed(t->offset[d], t->bits), reach;
        if (__builtin_mul_overflow(offset, (int64_t)most[d], &reach) ||
            __builtin_add_overflow(reach < 0 ? *low : *high, reach, reach < 0 ? low : high)) {
            return false;
        }
    }
    return true;
}

bool ww_tuple_in_range(const ww_tuple *t, bool is_signed, const uint32_t *most)
{
    int64_t low, high;
    if (t->bits >= 64) {
        return bounds(t, (int64_t)t->base, most, &low, &high) && (is_signed || low >= 0);
    }
    uint64_t top = UINT64_C(1) << (is_signed ? t->bits - 1 : t->bits);
    int64_t least = is_signed ? -(int64_t)top : 0;
    if (t->divisor != 0) { /* base + at most divisor - 1 */
        int64_t base = is_signed ? as_signed(t->base, t->bits) : (int64_t)t->base;
        return base + (int64_t)t->divisor <= (int64_t)top;
    }
    int64_t base = is_signed ? as_signed(t->base, t->bits) : (int64_t)t->base;
    return bounds(t, base, most, &low, &high) && low >= least && high < (int64_t)top;
}

bool ww_tuple_rem(const ww_tuple *a, uint64_t divisor, bool is_signed, const uint32_t *most,
                  ww_tuple *out)
{
    int64_t low, high;
    int64_t base = is_signed ? as_signed(a->base, a->bits) : (int64_t)a->base;
    if (a->divisor != 0 || divisor == 0 || as_signed(divisor, a->bits) < 0 ||
        !ww_tuple_in_range(a, is_signed, most) || !bounds(a, base, most, &low, &high) || low < 0) {
        return false;
    }
    ww_tuple t = *a;
    t.mod_base = a->base % divisor;
    t.base = 0;
    t.divisor = divisor;
    for (unsigned d = 0; d < WW_INDEX_COUNT; d++) {
        int64_t rest = as_signed(a->offset[d], a->bits) % (int64_t)divisor;
        t.offset[d] = (uint64_t)(rest < 0 ? rest + (int64_t)divisor : rest);
    }
    *out = t;
    return true;
}

bool ww_tuple_widen(const ww_tuple *a, bool is_signed, const uint32_t *most, ww_tuple *out)
{
    if (!ww_tuple_in_range(a, is_signed, most)) {
        return false;
    }
    ww_tuple t = *a;
    t.bits = 64;
    t.base = is_signed ? (uint64_t)as_signed(a->base, a->bits) : a->base;
    for (unsigned d = 0; d < WW_INDEX_COUNT; d++) {
        t.offset[d] = (uint64_t)as_signed(a->offset[d], a->bits);
    }
    *out = t;
    return true;
}

ww_tuple ww_tuple_narrow(const ww_tuple *a)
{
    ww_tuple t = *a;
    t.bits = 32;
    wrap(&t);
    return t;
}
