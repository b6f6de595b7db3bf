/* pass_scores.h - what rows of passes come to: errors by group, the order of energies, series of
 * clocks. A row's group is its set, and what it states "time", "energy" or "power". Private to
 * validation/. */
#ifndef WW_VALIDATION_PASS_SCORES_H
#define WW_VALIDATION_PASS_SCORES_H

#include "validation/row.h"

/** Mean of |value / reference - 1| over a group's rows, of ours or of a constant in the place of
 * all; NaN without any. @param of  their number */
double ww__pass_error(const ww_rows *rows, const char *group, const char *what,
                      const double *constant, size_t *of);
/** That of the constant that has the least. */
double ww__pass_constant_error(const ww_rows *rows, const char *group, const char *what);
/** Spearman's correlation of energies, ours and measured, over all groups. */
double ww__pass_rank_correlation(const ww_rows *rows, size_t *of);

/* Energies of series of clocks, each over its series' least, measured and ours: errors. */
typedef struct ww__series_error {
    double sum, most;
    size_t of; /* those in series of three clocks and more */
} ww__series_error;
ww__series_error ww__pass_series(const ww_rows *rows);

#endif
