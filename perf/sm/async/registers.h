/* registers.h - the registers of CTAs whose warps give some back and take others (setmaxnreg),
 * private to perf/sm. A CTA's pool is what its warps had when they started less what they hold. */
#ifndef WW_PERF_SM_ASYNC_REGISTERS_H
#define WW_PERF_SM_ASYNC_REGISTERS_H

#include "perf/sm/sm_state.h"

typedef struct ww_pools {
    uint32_t free[WW_SM_CTAS];    /* registers that nobody holds */
    uint16_t held[WW_SM_WARPS];   /* of a thread */
    uint16_t wanted[WW_SM_WARPS]; /* by a warp that sleeps for them; 0: it does not */
    uint64_t asked[WW_SM_WARPS];  /* in which order */
    uint64_t turn;
} ww_pools;

#endif
