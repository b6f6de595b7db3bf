/* spread.h - what errors of many rows come to. */
#ifndef WW_VALIDATION_SPREAD_H
#define WW_VALIDATION_SPREAD_H

#include "validation/row.h"

/* Of n errors, each counting once; all NaN when there is none, or when one is NaN. */
typedef struct ww_spread {
    size_t rows;
    double mean, median, p90, largest; /* of absolute errors; p90: no interpolation between ranks */
    double signed_mean;
} ww_spread;

/* Which rows; NULL, 0: any. */
typedef struct ww_selection {
    const char *subject, *what, *group;
    unsigned splits; /* bits 1 << ww_split */
    unsigned peer;   /* 1, 2: those that the first, the second peer has too */
} ww_selection;

bool ww_row_is(const ww_row *row, const ww_selection *selection);

/** Sums errors up; their order is lost. */
ww_spread ww_spread_of(double *error, size_t n);
/** Of the selected rows' errors, relative to the reference.
 * @param peer  0: ours; 1, 2: a peer's, where it has one
 * @error ENOMEM */
WW_NODISCARD ww_status ww_rows_spread(const ww_rows *rows, const ww_selection *selection,
                                      unsigned peer, ww_spread *out, ww_error *err);
/** Pearson's r of ours and the reference over the selected rows, or of their logarithms; NaN below
 * three rows and for a constant series. @error ENOMEM */
WW_NODISCARD ww_status ww_rows_pearson(const ww_rows *rows, const ww_selection *selection,
                                       bool logarithms, double *out, ww_error *err);

/* Whether uncertainties hold: residuals beside standard uncertainties. */
typedef struct ww_sureness {
    size_t rows;
    double inside;     /* share of the rows within 95 % */
    double rms_sigma;  /* root mean square of residual over standard uncertainty */
    double half_width; /* median 95 % half-width over ours */
} ww_sureness;

/** Of the selected rows; NaN without any, or when one has no uncertainty. @error ENOMEM */
WW_NODISCARD ww_status ww_rows_sureness(const ww_rows *rows, const ww_selection *selection,
                                        ww_sureness *out, ww_error *err);
/** Mean absolute error of the one number that is nearest to all of the selected rows' references:
 * what a model that knows nothing of a row can reach. NaN without any. */
double ww_rows_constant_error(const ww_rows *rows, const ww_selection *selection);

#endif
