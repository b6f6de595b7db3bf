/* straight_run.h - private to perf/exec: instructions without time, several at once. */
#ifndef WW_PERF_EXEC_STRAIGHT_RUN_H
#define WW_PERF_EXEC_STRAIGHT_RUN_H

#include "perf/exec/code.h"

/** Finds what turns can do at once in predecoded code; without it they go step by step.
 * @error ENOMEM */
WW_NODISCARD ww_status ww__straight_run_prepare(struct ww_exec_code *code, ww_error *err);

#endif
