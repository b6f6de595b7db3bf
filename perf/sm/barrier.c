/* barrier.c - CTA barriers in time. The executor counts arrivals; warps that it has released become
 * ready here. */
#include "perf/sm/hooks.h"

void ww_sm_barrier_released(ww_sm *sm, ww_cta_slot *slot)
{
    for (uint64_t m = slot->warps & sm->at_barrier; m != 0; m &= m - 1) {
        uint32_t w = (uint32_t)__builtin_ctzll(m);
        if (!sm->warp[w]->at_barrier &&
            !(ww_hooked(sm, WW_HOOK_ANY) && ((sm->held_issue | sm->dropping) >> w & 1))) {
            sm->at_barrier &= ~ww_bit(w);
            ww_count(sm, WW_C_WARP_STATUS_WRITE, 1);
            ww_sm_evaluate(sm, w);
        }
    }
}
