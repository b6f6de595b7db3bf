/* test_expression.c - what an expression means, and what is none; the means of papers. */
#include <math.h>
#include <string.h>

#include "tests/support/test.h"
#include "validation/expression.h"
#include "validation/mean.h"

/* a is 1, b is 2, …; of configuration "two" twice that; with an argument, its length more. */
static ww_status term(void *user, const ww_term *t, double *value, ww_error *err)
{
    (void)user;
    if (strlen(t->name) != 1) {
        return ww_fail(err, WW_ENOTFOUND, "no %s", t->name);
    }
    *value = (t->name[0] - 'a' + 1) * (strncmp(t->configuration, "two", 3) == 0 ? 2 : 1) +
             (double)strlen(t->argument);
    return WW_OK;
}

/* Tells what it was asked. */
static ww_status over(void *user, const char *mean, const char *words, const char *text,
                      double *value, ww_error *err)
{
    (void)err;
    snprintf(user, 64, "%s|%s|%s", mean, words, text);
    *value = 5;
    return WW_OK;
}

static char asked[64];
static const ww_expression_source source = {.term = term, .over = over, .user = asked};

static void expressions_have_their_values(void **state)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"8 - 3 - 2", 3},
        {"8 / 4 / 2", 1},
        {"-2 * -3", 6},
        {" 1.5e2 ", 150},
        {"a + two:b", 5},
        {"two:c / a", 6},
        {"{two,x=1 y}:a", 2},
        {"two-x:b", 4},
        {"c[RF/banks]", 11},
        {"min(a, b) + max(a, b)", 3},
        {"a < b", 1},
        {"a > b", 0},
        {"(a < b) + (b < a) + (a < c)", 2},
        {"geo_of(x y, a / (b + c)) - 1", 4},
    };
    (void)state;
    for (size_t i = 0; i < WW_ARRAY_LEN(cases); i++) {
        ww_error err = {0};
        double value;
        assert_ok(ww_expression_evaluate(cases[i].text, &source, &value, &err), err);
        assert_near(value, cases[i].value, 1e-12, 0);
    }
    assert_string_equal(asked, "geo|x y| a / (b + c)");
}

static void a_ratio_of_nothing_has_no_value(void **state)
{
    ww_error err = {0};
    double value;
    (void)state;
    assert_ok(ww_expression_evaluate("1 / (a - 1)", &source, &value, &err), err);
    assert_true(isnan(value));
    assert_ok(ww_expression_evaluate("max(1, 1 / (a - 1)) > 0", &source, &value, &err), err);
    assert_true(isnan(value));
}

static void what_is_none_is_refused(void **state)
{
    static const char *const wrong[] = {
        "",    "1 +",    "(1",   "1)",       "a b",           "abc",   "two:",   "{two",
        "c[x", "min(1)", "f(1)", "geo_of(x", "geo_of(x, (1)", "1 ? 2", "two:a:b"};
    (void)state;
    for (size_t i = 0; i < WW_ARRAY_LEN(wrong); i++) {
        ww_error err = {0};
        double value;
        if (ww_expression_evaluate(wrong[i], &source, &value, &err) == WW_OK) {
            fail_msg("'%s' was taken", wrong[i]);
        }
        assert_true(err.what[0] != '\0');
    }
    char deep[200];
    ww_error err = {0};
    double value;
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    assert_int_equal(ww_expression_evaluate(deep, &source, &value, &err), WW_EPARSE);
}

static void means(void **state)
{
    static const double v[] = {1, 2, 4}, zero[] = {1, 0};
    ww_mean mean;
    (void)state;
    assert_near(ww_mean_of(WW_MEAN_GEO, v, 3), 2, 1e-12, 0);
    assert_near(ww_mean_of(WW_MEAN_ARITH, v, 3), 7.0 / 3, 1e-12, 0);
    assert_near(ww_mean_of(WW_MEAN_MIN, v, 3), 1, 0, 0);
    assert_near(ww_mean_of(WW_MEAN_MAX, v, 3), 4, 0, 0);
    assert_near(ww_mean_of(WW_MEAN_SUM, v, 3), 7, 0, 0);
    assert_true(isnan(ww_mean_of(WW_MEAN_GEO, zero, 2)));
    for (int m = 0; m < WW_MEANS; m++) {
        assert_true(ww_mean_parse(ww_mean_name((ww_mean)m), &mean) && mean == (ww_mean)m);
    }
    assert_false(ww_mean_parse("median", &mean));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_have_their_values),
        cmocka_unit_test(a_ratio_of_nothing_has_no_value),
        cmocka_unit_test(what_is_none_is_refused),
        cmocka_unit_test(means),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
