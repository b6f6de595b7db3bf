/* verify.c - what must be true of an SM between two cycles, for builds with assertions. Each check
 * names what is broken. */
#include "perf/sm/core.h"

/* Masks that divide the warps among themselves: no warp is in two. */
static bool disjoint(const ww_slots *mask, unsigned count)
{
    ww_slots seen = WW_NO_SLOTS;
    for (unsigned i = 0; i < count; i++) {
        if (ww_any(seen & mask[i])) {
            return false;
        }
        seen |= mask[i];
    }
    return true;
}

static const char *verify_warps(const ww_sm *sm)
{
    const ww_slots kinds[] = {sm->board.ready, sm->board.raw_short, sm->board.raw_long};
    ww_slots waiting = sm->warps.at_barrier | sm->warps.at_fence | sm->constants.wait |
                       sm->constants.retry | sm->warps.held;
    ww_slots judged = sm->board.ready | sm->board.raw_short | sm->board.raw_long;
    if (!disjoint(kinds, WW_ARRAY_LEN(kinds))) {
        return "a warp is ready or waits for one kind of result";
    }
    if (ww_any(judged & ~(sm->warps.live & sm->ibuf.decoded))) {
        return "only live warps with a decoded head are ready or wait for results";
    }
    if (ww_any(judged & waiting)) {
        return "a warp at a barrier, a fence or a constant line is not judged";
    }
    if (ww_any(sm->warps.live & ~sm->warps.taken)) {
        return "live warps belong to a CTA";
    }
    if (!disjoint(sm->ibuf.head, WW_PIPE_KINDS)) {
        return "a head has one unit";
    }
    for (ww_slots m = sm->warps.live; ww_any(m); m = ww_rest(m)) {
        uint32_t w = ww_first(m);
        bool decoded = ww_in(sm->ibuf.decoded, w),
             passed = ww_in(sm->skip.due | sm->ibuf.astray, w);
        if (decoded ? sm->ibuf.count[w] == 0 : sm->ibuf.count[w] > 0 && !passed) {
            return "what a warp's buffer holds has a head, or is passed over";
        }
    }
    return NULL;
}

static const char *verify_ctas(const ww_sm *sm)
{
    ww_slots taken = WW_NO_SLOTS;
    for (uint32_t c = 0; c < WW_SM_CTAS; c++) {
        const ww_cta_slot *slot = &sm->cta[c];
        if (ww_any(taken & slot->warps)) {
            return "a warp slot belongs to one CTA";
        }
        taken |= slot->warps;
        if (slot->live != ww_number(slot->warps & sm->warps.live)) {
            return "a CTA counts its live warps";
        }
    }
    return !ww_any(taken ^ sm->warps.taken) ? NULL : "taken slots are those of CTAs";
}

static const char *verify_rings(const ww_sm *sm)
{
    if (sm->fetch.count > sm->fetch.mask + 1) {
        return "hits on their way to decode fit their ring";
    }
    if (sm->ldst.count > sm->ldst.mask + 1 || sm->l1d.count > sm->l1d.mask + 1) {
        return "the load/store unit's queues fit their rings";
    }
    if (sm->pulse.outgoing > sm->out.mask + 1) {
        return "requests fit the ring towards the interconnect";
    }
    return NULL;
}

static const char *sm_verify(const ww_sm *sm)
{
    const char *broken = verify_warps(sm);
    broken = broken == NULL ? verify_ctas(sm) : broken;
    return broken == NULL ? verify_rings(sm) : broken;
}

static const char *sm_verify_settled(const ww_sm *sm, uint64_t now)
{
    for (uint32_t s = 0; s < sm->issue.schedulers; s++) {
        const ww_sched *sched = &sm->issue.sched[s];
        if (ww_sm_asked(sm, s, now)) {
            if (!ww_sm_any_asked(sm, now)) {
                return "a scheduler that must be asked is one of some";
            }
            continue;
        }
        const ww_slots ready = sm->board.ready & sched->mine & sm->warps.live;
        uint64_t next;
        if (ww_any(ready & ~ww_core_of(sm)->blocked(sm, s, ready, now, &next))) {
            return "a scheduler that has settled has nothing to issue";
        }
        const uint32_t chosen = ww_any(ready) ? sm->issue.policy->pick(sched, ready) : WW_NONE;
        if (sm->sleep.reason[s] != sm_stall_reason(sm, s, chosen) ||
            sm->sleep.select[s] != ww_any(ready)) {
            return "a slot of a scheduler that has settled is lost as the one before was";
        }
    }
    return NULL;
}

static const char *sm_verify_lists(const ww_sm *sm)
{
    uint32_t idle = 0, used = 0;
    for (uint32_t i = sm->flights.free; i != WW_NONE; i = sm->flights.at[i].next) {
        if (++idle > sm->flights.capacity) {
            return "free flights are listed once";
        }
    }
    for (uint32_t c = 0; c < WW_SM_CTAS; c++) {
        used += sm->cta[c].flights;
    }
    const bool more = sm->async != NULL; /* CTAs count what engines have under way as well */
    if (idle + used < sm->flights.capacity || (!more && idle + used > sm->flights.capacity)) {
        return "a flight is free or counted by a CTA";
    }
    idle = 0;
    for (uint32_t i = sm->ldst.free; i != WW_NONE; i = ww_ldst_behind(&sm->ldst, i)) {
        if (++idle > sm->ldst.capacity) {
            return "free entries of the load/store unit are listed once";
        }
    }
    return NULL;
}
