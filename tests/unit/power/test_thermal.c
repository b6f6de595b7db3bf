/* test_thermal.c - is the temperature at which a card settles the one that hand calculation gives,
 * and is there none where every kelvin adds more than the cooler carries off? */
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#include "power/thermal.h"

/* Leakage that grows by k = 0.049 a kelvin about 65 degrees Celsius. */
typedef struct card_power {
    double dynamic_w, leak_65_w;
    unsigned asked;
} card_power;

static ww_status power_of(void *user, double temp_k, double *watts, ww_error *err)
{
    card_power *p = user;
    (void)err;
    p->asked++;
    *watts = p->dynamic_w + p->leak_65_w * exp(0.049 * (temp_k - 338.15));
    return WW_OK;
}

/* 0.1 K/W over 40 degrees, 200 W and 20 W at 65: 61.70 degrees, where 17.02 W leak. */
static void settles(void **state)
{
    (void)state;
    ww_error err = {0};
    card_power p = {.dynamic_w = 200, .leak_65_w = 20};
    const ww_thermal card = {.resistance_k_per_w = 0.1, .inlet_k = 313.15, .limit_k = 365};
    ww_thermal_point point;
    assert_ok(ww_thermal_settle(&card, power_of, &p, &point, &err), err);
    assert_near(point.temp_k, 334.85, 0, 0.01);
    assert_near(point.watts, 217.02, 0, 0.01);
    assert_true(point.residual_k <= 1e-3);
    assert_near(point.temp_k, card.inlet_k + 0.1 * point.watts, 0, 1e-3);
    assert_int_equal(point.evaluations, p.asked);
    assert_true(p.asked < 20);
}

/* 0.2 K/W and 60 W at 65 degrees: leakage outruns the cooler. */
static void runs_away(void **state)
{
    (void)state;
    ww_error err = {0};
    card_power p = {.dynamic_w = 200, .leak_65_w = 60};
    const ww_thermal card = {.resistance_k_per_w = 0.2, .inlet_k = 313.15, .limit_k = 365};
    ww_thermal_point point;
    assert_int_equal(ww_thermal_settle(&card, power_of, &p, &point, &err), WW_ERANGE);
    assert_non_null(strstr(err.what, "runaway"));
}

static void has_a_limit(void **state)
{
    (void)state;
    ww_error err = {0};
    card_power p = {.dynamic_w = 200, .leak_65_w = 20};
    const ww_thermal card = {.resistance_k_per_w = 0.1, .inlet_k = 313.15, .limit_k = 334};
    ww_thermal_point point;
    assert_int_equal(ww_thermal_settle(&card, power_of, &p, &point, &err), WW_ERANGE);
    assert_non_null(strstr(err.what, "limit"));
}

/* A die in cold air is as cold as its power says, its leakage that of the tables' end. */
static void below_the_tables(void **state)
{
    (void)state;
    ww_error err = {0};
    card_power p = {.dynamic_w = 50};
    const ww_thermal card = {.resistance_k_per_w = 0.1, .inlet_k = 280, .limit_k = 365};
    ww_thermal_point point;
    assert_ok(ww_thermal_settle(&card, power_of, &p, &point, &err), err);
    assert_near(point.temp_k, 285, 0, 1e-9);
    assert_near(point.model_k, 300, 0, 0);
}

static void a_cooler_is_made_for_its_board(void **state)
{
    (void)state;
    const ww_arch arch = {.chip = {.tdp_w = 350, .rise_k = 35, .inlet_k = 313, .limit_k = 365}};
    assert_near(ww_thermal_of(&arch).resistance_k_per_w, 0.1, 1e-12, 0);
    assert_near(ww_thermal_of(&arch).inlet_k, 313, 0, 0);
}

static const ww_package package = {.case_k_per_w = 0.014,
                                   .sink_k_per_w = 0.086,
                                   .die_j_per_k = 1,
                                   .sink_j_per_k = 140,
                                   .inlet_k = 313.15,
                                   .limit_k = 365};

/* A die without weight on its sink: T approaches its end by 1 - exp(-t / 7 s), 2.89 K in the first
 * second of 21.7 K, 13.72 K in seven. */
static void a_light_die_follows_its_sink(void **state)
{
    (void)state;
    const ww_package light = {.case_k_per_w = 1e-6,
                              .sink_k_per_w = 0.05,
                              .die_j_per_k = 1e-6,
                              .sink_j_per_k = 140,
                              .inlet_k = 313.15};
    const ww_heat cold = {313.15, 313.15};
    assert_near(ww_package_after(&light, cold, 434, 1).die_k, 313.15 + 2.89, 0, 0.01);
    assert_near(ww_package_after(&light, cold, 434, 7).die_k, 313.15 + 13.72, 0, 0.01);
}

/* Two equations of first order, by steps of a tenth of a millisecond. */
static void two_stages_are_integrated_exactly(void **state)
{
    (void)state;
    enum { STEPS = 20000 };
    const double watts = 250, step_s = 1e-4;
    const ww_package *p = &package;
    ww_heat now = {330, 320}, exact = ww_package_after(p, now, watts, STEPS * step_s), half;
    for (int i = 0; i < STEPS; i++) {
        double across_w = (now.die_k - now.sink_k) / p->case_k_per_w;
        double out_w = (now.sink_k - p->inlet_k) / p->sink_k_per_w;
        now.die_k += (watts - across_w) / p->die_j_per_k * step_s;
        now.sink_k += (across_w - out_w) / p->sink_j_per_k * step_s;
    }
    assert_near(exact.die_k, now.die_k, 0, 1e-3);
    assert_near(exact.sink_k, now.sink_k, 0, 1e-3);
    half = ww_package_after(p, (ww_heat){330, 320}, watts, STEPS * step_s / 2);
    half = ww_package_after(p, half, watts, STEPS * step_s / 2);
    assert_near(half.die_k, exact.die_k, 1e-12, 0);
    assert_near(half.sink_k, exact.sink_k, 1e-12, 0);
}

static void what_has_settled_stays(void **state)
{
    (void)state;
    const ww_heat settled = ww_package_settled(&package, 313.15 + 25);
    const ww_heat later = ww_package_after(&package, settled, 250, 1000);
    assert_near(later.die_k, settled.die_k, 1e-12, 0);
    assert_near(later.sink_k, settled.sink_k, 1e-12, 0);
    assert_near(settled.sink_k, 313.15 + 0.086 * 250, 1e-12, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settles),
        cmocka_unit_test(runs_away),
        cmocka_unit_test(has_a_limit),
        cmocka_unit_test(below_the_tables),
        cmocka_unit_test(a_cooler_is_made_for_its_board),
        cmocka_unit_test(a_light_die_follows_its_sink),
        cmocka_unit_test(two_stages_are_integrated_exactly),
        cmocka_unit_test(what_has_settled_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
