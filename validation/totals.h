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

/* Sums over launches. */
typedef struct ww_totals {
    uint64_t counter[WW_COUNTER_COUNT];
    double cycles, time_s;
    ww_energy energy[WW_TOTALS_COMPONENTS];
    size_t energies;
    const char *folder; /* of what is looked up in kernels.csv, area.csv and energy_events.csv */
} ww_totals;

/** Reads kernels.csv, counters.csv and, where there is one, power.csv of a folder.
 * @param arena  holds names and the folder's path */
WW_NODISCARD ww_status ww_totals_read(const char *folder, ww_arena *arena, ww_totals *out,
                                      ww_error *err);
/* A number of a run, as what adds up over runs: a count, or a ratio of two. */
typedef struct ww_total {
    double over, under; /* under: NaN of a count, which is `over` */
} ww_total;

/** NaN where it is a ratio of nothing. */
double ww_total_value(const ww_total *number);
void ww_total_add(ww_total *sum, const ww_total *one);
/** Whether a name is of the machine's structures, of which runs have no sum. */
bool ww_total_is_of_machine(const char *name);

/**
 * A number by name:
 *   ipc, cycles, instructions (thread instructions of the program); of one launch: cycles[3], or of
 *   the launches of one kernel: cycles[mc_luma]; time (s),
 *   energy, dynamic_energy, static_energy, event_energy (J; of a component: energy[RF]), power (W),
 *   any counter ("sm.l1d.read.hit"), any measure of a mechanism ("nlp.coverage"),
 *   area[PATH] (mm2), leakage[PATH] (W): of the structures whose "component/structure" begins so,
 *   event_pj[PATH/EVENT]: pJ of one event
 * @error ENOTFOUND with a suggestion
 */
WW_NODISCARD ww_status ww_totals_find(const ww_totals *t, const char *name, const char *argument,
                                      ww_total *out, ww_error *err);

#endif
