/* test_status.c - do errors carry and print their place? */
#include <string.h>

#include "base/status.h"
#include "tests/support/test.h"

static void format_shows_as_much_place_as_known(void **state)
{
    (void)state;
    ww_error err = {0};
    char text[256];
    assert_int_equal(ww_fail(&err, WW_EIO, "disk %d", 7), WW_EIO);
    assert_string_equal(ww_error_format(&err, text, sizeof text), "error: disk 7 [EIO]");
    ww_fail_at(&err, WW_EPARSE, "a.xml", 3, 0, "bad");
    assert_string_equal(ww_error_format(&err, text, sizeof text), "a.xml:3: error: bad [EPARSE]");
    ww_fail_at(&err, WW_EPARSE, "a.xml", 3, 9, "bad");
    assert_string_equal(ww_error_format(&err, text, sizeof text), "a.xml:3:9: error: bad [EPARSE]");
}

static void prefix_keeps_place_and_survives_truncation(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_fail_at(&err, WW_ERANGE, "f", 2, 0, "too big");
    ww_error_prefix(&err, "loading %s: ", "x");
    assert_string_equal(err.what, "loading x: too big");
    assert_int_equal(err.line, 2);
    char longer[sizeof err.what + 1];
    memset(longer, 'y', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    ww_error_prefix(&err, "%s", longer); /* does not fit: the text must survive */
    assert_string_equal(err.what, "loading x: too big");
    for (int i = 0; i < 200; i++) {
        ww_error_prefix(&err, "0123456789");
    }
    assert_true(strlen(err.what) < sizeof err.what);
}

static void null_error_is_allowed(void **state)
{
    (void)state;
    assert_int_equal(ww_fail(NULL, WW_ENOMEM, "x"), WW_ENOMEM);
    ww_error_prefix(NULL, "x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(format_shows_as_much_place_as_known),
        cmocka_unit_test(prefix_keeps_place_and_survives_truncation),
        cmocka_unit_test(null_error_is_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
