/* Are conversions that involve floats exact, rounded once, and clamped as the PTX manual says? */
#include <fenv.h>

#include "lane_call.h"
#include "perf/exec/lanes/half.h"

static uint64_t cvt(ww_type to, ww_type from, ww_round round, uint32_t mods, uint64_t a)
{
    return call((form){WW_OP_CVT, to, from, WW_SUB_NONE, mods, round}, a, 0, 0);
}

/* Value of a half by its definition. */
static double half_value(uint32_t h)
{
    unsigned e = h >> 10 & 31, f = h & 0x3ff;
    double v = e == 31  ? (f != 0 ? (double)NAN : (double)INFINITY)
               : e == 0 ? f * 0x1p-24
                        : ldexp(0x400 + f, (int)e - 25);
    return (h & 0x8000) != 0 ? -v : v;
}

static void every_half(void **state)
{
    (void)state;
    for (uint32_t h = 0; h < 0x10000; h++) {
        double v = half_value(h);
        float f = ww__f16_to_f32((uint16_t)h);
        if (v != v) {
            assert_int_equal(bits_of(f), 0x7fffffff);
            assert_int_equal(ww__f16_from_f32(f32_of(0x7f800000 | h << 5)), 0x7fff);
            continue;
        }
        assert_int_equal(bits_of(f), bits_of((float)v));
        assert_int_equal(ww__f16_from_f32((float)v), h);
    }
}

/* All boundaries between neighbouring halves: just below, at, and just above the middle. */
static void every_half_boundary(void **state)
{
    (void)state;
    for (uint32_t h = 0; h < 0x7c00; h++) {
        double low = half_value(h), high = h == 0x7bff ? 65536.0 : half_value(h + 1);
        float middle = (float)((low + high) / 2); /* exact */
        assert_int_equal(ww__f16_from_f32(middle), (h & 1) != 0 ? h + 1 : h);
        assert_int_equal(ww__f16_from_f32(nextafterf(middle, 0.0f)), h);
        assert_int_equal(ww__f16_from_f32(nextafterf(middle, INFINITY)), h + 1);
        assert_int_equal(ww__f16_from_f32(-middle), ((h & 1) != 0 ? h + 1 : h) | 0x8000);
    }
}

static void directed_half(void **state)
{
    (void)state;
    /* 1 + 2^-11 lies between 0x3c00 and 0x3c01 */
    uint32_t above_one = bits_of(1.0f + 0x1p-11f);
    assert_int_equal(cvt(WW_T_F16, WW_T_F32, WW_ROUND_RN, 0, above_one), 0x3c00);
    assert_int_equal(cvt(WW_T_F16, WW_T_F32, WW_ROUND_RZ, 0, above_one), 0x3c00);
    assert_int_equal(cvt(WW_T_F16, WW_T_F32, WW_ROUND_RP, 0, above_one), 0x3c01);
    assert_int_equal(cvt(WW_T_F16, WW_T_F32, WW_ROUND_RM, 0, above_one | 0x80000000), 0xbc01);
    /* double rounding would give 0x3c00: 1 + 2^-11 + 2^-40 from f64 */
    assert_int_equal(cvt(WW_T_F16, WW_T_F64, WW_ROUND_RN, 0, bits64_of(1.0 + 0x1p-11 + 0x1p-40)),
                     0x3c01);
    assert_int_equal(cvt(WW_T_BF16, WW_T_F32, WW_ROUND_RN, 0, 0x3f808000), 0x3f80);
    assert_int_equal(cvt(WW_T_BF16, WW_T_F32, WW_ROUND_RN, 0, 0x3f818000), 0x3f82);
    assert_int_equal(cvt(WW_T_BF16, WW_T_F32, WW_ROUND_RZ, 0, 0x3f81ffff), 0x3f81);
    assert_int_equal(cvt(WW_T_F16, WW_T_F32, WW_ROUND_RN, WW_MOD_SAT, bits_of(3.0f)), 0x3c00);
    assert_int_equal(cvt(WW_T_TF32, WW_T_F32, WW_ROUND_RNA, 0, 0x3f801000), 0x3f802000);
    form pair = {WW_OP_CVT, WW_T_F16X2, WW_T_F32, WW_SUB_NONE, 0, WW_ROUND_RN};
    assert_int_equal(call(pair, bits_of(2.0f), bits_of(-1.0f), 0), 0x4000bc00);
}

static const struct {
    ww_round round;
    int host;
} integral_modes[] = {{WW_ROUND_RNI, FE_TONEAREST},
                      {WW_ROUND_RZI, FE_TOWARDZERO},
                      {WW_ROUND_RMI, FE_DOWNWARD},
                      {WW_ROUND_RPI, FE_UPWARD}};

static double host_integral(double v, int mode)
{
    volatile double x = v;
    fesetround(mode);
    volatile double r = nearbyint(x);
    fesetround(FE_TONEAREST);
    return r;
}

static void to_integers(void **state)
{
    (void)state;
    static const ww_type types[] = {WW_T_U8,  WW_T_S8,  WW_T_U16, WW_T_S16,
                                    WW_T_U32, WW_T_S32, WW_T_U64, WW_T_S64};
    uint64_t seed = 31;
    for (unsigned n = 0; n < 60000; n++) {
        ww_type t = types[n % 8];
        unsigned m = n / 8 % 4, w = ww_type_bytes(t) * 8;
        bool from32 = n & 32;
        uint64_t a = from32 ? any32(&seed) : any64(&seed);
        if (n % 3 == 0) { /* around small integers and halves */
            double v = (double)((int64_t)(rnd(&seed) % 2048) - 1024) * 0.25;
            a = from32 ? bits_of((float)v) : bits64_of(v);
        }
        double v = from32 ? (double)f32_of((uint32_t)a) : f64_of(a);
        bool sgn = ww_type_is_signed(t);
        long double r = (long double)host_integral(v, integral_modes[m].host);
        long double max = sgn ? ldexpl(1, (int)w - 1) - 1 : ldexpl(1, (int)w) - 1,
                    min = sgn ? -max - 1 : 0;
        uint64_t want;
        if (v != v) {
            want = from32 && w < 64 ? 0 : 1ull << (w - 1);
        } else {
            r = r > max ? max : r < min ? min : r;
            want = r < 0 ? (uint64_t)(int64_t)r : (uint64_t)r;
        }
        uint64_t got = cvt(t, from32 ? WW_T_F32 : WW_T_F64, integral_modes[m].round, 0, a);
        uint64_t mask = w == 64 ? ~0ull : (1ull << w) - 1;
        if ((got & mask) != (want & mask)) {
            fail_msg("cvt %s mode %u of %.17g (%llx): %llx, expected %llx", ww_type_name(t), m, v,
                     (unsigned long long)a, (unsigned long long)got, (unsigned long long)want);
        }
    }
}

static void to_integral_floats(void **state)
{
    (void)state;
    uint64_t seed = 32;
    for (unsigned n = 0; n < 30000; n++) {
        unsigned m = n % 4;
        uint64_t a =
            n & 4 ? any64(&seed) : bits64_of((double)((int64_t)(rnd(&seed) % 64) - 32) * 0.25);
        double r = host_integral(f64_of(a), integral_modes[m].host);
        uint64_t want = r != r ? 0xfff8000000000000ull : bits64_of(r);
        assert_int_equal(cvt(WW_T_F64, WW_T_F64, integral_modes[m].round, 0, a), want);
        float v = (float)f64_of(a);
        r = host_integral((double)v, integral_modes[m].host);
        assert_int_equal(cvt(WW_T_F32, WW_T_F32, integral_modes[m].round, 0, bits_of(v)),
                         r != r ? 0x7fffffffu : bits_of((float)r));
    }
}

static void between_floats(void **state)
{
    (void)state;
    static const int host[] = {[WW_ROUND_DEFAULT] = FE_TONEAREST,
                               [WW_ROUND_RN] = FE_TONEAREST,
                               [WW_ROUND_RZ] = FE_TOWARDZERO,
                               [WW_ROUND_RM] = FE_DOWNWARD,
                               [WW_ROUND_RP] = FE_UPWARD};
    uint64_t seed = 33;
    for (unsigned n = 0; n < 30000; n++) {
        uint64_t a = any64(&seed);
        volatile double x = f64_of(a);
        fesetround(host[n % 5]);
        volatile float f = (float)x;
        fesetround(FE_TONEAREST);
        assert_int_equal(cvt(WW_T_F32, WW_T_F64, (ww_round)(n % 5), 0, a),
                         f != f ? 0x7fffffffu : bits_of(f));
        uint32_t b = any32(&seed);
        double wide = (double)f32_of(b);
        assert_int_equal(cvt(WW_T_F64, WW_T_F32, WW_ROUND_DEFAULT, 0, b),
                         wide != wide ? 0xfff8000000000000ull : bits64_of(wide));
    }
    assert_int_equal(cvt(WW_T_F64, WW_T_F32, WW_ROUND_DEFAULT, WW_MOD_FTZ, 0x80000001),
                     0x8000000000000000);
    assert_int_equal(cvt(WW_T_F32, WW_T_F32, WW_ROUND_DEFAULT, WW_MOD_SAT, bits_of(-0.5f)), 0);
    assert_int_equal(cvt(WW_T_F32, WW_T_F32, WW_ROUND_DEFAULT, WW_MOD_SAT, 0x7fc00000), 0);
    assert_int_equal(cvt(WW_T_F32, WW_T_F64, WW_ROUND_RN, WW_MOD_FTZ, bits64_of(0x1p-130)), 0);
}

static void from_integers(void **state)
{
    (void)state;
    static const int host[] = {FE_TONEAREST, FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    uint64_t seed = 34;
    for (unsigned n = 0; n < 30000; n++) {
        int64_t v = (int64_t)rnd(&seed) >> (rnd(&seed) & 63);
        ww_round round = (ww_round)(n % 5);
        volatile int64_t x = v;
        fesetround(host[round]);
        volatile float f = (float)x;
        volatile double d = (double)x;
        volatile float g = (float)(int32_t)x;
        fesetround(FE_TONEAREST);
        assert_int_equal(cvt(WW_T_F32, WW_T_S64, round, 0, (uint64_t)v), bits_of(f));
        assert_int_equal(cvt(WW_T_F64, WW_T_S64, round, 0, (uint64_t)v), bits64_of(d));
        assert_int_equal(cvt(WW_T_F32, WW_T_S32, round, 0, (uint64_t)v), bits_of(g));
        assert_int_equal(cvt(WW_T_F64, WW_T_U32, round, 0, (uint64_t)v),
                         bits64_of((double)(uint32_t)v));
        assert_int_equal(cvt(WW_T_F32, WW_T_U16, round, 0, (uint64_t)v),
                         bits_of((float)(uint16_t)v));
        assert_int_equal(cvt(WW_T_F32, WW_T_S8, round, 0, (uint64_t)v), bits_of((float)(int8_t)v));
    }
    /* above 2^63, ties to even at bit 40 */
    assert_int_equal(cvt(WW_T_F32, WW_T_U64, WW_ROUND_RN, 0, 0x8000008000000000), 0x5f000000);
    assert_int_equal(cvt(WW_T_F32, WW_T_U64, WW_ROUND_RN, 0, 0x8000008000000001), 0x5f000001);
    assert_int_equal(cvt(WW_T_F64, WW_T_U64, WW_ROUND_RN, 0, UINT64_MAX), 0x43f0000000000000);
    assert_int_equal(cvt(WW_T_F64, WW_T_U64, WW_ROUND_RZ, 0, UINT64_MAX), 0x43efffffffffffff);
    assert_int_equal(cvt(WW_T_F16, WW_T_S32, WW_ROUND_RN, 0, (uint32_t)-3), 0xc200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_half),         cmocka_unit_test(every_half_boundary),
        cmocka_unit_test(directed_half),      cmocka_unit_test(to_integers),
        cmocka_unit_test(to_integral_floats), cmocka_unit_test(between_floats),
        cmocka_unit_test(from_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
