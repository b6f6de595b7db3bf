/* copy.c - cp.async as a copy that is done at once, ldmatrix and stmatrix. */
#include "perf/ptx/translate/translate.h"

ww_status ww__translate_shared_address(ptx_translator *t, const ptx_operand *o, ww_operand *out)
{
    ww_space space = WW_SPACE_SHARED;
    ww_operand base;
    int64_t offset;
    ww_inst *add;
    WW_TRY(ww__translate_address(t, o, &space, &base, &offset));
    if (base.kind == WW_OPD_NONE) {
        *out = ww_opd_imm((uint32_t)offset);
        return WW_OK;
    }
    base.words = 1;
    base.part = t->out->vreg[base.reg].words == 2 ? 1 : 0; /* the low word of a 64-bit address */
    *out = base;
    if (offset == 0) {
        return WW_OK;
    }
    WW_TRY(ww__translate_new(t, WW_T_B32, out));
    WW_TRY(ww__translate_emit(t, WW_OP_ADD, WW_T_U32, 1, 2, &add));
    add->dst[0] = *out;
    add->src[0] = base;
    add->src[1] = ww_opd_imm((uint32_t)offset);
    return WW_OK;
}

/* The bytes to read: a number, or a predicate that says to read none. */
static ww_status used_bytes(ptx_translator *t, const ptx_operand *o, uint32_t all, ww_operand *out)
{
    ww_operand ignored;
    ww_inst *inst;
    if (o->kind != PTX_OPD_REG || o->type != WW_T_PRED) {
        return ww__translate_source(t, o, WW_T_U32, out);
    }
    WW_TRY(ww__translate_predicate(t, o, &ignored));
    WW_TRY(ww__translate_new(t, WW_T_B32, out));
    WW_TRY(ww__translate_emit(t, WW_OP_SELP, WW_T_B32, 1, 3, &inst));
    inst->dst[0] = *out;
    inst->src[0] = ww_opd_imm(0);
    inst->src[1] = ww_opd_imm(all);
    inst->src[2] = ignored;
    return WW_OK;
}

/* cp.async [shared], [global], bytes{, source bytes}: sources are the global address, the shared
 * one, and how many bytes to read, the others being zero; vec is the number of 32-bit words. */
static ww_status translate_copy(ptx_translator *t)
{
    const ptx_operand *o = t->inst->operand;
    ww_operand to, used;
    ww_inst *inst;
    uint32_t count;
    WW_TRY(ww__translate_count_policy(t, 3, 4, &count));
    bool sized = o[2].kind == PTX_OPD_INT && (o[2].imm == 4 || o[2].imm == 8 || o[2].imm == 16);
    if (!sized || ((t->inst->form->mods & WW_MOD_CACHE_CG) != 0 && o[2].imm != 16)) {
        return ww__translate_malformed(t, &o[2], "'%.100s' cannot copy that many bytes",
                                       t->inst->form->text);
    }
    WW_TRY(ww__translate_shared_address(t, &o[0], &to));
    used = ww_opd_imm(o[2].imm);
    if (count > 3) {
        WW_TRY(used_bytes(t, &o[3], (uint32_t)o[2].imm, &used));
    }
    WW_TRY(ww__translate_emit_form(t, 0, 3, &inst));
    inst->vec = (uint8_t)(o[2].imm / 4);
    inst->src[1] = to;
    inst->src[2] = used;
    return ww__translate_set_address(t, &o[1], inst);
}

/* ldmatrix {registers}, [address]; stmatrix [address], {registers} */
static ww_status translate_ldmatrix(ptx_translator *t)
{
    const ptx_form *form = t->inst->form;
    const ptx_operand *list;
    uint32_t count;
    ww_inst *inst;
    WW_TRY(ww__translate_count(t, 2, 2));
    bool stores = form->op == WW_OP_STMATRIX;
    const ptx_operand *registers = &t->inst->operand[stores], *place = &t->inst->operand[!stores];
    WW_TRY(ww__translate_elements(t, registers, &list, &count));
    if (count != form->vec) {
        return ww__translate_malformed(t, registers, "'%.100s' needs %u registers here", form->text,
                                       form->vec);
    }
    WW_TRY(ww__translate_emit_form(t, stores ? 0 : count, stores ? 1 + count : 1, &inst));
    for (uint32_t i = 0; i < count; i++) {
        WW_TRY(stores ? ww__translate_source(t, &list[i], WW_T_B32, &inst->src[1 + i])
                      : ww__translate_destination(t, &list[i], WW_T_B32, &inst->dst[i]));
    }
    return ww__translate_set_address(t, place, inst);
}

/* The number of groups that need not be done is in `offset`. */
static ww_status translate_wait(ptx_translator *t)
{
    const ptx_form *form = t->inst->form;
    uint32_t operands = form->sub == WW_SUB_WAIT_GROUP || form->sub == WW_SUB_WAIT_BULK;
    const ptx_operand *o = t->inst->operand;
    ww_inst *inst;
    WW_TRY(ww__translate_count(t, operands, operands));
    if (operands == 1 && (o->kind != PTX_OPD_INT || o->imm > UINT32_MAX)) {
        return ww__translate_malformed(t, o, "'%.100s' needs a number of groups", form->text);
    }
    WW_TRY(ww__translate_emit(t, WW_OP_CP_WAIT, WW_T_NONE, 0, 0, &inst));
    inst->sub = form->sub;
    inst->layout = form->layout;
    inst->offset = operands == 1 ? (int64_t)o->imm : 0;
    return WW_OK;
}

ww_status ww__translate_copy(ptx_translator *t)
{
    switch (t->inst->form->shape) {
    case PTX_SHAPE_COPY:
        return translate_copy(t);
    case PTX_SHAPE_LDMATRIX:
        return translate_ldmatrix(t);
    default:
        return translate_wait(t);
    }
}
