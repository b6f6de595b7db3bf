/* json_read.c - a recursive-descent JSON reader of bounded depth. */
#include "base/json_read.h"

#include <string.h>

#include "base/file.h"
#include "base/num.h"
#include "base/str.h"

typedef struct reader {
    const char *name, *text, *p, *end; /* text is terminated at end */
    ww_arena *arena;
    int depth;
    ww_error *err;
} reader;

static ww_status fail_here(const reader *r, const char *what)
{
    int line = 1, column = 1;
    for (const char *p = r->text; p < r->p; p++) {
        line += *p == '\n';
        column = *p == '\n' ? 1 : column + 1;
    }
    return ww_fail_at(r->err, WW_EPARSE, r->name, line, column, "JSON: %s", what);
}

static ww_status no_memory(const reader *r)
{
    return ww_no_memory_in(r->err, r->name);
}

static void skip_space(reader *r)
{
    while (r->p < r->end && strchr(" \t\r\n", *r->p) != NULL) {
        r->p++;
    }
}

/* Skips space, then c when it comes next. */
static bool accept(reader *r, char c)
{
    skip_space(r);
    if (r->p < r->end && *r->p == c) {
        r->p++;
        return true;
    }
    return false;
}

/* ---- texts ---- */

static bool read_hex4(reader *r, unsigned *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++, r->p++) {
        static const char digits[] = "0123456789abcdef";
        char c = r->p < r->end ? *r->p : '\0';
        c = c >= 'A' && c <= 'F' ? (char)(c - 'A' + 'a') : c;
        const char *digit = c != '\0' ? strchr(digits, c) : NULL;
        if (digit == NULL) {
            return false;
        }
        *out = *out * 16 + (unsigned)(digit - digits);
    }
    return true;
}

static char *put_utf8(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    } else {
        *to++ = (char)(0xF0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3F));
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    }
    return to;
}

/* Behind a backslash and 'u'; a pair of surrogates is one character, and the zero character has no
 * place in a C string. */
static ww_status read_unicode(reader *r, char **to)
{
    unsigned code = 0, low = 0;
    bool ok = read_hex4(r, &code);
    if (ok && code >= 0xD800 && code < 0xDC00) {
        ok = r->end - r->p > 2 && r->p[0] == '\\' && r->p[1] == 'u';
        r->p += ok ? 2 : 0;
        ok = ok && read_hex4(r, &low) && low >= 0xDC00 && low < 0xE000;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else {
        ok = ok && !(code >= 0xDC00 && code < 0xE000);
    }
    if (!ok || code == 0) {
        return fail_here(r, "invalid \\u escape");
    }
    *to = put_utf8(*to, code);
    return WW_OK;
}

static ww_status read_escape(reader *r, char **to)
{
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    char c = r->p < r->end ? *r->p : '\0';
    const char *found = c != '\0' ? strchr(from, c) : NULL;
    if (c == 'u') {
        r->p++;
        return read_unicode(r, to);
    }
    if (found == NULL) {
        return fail_here(r, "unknown escape");
    }
    r->p++;
    *(*to)++ = into[found - from];
    return WW_OK;
}

/* p behind the opening quote. */
static ww_status read_text(reader *r, const char **out)
{
    const char *close = r->p;
    while (close < r->end && *close != '"') {
        close += *close == '\\' && r->end - close > 1 ? 2 : 1;
    }
    char *text = WW_ARENA_NEW_ARRAY(r->arena, char, (size_t)(close - r->p) + 1);
    char *to = text;
    if (text == NULL) {
        return no_memory(r);
    }
    while (r->p < r->end && *r->p != '"') {
        size_t n = ww_utf8_length(r->p);
        if ((unsigned char)*r->p < 0x20 || n == 0) {
            return fail_here(r, n == 0 ? "text is not UTF-8" : "control character in a text");
        }
        if (*r->p == '\\') {
            r->p++;
            WW_TRY(read_escape(r, &to));
        } else {
            memcpy(to, r->p, n);
            to += n;
            r->p += n;
        }
    }
    if (r->p == r->end) {
        return fail_here(r, "text is not closed");
    }
    r->p++;
    *to = '\0';
    *out = text;
    return WW_OK;
}

/* ---- values ---- */

static ww_status read_value(reader *r, ww_json_value *v);

static ww_status read_key(reader *r, const ww_json_value *object, const char **key)
{
    if (!accept(r, '"')) {
        return fail_here(r, "expected a key");
    }
    WW_TRY(read_text(r, key));
    if (ww_json_get(object, *key) != NULL) {
        return fail_here(r, "key comes twice");
    }
    return accept(r, ':') ? WW_OK : fail_here(r, "expected ':'");
}

/* p behind the opening bracket. */
static ww_status read_members(reader *r, ww_json_value *v, char close)
{
    const ww_json_value **link = &v->first;
    size_t keys = 0; /* bounded, because each is looked for among those before it */
    if (++r->depth > WW_JSON_MAX_DEPTH) {
        return fail_here(r, "nested too deeply");
    }
    if (accept(r, close)) {
        r->depth--;
        return WW_OK;
    }
    do {
        ww_json_value *member = WW_ARENA_NEW(r->arena, ww_json_value);
        const char *key = NULL;
        if (member == NULL) {
            return no_memory(r);
        }
        if (v->kind == WW_JSON_OBJECT) {
            if (++keys > WW_JSON_MAX_KEYS) {
                return fail_here(r, "too many keys in one object");
            }
            WW_TRY(read_key(r, v, &key));
        }
        WW_TRY(read_value(r, member));
        member->key = key;
        *link = member;
        link = &member->next;
    } while (accept(r, ','));
    r->depth--;
    return accept(r, close)
               ? WW_OK
               : fail_here(r, close == ']' ? "expected ',' or ']'" : "expected ',' or '}'");
}

/* RFC 8259, section 6: no leading plus, no leading zeros, digits on both sides of the point. */
static bool is_json_number(const char *p, const char *end)
{
    p += p < end && *p == '-';
    const char *whole = p;
    while (p < end && *p >= '0' && *p <= '9') {
        p++;
    }
    bool ok = p > whole && (*whole != '0' || p == whole + 1);
    return ok && !(p < end && *p == '.' && !(p + 1 < end && p[1] >= '0' && p[1] <= '9'));
}

static ww_status read_number(reader *r, ww_json_value *v)
{
    const char *end = r->p;
    v->kind = WW_JSON_NUMBER;
    if (!ww_num_scan(r->p, &end, &v->number) || !is_json_number(r->p, end)) {
        return fail_here(r, "expected a value");
    }
    r->p = end;
    return WW_OK;
}

static ww_status read_value(reader *r, ww_json_value *v)
{
    static const struct {
        const char *word;
        ww_json_kind kind;
        bool boolean;
    } words[] = {{"null", WW_JSON_NULL, false},
                 {"true", WW_JSON_BOOL, true},
                 {"false", WW_JSON_BOOL, false}};
    skip_space(r);
    for (size_t i = 0; i < WW_ARRAY_LEN(words); i++) {
        size_t n = strlen(words[i].word);
        if ((size_t)(r->end - r->p) >= n && memcmp(r->p, words[i].word, n) == 0) {
            r->p += n;
            *v = (ww_json_value){.kind = words[i].kind, .boolean = words[i].boolean};
            return WW_OK;
        }
    }
    if (accept(r, '"')) {
        v->kind = WW_JSON_TEXT;
        return read_text(r, &v->text);
    }
    if (accept(r, '[')) {
        v->kind = WW_JSON_ARRAY;
        return read_members(r, v, ']');
    }
    if (accept(r, '{')) {
        v->kind = WW_JSON_OBJECT;
        return read_members(r, v, '}');
    }
    return read_number(r, v);
}

ww_status ww_json_parse(const char *name, const char *text, size_t length, ww_arena *arena,
                        const ww_json_value **out, ww_error *err)
{
    char *copy = length <= WW_JSON_MAX_BYTES ? ww_arena_strndup(arena, text, length) : NULL;
    ww_json_value *root = WW_ARENA_NEW(arena, ww_json_value);
    if (copy == NULL || root == NULL) {
        return ww_no_memory_in(err, name);
    }
    reader r = {
        .name = name, .text = copy, .p = copy, .end = copy + length, .arena = arena, .err = err};
    WW_TRY(read_value(&r, root));
    skip_space(&r);
    if (r.p != r.end) {
        return fail_here(&r, "something follows the document");
    }
    *out = root;
    return WW_OK;
}

ww_status ww_json_load(const char *path, ww_arena *arena, const ww_json_value **out, ww_error *err)
{
    char *text = NULL;
    size_t length = 0;
    WW_TRY(ww_read_file(path, WW_JSON_MAX_BYTES, &text, &length, err));
    ww_status status = ww_json_parse(path, text, length, arena, out, err);
    ww_free(text);
    return status;
}

const ww_json_value *ww_json_get(const ww_json_value *value, const char *key)
{
    const ww_json_value *member =
        value != NULL && value->kind == WW_JSON_OBJECT ? value->first : NULL;
    while (member != NULL && strcmp(member->key, key) != 0) {
        member = member->next;
    }
    return member;
}

const char *ww_json_get_text(const ww_json_value *value, const char *key, const char *otherwise)
{
    const ww_json_value *member = ww_json_get(value, key);
    return member != NULL && member->kind == WW_JSON_TEXT ? member->text : otherwise;
}

double ww_json_get_number(const ww_json_value *value, const char *key, double otherwise)
{
    const ww_json_value *member = ww_json_get(value, key);
    return member != NULL && member->kind == WW_JSON_NUMBER ? member->number : otherwise;
}
