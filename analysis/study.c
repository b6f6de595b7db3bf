/* study.c - the table of a workload study: making, finding, appending. */
#include "analysis/study.h"

#include <math.h>
#include <string.h>

static double *new_series(ww_arena *arena, size_t count)
{
    double *value = WW_ARENA_NEW_ARRAY(arena, double, count + 1); /* never of no bytes */
    for (size_t i = 0; value != NULL && i < count; i++) {
        value[i] = (double)NAN;
    }
    return value;
}

static ww_study_column *new_columns(ww_arena *arena, size_t columns, size_t kernels)
{
    ww_study_column *column = WW_ARENA_NEW_ARRAY(arena, ww_study_column, columns + 1);
    for (size_t i = 0; column != NULL && i < columns; i++) {
        column[i] =
            (ww_study_column){"", "", new_series(arena, kernels), new_series(arena, kernels)};
        if (column[i].value == NULL || column[i].sigma == NULL) {
            return NULL;
        }
    }
    return column;
}

ww_status ww_study_create(const char *name, size_t kernels, size_t metrics, size_t components,
                          ww_study **out, ww_error *err)
{
    ww_study *s = WW_NEW(ww_study);
    if (s == NULL) {
        return ww_no_memory(err);
    }
    ww_arena *arena = &s->arena;
    s->name = ww_arena_strndup(arena, name, strlen(name));
    s->kernel = WW_ARENA_NEW_ARRAY(arena, const char *, kernels + 1);
    s->kernel_count = kernels;
    s->metric = new_columns(arena, metrics, kernels);
    s->metric_count = metrics;
    s->component = new_columns(arena, components, kernels);
    s->component_count = components;
    s->dynamic_w = new_series(arena, kernels);
    s->static_w = new_series(arena, kernels);
    s->time_s = new_series(arena, kernels);
    s->launches = new_series(arena, kernels);
    s->sigma_w = new_series(arena, kernels);
    s->sampled_j = new_series(arena, kernels);
    if (s->sigma_w == NULL || s->sampled_j == NULL || s->name == NULL || s->kernel == NULL ||
        s->metric == NULL || s->component == NULL || s->dynamic_w == NULL || s->static_w == NULL ||
        s->time_s == NULL || s->launches == NULL) {
        ww_study_destroy(s);
        return ww_no_memory(err);
    }
    *out = s;
    return WW_OK;
}

void ww_study_destroy(ww_study *study)
{
    if (study != NULL) {
        ww_arena_fini(&study->arena);
        ww_free(study);
    }
}

static const ww_study_column *find(const ww_study_column *column, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(column[i].name, name) == 0) {
            return &column[i];
        }
    }
    return NULL;
}

const ww_study_column *ww_study_metric(const ww_study *study, const char *name)
{
    return find(study->metric, study->metric_count, name);
}

const ww_study_column *ww_study_component(const ww_study *study, const char *name)
{
    return find(study->component, study->component_count, name);
}

const char *ww_study_label(ww_arena *arena, const char *workload, const char *kernel)
{
    if (workload[0] == '\0' || strcmp(workload, kernel) == 0) {
        return ww_arena_strndup(arena, kernel, strlen(kernel));
    }
    return ww_arena_printf(arena, "%s/%s", workload, kernel);
}

/* ---- appending ---- */

static ww_status check_disjoint(const ww_study *a, const ww_study *b, ww_error *err)
{
    for (size_t i = 0; i < b->kernel_count; i++) {
        for (size_t k = 0; k < a->kernel_count; k++) {
            if (strcmp(a->kernel[k], b->kernel[i]) == 0) {
                return ww_fail(err, WW_ESCHEMA, "kernel '%s' is in '%s' and again in '%s'",
                               b->kernel[i], a->name, b->name);
            }
        }
    }
    return WW_OK;
}

static ww_status check_columns(const ww_study *a, const ww_study_column *x, size_t x_count,
                               const ww_study *b, const ww_study_column *y, size_t y_count,
                               ww_error *err)
{
    bool same = x_count == y_count;
    for (size_t i = 0; same && i < x_count; i++) {
        same = strcmp(x[i].name, y[i].name) == 0;
    }
    return same
               ? WW_OK
               : ww_fail(err, WW_ESCHEMA, "'%s' and '%s' have different columns", a->name, b->name);
}

/* Replaces *series by one that goes on with tail. */
static bool extend(ww_arena *arena, double **series, size_t count, const double *tail,
                   size_t tail_count)
{
    double *value = new_series(arena, count + tail_count);
    if (value == NULL) {
        return false;
    }
    memcpy(value, *series, count * sizeof *value);
    memcpy(value + count, tail, tail_count * sizeof *value);
    *series = value;
    return true;
}

static bool extend_all(ww_study *a, const ww_study *b)
{
    size_t n = a->kernel_count, m = b->kernel_count;
    bool ok = extend(&a->arena, &a->dynamic_w, n, b->dynamic_w, m) &&
              extend(&a->arena, &a->static_w, n, b->static_w, m) &&
              extend(&a->arena, &a->time_s, n, b->time_s, m) &&
              extend(&a->arena, &a->launches, n, b->launches, m) &&
              extend(&a->arena, &a->sigma_w, n, b->sigma_w, m) &&
              extend(&a->arena, &a->sampled_j, n, b->sampled_j, m);
    bool same = a->error_source != NULL && b->error_source != NULL &&
                strcmp(a->error_source, b->error_source) == 0;
    if (ok && same) {
        ok = extend(&a->arena, &a->group_j, n * WW_GROUP_COUNT, b->group_j, m * WW_GROUP_COUNT);
    } else {
        a->group_j = NULL;
        a->errors = NULL;
        a->calibration = a->error_source = NULL;
    }
    for (size_t i = 0; ok && i < a->metric_count; i++) {
        ok = extend(&a->arena, &a->metric[i].value, n, b->metric[i].value, m);
    }
    for (size_t i = 0; ok && i < a->component_count; i++) {
        ok = extend(&a->arena, &a->component[i].value, n, b->component[i].value, m) &&
             extend(&a->arena, &a->component[i].sigma, n, b->component[i].sigma, m);
    }
    const char **kernel = WW_ARENA_NEW_ARRAY(&a->arena, const char *, n + m + 1);
    ok = ok && kernel != NULL;
    for (size_t i = 0; ok && i < n + m; i++) {
        const char *name = i < n ? a->kernel[i] : b->kernel[i - n];
        kernel[i] = i < n ? name : ww_arena_strndup(&a->arena, name, strlen(name));
        ok = kernel[i] != NULL;
    }
    if (ok) {
        a->kernel = kernel;
        a->kernel_count = n + m;
    }
    return ok;
}

ww_status ww_study_append(ww_study *study, const ww_study *other, ww_error *err)
{
    WW_TRY(check_disjoint(study, other, err));
    WW_TRY(check_columns(study, study->metric, study->metric_count, other, other->metric,
                         other->metric_count, err));
    WW_TRY(check_columns(study, study->component, study->component_count, other, other->component,
                         other->component_count, err));
    return extend_all(study, other) ? WW_OK : ww_no_memory(err);
}
