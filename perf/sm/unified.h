/* unified.h - the division of a store that shared memory and the L1 data cache have in common. */
#ifndef WW_PERF_SM_UNIFIED_H
#define WW_PERF_SM_UNIFIED_H

#include <stdint.h>

#include "arch/arch.h"

/** Smallest shared-memory size of ldst.carveouts that holds `wanted` bytes; the largest when none
 * does. */
uint32_t ww_carveout(const ww_ldst_params *ldst, uint64_t wanted);
/** The L1 data cache when it has the whole store (without a unified store: as described). */
ww_cache_params ww_unified_l1d(const ww_arch *arch);
/** Its ways beside that much shared memory. */
uint32_t ww_unified_ways(const ww_arch *arch, uint32_t carveout);

#endif
