/* rules.c - what the PTX manual demands of an instruction beyond its table row: modifiers that
 * must be there, and those that its type excludes. */
#include "perf/ptx/form/rules.h"

#include "base/compiler.h"

static const char *check_parts(const ptx_form *f, uint64_t demands, uint64_t seen)
{
    bool real = ww_type_is_float((ww_type)f->type);
    if ((demands & N_HALVES) != 0 && !real && (seen & G_HALVES) == 0) {
        return "needs .lo, .hi or .wide";
    }
    if ((demands & N_HALVES) != 0 && f->sub == WW_SUB_WIDE &&
        (ww_type_bytes((ww_type)f->type) == 8 || (demands & N_NARROW) != 0)) {
        return "has no .wide";
    }
    return (demands & N_ROUNDING) != 0 && real && (seen & (G_APPROX | G_ROUND)) == 0
               ? "needs .approx or a rounding mode"
               : NULL;
}

static const char *check_arithmetic(const ptx_form *f, uint64_t demands, uint64_t seen)
{
    bool real = ww_type_is_float((ww_type)f->type);
    const char *what = check_parts(f, demands, seen);
    if (what != NULL) {
        return what;
    }
    if (real && (seen & (G_HALVES | G_CC)) != 0) {
        return "is for integers only";
    }
    if (!real && f->op != WW_OP_CVT &&
        (seen & (G_ROUND | G_FTZ | G_APPROX | G_NAN | G_RELU)) != 0 && f->op != WW_OP_SET &&
        f->op != WW_OP_SLCT) {
        return "is not supported: a modifier does not go with the type";
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

static const char *check_atomic(const ptx_form *f, uint64_t demands)
{
    if (f->sub == WW_SUB_NONE) {
        return "needs an operation";
    }
    if ((demands & N_RETURNS) != 0 && (f->sub == WW_SUB_EXCH || f->sub == WW_SUB_CAS)) {
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
}

static const char *check_other(const ptx_form *f, uint64_t demands, uint64_t seen)
{
    if ((demands & N_CONVERT) != 0) {
        return check_convert(f, seen);
    }
    if ((demands & N_ATOMIC) != 0) {
        return check_atomic(f, demands);
    }
    const struct {
        uint64_t demand;
        bool met;
        const char *what;
    } rows[] = {
        {N_MATRIX, (seen & G_MATRIX) != 0 && (seen & G_SYNC) != 0,
         "needs .sync.aligned.m8n8.trans"},
        {N_COMPARE, (seen & G_CMP) != 0, "needs a comparison"},
        {N_WRITABLE, f->space != WW_SPACE_CONST, "cannot write constant memory"},
        {N_MODE, f->sub != WW_SUB_NONE, "lacks its mode"},
        {N_INDEX, f->sub == WW_SUB_IDX, "lacks .idx"},
        {N_SPACE, f->space != WW_SPACE_GENERIC, "needs a state space"},
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        if ((demands & rows[i].demand) != 0 && !rows[i].met) {
            return rows[i].what;
        }
    }
    return NULL;
}

const char *ww__form_lacks(const ptx_form *f, uint64_t demands, uint64_t groups)
{
    const char *what = f->shape == PTX_SHAPE_SIGNATURE || f->shape == PTX_SHAPE_SETP
                           ? check_arithmetic(f, demands, groups)
                           : NULL;
    return what != NULL ? what : check_other(f, demands, groups);
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
