/* hooks.c - the limit study of DARSIE (Yeh et al., ASPLOS 2020, figures 1 and 2): which
 * instructions do the same for all lanes of a warp, all warps of a block, all warps of a grid, by
 * value. An instruction is redundant where its operands are equal and so is its result: a load from
 * one place of several shared memories is not. Nothing changes in time. */
#include <string.h>

#include "mech/redundancy/redundancy.h"

enum { WARPS = WW_WARPS, CTAS = 64 };

typedef struct redundancy {
    ww_sm *sm;
    const ww_kernel *kernel;
    uint32_t code;
    ww_dim3 block;
    ww_warps members;  /* warps of the grid */
    uint64_t readings; /* of clocks and the like: no two are equal */
    uint8_t cta_of[WARPS];
    uint32_t *times;    /* [warp][instruction] executions with all lanes */
    rd_values operands; /* of the instruction between `issue` and `executed` */
    bool whole;         /* it has all lanes */
    rd_table grid, cta[CTAS];
} redundancy;

/* ---- values ---- */

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 32;
}

static void add_lanes(rd_values *v, uint64_t *hash, const uint32_t *lane)
{
    const uint32_t stride = lane[1] - lane[0];
    uint32_t bent = 0;
    for (uint32_t i = 0; i < WW_WARP_SIZE; i += 2) {
        *hash = mix(*hash, (uint64_t)lane[i] << 32 | lane[i + 1]);
    }
    for (uint32_t i = 1; i < WW_WARP_SIZE; i++) {
        bent |= (lane[i] - lane[i - 1]) ^ stride;
    }
    v->affine = v->affine && bent == 0;
    v->uniform = v->uniform && bent == 0 && stride == 0;
}

/* An index of the block's threads. */
static void add_index(const redundancy *s, rd_values *v, const ww_warp *warp, ww_sreg which)
{
    uint32_t lane[WW_WARP_SIZE];
    for (uint32_t i = 0; i < WW_WARP_SIZE; i++) {
        const uint32_t t = warp->index * WW_WARP_SIZE + i, row = t / s->block.x;
        lane[i] = which == WW_SREG_TID_X   ? t % s->block.x
                  : which == WW_SREG_TID_Y ? row % s->block.y
                                           : row / s->block.y;
    }
    add_lanes(v, &v->operands, lane);
}

static void add_special(redundancy *s, rd_values *v, const ww_warp *warp, ww_sreg which)
{
    switch (which) {
    case WW_SREG_TID_X:
    case WW_SREG_TID_Y:
    case WW_SREG_TID_Z:
        add_index(s, v, warp, which);
        break;
    case WW_SREG_CTAID_X:
    case WW_SREG_CTAID_Y:
    case WW_SREG_CTAID_Z:
        v->operands = mix(v->operands, warp->cta->id[which - WW_SREG_CTAID_X]);
        break;
    case WW_SREG_LANEID:
        v->uniform = false;
        break;
    case WW_SREG_LANEMASK_EQ:
    case WW_SREG_LANEMASK_LE:
    case WW_SREG_LANEMASK_LT:
    case WW_SREG_LANEMASK_GE:
    case WW_SREG_LANEMASK_GT:
        v->uniform = v->affine = false;
        break;
    case WW_SREG_WARPID:
    case WW_SREG_SMID:
    case WW_SREG_CLOCK:
    case WW_SREG_CLOCK_HI:
    case WW_SREG_CLOCK64:
    case WW_SREG_GLOBALTIMER:
    case WW_SREG_GLOBALTIMER_LO:
    case WW_SREG_GLOBALTIMER_HI:
        v->operands = mix(v->operands, ++s->readings);
        break;
    default: /* one value for the launch */
        break;
    }
}

static void add_registers(rd_values *v, uint64_t *hash, const ww_warp *warp, const ww_operand *o)
{
    if (o->kind == WW_OPD_PRED) {
        const uint32_t mask = warp->preds[o->reg];
        *hash = mix(*hash, mask);
        v->uniform = v->uniform && (mask == 0 || mask == UINT32_MAX);
        v->affine = v->affine && v->uniform;
    }
    for (uint32_t i = 0; i < ww_operand_registers(o); i++) {
        add_lanes(v, hash, warp->regs + (size_t)(o->reg + i) * WW_WARP_SIZE);
    }
}

/* Immediates and constants are the same for all. What a guard leaves out keeps its old value. */
static rd_values operands_of(redundancy *s, const ww_warp *warp, const ww_inst *inst)
{
    rd_values v = {.operands = 1, .uniform = true, .affine = true};
    for (unsigned k = 0; k < inst->src_count; k++) {
        if (inst->src[k].kind == WW_OPD_SREG) {
            add_special(s, &v, warp, (ww_sreg)inst->src[k].reg);
        } else {
            add_registers(&v, &v.operands, warp, &inst->src[k]);
        }
    }
    if (inst->guard.kind == WW_OPD_PRED) {
        add_registers(&v, &v.operands, warp, &inst->guard);
        for (unsigned k = 0; k < inst->dst_count; k++) {
            add_registers(&v, &v.operands, warp, &inst->dst[k]);
        }
    }
    return v;
}

/* ---- what is counted ---- */

static ww_issue_verdict issue(void *state, uint32_t w, uint32_t pc, uint64_t now)
{
    redundancy *s = state;
    (void)now;
    s->whole = false;
    if (w < WARPS && ww_warps_has(&s->members, w) && pc < s->code) {
        const ww_warp *warp = ww_mech_warp(s->sm, w);
        const ww_inst *inst = &s->kernel->code[pc];
        s->whole = ww_warp_active(warp) == UINT32_MAX && inst->dst_count > 0;
        if (s->whole) {
            s->operands = operands_of(s, warp, inst);
        }
    }
    return (ww_issue_verdict){.kind = WW_ISSUE_UNIT};
}

static void executed(void *state, uint32_t w, const ww_step *step, uint32_t flight, uint64_t now)
{
    redundancy *s = state;
    (void)flight;
    (void)now;
    if (w >= WARPS || !ww_warps_has(&s->members, w) || step->pc >= s->code) {
        return;
    }
    ww_mech_count(s->sm, WW_C_REDUNDANCY_INST, 1);
    const bool whole = s->whole;
    s->whole = false; /* what is executed without being issued has no operands here */
    if (!whole || step->is_atomic) {
        return;
    }
    const ww_warp *warp = ww_mech_warp(s->sm, w);
    const ww_inst *inst = &s->kernel->code[step->pc];
    rd_values v = s->operands, made = {.result = 1, .uniform = true, .affine = true};
    for (unsigned k = 0; k < inst->dst_count; k++) {
        add_registers(&made, &made.result, warp, &inst->dst[k]);
    }
    v.result = made.result;
    ww_mech_count(s->sm, WW_C_REDUNDANCY_WARP, v.uniform && made.uniform);
    WW_ASSERT(s->cta_of[w] < CTAS);
    const uint32_t n = s->times[(size_t)w * s->code + step->pc]++;
    const bool room = rd_note(&s->cta[s->cta_of[w]], step->pc, n, &v);
    ww_mech_count(s->sm, WW_C_REDUNDANCY_UNTRACKED, !rd_note(&s->grid, step->pc, n, &v) || !room);
}

/* Executions by more than one warp that all agree. */
static void count_block(redundancy *s, const rd_table *t)
{
    for (uint32_t i = 0; i < t->size; i++) {
        const rd_instance *e = &t->at[i];
        if (e->warps > 1 && !e->operands_differ) {
            const uint32_t all = e->differ ? 0 : e->warps;
            ww_mech_count(s->sm, WW_C_REDUNDANCY_BLOCK_OPERANDS, e->warps);
            ww_mech_count(s->sm, WW_C_REDUNDANCY_BLOCK, all);
            ww_mech_count(s->sm, WW_C_REDUNDANCY_BLOCK_UNIFORM, e->uniform ? all : 0);
            ww_mech_count(s->sm, WW_C_REDUNDANCY_BLOCK_AFFINE, e->affine && !e->uniform ? all : 0);
        }
    }
}

static void count_grid(redundancy *s, const rd_table *t)
{
    for (uint32_t i = 0; i < t->size; i++) {
        const rd_instance *e = &t->at[i];
        if (e->warps > 1 && !e->operands_differ) {
            ww_mech_count(s->sm, WW_C_REDUNDANCY_GRID_OPERANDS, e->warps);
            ww_mech_count(s->sm, WW_C_REDUNDANCY_GRID, e->differ ? 0 : e->warps);
        }
    }
}

/* ---- lifetime ---- */

static ww_status create(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err)
{
    redundancy *s = WW_NEW(redundancy);
    (void)arch;
    if (s == NULL) {
        return ww_no_memory(err);
    }
    s->sm = sm;
    *state = s;
    return WW_OK;
}

static void destroy(void *state)
{
    redundancy *s = state;
    if (s != NULL) {
        rd_free(&s->grid);
        for (uint32_t c = 0; c < CTAS; c++) {
            rd_free(&s->cta[c]);
        }
        ww_free(s->times);
        ww_free(s);
    }
}

static ww_status begin(void *state, const ww_mech_launch *launch, ww_error *err)
{
    redundancy *s = state;
    s->kernel = launch->kernel;
    s->code = launch->kernel->code_count;
    s->block = launch->launch->block;
    s->members = WW_NO_WARPS;
    ww_free(s->times);
    s->times = WW_NEW_ARRAY(uint32_t, (size_t)ww_mech_slots(s->sm) * s->code + 1);
    return s->times != NULL ? WW_OK : ww_no_memory(err);
}

static void cta_started(void *state, uint32_t cta, ww_warps warps, uint64_t now)
{
    redundancy *s = state;
    (void)now;
    if (cta >= CTAS || ww_mech_is_extra(s->sm, ww_warps_first(warps))) {
        return;
    }
    s->members = ww_warps_either(s->members, warps);
    for (ww_warps_walk m = ww_warps_from(warps); ww_warps_next(&m);) {
        const uint32_t w = m.warp;
        memset(s->times + (size_t)w * s->code, 0, s->code * sizeof *s->times);
        s->cta_of[w] = (uint8_t)cta;
    }
}

static void cta_ended(void *state, uint32_t cta, uint64_t now)
{
    redundancy *s = state;
    (void)now;
    if (cta < CTAS) {
        count_block(s, &s->cta[cta]);
        rd_forget(&s->cta[cta]);
    }
}

static void warp_exited(void *state, uint32_t w, uint64_t now)
{
    redundancy *s = state;
    (void)now;
    ww_warps_remove(&s->members, w);
}

/* Blocks that an instruction budget has cut off count as far as they came. */
static void end(void *state)
{
    redundancy *s = state;
    for (uint32_t c = 0; c < CTAS; c++) {
        cta_ended(s, c, 0);
    }
    count_grid(s, &s->grid);
    rd_forget(&s->grid);
}

const ww_mech ww_mech_redundancy = {
    .name = "redundancy",
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .end = end,
    .cta_started = cta_started,
    .cta_ended = cta_ended,
    .warp_exited = warp_exited,
    .issue = issue,
    .executed = executed,
};
