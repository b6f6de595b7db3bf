/* widen.c - loads of neighbouring words of shared memory become loads of two or four words, as
 * ptxas makes them where the address is known to be aligned: it places shared variables itself,
 * while pointers to global memory tell nothing.
 *
 * Alignment: a lower bound on the zero bits below each register's value, the largest solution of
 * "no more than every definition guarantees" (Kildall 1973). */
#include <string.h>

#include "perf/ptx/lower/lower.h"

enum { MOST_ZEROS = 8, WINDOW = 160, LANES = 4 };

/* ---- alignment ---- */

static uint8_t zeros_of(uint64_t value)
{
    unsigned n = value == 0 ? MOST_ZEROS : (unsigned)__builtin_ctzll(value);
    return (uint8_t)(n < MOST_ZEROS ? n : MOST_ZEROS);
}

static uint8_t least(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

static uint8_t sum(unsigned a, unsigned b)
{
    return (uint8_t)(a + b < MOST_ZEROS ? a + b : MOST_ZEROS);
}

static uint8_t zeros(const uint8_t *known, ww_operand o)
{
    if (o.kind == WW_OPD_IMM) {
        return zeros_of(o.imm);
    }
    return o.kind == WW_OPD_REG && o.part != 2 ? known[o.reg] : 0;
}

/* Zero bits that the instruction guarantees below its result. */
static uint8_t guaranteed(const ww_inst *inst, const uint8_t *known)
{
    const ww_operand *s = inst->src;
    if (ww_type_is_float((ww_type)inst->type) || inst->mods != 0 || inst->dst_count != 1 ||
        inst->dst[0].part != 0) {
        return 0;
    }
    switch ((ww_op)inst->op) {
    case WW_OP_MOV:
        return inst->src_count == 1 ? zeros(known, s[0]) : 0;
    case WW_OP_ADD:
    case WW_OP_SUB:
        return inst->src_count == 2 ? least(zeros(known, s[0]), zeros(known, s[1])) : 0;
    case WW_OP_MUL:
        return inst->sub == WW_SUB_HI ? 0 : sum(zeros(known, s[0]), zeros(known, s[1]));
    case WW_OP_MAD:
        return inst->sub == WW_SUB_HI
                   ? 0
                   : least(sum(zeros(known, s[0]), zeros(known, s[1])), zeros(known, s[2]));
    case WW_OP_SHL:
        return s[1].kind == WW_OPD_IMM && s[1].imm < 32
                   ? sum(zeros(known, s[0]), (unsigned)s[1].imm)
                   : 0;
    case WW_OP_SCADD:
        return s[2].kind == WW_OPD_IMM && s[2].imm < 32
                   ? least(sum(zeros(known, s[0]), (unsigned)s[2].imm), zeros(known, s[1]))
                   : 0;
    case WW_OP_AND: {
        uint8_t a = zeros(known, s[0]), b = zeros(known, s[1]);
        return a > b ? a : b;
    }
    default:
        return 0;
    }
}

static void find_alignment(const ww_function *f, uint8_t *known)
{
    memset(known, MOST_ZEROS, f->vreg_count);
    for (uint32_t i = 0; i < f->formal_in_count; i++) {
        known[f->formal_in[i].reg] = 0;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < f->inst_count; i++) {
            const ww_inst *inst = &f->inst[i];
            for (unsigned k = 0; k < inst->dst_count; k++) {
                if (inst->dst[k].kind != WW_OPD_REG) {
                    continue;
                }
                uint8_t *held = &known[inst->dst[k].reg];
                uint8_t now = least(*held, guaranteed(inst, known));
                changed |= now != *held;
                *held = now;
            }
        }
    }
}

/* ---- neighbours ---- */

static bool is_word_of_shared(const ww_inst *inst)
{
    return inst->op == WW_OP_LD && inst->space == WW_SPACE_SHARED && inst->vec == 1 &&
           inst->dst_count == 1 && inst->dst[0].kind == WW_OPD_REG && inst->dst[0].words == 1 &&
           inst->dst[0].part == 0 && ww_type_bytes((ww_type)inst->type) == 4 && inst->mods == 0;
}

static bool same_operand(ww_operand a, ww_operand b)
{
    return a.kind == b.kind && (a.kind == WW_OPD_NONE || (a.reg == b.reg && a.words == b.words &&
                                                          a.part == b.part && a.flags == b.flags));
}

/* Products of the warp touch no memory. */
bool ww__holds_shared_loads(const ww_inst *inst)
{
    const ww_effects e = ww_inst_effects(inst);
    const unsigned warp = WW_MEETS_LANES | WW_MEETS_WARP;
    bool memory = ((e.reads | e.writes) & WW_AT_MEMORY) != 0;
    unsigned met = memory && (e.may & WW_MAY_HOISTED) != 0 ? e.meets & warp
                   : memory                                ? e.meets
                                                           : e.meets & ~(unsigned)WW_MEETS_WARP;
    return met != 0 || e.goes != WW_GOES_ON || e.waits != 0 || (e.reads & WW_AT_CLOCK) != 0 ||
           (e.writes & (WW_AT_SHARED | WW_AT_CLUSTER_SHARED | WW_AT_ORDER)) != 0;
}

static bool touches(const ww_inst *inst, uint32_t reg, bool reads)
{
    for (unsigned k = 0; k < inst->dst_count; k++) {
        if (ww__is_register(inst->dst[k]) && inst->dst[k].reg == reg) {
            return true;
        }
    }
    for (unsigned k = 0; k < inst->src_count && reads; k++) {
        if (ww__is_register(inst->src[k]) && inst->src[k].reg == reg) {
            return true;
        }
    }
    return reads && inst->guard.kind == WW_OPD_PRED && inst->guard.reg == reg;
}

/* True when load `at` may stand at `first`, before it: nothing between reads or writes its result,
 * or writes its address or guard. */
static bool may_move(const ww_function *f, uint32_t first, uint32_t at)
{
    const ww_inst *load = &f->inst[at];
    for (uint32_t i = first; i < at; i++) {
        const ww_inst *inst = &f->inst[i];
        if (touches(inst, load->dst[0].reg, true) ||
            (load->src[0].kind == WW_OPD_REG && touches(inst, load->src[0].reg, false)) ||
            (load->guard.kind == WW_OPD_PRED && touches(inst, load->guard.reg, false))) {
            return false;
        }
    }
    return true;
}

typedef struct widener {
    const ww_function *f;
    const bool *entered; /* [instruction] control may come from elsewhere */
    const uint8_t *known;
    uint32_t *part_of; /* [instruction] 1 + the load that takes over; 0: stays */
} widener;

/* Finds the loads behind `first` that read the words of the aligned block of `bytes` around its
 * address; group[k]: the load of word k. */
static bool find_group(const widener *w, uint32_t first, unsigned words, uint32_t *group)
{
    const ww_function *f = w->f;
    const ww_inst *lead = &f->inst[first];
    int64_t bytes = 4 * (int64_t)words, start = lead->offset & -bytes;
    unsigned found = 1;
    memset(group, 0xff, LANES * sizeof *group);
    group[(lead->offset - start) / 4] = first;
    for (uint32_t i = first + 1; i < f->inst_count && i < first + WINDOW && found < words; i++) {
        const ww_inst *inst = &f->inst[i];
        if (w->entered[i] || ww__holds_shared_loads(inst)) {
            return false;
        }
        if (!is_word_of_shared(inst) || w->part_of[i] != 0 || inst->type != lead->type ||
            !same_operand(inst->src[0], lead->src[0]) || !same_operand(inst->guard, lead->guard) ||
            inst->offset < start || inst->offset >= start + bytes || inst->offset % 4 != 0) {
            continue;
        }
        uint32_t *slot = &group[(inst->offset - start) / 4];
        if (*slot == UINT32_MAX && may_move(f, first, i)) {
            *slot = i;
            found++;
        }
    }
    return found == words;
}

static void join(widener *w, uint32_t first)
{
    const ww_inst *lead = &w->f->inst[first];
    unsigned aligned = lead->src[0].kind == WW_OPD_REG ? zeros(w->known, lead->src[0]) : MOST_ZEROS;
    for (unsigned words = LANES; words >= 2; words /= 2) {
        uint32_t group[LANES];
        if (lead->offset % 4 != 0 || (1u << aligned) < 4 * words ||
            !find_group(w, first, words, group)) {
            continue;
        }
        for (unsigned k = 0; k < words; k++) {
            w->part_of[group[k]] = first + 1;
        }
        return;
    }
}

static void emit_joint(ww_rewriter *l, const widener *w, uint32_t first)
{
    const ww_inst *lead = &w->f->inst[first];
    unsigned words = 0;
    ww_operand dst[LANES] = {0};
    int64_t start = INT64_MAX;
    for (uint32_t i = first; i < w->f->inst_count && i < first + WINDOW; i++) {
        if (w->part_of[i] == first + 1) {
            words++;
            start = w->f->inst[i].offset < start ? w->f->inst[i].offset : start;
        }
    }
    for (uint32_t i = first; i < w->f->inst_count && i < first + WINDOW; i++) {
        if (w->part_of[i] == first + 1) {
            dst[(w->f->inst[i].offset - start) / 4] = w->f->inst[i].dst[0];
        }
    }
    ww_inst *inst = ww__emit(l, WW_OP_LD, (ww_type)lead->type, words, 1);
    ww_operand *to = inst->dst, *from = inst->src;
    memcpy(to, dst, words * sizeof *to);
    from[0] = lead->src[0];
    *inst = *lead;
    inst->dst = to;
    inst->src = from;
    inst->dst_count = (uint8_t)words;
    inst->vec = (uint8_t)words;
    inst->offset = start;
}

ww_status ww__widen_shared_loads(ww_function *f, ww_arena *arena, const ww_arch *arch,
                                 ww_error *err)
{
    size_t n = (size_t)f->inst_count + 1;
    bool *entered = WW_ARENA_NEW_ARRAY(arena, bool, n);
    uint32_t *where = WW_ARENA_NEW_ARRAY(arena, uint32_t, n);
    uint8_t *known = WW_ARENA_NEW_ARRAY(arena, uint8_t, (size_t)f->vreg_count + 1);
    widener w = {f, entered, known, WW_ARENA_NEW_ARRAY(arena, uint32_t, n)};
    if (entered == NULL || where == NULL || known == NULL || w.part_of == NULL) {
        return ww_no_memory_for(err, "lowering %s", f->name);
    }
    for (uint32_t i = 0; i < f->inst_count; i++) {
        const ww_inst *inst = &f->inst[i];
        if (inst->op == WW_OP_BRA && inst->target <= f->inst_count) {
            entered[inst->target] = true;
        }
        for (uint32_t k = 0; k < inst->table_count; k++) {
            entered[inst->table[k]] = true;
        }
    }
    find_alignment(f, known);
    for (uint32_t i = 0; i < f->inst_count; i++) {
        if (w.part_of[i] == 0 && is_word_of_shared(&f->inst[i])) {
            join(&w, i);
        }
    }
    ww_rewriter l = {.f = f, .arena = arena, .arch = arch};
    for (uint32_t i = 0; i < f->inst_count; i++) {
        where[i] = l.count;
        l.cur = &f->inst[i];
        if (w.part_of[i] == i + 1) {
            emit_joint(&l, &w, i);
        } else if (w.part_of[i] == 0) {
            ww__emit_copy(&l, l.cur);
        }
    }
    where[f->inst_count] = l.count;
    return ww__rewriter_finish(&l, where, err);
}
