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
    assert_int_equal(ww_fail_at(&err, WW_EPARSE, "a.xml", 3, 0, "bad"), WW_EPARSE);
    assert_string_equal(ww_error_format(&err, text, sizeof text), "a.xml:3: error: bad [EPARSE]");
    assert_int_equal(ww_fail_at(&err, WW_EPARSE, "a.xml", 3, 9, "bad"), WW_EPARSE);
    assert_string_equal(ww_error_format(&err, text, sizeof text), "a.xml:3:9: error: bad [EPARSE]");
}

static void prefix_keeps_place_and_survives_truncation(void **state)
{
    (void)state;
    ww_error err = {0};
    assert_int_equal(ww_fail_at(&err, WW_ERANGE, "f", 2, 0, "too big"), WW_ERANGE);
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

static void a_failed_allocation_says_what_for(void **state)
{
    (void)state;
    ww_error err = {0};
    assert_int_equal(ww_no_memory(&err), WW_ENOMEM);
    assert_string_equal(err.what, "out of memory");
    assert_int_equal(ww_no_memory_for(&err, "%d maps", 3), WW_ENOMEM);
    assert_int_equal(err.code, WW_ENOMEM);
    assert_string_equal(err.what, "out of memory for 3 maps");
    assert_int_equal(ww_no_memory_in(&err, "a.ptx"), WW_ENOMEM);
    assert_string_equal(err.file, "a.ptx");
    assert_int_equal(ww_no_memory_for(NULL, "nobody"), WW_ENOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(format_shows_as_much_place_as_known),
        cmocka_unit_test(prefix_keeps_place_and_survives_truncation),
        cmocka_unit_test(null_error_is_allowed),
        cmocka_unit_test(a_failed_allocation_says_what_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
