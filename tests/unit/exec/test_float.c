/* Do floating-point instructions round, flush, saturate and treat NaN as documented? */
#include <fenv.h>

#include "host_arithmetic.h"
#include "lane_call.h"

static uint32_t flush(uint32_t b)
{
    return (b & 0x7f800000u) == 0 ? b & 0x80000000u : b;
}
static uint32_t canonical(float f)
{
    return f != f ? 0x7fffffffu : bits_of(f);
}
static float saturate(float f)
{
    return f > 0.0f ? (f < 1.0f ? f : 1.0f) : 0.0f;
}

static const ww_op arithmetic_ops[] = {WW_OP_ADD, WW_OP_SUB, WW_OP_MUL, WW_OP_FMA,
                                       WW_OP_DIV, WW_OP_RCP, WW_OP_SQRT};

static void single(void **state)
{
    (void)state;
    uint64_t seed = 21;
    for (unsigned n = 0; n < 40000; n++) {
        uint32_t a = any32(&seed), b = any32(&seed), c = any32(&seed);
        ww_op op = arithmetic_ops[n % 7];
        ww_round round = (ww_round)(n / 7 % 5);
        bool ftz = n / 35 % 2, sat = n / 70 % 2;
        form f = {op,
                  WW_T_F32,
                  WW_T_NONE,
                  WW_SUB_NONE,
                  (ftz ? WW_MOD_FTZ : 0u) | (sat ? WW_MOD_SAT : 0u),
                  round};
        float r = ftz ? host_float(op, round, f32_of(flush(a)), f32_of(flush(b)), f32_of(flush(c)))
                      : host_float(op, round, f32_of(a), f32_of(b), f32_of(c));
        r = sat ? saturate(r) : r;
        uint32_t want = ftz ? flush(canonical(r)) : canonical(r);
        uint32_t got = (uint32_t)call(f, a, b, c);
        if (got != want) {
            fail_msg("%s round %d ftz %d sat %d of %08x %08x %08x: %08x, expected %08x",
                     ww_op_name(op), (int)round, ftz, sat, a, b, c, got, want);
        }
    }
}

static void doubles(void **state)
{
    (void)state;
    uint64_t seed = 22;
    for (unsigned n = 0; n < 20000; n++) {
        uint64_t a = any64(&seed), b = any64(&seed), c = any64(&seed);
        ww_op op = arithmetic_ops[n % 7];
        ww_round round = (ww_round)(n / 7 % 5);
        double r = host_double(op, round, f64_of(a), f64_of(b), f64_of(c));
        uint64_t want = r != r ? 0xfff8000000000000ull : bits64_of(r);
        assert_int_equal(call((form){op, WW_T_F64, WW_T_NONE, WW_SUB_NONE, 0, round}, a, b, c),
                         want);
    }
}

static void min_max(void **state)
{
    (void)state;
    const uint32_t nan = 0x7fc12345, one = 0x3f800000, two = 0x40000000, tiny = 0x00000001;
    const struct {
        uint32_t a, b, min, max;
    } t[] = {
        {one, two, one, two},
        {two, one, one, two},
        {nan, one, one, one},
        {one, nan, one, one},
        {nan, 0xffc00000, 0x7fffffff, 0x7fffffff},
        {0, 0x80000000, 0x80000000, 0},
        {0x80000000, 0, 0x80000000, 0},
        {0xbf800000, one, 0xbf800000, one},
        {0x7f800000, one, one, 0x7f800000},
        {tiny, 0, 0, tiny},
    };
    for (unsigned k = 0; k < sizeof t / sizeof t[0]; k++) {
        form min = {.op = WW_OP_MIN, .type = WW_T_F32}, max = {.op = WW_OP_MAX, .type = WW_T_F32};
        assert_int_equal(call(min, t[k].a, t[k].b, 0), t[k].min);
        assert_int_equal(call(max, t[k].a, t[k].b, 0), t[k].max);
        min.type = max.type = WW_T_F64;
        double wide_a = (double)f32_of(t[k].a), wide_b = (double)f32_of(t[k].b);
        uint64_t want = f32_of(t[k].min) != f32_of(t[k].min) ? 0xfff8000000000000ull
                                                             : bits64_of((double)f32_of(t[k].min));
        assert_int_equal(call(min, bits64_of(wide_a), bits64_of(wide_b), 0), want);
    }
    form nan_min = {.op = WW_OP_MIN, .type = WW_T_F32, .mods = WW_MOD_NAN};
    assert_int_equal(call(nan_min, nan, one, 0), 0x7fffffff);
    form ftz = {.op = WW_OP_MAX, .type = WW_T_F32, .mods = WW_MOD_FTZ};
    assert_int_equal(call(ftz, tiny, 0x80000001, 0), 0);
    form half = {.op = WW_OP_MIN, .type = WW_T_F16X2};
    assert_int_equal(call(half, 0x7e003c00, 0x40008000, 0), 0x40008000); /* NaN and 2; 1 and -0 */
}

static void signs(void **state)
{
    (void)state;
    form abs = {.op = WW_OP_ABS, .type = WW_T_F32}, neg = {.op = WW_OP_NEG, .type = WW_T_F32};
    assert_int_equal(call(abs, 0x80000001, 0, 0), 1);
    assert_int_equal(call(neg, 0x00000001, 0, 0), 0x80000001);
    abs.mods = neg.mods = WW_MOD_FTZ;
    assert_int_equal(call(abs, 0x80000001, 0, 0), 0);
    assert_int_equal(call(neg, 0x00000001, 0, 0), 0x80000000);
    abs.type = neg.type = WW_T_F64;
    assert_int_equal(call(abs, 0xbff0000000000000, 0, 0), 0x3ff0000000000000);
    assert_int_equal(call(neg, 0, 0, 0), 0x8000000000000000);
    form slct = {.op = WW_OP_SLCT, .type = WW_T_B32, .type2 = WW_T_F32};
    assert_int_equal(call(slct, 1, 2, 0x80000000), 1); /* -0 >= 0 */
    assert_int_equal(call(slct, 1, 2, 0x7fc00000), 2);
    assert_int_equal(call(slct, 1, 2, 0x80000001), 2);
    slct.mods = WW_MOD_FTZ;
    assert_int_equal(call(slct, 1, 2, 0x80000001), 1);
}

/* Half arithmetic against exact values: sums and products of two halves are exact in double; one
 * rounding. */
static uint16_t round_half(double exact)
{
    /* by search among the 65536 values: the nearest, ties to the even pattern */
    uint16_t best = 0;
    double best_gap = (double)INFINITY;
    double a = fabs(exact);
    if (exact != exact) {
        return 0x7fff;
    }
    if (a >= 65520.0) {
        return (uint16_t)(0x7c00 | (exact < 0 ? 0x8000 : 0));
    }
    uint16_t low = 0, high = 0x7bff;
    while (low < high) { /* largest half not above a */
        uint16_t mid = (uint16_t)((low + high + 1) / 2);
        double v = mid < 0x400 ? mid * 0x1p-24 : ldexp(0x400 + (mid & 0x3ff), (mid >> 10) - 25);
        if (v <= a) {
            low = mid;
        } else {
            high = (uint16_t)(mid - 1);
        }
    }
    for (uint16_t h = low; h <= low + 1 && h < 0x7c00; h++) {
        double v = h < 0x400 ? h * 0x1p-24 : ldexp(0x400 + (h & 0x3ff), (h >> 10) - 25);
        double gap = fabs(v - a);
        if (gap < best_gap || (gap == best_gap && (h & 1) == 0)) {
            best = h;
            best_gap = gap;
        }
    }
    return (uint16_t)(best | (exact < 0 || (exact == 0 && signbit(exact)) ? 0x8000 : 0));
}
static double half_value(uint16_t h)
{
    unsigned e = h >> 10 & 31, f = h & 0x3ff;
    double v = e == 31  ? (f != 0 ? (double)NAN : (double)INFINITY)
               : e == 0 ? f * 0x1p-24
                        : ldexp(0x400 + f, (int)e - 25);
    return (h & 0x8000) != 0 ? -v : v;
}

static void halves(void **state)
{
    (void)state;
    uint64_t seed = 23;
    for (unsigned n = 0; n < 20000; n++) {
        uint16_t a = (uint16_t)rnd(&seed), b = (uint16_t)rnd(&seed), c = (uint16_t)rnd(&seed);
        double x = half_value(a), y = half_value(b), z = half_value(c);
        form f = {.op = WW_OP_ADD, .type = WW_T_F16};
        assert_int_equal(call(f, a, b, 0), round_half(x + y));
        f.op = WW_OP_MUL;
        assert_int_equal(call(f, a, b, 0), round_half(x * y));
        f.op = WW_OP_FMA;
        /* 11-bit operands: x*y is exact in double, the sum in long double except for bits that
         * cannot matter */
        long double exact = (long double)(x * y) + (long double)z;
        double near = (double)exact;
        if ((long double)near == exact || exact != exact) {
            assert_int_equal(call(f, a, b, c), round_half(near));
        }
        f.type = WW_T_F16X2;
        uint32_t pair =
            (uint32_t)call(f, a | (uint32_t)b << 16, b | (uint32_t)c << 16, c | (uint32_t)a << 16);
        f.type = WW_T_F16;
        assert_int_equal(pair & 0xffff, call(f, a, b, c));
        assert_int_equal(pair >> 16, call(f, b, c, a));
    }
}

/* testp at the edges of every class, either sign: IEEE 754, Tables 3.1 and 3.2. A zero is normal,
 * as the PTX manual says of testp. */
static void classes(void **state)
{
    (void)state;
    enum { ZERO, SUBNORMAL, NORMAL, INFINITE, NOT_A_NUMBER };
    static const struct {
        uint32_t single;
        uint64_t twice;
        int class;
    } edge[] = {
        {0, 0, ZERO},
        {1, 1, SUBNORMAL},
        {0x007fffffu, 0x000fffffffffffffull, SUBNORMAL},
        {0x00800000u, 0x0010000000000000ull, NORMAL},
        {0x7f7fffffu, 0x7fefffffffffffffull, NORMAL},
        {0x7f800000u, 0x7ff0000000000000ull, INFINITE},
        {0x7f800001u, 0x7ff0000000000001ull, NOT_A_NUMBER},
        {0x7fffffffu, 0x7fffffffffffffffull, NOT_A_NUMBER},
    };
    static const struct {
        ww_sub sub;
        bool holds[5];
    } test[] = {
        {WW_SUB_FINITE, {true, true, true, false, false}},
        {WW_SUB_INFINITE, {false, false, false, true, false}},
        {WW_SUB_NUMBER, {true, true, true, true, false}},
        {WW_SUB_NOTANUMBER, {false, false, false, false, true}},
        {WW_SUB_NORMAL, {true, false, true, false, false}},
        {WW_SUB_SUBNORMAL, {false, true, false, false, false}},
    };
    for (size_t i = 0; i < sizeof edge / sizeof edge[0]; i++) {
        for (size_t k = 0; k < sizeof test / sizeof test[0]; k++) {
            for (unsigned negative = 0; negative < 2; negative++) {
                const uint32_t want = test[k].holds[edge[i].class] ? UINT32_MAX : 0;
                uint64_t written;
                const form single_form = {.op = WW_OP_TESTP, .type = WW_T_F32, .sub = test[k].sub};
                assert_int_equal(
                    call_lanes(single_form, edge[i].single | negative << 31, 0, 0, &written), want);
                const form double_form = {.op = WW_OP_TESTP, .type = WW_T_F64, .sub = test[k].sub};
                assert_int_equal(call_lanes(double_form, edge[i].twice | (uint64_t)negative << 63,
                                            0, 0, &written),
                                 want);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single), cmocka_unit_test(doubles), cmocka_unit_test(min_max),
        cmocka_unit_test(signs),  cmocka_unit_test(halves),  cmocka_unit_test(classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
