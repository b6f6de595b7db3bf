/* test_pass_front.c - what does a pass take and draw for each thing that it makes, and which of
 * several is no other both faster and thriftier than? */
#include <string.h>

#include "analysis/pass_front.h"
#include "tests/support/test.h"

#define HEAD "operator,time [s],energy [J],units [1],unit\n"

static ww_pass_point point_of(const char *text)
{
    ww_error err = {0};
    ww_csv *csv = NULL;
    ww_pass_point p;
    assert_ok(ww_csv_parse("operators.csv", text, strlen(text), &csv, &err), err);
    assert_ok(ww_pass_point_read(csv, "a", "b", &p, &err), err);
    ww_csv_destroy(csv);
    return p;
}

/* 3 ms and 6 J in all, for four tokens or for what is not said. */
static void a_pass_is_by_what_it_makes(void **state)
{
    (void)state;
    ww_pass_point p = point_of(HEAD "x,1e-3,2,4,token\ny,2e-3,4,4,token\n");
    assert_near(p.ms, 3, 1e-12, 0);
    assert_near(p.mj, 1500, 1e-12, 0);
    p = point_of(HEAD "x,1e-3,2,0,\ny,2e-3,4,0,\n");
    assert_near(p.mj, 6000, 1e-12, 0);
    assert_string_equal(p.unit, "pass");
}

static void nothing_of_the_front_is_slower_and_dearer(void **state)
{
    (void)state;
    ww_pass_point p[] = {{.ms = 3, .mj = 5}, {.ms = 1, .mj = 9}, {.ms = 2, .mj = 5},
                         {.ms = 4, .mj = 4}, {.ms = 2, .mj = 6}, {.ms = 5, .mj = 8}};
    static const double front[][3] = {{1, 9, 1}, {2, 5, 1}, {2, 6, 0},
                                      {3, 5, 0}, {4, 4, 1}, {5, 8, 0}};
    ww_pass_front_mark(p, WW_ARRAY_LEN(p));
    for (size_t i = 0; i < WW_ARRAY_LEN(p); i++) {
        assert_true(p[i].ms == front[i][0] && p[i].mj == front[i][1]);
        assert_int_equal(p[i].front, front[i][2] != 0);
    }
}

static void a_table_without_operators_is_refused(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_csv *csv = NULL;
    ww_pass_point p;
    assert_ok(ww_csv_parse("operators.csv", HEAD, strlen(HEAD), &csv, &err), err);
    assert_int_equal(ww_pass_point_read(csv, "a", "b", &p, &err), WW_ESCHEMA);
    ww_csv_destroy(csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pass_is_by_what_it_makes),
        cmocka_unit_test(nothing_of_the_front_is_slower_and_dearer),
        cmocka_unit_test(a_table_without_operators_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
