/* Does the lexer read PTX's words and numbers in all their spellings, know where it is, and refuse
 * the rest? */
#include <string.h>

#include "perf/ptx/parse/lexer.h"
#include "tests/support/test.h"

static ptx_token only(const char *text)
{
    ptx_lexer lexer;
    ptx_token token, end;
    ww_error err = {0};
    ww__lexer_init(&lexer, "t", text, strlen(text));
    assert_ok(ww__lexer_next(&lexer, &token, &err), err);
    assert_ok(ww__lexer_next(&lexer, &end, &err), err);
    assert_int_equal(end.kind, PTX_TOK_END);
    return token;
}

static void integers(void **state)
{
    static const struct {
        const char *text;
        uint64_t value;
    } rows[] = {{"0", 0},
                {"42", 42},
                {"0x1F", 31},
                {"0XfF", 255},
                {"017", 15},
                {"0b101", 5},
                {"7U", 7},
                {"0xffffffffffffffff", UINT64_MAX},
                {"18446744073709551615", UINT64_MAX},
                {"0x10U", 16},
                {"0B11U", 3}};
    (void)state;
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        ptx_token t = only(rows[i].text);
        assert_int_equal(t.kind, PTX_TOK_INT);
        assert_true(t.value == rows[i].value);
    }
}

static void floats(void **state)
{
    (void)state;
    ptx_token t = only("0f3F800000");
    assert_int_equal(t.kind, PTX_TOK_F32);
    assert_int_equal(t.value, 0x3f800000);
    t = only("0d3FF0000000000000");
    assert_int_equal(t.kind, PTX_TOK_F64);
    assert_true(t.value == 0x3ff0000000000000ull);
    t = only("0F7fc00001"); /* a NaN keeps its payload */
    assert_int_equal(t.value, 0x7fc00001);
    static const struct {
        const char *text;
        double value;
    } rows[] = {{"1.5", 1.5}, {"0.25", 0.25}, {"1e3", 1e3}, {"2.5E-2", 2.5e-2}};
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        double value;
        t = only(rows[i].text);
        assert_int_equal(t.kind, PTX_TOK_F64);
        memcpy(&value, &t.value, sizeof value);
        assert_near(value, rows[i].value, 0, 0);
    }
}

static void words(void **state)
{
    (void)state;
    static const char *const names[] = {"%r1",  "$L__BB0_2", "_",  "_ZN3fooEv",
                                        "temp", "%SPL",      "a$b"};
    for (size_t i = 0; i < WW_ARRAY_LEN(names); i++) {
        ptx_token t = only(names[i]);
        assert_int_equal(t.kind, PTX_TOK_NAME);
        assert_int_equal(t.length, strlen(names[i]));
    }
    static const char *const dots[] = {".global", ".1d", ".L2::cache_hint", ".shared::cta", ".v4"};
    for (size_t i = 0; i < WW_ARRAY_LEN(dots); i++) {
        ptx_token t = only(dots[i]);
        assert_int_equal(t.kind, PTX_TOK_DOT);
        assert_int_equal(t.length, strlen(dots[i]) - 1);
    }
    assert_int_equal(only("<<").punct, PTX_P_SHL);
    assert_int_equal(only("%").punct, '%');
    assert_int_equal(only("\"a\\\"b\"").length, 4);
}

static void places_and_comments(void **state)
{
    (void)state;
    const char *text = "// one\n/* two\n */  x\r\n\ty";
    ptx_lexer lexer;
    ptx_token t;
    ww_error err = {0};
    ww__lexer_init(&lexer, "t", text, strlen(text));
    assert_ok(ww__lexer_next(&lexer, &t, &err), err);
    assert_int_equal(t.loc.line, 3);
    assert_int_equal(t.loc.column, 6);
    assert_ok(ww__lexer_next(&lexer, &t, &err), err);
    assert_int_equal(t.loc.line, 4);
    assert_int_equal(t.loc.column, 2);
}

static void padding_ends_the_text(void **state)
{
    (void)state;
    ptx_lexer lexer;
    ptx_token t;
    ww_error err = {0};
    ww__lexer_init(&lexer, "t", "x\0\0", 3);
    assert_ok(ww__lexer_next(&lexer, &t, &err), err);
    assert_ok(ww__lexer_next(&lexer, &t, &err), err);
    assert_int_equal(t.kind, PTX_TOK_END);
    ww__lexer_init(&lexer, "t", "\0x", 2);
    assert_int_equal(ww__lexer_next(&lexer, &t, &err), WW_EPARSE);
}

static void refusals(void **state)
{
    static const char *const bad[] = {
        "0f123",       "0d12",   "0x",        "0b2", "08", "99999999999999999999",
        "12ab",        "\"open", "\"a\nb",    "#",   ".",  "/* ",
        "0f3F8000001", "\x80",   "1e99999999"};
    (void)state;
    for (size_t i = 0; i < WW_ARRAY_LEN(bad); i++) {
        ptx_lexer lexer;
        ptx_token t;
        ww_error err = {0};
        ww__lexer_init(&lexer, "t", bad[i], strlen(bad[i]));
        if (ww__lexer_next(&lexer, &t, &err) != WW_EPARSE) {
            fail_msg("'%s' was accepted", bad[i]);
        }
        assert_int_equal(err.line, 1);
        assert_int_equal(err.column, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),
        cmocka_unit_test(floats),
        cmocka_unit_test(words),
        cmocka_unit_test(places_and_comments),
        cmocka_unit_test(padding_ends_the_text),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
