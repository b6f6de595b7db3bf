/* rerun.h - launches of public programs, run here or kept by `warpwatt run --out`, for comparisons
 * with what hardware took for them. */
#ifndef WW_CLI_RERUN_H
#define WW_CLI_RERUN_H

#include <stdbool.h>

#include "base/mem.h"
#include "base/status.h"

/* Where programs and results come from. */
typedef struct ww_rerun {
    const char *table;              /* beside it lie the launch files */
    const char *programs, *results; /* folders; NULL: none */
} ww_rerun;

/* A program as a table of references names it. */
typedef struct ww_rerun_row {
    const char *gpu;
    const char *name;      /* results: its folder */
    const char *file;      /* in `programs`; NAME.ptx: a kernel alone */
    const char *arguments; /* with DATA for the folder's data; of a kernel alone: its launch file */
    const char *sample;    /* "", "ctas" or "kernels" */
} ww_rerun_row;

typedef struct ww_rerun_launch {
    const char *kernel;
    double cycles, time_s;
} ww_rerun_launch;

/** The launches of a program, in the arena; *found: there are results, or a program to run.
 * @error EKERNEL (the program failed), as run and the CSV reader */
ww_status ww_rerun_launches(const ww_rerun *from, const ww_rerun_row *row, ww_arena *arena,
                            ww_rerun_launch **out, size_t *count, bool *found, ww_error *err);

#endif
