/* scale.c - addresses of the kind parameter + index * size: one wide multiply-add holds one
 * constant operand, so that the size comes from a register, which a block loads once. This is what
 * ptxas makes of them for compute capability 7.0 (11.8) and 7.5 (13). */
#include "perf/ptx/lower/lower.h"

enum { MOST_SCALES = 4 }; /* held at a time */

typedef struct scales {
    uint64_t value[MOST_SCALES];
    ww_operand reg[MOST_SCALES];
    unsigned count, next;
} scales;

static bool needs_scale(const ww_inst *inst)
{
    return inst->op == WW_OP_MAD && inst->sub == WW_SUB_WIDE && inst->src_count == 3 &&
           inst->src[1].kind == WW_OPD_IMM && inst->src[2].kind == WW_OPD_CONST;
}

static ww_operand scale_of(ww_rewriter *l, scales *s, uint64_t value)
{
    for (unsigned k = 0; k < s->count; k++) {
        if (s->value[k] == value) {
            return s->reg[k];
        }
    }
    ww_operand reg = ww__new_reg(l, WW_T_B32);
    ww_inst *mov = ww__emit1(l, WW_OP_MOV, WW_T_B32, reg, ww_opd_imm(value));
    mov->guard = (ww_operand){0};
    s->value[s->next] = value;
    s->reg[s->next] = reg;
    s->next = (s->next + 1) % MOST_SCALES;
    s->count += s->count < MOST_SCALES;
    return reg;
}

static void rewrite(ww_rewriter *l, scales *s, const ww_inst *inst)
{
    if (!needs_scale(inst)) {
        ww__emit_copy(l, inst);
        return;
    }
    ww_operand reg = scale_of(l, s, inst->src[1].imm);
    ww_inst *copy = ww__emit_copy(l, inst);
    copy->src[1] = reg;
}

static void mark_targets(const ww_function *f, bool *begins)
{
    for (uint32_t i = 0; i < f->inst_count; i++) {
        const ww_inst *inst = &f->inst[i];
        if (inst->target <= f->inst_count) {
            begins[inst->target] = true;
        }
        for (uint32_t k = 0; k < inst->table_count; k++) {
            begins[inst->table[k]] = true;
        }
        if (ww_op_leaves((ww_op)inst->op)) {
            begins[i + 1] = true;
        }
    }
}

ww_status ww__lower_scales(ww_function *f, ww_arena *arena, const ww_arch *arch, ww_error *err)
{
    ww_rewriter l = {.f = f, .arena = arena, .arch = arch};
    scales s = {.count = 0};
    uint32_t *where = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)f->inst_count + 1);
    bool *begins = WW_ARENA_NEW_ARRAY(arena, bool, (size_t)f->inst_count + 1);
    if (where == NULL || begins == NULL) {
        return ww_no_memory_for(err, "lowering %s", f->name);
    }
    mark_targets(f, begins);
    for (uint32_t i = 0; i < f->inst_count; i++) {
        if (begins[i]) {
            s = (scales){.count = 0};
        }
        where[i] = l.count;
        l.cur = &f->inst[i];
        rewrite(&l, &s, l.cur);
    }
    where[f->inst_count] = l.count;
    return ww__rewriter_finish(&l, where, err);
}
