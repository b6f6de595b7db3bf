/* cluster.c - instructions of clusters, and those that change no result. */
#include "perf/ptx/translate/translate.h"

/* Where shared::cluster addresses have the rank (WW_CLUSTER_RANK_SHIFT of perf/exec). */
enum { RANK_SHIFT = 24, RANK_BITS = 8 };

static ww_status move(ptx_translator *t, const ptx_operand *d, ww_type type, ww_operand value)
{
    ww_inst *inst;
    WW_TRY(ww__translate_emit(t, WW_OP_MOV, type, 1, 1, &inst));
    inst->src[0] = value;
    return ww__translate_destination(t, d, type, &inst->dst[0]);
}

static ww_status new_value(ptx_translator *t, ww_op op, ww_type type, unsigned sources,
                           ww_inst **inst, ww_operand *out)
{
    WW_TRY(ww__translate_new(t, type, out));
    WW_TRY(ww__translate_emit(t, op, type, 1, sources, inst));
    (*inst)->dst[0] = *out;
    return WW_OK;
}

/* mapa d, address, rank: rank + 1 goes above the offset in the CTA's shared memory, whether the
 * address is generic or of shared memory (perf/exec/cluster.c). */
static ww_status translate_mapa(ptx_translator *t)
{
    const ptx_operand *o = t->inst->operand;
    ww_type type = (ww_type)t->inst->form->type;
    ww_operand address, rank, one;
    ww_inst *inst;
    WW_TRY(ww__translate_count(t, 3, 3));
    WW_TRY(ww__translate_source(t, &o[1], type, &address));
    WW_TRY(ww__translate_source(t, &o[2], WW_T_U32, &rank));
    WW_TRY(new_value(t, WW_OP_ADD, WW_T_U32, 2, &inst, &one));
    inst->src[0] = rank;
    inst->src[1] = ww_opd_imm(1);
    if (type == WW_T_U64) {
        ww_operand wide;
        WW_TRY(new_value(t, WW_OP_CVT, WW_T_U64, 1, &inst, &wide));
        inst->type2 = WW_T_U32;
        inst->src[0] = one;
        one = wide;
    }
    WW_TRY(ww__translate_emit(t, WW_OP_BFI, type == WW_T_U64 ? WW_T_B64 : WW_T_B32, 1, 4, &inst));
    inst->src[0] = one;
    inst->src[1] = address;
    inst->src[2] = ww_opd_imm(RANK_SHIFT);
    inst->src[3] = ww_opd_imm(RANK_BITS);
    return ww__translate_destination(t, &o[0], type, &inst->dst[0]);
}

/* getctarank d, address: the rank that an address names; without one, it is the CTA's own. */
static ww_status translate_rank(ptx_translator *t)
{
    const ptx_operand *o = t->inst->operand;
    ww_type type = (ww_type)t->inst->form->type;
    ww_operand address, named, rank, own;
    ww_inst *inst;
    WW_TRY(ww__translate_count(t, 2, 2));
    WW_TRY(ww__translate_source(t, &o[1], type, &address));
    if (type == WW_T_U64) {
        ww_operand low;
        WW_TRY(new_value(t, WW_OP_CVT, WW_T_U32, 1, &inst, &low));
        inst->type2 = WW_T_U64;
        inst->src[0] = address;
        address = low;
    }
    WW_TRY(new_value(t, WW_OP_BFE, WW_T_U32, 3, &inst, &named));
    inst->src[0] = address;
    inst->src[1] = ww_opd_imm(RANK_SHIFT);
    inst->src[2] = ww_opd_imm(RANK_BITS);
    WW_TRY(new_value(t, WW_OP_SUB, WW_T_U32, 2, &inst, &rank));
    inst->src[0] = named;
    inst->src[1] = ww_opd_imm(1);
    uint32_t id = ww_function_new_vreg(t->out, t->program->arena, WW_T_PRED);
    if (id == UINT32_MAX) {
        return ww__translate_no_memory(t);
    }
    own = ww_opd_pred(id, false);
    WW_TRY(ww__translate_emit(t, WW_OP_SETP, WW_T_U32, 1, 2, &inst));
    inst->cmp = WW_CMP_EQ;
    inst->dst[0] = own;
    inst->src[0] = named;
    inst->src[1] = ww_opd_imm(0);
    WW_TRY(ww__translate_emit(t, WW_OP_SELP, WW_T_B32, 1, 3, &inst));
    inst->src[0] = ww_opd_sreg(WW_SREG_CLUSTER_CTARANK);
    inst->src[1] = rank;
    inst->src[2] = own;
    return ww__translate_destination(t, &o[0], WW_T_U32, &inst->dst[0]);
}

/* elect d|p, members */
static ww_status translate_elect(ptx_translator *t)
{
    const ptx_operand *o = t->inst->operand;
    ww_inst *inst;
    WW_TRY(ww__translate_count(t, 2, 2));
    if (o[0].kind != PTX_OPD_PAIR) {
        return ww__translate_malformed(t, &o[0], "'%.100s' needs a register and a predicate",
                                       t->inst->form->text);
    }
    WW_TRY(ww__translate_emit_form(t, 2, 1, &inst));
    inst->vec = 1;
    WW_TRY(ww__translate_destination(t, &o[0].u.list[0], WW_T_B32, &inst->dst[0]));
    WW_TRY(ww__translate_predicate_destination(t, &o[0].u.list[1], &inst->dst[1]));
    return ww__translate_source(t, &o[1], WW_T_U32, &inst->src[0]);
}

/* setmaxnreg registers: 24 to 256, in steps of 8. */
static ww_status translate_registers(ptx_translator *t)
{
    const ptx_operand *o = t->inst->operand;
    ww_inst *inst;
    WW_TRY(ww__translate_count(t, 1, 1));
    if (o[0].kind != PTX_OPD_INT || o[0].imm < 24 || o[0].imm > 256 || o[0].imm % 8 != 0) {
        return ww__translate_malformed(t, &o[0],
                                       "'%.100s' needs 24 to 256 registers, a multiple "
                                       "of 8",
                                       t->inst->form->text);
    }
    WW_TRY(ww__translate_emit_form(t, 0, 0, &inst));
    inst->vec = 1;
    inst->offset = (int64_t)o[0].imm;
    return WW_OK;
}

ww_status ww__translate_cluster(ptx_translator *t)
{
    enum { CLUSTER_BARRIER = 16 }; /* behind those that have numbers */
    const ptx_form *form = t->inst->form;
    const ptx_operand *o = t->inst->operand;
    uint32_t count;
    ww_inst *inst;
    switch (form->shape) {
    case PTX_SHAPE_MAPA:
        return translate_mapa(t);
    case PTX_SHAPE_ELECT:
        return translate_elect(t);
    case PTX_SHAPE_RANK:
        return translate_rank(t);
    case PTX_SHAPE_POLICY: /* opaque, and never looked at */
        WW_TRY(ww__translate_count(t, 1, 1u + form->vec));
        return move(t, &o[0], WW_T_B64, ww_opd_imm(0));
    case PTX_SHAPE_CLUSTER_BARRIER:
        WW_TRY(ww__translate_count(t, 0, 0));
        WW_TRY(ww__translate_emit_form(t, 0, 1, &inst));
        inst->src[0] = ww_opd_imm(CLUSTER_BARRIER);
        inst->vec = 1;
        return WW_OK;
    case PTX_SHAPE_FENCE:
        WW_TRY(ww__translate_count(t, form->vec, form->vec));
        return ww__translate_emit_form(t, 0, 0, &inst);
    case PTX_SHAPE_REGISTERS:
        return translate_registers(t);
    default:
        WW_TRY(ww__translate_count_policy(t, form->vec, form->vec, &count));
        return ww__translate_emit(t, WW_OP_NOP, WW_T_NONE, 0, 0, &inst);
    }
}
