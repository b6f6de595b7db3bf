/* reuse.c - back in N-mode: instructions whose results lie in the P-queue come out of it instead of
 * the instruction cache, and complete by renaming their destination. */
#include "mech/pmode/pmode.h"

#include <string.h>

enum { BUFFERED = 64 }; /* more than an instruction buffer holds */

ww_fetch_verdict pm_fetch(void *state, uint32_t w, uint32_t pc, uint64_t now)
{
    pmode *s = state;
    (void)now;
    if (w >= s->warps || s->warp[w].entries == 0 || pm_in_shadow(s, w)) {
        return WW_FETCH_GO;
    }
    ww_mech_count(s->sm, WW_C_PMODE_QUEUE_READ, 1);
    /* What is fetched stands behind the warp's next instruction, or behind a branch that it will
     * not follow. */
    const uint32_t ahead = pc - ww_warp_pc(ww_mech_warp(s->sm, w));
    if (ahead >= BUFFERED || pm_find(s, w, pc, s->warp[w].number + ahead) == NULL) {
        return WW_FETCH_GO;
    }
    return WW_FETCH_SUPPLY;
}

static void lift(pmode *s, uint32_t w)
{
    s->warp[w].lifted = true;
    ww_mech_lift(s->sm, w);
}

void pm_head(void *state, uint32_t w, uint32_t pc, uint64_t now)
{
    pmode *s = state;
    (void)now;
    if (w >= s->warps || pm_in_shadow(s, w)) {
        return;
    }
    pm_warp *x = &s->warp[w];
    x->lifted = x->at_head = false;
    x->awaited = UINT32_MAX;
    if (pm_is_oracle(s)) {
        if (pm_has_ahead(s, w, pc, 0)) {
            lift(s, w);
        }
        return;
    }
    const pm_entry *e = x->entries > 0 ? pm_find(s, w, pc, x->number) : NULL;
    if (e == NULL) {
        return;
    }
    x->at_head = true;
    if (e->ready) {
        lift(s, w);
    } else if (s->params->wait_ready) {
        ww_mech_hold_issue(s->sm, w, WW_COUNTER_COUNT);
    }
}

void pm_now_ready(pmode *s, uint32_t w, const pm_entry *e)
{
    if (!s->warp[w].at_head || e != pm_queue(s, w) || pm_in_shadow(s, w)) {
        return;
    }
    lift(s, w);
    if (s->params->wait_ready) {
        ww_mech_release_issue(s->sm, w);
    }
}

/* Plain execution has just computed what the queue supplied. */
static void check(pmode *s, uint32_t w, const pm_entry *e, const uint16_t *cell)
{
    const uint32_t live = ww_mech_warp(s->sm, w)->live;
    for (uint32_t k = 0; k < e->cells; k++) {
        uint32_t value[WW_WARP_SIZE];
        bool same = true;
        pm_copy_out(s, w, cell[k], value);
        if (cell[k] >= s->kernel->registers) {
            same = ((value[0] ^ e->value[k][0]) & live) == 0;
        }
        for (uint32_t lane = 0; cell[k] < s->kernel->registers && lane < WW_WARP_SIZE; lane++) {
            same = same && ((live >> lane & 1) == 0 || value[lane] == e->value[k][lane]);
        }
        ww_mech_count(s->sm, WW_C_MECH_MISMATCH, !same);
    }
}

static void reuse(pmode *s, uint32_t w, const pm_note *n, uint32_t flight)
{
    pm_warp *x = &s->warp[w];
    const pm_entry *e = pm_queue(s, w);
    const uint16_t *cell = pm_writes(s, n);
    check(s, w, e, cell);
    for (uint32_t k = 0; k < e->cells; k++) {
        pm_end_renaming(s, w, cell[k], flight == UINT32_MAX);
        *pm_named(s, w, cell[k]) = e->at[k];
        WW_ASSERT(!s->pool[e->at[k]].renamed);
        s->pool[e->at[k]].renamed = true;
        s->pool[e->at[k]].cell = cell[k];
        s->load[(size_t)w * s->cells + cell[k]].pc = UINT32_MAX;
        x->n_valid++;
    }
    ww_mech_count(s->sm, WW_C_PMODE_RENAME_WRITE, e->cells);
    ww_mech_count(s->sm, WW_C_PMODE_QUEUE_READ, 1);
    ww_mech_count(s->sm, WW_C_PMODE_REUSED, 1);
    pm_take_first(s, w);
}

/* The instruction writes its architected registers: whole, or with the lanes that it leaves out
 * copied from where they are. */
static void write_own(pmode *s, uint32_t w, const pm_note *n, uint32_t exec, uint32_t flight)
{
    const uint32_t left_out = ww_mech_warp(s->sm, w)->live & ~exec;
    for (uint32_t k = 0; exec != 0 && k < n->writes; k++) {
        const uint16_t cell = pm_writes(s, n)[k];
        if (*pm_named(s, w, cell) == PM_NOWHERE) {
            continue;
        }
        if (left_out != 0) {
            const unsigned lanes = (unsigned)__builtin_popcount(left_out);
            ww_mech_count(s->sm, WW_C_PMODE_COPIED, lanes);
            ww_mech_count(s->sm, WW_C_RF_READ, 1);
            ww_mech_count(s->sm, WW_C_RF_READ_LANES, lanes);
            ww_mech_count(s->sm, WW_C_RF_WRITE_LANES, lanes);
        }
        pm_end_renaming(s, w, cell, flight == UINT32_MAX);
    }
}

static void note_load(pmode *s, uint32_t w, const pm_note *n, uint32_t pc)
{
    pm_warp *x = &s->warp[w];
    x->loads++;
    for (uint32_t k = 0; k < n->writes; k++) {
        s->load[(size_t)w * s->cells + pm_writes(s, n)[k]] = (pm_load){.pc = pc, .order = x->loads};
    }
}

/* Was it done in P-mode before? */
bool pm_count_coverage(pmode *s, pm_warp *x, const pm_note *n)
{
    const uint64_t at = x->number % PM_TRACK;
    uint64_t *word = &x->executed[at / 64];
    const bool before = (*word >> (at % 64) & 1) != 0;
    *word &= ~(UINT64_C(1) << (at % 64));
    if (n->action == PM_PRELOAD) {
        ww_mech_count(s->sm, WW_C_PMODE_N_LOADS, 1);
        ww_mech_count(s->sm, WW_C_PMODE_N_PRELOADED, before);
    } else if (!n->loads) {
        ww_mech_count(s->sm, WW_C_PMODE_N_INST, 1);
        ww_mech_count(s->sm, WW_C_PMODE_N_COVERED, before);
    }
    return before;
}

void pm_note_known(pmode *s, uint32_t w, const pm_note *n)
{
    for (uint32_t k = 0; k < n->writes; k++) {
        s->load[(size_t)w * s->cells + pm_writes(s, n)[k]].pc = UINT32_MAX;
    }
}

/* A match of the address alone, which the hardware compares, would have taken this entry. */
static void check_head(pmode *s, uint32_t w, uint32_t pc)
{
    const pm_entry *e = pm_queue(s, w);
    const pm_warp *x = &s->warp[w];
    ww_mech_count(s->sm, WW_C_PMODE_ALIAS, x->entries > 0 && e->pc == pc && e->place != x->number);
    while (x->entries > 0 && e->place < x->number) {
        pm_take_first(s, w);
    }
}

void pm_n_executed(pmode *s, uint32_t w, const ww_step *step, uint32_t flight)
{
    pm_warp *x = &s->warp[w];
    const pm_note *n = &s->notes->inst[step->pc];
    WW_ASSERT(n->pc == step->pc);
    const bool before = pm_count_coverage(s, x, n);
    ww_behind_cover(&s->behind, flight,
                    before && n->action == PM_PRELOAD && s->params->oracle > WW_PMODE_ORACLE_FREE);
    if (x->entries > 0) {
        check_head(s, w, step->pc);
    }
    pm_entry *e = x->entries > 0 ? pm_find(s, w, step->pc, x->number) : NULL;
    if (e != NULL && x->lifted) {
        reuse(s, w, n, flight);
    } else if (x->lifted) { /* a ceiling's */
        pm_note_known(s, w, n);
    } else {
        ww_mech_count(s->sm, WW_C_PMODE_RENAME_READ, x->n_valid > 0 ? n->reads : 0);
        ww_mech_count(s->sm, WW_C_PMODE_NOT_READY, e != NULL);
        if (e != NULL) {
            pm_take_first(s, w);
        }
        write_own(s, w, n, step->exec, flight);
        if (n->loads && flight != UINT32_MAX) {
            note_load(s, w, n, step->pc);
        } else { /* a load that P-mode is not for may write what one that it is for has written */
            pm_note_known(s, w, n);
        }
    }
    x->lifted = x->at_head = false;
    x->number++;
}
