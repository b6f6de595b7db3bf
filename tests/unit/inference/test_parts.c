/* test_parts.c - do the parts of an operator that are simulated come to what all of it takes? */
#include "tests/support/product_parts.h"

/* 108 tiles, one on each SM, to a depth that is followed from 96 and 192. */
static void a_deep_product_is_followed_from_shallow_ones(void **state)
{
    (void)state;
    const cycles c = product((uint64_t)27 * 128, (uint64_t)4 * 128, 512);
    assert_true(c.simulated < 0.6);
    assert_near(c.parts, c.whole, 0.01, 0);
}

/* 216 tiles, two on each SM, of which some write their results while others are half way: what lies
 * beyond has one such end, not many. */
static void results_are_written_once(void **state)
{
    (void)state;
    const cycles c = product((uint64_t)27 * 128, (uint64_t)8 * 128, 384);
    assert_true(c.simulated < 0.8);
    assert_near(c.parts_written, c.whole_written, 0.05, 0);
    assert_near(c.parts, c.whole, 0.03, 0);
}

/* 288 tiles: of two or three on an SM the last ones go on by themselves when others have ended. */
static void tiles_that_are_left_alone_take_longer(void **state)
{
    (void)state;
    const cycles c = product(2304, 1024, 384);
    assert_true(c.simulated < 0.8);
    assert_near(c.parts, c.whole, 0.02, 0);
}

/* 324 tiles on 216 places: a wave that goes on as it does where it is steady, and a last one, of a
 * tile on each SM, by itself. */
static void a_last_wave_is_followed_by_itself(void **state)
{
    (void)state;
    const cycles c = product((uint64_t)27 * 128, (uint64_t)12 * 128, 256);
    assert_near(c.parts, c.whole, 0.03, 0);
}

/* 128 tiles, which slices of K fill SMs with, are run to their whole depth: two rounds of CTAs that
 * do not overlap go on otherwise than the first one does. */
static void slices_are_run_to_their_depth(void **state)
{
    (void)state;
    const cycles c = product(1024, 512, 960);
    assert_int_equal(c.slices, 4);
    assert_true(c.simulated > 0.99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_deep_product_is_followed_from_shallow_ones),
        cmocka_unit_test(results_are_written_once),
        cmocka_unit_test(tiles_that_are_left_alone_take_longer),
        cmocka_unit_test(a_last_wave_is_followed_by_itself),
        cmocka_unit_test(slices_are_run_to_their_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
