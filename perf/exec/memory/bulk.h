/* bulk.h - private to perf/exec: what one pass of a bulk copy touches. */
#ifndef WW_PERF_EXEC_MEMORY_BULK_H
#define WW_PERF_EXEC_MEMORY_BULK_H

#include "perf/exec/code.h"

/* element_bytes that one lane of a pass moves. */
typedef struct ww_bulk_unit {
    unsigned lane;    /* that asked for it */
    uint64_t outside; /* device address, or address in shared memory */
    uint32_t inside;  /* offset in shared memory */
    uint32_t at;      /* bytes of the lane's copy before it */
    uint32_t ranks;   /* bit per CTA whose shared memory receives it; 0: none does */
} ww_bulk_unit;

/** What the next pass will touch; returns the number of units. Addresses may be anything. */
unsigned ww__bulk_units(ww_exec_ctx *x, const ww_uop *u, ww_bulk_unit unit[WW_LANES]);

/* ---- deliver.c: bytes for shared memory of the CTA or of others of its cluster ---- */
typedef struct ww_delivery {
    uint32_t offset; /* in each CTA's shared memory */
    uint32_t ranks;  /* bit per CTA */
    bool multicast;
} ww_delivery;

/** Where a shared::cluster address names a place; or the same place in the CTAs of the mask.
 * @error EFAULT: a CTA that the cluster has not, or none */
WW_NODISCARD ww_status ww__delivery_of(const ww_exec_ctx *x, const ww_uop *u, unsigned lane,
                                       uint32_t address, bool multicast, uint32_t mask,
                                       ww_delivery *out);
/** Offset of an address that must lie in the CTA's own shared memory. @error EFAULT */
WW_NODISCARD ww_status ww__own_offset(const ww_exec_ctx *x, const ww_uop *u, unsigned lane,
                                      uint32_t address, uint32_t *offset);
/** Whether another CTA receives it: in time, that happens at the window's edge. */
bool ww__delivery_is_remote(const ww_exec_ctx *x, const ww_delivery *d);
/** The CTA of that rank; not at issue, in time, unless it is the warp's own. */
ww_cta *ww__delivery_cta(const ww_exec_ctx *x, unsigned rank);
/** Bytes to an offset behind the place, in each CTA. */
void ww__deliver(const ww_exec_ctx *x, const ww_delivery *d, uint32_t at, const void *data,
                 uint32_t bytes);
/** Tells the mbarrier at that shared::cluster address, of each CTA that has received them, how many
 * bytes have come. @error EFAULT: not in the destination's CTA, or not in bounds */
WW_NODISCARD ww_status ww__deliver_complete(ww_exec_ctx *x, const ww_uop *u, unsigned lane,
                                            const ww_delivery *d, uint32_t object, uint32_t bytes);

/** Of a delivery to the CTA itself: checks the object's shared::cluster address and makes it an
 * offset. @error as ww__deliver_complete */
WW_NODISCARD ww_status ww__deliver_check(const ww_exec_ctx *x, const ww_uop *u, unsigned lane,
                                         const ww_delivery *d, uint32_t *object);

/** atomic.c: the uop's operation for the lanes, on memory at once or, if global and kept back, at
 * the window's edge at x->out->address. */
WW_NODISCARD ww_status ww__atomic_apply(ww_exec_ctx *x, const ww_uop *u, uint32_t lanes,
                                        bool global, const uintptr_t place[WW_LANES],
                                        const uint32_t value[WW_PAIR_WORDS]);
/** mbarrier.c: bytes of a transaction have come, to an object in the CTA's shared memory. */
WW_NODISCARD ww_status ww__mbarrier_complete(ww_exec_ctx *x, const ww_uop *u, unsigned lane,
                                             ww_cta *cta, uint32_t object, uint32_t bytes);

#endif
