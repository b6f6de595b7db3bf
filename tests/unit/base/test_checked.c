/* test_checked.c - does what just fits fit, and what is one more not? */
#include "base/checked.h"

#include "tests/support/test.h"

static void products_fit_up_to_the_largest_size(void **state)
{
    (void)state;
    size_t n = 0;
    assert_true(ww_mul_fits(SIZE_MAX / 3, 3, &n));
    assert_int_equal(n, SIZE_MAX / 3 * 3);
    assert_true(ww_mul_fits(SIZE_MAX, 1, &n) && n == SIZE_MAX);
    assert_true(ww_mul_fits(SIZE_MAX, 0, &n) && n == 0);
    assert_false(ww_mul_fits(SIZE_MAX / 4 + 1, 4, &n));
    assert_false(ww_mul_fits(UINT64_C(1) << 32, UINT64_C(1) << 32, &n));
}

static void sums_fit_up_to_the_largest_size(void **state)
{
    (void)state;
    size_t n = 0;
    assert_true(ww_add_fits(SIZE_MAX - 7, 7, &n) && n == SIZE_MAX);
    assert_false(ww_add_fits(SIZE_MAX - 7, 8, &n));
}

static void multiples_fit_up_to_the_last_one(void **state)
{
    (void)state;
    size_t n = 0;
    assert_true(ww_align_up_fits(0, 512, &n) && n == 0);
    assert_true(ww_align_up_fits(513, 512, &n) && n == 1024);
    assert_true(ww_align_up_fits(SIZE_MAX - 511, 512, &n) && n == SIZE_MAX - 511);
    assert_false(ww_align_up_fits(SIZE_MAX - 510, 512, &n));
    assert_true(ww_align_up_fits(7, 6, &n) && n == 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_fit_up_to_the_largest_size),
        cmocka_unit_test(sums_fit_up_to_the_largest_size),
        cmocka_unit_test(multiples_fit_up_to_the_last_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
