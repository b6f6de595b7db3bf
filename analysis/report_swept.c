/* report_swept.c - lines over a swept parameter: sets of a report whose machines differ in one
 * number. */
#include <math.h>
#include <string.h>

#include "analysis/kernel_name.h"
#include "analysis/report_parts.h"
#include "base/num.h"

enum { FEWEST_SETS = 3, MOST_KERNELS = 8 };

static double number_of(const ww_report_set *set, const char *key)
{
    double value;
    const char *text = ww_run_info_value(&set->info, key);
    return text != NULL && ww_num_parse_double(text, &value, NULL) == WW_OK ? value : (double)NAN;
}

static bool differs(const ww_report *report, const char *key)
{
    const char *first = ww_run_info_value(&report->set[0].info, key);
    for (size_t i = 1; i < report->count; i++) {
        const char *other = ww_run_info_value(&report->set[i].info, key);
        if (first == NULL || other == NULL || strcmp(first, other) != 0) {
            return true;
        }
    }
    return false;
}

/* The one parameter in which the sets differ; NULL when there are none or several, or some set does
 * not say. */
static const ww_run_parameter *find_swept(const ww_report *report)
{
    const ww_run_info *info = &report->set[0].info;
    const ww_run_parameter *found = NULL;
    for (size_t i = 0; i < report->count; i++) {
        if (report->set[i].info.parameter_count != info->parameter_count) {
            return NULL; /* other mechanisms */
        }
    }
    for (size_t i = 0; i < info->parameter_count; i++) {
        if (differs(report, info->parameter[i].key)) {
            if (found != NULL) {
                return NULL;
            }
            found = &info->parameter[i];
        }
    }
    return found;
}

/* Sets in the order of the parameter, each at a place of its own. */
static bool sort_sets(const ww_report *report, const char *key, size_t *order, double *x)
{
    for (size_t i = 0; i < report->count; i++) {
        double value = number_of(&report->set[i], key);
        size_t at = i;
        if (!isfinite(value)) {
            return false;
        }
        for (; at > 0 && x[at - 1] >= value; at--) {
            if (x[at - 1] == value) {
                return false;
            }
            x[at] = x[at - 1];
            order[at] = order[at - 1];
        }
        x[at] = value;
        order[at] = i;
    }
    return true;
}

/* The lines of one plot. */
typedef struct lines {
    size_t series;
    const char **name;
    double *value; /* [sets * series] */
    double *sigma; /* likewise */
} lines;

static ww_status new_lines(size_t sets, size_t series, ww_arena *arena, lines *out, ww_error *err)
{
    *out = (lines){.series = series,
                   .name = WW_ARENA_NEW_ARRAY(arena, const char *, series),
                   .value = WW_ARENA_NEW_ARRAY(arena, double, sets *series),
                   .sigma = WW_ARENA_NEW_ARRAY(arena, double, sets *series)};
    return out->name != NULL && out->value != NULL && out->sigma != NULL ? WW_OK
                                                                         : ww_no_memory(err);
}

static void draw(ww_plot *plot, const char *suffix, const char *title, const lines *l, size_t sets,
                 const double *x, const char *x_axis)
{
    plot->kind = WW_PLOT_LINES;
    plot->suffix = suffix;
    plot->title = title;
    plot->description = "Lines over the parameter, a point per set.";
    plot->chart.lines = (ww_line_chart){.points = sets,
                                        .series = l->series,
                                        .x = x,
                                        .name = l->name,
                                        .value = l->value,
                                        .sigma = l->sigma,
                                        .x_axis = x_axis,
                                        .y_axis = title,
                                        .against_one = true};
}

static void put_csv(const ww_comparison *c, const ww_run_parameter *p, const size_t *order,
                    const double *x, ww_str *out)
{
    ww_csv_writer csv;
    ww_csv_init(&csv, out);
    ww_csv_put_header(&csv, "set", NULL);
    ww_csv_put_header(&csv, p->key, p->unit);
    for (int q = 0; q < WW_QUANTITY_COUNT; q++) {
        ww_csv_put_header(&csv, ww_quantity_name((ww_quantity)q), "1");
    }
    ww_csv_put_header(&csv, "power_plus_minus", "1");
    ww_csv_put_header(&csv, "energy_plus_minus", "1");
    ww_csv_end_row(&csv);
    for (size_t i = 0; i < c->sets; i++) {
        ww_csv_put_text(&csv, c->set[order[i]]);
        ww_csv_put_double(&csv, x[i]);
        for (int q = 0; q < WW_QUANTITY_COUNT; q++) {
            ww_csv_put_double(&csv, ww_comparison_geomean(c, order[i], (ww_quantity)q));
        }
        ww_csv_put_double(
            &csv, ww_comparison_ratio_uncertainty(c, order[i], c->kernels, WW_QUANTITY_POWER));
        ww_csv_put_double(
            &csv, ww_comparison_ratio_uncertainty(c, order[i], c->kernels, WW_QUANTITY_ENERGY));
        ww_csv_end_row(&csv);
    }
}

static void fill_means(const ww_comparison *c, const size_t *order, lines *means)
{
    for (size_t q = 0; q < WW_QUANTITY_COUNT; q++) {
        means->name[q] = ww_quantity_name((ww_quantity)q);
        for (size_t i = 0; i < c->sets; i++) {
            means->value[i * WW_QUANTITY_COUNT + q] =
                ww_comparison_geomean(c, order[i], (ww_quantity)q);
            means->sigma[i * WW_QUANTITY_COUNT + q] =
                ww_comparison_ratio_uncertainty(c, order[i], c->kernels, (ww_quantity)q);
        }
    }
}

static void fill_kernels(const ww_comparison *c, const size_t *order, ww_arena *arena,
                         lines *kernels)
{
    for (size_t k = 0; k < c->kernels; k++) {
        kernels->name[k] = ww_kernel_plain(arena, c->kernel[k]);
        for (size_t i = 0; i < c->sets; i++) {
            kernels->value[i * c->kernels + k] =
                ww_comparison_ratio(c, order[i], k, WW_QUANTITY_ENERGY);
            kernels->sigma[i * c->kernels + k] =
                ww_comparison_ratio_uncertainty(c, order[i], k, WW_QUANTITY_ENERGY);
        }
    }
}

/* ---- lines that hide each other ---- */

/* What a drawing of this height cannot tell apart. */
static double least_apart(const lines *l, size_t sets)
{
    enum { STEPS = 500 };
    double lo = 1, hi = 1;
    for (size_t i = 0; i < sets * l->series; i++) {
        if (isfinite(l->value[i])) {
            lo = fmin(lo, l->value[i]);
            hi = fmax(hi, l->value[i]);
        }
    }
    return fmax((hi - lo) / STEPS, 1e-12);
}

static bool coincide(const lines *l, size_t sets, size_t a, size_t b)
{
    double apart = least_apart(l, sets);
    for (size_t i = 0; i < sets; i++) {
        if (!(fabs(l->value[i * l->series + a] - l->value[i * l->series + b]) <= apart)) {
            return false;
        }
    }
    return true;
}

/* The first line that this one lies on; itself when it is the first. */
static size_t first_of(const lines *l, size_t sets, size_t s)
{
    size_t first = 0;
    while (first < s && !coincide(l, sets, first, s)) {
        first++;
    }
    return first;
}

/* " The lines of IPC and time lie on each other." */
static void put_hidden(const lines *l, size_t sets, ww_str *out)
{
    for (size_t s = 0; s < l->series; s++) {
        size_t hidden = 0, told = 0;
        if (first_of(l, sets, s) != s) {
            continue;
        }
        for (size_t t = s + 1; t < l->series; t++) {
            hidden += first_of(l, sets, t) == s;
        }
        if (hidden > 0) {
            ww_str_addf(out, " The lines of %s", l->name[s]);
        }
        for (size_t t = s + 1; hidden > 0 && t < l->series; t++) {
            if (first_of(l, sets, t) == s) {
                ww_str_addf(out, "%s%s", ++told == hidden ? " and " : ", ", l->name[t]);
            }
        }
        ww_str_add(out, hidden > 0 ? " lie on each other." : "");
    }
}

/* ---- the figure ---- */

static const char *note_of(const ww_comparison *c, const char *key, const lines *means,
                           ww_arena *arena)
{
    ww_str text = {0};
    ww_str_addf(&text,
                "The sets differ in %s alone. Ratios to %s, geometric means over %zu kernel%s%s.",
                key, c->set[0], c->kernels, c->kernels == 1 ? "" : "s",
                c->kernels <= MOST_KERNELS ? "; below, the energy of each kernel" : "");
    put_hidden(means, c->sets, &text);
    const char *note = ww_str_check(&text, NULL) == WW_OK
                           ? ww_arena_strndup(arena, ww_str_text(&text), text.len)
                           : NULL;
    ww_str_fini(&text);
    return note;
}

/* Ticks are in the unit in which the values are read best. */
static const char *scale_axis(const ww_run_parameter *p, size_t sets, double *x, ww_arena *arena)
{
    double scale;
    const char *unit = ww_report_unit(p->unit, x, sets, &scale);
    for (size_t i = 0; i < sets; i++) {
        x[i] /= scale;
    }
    return unit[0] == '\0' ? p->key : ww_arena_printf(arena, "%s [%s]", p->key, unit);
}

static ww_status build(const ww_report *report, const ww_run_parameter *p, const size_t *order,
                       double *x, ww_figures *f, ww_error *err)
{
    const ww_comparison *c = &f->comparison;
    lines means, kernels;
    WW_TRY(new_lines(c->sets, WW_QUANTITY_COUNT, &f->arena, &means, err));
    WW_TRY(new_lines(c->sets, c->kernels, &f->arena, &kernels, err));
    fill_means(c, order, &means);
    fill_kernels(c, order, &f->arena, &kernels);
    const char *title = ww_arena_printf(&f->arena, "Over %s", p->key);
    const char *note = note_of(c, p->key, &means, &f->arena);
    ww_figure *figure =
        title != NULL && note != NULL
            ? ww_figures_add(f, "swept", title, note, c->kernels <= MOST_KERNELS ? 2 : 1)
            : NULL;
    if (figure == NULL) {
        return ww_no_memory(err);
    }
    put_csv(c, p, order, x, &figure->csv);
    WW_TRY(ww_str_check(&figure->csv, err));
    const char *x_axis = scale_axis(p, report->count, x, &f->arena);
    if (x_axis == NULL) {
        return ww_no_memory(err);
    }
    draw(&figure->plot[0], "mean", "geometric mean of ratios to the base", &means, c->sets, x,
         x_axis);
    if (figure->plots > 1) {
        draw(&figure->plot[1], "energy", "energy relative to the base", &kernels, c->sets, x,
             x_axis);
    }
    return WW_OK;
}

ww_status ww_figure_swept(const ww_report *report, ww_figures *f, ww_error *err)
{
    const ww_run_parameter *p = report->count >= FEWEST_SETS ? find_swept(report) : NULL;
    if (p == NULL || f->comparison.kernels == 0) {
        return WW_OK;
    }
    size_t *order = WW_ARENA_NEW_ARRAY(&f->arena, size_t, report->count);
    double *x = WW_ARENA_NEW_ARRAY(&f->arena, double, report->count);
    if (order == NULL || x == NULL) {
        return ww_no_memory(err);
    }
    return sort_sets(report, p->key, order, x) ? build(report, p, order, x, f, err) : WW_OK;
}

void ww_report_order(ww_report *report)
{
    const ww_run_parameter *p = report->count >= FEWEST_SETS ? find_swept(report) : NULL;
    if (p == NULL) {
        return;
    }
    const char *key = p->key;
    for (size_t i = 0; i < report->count; i++) {
        if (!isfinite(number_of(&report->set[i], key))) {
            return;
        }
    }
    for (size_t i = 2; i < report->count; i++) {
        ww_report_set moved = report->set[i];
        double value = number_of(&moved, key);
        size_t at = i;
        for (; at > 1 && number_of(&report->set[at - 1], key) > value; at--) {
            report->set[at] = report->set[at - 1];
        }
        report->set[at] = moved;
    }
}
