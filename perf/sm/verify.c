/* verify.c - what must be true of an SM between two cycles, for builds with assertions. Each check
 * names what is broken. */
#include "perf/sm/sm_state.h"

/* Masks that divide the warps among themselves: no warp is in two. */
static bool disjoint(const uint64_t *mask, unsigned count)
{
    uint64_t seen = 0;
    for (unsigned i = 0; i < count; i++) {
        if ((seen & mask[i]) != 0) {
            return false;
        }
        seen |= mask[i];
    }
    return true;
}

static const char *verify_warps(const ww_sm *sm)
{
    const uint64_t kinds[] = {sm->ready, sm->raw_short, sm->raw_long};
    uint64_t waiting = sm->at_barrier | sm->at_fence | sm->const_wait | sm->const_retry | sm->held;
    uint64_t judged = sm->ready | sm->raw_short | sm->raw_long;
    if (!disjoint(kinds, WW_ARRAY_LEN(kinds))) {
        return "a warp is ready or waits for one kind of result";
    }
    if ((judged & ~(sm->live & sm->decoded)) != 0) {
        return "only live warps with a decoded head are ready or wait for results";
    }
    if ((judged & waiting) != 0) {
        return "a warp at a barrier, a fence or a constant line is not judged";
    }
    if ((sm->live & ~sm->taken) != 0) {
        return "live warps belong to a CTA";
    }
    if (!disjoint(sm->head, WW_PIPE_KINDS)) {
        return "a head has one unit";
    }
    for (uint64_t m = sm->live; m != 0; m &= m - 1) {
        uint32_t w = (uint32_t)__builtin_ctzll(m);
        bool decoded = (sm->decoded >> w & 1) != 0,
             passed = ((sm->skipping | sm->astray) >> w & 1) != 0;
        if (decoded ? sm->ib_count[w] == 0 : sm->ib_count[w] > 0 && !passed) {
            return "what a warp's buffer holds has a head, or is passed over";
        }
    }
    return NULL;
}

static const char *verify_ctas(const ww_sm *sm)
{
    uint64_t taken = 0;
    for (uint32_t c = 0; c < WW_SM_CTAS; c++) {
        const ww_cta_slot *slot = &sm->cta[c];
        if ((taken & slot->warps) != 0) {
            return "a warp slot belongs to one CTA";
        }
        taken |= slot->warps;
        if (slot->live != (uint32_t)__builtin_popcountll(slot->warps & sm->live)) {
            return "a CTA counts its live warps";
        }
    }
    return taken == sm->taken ? NULL : "taken slots are those of CTAs";
}

static const char *verify_rings(const ww_sm *sm)
{
    if (sm->fetched_count > sm->fetched_mask + 1) {
        return "hits on their way to decode fit their ring";
    }
    if (sm->mem_count > sm->mem_mask + 1 || sm->line_count > sm->line_mask + 1) {
        return "the load/store unit's queues fit their rings";
    }
    if (sm->pulse.outgoing > sm->out_mask + 1) {
        return "requests fit the ring towards the interconnect";
    }
    return NULL;
}

const char *ww_sm_verify(const ww_sm *sm)
{
    const char *broken = verify_warps(sm);
    broken = broken == NULL ? verify_ctas(sm) : broken;
    return broken == NULL ? verify_rings(sm) : broken;
}

const char *ww_sm_verify_lists(const ww_sm *sm)
{
    uint32_t idle = 0, used = 0;
    for (uint32_t i = sm->flight_free; i != WW_NONE; i = sm->flight[i].next) {
        if (++idle > sm->flight_capacity) {
            return "free flights are listed once";
        }
    }
    for (uint32_t c = 0; c < WW_SM_CTAS; c++) {
        used += sm->cta[c].flights;
    }
    if (idle + used != sm->flight_capacity) {
        return "a flight is free or counted by a CTA";
    }
    idle = 0;
    for (uint32_t i = sm->mem_free; i != WW_NONE; i = sm->mem[i].next) {
        if (++idle > sm->mem_capacity) {
            return "free entries of the load/store unit are listed once";
        }
    }
    return NULL;
}
