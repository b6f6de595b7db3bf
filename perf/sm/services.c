/* services.c - what mechanisms ask of the SM: order and holds of warps, requests ahead of demand,
 * locked lines, extra warps. */
#include <string.h>

#include "perf/sm/core.h"
#include "perf/sm/hooks.h"

static void mech_count(ww_sm *sm, ww_counter counter, uint64_t n)
{
    ww_count(sm, counter, n);
    if (counter >= (ww_counter)WW_CHARGE_FIRST && counter < (ww_counter)WW_CHARGE_MEMORY) {
        ww_note(sm, ww_charge_row_of(sm, WW_CHARGE_MECH), counter, n);
    }
}

static uint64_t *mech_counts(ww_sm *sm)
{
    return sm->counters->v;
}

static ww_warp *mech_warp(ww_sm *sm, uint32_t warp)
{
    WW_ASSERT(warp < WW_SM_WARPS);
    return sm->warps.at[warp];
}

static uint32_t mech_slots(const ww_sm *sm)
{
    (void)sm;
    return WW_SM_WARPS;
}

static ww_warps mech_live(const ww_sm *sm)
{
    return ww_warps_of_slots(sm->warps.live);
}

static ww_warps mech_extra(const ww_sm *sm)
{
    return ww_warps_of_slots(sm->extra.warps);
}

static bool mech_is_extra(const ww_sm *sm, uint32_t warp)
{
    return ww_in(sm->extra.warps, warp);
}

static uint32_t mech_index(const ww_sm *sm, const void *state)
{
    uint32_t i = 0;
    while (i < sm->mech.count && sm->mech.state[i] != state) {
        i++;
    }
    return i;
}

static ww_warps mech_waiting(const ww_sm *sm)
{
    return ww_warps_of_slots(ww_sm_waiting(sm));
}

/* ---- order and holds ---- */

static void choose_favouring(ww_sm *sm)
{
    for (uint32_t s = 0; s < sm->issue.schedulers; s++) {
        sm->issue.sched[s].base = sched_policy_of(sm->arch->sm.scheduler);
    }
    sm->issue.policy = sched_favouring(sm->arch->sm.scheduler);
}

static void mech_favour(ww_sm *sm, ww_warps set)
{
    const ww_slots warps = ww_slots_of_warps(set);
    for (uint32_t s = 0; s < sm->issue.schedulers; s++) {
        sm->issue.sched[s].favoured = warps & sm->issue.sched[s].mine;
    }
    choose_favouring(sm);
}

static void mech_background(ww_sm *sm, ww_warps set)
{
    const ww_slots warps = ww_slots_of_warps(set);
    for (uint32_t s = 0; s < sm->issue.schedulers; s++) {
        sm->issue.sched[s].background = warps & sm->issue.sched[s].mine;
    }
    sm->extra.background = warps;
    choose_favouring(sm);
}

static ww_warps mech_favoured(const ww_sm *sm)
{
    ww_slots warps = WW_NO_SLOTS;
    for (uint32_t s = 0; s < sm->issue.schedulers; s++) {
        warps |= sm->issue.sched[s].favoured;
    }
    return ww_warps_of_slots(warps);
}

static void mech_wake(ww_sm *sm, uint32_t warp)
{
    WW_ASSERT(warp < WW_SM_WARPS);
    sched_wake(&sm->issue.sched[warp % sm->issue.schedulers], warp);
}

static void mech_hold_fetch(ww_sm *sm, uint32_t warp)
{
    WW_ASSERT(warp < WW_SM_WARPS);
    sm->hold.fetch |= ww_slot(warp);
    sm->fetch.fetchable &= ~ww_slot(warp);
}

static void mech_hold_fetch_for(ww_sm *sm, uint32_t warp, ww_counter why)
{
    WW_ASSERT(warp < WW_SM_WARPS);
    sm->hold.fetch_why[warp] = why;
    sm->hold.blamed |= ww_slot(warp);
    mech_hold_fetch(sm, warp);
}

static void mech_release_fetch(ww_sm *sm, uint32_t warp)
{
    sm->hold.fetch &= ~ww_slot(warp);
    sm->hold.blamed &= ~ww_slot(warp);
    if (ww_in(sm->warps.live, warp)) {
        sm_update_fetchable(sm, warp);
    }
}

/* A held warp stands where one at a barrier stands, so that schedulers and scoreboard need not know
 * of holds. */
static void mech_hold_issue(ww_sm *sm, uint32_t warp, ww_counter why)
{
    WW_ASSERT(warp < WW_SM_WARPS);
    const ww_slots bit = ww_slot(warp);
    sm->hold.why[warp] = why;
    sm->hold.issue |= bit;
    sm->warps.at_barrier |= bit;
    sm->board.ready &= ~bit;
    sm->board.raw_short &= ~bit;
    sm->board.raw_long &= ~bit;
}

static void mech_release_issue(ww_sm *sm, uint32_t warp)
{
    if (ww_any(ww_slot(warp) & sm->hold.issue & sm->warps.live) &&
        !sm->warps.at[warp]->at_barrier && !ww_in(sm->shadow.dropping, warp)) {
        sm->warps.at_barrier &= ~ww_slot(warp);
        sm_evaluate(sm, warp);
    }
    sm->hold.issue &= ~ww_slot(warp);
}

static void mech_lift(ww_sm *sm, uint32_t warp)
{
    WW_ASSERT(warp < WW_SM_WARPS && sm->ibuf.count[warp] > 0); /* there is a head */
    ww_sm_head_goes_to(&sm->ibuf, warp, WW_UNIT_CTRL);
    sm->mech.lifted |= ww_slot(warp);
}

static void mech_halve(ww_sm *sm, uint32_t warp)
{
    mech_lift(sm, warp);
    sm->mech.halved |= ww_slot(warp);
    sm->mech.halves = true;
}

/* ---- requests ahead of demand ---- */

static ww_inject_result mech_look_up(ww_sm *sm, uint64_t address, uint64_t now)
{
    if (sm->l1d.cache == NULL || sm->l1d.used == now || sm->ldst.blocked || sm->l1d.blocked ||
        !ww_sm_out_room(sm)) {
        return WW_INJECT_BUSY;
    }
    sm->l1d.used = now; /* a look-up takes the port, whatever it finds */
    uint16_t bytes;
    switch (ww_cache_probe(sm->l1d.cache, ww_cache_fetch_address(sm->l1d.cache, address, &bytes))) {
    case WW_CACHE_HIT:
        return WW_INJECT_PRESENT;
    case WW_CACHE_MERGED:
        return WW_INJECT_PENDING;
    default:
        return WW_INJECT_ABSENT;
    }
}

static ww_inject_result mech_inject(ww_sm *sm, uint64_t address, uint32_t reserve, uint64_t now)
{
    if (sm->l1d.cache == NULL || ww_cache_free_mshrs(sm->l1d.cache) <= reserve) {
        return WW_INJECT_BUSY;
    }
    const ww_inject_result found = mech_look_up(sm, address, now);
    if (found != WW_INJECT_ABSENT) {
        return found;
    }
    uint16_t bytes;
    const uint64_t fetch = ww_cache_fetch_address(sm->l1d.cache, address, &bytes);
    bool hit;
    ww_cache_eviction evicted = {0};
    if (ww_cache_access(sm->l1d.cache, fetch, ~0u, false, false, now, WW_NONE, &hit, &evicted) !=
        WW_CACHE_MISS) { /* every way of its set waits for a fill */
        return WW_INJECT_BUSY;
    }
    sm_left_l1d(sm, &evicted, now);
    sm_send(sm, &(ww_mem_req){.kind = WW_REQ_PREFETCH,
                              .address = fetch,
                              .bytes = bytes,
                              .token = WW_NONE,
                              .owner = ww_owner_of(sm, ww_charge_row_of(sm, WW_CHARGE_MECH)),
                              .flags = WW_OUT_THROUGH_CACHE});
    return WW_INJECT_SENT;
}

static ww_inject_result mech_request(ww_sm *sm, uint64_t address, uint32_t most, uint64_t now,
                                     bool *locked)
{
    *locked = false;
    if (sm->l1d.cache == NULL || sm->l1d.used == now) {
        return WW_INJECT_BUSY;
    }
    if (!ww_sm_out_room(sm)) {
        return WW_INJECT_LATER;
    }
    sm->l1d.used = now;
    uint16_t bytes;
    uint64_t fetch = ww_cache_fetch_address(sm->l1d.cache, address, &bytes);
    if (!ww_cache_may_lock(sm->l1d.cache, fetch, most)) {
        return WW_INJECT_LOCKED;
    }
    bool hit;
    ww_cache_eviction evicted = {0};
    ww_cache_result result =
        ww_cache_access(sm->l1d.cache, fetch, ~0u, false, false, now, WW_NONE, &hit, &evicted);
    if (result == WW_CACHE_STALL) {
        return WW_INJECT_LATER;
    }
    sm_left_l1d(sm, &evicted, now);
    const uint32_t row = ww_charge_row_of(sm, WW_CHARGE_MECH);
    ww_charge(sm, row, result == WW_CACHE_HIT ? WW_C_L1D_READ_HIT : WW_C_L1D_READ_MISS, 1);
    ww_charge(sm, row, WW_C_L1D_READ_MERGED, result == WW_CACHE_MERGED);
    if (result == WW_CACHE_MISS) {
        sm_send(sm, &(ww_mem_req){.kind = WW_REQ_READ,
                                  .address = fetch,
                                  .bytes = bytes,
                                  .token = WW_NONE,
                                  .owner = ww_owner_of(sm, row),
                                  .flags = WW_OUT_THROUGH_CACHE});
    }
    *locked = mech_lock(sm, fetch, most);
    return result == WW_CACHE_HIT      ? WW_INJECT_PRESENT
           : result == WW_CACHE_MERGED ? WW_INJECT_PENDING
                                       : WW_INJECT_SENT;
}

static void mech_claim_l1d(ww_sm *sm, uint64_t when)
{
    sm->l1d.claimed = when;
}

/* ---- work on a unit without a warp ---- */

static void mech_take_pass(ww_sm *sm, uint32_t scheduler, uint32_t lanes)
{
    WW_ASSERT(scheduler < sm->issue.schedulers && lanes <= WW_WARP_SIZE);
    sm->mech.passes[scheduler]++;
    ww_charge(sm, ww_charge_row_of(sm, WW_CHARGE_MECH), WW_C_OP_INT_ADD, lanes);
}

static bool sm_take_slot(ww_sm *sm, uint32_t s, uint64_t now)
{
    for (uint32_t i = 0; sm->mech.passes[s] > 0 && i < sm->units.count[WW_UNIT_SP]; i++) {
        if (sm->units.free[WW_UNIT_SP][i] <= now) {
            sm->units.free[WW_UNIT_SP][i] = now + sm->arch->units.int_interval;
            sm->mech.passes[s]--;
            ww_count(sm, WW_C_SLOTS_ISSUED, 1);
            ww_charge(sm, ww_charge_row_of(sm, WW_CHARGE_MECH), WW_C_PIPE_SP, 1);
            return true;
        }
    }
    return false;
}

static bool mech_fetch_beside(ww_sm *sm, uint32_t mech, uint64_t address, uint16_t bytes,
                              uint32_t token)
{
    WW_ASSERT(mech < sm->mech.count && token >> WW_BESIDE_SHIFT == 0);
    if (!ww_sm_out_room(sm)) {
        return false;
    }
    sm_send(sm, &(ww_mem_req){.kind = WW_REQ_PREFETCH,
                              .address = address,
                              .bytes = bytes,
                              .token = mech << WW_BESIDE_SHIFT | token,
                              .owner = ww_owner_of(sm, ww_charge_row_of(sm, WW_CHARGE_MECH)),
                              .flags = WW_OUT_BESIDE});
    return true;
}

static void mech_serve(ww_sm *sm, uint32_t flight, uint64_t ready, uint64_t now)
{
    WW_ASSERT(flight < sm->flights.capacity && sm->flights.at[flight].pieces > 0);
    ww_flight *f = &sm->flights.at[flight];
    f->pieces--;
    f->ready_at = ready > f->ready_at ? ready : f->ready_at;
    sm_flight_settle(sm, flight, now);
}

static bool mech_lock(ww_sm *sm, uint64_t address, uint32_t most)
{
    bool locked = sm->l1d.cache != NULL && ww_cache_lock(sm->l1d.cache, address, most);
    ww_count(sm, WW_C_MECH_LOCKED, locked);
    return locked;
}

static void mech_unlock(ww_sm *sm, uint64_t address)
{
    if (sm->l1d.cache != NULL) {
        ww_cache_unlock(sm->l1d.cache, address);
        sm->ldst.blocked = sm->l1d.blocked = false; /* an access may have waited for the way */
    }
}

/* ---- extra warps ---- */

static ww_status find_slots(const ww_sm *sm, uint32_t *warp, uint32_t *cta, ww_error *err)
{
    uint32_t w = sm->arch->sm.max_warps;
    while (w < WW_SM_WARPS && ww_in(sm->warps.taken, w)) {
        w++;
    }
    uint32_t c = WW_SM_CTAS;
    while (c > sm->ctas.limit && ww_any(sm->cta[c - 1].warps)) {
        c--;
    }
    if (w == WW_SM_WARPS || c == sm->ctas.limit) {
        return ww_fail(err, WW_EUNSUP,
                       "no warp slot for an extra warp: %u of %d slots belong to the kernel's "
                       "warps (sm.max_warps)",
                       sm->arch->sm.max_warps, WW_SM_WARPS);
    }
    *warp = w;
    *cta = c - 1;
    return WW_OK;
}

/* A CTA of its own for one warp: shared memory, barriers and indices. */
static ww_status start_extra(ww_sm *sm, uint32_t linear, uint64_t now, uint32_t *out, ww_error *err)
{
    uint32_t w = 0, c = 0;
    WW_TRY(sm_make_board(sm, err));
    WW_TRY(find_slots(sm, &w, &c, err));
    ww_cta_slot *slot = &sm->cta[c];
    sm->ctas.touched |= ww_word_bit(c);
    WW_TRY(ww_cta_init(&slot->cta, sm->launch, linear, NULL, err));
    slot->cta.live_warps = 1;
    slot->warps = ww_slot(w);
    slot->live = 1;
    slot->flights = 0;
    slot->extra = true;
    sm->extra.warps |= ww_slot(w);
    sm->mech.hooks |= WW_HOOK_EXTRA;
    sm->issue.sched[w % sm->issue.schedulers].mine |= ww_slot(w);
    memset(ww_awaited_of(sm, w), 0, sm->board.stride * sizeof(ww_awaited));
    ww_warp *warp = &slot->cta.warp[0];
    warp->live = warp->stack[0].mask = UINT32_MAX;
    sm_start_warp(sm, w, c, warp);
    ww_count(sm, WW_C_MECH_EXTRA_WARPS, 1);
    sm->pulse.wake = sm->pulse.wake < now + 1 ? sm->pulse.wake : now + 1;
    *out = w;
    return WW_OK;
}

static ww_status mech_start_warp(ww_sm *sm, uint32_t entry, uint32_t linear, uint64_t now,
                                 uint32_t *warp, ww_error *err)
{
    WW_TRY(start_extra(sm, linear, now, warp, err));
    sm->warps.at[*warp]->stack[0].pc = entry;
    sm->ibuf.pc[*warp] = ww_program_place(sm->program, entry);
    sm_update_fetchable(sm, *warp);
    return WW_OK;
}

static ww_status mech_fork_warp(ww_sm *sm, uint32_t from, uint64_t now, uint32_t *out,
                                ww_error *err)
{
    const ww_warp *source = sm->warps.at[from];
    uint32_t w = 0;
    WW_TRY(start_extra(sm, source->cta->linear, now, &w, err));
    ww_warp *warp = sm->warps.at[w];
    const ww_kernel *kernel = sm->launch->kernel;
    if (!ww_warp_make_room(warp, source->depth)) {
        mech_stop_warp(sm, w, now);
        return ww_no_memory_for(err, "a SIMT stack");
    }
    memcpy(warp->regs, source->regs, (size_t)kernel->registers * WW_WARP_SIZE * sizeof(uint32_t));
    memcpy(warp->preds, source->preds, kernel->predicates * sizeof(uint32_t));
    memcpy(warp->stack, source->stack, source->depth * sizeof *warp->stack);
    if (warp->local != NULL) {
        memcpy(warp->local, source->local, (size_t)kernel->local_bytes * WW_WARP_SIZE);
    }
    warp->depth = source->depth;
    warp->live = source->live;
    warp->index = source->index;
    sm->ibuf.pc[w] = ww_program_place(sm->program, ww_warp_pc(warp));
    sm_update_fetchable(sm, w);
    *out = w;
    return WW_OK;
}

static void mech_drive(ww_sm *sm, uint32_t warp, uint32_t mech)
{
    WW_ASSERT(ww_in(sm->extra.warps, warp) && mech < sm->mech.count);
    sm->extra.driven |= ww_slot(warp);
    sm->extra.driver[warp] = (uint8_t)mech;
}

static void mech_go_to(ww_sm *sm, uint32_t warp, uint32_t inst)
{
    WW_ASSERT(ww_in(sm->extra.warps, warp) && inst < sm->launch->kernel->code_count);
    sm->warps.at[warp]->stack[0].pc = inst;
    sm_flush(sm, warp, ww_program_place(sm->program, inst));
}

static void mech_stop_warp(ww_sm *sm, uint32_t w, uint64_t now)
{
    if (!ww_any(sm->extra.warps & sm->warps.live & ww_slot(w))) {
        return;
    }
    sm->warps.at[w]->depth = 0;
    sm->warps.held &= ~ww_slot(w);
    sm->warps.at_barrier &= ~ww_slot(w);
    sm->skip.marks[w] = 0;
    sm_warp_exited(sm, w, sm->ibuf.count[w]);
    hook_warp_exited(sm, w, now);
    sm_cta_check(sm, &sm->cta[sm->warps.cta_of[w]], now);
}

static void sm_stop_extras(ww_sm *sm, uint64_t now)
{
    for (ww_slots m = sm->extra.warps; ww_any(m); m = ww_rest(m)) {
        mech_stop_warp(sm, ww_first(m), now);
    }
}

static void mech_complete(ww_sm *sm, uint32_t flight, uint64_t now)
{
    WW_ASSERT(flight < sm->flights.capacity);
    ww_flight *f = &sm->flights.at[flight];
    if (f->op->dst_levels > 0) {
        ww_core_of(sm)->write(sm, flight, now);
    } else {
        sm_flight_done(sm, flight, now);
    }
}
