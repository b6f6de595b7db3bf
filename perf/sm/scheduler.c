/* scheduler.c - loose round robin, greedy-then-oldest, greedy-then-youngest, oldest first and
 * two-level active warp scheduling. GTO: Rogers, O'Connor, Aamodt, MICRO 2012. GTY: Huerta et al.,
 * MICRO 2025 (Turing to Blackwell, measured). Two-level: Gebhart et al., ISCA 2011; Narasiman et
 * al., MICRO 2011. */
#include "perf/sm/scheduler.h"

#include <string.h>

/* Lowest slot after `last`, cyclically. */
static uint32_t next_after(ww_slots candidates, uint32_t last)
{
    ww_slots above = candidates & ww_from(last + 1);
    return ww_first(ww_any(above) ? above : candidates);
}

static uint32_t oldest(const ww_sched *s, ww_slots candidates)
{
    uint32_t slot = ww_first(candidates);
    for (;;) {
        const ww_slots older = candidates & s->older[slot];
        if (!ww_any(older)) {
            return slot;
        }
        slot = ww_first(older);
    }
}

static uint32_t youngest(const ww_sched *s, ww_slots candidates)
{
    uint32_t slot = ww_first(candidates);
    for (;;) {
        const ww_slots younger = candidates & ~s->older[slot] & ~ww_slot(slot);
        if (!ww_any(younger)) {
            return slot;
        }
        slot = ww_first(younger);
    }
}

/* Pending warps queue up: those that came with the SM's warps by age, those that leave the active
 * set behind them, of several in the turn of issue. */
static void leave(ww_sched *s, ww_slots leaving)
{
    s->active &= ~leaving;
    while (ww_any(leaving)) {
        const uint32_t slot = next_after(leaving, s->last);
        s->left[slot] = s->leavings++;
        leaving &= ~ww_slot(slot);
    }
}

static uint32_t first_in_queue(const ww_sched *s, ww_slots candidates)
{
    uint32_t first = ww_first(candidates);
    for (ww_slots m = candidates; ww_any(m); m = ww_rest(m)) {
        first = s->left[ww_first(m)] < s->left[first] ? ww_first(m) : first;
    }
    return first;
}

static bool full(const ww_sched *s)
{
    return ww_number(s->active) >= s->capacity;
}

/* Woken warps that do not wait any more enter, pushing out others where the set is full. */
static void enter_woken(ww_sched *s, ww_slots willing)
{
    ww_slots entering = s->woken & willing;
    s->woken &= ~willing;
    for (entering &= ~s->active; ww_any(entering); entering = ww_rest(entering)) {
        if (full(s)) {
            ww_slots others = s->active & ~s->favoured;
            leave(s, ww_slot(next_after(ww_any(others) ? others : s->active, s->last)));
        }
        s->active |= ww_slot(ww_first(entering));
    }
}

static uint32_t to_promote(const ww_sched *s, ww_slots pending)
{
    switch (s->promotion) {
    case WW_PROMOTE_OLDEST:
        return oldest(s, pending);
    case WW_PROMOTE_QUEUE:
        return first_in_queue(s, pending);
    case WW_PROMOTE_NEXT:
        break;
    }
    return next_after(pending, s->promoted);
}

/* Warps that wait long leave the active set; pending warps that do not wait take their places. */
static ww_slots active_set(ww_sched *s, ww_slots live, ww_slots waiting)
{
    ww_slots willing = s->mine & live & ~waiting;
    leave(s, s->active & ~willing);
    enter_woken(s, willing);
    while (!full(s)) {
        ww_slots pending = willing & ~s->active;
        if (!ww_any(pending)) {
            break;
        }
        pending = ww_sched_favoured(s, pending);
        s->promoted = to_promote(s, pending);
        s->active |= ww_slot(s->promoted);
    }
    return s->active;
}

static void sched_wake(ww_sched *s, uint32_t slot)
{
    s->woken |= ww_slot(slot);
}

static uint32_t pick_lrr(const ww_sched *s, ww_slots candidates)
{
    return next_after(candidates, s->last);
}

static uint32_t pick_gto(const ww_sched *s, ww_slots candidates)
{
    if (ww_in(candidates, s->last)) {
        return s->last;
    }
    return oldest(s, candidates);
}

static uint32_t pick_gty(const ww_sched *s, ww_slots candidates)
{
    return ww_in(candidates, s->last) ? s->last : youngest(s, candidates);
}

static const ww_sched_policy *sched_policy_of(ww_scheduler kind)
{
    static const ww_sched_policy table[] = {
        [WW_SCHED_LRR] = {"lrr", false, NULL, pick_lrr},
        [WW_SCHED_GTO] = {"gto", true, NULL, pick_gto},
        [WW_SCHED_TWO_LEVEL] = {"two-level", false, active_set, pick_lrr},
        [WW_SCHED_OLDEST] = {"oldest", false, NULL, oldest},
        [WW_SCHED_TWO_LEVEL_OLDEST] = {"two-level-oldest", false, active_set, oldest},
        [WW_SCHED_GTY] = {"gty", true, NULL, pick_gty},
    };
    return &table[kind];
}

static uint32_t pick_favoured(const ww_sched *s, ww_slots candidates)
{
    ww_slots first = candidates & ~s->background;
    return !ww_any(first) ? next_after(candidates, s->last_background)
                          : s->base->pick(s, ww_sched_favoured(s, first));
}

static const ww_sched_policy *sched_favouring(ww_scheduler kind)
{
    static const ww_sched_policy table[] = {
        [WW_SCHED_LRR] = {"lrr", false, NULL, pick_favoured},
        [WW_SCHED_GTO] = {"gto", false, NULL, pick_favoured},
        [WW_SCHED_TWO_LEVEL] = {"two-level", false, active_set, pick_favoured},
        [WW_SCHED_OLDEST] = {"oldest", false, NULL, pick_favoured},
        [WW_SCHED_TWO_LEVEL_OLDEST] = {"two-level-oldest", false, active_set, pick_favoured},
        [WW_SCHED_GTY] = {"gty", false, NULL, pick_favoured},
    };
    return &table[kind];
}

static void sched_init(ww_sched *s, ww_slots mine, uint32_t active_capacity, ww_promotion promotion)
{
    memset(s, 0, sizeof *s);
    s->mine = mine;
    s->capacity = active_capacity;
    s->promotion = promotion;
    s->last = s->last_background = WW_SM_WARPS - 1; /* the first round starts at slot 0 */
    s->promoted = WW_SM_WARPS - 1;
}

static void sched_add(ww_sched *s, uint32_t slot)
{
    s->left[slot] = s->leavings++;
    s->older[slot] = s->live;
    for (ww_slots m = s->live; ww_any(m); m = ww_rest(m)) {
        s->older[ww_first(m)] &= ~ww_slot(slot); /* of a warp that had the slot */
    }
    s->live |= ww_slot(slot);
}

static void sched_remove(ww_sched *s, uint32_t slot)
{
    s->woken &= ~ww_slot(slot);
    s->live &= ~ww_slot(slot);
}
