/* test_agreement.c - is a series as near to its reference as a calculation by hand says? */
#include "analysis/agreement.h"
#include "tests/support/test.h"

/* What one of them lacks is no pair. Errors of 0, 1 and 4 beside 1, 2 and 4; ranks in order. */
static void by_hand(void **state)
{
    (void)state;
    const double reference[] = {1, 2, NAN, 4, 5}, ours[] = {1, 3, 7, 8, NAN};
    const ww_agreement a = ww_agreement_of(reference, ours, 5, 1);
    assert_int_equal(a.n, 3);
    assert_near(a.mean_abs, 5.0 / 3, 1e-12, 0);
    assert_near(a.mean_rel, 0.5, 1e-12, 0);
    assert_near(a.max_rel, 1, 1e-12, 0);
    assert_near(a.within, 2.0 / 3, 1e-12, 0); /* the tolerance itself is within */
    assert_near(a.rho, 1, 1e-12, 0);
    /* Means 7/3 and 4: products of the distances sum to 11, squares to 14/3 and 26. */
    assert_near(a.pearson, 11 / sqrt(14.0 / 3 * 26), 1e-12, 0);
}

/* Equal ones share their ranks: 1, 2.5, 2.5, 4 beside 1, 2, 3, 4. */
static void ties_share_a_rank(void **state)
{
    (void)state;
    const double reference[] = {1, 2, 2, 9}, ours[] = {1, 2, 3, 4};
    assert_near(ww_agreement_of(reference, ours, 4, 0).rho, 4.5 / sqrt(4.5 * 5), 1e-12, 0);
}

/* Two pairs, and a series that is constant, correlate with nothing; beside 0 nothing is relative.
 */
static void what_is_undefined(void **state)
{
    (void)state;
    const double rising[] = {0, 1, 2}, constant[] = {3, 3, 3};
    assert_true(isnan(ww_agreement_of(rising, rising, 2, 0).pearson));
    assert_near(ww_agreement_of(rising, rising, 3, 0).pearson, 1, 1e-12, 0);
    assert_true(isnan(ww_agreement_of(rising, constant, 3, 0).rho));
    assert_true(isnan(ww_agreement_of(constant, rising, 3, 0).rho));
    assert_true(isnan(ww_agreement_of(rising, constant, 3, 0).mean_rel));
    assert_near(ww_agreement_of(constant, rising, 3, 0).mean_rel, 2.0 / 3, 1e-12, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(ties_share_a_rank),
        cmocka_unit_test(what_is_undefined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
