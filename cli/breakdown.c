/* breakdown.c - the tables that tell where the energy went. */
#define _GNU_SOURCE /* strcasestr */
#include "cli/breakdown.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/metrics.h"
#include "analysis/table.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/mem.h"

/* Launches of one kernel of one workload, summed. */
typedef struct kernel_sum {
    const char *workload, *kernel;
    size_t launches;
    ww_counter_set counters;
    double time_s, energy_j, static_j;
    double component_j[WW_COMPONENT_COUNT]; /* event and background */
    /* Standard uncertainties. They rest on the same factors in every launch, so that they add like
     * the energies. */
    double sigma_j, component_sigma_j[WW_COMPONENT_COUNT];
    double repeated_w, repeated_sigma_w; /* 0: not known, or no longer than their overhead */
    ww_power_repeated repeated;
} kernel_sum;

typedef struct kernel_list {
    ww_arena arena; /* names that come from files */
    kernel_sum *item;
    size_t count;
    bool present[WW_COMPONENT_COUNT];
} kernel_list;

static void kernels_fini(kernel_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        ww_counter_set_fini(&list->item[i].counters);
    }
    ww_free(list->item);
    ww_arena_fini(&list->arena);
}

/* The kernel among those from the given one on; NULL when there is none. */
static kernel_sum *find_kernel(kernel_list *list, size_t from, const char *workload,
                               const char *kernel)
{
    for (size_t i = from; i < list->count; i++) {
        if (strcmp(list->item[i].kernel, kernel) == 0 &&
            strcmp(list->item[i].workload, workload) == 0) {
            return &list->item[i];
        }
    }
    return NULL;
}

/* Room for that many kernels more. */
static ww_status make_room(kernel_list *list, size_t more, ww_error *err)
{
    kernel_sum *grown = ww_realloc_array(list->item, list->count + more + 1, sizeof *grown);
    if (grown == NULL) {
        return ww_no_memory(err);
    }
    list->item = grown;
    return WW_OK;
}

static ww_status add_power(kernel_sum *k, const ww_result_set *set, const ww_launch_record *launch,
                           ww_error *err)
{
    ww_power_result r;
    WW_TRY(ww_power_evaluate(set->model, launch->counters, launch, &r, err));
    k->time_s += r.time_s;
    k->energy_j += r.total_j;
    k->static_j += r.static_w * r.time_s;
    ww_power_groups groups = {0};
    ww_power_add_groups(set->model, launch->counters, launch, &groups);
    k->sigma_j += ww_power_sure_of(set->model, &groups, WW_COMPONENT_COUNT).sigma_j;
    if (set->arch != NULL) {
        WW_TRY(ww_power_repeat(set->model, set->arch, launch, &k->repeated, err));
        (void)ww_power_repeated_w(set->model, set->arch, &k->repeated, &k->repeated_w,
                                  &k->repeated_sigma_w);
    }
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        k->component_j[c] += r.component[c].event_j + r.component[c].background_j;
        k->component_sigma_j[c] += ww_power_sure_of(set->model, &groups, (ww_component)c).sigma_j;
    }
    return WW_OK;
}

/* Appends the kernels of a set, launches summed. */
static ww_status sum_kernels(const ww_result_set *set, kernel_list *list, ww_error *err)
{
    const size_t from = list->count;
    WW_TRY(make_room(list, set->launch_count, err));
    for (int c = 0; c < WW_COMPONENT_COUNT && set->model != NULL; c++) {
        list->present[c] = ww_power_has(set->model, (ww_component)c);
    }
    for (size_t i = 0; i < set->launch_count; i++) {
        const ww_launch_record *launch = &set->launches[i];
        kernel_sum *k = find_kernel(list, from, launch->workload, launch->kernel);
        if (k == NULL) {
            kernel_sum fresh = {.workload = launch->workload, .kernel = launch->kernel};
            WW_TRY(ww_counter_set_init(&fresh.counters, launch->counters->count[WW_SCOPE_SM],
                                       launch->counters->count[WW_SCOPE_SLICE],
                                       launch->counters->count[WW_SCOPE_CHANNEL], err));
            k = &list->item[list->count++];
            *k = fresh;
        }
        k->launches++;
        WW_TRY(ww_counter_set_add(&k->counters, launch->counters, err));
        if (set->model != NULL) {
            WW_TRY(add_power(k, set, launch, err));
        }
    }
    return WW_OK;
}

/* ---- what a result folder says ---- */

enum { MOST_COLUMNS = 7 };

typedef struct table {
    ww_csv *csv;
    size_t column[MOST_COLUMNS]; /* workload and kernel first */
} table;

static ww_status open_table(ww_arena *arena, const char *dir, const char *file,
                            const char *const *names, size_t count, table *t, ww_error *err)
{
    const char *path = ww_path_join(arena, dir, file);
    if (path == NULL) {
        return ww_no_memory(err);
    }
    WW_TRY(ww_csv_load(path, &t->csv, err));
    for (size_t i = 0; i < count; i++) {
        WW_TRY(ww_csv_find(t->csv, names[i], &t->column[i], err));
    }
    return WW_OK;
}

static kernel_sum *kernel_of_row(kernel_list *list, size_t from, const table *t, size_t row)
{
    return find_kernel(list, from, ww_csv_text(t->csv, row, t->column[0]),
                       ww_csv_text(t->csv, row, t->column[1]));
}

static ww_status add_launches(kernel_list *list, size_t from, const table *t, ww_error *err)
{
    WW_TRY(make_room(list, ww_csv_rows(t->csv), err));
    for (size_t row = 0; row < ww_csv_rows(t->csv); row++) {
        double time_s;
        kernel_sum *k = kernel_of_row(list, from, t, row);
        WW_TRY(ww_csv_double(t->csv, row, t->column[2], &time_s, err));
        if (k == NULL) {
            const char *workload = ww_csv_text(t->csv, row, t->column[0]);
            const char *kernel = ww_csv_text(t->csv, row, t->column[1]);
            k = &list->item[list->count];
            *k =
                (kernel_sum){.workload = ww_arena_strndup(&list->arena, workload, strlen(workload)),
                             .kernel = ww_arena_strndup(&list->arena, kernel, strlen(kernel))};
            if (k->workload == NULL || k->kernel == NULL) {
                return ww_no_memory(err);
            }
            list->count++;
        }
        k->launches++;
        k->time_s += time_s;
    }
    return WW_OK;
}

static ww_status add_energies(kernel_list *list, size_t from, const table *t, ww_error *err)
{
    for (size_t row = 0; row < ww_csv_rows(t->csv); row++) {
        const char *component = ww_csv_text(t->csv, row, t->column[2]);
        kernel_sum *k = kernel_of_row(list, from, t, row);
        double event_j, background_j, leakage_j, total_w, sigma_w;
        if (k == NULL) {
            return ww_csv_fail(t->csv, row, t->column[1], err, WW_ENOTFOUND,
                               "no launch of this kernel is in kernels.csv");
        }
        WW_TRY(ww_csv_double(t->csv, row, t->column[3], &event_j, err));
        WW_TRY(ww_csv_double(t->csv, row, t->column[3] + 1, &background_j, err));
        WW_TRY(ww_csv_double(t->csv, row, t->column[4], &leakage_j, err));
        WW_TRY(ww_csv_double(t->csv, row, t->column[5], &total_w, err));
        WW_TRY(ww_csv_double(t->csv, row, t->column[6], &sigma_w, err));
        double row_j = event_j + background_j + leakage_j;
        double sigma_j = total_w > 0 ? sigma_w * row_j / total_w : 0;
        if (strcmp(component, "TOTAL") == 0) {
            k->sigma_j += sigma_j;
            continue;
        }
        for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
            if (strcmp(component, ww_component_name((ww_component)c)) == 0) {
                list->present[c] = true;
                k->component_j[c] += event_j + background_j;
                k->component_sigma_j[c] += sigma_j;
            }
        }
        k->energy_j += row_j;
        k->static_j += leakage_j;
    }
    return WW_OK;
}

/* Appends the kernels of a result folder with the energies that its run found. */
static ww_status read_kernels(kernel_list *list, const char *dir, ww_error *err)
{
    static const char *const of_kernels[] = {"workload", "kernel", "time"};
    static const char *const of_power[] = {"workload",     "kernel",         "component",
                                           "event_energy", "leakage_energy", "total_power",
                                           "uncertainty"};
    ww_arena arena = {0};
    table kernels = {0}, power = {0};
    const size_t from = list->count;
    ww_status status =
        open_table(&arena, dir, "kernels.csv", of_kernels, WW_ARRAY_LEN(of_kernels), &kernels, err);
    status = status == WW_OK ? open_table(&arena, dir, "power.csv", of_power,
                                          WW_ARRAY_LEN(of_power), &power, err)
                             : status;
    status = status == WW_OK ? add_launches(list, from, &kernels, err) : status;
    status = status == WW_OK ? add_energies(list, from, &power, err) : status;
    ww_csv_destroy(kernels.csv);
    ww_csv_destroy(power.csv);
    ww_arena_fini(&arena);
    return status;
}

/* ---- breakdown ---- */

static void put_repeated(ww_table *t, double w)
{
    if (w > 0) {
        ww_table_number(t, w, 1);
    } else {
        ww_table_text(t, "");
    }
}

static ww_status print_kernels(const kernel_list *list, bool json, ww_error *err)
{
    ww_table t;
    ww_table_init(&t, "kernels");
    const char *const head[] = {"workload",  "kernel",     "launches", "time_us",
                                "dynamic_w", "static_w",   "total_w",  "plus_minus_w",
                                "energy_uj", "repeated_w", "+-"};
    ww_table_heads(&t, head, WW_ARRAY_LEN(head));
    for (size_t i = 0; i < list->count; i++) {
        const kernel_sum *k = &list->item[i];
        double dynamic_j = 0;
        for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
            dynamic_j += k->component_j[c];
        }
        ww_table_text(&t, k->workload);
        ww_table_kernel(&t, k->kernel);
        ww_table_count(&t, k->launches);
        ww_table_number(&t, k->time_s * 1e6, 1);
        ww_table_number(&t, dynamic_j / k->time_s, 1);
        ww_table_number(&t, k->static_j / k->time_s, 1);
        ww_table_number(&t, k->energy_j / k->time_s, 1);
        ww_table_number(&t, k->sigma_j / k->time_s, 1);
        ww_table_number(&t, k->energy_j * 1e6, 1);
        put_repeated(&t, k->repeated_w);
        put_repeated(&t, k->repeated_sigma_w);
    }
    ww_status status = ww_table_print(&t, json, stdout, err);
    ww_table_fini(&t);
    return status;
}

/* Whether the locale's characters are UTF-8, by the variables that say so, in their order. */
static bool shows_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *value = NULL;
    for (size_t i = 0; i < WW_ARRAY_LEN(names) && (value == NULL || *value == '\0'); i++) {
        value = getenv(names[i]);
    }
    return value != NULL &&
           (strcasestr(value, "utf-8") != NULL || strcasestr(value, "utf8") != NULL);
}

static void bar(double share, char *out, size_t size)
{
    const char *block = shows_utf8() ? "\xe2\x96\x88" /* full block */ : "#";
    size_t blocks = (size_t)(share * 40 + 0.5), n = 0, bytes = strlen(block);
    for (; blocks > 0 && n + bytes < size; blocks--) {
        memcpy(out + n, block, bytes);
        n += bytes;
    }
    out[n] = '\0';
}

static void component_row(ww_table *t, const char *name, double energy_j, double sigma_j,
                          double time_s, double total_j, bool json, const char *meaning)
{
    char blocks[160];
    ww_table_text(t, name);
    ww_table_number(t, energy_j * 1e6, 2);
    ww_table_number(t, energy_j / time_s, 2);
    if (sigma_j > 0) {
        ww_table_number(t, sigma_j / time_s, 2);
    } else {
        ww_table_text(t, "");
    }
    ww_table_number(t, 100 * energy_j / total_j, 1);
    if (!json) {
        bar(strcmp(name, "total") == 0 ? 0 : energy_j / total_j, blocks, sizeof blocks);
        ww_table_text(t, blocks);
    }
    ww_table_text(t, meaning);
}

/* As JSON: one document of both tables. */
static ww_status print_with(ww_table *t, const ww_table *more, bool json, ww_error *err)
{
    if (!json || more == NULL) {
        return ww_table_print(t, json, stdout, err);
    }
    ww_str text = {0};
    ww_json out;
    ww_json_init(&out, &text, 2);
    ww_json_object(&out, NULL);
    ww_table_put_json(t, &out);
    ww_table_put_json(more, &out);
    ww_json_end(&out);
    return ww_json_print(&out, &text, stdout, err);
}

static ww_status print_components(const kernel_list *list, const ww_table *more, bool json,
                                  ww_error *err)
{
    double energy[WW_COMPONENT_COUNT] = {0}, sigma[WW_COMPONENT_COUNT] = {0};
    double time_s = 0, total_j = 0, sigma_j = 0, static_j;
    for (size_t i = 0; i < list->count; i++) {
        time_s += list->item[i].time_s;
        total_j += list->item[i].energy_j;
        sigma_j += list->item[i].sigma_j;
        for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
            energy[c] += list->item[i].component_j[c];
            sigma[c] += list->item[i].component_sigma_j[c];
        }
    }
    static_j = total_j;
    ww_table t;
    ww_table_init(&t, "components");
    ww_table_head(&t, "component");
    ww_table_head(&t, "energy_uj");
    ww_table_head(&t, "power_w");
    ww_table_head(&t, "plus_minus_w");
    ww_table_head(&t, "percent");
    if (!json) {
        ww_table_head(&t, "");
    }
    ww_table_head(&t, "meaning");
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        if (!list->present[c]) {
            continue;
        }
        static_j -= energy[c];
        component_row(&t, ww_component_name((ww_component)c), energy[c],
                      energy[c] > 0 ? sigma[c] : 0, time_s, total_j, json,
                      ww_component_meaning((ww_component)c));
    }
    component_row(&t, "static", static_j, 0, time_s, total_j, json, "leakage of the whole die");
    component_row(&t, "total", total_j, sigma_j, time_s, total_j, json, "");
    ww_status status = print_with(&t, more, json, err);
    ww_table_fini(&t);
    return status;
}

static ww_status check_launched(const kernel_list *list, ww_error *err)
{
    return list->count > 0 ? WW_OK : ww_fail(err, WW_ENUMERIC, "no kernel was launched");
}

ww_status ww_check_breakdown(const ww_result_set *set, ww_error *err)
{
    kernel_list list = {0};
    ww_status status = sum_kernels(set, &list, err);
    status = status == WW_OK ? check_launched(&list, err) : status;
    kernels_fini(&list);
    return status;
}

static ww_status print_breakdown(kernel_list *list, ww_status status, const ww_table *more,
                                 bool json, ww_error *err)
{
    status = status == WW_OK ? check_launched(list, err) : status;
    if (status == WW_OK && !json) {
        status = print_kernels(list, json, err);
        printf("\n");
    }
    if (status == WW_OK) {
        status = print_components(list, more, json, err);
    }
    kernels_fini(list);
    return status;
}

ww_status ww_print_breakdown(const ww_result_set *set, bool json, ww_error *err)
{
    return ww_print_breakdown_and(set, NULL, json, err);
}

ww_status ww_print_breakdown_and(const ww_result_set *set, const ww_table *more, bool json,
                                 ww_error *err)
{
    kernel_list list = {0};
    ww_status status = sum_kernels(set, &list, err);
    WW_TRY(print_breakdown(&list, status, more, json, err));
    if (!json && set->model != NULL && set->arch != NULL) {
        const char *calibration = set->arch->power.calibration;
        printf("\nplus_minus_w: standard uncertainty; energies %s: %s\n"
               "repeated_w: of a card that launches the kernel again and again, as cards are "
               "measured, without launch overhead; its +- has what cycles are uncertain by\n",
               ww_calibration_state(calibration), calibration);
    }
    return WW_OK;
}

ww_status ww_print_breakdown_of(const char *const *dirs, size_t count, bool json, ww_error *err)
{
    kernel_list list = {0};
    ww_status status = WW_OK;
    for (size_t i = 0; status == WW_OK && i < count; i++) {
        status = read_kernels(&list, dirs[i], err);
    }
    return print_breakdown(&list, status, NULL, json, err);
}

/* ---- metrics ---- */

/* The kernels of several sets, one set after the other. */
static ww_status sum_sets(const ww_result_set *sets, size_t count, kernel_list *list, ww_error *err)
{
    for (size_t i = 0; i < count; i++) {
        WW_TRY(sum_kernels(&sets[i], list, err));
    }
    return WW_OK;
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

ww_status ww_print_metrics(const ww_result_set *sets, size_t count, bool json, ww_error *err)
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
    ww_status status = sum_sets(sets, count, &list, err);
    for (size_t i = 0; status == WW_OK && i < list.count; i++) {
        ww_metrics metrics;
        status = ww_metrics_compute(&list.item[i].counters, &metrics, err);
        ww_table_text(&t, list.item[i].workload);
        ww_table_kernel(&t, list.item[i].kernel);
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
    {"ibuffer_empty %", WW_C_STALL_IBUF},  {"held %", WW_C_STALL_HELD},
    {"barrier %", WW_C_STALL_BARRIER},     {"no_warp %", WW_C_STALL_IDLE},
};

/* What the columns of lost slots mean, of those that hold a hundredth of some kernel's. */
static void print_reasons(const bool *matters)
{
    const char *before = "\n";
    for (size_t k = 1; k < WW_ARRAY_LEN(slot_uses); k++) {
        const char *name = slot_uses[k].name;
        const char *text = ww_counter_describe(slot_uses[k].counter)->meaning;
        const char *colon = strchr(text, ':'); /* "slots lost: why" */
        if (matters[k]) {
            printf("%s%-14.*s%s\n", before, (int)strcspn(name, " "), name,
                   colon != NULL ? colon + 2 : text);
            before = "";
        }
    }
}

ww_status ww_print_stalls(const ww_result_set *sets, size_t count, bool json, ww_error *err)
{
    bool matters[WW_ARRAY_LEN(slot_uses)] = {false};
    kernel_list list = {0};
    ww_table t;
    ww_table_init(&t, "stalls");
    ww_table_head(&t, "workload");
    ww_table_head(&t, "kernel");
    ww_table_head(&t, "slots");
    for (size_t k = 0; k < WW_ARRAY_LEN(slot_uses); k++) {
        ww_table_head(&t, slot_uses[k].name);
    }
    ww_status status = sum_sets(sets, count, &list, err);
    for (size_t i = 0; status == WW_OK && i < list.count; i++) {
        const ww_counter_set *counters = &list.item[i].counters;
        uint64_t slots = ww_counter_total(counters, WW_C_SLOTS);
        ww_table_text(&t, list.item[i].workload);
        ww_table_kernel(&t, list.item[i].kernel);
        ww_table_count(&t, slots);
        for (size_t k = 0; k < WW_ARRAY_LEN(slot_uses); k++) {
            uint64_t n = ww_counter_total(counters, slot_uses[k].counter);
            matters[k] = matters[k] || 100 * n > slots;
            if (slots > 0) {
                ww_table_number(&t, 100.0 * (double)n / (double)slots, 1);
            } else {
                ww_table_text(&t, "-");
            }
        }
    }
    status = print_and_free(&t, &list, status, json, err);
    if (status == WW_OK && !json) {
        print_reasons(matters);
    }
    return status;
}
