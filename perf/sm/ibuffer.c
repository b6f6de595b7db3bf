/* ibuffer.c - per-warp instruction buffers: consecutive decoded instructions, dropped when control
 * goes elsewhere. */
#include "perf/sm/hooks.h"

/* Makes the first buffered instruction the head: it has not been evaluated before and will issue
 * next. */
/* follows: the one before has just issued, or been skipped. */
static WW_ALWAYS_INLINE void new_head(ww_sm *sm, uint32_t w, const bool follows, uint64_t now)
{
    const ww_sm_op *uop = &sm->program->uop[sm->ibuf.pc[w]];
    ww_sm_head_goes_to(&sm->ibuf, w, uop->unit);
    sm->ibuf.decoded |= ww_slot(w);
    sm->constants.done[w] = 0;
    if (uop->constant_count > 0) {
        sm_constants(sm, w, now);
    }
    if (ww_hooked(sm, WW_HOOK(head) | WW_HOOK(stalled) | WW_HOOK(drop))) {
        hook_head(sm, w, now);
        return;
    }
    if (follows) {
        sm_evaluate_next(sm, w, uop);
    } else if (WW_BARE) {
        sm_evaluate_first(sm, w, uop);
    } else {
        sm_evaluate(sm, w);
    }
}

static void sm_buffer(ww_sm *sm, uint32_t w, uint32_t pc, uint32_t count, uint64_t now)
{
    bool was_empty = sm->ibuf.count[w] == 0;
    if (was_empty) {
        sm->ibuf.pc[w] = pc;
    }
    WW_ASSERT(was_empty || pc == sm->ibuf.pc[w] + sm->ibuf.count[w]); /* consecutive */
    sm->ibuf.count[w] = (uint8_t)(sm->ibuf.count[w] + count);
    WW_ASSERT(sm->ibuf.pc[w] + sm->ibuf.count[w] <= sm->program->count);
    WW_ASSERT(ww_entries_used(sm, w) <= sm->arch->sm.ibuffer_entries);
    sm_update_fetchable(sm, w);
    if (was_empty && !ww_in(sm->ibuf.astray, w)) {
        new_head(sm, w, false, now);
    }
}

static void sm_decode_into(ww_sm *sm, uint32_t w, uint32_t pc, uint32_t count, uint64_t now)
{
    ww_count(sm, WW_C_INST_DECODED, count);
    for (uint32_t k = 0; WW_UNLIKELY(ww_charged(sm) != NULL) && k < count; k++) {
        ww_note(sm, pc + k, WW_C_INST_DECODED, 1);
    }
    sm_buffer(sm, w, pc, count, now);
}

static void sm_decode(ww_sm *sm, uint64_t now)
{
    while (sm->fetch.count > 0) {
        const ww_fetched f = sm->fetch.ring[sm->fetch.first];
        if (f.due > now) {
            return;
        }
        sm->fetch.first = (sm->fetch.first + 1) & sm->fetch.mask;
        sm->fetch.count--;
        WW_ASSERT(f.count > 0 && f.pc + f.count <= sm->program->count); /* one that was put in */
        if (sm->fetch.epoch[f.warp] == f.epoch) {
            WW_ASSERT(ww_in(sm->fetch.fetching, f.warp));
            sm->fetch.fetching &= ~ww_slot(f.warp);
            sm_decode_into(sm, f.warp, f.pc, f.count, now);
        }
    }
}

static void sm_flush(ww_sm *sm, uint32_t w, uint32_t next_pc)
{
    ww_count(sm, WW_C_IBUF_FLUSHED, sm->ibuf.count[w]);
    if (ww_hooked(sm, WW_HOOK(flushed))) {
        hook_flushed(sm, w);
    }
    sm->ibuf.count[w] = 0;
    if (ww_hooked(sm, WW_HOOK(skip))) {
        sm->skip.marks[w] = 0;
        sm->skip.due &= ~ww_slot(w);
    }
    sm->ibuf.pc[w] = next_pc;
    sm->ibuf.decoded &= ~ww_slot(w);
    sm->ibuf.astray &= ~ww_slot(w);
    if (ww_in(sm->fetch.fetching, w)) {
        sm->fetch.fetching &= ~ww_slot(w);
        sm->fetch.epoch[w]++;
    }
    sm_update_fetchable(sm, w);
}

static void sm_correct_astray(ww_sm *sm)
{
    for (ww_slots m = sm->ibuf.astray; ww_any(m); m = ww_rest(m)) {
        uint32_t w = ww_first(m);
        if (sm->ibuf.count[w] > 0) {
            sm_flush(sm, w, sm->ibuf.redirect[w]);
        }
    }
}

/* Whether a mechanism has kept the warp from fetching behind its branch. */
static bool nothing_behind(const ww_sm *sm, uint32_t w)
{
    return ww_hooked(sm, WW_HOOK(fetch)) && ww_in(sm->hold.fetch & ~sm->fetch.fetching, w) &&
           sm->ibuf.count[w] == 0;
}

/* Control goes elsewhere. Fetch follows at once, or once a scheduler has met what was fetched
 * behind the branch. */
static void redirect(ww_sm *sm, uint32_t w, uint32_t next_pc)
{
    if (!sm->arch->peer.fetch_past_branches || sm->ibuf.pc[w] >= sm->program->count ||
        nothing_behind(sm, w)) {
        sm_flush(sm, w, next_pc);
    } else {
        sm->ibuf.astray |= ww_slot(w);
        sm->ibuf.redirect[w] = next_pc;
        sm->ibuf.decoded &= ~ww_slot(w);
        sm_update_fetchable(sm, w);
    }
    sm_evaluate(sm, w);
}

/* `marked`: the buffer may hold marks of skipped instructions (skip.c). */
static WW_ALWAYS_INLINE void advance(ww_sm *sm, uint32_t w, uint32_t next_pc, const bool marked,
                                     uint64_t now)
{
    WW_ASSERT(sm->ibuf.count[w] > 0); /* the head issues, or is skipped */
    sm->ibuf.pc[w]++;
    sm->ibuf.count[w]--;
    if (marked) {
        sm->skip.marks[w] >>= 1;
        sm->skip.due &= ~ww_slot(w);
    }
    if (next_pc != sm->ibuf.pc[w]) {
        redirect(sm, w, next_pc);
        return;
    }
    sm_update_fetchable(sm, w);
    if (marked && (sm->skip.marks[w] & 1) != 0) {
        sm->skip.due |= ww_slot(w);
    } else if (sm->ibuf.count[w] > 0) {
        new_head(sm, w, !marked, now);
        return;
    }
    sm->ibuf.decoded &= ~ww_slot(w);
    sm_headless(sm, w);
}

static void advance_marked(ww_sm *sm, uint32_t w, uint32_t next_pc, uint64_t now)
{
    advance(sm, w, next_pc, true, now);
}

static void sm_advance(ww_sm *sm, uint32_t w, uint32_t next_pc, uint64_t now)
{
    if (ww_hooked(sm, WW_HOOK(skip))) {
        advance_marked(sm, w, next_pc, now);
        return;
    }
    advance(sm, w, next_pc, false, now);
}
