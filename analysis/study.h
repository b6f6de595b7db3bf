/* study.h - a workload study: kernels by rows, metrics and component powers by columns, read from
 * CSV tables or from result folders. What correlate, categories, compare and report work on.
 * Depends on: base, power. Thread safety: a study is constant after loading. */
#ifndef WW_ANALYSIS_STUDY_H
#define WW_ANALYSIS_STUDY_H

#include <stddef.h>

#include "base/csv.h"
#include "base/mem.h"
#include "base/status.h"
#include "power/power.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_study_column {
    const char *name; /* "IPC", "RF" */
    const char *unit; /* "" when the table names none */
    double *value;    /* [kernel_count], NaN where the table has no value */
    double *sigma;    /* likewise, its standard uncertainty: of components whose run says so */
} ww_study_column;

typedef struct ww_study {
    ww_arena arena;      /* owns everything below */
    const char *name;    /* folder or file it was read from */
    const char **kernel; /* distinct; "workload/kernel" when the input names both */
    size_t kernel_count;
    ww_study_column *metric; /* execution time is not among them */
    size_t metric_count;
    ww_study_column *component; /* dynamic power [W]; the total is not among them */
    size_t component_count;     /* 0: no power was given */
    double *dynamic_w; /* [kernel_count] TP: the column of that name, else the components' sum */
    double *static_w;  /* [kernel_count] NaN when unknown: tables hold dynamic power only */
    double *time_s;    /* [kernel_count] all launches together; NaN when unknown */
    double *launches;  /* [kernel_count] 1 for tables */
    double *sigma_w;   /* [kernel_count] standard uncertainty of dynamic and static power together,
                          NaN when unknown */
    double *sampled_j; /* [kernel_count] that of the energy by what sampling extrapolated */
    /* What uncertainties of differences rest on; all NULL when the result does not say. */
    double *group_j; /* [kernel_count * WW_GROUP_COUNT] joules by what is calibrated together */
    const ww_power_errors *errors; /* how sure that is */
    const char *calibration;       /* what the description says of its calibration */
    const char *error_source;      /* studies of the same text are wrong by the same factors */
} ww_study;

/**
 * Reads a table of metrics and one of component powers, joined by the column "kernel" ("workload"
 * before it, when present, is part of the name). Every other column is a series of numbers: "IPC",
 * "IPC [1/cycle]", or, for the metrics of analysis/metrics.h and for ET, "TI_million". ET is the
 * execution time, with its unit; TP the total dynamic power.
 * @param power_path  NULL: no powers
 * @error ENOTFOUND (file, column, a kernel without power or the reverse), EPARSE and ESCHEMA with
 * file and line
 */
WW_NODISCARD ww_status ww_study_load_tables(const char *metrics_path, const char *power_path,
                                            ww_study **out, ww_error *err);

/**
 * Reads kernels.csv and power.csv of a result folder, or of all result folders in a folder (one
 * configuration of a sweep). Launches of one kernel are averaged, weighted by their cycles; time is
 * their sum, power their energy over their time.
 * @error ENOTFOUND (file, column, launch without power), ESCHEMA (a launch twice), EPARSE with file
 * and line
 */
WW_NODISCARD ww_status ww_study_load_results(const char *dir, ww_study **out, ww_error *err);

/** Appends the kernels of other, which must have the same columns. ESCHEMA when a kernel is in both
 * or columns differ. */
WW_NODISCARD ww_status ww_study_append(ww_study *study, const ww_study *other, ww_error *err);

/** Releases a study; NULL allowed. */
void ww_study_destroy(ww_study *study);

/** The metric of that name, NULL when the study has none. */
const ww_study_column *ww_study_metric(const ww_study *study, const char *name);
/** The component of that name, NULL when the study has none. */
const ww_study_column *ww_study_component(const ww_study *study, const char *name);

/* ---- for the readers ---- */

/** An empty study with room for that many kernels and columns; values are NaN. ENOMEM. */
WW_NODISCARD ww_status ww_study_create(const char *name, size_t kernels, size_t metrics,
                                       size_t components, ww_study **out, ww_error *err);
/** "workload/kernel", or kernel alone when the workload is "" or the same; NULL when out of memory.
 */
const char *ww_study_label(ww_arena *arena, const char *workload, const char *kernel);

/** Reads groups.csv, uncertainty.csv and what run.json says of the calibration into a study of that
 * folder; a folder without them leaves the study as it is. EPARSE, ESCHEMA, ERANGE with file and
 * line. */
WW_NODISCARD ww_status ww_study_read_sureness(ww_study *study, const char *dir, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
