/* Does the JSON reader read what RFC 8259 allows, and nothing else? */
#include <string.h>

#include "base/json_read.h"
#include "tests/support/test.h"

static ww_status parse(ww_arena *arena, const char *text, const ww_json_value **out, ww_error *err)
{
    return ww_json_parse("test.json", text, strlen(text), arena, out, err);
}

static void document(void **state)
{
    (void)state;
    ww_arena arena = {0};
    ww_error err = {0};
    const ww_json_value *v = NULL;
    assert_ok(parse(&arena,
                    " {\"name\": \"a\\u00e9\\n\\ud83d\\ude00\\\"\", \"n\": [1, -2.5e3, 0], \"t\": "
                    "true, \"o\": {}, \"z\": null} ",
                    &v, &err),
              err);
    assert_string_equal(ww_json_get_text(v, "name", ""), "a\xC3\xA9\n\xF0\x9F\x98\x80\"");
    const ww_json_value *n = ww_json_get(v, "n");
    assert_int_equal(n->kind, WW_JSON_ARRAY);
    assert_near(n->first->next->number, -2500, 0, 0);
    assert_null(n->first->next->next->next);
    assert_true(ww_json_get(v, "t")->boolean);
    assert_null(ww_json_get(v, "o")->first);
    assert_int_equal(ww_json_get(v, "z")->kind, WW_JSON_NULL);
    assert_null(ww_json_get(ww_json_get(v, "absent"), "deeper"));
    assert_near(ww_json_get_number(v, "name", 7), 7, 0, 0);
    ww_arena_fini(&arena);
}

static void refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        " ",
        "{",
        "[1,",
        "[1,]",
        "{\"a\"}",
        "{\"a\":1,}",
        "{a:1}",
        "nul",
        "\"open",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\u0000\"",
        "\"\x01\"",
        "\"\xff\"",
        "01",
        "+1",
        ".5",
        "1.",
        "1e",
        "1 2",
        "{\"a\":1,\"a\":2}",
        "\"\\",
        "[1 2]",
        "1e999",
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(bad); i++) {
        ww_arena arena = {0};
        ww_error err = {0};
        const ww_json_value *v = NULL;
        if (parse(&arena, bad[i], &v, &err) != WW_EPARSE) {
            fail_msg("accepted: %s", bad[i]);
        }
        ww_arena_fini(&arena);
    }
}

static void errors_are_located(void **state)
{
    (void)state;
    ww_arena arena = {0};
    ww_error err = {0};
    const ww_json_value *v = NULL;
    assert_int_equal(parse(&arena, "{\"a\": 1,\n \"b\": ?}", &v, &err), WW_EPARSE);
    assert_int_equal(err.line, 2);
    assert_int_equal(err.column, 7);
    ww_arena_fini(&arena);
}

static void depth_is_bounded(void **state)
{
    (void)state;
    ww_arena arena = {0};
    ww_error err = {0};
    const ww_json_value *v = NULL;
    char text[200000];
    memset(text, '[', sizeof text);
    assert_int_equal(ww_json_parse("deep", text, sizeof text, &arena, &v, &err), WW_EPARSE);
    assert_non_null(strstr(err.what, "deeply"));
    ww_arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(document),
        cmocka_unit_test(refused),
        cmocka_unit_test(errors_are_located),
        cmocka_unit_test(depth_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
