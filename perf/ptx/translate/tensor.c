/* tensor.c - tensor copies and changes to tensor maps. Of a copy, src[0] is the map's address,
 * src[1] the shared address, src[2] the mbarrier, src[3] the mask of CTAs, and from src[4] on come
 * the coordinates, innermost first, and the offsets of im2col. */
#include "isa/tensor_map.h"
#include "perf/ptx/translate/translate.h"

enum { FIXED = 4 };

/* "[map, {coordinates}]": what stands in the brackets, the coordinates as a list. */
static ww_status parts_of(ptx_translator *t, const ptx_operand *o, const ptx_operand **map,
                          const ptx_operand **list, uint32_t *count)
{
    if (o->kind != PTX_OPD_ADDR || o->count != 2) {
        return ww__translate_malformed(t, o, "'%.100s' needs [map, coordinates] here",
                                       t->inst->form->text);
    }
    *map = &o->u.list[0];
    return ww__translate_elements(t, &o->u.list[1], list, count);
}

static ww_status set_map(ptx_translator *t, const ptx_operand *map, uint64_t displacement,
                         ww_inst *inst)
{
    const ptx_operand address = {.kind = PTX_OPD_ADDR,
                                 .count = 1,
                                 .imm = displacement,
                                 .loc = map->loc,
                                 .u.list = (ptx_operand *)(uintptr_t)map};
    ww_space space = WW_SPACE_GENERIC;
    WW_TRY(ww__translate_address(t, &address, &space, &inst->src[0], &inst->offset));
    if (space != WW_SPACE_GENERIC && space != WW_SPACE_GLOBAL && space != WW_SPACE_CONST &&
        space != WW_SPACE_PARAM) {
        return ww__translate_unsupported(t, map, "a tensor map in .%s memory",
                                         ww_space_name(space));
    }
    /* Kernel parameters have generic addresses of their own. */
    inst->offset += space == WW_SPACE_PARAM ? (int64_t)WW_PARAM_WINDOW : 0;
    return WW_OK;
}

/* The sources behind the fixed ones: coordinates of 32 bits, or offsets of 16. */
static ww_status add_list(ptx_translator *t, const ptx_operand *at, const ptx_operand *list,
                          uint32_t count, uint32_t expected, ww_type type, ww_operand *to)
{
    if (count != expected) {
        return ww__translate_malformed(t, at, "'%.100s' needs %u of them, not %u",
                                       t->inst->form->text, expected, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        WW_TRY(ww__translate_source(t, &list[i], type, &to[i]));
    }
    return WW_OK;
}

/* load: [dst], [map, at], [mbarrier]{, offsets}{, mask}; store: [map, at], [src]; prefetch:
 * [map, at]{, offsets}; each with a policy behind where the form says so. */
ww_status ww__translate_tensor(ptx_translator *t)
{
    const ptx_form *form = t->inst->form;
    const ptx_operand *o = t->inst->operand;
    const ptx_operand *map = NULL, *at = NULL, *shift = NULL;
    bool loads = form->op == WW_OP_CP_TENSOR && form->sub == WW_SUB_NONE;
    bool prefetches = form->sub == WW_SUB_PREFETCH;
    bool shifted = (form->layout & WW_TENSOR_COLUMNS) != 0 && (loads || prefetches);
    bool multicast = (form->layout & WW_TENSOR_MULTICAST) != 0;
    uint32_t rank = form->vec, count, shifts = 0;
    uint32_t least = (loads ? 3u : prefetches ? 1u : 2u) + shifted + multicast;
    ww_operand shared = {.kind = WW_OPD_NONE}, object = {.kind = WW_OPD_NONE};
    ww_operand mask = ww_opd_imm(0);
    ww_inst *inst;
    WW_TRY(ww__translate_count_policy(t, least, least, &count));
    WW_TRY(parts_of(t, &o[loads ? 1 : 0], &map, &at, &count));
    uint32_t next = loads ? 3 : 1;
    if (shifted) {
        WW_TRY(ww__translate_elements(t, &o[next++], &shift, &shifts));
    }
    if (!prefetches) {
        WW_TRY(ww__translate_shared_address(t, &o[loads ? 0 : 1], &shared));
    }
    if (loads) {
        WW_TRY(ww__translate_shared_address(t, &o[2], &object));
    }
    if (multicast) {
        WW_TRY(ww__translate_source(t, &o[next], WW_T_U16, &mask));
    }
    uint32_t extra = shifted ? rank - 2 : 0;
    WW_TRY(ww__translate_emit_form(t, 0, FIXED + rank + extra, &inst));
    inst->src[1] = prefetches ? ww_opd_imm(0) : shared;
    inst->src[2] = loads ? object : ww_opd_imm(0);
    inst->src[3] = mask;
    inst->layout = form->layout;
    inst->vec = form->vec;
    WW_TRY(set_map(t, map, o[loads ? 1 : 0].imm, inst));
    WW_TRY(add_list(t, &o[loads ? 1 : 0], at, count, rank, WW_T_B32, inst->src + FIXED));
    return shifted ? add_list(t, shift, shift, shifts, extra, WW_T_U16, inst->src + FIXED + rank)
                   : WW_OK;
}

/* replace: [map]{, ordinal}, value: src[1] is the value, tile the ordinal; cp_fenceproxy: [to],
 * [from], 128: src[1] is the shared address. */
ww_status ww__translate_tensormap(ptx_translator *t)
{
    const ptx_form *form = t->inst->form;
    const ptx_operand *o = t->inst->operand;
    ww_inst *inst;
    if (form->op == WW_OP_TENSORMAP_COPY) {
        ww_operand from;
        WW_TRY(ww__translate_count(t, 3, 3));
        if (o[2].kind != PTX_OPD_INT || o[2].imm != WW_TENSOR_MAP_BYTES) {
            return ww__translate_malformed(t, &o[2], "a tensor map has 128 bytes");
        }
        WW_TRY(ww__translate_shared_address(t, &o[1], &from));
        WW_TRY(ww__translate_emit_form(t, 0, 2, &inst));
        inst->src[1] = from;
        return ww__translate_set_address(t, &o[0], inst);
    }
    static const uint8_t ordinals[] = {
#define X(id, text, ordinals) ordinals,
        WW_TENSOR_FIELD_MAP(X)
#undef X
    };
    uint32_t count = ordinals[form->vec] != 0 ? 3 : 2;
    WW_TRY(ww__translate_count(t, count, count));
    WW_TRY(ww__translate_emit_form(t, 0, 2, &inst));
    inst->vec = form->vec;
    WW_TRY(ww__translate_source(t, &o[count - 1], (ww_type)form->type, &inst->src[1]));
    if (count == 3) {
        if (o[1].kind != PTX_OPD_INT || o[1].imm >= ordinals[form->vec]) {
            return ww__translate_malformed(t, &o[1], "'%.100s' has ordinals 0 to %u", form->text,
                                           ordinals[form->vec] - 1u);
        }
        inst->tile = (uint8_t)o[1].imm;
    }
    return ww__translate_set_address(t, &o[0], inst);
}
