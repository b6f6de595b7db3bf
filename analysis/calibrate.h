/* calibrate.h - fitting the calibration factor of a component to measured powers. Depends on: GSL.
 * Pure. */
#ifndef WW_ANALYSIS_CALIBRATE_H
#define WW_ANALYSIS_CALIBRATE_H

#include <stddef.h>

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One measurement of one component. */
typedef struct ww_measurement {
    double scaled_w;   /* what the model says with factor 1, of the part that the factor scales */
    double fixed_w;    /* the rest: configured background */
    double measured_w; /* both together */
    double sigma_w;    /* its standard uncertainty, > 0 */
} ww_measurement;

typedef struct ww_calibration {
    double factor;
    double sigma;   /* standard uncertainty; widened where the measurements scatter more than they
                       claim */
    double chi2;    /* per degree of freedom; NaN for one measurement */
    double largest; /* largest |residual| over the measured power */
} ww_calibration;

/**
 * Weighted least squares of measured = fixed + factor * scaled.
 * @error ERANGE (no measurement, a sigma that is not positive), ENUMERIC (the model says 0 W for
 * all, or the factor comes out negative)
 */
ww_status ww_calibrate(const ww_measurement *measurements, size_t count, ww_calibration *out,
                       ww_error *err);

/** measured - fixed - factor * scaled. */
double ww_calibration_residual_w(const ww_calibration *calibration, const ww_measurement *m);

#ifdef __cplusplus
}
#endif
#endif
