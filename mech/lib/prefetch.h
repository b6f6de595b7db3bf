/* prefetch.h - what every prefetcher into the L1D needs: a queue of requests that wait for a free
 * cycle of the cache, and the fate of each line requested, with the warp that it is for. The
 * counters sm.prefetch.* come from here, so that all prefetchers are measured alike. Depends on:
 * perf/sm/seam.h. */
#ifndef WW_MECH_LIB_PREFETCH_H
#define WW_MECH_LIB_PREFETCH_H

#include "mech/lib/at_once.h"

enum { WW_FOR_NOBODY = 0xffff }; /* no warp is known to want the line */

/* A sector requested ahead and not yet demanded, or demanded and still on its way. */
typedef struct ww_prefetched {
    uint64_t address; /* UINT64_MAX: free place */
    uint64_t issued;  /* cycle */
    uint16_t warp;    /* slot, or WW_FOR_NOBODY */
    bool demanded;
} ww_prefetched;

typedef struct ww_prefetch_request {
    uint64_t address;
    uint16_t warp;
} ww_prefetch_request;

/* What has become of prefetches in a launch: as the SM's counters, for mechanisms that look back.
 */
typedef struct ww_prefetch_outcome {
    uint64_t issued, used, late, early;
} ww_prefetch_outcome;

/* Prefetches by their addresses. */
typedef struct ww_prefetch_table {
    ww_prefetched *place; /* [places] by hash of the address, linear probing */
    uint32_t places, held;
} ww_prefetch_table;

typedef struct ww_prefetcher {
    ww_sm *sm;
    uint32_t line_bytes, sector_bytes;
    uint32_t free_mshrs;             /* left to demand */
    uint32_t capacity, first, count; /* the queue */
    ww_prefetch_request *queue;      /* sectors, oldest first */
    ww_prefetch_table waiting;       /* what the queue holds, */
    ww_prefetch_table sent;          /* and what has left it */
    ww_prefetch_outcome outcome;     /* since it was cleared */
    ww_at_once *at_once; /* a ceiling: in the place of queue and L1D; NULL: the mechanism */
    void (*release)(void *state); /* as in ww_prefetcher_kind */
} ww_prefetcher;

/* A mechanism whose state begins with its ww_prefetcher. */
typedef struct ww_prefetcher_kind {
    size_t bytes;           /* of the state */
    uint32_t queue_entries; /* requests that wait; further ones are dropped */
    uint32_t free_mshrs;    /* left to demand */
    uint32_t beside;        /* lines, there or on their way, of a buffer of its own; 0: none */
    ww_prefetch_oracle oracle;
    uint32_t at_once_bytes, at_once_ways; /* where requests are under a ceiling; 0: as the L1D */
    /* The rest of the state, from zeros. */
    ww_status (*set_up)(void *state, const ww_arch *arch, ww_error *err);
    /* What set_up allocated, also where it has failed; NULL: nothing. */
    void (*release)(void *state);
} ww_prefetcher_kind;

/** The hook `create` for such a state, its prefetcher empty. @error ENOMEM, those of set_up */
WW_NODISCARD ww_status ww_prefetcher_create(const ww_prefetcher_kind *kind, ww_sm *sm,
                                            const ww_arch *arch, void **state, ww_error *err);
/** The hook `destroy`. */
void ww_prefetcher_destroy(void *state);
/** Forgets everything: the L1D starts empty. */
void ww_prefetcher_clear(ww_prefetcher *p);

/** Whether an access is one that stride prefetchers learn from: a load from global memory that
 * looks up the L1D. */
static inline bool ww_prefetcher_takes(const ww_mech_access *access, const ww_mech_split *split)
{
    return access->kind == WW_ACCESS_LOAD && access->cached && !access->local && !access->extra &&
           split->runs > 0;
}
/** Asks for every sector of the line that holds an address, for a warp. */
void ww_prefetcher_request(ww_prefetcher *p, uint64_t address, uint16_t warp, uint64_t now);
/** Asks for the lines that an access would touch whose lanes' addresses are `distance` bytes on. */
void ww_prefetcher_request_split(ww_prefetcher *p, const ww_mech_split *split, int64_t distance,
                                 uint64_t now);
/** One attempt to send a sector, past the queue: for mechanisms that keep what is to be requested
 * in a shorter form. Every answer but BUSY has used a look-up. */
ww_inject_result ww_prefetcher_send(ww_prefetcher *p, uint64_t address, uint16_t warp,
                                    uint64_t now);

/** A sector was sent by other ways than ww_prefetcher_send. */
void ww_prefetcher_note(ww_prefetcher *p, uint64_t address, uint16_t warp, uint64_t now);
/** The oldest request of the queue has been dealt with. */
void ww_prefetcher_next_in_queue(ww_prefetcher *p);

/* Whom the data that have just arrived were for. */
typedef struct ww_prefetch_arrival {
    uint16_t warp;
    bool demanded; /* a demand waits for them */
} ww_prefetch_arrival;

/** Notes the arrival; to be called from the hook `filled` by who wants to know. */
ww_prefetch_arrival ww_prefetcher_filled(ww_prefetcher *p, uint64_t address);
/** The warps have finished: what is on its way is for nobody. */
void ww_prefetcher_forget(ww_prefetcher *p, ww_warps warps);

/* The hooks of the same names, for a state that begins with its ww_prefetcher. A mechanism that
 * needs `filled` or `looked_up` itself calls these from its own. */
void ww_prefetcher_tick(void *state, uint64_t now);
uint64_t ww_prefetcher_next(const void *state, uint64_t now);
bool ww_prefetcher_beside(void *state, const ww_mech_access *access, uint64_t now, uint64_t *ready);
void ww_prefetcher_looked_up(void *state, const ww_mech_access *access, ww_cache_result result,
                             uint64_t now);
void ww_prefetcher_fill(void *state, uint64_t address, uint32_t waiters, uint64_t now);
void ww_prefetcher_evicted(void *state, uint64_t line_address, uint64_t now);

#endif
