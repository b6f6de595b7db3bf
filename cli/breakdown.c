/* breakdown.c - the tables that tell where the energy went. */
#include "cli/breakdown.h"

#include <string.h>

#include "analysis/metrics.h"
#include "base/mem.h"
#include "cli/table.h"

/* Launches of one kernel of one workload, summed. */
typedef struct kernel_sum {
    const ww_launch_record *first;
    size_t launches;
    ww_counter_set counters;
    double time_s, energy_j, dynamic_w, static_w;
    double component_j[WW_COMPONENT_COUNT]; /* event and background */
} kernel_sum;

typedef struct kernel_list {
    kernel_sum *item;
    size_t count;
} kernel_list;

static void kernels_fini(kernel_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        ww_counter_set_fini(&list->item[i].counters);
    }
    ww_free(list->item);
}

static kernel_sum *find_kernel(kernel_list *list, const ww_launch_record *launch)
{
    for (size_t i = 0; i < list->count; i++) {
        const ww_launch_record *first = list->item[i].first;
        if (strcmp(first->kernel, launch->kernel) == 0 &&
            strcmp(first->workload, launch->workload) == 0) {
            return &list->item[i];
        }
    }
    return NULL;
}

static ww_status add_power(kernel_sum *k, const ww_result_set *set, const ww_launch_record *launch,
                           ww_error *err)
{
    ww_power_result r;
    WW_TRY(ww_power_evaluate(set->model, launch->counters, launch, &r, err));
    k->time_s += r.time_s;
    k->energy_j += r.total_j;
    k->static_w = r.static_w;
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        k->component_j[c] += r.component[c].event_j + r.component[c].background_j;
    }
    return WW_OK;
}

static ww_status sum_kernels(const ww_result_set *set, kernel_list *list, ww_error *err)
{
    list->item = WW_NEW_ARRAY(kernel_sum, set->launch_count);
    if (list->item == NULL) {
        return ww_fail(err, WW_ENOMEM, "out of memory");
    }
    for (size_t i = 0; i < set->launch_count; i++) {
        const ww_launch_record *launch = &set->launches[i];
        kernel_sum *k = find_kernel(list, launch);
        if (k == NULL) {
            k = &list->item[list->count];
            k->first = launch;
            WW_TRY(ww_counter_set_init(&k->counters, launch->counters->count[WW_SCOPE_SM],
                                       launch->counters->count[WW_SCOPE_SLICE],
                                       launch->counters->count[WW_SCOPE_CHANNEL], err));
            list->count++;
        }
        k->launches++;
        WW_TRY(ww_counter_set_add(&k->counters, launch->counters, err));
        if (set->model != NULL) {
            WW_TRY(add_power(k, set, launch, err));
        }
    }
    return WW_OK;
}

static ww_status print_kernels(const kernel_list *list, bool json, ww_error *err)
{
    ww_table t;
    ww_table_init(&t, "kernels");
    const char *const head[] = {"workload",  "kernel",   "launches", "time_us",
                                "dynamic_w", "static_w", "total_w",  "energy_uj"};
    ww_table_heads(&t, head, WW_ARRAY_LEN(head));
    for (size_t i = 0; i < list->count; i++) {
        const kernel_sum *k = &list->item[i];
        double dynamic_j = 0;
        for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
            dynamic_j += k->component_j[c];
        }
        ww_table_text(&t, k->first->workload);
        ww_table_text(&t, k->first->kernel);
        ww_table_count(&t, k->launches);
        ww_table_number(&t, k->time_s * 1e6, 1);
        ww_table_number(&t, dynamic_j / k->time_s, 1);
        ww_table_number(&t, k->static_w, 1);
        ww_table_number(&t, k->energy_j / k->time_s, 1);
        ww_table_number(&t, k->energy_j * 1e6, 1);
    }
    ww_status status = ww_table_print(&t, json, stdout, err);
    ww_table_fini(&t);
    return status;
}

static void bar(double share, char *out, size_t size)
{
    size_t blocks = (size_t)(share * 40 + 0.5), n = 0;
    for (; blocks > 0 && n + 4 < size; blocks--) {
        memcpy(out + n, "\xe2\x96\x88", 3); /* full block */
        n += 3;
    }
    out[n] = '\0';
}

static void component_row(ww_table *t, const char *name, double energy_j, double time_s,
                          double total_j, bool json, const char *meaning)
{
    char blocks[160];
    ww_table_text(t, name);
    ww_table_number(t, energy_j * 1e6, 2);
    ww_table_number(t, energy_j / time_s, 2);
    ww_table_number(t, 100 * energy_j / total_j, 1);
    if (!json) {
        bar(strcmp(name, "total") == 0 ? 0 : energy_j / total_j, blocks, sizeof blocks);
        ww_table_text(t, blocks);
    }
    ww_table_text(t, meaning);
}

static ww_status print_components(const ww_result_set *set, const kernel_list *list, bool json,
                                  ww_error *err)
{
    double energy[WW_COMPONENT_COUNT] = {0}, time_s = 0, total_j = 0, static_j;
    for (size_t i = 0; i < list->count; i++) {
        time_s += list->item[i].time_s;
        total_j += list->item[i].energy_j;
        for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
            energy[c] += list->item[i].component_j[c];
        }
    }
    static_j = total_j;
    ww_table t;
    ww_table_init(&t, "components");
    ww_table_head(&t, "component");
    ww_table_head(&t, "energy_uj");
    ww_table_head(&t, "power_w");
    ww_table_head(&t, "percent");
    if (!json) {
        ww_table_head(&t, "");
    }
    ww_table_head(&t, "meaning");
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        if (!ww_power_has(set->model, (ww_component)c)) {
            continue;
        }
        static_j -= energy[c];
        component_row(&t, ww_component_name((ww_component)c), energy[c], time_s, total_j, json,
                      ww_component_meaning((ww_component)c));
    }
    component_row(&t, "static", static_j, time_s, total_j, json, "leakage of the whole die");
    component_row(&t, "total", total_j, time_s, total_j, json, "");
    ww_status status = ww_table_print(&t, json, stdout, err);
    ww_table_fini(&t);
    return status;
}

ww_status ww_print_breakdown(const ww_result_set *set, bool json, ww_error *err)
{
    kernel_list list = {0};
    ww_status status = sum_kernels(set, &list, err);
    if (status == WW_OK && list.count == 0) {
        status = ww_fail(err, WW_ENUMERIC, "no kernel was launched");
    }
    if (status == WW_OK && !json) {
        status = print_kernels(&list, json, err);
        printf("\n");
    }
    if (status == WW_OK) {
        status = print_components(set, &list, json, err);
    }
    kernels_fini(&list);
    return status;
}

/* What a table of kernels ends with: it is printed when filling it went well, and released. */
static ww_status print_and_free(ww_table *t, kernel_list *list, ww_status status, bool json,
                                ww_error *err)
{
    if (status == WW_OK) {
        status = ww_table_print(t, json, stdout, err);
    }
    ww_table_fini(t);
    kernels_fini(list);
    return status;
}

ww_status ww_print_metrics(const ww_result_set *set, bool json, ww_error *err)
{
    kernel_list list = {0};
    ww_table t;
    ww_table_init(&t, "metrics");
    ww_table_head(&t, "workload");
    ww_table_head(&t, "kernel");
    ww_table_head(&t, "launches");
#define X(field, name, unit, meaning) ww_table_head(&t, name);
    WW_METRICS(X)
#undef X
    ww_status status = sum_kernels(set, &list, err);
    for (size_t i = 0; status == WW_OK && i < list.count; i++) {
        ww_metrics metrics;
        status = ww_metrics_compute(&list.item[i].counters, &metrics, err);
        ww_table_text(&t, list.item[i].first->workload);
        ww_table_text(&t, list.item[i].first->kernel);
        ww_table_count(&t, list.item[i].launches);
        for (unsigned m = 0; m < WW_METRIC_COUNT && status == WW_OK; m++) {
            double value;
            if (ww_metric_value(&metrics, m, &value)) {
                ww_table_number(&t, value, m == WW_METRIC_ipc ? 1 : 2);
            } else {
                ww_table_text(&t, "-");
            }
        }
    }
    return print_and_free(&t, &list, status, json, err);
}

/* ---- stalls ---- */

static const struct {
    const char *name; /* column */
    ww_counter counter;
} slot_uses[] = {
    {"issued %", WW_C_SLOTS_ISSUED},       {"raw_long %", WW_C_STALL_RAW_LONG},
    {"raw_short %", WW_C_STALL_RAW_SHORT}, {"lsu_full %", WW_C_STALL_LSU},
    {"sp_full %", WW_C_STALL_SP},          {"sfu_full %", WW_C_STALL_SFU},
    {"ibuffer_empty %", WW_C_STALL_IBUF},  {"barrier %", WW_C_STALL_BARRIER},
    {"no_warp %", WW_C_STALL_IDLE},
};

ww_status ww_print_stalls(const ww_result_set *set, bool json, ww_error *err)
{
    kernel_list list = {0};
    ww_table t;
    ww_table_init(&t, "stalls");
    ww_table_head(&t, "workload");
    ww_table_head(&t, "kernel");
    ww_table_head(&t, "slots");
    for (size_t k = 0; k < WW_ARRAY_LEN(slot_uses); k++) {
        ww_table_head(&t, slot_uses[k].name);
    }
    ww_status status = sum_kernels(set, &list, err);
    for (size_t i = 0; status == WW_OK && i < list.count; i++) {
        const ww_counter_set *counters = &list.item[i].counters;
        uint64_t slots = ww_counter_total(counters, WW_C_SLOTS);
        ww_table_text(&t, list.item[i].first->workload);
        ww_table_text(&t, list.item[i].first->kernel);
        ww_table_count(&t, slots);
        for (size_t k = 0; k < WW_ARRAY_LEN(slot_uses); k++) {
            if (slots > 0) {
                ww_table_number(&t,
                                100.0 * (double)ww_counter_total(counters, slot_uses[k].counter) /
                                    (double)slots,
                                1);
            } else {
                ww_table_text(&t, "-");
            }
        }
    }
    return print_and_free(&t, &list, status, json, err);
}
