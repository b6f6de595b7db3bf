/* scheduler.c - loose round robin, greedy-then-oldest, oldest first and two-level active warp
 * scheduling. GTO: Rogers, O'Connor, Aamodt, MICRO 2012. Two-level: Gebhart et al., ISCA 2011;
 * Narasiman et al., MICRO 2011. */
#include "perf/sm/scheduler.h"

#include <string.h>

/* Lowest slot after `last`, cyclically. */
static uint32_t next_after(uint64_t candidates, uint32_t last)
{
    uint64_t above = last >= 63 ? 0 : candidates & (~0ull << (last + 1));
    return (uint32_t)__builtin_ctzll(above != 0 ? above : candidates);
}

static uint32_t oldest(const ww_sched *s, uint64_t candidates)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if ((candidates >> s->order[i] & 1) != 0) {
            return s->order[i];
        }
    }
    return (uint32_t)__builtin_ctzll(candidates);
}

static uint64_t all_eligible(ww_sched *s, uint64_t live, uint64_t waiting)
{
    (void)waiting;
    return s->mine & live;
}

static bool full(const ww_sched *s)
{
    return (uint32_t)__builtin_popcountll(s->active) >= s->capacity;
}

/* Woken warps that do not wait any more enter, pushing out others where the set is full. */
static void enter_woken(ww_sched *s, uint64_t willing)
{
    uint64_t entering = s->woken & willing;
    s->woken &= ~willing;
    for (entering &= ~s->active; entering != 0; entering &= entering - 1) {
        if (full(s)) {
            uint64_t others = s->active & ~s->favoured;
            s->active &= ~(1ull << next_after(others != 0 ? others : s->active, s->last));
        }
        s->active |= entering & -entering;
    }
}

/* Warps that wait long leave the active set; pending warps that do not wait take their places. */
static uint64_t active_set(ww_sched *s, uint64_t live, uint64_t waiting)
{
    uint64_t willing = s->mine & live & ~waiting;
    s->active &= willing;
    enter_woken(s, willing);
    while (!full(s)) {
        uint64_t pending = willing & ~s->active;
        if (pending == 0) {
            break;
        }
        pending = ww_sched_favoured(s, pending);
        s->promoted = s->promotion == WW_PROMOTE_OLDEST ? oldest(s, pending)
                                                        : next_after(pending, s->promoted);
        s->active |= 1ull << s->promoted;
    }
    return s->active;
}

void ww_sched_wake(ww_sched *s, uint32_t slot)
{
    s->woken |= 1ull << slot;
}

static uint32_t pick_lrr(const ww_sched *s, uint64_t candidates)
{
    return next_after(candidates, s->last);
}

static uint32_t pick_gto(const ww_sched *s, uint64_t candidates)
{
    if ((candidates >> s->last & 1) != 0) {
        return s->last;
    }
    return oldest(s, candidates);
}

const ww_sched_policy *ww_sched_policy_of(ww_scheduler kind)
{
    static const ww_sched_policy table[] = {
        [WW_SCHED_LRR] = {"lrr", false, all_eligible, pick_lrr},
        [WW_SCHED_GTO] = {"gto", false, all_eligible, pick_gto},
        [WW_SCHED_TWO_LEVEL] = {"two-level", true, active_set, pick_lrr},
        [WW_SCHED_OLDEST] = {"oldest", false, all_eligible, oldest},
    };
    return &table[kind];
}

static uint32_t pick_favoured(const ww_sched *s, uint64_t candidates)
{
    uint64_t first = candidates & ~s->background;
    return first == 0 ? next_after(candidates, s->last_background)
                      : s->base->pick(s, ww_sched_favoured(s, first));
}

const ww_sched_policy *ww_sched_favouring(ww_scheduler kind)
{
    static const ww_sched_policy table[] = {
        [WW_SCHED_LRR] = {"lrr", false, all_eligible, pick_favoured},
        [WW_SCHED_GTO] = {"gto", false, all_eligible, pick_favoured},
        [WW_SCHED_TWO_LEVEL] = {"two-level", true, active_set, pick_favoured},
        [WW_SCHED_OLDEST] = {"oldest", false, all_eligible, pick_favoured},
    };
    return &table[kind];
}

void ww_sched_init(ww_sched *s, uint64_t mine, uint32_t active_capacity, ww_promotion promotion)
{
    memset(s, 0, sizeof *s);
    s->mine = mine;
    s->capacity = active_capacity;
    s->promotion = promotion;
    s->last = s->last_background = 63; /* the first round starts at slot 0 */
    s->promoted = 63;
}

void ww_sched_add(ww_sched *s, uint32_t slot)
{
    s->order[s->count++] = (uint8_t)slot;
}

void ww_sched_remove(ww_sched *s, uint32_t slot)
{
    s->woken &= ~(1ull << slot);
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->order[i] == slot) {
            memmove(&s->order[i], &s->order[i + 1], s->count - i - 1);
            s->count--;
            return;
        }
    }
}
