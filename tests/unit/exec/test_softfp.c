/* Does integer arithmetic round exactly as the host's floating-point unit does in every mode? */
#include "host_arithmetic.h"
#include "perf/exec/lanes/softfp.h"
#include "values.h"

static const ww_round modes[] = {WW_ROUND_RN, WW_ROUND_RZ, WW_ROUND_RM, WW_ROUND_RP};
static const ww_op ops[] = {WW_OP_ADD, WW_OP_MUL, WW_OP_DIV, WW_OP_SQRT, WW_OP_FMA};

static uint32_t host32(ww_op op, ww_round mode, uint32_t a, uint32_t b, uint32_t c)
{
    float r = host_float(op, mode, f32_of(a), f32_of(b), f32_of(c));
    return r != r ? 0x7fffffffu : bits_of(r);
}

static uint64_t host64(ww_op op, ww_round mode, uint64_t a, uint64_t b, uint64_t c)
{
    double r = host_double(op, mode, f64_of(a), f64_of(b), f64_of(c));
    return r != r ? 0xfff8000000000000ull : bits64_of(r);
}

static uint64_t soft(const ww_soft_format *f, ww_op op, ww_round mode, uint64_t a, uint64_t b,
                     uint64_t c)
{
    switch (op) {
    case WW_OP_ADD:
        return ww__soft_add(f, a, b, mode);
    case WW_OP_MUL:
        return ww__soft_mul(f, a, b, mode);
    case WW_OP_DIV:
        return ww__soft_div(f, a, b, mode);
    case WW_OP_SQRT:
        return ww__soft_sqrt(f, a, mode);
    default:
        return ww__soft_fma(f, a, b, c, mode);
    }
}

static void single(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (unsigned n = 0; n < 30000; n++) {
        uint32_t a = any32(&seed), b = any32(&seed), c = any32(&seed);
        if (n % 5 == 0) { /* deep cancellation in fma */
            c = bits_of(-f32_of(a) * f32_of(b));
        }
        for (unsigned m = 0; m < 4; m++) {
            for (size_t o = 0; o < WW_ARRAY_LEN(ops); o++) {
                uint32_t want = host32(ops[o], modes[m], a, b, c);
                uint32_t got = (uint32_t)soft(&ww__soft_f32, ops[o], modes[m], a, b, c);
                if (got != want) {
                    fail_msg("%s mode %u of %08x %08x %08x: %08x, host %08x", ww_op_name(ops[o]), m,
                             a, b, c, got, want);
                }
            }
        }
    }
}

static void doubles(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (unsigned n = 0; n < 20000; n++) {
        uint64_t a = any64(&seed), b = any64(&seed), c = any64(&seed);
        if (n % 5 == 0) {
            c = bits64_of(-f64_of(a) * f64_of(b));
        }
        for (unsigned m = 0; m < 4; m++) {
            for (size_t o = 0; o < WW_ARRAY_LEN(ops); o++) {
                uint64_t want = host64(ops[o], modes[m], a, b, c);
                uint64_t got = soft(&ww__soft_f64, ops[o], modes[m], a, b, c);
                if (got != want) {
                    fail_msg("%s mode %u of %016llx %016llx %016llx: %016llx, host %016llx",
                             ww_op_name(ops[o]), m, (unsigned long long)a, (unsigned long long)b,
                             (unsigned long long)c, (unsigned long long)got,
                             (unsigned long long)want);
                }
            }
        }
    }
}

static void narrowing(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (unsigned n = 0; n < 100000; n++) {
        uint64_t a = n % 3 == 0 ? bits64_of((double)f32_of(any32(&seed)) *
                                            (1.0 + (double)(rnd(&seed) % 9) * 0x1p-26))
                                : any64(&seed);
        for (unsigned m = 0; m < 4; m++) {
            volatile double x = f64_of(a);
            fesetround(host_mode[modes[m]]);
            volatile float r = (float)x;
            fesetround(FE_TONEAREST);
            uint32_t want = r != r ? 0x7fffffffu : bits_of(r);
            assert_int_equal(ww__soft_convert(&ww__soft_f64, &ww__soft_f32, a, modes[m]), want);
        }
    }
}

static void from_integers(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (unsigned n = 0; n < 50000; n++) {
        uint64_t v = rnd(&seed) >> (rnd(&seed) & 63);
        for (unsigned m = 0; m < 4; m++) {
            volatile uint64_t x = v;
            fesetround(host_mode[modes[m]]);
            volatile double d =
                (double)(x >> 1); /* u64 conversions are only right to nearest on some hosts */
            volatile float f = (float)(int64_t)(x >> 1);
            fesetround(FE_TONEAREST);
            assert_int_equal(ww__soft_from_int(&ww__soft_f64, false, v >> 1, modes[m]),
                             bits64_of(d));
            assert_int_equal(ww__soft_from_int(&ww__soft_f32, false, v >> 1, modes[m]), bits_of(f));
        }
    }
    assert_int_equal(ww__soft_from_int(&ww__soft_f16, true, 65520, WW_ROUND_RN),
                     0xfc00); /* tie at the top: infinity */
    assert_int_equal(ww__soft_from_int(&ww__soft_f16, true, 65519, WW_ROUND_RN), 0xfbff);
    assert_int_equal(ww__soft_from_int(&ww__soft_f16, false, 70000, WW_ROUND_RZ), 0x7bff);
}

/* Signs of zeros and NaN rules, stated one by one. */
static void specials(void **state)
{
    (void)state;
    const ww_soft_format *f = &ww__soft_f32;
    const uint32_t one = 0x3f800000, minus_one = 0xbf800000, inf = 0x7f800000;
    assert_int_equal(ww__soft_add(f, one, minus_one, WW_ROUND_RN), 0);
    assert_int_equal(ww__soft_add(f, one, minus_one, WW_ROUND_RM), 0x80000000u);
    assert_int_equal(ww__soft_add(f, 0x80000000u, 0x80000000u, WW_ROUND_RP), 0x80000000u);
    assert_int_equal(ww__soft_add(f, inf, inf | 0x80000000u, WW_ROUND_RN), 0x7fffffff);
    assert_int_equal(ww__soft_mul(f, 0, inf, WW_ROUND_RN), 0x7fffffff);
    assert_int_equal(ww__soft_fma(f, 0, inf, 0x7fc00000, WW_ROUND_RN), 0x7fffffff);
    assert_int_equal(ww__soft_div(f, 0, 0, WW_ROUND_RN), 0x7fffffff);
    assert_int_equal(ww__soft_div(f, minus_one, 0, WW_ROUND_RN), 0xff800000u);
    assert_int_equal(ww__soft_sqrt(f, 0x80000000u, WW_ROUND_RN), 0x80000000u);
    assert_int_equal(ww__soft_sqrt(f, minus_one, WW_ROUND_RN), 0x7fffffff);
    /* ties away from zero: half an ulp of 1 */
    assert_int_equal(ww__soft_add(f, one, 0x33800000, WW_ROUND_RN), one);
    assert_int_equal(ww__soft_add(f, one, 0x33800000, WW_ROUND_RNA), one + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single),        cmocka_unit_test(doubles),  cmocka_unit_test(narrowing),
        cmocka_unit_test(from_integers), cmocka_unit_test(specials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
