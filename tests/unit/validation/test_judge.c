/* test_judge.c - one rule: what meets a bar, what misses it, and what can never pass. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/test.h"
#include "validation/judge.h"

#define SHIPPED WW_SOURCE_DIR "/tests/validation/bars.csv"

static const ww_bar at_most = {.low = -INFINITY, .high = 0.15};
static const ww_bar at_least = {.low = 0.9, .high = INFINITY};

static ww_verdict verdict_of(const ww_bar *bar, double value)
{
    ww_row row = ww_row_of("a", "b", "");
    ww_verdict verdict = ww_judge(&row, bar, value);
    assert_int_equal(verdict, row.verdict);
    assert_ptr_equal(row.bar, bar);
    return row.verdict;
}

static void bounds_belong_to_a_bar(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(&at_most, 0.15), WW_VERDICT_MET);
    assert_int_equal(verdict_of(&at_most, 0.1500001), WW_VERDICT_MISSED);
    assert_int_equal(verdict_of(&at_least, 0.9), WW_VERDICT_MET);
    assert_int_equal(verdict_of(&at_least, 0.8999999), WW_VERDICT_MISSED);
    assert_int_equal(verdict_of(NULL, 7), WW_VERDICT_SHOWN);
}

static void unless_they_are_outside(void **state)
{
    (void)state;
    const ww_bar below = {.low = -INFINITY, .high = 1, .below = true};
    const ww_bar above = {.low = 1, .high = INFINITY, .above = true};
    assert_int_equal(verdict_of(&below, 1), WW_VERDICT_MISSED);
    assert_int_equal(verdict_of(&below, 0.9999999), WW_VERDICT_MET);
    assert_int_equal(verdict_of(&above, 1), WW_VERDICT_MISSED);
    assert_int_equal(verdict_of(&above, 1.0000001), WW_VERDICT_MET);
}

static void what_is_undefined_meets_nothing(void **state)
{
    (void)state;
    const ww_bar anything = {.low = -INFINITY, .high = INFINITY};
    const ww_bar *const bars[] = {&at_most, &at_least, &anything};
    for (size_t i = 0; i < sizeof bars / sizeof *bars; i++) {
        assert_int_equal(verdict_of(bars[i], NAN), WW_VERDICT_MISSED);
        assert_int_equal(verdict_of(bars[i], INFINITY), WW_VERDICT_MISSED);
        assert_int_equal(verdict_of(bars[i], -INFINITY), WW_VERDICT_MISSED);
    }
}

static void what_is_missing_meets_nothing(void **state)
{
    (void)state;
    ww_row row = ww_row_of("a", "b", "");
    row.missing = "no run";
    assert_int_equal(ww_judge(&row, &at_most, 0), WW_VERDICT_MISSING);
    assert_int_equal(ww_judge(&row, NULL, 0), WW_VERDICT_MISSING);
}

static void too_few_rows_are_not_judged(void **state)
{
    (void)state;
    const ww_bar three = {.low = 0.98, .high = INFINITY, .enough = 3};
    ww_row row = ww_row_of("a", "b", "");
    row.of = 2;
    assert_int_equal(ww_judge(&row, &three, NAN), WW_VERDICT_FEW);
    assert_int_equal(ww_judge(&row, &three, 0.99), WW_VERDICT_FEW);
    row.of = 3;
    assert_int_equal(ww_judge(&row, &three, 0.99), WW_VERDICT_MET);
    assert_int_equal(ww_judge(&row, &three, NAN), WW_VERDICT_MISSED);
}

static ww_status end_of(const ww_verdict *verdict, size_t rows, const ww_verdict *sums, size_t n,
                        ww_error *err)
{
    ww_rows list[2] = {{.count = 0}, {.count = 0}};
    for (size_t i = 0; i < rows + n; i++) {
        ww_row row = ww_row_of("a", "b", "");
        row.verdict = i < rows ? verdict[i] : sums[i - rows];
        assert_ok(ww_rows_add(&list[i >= rows], &row, err), *err);
    }
    ww_status status = ww_judge_all(&list[0], &list[1], "table.csv", err);
    ww_rows_fini(&list[0]);
    ww_rows_fini(&list[1]);
    return status;
}

static void a_comparison_ends_by_its_verdicts(void **state)
{
    (void)state;
    const ww_verdict good[] = {WW_VERDICT_MET, WW_VERDICT_SHOWN, WW_VERDICT_FEW};
    const ww_verdict missed[] = {WW_VERDICT_MET, WW_VERDICT_MISSED};
    const ww_verdict missing[] = {WW_VERDICT_MET, WW_VERDICT_MISSING};
    ww_error err = {0};
    assert_ok(end_of(good, 3, good, 1, &err), err);
    assert_int_equal(end_of(missed, 2, good, 1, &err), WW_EVERIFY);
    assert_int_equal(end_of(good, 3, missed, 2, &err), WW_EVERIFY);
    assert_non_null(strstr(err.what, "1 bars of table.csv are missed, the first: a b"));
    assert_int_equal(end_of(missing, 2, good, 1, &err), WW_EVERIFY);
}

static void without_a_row_nothing_is_verified(void **state)
{
    (void)state;
    const ww_verdict good[] = {WW_VERDICT_MET};
    ww_error err = {0};
    assert_int_equal(end_of(NULL, 0, NULL, 0, &err), WW_EVERIFY);
    assert_non_null(strstr(err.what, "table.csv"));
    assert_int_equal(end_of(NULL, 0, good, 1, &err), WW_EVERIFY);
}

/* ---- bars as data ---- */

static ww_status load(const char *text, ww_bars **out, ww_error *err)
{
    char path[] = "/tmp/ww_test_bars_XXXXXX";
    int fd = mkstemp(path);
    *err = (ww_error){0};
    *out = NULL;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    ww_status status = ww_bars_load(path, out, err);
    unlink(path);
    return status;
}

#define HEAD "comparison,what,at_least,above,at_most,below,enough,reason\n"

static void bars_are_read(void **state)
{
    (void)state;
    ww_error err;
    ww_bars *bars;
    const ww_bar *bar;
    assert_ok(load(HEAD "a,x,0.5,,,2,3,why\na,y,,,0.1,,,why\n", &bars, &err), err);
    assert_ok(ww_bars_find(bars, "a", "x", &bar, &err), err);
    assert_near(bar->low, 0.5, 0, 0);
    assert_near(bar->high, 2, 0, 0);
    assert_true(!bar->above && bar->below && bar->enough == 3);
    assert_ok(ww_bars_find(bars, "a", "y", &bar, &err), err);
    assert_true(isinf(bar->low) && !bar->below && bar->enough == 0);
    assert_int_equal(ww_bars_find(bars, "b", "x", &bar, &err), WW_ENOTFOUND);
    ww_bars_destroy(bars);
}

static void faulty_bars_are_located(void **state)
{
    (void)state;
    static const char *const row[] = {
        "a,x,,,,,,no bound\n",    "a,x,1,,,,,\n",          "a,x,1,2,,,,two bounds\n",
        "a,x,2,,1,,,empty\n",     "a,x,nan,,,,,none\n",    "a,x,,,inf,,,none\n",
        "a,x,1,,,,-1,no count\n", ",x,1,,,,,of nothing\n", "a,y,1,,,,,why\na,y,1,,,,,again\n",
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[256];
        ww_error err;
        ww_bars *bars;
        snprintf(text, sizeof text, HEAD "%s", row[i]);
        assert_int_not_equal(load(text, &bars, &err), WW_OK);
        assert_true(err.line >= 2 && err.column >= 1);
        assert_null(bars);
    }
}

static void every_shipped_bar_has_its_reason(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_bars *bars = NULL;
    assert_ok(ww_bars_load(SHIPPED, &bars, &err), err);
    ww_bars_destroy(bars);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_belong_to_a_bar),
        cmocka_unit_test(unless_they_are_outside),
        cmocka_unit_test(what_is_undefined_meets_nothing),
        cmocka_unit_test(what_is_missing_meets_nothing),
        cmocka_unit_test(too_few_rows_are_not_judged),
        cmocka_unit_test(a_comparison_ends_by_its_verdicts),
        cmocka_unit_test(without_a_row_nothing_is_verified),
        cmocka_unit_test(bars_are_read),
        cmocka_unit_test(faulty_bars_are_located),
        cmocka_unit_test(every_shipped_bar_has_its_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
