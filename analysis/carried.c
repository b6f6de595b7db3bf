/* carried.c - a card that is left out: what another card's energies, or those of a fit without it,
 * predict of its rows (calibration.h). */
#include <math.h>
#include <string.h>

#include "analysis/calibration.h"

static bool is_watts(const ww_calibration_factor *f)
{
    for (int g = WW_GROUP_ACTIVE_SM; g <= WW_GROUP_CONSTANT; g++) {
        if (f->group[g]) {
            return true;
        }
    }
    return false;
}

static ww_status carry(ww_calibration *c, const ww_arch *from, ww_error *err)
{
    c->fit = (ww_fit){.factors = c->factors,
                      .rows = c->rows,
                      .factor = WW_ARENA_NEW_ARRAY(&c->arena, ww_fit_factor, c->factors + 1),
                      .model_w = WW_ARENA_NEW_ARRAY(&c->arena, double, c->rows + 1)};
    if (c->fit.factor == NULL || c->fit.model_w == NULL) {
        return ww_no_memory(err);
    }
    for (size_t k = 0; k < c->factors; k++) {
        double ours = ww_calibration_through(c->arch, &c->factor[k]);
        double theirs =
            is_watts(&c->factor[k]) ? ours : ww_calibration_through(from, &c->factor[k]);
        if (!(ours > 0 && theirs > 0)) {
            return ww_fail(err, WW_ERANGE, "power.%s is %g and %g: neither can be carried over",
                           c->factor[k].key, ours, theirs);
        }
        c->fit.factor[k].value = theirs / ours;
    }
    for (size_t i = 0; i < c->rows; i++) {
        c->fit.model_w[i] = c->fit_row[i].fixed_w;
        for (size_t k = 0; k < c->factors; k++) {
            c->fit.model_w[i] += c->fit.factor[k].value * c->fit_row[i].part_w[k];
        }
    }
    return WW_OK;
}

ww_status ww_calibration_carry(const char *path, const ww_arch *arch, const ww_arch *from,
                               ww_calibration_source source, ww_calibration *out, ww_error *err)
{
    WW_TRY(ww_calibration_open(path, arch, source, NULL, 0, out, err));
    for (size_t i = 0; i < out->rows; i++) {
        if (strcmp(out->row[i].component, WW_CALIBRATE_TOTAL) == 0) {
            return carry(out, from, err);
        }
    }
    return ww_fail(err, WW_ERANGE, "%s has no row of the card's power, " WW_CALIBRATE_TOTAL, path);
}

static double watts_of(const ww_calibration *c, size_t row)
{
    double w = c->fit_row[row].fixed_w;
    for (size_t k = 0; k < c->factors; k++) {
        w += is_watts(&c->factor[k]) ? c->fit_row[row].part_w[k] : 0;
    }
    return w;
}

ww_carried ww_calibration_carried(const ww_calibration *c)
{
    static const double least = 0.05;
    const double *predicted = c->whole_card_left_out ? c->fit.left_out_w : c->fit.model_w;
    ww_carried s = {0};
    for (size_t i = 0; i < c->rows; i++) {
        double measured = c->fit_row[i].measured_w, rest = watts_of(c, i);
        double error = predicted[i] / measured - 1;
        s.fitted_mean += fabs(c->fit.model_w[i] / measured - 1) / (double)c->rows;
        if (strcmp(c->row[i].component, WW_CALIBRATE_TOTAL) != 0) {
            continue;
        }
        s.rows++;
        s.mean += fabs(error);
        s.signed_mean += error;
        s.rms += error * error;
        if (measured - rest > least * measured && predicted[i] > rest) {
            double ratio = (predicted[i] - rest) / (measured - rest);
            s.above_rows++;
            s.above_mean += fabs(ratio - 1);
            s.above_log_rms += log(ratio) * log(ratio);
        }
    }
    double n = (double)s.rows, above = (double)s.above_rows;
    s.mean /= n;
    s.signed_mean /= n;
    s.rms = sqrt(s.rms / n);
    s.above_mean /= above;
    s.above_log_rms = sqrt(s.above_log_rms / above);
    return s;
}
