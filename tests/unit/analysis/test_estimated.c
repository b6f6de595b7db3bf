/* test_estimated.c - is what rests on estimates what is gone without them, over all launches? */
#include <string.h>

#include "analysis/estimated.h"
#include "tests/support/test.h"
#include "tests/unit/power/fixture.h"

/* Two launches of one activity, of which the second's reads of registers are estimated. */
static void estimates_are_what_is_gone_without_them(void **state)
{
    (void)state;
    ww_error err = {0};
    const ww_arch arch = fixture_arch();
    ww_power_model *model;
    ww_counter_set set;
    ww_power_result all;
    unsigned char telling[2][WW_COUNTER_COUNT];
    double estimated_j, total_j, lanes_j;
    model = fixture_model(&arch);
    assert_ok(ww_counter_set_init(&set, 16, 12, 6, &err), err);
    fixture_activity(&set, 25, 100e9);
    ww_launch_record launches[] = {fixture_launch(&set), fixture_launch(&set)};
    ww_activity activity = {.launches = launches, .launch_count = 2};
    const ww_foreign_activity foreign = {.activity = &activity, .telling = telling};
    memset(telling, WW_TOLD, sizeof telling);
    assert_ok(ww_power_evaluate(model, &set, &launches[0], &all, &err), err);
    assert_ok(ww_estimated_energy(model, &foreign, &estimated_j, &total_j, &err), err);
    assert_near(total_j, 2 * all.total_j, 1e-12, 0);
    assert_near(estimated_j, 0, 0, 1e-12 * total_j);
    telling[1][WW_C_RF_READ_LANES] = WW_ESTIMATED;
    assert_ok(ww_estimated_energy(model, &foreign, &estimated_j, &total_j, &err), err);
    telling[0][WW_C_RF_READ_LANES] = WW_ESTIMATED;
    assert_ok(ww_estimated_of(model, &foreign, WW_C_RF_READ_LANES, &lanes_j, &err), err);
    assert_true(estimated_j > 0);
    assert_near(estimated_j, lanes_j / 2, 1e-9, 0);
    ww_counter_set_fini(&set);
    ww_power_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimates_are_what_is_gone_without_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
