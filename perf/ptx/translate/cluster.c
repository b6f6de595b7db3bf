/* cluster.c - instructions of clusters, which have one CTA here, and those that change no
 * result. */
#include "perf/ptx/translate/translate.h"

static ww_status move(ptx_translator *t, const ptx_operand *d, ww_type type, ww_operand value)
{
    ww_inst *inst;
    WW_TRY(ww__translate_emit(t, WW_OP_MOV, type, 1, 1, &inst));
    inst->src[0] = value;
    return ww__translate_destination(t, d, type, &inst->dst[0]);
}

/* mapa d, address, rank: the CTA's own address, the only one there is. */
static ww_status translate_mapa(ptx_translator *t)
{
    const ptx_operand *o = t->inst->operand;
    ww_type type = (ww_type)t->inst->form->type;
    ww_operand value, rank;
    WW_TRY(ww__translate_count(t, 3, 3));
    if (o[2].kind == PTX_OPD_INT && o[2].imm != 0) {
        return ww__translate_unsupported(t, &o[2], "a cluster of several thread blocks");
    }
    WW_TRY(ww__translate_source(t, &o[2], WW_T_U32, &rank));
    WW_TRY(ww__translate_source(t, &o[1], type, &value));
    return move(t, &o[0], type, value);
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
        WW_TRY(ww__translate_count(t, 2, 2));
        return move(t, &o[0], WW_T_U32, ww_opd_imm(0));
    case PTX_SHAPE_POLICY: /* opaque, and never looked at */
        WW_TRY(ww__translate_count(t, 1, 1u + form->vec));
        return move(t, &o[0], WW_T_B64, ww_opd_imm(0));
    case PTX_SHAPE_CLUSTER_WAIT:
        WW_TRY(ww__translate_count(t, 0, 0));
        WW_TRY(ww__translate_emit_form(t, 0, 1, &inst));
        inst->src[0] = ww_opd_imm(CLUSTER_BARRIER);
        inst->vec = 1;
        return WW_OK;
    default:
        WW_TRY(ww__translate_count_policy(t, form->vec, form->vec, &count));
        return ww__translate_emit(t, WW_OP_NOP, WW_T_NONE, 0, 0, &inst);
    }
}
