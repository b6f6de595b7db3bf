/* spans.h - a table of address ranges that do not overlap, sorted by address. */
#ifndef WW_BASE_SPANS_H
#define WW_BASE_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_span {
    uint64_t address, bytes;
} ww_span;

/* {0} is an empty table. */
typedef struct ww_spans {
    ww_span *span; /* [count], by address; moves when the table changes */
    size_t count, capacity;
} ww_spans;

void ww_spans_fini(ww_spans *spans);
/** Index of the first span that begins above address; count when none does. */
size_t ww_spans_above(const ww_spans *spans, uint64_t address);
/** The span that holds address, or NULL. */
const ww_span *ww_spans_at(const ww_spans *spans, uint64_t address);
/** Makes room for one more span, so that the next ww_spans_insert cannot fail. ENOMEM. */
WW_NODISCARD ww_status ww_spans_reserve(ww_spans *spans, ww_error *err);
/** Inserts a span that overlaps none; room must have been reserved. */
void ww_spans_insert(ww_spans *spans, uint64_t address, uint64_t bytes);
/** Removes the span that begins at address; *removed (NULL allowed) receives it. False: there is
 * none. */
bool ww_spans_remove(ww_spans *spans, uint64_t address, ww_span *removed);

#ifdef __cplusplus
}
#endif
#endif
