/* export.h - the files that a run leaves behind, each from launches, machine description and power
 * model alone: the same launches read back from an activity file give the same bytes. Depends on:
 * base, arch, counters, power.
 *
 * analysis/ asks of finished launches: metrics and categories, correlation, comparison of two
 * results and why they differ, the fit of a model's factors, result folders, and pages with plots
 * of our own making (report.h, chart.h). It simulates nothing and prints nothing. */
#ifndef WW_ANALYSIS_EXPORT_H
#define WW_ANALYSIS_EXPORT_H

#include "arch/arch.h"
#include "base/status.h"
#include "base/str.h"
#include "counters/counters.h"
#include "power/power.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is exported. Borrowed throughout. */
typedef struct ww_result_set {
    const ww_arch *arch;
    const ww_power_model *model; /* NULL: a functional run, no power */
    const ww_launch_record *launches;
    size_t launch_count;
    const char *version; /* of WarpWatt */
    const char *command; /* command line, for run.json */
    uint64_t run_id;     /* ww_run_id; 0: run.json names none */
} ww_result_set;

/** Relative half-widths of the 95 % intervals of a launch's cycles and energy where sampling
 * extrapolated part of it, else 0. That of the energy is the sum of what each counter's error is
 * worth, an upper bound; 0 without a power model. */
WW_NODISCARD ww_status ww_sampling_errors(const ww_result_set *set, const ww_launch_record *launch,
                                          double *cycles, double *energy, ww_error *err);
/** kernels.csv: a row per launch: geometry, occupancy, cycles, time, what sampling extrapolated,
 * the nine metrics (empty where undefined), thread instructions of the program, 1 where the
 * instruction budget cut the launch, the size of the workload's input, and the stream. */
WW_NODISCARD ww_status ww_export_kernels(const ww_result_set *set, ww_str *out, ww_error *err);
/** counters.csv: a row per workload and counter that is not 0, launches together. */
WW_NODISCARD ww_status ww_export_counters(const ww_result_set *set, ww_str *out, ww_error *err);
/** power.csv: a row per launch and component, and one for the total. */
WW_NODISCARD ww_status ww_export_power(const ww_result_set *set, ww_str *out, ww_error *err);
/** power.xml: the same as XML, a launch element per launch. */
WW_NODISCARD ww_status ww_export_power_xml(const ww_result_set *set, ww_str *out, ww_error *err);
/** groups.csv: joules of every launch by component and by what is calibrated together. */
WW_NODISCARD ww_status ww_export_groups(const ww_result_set *set, ww_str *out, ww_error *err);
/** uncertainty.csv: relative standard uncertainty of each such group, how it goes with the others,
 * and how its energy goes with the voltage. */
WW_NODISCARD ww_status ww_export_uncertainty(const ww_result_set *set, ww_str *out, ww_error *err);
/** energy_events.csv: count, energy per event and joules of every event of every launch, with the
 * number's source. */
WW_NODISCARD ww_status ww_export_events(const ww_result_set *set, ww_str *out, ww_error *err);
/** trace.csv: power of every component over time; only with intervals. Its integral is the launch's
 * energy. */
WW_NODISCARD ww_status ww_export_trace(const ww_result_set *set, ww_str *out, ww_error *err);
/** area.csv: area and leakage of every sub-structure. */
WW_NODISCARD ww_status ww_export_area(const ww_result_set *set, ww_str *out, ww_error *err);
/** mechanisms.csv: what each active mechanism came to, a row per launch and measure. */
WW_NODISCARD ww_status ww_export_mechanisms(const ww_result_set *set, ww_str *out, ww_error *err);
/* A mechanism's measure over all launches. */
typedef struct ww_mechanism_sum {
    const char *mechanism, *measure, *unit, *meaning;
    double value; /* NaN: there was nothing to take it of */
} ww_mechanism_sum;
/** The measures of the set's mechanisms, pooled over its launches, into the arena; none without
 * mechanisms. @error ENOMEM */
WW_NODISCARD ww_status ww_mechanism_sums(const ww_result_set *set, ww_arena *arena,
                                         ww_mechanism_sum **out, size_t *count, ww_error *err);
/** Both sides of a mechanism's ratio, "MECHANISM.MEASURE", of any counters. False: there is no such
 * measure. */
bool ww_mechanism_measure(const char *name, const ww_counter_set *counters, double *over,
                          double *under);
/** run.json: all of it in one document, with every parameter and its provenance. */
WW_NODISCARD ww_status ww_export_json(const ww_result_set *set, ww_str *out, ww_error *err);

/** Writes the files that apply into dir (created when missing); activity.xml too when
 * with_activity. */
WW_NODISCARD ww_status ww_export_all(const ww_result_set *set, const char *dir, bool with_activity,
                                     ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
