/* test.h - what every test includes: cmocka in the order it needs, and floating-point comparison
 * that prints. */
#ifndef WW_TESTS_SUPPORT_TEST_H
#define WW_TESTS_SUPPORT_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* Fails unless |a - b| <= abs + rel*|b|; prints both values. cmocka's own float macros go through
 * float. */
#define assert_near(a, b, rel, abs)                                                                \
    do {                                                                                           \
        double near_a_ = (a), near_b_ = (b);                                                       \
        if (!(fabs(near_a_ - near_b_) <= (abs) + (rel)*fabs(near_b_))) {                           \
            fail_msg("%s = %.17g, expected %.17g (rel %g, abs %g)", #a, near_a_, near_b_,          \
                     (double)(rel), (double)(abs));                                                \
        }                                                                                          \
    } while (0)

/* Fails with the error's own text unless expr is WW_OK; err is a ww_error variable. */
#define assert_ok(expr, err)                                                                       \
    do {                                                                                           \
        ww_status ok_status_ = (expr);                                                             \
        if (ok_status_ != WW_OK) {                                                                 \
            fail_msg("%s: %s:%d: %s", #expr, (err).file, (err).line, (err).what);                  \
        }                                                                                          \
    } while (0)

#endif
