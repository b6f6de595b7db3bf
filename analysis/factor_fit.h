/* factor_fit.h - calibrating what makes up a power by factors of its parts: measured = fixed + sum
 * of factor x part, with knowledge of the factors from elsewhere. Factors are fitted as logarithms,
 * so that nothing turns negative, by GSL's trust-region least squares. Depends on: GSL. Pure. */
#ifndef WW_ANALYSIS_FACTOR_FIT_H
#define WW_ANALYSIS_FACTOR_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One measurement. Rows with the same label come from one microbenchmark, at several clocks, say,
 * and are left out together in cross-validation. */
typedef struct ww_fit_row {
    const char *label;
    double measured_w, sigma_w; /* standard uncertainty, > 0 */
    double fixed_w;             /* what no factor scales */
    const double *part_w;       /* [factors]: each part with factor 1 */
} ww_fit_row;

/* What is known of a factor before: its logarithm is N(log_value, log_sigma^2). A
 * pseudo-observation of the fit. */
typedef struct ww_fit_prior {
    double log_value;
    double log_sigma; /* 0: the factor stays 1 */
    size_t about; /* not 0: log_value is over the logarithm of factor about - 1, which is fitted */
} ww_fit_prior;

/* A fitted factor. */
typedef struct ww_fit_factor {
    bool fitted;
    double value;     /* of the factor */
    double log_sigma; /* standard uncertainty of its logarithm */
    size_t rows;      /* that it rests on: it makes at least a hundredth of their power */
} ww_fit_factor;

typedef struct ww_fit {
    size_t factors, rows;
    ww_fit_factor *factor; /* [factors] */
    double *covariance;    /* [factors x factors], of logarithms; 0 for those that stay 1 */
    double *model_w;       /* [rows], with the fitted factors */
    double *left_out_w;    /* [rows], with factors fitted without the row's label */
    double chi2;           /* of the measurements, per row */
    double error;          /* mean |residual| over measured */
    double left_out_error; /* the same of left_out_w: what a new microbenchmark may expect */
    double left_out_rms;   /* root mean square of the same */
} ww_fit;

/**
 * Fits the factors and cross-validates, leaving out one label at a time.
 * @param out  arrays in arena
 * @error ERANGE (no row, a sigma that is not positive, a negative part), ENUMERIC (no convergence),
 * ENOMEM
 */
WW_NODISCARD ww_status ww_fit_factors(const ww_fit_row *rows, size_t row_count,
                                      const ww_fit_prior *priors, size_t factor_count,
                                      ww_arena *arena, ww_fit *out, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
