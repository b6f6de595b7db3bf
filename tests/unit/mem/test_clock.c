/* test_clock.c - do derived clocks keep their exact ratio, stepped or jumped? */
#include "perf/mem/clock.h"
#include "tests/support/test.h"

static uint64_t stepped(ww_clock *clock, uint64_t core_cycles)
{
    for (uint64_t i = 0; i < core_cycles; i++) {
        clock->cycle += ww__clock_enter(clock);
    }
    return clock->cycle;
}

static void ratio_is_exact_after_many_cycles(void **state)
{
    (void)state;
    ww_clock clock;
    ww__clock_init(&clock, 924e6, 700e6);
    assert_int_equal(clock.hz, 33);
    assert_int_equal(clock.core_hz, 25);
    assert_int_equal(stepped(&clock, 25), 33);
    ww__clock_jump(&clock, UINT64_C(25) * 1000000000);
    assert_int_equal(clock.cycle, UINT64_C(33) * 1000000001);
}

static void odd_frequencies_do_not_overflow(void **state)
{
    (void)state;
    ww_clock clock;
    ww__clock_init(&clock, 9999999967.0, 4999999937.0); /* coprime */
    ww__clock_jump(&clock, UINT64_C(4999999937) * 1000);
    assert_int_equal(clock.cycle, UINT64_C(9999999967) * 1000);
}

static void jump_equals_steps(void **state)
{
    (void)state;
    const double hz[] = {350e6, 700e6, 924e6, 2500e6, 701234567.0};
    for (size_t i = 0; i < sizeof(hz) / sizeof(hz[0]); i++) {
        ww_clock a, b;
        ww__clock_init(&a, hz[i], 700e6);
        ww__clock_init(&b, hz[i], 700e6);
        for (uint64_t k = 1; k < 40; k++) {
            stepped(&a, k);
            ww__clock_jump(&b, k);
            assert_int_equal(a.cycle, b.cycle);
            assert_int_equal(a.phase, b.phase);
        }
    }
}

static void distance_is_the_first_core_cycle_that_reaches(void **state)
{
    (void)state;
    const double hz[] = {100e6, 700e6, 924e6, 2500e6};
    for (size_t i = 0; i < sizeof(hz) / sizeof(hz[0]); i++) {
        for (uint64_t start = 0; start < 8; start++) {
            for (uint64_t target = 1; target < 30; target++) {
                ww_clock clock;
                ww__clock_init(&clock, hz[i], 700e6);
                ww__clock_jump(&clock, start);
                uint64_t k = ww__clock_distance(&clock, target);
                ww_clock before = clock, at = clock;
                ww__clock_jump(&before, k - 1);
                ww__clock_jump(&at, k);
                assert_true(at.cycle >= target);
                assert_true(k == 1 || before.cycle < target);
            }
        }
    }
}

/* DRAM at 1000 MHz beside a core at 700 and then 500 MHz: 700 core cycles are 1000 of its own, and
 * a third of one that had begun is still a third. */
static void another_core_clock_goes_on_from_the_same_point(void **state)
{
    (void)state;
    ww_clock clock;
    ww__clock_init(&clock, 1000e6, 700e6);
    ww__clock_jump(&clock, 700);
    ww__clock_change(&clock, 1000e6, 500e6);
    ww__clock_jump(&clock, 500);
    assert_int_equal(clock.cycle, 2000);
    ww__clock_init(&clock, 1000e6, 300e6);
    ww__clock_jump(&clock, 1); /* 3 1/3 */
    ww__clock_change(&clock, 1000e6, 600e6);
    assert_int_equal(clock.phase, 1); /* of 3 */
    assert_int_equal(clock.cycle, 3);
    ww__clock_jump(&clock, 2); /* and 3 1/3 */
    assert_int_equal(clock.cycle, 6);
    assert_int_equal(clock.phase, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ratio_is_exact_after_many_cycles),
        cmocka_unit_test(odd_frequencies_do_not_overflow),
        cmocka_unit_test(jump_equals_steps),
        cmocka_unit_test(distance_is_the_first_core_cycle_that_reaches),
        cmocka_unit_test(another_core_clock_goes_on_from_the_same_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
