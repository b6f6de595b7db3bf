/* pending.h - private to perf/exec: effects on global memory between their issue and the edge of
 * the window, in the order of issue. */
#ifndef WW_PERF_EXEC_MEMORY_PENDING_H
#define WW_PERF_EXEC_MEMORY_PENDING_H

#include "perf/exec/code.h"

typedef enum ww_effect_kind {
    WW_EFFECT_STORE,  /* data: `bytes` for each place */
    WW_EFFECT_ATOMIC, /* data: operands, planes of lanes */
    WW_EFFECT_CALL,   /* a function of the runtime that works on memory itself; no places */
} ww_effect_kind;

/* A record. `count` device addresses (uint64_t) follow it, then its data. */
typedef struct ww_effect {
    uint64_t cycle;
    uint64_t lowest, end; /* bytes [lowest, end) hold all places */
    ww_warp *warp;        /* of an atomic or a call */
    uint32_t pc, lanes;
    uint32_t words; /* of 8 bytes, this included */
    uint32_t count; /* places */
    uint32_t bytes; /* of a place */
    uint32_t kind;  /* ww_effect_kind */
} ww_effect;

struct ww_pending {
    uint64_t *word; /* records one after the other */
    size_t used, capacity;
    size_t at;               /* during a commit: the next record */
    uint64_t lowest, end;    /* bytes [lowest, end) hold the places of all of them */
    const ww_launch *launch; /* an SM runs one at a time */
};

static inline uint64_t *ww__effect_addresses(ww_effect *e)
{
    return (uint64_t *)(void *)(e + 1);
}

static inline void *ww__effect_data(ww_effect *e)
{
    return ww__effect_addresses(e) + e->count;
}

/** Adds a record for the lanes' addresses in ascending order of lanes (NULL: no places); NULL when
 * out of memory. */
ww_effect *ww__pending_add(ww_pending *pending, ww_effect_kind kind, const ww_exec_ctx *x,
                           const uint64_t *address, uint32_t lanes, uint32_t bytes,
                           uint32_t data_bytes);
/** Where to put the data of a store by lanes, `bytes` each, in ascending order of lanes; NULL when
 * out of memory. */
static inline unsigned char *ww__pending_store(ww_pending *pending, const ww_exec_ctx *x,
                                               const uint64_t *address, uint32_t lanes,
                                               uint32_t bytes)
{
    ww_effect *e = ww__pending_add(pending, WW_EFFECT_STORE, x, address, lanes, bytes,
                                   bytes * (uint32_t)__builtin_popcount(lanes));
    return e != NULL ? ww__effect_data(e) : NULL;
}

bool ww__pending_search(const ww_pending *pending, const uint64_t *address, uint32_t lanes,
                        uint32_t bytes);

/** Whether a read of `bytes` at the lanes' device addresses needs what is still pending. */
static inline bool ww__pending_meets(const ww_pending *pending, const uint64_t *address,
                                     uint32_t lanes, uint32_t bytes)
{
    return pending != NULL && pending->used > 0 &&
           ww__pending_search(pending, address, lanes, bytes);
}

/** Ends a step that has done nothing yet: it is to be issued again after the edge. */
WW_NODISCARD static inline ww_status ww__again(const ww_exec_ctx *x)
{
    x->out->wait = x->out->again = true;
    return WW_OK;
}

WW_NODISCARD ww_status ww__pending_no_memory(const ww_exec_ctx *x);

/* ---- atomic.c ---- */
/** An atomic's turn: its lanes read, compute and write, and its results reach the registers. */
void ww__atomic_commit(const struct ww_exec_code *code, ww_effect *e);

#endif
