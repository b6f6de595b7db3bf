/* program_cap.h - a CUDA program under a power cap. */
#ifndef WW_CLI_PROGRAM_CAP_H
#define WW_CLI_PROGRAM_CAP_H

#include "cli/program.h"

/** As ww_program_run where the request names no power.cap_w; else the program runs once for each
 * clock that is tried, with its output each time, and out is the run whose mean power fits. A run
 * that does not end normally, or is interrupted, ends the search and is the result.
 * @error those of ww_program_run and ww_run_capped */
WW_NODISCARD ww_status ww_program_run_capped(const ww_run_request *request, const char *const *argv,
                                             size_t argc, ww_program_result *out, ww_error *err);

#endif
