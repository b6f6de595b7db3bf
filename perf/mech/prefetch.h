/* prefetch.h - what every prefetcher into the L1D needs: a queue of requests that wait for a free
 * cycle of the cache, and the fate of each line requested. The counters sm.prefetch.* come from
 * here, so that all prefetchers are measured alike. Depends on: perf/mech/mech.h. */
#ifndef WW_PERF_MECH_PREFETCH_H
#define WW_PERF_MECH_PREFETCH_H

#include "perf/mech/mech.h"

/* A sector requested ahead and not yet demanded. */
typedef struct ww_prefetched {
    uint64_t address; /* UINT64_MAX: free place */
    uint64_t issued;  /* cycle */
} ww_prefetched;

typedef struct ww_prefetcher {
    ww_sm *sm;
    uint32_t line_bytes, sector_bytes;
    uint32_t free_mshrs;             /* left to demand */
    uint32_t capacity, first, count; /* the queue */
    uint64_t *queue;                 /* sector addresses, oldest first */
    ww_prefetched *place;            /* [places] by hash of the address, linear probing */
    uint32_t places, held;
} ww_prefetcher;

/** An empty prefetcher. @param queue_entries  requests that wait; further ones are dropped
 * @error ENOMEM */
ww_status ww_prefetcher_init(ww_prefetcher *p, ww_sm *sm, const ww_arch *arch,
                             uint32_t queue_entries, uint32_t free_mshrs, ww_error *err);
void ww_prefetcher_fini(ww_prefetcher *p);
/** Forgets everything: the L1D starts empty. */
void ww_prefetcher_clear(ww_prefetcher *p);

/** Asks for every sector of the line that holds an address. */
void ww_prefetcher_request(ww_prefetcher *p, uint64_t address);
/** The hooks of the same names: to be called from the mechanism's. */
void ww_prefetcher_tick(ww_prefetcher *p, uint64_t now);
uint64_t ww_prefetcher_next(const ww_prefetcher *p, uint64_t now);
void ww_prefetcher_looked_up(ww_prefetcher *p, const ww_mech_access *access, ww_cache_result result,
                             uint64_t now);
void ww_prefetcher_evicted(ww_prefetcher *p, uint64_t line_address);

#endif
