/* program.h - running an unmodified CUDA program on the simulator: `warpwatt run … -- PROGRAM
 * ARGS`. */
#ifndef WW_CLI_PROGRAM_H
#define WW_CLI_PROGRAM_H

#include <stdbool.h>

#include "counters/counters.h"
#include "run/run.h"

/* What came of a program and the processes that it started. */
typedef struct ww_program_result {
    ww_run run;               /* its launches; borrowed from activities */
    ww_activity **activities; /* one per process that launched kernels */
    size_t activity_count;
    const char **faults; /* device errors, as printed */
    size_t fault_count;
    const char **findings; /* of --memcheck */
    size_t finding_count;
    const char **unsupported; /* entry points called in vain */
    size_t unsupported_count;
    size_t process_count; /* that used the CUDA runtime */
    int exit_code;        /* the program's; 128 + signal when one ended it */
    int ended_by;         /* the signal that ended it; 0: it ended by itself */
    bool reads_clock;     /* its file names a function that reads the host's */
    bool interrupted;     /* this process was asked to end while it ran */
    uint64_t run_id;      /* ww_run_id */
    ww_arena arena;
} ww_program_result;

/**
 * Runs a program with WarpWatt's CUDA runtime in place of NVIDIA's and collects its launches; those
 * that had finished when this process was asked to end, too (cli/ending.h).
 * @param request  GPU, settings and options; workloads and PTX are not looked at
 * @param out      release with ww_program_result_fini, after a failure too
 * @error ENOTFOUND (program, runtime library), EUNSUP (the program contains a CUDA runtime of its
 * own), EIO
 */
WW_NODISCARD ww_status ww_program_run(const ww_run_request *request, const char *const *argv,
                                      size_t argc, ww_program_result *out, ww_error *err);
void ww_program_result_fini(ww_program_result *result);

/** What is wrong with running that file on another CUDA runtime, if it is a program at all: EUNSUP,
 * ENOTFOUND.
 * @param hook         whether it needs the library that replaces a static runtime, or is a script
 * @param reads_clock  whether it imports a function that reads the host's clock */
WW_NODISCARD ww_status ww_program_check(const char *path, bool *hook, bool *reads_clock,
                                        ww_error *err);

/** Writes exit code, faults and missing entry points as dir/program.json. */
WW_NODISCARD ww_status ww_program_export(const ww_program_result *result, const char *dir,
                                         const char *command, ww_error *err);

#endif
