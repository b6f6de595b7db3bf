/* at_once.h - ceilings of prefetchers: what one asks for is there at once, beside the L1D in tags
 * of its own, whatever its queue, the L1D's port and MSHRs would keep from it. Lines that are used
 * come behind their use, through MSHRs, L2 and DRAM, or do not come at all; those that nobody uses
 * cost nothing. Depends on: perf/sm/seam.h. */
#ifndef WW_MECH_LIB_AT_ONCE_H
#define WW_MECH_LIB_AT_ONCE_H

#include "mech/lib/behind.h"

typedef struct ww_at_once {
    ww_cache *tags;
    uint32_t latency, sectors; /* of a hit, as the L1D's; it holds */
    bool lines_come;
    ww_behind behind; /* lines that were used before they came */
} ww_at_once;

/** Tags of `bytes` in `ways` ways; 0: the L1D's size and ways.
 * @error ENOMEM, ERANGE where the size has no such geometry */
WW_NODISCARD ww_status ww_at_once_create(ww_prefetch_oracle oracle, uint32_t bytes, uint32_t ways,
                                         const ww_arch *arch, ww_at_once **out, ww_error *err);
void ww_at_once_destroy(ww_at_once *a);
void ww_at_once_clear(ww_at_once *a);

/** A sector is asked for: whether it was not here; it is now, in the place of *evicted. */
bool ww_at_once_take(ww_at_once *a, uint64_t address, uint64_t now, ww_cache_eviction *evicted);
/** For `beside`: whether the access has its sector here, the data at *ready. */
bool ww_at_once_serves(ww_at_once *a, const ww_mech_access *access, uint64_t now, uint64_t *ready);
/** A store drops its sector. */
void ww_at_once_stored(ww_at_once *a, uint64_t address, uint64_t now, ww_cache_eviction *evicted);

#endif
