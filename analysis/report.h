/* report.h - one self-contained HTML page about one or several result sets, and its plots as SVG
 * and CSV files beside it. Depends on: base, GSL (through correlate). Equal inputs give equal
 * bytes: no dates, no host names. */
#ifndef WW_ANALYSIS_REPORT_H
#define WW_ANALYSIS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_report ww_report;

typedef struct ww_report_options {
    const char *version; /* of WarpWatt, for the footer */
    size_t resamples;    /* behind the correlations' confidence intervals */
    uint64_t seed;
    const char *const *inputs; /* files that nothing is written over; borrowed */
    size_t input_count;
    bool spreadsheet; /* no cell of the CSV files is a formula to a spreadsheet */
} ww_report_options;

/** An empty report. */
WW_NODISCARD ww_status ww_report_create(ww_report **out, ww_error *err);
/** Releases a report; NULL allowed. */
void ww_report_destroy(ww_report *report);

/**
 * Adds a result folder. Folders of one configuration with different kernels form one set; any other
 * folder begins a new one, and sets are compared with the first.
 * @error as ww_study_load_results and ww_run_info_load; EPARSE, ESCHEMA when trace.csv is faulty
 */
WW_NODISCARD ww_status ww_report_add_results(ww_report *report, const char *dir, ww_error *err);
/** Adds a set made of CSV tables (ww_study_load_tables); peak_ipc 0: unknown, no categories. */
WW_NODISCARD ww_status ww_report_add_tables(ww_report *report, const char *metrics_path,
                                            const char *power_path, double peak_ipc, ww_error *err);

/**
 * Writes the page, and beside it, named after it, an SVG and a CSV of every plot. Sets behind the
 * first that differ in one numeric parameter alone are put in its order.
 * @error ERANGE (nothing was added), EIO
 */
WW_NODISCARD ww_status ww_report_write(ww_report *report, const char *html_path,
                                       const ww_report_options *options, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
