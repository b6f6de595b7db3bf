/* softfp.c - IEEE 754 arithmetic in integers: unpack, operate exactly with a sticky bit, round
 * once. */
#include "perf/exec/lanes/softfp.h"

const ww_soft_format ww__soft_f16 = {16, 11, 15, 0x7fff};
const ww_soft_format ww__soft_bf16 = {16, 8, 127, 0x7fff};
const ww_soft_format ww__soft_f32 = {32, 24, 127, 0x7fffffff};
const ww_soft_format ww__soft_f64 = {64, 53, 1023, 0xfff8000000000000};

__extension__ typedef unsigned __int128 u128;

typedef enum num_class { NUM_ZERO, NUM_FINITE, NUM_INF, NUM_NAN } num_class;

/* An unpacked number: (-1)^sign * sig * 2^(exp - 63), bit 63 of sig set when finite. */
typedef struct num {
    num_class class;
    bool sign;
    int exp;
    uint64_t sig;
} num;

static uint64_t sign_bit(const ww_soft_format *f, bool sign)
{
    return (uint64_t)sign << (f->bits - 1);
}

static uint64_t infinity(const ww_soft_format *f, bool sign)
{
    return sign_bit(f, sign) | (uint64_t)(2 * f->emax + 1) << (f->precision - 1);
}

static num unpack(const ww_soft_format *f, uint64_t a)
{
    int fraction_bits = f->precision - 1;
    uint64_t fraction = a & ((1ull << fraction_bits) - 1);
    int biased = (int)(a >> fraction_bits) & (2 * f->emax + 1);
    num n = {NUM_FINITE, (a >> (f->bits - 1) & 1) != 0, biased - f->emax, 0};
    if (biased == 2 * f->emax + 1) {
        n.class = fraction != 0 ? NUM_NAN : NUM_INF;
    } else if (biased != 0) {
        n.sig = (1ull << 63) | fraction << (63 - fraction_bits);
    } else if (fraction == 0) {
        n.class = NUM_ZERO;
    } else {
        int shift = __builtin_clzll(fraction);
        n.sig = fraction << shift;
        n.exp = 1 - f->emax - fraction_bits + (63 - shift);
    }
    return n;
}

/* Right shift that keeps in bit 0 whether anything was lost. */
static u128 shift_sticky(u128 v, int n)
{
    if (n <= 0) {
        return v;
    }
    if (n > 127) {
        return v != 0;
    }
    return v >> n | ((v << (128 - n)) != 0);
}

static bool rounds_up(ww_round round, bool sign, bool odd, bool half, bool rest)
{
    switch ((int)round) {
    case WW_ROUND_RZ:
        return false;
    case WW_ROUND_RM:
        return sign && (half || rest);
    case WW_ROUND_RP:
        return !sign && (half || rest);
    case WW_ROUND_RNA:
        return half;
    default:
        return half && (rest || odd);
    }
}

/* (-1)^sign * sig * 2^(exp - 63) with bit 63 set and bit 0 sticky, as bits of the format. */
static uint64_t pack(const ww_soft_format *f, bool sign, int exp, uint64_t sig, ww_round round)
{
    int emin = 1 - f->emax;
    int drop = 64 - f->precision;
    int biased = exp + f->emax;
    if (exp < emin) { /* subnormal: fewer bits stay */
        drop = emin - exp > 64 ? 128 : drop + emin - exp;
        biased = 0;
    }
    u128 v = shift_sticky((u128)sig << 2, drop); /* two bits below the unit: half and rest */
    uint64_t q = (uint64_t)(v >> 2);
    q += rounds_up(round, sign, (q & 1) != 0, (v & 2) != 0, (v & 1) != 0);
    /* The hidden bit adds one to the biased exponent, and so does a carry out of the rounding. */
    uint64_t bits = (biased > 0 ? (uint64_t)(biased - 1) << (f->precision - 1) : 0) + q;
    if (bits >= infinity(f, false)) {
        bool up = rounds_up(round, sign, true, true, true);
        bits = infinity(f, false) - (up ? 0 : 1);
    }
    return bits | sign_bit(f, sign);
}

/* The same for a 128-bit significand anywhere in v: value v * 2^(exp - 127). */
static uint64_t pack_wide(const ww_soft_format *f, bool sign, int exp, u128 v, ww_round round)
{
    uint64_t high = (uint64_t)(v >> 64);
    int shift = high != 0 ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)v);
    v <<= shift;
    uint64_t sig = (uint64_t)(v >> 64) | ((uint64_t)v != 0);
    return pack(f, sign, exp - shift, sig, round);
}

uint64_t ww__soft_fma(const ww_soft_format *f, uint64_t a, uint64_t b, uint64_t c, ww_round round)
{
    num x = unpack(f, a);
    num y = unpack(f, b);
    num z = unpack(f, c);
    bool sign = x.sign != y.sign;
    if (x.class == NUM_NAN || y.class == NUM_NAN || z.class == NUM_NAN) {
        return f->nan;
    }
    if (x.class == NUM_INF || y.class == NUM_INF) {
        bool invalid =
            x.class == NUM_ZERO || y.class == NUM_ZERO || (z.class == NUM_INF && z.sign != sign);
        return invalid ? f->nan : infinity(f, sign);
    }
    if (z.class == NUM_INF) {
        return c;
    }
    if (x.class == NUM_ZERO || y.class == NUM_ZERO) {
        if (z.class != NUM_ZERO) {
            return c;
        }
        return sign_bit(f, sign == z.sign ? sign : round == WW_ROUND_RM);
    }
    /* Both terms with their top bit at 126, so that the sum cannot overflow; what is shifted out
     * below the 22 spare bits matters only when the terms are far apart, and then the sticky bit
     * stands for it. */
    u128 p = (u128)x.sig * y.sig;
    int p_exp = x.exp + y.exp + 1; /* value p * 2^(p_exp - 127) */
    if (p >> 127 == 0) {
        p <<= 1;
        p_exp--;
    }
    p >>= 1; /* exact: the product has at most 106 significant bits */
    p_exp++;
    if (z.class == NUM_ZERO) {
        return pack_wide(f, sign, p_exp, p, round);
    }
    u128 q = (u128)z.sig << 63;
    int q_exp = z.exp + 1;
    int exp = p_exp > q_exp ? p_exp : q_exp;
    p = shift_sticky(p, exp - p_exp);
    q = shift_sticky(q, exp - q_exp);
    if (sign == z.sign) {
        return pack_wide(f, sign, exp, p + q, round);
    }
    if (p == q) {
        return sign_bit(f, round == WW_ROUND_RM);
    }
    return p > q ? pack_wide(f, sign, exp, p - q, round) : pack_wide(f, z.sign, exp, q - p, round);
}

uint64_t ww__soft_add(const ww_soft_format *f, uint64_t a, uint64_t b, ww_round round)
{
    uint64_t one = (uint64_t)f->emax << (f->precision - 1);
    return ww__soft_fma(f, a, one, b, round);
}

uint64_t ww__soft_mul(const ww_soft_format *f, uint64_t a, uint64_t b, ww_round round)
{
    /* A zero of the product's own sign leaves every product as it is. */
    bool sign = ((a ^ b) >> (f->bits - 1) & 1) != 0;
    return ww__soft_fma(f, a, b, sign_bit(f, sign), round);
}

uint64_t ww__soft_div(const ww_soft_format *f, uint64_t a, uint64_t b, ww_round round)
{
    num x = unpack(f, a);
    num y = unpack(f, b);
    bool sign = x.sign != y.sign;
    if (x.class == NUM_NAN || y.class == NUM_NAN || (x.class == y.class && x.class != NUM_FINITE)) {
        return f->nan; /* NaN, 0/0, inf/inf */
    }
    if (x.class == NUM_INF || y.class == NUM_ZERO) {
        return infinity(f, sign);
    }
    if (x.class == NUM_ZERO || y.class == NUM_INF) {
        return sign_bit(f, sign);
    }
    u128 n = (u128)x.sig << 63;
    u128 q = n / y.sig; /* 63 or 64 bits */
    q = q << 1 | (n % y.sig != 0);
    return pack_wide(f, sign, x.exp - y.exp + 63, q, round); /* q * 2^(exp - 64) */
}

uint64_t ww__soft_sqrt(const ww_soft_format *f, uint64_t a, ww_round round)
{
    num x = unpack(f, a);
    if (x.class == NUM_ZERO || (x.class == NUM_INF && !x.sign)) {
        return a;
    }
    if (x.class == NUM_NAN || x.sign) {
        return f->nan;
    }
    /* value = v * 2^(e - 126) with e even; root = r * 2^(e/2 - 63), r < 2^64 */
    bool odd = (x.exp & 1) != 0;
    u128 v = (u128)x.sig << (odd ? 64 : 63);
    int e = odd ? x.exp - 1 : x.exp;
    uint64_t r = 0;
    for (int bit = 63; bit >= 0; bit--) {
        uint64_t t = r | 1ull << bit;
        if ((u128)t * t <= v) {
            r = t;
        }
    }
    u128 wide = (u128)r << 1 | ((u128)r * r != v);
    return pack_wide(f, false, e / 2 + 63, wide, round);
}

uint64_t ww__soft_convert(const ww_soft_format *from, const ww_soft_format *to, uint64_t a,
                          ww_round round)
{
    num x = unpack(from, a);
    switch (x.class) {
    case NUM_NAN:
        return to->nan;
    case NUM_INF:
        return infinity(to, x.sign);
    case NUM_ZERO:
        return sign_bit(to, x.sign);
    default:
        return pack(to, x.sign, x.exp, x.sig, round);
    }
}

uint64_t ww__soft_from_int(const ww_soft_format *f, bool negative, uint64_t magnitude,
                           ww_round round)
{
    if (magnitude == 0) {
        return 0;
    }
    int shift = __builtin_clzll(magnitude);
    return pack(f, negative, 63 - shift, magnitude << shift, round);
}
