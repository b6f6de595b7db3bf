/* kernel_sums.c - launches of a kernel as one, of a result in memory or of its folder. */
#include "analysis/kernel_sums.h"

#include <string.h>

#include "base/csv.h"
#include "base/file.h"

void ww_kernel_sums_fini(ww_kernel_sums *list)
{
    for (size_t i = 0; i < list->count; i++) {
        ww_counter_set_fini(&list->item[i].counters);
    }
    ww_free(list->item);
    ww_arena_fini(&list->arena);
}

/* The kernel among those from the given one on; NULL when there is none. */
static ww_kernel_sum *find_kernel(ww_kernel_sums *list, size_t from, const char *workload,
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
static ww_status make_room(ww_kernel_sums *list, size_t more, ww_error *err)
{
    ww_kernel_sum *grown = ww_realloc_array(list->item, list->count + more + 1, sizeof *grown);
    if (grown == NULL) {
        return ww_no_memory(err);
    }
    list->item = grown;
    return WW_OK;
}

static ww_status add_power(ww_kernel_sum *k, const ww_result_set *set,
                           const ww_launch_record *launch, ww_error *err)
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
    }
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        k->component_j[c] += r.component[c].event_j + r.component[c].background_j;
        k->component_sigma_j[c] += ww_power_sure_of(set->model, &groups, (ww_component)c).sigma_j;
    }
    return WW_OK;
}

ww_status ww_kernel_sums_add(ww_kernel_sums *list, const ww_result_set *set, ww_error *err)
{
    const size_t from = list->count;
    WW_TRY(make_room(list, set->launch_count, err));
    for (int c = 0; c < WW_COMPONENT_COUNT && set->model != NULL; c++) {
        list->present[c] = ww_power_has(set->model, (ww_component)c);
    }
    for (size_t i = 0; i < set->launch_count; i++) {
        const ww_launch_record *launch = &set->launches[i];
        ww_kernel_sum *k = find_kernel(list, from, launch->workload, launch->kernel);
        if (k == NULL) {
            ww_kernel_sum fresh = {.workload = launch->workload, .kernel = launch->kernel};
            WW_TRY(ww_counter_set_init(&fresh.counters, launch->counters->count[WW_SCOPE_SM],
                                       launch->counters->count[WW_SCOPE_SLICE],
                                       launch->counters->count[WW_SCOPE_CHANNEL], err));
            k = &list->item[list->count++];
            *k = fresh;
        }
        k->launches++;
        k->cycles += ww_counter_total(launch->counters, WW_C_CORE_CYCLES);
        WW_TRY(ww_counter_set_add(&k->counters, launch->counters, err));
        if (set->model != NULL) {
            WW_TRY(add_power(k, set, launch, err));
        }
    }
    for (size_t i = from; set->model != NULL && set->arch != NULL && i < list->count; i++) {
        ww_kernel_sum *k = &list->item[i];
        (void)ww_power_repeated_w(set->model, set->arch, &k->repeated, &k->repeated_w,
                                  &k->repeated_sigma_w);
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

static ww_kernel_sum *kernel_of_row(ww_kernel_sums *list, size_t from, const table *t, size_t row)
{
    return find_kernel(list, from, ww_csv_text(t->csv, row, t->column[0]),
                       ww_csv_text(t->csv, row, t->column[1]));
}

static ww_status add_launches(ww_kernel_sums *list, size_t from, const table *t, ww_error *err)
{
    WW_TRY(make_room(list, ww_csv_rows(t->csv), err));
    for (size_t row = 0; row < ww_csv_rows(t->csv); row++) {
        double time_s, cycles;
        ww_kernel_sum *k = kernel_of_row(list, from, t, row);
        WW_TRY(ww_csv_double(t->csv, row, t->column[2], &time_s, err));
        WW_TRY(ww_csv_double(t->csv, row, t->column[3], &cycles, err));
        if (k == NULL) {
            const char *workload = ww_csv_text(t->csv, row, t->column[0]);
            const char *kernel = ww_csv_text(t->csv, row, t->column[1]);
            k = &list->item[list->count];
            *k = (ww_kernel_sum){.workload =
                                     ww_arena_strndup(&list->arena, workload, strlen(workload)),
                                 .kernel = ww_arena_strndup(&list->arena, kernel, strlen(kernel))};
            if (k->workload == NULL || k->kernel == NULL) {
                return ww_no_memory(err);
            }
            list->count++;
        }
        k->launches++;
        k->cycles += (uint64_t)cycles;
        k->time_s += time_s;
    }
    return WW_OK;
}

static ww_status add_energies(ww_kernel_sums *list, size_t from, const table *t, ww_error *err)
{
    for (size_t row = 0; row < ww_csv_rows(t->csv); row++) {
        const char *component = ww_csv_text(t->csv, row, t->column[2]);
        ww_kernel_sum *k = kernel_of_row(list, from, t, row);
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

ww_status ww_kernel_sums_read(ww_kernel_sums *list, const char *dir, ww_error *err)
{
    static const char *const of_kernels[] = {"workload", "kernel", "time", "cycles"};
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

/* ---- means ---- */

ww_kernel_power ww_kernel_power_of(const ww_kernel_sum *k)
{
    double dynamic_j = 0;
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        dynamic_j += k->component_j[c];
    }
    return (ww_kernel_power){.dynamic_w = dynamic_j / k->time_s,
                             .static_w = k->static_j / k->time_s,
                             .total_w = k->energy_j / k->time_s,
                             .sigma_w = k->sigma_j / k->time_s};
}

/* Of all kernels. */
typedef struct all_kernels {
    double time_s, energy_j;
} all_kernels;

static ww_component_sum row_of(const all_kernels *all, const char *name, double energy_j,
                               double sigma_j, const char *meaning)
{
    return (ww_component_sum){.name = name,
                              .meaning = meaning,
                              .energy_j = energy_j,
                              .power_w = energy_j / all->time_s,
                              .share = energy_j / all->energy_j,
                              .sigma_w = sigma_j > 0 ? sigma_j / all->time_s : 0};
}

size_t ww_component_sums(const ww_kernel_sums *list, ww_component_sum out[WW_COMPONENT_SUMS])
{
    double energy[WW_COMPONENT_COUNT] = {0}, sigma[WW_COMPONENT_COUNT] = {0}, sigma_j = 0;
    all_kernels all = {0};
    size_t n = 0;
    for (size_t i = 0; i < list->count; i++) {
        all.time_s += list->item[i].time_s;
        all.energy_j += list->item[i].energy_j;
        sigma_j += list->item[i].sigma_j;
        for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
            energy[c] += list->item[i].component_j[c];
            sigma[c] += list->item[i].component_sigma_j[c];
        }
    }
    double static_j = all.energy_j;
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        if (list->present[c]) {
            static_j -= energy[c];
            out[n++] = row_of(&all, ww_component_name((ww_component)c), energy[c],
                              energy[c] > 0 ? sigma[c] : 0, ww_component_meaning((ww_component)c));
        }
    }
    out[n++] = row_of(&all, "static", static_j, 0, "leakage of the whole die");
    out[n++] = row_of(&all, "total", all.energy_j, sigma_j, "");
    return n;
}

ww_kernel_total ww_kernel_total_of(const ww_kernel_sums *list)
{
    ww_kernel_total total = {0};
    double sigma_j = 0;
    for (size_t i = 0; i < list->count; i++) {
        const ww_kernel_sum *k = &list->item[i];
        total.launches += k->launches;
        total.cycles += k->cycles;
        total.time_s += k->time_s;
        total.energy_j += k->energy_j;
        sigma_j += k->sigma_j;
    }
    total.power_w = total.energy_j / total.time_s;
    total.sigma_w = sigma_j / total.time_s;
    return total;
}

bool ww_result_values_j(const ww_result_set *set, double *out)
{
    bool compared = false;
    *out = 0;
    for (size_t i = 0; i < set->launch_count; i++) {
        const ww_launch_record *launch = &set->launches[i];
        double values_j;
        if (ww_power_values_j(set->model, launch->counters, launch, &values_j)) {
            compared = true;
            *out += values_j;
        }
    }
    return compared;
}
