/* rerun.h - launches of public programs, run here or kept by `warpwatt run --out`, for comparisons
 * with what hardware took for them. */
#ifndef WW_VALIDATION_RERUN_H
#define WW_VALIDATION_RERUN_H

#include "validation/compare.h"

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
    double cycles, time_s; /* NaN: results without times */
} ww_rerun_launch;

/** The launches of a program, in the arena; *found: there are results, or a program to run.
 * @error EKERNEL (the program failed), as run and the reader of references */
WW_NODISCARD ww_status ww__rerun_launches(const ww__comparing *c, const ww_rerun_row *row,
                                          ww_arena *arena, ww_rerun_launch **out, size_t *count,
                                          bool *found, ww_error *err);

#endif
