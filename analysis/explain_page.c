/* explain_page.c - see explain.h: the waterfall of a difference as a page. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/explain_lines.h"
#include "analysis/report_parts.h"
#include "base/assert.h"
#include "base/file.h"

enum { MOST_FIGURES = 7, SHOWN = 12, CHANGES_SHOWN = 30 }; /* rows of what differs most */

/* What is beside what, the difference by component and by cause as pictures, what differs most of
 * events and of lines, and all of either as tables that open. */
typedef struct page {
    ww_explanation *e;
    const char *base, *other; /* what the runs are called */
    ww_plot plot[MOST_FIGURES];
    ww_figure figure[MOST_FIGURES];
    size_t count;
    double scale; /* J to the unit below */
    const char *unit;
} page;

static const char *find_unit(double most_j, double least, double *scale)
{
    static const struct {
        double least_j, scale;
        const char *unit;
    } units[] = {{1, 1, "J"}, {1e-3, 1e3, "mJ"}, {1e-6, 1e6, "uJ"}, {0, 1e9, "nJ"}};
    size_t i = 0;
    while (i + 1 < WW_ARRAY_LEN(units) && most_j < least * units[i].least_j) {
        i++;
    }
    *scale = units[i].scale;
    return units[i].unit;
}

const char *ww_explain_unit_of(double most_j, double *scale)
{
    return find_unit(most_j, 10, scale);
}

const char *ww_explain_unit_of_rows(const ww_explain_row *const *row, size_t count, double *scale)
{
    double most_j = 0;
    for (size_t i = 0; i < count; i++) {
        most_j = fmax(most_j, fmax(row[i]->base.joules, row[i]->other.joules));
    }
    return ww_explain_unit_of(most_j, scale);
}

static double most_of_total(const ww_explanation *e)
{
    ww_explain_sum total = ww_explain_total(e);
    return fmax(total.base_j, total.other_j);
}

const char *ww_explain_unit_of_total(const ww_explanation *e, double *scale)
{
    return ww_explain_unit_of(most_of_total(e), scale);
}

const char *ww_explain_unit(const ww_explanation *e, double *scale)
{
    return find_unit(most_of_total(e), 1, scale);
}

static const char *const part_names[] = {"base",   "other",  "difference", "more events",
                                         "longer", "dearer", "both"};

/* Columns of texts and then of numbers, which have a unit. */
static void put_heads(ww_csv_writer *csv, const char *const *text, size_t texts,
                      const char *const *number, size_t numbers, const char *unit)
{
    for (size_t i = 0; i < texts; i++) {
        ww_csv_put_header(csv, text[i], NULL);
    }
    for (size_t i = 0; i < numbers; i++) {
        ww_csv_put_header(csv, number[i], unit);
    }
    ww_csv_end_row(csv);
}

static void put_parts(ww_csv_writer *csv, const ww_explain_sum *sum, double scale)
{
    WW_CSV_DOUBLES(csv, scale * sum->base_j, scale * sum->other_j,
                   scale * ww_explain_difference(sum), scale * sum->parts.more,
                   scale * sum->parts.longer, scale * sum->parts.dearer, scale * sum->parts.both);
    ww_csv_end_row(csv);
}

/* The next figure of the page, a table so far. */
static ww_figure *add(page *p, const char *name, const char *title, const char *note)
{
    WW_ASSERT(p->count < MOST_FIGURES);
    ww_figure *figure = &p->figure[p->count++];
    *figure = (ww_figure){.name = name, .title = title, .note = note};
    return figure;
}

/* Steps from one run to the other above the figure's table. */
static ww_status draw(page *p, ww_figure *figure, size_t steps, const char *const *step,
                      double *value, ww_error *err)
{
    ww_explanation *e = p->e;
    ww_plot *plot = &p->plot[figure - p->figure];
    const char *axis = ww_arena_printf(&e->arena, "energy [%s]", p->unit);
    if (axis == NULL) {
        return ww_no_memory(err);
    }
    for (size_t k = 0; k < steps; k++) {
        value[k] *= p->scale;
    }
    *plot = (ww_plot){.suffix = "",
                      .title = figure->title,
                      .description = figure->note,
                      .kind = WW_PLOT_WATERFALL,
                      .chart.waterfall = {.base_name = p->base,
                                          .other_name = p->other,
                                          .base = ww_explain_total(e).base_j * p->scale,
                                          .steps = steps,
                                          .name = step,
                                          .value = value,
                                          .axis = axis,
                                          .unit = p->unit}};
    figure->plot = plot;
    figure->plots = 1;
    return WW_OK;
}

/* In a column of texts, where parameters stand, too. */
static void put_number(ww_csv_writer *csv, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", value);
    ww_csv_put_text(csv, text);
}

static void put_side_by_side(ww_csv_writer *csv, const char *what, const char *unit, double base,
                             double other)
{
    ww_csv_put_text(csv, what);
    ww_csv_put_text(csv, unit);
    put_number(csv, base);
    put_number(csv, other);
    ww_csv_put_double(csv, base != 0 ? 100 * (other / base - 1) : (double)NAN);
    ww_csv_end_row(csv);
}

/* What the runs took, and in what their machines differ. */
static ww_status what_is_compared(page *p, ww_error *err)
{
    const ww_explain_run *base = &p->e->base, *other = &p->e->other;
    const ww_explain_sum total = ww_explain_total(p->e);
    ww_explain_change *change;
    size_t count;
    ww_csv_writer csv;
    WW_TRY(ww_explain_changes(p->e, &change, &count, err));
    ww_figure *figure = add(p, "runs", "What is compared",
                            count == 0 ? "What both runs took, on the same machine."
                                       : "What both runs took, and parameters in which their "
                                         "machines differ.");
    figure->open_table = count <= CHANGES_SHOWN;
    ww_csv_init(&csv, &figure->csv);
    ww_csv_put_header(&csv, "what", NULL);
    ww_csv_put_header(&csv, "unit", NULL);
    ww_csv_put_header(&csv, "base", NULL);
    ww_csv_put_header(&csv, "other", NULL);
    ww_csv_put_header(&csv, "difference", "%");
    ww_csv_end_row(&csv);
    put_side_by_side(&csv, "energy", p->unit, total.base_j * p->scale, total.other_j * p->scale);
    put_side_by_side(&csv, "time", "us", base->time_s * 1e6, other->time_s * 1e6);
    put_side_by_side(&csv, "cycles", "", base->cycles, other->cycles);
    put_side_by_side(&csv, "launches", "", (double)base->launches, (double)other->launches);
    for (size_t i = 0; i < count; i++) {
        ww_csv_put_text(&csv, change[i].key);
        ww_csv_put_text(&csv, strcmp(change[i].unit, "1") == 0 ? "" : change[i].unit);
        ww_csv_put_text(&csv, change[i].base);
        ww_csv_put_text(&csv, change[i].other);
        ww_csv_put_double(&csv, (double)NAN);
        ww_csv_end_row(&csv);
    }
    return ww_csv_finish(&csv, err);
}

static ww_status by_component(page *p, ww_error *err)
{
    static const char *const component = "component";
    ww_explain_sum *sum, total = ww_explain_total(p->e);
    size_t count;
    ww_csv_writer csv;
    WW_TRY(ww_explain_components(p->e, &sum, &count, err));
    const char **name = WW_ARENA_NEW_ARRAY(&p->e->arena, const char *, count + 1);
    double *value = WW_ARENA_NEW_ARRAY(&p->e->arena, double, count + 1);
    if (name == NULL || value == NULL) {
        return ww_no_memory(err);
    }
    ww_figure *figure = add(p, "components", "By component",
                            "From the base's energy to the other's, a step per component; static "
                            "energy is in the component that leaks.");
    ww_csv_init(&csv, &figure->csv);
    put_heads(&csv, &component, 1, part_names, WW_ARRAY_LEN(part_names), "J");
    for (size_t i = 0; i < count; i++) {
        name[i] = sum[i].name;
        value[i] = ww_explain_difference(&sum[i]);
        ww_csv_put_text(&csv, sum[i].name);
        put_parts(&csv, &sum[i], 1);
    }
    ww_csv_put_text(&csv, total.name);
    put_parts(&csv, &total, 1);
    WW_TRY(ww_csv_finish(&csv, err));
    return draw(p, figure, count, name, value, err);
}

static ww_status by_cause(page *p, ww_error *err)
{
    ww_explain_cause cause[WW_EXPLAIN_CAUSES];
    const char **name = WW_ARENA_NEW_ARRAY(&p->e->arena, const char *, WW_ARRAY_LEN(cause));
    double *value = WW_ARENA_NEW_ARRAY(&p->e->arena, double, WW_ARRAY_LEN(cause));
    size_t count = 0;
    ww_csv_writer csv;
    if (name == NULL || value == NULL) {
        return ww_no_memory(err);
    }
    ww_explain_rank_causes(ww_explain_by_cause(p->e), cause);
    ww_figure *figure = add(p, "causes", "By cause",
                            "The largest first. Other counts of events at the base's energies; "
                            "what mechanisms' own structures spend; what else one machine lacks; "
                            "background and leakage of another time; other energies per event, "
                            "powers and leakage.");
    ww_csv_init(&csv, &figure->csv);
    ww_csv_put_header(&csv, "cause", NULL);
    ww_csv_put_header(&csv, "difference", "J");
    ww_csv_end_row(&csv);
    for (size_t i = 0; i < WW_ARRAY_LEN(cause); i++) {
        ww_csv_put_text(&csv, cause[i].brief);
        ww_csv_put_double(&csv, cause[i].joules);
        ww_csv_end_row(&csv);
        if (cause[i].joules != 0) {
            name[count] = cause[i].brief;
            value[count++] = cause[i].joules;
        }
    }
    WW_TRY(ww_csv_finish(&csv, err));
    return draw(p, figure, count, name, value, err);
}

static ww_status most_of_events(page *p, ww_error *err)
{
    static const char *const texts[] = {"reason", "structure", "event"};
    const ww_explain_row **row;
    size_t all;
    double scale;
    ww_csv_writer csv;
    WW_TRY(ww_explain_ranked(p->e, &row, &all, err));
    const size_t shown = all < SHOWN ? all : SHOWN;
    if (shown == 0) {
        return WW_OK;
    }
    const char *unit = ww_explain_unit_of_rows(row, shown, &scale);
    ww_figure *figure = add(p, "most", "What differs most",
                            "Events of the largest differences, and what most of each comes of.");
    figure->open_table = true;
    ww_csv_init(&csv, &figure->csv);
    put_heads(&csv, texts, WW_ARRAY_LEN(texts), part_names, WW_ARRAY_LEN(part_names), unit);
    for (size_t i = 0; i < shown; i++) {
        ww_explain_sum sum = {0};
        ww_explain_add(&sum, row[i]);
        ww_csv_put_text(&csv, ww_explain_reason(row[i]));
        ww_csv_put_text(&csv, row[i]->structure);
        ww_csv_put_text(&csv, row[i]->event);
        put_parts(&csv, &sum, scale);
    }
    return ww_csv_finish(&csv, err);
}

static ww_status most_of_lines(page *p, const ww_explain_lines *lines, ww_error *err)
{
    static const char *const texts[] = {"kernel", "line", "text"};
    enum { SIDES = 3 }; /* base, other, difference: lines have no parts */
    const size_t shown = lines->count < SHOWN ? lines->count : SHOWN;
    double scale;
    ww_csv_writer csv;
    if (shown == 0 || lines->line[0].difference_j == 0) {
        return WW_OK;
    }
    const char *unit = ww_explain_unit_of_lines(lines, shown, &scale);
    ww_figure *figure = add(p, "most-lines", "Lines that differ most",
                            "Joules of the line's events in both runs; what no line causes is in "
                            "brackets.");
    figure->open_table = true;
    ww_csv_init(&csv, &figure->csv);
    put_heads(&csv, texts, WW_ARRAY_LEN(texts), part_names, SIDES, unit);
    for (size_t i = 0; i < shown && lines->line[i].difference_j != 0; i++) {
        const ww_explain_line *line = &lines->line[i];
        ww_csv_put_text(&csv, *line->kernel != '\0' ? line->kernel : line->workload);
        ww_csv_put_text(&csv, line->place);
        ww_csv_put_text(&csv, line->text);
        WW_CSV_DOUBLES(&csv, scale * line->base_j, scale * line->other_j,
                       scale * line->difference_j);
        ww_csv_end_row(&csv);
    }
    return ww_csv_finish(&csv, err);
}

static ww_status every_event(page *p, ww_error *err)
{
    ww_figure *figure = add(p, "events", "Every event",
                            "Amount x price of both runs: events x pJ, or seconds x W.");
    return ww_explain_export(p->e, &figure->csv, err);
}

static ww_status every_line(page *p, const ww_explain_lines *lines, ww_error *err)
{
    ww_figure *figure = add(p, "lines", "Every line",
                            "Joules of each line in both runs, those that differ most first; what "
                            "no line causes has rows without a place.");
    return ww_explain_export_lines(lines, &figure->csv, err);
}

/* By their folders' own names, where these tell them apart. */
static void name_runs(page *p)
{
    const char *base = ww_path_base(p->e->base.dir), *other = ww_path_base(p->e->other.dir);
    bool apart = strcmp(base, other) != 0 && *base != '\0' && *other != '\0';
    p->base = apart ? base : p->e->base.dir;
    p->other = apart ? other : p->e->other.dir;
}

static ww_status add_all(page *p, const ww_explain_lines *lines, ww_error *err)
{
    WW_TRY(what_is_compared(p, err));
    WW_TRY(by_component(p, err));
    WW_TRY(by_cause(p, err));
    WW_TRY(most_of_events(p, err));
    if (lines->known) {
        WW_TRY(most_of_lines(p, lines, err));
    }
    WW_TRY(every_event(p, err));
    return lines->known ? every_line(p, lines, err) : WW_OK;
}

ww_status ww_explain_page(ww_explanation *e, const ww_explain_lines *lines, const char *html_path,
                          const char *version, ww_error *err)
{
    page p = {.e = e};
    p.unit = ww_explain_unit(e, &p.scale);
    name_runs(&p);
    const char *title = ww_arena_printf(&e->arena, "%s: energy beside %s", p.other, p.base);
    ww_status status = title != NULL ? add_all(&p, lines, err) : ww_no_memory(err);
    status = status == WW_OK
                 ? ww_report_write_plain(html_path, title, version, p.figure, p.count, err)
                 : status;
    for (size_t i = 0; i < p.count; i++) {
        ww_str_fini(&p.figure[i].csv);
    }
    return status;
}
