/* evaluate.c - instructions of the affine stream on tuples (sections 3, 4.4 and 4.6): base and
 * offsets are computed with, threads are not. Where threads hold different tuples, the instruction
 * is computed for each combination that some thread has. Scalars go through plain execution, one
 * SIMT lane for a combination. */
#include <string.h>

#include "mech/dac/words.h"

enum { SOURCES = 4, RESULTS = 4, NONE = 0xff };

/* Threads that see the same combination of tuples. */
typedef struct split {
    dac_masks where;
    uint8_t pick[SOURCES]; /* tuple of each source; NONE: nobody knows */
} split;

typedef struct splits {
    split list[DAC_SPLITS];
    uint32_t count;
} splits;

/* ---- operands ---- */

static dac_word constant(const dac *s, const ww_operand *o, unsigned bits)
{
    uint64_t v = o->imm;
    if (o->kind == WW_OPD_CONST) {
        v = 0;
        memcpy(&v, s->launch->params + o->imm, 4u * (o->words < 2 ? 1u : 2u));
        bits = o->words == 2 ? 64 : 32;
    }
    return dac_scalar(v, bits);
}

static dac_word special(const dac *s, ww_sreg sreg)
{
    const ww_dim3 b = s->launch->block, g = s->launch->grid;
    switch (sreg) {
    case WW_SREG_TID_X:
    case WW_SREG_TID_Y:
    case WW_SREG_TID_Z:
        return (dac_word){.form = DAC_WORD,
                          .tuple =
                              ww_tuple_index((ww_index)(WW_INDEX_TX + sreg - WW_SREG_TID_X), 32)};
    case WW_SREG_CTAID_X:
    case WW_SREG_CTAID_Y:
    case WW_SREG_CTAID_Z:
        return (dac_word){.form = DAC_WORD,
                          .tuple =
                              ww_tuple_index((ww_index)(WW_INDEX_BX + sreg - WW_SREG_CTAID_X), 32)};
    case WW_SREG_NTID_X:
        return dac_scalar(b.x, 32);
    case WW_SREG_NTID_Y:
        return dac_scalar(b.y, 32);
    case WW_SREG_NTID_Z:
        return dac_scalar(b.z, 32);
    case WW_SREG_NCTAID_X:
        return dac_scalar(g.x, 32);
    case WW_SREG_NCTAID_Y:
        return dac_scalar(g.y, 32);
    case WW_SREG_NCTAID_Z:
        return dac_scalar(g.z, 32);
    case WW_SREG_DYNAMIC_SMEM_SIZE:
        return dac_scalar(s->launch->dynamic_shared, 32);
    case WW_SREG_TOTAL_SMEM_SIZE:
        return dac_scalar(s->kernel->shared_bytes + s->launch->dynamic_shared, 32);
    default:
        return (dac_word){.form = DAC_LOST};
    }
}

static void set_everywhere(dac_value *v, dac_word word)
{
    v->count = 1;
    v->everywhere = true;
    v->word[0] = word;
}

/* Divides every combination by the tuples of one more source. */
static void divide(const dac *s, splits *list, uint32_t source, const dac_value *v)
{
    if (v->everywhere) {
        for (uint32_t i = 0; i < list->count; i++) {
            list->list[i].pick[source] = 0;
        }
        return;
    }
    uint32_t before = list->count;
    for (uint32_t i = 0; i < before; i++) {
        split rest = list->list[i];
        rest.pick[source] = NONE;
        bool first = true;
        for (uint32_t k = 0; k < v->count; k++) {
            split part = rest;
            part.pick[source] = (uint8_t)k;
            dac_masks_and(s, &part.where, &v->where[k]);
            if (dac_masks_empty(s, &part.where)) {
                continue;
            }
            dac_masks_without(s, &rest.where, &part.where);
            if (first) {
                list->list[i] = part;
            } else if (list->count < DAC_SPLITS) {
                list->list[list->count++] = part;
            }
            first = false;
        }
        if (first) {
            list->list[i] = rest;
        } else if (!dac_masks_empty(s, &rest.where) && list->count < DAC_SPLITS) {
            list->list[list->count++] = rest;
        }
    }
}

static void begin_splits(splits *list, const dac_masks *where)
{
    list->count = 1;
    list->list[0].where = *where;
    memset(list->list[0].pick, 0, sizeof list->list[0].pick);
}

static const dac_word *picked(const dac_value *v, uint8_t pick)
{
    static const dac_word lost = {.form = DAC_LOST};
    return pick < v->count ? &v->word[pick] : &lost; /* NONE, or a predicate of bits alone */
}

/* Two words as 64-bit tuples. */
static void join_words(dac *s, const dac_value *low, const dac_value *high, const dac_masks *active,
                       dac_value *out)
{
    splits list;
    begin_splits(&list, active);
    divide(s, &list, 0, low);
    divide(s, &list, 1, high);
    out->count = 0;
    out->everywhere = false;
    for (uint32_t i = 0; i < list.count; i++) {
        const split *p = &list.list[i];
        dac_word w = dac_pair(s, picked(low, p->pick[0]), picked(high, p->pick[1]));
        dac_write(s, out, &p->where, &w);
    }
}

void dac_operand(dac *s, uint32_t inst, uint32_t index, const dac_masks *active, dac_value *out)
{
    const ww_inst *i = &s->kernel->code[inst];
    const ww_operand *o = &i->src[index];
    bool wide = ww_type_bytes((ww_type)i->type) == 8 || ww_inst_has_address(i);
    switch (o->kind) {
    case WW_OPD_REG:
        if (o->words == 1) {
            dac_copy_value(out, &s->value[o->reg]);
        } else {
            join_words(s, &s->value[o->reg], &s->value[o->reg + 1], active, out);
        }
        break;
    case WW_OPD_PRED:
        dac_copy_value(out, &s->value[s->registers + o->reg]);
        break;
    case WW_OPD_SREG:
        set_everywhere(out, special(s, (ww_sreg)o->reg));
        break;
    default:
        set_everywhere(out, constant(s, o, wide ? 64 : 32));
        break;
    }
}

void dac_displace(dac *s, dac_value *v, int64_t offset)
{
    (void)s;
    for (uint32_t k = 0; k < v->count; k++) {
        dac_word *w = &v->word[k];
        ww_tuple by = ww_tuple_scalar((uint64_t)offset, w->tuple.bits);
        if (w->form == DAC_WORD && !ww_tuple_add(&w->tuple, &by, &w->tuple)) {
            w->form = DAC_LOST;
        }
    }
}

void dac_guarded(dac *s, uint32_t inst, const dac_masks *active, dac_masks *out, dac_masks *lost)
{
    const ww_operand *g = &s->kernel->code[inst].guard;
    *out = *active;
    memset(lost, 0, sizeof *lost);
    if (g->kind != WW_OPD_PRED) {
        return;
    }
    *lost = *active;
    dac_masks_and(s, lost, &s->unknown[g->reg]);
    if ((g->flags & WW_OPD_NOT) != 0) {
        dac_masks_without(s, out, &s->bits[g->reg]);
    } else {
        dac_masks_and(s, out, &s->bits[g->reg]);
    }
    dac_masks_without(s, out, lost);
}

/* ---- predicates ---- */

static void set_bits(dac *s, uint32_t predicate, const dac_masks *where, const dac_masks *ones,
                     const dac_masks *lost)
{
    dac_masks_without(s, &s->bits[predicate], where);
    dac_masks_without(s, &s->unknown[predicate], where);
    dac_masks on = *ones, unknown = *lost;
    dac_masks_and(s, &on, where);
    dac_masks_and(s, &unknown, where);
    dac_masks_or(s, &s->bits[predicate], &on);
    dac_masks_or(s, &s->unknown[predicate], &unknown);
}

/* A predicate operand's bits; those that are not known in *lost. */
static void read_bits(const dac *s, const ww_operand *o, const dac_masks *where, dac_masks *ones,
                      dac_masks *lost)
{
    *ones = *where;
    *lost = *where;
    dac_masks_and(s, lost, &s->unknown[o->reg]);
    if ((o->flags & WW_OPD_NOT) != 0) {
        dac_masks_without(s, ones, &s->bits[o->reg]);
    } else {
        dac_masks_and(s, ones, &s->bits[o->reg]);
    }
}

static void combine(dac *s, unsigned how, dac_masks *to, const dac_masks *with)
{
    for (ww_warps_walk m = ww_warps_from(s->pass); ww_warps_next(&m);) {
        uint32_t w = m.warp;
        to->of[w] = how == WW_BOOL_AND  ? to->of[w] & with->of[w]
                    : how == WW_BOOL_OR ? to->of[w] | with->of[w]
                                        : to->of[w] ^ with->of[w];
    }
}

/* setp on tuples: dst[0], and dst[1] with the complement. */
static void compare(dac *s, const ww_inst *inst, const splits *list, const dac_value *src,
                    const dac_masks *where)
{
    dac_masks ones, lost, also, also_lost;
    memset(&ones, 0, sizeof ones);
    memset(&lost, 0, sizeof lost);
    for (uint32_t i = 0; i < list->count; i++) {
        const split *p = &list->list[i];
        dac_compare(s, inst, picked(&src[0], p->pick[0]), picked(&src[1], p->pick[1]), &p->where,
                    &ones, &lost);
    }
    bool combined = inst->src_count > 2 && inst->src[2].kind == WW_OPD_PRED;
    if (combined) {
        read_bits(s, &inst->src[2], where, &also, &also_lost);
        dac_masks_or(s, &lost, &also_lost);
    }
    for (unsigned k = 0; k < inst->dst_count; k++) {
        dac_masks result = ones;
        if (k == 1) {
            result = *where;
            dac_masks_without(s, &result, &ones);
        }
        if (combined) {
            combine(s, inst->bool_op, &result, &also);
        }
        if (inst->dst[k].kind == WW_OPD_PRED) {
            set_bits(s, inst->dst[k].reg, where, &result, &lost);
        }
    }
}

static void predicate_logic(dac *s, const ww_inst *inst, const dac_masks *where)
{
    dac_masks ones, lost, other, other_lost;
    read_bits(s, &inst->src[0], where, &ones, &lost);
    if (inst->src_count > 1) {
        read_bits(s, &inst->src[1], where, &other, &other_lost);
        dac_masks_or(s, &lost, &other_lost);
        combine(s,
                inst->op == WW_OP_AND  ? WW_BOOL_AND
                : inst->op == WW_OP_OR ? WW_BOOL_OR
                                       : WW_BOOL_XOR,
                &ones, &other);
    } else if (inst->op == WW_OP_NOT) {
        dac_masks inverse = *where;
        dac_masks_without(s, &inverse, &ones);
        ones = inverse;
    }
    set_bits(s, inst->dst[0].reg, where, &ones, &lost);
}

/* ---- scalars: plain execution on lane 0 of the affine warp ---- */

static bool all_scalar(const dac *s, const ww_inst *inst, const dac_value *src, const split *p)
{
    (void)s;
    for (unsigned k = 0; k < inst->src_count && k < SOURCES; k++) {
        uint8_t kind = inst->src[k].kind;
        bool fixed = kind == WW_OPD_IMM || kind == WW_OPD_CONST || kind == WW_OPD_NONE ||
                     kind == WW_OPD_PRED;
        const dac_word *w = picked(&src[k], p->pick[k]);
        if (!fixed && (w->form != DAC_WORD || !ww_tuple_is_scalar(&w->tuple))) {
            return false;
        }
    }
    return true;
}

static void load_lane(const dac *s, ww_warp *w, const ww_inst *inst, const dac_value *src,
                      const split *p)
{
    for (unsigned k = 0; k < inst->src_count && k < SOURCES; k++) {
        const ww_operand *o = &inst->src[k];
        if (o->kind == WW_OPD_REG) {
            uint64_t v = picked(&src[k], p->pick[k])->tuple.base;
            for (unsigned j = 0; j < o->words && j < 2; j++) {
                w->regs[(size_t)(o->reg + j) * WW_WARP_SIZE] = (uint32_t)(v >> (32 * j));
            }
        } else if (o->kind == WW_OPD_PRED) {
            uint32_t one = 0;
            for (ww_warps_walk m = ww_warps_from(s->pass); one == 0 && ww_warps_next(&m);) {
                one = p->where.of[m.warp] & s->bits[o->reg].of[m.warp];
            }
            w->preds[o->reg] = one != 0;
        }
    }
    if (inst->guard.kind == WW_OPD_PRED) {
        w->preds[inst->guard.reg] = (inst->guard.flags & WW_OPD_NOT) == 0;
    }
}

/* Runs the instruction on one lane; false: it failed. */
static bool run_lane(dac *s, ww_warp *w, uint32_t pc)
{
    const ww_exec_env env = {.launch = s->launch};
    ww_stack_entry kept = w->stack[0];
    uint32_t depth = w->depth;
    ww_step step;
    w->stack[0] = (ww_stack_entry){pc, WW_NO_TARGET, 1, 0};
    w->depth = 1;
    bool ok = ww_exec_step(&env, w, &step, NULL) == WW_OK;
    w->stack[0] = kept;
    w->depth = depth;
    return ok;
}

static void store_lane(dac *s, const ww_warp *w, const ww_inst *inst, bool ok,
                       const dac_masks *where)
{
    static const dac_masks none;
    for (unsigned k = 0; k < inst->dst_count; k++) {
        const ww_operand *o = &inst->dst[k];
        if (o->kind == WW_OPD_PRED) {
            set_bits(s, o->reg, where, (w->preds[o->reg] & 1) != 0 ? where : &none,
                     ok ? &none : where);
            s->value[s->registers + o->reg].count = 0;
        }
        for (unsigned j = 0; o->kind == WW_OPD_REG && j < o->words; j++) {
            dac_word word = dac_scalar(w->regs[(size_t)(o->reg + j) * WW_WARP_SIZE], 32);
            word.form = ok ? DAC_WORD : DAC_LOST;
            dac_write(s, &s->value[o->reg + j], where, &word);
        }
    }
}

static void execute_scalar(dac *s, uint32_t pc, const dac_value *src, const split *p)
{
    ww_warp *w = ww_mech_warp(s->sm, s->warp);
    load_lane(s, w, &s->kernel->code[pc], src, p);
    bool ok = run_lane(s, w, pc);
    store_lane(s, w, &s->kernel->code[pc], ok, &p->where);
}

/* ---- results ---- */

static void write_result(dac *s, const ww_operand *o, const dac_masks *where, const dac_word *word)
{
    if (o->kind == WW_OPD_PRED) { /* a carry */
        static const dac_masks none;
        dac_write(s, &s->value[s->registers + o->reg], where, word);
        set_bits(s, o->reg, where, &none, where);
        return;
    }
    if (o->kind != WW_OPD_REG) {
        return;
    }
    if (o->words == 1 || word->tuple.bits != 64) {
        dac_word narrow = *word;
        if (word->form == DAC_WORD && word->tuple.bits == 64) {
            narrow.tuple = ww_tuple_narrow(&word->tuple);
        }
        dac_write(s, &s->value[o->reg], where, &narrow);
        return;
    }
    dac_word low = *word, high = *word;
    low.tuple = ww_tuple_narrow(&word->tuple);
    high.form = word->form == DAC_WORD ? DAC_HIGH : DAC_LOST;
    high = dac_settle(high);
    dac_write(s, &s->value[o->reg], where, &low);
    dac_write(s, &s->value[o->reg + 1], where, &high);
}

/* Threads choose between two sources: selp, min, max, abs, and with a sign word, and or of whole
 * words, which is asked for its sign and for being 0 alone: the second one where that is negative
 * or the first one is 0. */
static bool chooses(const ww_inst *inst, const dac_word *a)
{
    bool shifts = a[0].form == DAC_SPILL || a[1].form == DAC_SPILL;
    return inst->op == WW_OP_SELP || inst->op == WW_OP_MIN || inst->op == WW_OP_MAX ||
           inst->op == WW_OP_ABS || inst->op == WW_OP_AND || (inst->op == WW_OP_OR && !shifts);
}

/* Whether a word is 0 or all ones in every thread, as that of a sign is. */
static bool is_sign(const dac_word *w)
{
    return w->form == DAC_HIGH || (w->form == DAC_WORD && ww_tuple_is_scalar(&w->tuple) &&
                                   (w->tuple.base == 0 || w->tuple.base == UINT32_MAX));
}

/* x & sign: x where the sign is all ones, 0 where it is 0. */
static void mask_by_sign(dac *s, const ww_inst *inst, const dac_word *a, const dac_word *b,
                         const dac_masks *where)
{
    const dac_word *sign = is_sign(a) ? a : b, *other = sign == a ? b : a;
    const dac_word zero = dac_scalar(0, 32), ones = dac_scalar(UINT32_MAX, 32),
                   unknown = {.form = DAC_LOST, .tuple = {.bits = 32}};
    const dac_word *result[] = {other, &zero, &unknown};
    dac_masks taken[3] = {0};
    ww_inst test = *inst;
    test.type = WW_T_U32;
    test.cmp = WW_CMP_EQ;
    dac_compare(s, &test, sign, &ones, where, &taken[0], &taken[2]);
    dac_compare(s, &test, sign, &zero, where, &taken[1], &taken[2]);
    taken[2] = *where; /* and what is neither */
    dac_masks_without(s, &taken[2], &taken[0]);
    dac_masks_without(s, &taken[2], &taken[1]);
    for (unsigned k = 0; k < 3; k++) {
        if (!dac_masks_empty(s, &taken[k])) {
            write_result(s, &inst->dst[0], &taken[k], result[k]);
        }
    }
}

static void choose(dac *s, const ww_inst *inst, const dac_word *a, const dac_word *b,
                   const dac_masks *where)
{
    dac_masks first = {0}, lost = {0}, second = *where;
    dac_word lost_word = {.form = DAC_LOST, .tuple = {.bits = 32}}, negative = *a;
    if (inst->op == WW_OP_SELP) {
        read_bits(s, &inst->src[2], where, &first, &lost);
    } else {
        ww_inst test = *inst;
        test.cmp = inst->op == WW_OP_MAX ? WW_CMP_GT : WW_CMP_LT;
        dac_word zero = dac_scalar(0, a->tuple.bits);
        const dac_word *with = inst->op == WW_OP_OR || inst->op == WW_OP_ABS ? &zero : b;
        if (inst->op == WW_OP_OR) {
            test.cmp = WW_CMP_NE;
            test.type = WW_T_U32;
        } else if (inst->op == WW_OP_ABS) {
            test.cmp = WW_CMP_GE;
            ww_tuple none = zero.tuple;
            if (a->form != DAC_WORD || !ww_tuple_sub(&none, &a->tuple, &negative.tuple)) {
                negative = lost_word;
            }
        }
        dac_compare(s, &test, a, with, where, &first, &lost);
        if (inst->op == WW_OP_OR) {
            dac_masks negatives = {0};
            test.cmp = WW_CMP_LT;
            test.type = b->tuple.bits == 64 ? WW_T_S64 : WW_T_S32;
            dac_compare(s, &test, b, &zero, where, &negatives, &lost);
            dac_masks_without(s, &first, &negatives);
        }
        b = inst->op == WW_OP_ABS ? &negative : b;
    }
    dac_masks_without(s, &first, &lost);
    dac_masks_without(s, &second, &first);
    dac_masks_without(s, &second, &lost);
    if (!dac_masks_empty(s, &first)) {
        write_result(s, &inst->dst[0], &first, a);
    }
    if (!dac_masks_empty(s, &second)) {
        write_result(s, &inst->dst[0], &second, b);
    }
    if (!dac_masks_empty(s, &lost)) {
        write_result(s, &inst->dst[0], &lost, &lost_word);
    }
}

static uint32_t lanes_of(const dac_word *w)
{
    return w->form == DAC_LOST ? 1 : ww_tuple_lanes(&w->tuple);
}

/* One combination. Sources are copies: a result may be one of them. */
static uint32_t compute(dac *s, uint32_t pc, const dac_value *src, const split *p)
{
    const ww_inst *inst = &s->kernel->code[pc];
    if (all_scalar(s, inst, src, p) && !(inst->op == WW_OP_SELP)) {
        execute_scalar(s, pc, src, p);
        return 1;
    }
    dac_word a[SOURCES];
    for (unsigned k = 0; k < SOURCES; k++) {
        a[k] = k < inst->src_count ? *picked(&src[k], p->pick[k]) : dac_scalar(0, 32);
    }
    if (chooses(inst, a)) {
        (inst->op == WW_OP_AND ? mask_by_sign : choose)(s, inst, &a[0], &a[1], &p->where);
        return lanes_of(&a[0]) + lanes_of(&a[1]);
    }
    dac_word first, second;
    dac_arithmetic(s, inst, a, &first, &second);
    write_result(s, &inst->dst[0], &p->where, &first);
    if (inst->dst_count > 1) {
        write_result(s, &inst->dst[1], &p->where, &second);
    }
    if (first.form == DAC_LOST) {
        dac_count(s, WW_C_DAC_WRAPPED, 1);
    }
    return lanes_of(&first);
}

/* The end of a sequence that divides: dividend and, kept with the guard, divisor. */
static uint32_t run_remainder(dac *s, const ww_inst *inst, uint32_t pc, const dac_masks *active)
{
    ww_operand none[2] = {0};
    const bool is_signed = (inst->mods & WW_MOD_REMAINDER_S) != 0;
    const ww_inst rem = {.op = WW_OP_REM,
                         .type = is_signed ? WW_T_S32 : WW_T_U32,
                         .dst_count = 1,
                         .src_count = 2,
                         .dst = inst->dst,
                         .src = none};
    dac_value src[2];
    splits list;
    uint32_t lanes = 0;
    begin_splits(&list, active);
    dac_operand(s, pc, 0, active, &src[0]);
    dac_copy_value(&src[1], &s->value[s->registers + inst->guard.reg]);
    divide(s, &list, 0, &src[0]);
    divide(s, &list, 1, &src[1]);
    for (uint32_t i = 0; i < list.count; i++) {
        const split *p = &list.list[i];
        dac_word a[SOURCES] = {*picked(&src[0], p->pick[0]), *picked(&src[1], p->pick[1])}, word,
                 carry;
        bool by_zero =
            a[1].form == DAC_WORD && ww_tuple_is_scalar(&a[1].tuple) && a[1].tuple.base == 0;
        dac_arithmetic(s, &rem, a, &word, &carry);
        write_result(s, &inst->dst[0], &p->where, by_zero ? &a[0] : &word);
        dac_count(s, WW_C_DAC_WRAPPED, !by_zero && word.form == DAC_LOST);
        lanes += lanes_of(&word);
    }
    return lanes < WW_WARP_SIZE ? lanes : WW_WARP_SIZE;
}

static bool is_logic(const ww_inst *inst)
{
    return inst->type == WW_T_PRED && inst->dst_count == 1 && inst->dst[0].kind == WW_OPD_PRED &&
           inst->src_count > 0 && inst->src[0].kind == WW_OPD_PRED;
}

uint32_t dac_evaluate(dac *s, uint32_t pc, const dac_masks *active)
{
    const ww_inst *inst = &s->kernel->code[pc];
    dac_masks where, lost;
    if ((inst->mods & (WW_MOD_REMAINDER | WW_MOD_REMAINDER_S)) != 0) {
        return run_remainder(s, inst, pc, active);
    }
    dac_guarded(s, pc, active, &where, &lost);
    if (dac_masks_empty(s, &where) || inst->dst_count == 0) {
        return 1;
    }
    if (is_logic(inst)) {
        predicate_logic(s, inst, &where);
        return 1;
    }
    dac_value src[SOURCES];
    splits list;
    begin_splits(&list, &where);
    for (unsigned k = 0; k < inst->src_count && k < SOURCES; k++) {
        dac_operand(s, pc, k, &where, &src[k]);
        if (inst->src[k].kind != WW_OPD_PRED || src[k].count > 0) {
            divide(s, &list, k, &src[k]);
        }
    }
    uint32_t lanes = 0;
    if (inst->op == WW_OP_SETP && !ww_type_is_float((ww_type)inst->type)) {
        compare(s, inst, &list, src, &where);
        lanes = list.count;
    } else {
        for (uint32_t i = 0; i < list.count; i++) {
            lanes += compute(s, pc, src, &list.list[i]);
        }
    }
    if (s->notes->divisor[pc]) {
        dac_copy_value(&s->value[s->registers + inst->dst[0].reg], &src[0]);
    }
    return lanes < WW_WARP_SIZE ? lanes : WW_WARP_SIZE;
}
