/* report_trace.c - power over time: launches one after the other, averaged into as many steps as a
 * plot can show. */
#include <math.h>
#include <string.h>

#include "analysis/kernel_name.h"
#include "analysis/report_parts.h"

enum { MAX_STEPS = 400, MAX_BANDS = 200, FIXED_COLUMNS = 5 };

/* The columns of trace.csv. */
typedef struct trace {
    const ww_csv *csv;
    size_t workload, kernel, launch, start, end;
    size_t series;
    size_t column[64]; /* of each series */
    const char **name;
    double *edge;  /* [rows + 1] all launches on one axis of time */
    double *value; /* [rows * series] */
    size_t rows;
} trace;

static ww_status find_columns(trace *t, ww_arena *arena, ww_error *err)
{
    WW_TRY(ww_csv_find(t->csv, "workload", &t->workload, err));
    WW_TRY(ww_csv_find(t->csv, "kernel", &t->kernel, err));
    WW_TRY(ww_csv_find(t->csv, "launch", &t->launch, err));
    WW_TRY(ww_csv_find(t->csv, "start", &t->start, err));
    WW_TRY(ww_csv_find(t->csv, "end", &t->end, err));
    t->name = WW_ARENA_NEW_ARRAY(arena, const char *, WW_ARRAY_LEN(t->column));
    if (t->name == NULL) {
        return ww_no_memory(err);
    }
    for (size_t c = 0; c < ww_csv_columns(t->csv); c++) {
        const char *name = ww_csv_name(t->csv, c);
        bool is_power = strcmp(ww_csv_unit(t->csv, c), "W") == 0 && strcmp(name, "total") != 0;
        if (is_power && t->series < WW_ARRAY_LEN(t->column)) {
            t->name[t->series] = name;
            t->column[t->series++] = c;
        }
    }
    return WW_OK;
}

static bool same_launch(const trace *t, size_t a, size_t b)
{
    return strcmp(ww_csv_text(t->csv, a, t->workload), ww_csv_text(t->csv, b, t->workload)) == 0 &&
           strcmp(ww_csv_text(t->csv, a, t->kernel), ww_csv_text(t->csv, b, t->kernel)) == 0 &&
           strcmp(ww_csv_text(t->csv, a, t->launch), ww_csv_text(t->csv, b, t->launch)) == 0;
}

/* Puts launches one behind the other; within a launch, each interval must begin where the one
 * before ended. */
static ww_status read_rows(trace *t, ww_error *err)
{
    double offset = 0, expected = 0;
    for (size_t row = 0; row < t->rows; row++) {
        double start, end;
        WW_TRY(ww_csv_double(t->csv, row, t->start, &start, err));
        WW_TRY(ww_csv_double(t->csv, row, t->end, &end, err));
        if (row == 0 || !same_launch(t, row - 1, row)) {
            offset = t->edge[row] - start;
        } else if (fabs(start - expected) > 1e-9 * fabs(expected)) {
            return ww_csv_fail(t->csv, row, t->start, err, WW_ESCHEMA,
                               "interval begins at %g s, and the one before ended at %g s", start,
                               expected);
        }
        if (!(end > start)) {
            return ww_csv_fail(t->csv, row, t->end, err, WW_ESCHEMA,
                               "interval ends before it begins");
        }
        expected = end;
        t->edge[row + 1] = offset + end;
        for (size_t s = 0; s < t->series; s++) {
            WW_TRY(ww_csv_double(t->csv, row, t->column[s], &t->value[row * t->series + s], err));
        }
    }
    return WW_OK;
}

/* Averages rows into MAX_STEPS equal steps; the integral over time stays what it was. */
static void resample(const trace *t, double *edge, double *value)
{
    double span = t->edge[t->rows], width = span / MAX_STEPS;
    size_t row = 0;
    edge[0] = 0;
    for (size_t i = 0; i < MAX_STEPS; i++) {
        double from = edge[i], to = i + 1 < MAX_STEPS ? width * (double)(i + 1) : span;
        edge[i + 1] = to;
        while (row > 0 && t->edge[row] > from) {
            row--;
        }
        for (; row < t->rows && t->edge[row] < to; row++) {
            double overlap = fmin(to, t->edge[row + 1]) - fmax(from, t->edge[row]);
            for (size_t s = 0; s < t->series && overlap > 0; s++) {
                value[i * t->series + s] += t->value[row * t->series + s] * overlap / (to - from);
            }
        }
    }
}

static ww_status add_bands(const trace *t, ww_arena *arena, ww_area_chart *c, ww_error *err)
{
    double *edge = WW_ARENA_NEW_ARRAY(arena, double, MAX_BANDS + 2);
    const char **name = WW_ARENA_NEW_ARRAY(arena, const char *, MAX_BANDS + 1);
    size_t count = 0;
    if (edge == NULL || name == NULL) {
        return ww_no_memory(err);
    }
    for (size_t row = 0; row < t->rows; row++) {
        const char *label = ww_study_label(arena, ww_csv_text(t->csv, row, t->workload),
                                           ww_csv_text(t->csv, row, t->kernel));
        label = label != NULL ? ww_kernel_plain(arena, label) : NULL;
        if (label == NULL) {
            return ww_no_memory(err);
        }
        if (count == 0 || strcmp(name[count - 1], label) != 0) {
            if (count == MAX_BANDS) {
                return WW_OK; /* too many to tell apart: none */
            }
            edge[count] = t->edge[row];
            name[count++] = label;
        }
    }
    edge[count] = t->edge[t->rows];
    c->bands = count;
    c->band_edge = edge;
    c->band = name;
    return WW_OK;
}

static ww_status put_csv(const ww_area_chart *c, ww_str *out, ww_error *err)
{
    ww_csv_writer csv;
    ww_csv_init(&csv, out);
    ww_csv_put_header(&csv, "start", "s");
    ww_csv_put_header(&csv, "end", "s");
    for (size_t s = 0; s < c->series; s++) {
        ww_csv_put_header(&csv, c->name[s], "W");
    }
    ww_csv_end_row(&csv);
    for (size_t i = 0; i < c->steps; i++) {
        ww_csv_put_double(&csv, c->edge[i]);
        ww_csv_put_double(&csv, c->edge[i + 1]);
        for (size_t s = 0; s < c->series; s++) {
            ww_csv_put_double(&csv, c->value[i * c->series + s]);
        }
        ww_csv_end_row(&csv);
    }
    return ww_csv_finish(&csv, err);
}

/* ---- clock and temperature, where a governor or heat moved them ---- */

/* A column of the trace, in another unit: value x factor + offset. */
typedef struct quantity {
    const char *column, *suffix, *title, *axis;
    double factor, offset;
} quantity;

static const quantity quantities[] = {
    {"core_clock", "clock", "Core clock", "core clock [MHz]", 1e-6, 0},
    {"temperature", "temperature", "Temperature", "die [degrees Celsius]", 1, -273.15},
};

static bool has_column(const ww_csv *csv, const char *name)
{
    for (size_t c = 0; c < ww_csv_columns(csv); c++) {
        if (strcmp(ww_csv_name(csv, c), name) == 0) {
            return true;
        }
    }
    return false;
}

/* One step chart over the times of the trace. */
static ww_status draw_quantity(const trace *t, const quantity *q, size_t steps, ww_arena *arena,
                               ww_plot *plot, ww_error *err)
{
    size_t column = 0;
    trace one = *t;
    double *edge = WW_ARENA_NEW_ARRAY(arena, double, steps + 1);
    double *value = WW_ARENA_NEW_ARRAY(arena, double, steps);
    one.series = 1;
    one.name = WW_ARENA_NEW_ARRAY(arena, const char *, 1);
    one.value = WW_ARENA_NEW_ARRAY(arena, double, t->rows);
    if (edge == NULL || value == NULL || one.name == NULL || one.value == NULL) {
        return ww_no_memory(err);
    }
    WW_TRY(ww_csv_find(t->csv, q->column, &column, err));
    for (size_t row = 0; row < t->rows; row++) {
        WW_TRY(ww_csv_double(t->csv, row, column, &one.value[row], err));
        one.value[row] = one.value[row] * q->factor + q->offset;
    }
    if (steps < t->rows) {
        resample(&one, edge, value);
    }
    one.name[0] = q->title;
    plot->kind = WW_PLOT_AREA;
    plot->suffix = q->suffix;
    plot->title = q->title;
    plot->description = "A step per interval, launches one behind the other.";
    plot->chart.area = (ww_area_chart){.steps = steps,
                                       .series = 1,
                                       .edge = steps < t->rows ? edge : t->edge,
                                       .value = steps < t->rows ? value : one.value,
                                       .name = one.name,
                                       .axis = q->axis,
                                       .course = true};
    return add_bands(t, arena, &plot->chart.area, err);
}

static ww_status add_schedule(const trace *t, size_t steps, ww_figures *out, ww_error *err)
{
    enum { PLOTS = 2 };
    _Static_assert(PLOTS == WW_ARRAY_LEN(quantities), "a plot each");
    if (!has_column(t->csv, quantities[0].column)) {
        return WW_OK;
    }
    ww_figure *figure = ww_figures_add(out, "schedule", "Clock and temperature over time",
                                       "What each interval ran at, over the times of the power "
                                       "above it: the clock as the governor "
                                       "set it, the die's temperature as its power left it.",
                                       PLOTS);
    if (figure == NULL) {
        return ww_no_memory(err);
    }
    ww_csv_writer csv;
    for (size_t i = 0; i < PLOTS; i++) {
        WW_TRY(draw_quantity(t, &quantities[i], steps, &out->arena, &figure->plot[i], err));
    }
    const ww_area_chart *clock = &figure->plot[0].chart.area, *heat = &figure->plot[1].chart.area;
    ww_csv_init(&csv, &figure->csv);
    WW_CSV_HEAD(&csv, {"start", "s"}, {"end", "s"}, {"core_clock", "MHz"}, {"temperature", "C"});
    ww_csv_end_row(&csv);
    for (size_t i = 0; i < steps; i++) {
        WW_CSV_DOUBLES(&csv, clock->edge[i], clock->edge[i + 1], clock->value[i], heat->value[i]);
        ww_csv_end_row(&csv);
    }
    return ww_csv_finish(&csv, err);
}

ww_status ww_figure_trace(const ww_report_set *set, ww_figures *out, ww_error *err)
{
    trace t = {.csv = set->trace, .rows = ww_csv_rows(set->trace)};
    ww_arena *arena = &out->arena;
    WW_TRY(find_columns(&t, arena, err));
    if (t.rows == 0 || t.series == 0) {
        return WW_OK;
    }
    bool dense = t.rows > MAX_STEPS;
    size_t steps = dense ? MAX_STEPS : t.rows;
    ww_figure *figure =
        ww_figures_add(out, "trace", "Power over time",
                       dense ? "Launches one behind the other, averaged into 400 steps; the area "
                               "is the energy. The strip below the axis names the kernels."
                             : "Launches one behind the other, a step per interval; the area is "
                               "the energy. The strip below the axis names the kernels.",
                       1);
    t.edge = WW_ARENA_NEW_ARRAY(arena, double, t.rows + 1);
    t.value = WW_ARENA_NEW_ARRAY(arena, double, t.rows *t.series);
    double *edge = WW_ARENA_NEW_ARRAY(arena, double, steps + 1);
    double *value = WW_ARENA_NEW_ARRAY(arena, double, steps *t.series);
    if (figure == NULL || t.edge == NULL || t.value == NULL || edge == NULL || value == NULL) {
        return ww_no_memory(err);
    }
    WW_TRY(read_rows(&t, err));
    if (dense) {
        resample(&t, edge, value);
    }
    figure->plot->kind = WW_PLOT_AREA;
    figure->plot->chart.area = (ww_area_chart){.steps = steps,
                                               .series = t.series,
                                               .edge = dense ? edge : t.edge,
                                               .value = dense ? value : t.value,
                                               .name = t.name,
                                               .axis = "power [W]"};
    WW_TRY(add_bands(&t, arena, &figure->plot->chart.area, err));
    WW_TRY(put_csv(&figure->plot->chart.area, &figure->csv, err));
    return add_schedule(&t, steps, out, err);
}
