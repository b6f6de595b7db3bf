/* preexecute.c - P-mode: how a warp gets into it, what it does there with each instruction, and how
 * it comes back. The missing load's value lies in the warp's registers, because instructions are
 * executed when they issue; so what is unknown here is overwritten with a pattern, and nothing that
 * P-mode decides can follow from it. */
#include "mech/pmode/pmode.h"

#include <string.h>

#include "base/assert.h"

static const uint32_t pattern[WW_WARP_SIZE] = {
    0x9e3779b9, 0x3c6ef372, 0xdaa66d2b, 0x78dde6e4, 0x1715609d, 0xb54cda56, 0x5384540f, 0xf1bbcdc8,
    0x8ff34781, 0x2e2ac13a, 0xcc623af3, 0x6a99b4ac, 0x08d12e65, 0xa708a81e, 0x454021d7, 0xe3779b90,
    0x81af1549, 0x1fe68f02, 0xbe1e08bb, 0x5c558274, 0xfa8cfc2d, 0x98c475e6, 0x36fbef9f, 0xd5336958,
    0x736ae311, 0x11a25cca, 0xafd9d683, 0x4e11503c, 0xec48c9f5, 0x8a8043ae, 0x28b7bd67, 0xc6ef3720};

static void set_poison(pmode *s, uint32_t w, uint32_t cell)
{
    s->poison[(size_t)w * s->words + cell / 64] |= UINT64_C(1) << (cell % 64);
    pm_copy_in(s, w, cell, pattern);
}

void pm_unknown(pmode *s, uint32_t w, const pm_note *n)
{
    for (uint32_t k = 0; k < n->writes; k++) {
        set_poison(s, w, pm_writes(s, n)[k]);
    }
}

static bool any_poisoned(const pmode *s, uint32_t w, const uint16_t *cell, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        if (pm_poisoned(s, w, cell[k])) {
            return true;
        }
    }
    return false;
}

/* ---- entry ---- */

/* The youngest load that one of the cells waits for; NULL: none. */
static const pm_load *youngest(const pmode *s, uint32_t w, const uint16_t *cell, uint32_t count,
                               const pm_load *best)
{
    for (uint32_t k = 0; k < count; k++) {
        const pm_load *l = &s->load[(size_t)w * s->cells + cell[k]];
        if (l->pc != UINT32_MAX && ww_mech_waits_for_memory(s->sm, w, cell[k]) &&
            (best == NULL || l->order > best->order)) {
            best = l;
        }
    }
    return best;
}

static void copy_renaming(pmode *s, uint32_t w)
{
    memcpy(s->p_renamed + (size_t)w * s->cells, s->n_renamed + (size_t)w * s->cells, s->cells);
    s->warp[w].p_valid = s->warp[w].n_valid;
}

void pm_begin_unknown(pmode *s, uint32_t w)
{
    uint64_t *poison = s->poison + (size_t)w * s->words;
    memset(poison, 0, s->words * sizeof *poison);
    for (uint32_t c = 0; c + 1 < s->cells; c++) {
        poison[c / 64] |= (uint64_t)ww_mech_waits_for_memory(s->sm, w, c) << (c % 64);
    }
}

void pm_overwrite_unknown(pmode *s, uint32_t w)
{
    for (uint32_t c = 0; c + 1 < s->cells; c++) {
        if (pm_poisoned(s, w, c)) {
            pm_copy_in(s, w, c, pattern);
        }
    }
}

void pm_begin_rules(pmode *s, uint32_t w, uint32_t pc)
{
    pm_warp *x = &s->warp[w];
    x->base = pc;
    x->local_unknown = false;
    x->local_stores = 0;
    x->stored = x->barrier = false;
    x->place = 0;
}

static void enter(pmode *s, uint32_t w, uint32_t pc, uint32_t trigger, uint64_t now)
{
    pm_warp *x = &s->warp[w];
    const uint32_t depth = ww_mech_warp(s->sm, w)->depth;
    if (pm_is_oracle(s)) {
        pm_run_ahead(s, w, pc);
        return;
    }
    pm_begin_unknown(s, w);
    if (!ww_mech_enter_shadow(s->sm, w)) {
        return; /* the SIMT stack is deeper than its copy */
    }
    pm_overwrite_unknown(s, w);
    if (!s->params->keep) {
        pm_empty_queue(s, w);
    }
    copy_renaming(s, w);
    pm_begin_rules(s, w, pc);
    x->trigger = trigger;
    x->entered = now;
    x->suppress = x->closed = x->lifted = x->at_head = false;
    const uint32_t wait = s->params->switch_cycles + s->params->switch_cycles_per_entry * depth;
    x->fetch_at = now + (wait > 0 ? wait : 1);
    ww_warps_add(&s->held_back, w);
    ww_mech_hold_fetch(s->sm, w);
    ww_mech_background(s->sm, ww_mech_shadow(s->sm));
    ww_mech_count(s->sm, WW_C_PMODE_SWITCH, 1);
}

void pm_stalled(void *state, uint32_t w, uint32_t pc, bool memory, uint64_t now)
{
    pmode *s = state;
    const bool room = s->pool_size > 0 || pm_is_oracle(s);
    if (!memory || s->notes == NULL || w >= s->warps || !room || pm_in_shadow(s, w)) {
        return;
    }
    const pm_note *n = &s->notes->inst[pc];
    WW_ASSERT(n->pc == pc);
    const pm_load *l = youngest(s, w, pm_reads(s, n), n->reads, NULL);
    if (s->params->on_destination) {
        l = youngest(s, w, pm_writes(s, n), n->writes, l);
    }
    if (l == NULL) {
        return;
    }
    if (s->params->on_miss && !l->missed) {
        s->warp[w].awaited = l->pc;
        return;
    }
    enter(s, w, pc, l->pc, now);
}

void pm_missed(pmode *s, uint32_t w, uint32_t pc, uint64_t now)
{
    const pm_note *n = &s->notes->inst[pc];
    WW_ASSERT(n->pc == pc);
    for (uint32_t k = 0; k < n->writes; k++) {
        pm_load *l = &s->load[(size_t)w * s->cells + pm_writes(s, n)[k]];
        l->missed = l->missed || l->pc == pc;
    }
    if (s->warp[w].awaited == pc) {
        s->warp[w].awaited = UINT32_MAX;
        enter(s, w, ww_warp_pc(ww_mech_warp(s->sm, w)), pc, now);
    }
}

/* ---- in P-mode ---- */

static void halt(pmode *s, uint32_t w)
{
    ww_mech_hold_issue(s->sm, w, WW_COUNTER_COUNT);
    ww_mech_hold_fetch(s->sm, w);
    ww_mech_count(s->sm, WW_C_PMODE_HALTED, 1);
}

static bool too_far(const pmode *s, const pm_warp *x, uint32_t pc)
{
    const int64_t bytes = ((int64_t)pc - (int64_t)x->base) * s->instruction_bytes;
    return bytes > (int64_t)s->params->reach_bytes || -bytes > (int64_t)s->params->reach_bytes;
}

/* Whether address or guard of an access is unknown; its data need not be known. */
static bool address_poisoned(const pmode *s, uint32_t w, uint32_t pc)
{
    const ww_inst *inst = &s->kernel->code[pc];
    const ww_operand *o = &inst->src[0];
    bool unknown = inst->guard.kind == WW_OPD_PRED &&
                   pm_poisoned(s, w, s->kernel->registers + inst->guard.reg);
    for (uint32_t k = 0; o->kind == WW_OPD_REG && k < o->words; k++) {
        unknown = unknown || pm_poisoned(s, w, o->reg + k);
    }
    return unknown;
}

bool pm_skips(const pmode *s, uint32_t w, uint32_t pc, const pm_note *n)
{
    const pm_warp *x = &s->warp[w];
    switch (n->action) {
    case PM_BRANCH:
        return false;
    case PM_SKIP:
    case PM_SHARED_STORE:
    case PM_BARRIER:
        return true;
    case PM_SHARED_LOAD:
        if (x->stored || x->barrier) {
            return true;
        }
        break;
    default:
        break;
    }
    return too_far(s, x, pc) || any_poisoned(s, w, pm_reads(s, n), n->reads) ||
           (n->action == PM_LOCAL_LOAD && pm_reads_skipped(s, w, pc));
}

void pm_skip(pmode *s, uint32_t w, uint32_t pc, const pm_note *n)
{
    pm_warp *x = &s->warp[w];
    if (n->stores_own || n->stores_some) {
        pm_skip_store(s, w, pc, !address_poisoned(s, w, pc));
    }
    x->stored = x->stored || n->action == PM_SHARED_STORE;
    x->barrier = x->barrier || n->action == PM_BARRIER;
    pm_unknown(s, w, n);
    ww_mech_count(s->sm, WW_C_PMODE_SKIPPED, 1);
}

void pm_mark_executed(pm_warp *x)
{
    if (x->place < PM_TRACK) {
        const uint64_t at = (x->number + x->place) % PM_TRACK;
        x->executed[at / 64] |= UINT64_C(1) << (at % 64);
    }
}

/* The cell's value is in that register of the pool. */
static void rename_cell(pmode *s, uint32_t w, uint32_t cell, uint8_t at)
{
    uint8_t *named = &s->p_renamed[(size_t)w * s->cells + cell];
    s->warp[w].p_valid += *named == PM_NOWHERE;
    *named = at;
    s->poison[(size_t)w * s->words + cell / 64] &= ~(UINT64_C(1) << (cell % 64));
    ww_mech_count(s->sm, WW_C_PMODE_RENAME_WRITE, 1);
}

/* pmode.keep: a result of an earlier stay is taken up again. */
static bool take_up(pmode *s, uint32_t w, uint32_t pc, const pm_note *n)
{
    const pm_warp *x = &s->warp[w];
    const pm_entry *e = x->entries > 0 ? pm_find(s, w, pc, x->number + x->place) : NULL;
    if (e == NULL || !e->ready) {
        return false;
    }
    for (uint32_t k = 0; k < e->cells; k++) {
        pm_copy_in(s, w, pm_writes(s, n)[k], e->value[k]);
        rename_cell(s, w, pm_writes(s, n)[k], e->at[k]);
    }
    ww_mech_count(s->sm, WW_C_PMODE_QUEUE_READ, 1);
    return true;
}

bool pm_ends(const pmode *s, uint32_t w, const pm_note *n)
{
    const bool lost = n->action == PM_BRANCH && any_poisoned(s, w, pm_reads(s, n), n->reads);
    return n->action == PM_HALT || lost || ww_mech_warp(s->sm, w)->depth > s->params->stack_entries;
}

bool pm_drop(void *state, uint32_t w, uint32_t pc, uint64_t now)
{
    pmode *s = state;
    pm_warp *x = &s->warp[w];
    const pm_note *n = &s->notes->inst[pc];
    WW_ASSERT(n->pc == pc);
    (void)now;
    x->suppress = false;
    if (pm_ends(s, w, n)) {
        halt(s, w);
        return false;
    }
    if (take_up(s, w, pc, n)) {
        x->place++;
        return true;
    }
    if (pm_skips(s, w, pc, n)) {
        pm_skip(s, w, pc, n);
        x->suppress = s->params->skip_takes_slot;
        x->place += !x->suppress;
        return !x->suppress;
    }
    if (!pm_reserve(s, w, n)) {
        ww_warps_add(&s->starving, w);
        ww_mech_hold_issue(s->sm, w, WW_COUNTER_COUNT);
        ww_mech_count(s->sm, WW_C_PMODE_NO_REGISTER, 1);
    }
    return false;
}

void pm_feed(pmode *s)
{
    s->freed = false;
    for (ww_warps_walk m = ww_warps_from(s->starving); ww_warps_next(&m);) {
        const uint32_t w = m.warp;
        if (pm_reserve(s, w, &s->notes->inst[ww_warp_pc(ww_mech_warp(s->sm, w))])) {
            ww_warps_remove(&s->starving, w);
            ww_mech_release_issue(s->sm, w);
        }
    }
}

uint32_t pm_executing(const ww_warp *warp, const ww_inst *inst)
{
    uint32_t lanes = ww_warp_active(warp);
    if (inst->guard.kind == WW_OPD_PRED) {
        const uint32_t flip = (inst->guard.flags & WW_OPD_NOT) != 0 ? UINT32_MAX : 0;
        lanes &= warp->preds[inst->guard.reg] ^ flip;
    }
    return lanes;
}

bool pm_keeps_unknown(const pmode *s, uint32_t w, uint32_t pc, const pm_note *n)
{
    const ww_warp *warp = ww_mech_warp(s->sm, w);
    return pm_executing(warp, &s->kernel->code[pc]) != warp->live &&
           any_poisoned(s, w, pm_writes(s, n), n->writes);
}

ww_issue_verdict pm_p_issue(pmode *s, uint32_t w, uint32_t pc)
{
    pm_warp *x = &s->warp[w];
    const pm_note *n = &s->notes->inst[pc];
    WW_ASSERT(n->pc == pc);
    if (x->suppress) {
        return (ww_issue_verdict){.kind = WW_ISSUE_SUPPRESS};
    }
    if (any_poisoned(s, w, pm_reads(s, n), n->reads)) {
        ww_mech_count(s->sm, WW_C_PMODE_ORACLE, 1);
        ww_mech_count(s->sm, WW_C_MECH_MISMATCH, 1);
    }
    if (n->action == PM_PRELOAD) {
        return (ww_issue_verdict){.kind = WW_ISSUE_PRELOAD};
    }
    if (pm_keeps_unknown(s, w, pc, n)) {
        /* The other lanes keep an unknown value. Another time the mask may be another and this
         * instruction be executed: its result must not stand in for this one's. */
        x->suppress = x->closed = true;
        pm_skip(s, w, pc, n);
        pm_unreserve(s, w);
        return (ww_issue_verdict){.kind = WW_ISSUE_SUPPRESS};
    }
    return (ww_issue_verdict){.kind = WW_ISSUE_UNIT};
}

/* The lanes that the instruction leaves out are copied from the old register into the new. */
static void count_copy(pmode *s, uint32_t cells, uint32_t left_out)
{
    const uint64_t lanes = (uint64_t)cells * (unsigned)__builtin_popcount(left_out);
    if (lanes > 0) {
        ww_mech_count(s->sm, WW_C_PMODE_COPIED, lanes);
        ww_mech_count(s->sm, WW_C_RF_READ, cells);
        ww_mech_count(s->sm, WW_C_RF_READ_LANES, lanes);
        ww_mech_count(s->sm, WW_C_RF_WRITE_LANES, lanes);
    }
}

static void rename_results(pmode *s, uint32_t w, const ww_step *step, const pm_note *n,
                           uint32_t flight)
{
    pm_warp *x = &s->warp[w];
    const bool flying = flight != UINT32_MAX;
    pm_entry *e = pm_enter(s, w, n->writes, x->number + x->place);
    if (e != NULL) {
        *e = (pm_entry){.pc = step->pc,
                        .place = x->number + x->place,
                        .flight = flight,
                        .cells = n->writes,
                        .ready = !flying};
        ww_mech_count(s->sm, WW_C_PMODE_QUEUE_WRITE, n->writes);
    }
    WW_ASSERT(!flying || s->flights < s->flight_capacity);
    pm_flight *f = flying ? &s->flight[s->flights++] : NULL;
    if (f != NULL) {
        *f = (pm_flight){.flight = flight, .warp = (uint8_t)w, .cells = n->writes};
    }
    for (uint32_t k = 0; k < n->writes; k++) {
        const uint16_t cell = pm_writes(s, n)[k];
        const uint8_t r = x->reserved[k], before = pm_replaced(s, w, cell);
        rename_cell(s, w, cell, r);
        s->pool[r] = (pm_register){
            .context = e == NULL, .queued = e != NULL, .writing = flying, .warp = (uint8_t)w};
        if (f != NULL) {
            f->at[k] = r;
            f->before[k] = before;
        } else {
            pm_release_replaced(s, before);
        }
        if (e != NULL) {
            e->at[k] = r;
            pm_copy_out(s, w, cell, e->value[k]);
        }
    }
    x->reserved_cells = 0;
    count_copy(s, n->writes, ww_mech_warp(s->sm, w)->live & ~step->exec);
}

void pm_p_executed(pmode *s, uint32_t w, const ww_step *step, uint32_t flight)
{
    pm_warp *x = &s->warp[w];
    const pm_note *n = &s->notes->inst[step->pc];
    WW_ASSERT(n->pc == step->pc);
    if (x->suppress) {
        x->place++;
        return;
    }
    ww_mech_count(s->sm, WW_C_PMODE_RENAME_READ, x->p_valid > 0 ? n->reads : 0);
    pm_mark_executed(x);
    if (n->action == PM_PRELOAD) {
        ww_mech_count(s->sm, WW_C_PMODE_PRELOAD, 1);
        if (step->exec != 0) {
            pm_unknown(s, w, n);
        }
    } else {
        ww_mech_count(s->sm, WW_C_PMODE_PREEXECUTED, 1);
        if (n->writes > 0) {
            rename_results(s, w, step, n, flight);
        }
    }
    x->place++;
}

void pm_shadow_written(void *state, uint32_t w, uint32_t pc, uint32_t flight, uint64_t now)
{
    pmode *s = state;
    (void)pc;
    (void)now;
    uint32_t i = 0;
    while (i < s->flights && s->flight[i].flight != flight) {
        i++;
    }
    if (i == s->flights) {
        return; /* a pre-load */
    }
    const pm_flight f = s->flight[i];
    s->flight[i] = s->flight[--s->flights];
    for (uint32_t k = 0; k < f.cells; k++) {
        s->pool[f.at[k]].writing = false;
        pm_check_free(s, f.at[k]);
        pm_release_replaced(s, f.before[k]);
    }
    pm_entry *queue = pm_queue(s, w);
    for (uint32_t k = 0; k < s->warp[w].entries; k++) {
        if (!queue[k].ready && queue[k].flight == flight) {
            queue[k].ready = true;
            ww_mech_count(s->sm, WW_C_PMODE_READY, queue[k].cells);
            pm_now_ready(s, w, &queue[k]);
        }
    }
}

void pm_leave(pmode *s, uint32_t w, uint64_t now)
{
    pm_warp *x = &s->warp[w];
    ww_mech_leave_shadow(s->sm, w);
    ww_mech_background(s->sm, ww_mech_shadow(s->sm));
    pm_unreserve(s, w);
    pm_end_context(s, w);
    ww_warps_remove(&s->held_back, w);
    ww_warps_remove(&s->starving, w);
    ww_mech_count(s->sm, WW_C_PMODE_CYCLES, now - x->entered);
    ww_mech_count(s->sm, WW_C_PMODE_SHORT, now - x->entered < PM_SHORT);
}
