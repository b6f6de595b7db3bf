/* stall.c - why an issue slot was lost.
 * Rule: every scheduler has one slot per cycle in which the SM holds a CTA. A slot that issues
 * nothing goes to the reason of the warp of that scheduler that came closest to issuing. Distance
 * is measured back from issue: a warp whose instruction only lacks a place in its unit (lsu_full,
 * sp_full, sfu_full: the unit of the warp that the policy would have chosen) is closer than one
 * that waits for an arithmetic result (raw_short), then for a memory result or its constant-bank
 * line (raw_long), then one without a decoded instruction (ibuffer_empty), then one that a
 * mechanism holds (held), then one at a barrier or fence (barrier). With no live warp left:
 * no_instruction. A warp in a shadow context waits for memory, whatever it does meanwhile. The
 * reason depends on the masks alone, so that it stays the same while nothing happens and skipped
 * cycles are charged exactly. */
#include "perf/sm/sm_state.h"

static ww_counter stall_counter(ww_stall reason)
{
    static const ww_counter table[WW_STALL_COUNT] = {
        [WW_STALL_LSU] = WW_C_STALL_LSU,           [WW_STALL_SP] = WW_C_STALL_SP,
        [WW_STALL_SFU] = WW_C_STALL_SFU,           [WW_STALL_RAW_SHORT] = WW_C_STALL_RAW_SHORT,
        [WW_STALL_RAW_LONG] = WW_C_STALL_RAW_LONG, [WW_STALL_IBUF] = WW_C_STALL_IBUF,
        [WW_STALL_HELD] = WW_C_STALL_HELD,         [WW_STALL_BARRIER] = WW_C_STALL_BARRIER,
        [WW_STALL_IDLE] = WW_C_STALL_IDLE,
    };
    return table[reason];
}

static ww_stall unit_stall(const ww_ibuf_stage *ibuf, uint32_t w)
{
    ww_slots bit = ww_slot(w);
    if (ww_any(ibuf->head[WW_UNIT_LDST] & bit)) {
        return WW_STALL_LSU;
    }
    return ww_any(ibuf->head[WW_UNIT_SFU] & bit) ? WW_STALL_SFU : WW_STALL_SP;
}

static ww_slots in_shadow(const ww_sm *sm)
{
    return WW_BARE ? WW_NO_SLOTS : sm->shadow.warps;
}

/* Warps that wait for a result of memory or a constant-bank line. */
static ww_slots waits_for_memory(const ww_sm *sm)
{
    return sm->board.raw_long | sm->constants.wait | sm->constants.retry | sm->warps.held |
           in_shadow(sm);
}

static ww_stall sm_stall_reason(const ww_sm *sm, uint32_t s, uint32_t chosen)
{
    if (chosen != WW_NONE && !ww_in(in_shadow(sm), chosen)) {
        return unit_stall(&sm->ibuf, chosen);
    }
    ww_slots mine = sm->issue.sched[s].mine & sm->warps.live;
    if (ww_any(mine & sm->board.raw_short & ~in_shadow(sm))) {
        return WW_STALL_RAW_SHORT;
    }
    if (ww_any(mine & waits_for_memory(sm))) {
        return WW_STALL_RAW_LONG;
    }
    ww_slots held = WW_BARE ? WW_NO_SLOTS : sm->hold.issue | ww_sm_kept_from_fetch(sm);
    if (ww_any(mine & ~(sm->warps.at_barrier | sm->warps.at_fence | held))) {
        return WW_STALL_IBUF;
    }
    if (ww_any(mine & held)) {
        return WW_STALL_HELD;
    }
    return ww_any(mine) ? WW_STALL_BARRIER : WW_STALL_IDLE;
}

static ww_counter sm_held_for(const ww_sm *sm, uint32_t s)
{
    ww_slots mine = sm->issue.sched[s].mine & sm->warps.live;
    ww_slots held = mine & sm->hold.issue, kept = mine & ww_sm_kept_from_fetch(sm);
    if (ww_any(held)) {
        return sm->hold.why[ww_first(held)];
    }
    return ww_any(kept) ? sm->hold.fetch_why[ww_first(kept)] : WW_COUNTER_COUNT;
}

static ww_counter most_counter(ww_stall reason)
{
    static const ww_counter table[WW_STALL_COUNT] = {
        [WW_STALL_LSU] = WW_C_MOST_LSU,           [WW_STALL_SP] = WW_C_MOST_SP,
        [WW_STALL_SFU] = WW_C_MOST_SFU,           [WW_STALL_RAW_SHORT] = WW_C_MOST_RAW_SHORT,
        [WW_STALL_RAW_LONG] = WW_C_MOST_RAW_LONG, [WW_STALL_IBUF] = WW_C_MOST_IBUF,
        [WW_STALL_HELD] = WW_C_MOST_HELD,         [WW_STALL_BARRIER] = WW_C_MOST_BARRIER,
        [WW_STALL_IDLE] = WW_C_MOST_IDLE,
    };
    return table[reason];
}

static ww_stall sm_most_stall(const ww_sm *sm, uint32_t s)
{
    const ww_slots mine = sm->issue.sched[s].mine & sm->warps.live;
    const ww_slots ready = sm->board.ready & ~sm->shadow.warps, memory = waits_for_memory(sm);
    const ww_slots kept = ww_sm_kept_from_fetch(sm),
                   apart = sm->warps.at_barrier | sm->warps.at_fence;
    const ww_slots mask[WW_STALL_IDLE] = {
        [WW_STALL_LSU] = ready & sm->ibuf.head[WW_UNIT_LDST],
        [WW_STALL_SP] = ready & ~sm->ibuf.head[WW_UNIT_LDST] & ~sm->ibuf.head[WW_UNIT_SFU],
        [WW_STALL_SFU] = ready & sm->ibuf.head[WW_UNIT_SFU],
        [WW_STALL_RAW_SHORT] = sm->board.raw_short & ~sm->shadow.warps,
        [WW_STALL_RAW_LONG] = memory,
        [WW_STALL_IBUF] = ~(apart | memory | sm->board.raw_short | sm->board.ready | kept),
        [WW_STALL_HELD] = (sm->hold.issue | kept) & ~memory,
        [WW_STALL_BARRIER] = apart & ~sm->hold.issue & ~memory,
    };
    ww_stall best = WW_STALL_IDLE;
    uint32_t most = 0;
    for (int k = 0; k < WW_STALL_IDLE; k++) {
        const uint32_t n = ww_number(mine & mask[k]);
        if (n > most) {
            best = (ww_stall)k;
            most = n;
        }
    }
    return best;
}

/* What one warp waits for, for reports. */
static ww_stall sm_warp_stall(const ww_sm *sm, uint32_t w)
{
    ww_slots bit = ww_slot(w);
    if (!ww_any(sm->warps.live & bit)) {
        return WW_STALL_IDLE;
    }
    if (ww_any(sm->shadow.warps & bit)) {
        return WW_STALL_RAW_LONG;
    }
    if (ww_any((sm->hold.issue | ww_sm_kept_from_fetch(sm)) & bit)) {
        return WW_STALL_HELD;
    }
    if (ww_any((sm->warps.at_barrier | sm->warps.at_fence) & bit)) {
        return WW_STALL_BARRIER;
    }
    if (ww_any(waits_for_memory(sm) & bit)) {
        return WW_STALL_RAW_LONG;
    }
    if (ww_any(sm->board.raw_short & bit)) {
        return WW_STALL_RAW_SHORT;
    }
    return !ww_any(sm->ibuf.decoded & bit) ? WW_STALL_IBUF : unit_stall(&sm->ibuf, w);
}

/* A barrier or fence that a warp waits at has been executed: its program counter is behind it. */
static uint32_t sm_place(const ww_sm *sm, uint32_t w)
{
    const ww_warp *warp = sm->warps.at[w];
    if (warp->at_barrier) {
        return ww_program_place(sm->program, warp->barrier_pc);
    }
    uint32_t pc = ww_program_place(sm->program, ww_warp_pc(warp));
    bool behind = ww_in(sm->warps.at_fence, w) && pc > 0 &&
                  (sm->program->uop[pc - 1].flags & (WW_SM_OP_FENCE | WW_SM_OP_GROUP)) != 0;
    return behind ? pc - 1 : pc;
}
