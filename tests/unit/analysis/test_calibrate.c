/* Does a fit give back the factor that made its data, and say how sure it is? Does an agreement
 * count what it should? */
#include <math.h>

#include "analysis/agreement.h"
#include "analysis/calibrate.h"
#include "tests/support/test.h"

static void exact_data_give_their_factor(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_calibration c;
    const ww_measurement m[] = {{2, 3, 3 + 2 * 1.7, 0.1}, {10, 3, 3 + 10 * 1.7, 5}, {0, 3, 3, 1}};
    assert_ok(ww_calibrate(m, 3, &c, &err), err);
    assert_near(c.factor, 1.7, 1e-12, 0);
    assert_near(c.chi2, 0, 0, 1e-20);
    assert_near(c.largest, 0, 0, 1e-12);
    /* 1 / sqrt(sum (x / sigma)^2) */
    assert_near(c.sigma, 1 / sqrt(20.0 * 20 + 2 * 2), 1e-12, 0);
}

/* Two measurements that contradict each other: the surer one pulls more, and the uncertainty covers
 * the scatter. */
static void scatter_widens_the_uncertainty(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_calibration c;
    const ww_measurement m[] = {{1, 0, 1, 0.1}, {1, 0, 2, 0.2}};
    assert_ok(ww_calibrate(m, 2, &c, &err), err);
    assert_near(c.factor, (1 * 100 + 2 * 25) / 125.0, 1e-12, 0);
    assert_true(c.chi2 > 10);
    assert_near(c.sigma, sqrt(1 / 125.0) * sqrt(c.chi2), 1e-12, 0);
    assert_near(ww_calibration_residual_w(&c, &m[1]), 0.8, 1e-12, 0);
}

static void senseless_measurements_are_errors(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_calibration c;
    const ww_measurement no_sigma = {1, 0, 1, 0}, no_events = {0, 1, 2, 0.1},
                         below = {1, 5, 2, 0.1};
    assert_int_equal(ww_calibrate(&no_sigma, 0, &c, &err), WW_ERANGE);
    assert_int_equal(ww_calibrate(&no_sigma, 1, &c, &err), WW_ERANGE);
    assert_int_equal(ww_calibrate(&no_events, 1, &c, &err), WW_ENUMERIC);
    assert_int_equal(ww_calibrate(&below, 1, &c, &err), WW_ENUMERIC);
}

static void agreement_by_hand(void **state)
{
    (void)state;
    const double reference[] = {1, 2, NAN, 4}, ours[] = {1.5, 2, 3, 5};
    ww_agreement a = ww_agreement_of(reference, ours, 4, 0.5);
    assert_int_equal(a.n, 3);
    assert_near(a.mean_abs, 0.5, 1e-12, 0);
    assert_near(a.mean_rel, 0.25, 1e-12, 0);
    assert_near(a.max_rel, 0.5, 1e-12, 0);
    assert_near(a.within, 2.0 / 3, 1e-12, 0);
    assert_near(a.rho, 1, 1e-12, 0);
    assert_true(a.pearson > 0.9 && a.pearson < 1);
    const double flat[] = {2, 2, 2, 2};
    assert_true(isnan(ww_agreement_of(flat, ours, 4, 0).pearson));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_data_give_their_factor),
        cmocka_unit_test(scatter_widens_the_uncertainty),
        cmocka_unit_test(senseless_measurements_are_errors),
        cmocka_unit_test(agreement_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
