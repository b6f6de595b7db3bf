/* factor_fit.c - the fit itself: residuals over sigma of every row, and of every factor's logarithm
 * over the width of what is known before; Jacobian in closed form. */
#include "analysis/factor_fit.h"

#include <math.h>
#include <setjmp.h>
#include <string.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_matrix.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <gsl/gsl_vector.h>

#include "base/assert.h"

/* The problem as GSL asks for it. */
typedef struct problem {
    const ww_fit_row *rows;
    size_t row_count;
    double *fixed_w;      /* [row_count]: with the parts whose factors stay 1 */
    const char *without;  /* label that is left out; NULL: none */
    const size_t *factor; /* [free]: which are fitted */
    const double *prior;  /* [free]: their logarithms, as known before */
    const double *sigma;  /* [free] of their logarithms */
    const size_t *about;  /* [free]: the fitted factor about which it is known, and 1; 0: none */
    size_t free;
} problem;

static bool counts(const problem *p, size_t row)
{
    return p->without == NULL || strcmp(p->rows[row].label, p->without) != 0;
}

static int residuals(const gsl_vector *x, void *user, gsl_vector *f)
{
    const problem *p = user;
    for (size_t i = 0; i < p->row_count; i++) {
        const ww_fit_row *r = &p->rows[i];
        double w = p->fixed_w[i] - r->measured_w;
        for (size_t k = 0; k < p->free; k++) {
            w += exp(gsl_vector_get(x, k)) * r->part_w[p->factor[k]];
        }
        gsl_vector_set(f, i, counts(p, i) ? w / r->sigma_w : 0);
    }
    for (size_t k = 0; k < p->free; k++) {
        double about = p->about[k] > 0 ? gsl_vector_get(x, p->about[k] - 1) : 0;
        double off = gsl_vector_get(x, k) - about - p->prior[k];
        gsl_vector_set(f, p->row_count + k, off / p->sigma[k]);
    }
    return GSL_SUCCESS;
}

static int jacobian(const gsl_vector *x, void *user, gsl_matrix *j)
{
    const problem *p = user;
    gsl_matrix_set_zero(j);
    for (size_t k = 0; k < p->free; k++) {
        double factor = exp(gsl_vector_get(x, k));
        for (size_t i = 0; i < p->row_count; i++) {
            const ww_fit_row *r = &p->rows[i];
            double slope = counts(p, i) ? factor * r->part_w[p->factor[k]] / r->sigma_w : 0;
            gsl_matrix_set(j, i, k, slope);
        }
        WW_ASSERT(p->sigma[k] > 0);
        gsl_matrix_set(j, p->row_count + k, k, 1 / p->sigma[k]);
        if (p->about[k] > 0) {
            gsl_matrix_set(j, p->row_count + k, p->about[k] - 1, -1 / p->sigma[k]);
        }
    }
    return GSL_SUCCESS;
}

/* Inside, GSL allocates what it does not ask for before (the columns of its singular values), looks
 * at none of it, and calls its handler alone, which may not return. */
static _Thread_local jmp_buf *out_of_memory;

static void leave_without_memory(const char *why, const char *file, int line, int code)
{
    (void)why;
    (void)file;
    (void)line;
    if (code == GSL_ENOMEM && out_of_memory != NULL) {
        longjmp(*out_of_memory, 1); /* what GSL holds inside, a column or two, is lost */
    }
}

/* Nothing to step down: each factor's slope of the sum of squares is 0 to the precision asked for.
 * GSL calls it an error when its first step cannot better the start. */
static bool starts_at_solution(const gsl_multifit_nlinear_workspace *w, double close)
{
    const gsl_matrix *j = gsl_multifit_nlinear_jac(w);
    const gsl_vector *f = gsl_multifit_nlinear_residual(w);
    for (size_t k = 0; k < j->size2; k++) {
        double slope = 0;
        for (size_t i = 0; i < j->size1; i++) {
            slope += gsl_matrix_get(j, i, k) * gsl_vector_get(f, i);
        }
        if (!(fabs(slope) <= close)) {
            return false;
        }
    }
    return true;
}

/* Steps to the solution, which w holds then; a code of GSL. */
static int step(gsl_multifit_nlinear_workspace *w, gsl_multifit_nlinear_fdf *fdf,
                const gsl_vector *start, gsl_matrix *covariance)
{
    enum { MOST_STEPS = 500 };
    static const double close = 1e-8;
    int info, code = gsl_multifit_nlinear_init(start, fdf, w);
    if (code == GSL_SUCCESS && !starts_at_solution(w, close)) {
        code = gsl_multifit_nlinear_driver(MOST_STEPS, close, close, 0, NULL, NULL, &info, w);
    }
    code = code == GSL_ENOPROG ? GSL_SUCCESS : code; /* to the last bit */
    if (code == GSL_SUCCESS && covariance != NULL) {
        code = gsl_multifit_nlinear_covar(gsl_multifit_nlinear_jac(w), 0, covariance);
    }
    return code;
}

static int step_guarded(gsl_multifit_nlinear_workspace *w, gsl_multifit_nlinear_fdf *fdf,
                        const gsl_vector *start, gsl_matrix *covariance)
{
    jmp_buf here;
    if (setjmp(here) != 0) {
        out_of_memory = NULL;
        return GSL_ENOMEM;
    }
    out_of_memory = &here;
    int code = step(w, fdf, start, covariance);
    out_of_memory = NULL;
    return code;
}

/* Solves the problem from x on, which it overwrites; covariance: [free x free] or NULL. */
static ww_status solve(problem *p, double *x, gsl_matrix *covariance, ww_error *err)
{
    size_t n = p->row_count + p->free;
    gsl_multifit_nlinear_parameters params = gsl_multifit_nlinear_default_parameters();
    params.solver = gsl_multifit_nlinear_solver_qr; /* priors part what rows cannot */
    gsl_multifit_nlinear_fdf fdf = {
        .f = residuals, .df = jacobian, .n = n, .p = p->free, .params = p};
    gsl_multifit_nlinear_workspace *w =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &params, n, p->free);
    if (w == NULL) {
        return ww_no_memory(err);
    }
    gsl_vector_view start = gsl_vector_view_array(x, p->free);
    int code = step_guarded(w, &fdf, &start.vector, covariance);
    for (size_t k = 0; code == GSL_SUCCESS && k < p->free; k++) {
        x[k] = gsl_vector_get(gsl_multifit_nlinear_position(w), k);
    }
    gsl_multifit_nlinear_free(w);
    return code == GSL_SUCCESS  ? WW_OK
           : code == GSL_ENOMEM ? ww_no_memory_for(err, "the fit of %zu factors", p->free)
                                : ww_fail(err, WW_ENUMERIC, "the fit of %zu factors: %s", p->free,
                                          gsl_strerror(code));
}

static double model_w(const problem *p, size_t row, const double *x)
{
    const ww_fit_row *r = &p->rows[row];
    double w = p->fixed_w[row];
    for (size_t k = 0; k < p->free; k++) {
        w += exp(x[k]) * r->part_w[p->factor[k]];
    }
    return w;
}

static ww_status check(const ww_fit_row *rows, size_t row_count, size_t factors, ww_error *err)
{
    for (size_t i = 0; i < row_count; i++) {
        const ww_fit_row *r = &rows[i];
        bool sound = r->sigma_w > 0 && isfinite(r->sigma_w) && isfinite(r->measured_w) &&
                     r->measured_w > 0 && isfinite(r->fixed_w);
        for (size_t k = 0; k < factors; k++) {
            sound = sound && r->part_w[k] >= 0 && isfinite(r->part_w[k]);
        }
        if (!sound) {
            return ww_fail(err, WW_ERANGE, "measurement %zu, %s: %g W with an uncertainty of %g W",
                           i + 1, r->label, r->measured_w, r->sigma_w);
        }
    }
    return row_count > 0 ? WW_OK : ww_fail(err, WW_ERANGE, "there is no measurement");
}

/* What one fit needs beside its problem. */
typedef struct workplace {
    size_t *factor, *about;
    double *prior, *sigma, *x, *again;
    gsl_matrix *covariance;
} workplace;

static double *fixed_parts(const problem *p, const ww_fit_prior *priors, size_t factors,
                           ww_arena *arena)
{
    double *out = WW_ARENA_NEW_ARRAY(arena, double, p->row_count);
    for (size_t i = 0; out != NULL && i < p->row_count; i++) {
        out[i] = p->rows[i].fixed_w;
        for (size_t k = 0; k < factors; k++) {
            out[i] += priors[k].log_sigma > 0 ? 0 : p->rows[i].part_w[k];
        }
    }
    return out;
}

static ww_status open_workplace(const ww_fit_prior *priors, size_t factors, ww_arena *arena,
                                problem *p, workplace *w, ww_error *err)
{
    w->factor = WW_ARENA_NEW_ARRAY(arena, size_t, factors + 1);
    w->about = WW_ARENA_NEW_ARRAY(arena, size_t, factors + 1);
    w->sigma = WW_ARENA_NEW_ARRAY(arena, double, factors + 1);
    w->prior = WW_ARENA_NEW_ARRAY(arena, double, factors + 1);
    w->x = WW_ARENA_NEW_ARRAY(arena, double, factors + 1);
    w->again = WW_ARENA_NEW_ARRAY(arena, double, factors + 1);
    if (w->factor == NULL || w->about == NULL || w->sigma == NULL || w->prior == NULL ||
        w->x == NULL || w->again == NULL) {
        return ww_no_memory(err);
    }
    p->fixed_w = fixed_parts(p, priors, factors, arena);
    if (p->fixed_w == NULL) {
        return ww_no_memory(err);
    }
    for (size_t k = 0; k < factors; k++) {
        if (priors[k].log_sigma > 0) {
            w->factor[p->free] = k;
            w->x[p->free] = w->prior[p->free] = priors[k].log_value;
            w->sigma[p->free++] = priors[k].log_sigma;
        }
    }
    for (size_t i = 0; i < p->free; i++) {
        size_t about = priors[w->factor[i]].about;
        for (size_t j = 0; about > 0 && j < p->free; j++) {
            if (w->factor[j] == about - 1) {
                w->about[i] = j + 1;
                w->x[i] += w->prior[j]; /* what it is known about is known by itself */
            }
        }
    }
    if (p->free == 0) {
        return ww_fail(err, WW_ERANGE, "nothing is to be fitted");
    }
    p->factor = w->factor;
    p->prior = w->prior;
    p->about = w->about;
    p->sigma = w->sigma;
    w->covariance = gsl_matrix_alloc(p->free, p->free);
    return w->covariance != NULL ? WW_OK : ww_no_memory(err);
}

static void take_result(const problem *p, const workplace *w, ww_fit *out)
{
    static const double share = 0.01;
    for (size_t k = 0; k < p->free; k++) {
        ww_fit_factor *f = &out->factor[w->factor[k]];
        f->fitted = true;
        f->value = exp(w->x[k]);
        f->log_sigma = sqrt(gsl_matrix_get(w->covariance, k, k));
        for (size_t i = 0; i < p->row_count; i++) {
            double part_w = f->value * p->rows[i].part_w[w->factor[k]];
            f->rows += part_w >= share * p->rows[i].measured_w;
        }
        for (size_t j = 0; j < p->free; j++) {
            out->covariance[w->factor[k] * out->factors + w->factor[j]] =
                gsl_matrix_get(w->covariance, k, j);
        }
    }
}

/* Each label once. */
static ww_status cross_validate(problem *p, workplace *w, ww_fit *out, ww_error *err)
{
    for (size_t i = 0; i < p->row_count; i++) {
        size_t first = 0;
        while (strcmp(p->rows[first].label, p->rows[i].label) != 0) {
            first++;
        }
        if (first < i) {
            continue;
        }
        memcpy(w->again, w->x, p->free * sizeof *w->again);
        p->without = p->rows[i].label;
        WW_TRY(solve(p, w->again, NULL, err));
        for (size_t j = i; j < p->row_count; j++) {
            if (!counts(p, j)) {
                out->left_out_w[j] = model_w(p, j, w->again);
            }
        }
    }
    p->without = NULL;
    return WW_OK;
}

static void sum_up(const problem *p, const workplace *w, ww_fit *out)
{
    double n = (double)p->row_count;
    for (size_t i = 0; i < p->row_count; i++) {
        const ww_fit_row *r = &p->rows[i];
        out->model_w[i] = model_w(p, i, w->x);
        double residual = out->model_w[i] - r->measured_w;
        double left_out = out->left_out_w[i] / r->measured_w - 1;
        out->chi2 += residual * residual / (r->sigma_w * r->sigma_w) / n;
        out->error += fabs(residual) / r->measured_w / n;
        out->left_out_error += fabs(left_out) / n;
        out->left_out_rms += left_out * left_out / n;
    }
    out->left_out_rms = sqrt(out->left_out_rms);
}

static ww_status fit(problem *p, workplace *w, ww_fit *out, ww_error *err)
{
    WW_TRY(solve(p, w->x, w->covariance, err));
    take_result(p, w, out);
    WW_TRY(cross_validate(p, w, out, err));
    sum_up(p, w, out);
    return WW_OK;
}

ww_status ww_fit_factors(const ww_fit_row *rows, size_t row_count, const ww_fit_prior *priors,
                         size_t factor_count, ww_arena *arena, ww_fit *out, ww_error *err)
{
    WW_TRY(check(rows, row_count, factor_count, err));
    *out = (ww_fit){.factors = factor_count,
                    .rows = row_count,
                    .factor = WW_ARENA_NEW_ARRAY(arena, ww_fit_factor, factor_count + 1),
                    .covariance = WW_ARENA_NEW_ARRAY(arena, double, factor_count *factor_count + 1),
                    .model_w = WW_ARENA_NEW_ARRAY(arena, double, row_count),
                    .left_out_w = WW_ARENA_NEW_ARRAY(arena, double, row_count)};
    if (out->factor == NULL || out->covariance == NULL || out->model_w == NULL ||
        out->left_out_w == NULL) {
        return ww_no_memory(err);
    }
    for (size_t k = 0; k < factor_count; k++) {
        out->factor[k].value = 1;
    }
    problem p = {.rows = rows, .row_count = row_count};
    workplace w = {0};
    gsl_error_handler_t *handler = gsl_set_error_handler(leave_without_memory);
    ww_status status = open_workplace(priors, factor_count, arena, &p, &w, err);
    status = status == WW_OK ? fit(&p, &w, out, err) : status;
    gsl_matrix_free(w.covariance);
    gsl_set_error_handler(handler);
    return status;
}
