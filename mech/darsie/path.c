/* path.c - the majority path (sections 4.3.3 and 4.5): the block's warps meet at every branch;
 * those that go where most go stay on the path, the others leave it, as do warps whose lanes
 * divide. A barrier of the whole block brings them back. */
#include "mech/darsie/darsie.h"

/* Of some warps, those that stand at the place where most of them stand; at equal numbers, with the
 * lowest of them. waiting: at a branch, where each has said where it goes on; else at barriers. */
static ww_slots most_at_one_place(const darsie *s, ww_slots warps, bool waiting)
{
    ww_slots best = WW_NO_SLOTS;
    for (ww_slots rest = warps; ww_any(rest);) {
        const uint32_t first = ww_first(rest);
        ww_slots group = WW_NO_SLOTS;
        for (ww_slots m = rest; ww_any(m); m = ww_rest(m)) {
            const uint32_t w = ww_first(m);
            bool same = waiting ? s->warp[w].target == s->warp[first].target
                                : s->warp[w].met == s->warp[first].met;
            group |= same ? ww_slot(w) : WW_NO_SLOTS;
        }
        rest &= ~group;
        best = ww_number(group) > ww_number(best) ? group : best;
    }
    return best;
}

/* The warp's shared registers become its own, by a move each, for which it is held. */
static void leave(darsie *s, ds_cta *c, uint32_t w, uint64_t now)
{
    const ww_slots bit = ww_slot(w);
    const uint32_t registers = ds_own_all(s, w);
    c->majority &= ~bit;
    c->arrived &= ~bit;
    s->asked &= ~bit;
    ds_count(s, WW_C_DARSIE_LEFT, 1);
    ds_count(s, WW_C_DARSIE_MASK_WRITE, 1);
    ds_copy(s, registers);
    if (registers > 0) {
        s->warp[w].copying_until = now + registers;
        s->copying |= bit;
        ww_mech_hold_issue(s->sm, bit, WW_C_DARSIE_STALL_COPY);
    }
    ds_release(s, w);
    ds_forget(s, c, w, now);
}

static void leave_all(darsie *s, ds_cta *c, ww_slots warps, uint64_t now)
{
    for (ww_slots m = warps; ww_any(m); m = ww_rest(m)) {
        leave(s, c, ww_first(m), now);
    }
}

/* All of the majority have executed the branch: those that go where most go continue on it. */
static void try_resume(darsie *s, ds_cta *c, uint64_t now)
{
    const ww_slots needed = c->majority & c->live;
    if (!ww_any(c->arrived) || ww_any(needed & ~c->arrived)) {
        return;
    }
    const ww_slots best = most_at_one_place(s, needed, true);
    leave_all(s, c, needed & ~best, now);
    ds_remove_all(s, c);
    c->arrived = WW_NO_SLOTS;
    c->resume_at = now + 1;
    s->again = true;
    ds_count(s, WW_C_DARSIE_SYNC, 1);
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 31;
}

void ds_branched(darsie *s, uint32_t w, const ww_step *step, uint64_t now)
{
    ds_cta *c = ds_cta_of(s, w);
    const ww_warp *warp = ww_mech_warp(s->sm, w);
    const uint32_t lanes = ww_warp_active(warp);
    if (ds_by_history(s)) {
        s->warp[w].history = mix(s->warp[w].history, (uint64_t)ww_warp_pc(warp) << 32 | lanes);
        return;
    }
    if (!ww_in(c->majority, w)) {
        return;
    }
    ds_count(s, WW_C_DARSIE_MASK_READ, 1);
    if (step->divergent || lanes != UINT32_MAX || ww_in(c->arrived, w)) {
        leave(s, c, w, now);
    } else {
        c->arrived |= ww_slot(w);
        s->warp[w].target = ww_warp_pc(warp);
        ds_hold(s, w, WW_C_DARSIE_STALL_BRANCH);
    }
    try_resume(s, c, now);
}

static void try_rejoin(darsie *s, ds_cta *c, uint64_t now)
{
    if (!ww_any(c->barred) || ww_any(c->live & ~c->barred)) {
        return;
    }
    ww_slots whole = WW_NO_SLOTS;
    for (ww_slots m = c->live; ww_any(m); m = ww_rest(m)) {
        const uint32_t w = ww_first(m);
        whole |= s->warp[w].met != WW_NO_TARGET ? ww_slot(w) : WW_NO_SLOTS;
    }
    const ww_slots best = most_at_one_place(s, whole, false), back = best & ~c->majority;
    c->barred = WW_NO_SLOTS;
    if (!ww_any(best ^ c->majority)) {
        return;
    }
    leave_all(s, c, c->majority & ~best, now);
    c->majority = best;
    c->arrived = WW_NO_SLOTS;
    s->again = true;
    ds_expect(s, c, back);
    ds_count(s, WW_C_DARSIE_REJOINED, ww_number(back));
    ds_count(s, WW_C_DARSIE_MASK_WRITE, 1);
}

/* A warp of which some lanes are elsewhere may be whole again behind the barrier: its lanes have
 * come different ways, and no mark speaks of that. */
void ds_met(darsie *s, uint32_t w, const ww_step *step, uint64_t now)
{
    ds_cta *c = ds_cta_of(s, w);
    c->barred |= ww_slot(w);
    s->warp[w].met = step->exec == UINT32_MAX ? step->pc : WW_NO_TARGET;
    if (!ds_by_history(s)) {
        try_rejoin(s, c, now);
    }
}

void ds_exited(darsie *s, uint32_t w, uint64_t now)
{
    const ww_slots bit = ww_slot(w);
    ds_cta *c = ds_cta_of(s, w);
    s->members &= ~bit;
    s->held &= ~bit;
    s->asked &= ~bit;
    s->copying &= ~bit;
    c->live &= ~bit;
    c->majority &= ~bit;
    c->arrived &= ~bit;
    c->barred &= ~bit;
    ds_own_all(s, w);
    ds_forget(s, c, w, now);
    if (!ds_by_history(s)) {
        try_resume(s, c, now);
        try_rejoin(s, c, now);
    }
}
