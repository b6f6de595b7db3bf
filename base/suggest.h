/* suggest.h - "did you mean": the candidate nearest to a misspelt word. */
#ifndef WW_BASE_SUGGEST_H
#define WW_BASE_SUGGEST_H

#include <stddef.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_suggest {
    const char *word;
    const char *best; /* NULL: none yet */
    size_t distance;
} ww_suggest;

/** Starts the search; word must outlive it. */
void ww_suggest_init(ww_suggest *s, const char *word);
/** Considers a candidate, which must outlive the search; the earlier of two equally near ones wins.
 */
void ww_suggest_offer(ww_suggest *s, const char *candidate);
/** Writes "; did you mean 'x'?" or, when no candidate is near, "". Returns buf. */
char *ww_suggest_text(const ww_suggest *s, char *buf, size_t size);
/** Edit distance (insert, delete, replace, swap neighbours), ignoring case. At most 64 characters
 * are compared. */
size_t ww_edit_distance(const char *a, const char *b);

#ifdef __cplusplus
}
#endif
#endif
