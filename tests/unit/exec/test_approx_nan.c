/* Do the approximations stay within what C defines for numbers that are none? Compiled with traps
 * on conversions out of range. */
#include <math.h>

#include "perf/exec/lanes/approx.h"
#include "tests/support/test.h"

static void no_number_is_converted(void **state)
{
    (void)state;
    volatile double nan = (double)NAN, large = (double)INFINITY, small = -large;
    assert_true(isnan(ww__approx_ex2(nan)));
    assert_true(ww__approx_ex2(large) > 1e60);
    assert_true(ww__approx_ex2(small) < 1e-60);
    assert_true(ww__approx_ex2(3.0) == 8.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_number_is_converted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
