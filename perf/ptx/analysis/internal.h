/* internal.h - private to perf/ptx/analysis: bit sets, running out of memory, dominance. */
#ifndef WW_PERF_PTX_ANALYSIS_INTERNAL_H
#define WW_PERF_PTX_ANALYSIS_INTERNAL_H

#include "perf/ptx/analysis/analysis.h"

WW_NODISCARD static inline ww_status ww__analysis_no_memory(const ww_view *view, ww_error *err)
{
    return ww_no_memory_for(err, "analysing %.200s", view->name);
}

static inline bool ww__has_bit(const uint64_t *bits, uint32_t i)
{
    return (bits[i / 64] >> (i % 64) & 1) != 0;
}

static inline void ww__add_bit(uint64_t *bits, uint32_t i)
{
    bits[i / 64] |= 1ull << (i % 64);
}

static inline void ww__drop_bit(uint64_t *bits, uint32_t i)
{
    bits[i / 64] &= ~(1ull << (i % 64));
}

/** to |= from; whether that changed it. */
static inline bool ww__join_bits(uint64_t *to, const uint64_t *from, uint32_t words)
{
    uint64_t fresh = 0;
    for (uint32_t w = 0; w < words; w++) {
        fresh |= from[w] & ~to[w];
        to[w] |= from[w];
    }
    return fresh != 0;
}

/** Fills view->dominance from view->cfg. */
WW_NODISCARD ww_status ww__dominance_build(ww_view *view, ww_arena *arena, ww_error *err);

#endif
