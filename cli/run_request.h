/* run_request.h - what the arguments of `warpwatt run` ask for. */
#ifndef WW_CLI_RUN_REQUEST_H
#define WW_CLI_RUN_REQUEST_H

#include "cli/command.h"
#include "run/run.h"

/** Reads workloads, sampling, limits and settings into a request; strings live in the arena.
 * @error EUSAGE, ENOTFOUND (a workload), those of reading registers and settings, ENOMEM */
WW_NODISCARD ww_status ww_run_request_make(const ww_args *args, ww_arena *arena,
                                           ww_run_request *request, ww_error *err);

/** "warpwatt run --gpu …" as it was given, without what does not change the result. */
const char *ww_run_request_line(const ww_args *args, ww_arena *arena);

#endif
