/* agreement.c - agreement of a series with its reference. */
#include "analysis/agreement.h"

#include <math.h>
#include <stdbool.h>

#include <gsl/gsl_statistics_double.h>

#include "base/assert.h"

/* Rounding at the edge of a tolerance, of tables printed with two digits, is no disagreement. */
#define EDGE 1e-9

typedef struct pairs {
    double x[WW_AGREEMENT_MAX], y[WW_AGREEMENT_MAX];
    double work[2 * WW_AGREEMENT_MAX];
    size_t n;
} pairs;

static bool varies(const double *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (v[i] != v[0]) {
            return true;
        }
    }
    return false;
}

static void gather(const double *reference, const double *ours, size_t n, pairs *p)
{
    p->n = 0;
    for (size_t i = 0; i < n && i < WW_AGREEMENT_MAX; i++) {
        if (!isnan(reference[i]) && !isnan(ours[i])) {
            WW_ASSERT(p->n < WW_AGREEMENT_MAX);
            p->x[p->n] = reference[i];
            p->y[p->n++] = ours[i];
        }
    }
}

static void correlate(pairs *p, ww_agreement *a)
{
    enum { ENOUGH = 3 };
    bool defined = p->n >= ENOUGH && varies(p->x, p->n) && varies(p->y, p->n);
    a->pearson = defined ? gsl_stats_correlation(p->x, 1, p->y, 1, p->n) : (double)NAN;
    a->rho = defined ? gsl_stats_spearman(p->x, 1, p->y, 1, p->n, p->work) : (double)NAN;
}

ww_agreement ww_agreement_of(const double *reference, const double *ours, size_t n,
                             double tolerance)
{
    pairs p;
    gather(reference, ours, n, &p);
    ww_agreement a = {.n = p.n};
    correlate(&p, &a);
    for (size_t i = 0; i < p.n; i++) {
        double error = fabs(p.y[i] - p.x[i]);
        double relative = p.x[i] != 0 ? error / fabs(p.x[i]) : (double)NAN;
        a.mean_abs += error / (double)p.n;
        a.mean_rel += relative / (double)p.n;
        a.max_rel = fmax(a.max_rel, relative);
        a.within += (error <= tolerance + EDGE ? 1.0 : 0.0) / (double)p.n;
    }
    return a;
}
