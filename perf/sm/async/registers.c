/* registers.c - warps that give registers back to their CTA's pool at once, and warp groups that
 * sleep until it has what they ask for, in the order in which they are complete (PTX ISA 8.x,
 * "setmaxnreg"). */
#include <stdio.h>

#include "base/arith.h"
#include "isa/warpgroup.h"
#include "perf/sm/async/async.h"

static void registers_warp(ww_sm *sm, uint32_t w)
{
    ww_pools *p = &sm->async->pools;
    if (sm->warps.at[w]->index == 0) {
        p->free[sm->warps.cta_of[w]] = 0;
    }
    p->held[w] = (uint16_t)sm->launch->kernel->pool_registers;
    p->wanted[w] = 0;
}

static uint32_t group_of(const ww_sm *sm, uint32_t w)
{
    return sm->warps.at[w]->index / WW_WARPGROUP_WARPS;
}

/* Live warps of a group of the CTA on that slot. */
static ww_slots members(const ww_sm *sm, uint32_t slot, uint32_t group)
{
    ww_slots of = WW_NO_SLOTS;
    for (ww_slots m = sm->cta[slot].warps & sm->warps.live; ww_any(m); m = ww_rest(m)) {
        of |= group_of(sm, ww_first(m)) == group ? ww_slot(ww_first(m)) : WW_NO_SLOTS;
    }
    return of;
}

/* Registers that a group of which all warps ask wants more; 0: some do not. *asked: the last of
 * them. */
static uint32_t need_of(const ww_sm *sm, ww_slots group, uint64_t *asked)
{
    const ww_pools *p = &sm->async->pools;
    uint32_t need = 0;
    *asked = 0;
    for (ww_slots m = group; ww_any(m); m = ww_rest(m)) {
        const uint32_t w = ww_first(m);
        if (p->wanted[w] == 0) {
            return 0;
        }
        WW_ASSERT(p->wanted[w] > p->held[w]);
        need += WW_WARP_SIZE * (uint32_t)(p->wanted[w] - p->held[w]);
        *asked = ww_max_u64(*asked, p->asked[w]);
    }
    return need;
}

/* The group whose turn it is; none: no group is complete. */
static ww_slots next_group(const ww_sm *sm, uint32_t slot, uint32_t *need)
{
    ww_slots first = WW_NO_SLOTS;
    uint64_t first_asked = UINT64_MAX;
    for (ww_slots m = sm->cta[slot].warps & sm->async->asleep; ww_any(m); m = ww_rest(m)) {
        const uint32_t w = ww_first(m);
        if (sm->async->why[w] != WW_SLEEP_REGISTERS) {
            continue;
        }
        const ww_slots group = members(sm, slot, group_of(sm, w));
        uint64_t asked;
        const uint32_t wants = need_of(sm, group, &asked);
        if (wants > 0 && asked < first_asked) {
            first = group;
            first_asked = asked;
            *need = wants;
        }
    }
    return first;
}

/* Gives groups what they ask for, as far as the pool goes. */
static void serve(ww_sm *sm, uint32_t slot, uint64_t now)
{
    ww_async *a = sm->async;
    uint32_t need = 0;
    for (;;) {
        ww_slots group = next_group(sm, slot, &need);
        if (!ww_any(group) || need > a->pools.free[slot]) {
            return;
        }
        a->pools.free[slot] -= need;
        for (; ww_any(group); group = ww_rest(group)) {
            const uint32_t w = ww_first(group);
            a->pools.held[w] = a->pools.wanted[w];
            a->pools.wanted[w] = 0;
            a->why[w] = WW_SLEEP_TIME;
            a->until[w] = now + 1 + sm->arch->async.registers_change;
        }
    }
}

static void change_registers(ww_sm *sm, uint32_t w, const ww_inst *inst, uint64_t now)
{
    ww_pools *p = &sm->async->pools;
    const uint32_t slot = sm->warps.cta_of[w], wanted = (uint32_t)inst->offset;
    if (sm->launch->kernel->pool_registers == 0) {
        return;
    }
    if (inst->sub == WW_SUB_INC && wanted > p->held[w]) {
        p->wanted[w] = (uint16_t)wanted;
        p->asked[w] = p->turn++;
        put_to_sleep(sm, w, WW_SLEEP_REGISTERS, 0);
    } else {
        if (inst->sub == WW_SUB_DEC && wanted < p->held[w]) {
            p->free[slot] += WW_WARP_SIZE * (p->held[w] - wanted);
            p->held[w] = (uint16_t)wanted;
        }
        put_to_sleep(sm, w, WW_SLEEP_TIME, now + 1 + sm->arch->async.registers_change);
    }
    serve(sm, slot, now);
}

/* What a warp that sleeps for registers waits for, and who has them. */
static void registers_reason(const ww_sm *sm, uint32_t w, char *buf, size_t size)
{
    const ww_pools *p = &sm->async->pools;
    const uint32_t slot = sm->warps.cta_of[w];
    const ww_cta *cta = &sm->cta[slot].cta;
    uint64_t asked;
    const uint32_t need = need_of(sm, members(sm, slot, group_of(sm, w)), &asked);
    int n = need == 0
                ? snprintf(buf, size, "setmaxnreg of the other warps of its warp group")
                : snprintf(buf, size, "%u registers of its CTA, which has %u free; held:", need,
                           p->free[slot]);
    for (uint32_t i = 0; need > 0 && i < cta->warp_count && n > 0 && (size_t)n < size;
         i += WW_WARPGROUP_WARPS) {
        n += snprintf(buf + n, size - (size_t)n, " %u by warps %u-%u", p->held[cta->warp[i].slot],
                      i, ww_min_u32(i + WW_WARPGROUP_WARPS, cta->warp_count) - 1);
    }
}
