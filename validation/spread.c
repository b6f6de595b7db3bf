/* spread.c - see spread.h. */
#include "validation/spread.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>

#include "analysis/agreement.h"

bool ww_row_is(const ww_row *row, const ww_selection *s)
{
    return (s->subject == NULL || strcmp(s->subject, row->subject) == 0) &&
           (s->what == NULL || strcmp(s->what, row->what) == 0) &&
           (s->group == NULL || (row->group != NULL && strcmp(s->group, row->group) == 0)) &&
           (s->splits == 0 || (s->splits & 1u << row->split) != 0) &&
           (s->peer == 0 || !isnan(row->peer[s->peer - 1]));
}

ww_spread ww_spread_of(double *error, size_t n)
{
    const double none = (double)NAN;
    ww_spread out = {n, none, none, none, none, none};
    double sum = 0, signed_sum = 0;
    for (size_t i = 0; i < n; i++) {
        signed_sum += error[i];
        error[i] = fabs(error[i]);
        sum += error[i];
    }
    if (n == 0 || isnan(sum)) {
        return out;
    }
    gsl_sort(error, 1, n);
    size_t rank = (size_t)(0.9 * (double)n);
    out.mean = sum / (double)n;
    out.signed_mean = signed_sum / (double)n;
    out.median = gsl_stats_median_from_sorted_data(error, 1, n);
    out.p90 = error[rank < n ? rank : n - 1];
    out.largest = error[n - 1];
    return out;
}

ww_status ww_rows_spread(const ww_rows *rows, const ww_selection *selection, unsigned peer,
                         ww_spread *out, ww_error *err)
{
    double *error = WW_NEW_ARRAY(double, rows->count + 1);
    size_t n = 0;
    if (error == NULL) {
        return ww_no_memory_for(err, "%zu errors", rows->count);
    }
    for (size_t i = 0; i < rows->count; i++) {
        const ww_row *row = &rows->row[i];
        bool there = row->missing == NULL && (peer == 0 || !isnan(row->peer[peer - 1]));
        if (there && ww_row_is(row, selection)) {
            error[n++] = ww_error_of(peer == 0 ? row->ours : row->peer[peer - 1], row->reference);
        }
    }
    *out = ww_spread_of(error, n);
    ww_free(error);
    return WW_OK;
}

ww_status ww_rows_pearson(const ww_rows *rows, const ww_selection *selection, bool logarithms,
                          double *out, ww_error *err)
{
    double *x = WW_NEW_ARRAY(double, rows->count + 1), *y = WW_NEW_ARRAY(double, rows->count + 1);
    size_t n = 0;
    ww_status status = x != NULL && y != NULL ? WW_OK : ww_no_memory(err);
    for (size_t i = 0; status == WW_OK && i < rows->count; i++) {
        const ww_row *row = &rows->row[i];
        if (row->missing == NULL && ww_row_is(row, selection)) {
            x[n] = logarithms ? log(row->reference) : row->reference;
            y[n++] = logarithms ? log(row->ours) : row->ours;
        }
    }
    /* A row without a number leaves nothing to correlate: agreement alone would pass over it. */
    bool defined = status == WW_OK && n <= WW_AGREEMENT_MAX;
    for (size_t i = 0; defined && i < n; i++) {
        defined = isfinite(x[i]) && isfinite(y[i]);
    }
    *out = defined ? ww_agreement_of(x, y, n, 0).pearson : (double)NAN;
    ww_free(x);
    ww_free(y);
    return status;
}

/* ---- uncertainties ---- */

/* Standard uncertainties of a normal distribution to either side that hold 95 %. */
static const double ninety_five = 1.96;

static bool counts(const ww_row *row, const ww_selection *selection)
{
    return row->missing == NULL && ww_row_is(row, selection);
}

ww_status ww_rows_sureness(const ww_rows *rows, const ww_selection *selection, ww_sureness *out,
                           ww_error *err)
{
    double *width = WW_NEW_ARRAY(double, rows->count + 1);
    double inside = 0, squares = 0;
    size_t n = 0;
    if (width == NULL) {
        return ww_no_memory_for(err, "%zu widths", rows->count);
    }
    for (size_t i = 0; i < rows->count; i++) {
        const ww_row *row = &rows->row[i];
        if (counts(row, selection)) {
            double sigmas = (row->ours - row->reference) / row->sigma;
            inside += fabs(sigmas) <= ninety_five ? 1 : 0;
            squares += sigmas * sigmas;
            width[n++] = ninety_five * row->sigma / row->ours;
        }
    }
    const double none = (double)NAN, count = (double)n;
    *out = (ww_sureness){n, none, none, none};
    if (n > 0 && !isnan(squares)) {
        gsl_sort(width, 1, n);
        *out = (ww_sureness){n, inside / count, sqrt(squares / count),
                             gsl_stats_median_from_sorted_data(width, 1, n)};
    }
    ww_free(width);
    return WW_OK;
}

static double error_of_constant(const ww_rows *rows, const ww_selection *selection, double value)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < rows->count; i++) {
        if (counts(&rows->row[i], selection)) {
            sum += fabs(ww_error_of(value, rows->row[i].reference));
            n++;
        }
    }
    return sum / n;
}

/* A sum of |c / r - 1| has its least value at one of the r. */
double ww_rows_constant_error(const ww_rows *rows, const ww_selection *selection)
{
    double best = (double)NAN;
    for (size_t i = 0; i < rows->count; i++) {
        if (counts(&rows->row[i], selection)) {
            best = fmin(best, error_of_constant(rows, selection, rows->row[i].reference));
        }
    }
    return best;
}
