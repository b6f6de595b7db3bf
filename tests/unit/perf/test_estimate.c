/* test_estimate.c - the statistics of sampling, by hand: ratios and their intervals, and whether
 * instructions are of a kind. */
#include "perf/sampling/sampling.h"

#include <math.h>
#include <string.h>

#include "tests/support/test.h"

static ww_sample_window window(uint64_t inst, uint64_t cycles, uint64_t memory)
{
    ww_sample_window w = {.v = {0}};
    w.v[WW_C_INST_ISSUED] = inst;
    w.v[WW_C_CORE_CYCLES] = cycles;
    w.v[WW_C_PIPE_LDST] = memory;
    w.v[WW_C_PIPE_SP] = inst - memory;
    w.v[WW_C_INST_THREAD] = 32 * inst;
    return w;
}

/* 100 instructions in 90, 110, 90 and 110 cycles: standard deviation sqrt(400 / 3), of the mean
 * half of that, t(3) = 3.182. */
static void intervals_are_those_of_student(void **state)
{
    (void)state;
    const ww_sample_window w[] = {window(100, 90, 10), window(100, 110, 10), window(100, 90, 10),
                                  window(100, 110, 10)};
    assert_true(fabs(ww_sample_ratio(w, 4, WW_C_CORE_CYCLES) - 1) < 1e-12);
    double half = ww_sample_ratio_error(w, 4, WW_C_CORE_CYCLES, 0, 4);
    assert_true(fabs(half - 3.182 * sqrt(400.0 / 3) / 2 / 100) < 1e-12);
    assert_true(isinf(ww_sample_ratio_error(w, 1, WW_C_CORE_CYCLES, 0, 1)));
}

/* What rests on 16 times as many windows as scatter is a quarter as uncertain; degrees of freedom
 * are those of the windows. */
static void intervals_narrow_with_what_rests_on_them(void **state)
{
    (void)state;
    const ww_sample_window w[] = {window(100, 90, 10), window(100, 110, 10), window(100, 90, 10),
                                  window(100, 110, 10)};
    double one = ww_sample_ratio_error(w, 4, WW_C_CORE_CYCLES, 0, 1);
    assert_near(one, 3.182 * sqrt(400.0 / 3) / 100, 1e-12, 0);
    assert_near(ww_sample_ratio_error(w, 4, WW_C_CORE_CYCLES, 0, 16), one / 4, 1e-12, 0);
    assert_near(ww_sample_ratio_error(w, 4, WW_C_CORE_CYCLES, 0, 0.25), 2 * one, 1e-12, 0);
}

/* Instructions between two sites have some rate between theirs: a uniform distribution's variance
 * where both count alike, and the distance to its middle where one counts more. */
static void drift_is_the_variance_between_two_sites(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_sample_site a = {.warp_inst = 1000}, b = {.warp_inst = 1000};
    assert_ok(ww_counter_set_init(&a.sum, 1, 1, 1, &err), err);
    assert_ok(ww_counter_set_init(&b.sum, 1, 1, 1, &err), err);
    a.sum.block[WW_SCOPE_SM][0].v[WW_C_PIPE_LDST] = 100;
    b.sum.block[WW_SCOPE_SM][0].v[WW_C_PIPE_LDST] = 300;
    /* 0.2 an instruction apart, 500 instructions: 100 counts wide */
    double alike = ww_sample_drift(&a, &b, 500, WW_C_PIPE_LDST, 0);
    assert_near(alike, 100.0 * 100 / 12, 1e-12, 0);
    assert_near(ww_sample_drift(&a, &b, 500, WW_C_PIPE_LDST, 1), 0, 0, 1e-9); /* told by accesses */
    a.warp_inst = 3000; /* 1/30 an instruction; counts three quarters */
    double width = (0.3 - 100.0 / 3000) * 500;
    assert_near(ww_sample_drift(&a, &b, 500, WW_C_PIPE_LDST, 0),
                width * width * (1.0 / 12 + 0.25 * 0.25), 1e-12, 0);
    ww_counter_set_fini(&a.sum);
    ww_counter_set_fini(&b.sum);
}

/* What the sites' rates say of instructions that were not simulated, on top of what was; slots are
 * the sum of their parts as rounded, not a number that is rounded by itself. */
static void slots_are_the_sum_of_their_rounded_parts(void **state)
{
    (void)state;
    ww_error err = {0};
    const uint64_t exact[WW_COUNTER_COUNT] = {0};
    ww_counter_set dst;
    ww_sample_site a = {.warp_inst = 100}, b = {.warp_inst = 300};
    assert_ok(ww_counter_set_init(&dst, 1, 1, 1, &err), err);
    assert_ok(ww_counter_set_init(&a.sum, 1, 1, 1, &err), err);
    assert_ok(ww_counter_set_init(&b.sum, 1, 1, 1, &err), err);
    uint64_t *is = dst.block[WW_SCOPE_SM][0].v, *of_a = a.sum.block[WW_SCOPE_SM][0].v;
    of_a[WW_C_SLOTS_ISSUED] = 3;
    of_a[WW_C_STALL_SP] = 5;
    of_a[WW_C_STALL_IDLE] = 7;
    of_a[WW_C_SLOTS] = 15;
    is[WW_C_SLOTS_ISSUED] = 1;
    is[WW_C_SLOTS] = 1;
    /* 150 instructions: 4.5, 7.5 and 10.5, each half a count up; all of them would be 22.5 */
    assert_ok(ww_sample_extrapolate(&dst, &a, NULL, 150, exact, NULL, &err), err);
    assert_int_equal(is[WW_C_SLOTS_ISSUED], 1 + 5);
    assert_int_equal(is[WW_C_STALL_SP], 8);
    assert_int_equal(is[WW_C_STALL_IDLE], 11);
    assert_int_equal(is[WW_C_SLOTS], 1 + 5 + 8 + 11);
    /* between the sites each instruction counts: 15 slots of 400, 0.75, 1.25 and 1.75 of 100 */
    memset(is, 0, sizeof dst.block[WW_SCOPE_SM][0].v);
    assert_ok(ww_sample_extrapolate(&dst, &a, &b, 100, exact, NULL, &err), err);
    assert_int_equal(is[WW_C_SLOTS_ISSUED], 1);
    assert_int_equal(is[WW_C_STALL_SP], 1);
    assert_int_equal(is[WW_C_STALL_IDLE], 2);
    assert_int_equal(is[WW_C_SLOTS], 1 + 1 + 2);
    ww_counter_set_fini(&dst);
    ww_counter_set_fini(&a.sum);
    ww_counter_set_fini(&b.sum);
}

/* Longer windows of the same rate are no scatter. */
static void lengths_are_no_scatter(void **state)
{
    (void)state;
    const ww_sample_window w[] = {window(100, 200, 10), window(50, 100, 5), window(400, 800, 40)};
    assert_true(ww_sample_ratio_error(w, 3, WW_C_CORE_CYCLES, 0, 3) < 1e-12);
}

/* Many windows that agree, then many others that do: t times the standard error would say 0.16. */
static void steps_widen_the_interval(void **state)
{
    (void)state;
    enum { MANY = 40 };
    ww_sample_window w[MANY];
    for (int i = 0; i < MANY; i++) {
        w[i] = window(100, i < MANY / 2 ? 50 : 150, 10);
    }
    assert_true(fabs(ww_sample_ratio_error(w, MANY, WW_C_CORE_CYCLES, 0, MANY) - 0.5) < 1e-12);
}

/* Cycles are 0.5 an instruction and 4 an access: a wave that has more accesses takes longer, and
 * that is no scatter. */
static void accesses_explain_what_they_take(void **state)
{
    (void)state;
    static const uint64_t memory[] = {10, 14, 8, 12, 10, 30};
    ww_sample_window w[WW_ARRAY_LEN(memory)];
    for (size_t i = 0; i < WW_ARRAY_LEN(memory); i++) {
        w[i] = window(100, 50 + 4 * memory[i], memory[i]);
    }
    const uint32_t n = WW_ARRAY_LEN(memory);
    double slope = ww_sample_slope(w, n, WW_C_CORE_CYCLES);
    assert_true(fabs(slope - 4) < 1e-9);
    assert_true(ww_sample_ratio_error(w, n, WW_C_CORE_CYCLES, slope, n) < 1e-9);
    assert_true(ww_sample_ratio_error(w, n, WW_C_CORE_CYCLES, 0, n) > 0.1);
    assert_true(fabs(ww_sample_slope(w, 3, WW_C_CORE_CYCLES)) < 1e-12); /* too few */
}

/* Two sites of two windows, whose cycles lie 10 about the mean of theirs. Within sites that is 400
 * of two degrees of freedom; means that are d apart differ by d^2 between sites, of one: 4.35 times
 * as much as within, the 5 % point of F of 1 and 20 degrees, is a d of 29.5. Of three sites, the
 * third d from the others, 4/3 d^2 of two degrees are 3.49 times as much as 600 of three at 32.4.
 */
static void sites_have_one_rate_or_several(void **state)
{
    (void)state;
    static const struct {
        uint64_t second, third;
        bool two, three;
    } cases[] = {
        {100, 100, true, true},  {110, 110, true, true},  {129, 100, true, true},
        {130, 100, false, true}, {71, 100, true, true},   {70, 100, false, true},
        {100, 132, true, true},  {100, 133, true, false}, {100, 68, true, true},
        {100, 67, true, false},
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(cases); i++) {
        const uint64_t mean[] = {100, cases[i].second, cases[i].third};
        ww_sample_window w[2 * WW_ARRAY_LEN(mean)];
        for (uint32_t j = 0; j < WW_ARRAY_LEN(w); j++) {
            w[j] = window(100, j % 2 == 0 ? mean[j / 2] - 10 : mean[j / 2] + 10, 10);
            w[j].site = j / 2;
        }
        assert_int_equal(ww_sample_one_rate(w, 4, 0), cases[i].two);
        assert_int_equal(ww_sample_one_rate(w, 6, 0), cases[i].three);
    }
    ww_sample_window alone[] = {window(100, 90, 10), window(100, 110, 10), window(100, 100, 10)};
    assert_false(ww_sample_one_rate(alone, 3, 0)); /* nothing to compare them with */
    for (uint32_t i = 0; i < 3; i++) {
        alone[i].site = i;
    }
    assert_false(ww_sample_one_rate(alone, 3, 0)); /* no scatter within is known */
}

/* 2.5 % of a launch of 2^18 cycles, as one over the square root of others', and never below 1 %. */
static void long_launches_are_disturbed_less(void **state)
{
    (void)state;
    assert_near(ww_sample_disturbed(262144), 0.025, 1e-12, 0);
    assert_near(ww_sample_disturbed(16384), 0.1, 1e-12, 0);
    assert_near(ww_sample_disturbed(4 * 262144.0), 0.0125, 1e-12, 0);
    assert_near(ww_sample_disturbed(1e9), 0.01, 1e-12, 0);
}

static void quantiles_are_those_of_the_tables(void **state)
{
    (void)state;
    static const struct {
        uint32_t degrees;
        double t;
    } table[] = {{1, 12.706}, {5, 2.571}, {10, 2.228}, {15, 2.131}, {30, 2.042}, {120, 1.980}};
    for (size_t i = 0; i < WW_ARRAY_LEN(table); i++) {
        assert_true(fabs(ww_student_95(table[i].degrees) / table[i].t - 1) < 2e-3);
    }
    assert_true(isinf(ww_student_95(0)));
}

static void other_kinds_are_seen(void **state)
{
    (void)state;
    const ww_sample_window alike[] = {window(100, 100, 10), window(200, 200, 20)};
    const ww_sample_window mixed[] = {window(100, 100, 5), window(100, 100, 15)};
    const ww_sample_window same = window(700, 0, 70), other = window(700, 0, 140);
    assert_true(ww_mix_unlike(alike, 2, same.v) < 1e-12);
    /* a tenth of the instructions more, but twice as many that access memory */
    assert_true(fabs(ww_mix_unlike(alike, 2, other.v) - 0.5) < 1e-12);
    /* what scatters by itself is not seen: windows are 1/2 and 1/3 from their mean */
    assert_true(fabs(ww_mix_unlike(mixed, 2, other.v) - (0.5 - 5.0 / 12)) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_are_those_of_student),
        cmocka_unit_test(intervals_narrow_with_what_rests_on_them),
        cmocka_unit_test(drift_is_the_variance_between_two_sites),
        cmocka_unit_test(slots_are_the_sum_of_their_rounded_parts),
        cmocka_unit_test(lengths_are_no_scatter),
        cmocka_unit_test(steps_widen_the_interval),
        cmocka_unit_test(accesses_explain_what_they_take),
        cmocka_unit_test(sites_have_one_rate_or_several),
        cmocka_unit_test(long_launches_are_disturbed_less),
        cmocka_unit_test(quantiles_are_those_of_the_tables),
        cmocka_unit_test(other_kinds_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
