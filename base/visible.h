/* visible.h - text from files, paths and programs as a terminal may have it: names that carry
 * escape sequences would otherwise move its cursor, set its title or turn its lines around. */
#ifndef WW_BASE_VISIBLE_H
#define WW_BASE_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** True for the first `n` bytes of a text, one character (ww_utf8_length), when a terminal or a
 * page would act on it instead of showing it: control characters but tab and the end of a line, and
 * what turns the direction of a text. n = 0: bytes that are no character. */
bool ww_is_hidden(const char *p, size_t n);

/** Copies a text with U+FFFD in place of each such character.
 * Returns out, terminated, cut at a character where size is too small. */
char *ww_visible(const char *text, char *out, size_t size);

/* The same, for one call of printf. */
#define WW_VISIBLE(text) ww_visible((text), (char[1024]){0}, 1024)

#ifdef __cplusplus
}
#endif
#endif
