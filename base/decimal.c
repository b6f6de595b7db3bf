/* decimal.c - digits of doubles of everyday size, in whole numbers alone.
 *
 * A double is m * 2^e. For 10^17 > value >= 10^-34 some k from 0 to 51 makes value * 10^k a number
 * of 17 digits before its point: m * 5^k * 2^(e + k), where m * 5^k has 172 bits at most. So the
 * digits, which way they are rounded, and whether fewer of them read back as the same double are
 * known exactly. */
#include "base/decimal.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/assert.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

enum {
    DIGITS = 17,     /* that always read back */
    FEWEST = 15,     /* that ww_num_format prints, but for zeros at the end */
    MOST_SCALE = 51, /* of 10^k: 2 * 100 units of 2^shift fit 128 bits */
    MOST_SHIFT = 118,
    MANTISSA = 52,
};
#define TEN_15 UINT64_C(1000000000000000)
#define TEN_16 (10 * TEN_15)
#define TEN_17 (100 * TEN_15)

/* A double's 17 digits and what is left behind them: value * 10^scale = whole + rest / 2^shift. */
typedef struct scaled {
    uint64_t whole;
    u128 rest;
    int shift;
    u128 ulp; /* distance of neighbouring doubles, in units of 2^-shift */
} scaled;

static u128 power_of_five(int k)
{
    u128 p = 1, base = 5;
    for (; k > 0; k >>= 1, base *= base) {
        p *= (k & 1) != 0 ? base : 1;
    }
    return p;
}

/* mantissa * 2^exponent * 10^scale; false: it is none of this form. */
static bool scale_up(uint64_t mantissa, int exponent, int scale, scaled *out)
{
    const int shift = -(exponent + scale);
    if (scale < 0 || scale > MOST_SCALE || shift < 1 || shift > MOST_SHIFT) {
        return false;
    }
    const u128 five = power_of_five(scale);
    const u128 low = (u128)mantissa * (uint64_t)five;
    const u128 high = (u128)mantissa * (uint64_t)(five >> 64) + (uint64_t)(low >> 64);
    const u128 lower = high << 64 | (uint64_t)low; /* the product's last 128 bits */
    const u128 whole = (u128)(uint64_t)(high >> 64) << (128 - shift) | lower >> shift;
    out->whole = (uint64_t)whole;
    out->rest = lower & (((u128)1 << shift) - 1);
    out->shift = shift;
    out->ulp = five;
    return whole < 10 * (u128)TEN_17;
}

/* The number rounded to a multiple of unit, a tie to the even one, as printf does. */
static uint64_t round_to(const scaled *s, uint64_t unit)
{
    const uint64_t kept = s->whole / unit;
    const u128 twice = 2 * ((u128)(s->whole % unit) << s->shift | s->rest);
    const u128 whole_unit = (u128)unit << s->shift;
    const bool up = twice > whole_unit || (twice == whole_unit && (kept & 1) != 0);
    return (kept + up) * unit;
}

/* Whether a multiple of the last digit reads back as the double: it lies within half the distance
 * to the next one; on the middle, the even mantissa is read. */
static bool reads_back(const scaled *s, uint64_t rounded, uint64_t mantissa)
{
    const int64_t units = (int64_t)(rounded - s->whole);
    const s128 off = (s128)units * ((s128)1 << s->shift) - (s128)s->rest;
    const u128 twice = 2 * (u128)(off < 0 ? -off : off);
    return twice < s->ulp || (twice == s->ulp && mantissa % 2 == 0);
}

/* n digits as %.<precision>g has them; ten_to: the power of ten of the first. */
static void print(uint64_t digits, int precision, int ten_to, char *out)
{
    char text[DIGITS];
    for (int i = DIGITS; i-- > 0; digits /= 10) {
        text[i] = (char)('0' + digits % 10);
    }
    int n = DIGITS;
    while (n > 1 && text[n - 1] == '0') {
        n--;
    }
    if (ten_to >= -4 && ten_to < 0) {
        memcpy(out, "0.000", 5);
        out += 1 - ten_to;
        memcpy(out, text, (size_t)n);
        out[n] = '\0';
        return;
    }
    const bool fixed = ten_to >= 0 && ten_to < precision;
    const int before = fixed ? ten_to + 1 : 1; /* the point */
    for (int i = 0; i < before || i < n; i++) {
        if (i == before) {
            *out++ = '.';
        }
        *out++ = i < n ? text[i] : '0';
    }
    if (!fixed) {
        const int size = ten_to < 0 ? -ten_to : ten_to;
        *out++ = 'e';
        *out++ = ten_to < 0 ? '-' : '+';
        *out++ = (char)('0' + size / 10);
        *out++ = (char)('0' + size % 10);
    }
    *out = '\0';
}

bool ww_decimal_format(double value, char buf[WW_NUM_CHARS])
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int biased = (int)(bits >> MANTISSA & 0x7FF);
    const uint64_t fraction = bits & ((UINT64_C(1) << MANTISSA) - 1);
    if (biased == 0 || biased == 0x7FF || fraction == 0) { /* neighbours of powers of two differ */
        return false;
    }
    const uint64_t mantissa = fraction | UINT64_C(1) << MANTISSA;
    const int exponent = biased - 1023 - MANTISSA;
    scaled s;
    int ten_to =
        (int)floor((exponent + MANTISSA) * 0.30102999566398120); /* log10(2): or one more */
    if (!scale_up(mantissa, exponent, DIGITS - 1 - ten_to, &s)) {
        return false;
    }
    if (s.whole >= TEN_17 && !scale_up(mantissa, exponent, DIGITS - 1 - ++ten_to, &s)) {
        return false;
    }
    WW_ASSERT(s.whole >= TEN_16 && s.whole < TEN_17);
    int precision = FEWEST;
    uint64_t unit = 100, rounded = round_to(&s, unit);
    while (unit > 1 && !reads_back(&s, rounded, mantissa)) {
        precision++;
        unit /= 10;
        rounded = round_to(&s, unit);
    }
    if (rounded == TEN_17) { /* 9.99... became 10 */
        rounded = TEN_16;
        ten_to++;
    }
    *buf = '-';
    print(rounded, precision, ten_to, buf + (bits >> 63));
    return true;
}
