/* absent.c - what GT200 has no instruction for and its compiler takes apart: products with a
 * power of two, which go to the shifter, and selections, which are two moves, the second under the
 * predicate (reference: envytools, envydis/g80.c: there are no such rows). Other 32-bit products,
 * which there are three or four of 16 bits, stay one instruction. Sums with 0 are none. */
#include "perf/ptx/lower/lower.h"

static bool is_word(const ww_inst *inst)
{
    return ww_type_bytes((ww_type)inst->type) == 4 && !ww_type_is_float((ww_type)inst->type);
}

/* k of an immediate 2^k, whichever factor it is; the other one to *factor. */
static bool power_of_two(const ww_inst *inst, ww_operand *factor, unsigned *k)
{
    for (unsigned i = 0; i < 2; i++) {
        const ww_operand o = inst->src[i];
        const uint32_t n = (uint32_t)o.imm;
        if (o.kind == WW_OPD_IMM && o.flags == 0 && n != 0 && (n & (n - 1)) == 0) {
            *factor = inst->src[1 - i];
            *k = (unsigned)__builtin_ctz(n);
            return factor->kind != WW_OPD_IMM;
        }
    }
    return false;
}

static ww_operand shifted(ww_rewriter *l, ww_operand a, unsigned k)
{
    ww_operand t = ww__new_reg(l, WW_T_B32);
    ww__emit2(l, WW_OP_SHL, WW_T_B32, t, a, ww_opd_imm(k));
    return t;
}

static bool product(ww_rewriter *l, const ww_inst *inst)
{
    ww_operand factor;
    unsigned k;
    if (inst->sub != WW_SUB_LO || !is_word(inst) || inst->dst_count != 1 || inst->mods != 0 ||
        !power_of_two(inst, &factor, &k) || factor.flags != 0) {
        return false;
    }
    if (inst->op == WW_OP_MUL) {
        ww__emit2(l, WW_OP_SHL, WW_T_B32, inst->dst[0], factor, ww_opd_imm(k));
    } else {
        ww_operand scaled = k > 0 ? shifted(l, factor, k) : factor;
        ww__emit2(l, WW_OP_ADD, WW_T_U32, inst->dst[0], scaled, inst->src[2]);
    }
    return true;
}

/* x + 0, of an array that begins where shared memory does. */
static bool sum(ww_rewriter *l, const ww_inst *inst)
{
    for (unsigned k = 0; k < 2; k++) {
        const ww_operand zero = inst->src[k], other = inst->src[1 - k];
        if (is_word(inst) && inst->dst_count == 1 && inst->mods == 0 && zero.kind == WW_OPD_IMM &&
            (uint32_t)zero.imm == 0 && other.kind == WW_OPD_REG && other.flags == 0) {
            ww__emit1(l, WW_OP_MOV, WW_T_B32, inst->dst[0], other);
            return true;
        }
    }
    return false;
}

static bool same_register(ww_operand a, ww_operand b)
{
    return a.kind == WW_OPD_REG && b.kind == WW_OPD_REG && a.reg == b.reg;
}

static void move_if(ww_rewriter *l, const ww_inst *inst, ww_operand value, ww_operand p)
{
    ww_inst *mov = ww__emit1(l, WW_OP_MOV, WW_T_B32, inst->dst[0], value);
    mov->guard = p;
}

/* A selection under a guard would need both predicates at once. */
static bool selection(ww_rewriter *l, const ww_inst *inst)
{
    ww_operand d = inst->dst[0], a = inst->src[0], b = inst->src[1], p = inst->src[2];
    if (ww_type_bytes((ww_type)inst->type) != 4 || inst->guard.kind != WW_OPD_NONE ||
        d.kind != WW_OPD_REG || d.part != 0 || p.kind != WW_OPD_PRED ||
        ((a.flags | b.flags) & ~(unsigned)WW_OPD_NOT) != 0) {
        return false;
    }
    ww_operand other = p;
    other.flags ^= WW_OPD_NOT;
    if (same_register(d, a)) {
        move_if(l, inst, b, other);
    } else {
        if (!same_register(d, b)) {
            ww__emit1(l, WW_OP_MOV, WW_T_B32, d, b);
        }
        move_if(l, inst, a, p);
    }
    return true;
}

bool ww__gt200_rule(ww_rewriter *l, const ww_inst *inst)
{
    static ww_lower_rule *const of[WW_OP_COUNT] = {
        [WW_OP_MUL] = product,
        [WW_OP_MAD] = product,
        [WW_OP_ADD] = sum,
        [WW_OP_SELP] = selection,
    };
    return inst->op < WW_OP_COUNT && of[inst->op] != NULL && of[inst->op](l, inst);
}
