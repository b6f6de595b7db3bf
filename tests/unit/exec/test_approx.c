/* Are the approximate functions within the bounds of the PTX manual, right at special values, and
 * equal to the compositions that approx.h promises? */
#include "lane_call.h"
#include "perf/exec/lanes/approx.h"

static uint32_t f1(ww_op op, uint32_t mods, uint32_t a)
{
    return (uint32_t)call((form){op, WW_T_F32, WW_T_NONE, WW_SUB_APPROX, mods, WW_ROUND_DEFAULT}, a,
                          0, 0);
}
static uint32_t div_of(ww_sub sub, uint32_t mods, uint32_t a, uint32_t b)
{
    return (uint32_t)call((form){WW_OP_DIV, WW_T_F32, WW_T_NONE, sub, mods, WW_ROUND_DEFAULT}, a, b,
                          0);
}
static uint32_t mul(uint32_t mods, uint32_t a, uint32_t b)
{
    return (uint32_t)call((form){WW_OP_MUL, WW_T_F32, WW_T_NONE, WW_SUB_NONE, mods, WW_ROUND_RN}, a,
                          b, 0);
}

static void bounds(void **state)
{
    (void)state;
    uint64_t seed = 41;
    double worst[6] = {0};
    for (unsigned n = 0; n < 40000; n++) {
        uint32_t bits = (uint32_t)rnd(&seed) & 0x7fffffff;
        float a = f32_of(bits % 0x7f000000 + 0x00800000); /* positive normal */
        double rcp = (double)f32_of(f1(WW_OP_RCP, 0, bits_of(a)));
        double rsqrt = (double)f32_of(f1(WW_OP_RSQRT, 0, bits_of(a)));
        double root = (double)f32_of(f1(WW_OP_SQRT, 0, bits_of(a)));
        if ((double)a < 0x1p126) {
            worst[0] = fmax(worst[0], fabs(rcp * (double)a - 1.0));
        }
        worst[1] = fmax(worst[1], fabs(rsqrt * sqrt((double)a) - 1.0));
        worst[2] = fmax(worst[2], fabs(root / sqrt((double)a) - 1.0));
        float turn = (float)((double)((int64_t)(rnd(&seed) >> 11) - (1ll << 52)) * 0x1p-52 * 6.283);
        worst[3] = fmax(worst[3],
                        fabs((double)f32_of(f1(WW_OP_SIN, 0, bits_of(turn))) - sin((double)turn)));
        worst[3] = fmax(worst[3],
                        fabs((double)f32_of(f1(WW_OP_COS, 0, bits_of(turn))) - cos((double)turn)));
        float x = turn * 20.0f;
        double e = (double)f32_of(f1(WW_OP_EX2, 0, bits_of(x)));
        if (x > -126.0f && x < 128.0f) {
            worst[4] = fmax(worst[4], fabs(e / exp2((double)x) - 1.0));
        }
        double l = (double)f32_of(f1(WW_OP_LG2, 0, bits_of(a)));
        worst[5] = fmax(worst[5], fabs(l - log2((double)a)) / fmax(1.0, fabs(log2((double)a))));
        float t = turn * 2.0f;
        double th = tanh((double)t);
        assert_near((double)f32_of(f1(WW_OP_TANH, 0, bits_of(t))), th, 0x1p-23, 0);
    }
    assert_true(worst[0] <= 0x1p-23);
    assert_true(worst[1] <= 1.28e-7); /* 2^-22.9 */
    assert_true(worst[2] <= 0x1p-23);
    assert_true(worst[3] <= 6.7e-7); /* 2^-20.5 */
    assert_true(worst[4] <= 0x1p-22);
    assert_true(worst[5] <= 0x1p-22);
}

static void specials(void **state)
{
    (void)state;
    const uint32_t inf = 0x7f800000, ninf = 0xff800000, nan = 0x7fffffff, nzero = 0x80000000,
                   one = 0x3f800000;
    const struct {
        ww_op op;
        uint32_t a, want;
    } t[] = {
        {WW_OP_RCP, 0, inf},
        {WW_OP_RCP, nzero, ninf},
        {WW_OP_RCP, inf, 0},
        {WW_OP_RCP, ninf, nzero},
        {WW_OP_RCP, 0x7fc00001, nan},
        {WW_OP_RSQRT, 0, inf},
        {WW_OP_RSQRT, nzero, ninf},
        {WW_OP_RSQRT, inf, 0},
        {WW_OP_RSQRT, 0xbf800000, nan},
        {WW_OP_SQRT, 0, 0},
        {WW_OP_SQRT, nzero, nzero},
        {WW_OP_SQRT, inf, inf},
        {WW_OP_SQRT, ninf, nan},
        {WW_OP_SQRT, 0x40800000, 0x40000000},
        {WW_OP_SIN, 0, 0},
        {WW_OP_SIN, nzero, nzero},
        {WW_OP_SIN, inf, nan},
        {WW_OP_COS, 0, one},
        {WW_OP_COS, ninf, nan},
        {WW_OP_LG2, 0, ninf},
        {WW_OP_LG2, nzero, ninf},
        {WW_OP_LG2, inf, inf},
        {WW_OP_LG2, 0xbf800000, nan},
        {WW_OP_LG2, one, 0},
        {WW_OP_LG2, 1, 0xc3150000},
        {WW_OP_EX2, 0, one},
        {WW_OP_EX2, nzero, one},
        {WW_OP_EX2, ninf, 0},
        {WW_OP_EX2, inf, inf},
        {WW_OP_EX2, nan, nan},
        {WW_OP_EX2, 0xc3150000, 1},
        {WW_OP_EX2, 0xc3190000, 0},
        {WW_OP_TANH, 0, 0},
        {WW_OP_TANH, nzero, nzero},
        {WW_OP_TANH, inf, one},
        {WW_OP_TANH, ninf, 0xbf800000},
        {WW_OP_TANH, nan, nan},
        {WW_OP_EX2, 0x42fe0000, 0x7f000000},
        {WW_OP_RCP, 0x7f000000, 0x00400000},
    };
    for (unsigned k = 0; k < sizeof t / sizeof t[0]; k++) {
        uint32_t got = f1(t[k].op, 0, t[k].a);
        if (got != t[k].want) {
            fail_msg("%s of %08x: %08x, expected %08x", ww_op_name(t[k].op), t[k].a, got,
                     t[k].want);
        }
    }
    assert_int_equal(f1(WW_OP_RCP, WW_MOD_FTZ, 1), inf);
    assert_int_equal(f1(WW_OP_RCP, WW_MOD_FTZ, 0x7f000000), 0);
    assert_int_equal(f1(WW_OP_LG2, WW_MOD_FTZ, 1), ninf);
    assert_int_equal(f1(WW_OP_EX2, WW_MOD_FTZ, 0xc3150000), 0);
    /* div.approx: zero for 2^126 < |b| < 2^128, NaN for infinite a there */
    assert_int_equal(div_of(WW_SUB_APPROX, 0, 0x7f000000, 0x7f000000), 0);
    assert_int_equal(div_of(WW_SUB_APPROX, 0, inf, 0x7f000000), nan);
    assert_int_equal(div_of(WW_SUB_FULL, 0, 0x7f000000, 0x7f000000), one);
    assert_int_equal(div_of(WW_SUB_FULL, 0, 0x00000003, 0x00000001), 0x40400000);
}

static void compositions(void **state)
{
    (void)state;
    uint64_t seed = 42;
    for (unsigned n = 0; n < 20000; n++) {
        uint32_t a = any32(&seed), b = any32(&seed), mods = n & 1 ? WW_MOD_FTZ : 0;
        assert_int_equal(f1(WW_OP_SQRT, mods, a), f1(WW_OP_RCP, mods, f1(WW_OP_RSQRT, mods, a)));
        assert_int_equal(div_of(WW_SUB_APPROX, mods, a, b),
                         mul(mods, a, f1(WW_OP_RCP, WW_MOD_FTZ, b)));
        float m = fabsf(f32_of(b));
        uint32_t t = bits_of(m > 0x1p126f ? 0.25f : m < 0x1p-126f ? 0x1p24f : 1.0f);
        assert_int_equal(div_of(WW_SUB_FULL, mods, a, b),
                         mul(mods, mul(mods, a, t), f1(WW_OP_RCP, mods, mul(mods, b, t))));
        uint64_t w = any64(&seed);
        form rcp64 = {WW_OP_RCP, WW_T_F64, WW_T_NONE, WW_SUB_APPROX, WW_MOD_FTZ, WW_ROUND_DEFAULT};
        form high = {.op = WW_OP_RCP64H, .type = WW_T_F32};
        assert_int_equal(call(rcp64, w, 0, 0), call(high, w >> 32, 0, 0) << 32);
    }
}

/* Two ulp over the full range, as the manual promises for div.full. */
static void full_division(void **state)
{
    (void)state;
    uint64_t seed = 43;
    for (unsigned n = 0; n < 40000; n++) {
        float a = f32_of((uint32_t)rnd(&seed)), b = f32_of((uint32_t)rnd(&seed));
        double exact = (double)a / (double)b;
        if (!(fabs(exact) < 0x1p127 && fabs(exact) > 0x1p-125)) {
            continue;
        }
        float got = f32_of(div_of(WW_SUB_FULL, 0, bits_of(a), bits_of(b)));
        double ulp = ldexp(1.0, ilogb(exact) - 23);
        assert_true(fabs((double)got - exact) <= 2.0 * ulp);
    }
}

static void double_seeds(void **state)
{
    (void)state;
    uint64_t seed = 44;
    for (unsigned n = 0; n < 20000; n++) {
        double a =
            f64_of((rnd(&seed) & 0x000fffffffffffff) | (uint64_t)(2 + rnd(&seed) % 2042) << 52);
        uint64_t hi = bits64_of(a) >> 32;
        double rcp = f64_of(call((form){.op = WW_OP_RCP64H, .type = WW_T_F32}, hi, 0, 0) << 32);
        double rsq = f64_of(call((form){.op = WW_OP_RSQ64H, .type = WW_T_F32}, hi, 0, 0) << 32);
        assert_true(fabs(rcp * a - 1.0) < 0x1p-18);
        assert_true(fabs(rsq * sqrt(a) - 1.0) < 0x1p-18);
        form rsqrt = {.op = WW_OP_RSQRT, .type = WW_T_F64, .sub = WW_SUB_APPROX};
        double r = f64_of(call(rsqrt, bits64_of(a), 0, 0));
        assert_true(fabs(r * sqrt(a) - 1.0) < 0x1p-45);
    }
    form rsqrt = {.op = WW_OP_RSQRT, .type = WW_T_F64, .sub = WW_SUB_APPROX};
    assert_int_equal(call(rsqrt, 0, 0, 0), 0x7ff0000000000000);
    assert_int_equal(call(rsqrt, 0x7ff0000000000000, 0, 0), 0);
    assert_int_equal(call(rsqrt, 0xbff0000000000000, 0, 0), 0xfff8000000000000);
    assert_int_equal(call(rsqrt, 1, 0, 0), bits64_of(0x1p537));
    form high = {.op = WW_OP_RCP64H, .type = WW_T_F32};
    assert_int_equal(call(high, 0x00000fff, 0, 0), 0x7ff00000); /* subnormal counts as zero */
    assert_int_equal(call(high, 0x7fefffff, 0, 0), 0);          /* subnormal result */
}

/* Wherever fchk says the fast path is safe, the sequences that rely on it must be exact. */
static void fast_division(void **state)
{
    (void)state;
    uint64_t seed = 45;
    unsigned safe = 0;
    for (unsigned n = 0; n < 200000; n++) {
        uint32_t a = n & 1 ? any32(&seed) : (uint32_t)rnd(&seed),
                 b = n & 1 ? any32(&seed) : (uint32_t)rnd(&seed);
        if (!ww__approx_fchk32(a, b)) {
            float x = f32_of(a), y = f32_of(b), r0 = 1.0f / y;
            float r = fmaf(r0, fmaf(-y, r0, 1.0f), r0), q = x * r;
            float q1 = fmaf(fmaf(-y, q, x), r, q);
            assert_int_equal(bits_of(fmaf(fmaf(-y, q1, x), r, q1)), bits_of(x / y));
            safe++;
        }
        uint64_t u = any64(&seed), v = any64(&seed);
        if (!ww__approx_fchk64(u, v)) {
            double x = f64_of(u), y = f64_of(v);
            double r0 =
                f64_of(call((form){.op = WW_OP_RCP64H, .type = WW_T_F32}, v >> 32, 0, 0) << 32);
            double e = fma(-y, r0, 1.0), r1 = fma(r0, fma(e, e, e), r0),
                   r = fma(r1, fma(-y, r1, 1.0), r1);
            double q = x * r;
            assert_int_equal(bits64_of(fma(fma(-y, q, x), r, q)), bits64_of(x / y));
            safe++;
        }
    }
    assert_true(safe > 50000);
}

/* The same bits on every host and at every optimisation level: hashes of 20000 results of each
 * function. A change of a definition in approx.h changes them; nothing else may. */
static void same_bits_everywhere(void **state)
{
    (void)state;
    static const struct {
        ww_op op;
        ww_type type;
        uint64_t hash;
    } golden[] = {
        {WW_OP_RCP, WW_T_F32, 0x58c4775ea6a69498},    {WW_OP_RSQRT, WW_T_F32, 0xd6e141810c396141},
        {WW_OP_SQRT, WW_T_F32, 0xdc78749f35dab4b4},   {WW_OP_SIN, WW_T_F32, 0x2316fcd88b70cc47},
        {WW_OP_COS, WW_T_F32, 0xfb3e543b14e509a9},    {WW_OP_LG2, WW_T_F32, 0xa99dce2da439a45b},
        {WW_OP_EX2, WW_T_F32, 0x135f276756277c8c},    {WW_OP_TANH, WW_T_F32, 0x7010f35e2aebdf87},
        {WW_OP_RCP64H, WW_T_F32, 0x7ae9644a62da1c21}, {WW_OP_RSQ64H, WW_T_F32, 0x7f88062bf168f559},
        {WW_OP_RSQRT, WW_T_F64, 0x11ea375bc4aec47c},
    };
    for (unsigned k = 0; k < sizeof golden / sizeof golden[0]; k++) {
        uint64_t seed = 46, hash = 1469598103934665603ull;
        for (unsigned n = 0; n < 20000; n++) {
            uint64_t a = golden[k].type == WW_T_F64 ? any64(&seed) : any32(&seed);
            form f = {golden[k].op, golden[k].type, WW_T_NONE, WW_SUB_APPROX, 0, WW_ROUND_DEFAULT};
            hash = (hash ^ call(f, a, 0, 0)) * 1099511628211ull;
        }
        if (hash != golden[k].hash) {
            fail_msg("%s.%s: hash 0x%016llx, expected 0x%016llx", ww_op_name(golden[k].op),
                     ww_type_name(golden[k].type), (unsigned long long)hash,
                     (unsigned long long)golden[k].hash);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds),
        cmocka_unit_test(specials),
        cmocka_unit_test(compositions),
        cmocka_unit_test(full_division),
        cmocka_unit_test(double_seeds),
        cmocka_unit_test(fast_division),
        cmocka_unit_test(same_bits_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
