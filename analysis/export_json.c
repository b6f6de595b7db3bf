/* export_json.c - run.json: one document with everything, and the result folder as a whole. */
#include <stdio.h>

#include "analysis/export.h"
#include "analysis/metrics.h"
#include "base/file.h"
#include "base/json.h"

enum { SCHEMA_VERSION = 1 };

static void put_parameters(const ww_arch *arch, ww_json *j)
{
    ww_json_array(j, "parameters");
    for (size_t i = 0; i < ww_arch_param_count(); i++) {
        ww_arch_value v = ww_arch_value_at(arch, i);
        if (v.value == NULL) {
            continue; /* of a mechanism that is not active */
        }
        ww_json_object(j, NULL);
        ww_json_text(j, "key", v.key);
        ww_json_text(j, "value", v.value);
        ww_json_text(j, "unit", v.unit);
        ww_json_text(j, "source", v.source);
        ww_json_text(j, "file", ww_path_base(v.file));
        ww_json_i64(j, "line", v.line);
        ww_json_end(j);
    }
    ww_json_end(j);
}

static void put_counters(const ww_counter_set *counters, ww_json *j)
{
    ww_json_object(j, "counters");
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        ww_json_u64(j, ww_counter_describe((ww_counter)c)->name,
                    ww_counter_total(counters, (ww_counter)c));
    }
    ww_json_end(j);
}

static void put_power(const ww_power_model *model, const ww_power_result *r, ww_json *j)
{
    ww_json_object(j, "power");
    ww_json_double(j, "time_s", r->time_s);
    ww_json_double(j, "dynamic_w", r->dynamic_w);
    ww_json_double(j, "static_w", r->static_w);
    ww_json_double(j, "total_w", r->total_w);
    ww_json_double(j, "energy_j", r->total_j);
    ww_json_array(j, "components");
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        const ww_power_share *s = &r->component[c];
        if (!ww_power_has(model, (ww_component)c)) {
            continue;
        }
        ww_json_object(j, NULL);
        ww_json_text(j, "component", ww_component_name((ww_component)c));
        ww_json_double(j, "event_j", s->event_j);
        ww_json_double(j, "background_j", s->background_j);
        ww_json_double(j, "leakage_j", s->leakage_j);
        ww_json_double(j, "dynamic_w", s->dynamic_w);
        ww_json_double(j, "total_w", s->total_w);
        ww_json_double(j, "share", s->share);
        ww_json_end(j);
    }
    ww_json_end(j);
    ww_json_end(j);
}

static void put_dim3(ww_json *j, const char *key, const uint32_t dim[3])
{
    ww_json_array(j, key);
    for (int i = 0; i < 3; i++) {
        ww_json_u64(j, NULL, dim[i]);
    }
    ww_json_end(j);
}

static ww_status put_sampling(const ww_result_set *set, const ww_launch_record *launch, ww_json *j,
                              ww_error *err)
{
    double cycles, energy;
    WW_TRY(ww_sampling_errors(set, launch, &cycles, &energy, err));
    ww_json_object(j, "sampling");
    ww_json_double(j, "extrapolated", launch->sampling.share);
    ww_json_double(j, "cycles_error", cycles);
    ww_json_double(j, "energy_error", energy);
    ww_json_end(j);
    return WW_OK;
}

static ww_status put_launch(const ww_result_set *set, const ww_launch_record *launch, ww_json *j,
                            ww_error *err)
{
    static const char *const name[] = {
#define X(field, label, unit, meaning) label,
        WW_METRICS(X)
#undef X
    };
    ww_metrics metrics;
    WW_TRY(ww_metrics_compute(launch->counters, &metrics, err));
    ww_json_object(j, NULL);
    ww_json_text(j, "workload", launch->workload);
    ww_json_text(j, "kernel", launch->kernel);
    ww_json_u64(j, "launch", launch->launch_index);
    put_dim3(j, "grid", launch->grid);
    put_dim3(j, "block", launch->block);
    ww_json_u64(j, "registers", launch->registers);
    ww_json_u64(j, "shared_bytes", launch->shared_bytes);
    ww_json_u64(j, "ctas_per_sm", launch->ctas_per_sm);
    ww_json_text(j, "occupancy_limit", launch->occupancy_limit);
    ww_json_text(j, "size", launch->size != NULL ? launch->size : "");
    ww_json_u64(j, "stream", launch->stream);
    WW_TRY(put_sampling(set, launch, j, err));
    ww_json_object(j, "metrics");
    for (unsigned m = 0; m < WW_METRIC_COUNT; m++) {
        double value;
        if (ww_metric_value(&metrics, m, &value)) {
            ww_json_double(j, name[m], value);
        } else {
            ww_json_null(j, name[m]);
        }
    }
    ww_json_end(j);
    if (set->model != NULL) {
        ww_power_result r;
        WW_TRY(ww_power_evaluate(set->model, launch->counters, launch, &r, err));
        put_power(set->model, &r, j);
    }
    put_counters(launch->counters, j);
    ww_json_end(j);
    return WW_OK;
}

ww_status ww_export_json(const ww_result_set *set, ww_str *out, ww_error *err)
{
    ww_json j;
    char hash[24], run_id[24];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)set->arch->config_hash);
    ww_json_init(&j, out, 1);
    ww_json_object(&j, NULL);
    ww_json_u64(&j, "schema_version", SCHEMA_VERSION);
    ww_json_text(&j, "warpwatt", set->version);
    ww_json_text(&j, "command", set->command);
    if (set->run_id != 0) {
        snprintf(run_id, sizeof run_id, "%016llx", (unsigned long long)set->run_id);
        ww_json_text(&j, "run_id", run_id);
    }
    ww_json_text(&j, "gpu", ww_arch_name(set->arch));
    ww_json_text(&j, "config_hash", hash);
    put_parameters(set->arch, &j);
    ww_json_array(&j, "launches");
    for (size_t i = 0; i < set->launch_count; i++) {
        WW_TRY(put_launch(set, &set->launches[i], &j, err));
    }
    ww_json_end(&j);
    ww_json_end(&j);
    return ww_json_finish(&j, err);
}

/* ---- the folder ---- */

typedef ww_status exporter(const ww_result_set *set, ww_str *out, ww_error *err);

static ww_status write_one(const ww_result_set *set, const char *dir, const char *name,
                           exporter *export, ww_error *err)
{
    ww_str text = {0};
    ww_arena arena = {0};
    char *path = ww_path_join(&arena, dir, name);
    ww_status status = path == NULL ? ww_no_memory(err) : export(set, &text, err);
    if (status == WW_OK) {
        status = ww_write_text(path, &text, err);
    }
    ww_arena_fini(&arena);
    ww_str_fini(&text);
    return status;
}

static bool has_intervals(const ww_result_set *set)
{
    for (size_t i = 0; i < set->launch_count; i++) {
        if (set->launches[i].interval_count > 0) {
            return true;
        }
    }
    return false;
}

ww_status ww_export_all(const ww_result_set *set, const char *dir, bool with_activity,
                        ww_error *err)
{
    WW_TRY(ww_make_dirs(dir, err));
    WW_TRY(write_one(set, dir, "kernels.csv", ww_export_kernels, err));
    WW_TRY(write_one(set, dir, "counters.csv", ww_export_counters, err));
    WW_TRY(write_one(set, dir, "run.json", ww_export_json, err));
    if (set->arch->mechs != 0) {
        WW_TRY(write_one(set, dir, "mechanisms.csv", ww_export_mechanisms, err));
    }
    if (set->model != NULL) {
        WW_TRY(write_one(set, dir, "power.csv", ww_export_power, err));
        WW_TRY(write_one(set, dir, "power.xml", ww_export_power_xml, err));
        WW_TRY(write_one(set, dir, "energy_events.csv", ww_export_events, err));
        WW_TRY(write_one(set, dir, "groups.csv", ww_export_groups, err));
        WW_TRY(write_one(set, dir, "uncertainty.csv", ww_export_uncertainty, err));
        WW_TRY(write_one(set, dir, "area.csv", ww_export_area, err));
        if (has_intervals(set)) {
            WW_TRY(write_one(set, dir, "trace.csv", ww_export_trace, err));
        }
    }
    if (with_activity) {
        ww_arena arena = {0};
        char *path = ww_path_join(&arena, dir, "activity.xml");
        ww_status status =
            path == NULL ? ww_no_memory(err)
                         : ww_activity_save(path, ww_arch_name(set->arch), set->arch->config_hash,
                                            set->launches, set->launch_count, err);
        ww_arena_fini(&arena);
        WW_TRY(status);
    }
    return WW_OK;
}
