/* explain_page.c - see explain.h: the waterfall of a difference as a page. */
#include <math.h>
#include <string.h>

#include "analysis/explain_lines.h"
#include "analysis/report_parts.h"
#include "base/file.h"

enum { FIGURES = 4 };

/* Three pictures: by component, by cause, and the table of every event. */
typedef struct page {
    ww_explanation *e;
    const char *base, *other; /* what the runs are called */
    ww_plot plot[FIGURES];
    ww_figure figure[FIGURES];
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

static void put_parts_head(ww_csv_writer *csv, const char *what)
{
    static const char *const names[] = {"base",   "other",  "difference", "more events",
                                        "longer", "dearer", "both"};
    ww_csv_put_header(csv, what, NULL);
    for (size_t i = 0; i < WW_ARRAY_LEN(names); i++) {
        ww_csv_put_header(csv, names[i], "J");
    }
    ww_csv_end_row(csv);
}

static void put_parts(ww_csv_writer *csv, const ww_explain_sum *sum)
{
    ww_csv_put_text(csv, sum->name);
    WW_CSV_DOUBLES(csv, sum->base_j, sum->other_j, ww_explain_difference(sum), sum->parts.more,
                   sum->parts.longer, sum->parts.dearer, sum->parts.both);
    ww_csv_end_row(csv);
}

static ww_status draw(page *p, size_t i, const char *name, const char *title, const char *note,
                      size_t steps, const char *const *step, double *value, ww_error *err)
{
    ww_explanation *e = p->e;
    const char *axis = ww_arena_printf(&e->arena, "energy [%s]", p->unit);
    if (axis == NULL) {
        return ww_no_memory(err);
    }
    for (size_t k = 0; k < steps; k++) {
        value[k] *= p->scale;
    }
    p->plot[i] = (ww_plot){.suffix = "",
                           .title = title,
                           .description = note,
                           .kind = WW_PLOT_WATERFALL,
                           .chart.waterfall = {.base_name = p->base,
                                               .other_name = p->other,
                                               .base = ww_explain_total(e).base_j * p->scale,
                                               .steps = steps,
                                               .name = step,
                                               .value = value,
                                               .axis = axis,
                                               .unit = p->unit}};
    p->figure[i] = (ww_figure){.name = name,
                               .title = title,
                               .note = note,
                               .plot = &p->plot[i],
                               .plots = 1,
                               .csv = p->figure[i].csv};
    return WW_OK;
}

static ww_status by_component(page *p, ww_error *err)
{
    ww_explain_sum *sum, total = ww_explain_total(p->e);
    size_t count;
    ww_csv_writer csv;
    WW_TRY(ww_explain_components(p->e, &sum, &count, err));
    const char **name = WW_ARENA_NEW_ARRAY(&p->e->arena, const char *, count + 1);
    double *value = WW_ARENA_NEW_ARRAY(&p->e->arena, double, count + 1);
    if (name == NULL || value == NULL) {
        return ww_no_memory(err);
    }
    ww_csv_init(&csv, &p->figure[0].csv);
    put_parts_head(&csv, "component");
    for (size_t i = 0; i < count; i++) {
        name[i] = sum[i].name;
        value[i] = ww_explain_difference(&sum[i]);
        put_parts(&csv, &sum[i]);
    }
    put_parts(&csv, &total);
    WW_TRY(ww_csv_finish(&csv, err));
    return draw(p, 0, "components", "By component",
                "From the base's energy to the other's, a step per component; static energy is in "
                "the component that leaks.",
                count, name, value, err);
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
    ww_csv_init(&csv, &p->figure[1].csv);
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
    return draw(p, 1, "causes", "By cause",
                "The largest first. Other counts of events at the base's energies; what "
                "mechanisms' own structures "
                "spend; what else one machine lacks; background and leakage of another time; other "
                "energies per event, powers "
                "and leakage.",
                count, name, value, err);
}

static ww_status every_event(page *p, ww_error *err)
{
    p->figure[2] = (ww_figure){.name = "events",
                               .title = "Every event",
                               .note = "Amount x price of both runs: events x pJ, or seconds x W.",
                               .csv = p->figure[2].csv};
    return ww_explain_export(p->e, &p->figure[2].csv, err);
}

/* By their folders' own names, where these tell them apart. */
static void name_runs(page *p)
{
    const char *base = ww_path_base(p->e->base.dir), *other = ww_path_base(p->e->other.dir);
    bool apart = strcmp(base, other) != 0 && *base != '\0' && *other != '\0';
    p->base = apart ? base : p->e->base.dir;
    p->other = apart ? other : p->e->other.dir;
}

static ww_status every_line(page *p, const ww_explain_lines *lines, ww_error *err)
{
    p->figure[3] = (ww_figure){.name = "lines",
                               .title = "Lines",
                               .note = "Joules of each line in both runs, those that differ most "
                                       "first; what no line causes has rows without a place.",
                               .csv = p->figure[3].csv};
    return ww_explain_export_lines(lines, &p->figure[3].csv, err);
}

ww_status ww_explain_page(ww_explanation *e, const ww_explain_lines *lines, const char *html_path,
                          const char *version, ww_error *err)
{
    page p = {.e = e};
    p.unit = ww_explain_unit(e, &p.scale);
    name_runs(&p);
    const char *title = ww_arena_printf(&e->arena, "%s: energy beside %s", p.other, p.base);
    ww_status status = title != NULL ? by_component(&p, err) : ww_no_memory(err);
    status = status == WW_OK ? by_cause(&p, err) : status;
    status = status == WW_OK ? every_event(&p, err) : status;
    status = status == WW_OK && lines->known ? every_line(&p, lines, err) : status;
    status = status == WW_OK ? ww_report_write_plain(html_path, title, version, p.figure,
                                                     lines->known ? FIGURES : FIGURES - 1, err)
                             : status;
    for (size_t i = 0; i < FIGURES; i++) {
        ww_str_fini(&p.figure[i].csv);
    }
    return status;
}
