/* test_govern.c - do the governors that come with the program choose the clock that they are for,
 * and does heat take clocks away and give them back? */
#include "tests/support/test.h"

#include <math.h>

#include "run/govern.h"

static ww_error err;

typedef struct bench {
    ww_arch *arch;
    ww_power_model *model;
    ww_counter_set counters;
    ww_govern govern;
} bench;

static void setup(bench *b, const ww_govern_choice *choice)
{
    static const ww_setting settings[] = {
        {"chip.rise_k", "100 K"}, {"chip.die_j_per_k", "0.01"}, {"chip.sink_j_per_k", "0.01"}};
    assert_ok(ww_arch_load("a100-pcie", settings, WW_ARRAY_LEN(settings), &b->arch, &err), err);
    assert_ok(ww_power_model_create(b->arch, NULL, &b->model, &err), err);
    assert_ok(ww_counter_set_init(&b->counters, b->arch->sm.count, ww_arch_slices(b->arch),
                                  b->arch->mem.channels, &err),
              err);
    assert_ok(ww_govern_init(&b->govern, b->arch, b->model, choice, &err), err);
}

static void teardown(bench *b)
{
    ww_counter_set_fini(&b->counters);
    ww_power_model_destroy(b->model);
    ww_arch_destroy(b->arch);
}

/* An interval of a million cycles at a clock: so much arithmetic, and cycles that wait. */
static double ask(bench *b, double hz, double operations)
{
    enum { CYCLES = 1000000 };
    double next_hz = hz;
    ww_counter_set_clear(&b->counters);
    b->counters.block[WW_SCOPE_CHIP][0].v[WW_C_CORE_CYCLES] = CYCLES;
    b->counters.block[WW_SCOPE_SM][0].v[WW_C_INST_ISSUED] = CYCLES;
    b->counters.block[WW_SCOPE_SM][0].v[WW_C_OP_FP32_FMA] = (uint64_t)operations;
    ww_interval interval = {.last_cycle = CYCLES,
                            .at = {.core_hz = hz,
                                   .vdd_v = ww_arch_voltage(b->arch, hz),
                                   .temperature_k = b->arch->chip.temperature_k},
                            .counters = b->counters};
    assert_ok(b->govern.governor.next(b->govern.governor.user, &interval, &next_hz, &err), err);
    return ww_arch_clock_below(b->arch, next_hz);
}

static double mean_w(bench *b, double hz)
{
    ww_power_result r;
    const ww_interval interval = {.at = {.core_hz = hz,
                                         .vdd_v = ww_arch_voltage(b->arch, hz),
                                         .temperature_k = b->arch->chip.temperature_k},
                                  .counters = b->counters};
    const ww_launch_record launch = {.core_hz = hz,
                                     .dram_hz = b->arch->clock.dram_hz,
                                     .vdd_v = b->arch->chip.vdd_v,
                                     .counters = &b->counters,
                                     .intervals = &interval,
                                     .interval_count = 1};
    assert_ok(ww_power_evaluate_interval(b->model, &launch, &interval, &r, &err), err);
    return r.total_w;
}

/* The same cycles fit at the clock that it names, and would not at the next. */
static void a_cap_takes_the_highest_clock_that_fits(void **state)
{
    (void)state;
    bench b;
    setup(&b, &(ww_govern_choice){.kind = WW_GOVERN_CAP, .cap_w = 80});
    double hz = ask(&b, 1410e6, 5e9);
    assert_true(mean_w(&b, 1410e6) > 80);
    assert_true(hz > 210e6 && hz < 1410e6);
    assert_true(mean_w(&b, hz) <= 80);
    assert_true(mean_w(&b, hz + b.arch->clock.step_hz) > 80);
    assert_near(ask(&b, 600e6, 1e6), 1410e6, 0, 0);
    teardown(&b);
}

/* Where voltage is flat, energy times delay falls with the clock; where it rises steeply it is the
 * other way round: by asking again and again it stays about the least. */
static void edp_stays_about_its_least(void **state)
{
    (void)state;
    bench b;
    setup(&b, &(ww_govern_choice){.kind = WW_GOVERN_EDP});
    double best_hz = 0, best = INFINITY, hz = 1410e6;
    for (double at = 210e6; at <= 1410e6; at += 15e6) {
        (void)ask(&b, at, 5e9); /* fills in the counters */
        double edp = mean_w(&b, at) / (at * at);
        best_hz = edp < best ? at : best_hz;
        best = fmin(best, edp);
    }
    b.govern.edp = (ww_govern_edp){0};
    for (int i = 0; i < 100; i++) {
        hz = ask(&b, hz, 5e9);
    }
    assert_true(best_hz > 210e6 && best_hz < 1410e6);
    assert_near(hz, best_hz, 0, 31e6);
    teardown(&b);
}

static void a_hot_die_is_slowed_down_and_let_go(void **state)
{
    (void)state;
    bench b;
    setup(&b, &(ww_govern_choice){.kind = WW_GOVERN_HOLD, .heats = true, .repeat = 1});
    b.govern.heat.die_k = b.govern.heat.sink_k = 370;
    assert_near(ask(&b, 1410e6, 5e9), 1395e6, 0, 0);
    b.govern.heat.die_k = b.govern.heat.sink_k = 370;
    assert_near(ask(&b, 1395e6, 5e9), 1380e6, 0, 0);
    b.govern.heat.die_k = b.govern.heat.sink_k = 330;
    assert_near(ask(&b, 1380e6, 1e6), 1395e6, 0, 0);
    assert_near(ask(&b, 1395e6, 1e6), 1410e6, 0, 0);
    assert_near(ask(&b, 1410e6, 1e6), 1410e6, 0, 0);
    teardown(&b);
}

/* Beyond the tables nobody knows what leaks. */
static void beyond_the_tables_is_an_error(void **state)
{
    (void)state;
    bench b;
    setup(&b, &(ww_govern_choice){.kind = WW_GOVERN_HOLD, .heats = true, .repeat = 1e9});
    b.govern.package.inlet_k = 395;
    ww_interval interval = {.last_cycle = 1000,
                            .at = {.core_hz = 1410e6, .vdd_v = 0.9, .temperature_k = 338}};
    double hz = 1410e6;
    b.counters.block[WW_SCOPE_CHIP][0].v[WW_C_CORE_CYCLES] = 1000;
    interval.counters = b.counters;
    assert_int_equal(b.govern.governor.next(b.govern.governor.user, &interval, &hz, &err),
                     WW_ERANGE);
    teardown(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cap_takes_the_highest_clock_that_fits),
        cmocka_unit_test(edp_stays_about_its_least),
        cmocka_unit_test(a_hot_die_is_slowed_down_and_let_go),
        cmocka_unit_test(beyond_the_tables_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
