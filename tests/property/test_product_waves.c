/* test_product_waves.c - do some waves of a shallow product's CTAs stand for all? */
#include "tests/support/product_parts.h"

/* 10,528 tiles of 64 x 64 on the places of 756: fourteen waves, of which five are run. */
static void waves_in_the_midst_stand_for_others(void **state)
{
    (void)state;
    const cycles c = product((uint64_t)94 * 128, (uint64_t)28 * 128, 64);
    assert_true(c.simulated < 0.4);
    assert_near(c.parts, c.whole, 0.02, 0);
}

/* Seven waves: when the last CTAs end depends on how far they are out of step. */
static void few_waves_are_all_run(void **state)
{
    (void)state;
    const cycles c = product((uint64_t)94 * 128, (uint64_t)14 * 128, 64);
    assert_true(c.simulated > 0.99);
    assert_near(c.parts, c.whole, 0.001, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waves_in_the_midst_stand_for_others),
        cmocka_unit_test(few_waves_are_all_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
