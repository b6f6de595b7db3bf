/* hooks.c - DAC-IDEAL, a baseline of DARSIE (Yeh et al., ASPLOS 2020, section 5): affine
 * instructions are detected at run time and executed once, without synchronization. An instruction
 * is affine when every operand, over the 32 lanes, is one base + lane * stride, and so is its
 * result (a comparison's need not be). The first warp of a block at an instance, that is at the
 * n-th execution of an instruction by all lanes, executes it; the others skip it before fetch, as
 * often as they come to it, once the instruction has been found affine. */
#include <string.h>

#include "base/assert.h"
#include "mech/mechanisms.h"

enum { WARPS = WW_WARPS, CTAS = 64, TAKEN = 64 };

/* An instance that the front end has decided about and the warp not executed. */
typedef struct di_taken {
    uint32_t pc;
    bool first;
} di_taken;

typedef struct di_warp {
    uint8_t cta;
    uint32_t front; /* what the front end comes to next; WW_NO_TARGET: as the SM says */
    uint32_t oldest, count;
    di_taken taken[TAKEN];
} di_warp;

typedef struct dac_ideal {
    ww_sm *sm;
    const ww_kernel *kernel;
    const bool *computes; /* [instruction] arithmetic, move, conversion, comparison; NULL: none */
    uint32_t code, row;   /* threads of a block's row */
    uint32_t rows;        /* of them in a layer */
    ww_warps members;     /* warps of the grid */
    bool operands_affine; /* of the instruction between `issue` and `executed` */
    bool *affine;         /* [instruction] as last executed */
    uint16_t *times;      /* [warp][instruction] instances that the front end has passed */
    uint16_t *most;       /* [CTA][instruction] of the warp that is farthest */
    di_warp warp[WARPS];
} dac_ideal;

/* ---- the pass ---- */

static bool reads_time(const ww_inst *i)
{
    for (unsigned k = 0; k < i->src_count; k++) {
        if (i->src[k].kind != WW_OPD_SREG) {
            continue;
        }
        ww_sreg_kind kind = ww_sreg_kind_of((ww_sreg)i->src[k].reg);
        if (kind != WW_SREG_KIND_THREAD && kind != WW_SREG_KIND_CTA &&
            kind != WW_SREG_KIND_DIMENSION && i->src[k].reg != WW_SREG_LANEID) {
            return true;
        }
    }
    return false;
}

static bool computes(const ww_inst *i)
{
    ww_form form = ww_isa_form((ww_op)i->op, (ww_type)i->type, (ww_type)i->type2, (ww_sub)i->sub);
    return (form.kind == WW_KIND_ARITH || form.kind == WW_KIND_MOVE) && i->dst_count > 0 &&
           form.unit != WW_UNIT_TENSOR && form.unit != WW_UNIT_LDST && form.unit != WW_UNIT_CTRL &&
           ww_inst_folded(i) == NULL && !reads_time(i);
}

static ww_status pass(const ww_mech_build *build, const ww_kernel **kernel, const void **notes,
                      ww_error *err)
{
    const ww_kernel *k = build->kernel;
    bool *note = WW_ARENA_NEW_ARRAY(build->arena, bool, (size_t)k->code_count + 1);
    (void)kernel;
    if (note == NULL) {
        return ww_no_memory_for(err, "kernel %s", k->name);
    }
    for (uint32_t i = 0; i < k->code_count; i++) {
        note[i] = computes(&k->code[i]);
    }
    *notes = k->shape == NULL ? note : NULL; /* another pass has divided the kernel */
    return WW_OK;
}

/* ---- lifetime ---- */

static ww_status create(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err)
{
    dac_ideal *s = WW_NEW(dac_ideal);
    (void)arch;
    if (s == NULL) {
        return ww_no_memory(err);
    }
    s->sm = sm;
    *state = s;
    return WW_OK;
}

static void release(dac_ideal *s)
{
    ww_free(s->affine);
    ww_free(s->times);
    ww_free(s->most);
    s->affine = NULL;
    s->times = s->most = NULL;
}

static void destroy(void *state)
{
    if (state != NULL) {
        release(state);
        ww_free(state);
    }
}

static ww_status begin(void *state, const ww_mech_launch *launch, ww_error *err)
{
    dac_ideal *s = state;
    release(s);
    s->kernel = launch->kernel;
    s->computes = launch->notes;
    s->code = launch->kernel->code_count;
    s->row = launch->launch->block.x;
    s->rows = launch->launch->block.y;
    s->members = WW_NO_WARPS;
    s->affine = WW_NEW_ARRAY(bool, (size_t)s->code + 1);
    s->times = WW_NEW_ARRAY(uint16_t, (size_t)ww_mech_slots(s->sm) * s->code + 1);
    s->most = WW_NEW_ARRAY(uint16_t, (size_t)CTAS * s->code + 1);
    bool made = s->affine != NULL && s->times != NULL && s->most != NULL;
    return made ? WW_OK : ww_no_memory(err);
}

static void cta_started(void *state, uint32_t cta, ww_warps warps, uint64_t now)
{
    dac_ideal *s = state;
    (void)now;
    if (s->computes == NULL || cta >= CTAS || ww_mech_is_extra(s->sm, ww_warps_first(warps))) {
        return;
    }
    memset(s->most + (size_t)cta * s->code, 0, s->code * sizeof *s->most);
    s->members = ww_warps_either(s->members, warps);
    for (ww_warps_walk m = ww_warps_from(warps); ww_warps_next(&m);) {
        const uint32_t w = m.warp;
        memset(s->times + (size_t)w * s->code, 0, s->code * sizeof *s->times);
        s->warp[w] = (di_warp){.cta = (uint8_t)cta, .front = WW_NO_TARGET};
    }
}

static void warp_exited(void *state, uint32_t w, uint64_t now)
{
    dac_ideal *s = state;
    (void)now;
    ww_warps_remove(&s->members, w);
}

/* ---- what is affine ---- */

static bool is_affine(const uint32_t *lane)
{
    const uint32_t stride = lane[1] - lane[0];
    for (uint32_t i = 2; i < WW_WARP_SIZE; i++) {
        if (lane[i] - lane[i - 1] != stride) {
            return false;
        }
    }
    return true;
}

/* An index of the block's threads, over the lanes of a warp. */
static bool index_affine(const dac_ideal *s, const ww_warp *warp, ww_sreg which)
{
    uint32_t lane[WW_WARP_SIZE];
    for (uint32_t i = 0; i < WW_WARP_SIZE; i++) {
        const uint32_t t = warp->index * WW_WARP_SIZE + i;
        lane[i] = which == WW_SREG_TID_X   ? t % s->row
                  : which == WW_SREG_TID_Y ? t / s->row % s->rows
                                           : t / s->row / s->rows;
    }
    return is_affine(lane);
}

static bool operand_affine(const dac_ideal *s, const ww_warp *warp, const ww_operand *o)
{
    bool affine = true;
    if (o->kind == WW_OPD_PRED) {
        return warp->preds[o->reg] == 0 || warp->preds[o->reg] == UINT32_MAX;
    }
    if (o->kind == WW_OPD_SREG &&
        (o->reg == WW_SREG_TID_X || o->reg == WW_SREG_TID_Y || o->reg == WW_SREG_TID_Z)) {
        return index_affine(s, warp, (ww_sreg)o->reg);
    }
    for (uint32_t i = 0; o->kind == WW_OPD_REG && i < o->words; i++) {
        affine = affine && is_affine(warp->regs + (size_t)(o->reg + i) * WW_WARP_SIZE);
    }
    return affine;
}

static bool operands_affine(const dac_ideal *s, const ww_warp *warp, const ww_inst *inst)
{
    bool affine = operand_affine(s, warp, &inst->guard);
    for (unsigned k = 0; affine && k < inst->src_count; k++) {
        affine = operand_affine(s, warp, &inst->src[k]);
    }
    return affine;
}

/* Results of a comparison are known from its operands. */
static bool results_affine(const dac_ideal *s, const ww_warp *warp, const ww_inst *inst)
{
    bool affine = true;
    for (unsigned k = 0; affine && k < inst->dst_count; k++) {
        affine = inst->dst[k].kind == WW_OPD_PRED || operand_affine(s, warp, &inst->dst[k]);
    }
    return affine;
}

/* ---- front end ---- */

/* An instance of the instruction by all lanes. */
static bool counts(const dac_ideal *s, uint32_t w, uint32_t pc)
{
    return s->computes[pc] && ww_warp_active(ww_mech_warp(s->sm, w)) == UINT32_MAX;
}

/* Whether another warp has come first, and the instruction is known to be affine. */
static bool may_skip(const dac_ideal *s, uint32_t w, uint32_t pc)
{
    const size_t mine = (size_t)w * s->code + pc, block = (size_t)s->warp[w].cta * s->code + pc;
    return counts(s, w, pc) && s->affine[pc] && s->times[mine] != s->most[block] &&
           s->warp[w].count < TAKEN;
}

/* The front end passes the instruction. */
static void take(dac_ideal *s, uint32_t w, uint32_t pc)
{
    di_warp *warp = &s->warp[w];
    warp->front = pc + 1;
    if (!counts(s, w, pc) || warp->count == TAKEN) {
        return;
    }
    uint16_t *mine = &s->times[(size_t)w * s->code + pc];
    uint16_t *block = &s->most[(size_t)warp->cta * s->code + pc];
    const bool first = *mine == *block;
    *mine = (uint16_t)(*mine + 1);
    *block = (uint16_t)(*block + first);
    warp->taken[(warp->oldest + warp->count++) % TAKEN] = (di_taken){.pc = pc, .first = first};
}

static void skip(void *state, ww_warps warps, uint64_t now)
{
    dac_ideal *s = state;
    (void)now;
    for (ww_warps_walk m =
             ww_warps_from(s->computes != NULL ? ww_warps_both(warps, s->members) : WW_NO_WARPS);
         ww_warps_next(&m);) {
        const uint32_t w = m.warp;
        for (;;) {
            const uint32_t pc = ww_mech_next_inst(s->sm, w), front = s->warp[w].front;
            bool passed = front != WW_NO_TARGET && front > pc;
            if (pc >= s->code || passed || !may_skip(s, w, pc) || !ww_mech_skip(s->sm, w)) {
                break;
            }
            take(s, w, pc);
        }
    }
}

static ww_fetch_verdict fetch(void *state, uint32_t w, uint32_t pc, uint64_t now)
{
    dac_ideal *s = state;
    (void)now;
    if (s->computes == NULL || w >= WARPS || !ww_warps_has(&s->members, w) || pc >= s->code) {
        return WW_FETCH_GO;
    }
    const uint32_t front = s->warp[w].front;
    if (front != WW_NO_TARGET && pc < front) {
        return WW_FETCH_GO; /* the instruction cache could not take it before */
    }
    if (may_skip(s, w, pc)) {
        return WW_FETCH_WAIT; /* it is taken out in the next cycle */
    }
    take(s, w, pc);
    return WW_FETCH_GO;
}

/* What has been dropped was no instance. */
static void flushed(void *state, uint32_t w, uint32_t first, uint32_t count)
{
    dac_ideal *s = state;
    (void)first;
    (void)count;
    if (s->computes == NULL || w >= WARPS || !ww_warps_has(&s->members, w)) {
        return;
    }
    di_warp *warp = &s->warp[w];
    for (; warp->count > 0; warp->count--) {
        const di_taken t = warp->taken[(warp->oldest + warp->count - 1) % TAKEN];
        uint16_t *mine = &s->times[(size_t)w * s->code + t.pc];
        uint16_t *block = &s->most[(size_t)warp->cta * s->code + t.pc];
        *block = (uint16_t)(*block - (t.first && *block == *mine));
        *mine = (uint16_t)(*mine - 1);
    }
    warp->front = WW_NO_TARGET;
}

/* ---- results ---- */

/* The instance that the warp has just executed or skipped; false: it was none. */
static bool end(dac_ideal *s, uint32_t w, uint32_t pc, di_taken *t)
{
    di_warp *warp = &s->warp[w];
    if (warp->count == 0 || warp->taken[warp->oldest].pc != pc) {
        return false;
    }
    WW_ASSERT(warp->count <= TAKEN);
    *t = warp->taken[warp->oldest];
    warp->oldest = (warp->oldest + 1) % TAKEN;
    warp->count--;
    return true;
}

static ww_issue_verdict issue(void *state, uint32_t w, uint32_t pc, uint64_t now)
{
    dac_ideal *s = state;
    (void)now;
    if (s->computes != NULL && w < WARPS && ww_warps_has(&s->members, w) && pc < s->code &&
        counts(s, w, pc)) {
        s->operands_affine = operands_affine(s, ww_mech_warp(s->sm, w), &s->kernel->code[pc]);
    }
    return (ww_issue_verdict){.kind = WW_ISSUE_UNIT};
}

static void executed(void *state, uint32_t w, const ww_step *step, uint32_t flight, uint64_t now)
{
    dac_ideal *s = state;
    di_taken t = {0};
    (void)flight;
    (void)now;
    if (s->computes == NULL || w >= WARPS || !ww_warps_has(&s->members, w) || step->pc >= s->code ||
        !end(s, w, step->pc, &t)) {
        return;
    }
    const ww_inst *inst = &s->kernel->code[step->pc];
    s->affine[step->pc] = s->operands_affine && results_affine(s, ww_mech_warp(s->sm, w), inst);
    ww_mech_count(s->sm, WW_C_DAC_IDEAL_AFFINE, s->affine[step->pc]);
    ww_mech_count(s->sm, WW_C_DAC_IDEAL_FIRST, s->affine[step->pc] && t.first);
}

static void skipped(void *state, uint32_t w, const ww_step *step, uint64_t now)
{
    dac_ideal *s = state;
    di_taken t;
    (void)now;
    if (end(s, w, step->pc, &t) &&
        !results_affine(s, ww_mech_warp(s->sm, w), &s->kernel->code[step->pc])) {
        s->affine[step->pc] = false;
        ww_mech_count(s->sm, WW_C_DAC_IDEAL_OTHERWISE, 1);
    }
}

const ww_mech ww_mech_dac_ideal = {
    .name = "dac_ideal",
    .pass = pass,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .cta_started = cta_started,
    .warp_exited = warp_exited,
    .skip = skip,
    .fetch = fetch,
    .flushed = flushed,
    .skipped = skipped,
    .issue = issue,
    .executed = executed,
};
