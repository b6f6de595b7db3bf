/* test_hotspot.c - is a floorplan that is no floorplan refused at the line where it goes wrong, and
 * is one that was drawn put in the model's order? */
#include "tests/support/test.h"

#include <string.h>

#include "analysis/hotspot.h"

static void refuses(const char *text, ww_status code, int line, const char *says)
{
    ww_error err = {0};
    ww_floorplan plan;
    assert_int_equal(ww_hotspot_parse_floorplan("drawn.flp", text, strlen(text), &plan, &err),
                     code);
    assert_string_equal(err.file, "drawn.flp");
    assert_int_equal(err.line, line);
    if (strstr(err.what, says) == NULL) {
        fail_msg("'%s' does not say '%s'", err.what, says);
    }
}

static void hostile_floorplans_are_located_errors(void **state)
{
    (void)state;
    refuses("", WW_EPARSE, 1, "has blocks");
    refuses("# nothing\n\n", WW_EPARSE, 1, "has blocks");
    refuses("a 1e-3 1e-3 0\n", WW_EPARSE, 1, "4 fields");
    refuses("a 1e-3 1e-3 0 0 1 1 1\n", WW_EPARSE, 1, "8 fields");
    refuses("a 1e-3 1e-3 0 0\nb nan 1e-3 1e-3 0\n", WW_EPARSE, 2, "'nan' is not a finite number");
    refuses("a 1e-3 1e999 0 0\n", WW_EPARSE, 1, "not a finite number");
    refuses("a 1e-3 inf 0 0\n", WW_EPARSE, 1, "not a finite number");
    refuses("a 1e-3 1e-3 0 0\nb -1e-3 1e-3 1e-3 0\n", WW_ERANGE, 2, "above 0");
    refuses("a 1e-3 0 0 0\n", WW_ERANGE, 1, "above 0");
    refuses("a 12 1e-3 0 0\n", WW_ERANGE, 1, "no die is wider");
    refuses("a 1e-3 1e-3 0 0\nb 1e-3 1e-3 0.5e-3 0\n", WW_ERANGE, 2, "'b' lies over 'a'");
    refuses("a 2e-3 2e-3 0 0\nb 1e-3 1e-3 0.5e-3 0.5e-3\n", WW_ERANGE, 2, "'b' lies over 'a'");
    refuses("a 1e-3 1e-3 0 0\na 1e-3 1e-3 1e-3 0\n", WW_ERANGE, 2, "on line 1 already");
    refuses("a 1e-3 1e-3 0 0\nb 1e-3 1e-3 2e-3 0\n", WW_ERANGE, 0, "gaps");
    refuses("a_name_that_is_longer_than_any 1e-3 1e-3 0 0\n", WW_EPARSE, 1, "characters");
    char zero[] = "a 1e-3 1e-3 0 0\nb\0 1e-3";
    ww_error err = {0};
    ww_floorplan plan;
    assert_int_equal(ww_hotspot_parse_floorplan("z", zero, sizeof zero - 1, &plan, &err),
                     WW_EPARSE);
    assert_int_equal(err.line, 2);
}

static ww_tile block(const char *name, double x_m)
{
    ww_tile t = {.x_m = x_m, .width_m = 1e-3, .height_m = 2e-3, .sm = WW_TILE_CHIP};
    strcpy(t.name, name);
    return t;
}

static ww_floorplan drawn(const char *text)
{
    ww_error err = {0};
    ww_floorplan plan;
    assert_ok(ww_hotspot_parse_floorplan("drawn.flp", text, strlen(text), &plan, &err), err);
    return plan;
}

static void blocks_are_those_of_the_machine(void **state)
{
    (void)state;
    ww_tile tiles[] = {block("l2", 0), block("noc", 1e-3)};
    const ww_floorplan own = {.tile = tiles, .count = 2};
    ww_error err = {0};
    ww_floorplan plan =
        drawn("noc 1e-3 1e-3 0 0 # at the left\r\nl2\t2e-3 1e-3\t1e-3 0 1.75e6 0.01\n");
    assert_ok(ww_hotspot_match(&own, "drawn.flp", &plan, &err), err);
    assert_int_equal(plan.count, 2);
    assert_string_equal(plan.tile[0].name, "l2");
    assert_near(plan.tile[0].x_m, 1e-3, 0, 0);
    assert_near(plan.tile[0].width_m, 2e-3, 0, 0);
    assert_near(plan.width_m, 3e-3, 1e-12, 0);
    ww_floorplan_fini(&plan);

    plan = drawn("noc 1e-3 1e-3 0 0\n");
    assert_int_equal(ww_hotspot_match(&own, "drawn.flp", &plan, &err), WW_ENOTFOUND);
    assert_non_null(strstr(err.what, "'l2' is missing"));
    ww_floorplan_fini(&plan);

    plan = drawn("noc 1e-3 1e-3 0 0\nl2 1e-3 1e-3 1e-3 0\nl3 1e-3 1e-3 2e-3 0\n");
    assert_int_equal(ww_hotspot_match(&own, "drawn.flp", &plan, &err), WW_ENOTFOUND);
    assert_int_equal(err.line, 3);
    assert_non_null(strstr(err.what, "no block 'l3'"));
    ww_floorplan_fini(&plan);
}

/* What is written is what is read: a line for each tile. */
static void a_floorplan_that_was_written_is_read(void **state)
{
    (void)state;
    ww_tile tiles[] = {block("l2", 0), block("noc", 1e-3)};
    const ww_floorplan own = {.tile = tiles, .count = 2, .width_m = 2e-3, .height_m = 2e-3};
    ww_str text = {0};
    ww_hotspot_put_floorplan(&own, "card", &text);
    ww_floorplan plan = drawn(ww_str_text(&text));
    assert_int_equal(plan.count, 2);
    assert_string_equal(plan.tile[1].name, "noc");
    assert_near(plan.tile[1].x_m, 1e-3, 1e-12, 0);
    assert_near(plan.tile[1].height_m, 2e-3, 1e-12, 0);
    ww_floorplan_fini(&plan);
    ww_str_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_floorplans_are_located_errors),
        cmocka_unit_test(a_floorplan_that_was_written_is_read),
        cmocka_unit_test(blocks_are_those_of_the_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
