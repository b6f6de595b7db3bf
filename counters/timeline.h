/* timeline.h - what the warps of one CTA, and the engines for it, do over time: spans of cycles.
 * Depends on: base. */
#ifndef WW_COUNTERS_TIMELINE_H
#define WW_COUNTERS_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WW_TIMELINE_FILE "timeline.csv"

/* What a span is: a wait of a warp (in the order of the SM's reasons), the warp's life, or an
 * engine at work for the CTA. X(ID, "name in the table") */
#define WW_SPANS(X)                                                                                \
    X(OBJECT, "mbarrier")                                                                          \
    X(PRODUCTS, "products")                                                                        \
    X(COPIES, "copies")                                                                            \
    X(BARRIER, "barrier")                                                                          \
    X(OTHER, "other")                                                                              \
    X(WARP, "works")                                                                               \
    X(COPY, "copy")                                                                                \
    X(PRODUCT, "product")
typedef enum ww_span_kind {
#define WW_SPAN_ENTRY(ID, name) WW_SPAN_##ID,
    WW_SPANS(WW_SPAN_ENTRY)
#undef WW_SPAN_ENTRY
        WW_SPAN_KINDS
} ww_span_kind;

typedef struct ww_timed_span {
    const char *kernel;   /* borrowed from the module */
    uint32_t launch;      /* index of the device's */
    uint16_t warp;        /* of the CTA; of an engine: unused */
    uint8_t kind, role;   /* ww_span_kind; of a warp: 0 neither, 1 producer, 2 consumer */
    uint64_t from, until; /* core cycles of the device */
} ww_timed_span;

enum { WW_TIMELINE_MOST = 200000 }; /* spans that are kept */

typedef struct ww_timeline {
    uint32_t cta; /* linear number of the CTA that is followed */
    ww_timed_span *span;
    size_t count, room;
    size_t dropped; /* beyond those kept, or out of memory */
} ww_timeline;

void ww_timeline_add(ww_timeline *t, const ww_timed_span *span);
void ww_timeline_fini(ww_timeline *t);
/** Rows workload, kernel, launch, row ("warp 4", "copy engine", "matrix unit"), role, what, from
 * and until in cycles since the first of the launch; with a head when out is empty. */
void ww_timeline_rows(const ww_timeline *t, const char *workload, ww_str *out);

#ifdef __cplusplus
}
#endif
#endif
