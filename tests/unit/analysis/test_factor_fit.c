/* test_factor_fit.c - does the fit find factors that made the measurements, weigh them against what
 * is known before, and say how sure it is? */
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#include "analysis/factor_fit.h"

enum { FACTORS = 3, ROWS = 6 };

static ww_error err;
static ww_arena arena;

static const double parts[ROWS][FACTORS] = {{10, 1, 0}, {2, 8, 0}, {5, 5, 0},
                                            {20, 0, 0}, {0, 9, 0}, {7, 3, 0}};
static const double truth[2] = {1.5, 0.4};

static void make_rows(ww_fit_row *rows, double noise)
{
    static const char *const labels[ROWS] = {"a", "b", "c", "d", "e", "a"};
    for (size_t i = 0; i < ROWS; i++) {
        double w = 3 + parts[i][0] * truth[0] + parts[i][1] * truth[1];
        w *= 1 + (i % 2 == 0 ? noise : -noise);
        rows[i] = (ww_fit_row){.label = labels[i],
                               .measured_w = w,
                               .sigma_w = 0.01 * w,
                               .fixed_w = 3,
                               .part_w = parts[i]};
    }
}

static void exact_measurements_give_their_factors(void **state)
{
    (void)state;
    ww_fit_row rows[ROWS];
    const ww_fit_prior priors[FACTORS] = {{0, 5, 0}, {0, 5, 0}, {0, 0.7, 0}};
    ww_fit fit;
    make_rows(rows, 0);
    assert_ok(ww_fit_factors(rows, ROWS, priors, FACTORS, &arena, &fit, &err), err);
    assert_near(fit.factor[0].value, truth[0], 1e-4, 0);
    assert_near(fit.factor[1].value, truth[1], 1e-3, 0);
    assert_near(fit.left_out_w[3], rows[3].measured_w, 1e-3, 0);
    assert_true(fit.error < 1e-4 && fit.chi2 < 1e-3);
    assert_int_equal(fit.factor[0].rows, 5);
    assert_int_equal(fit.factor[1].rows, 5);
    /* Nothing measured the third: it stays, as uncertain as before. */
    assert_near(fit.factor[2].value, 1, 1e-6, 0);
    assert_near(fit.factor[2].log_sigma, 0.7, 1e-6, 0);
    assert_int_equal(fit.factor[2].rows, 0);
}

/* One part, one row of 10 % and knowledge of 10 %: half way between in logarithms, and surer than
 * either by the root of two; what is not to be fitted stays. */
static void knowledge_counts_as_a_measurement(void **state)
{
    (void)state;
    static const double part[2] = {10, 5};
    const ww_fit_row row = {
        .label = "x", .measured_w = 10.2 + 5, .sigma_w = 1, .fixed_w = 0, .part_w = part};
    const ww_fit_prior priors[2] = {{0, 0.1, 0}, {0, 0, 0}};
    ww_fit fit;
    assert_ok(ww_fit_factors(&row, 1, priors, 2, &arena, &fit, &err), err);
    assert_near(fit.factor[0].value, 1.01, 2e-3, 0);
    assert_near(fit.factor[0].log_sigma, 0.1 / sqrt(2), 0.02, 0);
    assert_false(fit.factor[1].fitted);
    assert_near(fit.factor[1].value, 1, 0, 0);
    assert_near(fit.covariance[0], fit.factor[0].log_sigma * fit.factor[0].log_sigma, 1e-9, 0);
    /* Without its only row nothing is known but the prior. */
    assert_near(fit.left_out_w[0], 15, 1e-6, 0);
    const ww_fit_prior elsewhere[2] = {{0.5, 0.001, 0}, {0, 0, 0}};
    assert_ok(ww_fit_factors(&row, 1, elsewhere, 2, &arena, &fit, &err), err);
    assert_near(fit.factor[0].value, exp(0.5), 1e-2, 0);
}

/* What is known before may explain the only row to the last bit: then it is the result, as when a
 * card's idle power is both what is known and what was measured. */
static void a_start_at_the_solution_is_the_result(void **state)
{
    (void)state;
    static const double part[2] = {10, 5};
    const ww_fit_row row = {
        .label = "x", .measured_w = 15, .sigma_w = 1, .fixed_w = 0, .part_w = part};
    const ww_fit_prior priors[2] = {{0, 0.1, 0}, {0, 0.3, 0}};
    ww_fit fit;
    assert_ok(ww_fit_factors(&row, 1, priors, 2, &arena, &fit, &err), err);
    assert_near(fit.factor[0].value, 1, 1e-12, 0);
    assert_true(fit.factor[0].log_sigma > 0 && fit.factor[0].log_sigma < 0.1);
    assert_near(fit.left_out_w[0], 15, 1e-9, 0);
}

/* Two parts that only ever come together are known together, not apart. */
static void inseparable_parts_are_correlated(void **state)
{
    (void)state;
    static const double both[2] = {10, 10};
    ww_fit_row rows[4];
    const ww_fit_prior priors[2] = {{0, 0.5, 0}, {0, 0.5, 0}};
    ww_fit fit;
    for (size_t i = 0; i < 4; i++) {
        rows[i] = (ww_fit_row){.label = "x", .measured_w = 21, .sigma_w = 0.2, .part_w = both};
    }
    assert_ok(ww_fit_factors(rows, 4, priors, 2, &arena, &fit, &err), err);
    double correlation = fit.covariance[1] / (fit.factor[0].log_sigma * fit.factor[1].log_sigma);
    assert_true(correlation < -0.99);
    assert_true(fit.factor[0].log_sigma > 0.3);
}

static void factors_stay_positive(void **state)
{
    (void)state;
    static const double part[1] = {10};
    const ww_fit_row row = {
        .label = "x", .measured_w = 5, .sigma_w = 0.5, .fixed_w = 6, .part_w = part};
    const ww_fit_prior priors[1] = {{0, 3, 0}};
    ww_fit fit;
    assert_ok(ww_fit_factors(&row, 1, priors, 1, &arena, &fit, &err), err);
    assert_true(fit.factor[0].value > 0 && fit.factor[0].value < 0.1);
}

/* Three factors about a shared one, two of them measured as twice what is known: the third is then
 * known to be twice, too, as well as the three lie together; and so is the second without its row.
 */
static void factors_are_tied_to_the_one_they_are_known_about(void **state)
{
    (void)state;
    static const double parts_of[2][4] = {{0, 10, 0, 0}, {0, 0, 10, 0}};
    const ww_fit_prior priors[4] = {{0, 1, 0}, {0, 0.1, 1}, {log(0.5), 0.1, 1}, {0, 0.1, 1}};
    ww_fit_row rows[2];
    ww_fit fit;
    for (size_t i = 0; i < 2; i++) {
        double measured_w = i == 0 ? 20 : 10; /* the second's unit is half the shared one's */
        rows[i] = (ww_fit_row){.label = i == 0 ? "a" : "b",
                               .measured_w = measured_w,
                               .sigma_w = 0.001 * measured_w,
                               .part_w = parts_of[i]};
    }
    assert_ok(ww_fit_factors(rows, 2, priors, 4, &arena, &fit, &err), err);
    assert_near(fit.factor[0].value, 2, 0.01, 0);
    assert_near(fit.factor[2].value, 1, 0.01, 0);
    assert_near(fit.factor[3].value, 2, 0.01, 0);
    assert_near(fit.factor[0].log_sigma, 0.1 / sqrt(2), 0.02, 0);
    assert_near(fit.factor[3].log_sigma, 0.1 * sqrt(1.5), 0.02, 0);
    assert_near(fit.left_out_w[1], 10, 0.02, 0);
}

static void unsound_measurements_are_refused(void **state)
{
    (void)state;
    static const double part[1] = {10}, negative[1] = {-1};
    const ww_fit_prior priors[1] = {{0, 1, 0}}, none[1] = {{0, 0, 0}};
    ww_fit fit;
    ww_fit_row row = {.label = "x", .measured_w = 5, .sigma_w = 0, .part_w = part};
    assert_int_equal(ww_fit_factors(&row, 1, priors, 1, &arena, &fit, &err), WW_ERANGE);
    row.sigma_w = 1;
    assert_int_equal(ww_fit_factors(&row, 0, priors, 1, &arena, &fit, &err), WW_ERANGE);
    assert_int_equal(ww_fit_factors(&row, 1, none, 1, &arena, &fit, &err), WW_ERANGE);
    row.part_w = negative;
    assert_int_equal(ww_fit_factors(&row, 1, priors, 1, &arena, &fit, &err), WW_ERANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_measurements_give_their_factors),
        cmocka_unit_test(knowledge_counts_as_a_measurement),
        cmocka_unit_test(a_start_at_the_solution_is_the_result),
        cmocka_unit_test(inseparable_parts_are_correlated),
        cmocka_unit_test(factors_stay_positive),
        cmocka_unit_test(factors_are_tied_to_the_one_they_are_known_about),
        cmocka_unit_test(unsound_measurements_are_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ww_arena_fini(&arena);
    return failed;
}
