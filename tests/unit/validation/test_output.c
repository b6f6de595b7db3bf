/* test_output.c - rows as the printer shows them, and what sums of their errors come to. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"
#include "validation/judge.h"
#include "validation/output.h"
#include "validation/spread.h"

static void add(ww_rows *rows, const char *name, double reference, double ours, ww_split split)
{
    ww_error err = {0};
    ww_row row = ww_row_of(name, "cycles", "cycle");
    row.reference = reference;
    row.ours = ours;
    row.split = split;
    row.digits = 2;
    assert_ok(ww_rows_add(rows, &row, &err), err);
}

static char *printed(const ww_rows *rows, ww_format format)
{
    static const ww_column columns[] = {
        {"program", .field = WW_SHOW_SUBJECT},
        {"of", .field = WW_SHOW_REFERENCE, .digits = 0},
        {"ours", .field = WW_SHOW_OURS, .digits = WW_DIGITS_OF_ROW},
        {"error", .field = WW_SHOW_ERROR, .digits = 1},
        {"ratio", .field = WW_SHOW_RATIO, .digits = 3},
        {"split", .field = WW_SHOW_SPLIT},
        {"bar", .field = WW_SHOW_TEXT, .text = ww_show_verdict},
    };
    ww_error err = {0};
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    const ww_output output = {.to = to, .format = format};
    assert_ok(
        ww_rows_print(rows, "hardware", columns, sizeof columns / sizeof *columns, &output, &err),
        err);
    fclose(to);
    return text;
}

static void rows_are_shown(void **state)
{
    (void)state;
    const ww_bar bar = {.low = -INFINITY, .high = 0.1};
    ww_rows rows = {0};
    add(&rows, "a", 100, 150, WW_SPLIT_UNSEEN);
    add(&rows, "undefined", 100, NAN, WW_SPLIT_USED);
    ww_judge(&rows.row[0], &bar, 0.5);
    char *text = printed(&rows, WW_FORMAT_TEXT);
    assert_string_equal(text, "program     of    ours  error  ratio  split   bar\n"
                              "a          100  150.00   50.0  1.500  unseen  MISSED\n"
                              "undefined  100                        used    \n");
    free(text);
    text = printed(&rows, WW_FORMAT_MARKDOWN);
    assert_non_null(strstr(text, "| a | 100 | 150.00 | 50.0 | 1.500 | unseen | MISSED |"));
    free(text);
    text = printed(&rows, WW_FORMAT_JSON);
    assert_non_null(strstr(text, "\"hardware\": ["));
    assert_non_null(strstr(text, "\"ours\": 150"));
    assert_non_null(strstr(text, "\"ours\": \"\"")); /* undefined: no number, and no 0 */
    free(text);
    ww_rows_fini(&rows);
}

static void quiet_prints_nothing(void **state)
{
    (void)state;
    const ww_output output = {.to = NULL};
    ww_error err = {0};
    ww_rows rows = {0};
    const ww_column column = {"program", .field = WW_SHOW_SUBJECT};
    add(&rows, "a", 1, 1, WW_SPLIT_NONE);
    assert_ok(ww_rows_print(&rows, "x", &column, 1, &output, &err), err);
    assert_false(ww_output_is_text(&output));
    ww_rows_fini(&rows);
}

static void errors_are_relative(void **state)
{
    (void)state;
    assert_near(ww_error_of(3, 2), 0.5, 1e-15, 0);
    assert_near(ww_error_of(0, 0), 0, 0, 0);
    assert_true(isinf(ww_error_of(1, 0)));
    assert_true(isnan(ww_error_of(NAN, 0)));
    assert_true(isnan(ww_error_of(NAN, 2)));
    assert_true(isnan(ww_error_of(2, NAN)));
}

static void a_spread_sums_errors_up(void **state)
{
    (void)state;
    double error[] = {0.1, -0.3, 0.2, -0.4};
    ww_spread s = ww_spread_of(error, 4);
    assert_int_equal(s.rows, 4);
    assert_near(s.mean, 0.25, 1e-15, 0);
    assert_near(s.signed_mean, -0.1, 1e-12, 0);
    assert_near(s.median, 0.25, 1e-12, 0);
    assert_near(s.largest, 0.4, 0, 0);
    assert_near(s.p90, 0.4, 0, 0);
    s = ww_spread_of(error, 0);
    assert_true(s.rows == 0 && isnan(s.mean) && isnan(s.median) && isnan(s.p90));
    double undefined[] = {0.1, NAN};
    assert_true(isnan(ww_spread_of(undefined, 2).mean));
    assert_true(isnan(ww_spread_of(undefined, 2).median));
}

static void a_selection_takes_its_rows(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_rows rows = {0};
    ww_spread s;
    double r;
    add(&rows, "a", 100, 110, WW_SPLIT_UNSEEN);
    add(&rows, "b", 100, 130, WW_SPLIT_LOOKED_AT);
    add(&rows, "c", 200, 100, WW_SPLIT_USED);
    rows.row[1].peer[0] = 150;
    rows.row[2].group = "latency";
    const ww_selection seen = {.splits = 1u << WW_SPLIT_UNSEEN | 1u << WW_SPLIT_LOOKED_AT};
    assert_ok(ww_rows_spread(&rows, &seen, 0, &s, &err), err);
    assert_true(s.rows == 2);
    assert_near(s.mean, 0.2, 1e-12, 0);
    const ww_selection peer = {.peer = 1};
    assert_ok(ww_rows_spread(&rows, &peer, 1, &s, &err), err);
    assert_true(s.rows == 1);
    assert_near(s.mean, 0.5, 1e-12, 0);
    const ww_selection group = {.group = "latency"};
    assert_ok(ww_rows_spread(&rows, &group, 0, &s, &err), err);
    assert_near(s.signed_mean, -0.5, 1e-12, 0);
    rows.row[0].missing = "no run";
    assert_ok(ww_rows_spread(&rows, &seen, 0, &s, &err), err);
    assert_true(s.rows == 1);
    assert_ok(ww_rows_pearson(&rows, &(ww_selection){0}, false, &r, &err), err);
    assert_true(isnan(r)); /* of two rows */
    ww_rows_fini(&rows);
}

static void logarithms_correlate(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_rows rows = {0};
    double r;
    for (int i = 0; i < 5; i++) {
        add(&rows, "a", pow(10, i), 3 * pow(100, i), WW_SPLIT_NONE);
    }
    assert_ok(ww_rows_pearson(&rows, &(ww_selection){0}, true, &r, &err), err);
    assert_near(r, 1, 1e-12, 0);
    rows.row[2].ours = NAN; /* one that is undefined leaves nothing to be said of the others */
    assert_ok(ww_rows_pearson(&rows, &(ww_selection){0}, true, &r, &err), err);
    assert_true(isnan(r));
    ww_rows_fini(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_shown),
        cmocka_unit_test(quiet_prints_nothing),
        cmocka_unit_test(errors_are_relative),
        cmocka_unit_test(a_spread_sums_errors_up),
        cmocka_unit_test(a_selection_takes_its_rows),
        cmocka_unit_test(logarithms_correlate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
