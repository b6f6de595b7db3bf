/* lower.c - drives the lowering of a PTX function to machine-like instructions, and the rewriting
 * kit its passes share. The order of the passes follows what ptxas visibly does: constants first,
 * then addresses, then expansion of what the machine has no instruction for, then clean-up,
 * predication of short branches and scheduling. */
#include "perf/ptx/lower/lower.h"

#include <string.h>

#include "base/assert.h"
#include "perf/ptx/lower/schedule.h"

static bool grow(ww_rewriter *l)
{
    uint32_t capacity = l->capacity != 0 ? 2 * l->capacity : 256;
    ww_inst *out = WW_ARENA_NEW_ARRAY(l->arena, ww_inst, capacity);
    if (out == NULL) {
        return false;
    }
    if (l->count > 0) {
        memcpy(out, l->out, l->count * sizeof *out);
    }
    l->out = out;
    l->capacity = capacity;
    return true;
}

static ww_inst *failed(ww_rewriter *l)
{
    l->out_of_memory = true;
    l->scratch = (ww_inst){.dst = l->scratch_operand, .src = l->scratch_operand + 8};
    return &l->scratch;
}

ww_inst *ww__emit(ww_rewriter *l, ww_op op, ww_type type, unsigned dsts, unsigned srcs)
{
    if (l->out_of_memory || (l->count == l->capacity && !grow(l))) {
        return failed(l);
    }
    WW_ASSERT(l->count < l->capacity);
    ww_inst *inst = &l->out[l->count];
    if (!ww__inst_init(inst, l->arena, op, type, dsts, srcs)) {
        return failed(l);
    }
    l->count++;
    inst->line = l->cur->line;
    inst->guard = l->cur->guard;
    inst->mods = l->cur->mods & WW_MOD_FTZ;
    return inst;
}

ww_inst *ww__emit_copy(ww_rewriter *l, const ww_inst *from)
{
    ww_inst *inst =
        ww__emit(l, (ww_op)from->op, (ww_type)from->type, from->dst_count, from->src_count);
    if (inst == &l->scratch) {
        return inst;
    }
    ww_operand *dst = inst->dst, *src = inst->src;
    if (from->dst_count > 0) {
        memcpy(dst, from->dst, from->dst_count * sizeof *dst);
    }
    if (from->src_count > 0) {
        memcpy(src, from->src, from->src_count * sizeof *src);
    }
    *inst = *from;
    inst->dst = dst;
    inst->src = src;
    return inst;
}

ww_inst *ww__emit1(ww_rewriter *l, ww_op op, ww_type type, ww_operand d, ww_operand a)
{
    ww_inst *inst = ww__emit(l, op, type, 1, 1);
    inst->dst[0] = d;
    inst->src[0] = a;
    return inst;
}

ww_inst *ww__emit2(ww_rewriter *l, ww_op op, ww_type type, ww_operand d, ww_operand a, ww_operand b)
{
    ww_inst *inst = ww__emit(l, op, type, 1, 2);
    inst->dst[0] = d;
    inst->src[0] = a;
    inst->src[1] = b;
    return inst;
}

ww_inst *ww__emit3(ww_rewriter *l, ww_op op, ww_type type, ww_operand d, ww_operand a, ww_operand b,
                   ww_operand c)
{
    ww_inst *inst = ww__emit(l, op, type, 1, 3);
    inst->dst[0] = d;
    inst->src[0] = a;
    inst->src[1] = b;
    inst->src[2] = c;
    return inst;
}

ww_operand ww__new_reg(ww_rewriter *l, ww_type type)
{
    uint32_t reg = ww_function_new_vreg(l->f, l->arena, type);
    if (reg == UINT32_MAX) {
        l->out_of_memory = true;
        reg = 0;
    }
    return ww_opd_reg(reg, ww_type_bytes(type) == 8 ? 2 : 1);
}

ww_operand ww__new_pred(ww_rewriter *l)
{
    uint32_t reg = ww_function_new_vreg(l->f, l->arena, WW_T_PRED);
    if (reg == UINT32_MAX) {
        l->out_of_memory = true;
        reg = 0;
    }
    return ww_opd_pred(reg, false);
}

static ww_operand half(ww_operand o, unsigned part)
{
    switch (o.kind) {
    case WW_OPD_REG:
        if (o.words == 2) {
            o.words = 1;
            o.part = (uint8_t)part;
        } else if (part == 2) {
            return ww_opd_imm(0); /* a 32-bit register read as 64 bits: zero above */
        }
        return o;
    case WW_OPD_IMM:
        return ww_opd_imm(part == 1 ? o.imm & 0xffffffffu : o.imm >> 32);
    case WW_OPD_CONST:
        return ww_opd_const((uint32_t)o.imm + (part == 1 ? 0 : 4), 1);
    default:
        return o;
    }
}

ww_operand ww__lo(ww_operand o)
{
    return half(o, 1);
}

ww_operand ww__hi(ww_operand o)
{
    return half(o, 2);
}

ww_status ww__rewriter_finish(ww_rewriter *l, const uint32_t *where, ww_error *err)
{
    ww_function *f = l->f;
    if (l->out_of_memory) {
        return ww_no_memory_for(err, "lowering %s", f->name);
    }
    for (uint32_t i = 0; i < l->count; i++) {
        ww_inst *inst = &l->out[i];
        if (inst->op == WW_OP_BRA && inst->target <= f->inst_count) {
            inst->target = where[inst->target];
        }
        if (inst->op == WW_OP_BRX && inst->table_count > 0) {
            uint32_t *table = WW_ARENA_NEW_ARRAY(l->arena, uint32_t, inst->table_count);
            if (table == NULL) {
                return ww_no_memory_for(err, "lowering %s", f->name);
            }
            for (uint32_t k = 0; k < inst->table_count; k++) {
                table[k] = where[inst->table[k]];
            }
            inst->table = table;
        }
    }
    f->inst = l->out;
    f->inst_count = l->count;
    f->inst_capacity = l->capacity;
    return WW_OK;
}

bool ww__lower_drop_rule(ww_rewriter *l, const ww_inst *inst)
{
    (void)l;
    return inst->op == WW_OP_NOP && inst->vec == 0;
}

ww_status ww__lower_rewrite(ww_function *f, ww_arena *arena, const ww_arch *arch,
                            ww_lower_rule *rule, ww_error *err)
{
    ww_rewriter l = {.f = f, .arena = arena, .arch = arch};
    uint32_t *where = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)f->inst_count + 1);
    if (where == NULL) {
        return ww_no_memory_for(err, "lowering %s", f->name);
    }
    for (uint32_t i = 0; i < f->inst_count; i++) {
        where[i] = l.count;
        l.cur = &f->inst[i];
        if (!rule(&l, l.cur)) {
            ww__emit_copy(&l, l.cur);
        }
    }
    where[f->inst_count] = l.count;
    return ww__rewriter_finish(&l, where, err);
}

/* ---- definitions and uses ---- */

static void count_part(const ww_function *f, uint32_t *count, ww_operand o)
{
    count[ww__part_index(o)]++;
    if (f->vreg[o.reg].words == 2) {
        if (o.part == 0) {
            count[o.reg * 3 + 1]++;
            count[o.reg * 3 + 2]++;
        } else {
            count[o.reg * 3]++;
        }
    }
}

ww_status ww__defs_build(const ww_function *f, ww_arena *arena, ww_defs *out, ww_error *err)
{
    size_t n = (size_t)f->vreg_count * 3;
    *out = (ww_defs){0};
    out->count = WW_ARENA_NEW_ARRAY(arena, uint32_t, n);
    out->inst = WW_ARENA_NEW_ARRAY(arena, uint32_t, n);
    out->uses = WW_ARENA_NEW_ARRAY(arena, uint32_t, n);
    out->breaks = WW_ARENA_NEW_ARRAY(arena, bool, (size_t)f->inst_count + 1);
    if (out->count == NULL || out->inst == NULL || out->uses == NULL || out->breaks == NULL) {
        return ww_no_memory_for(err, "lowering %s", f->name);
    }
    for (uint32_t i = 0; i < f->inst_count; i++) {
        const ww_inst *inst = &f->inst[i];
        for (unsigned k = 0; k < inst->dst_count; k++) {
            ww_operand o = inst->dst[k];
            if (o.kind == WW_OPD_REG || o.kind == WW_OPD_PRED) {
                count_part(f, out->count, o);
                out->inst[ww__part_index(o)] = i;
                if (o.kind == WW_OPD_REG && o.part == 0 && f->vreg[o.reg].words == 2) {
                    out->inst[o.reg * 3 + 1] = i;
                    out->inst[o.reg * 3 + 2] = i;
                }
            }
        }
        for (unsigned k = 0; k < inst->src_count; k++) {
            ww_operand o = inst->src[k];
            if (ww__is_register(o)) {
                count_part(f, out->uses, o);
            }
        }
        if (inst->guard.kind == WW_OPD_PRED) {
            count_part(f, out->uses, inst->guard);
        }
    }
    for (uint32_t i = 0; i < f->inst_count; i++) {
        const ww_inst *inst = &f->inst[i];
        if (inst->op == WW_OP_BRA || inst->op == WW_OP_BRX || inst->op == WW_OP_CALL) {
            out->breaks[i + 1] = true;
        }
        if (inst->op == WW_OP_BRA && inst->target <= f->inst_count) {
            out->breaks[inst->target] = true;
        }
        for (uint32_t k = 0; k < inst->table_count; k++) {
            out->breaks[inst->table[k]] = true;
        }
    }
    while (out->once < f->inst_count && !out->breaks[out->once]) {
        out->once++;
    }
    /* Formal registers are written or read outside the function. */
    for (uint32_t i = 0; i < f->formal_in_count; i++) {
        count_part(f, out->count, f->formal_in[i]);
        count_part(f, out->count, f->formal_in[i]);
    }
    for (uint32_t i = 0; i < f->formal_out_count; i++) {
        count_part(f, out->uses, f->formal_out[i]);
    }
    return WW_OK;
}

bool ww__single_def(const ww_function *f, const ww_defs *defs, ww_operand o)
{
    size_t index = ww__part_index(o);
    return o.kind == WW_OPD_REG && defs->count[index] == 1 &&
           f->inst[defs->inst[index]].guard.kind == WW_OPD_NONE;
}

bool ww__keeps_step(const ww_function *f, const ww_defs *defs, ww_operand o, uint32_t at)
{
    if (!ww__single_def(f, defs, o)) {
        return false;
    }
    uint32_t def = defs->inst[ww__part_index(o)];
    if (def < defs->once) {
        return true;
    }
    if (def >= at) {
        return false;
    }
    for (uint32_t i = def + 1; i <= at; i++) {
        const ww_inst *inst = &f->inst[i];
        if (defs->breaks[i]) {
            return false;
        }
        for (unsigned k = 0; k < inst->src_count && i < at;
             k++) { /* the old result read before it is renewed */
            if (inst->src[k].kind == WW_OPD_REG && f->inst[at].dst_count > 0 &&
                inst->src[k].reg == f->inst[at].dst[0].reg) {
                return false;
            }
        }
    }
    return true;
}

/* ---- the whole ---- */

bool ww__lower_expand(ww_rewriter *l, const ww_inst *inst)
{
    return ww__lower_division(l, inst) || ww__lower_int64(l, inst);
}

bool ww__is_recent(const ww_arch *arch)
{
    return arch->chip.compute_capability >= 70;
}

/* Innermost loops first: those around them may then be of one block too. */
static ww_status unroll(ww_function *f, ww_arena *arena, const ww_arch *arch, ww_error *err)
{
    bool changed = ww__is_recent(arch);
    for (int depth = 0; depth < 3 && changed; depth++) {
        WW_TRY(ww__unroll(f, arena, arch, &changed, err));
        if (changed) {
            WW_TRY(ww__fold_constants(f, arena, err));
            WW_TRY(ww__lower_propagate(f, arena, err));
            WW_TRY(ww__remove_dead(f, arena, err));
        }
    }
    return WW_OK;
}

ww_status ww_lower(ww_function *f, ww_arena *arena, ww_code code, const ww_arch *arch,
                   ww_error *err)
{
    if (code == WW_CODE_GT200) {
        return ww__lower_gt200(f, arena, arch, err);
    }
    WW_TRY(ww__lower_propagate(f, arena, err));
    if (ww__is_recent(arch)) { /* addresses of parameters that are sums */
        WW_TRY(ww__fold_constants(f, arena, err));
        WW_TRY(ww__lower_propagate(f, arena, err));
    }
    WW_TRY(ww__lower_loads_of_params(f, arena, arch, err));
    WW_TRY(ww__lower_propagate(f, arena, err));
    WW_TRY(unroll(f, arena, arch, err));
    WW_TRY(ww__lower_fuse(f, arena, arch, err));
    WW_TRY(ww__lower_addresses(f, arena, arch, err));
    WW_TRY(ww__remove_dead(f, arena, err));
    if (ww__is_recent(arch)) {
        WW_TRY(ww__widen_shared_loads(f, arena, arch, err));
    }
    /* Twice: a division expands into 64-bit operations that expand in turn. */
    WW_TRY(ww__lower_rewrite(f, arena, arch, ww__lower_expand, err));
    WW_TRY(ww__lower_rewrite(f, arena, arch, ww__lower_expand, err));
    WW_TRY(ww__lower_propagate(f, arena, err));
    if (ww__is_recent(arch)) {
        WW_TRY(ww__fold_constants(f, arena, err));
        WW_TRY(ww__lower_propagate(f, arena, err));
        WW_TRY(ww__lower_unread_sums(f, arena, err));
        WW_TRY(ww__lower_held(f, arena, err));
    }
    WW_TRY(ww__remove_dead(f, arena, err));
    WW_TRY(ww__if_convert(f, arena, arch, err));
    WW_TRY(ww__lower_scales(f, arena, arch, err));
    WW_TRY(ww__lower_legalize(f, arena, arch, err));
    WW_TRY(ww__remove_dead(f, arena, err));
    if (ww__is_recent(arch)) {
        WW_TRY(ww__lower_halves(f, arena, err));
    }
    return ww__schedule(f, arena, arch, err);
}
