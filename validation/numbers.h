/* numbers.h - what a study asks of its runs, apart from their folders: a table of a row per run and
 * number, from which its page is made again. */
#ifndef WW_VALIDATION_NUMBERS_H
#define WW_VALIDATION_NUMBERS_H

#include "base/map.h"
#include "validation/expression.h"
#include "validation/totals.h"

/* {0} is an empty table. */
typedef struct ww_numbers {
    ww_map by_term; /* "configuration\tworkload\tname[argument]", to a ww_total */
    ww_arena arena;
} ww_numbers;

/** Releases a table. Idempotent. */
void ww_numbers_fini(ww_numbers *numbers);
/** Reads one that ww_numbers_write has left.
 * @error ENOTFOUND, EPARSE, ESCHEMA: of the file, with the place in it */
WW_NODISCARD ww_status ww_numbers_read(const char *path, ww_numbers *out, ww_error *err);
/** Columns configuration, workload, number, over, under; the last is empty for a count, whose value
 * is `over`. Rows in the order in which they were kept. */
WW_NODISCARD ww_status ww_numbers_write(const ww_numbers *numbers, const char *path, ww_error *err);
/** The number of a workload on a configuration; NULL: there is none. */
const ww_total *ww_numbers_find(const ww_numbers *numbers, const char *configuration,
                                const char *workload, const ww_term *term);
/** Keeps a number, once. ENOMEM. */
WW_NODISCARD ww_status ww_numbers_keep(ww_numbers *numbers, const char *configuration,
                                       const char *workload, const ww_term *term,
                                       const ww_total *number, ww_error *err);

#endif
