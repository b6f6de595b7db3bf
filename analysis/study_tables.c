/* study_tables.c - a study from two CSV tables: metrics and component powers, joined by kernel
 * name. */
#include <math.h>
#include <string.h>

#include "analysis/metrics.h"
#include "analysis/study.h"
#include "base/map.h"

/* A table with its file name, which header errors need. */
typedef struct table {
    const char *path;
    ww_csv *csv;
    size_t kernel, workload; /* columns; workload == kernel: none */
    ww_map rows;             /* label -> row */
} table;

static void table_fini(table *t)
{
    ww_csv_destroy(t->csv);
    ww_map_fini(&t->rows);
}

static bool find_quietly(const ww_csv *csv, const char *name, size_t *column)
{
    return ww_csv_find(csv, name, column, NULL) == WW_OK;
}

static ww_status index_rows(table *t, ww_error *err)
{
    ww_arena arena = {0};
    ww_status status = WW_OK;
    for (size_t row = 0; status == WW_OK && row < ww_csv_rows(t->csv); row++) {
        const char *workload =
            t->workload != t->kernel ? ww_csv_text(t->csv, row, t->workload) : "";
        const char *kernel = ww_csv_text(t->csv, row, t->kernel);
        const char *label = ww_study_label(&arena, workload, kernel);
        bool added = false;
        ww_map_entry *entry = label != NULL ? ww_map_add(&t->rows, label, &added) : NULL;
        if (kernel[0] == '\0') {
            status = ww_csv_fail(t->csv, row, t->kernel, err, WW_ESCHEMA, "row has no kernel name");
        } else if (entry == NULL) {
            status = ww_no_memory(err);
        } else if (!added) {
            status = ww_csv_fail(t->csv, row, t->kernel, err, WW_ESCHEMA,
                                 "kernel '%s' has a row already", label);
        } else {
            entry->num = (int64_t)row;
        }
    }
    ww_arena_fini(&arena);
    return status;
}

static ww_status open_table(const char *path, table *t, ww_error *err)
{
    t->path = path;
    WW_TRY(ww_csv_load(path, &t->csv, err));
    WW_TRY(ww_csv_find(t->csv, "kernel", &t->kernel, err));
    if (!find_quietly(t->csv, "workload", &t->workload)) {
        t->workload = t->kernel;
    }
    WW_TRY(index_rows(t, err));
    if (t->rows.count == 0) {
        return ww_fail_at(err, WW_ESCHEMA, path, 1, 0, "the table has a header but no rows");
    }
    return WW_OK;
}

/* Every kernel of a must have a row in b. */
static ww_status check_join(const table *a, const table *b, ww_error *err)
{
    for (size_t i = 0; i < a->rows.count; i++) {
        const ww_map_entry *e = &a->rows.entries[i];
        if (ww_map_find(&b->rows, e->key) == NULL) {
            return ww_csv_fail(a->csv, (size_t)e->num, a->kernel, err, WW_ENOTFOUND,
                               "kernel '%s' has no row in %s", e->key, b->path);
        }
    }
    return WW_OK;
}

/* ---- columns ---- */

/* Name and unit of a column. "TI_million" reads as "TI [million]", but only for names that have a
 * meaning of their own. */
static bool split_name(ww_arena *arena, const ww_csv *csv, size_t column, ww_study_column *out)
{
    static const char *const known[] = {
#define X(field, name, unit, meaning) name,
        WW_METRICS(X)
#undef X
            "ET",
    };
    const char *name = ww_csv_name(csv, column), *unit = ww_csv_unit(csv, column);
    size_t length = strlen(name);
    for (size_t i = 0; i < WW_ARRAY_LEN(known); i++) {
        size_t n = strlen(known[i]);
        if (strncmp(name, known[i], n) == 0 && name[n] == '_' && unit[0] == '\0') {
            unit = name + n + 1;
            length = n;
        }
    }
    out->name = ww_arena_strndup(arena, name, length);
    out->unit = ww_arena_strndup(arena, unit, strlen(unit));
    return out->name != NULL && out->unit != NULL;
}

/* Reads a column in the order of `order`; an empty field is NaN, or an error when required. */
static ww_status read_column(const table *t, size_t column, const ww_map *order, bool required,
                             double *value, ww_error *err)
{
    for (size_t i = 0; i < order->count; i++) {
        size_t row = (size_t)ww_map_num(&t->rows, order->entries[i].key, 0);
        if (!required && ww_csv_text(t->csv, row, column)[0] == '\0') {
            value[i] = (double)NAN;
        } else {
            WW_TRY(ww_csv_double(t->csv, row, column, &value[i], err));
        }
    }
    return WW_OK;
}

static ww_status scale_time(const table *t, const char *unit, double *value, size_t count,
                            ww_error *err)
{
    static const struct {
        const char *unit;
        double s;
    } units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
    for (size_t u = 0; u < WW_ARRAY_LEN(units); u++) {
        if (strcmp(units[u].unit, unit) == 0) {
            for (size_t i = 0; i < count; i++) {
                value[i] *= units[u].s;
            }
            return WW_OK;
        }
    }
    return ww_fail_at(err, WW_ESCHEMA, t->path, 1, 0,
                      "execution time ET needs the unit s, ms, us or ns, not '%s'", unit);
}

static ww_status read_metrics(const table *t, ww_study *s, ww_error *err)
{
    size_t used = 0;
    for (size_t c = 0; c < ww_csv_columns(t->csv); c++) {
        ww_study_column name = {0};
        if (c == t->kernel || c == t->workload) {
            continue;
        }
        if (!split_name(&s->arena, t->csv, c, &name)) {
            return ww_no_memory(err);
        }
        bool is_time = strcmp(name.name, "ET") == 0;
        double *value = is_time ? s->time_s : s->metric[used].value;
        WW_TRY(read_column(t, c, &t->rows, false, value, err));
        if (is_time) {
            WW_TRY(scale_time(t, name.unit, s->time_s, s->kernel_count, err));
        } else {
            s->metric[used].name = name.name;
            s->metric[used++].unit = name.unit;
        }
    }
    s->metric_count = used;
    return WW_OK;
}

static ww_status read_powers(const table *t, const ww_map *order, ww_study *s, ww_error *err)
{
    size_t used = 0;
    bool has_total = false;
    for (size_t c = 0; c < ww_csv_columns(t->csv); c++) {
        ww_study_column name = {0};
        if (c == t->kernel || c == t->workload) {
            continue;
        }
        if (!split_name(&s->arena, t->csv, c, &name)) {
            return ww_no_memory(err);
        }
        bool is_total = strcmp(name.name, "TP") == 0;
        has_total |= is_total;
        double *value = is_total ? s->dynamic_w : s->component[used].value;
        WW_TRY(read_column(t, c, order, true, value, err));
        if (!is_total) {
            s->component[used].name = name.name;
            s->component[used++].unit = "W";
        }
    }
    s->component_count = used;
    for (size_t i = 0; !has_total && i < s->kernel_count; i++) {
        s->dynamic_w[i] = 0;
        for (size_t c = 0; c < used; c++) {
            s->dynamic_w[i] += s->component[c].value[i];
        }
    }
    return WW_OK;
}

static ww_status fill(const table *metrics, const table *power, ww_study *s, ww_error *err)
{
    for (size_t i = 0; i < s->kernel_count; i++) {
        const char *key = metrics->rows.entries[i].key;
        s->kernel[i] = ww_arena_strndup(&s->arena, key, strlen(key));
        s->launches[i] = 1;
        if (s->kernel[i] == NULL) {
            return ww_no_memory(err);
        }
    }
    WW_TRY(read_metrics(metrics, s, err));
    return power->csv != NULL ? read_powers(power, &metrics->rows, s, err) : WW_OK;
}

ww_status ww_study_load_tables(const char *metrics_path, const char *power_path, ww_study **out,
                               ww_error *err)
{
    table metrics = {0}, power = {0};
    ww_study *study = NULL;
    ww_status status = open_table(metrics_path, &metrics, err);
    if (status == WW_OK && power_path != NULL) {
        status = open_table(power_path, &power, err);
        status = status == WW_OK ? check_join(&metrics, &power, err) : status;
        status = status == WW_OK ? check_join(&power, &metrics, err) : status;
    }
    if (status == WW_OK) {
        status = ww_study_create(metrics_path, metrics.rows.count, ww_csv_columns(metrics.csv),
                                 power.csv != NULL ? ww_csv_columns(power.csv) : 0, &study, err);
    }
    if (status == WW_OK) {
        status = fill(&metrics, &power, study, err);
    }
    table_fini(&metrics);
    table_fini(&power);
    if (status != WW_OK) {
        ww_study_destroy(study);
        return status;
    }
    *out = study;
    return WW_OK;
}
