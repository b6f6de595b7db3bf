/* str.h - a growable string that remembers failure, so that a writer checks once at the end. */
#ifndef WW_BASE_STR_H
#define WW_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* {0} is an empty string. After an allocation fails, further additions do nothing and ww_str_check
 * reports it. */
typedef struct ww_str {
    char *data; /* terminated when not NULL */
    size_t len, cap;
    bool failed;
} ww_str;

/** Releases the text; the string is empty and usable again. NULL allowed. */
void ww_str_fini(ww_str *s);
/** Empties the string, keeps its memory; forgets a failure. */
void ww_str_clear(ww_str *s);
/** Appends a terminated text. */
void ww_str_add(ww_str *s, const char *text);
/** Appends n bytes, which may hold zero bytes. */
void ww_str_add_n(ww_str *s, const char *text, size_t n);
/** Appends one character. */
void ww_str_add_char(ww_str *s, char c);
/** Appends formatted text. */
void ww_str_addf(ww_str *s, const char *fmt, ...) WW_PRINTF(2, 3);
/** Appends formatted text. */
void ww_str_addv(ww_str *s, const char *fmt, va_list args) WW_PRINTF(2, 0);
/** Appends the shortest decimal text that reads back as the same double (base/num.h). */
void ww_str_add_double(ww_str *s, double value);
/** The text; "" when empty; valid until the string changes. */
const char *ww_str_text(const ww_str *s);
/** ENOMEM when any addition failed. */
WW_NODISCARD ww_status ww_str_check(const ww_str *s, ww_error *err);
/** Hands the text over (release with ww_free) and empties the string; NULL when any addition
 * failed. */
char *ww_str_take(ww_str *s);

/** Bytes of the UTF-8 sequence at text, 0 when it is none (Unicode 15, table 3-7). */
size_t ww_utf8_length(const char *text);

#ifdef __cplusplus
}
#endif
#endif
