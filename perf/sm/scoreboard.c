/* scoreboard.c - registers with a result on its way, per warp: an instruction waits while it names
 * one of them (RAW and WAW; sources are read in order before later writers, so WAR cannot occur).
 * Bits, as ww_program_bit numbers them. */
#include "base/assert.h"
#include "perf/sm/sm_state.h"

static void count_write(ww_sm *sm, const ww_sm_op *uop)
{
    const bool written = (uop->flags & WW_SM_OP_TRACKED) != 0;
    ww_count(sm, WW_C_SCOREBOARD_WRITE, written);
    if (WW_UNLIKELY(ww_charged(sm) != NULL)) {
        ww_note(sm, ww_place_of(sm, uop), WW_C_SCOREBOARD_WRITE, written);
    }
}

/* Whether an instruction names a register that is awaited; slow: from memory. */
static WW_ALWAYS_INLINE bool awaits(const ww_sm *sm, uint32_t w, const ww_sm_op *uop,
                                    const bool slow)
{
    const ww_awaited *row = ww_awaited_of(sm, w);
    if (WW_LIKELY(uop->hazard_word != WW_MANY_WORDS)) {
        const ww_awaited *word = &row[uop->hazard_word];
        return ((slow ? word->slow : word->all) & uop->hazard_mask) != 0;
    }
    const ww_reg_bits *need = ww_program_named(sm->program, uop);
    uint64_t any = 0;
    for (unsigned i = 0; i < uop->hazard_count; i++) {
        const ww_awaited *word = &row[need[i].word];
        any |= (slow ? word->slow : word->all) & need[i].mask;
    }
    return any != 0;
}

static WW_ALWAYS_INLINE void sm_headless(ww_sm *sm, uint32_t w)
{
    const ww_slots bit = ww_slot(w);
    sm->sleep.changed |= bit;
    sm->board.ready &= ~bit;
    sm->board.raw_short &= ~bit;
    sm->board.raw_long &= ~bit;
}

static inline ww_slots held_warps(const ww_sm *sm)
{
    return sm->warps.at_barrier | sm->warps.at_fence | sm->constants.wait | sm->constants.retry |
           sm->warps.held;
}

/* What the head of a warp that nothing holds, and that was in none of the sets, waits for. */
static WW_ALWAYS_INLINE void judge(ww_sm *sm, uint32_t w, const ww_sm_op *uop)
{
    const ww_slots bit = ww_slot(w);
    ww_charge(sm, sm->ibuf.pc[w], WW_C_SCOREBOARD_READ, 1);
    if (!awaits(sm, w, uop, false)) {
        sm->board.ready |= bit;
    } else if (!awaits(sm, w, uop, true)) {
        sm->board.raw_short |= bit;
    } else {
        sm->board.raw_long |= bit;
    }
}

static void sm_evaluate(ww_sm *sm, uint32_t w)
{
    sm_headless(sm, w);
    if (ww_any(sm->warps.live & sm->ibuf.decoded & ~held_warps(sm) & ww_slot(w))) {
        judge(sm, w, &sm->program->uop[sm->ibuf.pc[w]]);
    }
}

static WW_ALWAYS_INLINE void sm_evaluate_first(ww_sm *sm, uint32_t w, const ww_sm_op *uop)
{
    WW_ASSERT(ww_in(sm->warps.live & sm->ibuf.decoded, w) &&
              !ww_in(sm->board.ready | sm->board.raw_short | sm->board.raw_long, w));
    sm->sleep.changed |= ww_slot(w);
    if (!ww_in(held_warps(sm), w)) {
        judge(sm, w, uop);
    }
}

/* Where nothing holds the warp, it is ready still, or waits for a register. */
static WW_ALWAYS_INLINE void sm_evaluate_next(ww_sm *sm, uint32_t w, const ww_sm_op *uop)
{
    const ww_slots bit = ww_slot(w);
    if (WW_UNLIKELY(!ww_any(sm->board.ready & ~held_warps(sm) & bit))) {
        sm_evaluate(sm, w);
        return;
    }
    WW_ASSERT(ww_in(sm->warps.live & sm->ibuf.decoded, w) &&
              uop == &sm->program->uop[sm->ibuf.pc[w]]);
    sm->sleep.changed |= bit;
    ww_charge(sm, sm->ibuf.pc[w], WW_C_SCOREBOARD_READ, 1);
    if (!awaits(sm, w, uop, false)) {
        return;
    }
    sm->board.ready &= ~bit;
    if (!awaits(sm, w, uop, true)) {
        sm->board.raw_short |= bit;
    } else {
        sm->board.raw_long |= bit;
    }
}

static void sm_reserve(ww_sm *sm, uint32_t w, const ww_sm_op *uop)
{
    if (uop->reserve_count == 0) {
        return;
    }
    ww_awaited *row = ww_awaited_of(sm, w);
    const uint64_t far = (uop->flags & WW_SM_OP_LONG) != 0 ? UINT64_MAX : 0;
    if (WW_LIKELY(uop->reserve_word != WW_MANY_WORDS)) {
        row[uop->reserve_word].all |= uop->reserve_mask;
        row[uop->reserve_word].slow |= uop->reserve_mask & far;
    } else {
        const ww_reg_bits *list = ww_program_written(sm->program, uop);
        for (unsigned i = 0; i < uop->reserve_count; i++) {
            row[list[i].word].all |= list[i].mask;
            row[list[i].word].slow |= list[i].mask & far;
        }
    }
    count_write(sm, uop);
}

/* The same of a warp that waits for results, one of which has come: all else of it is as it was
 * when it was judged, and results that memory brings only become fewer. Its scheduler need not ask
 * while it goes on waiting; but lines tell whom it waits for. */
static WW_ALWAYS_INLINE void got_result(ww_sm *sm, uint32_t w)
{
    const ww_slots bit = ww_slot(w);
    const ww_sm_op *uop = &sm->program->uop[sm->ibuf.pc[w]];
    WW_ASSERT(ww_in(sm->warps.live & sm->ibuf.decoded, w));
    ww_charge(sm, sm->ibuf.pc[w], WW_C_SCOREBOARD_READ, 1);
    if (!awaits(sm, w, uop, false)) {
        sm->board.ready |= bit;
        sm->board.raw_short &= ~bit;
        sm->board.raw_long &= ~bit;
    } else if (ww_in(sm->board.raw_long, w) && !awaits(sm, w, uop, true)) {
        sm->board.raw_long &= ~bit;
        sm->board.raw_short |= bit;
    } else if (WW_PLAIN) {
        return;
    }
    sm->sleep.changed |= bit;
}

static void sm_release(ww_sm *sm, uint32_t w, const ww_sm_op *uop)
{
    if (uop->reserve_count == 0) {
        return;
    }
    ww_awaited *row = ww_awaited_of(sm, w);
    if (WW_LIKELY(uop->reserve_word != WW_MANY_WORDS)) {
        row[uop->reserve_word].all &= ~uop->reserve_mask;
        row[uop->reserve_word].slow &= ~uop->reserve_mask;
    } else {
        const ww_reg_bits *list = ww_program_written(sm->program, uop);
        for (unsigned i = 0; i < uop->reserve_count; i++) {
            row[list[i].word].all &= ~list[i].mask;
            row[list[i].word].slow &= ~list[i].mask;
        }
    }
    count_write(sm, uop);
    if (ww_in(sm->board.raw_short | sm->board.raw_long, w)) {
        if (WW_BARE) {
            got_result(sm, w);
        } else {
            sm_evaluate(sm, w);
        }
    }
}
