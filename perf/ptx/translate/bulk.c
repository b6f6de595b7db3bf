/* bulk.c - cp.async.bulk and cp.reduce.async.bulk, prefetches of bytes, and stores that complete
 * a transaction: the store, then the arrival of its bytes. */
#include "perf/ptx/translate/translate.h"

/* [to], [from], bytes{, [mbarrier]}{, policy}: src[0] is the address outside the CTA's own shared
 * memory, src[1] the one inside, src[2] the number of bytes, src[3] the mbarrier, src[4] the mask
 * of CTAs that receive them, where there is one. */
static ww_status translate_copy(ptx_translator *t)
{
    const ptx_form *form = t->inst->form;
    const ptx_operand *o = t->inst->operand;
    uint32_t count, least = form->vec == 1 ? 4 : 3;
    bool multicast = (form->layout & WW_TENSOR_MULTICAST) != 0;
    ww_operand mask = {.kind = WW_OPD_NONE};
    bool fills = form->op == WW_OP_CP_BULK && form->sub == WW_SUB_NONE;
    ww_operand inside, bytes, object = {.kind = WW_OPD_NONE};
    ww_inst *inst;
    WW_TRY(ww__translate_count_policy(t, least + multicast, least + multicast, &count));
    if (multicast) {
        WW_TRY(ww__translate_source(t, &o[4], WW_T_U16, &mask));
    }
    WW_TRY(ww__translate_shared_address(t, &o[fills ? 0 : 1], &inside));
    WW_TRY(ww__translate_source(t, &o[2], WW_T_U32, &bytes));
    if (least == 4) {
        WW_TRY(ww__translate_shared_address(t, &o[3], &object));
    }
    WW_TRY(ww__translate_emit_form(t, 0, least + multicast, &inst));
    if (multicast) {
        inst->src[4] = mask;
    }
    inst->src[1] = inside;
    inst->src[2] = bytes;
    if (least == 4) {
        inst->src[3] = object;
    }
    inst->vec = 1;
    return ww__translate_set_address(t, &o[fills ? 1 : 0], inst);
}

/* [from], bytes{, policy}: sources as those of a copy, of which src[1] says nothing. */
static ww_status translate_prefetch(ptx_translator *t)
{
    const ptx_operand *o = t->inst->operand;
    uint32_t count;
    ww_operand bytes;
    ww_inst *inst;
    WW_TRY(ww__translate_count_policy(t, 2, 2, &count));
    WW_TRY(ww__translate_source(t, &o[1], WW_T_U32, &bytes));
    WW_TRY(ww__translate_emit_form(t, 0, 3, &inst));
    inst->src[1] = ww_opd_imm(0);
    inst->src[2] = bytes;
    return ww__translate_set_address(t, &o[0], inst);
}

/* [to], value, [mbarrier] */
static ww_status translate_store(ptx_translator *t)
{
    const ptx_form *form = t->inst->form;
    const ptx_operand *o = t->inst->operand, *list;
    uint32_t count;
    ww_inst *inst;
    WW_TRY(ww__translate_count(t, 3, 3));
    WW_TRY(ww__translate_elements(t, &o[1], &list, &count));
    if (count != form->vec) {
        return ww__translate_malformed(t, &o[1], "'%.100s' stores %u elements", form->text,
                                       form->vec);
    }
    WW_TRY(ww__translate_emit_form(t, 0, 1 + count, &inst));
    inst->space = WW_SPACE_SHARED;
    for (uint32_t i = 0; i < count; i++) {
        WW_TRY(ww__translate_source(t, &list[i], (ww_type)form->type, &inst->src[1 + i]));
    }
    WW_TRY(ww__translate_set_address(t, &o[0], inst));
    WW_TRY(ww__translate_emit(t, WW_OP_MBARRIER, WW_T_B64, 0, 2, &inst));
    inst->sub = WW_SUB_COMPLETE_TX;
    inst->space = WW_SPACE_SHARED;
    inst->src[1] = ww_opd_imm(ww_type_bytes((ww_type)form->type) * count);
    return ww__translate_set_address(t, &o[2], inst);
}

ww_status ww__translate_bulk(ptx_translator *t)
{
    const ptx_form *form = t->inst->form;
    return form->shape != PTX_SHAPE_BULK  ? translate_store(t)
           : form->sub == WW_SUB_PREFETCH ? translate_prefetch(t)
                                          : translate_copy(t);
}
