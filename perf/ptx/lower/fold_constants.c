/* fold_constants.c - integer operations on constants become moves: what laying out loops and taking
 * 64-bit operations apart leaves behind, such as the upper word of a mask. */
#include "isa/evaluate.h"
#include "perf/ptx/lower/lower.h"

static bool is_constant(ww_operand o, uint64_t *value)
{
    *value = o.imm;
    return o.kind == WW_OPD_IMM && o.flags == 0;
}

static uint64_t truncated(uint64_t value, const ww_inst *inst)
{
    return ww_type_bytes((ww_type)inst->type) == 4 ? value & UINT32_MAX : value;
}

static bool is_integer(const ww_inst *inst)
{
    unsigned bytes = ww_type_bytes((ww_type)inst->type);
    return !ww_type_is_float((ww_type)inst->type) && (bytes == 4 || bytes == 8);
}

/* One constant suffices: x & 0. */
static bool is_zero_whatever(const ww_inst *inst, const ww_operand *src)
{
    uint64_t a;
    return inst->op == WW_OP_AND && ((is_constant(src[0], &a) && truncated(a, inst) == 0) ||
                                     (is_constant(src[1], &a) && truncated(a, inst) == 0));
}

/* What the instruction computes from constants. */
static bool evaluate(const ww_inst *inst, const ww_operand *src, uint64_t *out)
{
    uint64_t a, b;
    if (!is_integer(inst) || inst->mods != 0 || inst->src_count != 2) {
        return false;
    }
    if (is_zero_whatever(inst, src)) {
        *out = 0;
        return true;
    }
    if (!is_constant(src[0], &a) || !is_constant(src[1], &b)) {
        return false;
    }
    return ww_op_evaluate((ww_op)inst->op, (ww_sub)inst->sub, ww_type_bytes((ww_type)inst->type), a,
                          b, out);
}

ww_status ww__fold_constants(ww_function *f, ww_arena *arena, ww_error *err)
{
    ww_defs defs;
    WW_TRY(ww__defs_build(f, arena, &defs, err));
    ww_operand *value = WW_ARENA_NEW_ARRAY(arena, ww_operand, (size_t)f->vreg_count * 3 + 1);
    if (value == NULL) {
        return ww_no_memory_for(err, "lowering %s", f->name);
    }
    for (uint32_t i = 0; i < f->inst_count; i++) {
        ww_inst *inst = &f->inst[i];
        ww_operand src[2];
        uint64_t result;
        if (inst->dst_count != 1 || inst->src_count < 1 || inst->src_count > 2 ||
            inst->dst[0].kind != WW_OPD_REG) {
            continue;
        }
        for (unsigned k = 0; k < inst->src_count; k++) {
            src[k] = inst->src[k];
            if (src[k].kind == WW_OPD_REG && src[k].flags == 0 &&
                value[ww__part_index(src[k])].kind == WW_OPD_IMM) {
                src[k] = value[ww__part_index(src[k])];
            }
        }
        if (evaluate(inst, src, &result)) {
            inst->op = WW_OP_MOV;
            inst->sub = WW_SUB_NONE;
            inst->src_count = 1;
            inst->src[0] = ww_opd_imm(result);
            src[0] = inst->src[0];
        }
        bool known = inst->op == WW_OP_MOV && inst->src_count == 1 && src[0].kind == WW_OPD_IMM &&
                     src[0].flags == 0 && is_integer(inst);
        if (known && ww__single_def(f, &defs, inst->dst[0])) {
            value[ww__part_index(inst->dst[0])] = ww_opd_imm(truncated(src[0].imm, inst));
        }
    }
    return WW_OK;
}
