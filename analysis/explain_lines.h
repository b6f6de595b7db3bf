/* explain_lines.h - the lines in which two runs with profiles differ. Depends on: base, counters.
 */
#ifndef WW_ANALYSIS_EXPLAIN_LINES_H
#define WW_ANALYSIS_EXPLAIN_LINES_H

#include "analysis/explain.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A line of either run, or of both. */
typedef struct ww_explain_line {
    const char *workload, *kernel; /* kernel "": of the whole workload */
    const char *place;             /* "kernel.cu:5", "kernel.ptx:17", "" */
    const char *text;              /* of the PTX line; of the source, its inlined function */
    bool in_base, in_other;
    double base_j, other_j, difference_j; /* other - base */
} ww_explain_line;

typedef struct ww_explain_lines {
    bool known;            /* both runs have lines with joules; else there are none here */
    ww_explain_line *line; /* most difference first; in the explanation's arena */
    size_t count;
    double base_j, other_j; /* of all of them: without a choice of kernels, the runs' energies */
} ww_explain_lines;

/**
 * Pairs lines by workload, kernel, line of the source and inlined function, where both runs know
 * them; else by PTX line, if its text is the same. What has no partner stands alone.
 * @error ESCHEMA, EPARSE (a lines.csv), ENOMEM
 */
WW_NODISCARD ww_status ww_explain_find_lines(ww_explanation *e, const char *kernel,
                                             ww_explain_lines *out, ww_error *err);
/** As ww_explain_unit_of, of the first lines. */
const char *ww_explain_unit_of_lines(const ww_explain_lines *lines, size_t count, double *scale);
/** All of them as CSV. */
WW_NODISCARD ww_status ww_explain_export_lines(const ww_explain_lines *lines, ww_str *out,
                                               ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
