/* Does a difference split into the causes that a hand calculation names, and do they add up? */
#include <string.h>

#include "analysis/explain_lines.h"
#include "tests/support/test.h"

static ww_explain_side side(double amount, double price)
{
    return (ww_explain_side){
        .present = true, .amount = amount, .price = price, .joules = amount * price};
}

static const ww_explain_side absent = {0};

static void check(ww_explain_parts p, double more, double longer, double dearer, double both)
{
    assert_near(p.more, more, 1e-12, 0);
    assert_near(p.longer, longer, 1e-12, 0);
    assert_near(p.dearer, dearer, 1e-12, 0);
    assert_near(p.both, both, 1e-12, 0);
}

/* 1000 lanes at 0.157 pJ against 1200 at 0.118: 200 more at 0.157, 1000 cheaper by 0.039, and 200 x
 * -0.039 of both. Leakage of 38.67 W over 10 us against 30 W over 14. */
static void hand_computed(void **state)
{
    (void)state;
    check(ww_explain_split(WW_EXPLAIN_EVENT, side(1000, 0.157), side(1200, 0.118), false), 31.4, 0,
          -39.0, -7.8);
    check(ww_explain_split(WW_EXPLAIN_LEAKAGE, side(10, 38.67), side(14, 30), false), 0, 154.68,
          -86.7, -34.68);
    check(ww_explain_split(WW_EXPLAIN_EVENT, side(1000, 0.157), side(1200, 0.118), true), 27.5, 0,
          -42.9, 0);
}

static void voltage_halved(void **state)
{
    (void)state;
    check(ww_explain_split(WW_EXPLAIN_EVENT, side(80, 4), side(80, 1), false), 0, 0, -240, 0);
}

/* What a machine lacks costs there what it costs elsewhere: all of it is more, leakage too. */
static void only_on_one_side(void **state)
{
    (void)state;
    check(ww_explain_split(WW_EXPLAIN_EVENT, absent, side(7, 3), false), 21, 0, 0, 0);
    check(ww_explain_split(WW_EXPLAIN_LEAKAGE, side(5, 2), absent, false), -10, 0, 0, 0);
}

/* Standby that one machine is not charged for lasts there as long as in the other. */
static void without_power(void **state)
{
    (void)state;
    check(ww_explain_split(WW_EXPLAIN_BACKGROUND, side(0, 0), side(3, 2), false), 0, 0, 6, 0);
    check(ww_explain_split(WW_EXPLAIN_BACKGROUND, side(3, 2), side(0, 0), false), 0, 0, -6, 0);
    /* but what was never active, and has a power, is active longer */
    check(ww_explain_split(WW_EXPLAIN_BACKGROUND, side(0, 2), side(3, 2), false), 0, 6, 0, 0);
}

static void exchanged(void **state)
{
    (void)state;
    ww_explain_side a = side(3, 7), b = side(5, 11);
    ww_explain_parts there = ww_explain_split(WW_EXPLAIN_EVENT, a, b, true);
    ww_explain_parts back = ww_explain_split(WW_EXPLAIN_EVENT, b, a, true);
    check(back, -there.more, 0, -there.dearer, 0);
    assert_near(there.more + there.dearer, 55 - 21, 1e-12, 0);
}

static void fill(ww_explain_row *row, const char *component, ww_explain_kind kind,
                 ww_explain_side base, ww_explain_side other)
{
    *row = (ww_explain_row){.component = component,
                            .structure = component,
                            .event = "e",
                            .kind = kind,
                            .base = base,
                            .other = other,
                            .parts = ww_explain_split(kind, base, other, false)};
}

/* A mechanism that saves work and time, and costs its own structures. */
static void causes(void **state)
{
    (void)state;
    ww_explain_row row[4];
    ww_error err = {0};
    ww_explanation e = {.row = row, .count = 4};
    fill(&row[0], "RF", WW_EXPLAIN_EVENT, side(100, 2), side(80, 2));      /* -40 work */
    fill(&row[1], "RF", WW_EXPLAIN_LEAKAGE, side(10, 3), side(9, 3));      /* -3 time */
    fill(&row[2], "MECH", WW_EXPLAIN_EVENT, absent, side(5, 1));           /* +5 its own */
    fill(&row[3], "MECH", WW_EXPLAIN_LEAKAGE, absent, side(9, 1.0 / 3.0)); /* +3 its own */
    ww_explain_causes c = ww_explain_by_cause(&e);
    assert_near(c.work_j, -40, 1e-12, 0);
    assert_near(c.time_j, -3, 1e-12, 0);
    assert_near(c.mechanism_j, 8, 1e-12, 0);
    assert_near(c.price_j, 0, 0, 0);
    assert_near(c.structure_j, 0, 0, 0);
    /* the largest is first, whatever its sign; what is nothing stays in place */
    ww_explain_cause listed[WW_EXPLAIN_CAUSES];
    static const char *const order[] = {"other work", "mechanisms' structures", "other time",
                                        "other structures", "other prices"};
    ww_explain_rank_causes(c, listed);
    for (size_t i = 0; i < WW_EXPLAIN_CAUSES; i++) {
        assert_string_equal(listed[i].brief, order[i]);
    }
    /* a latency that is doubled: time is 0.0776 of 0.0832 mJ */
    ww_explain_rank_causes((ww_explain_causes){.work_j = 0.0056, .time_j = 0.0776}, listed);
    assert_string_equal(listed[0].brief, "other time");
    assert_near(listed[0].joules, 0.0776, 0, 0);
    assert_string_equal(listed[1].brief, "other work");
    ww_explain_sum total = ww_explain_total(&e), *sum;
    assert_near(ww_explain_difference(&total), -35, 1e-12, 0);
    size_t count;
    assert_ok(ww_explain_components(&e, &sum, &count, &err), err);
    assert_int_equal(count, 2);
    assert_string_equal(sum[0].name, "RF");
    assert_near(ww_explain_difference(&sum[0]), -43, 1e-12, 0);
    /* the largest first, and its reason */
    const ww_explain_row **ranked;
    assert_ok(ww_explain_ranked(&e, &ranked, &count, &err), err);
    assert_int_equal(count, 4);
    assert_ptr_equal(ranked[0], &row[0]);
    assert_ptr_equal(ranked[1], &row[2]);
    assert_string_equal(ww_explain_reason(ranked[0]), "fewer events");
    assert_string_equal(ww_explain_reason(ranked[1]), "added");
    assert_string_equal(ww_explain_reason(&row[1]), "shorter time");
    ww_explanation_fini(&e);
}

static void check_unit(double most_j, const char *unit, double factor)
{
    double scale = 0;
    assert_string_equal(ww_explain_unit_of(most_j, &scale), unit);
    assert_near(scale, factor, 1e-12, 0);
}

/* The largest has two to four digits before the point. */
static void units_leave_room_for_small_numbers(void **state)
{
    (void)state;
    check_unit(12, "J", 1);
    check_unit(9.9, "mJ", 1e3);
    check_unit(6.42e-3, "uJ", 1e6);
    check_unit(64.2e-3, "mJ", 1e3);
    check_unit(9e-6, "nJ", 1e9);
    check_unit(0, "nJ", 1e9);
}

/* Of what is shown: a larger row behind it has no say, and either run's joules have one. */
static void the_unit_is_that_of_the_largest_row_shown(void **state)
{
    (void)state;
    const ww_explain_row a = {.base.joules = 1e-6, .other.joules = 12e-3}, b = {.base.joules = 20};
    const ww_explain_row *const row[] = {&a, &b};
    ww_explain_line line[] = {{.base_j = 12e-3, .other_j = 1e-6}, {.base_j = 20}};
    const ww_explain_lines lines = {.line = line, .count = 2};
    double scale;
    assert_string_equal(ww_explain_unit_of_rows(row, 1, &scale), "mJ");
    assert_string_equal(ww_explain_unit_of_rows(row, 2, &scale), "J");
    assert_string_equal(ww_explain_unit_of_lines(&lines, 1, &scale), "mJ");
    assert_string_equal(ww_explain_unit_of_lines(&lines, 2, &scale), "J");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hand_computed),
        cmocka_unit_test(voltage_halved),
        cmocka_unit_test(only_on_one_side),
        cmocka_unit_test(without_power),
        cmocka_unit_test(exchanged),
        cmocka_unit_test(causes),
        cmocka_unit_test(units_leave_room_for_small_numbers),
        cmocka_unit_test(the_unit_is_that_of_the_largest_row_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
