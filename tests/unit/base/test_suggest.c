/* test_suggest.c - is the suggestion the word that was meant? */
#include <string.h>

#include "base/suggest.h"
#include "tests/support/test.h"

static void distances(void **state)
{
    (void)state;
    assert_int_equal(ww_edit_distance("", ""), 0);
    assert_int_equal(ww_edit_distance("", "abc"), 3);
    assert_int_equal(ww_edit_distance("kitten", "sitting"), 3);
    assert_int_equal(ww_edit_distance("abcd", "abdc"), 1); /* neighbours swapped */
    assert_int_equal(ww_edit_distance("ca", "abc"), 3);    /* no edit inside a swap */
    assert_int_equal(ww_edit_distance("GTX580", "gtx580"), 0);
    char longer[300];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(ww_edit_distance(longer, ""), 64);
}

static const char *best(const char *word)
{
    static const char *const keys[] = {"sm.count", "sm.schedulers", "sm.scheduler", "l1d.bytes",
                                       "l2.bytes"};
    ww_suggest s;
    ww_suggest_init(&s, word);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        ww_suggest_offer(&s, keys[i]);
    }
    return s.best;
}

static void near_words_are_offered_and_far_ones_not(void **state)
{
    (void)state;
    assert_string_equal(best("sm.schedulrs"), "sm.schedulers");
    assert_string_equal(best("l1d.byte"), "l1d.bytes");
    assert_null(best("power.factor"));
    assert_null(best(""));
    ww_suggest s;
    char text[64];
    ww_suggest_init(&s, "gtx58");
    assert_string_equal(ww_suggest_text(&s, text, sizeof text), "");
    ww_suggest_offer(&s, "gtx580");
    assert_string_equal(ww_suggest_text(&s, text, sizeof text), "; did you mean 'gtx580'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances),
        cmocka_unit_test(near_words_are_offered_and_far_ones_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
