/* test_str.c - does a growable string grow, and remember that it could not? */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tests/support/test.h"

static void grows_through_every_size(void **state)
{
    (void)state;
    ww_str s = {0};
    assert_string_equal(ww_str_text(&s), "");
    for (int i = 0; i < 1000; i++) {
        ww_str_addf(&s, "%03d,", i);
        assert_int_equal(s.len, 4 * (i + 1));
        assert_int_equal(strlen(s.data), s.len);
    }
    assert_memory_equal(s.data + 4 * 567, "567,", 4);
    ww_str_clear(&s);
    assert_string_equal(ww_str_text(&s), "");
    ww_str_add_n(&s, "a\0b", 3);
    assert_int_equal(s.len, 3);
    ww_str_fini(&s);
    ww_str_fini(&s);
}

static void failure_is_sticky_until_cleared(void **state)
{
    (void)state;
    ww_str s = {0};
    ww_error err = {0};
    ww_str_add(&s, "kept");
    ww_mem_fail_after(1);
    char long_text[200];
    memset(long_text, 'x', sizeof long_text);
    ww_str_add_n(&s, long_text, sizeof long_text);
    ww_str_add(&s, "more");
    assert_string_equal(ww_str_text(&s), "kept");
    assert_int_equal(ww_str_check(&s, &err), WW_ENOMEM);
    assert_null(ww_str_take(&s));
    ww_str_add(&s, "again");
    assert_int_equal(ww_str_check(&s, NULL), WW_OK);
    ww_str_fini(&s);
}

static void take_hands_over_even_an_empty_text(void **state)
{
    (void)state;
    ww_str s = {0};
    char *text = ww_str_take(&s);
    assert_string_equal(text, "");
    ww_free(text);
    ww_str_add_double(&s, 0.1);
    ww_str_add_char(&s, '!');
    text = ww_str_take(&s);
    assert_string_equal(text, "0.1!");
    assert_int_equal(s.len, 0);
    ww_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_through_every_size),
        cmocka_unit_test(failure_is_sticky_until_cleared),
        cmocka_unit_test(take_hands_over_even_an_empty_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
