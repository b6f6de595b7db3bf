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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settles),
        cmocka_unit_test(runs_away),
        cmocka_unit_test(has_a_limit),
        cmocka_unit_test(below_the_tables),
        cmocka_unit_test(a_cooler_is_made_for_its_board),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
