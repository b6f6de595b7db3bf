/* texture.c - texture and surface instructions: handle and coordinates as plain sources.
 * Textures here have one level, so that a level of detail or gradients change nothing and are
 * dropped. */
#include "perf/ptx/translate/translate.h"

static ww_status handle(ptx_translator *t, const ptx_operand *o, ww_operand *out)
{
    if (o->kind == PTX_OPD_VAR && o->u.var->space == WW_SPACE_TEX) {
        return ww__translate_source(t, o, WW_T_B64, out);
    }
    if (o->kind == PTX_OPD_REG && ww_type_bytes((ww_type)o->type) == 8) {
        return ww__translate_source(t, o, WW_T_B64, out);
    }
    return ww__translate_unsupported(t, o, "this operand of a texture instruction");
}

/* "[handle, {x, y, …}]" into src[0…]. */
static ww_status place(ptx_translator *t, const ptx_operand *o, uint32_t least, ww_inst *inst)
{
    const ptx_form *form = t->inst->form;
    uint8_t geometry = form->op == WW_OP_SURED ? form->layout : form->sub;
    bool layered = geometry == WW_SUB_A1D || geometry == WW_SUB_A2D || geometry == WW_SUB_ACUBE;
    if (o->kind == PTX_OPD_ADDR && o->count > 2) {
        return ww__translate_unsupported(t, o, "a separate sampler");
    }
    if (o->kind != PTX_OPD_ADDR || o->count != (least > 0 ? 2 : 1) || o->imm != 0) {
        return ww__translate_malformed(t, o, "'%.100s' needs a handle%s in brackets here",
                                       form->text, least > 0 ? " and coordinates" : "");
    }
    WW_TRY(handle(t, &o->u.list[0], &inst->src[0]));
    if (least == 0) {
        return WW_OK;
    }
    const ptx_operand *list;
    uint32_t count;
    WW_TRY(ww__translate_elements(t, &o->u.list[1], &list, &count));
    if (count < least) {
        return ww__translate_malformed(t, o, "'%.100s' needs %u coordinates", form->text, least);
    }
    for (uint32_t i = 0; i < least; i++) {
        ww_type type = (form->op == WW_OP_TEX || form->op == WW_OP_TLD4) && !(layered && i == 0)
                           ? (ww_type)form->type2
                           : WW_T_U32;
        WW_TRY(ww__translate_source(t, &list[i], type, &inst->src[1 + i]));
    }
    return WW_OK;
}

static ww_status fetch(ptx_translator *t, uint32_t elements)
{
    const ptx_form *form = t->inst->form;
    uint32_t coordinates = ww_texture_coordinates((ww_sub)form->sub);
    const ptx_operand *list;
    uint32_t count;
    ww_inst *inst;
    WW_TRY(ww__translate_count(t, 2, form->op == WW_OP_TEX ? 4 : 2));
    WW_TRY(ww__translate_elements(t, &t->inst->operand[0], &list, &count));
    if (count != elements) {
        return ww__translate_malformed(t, &t->inst->operand[0], "'%.100s' yields %u elements",
                                       form->text, elements);
    }
    WW_TRY(ww__translate_emit_form(t, elements, 1 + coordinates, &inst));
    for (uint32_t i = 0; i < elements; i++) {
        WW_TRY(ww__translate_destination(t, &list[i], (ww_type)form->type, &inst->dst[i]));
    }
    return place(t, &t->inst->operand[1], coordinates, inst);
}

static ww_status store(ptx_translator *t)
{
    const ptx_form *form = t->inst->form;
    uint32_t coordinates =
        ww_texture_coordinates((ww_sub)(form->op == WW_OP_SURED ? form->layout : form->sub));
    const ptx_operand *list;
    uint32_t count;
    ww_inst *inst;
    WW_TRY(ww__translate_count(t, 2, 2));
    WW_TRY(ww__translate_elements(t, &t->inst->operand[1], &list, &count));
    if (count != form->vec) {
        return ww__translate_malformed(t, &t->inst->operand[1], "'%.100s' stores %u elements",
                                       form->text, form->vec);
    }
    WW_TRY(ww__translate_emit_form(t, 0, 1 + coordinates + count, &inst));
    for (uint32_t i = 0; i < count; i++) {
        WW_TRY(ww__translate_source(t, &list[i], (ww_type)form->type,
                                    &inst->src[1 + coordinates + i]));
    }
    return place(t, &t->inst->operand[0], coordinates, inst);
}

static ww_status query(ptx_translator *t)
{
    ww_inst *inst;
    WW_TRY(ww__translate_count(t, 2, 2));
    WW_TRY(ww__translate_emit_form(t, 1, 1, &inst));
    WW_TRY(ww__translate_destination(t, &t->inst->operand[0], WW_T_B32, &inst->dst[0]));
    return place(t, &t->inst->operand[1], 0, inst);
}

ww_status ww__translate_texture(ptx_translator *t)
{
    switch (t->inst->form->shape) {
    case PTX_SHAPE_TEX:
        return fetch(t, 4);
    case PTX_SHAPE_SURFACE_LOAD:
        return fetch(t, t->inst->form->vec);
    case PTX_SHAPE_SURFACE_STORE:
        return store(t);
    default:
        return query(t);
    }
}
