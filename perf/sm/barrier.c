/* barrier.c - CTA barriers in time. The executor counts arrivals; warps that it has released become
 * ready here. */
#include "perf/sm/async/async.h"
#include "perf/sm/hooks.h"

static void sm_barrier_released(ww_sm *sm, ww_cta_slot *slot)
{
    for (ww_slots m = slot->warps & sm->warps.at_barrier; ww_any(m); m = ww_rest(m)) {
        uint32_t w = ww_first(m);
        if (!sm->warps.at[w]->at_barrier &&
            !(ww_async_of(sm) != NULL && ww_in(sm->async->asleep, w)) &&
            !(ww_hooked(sm, WW_HOOK_ANY) && ww_in(sm->hold.issue | sm->shadow.dropping, w))) {
            sm->warps.at_barrier &= ~ww_slot(w);
            if (WW_UNLIKELY(ww_async_of(sm) != NULL)) {
                overlap_goes_on(sm, w);
            }
            ww_count(sm, WW_C_WARP_STATUS_WRITE, 1);
            sm_evaluate(sm, w);
        }
    }
}
