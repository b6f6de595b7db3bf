/* kernel_sums.h - launches of a kernel as one: counters, time and energies summed, of a result that
 * is in memory or of a folder. What tables of kernels and of components print. */
#ifndef WW_ANALYSIS_KERNEL_SUMS_H
#define WW_ANALYSIS_KERNEL_SUMS_H

#include <stdbool.h>

#include "analysis/export.h"
#include "base/mem.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Launches of one kernel of one workload, summed. */
typedef struct ww_kernel_sum {
    const char *workload, *kernel;
    size_t launches;
    uint64_t cycles; /* core cycles */
    ww_counter_set counters;
    double time_s, energy_j, static_j;
    double component_j[WW_COMPONENT_COUNT]; /* event and background */
    /* Standard uncertainties. They rest on the same factors in every launch, so that they add like
     * the energies. */
    double sigma_j, component_sigma_j[WW_COMPONENT_COUNT];
    double repeated_w, repeated_sigma_w; /* 0: not known, or no longer than their overhead */
    ww_power_repeated repeated;
} ww_kernel_sum;

typedef struct ww_kernel_sums {
    ww_arena arena; /* names that come from files */
    ww_kernel_sum *item;
    size_t count;
    bool present[WW_COMPONENT_COUNT];
} ww_kernel_sums;

/** Appends the kernels of a set; a set without a model has neither time nor energies. Names are
 * borrowed of the set. @error ENOMEM, ENUMERIC */
WW_NODISCARD ww_status ww_kernel_sums_add(ww_kernel_sums *list, const ww_result_set *set,
                                          ww_error *err);
/** Appends the kernels of a result folder with the energies that its run found, without counters.
 * @error ENOTFOUND, EPARSE, ESCHEMA, ENOMEM */
WW_NODISCARD ww_status ww_kernel_sums_read(ww_kernel_sums *list, const char *dir, ww_error *err);
/** Releases what it holds; {0} is an empty one. */
void ww_kernel_sums_fini(ww_kernel_sums *list);

/* Means over a kernel's time. */
typedef struct ww_kernel_power {
    double dynamic_w, static_w, total_w, sigma_w;
} ww_kernel_power;
ww_kernel_power ww_kernel_power_of(const ww_kernel_sum *k);

/* All kernels, one behind the other. */
typedef struct ww_kernel_total {
    size_t launches;
    uint64_t cycles;
    double time_s, energy_j, power_w, sigma_w; /* sigma: standard uncertainty */
} ww_kernel_total;
ww_kernel_total ww_kernel_total_of(const ww_kernel_sums *list);

/** What the values that launches moved cost more than at the assumed activity, as
 * ww_power_values_j: all launches together [J]; false: bits were compared in none. */
bool ww_result_values_j(const ww_result_set *set, double *out);

/* A row of components: a component's energy at work, "static", or "total" of all. */
typedef struct ww_component_sum {
    const char *name, *meaning;
    double energy_j, power_w, share;
    double sigma_w; /* standard uncertainty; 0: not known */
} ww_component_sum;

enum { WW_COMPONENT_SUMS = WW_COMPONENT_COUNT + 2 }; /* rows at most */

/** All kernels together: the components that are there, then static, then total. Returns the number
 * of rows. */
size_t ww_component_sums(const ww_kernel_sums *list, ww_component_sum out[WW_COMPONENT_SUMS]);

#ifdef __cplusplus
}
#endif
#endif
