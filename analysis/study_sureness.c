/* study_sureness.c - what a result folder says of how sure its energies are. */
#include <math.h>
#include <string.h>

#include "analysis/run_info.h"
#include "analysis/study.h"
#include "base/file.h"
#include "base/map.h"

static bool find_group(const char *key, int *out)
{
    for (int g = 0; g < WW_GROUP_COUNT; g++) {
        if (strcmp(key, ww_power_group_key((ww_power_group)g)) == 0) {
            *out = g;
            return true;
        }
    }
    return false;
}

static const char *error_key(int error)
{
    return error == WW_ERROR_VOLTAGE ? "voltage" : ww_power_group_key((ww_power_group)error);
}

/* ---- uncertainty.csv ---- */

static ww_status take_number(const ww_csv *csv, size_t row, size_t column, double most, double *out,
                             ww_error *err)
{
    WW_TRY(ww_csv_double(csv, row, column, out, err));
    return fabs(*out) <= most
               ? WW_OK
               : ww_csv_fail(csv, row, column, err, WW_ERANGE, "%g is beyond %g", *out, most);
}

/* Where the numbers of a row stand. */
typedef struct error_columns {
    size_t key, sigma, per_voltage, correlation[WW_ERROR_COUNT];
} error_columns;

static ww_status find_columns(const ww_csv *csv, error_columns *at, ww_error *err)
{
    WW_TRY(ww_csv_find(csv, "key", &at->key, err));
    WW_TRY(ww_csv_find(csv, "sigma", &at->sigma, err));
    WW_TRY(ww_csv_find(csv, "per_voltage", &at->per_voltage, err));
    for (int e = 0; e < WW_ERROR_COUNT; e++) {
        WW_TRY(ww_csv_find(csv, error_key(e), &at->correlation[e], err));
    }
    return WW_OK;
}

static ww_status take_error(const ww_csv *csv, size_t row, const error_columns *at,
                            ww_power_errors *out, ww_error *err)
{
    enum { MOST = 1000 }; /* of relative numbers: far beyond any that means something */
    const char *key = ww_csv_text(csv, row, at->key);
    int error = WW_ERROR_VOLTAGE;
    if (strcmp(key, "model") == 0) {
        return take_number(csv, row, at->sigma, MOST, &out->scatter, err);
    }
    if (strcmp(key, error_key(WW_ERROR_VOLTAGE)) != 0 && !find_group(key, &error)) {
        return ww_csv_fail(csv, row, at->key, err, WW_ENOTFOUND, "no factor '%s'", key);
    }
    WW_TRY(take_number(csv, row, at->sigma, MOST, &out->sigma[error], err));
    if (error != WW_ERROR_VOLTAGE) {
        WW_TRY(take_number(csv, row, at->per_voltage, MOST, &out->per_voltage[error], err));
    }
    for (int other = 0; other < WW_ERROR_COUNT; other++) {
        WW_TRY(take_number(csv, row, at->correlation[other], 1 + 1e-9,
                           &out->correlation[error][other], err));
    }
    return WW_OK;
}

static ww_status read_errors(const char *path, ww_study *s, ww_error *err)
{
    ww_csv *csv = NULL;
    error_columns at;
    ww_power_errors *errors = WW_ARENA_NEW_ARRAY(&s->arena, ww_power_errors, 1);
    WW_TRY(errors != NULL ? ww_csv_load(path, &csv, err) : ww_no_memory(err));
    ww_status status = find_columns(csv, &at, err);
    for (size_t row = 0; status == WW_OK && row < ww_csv_rows(csv); row++) {
        status = take_error(csv, row, &at, errors, err);
    }
    ww_csv_destroy(csv);
    s->errors = errors;
    return status;
}

/* ---- groups.csv ---- */

enum { WORKLOAD, KERNEL, GROUP, ENERGY, COLUMNS };

static ww_status index_kernels(const ww_study *s, ww_map *kernels, ww_error *err)
{
    for (size_t k = 0; k < s->kernel_count; k++) {
        bool added;
        ww_map_entry *e = ww_map_add(kernels, s->kernel[k], &added);
        if (e == NULL) {
            return ww_no_memory(err);
        }
        e->num = (int64_t)k;
    }
    return WW_OK;
}

static ww_status take_group(const ww_csv *csv, size_t row, const size_t at[COLUMNS],
                            const ww_map *kernels, ww_study *s, ww_error *err)
{
    ww_arena arena = {0};
    double joules;
    int group = 0;
    const char *label = ww_study_label(&arena, ww_csv_text(csv, row, at[WORKLOAD]),
                                       ww_csv_text(csv, row, at[KERNEL]));
    int64_t kernel = label != NULL ? ww_map_num(kernels, label, -1) : -1;
    bool lost = label == NULL;
    ww_arena_fini(&arena);
    if (lost) {
        return ww_no_memory(err);
    }
    if (kernel < 0) {
        return ww_csv_fail(csv, row, at[KERNEL], err, WW_ENOTFOUND,
                           "no launch of this kernel is in kernels.csv");
    }
    if (!find_group(ww_csv_text(csv, row, at[GROUP]), &group)) {
        return ww_csv_fail(csv, row, at[GROUP], err, WW_ENOTFOUND, "no such group");
    }
    WW_TRY(ww_csv_double(csv, row, at[ENERGY], &joules, err));
    s->group_j[(size_t)kernel * WW_GROUP_COUNT + (size_t)group] += joules;
    return WW_OK;
}

static ww_status read_groups(const char *path, ww_study *s, ww_error *err)
{
    static const char *const names[COLUMNS] = {"workload", "kernel", "group", "energy"};
    ww_map kernels = {0};
    ww_csv *csv = NULL;
    size_t at[COLUMNS];
    s->group_j = WW_ARENA_NEW_ARRAY(&s->arena, double, s->kernel_count *WW_GROUP_COUNT);
    WW_TRY(s->group_j != NULL ? ww_csv_load(path, &csv, err) : ww_no_memory(err));
    ww_status status = ww_csv_find_all(csv, names, COLUMNS, at, err);
    status = status == WW_OK ? index_kernels(s, &kernels, err) : status;
    for (size_t row = 0; status == WW_OK && row < ww_csv_rows(csv); row++) {
        status = take_group(csv, row, at, &kernels, s, err);
    }
    ww_map_fini(&kernels);
    ww_csv_destroy(csv);
    return status;
}

/* ---- whose errors they are ---- */

/* A description that names no file of uncertainties assumes them, of its own card alone. */
static ww_status take_source(const char *dir, ww_study *s, ww_error *err)
{
    ww_run_info info = {0};
    WW_TRY(ww_run_info_load(dir, &info, err));
    const char *calibration = ww_run_info_value(&info, "power.calibration");
    const char *file = ww_run_info_value(&info, "power.uncertainty");
    const char *chip = ww_run_info_value(&info, "chip.name");
    if (calibration != NULL && file != NULL && chip != NULL) {
        bool own = strcmp(file, "none") == 0;
        s->calibration = ww_arena_strndup(&s->arena, calibration, strlen(calibration));
        s->error_source =
            ww_arena_printf(&s->arena, "%s\x1f%s\x1f%s", file, calibration, own ? chip : "");
    }
    bool ok = calibration == NULL || file == NULL || chip == NULL ||
              (s->calibration != NULL && s->error_source != NULL);
    ww_run_info_fini(&info);
    return ok ? WW_OK : ww_no_memory(err);
}

ww_status ww_study_read_sureness(ww_study *study, const char *dir, ww_error *err)
{
    ww_arena arena = {0};
    const char *errors = ww_path_join(&arena, dir, "uncertainty.csv");
    const char *groups = ww_path_join(&arena, dir, "groups.csv");
    ww_status status = errors != NULL && groups != NULL ? WW_OK : ww_no_memory(err);
    if (status == WW_OK && ww_file_exists(errors) && ww_file_exists(groups)) {
        status = read_errors(errors, study, err);
        status = status == WW_OK ? read_groups(groups, study, err) : status;
        status = status == WW_OK ? take_source(dir, study, err) : status;
    }
    ww_arena_fini(&arena);
    return status;
}
