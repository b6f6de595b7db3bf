/* profile.c - counting by instruction. */
#include "base/arith.h"
#include "perf/sm/profile.h"

#include "base/mem.h"

static ww_status sm_set_profiling(ww_sm *sm, bool on, ww_error *err)
{
    if (!on) {
        profile_end(sm);
        ww_free(sm->profile);
        sm->profile = NULL;
    } else if (sm->profile == NULL) {
        sm->profile = WW_NEW(ww_profile);
        return sm->profile != NULL ? WW_OK : ww_no_memory_for(err, "a profile");
    }
    return WW_OK;
}

static const ww_profile_count *sm_profile(const ww_sm *sm)
{
    return sm->profile != NULL ? sm->profile->own : NULL;
}

static void sm_count_into(ww_sm *sm, ww_profile_count *table)
{
    if (sm->profile != NULL) {
        sm->profile->given = table;
        sm->charged = sm->program == NULL ? NULL : table != NULL ? table : sm->profile->own;
    }
}

static ww_status profile_begin(ww_sm *sm, ww_error *err)
{
    ww_profile *p = sm->profile;
    p->writers = 64 * sm->board.stride;
    p->writer = WW_NEW_ARRAY(uint32_t, (size_t)WW_SM_WARPS * p->writers);
    if (p->given == NULL) {
        p->own = WW_NEW_ARRAY(ww_profile_count, ww_profile_rows(sm->program));
    }
    sm->charged = p->given != NULL ? p->given : p->own;
    if (sm->charged == NULL || p->writer == NULL) {
        return ww_no_memory_for(err, "the profile of SM %u", sm->id);
    }
    return sm->l1d.cache != NULL ? ww_cache_know_owners(sm->l1d.cache, err) : WW_OK;
}

static void profile_end(ww_sm *sm)
{
    if (sm->profile != NULL) {
        ww_free(sm->profile->own);
        ww_free(sm->profile->writer);
        sm->profile->own = NULL;
        sm->profile->writer = NULL;
    }
    sm->charged = NULL;
}

/* The warp of scheduler s that waits for the slot's reason; WW_NONE: there is no warp. */
static uint32_t waiting_warp(const ww_sm *sm, uint32_t s, ww_stall reason, uint32_t chosen)
{
    const ww_sched *sched = &sm->issue.sched[s];
    ww_slots mine = sched->mine & sm->warps.live;
    if (chosen != WW_NONE) {
        return chosen;
    }
    if (reason == WW_STALL_RAW_SHORT) {
        mine &= sm->board.raw_short & ~sm->shadow.warps;
    } else if (reason == WW_STALL_RAW_LONG) {
        mine &= sm->board.raw_long | sm->constants.wait | sm->constants.retry | sm->warps.held |
                sm->shadow.warps;
    } else if (reason == WW_STALL_IBUF) {
        mine &= ~(sm->warps.at_barrier | sm->warps.at_fence);
        mine = ww_any(mine & ~sm->ibuf.decoded) ? mine & ~sm->ibuf.decoded : mine;
    } else if (reason == WW_STALL_HELD) {
        mine &= sm->hold.issue | ww_sm_kept_from_fetch(sm);
    }
    return ww_any(mine) ? sm->issue.policy->pick(sched, mine) : WW_NONE;
}

/* The instruction in flight that writes a register which the one at pc names, results of memory
 * before others, then in the order of the program; WW_NONE: it waits for no register. */
static uint32_t awaited(const ww_sm *sm, uint32_t w, uint32_t pc)
{
    const ww_sm_op *uop = &sm->program->uop[pc];
    const ww_reg_bits *need = ww_program_named(sm->program, uop);
    const bool slow = ww_in(sm->board.raw_long, w);
    const ww_awaited *set = ww_awaited_of(sm, w);
    const uint32_t *writer = sm->profile->writer + (size_t)w * sm->profile->writers;
    uint32_t first = WW_NONE;
    for (unsigned i = 0; i < uop->hazard_count; i++) {
        const ww_awaited *word = &set[need[i].word];
        for (uint64_t m = (slow ? word->slow : word->all) & need[i].mask; m != 0; m &= m - 1) {
            uint32_t from = writer[64 * need[i].word + (uint32_t)__builtin_ctzll(m)];
            first = ww_min_u32(first, from);
        }
    }
    return first;
}

/* Where a warp stands: at its head, if it has one that is its next instruction. */
static uint32_t place_of(const ww_sm *sm, uint32_t w)
{
    const ww_slots elsewhere = sm->ibuf.astray | sm->warps.at_barrier | sm->warps.at_fence;
    const bool at_head = !ww_hooked(sm, WW_HOOK_ANY) && ww_in(sm->ibuf.decoded & ~elsewhere, w);
    return at_head ? sm->ibuf.pc[w] : sm_place(sm, w);
}

static ww_loss profile_charge(const ww_sm *sm, uint32_t s, ww_stall reason, uint32_t chosen)
{
    uint32_t w = waiting_warp(sm, s, reason, chosen);
    if (w == WW_NONE) {
        return (ww_loss){sm->program->count, WW_NONE};
    }
    ww_loss charge = {place_of(sm, w), WW_NONE};
    if (charge.waits > sm->program->count) {
        charge.waits = sm->program->count;
    }
    if (ww_in(sm->board.raw_short | sm->board.raw_long, w) && charge.waits < sm->program->count) {
        charge.awaited = awaited(sm, w, charge.waits);
    }
    return charge;
}

static ww_line_count column(ww_stall reason)
{
    static const ww_line_count table[WW_STALL_COUNT] = {
        [WW_STALL_LSU] = WW_LINE_LSU,           [WW_STALL_SP] = WW_LINE_SP,
        [WW_STALL_SFU] = WW_LINE_SFU,           [WW_STALL_RAW_SHORT] = WW_LINE_RAW_SHORT,
        [WW_STALL_RAW_LONG] = WW_LINE_RAW_LONG, [WW_STALL_IBUF] = WW_LINE_IBUF,
        [WW_STALL_HELD] = WW_LINE_HELD,         [WW_STALL_BARRIER] = WW_LINE_BARRIER,
        [WW_STALL_IDLE] = WW_LINE_IDLE,
    };
    return table[reason];
}

static void profile_lost(ww_sm *sm, ww_loss charge, ww_stall reason, uint64_t n)
{
    sm->charged[charge.waits].v[column(reason)] += n;
    if (charge.awaited != WW_NONE) {
        sm->charged[charge.awaited].v[WW_LINE_AWAITED] += n;
    }
}

static void profile_issued(ww_sm *sm, uint32_t w, uint32_t pc, uint64_t lanes)
{
    ww_profile *p = sm->profile;
    const ww_sm_op *uop = &sm->program->uop[pc];
    const ww_reg_bits *list = ww_program_written(sm->program, uop);
    uint32_t *writer = p->writer + (size_t)w * p->writers;
    sm->charged[pc].v[WW_LINE_WARP_INST]++;
    sm->charged[pc].v[WW_LINE_THREAD_INST] += lanes;
    for (unsigned i = 0; i < uop->reserve_count; i++) {
        for (uint64_t m = list[i].mask; m != 0; m &= m - 1) {
            writer[64 * list[i].word + (uint32_t)__builtin_ctzll(m)] = pc;
        }
    }
}
