/* json.c - a streaming JSON writer. */
#include "base/json.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"

void ww_json_init(ww_json *j, ww_str *out, int indent)
{
    *j = (ww_json){.out = out, .indent = indent};
}

static void newline(ww_json *j, int depth)
{
    if (j->indent > 0) {
        ww_str_add_char(j->out, '\n');
        for (int i = depth * j->indent; i > 0; i--) {
            ww_str_add_char(j->out, ' ');
        }
    }
}

/* Bytes at the front of text that stand in quotes as they are: printable ASCII, but for two. */
static size_t plain_bytes(const unsigned char *text)
{
    size_t n = 0;
    while (text[n] >= 0x20 && text[n] < 0x7F && text[n] != '"' && text[n] != '\\') {
        n++;
    }
    return n;
}

static void add_quoted(ww_str *out, const char *text)
{
    static const char short_escapes[] = "\"\"\\\\\bb\ff\nn\rr\tt"; /* pairs: character, escape */
    ww_str_add_char(out, '"');
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0';) {
        const size_t plain = plain_bytes(p);
        if (plain > 0) {
            ww_str_add_n(out, (const char *)p, plain);
            p += plain;
            continue;
        }
        const char *escape = NULL;
        for (size_t i = 0; i + 1 < sizeof short_escapes && escape == NULL; i += 2) {
            escape = (unsigned char)short_escapes[i] == *p ? &short_escapes[i + 1] : NULL;
        }
        size_t n = ww_utf8_length((const char *)p);
        if (escape != NULL) {
            ww_str_addf(out, "\\%c", *escape);
        } else if (*p < 0x20 || *p == 0x7F) {
            ww_str_addf(out, "\\u%04x", *p);
        } else if (n == 0) {
            ww_str_add(out, "\xEF\xBF\xBD"); /* U+FFFD */
        } else {
            ww_str_add_n(out, (const char *)p, n);
        }
        p += n > 0 ? n : 1;
    }
    ww_str_add_char(out, '"');
}

static void fail_json(ww_json *j, ww_status code, const char *what, const char *key)
{
    if (j->error.code == WW_OK) {
        WW_DROP(ww_fail(&j->error, code, "JSON: %s%s%s%s", what, key != NULL ? " at '" : "",
                        key != NULL ? key : "", key != NULL ? "'" : "")); /* kept until the end */
    }
}

/* Everything that precedes a value: comma, line break, key. False when nothing may be written. */
static bool begin_value(ww_json *j, const char *key)
{
    if (j->error.code != WW_OK) {
        return false;
    }
    if (j->depth == 0) {
        if (j->done || key != NULL) {
            fail_json(j, WW_EINTERNAL, j->done ? "second top-level value" : "key outside an object",
                      key);
            return false;
        }
        j->done = true;
        return true;
    }
    int level = j->depth - 1;
    WW_ASSERT(level >= 0 && level < WW_JSON_DEPTH);
    if (j->is_array[level] != (key == NULL)) {
        fail_json(j, WW_EINTERNAL,
                  key == NULL ? "value without key in an object" : "key in an array", key);
        return false;
    }
    if (j->has_items[level]) {
        ww_str_add(j->out, j->indent > 0 ? "," : ", ");
    }
    j->has_items[level] = true;
    newline(j, j->depth);
    if (key != NULL) {
        add_quoted(j->out, key);
        ww_str_add(j->out, ": ");
    }
    return true;
}

static void open_level(ww_json *j, const char *key, bool array)
{
    if (j->depth == WW_JSON_DEPTH) {
        fail_json(j, WW_EINTERNAL, "nested too deeply", key);
    }
    if (begin_value(j, key)) {
        WW_ASSERT(j->depth < WW_JSON_DEPTH);
        j->is_array[j->depth] = array;
        j->has_items[j->depth] = false;
        j->depth++;
        ww_str_add_char(j->out, array ? '[' : '{');
    }
}

void ww_json_object(ww_json *j, const char *key)
{
    open_level(j, key, false);
}

void ww_json_array(ww_json *j, const char *key)
{
    open_level(j, key, true);
}

void ww_json_end(ww_json *j)
{
    if (j->depth == 0) {
        fail_json(j, WW_EINTERNAL, "nothing to close", NULL);
    }
    if (j->error.code != WW_OK) {
        return;
    }
    j->depth--;
    WW_ASSERT(j->depth >= 0 && j->depth < WW_JSON_DEPTH);
    if (j->has_items[j->depth]) {
        newline(j, j->depth);
    }
    ww_str_add_char(j->out, j->is_array[j->depth] ? ']' : '}');
}

void ww_json_text(ww_json *j, const char *key, const char *text)
{
    if (text == NULL) {
        ww_json_null(j, key);
    } else if (begin_value(j, key)) {
        add_quoted(j->out, text);
    }
}

void ww_json_double(ww_json *j, const char *key, double value)
{
    if (!isfinite(value)) {
        fail_json(j, WW_ENUMERIC, "number is not finite", key != NULL ? key : "array element");
    }
    if (begin_value(j, key)) {
        ww_str_add_double(j->out, value);
    }
}

void ww_json_double_or_null(ww_json *j, const char *key, double value)
{
    if (isfinite(value)) {
        ww_json_double(j, key, value);
    } else {
        ww_json_null(j, key);
    }
}

void ww_json_u64(ww_json *j, const char *key, uint64_t value)
{
    if (begin_value(j, key)) {
        ww_str_addf(j->out, "%llu", (unsigned long long)value);
    }
}

void ww_json_i64(ww_json *j, const char *key, int64_t value)
{
    if (begin_value(j, key)) {
        ww_str_addf(j->out, "%lld", (long long)value);
    }
}

void ww_json_bool(ww_json *j, const char *key, bool value)
{
    if (begin_value(j, key)) {
        ww_str_add(j->out, value ? "true" : "false");
    }
}

void ww_json_null(ww_json *j, const char *key)
{
    if (begin_value(j, key)) {
        ww_str_add(j->out, "null");
    }
}

ww_status ww_json_finish(ww_json *j, ww_error *err)
{
    if (j->error.code == WW_OK && (j->depth != 0 || !j->done)) {
        fail_json(j, WW_EINTERNAL, "document is not complete", NULL);
    }
    if (j->error.code != WW_OK) {
        return ww_fail(err, j->error.code, "%s", j->error.what);
    }
    ww_str_add_char(j->out, '\n');
    return ww_str_check(j->out, err);
}
