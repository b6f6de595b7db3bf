/* test_support.c - inputs and comparisons that every driver relies on. */
#include "tests/support/test.h"

#include <string.h>

#include "workloads/support.h"

static void generator_is_splitmix64(void **state)
{
    (void)state;
    /* High halves of the published generator's first outputs for seed 1234567. */
    static const uint32_t expected[] = {6457827717110365317u >> 32, 3203168211198807973u >> 32,
                                        9817491932198370423u >> 32, 4593380528125082431u >> 32,
                                        16408922859458223821u >> 32};
    ww__bench bench = {.random = 1234567};
    for (size_t i = 0; i < WW_ARRAY_LEN(expected); i++) {
        assert_int_equal(ww__random_bits(&bench), expected[i]);
    }
}

static void random_numbers_stay_in_their_interval(void **state)
{
    (void)state;
    ww__bench bench = {.random = 1};
    unsigned seen[7] = {0};
    double sum = 0.0;
    for (int i = 0; i < 7000; i++) {
        const uint32_t n = ww__random_below(&bench, 7);
        assert_true(n < 7);
        seen[n]++;
        const float f = ww__random_float(&bench, -2.0f, 4.0f);
        assert_true(f >= -2.0f && f < 4.0f);
        sum += (double)f;
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(seen); i++) {
        assert_near((double)seen[i], 1000.0, 0.0, 150.0); /* five standard deviations */
    }
    assert_near(sum / 7000.0, 1.0, 0.0, 0.11);
}

static void verification_names_the_first_difference(void **state)
{
    (void)state;
    ww_error err = {0};
    ww__bench bench = {.name = "probe", .err = &err};
    static const int32_t actual[] = {1, 2, 4, 5};
    static const int32_t expected[] = {1, 2, 3, 4};
    assert_int_equal(ww__verify_ints(&bench, "cost", actual, expected, 2), WW_OK);
    assert_int_equal(ww__verify_ints(&bench, "cost", actual, expected, 4), WW_EVERIFY);
    assert_string_equal(err.what, "probe: cost[2] = 4, expected 3");
}

static void tolerance_is_absolute_plus_relative(void **state)
{
    (void)state;
    ww_error err = {0};
    ww__bench bench = {.name = "probe", .err = &err};
    static const float actual[] = {100.5f};
    static const double expected[] = {100.0};
    assert_int_equal(ww__verify_floats(&bench, "x", actual, expected, 1, 0.004, 0.1), WW_OK);
    assert_int_equal(ww__verify_floats(&bench, "x", actual, expected, 1, 0.004, 0.09), WW_EVERIFY);
    assert_int_equal(ww__verify_floats(&bench, "x", actual, expected, 1, 0.0, 0.5), WW_OK);
    assert_int_equal(ww__verify_floats(&bench, "x", actual, expected, 1, 0.0, 0.0), WW_EVERIFY);
    assert_non_null(strstr(err.what, "probe: x[0] = 100.5, expected 100"));
}

static void doubles_are_compared_as_doubles(void **state)
{
    (void)state;
    ww_error err = {0};
    ww__bench bench = {.name = "probe", .err = &err};
    static const double actual[] = {1.0, 1.0 + 1e-12};
    static const double expected[] = {1.0, 1.0};
    assert_int_equal(ww__verify_doubles(&bench, "f", actual, expected, 2, 1e-11, 0.0), WW_OK);
    assert_int_equal(ww__verify_doubles(&bench, "f", actual, expected, 2, 1e-13, 0.0), WW_EVERIFY);
    assert_non_null(strstr(err.what, "probe: f[1] = 1, expected 1"));
}

static void not_a_number_is_never_right(void **state)
{
    (void)state;
    ww_error err = {0};
    ww__bench bench = {.name = "probe", .err = &err};
    const float nan_value[] = {NAN};
    const float infinite[] = {INFINITY};
    static const double expected[] = {1.0};
    assert_int_equal(ww__verify_floats(&bench, "x", nan_value, expected, 1, 1.0, 1e30), WW_EVERIFY);
    assert_int_equal(ww__verify_floats(&bench, "x", infinite, expected, 1, 1.0, 1e30), WW_EVERIFY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generator_is_splitmix64),
        cmocka_unit_test(random_numbers_stay_in_their_interval),
        cmocka_unit_test(verification_names_the_first_difference),
        cmocka_unit_test(tolerance_is_absolute_plus_relative),
        cmocka_unit_test(doubles_are_compared_as_doubles),
        cmocka_unit_test(not_a_number_is_never_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
