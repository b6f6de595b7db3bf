/* sureness.h - how sure a ratio of two energies is, given what each rests on. Energies of one card
 * are wrong by the same factors, so that most of their errors cancel in a ratio; those of two cards
 * are taken as independent. Depends on: power. Pure. */
#ifndef WW_ANALYSIS_SURENESS_H
#define WW_ANALYSIS_SURENESS_H

#include <stdbool.h>

#include "power/power.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An energy, or the geometric mean of several, by where its error comes from. */
typedef struct ww_exposure {
    double share[WW_GROUP_COUNT]; /* of the energy by what is calibrated together */
    double error[WW_ERROR_COUNT]; /* relative standard uncertainty by each source */
    double sampled;               /* likewise by what sampling extrapolated */
} ww_exposure;

/** Of an energy whose parts by group are group_j, sampled by sigma_j. */
void ww_exposure_of(const ww_power_errors *errors, const double group_j[WW_GROUP_COUNT],
                    double sampled_j, ww_exposure *out);
/** Of the geometric mean of count energies. */
void ww_exposure_mean(const ww_exposure *of, size_t count, ww_exposure *out);

/** Relative standard uncertainty of an energy: what `run` prints beside it, and that of sampling.
 */
double ww_exposure_sigma(const ww_power_errors *errors, const ww_exposure *energy);

/** Standard uncertainty of the logarithm of other over base.
 * @param shared  both are wrong by the same factors: what they have in common cancels, in each
 * group's share of the energy, and the scatter of the model is that of the shares that moved */
double ww_exposure_joint(const ww_power_errors *base_errors, const ww_exposure *base,
                         const ww_power_errors *other_errors, const ww_exposure *other,
                         bool shared);

#ifdef __cplusplus
}
#endif
#endif
