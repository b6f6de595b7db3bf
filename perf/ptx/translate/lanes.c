/* lanes.c - instructions across lanes and warps: barriers, votes, shuffles, matches. */
#include "perf/ptx/translate/translate.h"

/* A predicate in a register: a constant goes into one first. */
static ww_status predicate_register(ptx_translator *t, const ptx_operand *o, ww_operand *out)
{
    WW_TRY(ww__translate_predicate(t, o, out));
    if (out->kind == WW_OPD_PRED) {
        return WW_OK;
    }
    ww_inst *inst;
    ww_operand constant = *out;
    WW_TRY(ww__translate_new(t, WW_T_PRED, out));
    WW_TRY(ww__translate_emit(t, WW_OP_MOV, WW_T_PRED, 1, 1, &inst));
    inst->dst[0] = *out;
    inst->src[0] = constant;
    return WW_OK;
}

/* bar.sync a[, b]; bar.arrive a, b; bar.red d, a[, b], p */
ww_status ww__translate_barrier(ptx_translator *t)
{
    const ptx_form *form = t->inst->form;
    const ptx_operand *o = t->inst->operand;
    bool reduces =
        form->sub == WW_SUB_RED_POPC || form->sub == WW_SUB_RED_AND || form->sub == WW_SUB_RED_OR;
    WW_TRY(ww__translate_count(t,
                               reduces                      ? 3
                               : form->sub == WW_SUB_ARRIVE ? 2
                                                            : 1,
                               reduces ? 4 : 2));
    ww_operand vote = {.kind = WW_OPD_NONE};
    uint32_t numbers = t->inst->operand_count - (reduces ? 2 : 0);
    if (reduces) {
        WW_TRY(predicate_register(t, &o[1 + numbers], &vote));
    }
    ww_inst *inst;
    WW_TRY(ww__translate_emit_form(t, reduces, numbers + reduces, &inst));
    if (form->sub == WW_SUB_RED_POPC) {
        WW_TRY(ww__translate_destination(t, &o[0], WW_T_U32, &inst->dst[0]));
    } else if (reduces) {
        WW_TRY(ww__translate_predicate_destination(t, &o[0], &inst->dst[0]));
    }
    for (uint32_t i = 0; i < numbers; i++) {
        WW_TRY(ww__translate_source(t, &o[i + reduces], WW_T_U32, &inst->src[i]));
    }
    if (reduces) {
        inst->src[numbers] = vote;
    }
    return WW_OK;
}

/* The member mask; forms without one mean all active lanes. */
static ww_status member_mask(ptx_translator *t, uint32_t index, ww_operand *out)
{
    *out = ww_opd_imm(UINT32_MAX);
    return index < t->inst->operand_count
               ? ww__translate_source(t, &t->inst->operand[index], WW_T_U32, out)
               : WW_OK;
}

ww_status ww__translate_vote(ptx_translator *t)
{
    const ptx_form *form = t->inst->form;
    bool sync = (form->mods & WW_MOD_SYNC) != 0, ballot = form->sub == WW_SUB_BALLOT;
    ww_operand predicate;
    ww_inst *inst;
    WW_TRY(ww__translate_count(t, 2u + sync, 2u + sync));
    if (ballot != (form->type == WW_T_B32)) {
        return ww__translate_malformed(t, NULL, "'%.100s' has the wrong type", form->text);
    }
    WW_TRY(predicate_register(t, &t->inst->operand[1], &predicate));
    WW_TRY(ww__translate_emit_form(t, 1, 2, &inst));
    inst->src[0] = predicate;
    WW_TRY(member_mask(t, 2, &inst->src[1]));
    return ballot ? ww__translate_destination(t, &t->inst->operand[0], WW_T_B32, &inst->dst[0])
                  : ww__translate_predicate_destination(t, &t->inst->operand[0], &inst->dst[0]);
}

/* d or d|p: a value, and whether it is valid. */
static ww_status value_and_flag(ptx_translator *t, ww_inst *inst)
{
    const ptx_operand *d = &t->inst->operand[0];
    bool pair = d->kind == PTX_OPD_PAIR;
    WW_TRY(ww__translate_destination(t, pair ? &d->u.list[0] : d, WW_T_B32, &inst->dst[0]));
    return pair ? ww__translate_predicate_destination(t, &d->u.list[1], &inst->dst[1]) : WW_OK;
}

ww_status ww__translate_shuffle(ptx_translator *t)
{
    bool sync = (t->inst->form->mods & WW_MOD_SYNC) != 0;
    ww_inst *inst;
    WW_TRY(ww__translate_count(t, 4u + sync, 4u + sync));
    WW_TRY(ww__translate_emit_form(t, t->inst->operand[0].kind == PTX_OPD_PAIR ? 2 : 1, 4, &inst));
    WW_TRY(value_and_flag(t, inst));
    for (uint32_t i = 0; i < 3; i++) {
        WW_TRY(ww__translate_source(t, &t->inst->operand[1 + i], WW_T_B32, &inst->src[i]));
    }
    return member_mask(t, 4, &inst->src[3]);
}

ww_status ww__translate_match(ptx_translator *t)
{
    ww_inst *inst;
    WW_TRY(ww__translate_count(t, 3, 3));
    WW_TRY(ww__translate_emit_form(t, t->inst->operand[0].kind == PTX_OPD_PAIR ? 2 : 1, 2, &inst));
    WW_TRY(value_and_flag(t, inst));
    WW_TRY(
        ww__translate_source(t, &t->inst->operand[1], (ww_type)t->inst->form->type, &inst->src[0]));
    return member_mask(t, 2, &inst->src[1]);
}
