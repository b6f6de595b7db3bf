/* line_joules.h - what lines of kernels cost (counters/lines.h). An event's energy is linear in its
 * counters, so that a line's joules are its counts times prices, whichever launches they are from.
 * Depends on: base, counters, power. */
#ifndef WW_RUN_LINE_JOULES_H
#define WW_RUN_LINE_JOULES_H

#include "counters/lines.h"
#include "power/power.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Energies of the model's events by counter; what time costs is not in them. */
void ww_line_prices_of(const ww_power_model *model, ww_line_prices *out);

/** Adds, per workload of the launches, the joules that no instruction is charged for: "(static)",
 * leakage and constant power; "(active SMs)", activation of SMs and clusters; "(standby)", that of
 * controllers and DRAM. With them the lines of a run sum to its energy. @error as ww_power_evaluate
 */
WW_NODISCARD ww_status ww_lines_add_idle(ww_lines *lines, const ww_power_model *model,
                                         const ww_launch_record *launches, size_t count,
                                         ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
