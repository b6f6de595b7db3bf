/* totals.h - what a result folder comes to, all launches together, and its numbers by name. */
#ifndef WW_VALIDATION_TOTALS_H
#define WW_VALIDATION_TOTALS_H

#include "base/mem.h"
#include "counters/counters.h"

/* A component's energies in J. */
typedef struct ww_energy {
    const char *component; /* "TOTAL": all */
    double event_j, background_j, leakage_j;
} ww_energy;

enum { WW_TOTALS_COMPONENTS = 16 };

/* Sums over launches; those of several folders may be added. */
typedef struct ww_totals {
    uint64_t counter[WW_COUNTER_COUNT];
    double cycles, time_s;
    ww_energy energy[WW_TOTALS_COMPONENTS];
    size_t energies;
    const char *folder; /* of what is looked up in area.csv and energy_events.csv; the first */
} ww_totals;

/** Reads kernels.csv, counters.csv and, where there is one, power.csv of a folder.
 * @param arena  holds names and the folder's path */
WW_NODISCARD ww_status ww_totals_read(const char *folder, ww_arena *arena, ww_totals *out,
                                      ww_error *err);
/** Adds b to a. */
WW_NODISCARD ww_status ww_totals_add(ww_totals *a, const ww_totals *b, ww_error *err);

/**
 * A number by name:
 *   ipc, cycles, instructions (thread instructions of the program); of one launch: cycles[3], or of
 *   the launches of one kernel: cycles[mc_luma]; time (s),
 *   energy, dynamic_energy, static_energy, event_energy (J; of a component: energy[RF]), power (W),
 *   any counter ("sm.l1d.read.hit"), any measure of a mechanism ("nlp.coverage"),
 *   area[PATH] (mm2), leakage[PATH] (W): of the structures whose "component/structure" begins so,
 *   event_pj[PATH/EVENT]: pJ of one event
 * NaN where it is a ratio of nothing.
 * @error ENOTFOUND with a suggestion
 */
WW_NODISCARD ww_status ww_totals_value(const ww_totals *t, const char *name, const char *argument,
                                       double *value, ww_error *err);

#endif
