/* fold.c - constants and copies: kernel parameters become constant-bank operands, values
 * known at compile time move into the instructions that use them, dead instructions go. */
#include <string.h>

#include "perf/ptx/lower/lower.h"

/* ---- kernel parameters and address-space casts ---- */

/* ld.param of 32 or 64 bits is a move from the constant bank; cvta between global and generic is a
 * move, since global addresses are generic addresses; for shared and local it adds the window's
 * base. */
static bool params_rule(ww_rewriter *l, const ww_inst *inst)
{
    if (inst->op == WW_OP_LD && inst->space == WW_SPACE_PARAM && inst->src[0].kind == WW_OPD_NONE) {
        unsigned bytes = ww_type_bytes((ww_type)inst->type);
        if (bytes != 4 && bytes != 8) {
            return false;
        }
        for (unsigned k = 0; k < inst->dst_count; k++) {
            if (inst->dst[k].kind == WW_OPD_REG) {
                if (inst->dst[k].words != bytes / 4) {
                    return false; /* widening load */
                }
            }
        }
        for (unsigned k = 0; k < inst->dst_count; k++) {
            if (inst->dst[k].kind == WW_OPD_REG) {
                ww__emit1(l, WW_OP_MOV, bytes == 8 ? WW_T_B64 : WW_T_B32, inst->dst[k],
                          ww_opd_const((uint32_t)inst->offset + k * bytes, bytes / 4));
            }
        }
        return true;
    }
    if (inst->op == WW_OP_CVTA) {
        if (inst->space == WW_SPACE_GLOBAL || inst->space == WW_SPACE_CONST) {
            ww__emit1(l, WW_OP_MOV, (ww_type)inst->type, inst->dst[0], inst->src[0]);
            return true;
        }
        if (inst->dst[0].words == 2 &&
            (inst->space == WW_SPACE_SHARED || inst->space == WW_SPACE_LOCAL ||
             inst->space == WW_SPACE_PARAM)) {
            uint64_t window = inst->space == WW_SPACE_SHARED  ? WW_SHARED_WINDOW
                              : inst->space == WW_SPACE_LOCAL ? WW_LOCAL_WINDOW
                                                              : WW_PARAM_WINDOW;
            uint64_t add = inst->sub == WW_SUB_TO ? 0 - window : window;
            ww__emit2(l, WW_OP_ADD, WW_T_U64, inst->dst[0], inst->src[0], ww_opd_imm(add));
            return true;
        }
    }
    return false;
}

ww_status ww__lower_loads_of_params(ww_function *f, ww_arena *arena, const ww_arch *arch,
                                    ww_error *err)
{
    return ww__lower_rewrite(f, arena, arch, params_rule, err);
}

/* ---- propagation ---- */

static bool is_value(ww_operand o)
{
    return o.kind == WW_OPD_IMM || o.kind == WW_OPD_CONST;
}

/* Double-precision and other 64-bit immediates: machine code holds the upper 20 bits only. */
static bool wide_immediate_fits(uint64_t bits)
{
    return (bits & 0xfffffffffffull) == 0;
}

static bool uses_whole_pair(const ww_inst *inst)
{
    return ww_type_bytes((ww_type)inst->type) == 8 ||
           (inst->type2 != WW_T_NONE && ww_type_bytes((ww_type)inst->type2) == 8);
}

/* Takes none of the places that constants have: the machine has a register that reads as zero (RZ
 * in what nvdisasm prints). */
static bool is_zero(ww_operand o)
{
    return o.kind == WW_OPD_IMM && o.imm == 0;
}

bool ww__source_may_be(const ww_inst *inst, unsigned i, ww_operand o)
{
    unsigned others = 0;
    if (inst->op == WW_OP_WGMMA && i + 1 == inst->src_count) {
        return o.kind == WW_OPD_IMM && o.imm <= 1; /* a predicate that is known */
    }
    if (inst->op == WW_OP_WGMMA && i + 1 + inst->dst_count >= inst->src_count) {
        return is_zero(o) && is_zero(inst->src[inst->src_count - 1u]); /* a sum that begins */
    }
    for (unsigned k = 0; k < inst->src_count; k++) {
        others += k != i && is_value(inst->src[k]) && !is_zero(inst->src[k]);
    }
    switch (ww_op_constants((ww_op)inst->op)) {
    case WW_CONSTANTS_ANY:
        return true;
    case WW_CONSTANTS_LATER:
        return i > 0 && o.kind == WW_OPD_IMM;
    case WW_CONSTANTS_NUMBERS:
        return o.kind == WW_OPD_IMM;
    case WW_CONSTANTS_ZERO:
        return i > 0 && is_zero(o);
    case WW_CONSTANTS_ONE:
        if (ww_type_is_float((ww_type)inst->type) && uses_whole_pair(inst) &&
            o.kind == WW_OPD_IMM && !wide_immediate_fits(o.imm)) {
            return false;
        }
        return others == 0 || is_zero(o);
    default:
        return false;
    }
}

/* Known values of single-definition registers, by part. */
typedef struct values {
    const ww_function *f;
    const ww_defs *defs;
    ww_operand *value; /* [3*reg + part], kind NONE: unknown */
} values;

static bool is_plain_move(const ww_inst *inst)
{
    return inst->op == WW_OP_MOV && inst->dst_count == 1 && inst->src_count == 1 &&
           inst->guard.kind == WW_OPD_NONE && inst->dst[0].kind == WW_OPD_REG &&
           inst->src[0].flags == 0;
}

static bool same_width(ww_operand d, ww_operand s)
{
    if (s.kind == WW_OPD_IMM) {
        return true;
    }
    return (s.kind == WW_OPD_CONST || s.kind == WW_OPD_REG) && d.words == s.words;
}

/* What an operand is known to equal, followed through copies. */
static ww_operand resolve(const values *v, ww_operand o)
{
    for (int hops = 0; hops < 64 && o.kind == WW_OPD_REG; hops++) {
        ww_operand known = v->value[ww__part_index(o)];
        if (known.kind == WW_OPD_NONE && o.part != 0) {
            ww_operand whole = v->value[(size_t)o.reg * 3];
            if (whole.kind != WW_OPD_NONE) {
                known = o.part == 1 ? ww__lo(whole) : ww__hi(whole);
            }
        }
        if (known.kind == WW_OPD_NONE) {
            break;
        }
        known.flags = (uint8_t)(known.flags ^ (o.flags & WW_OPD_NEG));
        o = known;
    }
    return o;
}

static void learn(values *v)
{
    const ww_function *f = v->f;
    for (uint32_t i = 0; i < f->inst_count; i++) {
        const ww_inst *inst = &f->inst[i];
        if (!is_plain_move(inst) || !same_width(inst->dst[0], inst->src[0])) {
            continue;
        }
        ww_operand d = inst->dst[0], s = inst->src[0];
        if (v->defs->count[ww__part_index(d)] != 1) {
            continue;
        }
        if (s.kind == WW_OPD_REG && (!ww__keeps_step(f, v->defs, s, i) || s.reg == d.reg)) {
            continue;
        }
        v->value[ww__part_index(d)] = s;
    }
}

/* Replaces a source by what it is known to be, where the instruction allows it. */
static void substitute(const values *v, ww_inst *inst, unsigned i)
{
    ww_operand o = inst->src[i];
    if (o.kind != WW_OPD_REG || o.flags != 0) {
        return;
    }
    ww_operand known = resolve(v, o);
    if (known.kind == WW_OPD_REG) {
        /* A 64-bit source must stay a pair of its own. */
        if (known.words == o.words) {
            inst->src[i] = known;
        }
        return;
    }
    if (!is_value(known)) {
        return;
    }
    bool memory_address = i == 0 && ww_inst_has_address(inst) && inst->op != WW_OP_PREFETCH;
    if (memory_address && known.kind == WW_OPD_IMM && inst->space != WW_SPACE_GENERIC &&
        inst->space != WW_SPACE_GLOBAL) {
        inst->offset += (int64_t)known.imm;
        inst->src[0] = (ww_operand){0};
        return;
    }
    if (ww__source_may_be(inst, i, known)) {
        inst->src[i] = known;
    }
}

ww_status ww__lower_propagate(ww_function *f, ww_arena *arena, ww_error *err)
{
    ww_defs defs;
    WW_TRY(ww__defs_build(f, arena, &defs, err));
    values v = {f, &defs, WW_ARENA_NEW_ARRAY(arena, ww_operand, (size_t)f->vreg_count * 3)};
    if (v.value == NULL) {
        return ww_no_memory_for(err, "lowering %s", f->name);
    }
    learn(&v);
    for (uint32_t i = 0; i < f->inst_count; i++) {
        for (unsigned k = 0; k < f->inst[i].src_count; k++) {
            substitute(&v, &f->inst[i], k);
        }
    }
    return WW_OK;
}

/* ---- legalisation: at most one constant or immediate per instruction ---- */

/* True when the machine reads a value source as a register pair: a 64-bit constant, or an immediate
 * of a 64-bit operation other than a shift amount. */
static bool needs_pair(const ww_inst *inst, ww_operand o)
{
    if (o.kind == WW_OPD_CONST) {
        return o.words == 2;
    }
    bool by_source = inst->op == WW_OP_CVT || inst->op == WW_OP_SLCT;
    bool shift = inst->op == WW_OP_SHL || inst->op == WW_OP_SHR;
    bool wide = ww_type_bytes((ww_type)(by_source ? inst->type2 : inst->type)) == 8 && !shift;
    return wide || o.imm >> 32 != 0;
}

static ww_operand load_value(ww_rewriter *l, ww_operand value, bool pair)
{
    ww_operand t = ww__new_reg(l, pair ? WW_T_B64 : WW_T_B32);
    if (pair) {
        ww__emit1(l, WW_OP_MOV, WW_T_B32, ww__lo(t), ww__lo(value));
        ww__emit1(l, WW_OP_MOV, WW_T_B32, ww__hi(t), ww__hi(value));
    } else {
        ww__emit1(l, WW_OP_MOV, WW_T_B32, t, value);
    }
    return t;
}

/* The source that may not stay a constant or immediate, src_count when all are legal. */
static unsigned first_illegal(const ww_inst *inst)
{
    unsigned k = 0;
    while (k < inst->src_count &&
           (!is_value(inst->src[k]) || ww__source_may_be(inst, k, inst->src[k]))) {
        k++;
    }
    return k;
}

static bool legalize_rule(ww_rewriter *l, const ww_inst *inst)
{
    ww_operand src[16];
    if (first_illegal(inst) == inst->src_count || inst->src_count > WW_ARRAY_LEN(src)) {
        return false;
    }
    ww_inst fixed = *inst;
    memcpy(src, inst->src, inst->src_count * sizeof *src);
    fixed.src = src;
    for (unsigned k = first_illegal(&fixed); k < fixed.src_count; k = first_illegal(&fixed)) {
        src[k] = load_value(l, src[k], needs_pair(inst, src[k]));
    }
    ww__emit_copy(l, &fixed);
    return true;
}

ww_status ww__lower_legalize(ww_function *f, ww_arena *arena, const ww_arch *arch, ww_error *err)
{
    return ww__lower_rewrite(f, arena, arch, legalize_rule, err);
}

/* ---- dead code ---- */

static bool has_effect(const ww_inst *inst)
{
    return (ww_inst_effects(inst).may & WW_MAY_DROPPED) == 0;
}

/* Words of a register that an operand stands for, as bits. */
static unsigned words_of(ww_operand o)
{
    return !ww__is_register(o) ? 0 : o.part == 0 ? 3 : o.part;
}

static void mark_register(uint8_t *needed, bool *changed, ww_operand o)
{
    unsigned words = words_of(o);
    if (words != 0 && (needed[o.reg] & words) != words) {
        needed[o.reg] = (uint8_t)(needed[o.reg] | words);
        *changed = true;
    }
}

static void see(uint8_t *seen, const ww_operand *o, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        unsigned words = words_of(o[k]);
        if (words != 0) {
            seen[o[k].reg] = (uint8_t)(seen[o[k].reg] | words);
        }
    }
}

static void to_single(const ww_function *f, const uint8_t *seen, ww_operand *o, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        if (ww__is_register(o[k]) && o[k].part != 0 && seen[o[k].reg] != 3) {
            f->vreg[o[k].reg] = (ww_vreg){.type = WW_T_B32, .words = 1};
            o[k].part = 0;
        }
    }
}

/* Pairs of which one word is left become single registers: a word alone would pass for part of a
 * value that is there from the start. */
static ww_status narrow_pairs(ww_function *f, ww_arena *arena, ww_error *err)
{
    uint8_t *seen = WW_ARENA_NEW_ARRAY(arena, uint8_t, (size_t)f->vreg_count + 1);
    if (seen == NULL) {
        return ww_no_memory_for(err, "lowering %s", f->name);
    }
    see(seen, f->formal_in, f->formal_in_count);
    see(seen, f->formal_out, f->formal_out_count);
    for (uint32_t i = 0; i < f->inst_count; i++) {
        see(seen, f->inst[i].dst, f->inst[i].dst_count);
        see(seen, f->inst[i].src, f->inst[i].src_count);
    }
    for (uint32_t i = 0; i < f->inst_count; i++) {
        to_single(f, seen, f->inst[i].dst, f->inst[i].dst_count);
        to_single(f, seen, f->inst[i].src, f->inst[i].src_count);
    }
    return WW_OK;
}

ww_status ww__remove_dead(ww_function *f, ww_arena *arena, ww_error *err)
{
    uint8_t *needed = WW_ARENA_NEW_ARRAY(arena, uint8_t, f->vreg_count);
    bool *live = WW_ARENA_NEW_ARRAY(arena, bool, f->inst_count);
    if (needed == NULL || live == NULL) {
        return ww_no_memory_for(err, "lowering %s", f->name);
    }
    bool changed = true;
    for (uint32_t i = 0; i < f->formal_out_count; i++) {
        mark_register(needed, &changed, f->formal_out[i]);
    }
    while (changed) {
        changed = false;
        for (uint32_t n = f->inst_count; n-- > 0;) {
            const ww_inst *inst = &f->inst[n];
            bool wanted = live[n] || has_effect(inst);
            for (unsigned k = 0; k < inst->dst_count && !wanted; k++) {
                unsigned words = words_of(inst->dst[k]);
                wanted = words != 0 && (needed[inst->dst[k].reg] & words) != 0;
            }
            if (!wanted || live[n]) {
                continue;
            }
            live[n] = true;
            for (unsigned k = 0; k < inst->src_count; k++) {
                mark_register(needed, &changed, inst->src[k]);
            }
            mark_register(needed, &changed, inst->guard);
        }
    }
    for (uint32_t n = 0; n < f->inst_count; n++) {
        if (!live[n]) {
            ww__lower_mark_dropped(&f->inst[n]);
        }
    }
    WW_TRY(ww__lower_rewrite(f, arena, NULL, ww__lower_drop_rule, err));
    return narrow_pairs(f, arena, err);
}
