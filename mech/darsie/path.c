/* path.c - the majority path (sections 4.3.3 and 4.5): the block's warps meet at every branch;
 * those that go where most go stay on the path, the others leave it, as do warps whose lanes
 * divide. A barrier of the whole block brings them back. */
#include "mech/darsie/darsie.h"

/* Of some warps, those that stand at the place where most of them stand; at equal numbers, with the
 * lowest of them. waiting: at a branch, where each has said where it goes on; else at barriers. */
static ww_warps most_at_one_place(const darsie *s, ww_warps warps, bool waiting)
{
    ww_warps best = WW_NO_WARPS;
    for (ww_warps rest = warps; ww_warps_any(rest);) {
        const uint32_t first = ww_warps_first(rest);
        ww_warps group = WW_NO_WARPS;
        for (ww_warps_walk m = ww_warps_from(rest); ww_warps_next(&m);) {
            const uint32_t w = m.warp;
            bool same = waiting ? s->warp[w].target == s->warp[first].target
                                : s->warp[w].met == s->warp[first].met;
            if (same) {
                ww_warps_add(&group, w);
            }
        }
        rest = ww_warps_without(rest, group);
        best = ww_warps_count(group) > ww_warps_count(best) ? group : best;
    }
    return best;
}

/* The warp's shared registers become its own, by a move each, for which it is held. */
static void leave(darsie *s, ds_cta *c, uint32_t w, uint64_t now)
{
    const uint32_t registers = ds_own_all(s, w);
    ww_warps_remove(&c->majority, w);
    ww_warps_remove(&c->arrived, w);
    ww_warps_remove(&s->asked, w);
    ds_count(s, WW_C_DARSIE_LEFT, 1);
    ds_count(s, WW_C_DARSIE_MASK_WRITE, 1);
    ds_copy(s, registers);
    if (registers > 0) {
        s->warp[w].copying_until = now + registers;
        ww_warps_add(&s->copying, w);
        ww_mech_hold_issue(s->sm, w, WW_C_DARSIE_STALL_COPY);
    }
    ds_release(s, w);
    ds_forget(s, c, w, now);
}

static void leave_all(darsie *s, ds_cta *c, ww_warps warps, uint64_t now)
{
    for (ww_warps_walk m = ww_warps_from(warps); ww_warps_next(&m);) {
        leave(s, c, m.warp, now);
    }
}

/* All of the majority have executed the branch: those that go where most go continue on it. */
static void try_resume(darsie *s, ds_cta *c, uint64_t now)
{
    const ww_warps needed = ww_warps_both(c->majority, c->live);
    if (!ww_warps_any(c->arrived) || ww_warps_any(ww_warps_without(needed, c->arrived))) {
        return;
    }
    const ww_warps best = most_at_one_place(s, needed, true);
    leave_all(s, c, ww_warps_without(needed, best), now);
    ds_remove_all(s, c);
    c->arrived = WW_NO_WARPS;
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
    if (!ww_warps_has(&c->majority, w)) {
        return;
    }
    ds_count(s, WW_C_DARSIE_MASK_READ, 1);
    if (step->divergent || lanes != UINT32_MAX || ww_warps_has(&c->arrived, w)) {
        leave(s, c, w, now);
    } else {
        ww_warps_add(&c->arrived, w);
        s->warp[w].target = ww_warp_pc(warp);
        ds_hold(s, w, WW_C_DARSIE_STALL_BRANCH);
    }
    try_resume(s, c, now);
}

static void try_rejoin(darsie *s, ds_cta *c, uint64_t now)
{
    if (!ww_warps_any(c->barred) || ww_warps_any(ww_warps_without(c->live, c->barred))) {
        return;
    }
    ww_warps whole = WW_NO_WARPS;
    for (ww_warps_walk m = ww_warps_from(c->live); ww_warps_next(&m);) {
        const uint32_t w = m.warp;
        if (s->warp[w].met != WW_NO_TARGET) {
            ww_warps_add(&whole, w);
        }
    }
    const ww_warps best = most_at_one_place(s, whole, false),
                   back = ww_warps_without(best, c->majority);
    c->barred = WW_NO_WARPS;
    if (ww_warps_equal(best, c->majority)) {
        return;
    }
    leave_all(s, c, ww_warps_without(c->majority, best), now);
    c->majority = best;
    c->arrived = WW_NO_WARPS;
    s->again = true;
    ds_expect(s, c, back);
    ds_count(s, WW_C_DARSIE_REJOINED, ww_warps_count(back));
    ds_count(s, WW_C_DARSIE_MASK_WRITE, 1);
}

/* A warp of which some lanes are elsewhere may be whole again behind the barrier: its lanes have
 * come different ways, and no mark speaks of that. */
void ds_met(darsie *s, uint32_t w, const ww_step *step, uint64_t now)
{
    ds_cta *c = ds_cta_of(s, w);
    ww_warps_add(&c->barred, w);
    s->warp[w].met = step->exec == UINT32_MAX ? step->pc : WW_NO_TARGET;
    if (!ds_by_history(s)) {
        try_rejoin(s, c, now);
    }
}

void ds_exited(darsie *s, uint32_t w, uint64_t now)
{
    ds_cta *c = ds_cta_of(s, w);
    ww_warps_remove(&s->members, w);
    ww_warps_remove(&s->held, w);
    ww_warps_remove(&s->asked, w);
    ww_warps_remove(&s->copying, w);
    ww_warps_remove(&c->live, w);
    ww_warps_remove(&c->majority, w);
    ww_warps_remove(&c->arrived, w);
    ww_warps_remove(&c->barred, w);
    ds_own_all(s, w);
    ds_forget(s, c, w, now);
    if (!ds_by_history(s)) {
        try_resume(s, c, now);
        try_rejoin(s, c, now);
    }
}
