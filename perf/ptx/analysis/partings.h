/* partings.h - private to perf/ptx/analysis: branches at which threads part that meet again at a
 * barrier, and how far what they do in between may differ.
 * Only ways to a barrier count: a thread that leaves for good (a return, a loop's end behind which
 * no barrier stands) meets nobody, so a branch with one way that leads to barriers divides nothing,
 * however many of its threads exit. */
#ifndef WW_PERF_PTX_ANALYSIS_PARTINGS_H
#define WW_PERF_PTX_ANALYSIS_PARTINGS_H

#include "perf/ptx/analysis/analysis.h"

typedef struct ww_parting {
    uint32_t block;   /* ends with the branch */
    uint32_t join;    /* block that all ways to a barrier pass, with no barrier before it;
                         WW_NO_TARGET: there is none. Threads of the two sides may then have passed
                         different numbers of barriers, and stay out of step for good */
    uint64_t *blocks; /* bits of those on the ways to the join; without one: of all behind */
} ww_parting;

/** Lists them in the order of their blocks. @error ENOMEM */
WW_NODISCARD ww_status ww__partings_build(const ww_view *view, ww_arena *arena, ww_parting **out,
                                          uint32_t *count, ww_error *err);

#endif
