/* report_passes.c - passes of several sets beside each other: joules of a token or an image against
 * the time of the pass, and the Pareto front, the passes that no other one beats in both. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report_parts.h"

/* One set's pass. */
typedef struct one {
    const char *label, *unit;
    double ms, mj; /* of the pass; of a unit */
    bool front;
} one;

static ww_status sum_of(const ww_csv *csv, const char *name, double *out, ww_error *err)
{
    size_t column;
    *out = 0;
    WW_TRY(ww_csv_find(csv, name, &column, err));
    for (size_t i = 0; i < ww_csv_rows(csv); i++) {
        double value;
        WW_TRY(ww_csv_double(csv, i, column, &value, err));
        *out += value;
    }
    return WW_OK;
}

/* Of a pass that does not say what it makes, the joules are the whole pass's. */
static ww_status read_one(const ww_report_set *set, one *out, ww_error *err)
{
    size_t units, unit;
    double seconds, joules, n;
    if (ww_csv_rows(set->pass) == 0) {
        return ww_fail(err, WW_ESCHEMA, "operators.csv has no operators");
    }
    WW_TRY(sum_of(set->pass, "time", &seconds, err));
    WW_TRY(sum_of(set->pass, "energy", &joules, err));
    WW_TRY(ww_csv_find(set->pass, "units", &units, err));
    WW_TRY(ww_csv_find(set->pass, "unit", &unit, err));
    WW_TRY(ww_csv_double(set->pass, 0, units, &n, err));
    *out = (one){.label = set->label,
                 .unit = n > 0 ? ww_csv_text(set->pass, 0, unit) : "pass",
                 .ms = 1e3 * seconds,
                 .mj = 1e3 * joules / (n > 0 ? n : 1)};
    return WW_OK;
}

static int by_time(const void *a, const void *b)
{
    const one *x = a, *y = b;
    return x->ms != y->ms ? (x->ms > y->ms) - (x->ms < y->ms) : (x->mj > y->mj) - (x->mj < y->mj);
}

/* By rising time, each that takes fewer joules than all before it. Returns how many. */
static size_t mark_front(one *passes, size_t count)
{
    double least = INFINITY;
    size_t marked = 0;
    qsort(passes, count, sizeof *passes, by_time);
    for (size_t i = 0; i < count; i++) {
        passes[i].front = passes[i].mj < least;
        least = fmin(least, passes[i].mj);
        marked += passes[i].front;
    }
    return marked;
}

static void put_csv(const one *passes, size_t count, ww_str *out)
{
    ww_csv_writer csv;
    ww_csv_init(&csv, out);
    WW_CSV_HEAD(&csv, {"pass", NULL}, {"unit", NULL}, {"time", "ms"}, {"energy_per_unit", "mJ"},
                {"front", "1"});
    ww_csv_end_row(&csv);
    for (size_t i = 0; i < count; i++) {
        ww_csv_put_text(&csv, passes[i].label);
        ww_csv_put_text(&csv, passes[i].unit);
        ww_csv_put_double(&csv, passes[i].ms);
        ww_csv_put_double(&csv, passes[i].mj);
        ww_csv_put_u64(&csv, passes[i].front);
        ww_csv_end_row(&csv);
    }
}

static ww_status fill_scatter(const one *passes, size_t count, size_t front, ww_arena *arena,
                              ww_plot *plot, ww_error *err)
{
    double *x = WW_ARENA_NEW_ARRAY(arena, double, count),
           *y = WW_ARENA_NEW_ARRAY(arena, double, count);
    double *front_x = WW_ARENA_NEW_ARRAY(arena, double, front);
    double *front_y = WW_ARENA_NEW_ARRAY(arena, double, front);
    const char **tip = WW_ARENA_NEW_ARRAY(arena, const char *, count);
    const char **label = WW_ARENA_NEW_ARRAY(arena, const char *, front);
    const char *axis = ww_arena_printf(arena, "energy of a %s [mJ]", passes[0].unit);
    if (x == NULL || y == NULL || front_x == NULL || front_y == NULL || tip == NULL ||
        label == NULL || axis == NULL) {
        return ww_no_memory(err);
    }
    for (size_t i = 0, k = 0; i < count; i++) {
        x[i] = passes[i].ms;
        y[i] = passes[i].mj;
        tip[i] = ww_arena_printf(arena, "%s: %.4g ms, %.4g mJ", passes[i].label, x[i], y[i]);
        if (tip[i] == NULL) {
            return ww_no_memory(err);
        }
        if (passes[i].front) {
            front_x[k] = x[i];
            front_y[k] = y[i];
            label[k++] = passes[i].label;
        }
    }
    plot->kind = WW_PLOT_SCATTER;
    plot->chart.scatter = (ww_scatter_chart){.count = count,
                                             .x = x,
                                             .y = y,
                                             .name = tip,
                                             .x_axis = "time of the pass [ms]",
                                             .y_axis = axis,
                                             .caption = "",
                                             .front = front,
                                             .front_x = front_x,
                                             .front_y = front_y,
                                             .front_label = label};
    return WW_OK;
}

/* Joules of tokens and of images have no common axis: passes of the first one's unit are drawn. */
ww_status ww_figure_passes(const ww_report *report, ww_figures *f, ww_error *err)
{
    one *passes = WW_ARENA_NEW_ARRAY(&f->arena, one, report->count);
    size_t count = 0;
    if (passes == NULL) {
        return ww_no_memory(err);
    }
    for (size_t i = 0; i < report->count; i++) {
        if (report->set[i].pass != NULL) {
            WW_TRY(read_one(&report->set[i], &passes[count], err));
            count += strcmp(passes[count].unit, passes[0].unit) == 0;
        }
    }
    if (count < 2) {
        return WW_OK;
    }
    const size_t front = mark_front(passes, count);
    ww_figure *figure = ww_figures_add(f, "passes", "Joules against time",
                                       "Each pass by how long it takes and by the energy of one "
                                       "token or image of it. The line joins "
                                       "those that no other pass beats in both (Pareto): what lies "
                                       "above it costs time or energy for "
                                       "nothing.",
                                       1);
    if (figure == NULL) {
        return ww_no_memory(err);
    }
    put_csv(passes, count, &figure->csv);
    WW_TRY(ww_str_check(&figure->csv, err));
    return fill_scatter(passes, count, front, &f->arena, figure->plot, err);
}
