/* skip.c - instructions that a mechanism takes out before they are fetched, or supplies decoded.
 * The first stand in the instruction buffer's sequence as marks without an entry, and take effect,
 * without time, when they come to its head. They are taken out in a stage of its own before fetch,
 * which costs fetch none of its turns. */
#include "perf/sm/hooks.h"

enum { MOST_MARKS = 56 }; /* bits of a warp's mask, with room for the buffer's entries */

static ww_fetch_verdict ask(ww_sm *sm, uint32_t w, uint32_t pc, uint64_t now)
{
    for (uint32_t i = 0; i < sm->mech.count; i++) {
        if (sm->mech.at[i]->fetch != NULL) {
            ww_fetch_verdict v = sm->mech.at[i]->fetch(sm->mech.state[i], w, pc, now);
            if (v != WW_FETCH_GO) {
                return v;
            }
        }
    }
    return WW_FETCH_GO;
}

static void sm_skip_fetchable(ww_sm *sm, uint32_t w)
{
    const ww_sm_params *p = &sm->arch->sm;
    uint32_t group =
        p->fetch_instructions < p->ibuffer_entries ? p->fetch_instructions : p->ibuffer_entries;
    bool fits = ww_entries_used(sm, w) + group <= p->ibuffer_entries &&
                sm->ibuf.count[w] < MOST_MARKS &&
                sm->ibuf.pc[w] + sm->ibuf.count[w] < sm->program->count && !behind_fork(sm, w);
    ww_slots bit = ww_slot(w);
    fits = fits && !ww_any(sm->hold.fetch & bit);
    sm->fetch.fetchable = fits ? sm->fetch.fetchable | bit : sm->fetch.fetchable & ~bit;
}

/* As many instructions as a fetch would bring, so far as the mechanism has them decoded. */
static void supply(ww_sm *sm, uint32_t w, uint32_t pc, uint64_t now)
{
    uint32_t most = sm_fetch_group(sm, pc, ww_entries_used(sm, w)), n = 1;
    while (n < most && ask(sm, w, ww_program_inst(sm->program, pc + n), now) == WW_FETCH_SUPPLY) {
        n++;
    }
    ww_count(sm, WW_C_MECH_SUPPLIED, n);
    sm_buffer(sm, w, pc, n, now);
}

static ww_fetch_verdict sm_fetch_asked(ww_sm *sm, uint32_t w, uint64_t now)
{
    uint32_t pc = sm->ibuf.pc[w] + sm->ibuf.count[w];
    ww_fetch_verdict v = ask(sm, w, ww_program_inst(sm->program, pc), now);
    if (v == WW_FETCH_SUPPLY) {
        supply(sm, w, pc, now);
    }
    if (v != WW_FETCH_GO) {
        return v;
    }
    uint32_t most = sm_fetch_group(sm, pc, ww_entries_used(sm, w)), n = 1;
    while (n < most && ask(sm, w, ww_program_inst(sm->program, pc + n), now) == WW_FETCH_GO) {
        n++;
    }
    sm->skip.fetch_width[w] = (uint8_t)n;
    return WW_FETCH_GO;
}

/* Warps of the kernel whose next place is known. */
static ww_slots skippers(const ww_sm *sm)
{
    return sm->warps.live &
           ~(sm->fetch.fetching | sm->ibuf.astray | sm->extra.warps | sm->shadow.warps);
}

static void sm_skip_stage(ww_sm *sm, uint64_t now)
{
    const ww_warps warps = ww_warps_of_slots(skippers(sm));
    for (uint32_t i = 0; i < sm->mech.count; i++) {
        const ww_mech *mech = sm->mech.at[i];
        if (mech->skip != NULL) {
            mech->skip(sm->mech.state[i], warps, now);
        }
    }
}

static uint32_t mech_next_inst(const ww_sm *sm, uint32_t warp)
{
    uint32_t place = sm->ibuf.pc[warp] + sm->ibuf.count[warp];
    return place < sm->program->count ? ww_program_inst(sm->program, place) : WW_NO_TARGET;
}

static bool mech_skip(ww_sm *sm, uint32_t warp)
{
    if (!ww_in(skippers(sm), warp) || sm->ibuf.count[warp] >= MOST_MARKS ||
        mech_next_inst(sm, warp) == WW_NO_TARGET) {
        return false;
    }
    if (sm->ibuf.count[warp] == 0) {
        sm->skip.due |= ww_slot(warp);
    }
    sm->skip.marks[warp] |= 1ull << sm->ibuf.count[warp]++;
    sm_update_fetchable(sm, warp);
    return true;
}

static ww_status skip_head(ww_sm *sm, uint32_t w, uint64_t now, ww_error *err)
{
    const ww_exec_env env = {
        .launch = sm->launch, .pending = sm->effects, .cycle = now, .time = &sm->time};
    WW_TRY(ww_exec_step(&env, sm->warps.at[w], &sm->scratch, err));
    if (sm->scratch.wait) {
        sm_hold(sm, w);
        if (sm->scratch.again) {
            return WW_OK;
        }
    }
    sm->pulse.progress++;
    ww_count(sm, WW_C_MECH_SKIPPED, 1);
    ww_count(sm, WW_C_INST_PROGRAM, (unsigned)__builtin_popcount(sm->scratch.exec));
    for (uint32_t i = 0; i < sm->mech.count; i++) {
        if (sm->mech.at[i]->skipped != NULL) {
            sm->mech.at[i]->skipped(sm->mech.state[i], w, &sm->scratch, now);
        }
    }
    WW_TRY(sm_run_absent(sm, w, now, err));
    sm_advance(sm, w, sm_next_place(sm, w), now);
    return WW_OK;
}

/* Whether the warp's head is one that was skipped and may take effect. */
static bool may_skip_head(const ww_sm *sm, uint32_t w)
{
    ww_slots waits = sm->ibuf.astray | sm->warps.held | sm->warps.at_barrier | sm->warps.at_fence;
    return ww_any(sm->skip.due & sm->warps.live & ~waits & ww_slot(w)) &&
           !sm_must_wait(sm, w,
                         &sm->launch->kernel->code[ww_program_inst(sm->program, sm->ibuf.pc[w])]);
}

static ww_status sm_skip_heads(ww_sm *sm, uint64_t now, ww_error *err)
{
    for (ww_slots m = sm->skip.due; ww_any(m); m = ww_rest(m)) {
        uint32_t w = ww_first(m);
        while (may_skip_head(sm, w)) {
            WW_TRY(skip_head(sm, w, now, err));
        }
    }
    return WW_OK;
}
