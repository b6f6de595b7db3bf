/* mean.c - see mean.h. */
#include "validation/mean.h"

#include <math.h>
#include <string.h>

static const char *const names[WW_MEANS] = {"geo", "arith", "min", "max", "sum", "pooled", "rank"};

const char *ww_mean_name(ww_mean mean)
{
    return names[mean];
}

bool ww_mean_parse(const char *text, ww_mean *out)
{
    for (int m = 0; m < WW_MEANS; m++) {
        if (strcmp(names[m], text) == 0) {
            *out = (ww_mean)m;
            return true;
        }
    }
    return false;
}

double ww_mean_of(ww_mean mean, const double *value, size_t n)
{
    double sum = 0, least = value[0], most = value[0];
    for (size_t i = 0; i < n; i++) {
        if (isnan(value[i]) || (mean == WW_MEAN_GEO && !(value[i] > 0))) {
            return (double)NAN;
        }
        sum += mean == WW_MEAN_GEO ? log(value[i]) : value[i];
        least = fmin(least, value[i]);
        most = fmax(most, value[i]);
    }
    return mean == WW_MEAN_GEO     ? exp(sum / (double)n)
           : mean == WW_MEAN_ARITH ? sum / (double)n
           : mean == WW_MEAN_MIN   ? least
           : mean == WW_MEAN_MAX   ? most
                                   : sum;
}
