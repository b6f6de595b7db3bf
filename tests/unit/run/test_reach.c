/* test_reach.c - shares of an instruction budget: how a sweep file has them, and what of a whole
 * run a budget reaches. */
#include <stdio.h>
#include <string.h>

#include "run/sweep.h"
#include "tests/support/test.h"

#define HEAD "<?xml version=\"1.0\"?>\n<sweep name=\"t\">\n"

static ww_status parse(const char *text, ww_sweep **out, ww_error *err)
{
    return ww_sweep_parse("t.xml", text, strlen(text), "1", out, err);
}

static void shares_belong_to_runs(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_sweep *s = NULL;
    const char *set = HEAD "<configuration name=\"a\" gpu=\"gtx480\"/>"
                           "<workload name=\"lib\" max_instructions=\"1000\">";
    char text[1024];
    snprintf(text, sizeof text,
             "%s<share kernel=\"k\" part=\"0.25\"/><share kernel=\"l\" part=\"0.75\" "
             "from=\"3\"/></workload></sweep>",
             set);
    assert_ok(parse(text, &s, &err), err);
    assert_non_null(strstr(s->run[0].spec, "share k from 0 250\nshare l from 3 750\n"));
    ww_sweep_destroy(s);
    static const char *const wrong[] = {
        "<share kernel=\"k\" part=\"0.75\"/><share kernel=\"l\" part=\"0.5\"/>",
        "<share kernel=\"k\" part=\"0.5\"/><share kernel=\"k\" part=\"0.5\"/>",
        "<share kernel=\"k\" part=\"0\"/>", "<share kernel=\"k\" part=\"nan\"/>",
        "<share kernel=\"k\"/>"};
    for (size_t i = 0; i < WW_ARRAY_LEN(wrong); i++) {
        snprintf(text, sizeof text, "%s%s</workload></sweep>", set, wrong[i]);
        assert_true(parse(text, &s, &err) != WW_OK);
    }
    assert_int_equal(parse(HEAD "<configuration name=\"a\" gpu=\"gtx480\"/><workload name=\"lib\">"
                                "<share kernel=\"k\" part=\"1\"/></workload></sweep>",
                           &s, &err),
                     WW_ESCHEMA); /* of no budget */
}

/* A first kernel that uses a budget up leaves the second out; shares, or a third of it, do not. */
static void a_budget_is_laid_over_launches(void **state)
{
    (void)state;
    static const ww_reach_launch launch[] = {{"a", 600}, {"b", 300}, {"c", 50}, {"b", 300}};
    static const ww_budget_share halves[] = {{"a", 0, 250}, {"b", 1, 250}};
    static const ww_budget_share few[] = {{"a", 0, 400}, {"b", 0, 100}};
    ww_reach row[4];
    assert_int_equal(ww_reach_of(launch, 4, 500, NULL, 0, row), 3);
    assert_int_equal(row[0].timed, 500);
    assert_int_equal(row[1].whole, 600);
    assert_int_equal(row[1].timed, 0);
    assert_false(ww_reach_falls_short(row, 3, 0));
    assert_true(ww_reach_falls_short(row, 3, 1));
    assert_false(ww_reach_falls_short(row, 3, 2)); /* a twentieth of the whole */
    assert_int_equal(ww_reach_of(launch, 4, 700, NULL, 0, row), 3);
    assert_true(ww_reach_falls_short(row, 3, 1)); /* 1/7 of what is simulated, 0.48 of the whole */
    assert_int_equal(ww_reach_of(launch, 4, 500, halves, 2, row), 3);
    assert_int_equal(row[1].timed, 250); /* of its second launch */
    assert_false(ww_reach_falls_short(row, 3, 0) || ww_reach_falls_short(row, 3, 1));
    assert_int_equal(ww_reach_of(launch, 4, 500, few, 2, row), 3);
    assert_true(ww_reach_falls_short(row, 3, 1));
}

/* A search that visits little in its first launches: a budget that ends there, or has a tenth of a
 * large one, falls short, though it is of the right kernel. */
static void a_budget_reaches_launches_of_the_run_s_size(void **state)
{
    (void)state;
    static const ww_reach_launch launch[] = {{"k", 100}, {"k", 100}, {"k", 1000}, {"k", 100}};
    static const ww_budget_share late[] = {{"k", 1, 300}};
    ww_reach row[4];
    assert_int_equal(ww_reach_of(launch, 4, 200, NULL, 0, row), 1);
    assert_near(ww_reach_launches_of(row).whole, (1000000 + 3 * 10000) / 1300.0, 1e-12, 0);
    assert_near(ww_reach_launches_of(row).timed, 100, 1e-12, 0);
    assert_true(ww_reach_falls_short(row, 1, 0));
    assert_int_equal(ww_reach_of(launch, 4, 300, NULL, 0, row), 1);
    assert_near(ww_reach_launches_of(row).timed, 400, 1e-12, 0); /* whole: 792 */
    assert_int_equal(ww_reach_of(launch, 4, 300, late, 1, row), 1);
    assert_near(ww_reach_launches_of(row).timed, 700, 1e-12, 0);
    assert_false(ww_reach_falls_short(row, 1, 0));
}

/* A workload with two kernels, really run: what its shares name is found, and names that it lacks
 * are. */
static void a_workload_is_laid_out(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_sweep *s = NULL;
    ww_reach *row;
    size_t rows;
    static const char text[] =
        HEAD "<configuration name=\"a\" gpu=\"gtx480\"/>"
             "<workload name=\"backprop\" size=\"small\" max_instructions=\"10000\"/>"
             "<workload name=\"lib\" size=\"small\" max_instructions=\"1000\">"
             "<share kernel=\"nothing\" part=\"1\"/></workload></sweep>";
    assert_ok(parse(text, &s, &err), err);
    assert_ok(ww_sweep_reach(s, &s->item[0], &row, &rows, &err), err);
    assert_int_equal(rows, 2);
    assert_string_equal(row[0].kernel, "bpnn_layerforward_CUDA");
    assert_int_equal(row[0].timed, 10000);
    assert_true(row[0].whole > 10000 && row[1].whole > 0 && row[1].timed == 0);
    assert_true(ww_reach_falls_short(row, 2, 1));
    assert_int_equal(ww_sweep_reach(s, &s->item[1], &row, &rows, &err), WW_ENOTFOUND);
    ww_sweep_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_belong_to_runs),
        cmocka_unit_test(a_budget_is_laid_over_launches),
        cmocka_unit_test(a_budget_reaches_launches_of_the_run_s_size),
        cmocka_unit_test(a_workload_is_laid_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
