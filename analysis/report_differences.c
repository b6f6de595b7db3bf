/* report_differences.c - the parameters in which the sets' machines are not the first one's. */
#include <math.h>
#include <string.h>

#include "analysis/report_parts.h"
#include "base/num.h"

enum { OPEN_ROWS = 16 }; /* of more, the table waits to be asked for */

const char *ww_report_unit(const char *unit, const double *value, size_t count, double *scale)
{
    static const struct {
        double bytes;
        const char *unit;
    } units[] = {{1073741824, "GiB"}, {1048576, "MiB"}, {1024, "KiB"}};
    *scale = 1;
    for (size_t u = 0; strcmp(unit, "B") == 0 && u < WW_ARRAY_LEN(units); u++) {
        bool whole = true, any = false;
        for (size_t i = 0; i < count; i++) {
            whole = whole && fmod(value[i], units[u].bytes) == 0;
            any = any || value[i] != 0;
        }
        if (whole && any) {
            *scale = units[u].bytes;
            return units[u].unit;
        }
    }
    return strcmp(unit, "1") == 0 ? "" : unit;
}

/* A row: values as written, or as bytes are read. */
static void put_row(const ww_report_set *set, const ww_run_parameter *p, const char *base,
                    ww_csv_writer *csv)
{
    double value[2], scale = 1;
    const char *unit = strcmp(p->unit, "1") == 0 ? "" : p->unit;
    bool numbers = ww_num_parse_double(p->value, &value[0], NULL) == WW_OK &&
                   ww_num_parse_double(base, &value[1], NULL) == WW_OK;
    if (numbers) {
        unit = ww_report_unit(p->unit, value, 2, &scale);
    }
    ww_csv_put_text(csv, set->label);
    ww_csv_put_text(csv, p->key);
    if (scale > 1) {
        ww_csv_put_double(csv, value[0] / scale);
        ww_csv_put_double(csv, value[1] / scale);
    } else {
        ww_csv_put_text(csv, p->value);
        ww_csv_put_text(csv, base);
    }
    ww_csv_put_text(csv, unit);
    ww_csv_end_row(csv);
}

/* Returns the number of rows. What one of the machines does not have is left to mech.active. */
static size_t put_set(const ww_report_set *base, const ww_report_set *set, ww_csv_writer *csv)
{
    size_t rows = 0;
    if (base->info.gpu == NULL || set->info.gpu == NULL) {
        return 0;
    }
    for (size_t i = 0; i < set->info.parameter_count; i++) {
        const ww_run_parameter *p = &set->info.parameter[i];
        const char *other = ww_run_info_value(&base->info, p->key);
        if (other != NULL && strcmp(other, p->value) != 0) {
            put_row(set, p, other, csv);
            rows++;
        }
    }
    return rows;
}

ww_status ww_figure_differences(const ww_report *report, ww_figures *f, ww_error *err)
{
    static const char *const head[] = {"set", "parameter", "value", "of the base", "unit"};
    size_t rows = 0;
    const char *note =
        ww_arena_printf(&f->arena, "Parameters of the machines that are not those of %s, the base.",
                        report->set[0].label);
    ww_figure *figure =
        note != NULL ? ww_figures_add(f, "differences", "How the machines differ", note, 0) : NULL;
    if (figure == NULL) {
        return ww_no_memory(err);
    }
    ww_csv_writer csv;
    ww_csv_init(&csv, &figure->csv);
    for (size_t i = 0; i < WW_ARRAY_LEN(head); i++) {
        ww_csv_put_header(&csv, head[i], NULL);
    }
    ww_csv_end_row(&csv);
    for (size_t s = 1; s < report->count; s++) {
        rows += put_set(&report->set[0], &report->set[s], &csv);
    }
    figure->open_table = rows <= OPEN_ROWS;
    WW_TRY(ww_csv_finish(&csv, err));
    if (rows == 0) { /* same machine, or tables */
        ww_str_fini(&figure->csv);
        f->count--;
    }
    return WW_OK;
}
