/* correlate.h - how strongly each workload metric goes with each component's power.
 * Pearson's r as in LPGPU D5.5.3 §3.2.5 (Table 8), with what the paper leaves out: p-values,
 * confidence intervals, and Spearman's rank correlation beside it. Depends on: base, GSL. Pure:
 * equal inputs give equal bits. */
#ifndef WW_ANALYSIS_CORRELATE_H
#define WW_ANALYSIS_CORRELATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/study.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WW_CORRELATE_MIN_KERNELS = 3, WW_CORRELATE_MAX_RESAMPLES = 1000000 };

typedef struct ww_correlate_options {
    size_t resamples;    /* of the bootstrap; 0: no confidence intervals */
    uint64_t seed;       /* of the bootstrap */
    double confidence;   /* 0 < confidence < 1; 0 means 0.95 */
    bool allow_constant; /* cells of a constant series stay undefined instead of failing */
} ww_correlate_options;

/* One metric against one component. */
typedef struct ww_correlation {
    bool defined;   /* false: a series is constant, or fewer than three kernels have the metric */
    size_t kernels; /* that have the metric */
    double r;       /* Pearson */
    double p;       /* two-sided, Student's t with kernels - 2 degrees of freedom; hypothesis: no
                       correlation */
    double lo, hi;  /* percentile bootstrap interval of r; NaN without resamples */
    double rho;     /* Spearman, ties averaged */
    double rho_p;   /* two-sided, same approximation */
} ww_correlation;

typedef struct ww_correlation_matrix {
    size_t metrics, components; /* the last component is TP */
    const char **metric;        /* [metrics] borrowed from the study */
    const char **component;     /* [components] likewise */
    ww_correlation *cell;       /* [metrics * components], row by row */
} ww_correlation_matrix;

/**
 * Correlates every metric of the study with every component and with the total (TP). A kernel
 * without a value for a metric is left out of that metric's row.
 * @param out  strings live as long as the study; release with ww_correlation_matrix_fini
 * @error ENUMERIC (a constant series, named; fewer than three kernels), ENOTFOUND (the study has no
 * powers), ERANGE (options)
 */
WW_NODISCARD ww_status ww_correlate(const ww_study *study, const ww_correlate_options *options,
                                    ww_correlation_matrix *out, ww_error *err);
/** Releases a matrix; idempotent; NULL allowed. */
void ww_correlation_matrix_fini(ww_correlation_matrix *m);
/** The cell of a metric and a component, NULL when there is none. */
const ww_correlation *ww_correlation_find(const ww_correlation_matrix *m, const char *metric,
                                          const char *component);

/** Two-sided p-value of a correlation r over n pairs, n > 2. */
double ww_correlation_p(double r, size_t n);

#ifdef __cplusplus
}
#endif
#endif
