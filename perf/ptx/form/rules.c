/* rules.c - what the PTX manual demands of an instruction beyond its table row: modifiers that
 * must be there, and those that its type excludes. */
#include "perf/ptx/form/rules.h"

static const char *check_arithmetic(const ptx_form *f, uint64_t seen)
{
    bool real = ww_type_is_float((ww_type)f->type);
    switch (f->op) {
    case WW_OP_MUL:
    case WW_OP_MAD:
    case WW_OP_MADC:
    case WW_OP_MUL24:
    case WW_OP_MAD24:
    case WW_OP_DP2A:
        if (!real && (seen & G_HALVES) == 0) {
            return "needs .lo, .hi or .wide";
        }
        if (f->sub == WW_SUB_WIDE &&
            (ww_type_bytes((ww_type)f->type) == 8 || f->op == WW_OP_MUL24 || f->op == WW_OP_MAD24 ||
             f->op == WW_OP_DP2A)) {
            return "has no .wide";
        }
        break;
    case WW_OP_DIV:
    case WW_OP_RCP:
    case WW_OP_SQRT:
        if (real && (seen & (G_APPROX | G_ROUND)) == 0) {
            return "needs .approx or a rounding mode";
        }
        break;
    default:
        break;
    }
    if (real && (seen & (G_HALVES | G_CC)) != 0) {
        return "is for integers only";
    }
    if (!real && f->op != WW_OP_CVT &&
        (seen & (G_ROUND | G_FTZ | G_APPROX | G_NAN | G_RELU)) != 0 && f->op != WW_OP_SET &&
        f->op != WW_OP_SLCT) {
        return "has a floating-point modifier on another type";
    }
    if (!real && (seen & G_SAT) != 0 && f->type != WW_T_S32 && f->op != WW_OP_CVT) {
        return "saturates only .s32";
    }
    return NULL;
}

/* Conversions with a pair of floats of at most 8 bits on one side (PTX ISA, "cvt"). */
static const char *check_narrow(const ptx_form *f, uint64_t seen)
{
    bool scale = f->type == WW_T_UE8M0X2 || f->type2 == WW_T_UE8M0X2;
    bool nearest = f->round == WW_ROUND_RN,
         directed = f->round == WW_ROUND_RZ || f->round == WW_ROUND_RP;
    bool finite = (f->mods & WW_MOD_SATFINITE) != 0;
    bool others = (seen & (G_FTZ | G_SAT | G_ROUND_INT)) != 0;
    bool legal;
    if (!ww_type_is_narrow_pair((ww_type)f->type)) { /* exact */
        legal = nearest && !finite && f->type == (scale ? WW_T_BF16X2 : WW_T_F16X2);
    } else if (scale) {
        legal = directed && (f->type2 == WW_T_F32 || f->type2 == WW_T_BF16X2);
    } else {
        bool wide = f->type == WW_T_E4M3X2 || f->type == WW_T_E5M2X2;
        legal = nearest && finite && (f->type2 == WW_T_F32 || (wide && f->type2 == WW_T_F16X2));
    }
    bool relu = (f->mods & WW_MOD_RELU) != 0;
    return legal && !others && !(relu && scale) ? NULL : "is not supported with these types";
}

static const char *check_convert(const ptx_form *f, uint64_t seen)
{
    if (ww_type_is_narrow_pair((ww_type)f->type) || ww_type_is_narrow_pair((ww_type)f->type2)) {
        return check_narrow(f, seen);
    }
    bool wide = f->type == WW_T_F64 || f->type == WW_T_F32;
    return (seen & G_SATFINITE) != 0 &&
                   (f->type2 != WW_T_F32 || wide || !ww_type_is_float((ww_type)f->type))
               ? "has .satfinite with other types than f32 to a narrower float"
               : NULL;
}

static const char *check_other(const ptx_form *f, uint64_t seen)
{
    switch (f->op) {
    case WW_OP_CVT:
        return check_convert(f, seen);
    case WW_OP_MOVMATRIX:
        return (seen & G_MATRIX) == 0 || (seen & G_SYNC) == 0 ? "needs .sync.aligned.m8n8.trans"
                                                              : NULL;
    case WW_OP_SETP:
    case WW_OP_SET:
        return (seen & G_CMP) == 0 ? "needs a comparison" : NULL;
    case WW_OP_ATOM:
    case WW_OP_RED:
        if (f->sub == WW_SUB_NONE) {
            return "needs an operation";
        }
        if (f->op == WW_OP_RED && (f->sub == WW_SUB_EXCH || f->sub == WW_SUB_CAS)) {
            return "has no such operation";
        }
        if (ww_type_is_float((ww_type)f->type) && f->sub != WW_SUB_ADD) {
            return "on floating point is supported for .add only";
        }
        if (f->space != WW_SPACE_GENERIC && f->space != WW_SPACE_GLOBAL &&
            f->space != WW_SPACE_SHARED) {
            return "works on global, shared and generic addresses only";
        }
        return NULL;
    case WW_OP_ST:
        return f->space == WW_SPACE_CONST ? "cannot write constant memory" : NULL;
    case WW_OP_SHF:
    case WW_OP_SHFL:
    case WW_OP_TESTP:
    case WW_OP_VOTE:
    case WW_OP_MATCH:
    case WW_OP_REDUX:
    case WW_OP_MEMBAR:
        return f->sub == WW_SUB_NONE ? "lacks its mode" : NULL;
    case WW_OP_BRX:
        return f->sub != WW_SUB_IDX ? "lacks .idx" : NULL;
    case WW_OP_ISSPACEP:
        return f->space == WW_SPACE_GENERIC ? "needs a state space" : NULL;
    case WW_OP_CVTA:
        if (f->space == WW_SPACE_PARAM) {
            return "of kernel parameters is not supported";
        }
        return f->space == WW_SPACE_GENERIC ? "needs a state space" : NULL;
    default:
        return NULL;
    }
}

const char *ww__form_lacks(const ptx_form *f, uint64_t groups)
{
    const char *what = f->shape == PTX_SHAPE_SIGNATURE || f->shape == PTX_SHAPE_SETP
                           ? check_arithmetic(f, groups)
                           : NULL;
    return what != NULL ? what : check_other(f, groups);
}

void ww__form_normalize(ptx_form *f)
{
    if (f->op == WW_OP_MAD && ww_type_is_float((ww_type)f->type)) {
        f->op = WW_OP_FMA; /* since sm_20, mad is fma */
        f->signature = "T=TTT";
    }
    if (f->op == WW_OP_BAR && f->bool_op != WW_BOOL_NONE) {
        f->sub = f->bool_op == WW_BOOL_AND ? WW_SUB_RED_AND : WW_SUB_RED_OR;
        f->bool_op = WW_BOOL_NONE;
    }
    if (f->op == WW_OP_BAR && f->sub == WW_SUB_NONE) {
        f->sub = WW_SUB_SYNC;
    }
    if (f->op == WW_OP_RSQRT || f->op == WW_OP_SIN || f->op == WW_OP_COS || f->op == WW_OP_LG2 ||
        f->op == WW_OP_EX2 || f->op == WW_OP_TANH) {
        f->sub = WW_SUB_APPROX;
    }
    if (f->type2 == WW_T_NONE && f->op == WW_OP_CVT) {
        f->type2 = f->type;
    }
    f->carry_in = f->op == WW_OP_ADDC || f->op == WW_OP_SUBC || f->op == WW_OP_MADC;
}
