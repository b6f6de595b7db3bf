/* redundancy.h - which instructions every warp of a thread block computes alike: the compile-time
 * marks of DARSIE (Yeh, Green, Rogers, ASPLOS 2020, section 4.2) and their promotion at launch. */
#ifndef WW_PERF_PTX_ANALYSIS_REDUNDANCY_H
#define WW_PERF_PTX_ANALYSIS_REDUNDANCY_H

#include "perf/ptx/analysis/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A lattice: what depends on several takes the largest. */
typedef enum ww_mark {
    WW_MARK_DR, /* definitely redundant: from block indices, dimensions, parameters, constants */
    WW_MARK_CR, /* conditionally: from %tid.x too, whose lanes are alike in every warp of some
                   blocks */
    WW_MARK_V,  /* a vector of its own in every warp */
} ww_mark;

/**
 * Marks the instructions of a view. A result is as redundant as the weakest of its sources, of its
 * guard, and, guarded, of what the destination held before, over all definitions that reach it; a
 * load is what its address is, from local memory also what any store has left there. What can never
 * be skipped (stores, atomics, branches, barriers) and what the entry does not reach is V.
 * Redundant means: among warps that have come the same way since they were last known to go
 * together, at the block's start or at a barrier. Behind a barrier, values that were defined on one
 * side of a branch are as redundant as what decided it: warps of both sides meet again there.
 * Where barriers stand on one side of it, or different ones on both, that holds for all that is
 * defined behind it. Threads that leave for good meet nobody. Kernels whose warps talk otherwise
 * than at barriers of the whole block (fences, accesses in order, barriers of some warps) have no
 * redundant loads of memory that may be written. Programs without data races are right by this.
 * @param local_memory  whether generic addresses may lie in local memory
 * @param mark          [view->inst_count], in the arena
 * @error ENOMEM
 */
WW_NODISCARD ww_status ww_redundancy_build(const ww_view *view, bool local_memory, ww_arena *arena,
                                           uint8_t **mark, ww_error *err);

/** Whether blocks of this shape make CR redundant: several rows, each a power of two that warps
 * hold entirely (section 4.2; the third dimension as the second). */
bool ww_redundancy_promotes(uint32_t x, uint32_t y, uint32_t z);

/** "DR", "CR" or "V". */
const char *ww_mark_name(ww_mark mark);

#ifdef __cplusplus
}
#endif
#endif
