/* scalar.h - which registers of a kernel hold one value per warp, and which instructions compute
 * one: scalarization (LPGPU D5.5.3, 2013, section 3.3.4), over virtual registers. */
#ifndef WW_PERF_PTX_ANALYSIS_SCALAR_H
#define WW_PERF_PTX_ANALYSIS_SCALAR_H

#include "perf/ptx/analysis/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Thread indices whose values differ within a warp; %tid.x always does. */
enum {
    WW_VARIES_TID_Y = 1 << 0,
    WW_VARIES_TID_Z = 1 << 1,
};

/** What varies in the warps of a block, which are filled row by row, plane by plane. */
unsigned ww_scalar_varying(uint32_t x, uint32_t y, uint32_t z);

/* Two sets of registers that must not share storage, as [words] bits of virtual registers: what one
 * side of a branch writes, and what another side, run later, still reads. Threads of one side run
 * before those of the other, so that this holds though no thread sees both. */
typedef struct ww_clash {
    uint64_t *written, *live;
} ww_clash;

typedef struct ww_scalars {
    bool *scalar;   /* [vreg] one value per warp */
    uint64_t *inst; /* bit of each instruction that one thread may execute for all */
    uint32_t words; /* of a clash: */
    ww_clash *clash;
    uint32_t clash_count;
} ww_scalars;

/**
 * Optimistic: all is scalar until something makes it a vector.
 * 1. Thread indices that vary, lane numbers, clocks; results of atomics, of other lanes, of calls,
 *    of local, generic and volatile loads.
 * 2. Results of instructions with a vector source, address included.
 * 3. Results written under a vector guard, unless the register has that definition alone and every
 *    read of it stands under the same guard.
 * 4. Behind a branch on a vector: registers that its sides write and that are live where they meet,
 *    or that one side writes and another one reads (not in the report, which would let the side
 *    that runs first destroy what the second one needs).
 * @param view     of a function without calls; NULL chains are not allowed
 * @param varying  WW_VARIES_*; 0 is the report's own seed, %tid.x alone
 * @error ENOMEM
 */
WW_NODISCARD ww_status ww_scalars_find(const ww_view *view, const ww_chains *chains,
                                       unsigned varying, ww_arena *arena, ww_scalars *out,
                                       ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
