/* export_counters.c - counters.csv: what each workload counted, launches together. */
#include <string.h>

#include "analysis/export.h"
#include "base/csv.h"

static bool is_first_of_workload(const ww_result_set *set, size_t launch)
{
    size_t i = 0;
    while (strcmp(set->launches[i].workload, set->launches[launch].workload) != 0) {
        i++;
    }
    return i == launch;
}

static void put_workload(const ww_result_set *set, const char *workload, ww_csv_writer *csv)
{
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        const ww_counter_info *info = ww_counter_describe((ww_counter)c);
        uint64_t sum = 0;
        for (size_t i = 0; i < set->launch_count; i++) {
            bool same = strcmp(set->launches[i].workload, workload) == 0;
            sum += same ? ww_counter_total(set->launches[i].counters, (ww_counter)c) : 0;
        }
        if (sum > 0) {
            ww_csv_put_text(csv, workload);
            ww_csv_put_text(csv, info->name);
            ww_csv_put_u64(csv, sum);
            ww_csv_put_text(csv, info->unit);
            ww_csv_end_row(csv);
        }
    }
}

ww_status ww_export_counters(const ww_result_set *set, ww_str *out, ww_error *err)
{
    ww_csv_writer csv;
    ww_csv_init(&csv, out);
    WW_CSV_HEAD(&csv, {"workload", NULL}, {"counter", NULL}, {"value", NULL}, {"unit", NULL});
    ww_csv_end_row(&csv);
    for (size_t i = 0; i < set->launch_count; i++) {
        if (is_first_of_workload(set, i)) {
            put_workload(set, set->launches[i].workload, &csv);
        }
    }
    return ww_csv_finish(&csv, err);
}
