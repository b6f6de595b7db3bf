/* calibrate_report.h - a calibration and what is said of it: keys, tables, uncertainties. */
#ifndef WW_CLI_CALIBRATE_REPORT_H
#define WW_CLI_CALIBRATE_REPORT_H

#include "analysis/factor_fit.h"
#include "base/csv.h"
#include "cli/calibrate_activity.h"
#include "counters/counters.h"
#include "power/power.h"

#define WW_CALIBRATE_TOTAL "TOTAL" /* component of rows of a card's power */

/* What one factor scales. */
typedef struct ww_calibration_factor {
    const char *key; /* "rf_factor" */
    bool group[WW_GROUP_COUNT];
} ww_calibration_factor;

/* A row of the file. */
typedef struct ww_calibration_row {
    const char *kernel, *component, *source;
} ww_calibration_row;

typedef struct ww_calibration {
    ww_arena arena;
    const char *folder; /* of the file: activities are named from here */
    ww_arch *arch;
    ww_power_model *model; /* as described: factors are relative to it */
    ww_counter_set rates;
    ww_csv *csv;
    size_t column[6];
    ww_calibration_factor factor[WW_GROUP_COUNT];
    ww_fit_prior prior[WW_GROUP_COUNT];
    size_t factors;
    ww_calibration_row *row;
    ww_fit_row *fit_row;
    size_t rows;
    ww_fit fit;
    ww_run_request request; /* of rows that name a program */
    ww_calibrate_activity activity;
} ww_calibration;

/** What the description says of a key, a factor or watts. */
double ww_calibration_described(const ww_calibration *c, const char *key);
/** The factor that the key of another one multiplies; SIZE_MAX: none that is fitted. */
size_t ww_calibration_parent(const ww_calibration *c, size_t k);
/** Factors, and unless as JSON rows and a summary. */
ww_status ww_calibration_print(const ww_calibration *c, bool json, ww_error *err);
/** Key, kind, standard uncertainty and correlations, as power.uncertainty names it. */
ww_status ww_calibration_write_uncertainty(const ww_calibration *c, const char *path,
                                           ww_error *err);

#endif
