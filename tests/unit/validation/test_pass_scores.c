/* test_pass_scores.c - what do rows of passes come to, by hand? */
#include "tests/support/test.h"
#include "validation/pass_scores.h"

static ww_row row_of(const char *subject, const char *group, const char *what, double ours,
                     double reference)
{
    ww_row row = ww_row_of(subject, what, "J");
    row.group = group;
    row.ours = ours;
    row.reference = reference;
    return row;
}

/* Half of what was measured, and a quarter more, of a group's energies; another group and times are
 * others. */
static void errors_of_a_group(void **state)
{
    (void)state;
    ww_row row[] = {
        row_of("a", "g", "energy", 1, 2),  row_of("b", "g", "energy", 5, 4),
        row_of("a", "g", "time", 100, 1),  row_of("a", "h", "energy", 100, 1),
        row_of("c", "g", "energy", 8, 10),
    };
    const ww_rows rows = {.row = row, .count = WW_ARRAY_LEN(row)};
    const double constant = 4;
    size_t of = 9;
    assert_near(ww__pass_error(&rows, "g", "energy", NULL, &of), (0.5 + 0.25 + 0.2) / 3, 1e-12, 0);
    assert_int_equal(of, 3);
    assert_near(ww__pass_error(&rows, "g", "energy", &constant, &of), (1 + 0 + 0.6) / 3, 1e-12, 0);
    /* 2 for all is off by 0, 0.5 and 0.8; 4 by more, 10 by most. */
    assert_near(ww__pass_constant_error(&rows, "g", "energy"), 1.3 / 3, 1e-12, 0);
    assert_true(isnan(ww__pass_error(&rows, "g", "power", NULL, &of)));
    assert_int_equal(of, 0);
    assert_true(isnan(ww__pass_constant_error(&rows, "k", "energy")));
}

/* Places 0, 1.5, 1.5, 3 of ours beside 0, 1, 2, 3; of energies, in whatever group. */
static void energies_are_in_order(void **state)
{
    (void)state;
    ww_row row[] = {
        row_of("a", "g", "energy", 1, 10), row_of("b", "h", "energy", 5, 20),
        row_of("c", "g", "energy", 5, 30), row_of("d", "g", "energy", 7, 40),
        row_of("a", "g", "time", 99, 1),
    };
    const ww_rows rows = {.row = row, .count = WW_ARRAY_LEN(row)};
    size_t of;
    assert_near(ww__pass_rank_correlation(&rows, &of), 4.5 / sqrt(4.5 * 5), 1e-12, 0);
    assert_int_equal(of, 4);
    row[3].ours = 0.5; /* the most is our least: places 1, 2.5, 2.5, 0 */
    assert_near(ww__pass_rank_correlation(&rows, &of), -1.5 / sqrt(4.5 * 5), 1e-12, 0);
}

/* Each over the least of its series: measured 1, 1.5 and 2 times, ours 1, 1.2 and 2. A series of
 * two clocks, and other groups, are none. */
static void series_of_clocks(void **state)
{
    (void)state;
    ww_row row[] = {
        row_of("x-prefill-900", "a100-dvfs", "energy", 10, 4),
        row_of("x-prefill-1200", "a100-dvfs", "energy", 12, 6),
        row_of("x-prefill-1400", "a100-dvfs", "energy", 20, 8),
        row_of("x-prefill-1400", "a100-dvfs", "time", 1, 8),
        row_of("x-prefix-900", "a100-dvfs", "energy", 1, 4),
        row_of("x-prefix-1400", "a100-dvfs", "energy", 9, 5),
        row_of("x-prefill-600", "other", "energy", 1, 1),
    };
    const ww_rows rows = {.row = row, .count = WW_ARRAY_LEN(row)};
    const ww__series_error e = ww__pass_series(&rows);
    assert_int_equal(e.of, 3);
    assert_near(e.sum, 1 - 1.2 / 1.5, 1e-12, 0);
    assert_near(e.most, 1 - 1.2 / 1.5, 1e-12, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_of_a_group),
        cmocka_unit_test(energies_are_in_order),
        cmocka_unit_test(series_of_clocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
