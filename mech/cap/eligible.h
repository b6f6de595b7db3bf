/* eligible.h - which loads of a kernel the prefetcher looks at: those whose address comes from
 * thread and CTA indices, dimensions, parameters and constants, and not from other data. */
#ifndef WW_MECH_CAP_ELIGIBLE_H
#define WW_MECH_CAP_ELIGIBLE_H

#include "perf/sm/seam.h"

/* What the pass leaves for a kernel: a mark on each of its instructions. */
typedef struct cap_notes {
    uint32_t count;
    uint32_t eligible; /* how many are */
    bool *direct;      /* [count] */
} cap_notes;

/** The compile-time pass: backward slices of the addresses of all loads from global memory.
 * @error ENOMEM, EINTERNAL */
WW_NODISCARD ww_status cap_pass(const ww_mech_build *build, const ww_kernel **kernel,
                                const void **notes, ww_error *err);

#endif
