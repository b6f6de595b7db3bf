/* report_area.c - the die: area of every component of a set's machine by where it comes from, and
 * the dies of several sets beside each other. From area.csv. */
#include <string.h>

#include "analysis/report_parts.h"
#include "power/power.h"

#define REST "not modelled"

enum { ROWS = WW_COMPONENT_COUNT + 1 }; /* components, and the rest of the die */

/* mm2 of every component by kind; the rest of the die is a row of its own. */
typedef struct die {
    double mm2[ROWS][WW_AREA_KINDS];
} die;

static const char *row_name(size_t row)
{
    return row < WW_COMPONENT_COUNT ? ww_component_name((ww_component)row) : REST;
}

static size_t component_of(const char *name)
{
    size_t c = 0;
    while (c < WW_COMPONENT_COUNT && strcmp(ww_component_name((ww_component)c), name) != 0) {
        c++;
    }
    return c;
}

static size_t kind_of(const char *name)
{
    size_t k = 0;
    while (k < WW_AREA_KINDS && strcmp(ww_area_kind_name((ww_area_kind)k), name) != 0) {
        k++;
    }
    return k;
}

/* Rows of components and kinds that this program does not know are left out. */
static ww_status read_die(const ww_csv *csv, die *out, ww_error *err)
{
    size_t component, kind, area;
    *out = (die){0};
    WW_TRY(ww_csv_find(csv, "component", &component, err));
    WW_TRY(ww_csv_find(csv, "kind", &kind, err));
    WW_TRY(ww_csv_find(csv, "area", &area, err));
    for (size_t row = 0; row < ww_csv_rows(csv); row++) {
        double mm2;
        size_t c = component_of(ww_csv_text(csv, row, component));
        size_t k = kind_of(ww_csv_text(csv, row, kind));
        WW_TRY(ww_csv_double(csv, row, area, &mm2, err));
        if (c < WW_COMPONENT_COUNT && k < WW_AREA_KINDS) {
            out->mm2[k == WW_AREA_REST ? WW_COMPONENT_COUNT : c][k] += mm2;
        }
    }
    return WW_OK;
}

static double sum_of(const die *d, size_t row)
{
    double mm2 = 0;
    for (size_t k = 0; k < WW_AREA_KINDS; k++) {
        mm2 += d->mm2[row][k];
    }
    return mm2;
}

static ww_status no_memory(ww_error *err)
{
    return ww_no_memory(err);
}

/* ---- one machine ---- */

static void put_csv(const die *d, ww_str *out)
{
    ww_csv_writer csv;
    ww_csv_init(&csv, out);
    ww_csv_put_header(&csv, "component", NULL);
    for (size_t k = 0; k < WW_AREA_KINDS; k++) {
        ww_csv_put_header(&csv, ww_area_kind_name((ww_area_kind)k), "mm2");
    }
    ww_csv_end_row(&csv);
    for (size_t row = 0; row < ROWS; row++) {
        if (sum_of(d, row) > 0) {
            ww_csv_put_text(&csv, row_name(row));
            for (size_t k = 0; k < WW_AREA_KINDS; k++) {
                ww_csv_put_double(&csv, d->mm2[row][k]);
            }
            ww_csv_end_row(&csv);
        }
    }
}

ww_status ww_figure_area(const ww_report_set *set, ww_figures *f, ww_error *err)
{
    static const char *const series[] = {"circuits", "fits", REST};
    die d;
    WW_TRY(read_die(set->area, &d, err));
    ww_figure *figure = ww_figures_add(
        f, "area", "What the die holds",
        "Area by component: circuits of the geometry described, published fits (controllers, "
        "interfaces, undifferentiated logic, placement), and what is left of a published die.",
        1);
    const char **row = WW_ARENA_NEW_ARRAY(&f->arena, const char *, ROWS);
    double *value = WW_ARENA_NEW_ARRAY(&f->arena, double, (size_t)ROWS *WW_AREA_KINDS);
    if (figure == NULL || row == NULL || value == NULL) {
        return no_memory(err);
    }
    size_t rows = 0;
    for (size_t i = 0; i < ROWS; i++) {
        if (sum_of(&d, i) > 0) {
            row[rows] = row_name(i);
            memcpy(&value[rows * WW_AREA_KINDS], d.mm2[i], sizeof d.mm2[i]);
            rows++;
        }
    }
    figure->plot->kind = WW_PLOT_STACK;
    figure->plot->chart.stack = (ww_stack_chart){.rows = rows,
                                                 .series = WW_AREA_KINDS,
                                                 .row = row,
                                                 .name = series,
                                                 .value = value,
                                                 .axis = "area [mm\xC2\xB2]",
                                                 .unit = "mm\xC2\xB2",
                                                 .decimals = 1,
                                                 .totals = true};
    put_csv(&d, &figure->csv);
    return ww_str_check(&figure->csv, err);
}

/* ---- several machines ---- */

static void put_dies_csv(const ww_stack_chart *c, ww_str *out)
{
    ww_csv_writer csv;
    ww_csv_init(&csv, out);
    ww_csv_put_header(&csv, "set", NULL);
    for (size_t s = 0; s < c->series; s++) {
        ww_csv_put_header(&csv, c->name[s], "mm2");
    }
    ww_csv_end_row(&csv);
    for (size_t i = 0; i < c->rows; i++) {
        ww_csv_put_text(&csv, c->row[i]);
        for (size_t s = 0; s < c->series; s++) {
            ww_csv_put_double(&csv, c->value[i * c->series + s]);
        }
        ww_csv_end_row(&csv);
    }
}

/* Sums of every set that knows its die, [sets * ROWS]; returns how many there are. */
static ww_status read_dies(const ww_report *report, const char **row, double *sum, size_t *rows,
                           ww_error *err)
{
    *rows = 0;
    for (size_t i = 0; i < report->count; i++) {
        die d;
        if (report->set[i].area == NULL) {
            continue;
        }
        WW_TRY(read_die(report->set[i].area, &d, err));
        row[*rows] = report->set[i].label;
        for (size_t k = 0; k < ROWS; k++) {
            sum[*rows * ROWS + k] = sum_of(&d, k);
        }
        (*rows)++;
    }
    return WW_OK;
}

/* Keeps the columns that some set has. */
static size_t drop_empty(const double *sum, size_t rows, const char **name, double *value)
{
    bool used[ROWS] = {false};
    size_t series = 0;
    for (size_t k = 0; k < ROWS; k++) {
        for (size_t i = 0; i < rows; i++) {
            used[k] = used[k] || sum[i * ROWS + k] > 0;
        }
        if (used[k]) {
            name[series++] = row_name(k);
        }
    }
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < ROWS; k++) {
            if (used[k]) {
                *value++ = sum[i * ROWS + k];
            }
        }
    }
    return series;
}

ww_status ww_figure_areas(const ww_report *report, ww_figures *f, ww_error *err)
{
    size_t rows = 0;
    const char **row = WW_ARENA_NEW_ARRAY(&f->arena, const char *, report->count + 1);
    const char **name = WW_ARENA_NEW_ARRAY(&f->arena, const char *, ROWS);
    double *sum = WW_ARENA_NEW_ARRAY(&f->arena, double, (report->count + 1) * ROWS);
    double *value = WW_ARENA_NEW_ARRAY(&f->arena, double, (report->count + 1) * ROWS);
    if (row == NULL || name == NULL || sum == NULL || value == NULL) {
        return no_memory(err);
    }
    WW_TRY(read_dies(report, row, sum, &rows, err));
    if (rows < 2) {
        return WW_OK;
    }
    ww_figure *figure = ww_figures_add(f, "areas", "Dies",
                                       "Area of each set's machine by component, and what is left "
                                       "of its published die.",
                                       1);
    if (figure == NULL) {
        return no_memory(err);
    }
    figure->plot->kind = WW_PLOT_STACK;
    figure->plot->chart.stack = (ww_stack_chart){.rows = rows,
                                                 .series = drop_empty(sum, rows, name, value),
                                                 .row = row,
                                                 .name = name,
                                                 .value = value,
                                                 .axis = "area [mm\xC2\xB2]",
                                                 .unit = "mm\xC2\xB2",
                                                 .decimals = 1,
                                                 .totals = true};
    put_dies_csv(&figure->plot->chart.stack, &figure->csv);
    return ww_str_check(&figure->csv, err);
}
