/* cfg.h - private to perf/ptx: control flow of code in which calls are jumps. */
#ifndef WW_PERF_PTX_CFG_H
#define WW_PERF_PTX_CFG_H

#include "perf/ptx/ptx.h"

/* Where control goes behind an instruction instead of where its operation says: instruction i goes
 * to to[first[i]] .. to[first[i + 1] - 1], and on to the next one where it is guarded. An
 * instruction without such targets keeps its own. */
typedef struct ww_cfg_jumps {
    const uint32_t *first; /* [inst_count + 1] */
    const uint32_t *to;
} ww_cfg_jumps;

static inline uint32_t ww__jump_count(const ww_cfg_jumps *jumps, uint32_t inst)
{
    return jumps != NULL ? jumps->first[inst + 1] - jumps->first[inst] : 0;
}

/** Whether control goes on elsewhere behind the instruction; calls come back. */
bool ww__ends_block(const ww_inst *inst);
/** ww_cfg_build with jumps; NULL: none. */
WW_NODISCARD ww_status ww__cfg_build_jumps(const ww_function *f, const ww_cfg_jumps *jumps,
                                           ww_arena *arena, ww_cfg *out, ww_error *err);

#endif
