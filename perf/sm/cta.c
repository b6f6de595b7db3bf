/* cta.c - CTAs on an SM: warp slots at launch, warp exit, release of everything at completion. */
#include "perf/sm/hooks.h"

#include <string.h>

bool ww_sm_accepts(const ww_sm *sm, uint64_t now)
{
    return sm->pulse.ctas < sm->cta_limit && now >= sm->next_launch;
}

uint64_t ww_sm_launch_time(const ww_sm *sm)
{
    return sm->next_launch;
}

void ww_sm_start_warp(ww_sm *sm, uint32_t w, uint32_t slot_index, ww_warp *warp)
{
    ww_slots bit = ww_slot(w);
    sm->warp[w] = warp;
    warp->smid = sm->id;
    warp->slot = w;
    sm->cta_of[w] = (uint8_t)slot_index;
    sm->taken |= bit;
    sm->live |= bit;
    sm->ib_pc[w] = 0;
    sm->ib_count[w] = 0;
    sm->issued_of[w] = 0;
    sm->const_misses[w] = 0;
    ww_sm_update_fetchable(sm, w);
    ww_sched_add(&sm->sched[w % sm->schedulers], w);
    ww_count(sm, WW_C_WARPS, 1);
    ww_count(sm, WW_C_STACK_PUSH, 1); /* the entry that the exit pops */
    ww_count(sm, WW_C_WARP_STATUS_WRITE, 1);
}

ww_status ww_sm_launch_cta(ww_sm *sm, uint32_t linear, uint64_t now, ww_error *err)
{
    uint32_t index = 0;
    while (ww_any(sm->cta[index].warps)) {
        index++;
    }
    ww_cta_slot *slot = &sm->cta[index];
    WW_TRY(ww_cta_init(&slot->cta, sm->launch, linear, err));
    if (sm->pulse.ctas++ == 0) {
        sm->accounted = now + 1;
    } else {
        ww_sm_account(sm, now + 1); /* the sleeping reasons below change */
    }
    slot->live = sm->launch_warps = slot->cta.warp_count;
    slot->flights = 0;
    for (uint32_t i = 0; i < slot->cta.warp_count; i++) {
        uint32_t w = ww_first(~sm->taken);
        slot->warps |= ww_slot(w);
        ww_sm_start_warp(sm, w, index, &slot->cta.warp[i]);
    }
    uint32_t gap = sm->arch->sm.cta_launch_cycles;
    sm->next_launch = now + (gap > 0 ? gap : 1);
    sm->pulse.wake = now + 1;
    ww_count(sm, WW_C_CTAS, 1);
    if (ww_hooked(sm, WW_HOOK_ANY)) {
        for (ww_slots m = slot->warps; ww_any(m); m = ww_rest(m)) {
            uint32_t w = ww_first(m);
            WW_TRY(ww_sm_run_absent(sm, w, now, err));
            sm->ib_pc[w] = ww_sm_next_place(sm, w);
        }
        ww_hook_cta_started(sm, index, slot->warps, now);
    }
    return WW_OK;
}

void ww_sm_warp_exited(ww_sm *sm, uint32_t w, uint32_t unused)
{
    ww_slots bit = ww_slot(w);
    ww_count(sm, WW_C_IBUF_FLUSHED, unused);
    sm->ib_count[w] = 0;
    if (ww_any(sm->fetching & bit)) {
        sm->epoch[w]++;
    }
    sm->live &= ~bit;
    sm->decoded &= ~bit;
    sm->fetching &= ~bit;
    sm->fetchable &= ~bit;
    sm->astray &= ~bit;
    sm->at_fence &= ~bit;
    for (unsigned u = 0; u < WW_PIPE_KINDS; u++) {
        sm->head[u] &= ~bit;
    }
    ww_sm_evaluate(sm, w);
    ww_sched_remove(&sm->sched[w % sm->schedulers], w);
    ww_count(sm, WW_C_WARP_STATUS_WRITE, 1);
    sm->cta[sm->cta_of[w]].live--;
    if (ww_hooked(sm, WW_HOOK_ANY)) {
        sm->at_barrier &= ~(sm->held_issue & bit);
        sm->held_issue &= ~bit;
        sm->held_fetch &= ~bit;
        sm->fetch_blamed &= ~bit;
        sm->skipping &= ~bit;
        sm->skip[w] = 0;
    }
}

/* An extra warp's slots are free again. */
static void end_extra(ww_sm *sm, ww_cta_slot *slot)
{
    sm->extra &= ~slot->warps;
    sm->driven &= ~slot->warps;
    for (uint32_t s = 0; s < sm->schedulers; s++) {
        sm->sched[s].mine &= ~slot->warps;
    }
    slot->warps = WW_NO_SLOTS;
    slot->extra = false;
}

void ww_sm_cta_check(ww_sm *sm, ww_cta_slot *slot, uint64_t now)
{
    if (slot->live > 0 || slot->flights > 0 || !ww_any(slot->warps)) {
        return;
    }
    sm->taken &= ~slot->warps;
    sm->pulse.progress++;
    if (ww_hooked(sm, WW_HOOK_ANY) && slot->extra) {
        end_extra(sm, slot);
        return;
    }
    slot->warps = WW_NO_SLOTS;
    sm->pulse.ctas--;
    if (ww_hooked(sm, WW_HOOK_ANY)) {
        ww_hook_cta_ended(sm, (uint32_t)(slot - sm->cta), now);
        if (sm->pulse.ctas == 0) {
            ww_sm_stop_extras(sm, now);
        }
    }
}
