/* spill.c - moves virtual registers to thread-local memory, predicates to general registers; signs
 * of words (signs.c) are computed anew. */
#include <string.h>

#include "base/assert.h"
#include "perf/ptx/regalloc/regalloc.h"

/* One spilling round: where each spilled register goes. */
typedef struct spilled {
    const bool *spill;
    uint32_t count; /* registers the marks cover */
    uint32_t *slot; /* [reg]: byte offset in local memory, or the general register that holds a
                       predicate */
    const ww_operand *sign_of; /* [reg]: the word whose sign it is; kind NONE: it is no sign */
} spilled;

static bool is_spilled(const spilled *s, ww_operand o)
{
    return ww__is_register(o) && o.reg < s->count && s->spill[o.reg];
}

static ww_type word_type(ww_operand o)
{
    return o.words == 2 ? WW_T_B64 : WW_T_B32;
}

/* A sign to be taken anew; of a word that goes to memory as well the sign is saved beside it. */
static bool is_sign(const spilled *s, ww_operand o)
{
    return is_spilled(s, o) && s->sign_of[o.reg].kind != WW_OPD_NONE &&
           !is_spilled(s, s->sign_of[o.reg]);
}

static ww_operand load_word(ww_rewriter *l, const spilled *s, ww_operand o)
{
    ww_operand t = ww__new_reg(l, word_type(o));
    ww_inst *load = ww__emit(l, WW_OP_LD, word_type(o), 1, 1);
    load->guard = (ww_operand){0};
    load->space = WW_SPACE_LOCAL;
    load->dst[0] = t;
    load->src[0] = (ww_operand){0};
    load->offset = (int64_t)s->slot[o.reg] + (o.part == 2 ? 4 : 0);
    return t;
}

static ww_operand take_sign(ww_rewriter *l, const spilled *s, ww_operand o)
{
    ww_operand t = ww__new_reg(l, WW_T_B32);
    ww_inst *shift = ww__emit2(l, WW_OP_SHR, WW_T_S32, t, s->sign_of[o.reg], ww_opd_imm(31));
    shift->guard = (ww_operand){0};
    return t;
}

/* A fresh register holding the spilled operand's value; of a folded operand, that of its base. */
static ww_operand reload(ww_rewriter *l, const spilled *s, ww_operand o)
{
    ww_operand t;
    if (o.kind == WW_OPD_SHARED) {
        o.reg = reload(l, s, ww_opd_reg(o.reg, 1)).reg;
        return o;
    }
    if (o.kind == WW_OPD_PRED) {
        t = ww__new_pred(l);
        ww_inst *test =
            ww__emit2(l, WW_OP_SETP, WW_T_U32, t, ww_opd_reg(s->slot[o.reg], 1), ww_opd_imm(0));
        test->guard = (ww_operand){0};
        test->cmp = WW_CMP_NE;
        t.flags = o.flags;
    } else {
        t = is_sign(s, o) ? take_sign(l, s, o) : load_word(l, s, o);
        t.flags = o.flags;
    }
    return t;
}

/* Stores a just computed value; under the instruction's guard, since only then it was computed. */
static void save(ww_rewriter *l, const spilled *s, ww_operand o, ww_operand value)
{
    if (o.kind == WW_OPD_PRED) {
        value.flags = 0;
        ww__emit3(l, WW_OP_SELP, WW_T_B32, ww_opd_reg(s->slot[o.reg], 1), ww_opd_imm(1),
                  ww_opd_imm(0), value);
        return;
    }
    ww_inst *store = ww__emit(l, WW_OP_ST, word_type(o), 0, 2);
    store->space = WW_SPACE_LOCAL;
    store->src[0] = (ww_operand){0};
    store->src[1] = value;
    store->offset = (int64_t)s->slot[o.reg] + (o.part == 2 ? 4 : 0);
}

/* The value's save stands under the condition of its computation. Spilling that condition later
 * gives each a register of its own for it, from which alone this could no longer be seen. */
static void mark_brief(ww_rewriter *l, ww_operand value)
{
    if (ww__is_register(value) && value.reg < l->f->vreg_count) { /* else out of memory */
        l->f->vreg[value.reg].brief = true;
    }
}

/* A copy of the guard of an instruction that writes the guard itself: what is saved behind it was
 * computed under the old one. */
static ww_operand keep_guard(ww_rewriter *l, ww_operand guard)
{
    ww_operand kept = ww__new_pred(l), value = guard;
    value.flags = 0;
    ww__emit1(l, WW_OP_MOV, WW_T_PRED, kept, value)->guard = (ww_operand){0};
    kept.flags = guard.flags;
    return kept;
}

/* What a spilled result is computed in. A product of a warp group adds to the registers that it
 * reads; one that begins a sum reads none. */
static ww_operand result_register(ww_rewriter *l, const ww_inst *inst, const ww_operand *src,
                                  unsigned k)
{
    const ww_operand home = inst->dst[k];
    if (inst->op == WW_OP_WGMMA && !ww_inst_begins_sum(inst)) {
        return src[inst->src_count - 1u - inst->dst_count + k];
    }
    return home.kind == WW_OPD_PRED ? ww__new_pred(l) : ww__new_reg(l, word_type(home));
}

static void respill_instruction(ww_rewriter *l, const spilled *s, const ww_inst *inst)
{
    ww_inst fixed = *inst;
    ww_operand src[UINT8_MAX], dst[UINT8_MAX], home[UINT8_MAX];
    for (unsigned k = 0; k < inst->src_count; k++) {
        src[k] = is_spilled(s, inst->src[k]) ? reload(l, s, inst->src[k]) : inst->src[k];
    }
    if (is_spilled(s, inst->guard)) {
        fixed.guard = reload(l, s, inst->guard);
    } else if (inst->guard.kind == WW_OPD_PRED && ww__writes(inst, inst->guard.reg)) {
        fixed.guard = keep_guard(l, inst->guard);
    }
    for (unsigned k = 0; k < inst->dst_count; k++) {
        home[k] = inst->dst[k];
        dst[k] = inst->dst[k];
        if (is_spilled(s, home[k])) {
            dst[k] = result_register(l, inst, src, k);
            mark_brief(l, dst[k]);
        }
    }
    fixed.src = src;
    fixed.dst = dst;
    ww__emit_copy(l, &fixed);
    const ww_inst *cur = l->cur;
    l->cur = &fixed; /* its guard, reloaded if need be */
    for (unsigned k = 0; k < inst->dst_count; k++) {
        if (is_spilled(s, home[k])) {
            save(l, s, home[k], dst[k]);
        }
    }
    l->cur = cur;
}

/* A function's arguments arrive in registers, and its results leave in registers, whatever becomes
 * of the values in between: those formals get registers of their own, saved on entry, loaded before
 * each return. */
static void save_arguments(ww_rewriter *l, const spilled *s)
{
    ww_function *f = l->f;
    ww_inst entry = {.line = f->line};
    l->cur = &entry;
    for (uint32_t i = 0; i < f->formal_in_count; i++) {
        ww_operand formal = f->formal_in[i];
        if (is_spilled(s, formal)) {
            f->formal_in[i] =
                formal.kind == WW_OPD_PRED ? ww__new_pred(l) : ww__new_reg(l, word_type(formal));
            save(l, s, formal, f->formal_in[i]);
        }
    }
    l->cur = NULL;
}

static void load_results(ww_rewriter *l, const spilled *s, const ww_operand *home)
{
    ww_function *f = l->f;
    for (uint32_t i = 0; i < f->formal_out_count; i++) {
        if (is_spilled(s, home[i])) {
            ww_operand value = reload(l, s, home[i]);
            ww_inst *copy = ww__emit1(l, WW_OP_MOV,
                                      home[i].kind == WW_OPD_PRED ? WW_T_PRED : word_type(home[i]),
                                      f->formal_out[i], value);
            copy->guard = (ww_operand){0};
        }
    }
}

static void rename_results(ww_rewriter *l, const spilled *s, ww_operand *home)
{
    ww_function *f = l->f;
    for (uint32_t i = 0; i < f->formal_out_count; i++) {
        home[i] = f->formal_out[i];
        if (is_spilled(s, home[i])) {
            f->formal_out[i] =
                home[i].kind == WW_OPD_PRED ? ww__new_pred(l) : ww__new_reg(l, word_type(home[i]));
        }
    }
}

static bool touches_spilled(const spilled *s, const ww_inst *inst)
{
    bool touches = is_spilled(s, inst->guard);
    for (unsigned k = 0; k < inst->src_count; k++) {
        touches |= is_spilled(s, inst->src[k]);
    }
    for (unsigned k = 0; k < inst->dst_count; k++) {
        touches |= is_spilled(s, inst->dst[k]);
    }
    return touches;
}

ww_status ww__spill(ww_function *f, ww_arena *arena, const bool *spill, uint32_t spill_count,
                    const ww_operand *sign_of, ww_error *err)
{
    spilled s = {spill, spill_count, WW_ARENA_NEW_ARRAY(arena, uint32_t, spill_count), sign_of};
    uint32_t *where = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)f->inst_count + 1);
    ww_operand *results = WW_ARENA_NEW_ARRAY(arena, ww_operand, f->formal_out_count + 1u);
    if (s.slot == NULL || where == NULL || results == NULL) {
        return ww_no_memory_for(err, "spilling registers of %s", f->name);
    }
    for (uint32_t r = 0; r < spill_count; r++) {
        if (!spill[r] || is_sign(&s, ww_opd_reg(r, 1))) {
            continue;
        }
        if (f->vreg[r].words == 0) {
            s.slot[r] = ww_function_new_vreg(f, arena, WW_T_B32);
            if (s.slot[r] == UINT32_MAX) {
                return ww_no_memory_for(err, "spilling registers of %s", f->name);
            }
            f->vreg[s.slot[r]].home = true;
            continue;
        }
        uint32_t bytes = f->vreg[r].words * 4u;
        f->local_bytes = (f->local_bytes + bytes - 1) / bytes * bytes;
        WW_ASSERT(f->local_bytes % bytes == 0); /* a load of two words finds them in one piece */
        s.slot[r] = f->local_bytes;
        f->local_bytes += bytes;
    }
    ww_rewriter l = {.f = f, .arena = arena};
    save_arguments(&l, &s);
    rename_results(&l, &s, results);
    for (uint32_t i = 0; i < f->inst_count; i++) {
        where[i] = l.count;
        l.cur = &f->inst[i];
        if (l.cur->op == WW_OP_RET) {
            load_results(&l, &s, results);
        }
        if (l.cur->dst_count == 1 && is_sign(&s, l.cur->dst[0])) {
            continue; /* taken where it is read */
        }
        if (touches_spilled(&s, l.cur)) {
            respill_instruction(&l, &s, l.cur);
        } else {
            ww__emit_copy(&l, l.cur);
        }
    }
    where[f->inst_count] = l.count;
    return ww__rewriter_finish(&l, where, err);
}
