/* video.c - video instructions and cvt.pack: two operands, of which parts may be
 * selected, and perhaps a third. */
#include "perf/ptx/translate/translate.h"

/* Operand o, or the byte or half of it that its selector names, extended by its type. */
static ww_status selected(ptx_translator *t, const ptx_operand *o, ww_type type, ww_operand *out)
{
    ptx_operand whole = *o;
    ww_inst *inst;
    ww_operand from;
    whole.selector = 0;
    if (o->selector == 0) {
        return ww__translate_source(t, o, type, out);
    }
    bool half = o->selector >= PTX_SELECT_H0;
    uint32_t index = (uint32_t)(o->selector - (half ? PTX_SELECT_H0 : PTX_SELECT_B0));
    WW_TRY(ww__translate_source(t, &whole, WW_T_B32, &from));
    WW_TRY(ww__translate_new(t, WW_T_B32, out));
    WW_TRY(ww__translate_emit(t, WW_OP_BFE, type, 1, 3, &inst));
    inst->dst[0] = *out;
    inst->src[0] = from;
    inst->src[1] = ww_opd_imm(index * (half ? 16 : 8));
    inst->src[2] = ww_opd_imm(half ? 16 : 8);
    return WW_OK;
}

/* Of vmad: the product is negated by one of its factors, or else what is added. */
static ww_status negations(ptx_translator *t, uint32_t *mods)
{
    const ptx_form *form = t->inst->form;
    const ptx_operand *o = t->inst->operand;
    const bool product = o[1].negated != o[2].negated, addend = o[3].negated;
    const bool one =
        form->sub == WW_SUB_PO || form->sub == WW_SUB_PO_SHR7 || form->sub == WW_SUB_PO_SHR15;
    if (o[0].negated) {
        return ww__translate_malformed(t, &o[0], "a result cannot be negated");
    }
    if (product && addend) {
        return ww__translate_malformed(t, &o[3], "product and addend cannot both be negated");
    }
    if (one && (o[1].negated || o[2].negated || addend)) {
        return ww__translate_malformed(t, &o[1], "no operand of '%.100s' can be negated",
                                       form->text);
    }
    *mods = product ? WW_MOD_MINUS_PRODUCT : addend ? WW_MOD_MINUS_ADDEND : 0;
    return WW_OK;
}

ww_status ww__translate_video(ptx_translator *t)
{
    const ptx_form *form = t->inst->form;
    const ptx_operand *o = t->inst->operand;
    bool two = form->shape == PTX_SHAPE_HALVES;
    bool scalar = !two && (form->op == WW_OP_VMAD || (form->op == WW_OP_VIDEO && form->vec == 1));
    bool third = !two && (form->bool_op != WW_BOOL_NONE || form->op == WW_OP_VMAD ||
                          (form->op == WW_OP_VIDEO && form->vec > 1));
    ww_operand a, b, c = ww_opd_imm(0);
    ww_inst *inst;
    uint32_t minus = 0;
    WW_TRY(ww__translate_count(t, 3u + third, 3u + third));
    for (unsigned i = 1; i < 3; i++) {
        if (o[i].selector != 0 && !scalar) {
            return ww__translate_unsupported(t, &o[i], "a selector in '%.100s'", form->text);
        }
    }
    if (form->op == WW_OP_VMAD) {
        WW_TRY(negations(t, &minus));
    }
    WW_TRY(selected(t, &o[1], (ww_type)form->type2, &a));
    WW_TRY(selected(t, &o[2], (ww_type)form->type_b, &b));
    if (third) {
        WW_TRY(ww__translate_source(t, &o[3], WW_T_B32, &c));
    }
    WW_TRY(ww__translate_emit_form(t, 1, 3, &inst));
    inst->src[0] = a;
    inst->src[1] = b;
    inst->src[2] = c;
    inst->mods |= minus;
    return ww__translate_destination(t, &o[0], WW_T_B32, &inst->dst[0]);
}
