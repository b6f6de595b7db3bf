/* test_csv.c - do tables survive writing and reading, and are faults located? */
#include <string.h>

#include "base/csv.h"
#include "base/mem.h"
#include "tests/support/test.h"

static ww_csv *parse(const char *text)
{
    ww_error err = {0};
    ww_csv *csv = NULL;
    assert_ok(ww_csv_parse("t.csv", text, strlen(text), &csv, &err), err);
    return csv;
}

static void tables_round_trip(void **state)
{
    (void)state;
    static const char *const texts[] = {"plain", "a,b",   "say \"hi\"", "two\nlines",
                                        "",      " lead", "cr\rlf"};
    static const double values[] = {0.1, 1e-300, -3, 1.0 / 3, 5e22, 0, 701e6};
    ww_str out = {0};
    ww_csv_writer w;
    ww_error err = {0};
    ww_csv_init(&w, &out);
    ww_csv_put_header(&w, "name", NULL);
    ww_csv_put_header(&w, "clock, core", "Hz");
    ww_csv_put_header(&w, "n", "1");
    ww_csv_end_row(&w);
    for (size_t i = 0; i < 7; i++) {
        ww_csv_put_text(&w, texts[i]);
        ww_csv_put_double(&w, values[i]);
        ww_csv_put_u64(&w, UINT64_MAX - i);
        ww_csv_end_row(&w);
    }
    assert_ok(ww_csv_finish(&w, &err), err);
    ww_csv *csv = parse(ww_str_text(&out));
    assert_int_equal(ww_csv_rows(csv), 7);
    assert_int_equal(ww_csv_columns(csv), 3);
    assert_string_equal(ww_csv_name(csv, 1), "clock, core");
    assert_string_equal(ww_csv_unit(csv, 1), "Hz");
    assert_string_equal(ww_csv_unit(csv, 0), "");
    for (size_t i = 0; i < 7; i++) {
        double value;
        uint64_t count;
        assert_string_equal(ww_csv_text(csv, i, 0), texts[i]);
        assert_ok(ww_csv_double(csv, i, 1, &value, &err), err);
        assert_true(value == values[i]);
        assert_ok(ww_csv_u64(csv, i, 2, &count, &err), err);
        assert_true(count == UINT64_MAX - i);
    }
    ww_csv_destroy(csv);
    ww_str_fini(&out);
}

static void a_byte_order_mark_is_skipped(void **state)
{
    (void)state;
    ww_csv *csv = parse("\xEF\xBB\xBFx [m],y\n1,2\n");
    assert_string_equal(ww_csv_name(csv, 0), "x");
    ww_csv_destroy(csv);
}

static void windows_lines_and_blank_lines(void **state)
{
    (void)state;
    ww_csv *csv = parse("a,b\r\n1,2\r\n\r\n\"3\",\"4\"\r\n5,");
    assert_int_equal(ww_csv_rows(csv), 3);
    assert_string_equal(ww_csv_text(csv, 0, 1), "2");
    assert_string_equal(ww_csv_text(csv, 1, 1), "4");
    assert_string_equal(ww_csv_text(csv, 2, 1), "");
    ww_csv_destroy(csv);
}

static void faults_name_their_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line, column;
    } cases[] = {{"a,b\n1,2\n3\n", 3, 0},
                 {"a,b\n1,\"open\n", 2, 3},
                 {"a,b\n1,x\"y\n", 2, 4},
                 {"a,b\n1,\"x\"y\n", 2, 6},
                 {"", 1, 1},
                 {"a\n1,2\n", 2, 0},
                 {"a,b\n\"1\n2\",3,4\n", 2, 0},
                 {"a,b\n\"p\nq\",\"z\n", 3, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ww_csv *csv = NULL;
        ww_error err = {0};
        assert_int_equal(ww_csv_parse("t.csv", cases[i].text, strlen(cases[i].text), &csv, &err),
                         WW_EPARSE);
        assert_int_equal(err.line, cases[i].line);
        assert_int_equal(err.column, cases[i].column);
        assert_string_equal(err.file, "t.csv");
        assert_null(csv);
    }
    ww_csv *csv = NULL;
    assert_int_equal(ww_csv_parse("t", "a\n\0\n", 4, &csv, NULL), WW_EPARSE);
}

static void values_of_the_wrong_kind_are_located(void **state)
{
    (void)state;
    ww_csv *csv = parse("power [W],n\n12.5,3\nhot,-1\n");
    ww_error err = {0};
    double value;
    uint64_t count;
    size_t column;
    assert_int_equal(ww_csv_double(csv, 1, 0, &value, &err), WW_EPARSE);
    assert_int_equal(err.line, 3);
    assert_int_equal(err.column, 1);
    assert_non_null(strstr(err.what, "power"));
    assert_int_equal(ww_csv_u64(csv, 1, 1, &count, &err), WW_EPARSE);
    assert_int_equal(err.column, 5);
    assert_ok(ww_csv_find(csv, "n", &column, &err), err);
    assert_int_equal(column, 1);
    assert_int_equal(ww_csv_find(csv, "pwoer", &column, &err), WW_ENOTFOUND);
    assert_non_null(strstr(err.what, "did you mean 'power'"));
    ww_csv_destroy(csv);
}

static void ragged_output_is_an_error(void **state)
{
    (void)state;
    ww_str out = {0};
    ww_csv_writer w;
    ww_csv_init(&w, &out);
    ww_csv_put_header(&w, "a", NULL);
    ww_csv_end_row(&w);
    ww_csv_put_u64(&w, 1);
    assert_int_equal(ww_csv_finish(&w, NULL), WW_EINTERNAL);
    ww_csv_put_u64(&w, 2);
    ww_csv_end_row(&w);
    assert_int_equal(ww_csv_finish(&w, NULL), WW_EINTERNAL);
    ww_str_fini(&out);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static const char text[] = "a [m],b\n1,2\n3,4\n";
    bool succeeded = false;
    for (size_t k = 1; !succeeded && k < 100; k++) {
        ww_csv *csv = NULL;
        ww_error err = {0};
        ww_mem_fail_after(k);
        ww_status status = ww_csv_parse("t", text, sizeof text - 1, &csv, &err);
        ww_mem_fail_after(0);
        assert_true(status == WW_OK || status == WW_ENOMEM);
        assert_int_equal(err.code, status);
        succeeded = status == WW_OK;
        ww_csv_destroy(csv);
    }
    assert_true(succeeded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_round_trip),
        cmocka_unit_test(a_byte_order_mark_is_skipped),
        cmocka_unit_test(windows_lines_and_blank_lines),
        cmocka_unit_test(faults_name_their_place),
        cmocka_unit_test(values_of_the_wrong_kind_are_located),
        cmocka_unit_test(ragged_output_is_an_error),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
