/* sm.c - one core cycle of an SM, from the back of the pipeline to the front, and when the next one
 * is needed. */
#include "base/arith.h"
#include "perf/sm/async/async.h"
#include "perf/sm/core.h"
#include "perf/sm/hooks.h"
#include "perf/sm/profile.h"

static void sm_account_ldst(ww_sm *sm, uint64_t until)
{
    if (sm->ldst.blocked && until > sm->ldst.charged && sm->pulse.ctas > 0) {
        ww_count(sm, WW_C_L1D_STALL, until - sm->ldst.charged);
    }
    sm->ldst.charged = ww_max_u64(sm->ldst.charged, until);
}

/* Charges the cycles before `until`, in which as many warps were there, but for who lost their
 * slots. */
static WW_ALWAYS_INLINE void account_active(ww_sm *sm, uint64_t until)
{
    const uint64_t n = until - sm->sleep.accounted;
    sm->sleep.accounted = until;
    ww_count(sm, WW_C_SM_ACTIVE, n);
    ww_count(sm, WW_C_WARP_RESIDENT, n * ww_number(sm->warps.live));
    ww_count(sm, WW_C_SLOTS, n * sm->issue.schedulers);
}

static void account_slots(ww_sm *sm, uint64_t until)
{
    account_active(sm, until);
    for (uint32_t s = 0; s < sm->issue.schedulers; s++) {
        sm_charge_slots(sm, s, until);
    }
}

static void sm_account(ww_sm *sm, uint64_t until)
{
    sm_account_ldst(sm, until);
    if (sm->pulse.ctas > 0 && until >= sm->sleep.accounted) {
        account_slots(sm, until);
    }
}

/* Charges the cycles before this one, and this one but for its slots, which the schedulers count.
 */
static WW_ALWAYS_INLINE void account_cycle(ww_sm *sm, uint64_t now)
{
    if (WW_BARE || now > sm->sleep.accounted) {
        account_slots(sm, now);
    }
    ww_sm_slots_from(sm, now + 1);
    ww_count(sm, WW_C_SM_ACTIVE, 1);
    ww_count(sm, WW_C_WARP_RESIDENT, ww_number(sm->warps.live));
}

/* Whether some scheduler could issue in cycle now, if it is like this one. Those that cannot have
 * their reasons noted, which hold until they are asked again. */
static WW_ALWAYS_INLINE bool could_issue(ww_sm *sm, uint64_t now)
{
    bool any = false;
    sm->oc.ports = sm->arch->regfile.collector_ports;
    ww_slots waiting = ww_sm_waiting(sm);
    for (uint32_t s = 0; s < sm->issue.schedulers; s++) {
        if (WW_BARE && !ww_sm_asked(sm, s, now)) {
            continue;
        }
        ww_sched *sched = &sm->issue.sched[s];
        ww_slots ready = sm->board.ready & ww_sm_eligible(sm, sched, waiting);
        uint64_t next = UINT64_MAX;
        bool paced = !WW_BARE && sched->next_issue > now;
        any = any || (ww_any(ready) && !paced &&
                      (ww_sm_head_accepted(sm, s, ww_first(ready), now) ||
                       ww_any(ready & ~ww_core_of(sm)->blocked(sm, s, ready, now, &next))));
        if (any) {
            if (sm->issue.policy->eligible != NULL) {
                continue;
            }
            return true;
        }
        uint32_t chosen = ww_any(ready) ? ww_sm_pick(sm, sched, ready) : WW_NONE;
        sm_charge_slots(sm, s, now);
        sm->sleep.select[s] = ww_any(ready) && !paced;
        sm->sleep.reason[s] = (uint8_t)sm_stall_reason(sm, s, chosen);
        if (WW_BARE) {
            sm_settle(sm, s, next);
        }
        if (WW_PLAIN) {
            continue;
        }
        if (WW_UNLIKELY(sm->sleep.reason[s] == WW_STALL_HELD)) {
            sm->sleep.held[s] = sm_held_for(sm, s);
        }
        if (WW_UNLIKELY(!WW_BARE && sm->arch->sm.count_most)) {
            sm->sleep.most[s] = (uint8_t)sm_most_stall(sm, s);
        }
        if (WW_UNLIKELY(ww_profile_of(sm) != NULL)) {
            sm->profile->asleep[s] = profile_charge(sm, s, (ww_stall)sm->sleep.reason[s], chosen);
        }
    }
    if (WW_BARE) {
        ww_sm_find_first(sm);
    }
    return any;
}

/* Whether something in the collectors moves in the next cycle. */
static bool collectors_move(const ww_sm *sm, uint64_t now)
{
    return ww_sm_pools() && ((sm->oc.reading | sm->oc.refilling) != 0 ||
                             (sm->oc.complete != 0 && pool_next_free(sm, now) == now + 1));
}

/* Whether a scheduler will meet an instruction that must not issue. */
static bool astray_met(const ww_ibuf_stage *ibuf)
{
    for (ww_slots m = ibuf->astray; ww_any(m); m = ww_rest(m)) {
        if (ibuf->count[ww_first(m)] > 0) {
            return true;
        }
    }
    return false;
}

/* First cycle after now in which a scheduler that has issued may issue again; UINT64_MAX where it
 * may in every cycle. */
static uint64_t next_issue(const ww_sm *sm, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    if (sm->arch->sm.issue_interval == 1) {
        return next;
    }
    for (uint32_t s = 0; s < sm->issue.schedulers; s++) {
        const ww_sched *sched = &sm->issue.sched[s];
        bool later = sched->next_issue > now + 1 && ww_any(sm->board.ready & sched->mine);
        next = later && sched->next_issue < next ? sched->next_issue : next;
    }
    return next;
}

/* First cycle after now in which something that is taken is free by time. */
static uint64_t next_free(const ww_sm *sm, uint64_t now)
{
    if (!WW_BARE || !ww_core_of(sm)->timed || sm->forward.resting ||
        sm->issue.policy->eligible != NULL) {
        return ww_core_of(sm)->next_free(sm, now);
    }
    return sm->sleep.first;
}

/* First cycle in which this SM can change without a reply. Everything that moves every cycle keeps
 * it awake. */
static WW_ALWAYS_INLINE uint64_t next_wake(ww_sm *sm, uint64_t now)
{
    bool awake = (ww_sm_pools() && sm->regfile.first != WW_NONE) ||
                 ww_any(sm->warps.live & sm->fetch.fetchable & ~sm->fetch.fetching) ||
                 collectors_move(sm, now) || astray_met(&sm->ibuf) ||
                 (sm->forward.resting && ww_any(sm->constants.retry));
    if ((awake && sm->issue.policy->eligible == NULL) ||
        (!sm->forward.resting && (!WW_BARE || ww_sm_any_asked(sm, now + 1)) &&
         could_issue(sm, now + 1)) ||
        awake) {
        return now + 1;
    }
    uint64_t next = ww_wheel_next(&sm->flights.wheel, now);
    uint64_t free = next_free(sm, now);
    next = ww_min_u64(next, free);
    if (!WW_BARE) {
        uint64_t paced = next_issue(sm, now);
        next = ww_min_u64(next, paced);
        next = sm->async != NULL ? ww_min_u64(next, sm->async->next) : next;
    }
    if (sm->fetch.count > 0) {
        uint64_t due = sm->fetch.ring[sm->fetch.first].due;
        next = ww_min_u64(next, due);
    }
    if (sm->ldst.count > 0 && !sm->ldst.blocked) {
        next = ww_min_u64(next, sm->ldst.busy_until);
    }
    if (sm->l1d.count > 0 && !sm->l1d.blocked) {
        uint64_t due = sm->l1d.ring[sm->l1d.first].due;
        next = ww_min_u64(next, due);
    }
    return next > now ? next : now + 1;
}

/* Whether a mechanism waits for a pass of a pipeline. */
static bool passes_due(const ww_sm *sm)
{
    uint32_t any = 0;
    for (uint32_t s = 0; s < sm->issue.schedulers; s++) {
        any |= sm->mech.passes[s];
    }
    return any != 0;
}

/* Earlier than the SM itself where a mechanism acts before. */
static WW_NOINLINE void wake_for_mechanisms(ww_sm *sm, uint64_t now)
{
    uint64_t due = ww_any(sm->skip.due | sm->shadow.dropping) ? now + 1 : hook_next(sm, now);
    due = passes_due(sm) ? now + 1 : due;
    sm->pulse.wake = due < sm->pulse.wake ? due : sm->pulse.wake;
}

/* The schedulers' turn, of those that must be asked. */
static WW_ALWAYS_INLINE ww_status ask_schedulers(ww_sm *sm, uint64_t now, ww_error *err)
{
    WW_VERIFY(sm_verify_settled(sm, now));
    if (ww_sm_any_asked(sm, now)) {
        account_active(sm, now + 1);
        WW_TRY(sm_issue(sm, now, err));
    }
    if (sm->pulse.ctas == 0) {
        account_slots(sm, now + 1);
    }
    return WW_OK;
}

static ww_status sm_tick(ww_sm *sm, uint64_t now, ww_error *err)
{
    if (sm->ldst.blocked) {
        sm_account_ldst(sm, now);
    }
    bool active = sm->pulse.ctas > 0;
    const bool lazy = WW_BARE && !sm->forward.resting; /* schedulers are asked when they must be */
    if (active && !lazy) {
        account_cycle(sm, now);
    }
    const ww_slots dropping = sm->shadow.dropping; /* a head stays for one cycle at least */
    if (ww_port_next_reply(sm->port) <= now) {
        sm_replies(sm, now);
    }
    if (ww_async_of(sm) != NULL && sm->async->next <= now) {
        WW_TRY(sm_async_act(sm, now, err));
    }
    sm->regfile.busy = 0;
    const bool written = sm->flights.wheel.count > 0 && sm_expire(sm, now);
    if (ww_sm_pools() && !written && sm->regfile.first != WW_NONE) {
        sm_write_registers(sm, now);
    }
    if (WW_BARE || sm->l1d.claimed != now) {
        sm_l1d_line(sm, now);
    }
    if (sm->ldst.count > 0 && !sm->ldst.blocked && sm->ldst.busy_until <= now) {
        sm_ldst(sm, now);
    }
    if (sm->ldst.blocked) {
        ww_count(sm, WW_C_L1D_STALL, 1);
        sm->ldst.charged = now + 1;
    }
    if (ww_hooked(sm, WW_HOOK(tick)) && active) {
        hook_tick(sm, now);
    }
    if (ww_sm_pools() && sm->oc.complete != 0) {
        sm_dispatch(sm, now);
    }
    if (ww_sm_pools() && (sm->oc.reading | sm->oc.refilling) != 0) {
        sm_read_operands(sm, now);
    }
    if (!WW_BARE && sm->given.core != NULL) {
        given_cycle(sm, now);
    }
    if (sm->constants.filled) {
        sm_constants_retry(sm, now);
    }
    if (active) {
        sm_correct_astray(sm);
        if (ww_hooked(sm, WW_HOOK(skip))) {
            WW_TRY(sm_skip_heads(sm, now, err));
        }
        if (!WW_BARE && WW_LIKELY(!sm->forward.resting)) {
            WW_TRY(sm_issue(sm, now, err));
        }
        if (lazy) {
            WW_TRY(ask_schedulers(sm, now, err));
        }
    }
    if (ww_hooked(sm, WW_HOOK(drop))) {
        sm_drop_heads(sm, dropping, now);
    }
    if (sm->fetch.count > 0) {
        sm_decode(sm, now);
    }
    if (ww_hooked(sm, WW_HOOK(skip)) && active) {
        sm_skip_stage(sm, now);
    }
    if (ww_any(sm->warps.live & sm->fetch.fetchable & ~sm->fetch.fetching)) {
        sm_fetch(sm, now);
    }
    if (ww_hooked(sm, WW_HOOK(stalled))) {
        hook_stalled(sm, now);
    }
    if (!active) {
        ww_sm_slots_from(sm, now + 1);
    }
    sm->pulse.wake = next_wake(sm, now);
    if (!WW_BARE && sm->pulse.ctas > 0 &&
        ww_hooked(sm, WW_HOOK(fetch) | WW_HOOK(skip) | WW_HOOK(tick) | WW_HOOK(drop))) {
        wake_for_mechanisms(sm, now);
    }
    if (!sm->sleep.allowed && sm->pulse.ctas > 0) {
        sm->pulse.wake = now + 1;
    }
    sm_drain(sm, now);
    return WW_OK;
}

static const ww_sm_pulse *sm_pulse_of(const ww_sm *sm)
{
    return &sm->pulse;
}

static void sm_set_core_clock(ww_sm *sm, double core_hz, uint64_t now)
{
    const uint64_t passed = ww_time_at(&sm->time, now);
    sm->time = (ww_time){.from = now, .nanoseconds = passed, .per_cycle = 1e9 / core_hz};
}

static void sm_allow_sleep(ww_sm *sm, bool allow)
{
    sm->sleep.allowed = allow;
}
