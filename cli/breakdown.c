/* breakdown.c - the tables that tell where the energy went. */
#define _GNU_SOURCE /* strcasestr */
#include "cli/breakdown.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel_sums.h"
#include "analysis/metrics.h"
#include "analysis/table.h"

/* ---- breakdown ---- */

static void put_repeated(ww_table *t, double w)
{
    if (w > 0) {
        ww_table_number(t, w, 1);
    } else {
        ww_table_text(t, "");
    }
}

/* As JSON with cycles too. */
static void fill_kernels(const ww_kernel_sums *list, bool json, ww_table *t)
{
    const char *const head[] = {
        "time_us",      "dynamic_w", "static_w",   "total_w",
        "plus_minus_w", "energy_uj", "repeated_w", json ? "repeated_plus_minus_w" : "+-"};
    ww_table_init(t, "kernels");
    ww_table_head(t, "workload");
    ww_table_head(t, "kernel");
    ww_table_head(t, "launches");
    if (json) {
        ww_table_head(t, "cycles");
    }
    ww_table_heads(t, head, WW_ARRAY_LEN(head));
    for (size_t i = 0; i < list->count; i++) {
        const ww_kernel_sum *k = &list->item[i];
        const ww_kernel_power w = ww_kernel_power_of(k);
        ww_table_text(t, k->workload);
        ww_table_kernel(t, k->kernel);
        ww_table_count(t, k->launches);
        if (json) {
            ww_table_count(t, k->cycles);
        }
        ww_table_number(t, k->time_s * 1e6, 1);
        ww_table_number(t, w.dynamic_w, 1);
        ww_table_number(t, w.static_w, 1);
        ww_table_number(t, w.total_w, 1);
        ww_table_number(t, w.sigma_w, 1);
        ww_table_number(t, k->energy_j * 1e6, 1);
        put_repeated(t, k->repeated_w);
        put_repeated(t, k->repeated_sigma_w);
    }
}

static void fill_total(const ww_kernel_sums *list, ww_table *t)
{
    static const char *const head[] = {"launches",  "cycles",  "time_us",
                                       "energy_uj", "power_w", "plus_minus_w"};
    const ww_kernel_total total = ww_kernel_total_of(list);
    ww_table_init(t, "total");
    ww_table_heads(t, head, WW_ARRAY_LEN(head));
    ww_table_count(t, total.launches);
    ww_table_count(t, total.cycles);
    ww_table_number(t, total.time_s * 1e6, 1);
    ww_table_number(t, total.energy_j * 1e6, 1);
    ww_table_number(t, total.power_w, 1);
    ww_table_number(t, total.sigma_w, 1);
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

static void component_row(ww_table *t, const ww_component_sum *row, bool json)
{
    char blocks[160];
    ww_table_text(t, row->name);
    ww_table_number(t, row->energy_j * 1e6, 2);
    ww_table_number(t, row->power_w, 2);
    if (row->sigma_w > 0) {
        ww_table_number(t, row->sigma_w, 2);
    } else {
        ww_table_text(t, "");
    }
    ww_table_number(t, 100 * row->share, 1);
    if (!json) {
        bar(strcmp(row->name, "total") == 0 ? 0 : row->share, blocks, sizeof blocks);
        ww_table_text(t, blocks);
    }
    ww_table_text(t, row->meaning);
}

static void fill_components(const ww_kernel_sums *list, bool json, ww_table *t)
{
    ww_component_sum row[WW_COMPONENT_SUMS];
    const size_t rows = ww_component_sums(list, row);
    ww_table_init(t, "components");
    ww_table_head(t, "component");
    ww_table_head(t, "energy_uj");
    ww_table_head(t, "power_w");
    ww_table_head(t, "plus_minus_w");
    ww_table_head(t, "percent");
    if (!json) {
        ww_table_head(t, "");
    }
    ww_table_head(t, "meaning");
    for (size_t i = 0; i < rows; i++) {
        component_row(t, &row[i], json);
    }
}

/* What the set's mechanisms came to; set NULL: of a folder, whose files say so. */
static ww_status fill_mechanisms(const ww_result_set *set, ww_table *t, size_t *rows, ww_error *err)
{
    static const char *const head[] = {"mechanism", "measure", "value", "unit", "meaning"};
    ww_arena arena = {0};
    ww_mechanism_sum *sum = NULL;
    *rows = 0;
    ww_table_init(t, "mechanisms");
    ww_table_heads(t, head, WW_ARRAY_LEN(head));
    ww_status status = set != NULL ? ww_mechanism_sums(set, &arena, &sum, rows, err) : WW_OK;
    for (size_t i = 0; status == WW_OK && i < *rows; i++) {
        ww_table_text(t, sum[i].mechanism);
        ww_table_text(t, sum[i].measure);
        if (isfinite(sum[i].value)) {
            ww_table_number(t, sum[i].value, 3);
        } else {
            ww_table_text(t, "-");
        }
        ww_table_text(t, sum[i].unit);
        ww_table_text(t, sum[i].meaning);
    }
    ww_arena_fini(&arena);
    return status;
}

/* One document of all tables. */
static ww_status print_json(const ww_kernel_sums *list, const ww_table *mechanisms,
                            const ww_table *more, ww_error *err)
{
    ww_table kernels, components, total;
    fill_kernels(list, true, &kernels);
    fill_components(list, true, &components);
    fill_total(list, &total);
    const ww_table *const tables[] = {&kernels, &components, &total, mechanisms, more};
    ww_str text = {0};
    ww_json out;
    ww_json_init(&out, &text, 2);
    ww_json_object(&out, NULL);
    for (size_t i = 0; i < WW_ARRAY_LEN(tables); i++) {
        if (tables[i] != NULL) {
            ww_table_put_json(tables[i], &out);
        }
    }
    ww_json_end(&out);
    ww_table_fini(&kernels);
    ww_table_fini(&components);
    ww_table_fini(&total);
    return ww_json_print(&out, &text, stdout, err);
}

static ww_status print_tables(const ww_kernel_sums *list, ww_table *mechanisms, ww_error *err)
{
    ww_table kernels, components;
    fill_kernels(list, false, &kernels);
    fill_components(list, false, &components);
    ww_status status = ww_table_print(&kernels, false, stdout, err);
    printf("\n");
    if (status == WW_OK) {
        status = ww_table_print(&components, false, stdout, err);
    }
    if (status == WW_OK && mechanisms != NULL) {
        printf("\n");
        status = ww_table_print(mechanisms, false, stdout, err);
    }
    ww_table_fini(&kernels);
    ww_table_fini(&components);
    return status;
}

static ww_status check_launched(const ww_kernel_sums *list, ww_error *err)
{
    return list->count > 0 ? WW_OK : ww_fail(err, WW_ENUMERIC, "no kernel was launched");
}

ww_status ww_check_breakdown(const ww_result_set *set, ww_error *err)
{
    ww_kernel_sums list = {0};
    ww_status status = ww_kernel_sums_add(&list, set, err);
    status = status == WW_OK ? check_launched(&list, err) : status;
    ww_kernel_sums_fini(&list);
    return status;
}

/* set: what the list is of, where it is in memory; more: one further table of a JSON document. */
static ww_status print_breakdown(ww_kernel_sums *list, ww_status status, const ww_result_set *set,
                                 const ww_table *more, bool json, ww_error *err)
{
    ww_table table;
    size_t rows;
    status = status == WW_OK ? check_launched(list, err) : status;
    if (status == WW_OK) {
        status = fill_mechanisms(set, &table, &rows, err);
        ww_table *mechanisms = rows > 0 ? &table : NULL;
        status = status != WW_OK ? status
                 : json          ? print_json(list, mechanisms, more, err)
                                 : print_tables(list, mechanisms, err);
        ww_table_fini(&table);
    }
    ww_kernel_sums_fini(list);
    return status;
}

/* What the energies say of the values that were moved. */
static void print_values(const ww_result_set *set)
{
    double sum_j;
    if (ww_result_values_j(set, &sum_j)) {
        printf("values: bits that switch are counted; energy is %+.4g uJ against half of them\n",
               sum_j * 1e6);
    } else {
        printf("values: half of all bits switch, as assumed; --toggles counts them\n");
    }
}

ww_status ww_print_breakdown(const ww_result_set *set, bool json, ww_error *err)
{
    return ww_print_breakdown_and(set, NULL, json, err);
}

ww_status ww_print_breakdown_and(const ww_result_set *set, const ww_table *more, bool json,
                                 ww_error *err)
{
    ww_kernel_sums list = {0};
    ww_status status = ww_kernel_sums_add(&list, set, err);
    WW_TRY(print_breakdown(&list, status, set, more, json, err));
    if (!json && set->model != NULL && set->arch != NULL) {
        const char *calibration = set->arch->power.calibration;
        printf("\nplus_minus_w: standard uncertainty; energies %s: %s\n"
               "repeated_w: of a card that launches the kernel again and again, as cards are "
               "measured, without launch overhead; its +- has what cycles are uncertain by\n",
               ww_calibration_state(calibration), calibration);
        print_values(set);
    }
    return WW_OK;
}

ww_status ww_print_breakdown_of(const char *const *dirs, size_t count, bool json, ww_error *err)
{
    ww_kernel_sums list = {0};
    ww_status status = WW_OK;
    for (size_t i = 0; status == WW_OK && i < count; i++) {
        status = ww_kernel_sums_read(&list, dirs[i], err);
    }
    return print_breakdown(&list, status, NULL, NULL, json, err);
}

/* ---- metrics ---- */

/* The kernels of several sets, one set after the other. */
static ww_status sum_sets(const ww_result_set *sets, size_t count, ww_kernel_sums *list,
                          ww_error *err)
{
    for (size_t i = 0; i < count; i++) {
        WW_TRY(ww_kernel_sums_add(list, &sets[i], err));
    }
    return WW_OK;
}

/* What a table of kernels ends with: it is printed when filling it went well, and released. */
static ww_status print_and_free(ww_table *t, ww_kernel_sums *list, ww_status status, bool json,
                                ww_error *err)
{
    if (status == WW_OK) {
        status = ww_table_print(t, json, stdout, err);
    }
    ww_table_fini(t);
    ww_kernel_sums_fini(list);
    return status;
}

ww_status ww_print_metrics(const ww_result_set *sets, size_t count, bool json, ww_error *err)
{
    ww_kernel_sums list = {0};
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
    ww_kernel_sums list = {0};
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
            double share = 0;
            if (ww_counter_share(counters, slot_uses[k].counter, WW_C_SLOTS, &share)) {
                matters[k] = matters[k] || share > 0.01;
                ww_table_number(&t, 100 * share, 1);
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
