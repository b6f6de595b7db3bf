/* ir.c - building instructions, and printing them. */
#include "perf/ptx/ir.h"

#include <stdio.h>
#include <string.h>

#include "isa/fragment.h"
#include "perf/ptx/parse/ast.h"

ww_operand ww_opd_reg(uint32_t reg, unsigned words)
{
    return (ww_operand){.kind = WW_OPD_REG, .words = (uint8_t)words, .reg = reg};
}

ww_operand ww_opd_pred(uint32_t reg, bool inverted)
{
    return (ww_operand){.kind = WW_OPD_PRED, .flags = inverted ? WW_OPD_NOT : 0, .reg = reg};
}

ww_operand ww_opd_imm(uint64_t bits)
{
    return (ww_operand){.kind = WW_OPD_IMM, .imm = bits};
}

ww_operand ww_opd_const(uint32_t offset, unsigned words)
{
    return (ww_operand){.kind = WW_OPD_CONST, .words = (uint8_t)words, .imm = offset};
}

ww_operand ww_opd_sreg(ww_sreg sreg)
{
    return (ww_operand){.kind = WW_OPD_SREG, .words = 1, .reg = sreg};
}

ww_operand ww_opd_shared(ww_operand base, int64_t offset)
{
    return (ww_operand){.kind = WW_OPD_SHARED,
                        .words = base.kind == WW_OPD_REG,
                        .part = base.part,
                        .reg = base.kind == WW_OPD_REG ? base.reg : 0,
                        .imm = (uint64_t)offset};
}

uint32_t ww_function_new_vreg(ww_function *f, ww_arena *arena, ww_type type)
{
    if (f->vreg_count == f->vreg_capacity) {
        uint32_t capacity = f->vreg_capacity != 0 ? 2 * f->vreg_capacity : 64;
        ww_vreg *vreg = WW_ARENA_NEW_ARRAY(arena, ww_vreg, capacity);
        if (vreg == NULL) {
            return UINT32_MAX;
        }
        if (f->vreg_count > 0) {
            memcpy(vreg, f->vreg, f->vreg_count * sizeof *vreg);
        }
        f->vreg = vreg;
        f->vreg_capacity = capacity;
    }
    unsigned bytes = ww_type_bytes(type);
    f->vreg[f->vreg_count] = (ww_vreg){.type = (uint8_t)type,
                                       .words = (uint8_t)(type == WW_T_PRED ? 0
                                                          : bytes <= 4      ? 1
                                                                            : bytes / 4)};
    return f->vreg_count++;
}

bool ww__inst_init(ww_inst *inst, ww_arena *arena, ww_op op, ww_type type, unsigned dsts,
                   unsigned srcs)
{
    ww_operand *operands = WW_ARENA_NEW_ARRAY(arena, ww_operand, dsts + srcs + 1);
    if (operands == NULL) {
        return false;
    }
    *inst = (ww_inst){
        .op = (uint16_t)op,
        .type = (uint8_t)type,
        .vec = 1,
        .dst_count = (uint8_t)dsts,
        .src_count = (uint8_t)srcs,
        .target = WW_NO_TARGET,
        .reconv = WW_NO_TARGET,
        .dst = operands,
        .src = operands + dsts,
    };
    return true;
}

ww_inst *ww_function_append(ww_function *f, ww_arena *arena, ww_op op, ww_type type, unsigned dsts,
                            unsigned srcs)
{
    if (f->inst_count == f->inst_capacity) {
        uint32_t capacity = f->inst_capacity != 0 ? 2 * f->inst_capacity : 64;
        ww_inst *inst = WW_ARENA_NEW_ARRAY(arena, ww_inst, capacity);
        if (inst == NULL) {
            return NULL;
        }
        if (f->inst_count > 0) {
            memcpy(inst, f->inst, f->inst_count * sizeof *inst);
        }
        f->inst = inst;
        f->inst_capacity = capacity;
    }
    ww_inst *inst = &f->inst[f->inst_count];
    if (!ww__inst_init(inst, arena, op, type, dsts, srcs)) {
        return NULL;
    }
    f->inst_count++;
    return inst;
}

/* ---- text ---- */

/* Bounded text under construction. */
typedef struct line {
    char *buf;
    size_t size, len;
} line;

static void add(line *l, const char *fmt, ...) WW_PRINTF(2, 3);

static void add(line *l, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(l->buf + l->len, l->size - l->len, fmt, args);
    va_end(args);
    if (n > 0) {
        l->len = l->len + (size_t)n < l->size ? l->len + (size_t)n : l->size - 1;
    }
}

static void add_operand(line *l, ww_operand o)
{
    add(l, "%s%s", o.flags & WW_OPD_NEG ? "-" : "", o.flags & WW_OPD_ABS ? "|" : "");
    switch (o.kind) {
    case WW_OPD_REG:
        add(l, "r%u", o.reg);
        if (o.words > 1) {
            add(l, ":%u", o.words * 32u);
        }
        add(l, "%s", o.part == 1 ? ".lo" : o.part == 2 ? ".hi" : "");
        add(l, "%s", o.flags & WW_OPD_LOWER ? ".h0_h0" : o.flags & WW_OPD_UPPER ? ".h1_h1" : "");
        break;
    case WW_OPD_PRED:
        add(l, "%sp%u", o.flags & WW_OPD_NOT ? "!" : "", o.reg);
        break;
    case WW_OPD_IMM:
        add(l, "0x%llx", (unsigned long long)o.imm);
        break;
    case WW_OPD_CONST:
        add(l, "c[0x%llx]", (unsigned long long)o.imm);
        if (o.words > 1) {
            add(l, ":%u", o.words * 32u);
        }
        break;
    case WW_OPD_SREG:
        add(l, "%s", ww_sreg_name((ww_sreg)o.reg));
        break;
    case WW_OPD_SHARED:
        if (o.words == 0) {
            add(l, "s[%lld]", (long long)o.imm);
        } else if (o.imm != 0) {
            add(l, "s[r%u%+lld]", o.reg, (long long)o.imm);
        } else {
            add(l, "s[r%u]", o.reg);
        }
        break;
    default:
        add(l, "_");
    }
    add(l, "%s", o.flags & WW_OPD_ABS ? "|" : "");
}

static void add_mnemonic(line *l, const ww_inst *inst)
{
    add(l, "%s", ww_op_name((ww_op)inst->op));
    if (inst->op == WW_OP_SETP || inst->op == WW_OP_SET) {
        add(l, ".%s", ww_cmp_name((ww_cmp)inst->cmp));
        if (inst->bool_op != WW_BOOL_NONE) {
            add(l, ".%s", ww_bool_name((ww_bool_op)inst->bool_op));
        }
    }
    if (inst->space != WW_SPACE_NONE && inst->space != WW_SPACE_GENERIC) {
        add(l, ".%s", ww_space_name((ww_space)inst->space));
    }
    if (inst->sub != WW_SUB_NONE) {
        add(l, ".%s", ww_sub_name((ww_sub)inst->sub));
    }
    if (inst->round != WW_ROUND_DEFAULT) {
        add(l, ".%s", ww_round_name((ww_round)inst->round));
    }
    add(l, "%s%s", inst->mods & WW_MOD_FTZ ? ".ftz" : "", inst->mods & WW_MOD_SAT ? ".sat" : "");
    if (inst->vec > 1) {
        add(l, ".v%u", inst->vec);
    }
    if (inst->type != WW_T_NONE) {
        add(l, ".%s", ww_type_name((ww_type)inst->type));
    }
    if (inst->type2 != WW_T_NONE) {
        add(l, ".%s", ww_type_name((ww_type)inst->type2));
    }
    if (inst->tile != WW_TILE_NONE) {
        add(l, ".%s", ww_tile_name((ww_tile)inst->tile));
    }
}

bool ww_inst_has_address(const ww_inst *inst)
{
    return inst->op == WW_OP_LD || inst->op == WW_OP_ST || inst->op == WW_OP_ATOM ||
           inst->op == WW_OP_RED || inst->op == WW_OP_PREFETCH;
}

static void add_address(line *l, const ww_inst *inst)
{
    add(l, "[");
    if (inst->src[0].kind != WW_OPD_NONE) {
        add_operand(l, inst->src[0]);
        if (inst->offset != 0) {
            add(l, "%+lld", (long long)inst->offset);
        }
    } else {
        add(l, "%lld", (long long)inst->offset);
    }
    add(l, "]");
}

char *ww_inst_format(const ww_inst *inst, char *buf, size_t size)
{
    line l = {buf, size, 0};
    if (size == 0) {
        return buf;
    }
    buf[0] = '\0';
    if (inst->guard.kind == WW_OPD_PRED) {
        add(&l, "@");
        add_operand(&l, inst->guard);
        add(&l, " ");
    }
    add_mnemonic(&l, inst);
    const char *separator = " ";
    for (unsigned i = 0; i < inst->dst_count; i++, separator = ", ") {
        add(&l, "%s", separator);
        add_operand(&l, inst->dst[i]);
    }
    for (unsigned i = 0; i < inst->src_count; i++, separator = ", ") {
        add(&l, "%s", separator);
        if (i == 0 && ww_inst_has_address(inst)) {
            add_address(&l, inst);
        } else {
            add_operand(&l, inst->src[i]);
        }
    }
    if (inst->target != WW_NO_TARGET) {
        add(&l, "%s@%u", separator, inst->target);
    }
    return buf;
}
