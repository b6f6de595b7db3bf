/* calibrate.c - one factor per component by weighted least squares through the origin. */
#include "analysis/calibrate.h"

#include <math.h>

#include <gsl/gsl_fit.h>

#include "base/mem.h"

static ww_status check(const ww_measurement *m, size_t count, ww_error *err)
{
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(m[i].sigma_w > 0) || !isfinite(m[i].sigma_w) || !isfinite(m[i].measured_w)) {
            return ww_fail(err, WW_ERANGE, "measurement %zu: %g W with an uncertainty of %g W",
                           i + 1, m[i].measured_w, m[i].sigma_w);
        }
        most = fmax(most, m[i].scaled_w);
    }
    if (count == 0) {
        return ww_fail(err, WW_ERANGE, "there is no measurement");
    }
    return most > 0 ? WW_OK : ww_fail(err, WW_ENUMERIC, "the model says 0 W for every measurement");
}

double ww_calibration_residual_w(const ww_calibration *calibration, const ww_measurement *m)
{
    return m->measured_w - m->fixed_w - calibration->factor * m->scaled_w;
}

/* x, y, w: room for count values each. */
static ww_status fit(const ww_measurement *m, size_t count, double *x, double *y, double *w,
                     ww_calibration *out, ww_error *err)
{
    double variance, sum;
    for (size_t i = 0; i < count; i++) {
        x[i] = m[i].scaled_w;
        y[i] = m[i].measured_w - m[i].fixed_w;
        w[i] = 1 / (m[i].sigma_w * m[i].sigma_w);
    }
    gsl_fit_wmul(x, 1, w, 1, y, 1, count, &out->factor, &variance, &sum);
    if (!(out->factor > 0)) {
        return ww_fail(
            err, WW_ENUMERIC,
            "the factor would be %g: the measurements lie below the configured background",
            out->factor);
    }
    out->chi2 = count > 1 ? sum / (double)(count - 1) : (double)NAN;
    out->sigma = sqrt(variance) * (count > 1 ? fmax(1, sqrt(out->chi2)) : 1);
    out->largest = 0;
    for (size_t i = 0; i < count; i++) {
        double share = fabs(ww_calibration_residual_w(out, &m[i])) / fabs(m[i].measured_w);
        out->largest = fmax(out->largest, share);
    }
    return WW_OK;
}

ww_status ww_calibrate(const ww_measurement *measurements, size_t count, ww_calibration *out,
                       ww_error *err)
{
    WW_TRY(check(measurements, count, err));
    double *room = WW_NEW_ARRAY(double, 3 * count);
    if (room == NULL) {
        return ww_fail(err, WW_ENOMEM, "out of memory");
    }
    ww_status status = fit(measurements, count, room, room + count, room + 2 * count, out, err);
    ww_free(room);
    return status;
}
