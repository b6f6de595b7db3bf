/* skip.c - instructions that a mechanism takes out before they are fetched, or supplies decoded.
 * The first stand in the instruction buffer's sequence as marks without an entry, and take effect,
 * without time, when they come to its head. */
#include "perf/sm/hooks.h"

enum { MOST_MARKS = 56 }; /* bits of a warp's mask, with room for the buffer's entries */

static ww_fetch_verdict ask(ww_sm *sm, uint32_t w, uint32_t pc, uint64_t now)
{
    for (uint32_t i = 0; i < sm->mech_count; i++) {
        if (sm->mech[i]->fetch != NULL) {
            ww_fetch_verdict v = sm->mech[i]->fetch(sm->mech_state[i], w, pc, now);
            if (v != WW_FETCH_GO) {
                return v;
            }
        }
    }
    return WW_FETCH_GO;
}

static uint32_t entries_used(const ww_sm *sm, uint32_t w)
{
    return sm->ib_count[w] - (uint32_t)__builtin_popcountll(sm->skip[w]);
}

void ww_sm_skip_fetchable(ww_sm *sm, uint32_t w)
{
    const ww_sm_params *p = &sm->arch->sm;
    uint32_t group =
        p->fetch_instructions < p->ibuffer_entries ? p->fetch_instructions : p->ibuffer_entries;
    bool fits = entries_used(sm, w) + group <= p->ibuffer_entries && sm->ib_count[w] < MOST_MARKS &&
                sm->ib_pc[w] + sm->ib_count[w] < sm->program->count;
    uint64_t bit = ww_bit(w);
    fits = fits && (sm->held_fetch & bit) == 0;
    sm->fetchable = fits ? sm->fetchable | bit : sm->fetchable & ~bit;
}

/* As many instructions as a fetch would bring, so far as the mechanism has them decoded. */
static void supply(ww_sm *sm, uint32_t w, uint32_t pc, uint64_t now)
{
    uint32_t most = ww_sm_fetch_group(sm, pc, entries_used(sm, w)), n = 1;
    while (n < most && ask(sm, w, ww_program_inst(sm->program, pc + n), now) == WW_FETCH_SUPPLY) {
        n++;
    }
    ww_count(sm, WW_C_MECH_SUPPLIED, n);
    ww_sm_buffer(sm, w, pc, n, now);
}

bool ww_sm_skip_ahead(ww_sm *sm, uint32_t w, uint64_t now)
{
    uint32_t pc = sm->ib_pc[w] + sm->ib_count[w];
    ww_fetch_verdict v = WW_FETCH_WAIT;
    for (; pc < sm->program->count && sm->ib_count[w] < MOST_MARKS; pc++) {
        v = ask(sm, w, ww_program_inst(sm->program, pc), now);
        if (v != WW_FETCH_SKIP) {
            break;
        }
        if (sm->ib_count[w] == 0) {
            sm->skipping |= ww_bit(w);
        }
        sm->skip[w] |= 1ull << sm->ib_count[w]++;
        ww_count(sm, WW_C_MECH_SKIPPED, 1);
    }
    ww_sm_update_fetchable(sm, w);
    if (v == WW_FETCH_SUPPLY) {
        supply(sm, w, pc, now);
    }
    if (v != WW_FETCH_GO) {
        return false;
    }
    uint32_t most = ww_sm_fetch_group(sm, pc, entries_used(sm, w)), n = 1;
    while (n < most && ask(sm, w, ww_program_inst(sm->program, pc + n), now) == WW_FETCH_GO) {
        n++;
    }
    sm->fetch_width[w] = (uint8_t)n;
    return true;
}

static ww_status skip_head(ww_sm *sm, uint32_t w, uint64_t now, ww_error *err)
{
    const ww_exec_env env = {.launch = sm->launch,
                             .pending = sm->effects,
                             .cycle = now,
                             .nanoseconds = (uint64_t)((double)now * sm->ns_per_cycle)};
    WW_TRY(ww_exec_step(&env, sm->warp[w], &sm->scratch, err));
    if (sm->scratch.wait) {
        ww_sm_hold(sm, w);
        if (sm->scratch.again) {
            return WW_OK;
        }
    }
    sm->pulse.progress++;
    ww_count(sm, WW_C_INST_PROGRAM, (unsigned)__builtin_popcount(sm->scratch.exec));
    for (uint32_t i = 0; i < sm->mech_count; i++) {
        if (sm->mech[i]->skipped != NULL) {
            sm->mech[i]->skipped(sm->mech_state[i], w, &sm->scratch, now);
        }
    }
    WW_TRY(ww_sm_run_absent(sm, w, now, err));
    ww_sm_advance(sm, w, ww_sm_next_place(sm, w), now);
    return WW_OK;
}

ww_status ww_sm_skip_heads(ww_sm *sm, uint64_t now, ww_error *err)
{
    for (uint64_t m = sm->skipping; m != 0; m &= m - 1) {
        uint32_t w = (uint32_t)__builtin_ctzll(m);
        while ((sm->skipping & sm->live & ~sm->astray & ~sm->held & ww_bit(w)) != 0) {
            WW_TRY(skip_head(sm, w, now, err));
        }
    }
    return WW_OK;
}
