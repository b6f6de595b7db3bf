/* cta.c - CTAs on an SM: warp slots at launch, warp exit, release of everything at completion. */
#include "perf/sm/async/async.h"
#include "perf/sm/hooks.h"

#include <string.h>

static bool sm_accepts(const ww_sm *sm, uint64_t now)
{
    return sm->pulse.ctas < sm->ctas.limit && now >= sm->ctas.next_launch;
}

static uint64_t sm_launch_time(const ww_sm *sm)
{
    return sm->ctas.next_launch;
}

static void sm_start_warp(ww_sm *sm, uint32_t w, uint32_t slot_index, ww_warp *warp)
{
    ww_slots bit = ww_slot(w);
    sm->warps.at[w] = warp;
    warp->smid = sm->id;
    warp->slot = w;
    sm->warps.cta_of[w] = (uint8_t)slot_index;
    sm->warps.taken |= bit;
    sm->warps.live |= bit;
    sm->ibuf.pc[w] = 0;
    sm->ibuf.count[w] = 0;
    sm->warps.issued[w] = 0;
    sm->constants.misses[w] = 0;
    sm_groups_begin(&sm->groups, w);
    if (ww_async_of(sm) != NULL) {
        sm_async_warp(sm, w);
    }
    sm_update_fetchable(sm, w);
    sched_add(&sm->issue.sched[w % sm->issue.schedulers], w);
    ww_count(sm, WW_C_WARPS, 1);
    ww_count(sm, WW_C_STACK_PUSH, 1); /* the entry that the exit pops */
    ww_count(sm, WW_C_WARP_STATUS_WRITE, 1);
    if (ww_profile_of(sm) != NULL && !sm->profile->issues) {
        ww_note(sm, ww_charge_row_of(sm, WW_CHARGE_LAUNCH), WW_C_STACK_PUSH, 1);
        ww_note(sm, ww_charge_row_of(sm, WW_CHARGE_LAUNCH), WW_C_WARP_STATUS_WRITE, 1);
    }
}

/* The free slot for warp i of the CTA on slot `index`. Warps belong to schedulers by slot number:
 * in order, warp i of every CTA of four warps is on partition i, and a CTA whose warps have unequal
 * work makes one partition wait for another. Turned, each CTA begins one partition before the last
 * one. That a Volta card evens them out: binomialOptions, docs/validation/gv100.md. */
static uint32_t place_warp(const ww_sm *sm, uint32_t index, uint32_t i)
{
    ww_slots open = ~sm->warps.taken;
    if (sm->arch->sm.core == WW_CORE_TURNED) {
        uint32_t n = sm->issue.schedulers;
        ww_slots there = open & sm->issue.sched[(i + index * (n - 1)) % n].mine;
        return ww_first(ww_any(there) ? there : open);
    }
    return ww_first(open);
}

/* What an SM that gets no CTA does without. */
static ww_status sm_make_board(ww_sm *sm, ww_error *err)
{
    if (sm->board.awaited != NULL) {
        return WW_OK;
    }
    sm->board.awaited = WW_NEW_ARRAY(ww_awaited, (size_t)WW_SM_WARPS * sm->board.stride);
    sm->oc.need = WW_NEW_ARRAY(uint64_t, (size_t)WW_SM_COLLECTORS * sm->oc.need_stride);
    if (sm->board.awaited == NULL || sm->oc.need == NULL) {
        return ww_no_memory_for(err, "the scoreboard of SM %u", sm->id);
    }
    return WW_OK;
}

static ww_status sm_launch_cta(ww_sm *sm, uint32_t linear, uint64_t now, ww_error *err)
{
    WW_TRY(sm_make_board(sm, err));
    uint32_t index = 0;
    while (ww_any(sm->cta[index].warps)) {
        index++;
    }
    ww_cta_slot *slot = &sm->cta[index];
    sm->ctas.touched |= ww_word_bit(index);
    WW_TRY(ww_cta_init(&slot->cta, sm->launch, linear, sm->ctas.joins, err));
    slot->cta.engines = ww_async_of(sm) != NULL ? &sm->async->engines : NULL;
    if (sm->pulse.ctas++ == 0) {
        ww_sm_slots_from(sm, now + 1);
    } else {
        sm_account(sm, now + 1); /* the sleeping reasons below change */
    }
    ww_sm_ask_all(sm);
    slot->live = sm->ctas.newest_warps = slot->cta.warp_count;
    slot->flights = 0;
    slot->willing = false;
    slot->since = now;
    for (uint32_t i = 0; i < slot->cta.warp_count; i++) {
        uint32_t w = place_warp(sm, index, i);
        slot->warps |= ww_slot(w);
        sm_start_warp(sm, w, index, &slot->cta.warp[i]);
    }
    uint32_t gap = sm->arch->sm.cta_launch_cycles;
    sm->ctas.next_launch = now + (gap > 0 ? gap : 1);
    sm->pulse.wake = now + 1;
    ww_count(sm, WW_C_CTAS, 1);
    if (ww_hooked(sm, WW_HOOK_ANY)) {
        for (ww_slots m = slot->warps; ww_any(m); m = ww_rest(m)) {
            uint32_t w = ww_first(m);
            WW_TRY(sm_run_absent(sm, w, now, err));
            sm->ibuf.pc[w] = sm_next_place(sm, w);
        }
        hook_cta_started(sm, index, slot->warps, now);
    }
    return WW_OK;
}

static void sm_warp_exited(ww_sm *sm, uint32_t w, uint32_t unused)
{
    ww_slots bit = ww_slot(w);
    ww_count(sm, WW_C_IBUF_FLUSHED, unused);
    sm->ibuf.count[w] = 0;
    if (ww_any(sm->fetch.fetching & bit)) {
        sm->fetch.epoch[w]++;
    }
    sm->warps.live &= ~bit;
    sm->ibuf.decoded &= ~bit;
    sm->fetch.fetching &= ~bit;
    sm->fetch.fetchable &= ~bit;
    sm->ibuf.astray &= ~bit;
    sm->warps.at_fence &= ~bit;
    sm->ibuf.head[sm->ibuf.unit[w]] &= ~bit;
    sm_evaluate(sm, w);
    sched_remove(&sm->issue.sched[w % sm->issue.schedulers], w);
    ww_count(sm, WW_C_WARP_STATUS_WRITE, 1);
    sm->cta[sm->warps.cta_of[w]].live--;
    if (ww_hooked(sm, WW_HOOK_ANY)) {
        sm->warps.at_barrier &= ~(sm->hold.issue & bit);
        sm->hold.issue &= ~bit;
        sm->hold.fetch &= ~bit;
        sm->hold.blamed &= ~bit;
        sm->skip.due &= ~bit;
        sm->skip.marks[w] = 0;
    }
}

/* An extra warp's slots are free again. */
static void end_extra(ww_sm *sm, ww_cta_slot *slot)
{
    sm->extra.warps &= ~slot->warps;
    sm->extra.driven &= ~slot->warps;
    for (uint32_t s = 0; s < sm->issue.schedulers; s++) {
        sm->issue.sched[s].mine &= ~slot->warps;
    }
    slot->warps = WW_NO_SLOTS;
    slot->extra = false;
}

static void sm_cta_check(ww_sm *sm, ww_cta_slot *slot, uint64_t now)
{
    if (slot->live > 0 || slot->flights > 0 || !ww_any(slot->warps) || slot->cta.cluster != NULL) {
        return;
    }
    sm->warps.taken &= ~slot->warps;
    sm->pulse.progress++;
    if (ww_hooked(sm, WW_HOOK_ANY) && slot->extra) {
        end_extra(sm, slot);
        return;
    }
    slot->warps = WW_NO_SLOTS;
    sm->pulse.ctas--;
    sm->pulse.willing -= slot->willing;
    if (ww_async_of(sm) != NULL) {
        sm_async_cta_ended(sm, (uint32_t)(slot - sm->cta), now);
    }
    if (ww_hooked(sm, WW_HOOK_ANY)) {
        hook_cta_ended(sm, (uint32_t)(slot - sm->cta), now);
        if (sm->pulse.ctas == 0) {
            sm_stop_extras(sm, now);
        }
    }
}
