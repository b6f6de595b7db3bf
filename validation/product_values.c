/* product_values.c - elements of matrices by pattern, each from its place alone: what is sorted is
 * the quantile of its rank. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "validation/products.h"

static const double size = WW__PRODUCT_SIZE;

/* SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) of a number. */
static uint64_t mixed(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Between 0 and 1, exclusively. */
static double uniform(uint64_t x)
{
    return ((double)(mixed(x) >> 12) + 0.5) / 4503599627370496.0;
}

static double gaussian(uint64_t x)
{
    return gsl_cdf_ugaussian_Pinv(uniform(x));
}

uint32_t ww__product_bytes(ww__product_format format)
{
    return format == WW__PRODUCT_BYTE ? 1 : format == WW__PRODUCT_SINGLE ? 4 : 2;
}

static uint32_t half_of(double v)
{
    uint32_t sign = signbit(v) ? 0x8000u : 0;
    double size_of = fabs(v);
    if (!(size_of < 65520)) {
        return sign | 0x7c00u;
    }
    int exponent = size_of < 6.103515625e-5 ? -15 : ilogb(size_of);
    int unit = exponent < -14 ? -24 : exponent - 10;
    uint32_t steps = (uint32_t)lrint(ldexp(size_of, -unit));
    return sign | (exponent < -14 ? steps : ((uint32_t)(exponent + 14) << 10) + steps);
}

static double number_of_half(uint32_t bits)
{
    uint32_t exponent = bits >> 10 & 0x1f, mantissa = bits & 0x3ff;
    double magnitude = exponent == 0x1f ? (mantissa != 0 ? (double)NAN : (double)INFINITY)
                       : exponent == 0  ? ldexp(mantissa, -24)
                                        : ldexp(1024 + mantissa, (int)exponent - 25);
    return (bits & 0x8000u) != 0 ? -magnitude : magnitude;
}

static uint32_t encode(ww__product_format format, double v)
{
    float single = (float)v;
    uint32_t bits;
    switch (format) {
    case WW__PRODUCT_BYTE:
        return (uint32_t)(int32_t)lrint(fmin(fmax(v, -128), 127)) & 0xff;
    case WW__PRODUCT_SINGLE:
        memcpy(&bits, &single, sizeof bits);
        return bits;
    default:
        return half_of(v);
    }
}

double ww__product_number(ww__product_format format, uint32_t bits)
{
    float single;
    switch (format) {
    case WW__PRODUCT_BYTE:
        return (int8_t)(uint8_t)bits;
    case WW__PRODUCT_SINGLE:
        memcpy(&single, &bits, sizeof single);
        return (double)single;
    default:
        return number_of_half(bits);
    }
}

uint32_t ww__product_sum(ww__product_format format, double number)
{
    return format == WW__PRODUCT_BYTE ? (uint32_t)(int32_t)number : encode(format, number);
}

/* Bits of the element that are replaced by random ones. */
static uint32_t with_random(uint32_t bits, uint32_t mask, uint64_t key)
{
    return (bits & ~mask) | ((uint32_t)mixed(key ^ 0x5bd1e995u) & mask);
}

static uint32_t flipped(uint32_t bits, uint32_t width, uint32_t count, uint64_t key)
{
    uint32_t left = count;
    for (uint32_t bit = 0; bit < width && left > 0; bit++) { /* each subset as likely */
        if (uniform(key + 7919u * (bit + 1)) * (width - bit) < left) {
            bits ^= 1u << bit;
            left--;
        }
    }
    return bits;
}

/* ---- what the artifact of the measurements fills its matrices with ---- */

/* A quantile that rounding keeps inside. */
static double quantile(double share)
{
    static const double least = 1e-9;
    return gsl_cdf_ugaussian_Pinv(fmin(fmax(share, least), 1 - least));
}

/* std::partial_sort: of `all` numbers the least `of` stand in front in order, behind them those
 * that are larger, as they come. A number lies anywhere between the ranks of its neighbours. All of
 * them are so many standard deviations off (an order statistic's of rank p is sqrt(p (1 - p) /
 * all)): neighbours go together, but for the ends, of which no tile takes any. */
static double sorted(double at, double of, double all, double deviations, uint64_t key)
{
    if (at < of) {
        double p = (at + uniform(key)) / all;
        return quantile(p + deviations * sqrt(p * (1 - p) / all));
    }
    return quantile((of + (all - of) * uniform(key)) / all);
}

/* A number in a line of the array that is filled and sorted. */
static double number_at(const ww__product *p, uint32_t line, uint32_t place, uint64_t matrix)
{
    const uint64_t key = mixed(matrix + (uint64_t)line * WW__PRODUCT_SIZE + place);
    const bool bytes = p->format == WW__PRODUCT_BYTE;
    const double usual = bytes ? 32 : 1024, narrow = bytes ? 8 : 1;
    const double rank = line * size + place, all = size * size;
    switch (p->pattern) {
    case WW__PRODUCT_DEVIATION:
        return p->param * gaussian(key);
    case WW__PRODUCT_MEAN:
        return p->param + narrow * gaussian(key);
    case WW__PRODUCT_SORTED_MEAN:
        return p->param + narrow * sorted(rank, all, all, 0, key);
    case WW__PRODUCT_SORTED_ROWS:
        return usual * sorted(rank, p->param * all, all, 0, key);
    case WW__PRODUCT_SORTED_INSIDE:
        return usual *
               sorted(place, p->param * size, size, gaussian(mixed(matrix ^ (line + 1))), key);
    case WW__PRODUCT_SPARSE:
        return uniform(key ^ 0x2545f491u) < p->param ? 0 : usual * gaussian(key);
    default:
        return usual * gaussian(key);
    }
}

/* The first number that the artifact draws behind a seed: Marsaglia's polar method over the
 * generator of Lewis, Goodman and Miller, as libstdc++ has them. */
static double first_drawn(uint64_t seed)
{
    enum { FACTOR = 16807 };
    static const uint64_t modulus = 2147483647;
    uint64_t state = seed;
    float x, y, square;
    do {
        state = FACTOR * state % modulus;
        x = 2 * ((float)(state - 1) / 2147483646.0f) - 1;
        state = FACTOR * state % modulus;
        y = 2 * ((float)(state - 1) / 2147483646.0f) - 1;
        square = x * x + y * y;
    } while (square > 1 || square == 0);
    return (double)(y * sqrtf(-2 * logf(square) / square));
}

/* Matrices are filled line by line, B's are transposed, and the product takes both by columns: a
 * line holds what meets at one step of the sum. */
uint32_t ww__product_element(const ww__product *p, bool second, uint32_t row, uint32_t column,
                             uint64_t draw)
{
    const uint32_t width = 8 * ww__product_bytes(p->format);
    const uint32_t line = second ? row : column, place = second ? column : row;
    const uint64_t matrix = mixed(2 * draw + second);
    const uint64_t key = mixed(matrix + (uint64_t)line * WW__PRODUCT_SIZE + place);
    const uint32_t all = width == 32 ? UINT32_MAX : (1u << width) - 1;
    const uint32_t some = (uint32_t)p->param, low = some >= 32 ? UINT32_MAX : (1u << some) - 1;
    const uint32_t high = all & ~(some >= width ? 0 : all >> some);
    const double usual = p->format == WW__PRODUCT_BYTE ? 32 : 1024;
    const uint32_t one = encode(p->format, usual * first_drawn(draw + 1 + second));
    switch (p->pattern) {
    case WW__PRODUCT_FLIPPED:
        return flipped(one, width, some, key);
    case WW__PRODUCT_LOW_RANDOM:
        return with_random(one, low & all, key);
    case WW__PRODUCT_HIGH_RANDOM:
        return with_random(one, high, key);
    case WW__PRODUCT_HIGH_ZERO:
        return encode(p->format, number_at(p, line, place, matrix)) & ~high;
    default:
        return encode(p->format, number_at(p, line, place, matrix));
    }
}
