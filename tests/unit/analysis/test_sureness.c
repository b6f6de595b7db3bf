/* Does what two energies have in common cancel in their ratio, and nothing else? */
#include "analysis/sureness.h"
#include "tests/support/test.h"

/* Two groups: 20 % and 50 % uncertain, correlated by a half; a scatter of 10 %. */
static ww_power_errors two_groups(void)
{
    ww_power_errors e = {.scatter = 0.1};
    e.sigma[WW_GROUP_RF] = 0.2;
    e.sigma[WW_GROUP_L2] = 0.5;
    for (int i = 0; i < WW_ERROR_COUNT; i++) {
        e.correlation[i][i] = 1;
    }
    e.correlation[WW_GROUP_RF][WW_GROUP_L2] = e.correlation[WW_GROUP_L2][WW_GROUP_RF] = 0.5;
    return e;
}

static ww_exposure energy(const ww_power_errors *e, double rf_j, double l2_j)
{
    double group_j[WW_GROUP_COUNT] = {[WW_GROUP_RF] = rf_j, [WW_GROUP_L2] = l2_j};
    ww_exposure out;
    ww_exposure_of(e, group_j, 0, &out);
    return out;
}

/* 6 J and 4 J: shares 0.6 and 0.4, errors 0.12 and 0.2. */
static void one_energy(void **state)
{
    (void)state;
    ww_power_errors e = two_groups();
    ww_exposure x = energy(&e, 6, 4);
    double variance = 0.12 * 0.12 + 0.2 * 0.2 + 2 * 0.5 * 0.12 * 0.2 + 0.1 * 0.1;
    assert_near(ww_exposure_sigma(&e, &x), sqrt(variance), 1e-12, 0);
}

static void common_errors_cancel(void **state)
{
    (void)state;
    ww_power_errors e = two_groups();
    ww_exposure base = energy(&e, 6, 4), twice = energy(&e, 12, 8), moved = energy(&e, 6, 2);
    assert_near(ww_exposure_joint(&e, &base, &e, &base, true), 0, 0, 1e-15);
    /* The same mix at another price: no factor of a group can tell them apart. */
    assert_near(ww_exposure_joint(&e, &base, &e, &twice, true), 0, 0, 1e-15);
    /* Shares 0.75 and 0.25: +0.15 of the one, -0.15 of the other. */
    double rf = 0.15 * 0.2, l2 = -0.15 * 0.5, scatter = 0.1 * 0.3;
    double variance = rf * rf + l2 * l2 + 2 * 0.5 * rf * l2 + scatter * scatter;
    assert_near(ww_exposure_joint(&e, &base, &e, &moved, true), sqrt(variance), 1e-12, 0);
    /* First and second may change places. */
    assert_near(ww_exposure_joint(&e, &moved, &e, &base, true), sqrt(variance), 1e-12, 0);
}

static void errors_of_their_own_add(void **state)
{
    (void)state;
    ww_power_errors e = two_groups(), f = two_groups();
    f.sigma[WW_GROUP_RF] = 0.4;
    ww_exposure base = energy(&e, 6, 4), other = energy(&f, 6, 4);
    double joint = hypot(ww_exposure_sigma(&e, &base), ww_exposure_sigma(&f, &other));
    assert_near(ww_exposure_joint(&e, &base, &f, &other, false), joint, 1e-12, 0);
    assert_true(ww_exposure_joint(&e, &base, &e, &base, false) > ww_exposure_sigma(&e, &base));
}

/* Voltages of one card are wrong together, and by more away from where one was measured. */
static void voltage(void **state)
{
    (void)state;
    ww_power_errors e = two_groups();
    e.scatter = e.sigma[WW_GROUP_RF] = e.sigma[WW_GROUP_L2] = 0;
    e.per_voltage[WW_GROUP_RF] = 2;
    ww_power_errors slow = e;
    slow.sigma[WW_ERROR_VOLTAGE] = 0.04;
    ww_exposure base = energy(&e, 6, 4), other = energy(&slow, 6, 4);
    assert_near(ww_exposure_joint(&e, &base, &slow, &other, true), 2 * 0.6 * 0.04, 1e-12, 0);
    assert_near(ww_exposure_joint(&slow, &other, &slow, &other, true), 0, 0, 1e-15);
}

/* What sampling extrapolated is each run's own, and less in the mean. */
static void sampling(void **state)
{
    (void)state;
    ww_power_errors e = two_groups();
    double group_j[WW_GROUP_COUNT] = {[WW_GROUP_RF] = 10};
    ww_exposure x[4], mean;
    for (int i = 0; i < 4; i++) {
        ww_exposure_of(&e, group_j, 0.3, &x[i]);
    }
    assert_near(ww_exposure_joint(&e, &x[0], &e, &x[1], true), 0.03 * sqrt(2), 1e-12, 0);
    ww_exposure_mean(x, 4, &mean);
    assert_near(mean.sampled, 0.015, 1e-12, 0);
    assert_near(mean.error[WW_GROUP_RF], 0.2, 1e-12, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_energy),
        cmocka_unit_test(common_errors_cancel),
        cmocka_unit_test(errors_of_their_own_add),
        cmocka_unit_test(voltage),
        cmocka_unit_test(sampling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
