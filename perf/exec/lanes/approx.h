/* approx.h - exact definitions of the approximate operations, which hardware documents only by
 * error bounds. Results must not depend on the host and the lowering must be able to expand one
 * operation into others without changing a bit, so each is fixed here. rn(x) is rounding to nearest
 * even in the operation's format; .ftz flushes subnormal inputs before and results after. Error
 * bounds: PTX ISA manual 8.x, §9.7.3 (floating-point instructions).
 *
 *   rcp.approx.f32(a)     rn(1/a), subnormals kept. (manual: 1 ulp)
 *   rsqrt.approx.f32(a)   rn(rn64(1 / rn64(sqrt(a)))); rsqrt(+-0) = +-inf, negative: NaN. (2^-22.9
 * relative) sqrt.approx.f32(a)    rcp.approx(rsqrt.approx(a)), .ftz in both when given: right for 0
 * and infinity without a test, which is why Fermi computes it so (CUDA C Programming Guide 4.2,
 * §5.4.1). div.approx.f32(a,b)   mul.rn(a, rcp.approx.ftz(b)): zero or NaN for 2^126 < |b| as the
 * manual demands; subnormal b counts as zero. The product is .ftz when the division is.
 *   div.full.f32(a,b)     t = |b| > 2^126 ? 2^-2 : |b| < 2^-126 ? 2^24 : 1;
 *                         mul(mul(a,t), rcp.approx(mul(b,t))), each .ftz when the division is.
 *   sin, cos.approx.f32   rn(sin(2 pi f)), f = t - rint(t), t = rn64(a * rn64(1/(2 pi))); infinite
 * a: NaN. rro is a copy. lg2.approx.f32        rn(log2 a) but for a double's error ex2.approx.f32
 * rn(2^a) but for a double's error tanh.approx.f32       rn(tanh a) but for a double's error ex2,
 * tanh of f16, bf16: the f32 result rounded to the type. rcp64h(h)             high word of y =
 * rn64(1/x), x = {h:0}, low word cut off; subnormal x counts as zero, subnormal y becomes zero.
 * About 20 correct bits. rsq64h(h)             high word of y = rn64(1/rn64(sqrt x)), x = {h:0},
 * likewise. rcp.approx.ftz.f64(a)   {rcp64h(high word of a) : 0} rsqrt.approx.ftz.f64(a)
 * {rsq64h(high word of a) : 0} rsqrt.approx.f64(a)   y = {rsq64h(high word of a) : 0}. If the word
 * of a as unsigned is outside 0x00100000..0x7fefffff (zero, subnormal, negative, infinite, NaN):
 * rn64(1/rn64(sqrt a)). Else e = fma(-a, mul(y,y), 1); fma(fma(e, 3/8, 1/2), mul(y,e), y)
 *   rcp.approx.f64, sqrt.approx.f64: do not exist in PTX.
 *   fchk.f32(a,b)         true unless both biased exponents are in 1..254, a >= 2^-101, |b| <
 * 2^126, -124 <= ea - eb <= 126 and the fraction of b is not all ones: then quotient, reciprocal
 * and exact remainders stay normal and Markstein's theorem applies. fchk.f64(a,b) likewise 1..2046,
 * 2^-968, 2^1021, -1020 <= ea - eb <= 1022. */
#ifndef WW_PERF_EXEC_LANES_APPROX_H
#define WW_PERF_EXEC_LANES_APPROX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

/* 1 / sqrt(a) in double. */
static WW_ALWAYS_INLINE double ww__approx_rsqrt(double a)
{
    return 1.0 / __builtin_sqrt(a);
}

/* Nearest integral value of |t| < 2^51, ties to even, without the host's rint. */
static WW_ALWAYS_INLINE double ww__approx_rint(double t)
{
    return (t + 0x1.8p52) - 0x1.8p52;
}

/* sin(2 pi f) for |f| <= 1/2: quarter folding, then the Taylor series to x^17 on |x| <= pi/2 (error
 * below 2^-40). */
static WW_ALWAYS_INLINE double ww__approx_sin_turn(double f)
{
    double half = f < 0.0 ? -0.5 : 0.5;
    double folded = f < -0.25 || f > 0.25 ? half - f : f;
    double x = folded * 0x1.921fb54442d18p+2;
    double z = x * x;
    double p = 0x1.952c77030ad4ap-49;   /* 1/17! */
    p = p * z + -0x1.ae7f3e733b81fp-41; /* -1/15! */
    p = p * z + 0x1.6124613a86d09p-33;  /* 1/13! */
    p = p * z + -0x1.ae64567f544e4p-26; /* -1/11! */
    p = p * z + 0x1.71de3a556c734p-19;  /* 1/9! */
    p = p * z + -0x1.a01a01a01a01ap-13; /* -1/7! */
    p = p * z + 0x1.1111111111111p-7;   /* 1/5! */
    p = p * z + -0x1.5555555555555p-3;  /* -1/3! */
    return x * (1.0 + z * p);           /* keeps the sign of zero */
}

/* The turn of a float angle reduced to [-1/2, 1/2]; beyond 2^51 turns a float says nothing about
 * its fraction: 0. */
static WW_ALWAYS_INLINE double ww__approx_turn(double a)
{
    double t = a * 0x1.45f306dc9c883p-3; /* 1/(2 pi) */
    bool huge = t > 0x1p51 || t < -0x1p51;
    double f = t - ww__approx_rint(t);
    return huge ? t * 0.0 : f; /* infinity: NaN */
}

static WW_ALWAYS_INLINE double ww__approx_sin(double a)
{
    return ww__approx_sin_turn(ww__approx_turn(a));
}

static WW_ALWAYS_INLINE double ww__approx_cos(double a)
{
    double f = ww__approx_turn(a);
    double shifted = f > 0.25 ? f - 0.75 : f + 0.25; /* cos x = sin(x + pi/2) */
    return ww__approx_sin_turn(shifted);
}

/* 2^x, x any double: exp(f ln 2) by its Taylor series to degree 13, f = x - rint(x), scaled by
 * halves so that floats' subnormal range stays exact. */
static WW_ALWAYS_INLINE double ww__approx_ex2(double x)
{
    double c = x > -200.0 ? x : -200.0; /* NaN too: what becomes of it is no number */
    c = c < 200.0 ? c : 200.0;
    double n = ww__approx_rint(c);
    double y = (c - n) * 0x1.62e42fefa39efp-1;
    double p = 0x1.6124613a86d09p-33;
    p = p * y + 0x1.1eed8eff8d898p-29;
    p = p * y + 0x1.ae64567f544e4p-26;
    p = p * y + 0x1.27e4fb7789f5cp-22;
    p = p * y + 0x1.71de3a556c734p-19;
    p = p * y + 0x1.a01a01a01a01ap-16;
    p = p * y + 0x1.a01a01a01a01ap-13;
    p = p * y + 0x1.6c16c16c16c17p-10;
    p = p * y + 0x1.1111111111111p-7;
    p = p * y + 0x1.5555555555555p-5;
    p = p * y + 0x1.5555555555555p-3;
    p = p * y + 0.5;
    p = p * y + 1.0;
    p = p * y + 1.0;
    uint64_t scale = (uint64_t)((int64_t)(int32_t)n + 1023) << 52;
    double two_n;
    __builtin_memcpy(&two_n, &scale, sizeof two_n);
    return x != x ? x : p * two_n;
}

/* log2 a of a positive, finite, normal double: a = m 2^e, m in [2/3, 4/3); ln m = 2
 * atanh((m-1)/(m+1)). */
static WW_ALWAYS_INLINE double ww__approx_lg2(double a)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &a, sizeof bits);
    uint64_t from = bits - 0x3fe5555555555555ull; /* exponent of m relative to 2/3 */
    int32_t e = (int32_t)(from >> 32) >> 20;
    uint64_t m_bits = bits - ((uint64_t)(int64_t)e << 52);
    double m;
    __builtin_memcpy(&m, &m_bits, sizeof m);
    double s = (m - 1.0) / (m + 1.0);
    double z = s * s;
    double p = 1.0 / 19.0;
    p = p * z + 1.0 / 17.0;
    p = p * z + 1.0 / 15.0;
    p = p * z + 1.0 / 13.0;
    p = p * z + 1.0 / 11.0;
    p = p * z + 1.0 / 9.0;
    p = p * z + 1.0 / 7.0;
    p = p * z + 1.0 / 5.0;
    p = p * z + 1.0 / 3.0;
    p = p * z + 1.0;
    return (double)e + s * p * 0x1.71547652b82fep+1; /* 2 / ln 2 */
}

/* Lambert's continued fraction for |x| < 1/4, else from exp. */
static WW_ALWAYS_INLINE double ww__approx_tanh(double x)
{
    double z = x * x;
    double small =
        x * (10395.0 + z * (1260.0 + z * 21.0)) / (10395.0 + z * (4725.0 + z * (210.0 + z)));
    double t = x > 40.0 ? 40.0 : x;
    t = t < -40.0 ? -40.0 : t;
    double large =
        1.0 - 2.0 / (ww__approx_ex2(t * 0x1.71547652b82fep+1) + 1.0); /* 2/ln 2: e^(2t) */
    return z < 0.0625 ? small : x != x ? x : large;
}

/* See fchk above; exponents biased. */
static WW_ALWAYS_INLINE bool ww__approx_fchk32(uint32_t a, uint32_t b)
{
    int32_t ea = (int32_t)(a >> 23 & 0xff) - 127;
    int32_t eb = (int32_t)(b >> 23 & 0xff) - 127;
    bool good = (ea >= -101) & (ea <= 127) & (eb >= -126) & (eb <= 125) & (ea - eb >= -124) &
                (ea - eb <= 126) & ((b & 0x7fffff) != 0x7fffff);
    return !good;
}
static WW_ALWAYS_INLINE bool ww__approx_fchk64(uint64_t a, uint64_t b)
{
    int32_t ea = (int32_t)(a >> 52 & 0x7ff) - 1023;
    int32_t eb = (int32_t)(b >> 52 & 0x7ff) - 1023;
    bool good = (ea >= -968) & (ea <= 1023) & (eb >= -1022) & (eb <= 1020) & (ea - eb >= -1020) &
                (ea - eb <= 1022) & ((b & 0xfffffffffffffull) != 0xfffffffffffffull);
    return !good;
}

#endif
