/* texture.h - private to perf/exec: textures as instructions see them. */
#ifndef WW_PERF_EXEC_TEXTURE_TEXTURE_H
#define WW_PERF_EXEC_TEXTURE_TEXTURE_H

#include "perf/exec/code.h"

/* A texture that an instruction uses, its memory checked. */
typedef struct ww_tex_view {
    const ww_texture *texture;
    uint64_t handle;
    unsigned element_bytes;
    uint32_t size[3]; /* at least 1 each */
    uint64_t bytes;   /* from its first element to its last */
} ww_tex_view;

/** Geometry of a surface access: of reductions beside the operation. */
static inline ww_sub ww__surface_geometry(const ww_inst *inst)
{
    return (ww_sub)(inst->op == WW_OP_SURED ? inst->layout : inst->sub);
}

/** View of the texture that a lane's handle names; keeps *view when it has that handle already.
 * @error EFAULT: no such texture, or its memory is not all there */
WW_NODISCARD ww_status ww__tex_view(const ww_exec_ctx *x, const ww_uop *u, unsigned lane,
                                    uint64_t handle, ww_tex_view *view);
/** Handle in a lane of source 0. */
static inline uint64_t ww__tex_handle(const ww_uop *u, const uint32_t *planes, unsigned lane)
{
    return u->element[0].words == 2 ? (uint64_t)planes[lane + WW_LANES] << 32 | planes[lane]
                                    : planes[lane];
}

#endif
