/* hooks.c - compact affine execution, as section 5.1.1 and 5.4 of Wang and Lin (ISCA 2017) describe
 * their baseline after Kim et al. (ISCA 2013): values of one base and stride are known by tags at
 * run time; an instruction that makes one of such values goes to the affine unit of its scheduler
 * and takes half an issue slot, and no SIMT lanes. */
#include <string.h>

#include "base/assert.h"
#include "mech/cae/tags.h"
#include "mech/mechanisms.h"

enum { WARPS = WW_WARPS, RESULTS = 4, SREGS = 3 };
static const uint32_t NO_PC = UINT32_MAX;

/* What becomes of an instruction, decided before it executes. */
typedef struct plan {
    uint32_t warp, pc;
    bool compact;      /* on the affine unit */
    bool copies;       /* all sources hold one value for all threads: so do the results */
    bool affine;       /* results in `result` */
    bool whole;        /* all threads of the warp execute it */
    unsigned operands; /* bases and strides that it reads */
    cae_tag result, carry;
} plan;

typedef struct cae {
    ww_sm *sm;
    bool floats;
    uint32_t schedulers;
    const ww_kernel *kernel; /* NULL: another pass has divided it */
    const ww_launch *launch;
    cae_tag *tag; /* [warp][registers + predicates] */
    uint32_t words, predicate_base;
    uint32_t whole[WARPS];     /* threads of each warp */
    cae_tag tid[WARPS][SREGS]; /* %tid.x, .y, .z */
    uint32_t halved_pc[WARPS]; /* head that takes half a slot */
    plan plan;                 /* of the instruction between `issue` and `executed` */
} cae;

/* ---- lifetime ---- */

static ww_status create(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err)
{
    cae *s = WW_NEW(cae);
    if (s == NULL) {
        return ww_no_memory(err);
    }
    *s = (cae){.sm = sm, .floats = arch->cae.floats, .schedulers = arch->sm.schedulers};
    *state = s;
    return WW_OK;
}

static void destroy(void *state)
{
    cae *s = state;
    if (s != NULL) {
        ww_free(s->tag);
        ww_free(s);
    }
}

static ww_status begin(void *state, const ww_mech_launch *launch, ww_error *err)
{
    cae *s = state;
    s->kernel = launch->kernel->shape == NULL ? launch->kernel : NULL;
    s->launch = launch->launch;
    s->predicate_base = launch->kernel->registers;
    s->words = launch->kernel->registers + launch->kernel->predicates;
    s->plan.warp = WARPS;
    memset(s->halved_pc, 0xff, sizeof s->halved_pc);
    ww_free(s->tag);
    s->tag = WW_NEW_ARRAY(cae_tag, (size_t)ww_mech_slots(s->sm) * s->words + 1);
    return s->tag != NULL ? WW_OK : ww_no_memory(err);
}

/* Thread indices along one axis; a vector where rows of threads end within the warp. */
static cae_tag index_tag(const cae *s, uint32_t first, uint32_t axis, uint32_t lanes)
{
    const ww_dim3 b = s->launch->block;
    cae_tag t = {.known = true};
    for (uint32_t l = 0; l < lanes; l++) {
        uint32_t n = first + l;
        uint32_t index = axis == 0 ? n % b.x : axis == 1 ? n / b.x % b.y : n / b.x / b.y;
        t.base = l == 0 ? index : t.base;
        t.stride = l == 1 ? index - t.base : t.stride;
        t.known = t.known && index == t.base + l * t.stride;
    }
    return t;
}

static void cta_started(void *state, uint32_t cta, ww_warps warps, uint64_t now)
{
    cae *s = state;
    (void)cta;
    (void)now;
    for (ww_warps_walk m = ww_warps_from(warps); ww_warps_next(&m);) {
        uint32_t w = m.warp;
        const ww_warp *warp = ww_mech_warp(s->sm, w);
        memset(s->tag + (size_t)w * s->words, 0, s->words * sizeof *s->tag);
        s->whole[w] = ww_warp_active(warp);
        s->halved_pc[w] = NO_PC;
        for (uint32_t axis = 0; axis < SREGS; axis++) {
            s->tid[w][axis] = index_tag(s, warp->index * WW_WARP_SIZE, axis,
                                        (uint32_t)__builtin_popcount(s->whole[w]));
        }
    }
}

/* ---- tags of operands ---- */

/* Of a register, or of a predicate behind all registers. */
static cae_tag *tag_of(const cae *s, uint32_t w, uint32_t at)
{
    WW_ASSERT(w < ww_mech_slots(s->sm) && at < s->words);
    return &s->tag[(size_t)w * s->words + at];
}

static cae_tag *predicate_tag(const cae *s, uint32_t w, uint32_t p)
{
    return tag_of(s, w, s->predicate_base + p);
}

static cae_tag special(const cae *s, uint32_t w, ww_sreg sreg)
{
    const ww_cta *cta = ww_mech_warp(s->sm, w)->cta;
    const ww_dim3 b = s->launch->block, g = s->launch->grid;
    const uint32_t block[] = {b.x, b.y, b.z}, grid[] = {g.x, g.y, g.z};
    switch (sreg) {
    case WW_SREG_TID_X:
    case WW_SREG_TID_Y:
    case WW_SREG_TID_Z:
        return s->tid[w][sreg - WW_SREG_TID_X];
    case WW_SREG_NTID_X:
    case WW_SREG_NTID_Y:
    case WW_SREG_NTID_Z:
        return cae_uniform(block[sreg - WW_SREG_NTID_X]);
    case WW_SREG_CTAID_X:
    case WW_SREG_CTAID_Y:
    case WW_SREG_CTAID_Z:
        return cae_uniform(cta->id[sreg - WW_SREG_CTAID_X]);
    case WW_SREG_NCTAID_X:
    case WW_SREG_NCTAID_Y:
    case WW_SREG_NCTAID_Z:
        return cae_uniform(grid[sreg - WW_SREG_NCTAID_X]);
    case WW_SREG_LANEID:
        return (cae_tag){.known = true, .stride = 1};
    default:
        return (cae_tag){.known = false};
    }
}

/* Tag of an operand of one word; of more words, whether all hold one value for all threads. */
static cae_tag operand_tag(const cae *s, uint32_t w, const ww_operand *o)
{
    cae_tag t = {.known = true, .base = (uint32_t)o->imm};
    switch (o->kind) {
    case WW_OPD_REG:
        t = *tag_of(s, w, o->reg);
        for (uint32_t i = 1; i < o->words; i++) {
            const cae_tag *upper = tag_of(s, w, o->reg + i);
            t.known = t.known && t.stride == 0 && upper->known && upper->stride == 0;
        }
        break;
    case WW_OPD_PRED:
        t = *predicate_tag(s, w, o->reg);
        t.base = (o->flags & WW_OPD_NOT) != 0 ? !t.base : t.base;
        return t;
    case WW_OPD_SREG:
        t = special(s, w, (ww_sreg)o->reg);
        break;
    case WW_OPD_CONST:
        memcpy(&t.base, s->launch->params + o->imm, sizeof t.base);
        break;
    case WW_OPD_SHARED: /* what lies in memory has no tag */
        t.known = false;
        break;
    default:
        break;
    }
    if ((o->flags & WW_OPD_NEG) != 0) {
        t.base = 0u - t.base;
        t.stride = 0u - t.stride;
    }
    return t;
}

static bool in_tagged_register(const cae_tag *t, const ww_operand *o)
{
    return o->kind == WW_OPD_REG && t->known;
}

/* ---- what becomes of an instruction ---- */

static bool concerns(const cae *s, uint32_t w)
{
    return s->kernel != NULL && !ww_mech_is_extra(s->sm, w) && !ww_mech_in_shadow(s->sm, w);
}

/* Lanes that execute it. */
static uint32_t lanes_of(const cae *s, uint32_t w, const ww_inst *inst)
{
    const ww_warp *warp = ww_mech_warp(s->sm, w);
    uint32_t lanes = ww_warp_active(warp);
    if (inst->guard.kind == WW_OPD_PRED) {
        uint32_t p = warp->preds[inst->guard.reg];
        lanes &= (inst->guard.flags & WW_OPD_NOT) != 0 ? ~p : p;
    }
    return lanes;
}

/* Operands of more than a word, or with absolute values, have no stride to compute with. */
static bool plain_words(const ww_inst *inst)
{
    bool plain = inst->dst[0].kind == WW_OPD_REG && inst->dst[0].words == 1;
    for (unsigned k = 0; k < inst->src_count; k++) {
        plain = plain && inst->src[k].words <= 1 && (inst->src[k].flags & WW_OPD_ABS) == 0;
    }
    return plain;
}

static bool guard_is_uniform(const cae *s, uint32_t w, const ww_inst *inst)
{
    return inst->guard.kind != WW_OPD_PRED || operand_tag(s, w, &inst->guard).known;
}

static plan plan_of(const cae *s, uint32_t w, uint32_t pc)
{
    const ww_inst *inst = &s->kernel->code[pc];
    plan p = {.warp = w, .pc = pc, .whole = lanes_of(s, w, inst) == s->whole[w]};
    if (!p.whole || inst->dst_count == 0 || inst->src_count > CAE_SOURCES ||
        !guard_is_uniform(s, w, inst)) {
        return p;
    }
    bool loads = inst->op == WW_OP_LD &&
                 (inst->space == WW_SPACE_CONST || inst->space == WW_SPACE_PARAM) &&
                 (inst->mods & WW_MOD_VOLATILE) == 0;
    bool computes = cae_computes(inst, s->floats), known = true, uniform = true;
    cae_tag source[CAE_SOURCES] = {{0}};
    for (unsigned k = 0; k < inst->src_count; k++) {
        source[k] = operand_tag(s, w, &inst->src[k]);
        known = known && source[k].known;
        uniform = uniform && source[k].stride == 0;
        p.operands += in_tagged_register(&source[k], &inst->src[k]);
    }
    if (!known || (!computes && !loads)) {
        return p;
    }
    p.copies = uniform;
    p.affine =
        !uniform && computes && plain_words(inst) && cae_result(inst, source, &p.result, &p.carry);
    p.compact = computes && (p.copies || p.affine);
    return p;
}

/* ---- divergence ---- */

/* A tagged register that a diverged warp reads, or writes in part, is expanded by the lanes, and a
 * vector from then on (section 5.4). */
static void expand(cae *s, uint32_t w, const ww_operand *o)
{
    for (uint32_t i = 0; i < ww_operand_registers(o); i++) {
        cae_tag *tag = tag_of(s, w, o->reg + i);
        if (!tag->known) {
            continue;
        }
        uint32_t lanes = (uint32_t)__builtin_popcount(s->whole[w]);
        tag->known = false;
        ww_mech_take_pass(s->sm, w % s->schedulers, lanes);
        ww_mech_count(s->sm, WW_C_CAE_EXPANDED, 1);
        ww_mech_count(s->sm, WW_C_CAE_READ, 1);
        ww_mech_count(s->sm, WW_C_CAE_MARK, 1);
        ww_mech_count(s->sm, WW_C_RF_WRITE, 1);
        ww_mech_count(s->sm, WW_C_RF_WRITE_LANES, lanes);
    }
}

static void expand_operands(cae *s, uint32_t w, uint32_t pc)
{
    const ww_inst *inst = &s->kernel->code[pc];
    bool diverged = ww_warp_active(ww_mech_warp(s->sm, w)) != s->whole[w];
    uint32_t lanes = lanes_of(s, w, inst);
    for (unsigned k = 0; diverged && lanes != 0 && k < inst->src_count; k++) {
        expand(s, w, &inst->src[k]);
    }
    for (unsigned k = 0; lanes != 0 && lanes != s->whole[w] && k < inst->dst_count; k++) {
        expand(s, w, &inst->dst[k]);
    }
}

/* ---- the SM's calls ---- */

static void head(void *state, uint32_t w, uint32_t pc, uint64_t now)
{
    cae *s = state;
    (void)now;
    if (!concerns(s, w)) {
        return;
    }
    bool compact = plan_of(s, w, pc).compact;
    s->halved_pc[w] = compact ? pc : NO_PC;
    if (compact) {
        ww_mech_halve(s->sm, w);
    }
}

static ww_issue_verdict issue(void *state, uint32_t w, uint32_t pc, uint64_t now)
{
    cae *s = state;
    (void)now;
    if (!concerns(s, w)) {
        return (ww_issue_verdict){.kind = WW_ISSUE_UNIT};
    }
    s->plan = plan_of(s, w, pc);
    s->plan.compact = s->plan.compact && s->halved_pc[w] == pc;
    ww_mech_count(s->sm, WW_C_CAE_CHECK, 1);
    if (!s->plan.whole) {
        expand_operands(s, w, pc);
    }
    return (ww_issue_verdict){.kind = s->plan.compact ? WW_ISSUE_BESIDE : WW_ISSUE_UNIT};
}

/* Whether the register holds what its tag says. */
static bool agrees(const cae *s, uint32_t w, uint32_t r, const cae_tag *t)
{
    const uint32_t *lane = ww_mech_warp(s->sm, w)->regs + (size_t)r * WW_WARP_SIZE;
    uint32_t different = 0;
    for (uint32_t m = s->whole[w]; m != 0; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        different |= lane[l] ^ (t->base + l * t->stride);
    }
    return different == 0;
}

static uint32_t first_value(const cae *s, uint32_t w, uint32_t r)
{
    WW_ASSERT(s->whole[w] != 0); /* its CTA has started */
    return ww_mech_warp(s->sm, w)
        ->regs[(size_t)r * WW_WARP_SIZE + (uint32_t)__builtin_ctz(s->whole[w])];
}

static void mark_register(cae *s, uint32_t w, uint32_t r, cae_tag t)
{
    *tag_of(s, w, r) = t;
    ww_mech_count(s->sm, WW_C_CAE_MARK, 1);
    ww_mech_count(s->sm, WW_C_CAE_WRITE, t.known);
    ww_mech_count(s->sm, WW_C_MECH_MISMATCH, t.known && !agrees(s, w, r, &t));
}

static void mark_predicate(cae *s, uint32_t w, uint32_t p, bool known, const cae_tag *carry)
{
    WW_ASSERT(s->predicate_base + p < s->words);
    uint32_t bits = ww_mech_warp(s->sm, w)->preds[p] & s->whole[w];
    bool ones = carry != NULL ? carry->base != 0 : bits != 0;
    *predicate_tag(s, w, p) = (cae_tag){.known = known, .base = ones};
    ww_mech_count(s->sm, WW_C_CAE_MARK, 1);
    ww_mech_count(s->sm, WW_C_MECH_MISMATCH, known && bits != (ones ? s->whole[w] : 0));
}

static void mark(cae *s, uint32_t w, const ww_operand *o, const plan *p)
{
    if (o->kind == WW_OPD_PRED) {
        mark_predicate(s, w, o->reg, p->copies || (p->affine && p->carry.known),
                       p->affine ? &p->carry : NULL);
    }
    for (uint32_t i = 0; o->kind == WW_OPD_REG && i < o->words; i++) {
        cae_tag t = p->affine ? p->result : (cae_tag){.known = p->copies};
        t.base = p->copies ? first_value(s, w, o->reg + i) : t.base;
        mark_register(s, w, o->reg + i, t);
    }
}

static void forget(cae *s, uint32_t w, const ww_inst *inst)
{
    static const plan vector;
    for (unsigned k = 0; k < inst->dst_count; k++) {
        mark(s, w, &inst->dst[k], &vector);
    }
}

static void executed(void *state, uint32_t w, const ww_step *step, uint32_t flight, uint64_t now)
{
    cae *s = state;
    (void)flight;
    (void)now;
    if (!concerns(s, w) || step->exec == 0) {
        return;
    }
    const ww_inst *inst = &s->kernel->code[step->pc];
    const plan *p = &s->plan;
    if (p->warp != w || p->pc != step->pc || !p->whole) {
        forget(s, w, inst); /* another mechanism has its result, or it wrote in part */
        return;
    }
    for (unsigned k = 0; k < inst->dst_count; k++) {
        mark(s, w, &inst->dst[k], p);
    }
    if (p->compact) {
        ww_mech_count(s->sm, WW_C_CAE_INST, 1);
        ww_mech_count(s->sm, WW_C_CAE_UNIFORM, p->copies);
        ww_mech_count(s->sm, WW_C_CAE_OP, p->copies ? 1 : 2);
        ww_mech_count(s->sm, WW_C_CAE_READ, p->operands);
    }
    s->plan.warp = WARPS;
}

static void skipped(void *state, uint32_t w, const ww_step *step, uint64_t now)
{
    cae *s = state;
    (void)now;
    if (concerns(s, w)) {
        forget(s, w, &s->kernel->code[step->pc]);
    }
}

const ww_mech ww_mech_cae = {
    .name = "cae",
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .cta_started = cta_started,
    .head = head,
    .issue = issue,
    .executed = executed,
    .skipped = skipped,
};
