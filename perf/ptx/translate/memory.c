/* memory.c - loads, stores, atomics, prefetches, and mov with its packing and unpacking.
 */
#include <string.h>

#include "perf/ptx/translate/translate.h"

ww_status ww__translate_elements(ptx_translator *t, const ptx_operand *o, const ptx_operand **list,
                                 uint32_t *count)
{
    *list = o;
    *count = 1;
    if (o->kind == PTX_OPD_VEC) {
        *list = o->u.list;
        *count = o->count;
    }
    if (*count == 0 || *count > PTX_MAX_VECTOR) {
        return ww__translate_malformed(t, o, "a vector of %u elements", *count);
    }
    return WW_OK;
}

static ww_status vector_elements(ptx_translator *t, const ptx_operand *o, const ptx_operand **list)
{
    uint32_t count;
    WW_TRY(ww__translate_elements(t, o, list, &count));
    if (count != t->inst->form->vec) {
        return ww__translate_malformed(t, o, "'%.100s' needs %u elements here, not %u",
                                       t->inst->form->text, t->inst->form->vec, count);
    }
    return WW_OK;
}

ww_status ww__translate_set_address(ptx_translator *t, const ptx_operand *o, ww_inst *inst)
{
    ww_space space = (ww_space)inst->space;
    WW_TRY(ww__translate_address(t, o, &space, &inst->src[0], &inst->offset));
    inst->space = (uint8_t)space;
    if (space == WW_SPACE_PARAM && !t->func->is_kernel) {
        return ww__translate_unsupported(t, o, "the address of a parameter of a device function");
    }
    return WW_OK;
}

static ww_status translate_load(ptx_translator *t)
{
    const ptx_form *form = t->inst->form;
    const ptx_operand *list;
    ww_inst *inst;
    uint32_t n;
    WW_TRY(ww__translate_count_policy(t, 2, 2, &n));
    WW_TRY(vector_elements(t, &t->inst->operand[0], &list));
    WW_TRY(ww__translate_emit_form(t, form->vec, 1, &inst));
    for (uint32_t i = 0; i < form->vec; i++) {
        WW_TRY(ww__translate_destination(t, &list[i], (ww_type)form->type, &inst->dst[i]));
    }
    return ww__translate_set_address(t, &t->inst->operand[1], inst);
}

static ww_status translate_store(ptx_translator *t)
{
    const ptx_form *form = t->inst->form;
    const ptx_operand *list;
    ww_inst *inst;
    uint32_t n;
    WW_TRY(ww__translate_count_policy(t, 2, 2, &n));
    WW_TRY(vector_elements(t, &t->inst->operand[1], &list));
    WW_TRY(ww__translate_emit_form(t, 0, 1u + form->vec, &inst));
    for (uint32_t i = 0; i < form->vec; i++) {
        WW_TRY(ww__translate_source(t, &list[i], (ww_type)form->type, &inst->src[1 + i]));
    }
    WW_TRY(ww__translate_set_address(t, &t->inst->operand[0], inst));
    if (inst->space == WW_SPACE_PARAM) {
        return ww__translate_malformed(t, &t->inst->operand[0],
                                       "kernel parameters cannot be written");
    }
    return WW_OK;
}

static ww_status translate_atomic(ptx_translator *t)
{
    const ptx_form *form = t->inst->form;
    uint32_t first = form->op == WW_OP_ATOM ? 1 : 0;
    uint32_t values = form->sub == WW_SUB_CAS ? 2 : 1;
    ww_inst *inst;
    uint32_t n;
    WW_TRY(ww__translate_count_policy(t, first + 1 + values, first + 1 + values, &n));
    WW_TRY(ww__translate_emit_form(t, first, 1 + values, &inst));
    if (first == 1) {
        WW_TRY(
            ww__translate_destination(t, &t->inst->operand[0], (ww_type)form->type, &inst->dst[0]));
    }
    for (uint32_t i = 0; i < values; i++) {
        WW_TRY(ww__translate_source(t, &t->inst->operand[first + 1 + i], (ww_type)form->type,
                                    &inst->src[1 + i]));
    }
    return ww__translate_set_address(t, &t->inst->operand[first], inst);
}

ww_status ww__translate_memory(ptx_translator *t)
{
    ww_inst *inst;
    switch (t->inst->form->shape) {
    case PTX_SHAPE_LD:
        return translate_load(t);
    case PTX_SHAPE_ST:
        return translate_store(t);
    case PTX_SHAPE_PREFETCH:
        WW_TRY(ww__translate_count(t, 1, 1));
        WW_TRY(ww__translate_emit_form(t, 0, 1, &inst));
        if (strncmp(t->inst->form->text, "prefetchu", 9) == 0) {
            inst->space = WW_SPACE_GLOBAL; /* the uniform cache has lines of no other */
        }
        return ww__translate_set_address(t, &t->inst->operand[0], inst);
    default:
        return translate_atomic(t);
    }
}

/* ---- mov ---- */

/* Untyped bits of one element of a packed value. */
static ww_type element_type(unsigned bytes)
{
    switch (bytes) {
    case 1:
        return WW_T_B8;
    case 2:
        return WW_T_B16;
    case 4:
        return WW_T_B32;
    default:
        return WW_TYPE_COUNT;
    }
}

static ww_status translate_pack(ptx_translator *t)
{
    const ptx_form *form = t->inst->form;
    const ptx_operand *d = &t->inst->operand[0], *s = &t->inst->operand[1], *dst_list, *src_list;
    uint32_t dsts, srcs;
    WW_TRY(ww__translate_elements(t, d, &dst_list, &dsts));
    WW_TRY(ww__translate_elements(t, s, &src_list, &srcs));
    uint32_t parts = dsts > srcs ? dsts : srcs;
    ww_type part = element_type(ww_type_bytes((ww_type)form->type) / parts);
    if (dsts == srcs || (dsts > 1 && srcs > 1) || part == WW_TYPE_COUNT ||
        ww_type_bytes(part) * parts != ww_type_bytes((ww_type)form->type)) {
        return ww__translate_malformed(t, NULL, "'%.100s' cannot pack or unpack %u elements",
                                       form->text, parts);
    }
    ww_inst *inst;
    WW_TRY(ww__translate_emit_form(t, dsts, srcs, &inst));
    for (uint32_t i = 0; i < dsts; i++) {
        WW_TRY(ww__translate_destination(t, &dst_list[i], dsts > 1 ? part : (ww_type)form->type,
                                         &inst->dst[i]));
    }
    for (uint32_t i = 0; i < srcs; i++) {
        WW_TRY(ww__translate_source(t, &src_list[i], srcs > 1 ? part : (ww_type)form->type,
                                    &inst->src[i]));
    }
    return WW_OK;
}

/* A local variable's address where variables lie in frames. */
static ww_status translate_frame_address(ptx_translator *t, const ptx_operand *d,
                                         const ptx_operand *s)
{
    uint64_t offset = t->program->local_offset[t->position][s->u.var->id] + s->imm;
    bool wide = ww_type_bytes((ww_type)t->inst->form->type) == 8;
    ww_operand sum;
    ww_inst *inst;
    WW_TRY(ww__translate_new(t, WW_T_B32, &sum));
    WW_TRY(ww__translate_emit(t, WW_OP_ADD, WW_T_U32, 1, 2, &inst));
    inst->dst[0] = sum;
    inst->src[0] = t->frame;
    inst->src[1] = ww_opd_imm(offset);
    WW_TRY(ww__translate_emit(t, wide ? WW_OP_CVT : WW_OP_MOV, wide ? WW_T_U64 : WW_T_B32, 1, 1,
                              &inst));
    inst->type2 = wide ? WW_T_U32 : WW_T_NONE;
    inst->src[0] = sum;
    return ww__translate_destination(t, d, (ww_type)t->inst->form->type, &inst->dst[0]);
}

/* mov.v2 and its like: element by element, all read before one is written. */
static ww_status translate_vector_move(ptx_translator *t)
{
    const ptx_form *form = t->inst->form;
    const ptx_operand *dst, *src;
    ww_inst *inst;
    if (form->type == WW_T_PRED) {
        return ww__translate_unsupported(t, NULL, "a vector of predicates in '%.100s'", form->text);
    }
    WW_TRY(vector_elements(t, &t->inst->operand[0], &dst));
    WW_TRY(vector_elements(t, &t->inst->operand[1], &src));
    ww_operand copy[PTX_MAX_VECTOR];
    for (uint32_t i = 0; i < form->vec; i++) {
        WW_TRY(ww__translate_new(t, (ww_type)form->type, &copy[i]));
        WW_TRY(ww__translate_emit(t, WW_OP_MOV, (ww_type)form->type, 1, 1, &inst));
        inst->dst[0] = copy[i];
        WW_TRY(ww__translate_source(t, &src[i], (ww_type)form->type, &inst->src[0]));
    }
    for (uint32_t i = 0; i < form->vec; i++) {
        WW_TRY(ww__translate_emit(t, WW_OP_MOV, (ww_type)form->type, 1, 1, &inst));
        WW_TRY(ww__translate_destination(t, &dst[i], (ww_type)form->type, &inst->dst[0]));
        inst->src[0] = copy[i];
    }
    return WW_OK;
}

ww_status ww__translate_mov(ptx_translator *t)
{
    const ptx_form *form = t->inst->form;
    WW_TRY(ww__translate_count(t, 2, 2));
    if (form->vec > 1) {
        return translate_vector_move(t);
    }
    const ptx_operand *d = &t->inst->operand[0], *s = &t->inst->operand[1];
    if (d->kind == PTX_OPD_VEC || s->kind == PTX_OPD_VEC) {
        return translate_pack(t);
    }
    if (s->kind == PTX_OPD_VAR && s->u.var->space == WW_SPACE_LOCAL &&
        t->frame.kind != WW_OPD_NONE) {
        return translate_frame_address(t, d, s);
    }
    ww_inst *inst;
    WW_TRY(ww__translate_emit_form(t, 1, 1, &inst));
    if (form->type == WW_T_PRED) {
        WW_TRY(ww__translate_predicate_destination(t, d, &inst->dst[0]));
        return ww__translate_predicate(t, s, &inst->src[0]);
    }
    WW_TRY(ww__translate_destination(t, d, (ww_type)form->type, &inst->dst[0]));
    return ww__translate_source(t, s, (ww_type)form->type, &inst->src[0]);
}
