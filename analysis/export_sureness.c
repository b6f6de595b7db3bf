/* export_sureness.c - what the uncertainty of a difference between two results is computed from:
 * joules by what is calibrated together, and how sure that is. */
#include <string.h>

#include "analysis/export.h"
#include "base/csv.h"

ww_status ww_export_groups(const ww_result_set *set, ww_str *out, ww_error *err)
{
    static const char *const names[] = {"workload", "kernel", "launch", "component", "group"};
    ww_csv_writer csv;
    ww_csv_init(&csv, out);
    for (size_t i = 0; i < WW_ARRAY_LEN(names); i++) {
        ww_csv_put_header(&csv, names[i], NULL);
    }
    ww_csv_put_header(&csv, "energy", "J");
    ww_csv_end_row(&csv);
    for (size_t i = 0; i < set->launch_count; i++) {
        const ww_launch_record *launch = &set->launches[i];
        ww_power_groups sum = {0};
        ww_power_add_groups(set->model, launch->counters, launch, &sum);
        for (int k = 0; k < WW_COMPONENT_COUNT * WW_GROUP_COUNT; k++) {
            int c = k / WW_GROUP_COUNT, g = k % WW_GROUP_COUNT;
            if (sum.j[c][g] > 0) {
                ww_csv_put_text(&csv, launch->workload);
                ww_csv_put_text(&csv, launch->kernel);
                ww_csv_put_u64(&csv, launch->launch_index);
                ww_csv_put_text(&csv, ww_component_name((ww_component)c));
                ww_csv_put_text(&csv, ww_power_group_key((ww_power_group)g));
                ww_csv_put_double(&csv, sum.j[c][g]);
                ww_csv_end_row(&csv);
            }
        }
    }
    return ww_csv_finish(&csv, err);
}

static const char *error_key(int error)
{
    return error == WW_ERROR_VOLTAGE ? "voltage" : ww_power_group_key((ww_power_group)error);
}

static void put_error(const ww_power_errors *e, int error, const char *origin, ww_csv_writer *csv)
{
    ww_csv_put_text(csv, error_key(error));
    ww_csv_put_text(csv, origin);
    ww_csv_put_double(csv, e->sigma[error]);
    if (error == WW_ERROR_VOLTAGE) {
        ww_csv_put_text(csv, "");
    } else {
        ww_csv_put_double(csv, e->per_voltage[error]);
    }
    for (int other = 0; other < WW_ERROR_COUNT; other++) {
        ww_csv_put_double(csv, e->correlation[error][other]);
    }
    ww_csv_end_row(csv);
}

ww_status ww_export_uncertainty(const ww_result_set *set, ww_str *out, ww_error *err)
{
    ww_power_errors errors;
    ww_csv_writer csv;
    ww_power_errors_of(set->model, &errors);
    ww_csv_init(&csv, out);
    WW_CSV_HEAD(&csv, {"key", NULL}, {"kind", NULL}, {"sigma", "1"}, {"per_voltage", "1"});
    for (int error = 0; error < WW_ERROR_COUNT; error++) {
        ww_csv_put_header(&csv, error_key(error), "1");
    }
    ww_csv_end_row(&csv);
    for (int error = 0; error < WW_ERROR_COUNT; error++) {
        ww_power_origin origin = WW_ORIGIN_COUNT;
        if (error != WW_ERROR_VOLTAGE) {
            (void)ww_power_group_sigma(set->model, (ww_power_group)error, &origin);
        }
        put_error(&errors, error, origin < WW_ORIGIN_COUNT ? ww_power_origin_name(origin) : "",
                  &csv);
    }
    ww_csv_put_text(&csv, "model");
    ww_csv_put_text(&csv, "");
    ww_csv_put_double(&csv, errors.scatter);
    for (int empty = 0; empty <= WW_ERROR_COUNT; empty++) {
        ww_csv_put_text(&csv, "");
    }
    ww_csv_end_row(&csv);
    return ww_csv_finish(&csv, err);
}
