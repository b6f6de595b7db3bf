/* Are r, rho, p and the intervals those of the textbook, and are hopeless series refused by name?
 */
#include <string.h>

#include "analysis/categories.h"
#include "analysis/correlate.h"
#include "tests/support/test.h"

enum { N = 8 };

/* A study of one metric "X" and one component "P". */
static ww_study *make(const double *x, const double *p, size_t n)
{
    ww_error err = {0};
    ww_study *s = NULL;
    assert_ok(ww_study_create("test", n, 1, 1, &s, &err), err);
    s->metric[0].name = "X";
    s->component[0].name = "P";
    for (size_t i = 0; i < n; i++) {
        s->kernel[i] = "k";
        s->metric[0].value[i] = x[i];
        s->component[0].value[i] = p[i];
        s->dynamic_w[i] = 2 * p[i] + 1;
    }
    return s;
}

/* Anscombe's first quartet: r = 0.81642, p = 0.00217 with n = 11. */
static void anscombe(void **state)
{
    (void)state;
    const double x[] = {10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
    const double y[] = {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
    ww_error err = {0};
    ww_correlation_matrix m;
    ww_study *s = make(x, y, 11);
    assert_ok(ww_correlate(s, &(ww_correlate_options){.resamples = 2000, .seed = 7}, &m, &err),
              err);
    const ww_correlation *c = ww_correlation_find(&m, "X", "P");
    assert_near(c->r, 0.81642, 0, 5e-6);
    assert_near(c->p, 0.00217, 0, 5e-6);
    assert_near(c->rho, 0.81818, 0, 5e-6);
    assert_true(c->lo > 0.3 && c->lo < 0.7);
    assert_true(c->hi > 0.9 && c->hi < 1);
    /* TP is an affine image of P: the same coefficients. */
    assert_near(ww_correlation_find(&m, "X", "TP")->r, c->r, 1e-12, 0);
    ww_correlation_matrix_fini(&m);
    ww_study_destroy(s);
}

/* With the sign of one series turned, the same draws give the same interval, mirrored: both bounds
 * cut off as much. */
static void intervals_cut_off_as_much_on_both_sides(void **state)
{
    (void)state;
    const double x[] = {10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5};
    const double y[] = {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68};
    double turned[11];
    ww_error err = {0};
    ww_correlation_matrix m, mirror;
    for (size_t i = 0; i < 11; i++) {
        turned[i] = -y[i];
    }
    const ww_correlate_options options = {.resamples = 2000, .seed = 7};
    ww_study *s = make(x, y, 11), *t = make(x, turned, 11);
    assert_ok(ww_correlate(s, &options, &m, &err), err);
    assert_ok(ww_correlate(t, &options, &mirror, &err), err);
    const ww_correlation *c = ww_correlation_find(&m, "X", "P");
    const ww_correlation *d = ww_correlation_find(&mirror, "X", "P");
    assert_near(d->lo, -c->hi, 1e-12, 0);
    assert_near(d->hi, -c->lo, 1e-12, 0);
    ww_correlation_matrix_fini(&m);
    ww_correlation_matrix_fini(&mirror);
    ww_study_destroy(s);
    ww_study_destroy(t);
}

static void ties_share_their_mean_rank(void **state)
{
    (void)state;
    /* ranks 1.5 1.5 3 4 and 1 2.5 2.5 4: rho = Pearson of the ranks = 3.75 / 4.5 */
    const double x[] = {1, 1, 2, 3}, y[] = {5, 6, 6, 9};
    ww_error err = {0};
    ww_correlation_matrix m;
    ww_study *s = make(x, y, 4);
    assert_ok(ww_correlate(s, &(ww_correlate_options){0}, &m, &err), err);
    assert_near(m.cell[0].rho, 3.75 / 4.5, 1e-12, 0);
    assert_true(isnan(m.cell[0].lo));
    ww_correlation_matrix_fini(&m);
    ww_study_destroy(s);
}

static void perfect_and_inverse(void **state)
{
    (void)state;
    const double x[] = {0.1, 0.2, 0.3, 0.4}, y[] = {-1, -2, -3, -4};
    ww_error err = {0};
    ww_correlation_matrix m;
    ww_study *s = make(x, y, 4);
    assert_ok(ww_correlate(s, &(ww_correlate_options){.resamples = 50}, &m, &err), err);
    assert_near(m.cell[0].r, -1, 1e-15, 0);
    assert_near(m.cell[0].p, 0, 0, 1e-12);
    assert_near(m.cell[0].lo, -1, 1e-12, 0);
    assert_near(m.cell[0].hi, -1, 1e-12, 0);
    ww_correlation_matrix_fini(&m);
    ww_study_destroy(s);
}

static void same_seed_same_bits(void **state)
{
    (void)state;
    const double x[N] = {3, 1, 4, 1, 5, 9, 2, 6}, y[N] = {2, 7, 1, 8, 2, 8, 1, 8};
    ww_error err = {0};
    ww_correlation_matrix a, b, other;
    ww_study *s = make(x, y, N);
    ww_correlate_options options = {.resamples = 500, .seed = 42};
    assert_ok(ww_correlate(s, &options, &a, &err), err);
    assert_ok(ww_correlate(s, &options, &b, &err), err);
    options.seed = 43;
    assert_ok(ww_correlate(s, &options, &other, &err), err);
    assert_near(a.cell[0].lo, b.cell[0].lo, 0, 0);
    assert_near(a.cell[0].hi, b.cell[0].hi, 0, 0);
    assert_true(a.cell[0].lo != other.cell[0].lo);
    assert_near(a.cell[0].r, other.cell[0].r, 0, 0);
    ww_correlation_matrix_fini(&a);
    ww_correlation_matrix_fini(&b);
    ww_correlation_matrix_fini(&other);
    ww_study_destroy(s);
}

static void constant_series_is_named(void **state)
{
    (void)state;
    const double flat[N] = {4, 4, 4, 4, 4, 4, 4, 4}, y[N] = {2, 7, 1, 8, 2, 8, 1, 8};
    ww_error err = {0};
    ww_correlation_matrix m;
    ww_study *s = make(flat, y, N);
    assert_int_equal(ww_correlate(s, &(ww_correlate_options){0}, &m, &err), WW_ENUMERIC);
    assert_non_null(strstr(err.what, "series X is constant"));
    assert_ok(ww_correlate(s, &(ww_correlate_options){.allow_constant = true}, &m, &err), err);
    assert_false(m.cell[0].defined);
    assert_true(isnan(m.cell[0].r));
    ww_correlation_matrix_fini(&m);
    ww_study_destroy(s);
}

static void absent_values_leave_their_row_only(void **state)
{
    (void)state;
    const double x[N] = {3, NAN, 4, 1, 5, 9, NAN, 6}, y[N] = {2, 700, 1, 8, 2, 8, -900, 8};
    const double x6[] = {3, 4, 1, 5, 9, 6}, y6[] = {2, 1, 8, 2, 8, 8};
    ww_error err = {0};
    ww_correlation_matrix a, b;
    ww_study *s = make(x, y, N), *t = make(x6, y6, 6);
    assert_ok(ww_correlate(s, &(ww_correlate_options){.resamples = 20}, &a, &err), err);
    assert_ok(ww_correlate(t, &(ww_correlate_options){.resamples = 20}, &b, &err), err);
    assert_int_equal(a.cell[0].kernels, 6);
    assert_near(a.cell[0].r, b.cell[0].r, 0, 0);
    assert_near(a.cell[0].lo, b.cell[0].lo, 0, 0);
    ww_correlation_matrix_fini(&a);
    ww_correlation_matrix_fini(&b);
    ww_study_destroy(s);
    ww_study_destroy(t);
}

static void too_few_kernels(void **state)
{
    (void)state;
    const double x[] = {1, 2};
    ww_error err = {0};
    ww_correlation_matrix m;
    ww_study *s = make(x, x, 2);
    assert_int_equal(ww_correlate(s, &(ww_correlate_options){0}, &m, &err), WW_ENUMERIC);
    ww_study_destroy(s);
}

/* Thresholds are inclusive: 60 % of the peak is high, 40 % medium. */
static void category_edges(void **state)
{
    (void)state;
    const double ipc[] = {60, 59.9, 40, 39.9, 0}, p[] = {1, 2, 3, 4, 5};
    const ww_ipc_category expected[] = {WW_IPC_HIGH, WW_IPC_MEDIUM, WW_IPC_MEDIUM, WW_IPC_LOW,
                                        WW_IPC_LOW};
    ww_error err = {0};
    ww_categories c;
    ww_study *s = make(ipc, p, 5);
    assert_int_equal(ww_categorize(s, 100, &c, &err), WW_ENOTFOUND);
    s->metric[0].name = "IPC";
    assert_ok(ww_categorize(s, 100, &c, &err), err);
    for (size_t k = 0; k < 5; k++) {
        assert_int_equal(c.of[k], expected[k]);
    }
    assert_near(c.category[WW_IPC_LOW].mean_ipc, 39.9 / 2, 1e-12, 0);
    assert_near(c.category[WW_IPC_MEDIUM].mean_dynamic_w, 6, 1e-12, 0);
    ww_categories_fini(&c);
    assert_int_equal(ww_categorize(s, 0, &c, &err), WW_ERANGE);
    assert_int_equal(ww_categorize(s, 10, &c, &err), WW_ERANGE);
    ww_study_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anscombe),
        cmocka_unit_test(intervals_cut_off_as_much_on_both_sides),
        cmocka_unit_test(ties_share_their_mean_rank),
        cmocka_unit_test(perfect_and_inverse),
        cmocka_unit_test(same_seed_same_bits),
        cmocka_unit_test(constant_series_is_named),
        cmocka_unit_test(absent_values_leave_their_row_only),
        cmocka_unit_test(too_few_kernels),
        cmocka_unit_test(category_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
