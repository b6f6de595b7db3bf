/* joint.h - factors of several cards from the measured powers of all of them at once: each card's
 * factor lies about one that they share, as near as the cards themselves say, and the shared ones
 * about the structural model (docs/calibration.md). */
#ifndef WW_ANALYSIS_JOINT_H
#define WW_ANALYSIS_JOINT_H

#include "analysis/calibration.h"

/* A factor that cards share. */
typedef struct ww_joint_factor {
    const char *key;
    double prior_value, prior_sigma; /* known before; width of the logarithm */
    double value, log_sigma;         /* fitted, and its standard uncertainty */
} ww_joint_factor;

/* A card with its own factors, which ww_calibration_fitted and ww_calibration_covariance tell;
 * calibration.fit.left_out_w: as predicted without any of its rows. */
typedef struct ww_joint_card {
    const char *gpu;
    ww_arch *arch;
    ww_calibration calibration;
    size_t first; /* its first factor in the fit */
} ww_joint_card;

typedef struct ww_joint {
    ww_arena arena;
    ww_csv *csv;
    ww_joint_factor *factor;
    size_t factors;
    ww_joint_card *card;
    size_t cards;
    bool toggles;
    double between; /* standard deviation of a card's factor about the shared one, of the logarithm:
                       what the fit itself finds */
    ww_fit fit;
} ww_joint;

/**
 * Reads a file of cards and shared factors and fits all of it: columns `what`, `name`, `table`,
 * `settings`, `value` and `sigma`. A "factor" is a key with value and width of the logarithm,
 * through its parent; a "card" a description, the table of its rows, from the file's folder, and
 * settings, "key=value ...", of which "toggles=true" has its rows charged for the bits that they
 * say switch, whatever `toggles` is; "known" what else tells of a key of the card that column
 * `table` names. Factors come first. Rows of the tables are in rates.
 * @param toggles  rows are charged for the bits that they say switch
 * @param out  release with ww_joint_fini, after a failure too
 * @error as ww_calibration_open and ww_fit_factors; EPARSE, ESCHEMA, ERANGE (file, line)
 */
WW_NODISCARD ww_status ww_joint_fit(const char *path, bool toggles, ww_joint *out, ww_error *err);
void ww_joint_fini(ww_joint *j);

#endif
