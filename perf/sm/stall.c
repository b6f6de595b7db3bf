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

ww_counter ww_stall_counter(ww_stall reason)
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

static ww_stall unit_stall(const ww_sm *sm, uint32_t w)
{
    uint64_t bit = ww_bit(w);
    if ((sm->head[WW_UNIT_LDST] & bit) != 0) {
        return WW_STALL_LSU;
    }
    return (sm->head[WW_UNIT_SFU] & bit) != 0 ? WW_STALL_SFU : WW_STALL_SP;
}

/* Warps that wait for a result of memory or a constant-bank line. */
static uint64_t waits_for_memory(const ww_sm *sm)
{
    return sm->raw_long | sm->const_wait | sm->const_retry | sm->held | sm->shadow;
}

ww_stall ww_sm_stall_reason(const ww_sm *sm, uint32_t s, uint32_t chosen)
{
    if (chosen != WW_NONE && (sm->shadow & ww_bit(chosen)) == 0) {
        return unit_stall(sm, chosen);
    }
    uint64_t mine = sm->sched[s].mine & sm->live;
    if ((mine & sm->raw_short & ~sm->shadow) != 0) {
        return WW_STALL_RAW_SHORT;
    }
    if ((mine & waits_for_memory(sm)) != 0) {
        return WW_STALL_RAW_LONG;
    }
    uint64_t held = sm->held_issue | ww_sm_kept_from_fetch(sm);
    if ((mine & ~(sm->at_barrier | sm->at_fence | held)) != 0) {
        return WW_STALL_IBUF;
    }
    if ((mine & held) != 0) {
        return WW_STALL_HELD;
    }
    return mine != 0 ? WW_STALL_BARRIER : WW_STALL_IDLE;
}

ww_counter ww_sm_held_for(const ww_sm *sm, uint32_t s)
{
    uint64_t mine = sm->sched[s].mine & sm->live;
    uint64_t held = mine & sm->held_issue, kept = mine & ww_sm_kept_from_fetch(sm);
    if (held != 0) {
        return sm->held_for[__builtin_ctzll(held)];
    }
    return kept != 0 ? sm->fetch_held_for[__builtin_ctzll(kept)] : WW_COUNTER_COUNT;
}

ww_counter ww_most_counter(ww_stall reason)
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

ww_stall ww_sm_most_stall(const ww_sm *sm, uint32_t s)
{
    const uint64_t mine = sm->sched[s].mine & sm->live;
    const uint64_t ready = sm->ready & ~sm->shadow, memory = waits_for_memory(sm);
    const uint64_t kept = ww_sm_kept_from_fetch(sm), apart = sm->at_barrier | sm->at_fence;
    const uint64_t mask[WW_STALL_IDLE] = {
        [WW_STALL_LSU] = ready & sm->head[WW_UNIT_LDST],
        [WW_STALL_SP] = ready & ~sm->head[WW_UNIT_LDST] & ~sm->head[WW_UNIT_SFU],
        [WW_STALL_SFU] = ready & sm->head[WW_UNIT_SFU],
        [WW_STALL_RAW_SHORT] = sm->raw_short & ~sm->shadow,
        [WW_STALL_RAW_LONG] = memory,
        [WW_STALL_IBUF] = ~(apart | memory | sm->raw_short | sm->ready | kept),
        [WW_STALL_HELD] = (sm->held_issue | kept) & ~memory,
        [WW_STALL_BARRIER] = apart & ~sm->held_issue & ~memory,
    };
    ww_stall best = WW_STALL_IDLE;
    int most = 0;
    for (int k = 0; k < WW_STALL_IDLE; k++) {
        const int n = __builtin_popcountll(mine & mask[k]);
        if (n > most) {
            best = (ww_stall)k;
            most = n;
        }
    }
    return best;
}

/* What one warp waits for, for reports. */
ww_stall ww_sm_warp_stall(const ww_sm *sm, uint32_t w)
{
    uint64_t bit = ww_bit(w);
    if ((sm->live & bit) == 0) {
        return WW_STALL_IDLE;
    }
    if ((sm->shadow & bit) != 0) {
        return WW_STALL_RAW_LONG;
    }
    if (((sm->held_issue | ww_sm_kept_from_fetch(sm)) & bit) != 0) {
        return WW_STALL_HELD;
    }
    if (((sm->at_barrier | sm->at_fence) & bit) != 0) {
        return WW_STALL_BARRIER;
    }
    if ((waits_for_memory(sm) & bit) != 0) {
        return WW_STALL_RAW_LONG;
    }
    if ((sm->raw_short & bit) != 0) {
        return WW_STALL_RAW_SHORT;
    }
    return (sm->decoded & bit) == 0 ? WW_STALL_IBUF : unit_stall(sm, w);
}

/* A barrier or fence that a warp waits at has been executed: its program counter is behind it. */
uint32_t ww_sm_place(const ww_sm *sm, uint32_t w)
{
    const ww_warp *warp = sm->warp[w];
    if (warp->at_barrier) {
        return ww_program_place(sm->program, warp->barrier_pc);
    }
    uint32_t pc = ww_program_place(sm->program, ww_warp_pc(warp));
    bool behind = (sm->at_fence & ww_bit(w)) != 0 && pc > 0 &&
                  (sm->program->uop[pc - 1].flags & WW_SM_OP_FENCE) != 0;
    return behind ? pc - 1 : pc;
}
