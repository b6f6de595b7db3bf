/* correlate.c - Pearson and Spearman matrices with p-values and bootstrap intervals. */
#include "analysis/correlate.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

/* A pair of series without gaps, and room for resampling it. */
typedef struct pairs {
    double *x, *y;   /* [n] */
    double *rx, *ry; /* [n] a resample */
    double *work;    /* [2n] for ranks */
    double *draw;    /* [resamples] r of each resample */
    size_t n;
} pairs;

static bool is_constant(const double *x, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (x[i] != x[0]) {
            return false;
        }
    }
    return true;
}

/* Rounding may carry |r| a hair beyond 1. */
static double clamp_r(double r)
{
    return fmin(1, fmax(-1, r));
}

double ww_correlation_p(double r, size_t n)
{
    double freedom = (double)n - 2, rest = 1 - r * r;
    if (rest <= 0) {
        return 0;
    }
    return 2 * gsl_cdf_tdist_Q(fabs(r) * sqrt(freedom / rest), freedom);
}

/* Percentile bootstrap of r: kernels are drawn with replacement (Efron & Tibshirani, An
 * Introduction to the Bootstrap, §13.3). A resample with a constant series has no r and is not
 * counted. */
static void bootstrap(pairs *p, const ww_correlate_options *options, double confidence,
                      gsl_rng *rng, ww_correlation *out)
{
    size_t drawn = 0;
    gsl_rng_set(rng, options->seed);
    for (size_t b = 0; b < options->resamples; b++) {
        for (size_t i = 0; i < p->n; i++) {
            size_t k = gsl_rng_uniform_int(rng, p->n);
            p->rx[i] = p->x[k];
            p->ry[i] = p->y[k];
        }
        if (!is_constant(p->rx, p->n) && !is_constant(p->ry, p->n)) {
            p->draw[drawn++] = clamp_r(gsl_stats_correlation(p->rx, 1, p->ry, 1, p->n));
        }
    }
    if (drawn > 0) {
        gsl_sort(p->draw, 1, drawn);
        out->lo = gsl_stats_quantile_from_sorted_data(p->draw, 1, drawn, (1 - confidence) / 2);
        out->hi = gsl_stats_quantile_from_sorted_data(p->draw, 1, drawn, (1 + confidence) / 2);
    }
}

/* Copies the kernels that have the metric. */
static void gather(const double *metric, const double *power, size_t kernels, pairs *p)
{
    p->n = 0;
    for (size_t i = 0; i < kernels; i++) {
        if (!isnan(metric[i])) {
            p->x[p->n] = metric[i];
            p->y[p->n++] = power[i];
        }
    }
}

static ww_status correlate_pair(pairs *p, const char *metric, const char *component,
                                const ww_correlate_options *options, double confidence,
                                gsl_rng *rng, ww_correlation *out, ww_error *err)
{
    *out = (ww_correlation){.kernels = p->n,
                            .r = (double)NAN,
                            .p = (double)NAN,
                            .lo = (double)NAN,
                            .hi = (double)NAN,
                            .rho = (double)NAN,
                            .rho_p = (double)NAN};
    bool few = p->n < WW_CORRELATE_MIN_KERNELS;
    bool flat_x = is_constant(p->x, p->n), flat_y = is_constant(p->y, p->n);
    if (options->allow_constant && (few || flat_x || flat_y)) {
        return WW_OK;
    }
    if (few) {
        return ww_fail(err, WW_ENUMERIC, "%zu kernels have metric %s, and a correlation needs %d",
                       p->n, metric, WW_CORRELATE_MIN_KERNELS);
    }
    if (flat_x || flat_y) {
        return ww_fail(err, WW_ENUMERIC,
                       "series %s is constant (%g for %zu kernels): it correlates with nothing",
                       flat_x ? metric : component, flat_x ? p->x[0] : p->y[0], p->n);
    }
    out->defined = true;
    out->r = clamp_r(gsl_stats_correlation(p->x, 1, p->y, 1, p->n));
    out->p = ww_correlation_p(out->r, p->n);
    out->rho = clamp_r(gsl_stats_spearman(p->x, 1, p->y, 1, p->n, p->work));
    out->rho_p = ww_correlation_p(out->rho, p->n);
    bootstrap(p, options, confidence, rng, out);
    return WW_OK;
}

static ww_status correlate_all(const ww_study *study, const ww_correlate_options *options,
                               double confidence, pairs *p, gsl_rng *rng, ww_correlation_matrix *m,
                               ww_error *err)
{
    for (size_t i = 0; i < m->metrics; i++) {
        for (size_t c = 0; c < m->components; c++) {
            const double *power =
                c < study->component_count ? study->component[c].value : study->dynamic_w;
            gather(study->metric[i].value, power, study->kernel_count, p);
            WW_TRY(correlate_pair(p, m->metric[i], m->component[c], options, confidence, rng,
                                  &m->cell[i * m->components + c], err));
        }
    }
    return WW_OK;
}

static bool prepare(const ww_study *study, const ww_correlate_options *options, ww_arena *scratch,
                    pairs *p, ww_correlation_matrix *m)
{
    size_t n = study->kernel_count;
    p->x = WW_ARENA_NEW_ARRAY(scratch, double, n);
    p->y = WW_ARENA_NEW_ARRAY(scratch, double, n);
    p->rx = WW_ARENA_NEW_ARRAY(scratch, double, n);
    p->ry = WW_ARENA_NEW_ARRAY(scratch, double, n);
    p->work = WW_ARENA_NEW_ARRAY(scratch, double, 2 * n);
    p->draw = WW_ARENA_NEW_ARRAY(scratch, double, options->resamples + 1);
    m->metrics = study->metric_count;
    m->components = study->component_count + 1;
    m->metric = WW_NEW_ARRAY(const char *, m->metrics);
    m->component = WW_NEW_ARRAY(const char *, m->components);
    m->cell = WW_NEW_ARRAY(ww_correlation, m->metrics * m->components);
    if (p->x == NULL || p->y == NULL || p->rx == NULL || p->ry == NULL || p->work == NULL ||
        p->draw == NULL || m->metric == NULL || m->component == NULL || m->cell == NULL) {
        return false;
    }
    for (size_t i = 0; i < m->metrics; i++) {
        m->metric[i] = study->metric[i].name;
    }
    for (size_t c = 0; c < study->component_count; c++) {
        m->component[c] = study->component[c].name;
    }
    m->component[study->component_count] = "TP";
    return true;
}

ww_status ww_correlate(const ww_study *study, const ww_correlate_options *options,
                       ww_correlation_matrix *out, ww_error *err)
{
    double confidence = options->confidence == 0 ? 0.95 : options->confidence;
    if (!(confidence > 0 && confidence < 1) || options->resamples > WW_CORRELATE_MAX_RESAMPLES) {
        return ww_fail(err, WW_ERANGE, "confidence must lie between 0 and 1, resamples under %d",
                       WW_CORRELATE_MAX_RESAMPLES);
    }
    if (study->component_count == 0 || study->metric_count == 0) {
        return ww_fail(err, WW_ENOTFOUND, "'%s' has no %s to correlate", study->name,
                       study->metric_count == 0 ? "metrics" : "component powers");
    }
    ww_arena scratch = {0};
    pairs p = {0};
    ww_correlation_matrix m = {0};
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    ww_status status = rng != NULL && prepare(study, options, &scratch, &p, &m)
                           ? correlate_all(study, options, confidence, &p, rng, &m, err)
                           : ww_no_memory(err);
    if (rng != NULL) {
        gsl_rng_free(rng);
    }
    ww_arena_fini(&scratch);
    if (status != WW_OK) {
        ww_correlation_matrix_fini(&m);
        return status;
    }
    *out = m;
    return WW_OK;
}

void ww_correlation_matrix_fini(ww_correlation_matrix *m)
{
    if (m != NULL) {
        ww_free(m->metric);
        ww_free(m->component);
        ww_free(m->cell);
        *m = (ww_correlation_matrix){0};
    }
}

const ww_correlation *ww_correlation_find(const ww_correlation_matrix *m, const char *metric,
                                          const char *component)
{
    for (size_t i = 0; i < m->metrics; i++) {
        for (size_t c = 0; c < m->components; c++) {
            if (strcmp(m->metric[i], metric) == 0 && strcmp(m->component[c], component) == 0) {
                return &m->cell[i * m->components + c];
            }
        }
    }
    return NULL;
}
