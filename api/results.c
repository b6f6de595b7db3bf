/* results.c - what launches came to, one by one or together. */
#include <math.h>
#include <string.h>

#include "analysis/export.h"
#include "analysis/metrics.h"
#include "analysis/result_folders.h"
#include "analysis/result_store.h"
#include "api/device.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/version.h"

/* The launches that an index means: [first, end). */
typedef struct span {
    size_t first, end;
} span;

static ww_status find_span(const warpwatt_device *d, size_t i, span *out, ww_error *err)
{
    if (i != WARPWATT_ALL && i >= d->launch_count) {
        return ww_fail(err, WW_ERANGE, "there is no launch %zu: %zu have results", i,
                       d->launch_count);
    }
    *out = i == WARPWATT_ALL ? (span){0, d->launch_count} : (span){i, i + 1};
    return WW_OK;
}

size_t warpwatt_result_count(const warpwatt_device *device)
{
    return device->launch_count;
}

void warpwatt_result_clear(warpwatt_device *device)
{
    ww_launch_records_destroy(device->launches, device->launch_count);
    device->launches = NULL;
    device->launch_count = 0;
    device->interval_bytes = 0;
}

/* ---- power ---- */

static void add(ww_power_result *to, const ww_power_result *from)
{
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        to->component[c].event_j += from->component[c].event_j;
        to->component[c].background_j += from->component[c].background_j;
        to->component[c].leakage_j += from->component[c].leakage_j;
    }
    to->time_s += from->time_s;
    to->event_j += from->event_j;
    to->background_j += from->background_j;
    to->leakage_j += from->leakage_j;
    to->total_j += from->total_j;
}

/* Powers of summed joules and seconds. */
static void divide(ww_power_result *r)
{
    double dynamic_j = r->event_j + r->background_j;
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        ww_power_share *s = &r->component[c];
        double j = s->event_j + s->background_j;
        s->dynamic_w = j / r->time_s;
        s->total_w = (j + s->leakage_j) / r->time_s;
        s->share = dynamic_j > 0 ? j / dynamic_j : 0;
    }
    r->dynamic_w = dynamic_j / r->time_s;
    r->static_w = r->leakage_j / r->time_s;
    r->total_w = r->total_j / r->time_s;
}

static double sigma_of(const warpwatt_device *d, const ww_power_groups *groups)
{
    double j[WW_GROUP_COUNT] = {0};
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        for (int g = 0; g < WW_GROUP_COUNT; g++) {
            j[g] += groups->j[c][g];
        }
    }
    return ww_power_sure(d->model, j).sigma_j;
}

/* One launch has the numbers of power.csv to the last bit; of several, joules and seconds add. */
static ww_status evaluate(const warpwatt_device *d, span s, ww_power_result *sum, double *sigma_j,
                          ww_error *err)
{
    ww_power_groups groups = {0};
    *sum = (ww_power_result){0};
    for (size_t i = s.first; i < s.end; i++) {
        const ww_launch_record *launch = &d->launches[i];
        ww_power_result one;
        WW_TRY(ww_power_evaluate(d->model, launch->counters, launch, &one, err));
        ww_power_add_groups(d->model, launch->counters, launch, &groups);
        if (s.end - s.first == 1) {
            *sum = one;
        } else {
            add(sum, &one);
        }
    }
    if (s.end - s.first > 1) {
        divide(sum);
    }
    *sigma_j = sigma_of(d, &groups);
    return WW_OK;
}

static ww_status power_at(const warpwatt_device *d, size_t i, size_t component, warpwatt_power *out,
                          ww_error *err)
{
    span s = {0};
    ww_power_result sum;
    double sigma_j;
    WW_TRY(find_span(d, i, &s, err));
    if (component >= WW_COMPONENT_COUNT) {
        return ww_fail(err, WW_ERANGE, "there is no component %zu", component);
    }
    if (d->model == NULL) {
        return ww_fail(err, WW_EUSAGE, "a functional device has no power");
    }
    WW_TRY(evaluate(d, s, &sum, &sigma_j, err));
    const ww_power_share *p = &sum.component[component];
    *out = (warpwatt_power){p->event_j,   p->background_j, p->leakage_j,
                            p->dynamic_w, p->total_w,      p->share};
    return WW_OK;
}

warpwatt_status warpwatt_power_at(const warpwatt_device *device, size_t i, size_t component,
                                  warpwatt_power *out, warpwatt_error *err)
{
    ww_error inner = {0};
    return ww__api_status(power_at(device, i, component, out, &inner), &inner, err);
}

warpwatt_status warpwatt_chip(const warpwatt_device *device, double *area_m2, double *static_w,
                              warpwatt_error *err)
{
    ww_error inner = {0};
    if (device->model == NULL) {
        return ww__api_status(ww_fail(&inner, WW_EUSAGE, "a functional device has no power model"),
                              &inner, err);
    }
    if (area_m2 != NULL) {
        *area_m2 = ww_power_modelled_m2(device->model);
    }
    if (static_w != NULL) {
        *static_w = ww_power_static_w(device->model);
    }
    return WARPWATT_OK;
}

/* ---- results ---- */

static void describe(const ww_launch_record *launch, warpwatt_result *r)
{
    r->kernel = launch->kernel;
    r->workload = launch->workload;
    memcpy(r->grid, launch->grid, sizeof r->grid);
    memcpy(r->block, launch->block, sizeof r->block);
    r->registers = launch->registers;
    r->shared_bytes = launch->shared_bytes;
    r->ctas_per_sm = launch->ctas_per_sm;
}

static ww_status result_of(const warpwatt_device *d, size_t i, warpwatt_result *r, ww_error *err)
{
    span s = {0};
    WW_TRY(find_span(d, i, &s, err));
    r->kernel = r->workload = "";
    if (i != WARPWATT_ALL) {
        describe(&d->launches[i], r);
    }
    for (size_t k = s.first; k < s.end; k++) {
        r->cycles += ww_counter_total(d->launches[k].counters, WW_C_CORE_CYCLES);
        r->warp_instructions += ww_counter_total(d->launches[k].counters, WW_C_INST_ISSUED);
    }
    if (d->model == NULL) {
        return WW_OK;
    }
    ww_power_result sum;
    WW_TRY(evaluate(d, s, &sum, &r->uncertainty_j, err));
    r->time_s = sum.time_s;
    r->energy_j = sum.total_j;
    r->dynamic_w = sum.dynamic_w;
    r->static_w = sum.static_w;
    r->total_w = sum.total_w;
    return WW_OK;
}

warpwatt_status warpwatt_result_at(const warpwatt_device *device, size_t i, warpwatt_result *out,
                                   warpwatt_error *err)
{
    ww_error inner = {0};
    warpwatt_result result = {.size = out->size};
    ww_status status =
        out->size >= sizeof out->size && out->size <= sizeof result
            ? result_of(device, i, &result, &inner)
            : ww_fail(&inner, WW_EUSAGE, "result.size is %zu; it must be sizeof(warpwatt_result)",
                      out->size);
    if (status == WW_OK) {
        memcpy(out, &result, out->size);
    }
    return ww__api_status(status, &inner, err);
}

/* ---- counters and metrics ---- */

static ww_status counter_at(const warpwatt_device *d, size_t i, const char *name, uint64_t *out,
                            ww_error *err)
{
    span s = {0};
    ww_counter counter = ww_counter_find(name);
    WW_TRY(find_span(d, i, &s, err));
    if (counter == WW_COUNTER_COUNT) {
        return ww_fail(err, WW_ENOTFOUND, "there is no counter '%s'", name);
    }
    *out = 0;
    for (size_t k = s.first; k < s.end; k++) {
        *out += ww_counter_total(d->launches[k].counters, counter);
    }
    return WW_OK;
}

warpwatt_status warpwatt_counter_at(const warpwatt_device *device, size_t i, const char *name,
                                    uint64_t *out, warpwatt_error *err)
{
    ww_error inner = {0};
    return ww__api_status(counter_at(device, i, name, out, &inner), &inner, err);
}

/* Counters of several launches, to be released. */
static ww_status sum_counters(const warpwatt_device *d, span s, ww_counter_set *sum, ww_error *err)
{
    const ww_counter_set *first = d->launches[s.first].counters;
    WW_TRY(ww_counter_set_init(sum, first->count[WW_SCOPE_SM], first->count[WW_SCOPE_SLICE],
                               first->count[WW_SCOPE_CHANNEL], err));
    for (size_t k = s.first; k < s.end; k++) {
        ww_status status = ww_counter_set_add(sum, d->launches[k].counters, err);
        if (status != WW_OK) {
            ww_counter_set_fini(sum);
            return status;
        }
    }
    return WW_OK;
}

static ww_status metric_at(const warpwatt_device *d, size_t i, size_t metric, double *out,
                           ww_error *err)
{
    span s = {0};
    ww_metrics metrics;
    ww_counter_set sum;
    WW_TRY(find_span(d, i, &s, err));
    if (metric >= WW_METRIC_COUNT) {
        return ww_fail(err, WW_ERANGE, "there is no metric %zu", metric);
    }
    *out = NAN;
    if (s.first == s.end) {
        return WW_OK;
    }
    WW_TRY(sum_counters(d, s, &sum, err));
    ww_status status = ww_metrics_compute(&sum, &metrics, err);
    ww_counter_set_fini(&sum);
    if (status == WW_OK && !ww_metric_value(&metrics, (unsigned)metric, out)) {
        *out = NAN;
    }
    return status;
}

warpwatt_status warpwatt_metric_at(const warpwatt_device *device, size_t i, size_t metric,
                                   double *out, warpwatt_error *err)
{
    ww_error inner = {0};
    return ww__api_status(metric_at(device, i, metric, out, &inner), &inner, err);
}

/* ---- files ---- */

/* What the results follow from: version, machine, and what the launches counted. */
static uint64_t name_run(const warpwatt_device *d)
{
    uint64_t id = ww_hash_bytes(WW_HASH_INIT, WW_VERSION, strlen(WW_VERSION));
    id = ww_hash_bytes(id, &d->arch->config_hash, sizeof d->arch->config_hash);
    for (size_t i = 0; i < d->launch_count; i++) {
        const ww_launch_record *launch = &d->launches[i];
        id = ww_hash_bytes(id, launch->kernel, strlen(launch->kernel) + 1);
        for (int scope = 0; scope < WW_SCOPE_COUNT; scope++) {
            id = ww_hash_bytes(id, launch->counters->block[scope],
                               launch->counters->count[scope] * sizeof(ww_counter_block));
        }
    }
    return id;
}

static ww_status export(const warpwatt_device *d, const char *dir, bool replace, ww_error *err)
{
    if (d->launch_count == 0) {
        return ww_fail(err, WW_EUSAGE, "no launch has results to export");
    }
    const ww_result_set set = {.arch = d->arch,
                               .model = d->model,
                               .launches = d->launches,
                               .launch_count = d->launch_count,
                               .version = WW_VERSION,
                               .command = "warpwatt_export",
                               .run_id = name_run(d)};
    if (!replace && ww_result_exists(dir)) {
        return ww_fail(err, WW_EIO,
                       "%s holds a result already; ask to replace it, or give another folder", dir);
    }
    ww_result_store store;
    ww_held held;
    ww_signals_hold(&held); /* the folder aside is not left behind */
    ww_status status = ww_result_begin(&store, dir, replace, err);
    if (status == WW_OK) {
        status = ww_export_all(&set, store.aside, d->model != NULL, err);
        status = status == WW_OK ? ww_result_publish(&store, set.run_id, err) : status;
        ww_result_drop(&store);
    }
    ww_signals_release(&held);
    return status;
}

warpwatt_status warpwatt_export(const warpwatt_device *device, const char *dir, int replace,
                                warpwatt_error *err)
{
    ww_error inner = {0};
    return ww__api_status(export(device, dir, replace != 0, &inner), &inner, err);
}

static ww_status check(const char *dir, ww_error *err)
{
    if (!ww_result_exists(dir)) {
        return ww_fail(err, WW_ENOTFOUND, "%s holds no result", dir);
    }
    if (ww_result_is_incomplete(dir)) {
        return ww_fail(err, WW_EUSAGE, "%s is incomplete: its run was interrupted", dir);
    }
    return ww_result_check(dir, err);
}

warpwatt_status warpwatt_result_check(const char *dir, warpwatt_error *err)
{
    ww_error inner = {0};
    return ww__api_status(check(dir, &inner), &inner, err);
}
