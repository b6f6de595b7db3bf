/* texture.c - predecoding of texture and surface instructions, and the look-up of handles.
 */
#include <inttypes.h>

#include "perf/exec/texture/texture.h"

ww_status ww__tex_view(const ww_exec_ctx *x, const ww_uop *u, unsigned lane, uint64_t handle,
                       ww_tex_view *view)
{
    if (view->texture != NULL && view->handle == handle) {
        return WW_OK;
    }
    const ww_kernel *kernel = x->env->launch->kernel;
    const ww_texture *t = ww_texture_get(x->env->launch->textures, handle);
    const uint32_t *cta = x->warp->cta->id;
    uint32_t tid[3];
    ww__thread_of(x, lane, tid);
    if (t == NULL) {
        return ww_fail_at(
            x->err, WW_EFAULT, kernel->file, (int)u->inst->line, 0,
            "kernel %s: %s by thread (%u,%u,%u) of CTA (%u,%u,%u): nothing is bound to "
            "texture or surface 0x%" PRIx64 ".",
            kernel->name, ww_op_name((ww_op)u->inst->op), tid[0], tid[1], tid[2], cta[0], cta[1],
            cta[2], handle);
    }
    ww_tex_view v = {
        .texture = t,
        .handle = handle,
        .element_bytes = t->channels * t->channel_bits / 8u,
        .size = {t->width, t->height > 0 ? t->height : 1, t->depth > 0 ? t->depth : 1}};
    v.bytes = (uint64_t)v.size[0] * v.element_bytes + (v.size[1] - 1) * t->pitch +
              (v.size[2] - 1) * t->slice;
    if (ww_devmem_at(x->env->launch->mem, t->address, v.bytes) == NULL) {
        char where[160];
        return ww_fail_at(x->err, WW_EFAULT, kernel->file, (int)u->inst->line, 0,
                          "kernel %s: the %" PRIu64 " bytes at 0x%" PRIx64
                          " of texture or surface 0x%" PRIx64 " leave their allocation: %s.",
                          kernel->name, v.bytes, t->address, handle,
                          ww_devmem_explain(x->env->launch->mem, t->address, where, sizeof where));
    }
    *view = v;
    return WW_OK;
}

/* All sources: the handle, coordinates, and what a surface store stores. */
static ww_status sources(struct ww_exec_code *code, const ww_inst *inst, unsigned coordinates,
                         ww_uop *u, ww_error *err)
{
    ww_uop_src *list = WW_ARENA_NEW_ARRAY(&code->arena, ww_uop_src, inst->src_count);
    if (list == NULL) {
        return ww_no_memory_for(err, "preparing a kernel");
    }
    for (unsigned k = 0; k < inst->src_count; k++) {
        /* After lowering a handle known at build time is one word. */
        ww_type type = k == 0             ? inst->src[0].words == 1 ? WW_T_U32 : WW_T_U64
                       : k <= coordinates ? WW_T_B32
                                          : (ww_type)inst->type;
        WW_TRY(ww__operand_resolve(code, inst, &inst->src[k], type, &list[k], err));
    }
    if (inst->src[0].kind == WW_OPD_IMM) {
        list[0].words = 2;
    }
    u->element = list;
    u->element_count = inst->src_count;
    return WW_OK;
}

ww_status ww__decode_texture(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                             ww_error *err)
{
    unsigned bytes = ww_type_bytes((ww_type)inst->type);
    bool query = inst->op == WW_OP_TXQ || inst->op == WW_OP_SUQ;
    bool reduces = inst->op == WW_OP_SURED;
    bool stores = inst->op == WW_OP_SUST || reduces;
    unsigned coordinates = query ? 0 : ww_texture_coordinates(ww__surface_geometry(inst));
    unsigned least = 1 + coordinates + (stores ? 1u : 0u);
    unsigned elements = inst->op == WW_OP_TEX || inst->op == WW_OP_TLD4 ? 4 : query ? 1 : inst->vec;
    if (inst->src_count < least || bytes == 0 || bytes > 8 || (!query && coordinates == 0) ||
        inst->dst_count != (stores ? 0 : elements) ||
        (stores && inst->src_count != 1 + coordinates + elements)) {
        return ww__decode_unsupported(code->launch->kernel, inst, err);
    }
    u->run = query                    ? ww__run_txq
             : reduces                ? ww__run_sured
             : stores                 ? ww__run_sust
             : inst->op == WW_OP_SULD ? ww__run_suld
                                      : ww__run_tex;
    u->element_bytes = (uint8_t)bytes;
    u->x = coordinates;
    WW_TRY(sources(code, inst, coordinates, u, err));
    return stores ? WW_OK : ww__decode_destinations(code, inst, bytes == 8 ? 2 : 1, u, err);
}
