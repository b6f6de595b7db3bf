/* straight_run.h - private to perf/exec: instructions without time, several at once. */
#ifndef WW_PERF_EXEC_STRAIGHT_RUN_H
#define WW_PERF_EXEC_STRAIGHT_RUN_H

#include "perf/exec/code.h"

/** Finds what turns can do at once in predecoded code; without it they go step by step.
 * @error ENOMEM */
WW_NODISCARD ww_status ww__straight_run_prepare(struct ww_exec_code *code, ww_error *err);

/* Where a warp's sources lie. */
typedef struct ww_sources {
    const uint32_t *base[3]; /* by ww_src_kind: REG, POOL, TID */
} ww_sources;

static WW_ALWAYS_INLINE ww_sources ww__sources_of(const struct ww_exec_code *code, const ww_warp *w)
{
    return (ww_sources){{w->regs, code->pool, code->tid + w->index * 3 * WW_LANES}};
}

/* Executes an instruction of which u->computes for the lanes exec. A comparison's function leaves
 * its destination alone. */
static WW_ALWAYS_INLINE void ww__compute(const struct ww_exec_code *code, const ww_warp *w,
                                         const ww_sources *from, const ww_uop *u, uint32_t exec)
{
    _Alignas(64) uint32_t result[WW_PAIR_WORDS];
    const uint32_t *s[WW_UOP_SOURCES];
    for (unsigned k = 0; k < WW_UOP_SOURCES; k++) {
        s[k] = from->base[u->src[k].kind] + u->at[k];
    }
    uint32_t argument = w->preds[u->argument.reg] ^ u->argument.flip;
    uint32_t mask;
    if (WW_LIKELY(exec == UINT32_MAX)) {
        mask = u->fn(w->regs + u->to, s, argument);
    } else {
        mask = u->fn(result, s, argument);
        code->lanes->blend(w->regs + u->to, result, u->out_words, exec);
    }
    if (u->pred_dst != WW_NO_REG) {
        uint32_t *p = &w->preds[u->pred_dst];
        *p = (*p & ~exec) | (mask & exec);
    }
}

#endif
