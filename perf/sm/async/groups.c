/* groups.c - asynchronous copies of threads (cp.async) in time: what a copy has fetched is written
 * into shared memory, where the port is free, and is there from then on; a group has arrived when
 * its copies have, and the groups before it (PTX ISA 8.x, "cp.async.wait_group"). Groups are those
 * of a warp: threads of one that commit apart share them. */
#include "base/arith.h"
#include "perf/sm/sm_state.h"

static uint16_t *group_left(ww_group_stage *groups, uint32_t w, uint32_t group)
{
    return &groups->left[w][group % WW_SM_GROUPS];
}

static void sm_copy_issued(ww_sm *sm, ww_flight *f, const ww_step *step)
{
    ww_group_stage *groups = &sm->groups;
    const ww_inst *inst = &sm->launch->kernel->code[step->pc];
    uint32_t to[WW_WARP_SIZE], words = 0;
    ww_exec_copy_targets(sm->launch, sm->warps.at[f->warp], step->pc, to);
    f->copies = true;
    f->group = groups->open[f->warp];
    f->port_cycles = (uint8_t)ww_shared_conflicts(to, f->exec, 4u * inst->vec,
                                                  sm->arch->ldst.shared_banks, &words);
    f->port_words = (uint8_t)words;
    ++*group_left(groups, f->warp, f->group);
}

/* The first of the copies that wait for the port takes it. */
static void write_next(ww_sm *sm, uint64_t now)
{
    const uint32_t index = sm->ldst.writes_first;
    ww_flight *f = &sm->flights.at[index];
    const uint64_t end = sm_port_take(sm, f->port_cycles, ww_max_u64(now, sm->ldst.busy_until));
    const uint32_t least = (f->port_words + 31u) / 32;
    ww_charge(sm, f->uop, WW_C_SHARED_LANES, f->port_words);
    ww_charge(sm, f->uop, WW_C_SHARED_CYCLES, f->port_cycles);
    ww_count(sm, WW_C_SHARED_CONFLICT, f->port_cycles > least ? f->port_cycles - least : 0);
    ww_charge(sm, f->uop, WW_C_SHARED_WRITE_WORDS, f->port_words);
    f->writing = true;
    sm->ldst.busy_until = end;
    ww_flight_ends(&sm->flights, end, index);
}

static void forget_arrived(ww_group_stage *groups, uint32_t w)
{
    while (groups->oldest[w] != groups->open[w] && *group_left(groups, w, groups->oldest[w]) == 0) {
        groups->oldest[w]++;
    }
}

static void written(ww_sm *sm, const ww_flight *f, uint64_t now)
{
    ww_group_stage *groups = &sm->groups;
    const uint32_t w = f->warp;
    WW_ASSERT(&sm->flights.at[sm->ldst.writes_first] == f); /* in turn */
    sm->ldst.writes_first = f->next;
    if (f->next != WW_NONE) {
        write_next(sm, now);
    }
    WW_ASSERT(*group_left(groups, w, f->group) > 0);
    --*group_left(groups, w, f->group);
    forget_arrived(groups, w);
    if (ww_in(sm->warps.at_fence, w) && groups->waits[w] &&
        (int32_t)(groups->oldest[w] - groups->until[w]) >= 0) {
        groups->waits[w] = false;
        sm->warps.at_fence &= ~ww_slot(w);
        sm_evaluate(sm, w);
    }
}

static bool sm_copy_arrived(ww_sm *sm, uint32_t index, uint64_t now)
{
    ww_ldst_stage *ldst = &sm->ldst;
    ww_flight *f = &sm->flights.at[index];
    if (f->writing) {
        written(sm, f, now);
        return true;
    }
    f->next = WW_NONE;
    if (ldst->writes_first != WW_NONE) {
        sm->flights.at[ldst->writes_last].next = index;
        ldst->writes_last = index;
        return false;
    }
    ldst->writes_first = ldst->writes_last = index;
    write_next(sm, now);
    return false;
}

static void sm_copy_wait(ww_sm *sm, uint32_t w, const ww_inst *inst)
{
    ww_group_stage *groups = &sm->groups;
    const bool keeps = inst->sub == WW_SUB_WAIT_GROUP;
    const uint32_t under_way = groups->open[w] - groups->oldest[w];
    const bool room = under_way + 1 < WW_SM_GROUPS; /* else the group stays open */
    if (!keeps && room) {
        groups->open[w]++;
        forget_arrived(groups, w);
    }
    if (inst->sub == WW_SUB_COMMIT) {
        return;
    }
    if (!room) {
        sm->warps.at_fence |= sm->warps.mem_flights[w] > 0 ? ww_slot(w) : WW_NO_SLOTS;
        return;
    }
    const uint64_t left = keeps ? (uint64_t)inst->offset : 0;
    const uint32_t last = groups->open[w];
    groups->until[w] = left < last - groups->oldest[w] ? last - (uint32_t)left : groups->oldest[w];
    if (groups->oldest[w] != groups->until[w]) {
        groups->waits[w] = true;
        sm->warps.at_fence |= ww_slot(w);
    }
}

static void sm_groups_begin(ww_group_stage *groups, uint32_t w)
{
    groups->open[w] = groups->oldest[w] = 0;
    groups->waits[w] = false;
}
