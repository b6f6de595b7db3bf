/* div.c - division, remainder, reciprocal and square root as the sequences a machine runs.
 * Each exactly rounded operation is a fast path on fused multiply-adds plus, under a predicate, the
 * operation itself for the operands whose exponents the fast path cannot take (the machine's
 * slow-path subroutine, charged as one long instruction). Sources: Markstein, "IA-64 and Elementary
 * Functions" (2000), ch. 8 (division, root by Newton-Raphson with exact remainders); the order of
 * steps is the one visible in machine code of NVIDIA GPUs. */
#include "perf/ptx/lower/lower.h"

enum { F32_ONE = 0x3f800000, F32_HALF = 0x3f000000 };
#define F64_ONE      0x3ff0000000000000ull
#define F64_HALF     0x3fe0000000000000ull
#define F64_3_OVER_8 0x3fd8000000000000ull

static ww_inst *fma_exact(ww_rewriter *l, ww_type type, ww_operand d, ww_operand a, ww_operand b,
                          ww_operand c)
{
    ww_inst *inst = ww__emit3(l, WW_OP_FMA, type, d, a, b, c);
    inst->mods = 0; /* remainders may be subnormal and must not be flushed */
    return inst;
}

static ww_inst *mul_exact(ww_rewriter *l, ww_type type, ww_operand d, ww_operand a, ww_operand b)
{
    ww_inst *inst = ww__emit2(l, WW_OP_MUL, type, d, a, b);
    inst->mods = 0;
    return inst;
}

static ww_operand in_register(ww_rewriter *l, ww_operand o, ww_type type)
{
    if (o.kind == WW_OPD_REG) {
        return o;
    }
    ww_operand t = ww__new_reg(l, type);
    ww__emit1(l, WW_OP_MOV, type, t, o);
    return t;
}

static ww_operand approximate(ww_rewriter *l, ww_op op, ww_operand x)
{
    ww_operand r = ww__new_reg(l, WW_T_F32);
    ww_inst *inst = ww__emit1(l, op, WW_T_F32, r, x);
    inst->sub = WW_SUB_APPROX;
    inst->mods = WW_MOD_FTZ; /* in range: nothing to flush */
    return r;
}

/* Runs the operation itself where p holds. */
static void slow_path(ww_rewriter *l, const ww_inst *inst, ww_operand d, ww_operand p)
{
    ww_inst *slow = ww__emit_copy(l, inst);
    slow->dst[0] = d;
    slow->guard = p;
    slow->mods |= WW_MOD_LINKED; /* marks it as expanded already */
}

static ww_operand range_check(ww_rewriter *l, ww_type type, ww_operand a, ww_operand b)
{
    ww_operand p = ww__new_pred(l);
    ww__emit2(l, WW_OP_FCHK, type, p, a, b)->mods = 0;
    return p;
}

/* ---- FP32 ---- */

/* 1/b to within an ulp, then corrected once: correctly rounded wherever fchk is false. */
static ww_operand reciprocal32(ww_rewriter *l, ww_operand b)
{
    ww_operand r0 = approximate(l, WW_OP_RCP, b);
    ww_operand e = ww__new_reg(l, WW_T_F32), r = ww__new_reg(l, WW_T_F32);
    fma_exact(l, WW_T_F32, e, ww__neg(b), r0, ww__f32(F32_ONE));
    fma_exact(l, WW_T_F32, r, r0, e, r0);
    return r;
}

static void divide32(ww_rewriter *l, const ww_inst *inst, ww_operand d)
{
    ww_operand a = in_register(l, inst->src[0], WW_T_F32),
               b = in_register(l, inst->src[1], WW_T_F32);
    ww_operand p = range_check(l, WW_T_F32, a, b);
    ww_operand r = reciprocal32(l, b);
    ww_operand q = ww__new_reg(l, WW_T_F32), rest = ww__new_reg(l, WW_T_F32);
    ww_operand q1 = ww__new_reg(l, WW_T_F32), rest1 = ww__new_reg(l, WW_T_F32);
    mul_exact(l, WW_T_F32, q, a, r);
    fma_exact(l, WW_T_F32, rest, ww__neg(b), q, a);
    fma_exact(l, WW_T_F32, q1, rest, r, q);
    fma_exact(l, WW_T_F32, rest1, ww__neg(b), q1, a);
    fma_exact(l, WW_T_F32, d, rest1, r, q1);
    slow_path(l, inst, d, p);
}

static void invert32(ww_rewriter *l, const ww_inst *inst, ww_operand d)
{
    ww_operand b = in_register(l, inst->src[0], WW_T_F32), one = ww__f32(F32_ONE);
    ww_operand p = range_check(l, WW_T_F32, one, b);
    ww_operand r = reciprocal32(l, b);
    ww__emit1(l, WW_OP_MOV, WW_T_F32, d, r);
    slow_path(l, inst, d, p);
}

/* True where the word of a float lies outside [lowest, +max]: one addition, one unsigned
 * comparison. */
static ww_operand outside(ww_rewriter *l, ww_operand word, uint32_t lowest, uint32_t span)
{
    ww_operand t = ww__new_reg(l, WW_T_B32), p = ww__new_pred(l);
    ww__emit2(l, WW_OP_ADD, WW_T_U32, t, word, ww_opd_imm(0u - lowest));
    ww__emit2(l, WW_OP_SETP, WW_T_U32, p, t, ww_opd_imm(span))->cmp = WW_CMP_HI;
    return p;
}

static void root32(ww_rewriter *l, const ww_inst *inst, ww_operand d)
{
    ww_operand a = in_register(l, inst->src[0], WW_T_F32);
    ww_operand p = outside(l, a, 0x0d000000u, 0x727fffffu); /* 2^-101 .. largest */
    ww_operand y = approximate(l, WW_OP_RSQRT, a);
    ww_operand s = ww__new_reg(l, WW_T_F32), h = ww__new_reg(l, WW_T_F32),
               e = ww__new_reg(l, WW_T_F32);
    mul_exact(l, WW_T_F32, s, a, y);
    mul_exact(l, WW_T_F32, h, y, ww__f32(F32_HALF));
    fma_exact(l, WW_T_F32, e, ww__neg(s), s, a);
    fma_exact(l, WW_T_F32, d, e, h, s);
    slow_path(l, inst, d, p);
}

/* ---- FP64 ---- */

static ww_operand seed64(ww_rewriter *l, ww_op op, ww_operand x)
{
    ww_operand y = ww__new_reg(l, WW_T_F64);
    ww__emit1(l, WW_OP_MOV, WW_T_B32, ww__lo(y), ww_opd_imm(0));
    ww__emit1(l, op, WW_T_F32, ww__hi(y), ww__hi(x))->mods = 0;
    return y;
}

static ww_operand reciprocal64(ww_rewriter *l, ww_operand b)
{
    ww_operand r0 = seed64(l, WW_OP_RCP64H, b), one = ww_opd_imm(F64_ONE);
    ww_operand e = ww__new_reg(l, WW_T_F64), e2 = ww__new_reg(l, WW_T_F64),
               r1 = ww__new_reg(l, WW_T_F64);
    ww_operand e3 = ww__new_reg(l, WW_T_F64), r = ww__new_reg(l, WW_T_F64);
    fma_exact(l, WW_T_F64, e, ww__neg(b), r0, one);
    fma_exact(l, WW_T_F64, e2, e, e, e);
    fma_exact(l, WW_T_F64, r1, r0, e2, r0);
    fma_exact(l, WW_T_F64, e3, ww__neg(b), r1, one);
    fma_exact(l, WW_T_F64, r, r1, e3, r1);
    return r;
}

static void divide64(ww_rewriter *l, const ww_inst *inst, ww_operand d)
{
    ww_operand a = in_register(l, inst->src[0], WW_T_F64),
               b = in_register(l, inst->src[1], WW_T_F64);
    ww_operand p = range_check(l, WW_T_F64, a, b);
    ww_operand r = reciprocal64(l, b);
    ww_operand q = ww__new_reg(l, WW_T_F64), rest = ww__new_reg(l, WW_T_F64);
    mul_exact(l, WW_T_F64, q, a, r);
    fma_exact(l, WW_T_F64, rest, ww__neg(b), q, a);
    fma_exact(l, WW_T_F64, d, rest, r, q);
    slow_path(l, inst, d, p);
}

static void invert64(ww_rewriter *l, const ww_inst *inst, ww_operand d)
{
    ww_operand b = in_register(l, inst->src[0], WW_T_F64), one = ww_opd_imm(F64_ONE);
    ww_operand p = range_check(l, WW_T_F64, one, b);
    ww_operand r = reciprocal64(l, b);
    ww__emit1(l, WW_OP_MOV, WW_T_B64, d, r);
    slow_path(l, inst, d, p);
}

static void root64(ww_rewriter *l, const ww_inst *inst, ww_operand d)
{
    ww_operand a = in_register(l, inst->src[0], WW_T_F64);
    ww_operand p = outside(l, ww__hi(a), 0x03500000u, 0x7c9fffffu); /* 2^-970 .. largest */
    ww_operand y = seed64(l, WW_OP_RSQ64H, a);
    ww_operand t = ww__new_reg(l, WW_T_F64), e = ww__new_reg(l, WW_T_F64),
               c = ww__new_reg(l, WW_T_F64);
    ww_operand ye = ww__new_reg(l, WW_T_F64), y1 = ww__new_reg(l, WW_T_F64),
               s = ww__new_reg(l, WW_T_F64);
    ww_operand h = ww__new_reg(l, WW_T_F64), rest = ww__new_reg(l, WW_T_F64);
    mul_exact(l, WW_T_F64, t, y, y);
    fma_exact(l, WW_T_F64, e, ww__neg(a), t, ww_opd_imm(F64_ONE));
    ww_operand half = in_register(l, ww_opd_imm(F64_HALF), WW_T_F64);
    fma_exact(l, WW_T_F64, c, e, ww_opd_imm(F64_3_OVER_8), half);
    mul_exact(l, WW_T_F64, ye, y, e);
    fma_exact(l, WW_T_F64, y1, c, ye, y);
    mul_exact(l, WW_T_F64, s, a, y1);
    mul_exact(l, WW_T_F64, h, y1, ww_opd_imm(F64_HALF));
    fma_exact(l, WW_T_F64, rest, ww__neg(s), s, a);
    fma_exact(l, WW_T_F64, d, rest, h, s);
    slow_path(l, inst, d, p);
}

/* ---- 32-bit integers ---- */

static void predicated(ww_rewriter *l, ww_op op, ww_operand d, ww_operand a, ww_operand b,
                       ww_operand p)
{
    ww__emit2(l, op, WW_T_U32, d, a, b)->guard = p;
}

static ww_operand test(ww_rewriter *l, ww_type type, ww_cmp cmp, ww_operand a, ww_operand b)
{
    ww_operand p = ww__new_pred(l);
    ww__emit2(l, WW_OP_SETP, type, p, a, b)->cmp = (uint8_t)cmp;
    return p;
}

/* Quotient and remainder of unsigned words: a floating-point reciprocal scaled to 2^32/b from
 * below, one Newton step in integers, then two corrections. */
static void divide_u32(ww_rewriter *l, ww_operand a, ww_operand b, ww_operand q, ww_operand rest)
{
    ww_operand f = ww__new_reg(l, WW_T_F32), scaled = ww__new_reg(l, WW_T_B32),
               r0 = ww__new_reg(l, WW_T_U32);
    ww_inst *cvt = ww__emit1(l, WW_OP_CVT, WW_T_F32, f, b);
    cvt->type2 = WW_T_U32;
    cvt->round = WW_ROUND_RP;
    ww_operand inverse = approximate(l, WW_OP_RCP, f);
    ww__emit2(l, WW_OP_ADD, WW_T_U32, scaled, inverse,
              ww_opd_imm(0x0ffffffeu)); /* times 2^32, less 2 ulp */
    cvt = ww__emit1(l, WW_OP_CVT, WW_T_U32, r0, scaled);
    cvt->type2 = WW_T_F32;
    cvt->round = WW_ROUND_RZI;
    cvt->mods = WW_MOD_FTZ;
    ww_operand minus_b = ww__new_reg(l, WW_T_U32), error = ww__new_reg(l, WW_T_U32),
               r = ww__new_reg(l, WW_T_U32);
    ww__emit2(l, WW_OP_SUB, WW_T_U32, minus_b, ww_opd_imm(0), b);
    ww__emit2(l, WW_OP_MUL, WW_T_U32, error, minus_b, r0)->sub = WW_SUB_LO;
    ww__emit3(l, WW_OP_MAD, WW_T_U32, r, r0, error, r0)->sub = WW_SUB_HI;
    ww__emit2(l, WW_OP_MUL, WW_T_U32, q, r, a)->sub = WW_SUB_HI;
    ww__emit3(l, WW_OP_MAD, WW_T_U32, rest, minus_b, q, a)->sub = WW_SUB_LO;
    for (int step = 0; step < 2; step++) {
        ww_operand p = test(l, WW_T_U32, WW_CMP_HS, rest, b);
        predicated(l, WW_OP_SUB, rest, rest, b, p);
        predicated(l, WW_OP_ADD, q, q, ww_opd_imm(1), p);
    }
}

static void divide_int(ww_rewriter *l, const ww_inst *inst, ww_operand d)
{
    bool is_signed = inst->type == WW_T_S32, remainder = inst->op == WW_OP_REM;
    ww_operand a = in_register(l, inst->src[0], WW_T_U32),
               b = in_register(l, inst->src[1], WW_T_U32);
    ww_operand q = ww__new_reg(l, WW_T_U32), rest = ww__new_reg(l, WW_T_U32);
    ww_operand ua = a, ub = b;
    if (is_signed) {
        ua = ww__new_reg(l, WW_T_U32);
        ub = ww__new_reg(l, WW_T_U32);
        ww__emit1(l, WW_OP_ABS, WW_T_S32, ua, a);
        ww__emit1(l, WW_OP_ABS, WW_T_S32, ub, b);
    }
    divide_u32(l, ua, ub, q, rest);
    ww_operand result = remainder ? rest : q;
    if (is_signed) {
        ww_operand sign = a;
        if (!remainder) {
            sign = ww__new_reg(l, WW_T_U32);
            ww__emit2(l, WW_OP_XOR, WW_T_B32, sign, a, b);
        }
        ww_operand p = test(l, WW_T_S32, WW_CMP_LT, sign, ww_opd_imm(0));
        predicated(l, WW_OP_SUB, result, ww_opd_imm(0), result, p);
    }
    /* Division by zero: quotient all ones, remainder the dividend. */
    ww_operand zero = test(l, WW_T_U32, WW_CMP_EQ, b, ww_opd_imm(0));
    ww__emit1(l, WW_OP_MOV, WW_T_B32, d, result);
    ww_inst *last = ww__emit1(l, WW_OP_MOV, WW_T_B32, d, remainder ? a : ww_opd_imm(0xffffffffu));
    last->guard = zero;
    last->mods |= !remainder ? 0u : is_signed ? WW_MOD_REMAINDER_S : WW_MOD_REMAINDER;
}

/* ---- approximate operations, by the definitions in perf/exec/lanes/approx.h ---- */

static ww_operand approximate_as(ww_rewriter *l, ww_op op, ww_operand d, ww_operand x,
                                 uint32_t mods)
{
    ww_inst *inst = ww__emit1(l, op, WW_T_F32, d, x);
    inst->sub = WW_SUB_APPROX;
    inst->mods = mods | WW_MOD_LINKED;
    return d;
}

static void root_approximate(ww_rewriter *l, const ww_inst *inst, ww_operand d)
{
    uint32_t mods = inst->mods & WW_MOD_FTZ;
    ww_operand y = approximate_as(l, WW_OP_RSQRT, ww__new_reg(l, WW_T_F32), inst->src[0], mods);
    approximate_as(l, WW_OP_RCP, d, y, mods);
}

static void divide_approximate(ww_rewriter *l, const ww_inst *inst, ww_operand d)
{
    ww_operand r = approximate_as(l, WW_OP_RCP, ww__new_reg(l, WW_T_F32), inst->src[1], WW_MOD_FTZ);
    ww__emit2(l, WW_OP_MUL, WW_T_F32, d, inst->src[0], r);
}

/* Both operands are scaled so that neither the reciprocal nor the product leaves the range. */
static void divide_full(ww_rewriter *l, const ww_inst *inst, ww_operand d)
{
    ww_operand a = in_register(l, inst->src[0], WW_T_F32),
               b = in_register(l, inst->src[1], WW_T_F32);
    ww_operand size = b, large = ww__new_pred(l), small = ww__new_pred(l);
    size.flags = WW_OPD_ABS;
    ww__emit2(l, WW_OP_SETP, WW_T_F32, large, size, ww__f32(0x7e800000u))->cmp =
        WW_CMP_GT; /* 2^126 */
    ww__emit2(l, WW_OP_SETP, WW_T_F32, small, size, ww__f32(0x00800000u))->cmp =
        WW_CMP_LT; /* 2^-126 */
    ww_operand one = in_register(l, ww__f32(F32_ONE), WW_T_F32);
    ww_operand t0 = ww__new_reg(l, WW_T_F32), t = ww__new_reg(l, WW_T_F32);
    ww__emit3(l, WW_OP_SELP, WW_T_B32, t0, ww__f32(0x3e800000u), one, large); /* 2^-2 */
    ww__emit3(l, WW_OP_SELP, WW_T_B32, t, ww__f32(0x4b800000u), t0, small);   /* 2^24 */
    ww_operand at = ww__new_reg(l, WW_T_F32), bt = ww__new_reg(l, WW_T_F32);
    ww__emit2(l, WW_OP_MUL, WW_T_F32, at, a, t);
    ww__emit2(l, WW_OP_MUL, WW_T_F32, bt, b, t);
    ww_operand r =
        approximate_as(l, WW_OP_RCP, ww__new_reg(l, WW_T_F32), bt, inst->mods & WW_MOD_FTZ);
    ww__emit2(l, WW_OP_MUL, WW_T_F32, d, at, r);
}

/* ---- which ---- */

typedef void expansion(ww_rewriter *l, const ww_inst *inst, ww_operand d);

static bool rounds_to_nearest(const ww_inst *inst)
{
    return inst->sub == WW_SUB_NONE &&
           (inst->round == WW_ROUND_DEFAULT || inst->round == WW_ROUND_RN) &&
           (inst->mods & (WW_MOD_FTZ | WW_MOD_SAT)) == 0;
}

static expansion *expansion_of(const ww_inst *inst)
{
    if (inst->op == WW_OP_DIV || inst->op == WW_OP_REM) {
        if (inst->type == WW_T_U32 || inst->type == WW_T_S32) {
            return divide_int;
        }
    }
    if (inst->type == WW_T_F32 && (inst->mods & WW_MOD_SAT) == 0) {
        if (inst->op == WW_OP_SQRT && inst->sub == WW_SUB_APPROX) {
            return root_approximate;
        }
        if (inst->op == WW_OP_DIV && inst->sub == WW_SUB_APPROX) {
            return divide_approximate;
        }
        if (inst->op == WW_OP_DIV && inst->sub == WW_SUB_FULL) {
            return divide_full;
        }
    }
    if (!rounds_to_nearest(inst) || (inst->type != WW_T_F32 && inst->type != WW_T_F64)) {
        return NULL;
    }
    bool wide = inst->type == WW_T_F64;
    return inst->op == WW_OP_DIV    ? (wide ? divide64 : divide32)
           : inst->op == WW_OP_RCP  ? (wide ? invert64 : invert32)
           : inst->op == WW_OP_SQRT ? (wide ? root64 : root32)
                                    : NULL;
}

bool ww__lower_division(ww_rewriter *l, const ww_inst *inst)
{
    if ((inst->op == WW_OP_SIN || inst->op == WW_OP_COS) && (inst->mods & WW_MOD_LINKED) == 0) {
        ww_operand t = ww__new_reg(l, WW_T_F32);
        ww__emit1(l, WW_OP_RRO, WW_T_F32, t, inst->src[0]);
        ww_inst *copy = ww__emit_copy(l, inst);
        copy->src[0] = t;
        copy->mods |= WW_MOD_LINKED;
        return true;
    }
    expansion *expand = (inst->mods & WW_MOD_LINKED) != 0 ? NULL : expansion_of(inst);
    if (expand == NULL) {
        return false;
    }
    /* Arithmetic cannot fault, so a guarded operation is computed for all lanes and moved under its
     * guard. */
    ww_inst plain = *inst;
    plain.guard = (ww_operand){0};
    const ww_inst *cur = l->cur;
    l->cur = &plain;
    ww_operand d = inst->dst[0];
    bool direct = inst->guard.kind == WW_OPD_NONE;
    for (unsigned k = 0; k < inst->src_count; k++) {
        direct &= inst->src[k].kind != WW_OPD_REG || inst->src[k].reg != d.reg;
    }
    ww_operand t = direct ? d : ww__new_reg(l, (ww_type)inst->type);
    expand(l, &plain, t);
    l->cur = cur;
    if (!direct) {
        ww__emit1(l, WW_OP_MOV, ww_type_bytes((ww_type)inst->type) == 8 ? WW_T_B64 : WW_T_B32, d,
                  t);
    }
    return true;
}
