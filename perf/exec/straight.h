/* straight.h - private to perf/exec: runs of instructions executed at once. */
#ifndef WW_PERF_EXEC_STRAIGHT_H
#define WW_PERF_EXEC_STRAIGHT_H

#include "perf/exec/code.h"

/** Finds the runs of predecoded code. */
void ww__straight_prepare(struct ww_exec_code *code);
/**
 * Executes at most `most` instructions of a warp at whose pc a run begins, one a cycle of
 * env->cycle, and counts them in counts[pc]. Nothing of a launch that is executed so is kept back
 * (env->pending is NULL).
 * @param out  zeroed; its pushed and popped add up, the rest is scratch
 * @error      as ww_exec_step; the pc is then that of the instruction that failed
 */
ww_status ww__straight_run(ww_exec_env *env, ww_warp *w, uint32_t most, ww_step *out,
                           ww_pc_count *counts, ww_error *err);

#endif
