/* test_share.c - how much of a launch is done, for launches whose work is known. */
#include "tests/support/test.h"

#include "perf/gpu/share.h"

/* Seven CTAs of about 1,000 instructions each side by side; the first ends when 6,900 are issued.
 */
static void one_wave_that_ends_together(void **state)
{
    (void)state;
    ww_share s = {0};
    assert_near(ww_share_done(&s, 7, 0, 7, 1000), 0, 0, 0); /* nothing is known */
    assert_near(ww_share_done(&s, 7, 0, 7, 6000), 0, 0, 0);
    double share = ww_share_done(&s, 7, 1, 6, 6900);
    assert_true(share > 0.85 && share <= 1); /* not the seventh that has ended */
    assert_true(ww_share_done(&s, 7, 6, 1, 6990) >= share);
}

/* Four waves of ten CTAs of 100 instructions, one wave after the other. */
static void waves_are_seen_from_within(void **state)
{
    (void)state;
    ww_share s = {0};
    ww_share_done(&s, 40, 0, 10, 950);
    assert_near(ww_share_done(&s, 40, 10, 10, 1000), 0.25, 0.3, 0);
    assert_near(ww_share_done(&s, 40, 10, 10, 1800), 0.45, 0.2, 0);
    assert_near(ww_share_done(&s, 40, 20, 10, 2500), 0.625, 0.1, 0);
    assert_near(ww_share_done(&s, 40, 30, 10, 3900), 0.975, 0.1, 0);
}

/* CTAs that end long after the first: never more than what has begun, never less than what has
 * ended, never back. */
static void uneven_work_stays_in_bounds(void **state)
{
    (void)state;
    ww_share s = {0};
    double last = 0;
    ww_share_done(&s, 100, 0, 20, 200);
    for (uint64_t ended = 1; ended <= 100; ended++) {
        uint64_t live = ended < 80 ? 20 : 100 - ended;
        double share = ww_share_done(&s, 100, ended, live, 200 + 1000 * ended);
        assert_true(share >= (double)ended / 100 && share <= (double)(ended + live) / 100);
        assert_true(share >= last);
        last = share;
    }
    assert_near(last, 1, 0, 1e-12);
}

static void an_empty_launch_is_not_known(void **state)
{
    (void)state;
    ww_share s = {0};
    assert_near(ww_share_done(&s, 0, 0, 0, 0), 0, 0, 0);
    assert_near(ww_share_done(&s, 4, 4, 0, 0), 1, 0, 0); /* kernels of no instructions */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_wave_that_ends_together),
        cmocka_unit_test(waves_are_seen_from_within),
        cmocka_unit_test(uneven_work_stays_in_bounds),
        cmocka_unit_test(an_empty_launch_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
