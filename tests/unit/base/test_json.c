/* test_json.c - is the output JSON, and is misuse reported instead of written? */
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "tests/support/test.h"

static void a_document_in_both_layouts(void **state)
{
    (void)state;
    static const char *const expected[] = {
        "{\"a\": [1, -2, true, null, {}], \"b\": {\"x\": 0.1}, \"e\": []}\n",
        "{\n  \"a\": [\n    1,\n    -2,\n    true,\n    null,\n    {}\n  ],\n"
        "  \"b\": {\n    \"x\": 0.1\n  },\n  \"e\": []\n}\n"};
    for (int i = 0; i < 2; i++) {
        ww_str out = {0};
        ww_json j;
        ww_error err = {0};
        ww_json_init(&j, &out, 2 * i);
        ww_json_object(&j, NULL);
        ww_json_array(&j, "a");
        ww_json_u64(&j, NULL, 1);
        ww_json_i64(&j, NULL, -2);
        ww_json_bool(&j, NULL, true);
        ww_json_text(&j, NULL, NULL);
        ww_json_object(&j, NULL);
        ww_json_end(&j);
        ww_json_end(&j);
        ww_json_object(&j, "b");
        ww_json_double(&j, "x", 0.1);
        ww_json_end(&j);
        ww_json_array(&j, "e");
        ww_json_end(&j);
        ww_json_end(&j);
        assert_ok(ww_json_finish(&j, &err), err);
        assert_string_equal(ww_str_text(&out), expected[i]);
        ww_str_fini(&out);
    }
}

static void strings_are_escaped(void **state)
{
    (void)state;
    static const struct {
        const char *text, *json;
    } cases[] = {
        {"\"\\/\b\f\n\r\t\x01\x1f\x7f", "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\"\n"},
        {"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", "\"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\"\n"},
        {"\xC0\xAF|\xED\xA0\x80|\xFF|\xE2\x82",
         "\"\xEF\xBF\xBD\xEF\xBF\xBD|\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD|\xEF\xBF\xBD|"
         "\xEF\xBF\xBD\xEF\xBF\xBD\"\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ww_str out = {0};
        ww_json j;
        ww_error err = {0};
        ww_json_init(&j, &out, 0);
        ww_json_text(&j, NULL, cases[i].text);
        assert_ok(ww_json_finish(&j, &err), err);
        assert_string_equal(ww_str_text(&out), cases[i].json);
        ww_str_fini(&out);
    }
}

static void misuse(ww_json *j, int which)
{
    ww_json_object(j, NULL);
    switch (which) {
    case 0:
        ww_json_double(j, "leak_w", NAN);
        break;
    case 1:
        ww_json_u64(j, NULL, 1); /* value without key */
        break;
    case 2:
        ww_json_array(j, "a");
        ww_json_u64(j, "k", 1); /* key in an array */
        break;
    case 3:
        return; /* never closed */
    case 4:
        ww_json_end(j);
        ww_json_end(j); /* nothing to close */
        return;
    case 5:
        ww_json_end(j);
        ww_json_null(j, NULL); /* second document */
        return;
    default:
        for (int i = 0; i < WW_JSON_DEPTH; i++) {
            ww_json_object(j, "deeper");
        }
    }
    ww_json_end(j);
}

static void misuse_is_reported(void **state)
{
    (void)state;
    for (int which = 0; which < 7; which++) {
        ww_str out = {0};
        ww_json j;
        ww_error err = {0};
        ww_json_init(&j, &out, 0);
        misuse(&j, which);
        assert_int_equal(ww_json_finish(&j, &err), which == 0 ? WW_ENUMERIC : WW_EINTERNAL);
        if (which == 0) {
            assert_non_null(strstr(err.what, "leak_w"));
        }
        ww_str_fini(&out);
    }
}

static void memory_may_run_out(void **state)
{
    (void)state;
    ww_str out = {0};
    ww_json j;
    ww_json_init(&j, &out, 0);
    ww_mem_fail_after(1);
    ww_json_text(&j, NULL, "x");
    ww_mem_fail_after(0);
    assert_int_equal(ww_json_finish(&j, NULL), WW_ENOMEM);
    ww_str_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_in_both_layouts),
        cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(misuse_is_reported),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
