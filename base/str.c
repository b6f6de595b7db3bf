/* str.c - a growable string. */
#include "base/str.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "base/num.h"

/* Makes room for n more bytes and the terminator; false, and failed set, when memory is out. */
static bool reserve(ww_str *s, size_t n)
{
    if (s->failed || n >= SIZE_MAX / 4 - s->len) {
        s->failed = true;
        return false;
    }
    WW_ASSERT(s->data == NULL ? s->len == 0 : s->len < s->cap);
    size_t need = s->len + n + 1;
    if (need <= s->cap) {
        return true;
    }
    size_t cap = s->cap < 64 ? 64 : s->cap * 2;
    while (cap < need) {
        cap *= 2;
    }
    char *data = ww_realloc_array(s->data, cap, 1);
    if (data == NULL) {
        s->failed = true;
        return false;
    }
    s->data = data;
    s->cap = cap;
    return true;
}

void ww_str_fini(ww_str *s)
{
    if (s != NULL) {
        ww_free(s->data);
        *s = (ww_str){0};
    }
}

void ww_str_clear(ww_str *s)
{
    s->len = 0;
    s->failed = false;
    if (s->data != NULL) {
        s->data[0] = '\0';
    }
}

void ww_str_add(ww_str *s, const char *text)
{
    ww_str_add_n(s, text, strlen(text));
}

void ww_str_add_n(ww_str *s, const char *text, size_t n)
{
    if (!reserve(s, n)) {
        return;
    }
    if (n > 0) {
        memcpy(s->data + s->len, text, n);
    }
    s->len += n;
    WW_ASSERT(s->len < s->cap);
    s->data[s->len] = '\0';
}

void ww_str_add_char(ww_str *s, char c)
{
    if (!reserve(s, 1)) {
        return;
    }
    s->data[s->len++] = c;
    s->data[s->len] = '\0';
}

void ww_str_addf(ww_str *s, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    ww_str_addv(s, fmt, args);
    va_end(args);
}

void ww_str_addv(ww_str *s, const char *fmt, va_list args)
{
    if (!reserve(s, 0)) {
        return;
    }
    va_list again;
    va_copy(again, args);
    const size_t room = s->cap - s->len; /* mostly enough */
    int n = vsnprintf(s->data + s->len, room, fmt, args);
    if (n < 0) {
        s->data[s->len] = '\0';
        s->failed = true;
    } else if ((size_t)n < room) {
        s->len += (size_t)n;
    } else if (reserve(s, (size_t)n)) {
        vsnprintf(s->data + s->len, (size_t)n + 1, fmt, again);
        s->len += (size_t)n;
        WW_ASSERT(s->len < s->cap);
    }
    va_end(again);
}

void ww_str_add_double(ww_str *s, double value)
{
    char text[WW_NUM_CHARS];
    ww_str_add(s, ww_num_format(value, text));
}

const char *ww_str_text(const ww_str *s)
{
    return s->data != NULL ? s->data : "";
}

ww_status ww_str_check(const ww_str *s, ww_error *err)
{
    return s->failed ? ww_no_memory_for(err, "more than %zu bytes of text", s->len) : WW_OK;
}

char *ww_str_take(ww_str *s)
{
    if (!reserve(s, 0)) { /* an empty string has a terminator too */
        ww_str_fini(s);
        return NULL;
    }
    s->data[s->len] = '\0';
    char *data = s->data;
    *s = (ww_str){0};
    return data;
}

size_t ww_utf8_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    unsigned char c = s[0];
    size_t n = c < 0x80                ? 1
               : c >= 0xC2 && c < 0xE0 ? 2
               : (c & 0xF0) == 0xE0    ? 3
               : c >= 0xF0 && c < 0xF5 ? 4
                                       : 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (c == 0xE0 && s[1] < 0xA0) || (c == 0xF0 && s[1] < 0x90);
    bool outside = (c == 0xED && s[1] >= 0xA0) || (c == 0xF4 && s[1] >= 0x90);
    return overlong || outside ? 0 : n;
}
