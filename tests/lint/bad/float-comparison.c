/* Doubles compared as floats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void ww_compare(double a, double b);

void ww_compare(double a, double b)
{
    assert_true(a > 0);
    assert_float_equal(a, b, 1e-9);     /* refused: float-comparison */
    assert_float_not_equal(a, b, 1e-9); /* refused: float-comparison */
}
