/* hooks.c - DARSIE: what the SM calls as instructions are executed and written. Values come from
 * plain execution; what a skipped instruction would have found in the leader's registers is
 * compared with it, and so is every register that a warp reads through the rename table. */
#include "base/arith.h"
#include "mech/darsie/darsie.h"

static bool concerns(const darsie *s, uint32_t w)
{
    return s->notes != NULL && w < DS_WARPS && ww_warps_has(&s->members, w);
}

static uint32_t count_registers(const darsie *s, const uint32_t *cell, uint32_t cells)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < cells; i++) {
        n += cell[i] < s->kernel->registers;
    }
    return n;
}

/* The leader's results are the versions from now on. Lanes that its guard leaves out keep what they
 * held, which is copied first. */
static void lead(darsie *s, uint32_t w, const ww_step *step, ds_entry *e)
{
    const ww_inst *inst = &s->kernel->code[step->pc];
    uint32_t cell[DS_CELLS], cells = ds_results(s, inst, cell);
    e->value = ds_value(s, w, inst);
    for (uint32_t i = 0; i < cells; i++) {
        ds_rename(s, w, cell[i], e->version[i]);
        ds_fill_version(s, w, cell[i], e->version[i]);
    }
    if (step->exec != UINT32_MAX) {
        ds_copy(s, count_registers(s, cell, cells));
    }
}

/* The warp's own results: what it shared there is its own again. */
static void write_own(darsie *s, uint32_t w, const ww_step *step)
{
    const ww_inst *inst = &s->kernel->code[step->pc];
    uint32_t first, count;
    for (unsigned k = 0; step->exec != 0 && k < inst->dst_count; k++) {
        if (!ds_cells_of(s, &inst->dst[k], &first, &count)) {
            continue;
        }
        for (uint32_t cell = first; cell < first + count; cell++) {
            const bool shared = s->map[(size_t)w * s->cells + cell] != DS_NONE;
            const bool partly = step->exec != UINT32_MAX && cell < s->kernel->registers;
            ds_copy(s, shared && partly ? 1 : 0);
            ds_rename(s, w, cell, DS_NONE);
        }
    }
}

/* Reads through the rename table that plain execution contradicts. */
static uint32_t wrong_reads(const darsie *s, uint32_t w, const ww_operand *o, uint32_t lanes)
{
    uint32_t first, count, wrong = 0;
    if (ds_cells_of(s, o, &first, &count)) {
        for (uint32_t i = 0; i < count; i++) {
            wrong += !ds_holds(s, w, first + i, lanes);
        }
    }
    return wrong;
}

/* Whatever has led to the version that the warp reads: a stale one is found where it does harm. */
static ww_issue_verdict issue(void *state, uint32_t w, uint32_t pc, uint64_t now)
{
    darsie *s = state;
    (void)now;
    if (concerns(s, w) && pc < s->notes->count) {
        const ww_inst *inst = &s->kernel->code[pc];
        const ww_warp *warp = ww_mech_warp(s->sm, w);
        const uint32_t active = ww_warp_active(warp);
        uint32_t lanes = active, wrong = wrong_reads(s, w, &inst->guard, active);
        if (inst->guard.kind == WW_OPD_PRED) {
            const uint32_t p = warp->preds[inst->guard.reg];
            lanes &= (inst->guard.flags & WW_OPD_NOT) != 0 ? ~p : p;
        }
        for (uint32_t k = 0; k < inst->src_count; k++) {
            wrong += wrong_reads(s, w, &inst->src[k], lanes);
        }
        ds_count(s, WW_C_MECH_MISMATCH, wrong);
    }
    return (ww_issue_verdict){.kind = WW_ISSUE_UNIT};
}

static void accessed(darsie *s, uint32_t w, const ww_step *step, uint8_t kind)
{
    const bool own = step->is_memory && step->space == WW_SPACE_LOCAL;
    if ((kind & DS_STORE) != 0 && !own && s->arch->darsie.variant != WW_DARSIE_IGNORE_STORE) {
        ds_remove_loads(s, ds_cta_of(s, w), false);
    }
    for (uint32_t c = 0; (kind & DS_GLOBAL) != 0 && !own && c < DS_CTAS; c++) {
        if (s->cta[c].on) {
            ds_remove_loads(s, &s->cta[c], true);
        }
    }
}

static void executed(void *state, uint32_t w, const ww_step *step, uint32_t flight, uint64_t now)
{
    darsie *s = state;
    if (!concerns(s, w) || step->pc >= s->notes->count) {
        return;
    }
    const uint8_t kind = s->notes->inst[step->pc].kind;
    ds_cta *c = ds_cta_of(s, w);
    ds_entry *e = NULL;
    const bool led = ds_led(s, c, w, step->pc, &e);
    ds_count(s, WW_C_DARSIE_MARKED, ds_redundant(s, step->pc));
    if (e != NULL) {
        lead(s, w, step, e);
    } else {
        write_own(s, w, step);
    }
    if (led && flight == UINT32_MAX) {
        ds_lead_written(s, c, w, step->pc, now);
    }
    if (!step->exited) {
        ds_release_dead(s, w, &s->kernel->code[step->pc], (kind & DS_CONTROL) != 0);
    }
    accessed(s, w, step, kind);
    const bool turned = ww_warp_pc(ww_mech_warp(s->sm, w)) != step->pc + 1;
    if (!step->exited && ((kind & DS_CONTROL) != 0 || (turned && ds_by_history(s)))) {
        ds_branched(s, w, step, now);
    }
    if ((kind & DS_MEETING) != 0 && step->barrier) {
        ds_met(s, w, step, now);
    }
}

static void skipped(void *state, uint32_t w, const ww_step *step, uint64_t now)
{
    darsie *s = state;
    (void)now;
    if (!concerns(s, w) || s->warp[w].marks == 0) {
        return;
    }
    ds_warp *warp = &s->warp[w];
    WW_ASSERT(warp->first < DS_MARKS && warp->marks <= DS_MARKS);
    const ds_mark mark = warp->mark[warp->first];
    const ww_inst *inst = &s->kernel->code[step->pc];
    warp->first = (warp->first + 1) % DS_MARKS;
    warp->marks--;
    for (uint32_t i = 0; i < mark.cells; i++) {
        ds_rename(s, w, mark.cell[i], mark.version[i]);
    }
    ds_release_dead(s, w, inst, false);
    ds_count(s, WW_C_MECH_MISMATCH, ds_value(s, w, inst) != mark.value);
}

static void written(void *state, uint32_t w, uint32_t pc, uint64_t now)
{
    darsie *s = state;
    if (s->notes != NULL && w < DS_WARPS && pc < s->notes->count && s->warp[w].leads > 0) {
        ds_lead_written(s, ds_cta_of(s, w), w, pc, now);
    }
}

static void warp_exited(void *state, uint32_t w, uint64_t now)
{
    darsie *s = state;
    if (concerns(s, w)) {
        ds_exited(s, w, now);
    }
}

static void tick(void *state, uint64_t now)
{
    darsie *s = state;
    for (ww_warps_walk m = ww_warps_from(s->copying); ww_warps_next(&m);) {
        const uint32_t w = m.warp;
        if (s->warp[w].copying_until <= now) {
            ww_warps_remove(&s->copying, w);
            ww_mech_release_issue(s->sm, w);
        }
    }
}

static uint64_t next(const void *state, uint64_t now)
{
    const darsie *s = state;
    uint64_t at = s->again ? now + 1 : UINT64_MAX;
    for (ww_warps_walk m = ww_warps_from(s->copying); ww_warps_next(&m);) {
        const uint64_t due = s->warp[m.warp].copying_until;
        at = ww_min_u64(at, due);
    }
    return at > now ? at : now + 1;
}

const ww_mech ww_mech_darsie = {
    .name = "darsie",
    .pass = ds_pass,
    .create = ds_create,
    .destroy = ds_destroy,
    .begin = ds_begin,
    .cta_started = ds_cta_started,
    .cta_ended = ds_cta_ended,
    .warp_exited = warp_exited,
    .skip = ds_skip,
    .flushed = ds_flushed,
    .fetch = ds_fetch,
    .issue = issue,
    .skipped = skipped,
    .executed = executed,
    .operands = ds_operands,
    .written = written,
    .tick = tick,
    .next = next,
};
