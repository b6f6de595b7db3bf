/* int64.c - 64-bit integer operations as sequences on 32-bit words, as NVIDIA machines run
 * them. Add and subtract go through a carry; multiplication by parts; comparisons word by word;
 * shifts by double-word steps. Method: Warren, "Hacker's Delight", 2nd ed., §2-16 (multiword add),
 * §2-18 (double-length shifts), §8-1, 8-2 (products). */
#include "perf/ptx/lower/lower.h"

static bool is_int64(const ww_inst *inst)
{
    ww_type t = (ww_type)inst->type;
    return t == WW_T_U64 || t == WW_T_S64 || t == WW_T_B64;
}

static bool reads(const ww_inst *inst, ww_operand d)
{
    for (unsigned k = 0; k < inst->src_count; k++) {
        if (inst->src[k].kind == WW_OPD_REG && inst->src[k].reg == d.reg) {
            return true;
        }
    }
    return false;
}

static void move64(ww_rewriter *l, ww_operand d, ww_operand lo, ww_operand hi)
{
    ww__emit1(l, WW_OP_MOV, WW_T_B32, ww__lo(d), lo);
    ww__emit1(l, WW_OP_MOV, WW_T_B32, ww__hi(d), hi);
}

/* op.lo with carry-out, then op.hi with carry-in: add, addc, sub, subc. */
static void carry_pair(ww_rewriter *l, const ww_inst *inst, bool subtract)
{
    bool carry_in = inst->op == WW_OP_ADDC || inst->op == WW_OP_SUBC;
    ww_operand carry = ww__new_pred(l);
    ww_operand d = inst->dst[0], a = inst->src[0], b = inst->src[1];
    ww_op plain = subtract ? WW_OP_SUB : WW_OP_ADD, with_carry = subtract ? WW_OP_SUBC : WW_OP_ADDC;
    ww_inst *low = ww__emit(l, carry_in ? with_carry : plain, WW_T_U32, 2, carry_in ? 3 : 2);
    low->dst[0] = ww__lo(d);
    low->dst[1] = carry;
    low->src[0] = ww__lo(a);
    low->src[1] = ww__lo(b);
    if (carry_in) {
        low->src[2] = inst->src[2];
    }
    bool carry_out = inst->dst_count > 1;
    ww_inst *high = ww__emit(l, with_carry, WW_T_U32, carry_out ? 2 : 1, 3);
    high->dst[0] = ww__hi(d);
    if (carry_out) {
        high->dst[1] = inst->dst[1];
    }
    high->src[0] = ww__hi(a);
    high->src[1] = ww__hi(b);
    high->src[2] = carry;
}

static bool logic_pair(ww_rewriter *l, const ww_inst *inst)
{
    for (unsigned part = 1; part <= 2; part++) {
        ww_inst *word = ww__emit(l, (ww_op)inst->op, WW_T_B32, 1, inst->src_count);
        word->dst[0] = part == 1 ? ww__lo(inst->dst[0]) : ww__hi(inst->dst[0]);
        for (unsigned k = 0; k < inst->src_count; k++) {
            word->src[k] = part == 1 ? ww__lo(inst->src[k]) : ww__hi(inst->src[k]);
        }
    }
    return true;
}

static void multiply(ww_rewriter *l, ww_sub sub, ww_type type, ww_operand d, ww_operand a,
                     ww_operand b)
{
    ww__emit2(l, WW_OP_MUL, type, d, a, b)->sub = (uint8_t)sub;
}

static void multiply_add(ww_rewriter *l, ww_sub sub, ww_type type, ww_operand d, ww_operand a,
                         ww_operand b, ww_operand c)
{
    ww__emit3(l, WW_OP_MAD, type, d, a, b, c)->sub = (uint8_t)sub;
}

/* Low 64 bits of a*b: lo*lo in full, the cross products into the high word. */
static void product_low(ww_rewriter *l, ww_operand d, ww_operand a, ww_operand b)
{
    ww_operand low = ww__new_reg(l, WW_T_B32), high = ww__new_reg(l, WW_T_B32);
    multiply(l, WW_SUB_LO, WW_T_U32, low, ww__lo(a), ww__lo(b));
    multiply(l, WW_SUB_HI, WW_T_U32, high, ww__lo(a), ww__lo(b));
    ww_operand cross = ww__new_reg(l, WW_T_B32), sum = ww__new_reg(l, WW_T_B32);
    multiply_add(l, WW_SUB_LO, WW_T_U32, cross, ww__lo(a), ww__hi(b), high);
    multiply_add(l, WW_SUB_LO, WW_T_U32, sum, ww__hi(a), ww__lo(b), cross);
    move64(l, d, low, sum);
}

/* 32 x 32 -> 64: one instruction from compute capability 7.0 on, two before. */
static void product_wide(ww_rewriter *l, const ww_inst *inst)
{
    ww_operand d = inst->dst[0], a = inst->src[0], b = inst->src[1];
    ww_type type = (ww_type)inst->type;
    if (inst->op == WW_OP_MAD) {
        ww_operand c = inst->src[2], carry = ww__new_pred(l);
        bool overlap = reads(inst, d);
        ww_operand low = overlap ? ww__new_reg(l, WW_T_B32) : ww__lo(d);
        ww_inst *first = ww__emit(l, WW_OP_MAD, type, 2, 3);
        first->sub = WW_SUB_LO;
        first->dst[0] = low;
        first->dst[1] = carry;
        first->src[0] = a;
        first->src[1] = b;
        first->src[2] = ww__lo(c);
        ww_operand high = overlap ? ww__new_reg(l, WW_T_B32) : ww__hi(d);
        ww_inst *second = ww__emit(l, WW_OP_MADC, type, 1, 4);
        second->sub = WW_SUB_HI;
        second->dst[0] = high;
        second->src[0] = a;
        second->src[1] = b;
        second->src[2] = ww__hi(c);
        second->src[3] = carry;
        if (overlap) {
            move64(l, d, low, high);
        }
        return;
    }
    multiply(l, WW_SUB_LO, type, ww__lo(d), a, b);
    multiply(l, WW_SUB_HI, type, ww__hi(d), a, b);
}

static void compare(ww_rewriter *l, ww_type type, ww_cmp cmp, ww_operand p, ww_operand a,
                    ww_operand b)
{
    ww__emit2(l, WW_OP_SETP, type, p, a, b)->cmp = (uint8_t)cmp;
}

static void compare_and(ww_rewriter *l, ww_type type, ww_cmp cmp, ww_bool_op how, ww_operand p,
                        ww_operand a, ww_operand b, ww_operand with)
{
    ww_inst *inst = ww__emit3(l, WW_OP_SETP, type, p, a, b, with);
    inst->cmp = (uint8_t)cmp;
    inst->bool_op = (uint8_t)how;
}

/* The unsigned comparison of low words and the strict one of high words that make a 64-bit
 * comparison. */
static void split_compare(ww_cmp cmp, bool is_signed, ww_cmp *low, ww_cmp *high)
{
    bool less = cmp == WW_CMP_LT || cmp == WW_CMP_LE || cmp == WW_CMP_LO || cmp == WW_CMP_LS;
    bool equal = cmp == WW_CMP_LE || cmp == WW_CMP_GE || cmp == WW_CMP_LS || cmp == WW_CMP_HS;
    bool by_sign =
        is_signed && cmp != WW_CMP_LO && cmp != WW_CMP_LS && cmp != WW_CMP_HI && cmp != WW_CMP_HS;
    *low = less ? (equal ? WW_CMP_LS : WW_CMP_LO) : (equal ? WW_CMP_HS : WW_CMP_HI);
    *high = less ? (by_sign ? WW_CMP_LT : WW_CMP_LO) : (by_sign ? WW_CMP_GT : WW_CMP_HI);
}

/* p = a cmp b over 64 bits. */
static void compare64(ww_rewriter *l, ww_cmp cmp, bool is_signed, ww_operand p, ww_operand a,
                      ww_operand b)
{
    if (cmp == WW_CMP_EQ || cmp == WW_CMP_NE) {
        ww_operand first = ww__new_pred(l);
        compare(l, WW_T_U32, cmp, first, ww__lo(a), ww__lo(b));
        compare_and(l, WW_T_U32, cmp, cmp == WW_CMP_EQ ? WW_BOOL_AND : WW_BOOL_OR, p, ww__hi(a),
                    ww__hi(b), first);
        return;
    }
    ww_cmp low, high;
    split_compare(cmp, is_signed, &low, &high);
    ww_operand by_low = ww__new_pred(l), tie = ww__new_pred(l);
    compare(l, WW_T_U32, low, by_low, ww__lo(a), ww__lo(b));
    compare_and(l, WW_T_U32, WW_CMP_EQ, WW_BOOL_AND, tie, ww__hi(a), ww__hi(b), by_low);
    compare_and(l, is_signed ? WW_T_S32 : WW_T_U32, high, WW_BOOL_OR, p, ww__hi(a), ww__hi(b), tie);
}

static bool setp64(ww_rewriter *l, const ww_inst *inst)
{
    bool is_signed = inst->type == WW_T_S64;
    bool plain = inst->bool_op == WW_BOOL_NONE && inst->dst_count == 1;
    ww_operand result = plain ? inst->dst[0] : ww__new_pred(l);
    compare64(l, (ww_cmp)inst->cmp, is_signed, result, inst->src[0], inst->src[1]);
    if (plain) {
        return true;
    }
    ww_op how = inst->bool_op == WW_BOOL_OR    ? WW_OP_OR
                : inst->bool_op == WW_BOOL_XOR ? WW_OP_XOR
                                               : WW_OP_AND;
    for (unsigned k = 0; k < inst->dst_count; k++) { /* q combines the complement */
        ww_operand value = result;
        value.flags ^= k == 1 ? WW_OPD_NOT : 0;
        if (inst->dst[k].kind != WW_OPD_PRED) {
            continue;
        }
        if (inst->bool_op == WW_BOOL_NONE) {
            ww__emit2(l, WW_OP_AND, WW_T_PRED, inst->dst[k], value, value);
        } else {
            ww__emit2(l, how, WW_T_PRED, inst->dst[k], value, inst->src[2]);
        }
    }
    return true;
}

static void select64(ww_rewriter *l, ww_operand d, ww_operand a, ww_operand b, ww_operand p)
{
    ww__emit3(l, WW_OP_SELP, WW_T_B32, ww__lo(d), ww__lo(a), ww__lo(b), p);
    ww__emit3(l, WW_OP_SELP, WW_T_B32, ww__hi(d), ww__hi(a), ww__hi(b), p);
}

static bool min_max(ww_rewriter *l, const ww_inst *inst)
{
    ww_operand p = ww__new_pred(l);
    compare64(l, inst->op == WW_OP_MIN ? WW_CMP_LT : WW_CMP_GT, inst->type == WW_T_S64, p,
              inst->src[0], inst->src[1]);
    select64(l, inst->dst[0], inst->src[0], inst->src[1], p);
    return true;
}

/* Shift by a constant: words move across the boundary by a funnel shift or by shift, shift, or. */
static void funnel(ww_rewriter *l, bool left, ww_operand d, ww_operand low, ww_operand high,
                   unsigned n)
{
    if (l->arch->chip.compute_capability >= 35) {
        ww__emit3(l, WW_OP_SHF, WW_T_B32, d, low, high, ww_opd_imm(n))->sub =
            (uint8_t)(left ? WW_SUB_LEFT : WW_SUB_RIGHT);
        return;
    }
    ww_operand x = ww__new_reg(l, WW_T_B32), y = ww__new_reg(l, WW_T_B32);
    ww__emit2(l, WW_OP_SHL, WW_T_B32, x, high, ww_opd_imm(left ? n : 32 - n));
    ww__emit2(l, WW_OP_SHR, WW_T_U32, y, low, ww_opd_imm(left ? 32 - n : n));
    ww__emit2(l, WW_OP_OR, WW_T_B32, d, x, y);
}

static void shift_constant(ww_rewriter *l, const ww_inst *inst, unsigned n)
{
    ww_operand d = inst->dst[0], a = inst->src[0];
    bool left = inst->op == WW_OP_SHL, arithmetic = inst->type == WW_T_S64;
    ww_type shr = arithmetic ? WW_T_S32 : WW_T_U32;
    ww_operand low = ww__new_reg(l, WW_T_B32), high = ww__new_reg(l, WW_T_B32);
    if (n == 0) {
        low = ww__lo(a);
        high = ww__hi(a);
    } else if (left && n < 32) {
        ww__emit2(l, WW_OP_SHL, WW_T_B32, low, ww__lo(a), ww_opd_imm(n));
        funnel(l, true, high, ww__lo(a), ww__hi(a), n);
    } else if (left) {
        low = ww_opd_imm(0);
        ww__emit2(l, WW_OP_SHL, WW_T_B32, high, ww__lo(a), ww_opd_imm(n - 32));
    } else if (n < 32) {
        funnel(l, false, low, ww__lo(a), ww__hi(a), n);
        ww__emit2(l, WW_OP_SHR, shr, high, ww__hi(a), ww_opd_imm(n));
    } else {
        ww__emit2(l, WW_OP_SHR, shr, low, ww__hi(a), ww_opd_imm(n - 32));
        if (arithmetic) {
            ww__emit2(l, WW_OP_SHR, shr, high, ww__hi(a), ww_opd_imm(31));
        } else {
            high = ww_opd_imm(0);
        }
    }
    move64(l, d, low, high);
}

/* Shift by a register. Word shifts clamp: an amount of 32 or more (also a negative one, read
 * unsigned) gives 0, so that the parts that do not apply vanish by themselves; only the arithmetic
 * right shift needs a selection. */
static void shift_variable(ww_rewriter *l, const ww_inst *inst)
{
    ww_operand d = inst->dst[0], a = inst->src[0], n = inst->src[1];
    bool left = inst->op == WW_OP_SHL, arithmetic = inst->type == WW_T_S64;
    ww_operand back = ww__new_reg(l, WW_T_B32), over = ww__new_reg(l, WW_T_B32);
    ww__emit2(l, WW_OP_SUB, WW_T_U32, back, ww_opd_imm(32), n);
    ww__emit2(l, WW_OP_ADD, WW_T_U32, over, n, ww_opd_imm(0xffffffe0u));
    ww_operand x = ww__new_reg(l, WW_T_B32), y = ww__new_reg(l, WW_T_B32),
               z = ww__new_reg(l, WW_T_B32);
    ww_operand near_word = ww__new_reg(l, WW_T_B32), far_word = ww__new_reg(l, WW_T_B32);
    ww_operand from = left ? ww__lo(a) : ww__hi(a), into = left ? ww__hi(a) : ww__lo(a);
    ww_op toward = left ? WW_OP_SHL : WW_OP_SHR, across = left ? WW_OP_SHR : WW_OP_SHL;
    ww__emit2(l, toward, WW_T_U32, x, into, n);
    ww__emit2(l, across, WW_T_U32, y, from, back);
    ww__emit2(l, WW_OP_OR, WW_T_B32, x, x, y);
    if (arithmetic && !left) {
        ww_operand p = ww__new_pred(l);
        compare(l, WW_T_U32, WW_CMP_LO, p, n, ww_opd_imm(32));
        ww__emit2(l, WW_OP_SHR, WW_T_S32, z, from, over);
        ww__emit3(l, WW_OP_SELP, WW_T_B32, far_word, x, z, p);
        ww__emit2(l, WW_OP_SHR, WW_T_S32, near_word, from, n);
    } else {
        ww__emit2(l, toward, WW_T_U32, z, from, over);
        ww__emit2(l, WW_OP_OR, WW_T_B32, far_word, x, z);
        ww__emit2(l, toward, WW_T_U32, near_word, from, n);
    }
    move64(l, d, left ? near_word : far_word, left ? far_word : near_word);
}

/* Integer conversions between 32 bits or less and 64 bits are moves with sign or zero above. */
static bool convert(ww_rewriter *l, const ww_inst *inst)
{
    ww_type to = (ww_type)inst->type, from = (ww_type)inst->type2;
    if (ww_type_is_float(to) || ww_type_is_float(from) || (inst->mods & WW_MOD_SAT) != 0) {
        return false;
    }
    if (ww_type_bytes(to) == 8 && ww_type_bytes(from) == 4) {
        ww_operand d = inst->dst[0], a = ww__lo(inst->src[0]);
        ww__emit1(l, WW_OP_MOV, WW_T_B32, ww__lo(d), a);
        if (ww_type_is_signed(from)) {
            ww__emit2(l, WW_OP_SHR, WW_T_S32, ww__hi(d), a, ww_opd_imm(31));
        } else {
            ww__emit1(l, WW_OP_MOV, WW_T_B32, ww__hi(d), ww_opd_imm(0));
        }
        return true;
    }
    if (ww_type_bytes(to) == 4 && ww_type_bytes(from) == 8) {
        ww__emit1(l, WW_OP_MOV, WW_T_B32, inst->dst[0], ww__lo(inst->src[0]));
        return true;
    }
    if (ww_type_bytes(to) == 8 && ww_type_bytes(from) == 8) {
        move64(l, inst->dst[0], ww__lo(inst->src[0]), ww__hi(inst->src[0]));
        return true;
    }
    return false;
}

/* Moves of 64 bits, and packing or unpacking of two words. */
static bool move(ww_rewriter *l, const ww_inst *inst)
{
    if (inst->src_count == 1 && inst->dst_count == 1 && inst->dst[0].kind == WW_OPD_REG &&
        inst->dst[0].words == 2 && inst->src[0].kind != WW_OPD_SREG) {
        move64(l, inst->dst[0], ww__lo(inst->src[0]), ww__hi(inst->src[0]));
        return true;
    }
    if (inst->src_count == 2 && inst->dst_count == 1 && inst->dst[0].words == 2 &&
        ww_type_bytes((ww_type)inst->type) == 8) {
        ww_operand low = inst->src[0], high = inst->src[1];
        if (high.kind == WW_OPD_REG && high.reg == inst->dst[0].reg) {
            return false;
        }
        move64(l, inst->dst[0], low, high);
        return true;
    }
    if (inst->src_count == 1 && inst->dst_count == 2 && inst->src[0].words == 2 &&
        ww_type_bytes((ww_type)inst->type) == 8) {
        if (inst->dst[0].kind == WW_OPD_REG) {
            ww__emit1(l, WW_OP_MOV, WW_T_B32, inst->dst[0], ww__lo(inst->src[0]));
        }
        if (inst->dst[1].kind == WW_OPD_REG) {
            ww__emit1(l, WW_OP_MOV, WW_T_B32, inst->dst[1], ww__hi(inst->src[0]));
        }
        return true;
    }
    return false;
}

static bool count_bits(ww_rewriter *l, const ww_inst *inst)
{
    ww_operand a = inst->src[0], x = ww__new_reg(l, WW_T_B32), y = ww__new_reg(l, WW_T_B32);
    ww__emit1(l, (ww_op)inst->op, WW_T_B32, x, ww__hi(a));
    ww__emit1(l, (ww_op)inst->op, WW_T_B32, y, ww__lo(a));
    if (inst->op == WW_OP_POPC) {
        ww__emit2(l, WW_OP_ADD, WW_T_U32, inst->dst[0], x, y);
        return true;
    }
    ww_operand p = ww__new_pred(l), sum = ww__new_reg(l, WW_T_B32); /* clz */
    compare(l, WW_T_U32, WW_CMP_EQ, p, ww__hi(a), ww_opd_imm(0));
    ww__emit2(l, WW_OP_ADD, WW_T_U32, sum, y, ww_opd_imm(32));
    ww__emit3(l, WW_OP_SELP, WW_T_B32, inst->dst[0], sum, x, p);
    return true;
}

static bool negate(ww_rewriter *l, const ww_inst *inst)
{
    ww_inst sub = *inst;
    ww_operand src[2] = {ww_opd_imm(0), inst->src[0]};
    sub.op = WW_OP_SUB;
    sub.src = src;
    sub.src_count = 2;
    if (inst->op == WW_OP_NEG) {
        carry_pair(l, &sub, true);
        return true;
    }
    ww_operand t = ww__new_reg(l, WW_T_B64), p = ww__new_pred(l); /* abs */
    sub.dst = &t;
    carry_pair(l, &sub, true);
    compare(l, WW_T_S32, WW_CMP_LT, p, ww__hi(inst->src[0]), ww_opd_imm(0));
    select64(l, inst->dst[0], t, inst->src[0], p);
    return true;
}

static bool sum64(ww_rewriter *l, const ww_inst *inst)
{
    carry_pair(l, inst, false);
    return true;
}

static bool difference64(ww_rewriter *l, const ww_inst *inst)
{
    carry_pair(l, inst, true);
    return true;
}

static bool product64(ww_rewriter *l, const ww_inst *inst)
{
    if (inst->sub != WW_SUB_LO) {
        return false;
    }
    product_low(l, inst->dst[0], inst->src[0], inst->src[1]);
    return true;
}

static bool product_sum64(ww_rewriter *l, const ww_inst *inst)
{
    if (inst->sub != WW_SUB_LO || inst->dst_count != 1) {
        return false;
    }
    ww_operand t = ww__new_reg(l, WW_T_B64), d = inst->dst[0];
    product_low(l, t, inst->src[0], inst->src[1]);
    ww_inst add = *inst;
    ww_operand src[2] = {t, inst->src[2]};
    add.op = WW_OP_ADD;
    add.src = src;
    add.src_count = 2;
    add.dst = &d;
    carry_pair(l, &add, false);
    return true;
}

static bool shift64(ww_rewriter *l, const ww_inst *inst)
{
    if (inst->src[1].kind == WW_OPD_IMM) {
        shift_constant(l, inst, inst->src[1].imm > 63 ? 64 : (unsigned)inst->src[1].imm);
    } else {
        shift_variable(l, inst);
    }
    return true;
}

/* Rare forms stay one instruction on register pairs. */
static ww_lower_rule *const of_words[WW_OP_COUNT] = {
    [WW_OP_ADD] = sum64,         [WW_OP_ADDC] = sum64,     [WW_OP_SUB] = difference64,
    [WW_OP_SUBC] = difference64, [WW_OP_AND] = logic_pair, [WW_OP_OR] = logic_pair,
    [WW_OP_XOR] = logic_pair,    [WW_OP_NOT] = logic_pair, [WW_OP_MUL] = product64,
    [WW_OP_MAD] = product_sum64, [WW_OP_SETP] = setp64,    [WW_OP_MIN] = min_max,
    [WW_OP_MAX] = min_max,       [WW_OP_SHL] = shift64,    [WW_OP_SHR] = shift64,
    [WW_OP_POPC] = count_bits,   [WW_OP_CLZ] = count_bits, [WW_OP_NEG] = negate,
    [WW_OP_ABS] = negate,
};

bool ww__lower_int64(ww_rewriter *l, const ww_inst *inst)
{
    if ((inst->op == WW_OP_MUL || inst->op == WW_OP_MAD) && inst->sub == WW_SUB_WIDE &&
        ww_type_bytes((ww_type)inst->type) == 4 && l->arch->chip.compute_capability < 70) {
        if (inst->op == WW_OP_MUL && reads(inst, inst->dst[0])) {
            return false;
        }
        product_wide(l, inst);
        return true;
    }
    if (inst->op == WW_OP_CVT) {
        return convert(l, inst);
    }
    if (inst->op == WW_OP_MOV) {
        return move(l, inst);
    }
    if (inst->op == WW_OP_SELP && ww_type_bytes((ww_type)inst->type) == 8) {
        select64(l, inst->dst[0], inst->src[0], inst->src[1], inst->src[2]);
        return true;
    }
    if (!is_int64(inst)) {
        return false;
    }
    ww_lower_rule *rule = inst->op < WW_OP_COUNT ? of_words[inst->op] : NULL;
    return rule != NULL && rule(l, inst);
}
