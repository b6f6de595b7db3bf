/* wgmma.c - products of warp groups. src[0] is the descriptor of B; then come A, a descriptor or
 * four registers, the registers of D, which are destinations too, and the predicate scale-d. */
#include "isa/fragment.h"
#include "isa/warpgroup.h"
#include "perf/ptx/translate/translate.h"

enum { A_REGISTERS = 4 };

/* -1 negates; other numbers than 1 and -1 are none. */
static ww_status sign(ptx_translator *t, const ptx_operand *o, uint8_t flag, uint8_t *layout)
{
    bool one = o->kind == PTX_OPD_INT && o->imm == 1;
    bool minus = o->kind == PTX_OPD_INT && (int32_t)(uint32_t)o->imm == -1;
    *layout |= minus ? flag : 0;
    return one || minus
               ? WW_OK
               : ww__translate_malformed(t, o, "'%.100s' scales by 1 or -1", t->inst->form->text);
}

static ww_status transpose(ptx_translator *t, const ptx_operand *o, uint8_t flag, uint8_t *layout)
{
    *layout |= o->kind == PTX_OPD_INT && o->imm == 1 ? flag : 0;
    return o->kind == PTX_OPD_INT && o->imm <= 1
               ? WW_OK
               : ww__translate_malformed(t, o, "'%.100s' transposes by 0 or 1",
                                         t->inst->form->text);
}

/* scale-d{, scale-a, scale-b{{, trans-a}, trans-b}} */
static ww_status options(ptx_translator *t, bool registers, uint8_t *layout)
{
    const ptx_form *form = t->inst->form;
    const ptx_operand *o = t->inst->operand + 4;
    bool scales = ww_type_is_float((ww_type)form->type2);
    bool transposes = form->type2 == WW_T_F16 || form->type2 == WW_T_BF16;
    uint32_t count = 4u + (scales ? 2 : 0) + (!transposes ? 0 : registers ? 1 : 2);
    WW_TRY(ww__translate_count(t, count, count));
    if (scales) {
        WW_TRY(sign(t, o++, WW_LAYOUT_A_NEGATED, layout));
        WW_TRY(sign(t, o++, WW_LAYOUT_B_NEGATED, layout));
    }
    if (transposes && !registers) {
        WW_TRY(transpose(t, o++, WW_LAYOUT_A_LINES, layout));
    }
    return transposes ? transpose(t, o, WW_LAYOUT_B_LINES, layout) : WW_OK;
}

/* D has up to 128 registers, more than other vectors. */
static const ptx_operand *list_of(const ptx_operand *o, uint32_t *count)
{
    *count = o->kind == PTX_OPD_VEC ? o->count : 1;
    return o->kind == PTX_OPD_VEC ? o->u.list : o;
}

static ww_status translate_product(ptx_translator *t)
{
    const ptx_form *form = t->inst->form;
    const ptx_operand *o = t->inst->operand, *d, *a;
    uint32_t results, count;
    uint8_t layout = 0;
    WW_TRY(ww__translate_count(t, 4, 8));
    d = list_of(&o[0], &results);
    a = list_of(&o[1], &count);
    uint32_t n = ww_tile_n((ww_tile)form->tile);
    if (results != (form->type == WW_T_F16 ? n / 4 : n / 2)) {
        return ww__translate_malformed(t, &o[0], "'%.100s' needs %u registers of D, not %u",
                                       form->text, form->type == WW_T_F16 ? n / 4 : n / 2, results);
    }
    bool registers = o[1].kind == PTX_OPD_VEC;
    if (registers && count != A_REGISTERS) {
        return ww__translate_malformed(t, &o[1], "'%.100s' needs 4 registers of A, not %u",
                                       form->text, count);
    }
    WW_TRY(options(t, registers, &layout));
    ww_operand scale;
    ww_inst *inst;
    WW_TRY(ww__translate_predicate(t, &o[3], &scale));
    WW_TRY(ww__translate_emit_form(t, results, 2u + count - 1 + results + 1, &inst));
    inst->layout = layout | (registers ? 0 : WW_LAYOUT_A_SHARED);
    inst->vec = 1;
    ww_operand *src = inst->src;
    WW_TRY(ww__translate_source(t, &o[2], WW_T_B64, src++));
    for (uint32_t i = 0; i < count; i++) {
        WW_TRY(ww__translate_source(t, &a[i], registers ? WW_T_B32 : WW_T_B64, src++));
    }
    for (uint32_t i = 0; i < results; i++) {
        WW_TRY(ww__translate_destination(t, &d[i], WW_T_B32, &inst->dst[i]));
        WW_TRY(ww__translate_source(t, &d[i], WW_T_B32, src++));
    }
    *src = scale;
    return WW_OK;
}

ww_status ww__translate_wgmma(ptx_translator *t)
{
    const ptx_form *form = t->inst->form;
    ww_inst *inst;
    if (form->shape == PTX_SHAPE_WGMMA) {
        return translate_product(t);
    }
    bool waits = form->sub == WW_SUB_WAIT_GROUP;
    WW_TRY(ww__translate_count(t, waits, waits));
    WW_TRY(ww__translate_emit_form(t, 0, 0, &inst));
    inst->vec = 1;
    if (waits) {
        const ptx_operand *groups = &t->inst->operand[0];
        if (groups->kind != PTX_OPD_INT || groups->imm > INT32_MAX) {
            return ww__translate_malformed(t, groups, "'%.100s' needs a number of groups",
                                           form->text);
        }
        inst->offset = (int64_t)groups->imm;
    }
    return WW_OK;
}
