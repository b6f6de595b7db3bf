/* report_compare.c - the figure that compares the sets of a report. */
#include <math.h>
#include <string.h>

#include "analysis/report_parts.h"
#include "analysis/kernel_name.h"

static const ww_quantity per_kernel[] = {WW_QUANTITY_IPC, WW_QUANTITY_ENERGY};

/* What is uncertain. */
static const struct sure {
    ww_quantity of;
    const char *own, *ratio, *difference; /* columns */
} sure[] = {
    {WW_QUANTITY_POWER, "power_plus_minus", "power_ratio_plus_minus", "power_difference"},
    {WW_QUANTITY_ENERGY, "energy_plus_minus", "energy_ratio_plus_minus", "energy_difference"},
    {WW_QUANTITY_EDP, "EDP_plus_minus", "EDP_ratio_plus_minus", "EDP_difference"},
};

static void head_sure(ww_csv_writer *csv)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(sure); i++) {
        ww_csv_put_header(csv, sure[i].own, ww_quantity_unit(sure[i].of));
        ww_csv_put_header(csv, sure[i].ratio, "1");
        ww_csv_put_header(csv, sure[i].difference, NULL);
    }
}

static void put_sure(const ww_comparison *c, size_t set, size_t k, ww_csv_writer *csv)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(sure); i++) {
        ww_csv_put_double(csv, ww_comparison_uncertainty(c, set, k, sure[i].of));
        ww_csv_put_double(csv, ww_comparison_ratio_uncertainty(c, set, k, sure[i].of));
        ww_csv_put_text(csv, ww_difference_name(ww_comparison_difference(c, set, k, sure[i].of)));
    }
}

static void put_csv(const ww_comparison *c, ww_str *out)
{
    ww_csv_writer csv;
    ww_csv_init(&csv, out);
    ww_csv_put_header(&csv, "set", NULL);
    ww_csv_put_header(&csv, "kernel", NULL);
    for (int q = 0; q < WW_QUANTITY_COUNT; q++) {
        ww_csv_put_header(&csv, ww_quantity_name((ww_quantity)q), ww_quantity_unit((ww_quantity)q));
    }
    static const char *const ratios[] = {
#define X(id, name, unit, meaning) name "_ratio",
        WW_QUANTITIES(X)
#undef X
    };
    for (int q = 0; q < WW_QUANTITY_COUNT; q++) {
        ww_csv_put_header(&csv, ratios[q], "1");
    }
    head_sure(&csv);
    ww_csv_end_row(&csv);
    for (size_t i = 0; i < c->sets * (c->kernels + 1); i++) {
        size_t set = i / (c->kernels + 1), k = i % (c->kernels + 1);
        bool mean = k == c->kernels;
        ww_csv_put_text(&csv, c->set[set]);
        ww_csv_put_text(&csv, mean ? "geometric mean" : c->kernel[k]);
        for (int q = 0; q < WW_QUANTITY_COUNT; q++) {
            ww_csv_put_double(&csv, mean ? (double)NAN
                                         : ww_comparison_absolute(c, set, k, (ww_quantity)q));
        }
        for (int q = 0; q < WW_QUANTITY_COUNT; q++) {
            ww_csv_put_double(&csv, mean ? ww_comparison_geomean(c, set, (ww_quantity)q)
                                         : ww_comparison_ratio(c, set, k, (ww_quantity)q));
        }
        put_sure(c, set, k, &csv);
        ww_csv_end_row(&csv);
    }
}

/* A group per quantity, a bar per set but the base. */
static ww_status fill_means(const ww_comparison *c, ww_arena *arena, ww_plot *plot, ww_error *err)
{
    size_t series = c->sets - 1;
    const char **group = WW_ARENA_NEW_ARRAY(arena, const char *, WW_QUANTITY_COUNT);
    double *value = WW_ARENA_NEW_ARRAY(arena, double, WW_QUANTITY_COUNT *series);
    double *sigma = WW_ARENA_NEW_ARRAY(arena, double, WW_QUANTITY_COUNT *series);
    if (group == NULL || value == NULL || sigma == NULL) {
        return ww_no_memory(err);
    }
    for (size_t q = 0; q < WW_QUANTITY_COUNT; q++) {
        group[q] = ww_quantity_name((ww_quantity)q);
        for (size_t s = 0; s < series; s++) {
            value[q * series + s] = ww_comparison_geomean(c, s + 1, (ww_quantity)q);
            sigma[q * series + s] =
                ww_comparison_ratio_uncertainty(c, s + 1, c->kernels, (ww_quantity)q);
        }
    }
    plot->kind = WW_PLOT_RATIO;
    plot->suffix = "mean";
    plot->title = "Geometric means over the kernels";
    plot->chart.ratio = (ww_ratio_chart){.groups = WW_QUANTITY_COUNT,
                                         .series = series,
                                         .group = group,
                                         .name = c->set + 1,
                                         .value = value,
                                         .sigma = sigma,
                                         .axis = "geometric mean of ratios to the base"};
    return WW_OK;
}

/* A group per kernel. */
static ww_status fill_kernels(const ww_comparison *c, ww_quantity q, ww_arena *arena, ww_plot *plot,
                              ww_error *err)
{
    size_t series = c->sets - 1;
    double *value = WW_ARENA_NEW_ARRAY(arena, double, c->kernels *series);
    double *sigma = WW_ARENA_NEW_ARRAY(arena, double, c->kernels *series);
    const char *axis = ww_arena_printf(arena, "%s relative to the base", ww_quantity_name(q));
    const char *const *group = ww_kernel_plain_all(arena, c->kernel, c->kernels);
    if (value == NULL || sigma == NULL || axis == NULL || group == NULL) {
        return ww_no_memory(err);
    }
    for (size_t k = 0; k < c->kernels; k++) {
        for (size_t s = 0; s < series; s++) {
            value[k * series + s] = ww_comparison_ratio(c, s + 1, k, q);
            sigma[k * series + s] = ww_comparison_ratio_uncertainty(c, s + 1, k, q);
        }
    }
    plot->kind = WW_PLOT_RATIO;
    plot->suffix = ww_quantity_name(q);
    plot->title = axis;
    plot->chart.ratio = (ww_ratio_chart){.groups = c->kernels,
                                         .series = series,
                                         .group = group,
                                         .name = c->set + 1,
                                         .value = value,
                                         .sigma = sigma,
                                         .axis = axis};
    return WW_OK;
}

/* How sure the differences are: whether both sets are wrong by the same factors, and whether what
 * is found exceeds what they may be wrong by. */
static void put_sureness(const ww_comparison *c, size_t set, ww_str *out)
{
    size_t exceeds = 0;
    ww_difference mean = ww_comparison_difference(c, set, c->kernels, WW_QUANTITY_ENERGY);
    if (mean == WW_DIFFERENCE_UNKNOWN) {
        return;
    }
    for (size_t k = 0; k < c->kernels; k++) {
        exceeds += ww_comparison_difference(c, set, k, WW_QUANTITY_ENERGY) == WW_DIFFERENCE_EXCEEDS;
    }
    ww_str_addf(out,
                " %s%s: the energy of %zu of %zu kernel%s differs by more than the joint "
                "uncertainty, that of the mean %s.",
                c->set[set],
                c->shared[set] ? "" : " rests on another calibration, and its errors are its own",
                exceeds, c->kernels, c->kernels == 1 ? "" : "s",
                mean == WW_DIFFERENCE_EXCEEDS ? "too" : "does not");
}

/* "calibrated (base), borrowed (a100)" where sets are not alike. */
static void put_calibrations(const ww_comparison *c, ww_str *out)
{
    bool alike = true;
    for (size_t s = 0; s < c->sets; s++) {
        if (c->calibration[s] == NULL || c->calibration[0] == NULL) {
            return;
        }
        alike = alike && strcmp(c->calibration[s], c->calibration[0]) == 0;
    }
    for (size_t s = 0; !alike && s < c->sets; s++) {
        const char *before = s == 0 ? " Energies of " : s + 1 < c->sets ? ", of " : " and of ";
        ww_str_addf(out, "%s%s%s %s", before, c->set[s], s == 0 ? " are" : "",
                    ww_calibration_state(c->calibration[s]));
    }
    ww_str_add(out, alike ? "" : ".");
}

/* What the sets compare. NULL: no memory. */
static const char *note_of(const ww_comparison *c, ww_arena *arena)
{
    enum { SETS = 8 }; /* of more, a list tells nobody anything */
    ww_str text = {0};
    ww_str_addf(&text,
                "%zu kernel%s that all sets share, relative to %s (dashed line). Power is %s.",
                c->kernels, c->kernels == 1 ? "" : "s", c->set[0],
                c->with_static ? "dynamic and static together" : "dynamic");
    put_calibrations(c, &text);
    if (ww_comparison_difference(c, 1, c->kernels, WW_QUANTITY_ENERGY) != WW_DIFFERENCE_UNKNOWN) {
        ww_str_add(&text, " \xC2\xB1 is the standard uncertainty of a ratio: errors that both sets "
                          "have in common cancel; a difference exceeds the joint uncertainty "
                          "beyond twice that. What cycles are off by is not in it.");
    }
    for (size_t i = 1; i < c->sets && c->sets <= SETS; i++) {
        put_sureness(c, i, &text);
    }
    const char *note = ww_str_check(&text, NULL) == WW_OK
                           ? ww_arena_printf(arena, "%s", ww_str_text(&text))
                           : NULL;
    ww_str_fini(&text);
    return note;
}

static ww_status build(const ww_report *report, const ww_study **study, const char **label,
                       ww_figures *f, ww_error *err)
{
    for (size_t i = 0; i < report->count; i++) {
        study[i] = report->set[i].study;
        label[i] = report->set[i].label;
    }
    ww_status status = ww_compare(study, label, report->count, &f->comparison, err);
    if (status == WW_ENOTFOUND) {
        return WW_OK; /* nothing in common: no figure */
    }
    WW_TRY(status);
    const ww_comparison *c = &f->comparison;
    const char *note = note_of(c, &f->arena);
    ww_figure *figure =
        ww_figures_add(f, "comparison", "Comparison", note, 1 + WW_ARRAY_LEN(per_kernel));
    if (note == NULL || figure == NULL) {
        return ww_no_memory(err);
    }
    WW_TRY(fill_means(c, &f->arena, &figure->plot[0], err));
    for (size_t i = 0; i < WW_ARRAY_LEN(per_kernel); i++) {
        WW_TRY(fill_kernels(c, per_kernel[i], &f->arena, &figure->plot[i + 1], err));
    }
    put_csv(c, &figure->csv);
    return ww_str_check(&figure->csv, err);
}

ww_status ww_figures_of_comparison(const ww_report *report, ww_figures *out, ww_error *err)
{
    *out = (ww_figures){0};
    if (report->count < 2) {
        return WW_OK;
    }
    const ww_study **study = WW_NEW_ARRAY(const ww_study *, report->count);
    const char **label = WW_NEW_ARRAY(const char *, report->count);
    ww_status status =
        study != NULL && label != NULL ? build(report, study, label, out, err) : ww_no_memory(err);
    ww_free(study);
    ww_free(label);
    if (status == WW_OK && out->comparison.kernels > 0) {
        status = ww_figure_differences(report, out, err);
        status = status == WW_OK ? ww_figure_sides(report, out, err) : status;
    }
    status = status == WW_OK ? ww_figure_mechanisms(report, out, err) : status;
    status = status == WW_OK ? ww_figure_swept(report, out, err) : status;
    status = status == WW_OK ? ww_figure_passes(report, out, err) : status;
    status = status == WW_OK ? ww_figure_areas(report, out, err) : status;
    if (status != WW_OK) {
        ww_figures_fini(out);
    }
    return status;
}
