/* compare.h - result sets side by side: IPC, power, time, energy and energy-delay product of each
 * kernel, normalized to the first set, and their geometric means. Depends on: base. Pure. */
#ifndef WW_ANALYSIS_COMPARE_H
#define WW_ANALYSIS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/study.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(id, name, unit, meaning) */
#define WW_QUANTITIES(X)                                                                           \
    X(IPC, "IPC", "1/cycle", "thread instructions per core cycle")                                 \
    X(POWER, "power", "W", "mean power")                                                           \
    X(TIME, "time", "s", "execution time, all launches")                                           \
    X(ENERGY, "energy", "J", "power x time")                                                       \
    X(EDP, "EDP", "Js", "energy x time")

typedef enum ww_quantity {
#define X(id, name, unit, meaning) WW_QUANTITY_##id,
    WW_QUANTITIES(X)
#undef X
        WW_QUANTITY_COUNT
} ww_quantity;

/** "IPC", "power", ... */
const char *ww_quantity_name(ww_quantity quantity);
const char *ww_quantity_unit(ww_quantity quantity);

typedef struct ww_comparison {
    ww_arena arena;
    size_t sets, kernels;
    const char **set;    /* [sets] borrowed from the studies */
    const char **kernel; /* [kernels] in all sets, in the order of the first; borrowed */
    size_t left_out;     /* kernels that some set lacks */
    bool with_static;    /* power and energy include static power: only when every set knows it */
    double *absolute;    /* [sets][kernels][WW_QUANTITY_COUNT], NaN where unknown */
    double *ratio;       /* the same, over the first set's */
    double *geomean; /* [sets][WW_QUANTITY_COUNT] geometric mean of the ratios over the kernels */
    double *own;     /* [sets][kernels] relative standard uncertainty of power and energy, NaN where
                        unknown, as the next */
    double *joint;   /* [sets][kernels + 1] of the logarithm of their ratios; of the mean, last */
    bool *shared;    /* [sets] wrong by the same factors as the first */
    const char **calibration; /* [sets] what descriptions say of theirs; NULL where unknown */
} ww_comparison;

/**
 * Compares sets kernel by kernel.
 * @param set    [count] count >= 2; the first is the base
 * @param label  [count] names for the sets, NULL: the studies' own
 * @param out    borrows from the studies; release with ww_comparison_fini
 * @error ERANGE (fewer than two sets), ENOTFOUND (no kernel is in all of them), ENUMERIC (a base
 * value is not positive)
 */
WW_NODISCARD ww_status ww_compare(const ww_study *const *set, const char *const *label,
                                  size_t count, ww_comparison *out, ww_error *err);
/** Releases a comparison; idempotent; NULL allowed. */
void ww_comparison_fini(ww_comparison *c);

/** Value of a quantity of a kernel in a set, and its ratio to the first set's. */
double ww_comparison_absolute(const ww_comparison *c, size_t set, size_t kernel, ww_quantity q);
double ww_comparison_ratio(const ww_comparison *c, size_t set, size_t kernel, ww_quantity q);
/** Geometric mean over the kernels; NaN when the quantity is unknown. */
double ww_comparison_geomean(const ww_comparison *c, size_t set, ww_quantity q);

/** Standard uncertainty of a kernel's quantity, and of its ratio to the first set's, in which
 * errors that both have in common cancel; that of cycles is in neither. kernel == c->kernels: of
 * the geometric mean. NaN where unknown, and of IPC and time. */
double ww_comparison_uncertainty(const ww_comparison *c, size_t set, size_t kernel, ww_quantity q);
double ww_comparison_ratio_uncertainty(const ww_comparison *c, size_t set, size_t kernel,
                                       ww_quantity q);

/* Whether a ratio differs from 1 by more than the sets' joint uncertainty, twice the standard one.
 */
typedef enum ww_difference {
    WW_DIFFERENCE_UNKNOWN,
    WW_DIFFERENCE_WITHIN,
    WW_DIFFERENCE_EXCEEDS
} ww_difference;
ww_difference ww_comparison_difference(const ww_comparison *c, size_t set, size_t kernel,
                                       ww_quantity q);
/** "", "within", "exceeds". */
const char *ww_difference_name(ww_difference difference);

#ifdef __cplusplus
}
#endif
#endif
