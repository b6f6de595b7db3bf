/* thermal.h - the temperature at which a card settles: power heats the die, heat makes it leak.
 * Depends on: base, arch, counters. Pure. */
#ifndef WW_POWER_THERMAL_H
#define WW_POWER_THERMAL_H

#include "power/power.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Die to inlet air as one resistance: a launch of microseconds sees one temperature (a heat sink of
 * 140 J/K behind 0.05 K/W follows in 7 s). */
typedef struct ww_thermal {
    double resistance_k_per_w; /* die over inlet, per watt of the board */
    double inlet_k;            /* temperature of the die without power */
    double limit_k;            /* at which the card would slow down */
} ww_thermal;

/** The card's: chip.rise_k over chip.tdp_w. */
ww_thermal ww_thermal_of(const ww_arch *arch);

/* Where a card settles. */
typedef struct ww_thermal_point {
    double temp_k, watts;
    double model_k;    /* where the models are evaluated: temp_k, or 300 K where it is colder */
    double residual_k; /* |temp - inlet - R watts| */
    unsigned evaluations;
} ww_thermal_point;

/* The same way in two stages, each with its capacity: die to heat sink, heat sink to inlet air. */
typedef struct ww_package {
    double case_k_per_w, sink_k_per_w; /* their sum is resistance_k_per_w */
    double die_j_per_k, sink_j_per_k;
    double inlet_k, limit_k;
} ww_package;

/** The card's. @error ERANGE, located: chip.case_k_per_w is not less than the whole */
WW_NODISCARD ww_status ww_package_of(const ww_arch *arch, ww_package *out, ww_error *err);

/* Temperatures of a package. */
typedef struct ww_heat {
    double die_k, sink_k;
} ww_heat;

/** Where a die of that temperature stands when its power has long been what keeps it there. */
ww_heat ww_package_settled(const ww_package *package, double die_k);
/** After so many seconds of a constant power, exactly.
 * @source two linear differential equations: C dT/dt = heat in less heat out, of die and sink */
ww_heat ww_package_after(const ww_package *package, ww_heat from, double watts, double seconds);

/** Mean power with the die at temp_k, 300 to 400 K [W]. */
typedef ww_status (*ww_thermal_power)(void *user, double temp_k, double *watts, ww_error *err);

/** Mean power of launches one after the other. @error as ww_power_evaluate; ENUMERIC (no launch) */
WW_NODISCARD ww_status ww_thermal_mean_w(const ww_power_model *model,
                                         const ww_launch_record *launches, size_t count,
                                         double *watts, ww_error *err);

/**
 * The lower fixed point of T = inlet + R P(T), to 1 mK, for a power that is convex in temperature,
 * as leakage is. Below 300 K, where the models end, leakage is that of 300 K.
 * @error ERANGE (none below 400 K: the card would run away; above the card's limit); what power
 * returns
 * @source T = inlet + R P(T) is stable where R dP/dT < 1: there every Newton step from below stays
 * below
 */
WW_NODISCARD ww_status ww_thermal_settle(const ww_thermal *card, ww_thermal_power power, void *user,
                                         ww_thermal_point *out, ww_error *err);

/**
 * Where the card settles that repeats these launches one after the other: away from the model's
 * temperature leakage alone differs; launches of intervals keep the temperatures that these had.
 * @error as ww_thermal_mean_w and ww_thermal_settle
 */
WW_NODISCARD ww_status ww_thermal_settle_launches(const ww_arch *arch, const ww_power_model *model,
                                                  const ww_launch_record *launches, size_t count,
                                                  ww_thermal_point *out, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
