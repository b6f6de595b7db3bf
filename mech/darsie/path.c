/* path.c - the majority path (sections 4.3.3 and 4.5): the block's warps meet at every branch;
 * those that go where most go stay on the path, the others leave it, as do warps whose lanes
 * divide. A barrier of the whole block brings them back. */
#include "mech/darsie/darsie.h"

/* Of some warps, those that stand at the place where most of them stand; at equal numbers, with the
 * lowest of them. waiting: at a branch, where each has said where it goes on. */
static uint64_t most_at_one_place(const darsie *s, uint64_t warps, bool waiting)
{
    uint64_t best = 0;
    for (uint64_t rest = warps; rest != 0;) {
        const uint32_t first = ds_first(rest);
        uint64_t group = 0;
        for (uint64_t m = rest; m != 0; m &= m - 1) {
            const uint32_t w = ds_first(m);
            bool same = waiting ? s->warp[w].target == s->warp[first].target
                                : ww_warp_pc(ww_mech_warp(s->sm, w)) ==
                                      ww_warp_pc(ww_mech_warp(s->sm, first));
            group |= same ? ds_bit(w) : 0;
        }
        rest &= ~group;
        best = __builtin_popcountll(group) > __builtin_popcountll(best) ? group : best;
    }
    return best;
}

/* The warp's shared registers become its own, by a move each, for which it is held. */
static void leave(darsie *s, ds_cta *c, uint32_t w, uint64_t now)
{
    const uint64_t bit = ds_bit(w);
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

static void leave_all(darsie *s, ds_cta *c, uint64_t warps, uint64_t now)
{
    for (uint64_t m = warps; m != 0; m &= m - 1) {
        leave(s, c, ds_first(m), now);
    }
}

/* All of the majority have executed the branch: those that go where most go continue on it. */
static void try_resume(darsie *s, ds_cta *c, uint64_t now)
{
    const uint64_t needed = c->majority & c->live;
    if (c->arrived == 0 || (needed & ~c->arrived) != 0) {
        return;
    }
    const uint64_t best = most_at_one_place(s, needed, true);
    leave_all(s, c, needed & ~best, now);
    ds_remove_all(s, c);
    c->arrived = 0;
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
    if ((c->majority & ds_bit(w)) == 0) {
        return;
    }
    ds_count(s, WW_C_DARSIE_MASK_READ, 1);
    if (step->divergent || lanes != UINT32_MAX || (c->arrived & ds_bit(w)) != 0) {
        leave(s, c, w, now);
    } else {
        c->arrived |= ds_bit(w);
        s->warp[w].target = ww_warp_pc(warp);
        ds_hold(s, w, WW_C_DARSIE_STALL_BRANCH);
    }
    try_resume(s, c, now);
}

static void try_rejoin(darsie *s, ds_cta *c, uint64_t now)
{
    if (c->barred == 0 || (c->live & ~c->barred) != 0) {
        return;
    }
    uint64_t whole = 0;
    for (uint64_t m = c->live; m != 0; m &= m - 1) {
        const uint32_t w = ds_first(m);
        whole |= ww_warp_active(ww_mech_warp(s->sm, w)) == UINT32_MAX ? ds_bit(w) : 0;
    }
    const uint64_t best = most_at_one_place(s, whole, false), back = best & ~c->majority;
    c->barred = 0;
    if (best == c->majority) {
        return;
    }
    leave_all(s, c, c->majority & ~best, now);
    c->majority = best;
    c->arrived = 0;
    s->again = true;
    ds_expect(s, c, back);
    ds_count(s, WW_C_DARSIE_REJOINED, (uint64_t)__builtin_popcountll(back));
    ds_count(s, WW_C_DARSIE_MASK_WRITE, 1);
}

void ds_met(darsie *s, uint32_t w, uint64_t now)
{
    ds_cta *c = ds_cta_of(s, w);
    c->barred |= ds_bit(w);
    if (!ds_by_history(s)) {
        try_rejoin(s, c, now);
    }
}

void ds_exited(darsie *s, uint32_t w, uint64_t now)
{
    const uint64_t bit = ds_bit(w);
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
