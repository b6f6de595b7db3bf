/* approx.c - approximate functions, within the error bounds of the PTX manual ("Floating-Point
 * Instructions", each instruction's own section) over wide ranges, and with its special values.
 * References are the host's long double functions. */
#include <math.h>

#include "ieee.h"
#include "lane.h"

/* Whether got is near want: a relative error, an absolute one, and what the end of the range costs:
 * the spacing of subnormals, or all of them where they are flushed; infinity at the upper end. */
static bool near32(uint64_t bits, long double want, double relative, double absolute, bool ftz)
{
    float got = form_f32_of(bits);
    if (isnan(want)) {
        return bits == 0x7fffffff;
    }
    if (isinf(want)) {
        return (long double)got == want;
    }
    long double room = fabsl(want) * relative + absolute;
    if (isinf(got)) {
        return fabsl(want) + room >= 0x1p128L - 0x1p103L && (got > 0) == (want > 0);
    }
    if (ftz && fabsl(want) < 0x1p-126L && got == 0.0f) {
        return true;
    }
    room += fabsl(want) < 0x1p-126L ? 0x1p-149 : 0.0;
    bool signs = absolute > 0 || !signbit(got) == !signbit(want);
    return fabsl((long double)got - want) <= room && signs;
}

static long double flushed(float f, bool ftz)
{
    return (long double)(ftz ? ieee_flush(f) : f);
}

static bool ex2(float a, uint64_t got, bool ftz)
{
    return near32(got, exp2l(flushed(a, ftz)), 0x1p-22, 0, ftz);
}

static bool lg2(float a, uint64_t got, bool ftz)
{
    long double x = flushed(a, ftz), want = x == 0 ? -(long double)INFINITY : log2l(x);
    bool absolute = x > 0.5L && x < 2;
    return near32(got, want, absolute ? 0 : 0x1p-22, absolute ? 0x1p-22 : 0, ftz);
}

/* Bounds exist within 100 pi only. */
static bool wave(float a, uint64_t got, long double want, bool ftz)
{
    double x = fabs((double)a);
    if (x <= 2 * 3.14159) {
        return near32(got, want, 0, exp2(-20.5), ftz);
    }
    if (x <= 100 * 3.14159) {
        return near32(got, want, 0, exp2(-14.7), ftz);
    }
    float y = form_f32_of(got);
    return isfinite(a) ? y >= -1.0f && y <= 1.0f : isnan(y);
}

static bool reciprocal(float a, uint64_t got, bool ftz)
{
    return near32(got, 1.0L / flushed(a, ftz), 0x1p-23, 0, ftz);
}

static bool root(float a, uint64_t got, bool ftz)
{
    return near32(got, sqrtl(flushed(a, ftz)), 0x1p-23, 0, ftz);
}

static bool inverse_root(float a, uint64_t got)
{
    return near32(got, 1.0L / sqrtl((long double)a), exp2(-22.9), 0, false);
}

/* Two ulp where 2^-126 <= |b| <= 2^126; above, zero, or NaN for an infinite a; below, and with a
 * subnormal quotient's flush, no bound. */
static bool quotient(float a, float b, uint64_t bits, bool ftz)
{
    float got = form_f32_of(bits), size = fabsf(b);
    long double want = flushed(a, ftz) / flushed(b, ftz);
    if (size > 0x1p126f && isfinite(b) && !isnan(a)) {
        return isinf(a) ? isnan(got) : got == 0.0f;
    }
    if (size > 0 && size < 0x1p-126f) {
        return true;
    }
    if (isnan(want) || isinf(want) || want == 0) {
        return near32(bits, want, 0, 0, ftz);
    }
    int e = ilogbl(want);
    double ulp = ldexp(1.0, (e < -126 ? -126 : e) - 23);
    bool flushes = fabsl(want) < 0x1p-126L && ftz && got == 0.0f;
    bool overflows = isinf(got) && fabsl(want) >= 0x1p128L - 3 * 0x1p104L;
    return flushes || overflows || fabsl((long double)got - want) <= 2 * (long double)ulp;
}

/* Of the upper word of a, subnormals flushed; one unit of a fraction of 20 bits. */
static bool gross_reciprocal(uint64_t a, uint64_t bits)
{
    double x = f64_of(a & ~(uint64_t)UINT32_MAX), got = f64_of(bits);
    x = fabs(x) < 0x1p-1022 ? copysign(0.0, x) : x;
    double want = 1.0 / x;
    if (isnan(want)) {
        return isnan(got);
    }
    if (isinf(want) || want == 0 || fabs(want) < 0x1p-1022) {
        return got == (isinf(want) ? want : 0.0);
    }
    return (uint32_t)bits == 0 && fabs(got / want - 1.0) <= 0x1p-19;
}

/* The manual gives no bound: two ulp, as two correctly rounded operations have. */
static bool inverse_root64(double a, uint64_t bits)
{
    long double want = 1.0L / sqrtl((long double)a);
    double got = f64_of(bits);
    if (isnan(want)) {
        return isnan(got);
    }
    if (isinf(want) || want == 0) {
        return (long double)got == want;
    }
    return fabsl((long double)got - want) <= ldexpl(2.0L, ilogbl(want) - 52);
}

#define SIMPLE(X)                                                                                  \
    X(ex2_f32, "ex2.approx.f32", "f=f", ex2(a.f32, got, false))                                    \
    X(ex2_ftz, "ex2.approx.ftz.f32", "f=f", ex2(a.f32, got, true))                                 \
    X(lg2_f32, "lg2.approx.f32", "f=f", lg2(a.f32, got, false))                                    \
    X(lg2_ftz, "lg2.approx.ftz.f32", "f=f", lg2(a.f32, got, true))                                 \
    X(sin_f32, "sin.approx.f32", "f=f", wave(a.f32, got, sinl((long double)a.f32), false))         \
    X(sin_ftz, "sin.approx.ftz.f32", "f=f", wave(a.f32, got, sinl((long double)a.f32), true))      \
    X(cos_f32, "cos.approx.f32", "f=f", wave(a.f32, got, cosl((long double)a.f32), false))         \
    X(rcp_f32, "rcp.approx.f32", "f=f", reciprocal(a.f32, got, false))                             \
    X(rcp_ftz, "rcp.approx.ftz.f32", "f=f", reciprocal(a.f32, got, true))                          \
    X(rcp_f64, "rcp.approx.ftz.f64", "d=d", gross_reciprocal(a.u64, got))                          \
    X(sqrt_f32, "sqrt.approx.f32", "f=f", root(a.f32, got, false))                                 \
    X(sqrt_ftz, "sqrt.approx.ftz.f32", "f=f", root(a.f32, got, true))                              \
    X(rsqrt_f32, "rsqrt.approx.f32", "f=f", inverse_root(a.f32, got))                              \
    X(rsqrt_f64, "rsqrt.approx.f64", "d=d", inverse_root64(a.f64, got))                            \
    X(tanh_f32, "tanh.approx.f32", "f=f",                                                          \
      near32(got, tanhl((long double)a.f32), 0x1p-11, 0, false))                                   \
    X(div_f32, "div.approx.f32", "f=ff", quotient(a.f32, b.f32, got, false))                       \
    X(div_ftz, "div.approx.ftz.f32", "f=ff", quotient(a.f32, b.f32, got, true))

SIMPLE(LANE_ACCEPTS)

static const lane_row rows[] = {SIMPLE(LANE_ROW_ACCEPTS)};

LANE_FAMILY(form_approx, "approximate functions");
