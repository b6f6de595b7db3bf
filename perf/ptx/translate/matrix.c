/* matrix.c - wmma and mma: fragments as lists of registers. */
#include "isa/fragment.h"
#include "perf/ptx/translate/translate.h"

/* Bits of one register of a fragment. */
static ww_type register_type(ww_type element)
{
    return element == WW_T_F64 ? WW_T_F64 : WW_T_B32;
}

static ww_status fragment_elements(ptx_translator *t, const ptx_operand *o, ww_sub matrix,
                                   ww_type type, const ptx_operand **list, uint32_t *count)
{
    const ptx_form *form = t->inst->form;
    bool wmma = form->op != WW_OP_MMA;
    ww_fragment f = ww_isa_fragment((ww_tile)form->tile, matrix, type, wmma);
    WW_TRY(ww__translate_elements(t, o, list, count));
    if (*count != f.registers) {
        return ww__translate_malformed(t, o, "'%.100s' needs %u registers here, not %u", form->text,
                                       f.registers, *count);
    }
    return WW_OK;
}

/* Elements between the starts of neighbouring lines in memory; by default lines are adjacent. */
static ww_status stride(ptx_translator *t, ww_inst *inst)
{
    const ptx_form *form = t->inst->form;
    ww_fragment f =
        ww_isa_fragment((ww_tile)form->tile, (ww_sub)form->sub, (ww_type)form->type, true);
    bool along = form->sub == WW_SUB_B ? form->layout != 0 : form->layout == 0;
    inst->src[1] = ww_opd_imm(along ? f.positions : f.lines);
    return t->inst->operand_count > 2
               ? ww__translate_source(t, &t->inst->operand[2], WW_T_U32, &inst->src[1])
               : WW_OK;
}

static ww_status translate_access(ptx_translator *t, bool load)
{
    const ptx_form *form = t->inst->form;
    const ptx_operand *list;
    uint32_t count;
    ww_inst *inst;
    ww_type type = register_type((ww_type)form->type);
    WW_TRY(ww__translate_count(t, 2, 3));
    WW_TRY(fragment_elements(t, &t->inst->operand[load ? 0 : 1], (ww_sub)form->sub,
                             (ww_type)form->type, &list, &count));
    WW_TRY(ww__translate_emit_form(t, load ? count : 0, load ? 2 : 2 + count, &inst));
    for (uint32_t i = 0; i < count; i++) {
        WW_TRY(load ? ww__translate_destination(t, &list[i], type, &inst->dst[i])
                    : ww__translate_source(t, &list[i], type, &inst->src[2 + i]));
    }
    WW_TRY(stride(t, inst));
    return ww__translate_set_address(t, &t->inst->operand[load ? 1 : 0], inst);
}

/* d, a, b, c: the sources are the registers of a, b and c in a row. */
static ww_status translate_product(ptx_translator *t)
{
    const ptx_form *form = t->inst->form;
    static const ww_sub matrix[4] = {WW_SUB_D, WW_SUB_A, WW_SUB_B, WW_SUB_C};
    const ww_type type[4] = {(ww_type)form->type, (ww_type)form->type2, (ww_type)form->type_b,
                             (ww_type)form->type_c};
    const ptx_operand *list[4];
    uint32_t count[4];
    ww_inst *inst;
    WW_TRY(ww__translate_count(t, 4, 4));
    for (unsigned k = 0; k < 4; k++) {
        WW_TRY(fragment_elements(t, &t->inst->operand[k], matrix[k], type[k], &list[k], &count[k]));
    }
    WW_TRY(ww__translate_emit_form(t, count[0], count[1] + count[2] + count[3], &inst));
    for (uint32_t i = 0; i < count[0]; i++) {
        WW_TRY(ww__translate_destination(t, &list[0][i], register_type(type[0]), &inst->dst[i]));
    }
    ww_operand *src = inst->src;
    for (unsigned k = 1; k < 4; k++) {
        for (uint32_t i = 0; i < count[k]; i++) {
            WW_TRY(ww__translate_source(t, &list[k][i], register_type(type[k]), src++));
        }
    }
    return WW_OK;
}

ww_status ww__translate_matrix(ptx_translator *t)
{
    switch (t->inst->form->shape) {
    case PTX_SHAPE_MATRIX_LOAD:
        return translate_access(t, true);
    case PTX_SHAPE_MATRIX_STORE:
        return translate_access(t, false);
    default:
        return translate_product(t);
    }
}
