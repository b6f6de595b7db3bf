/* study_results.c - a study from the result folder of a run: launches of one kernel averaged by
 * cycles. */
#include <math.h>
#include <string.h>

#include "analysis/metrics.h"
#include "analysis/result_folders.h"
#include "analysis/study.h"
#include "base/file.h"
#include "base/map.h"

/* Both files of the folder, with the columns that are read. */
typedef struct folder {
    ww_arena arena;
    ww_csv *kernels, *power;
    size_t k_workload, k_kernel, k_launch, k_cycles, k_time, k_metric[WW_METRIC_COUNT];
    size_t p_workload, p_kernel, p_launch, p_component, p_event, p_background, p_leakage;
    size_t k_sampled;        /* of earlier versions' results: none */
    size_t p_total, p_sigma; /* likewise */
    bool has_sampled, has_sigma;
    ww_map labels;     /* label -> kernel of the study */
    ww_map launches;   /* launch -> kernel of the study */
    ww_map components; /* name -> component of the study; -1: none, it never does anything */
    size_t working;    /* components of the study */
    ww_map seen;       /* launch and component: each may come once */
} folder;

static const char *const total_row = "TOTAL";

static void folder_fini(folder *f)
{
    ww_csv_destroy(f->kernels);
    ww_csv_destroy(f->power);
    ww_map_fini(&f->labels);
    ww_map_fini(&f->launches);
    ww_map_fini(&f->components);
    ww_map_fini(&f->seen);
    ww_arena_fini(&f->arena);
}

static ww_status find_columns(folder *f, ww_error *err)
{
    static const char *const metric[] = {
#define X(field, name, unit, meaning) name,
        WW_METRICS(X)
#undef X
    };
    WW_TRY(ww_csv_find(f->kernels, "workload", &f->k_workload, err));
    WW_TRY(ww_csv_find(f->kernels, "kernel", &f->k_kernel, err));
    WW_TRY(ww_csv_find(f->kernels, "launch", &f->k_launch, err));
    WW_TRY(ww_csv_find(f->kernels, "cycles", &f->k_cycles, err));
    WW_TRY(ww_csv_find(f->kernels, "time", &f->k_time, err));
    for (size_t m = 0; m < WW_METRIC_COUNT; m++) {
        WW_TRY(ww_csv_find(f->kernels, metric[m], &f->k_metric[m], err));
    }
    WW_TRY(ww_csv_find(f->power, "workload", &f->p_workload, err));
    WW_TRY(ww_csv_find(f->power, "kernel", &f->p_kernel, err));
    WW_TRY(ww_csv_find(f->power, "launch", &f->p_launch, err));
    WW_TRY(ww_csv_find(f->power, "component", &f->p_component, err));
    WW_TRY(ww_csv_find(f->power, "event_energy", &f->p_event, err));
    WW_TRY(ww_csv_find(f->power, "background_energy", &f->p_background, err));
    f->has_sampled = ww_csv_find(f->kernels, "energy_error", &f->k_sampled, NULL) == WW_OK;
    f->has_sigma = ww_csv_find(f->power, "total_power", &f->p_total, NULL) == WW_OK &&
                   ww_csv_find(f->power, "uncertainty", &f->p_sigma, NULL) == WW_OK;
    return ww_csv_find(f->power, "leakage_energy", &f->p_leakage, err);
}

static ww_status open_folder(const char *dir, folder *f, ww_error *err)
{
    char *kernels = ww_path_join(&f->arena, dir, "kernels.csv");
    char *power = ww_path_join(&f->arena, dir, "power.csv");
    if (kernels == NULL || power == NULL) {
        return ww_no_memory(err);
    }
    WW_TRY(ww_csv_load(kernels, &f->kernels, err));
    ww_status status = ww_csv_load(power, &f->power, err);
    if (status == WW_ENOTFOUND) {
        ww_error_prefix(err, "the run left no power (was it functional only?): ");
    }
    WW_TRY(status);
    return find_columns(f, err);
}

/* One text for (workload, kernel, launch); a separator that no name holds keeps "a/b"+"c" and
 * "a"+"b/c" apart. */
static const char *launch_key(folder *f, const char *workload, const char *kernel,
                              const char *launch, const char *component)
{
    return ww_arena_printf(&f->arena, "%s\x1f%s\x1f%s\x1f%s", workload, kernel, launch, component);
}

/* First pass over kernels.csv: which kernels there are, and which launches belong to them. */
static ww_status index_launches(folder *f, ww_error *err)
{
    for (size_t row = 0; row < ww_csv_rows(f->kernels); row++) {
        const char *workload = ww_csv_text(f->kernels, row, f->k_workload);
        const char *kernel = ww_csv_text(f->kernels, row, f->k_kernel);
        const char *label = ww_study_label(&f->arena, workload, kernel);
        const char *key =
            launch_key(f, workload, kernel, ww_csv_text(f->kernels, row, f->k_launch), "");
        bool new_kernel = false, new_launch = false;
        ww_map_entry *k = label != NULL ? ww_map_add(&f->labels, label, &new_kernel) : NULL;
        ww_map_entry *l = key != NULL ? ww_map_add(&f->launches, key, &new_launch) : NULL;
        if (k == NULL || l == NULL) {
            return ww_no_memory(err);
        }
        if (!new_launch) {
            return ww_csv_fail(f->kernels, row, f->k_launch, err, WW_ESCHEMA,
                               "this launch of '%s' has a row already", label);
        }
        k->num = new_kernel ? (int64_t)f->labels.count - 1 : k->num;
        l->num = k->num;
    }
    if (f->labels.count == 0) {
        return ww_fail(err, WW_ESCHEMA, "kernels.csv has no rows: the run launched no kernel");
    }
    return WW_OK;
}

/* A component without dynamic power in any launch, that only leaks, correlates with nothing and has
 * no share: it is left to static power. */
static ww_status number_components(folder *f, ww_error *err)
{
    for (size_t row = 0; row < ww_csv_rows(f->power); row++) {
        double event_j, background_j;
        ww_map_entry *e = ww_map_find(&f->components, ww_csv_text(f->power, row, f->p_component));
        WW_TRY(ww_csv_double(f->power, row, f->p_event, &event_j, err));
        WW_TRY(ww_csv_double(f->power, row, f->p_background, &background_j, err));
        if (e != NULL && event_j + background_j > 0) {
            e->num = 1;
        }
    }
    for (size_t i = 0; i < f->components.count; i++) {
        ww_map_entry *e = &f->components.entries[i];
        e->num = e->num > 0 ? (int64_t)f->working++ : -1;
    }
    return WW_OK;
}

static ww_status index_components(folder *f, ww_error *err)
{
    for (size_t row = 0; row < ww_csv_rows(f->power); row++) {
        const char *name = ww_csv_text(f->power, row, f->p_component);
        bool added = false;
        ww_map_entry *e =
            strcmp(name, total_row) != 0 ? ww_map_add(&f->components, name, &added) : NULL;
        if (e != NULL && added) {
            e->num = 0;
        } else if (e == NULL && strcmp(name, total_row) != 0) {
            return ww_no_memory(err);
        }
    }
    return number_components(f, err);
}

/* ---- averages ---- */

/* Weight of each metric's average: per kernel, the cycles of those launches that have the metric.
 */
typedef struct weights {
    double *cycles[WW_METRIC_COUNT];
} weights;

static ww_status add_launch(folder *f, size_t row, size_t k, weights *w, ww_study *s, ww_error *err)
{
    double cycles, time_s, value;
    WW_TRY(ww_csv_double(f->kernels, row, f->k_cycles, &cycles, err));
    WW_TRY(ww_csv_double(f->kernels, row, f->k_time, &time_s, err));
    if (!(cycles > 0) || !(time_s > 0)) {
        return ww_csv_fail(f->kernels, row, f->k_cycles, err, WW_ERANGE,
                           "cycles and time of a launch must be positive");
    }
    s->time_s[k] += time_s;
    s->launches[k] += 1;
    for (size_t m = 0; m < WW_METRIC_COUNT; m++) {
        if (ww_csv_text(f->kernels, row, f->k_metric[m])[0] != '\0') {
            WW_TRY(ww_csv_double(f->kernels, row, f->k_metric[m], &value, err));
            s->metric[m].value[k] += cycles * value;
            w->cycles[m][k] += cycles;
        }
    }
    return WW_OK;
}

static ww_status average_metrics(folder *f, ww_study *s, ww_error *err)
{
    weights w;
    for (size_t m = 0; m < WW_METRIC_COUNT; m++) {
        w.cycles[m] = WW_ARENA_NEW_ARRAY(&f->arena, double, s->kernel_count);
        if (w.cycles[m] == NULL) {
            return ww_no_memory(err);
        }
        s->metric[m].name = ww_csv_name(f->kernels, f->k_metric[m]);
        s->metric[m].unit = ww_csv_unit(f->kernels, f->k_metric[m]);
        memset(s->metric[m].value, 0, s->kernel_count * sizeof(double));
    }
    memset(s->time_s, 0, s->kernel_count * sizeof(double));
    memset(s->launches, 0, s->kernel_count * sizeof(double));
    for (size_t row = 0; row < ww_csv_rows(f->kernels); row++) {
        WW_TRY(add_launch(f, row, (size_t)f->launches.entries[row].num, &w, s, err));
    }
    for (size_t m = 0; m < WW_METRIC_COUNT; m++) {
        for (size_t k = 0; k < s->kernel_count; k++) {
            double weight = w.cycles[m][k];
            s->metric[m].value[k] = weight > 0 ? s->metric[m].value[k] / weight : (double)NAN;
        }
    }
    return WW_OK;
}

/* Launches rest on the same factors, so that their uncertainties add like their energies; what
 * sampling extrapolated is each launch's own. total_j of the row. */
static ww_status add_sigma(folder *f, size_t row, double total_j, double *sigma_j, ww_error *err)
{
    double total_w, sigma_w;
    if (!f->has_sigma) {
        *sigma_j = (double)NAN;
        return WW_OK;
    }
    WW_TRY(ww_csv_double(f->power, row, f->p_total, &total_w, err));
    WW_TRY(ww_csv_double(f->power, row, f->p_sigma, &sigma_w, err));
    *sigma_j = total_w > 0 ? sigma_w * total_j / total_w : 0;
    return WW_OK;
}

static ww_status add_sampled(folder *f, size_t launch, double total_j, double *variance_j2,
                             ww_error *err)
{
    static const double half_width = 1.96; /* of a 95 % interval, in standard uncertainties */
    double error = 0;
    if (f->has_sampled) {
        WW_TRY(ww_csv_double(f->kernels, launch, f->k_sampled, &error, err));
    }
    double sigma_j = error / half_width * total_j;
    *variance_j2 += sigma_j * sigma_j;
    return WW_OK;
}

static ww_status add_energy(folder *f, size_t row, ww_study *s, ww_error *err)
{
    const char *component = ww_csv_text(f->power, row, f->p_component);
    const char *workload = ww_csv_text(f->power, row, f->p_workload);
    const char *kernel = ww_csv_text(f->power, row, f->p_kernel);
    const char *launch = ww_csv_text(f->power, row, f->p_launch);
    const char *key = launch_key(f, workload, kernel, launch, "");
    const char *seen = launch_key(f, workload, kernel, launch, component);
    bool added = false;
    if (key == NULL || seen == NULL || ww_map_add(&f->seen, seen, &added) == NULL) {
        return ww_no_memory(err);
    }
    if (!added) {
        return ww_csv_fail(f->power, row, f->p_component, err, WW_ESCHEMA,
                           "component '%s' of this launch has a row already", component);
    }
    const ww_map_entry *owner = ww_map_find(&f->launches, key);
    if (owner == NULL) {
        return ww_csv_fail(f->power, row, f->p_launch, err, WW_ENOTFOUND,
                           "launch %s of '%s' has no row in kernels.csv", launch, kernel);
    }
    size_t k = (size_t)owner->num;
    double event_j, background_j, leakage_j;
    WW_TRY(ww_csv_double(f->power, row, f->p_event, &event_j, err));
    WW_TRY(ww_csv_double(f->power, row, f->p_background, &background_j, err));
    WW_TRY(ww_csv_double(f->power, row, f->p_leakage, &leakage_j, err));
    double row_j = event_j + background_j + leakage_j, sigma_j;
    WW_TRY(add_sigma(f, row, row_j, &sigma_j, err));
    if (strcmp(component, total_row) == 0) {
        s->static_w[k] += leakage_j / s->time_s[k];
        s->sigma_w[k] += sigma_j / s->time_s[k];
        return add_sampled(f, (size_t)(owner - f->launches.entries), row_j, &s->sampled_j[k], err);
    }
    int64_t c = ww_map_num(&f->components, component, -1);
    if (c < 0) {
        return WW_OK;
    }
    double power_w = (event_j + background_j) / s->time_s[k];
    s->component[c].value[k] += power_w;
    s->component[c].sigma[k] += sigma_j / s->time_s[k];
    s->dynamic_w[k] += power_w;
    return WW_OK;
}

/* Every launch needs a row for each component and one for the total: fewer would be silently less
 * power. */
static ww_status check_complete(const folder *f, ww_error *err)
{
    size_t expected = f->launches.count * (f->components.count + 1);
    if (f->seen.count != expected) {
        return ww_fail(
            err, WW_ENOTFOUND,
            "power.csv has %zu rows, and %zu launches of %zu components and a total need %zu",
            f->seen.count, f->launches.count, f->components.count, expected);
    }
    return WW_OK;
}

static ww_status average_powers(folder *f, ww_study *s, ww_error *err)
{
    for (size_t i = 0; i < f->components.count; i++) {
        int64_t c = f->components.entries[i].num;
        if (c >= 0) {
            s->component[c].name = f->components.entries[i].key;
            s->component[c].unit = "W";
            memset(s->component[c].value, 0, s->kernel_count * sizeof(double));
            memset(s->component[c].sigma, 0, s->kernel_count * sizeof(double));
        }
    }
    memset(s->sigma_w, 0, s->kernel_count * sizeof(double));
    memset(s->sampled_j, 0, s->kernel_count * sizeof(double));
    memset(s->dynamic_w, 0, s->kernel_count * sizeof(double));
    memset(s->static_w, 0, s->kernel_count * sizeof(double));
    for (size_t row = 0; row < ww_csv_rows(f->power); row++) {
        WW_TRY(add_energy(f, row, s, err));
    }
    for (size_t k = 0; k < s->kernel_count; k++) {
        s->sampled_j[k] = sqrt(s->sampled_j[k]);
    }
    return check_complete(f, err);
}

/* Names point into the folder's tables until here; the study needs its own. */
static ww_status own_names(const folder *f, ww_study *s, ww_error *err)
{
    bool ok = true;
    for (size_t k = 0; k < s->kernel_count; k++) {
        const char *label = f->labels.entries[k].key;
        s->kernel[k] = ww_arena_strndup(&s->arena, label, strlen(label));
        ok = ok && s->kernel[k] != NULL;
    }
    for (size_t i = 0; i < s->metric_count + s->component_count; i++) {
        ww_study_column *c =
            i < s->metric_count ? &s->metric[i] : &s->component[i - s->metric_count];
        c->name = ww_arena_strndup(&s->arena, c->name, strlen(c->name));
        c->unit = ww_arena_strndup(&s->arena, c->unit, strlen(c->unit));
        ok = ok && c->name != NULL && c->unit != NULL;
    }
    return ok ? WW_OK : ww_no_memory(err);
}

static ww_status read_folder(const char *dir, folder *f, ww_study **study, ww_error *err)
{
    WW_TRY(open_folder(dir, f, err));
    WW_TRY(index_launches(f, err));
    WW_TRY(index_components(f, err));
    WW_TRY(ww_study_create(dir, f->labels.count, WW_METRIC_COUNT, f->working, study, err));
    WW_TRY(average_metrics(f, *study, err));
    WW_TRY(average_powers(f, *study, err));
    WW_TRY(own_names(f, *study, err));
    return ww_study_read_sureness(*study, dir, err);
}

static ww_status load_folder(const char *dir, ww_study **out, ww_error *err)
{
    folder f = {0};
    ww_study *study = NULL;
    ww_status status = read_folder(dir, &f, &study, err);
    folder_fini(&f);
    if (status != WW_OK) {
        ww_study_destroy(study);
        return status;
    }
    *out = study;
    return WW_OK;
}

/* The study of the first folder takes the kernels of the others. */
static ww_status load_folders(const char *dir, const char *const *folders, size_t count,
                              ww_study **out, ww_error *err)
{
    ww_study *all = NULL;
    WW_TRY(load_folder(folders[0], &all, err));
    ww_status status = WW_OK;
    for (size_t i = 1; status == WW_OK && i < count; i++) {
        ww_study *more = NULL;
        status = load_folder(folders[i], &more, err);
        status = status == WW_OK ? ww_study_append(all, more, err) : status;
        ww_study_destroy(more);
    }
    if (status == WW_OK) {
        all->name = ww_arena_strndup(&all->arena, dir, strlen(dir));
        status = all->name != NULL ? WW_OK : ww_no_memory(err);
    }
    if (status != WW_OK) {
        ww_study_destroy(all);
        return status;
    }
    *out = all;
    return WW_OK;
}

ww_status ww_study_load_results(const char *dir, ww_study **out, ww_error *err)
{
    ww_arena arena = {0};
    const char **folders = NULL;
    size_t count = 0;
    ww_status status = ww_result_folders(dir, &arena, &folders, &count, err);
    status = status == WW_OK ? load_folders(dir, folders, count, out, err) : status;
    ww_arena_fini(&arena);
    return status;
}
