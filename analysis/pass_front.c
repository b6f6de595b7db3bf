/* pass_front.c - see pass_front.h. */
#include "analysis/pass_front.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
ww_status ww_pass_point_read(const ww_csv *operators, const char *name, const char *label,
                             ww_pass_point *out, ww_error *err)
{
    size_t units, unit;
    double seconds, joules, n;
    if (ww_csv_rows(operators) == 0) {
        return ww_fail(err, WW_ESCHEMA, "operators.csv has no operators");
    }
    WW_TRY(sum_of(operators, "time", &seconds, err));
    WW_TRY(sum_of(operators, "energy", &joules, err));
    WW_TRY(ww_csv_find(operators, "units", &units, err));
    WW_TRY(ww_csv_find(operators, "unit", &unit, err));
    WW_TRY(ww_csv_double(operators, 0, units, &n, err));
    *out = (ww_pass_point){.name = name,
                           .label = label,
                           .unit = n > 0 ? ww_csv_text(operators, 0, unit) : "pass",
                           .ms = 1e3 * seconds,
                           .mj = 1e3 * joules / (n > 0 ? n : 1)};
    return WW_OK;
}

static int by_time(const void *a, const void *b)
{
    const ww_pass_point *x = a, *y = b;
    return x->ms != y->ms ? (x->ms > y->ms) - (x->ms < y->ms) : (x->mj > y->mj) - (x->mj < y->mj);
}

void ww_pass_front_mark(ww_pass_point *point, size_t count)
{
    double least = INFINITY;
    qsort(point, count, sizeof *point, by_time);
    for (size_t i = 0; i < count; i++) {
        point[i].front = point[i].mj < least;
        least = fmin(least, point[i].mj);
    }
}

void ww_pass_front_csv(const ww_pass_point *point, size_t count, ww_str *out)
{
    ww_csv_writer csv;
    ww_csv_init(&csv, out);
    WW_CSV_HEAD(&csv, {"pass", NULL}, {"unit", NULL}, {"time", "ms"}, {"energy_per_unit", "mJ"},
                {"front", "1"});
    ww_csv_end_row(&csv);
    for (size_t i = 0; i < count; i++) {
        ww_csv_put_text(&csv, point[i].name);
        ww_csv_put_text(&csv, point[i].unit);
        ww_csv_put_double(&csv, point[i].ms);
        ww_csv_put_double(&csv, point[i].mj);
        ww_csv_put_u64(&csv, point[i].front);
        ww_csv_end_row(&csv);
    }
}

ww_status ww_pass_front_chart(const ww_pass_point *point, size_t count, ww_arena *arena,
                              ww_scatter_chart *out, ww_error *err)
{
    double *x = WW_ARENA_NEW_ARRAY(arena, double, count),
           *y = WW_ARENA_NEW_ARRAY(arena, double, count);
    double *front_x = WW_ARENA_NEW_ARRAY(arena, double, count);
    double *front_y = WW_ARENA_NEW_ARRAY(arena, double, count);
    const char **tip = WW_ARENA_NEW_ARRAY(arena, const char *, count);
    const char **label = WW_ARENA_NEW_ARRAY(arena, const char *, count);
    const char *axis = ww_arena_printf(arena, "energy of a %s [mJ]", point[0].unit);
    size_t front = 0;
    if (x == NULL || y == NULL || front_x == NULL || front_y == NULL || tip == NULL ||
        label == NULL || axis == NULL) {
        return ww_no_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        x[i] = point[i].ms;
        y[i] = point[i].mj;
        tip[i] = ww_arena_printf(arena, "%s: %.4g ms, %.4g mJ", point[i].name, x[i], y[i]);
        if (tip[i] == NULL) {
            return ww_no_memory(err);
        }
        if (point[i].front) {
            front_x[front] = x[i];
            front_y[front] = y[i];
            label[front++] = point[i].label;
        }
    }
    *out = (ww_scatter_chart){.count = count,
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
