/* bulk.h - private to perf/exec: what one pass of a bulk copy touches. */
#ifndef WW_PERF_EXEC_MEMORY_BULK_H
#define WW_PERF_EXEC_MEMORY_BULK_H

#include "perf/exec/code.h"

/* element_bytes that one lane of a pass moves. */
typedef struct ww_bulk_unit {
    unsigned lane;    /* that asked for it */
    uint64_t outside; /* device address, or offset in shared memory */
    uint32_t inside;  /* offset in shared memory */
} ww_bulk_unit;

/** What the next pass will touch; returns the number of units. Addresses may be anything. */
unsigned ww__bulk_units(ww_exec_ctx *x, const ww_uop *u, ww_bulk_unit unit[WW_LANES]);

/** atomic.c: the uop's operation for the lanes, on memory at once or, if global and kept back, at
 * the window's edge at x->out->address. */
ww_status ww__atomic_apply(ww_exec_ctx *x, const ww_uop *u, uint32_t lanes, bool global,
                           const uintptr_t place[WW_LANES], const uint32_t value[WW_PAIR_WORDS]);
/** mbarrier.c: bytes of a transaction have come. */
ww_status ww__mbarrier_complete(ww_exec_ctx *x, const ww_uop *u, unsigned lane, uint32_t object,
                                uint32_t bytes);

#endif
