/* estimated.h - how much of the energy of another simulator's launches rests on counters that it
 * does not tell and that rules estimate (counters/foreign.h). */
#ifndef WW_ANALYSIS_ESTIMATED_H
#define WW_ANALYSIS_ESTIMATED_H

#include "arch/arch.h"
#include "counters/foreign.h"
#include "power/power.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What rules for activity that another program counted need to know of a machine of ours. */
ww_foreign_machine ww_foreign_machine_of(const ww_arch *arch);
/** Energy of all launches, and what of it is not there without the estimates. @error ENOMEM,
 * ENUMERIC */
WW_NODISCARD ww_status ww_estimated_energy(const ww_power_model *model,
                                           const ww_foreign_activity *foreign, double *estimated_j,
                                           double *total_j, ww_error *err);
/** What one counter's estimates are charged in all launches, by the events that read it. @error
 * ENOMEM */
WW_NODISCARD ww_status ww_estimated_of(const ww_power_model *model,
                                       const ww_foreign_activity *foreign, ww_counter counter,
                                       double *out, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
