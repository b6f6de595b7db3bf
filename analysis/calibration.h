/* calibration.h - factors of a power model from measured powers and from what is known of them
 * before: rows of a table, the fit, and what it says of the description's keys
 * (docs/calibration.md). */
#ifndef WW_ANALYSIS_CALIBRATION_H
#define WW_ANALYSIS_CALIBRATION_H

#include "analysis/factor_fit.h"
#include "base/csv.h"
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

/* Where the launches are that rows name. */
typedef struct ww_calibration_source {
    /* *out: NULL when the activity has no such launch; valid until the next call */
    ww_status (*launch)(void *user, const char *activity, const char *kernel,
                        const ww_launch_record **out, ww_error *err);
    void *user;
    bool toggles; /* rows in rates are charged for the bits that they say switch */
} ww_calibration_source;

typedef struct ww_calibration {
    ww_arena arena;
    const ww_arch *arch;   /* the caller's */
    ww_power_model *model; /* as described: factors are relative to it */
    ww_calibration_source source;
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
    bool whole_card_left_out; /* fit.left_out_w: without any row of the card (analysis/joint.h) */
} ww_calibration;

/**
 * Reads a table of measurements, for a fit. Factors are the shared keys, in their order, of which
 * the table's prior rows count for nothing, and what else the table has prior rows of.
 * @param out  release with ww_calibration_fini, after a failure too
 * @error ENOTFOUND, EPARSE, ESCHEMA, ERANGE (file, line), as the source
 */
WW_NODISCARD ww_status ww_calibration_open(const char *path, const ww_arch *arch,
                                           ww_calibration_source source, const char *const *shared,
                                           size_t shared_count, ww_calibration *out, ww_error *err);

/** Adds a row that knows a factor's value, through its parent, to within a share of it. ERANGE. */
WW_NODISCARD ww_status ww_calibration_know(ww_calibration *c, size_t k, double value, double sigma,
                                           ww_error *err);

/**
 * Reads a table of measurements and fits what its rows say.
 * @param out  release with ww_calibration_fini, after a failure too
 * @error ENOTFOUND, EPARSE, ESCHEMA, ERANGE (file, line), as ww_fit_factors and the source
 */
WW_NODISCARD ww_status ww_calibration_fit(const char *path, const ww_arch *arch,
                                          ww_calibration_source source, ww_calibration *out,
                                          ww_error *err);
void ww_calibration_fini(ww_calibration *c);

/**
 * Leaves a card out: instead of a fit, its rows as another card's energies predict them. Factors of
 * energies are those of `from`'s description, on the structures of `arch`; what goes in watts
 * (idle, static, constant) stays as described, since a card's idle power is mostly known.
 * @param out  as ww_calibration_fit; fit.factor: theirs over ours, fit.model_w: predicted
 * @error as ww_calibration_fit; ERANGE without a row of the card's power, or with a factor of 0
 */
WW_NODISCARD ww_status ww_calibration_carry(const char *path, const ww_arch *arch,
                                            const ww_arch *from, ww_calibration_source source,
                                            ww_calibration *out, ww_error *err);
/* How far such predictions are off, over a card's powers. */
typedef struct ww_carried {
    size_t rows;
    double mean, signed_mean, rms; /* over the power */
    double fitted_mean;            /* mean absolute error of all rows with the card in the fit */
    /* Of what is above the watts, in rows where that is a twentieth at least: */
    size_t above_rows;
    double above_mean;    /* mean absolute error; NaN without rows, as the next */
    double above_log_rms; /* root mean square of the logarithm: what an energy is uncertain by */
} ww_carried;
ww_carried ww_calibration_carried(const ww_calibration *c);

/** What a description's keys make of a factor, its component's key included. */
double ww_calibration_through(const ww_arch *arch, const ww_calibration_factor *f);
/** What the description says of a key, a factor or watts. */
double ww_calibration_described(const ww_calibration *c, const char *key);
/** What the description's key is to say, given what its parent's is to say. */
double ww_calibration_fitted(const ww_calibration *c, size_t k);
/** Root mean square of what is left of a card's power, each microbenchmark left out in turn. */
double ww_calibration_scatter(const ww_calibration *c);
/** Covariance of the logarithms of two factors: the fit's, and of what the fit took for granted. */
double ww_calibration_covariance(const ww_calibration *c, size_t k, size_t j);
/** Standard uncertainty of a factor's logarithm, and the correlation of two. */
double ww_calibration_sigma(const ww_calibration *c, size_t k);
double ww_calibration_correlation(const ww_calibration *c, size_t k, size_t j);
/** What the fitted keys make of a factor, its component's key included. */
double ww_calibration_through_fitted(const ww_calibration *c, size_t k);
/** How far row i is off, over what was measured: of the fit, and of one without the row. */
double ww_calibration_error(const ww_calibration *c, size_t i);
double ww_calibration_left_out_error(const ww_calibration *c, size_t i);

#endif
