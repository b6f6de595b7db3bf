/* agreement.h - how well one series of numbers agrees with the reference beside it. Depends on:
 * GSL. Pure. */
#ifndef WW_ANALYSIS_AGREEMENT_H
#define WW_ANALYSIS_AGREEMENT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_agreement {
    size_t n; /* pairs with both values; the rest is left out */
    double pearson,
        rho;         /* Spearman, ties averaged; NaN below three pairs or for a constant series */
    double mean_abs; /* mean |ours - reference| */
    double mean_rel; /* mean |ours / reference - 1|; NaN when a reference is 0 */
    double max_rel;  /* largest of those */
    double within;   /* share of pairs with |ours - reference| <= tolerance */
} ww_agreement;

enum { WW_AGREEMENT_MAX = 4096 };

/**
 * Compares two series of n <= WW_AGREEMENT_MAX values; NaN stands for "none".
 * @param tolerance  of `within`, in the series' unit
 */
ww_agreement ww_agreement_of(const double *reference, const double *ours, size_t n,
                             double tolerance);

#ifdef __cplusplus
}
#endif
#endif
