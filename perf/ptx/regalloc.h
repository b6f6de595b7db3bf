/* regalloc.h - private to register allocation: the interference graph, its coloring, spilling. */
#ifndef WW_PERF_PTX_REGALLOC_H
#define WW_PERF_PTX_REGALLOC_H

#include "perf/ptx/lower.h"

enum { WW_MACHINE_PREDICATES = 7 }; /* P0-P6; the eighth encoding means "true" */

/* Which virtual registers are live at the same time. Predicates and general registers never
 * interfere. */
typedef struct ww_interference {
    uint32_t n;      /* virtual registers */
    uint32_t words;  /* 64-bit words per row */
    uint64_t *row;   /* [n][words] */
    uint32_t *first; /* first instruction that defines the register; UINT32_MAX: none */
    double *cost;    /* spill cost: accesses weighted by 10^loop depth */
    uint32_t *hint;  /* register it is copied to or from; UINT32_MAX: none */
} ww_interference;

static inline bool ww__interferes(const ww_interference *g, uint32_t a, uint32_t b)
{
    return (g->row[(size_t)a * g->words + b / 64] >> (b % 64) & 1) != 0;
}

/** Builds the graph of f; heap memory, released by ww__interference_fini. */
ww_status ww__interference_build(ww_function *f, ww_interference *out, ww_error *err);
void ww__interference_fini(ww_interference *g);

/** Rewrites f so that the marked registers live in local memory (predicates: in general registers).
 * no_spill is grown with the temporaries made. */
ww_status ww__spill(ww_function *f, ww_arena *arena, const bool *spill, uint32_t spill_count,
                    ww_error *err);

#endif
