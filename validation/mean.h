/* mean.h - the ways in which papers make one number of many. */
#ifndef WW_VALIDATION_MEAN_H
#define WW_VALIDATION_MEAN_H

#include <stdbool.h>
#include <stddef.h>

typedef enum ww_mean {
    WW_MEAN_GEO,    /* geometric; of positive numbers */
    WW_MEAN_ARITH,  /* arithmetic */
    WW_MEAN_MIN,    /* the smallest */
    WW_MEAN_MAX,    /* the largest */
    WW_MEAN_SUM,    /* the sum; of comparisons: how many hold */
    WW_MEAN_POOLED, /* the expression over the sums of its terms */
    WW_MEAN_RANK,   /* the last place that one of them has among all workloads, 1: highest */
    WW_MEANS
} ww_mean;

/** "geo", "arith", … */
const char *ww_mean_name(ww_mean mean);
/** Inverse; false for other texts. */
bool ww_mean_parse(const char *text, ww_mean *out);
/** GEO to SUM of n > 0 numbers; NaN when one is NaN, or not positive for GEO. */
double ww_mean_of(ww_mean mean, const double *value, size_t n);

#endif
