/* helper_warp.h - a mechanism for tests alone: one extra warp per SM runs a second program made of
 * the kernel, which issues the loads of the kernel's first block ahead of each warp into L1D lines
 * that it locks until that warp has read them. It exercises what decoupled access/execute
 * mechanisms need: a pass that makes two programs of one kernel, an extra warp with its own stack,
 * requests ahead, queues between warps, locked ways. */
#ifndef WW_TESTS_MECH_HELPER_WARP_H
#define WW_TESTS_MECH_HELPER_WARP_H

#include "perf/sm/seam.h"

/* What its pass leaves: where the second program begins; 0: there is none. */
typedef struct helper_note {
    uint32_t entry;
} helper_note;

extern const ww_mech helper_warp_mech;

#endif
