/* export_csv.c - the CSV files of a result folder. */
#include <stdio.h>

#include "analysis/export.h"
#include "analysis/metrics.h"
#include "analysis/overlap.h"
#include "base/csv.h"

static void put_launch(ww_csv_writer *csv, const ww_launch_record *launch)
{
    ww_csv_put_text(csv, launch->workload);
    ww_csv_put_text(csv, launch->kernel);
    ww_csv_put_u64(csv, launch->launch_index);
}

static void head_launch(ww_csv_writer *csv)
{
    WW_CSV_HEAD(csv, {"workload", NULL}, {"kernel", NULL}, {"launch", NULL});
}

static void put_dim3(ww_csv_writer *csv, const uint32_t dim[3])
{
    char text[40];
    snprintf(text, sizeof text, "%ux%ux%u", dim[0], dim[1], dim[2]);
    ww_csv_put_text(csv, text);
}

static ww_status put_sampling(const ww_result_set *set, const ww_launch_record *launch,
                              ww_csv_writer *csv, ww_error *err)
{
    double cycles, energy;
    WW_TRY(ww_sampling_errors(set, launch, &cycles, &energy, err));
    WW_CSV_DOUBLES(csv, launch->sampling.share, cycles, energy);
    return WW_OK;
}

static void head_overlap(ww_csv_writer *csv)
{
    static const char *const names[] = {"copy_busy", "copy_hidden", "matrix_busy", "matrix_hidden",
                                        "sfu_busy",  "sfu_hidden",  "dram_busy"};
    for (size_t i = 0; i < WW_ARRAY_LEN(names); i++) {
        ww_csv_put_header(csv, names[i], "1");
    }
    ww_csv_put_header(csv, "producer_waits", NULL);
    ww_csv_put_header(csv, "consumer_waits", NULL);
}

/* Empty where a launch has no engines. */
static void put_overlap(const ww_counter_set *counters, ww_csv_writer *csv)
{
    const ww_overlap_shares s = ww_overlap_of(counters);
    const double values[] = {s.copy, s.copy_hidden, s.matrix, s.matrix_hidden,
                             s.sfu,  s.sfu_hidden,  s.dram};
    char text[160];
    for (size_t i = 0; i < WW_ARRAY_LEN(values); i++) {
        if (s.has) {
            ww_csv_put_double(csv, values[i]);
        } else {
            ww_csv_put_text(csv, "");
        }
    }
    ww_csv_put_text(csv, ww_overlap_waits(counters, false, text, sizeof text));
    ww_csv_put_text(csv, ww_overlap_waits(counters, true, text, sizeof text));
}

ww_status ww_export_kernels(const ww_result_set *set, ww_str *out, ww_error *err)
{
    ww_csv_writer csv;
    ww_csv_init(&csv, out);
    head_launch(&csv);
    WW_CSV_HEAD(&csv, {"grid", NULL}, {"block", NULL}, {"registers", "1/thread"},
                {"shared", "B/CTA"}, {"ctas_per_sm", "1"}, {"occupancy_limit", NULL},
                {"warp_instructions", "1"}, {"cycles", "cycle"}, {"time", "s"},
                {"extrapolated", "1"}, {"cycles_error", "1"}, {"energy_error", "1"});
#define X(field, name, unit, meaning) ww_csv_put_header(&csv, name, unit);
    WW_METRICS(X)
#undef X
    WW_CSV_HEAD(&csv, {"program_instructions", "1"}, {"cut", "1"}, {"size", NULL},
                {"stream", NULL});
    head_overlap(&csv);
    ww_csv_end_row(&csv);
    for (size_t i = 0; i < set->launch_count; i++) {
        const ww_launch_record *launch = &set->launches[i];
        ww_metrics metrics;
        char text[40];
        WW_TRY(ww_metrics_compute(launch->counters, &metrics, err));
        uint64_t cycles = ww_counter_total(launch->counters, WW_C_CORE_CYCLES);
        put_launch(&csv, launch);
        put_dim3(&csv, launch->grid);
        put_dim3(&csv, launch->block);
        ww_csv_put_u64(&csv, launch->registers);
        ww_csv_put_u64(&csv, launch->shared_bytes);
        ww_csv_put_u64(&csv, launch->ctas_per_sm);
        ww_csv_put_text(&csv, launch->occupancy_limit);
        ww_csv_put_u64(&csv, ww_counter_total(launch->counters, WW_C_INST_ISSUED));
        if (metrics.has_timing) {
            ww_csv_put_u64(&csv, cycles);
            ww_csv_put_double(&csv, (double)cycles / launch->core_hz);
        } else {
            ww_csv_put_text(&csv, "");
            ww_csv_put_text(&csv, "");
        }
        WW_TRY(put_sampling(set, launch, &csv, err));
        for (unsigned m = 0; m < WW_METRIC_COUNT; m++) {
            ww_csv_put_text(&csv, ww_metric_text(&metrics, m, text));
        }
        ww_csv_put_u64(&csv, ww_counter_total(launch->counters, WW_C_INST_PROGRAM));
        ww_csv_put_u64(&csv, ww_counter_total(launch->counters, WW_C_LAUNCHES_CUT));
        ww_csv_put_text(&csv, launch->size);
        ww_csv_put_u64(&csv, launch->stream);
        put_overlap(launch->counters, &csv);
        ww_csv_end_row(&csv);
    }
    return ww_csv_finish(&csv, err);
}

static void head_sureness(ww_csv_writer *csv)
{
    ww_csv_put_header(csv, "uncertainty", "W");
    for (int i = 0; i < WW_ORIGIN_COUNT; i++) {
        ww_csv_put_header(csv, ww_power_origin_name((ww_power_origin)i), "1");
    }
}

/* Standard uncertainty of a row's power, and of its joules the shares that are measured, fitted …
 */
static void put_sureness(const ww_result_set *set, const ww_power_groups *sum,
                         ww_component component, double time_s, ww_csv_writer *csv)
{
    ww_power_sureness s = ww_power_sure_of(set->model, sum, component);
    double total_j = 0;
    for (int i = 0; i < WW_ORIGIN_COUNT; i++) {
        total_j += s.origin_j[i];
    }
    ww_csv_put_double(csv, s.sigma_j / time_s);
    for (int i = 0; i < WW_ORIGIN_COUNT; i++) {
        ww_csv_put_double(csv, total_j > 0 ? s.origin_j[i] / total_j : 0);
    }
}

ww_status ww_export_power(const ww_result_set *set, ww_str *out, ww_error *err)
{
    ww_csv_writer csv;
    ww_csv_init(&csv, out);
    head_launch(&csv);
    WW_CSV_HEAD(&csv, {"component", NULL}, {"event_energy", "J"}, {"background_energy", "J"},
                {"leakage_energy", "J"}, {"dynamic_power", "W"}, {"total_power", "W"},
                {"share", "1"});
    head_sureness(&csv);
    ww_csv_end_row(&csv);
    for (size_t i = 0; i < set->launch_count; i++) {
        ww_power_result r;
        ww_power_groups groups = {0};
        WW_TRY(
            ww_power_evaluate(set->model, set->launches[i].counters, &set->launches[i], &r, err));
        ww_power_add_groups(set->model, set->launches[i].counters, &set->launches[i], &groups);
        for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
            if (!ww_power_has(set->model, (ww_component)c)) {
                continue;
            }
            put_launch(&csv, &set->launches[i]);
            ww_csv_put_text(&csv, ww_component_name((ww_component)c));
            WW_CSV_DOUBLES(&csv, r.component[c].event_j, r.component[c].background_j,
                           r.component[c].leakage_j, r.component[c].dynamic_w,
                           r.component[c].total_w, r.component[c].share);
            put_sureness(set, &groups, (ww_component)c, r.time_s, &csv);
            ww_csv_end_row(&csv);
        }
        put_launch(&csv, &set->launches[i]);
        ww_csv_put_text(&csv, "TOTAL");
        WW_CSV_DOUBLES(&csv, r.event_j, r.background_j, r.leakage_j, r.dynamic_w, r.total_w, 1);
        put_sureness(set, &groups, WW_COMPONENT_COUNT, r.time_s, &csv);
        ww_csv_end_row(&csv);
    }
    return ww_csv_finish(&csv, err);
}

static void put_group(const ww_power_model *model, ww_power_group group, ww_csv_writer *csv)
{
    ww_power_origin origin;
    double sigma = ww_power_group_sigma(model, group, &origin);
    ww_csv_put_text(csv, ww_power_origin_name(origin));
    ww_csv_put_double(csv, sigma);
    ww_csv_end_row(csv);
}

/* What values make of an event's energy, where bits were not compared. */
static bool is_assumed(const ww_power_event *e, const ww_counter_set *counters)
{
    return e->values && ww_counter_total(counters, e->counter[e->terms - 1]) == 0;
}

static void put_event(const ww_power_model *model, const ww_launch_record *launch,
                      const ww_power_event *e, const char *path, ww_csv_writer *csv)
{
    put_launch(csv, launch);
    ww_csv_put_text(csv, ww_component_name(e->component));
    ww_csv_put_text(csv, path);
    ww_csv_put_text(csv, e->name);
    ww_csv_put_text(csv, e->kind == WW_POWER_EVENT ? "event" : "background");
    ww_csv_put_double(csv, ww_power_event_count(e, launch->counters));
    if (e->per == WW_POWER_PER_COUNT) {
        ww_csv_put_double(csv, e->value * 1e12);
        ww_csv_put_text(csv, "");
    } else {
        ww_csv_put_text(csv, "");
        ww_csv_put_double(csv, e->value);
    }
    ww_csv_put_double(csv, e->factor);
    ww_csv_put_double(csv, ww_power_event_j(e, launch->counters, launch));
    ww_csv_put_text(csv, e->source);
    put_group(model, e->group, csv);
}

/* A structure leaks for as long as the launch takes: a count of core cycles, as with background. */
static void put_leakage(const ww_power_model *model, const ww_launch_record *launch,
                        const ww_power_structure *s, ww_csv_writer *csv)
{
    double cycles = (double)ww_counter_total(launch->counters, WW_C_CORE_CYCLES);
    put_launch(csv, launch);
    ww_csv_put_text(csv, ww_component_name(s->component));
    ww_csv_put_text(csv, s->path);
    ww_csv_put_text(csv, "leakage");
    ww_csv_put_text(csv, "leakage");
    ww_csv_put_double(csv, cycles);
    ww_csv_put_text(csv, "");
    WW_CSV_DOUBLES(csv, s->leakage_w, s->leakage_factor, ww_power_leakage_j(model, s, launch));
    ww_csv_put_text(csv, s->source);
    put_group(model, s->group, csv);
}

ww_status ww_export_events(const ww_result_set *set, ww_str *out, ww_error *err)
{
    static const char *const names[] = {"component", "structure", "event", "kind"};
    size_t event_count, structure_count;
    const ww_power_event *events = ww_power_events(set->model, &event_count);
    const ww_power_structure *structures = ww_power_structures(set->model, &structure_count);
    ww_csv_writer csv;
    ww_csv_init(&csv, out);
    head_launch(&csv);
    for (size_t i = 0; i < WW_ARRAY_LEN(names); i++) {
        ww_csv_put_header(&csv, names[i], NULL);
    }
    WW_CSV_HEAD(&csv, {"count", "1"}, {"energy_per_event", "pJ"}, {"power", "W"},
                {"calibration", "1"}, {"energy", "J"}, {"source", NULL}, {"origin", NULL},
                {"uncertainty", "1"});
    ww_csv_end_row(&csv);
    for (size_t i = 0; i < set->launch_count; i++) {
        for (size_t k = 0; k < event_count; k++) {
            if (!is_assumed(&events[k], set->launches[i].counters)) {
                put_event(set->model, &set->launches[i], &events[k],
                          structures[events[k].structure].path, &csv);
            }
        }
        for (size_t k = 0; k < structure_count; k++) {
            if (structures[k].leakage_w > 0) {
                put_leakage(set->model, &set->launches[i], &structures[k], &csv);
            }
        }
    }
    return ww_csv_finish(&csv, err);
}

/* Whether clocks or temperatures moved: columns that a trace has then. */
static bool any_varies(const ww_result_set *set)
{
    bool any = false;
    for (size_t i = 0; i < set->launch_count; i++) {
        any = any || ww_launch_varies(&set->launches[i]);
    }
    return any;
}

static void put_point(const ww_launch_record *launch, const ww_interval *interval,
                      ww_csv_writer *csv)
{
    bool own = interval->at.core_hz > 0;
    WW_CSV_DOUBLES(csv, ww_interval_hz(launch, interval), own ? interval->at.vdd_v : launch->vdd_v,
                   own ? interval->at.temperature_k : launch->temperature_k);
}

/* start_s: where the one before ended; moved on to where this one does. */
static ww_status put_interval(const ww_result_set *set, const ww_launch_record *launch,
                              const ww_interval *interval, double *start_s, ww_csv_writer *csv,
                              ww_error *err)
{
    ww_power_result r;
    WW_TRY(ww_power_evaluate_interval(set->model, launch, interval, &r, err));
    double end_s = (double)interval->last_cycle / launch->core_hz;
    if (ww_launch_varies(launch)) {
        end_s = *start_s +
                (double)(interval->last_cycle - interval->first_cycle) / interval->at.core_hz;
    }
    put_launch(csv, launch);
    ww_csv_put_double(csv, *start_s);
    ww_csv_put_double(csv, end_s);
    *start_s = end_s;
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        if (ww_power_has(set->model, (ww_component)c)) {
            ww_csv_put_double(csv, r.component[c].dynamic_w);
        }
    }
    ww_csv_put_double(csv, r.static_w);
    ww_csv_put_double(csv, r.total_w);
    if (any_varies(set)) {
        put_point(launch, interval, csv);
    }
    ww_csv_end_row(csv);
    return WW_OK;
}

ww_status ww_export_trace(const ww_result_set *set, ww_str *out, ww_error *err)
{
    ww_csv_writer csv;
    ww_csv_init(&csv, out);
    head_launch(&csv);
    ww_csv_put_header(&csv, "start", "s");
    ww_csv_put_header(&csv, "end", "s");
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        if (ww_power_has(set->model, (ww_component)c)) {
            ww_csv_put_header(&csv, ww_component_name((ww_component)c), "W");
        }
    }
    ww_csv_put_header(&csv, "static", "W");
    ww_csv_put_header(&csv, "total", "W");
    if (any_varies(set)) {
        WW_CSV_HEAD(&csv, {"core_clock", "Hz"}, {"voltage", "V"}, {"temperature", "K"});
    }
    ww_csv_end_row(&csv);
    for (size_t i = 0; i < set->launch_count; i++) {
        const ww_launch_record *launch = &set->launches[i];
        double start_s = 0;
        for (size_t k = 0; k < launch->interval_count; k++) {
            WW_TRY(put_interval(set, launch, &launch->intervals[k], &start_s, &csv, err));
        }
    }
    return ww_csv_finish(&csv, err);
}

ww_status ww_export_area(const ww_result_set *set, ww_str *out, ww_error *err)
{
    size_t count;
    const ww_power_structure *s = ww_power_structures(set->model, &count);
    ww_csv_writer csv;
    ww_csv_init(&csv, out);
    WW_CSV_HEAD(&csv, {"component", NULL}, {"structure", NULL}, {"instances", "1"}, {"kind", NULL},
                {"area", "mm2"}, {"leakage", "W"}, {"source", NULL});
    ww_csv_end_row(&csv);
    for (size_t i = 0; i < count; i++) {
        ww_csv_put_text(&csv, ww_component_name(s[i].component));
        ww_csv_put_text(&csv, s[i].path);
        ww_csv_put_u64(&csv, s[i].instances);
        ww_csv_put_text(&csv, ww_area_kind_name(s[i].area_kind));
        ww_csv_put_double(&csv, s[i].area_m2 * 1e6);
        ww_csv_put_double(&csv, s[i].leakage_w);
        ww_csv_put_text(&csv, s[i].source);
        ww_csv_end_row(&csv);
    }
    return ww_csv_finish(&csv, err);
}
