/* test_arrays.c - is a table of arrays read, solved and summed up as validation/arrays.h says? */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/test.h"
#include "validation/arrays.h"

#define TABLE    WW_SOURCE_DIR "/tests/validation/arrays.csv"
#define BARS     WW_SOURCE_DIR "/tests/validation/bars.csv"
#define TECH_DIR WW_SOURCE_DIR "/configs/tech"

static void the_tools_are_reproduced(void **state)
{
    (void)state;
    ww_error err = {0};
    ww__arrays arrays;
    ww__answers answers;
    ww_bars *bars = NULL;
    double errors[388];
    assert_ok(ww_bars_load(BARS, &bars, &err), err);
    assert_ok(ww__arrays_load(TABLE, &arrays, &err), err);
    assert_int_equal(arrays.count, 388);
    assert_ok(ww__arrays_solve(&arrays, TECH_DIR, bars, WW_STYLE_CACTI7, &answers, &err), err);
    assert_int_equal(answers.rows.count, 388 * WW__QUANTITIES);
    for (size_t q = 0; q < WW__QUANTITIES; q++) {
        size_t n = 0;
        for (size_t i = 0; i < arrays.count; i++) {
            const ww_row *row = &answers.rows.row[i * WW__QUANTITIES + q];
            if (arrays.array[i].counted && strcmp(arrays.array[i].kind, "ram") == 0 &&
                !isnan(row->low) && row->missing == NULL) {
                errors[n++] = ww__array_error(row);
            }
        }
        ww_spread s = ww_spread_of(errors, n);
        assert_true(n == 0 || s.median < 0.01);
        assert_true(n == 0 || (s.median <= s.p90 && s.p90 <= s.largest));
    }
    ww_tally terms = ww_rows_tally(&answers.terms);
    assert_int_equal(answers.forced, 17);
    assert_true(terms.of[WW_VERDICT_MET] > 100 && ww_tally_failed(&terms) == 0);
    ww__answers_fini(&answers);
    ww__arrays_fini(&arrays);
    ww_bars_destroy(bars);
}

static void an_error_is_the_distance_outside(void **state)
{
    (void)state;
    ww_row row = ww_row_of("a", "read", "nJ");
    row.low = 2;
    row.high = 4;
    row.ours = 3;
    assert_near(ww__array_error(&row), 0, 0, 0);
    row.ours = 1;
    assert_near(ww__array_error(&row), 0.5, 1e-15, 0);
    row.ours = 5;
    assert_near(ww__array_error(&row), 0.25, 1e-15, 0);
    row.ours = NAN; /* no answer is not within */
    assert_true(isnan(ww__array_error(&row)));
    row.ours = 3;
    row.missing = "no organization";
    assert_true(isnan(ww__array_error(&row)));
}

/* The shipped table's head and first row, with a text in place of another. */
static ww_status load_changed(const char *from, const char *to, ww__arrays *out, ww_error *err)
{
    char path[] = "/tmp/ww_test_arrays_XXXXXX", line[2][2048], text[4096 + 64];
    FILE *table = fopen(TABLE, "r");
    int fd = mkstemp(path);
    assert_true(table != NULL && fd >= 0);
    assert_true(fgets(line[0], sizeof line[0], table) != NULL);
    assert_true(fgets(line[1], sizeof line[1], table) != NULL);
    fclose(table);
    const char *at = strstr(line[1], from);
    assert_non_null(at);
    int length = snprintf(text, sizeof text, "%s%.*s%s%s", line[0], (int)(at - line[1]), line[1],
                          to, at + strlen(from));
    assert_int_equal(write(fd, text, (size_t)length), length);
    close(fd);
    *err = (ww_error){0};
    ww_status status = ww__arrays_load(path, out, err);
    unlink(path);
    return status;
}

static void faulty_tables_are_refused(void **state)
{
    (void)state;
    static const char *const change[][2] = {
        {",C7,", ",C8,"},     {",ram,", ",rom,"},           {",itrs-hp,", ",itrs,"},
        {",45,", ",-45,"},    {",350,", ",cold,"},          {",ED^2,", ",ED^3,"},
        {",ED^2,", ",W1:2,"}, {",ED^2,", ",W1:2:3:4:5:6,"}, {",false,", ",no,"},
        {"A000,", ","},       {",2048,", ",nan,"},
    };
    ww_error err = {0};
    ww__arrays arrays;
    assert_int_not_equal(ww__arrays_load("/nonexistent.csv", &arrays, &err), WW_OK);
    assert_ok(load_changed("A000", "A001", &arrays, &err), err);
    assert_int_equal(arrays.count, 1);
    ww__arrays_fini(&arrays);
    for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
        assert_int_not_equal(load_changed(change[i][0], change[i][1], &arrays, &err), WW_OK);
        assert_int_equal(err.line, 2);
        assert_true(err.column >= 1);
        assert_int_equal(arrays.count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tools_are_reproduced),
        cmocka_unit_test(an_error_is_the_distance_outside),
        cmocka_unit_test(faulty_tables_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
