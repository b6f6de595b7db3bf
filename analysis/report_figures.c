/* report_figures.c - the figures of one result set: breakdown, categories, correlation, scatter
 * plots, table of metrics. */
#include <math.h>
#include <string.h>

#include "analysis/report_parts.h"
#include "analysis/kernel_name.h"

void ww_figures_fini(ww_figures *figures)
{
    for (size_t i = 0; i < figures->count; i++) {
        ww_str_fini(&figures->figure[i].csv);
    }
    ww_correlation_matrix_fini(&figures->correlation);
    ww_categories_fini(&figures->categories);
    ww_comparison_fini(&figures->comparison);
    ww_arena_fini(&figures->arena);
    *figures = (ww_figures){0};
}

ww_figure *ww_figures_add(ww_figures *figures, const char *name, const char *title,
                          const char *note, size_t plots)
{
    ww_plot *plot = WW_ARENA_NEW_ARRAY(&figures->arena, ww_plot, plots + 1);
    if (figures->count == WW_MAX_FIGURES || plot == NULL) {
        return NULL;
    }
    ww_figure *figure = &figures->figure[figures->count++];
    *figure = (ww_figure){.name = name, .title = title, .note = note, .plot = plot, .plots = plots};
    for (size_t i = 0; i < plots; i++) {
        plot[i] = (ww_plot){.suffix = "", .title = title, .description = note};
    }
    return figure;
}

/* On a phone there is no room for columns of many programs: ratios lie down. */
static void draw_columns(const ww_column_chart *c, const ww_frame *frame, ww_str *out)
{
    if (frame->narrow && c->parts == 1 && c->against_one) {
        const ww_ratio_chart lying = {.groups = c->groups,
                                      .series = c->bars,
                                      .group = c->group,
                                      .name = c->bar,
                                      .value = c->value,
                                      .axis = c->axis};
        ww_chart_ratio(&lying, frame, out);
        return;
    }
    ww_chart_columns(c, frame, out);
}

void ww_plot_draw(const ww_plot *plot, const ww_frame *frame, ww_str *out)
{
    switch (plot->kind) {
    case WW_PLOT_STACK:
        ww_chart_stack(&plot->chart.stack, frame, out);
        break;
    case WW_PLOT_HEAT:
        ww_chart_heat(&plot->chart.heat, frame, out);
        break;
    case WW_PLOT_SCATTER:
        ww_chart_scatter(&plot->chart.scatter, frame, out);
        break;
    case WW_PLOT_AREA:
        ww_chart_area(&plot->chart.area, frame, out);
        break;
    case WW_PLOT_RATIO:
        ww_chart_ratio(&plot->chart.ratio, frame, out);
        break;
    case WW_PLOT_COLUMNS:
        draw_columns(&plot->chart.columns, frame, out);
        break;
    case WW_PLOT_LINES:
        ww_chart_lines(&plot->chart.lines, frame, out);
        break;
    case WW_PLOT_WATERFALL:
        ww_chart_waterfall(&plot->chart.waterfall, frame, out);
        break;
    case WW_PLOT_ROOFLINE:
        ww_chart_roofline(&plot->chart.roofline, frame, out);
        break;
    case WW_PLOT_TIMELINE:
        ww_chart_timeline(&plot->chart.timeline, frame, out);
        break;
    }
}

static ww_status no_memory(ww_error *err)
{
    return ww_no_memory(err);
}

/* ---- breakdown ---- */

static bool has_static(const ww_study *study)
{
    for (size_t k = 0; k < study->kernel_count; k++) {
        if (!isnan(study->static_w[k])) {
            return true;
        }
    }
    return false;
}

static size_t argmax(const double *value, size_t n, bool smallest)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++) {
        if (smallest ? value[i] < value[best] : value[i] > value[best]) {
            best = i;
        }
    }
    return best;
}

static ww_status fill_stack(const ww_study *study, bool with_static, ww_arena *arena,
                            ww_stack_chart *c, ww_error *err)
{
    size_t series = study->component_count + with_static;
    double *value = WW_ARENA_NEW_ARRAY(arena, double, study->kernel_count *series + 1);
    const char **name = WW_ARENA_NEW_ARRAY(arena, const char *, series + 1);
    const char *const *row = ww_kernel_plain_all(arena, study->kernel, study->kernel_count);
    double *sigma = ww_report_sigmas(study, arena);
    if (value == NULL || name == NULL || row == NULL || sigma == NULL) {
        return no_memory(err);
    }
    for (size_t s = 0; s < series; s++) {
        bool component = s < study->component_count;
        name[s] = component ? study->component[s].name : "static";
        for (size_t k = 0; k < study->kernel_count; k++) {
            value[k * series + s] = component ? study->component[s].value[k] : study->static_w[k];
        }
    }
    *c = (ww_stack_chart){
        .rows = study->kernel_count,
        .series = series,
        .row = row,
        .name = name,
        .value = value,
        .sigma = with_static ? sigma : NULL,
        .axis = with_static ? "power [W]" : "dynamic power [W]",
        .unit = "W",
        .decimals = 1,
        .totals = true,
    };
    return WW_OK;
}

static void breakdown_csv(const ww_study *study, bool with_static, ww_str *out)
{
    ww_csv_writer csv;
    ww_csv_init(&csv, out);
    ww_csv_put_header(&csv, "kernel", NULL);
    for (size_t c = 0; c < study->component_count; c++) {
        ww_csv_put_header(&csv, study->component[c].name, "W");
    }
    ww_csv_put_header(&csv, "dynamic", "W");
    if (with_static) {
        ww_csv_put_header(&csv, "static", "W");
        ww_csv_put_header(&csv, "total", "W");
        ww_report_head_sigmas(study, "W", &csv);
    }
    ww_csv_end_row(&csv);
    for (size_t k = 0; k < study->kernel_count; k++) {
        ww_csv_put_text(&csv, study->kernel[k]);
        for (size_t c = 0; c < study->component_count; c++) {
            ww_csv_put_double(&csv, study->component[c].value[k]);
        }
        ww_csv_put_double(&csv, study->dynamic_w[k]);
        if (with_static) {
            ww_csv_put_double(&csv, study->static_w[k]);
            ww_csv_put_double(&csv, ww_report_total_w(study, k));
            ww_report_put_sigmas(study, k, 1, &csv);
        }
        ww_csv_end_row(&csv);
    }
}

static ww_status add_breakdown(const ww_study *study, ww_figures *f, ww_error *err)
{
    bool with_static = has_static(study);
    ww_figure *figure = ww_figures_add(
        f, "breakdown", "Where the power goes",
        with_static
            ? "Mean power of every kernel by component, launches weighted by their cycles. The "
              "number at the end of a bar is the sum, static power included, with its standard "
              "uncertainty where the run knows it."
            : "Dynamic power of every kernel by component. The number at the end of a bar is the "
              "sum.",
        1);
    if (figure == NULL) {
        return no_memory(err);
    }
    size_t high = argmax(study->dynamic_w, study->kernel_count, false);
    size_t low = argmax(study->dynamic_w, study->kernel_count, true);
    figure->plot->description =
        ww_arena_printf(&f->arena,
                        "Horizontal stacked bars, one for each of %zu kernels, parts are "
                        "components. Most dynamic power: %s with %.1f W; least: %s with %.1f W.",
                        study->kernel_count, ww_kernel_plain(&f->arena, study->kernel[high]),
                        study->dynamic_w[high], ww_kernel_plain(&f->arena, study->kernel[low]),
                        study->dynamic_w[low]);
    if (figure->plot->description == NULL) {
        return no_memory(err);
    }
    figure->plot->kind = WW_PLOT_STACK;
    breakdown_csv(study, with_static, &figure->csv);
    return fill_stack(study, with_static, &f->arena, &figure->plot->chart.stack, err);
}

/* ---- categories ---- */

static void categories_csv(const ww_categories *c, ww_str *out)
{
    const ww_study *study = c->study;
    ww_csv_writer csv;
    ww_csv_init(&csv, out);
    WW_CSV_HEAD(&csv, {"category", NULL}, {"kernels", "1"}, {"mean_ipc", "1/cycle"},
                {"mean_dynamic_power", "W"});
    for (size_t i = 0; i < study->component_count; i++) {
        ww_csv_put_header(&csv, study->component[i].name, "%");
    }
    ww_csv_end_row(&csv);
    for (size_t i = 0; i < WW_IPC_CATEGORY_COUNT; i++) {
        ww_csv_put_text(&csv, c->category[i].name);
        ww_csv_put_u64(&csv, c->category[i].kernels);
        ww_csv_put_double(&csv, c->category[i].mean_ipc);
        ww_csv_put_double(&csv, c->category[i].mean_dynamic_w);
        for (size_t k = 0; k < study->component_count; k++) {
            ww_csv_put_double(&csv, 100 * c->category[i].share[k]);
        }
        ww_csv_end_row(&csv);
    }
}

static ww_status add_categories(const ww_report_set *set, ww_figures *f, ww_error *err)
{
    const ww_study *study = set->study;
    if (!(set->peak_ipc > 0) || ww_study_metric(study, "IPC") == NULL) {
        return WW_OK;
    }
    WW_TRY(ww_categorize(study, set->peak_ipc, &f->categories, err));
    size_t n = study->component_count;
    const char *note =
        ww_arena_printf(&f->arena,
                        "Kernels by IPC: high from 60 %%, medium from 40 %% of the peak of %g "
                        "thread instructions per cycle. Each bar shows how the category's mean "
                        "dynamic power divides among the components.",
                        set->peak_ipc);
    ww_figure *figure = ww_figures_add(f, "categories", "IPC categories", note, 1);
    const char **row = WW_ARENA_NEW_ARRAY(&f->arena, const char *, WW_IPC_CATEGORY_COUNT);
    const char **name = WW_ARENA_NEW_ARRAY(&f->arena, const char *, n + 1);
    double *value = WW_ARENA_NEW_ARRAY(&f->arena, double, WW_IPC_CATEGORY_COUNT *n + 1);
    if (note == NULL || figure == NULL || row == NULL || name == NULL || value == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < WW_IPC_CATEGORY_COUNT; i++) {
        const ww_category *c = &f->categories.category[i];
        row[i] = c->kernels == 0
                     ? ww_arena_printf(&f->arena, "%s (no kernel)", c->name)
                     : ww_arena_printf(&f->arena, "%s (%zu %s, IPC %.0f)", c->name, c->kernels,
                                       c->kernels == 1 ? "kernel" : "kernels", c->mean_ipc);
        if (row[i] == NULL) {
            return no_memory(err);
        }
        for (size_t k = 0; k < n; k++) {
            value[i * n + k] = 100 * c->share[k];
        }
    }
    for (size_t k = 0; k < n; k++) {
        name[k] = study->component[k].name;
    }
    figure->plot->kind = WW_PLOT_STACK;
    figure->plot->chart.stack = (ww_stack_chart){.rows = WW_IPC_CATEGORY_COUNT,
                                                 .series = n,
                                                 .row = row,
                                                 .name = name,
                                                 .value = value,
                                                 .axis = "share of dynamic power [%]",
                                                 .unit = "%",
                                                 .limit = 100,
                                                 .decimals = 1};
    categories_csv(&f->categories, &figure->csv);
    return WW_OK;
}

/* ---- correlation ---- */

static void correlation_csv(const ww_correlation_matrix *m, ww_str *out)
{
    static const char *const head[] = {"metric",     "component",  "kernels",  "pearson",   "p",
                                       "pearson_lo", "pearson_hi", "spearman", "spearman_p"};
    ww_csv_writer csv;
    ww_csv_init(&csv, out);
    for (size_t i = 0; i < WW_ARRAY_LEN(head); i++) {
        ww_csv_put_header(&csv, head[i], i < 2 ? NULL : "1");
    }
    ww_csv_end_row(&csv);
    for (size_t i = 0; i < m->metrics * m->components; i++) {
        const ww_correlation *c = &m->cell[i];
        ww_csv_put_text(&csv, m->metric[i / m->components]);
        ww_csv_put_text(&csv, m->component[i % m->components]);
        ww_csv_put_u64(&csv, c->kernels);
        WW_CSV_DOUBLES(&csv, c->r, c->p, c->lo, c->hi, c->rho, c->rho_p);
        ww_csv_end_row(&csv);
    }
}

static const char *correlation_tip(ww_arena *arena, const ww_correlation_matrix *m, size_t i)
{
    const ww_correlation *c = &m->cell[i];
    const char *metric = m->metric[i / m->components], *component = m->component[i % m->components];
    if (!c->defined) {
        return ww_arena_printf(arena, "%s \xC2\xB7 %s: undefined, a series is constant", metric,
                               component);
    }
    return ww_arena_printf(arena,
                           "%s \xC2\xB7 %s: r = %.3f, p = %.2g, 95 %% interval %.2f to %.2f, "
                           "Spearman %.3f, %zu kernels",
                           metric, component, c->r, c->p, c->lo, c->hi, c->rho, c->kernels);
}

static ww_status add_heat_map(const ww_study *study, ww_figures *f, ww_error *err)
{
    const ww_correlation_matrix *m = &f->correlation;
    size_t cells = m->metrics * m->components;
    const char *note = ww_arena_printf(
        &f->arena,
        "Pearson correlation of workload metrics with component power over %zu "
        "kernels. Slanted numbers are not significant at 5 %%; the tooltip of a cell "
        "gives p-value, bootstrap interval and Spearman's rank correlation.",
        study->kernel_count);
    ww_figure *figure = ww_figures_add(f, "correlation", "What power goes with", note, 1);
    double *value = WW_ARENA_NEW_ARRAY(&f->arena, double, cells);
    bool *weak = WW_ARENA_NEW_ARRAY(&f->arena, bool, cells);
    const char **tip = WW_ARENA_NEW_ARRAY(&f->arena, const char *, cells);
    if (note == NULL || figure == NULL || value == NULL || weak == NULL || tip == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < cells; i++) {
        value[i] = m->cell[i].r;
        weak[i] = !(m->cell[i].p < 0.05);
        tip[i] = correlation_tip(&f->arena, m, i);
        if (tip[i] == NULL) {
            return no_memory(err);
        }
    }
    figure->plot->kind = WW_PLOT_HEAT;
    figure->plot->chart.heat = (ww_heat_chart){.rows = m->metrics,
                                               .columns = m->components,
                                               .row = m->metric,
                                               .column = m->component,
                                               .value = value,
                                               .weak = weak,
                                               .tip = tip};
    correlation_csv(m, &figure->csv);
    return WW_OK;
}

/* ---- scatter plots ---- */

typedef struct line {
    bool defined;
    double slope, intercept;
} line;

/* Least squares; undefined when x does not vary. */
static line fit_line(const double *x, const double *y, size_t count)
{
    double n = 0, mx = 0, my = 0, sxx = 0, sxy = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isnan(x[i])) {
            n++;
            mx += x[i];
            my += y[i];
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (!isnan(x[i])) {
            sxx += (x[i] - mx / n) * (x[i] - mx / n);
            sxy += (x[i] - mx / n) * (y[i] - my / n);
        }
    }
    if (!(sxx > 0)) {
        return (line){0};
    }
    double slope = sxy / sxx;
    return (line){true, slope, my / n - slope * mx / n};
}

static ww_status fill_scatter(const ww_study *study, const ww_correlation_matrix *m, size_t c,
                              const double *x, ww_csv_writer *csv, ww_arena *arena, ww_plot *plot,
                              ww_error *err)
{
    bool part = c < study->component_count;
    const double *y = part ? study->component[c].value : study->dynamic_w;
    const double *sigma = part ? study->component[c].sigma : NULL;
    const char *component = m->component[c];
    const ww_correlation *r = ww_correlation_find(m, "IPC", component);
    line l = fit_line(x, y, study->kernel_count);
    const char **name = WW_ARENA_NEW_ARRAY(arena, const char *, study->kernel_count);
    const char *axis = ww_arena_printf(arena, "%s [W]", component);
    const char *caption = r->defined ? ww_arena_printf(arena, "%s: r = %.2f (%.2f to %.2f)",
                                                       component, r->r, r->lo, r->hi)
                                     : ww_arena_printf(arena, "%s", component);
    if (name == NULL || axis == NULL || caption == NULL) {
        return no_memory(err);
    }
    for (size_t k = 0; k < study->kernel_count; k++) {
        name[k] = ww_arena_printf(arena, "%s: IPC %.1f, %s %.2f W",
                                  ww_kernel_plain(arena, study->kernel[k]), x[k], component, y[k]);
        if (name[k] == NULL) {
            return no_memory(err);
        }
        double fitted = l.defined ? l.intercept + l.slope * x[k] : (double)NAN;
        ww_csv_put_text(csv, component);
        ww_csv_put_text(csv, study->kernel[k]);
        WW_CSV_DOUBLES(csv, x[k], y[k], fitted, y[k] - fitted,
                       sigma != NULL ? sigma[k] : (double)NAN);
        ww_csv_end_row(csv);
    }
    *plot = (ww_plot){.suffix = component,
                      .title = caption,
                      .kind = WW_PLOT_SCATTER,
                      .description = "Scatter plot with a point per kernel: IPC to the right, "
                                     "power upwards, and the least-squares line."};
    plot->chart.scatter = (ww_scatter_chart){.count = study->kernel_count,
                                             .x = x,
                                             .y = y,
                                             .sigma = sigma,
                                             .name = name,
                                             .x_axis = "IPC",
                                             .y_axis = axis,
                                             .caption = caption,
                                             .has_fit = l.defined,
                                             .slope = l.slope,
                                             .intercept = l.intercept};
    return WW_OK;
}

static ww_status add_scatter(const ww_study *study, ww_figures *f, ww_error *err)
{
    const ww_correlation_matrix *m = &f->correlation;
    const ww_study_column *ipc = ww_study_metric(study, "IPC");
    if (ipc == NULL) {
        return WW_OK;
    }
    ww_figure *figure =
        ww_figures_add(f, "scatter", "IPC against component power",
                       "A point per kernel with the least-squares line. r is Pearson's, with its "
                       "95 % bootstrap interval. The data hold the residuals.",
                       m->components);
    if (figure == NULL) {
        return no_memory(err);
    }
    static const char *const head[][2] = {
        {"component", NULL}, {"kernel", NULL},  {"IPC", "1/cycle"},       {"power", "W"},
        {"fit", "W"},        {"residual", "W"}, {"power_plus_minus", "W"}};
    ww_csv_writer csv;
    ww_csv_init(&csv, &figure->csv);
    for (size_t i = 0; i < WW_ARRAY_LEN(head); i++) {
        ww_csv_put_header(&csv, head[i][0], head[i][1]);
    }
    ww_csv_end_row(&csv);
    figure->small = true;
    for (size_t c = 0; c < m->components; c++) {
        WW_TRY(fill_scatter(study, m, c, ipc->value, &csv, &f->arena, &figure->plot[c], err));
    }
    return WW_OK;
}

/* ---- table of metrics ---- */

static ww_status add_metrics(const ww_study *study, ww_figures *f, ww_error *err)
{
    ww_figure *figure = ww_figures_add(
        f, "metrics", "Metrics of every kernel",
        "Launches of one kernel averaged, weighted by cycles; time is their sum. plus_minus: "
        "standard uncertainty of the column before it.",
        0);
    if (figure == NULL) {
        return no_memory(err);
    }
    figure->open_table = true;
    bool categories = f->categories.of != NULL;
    ww_csv_writer csv;
    ww_csv_init(&csv, &figure->csv);
    /* columns without a value are not shown */
    WW_CSV_HEAD(&csv, {"kernel", NULL}, {"energy", "uJ"}, {"energy_plus_minus", "uJ"},
                {"total", "W"}, {"total_plus_minus", "W"}, {"launches", "1"}, {"time", "us"});
    for (size_t m = 0; m < study->metric_count; m++) {
        ww_csv_put_header(&csv, study->metric[m].name, study->metric[m].unit);
    }
    ww_csv_put_header(&csv, "dynamic", "W");
    ww_csv_put_header(&csv, "static", "W");
    if (categories) {
        ww_csv_put_header(&csv, "category", NULL);
    }
    ww_csv_end_row(&csv);
    for (size_t k = 0; k < study->kernel_count; k++) {
        ww_csv_put_text(&csv, study->kernel[k]);
        WW_CSV_DOUBLES(&csv, ww_report_energy_j(study, k) * 1e6,
                       study->sigma_w[k] * study->time_s[k] * 1e6, ww_report_total_w(study, k),
                       study->sigma_w[k], study->launches[k], study->time_s[k] * 1e6);
        for (size_t m = 0; m < study->metric_count; m++) {
            ww_csv_put_double(&csv, study->metric[m].value[k]);
        }
        ww_csv_put_double(&csv, study->dynamic_w[k]);
        ww_csv_put_double(&csv, study->static_w[k]);
        if (categories) {
            ww_csv_put_text(&csv, ww_ipc_category_name(f->categories.of[k]));
        }
        ww_csv_end_row(&csv);
    }
    return ww_csv_finish(&csv, err);
}

static ww_status build(const ww_report_set *set, const ww_report_options *options, ww_figures *f,
                       ww_error *err)
{
    const ww_study *study = set->study;
    bool has_power = study->component_count > 0;
    if (set->pass != NULL) {
        WW_TRY(ww_figure_pass(set, f, err));
    }
    if (ww_report_has_energy(study)) {
        WW_TRY(ww_figure_energy(study, f, err));
    }
    if (has_power) {
        WW_TRY(add_breakdown(study, f, err));
        WW_TRY(add_categories(set, f, err));
    }
    if (has_power && study->kernel_count >= WW_CORRELATE_MIN_KERNELS) {
        ww_correlate_options how = {
            .resamples = options->resamples, .seed = options->seed, .allow_constant = true};
        WW_TRY(ww_correlate(study, &how, &f->correlation, err));
        WW_TRY(add_heat_map(study, f, err));
        WW_TRY(add_scatter(study, f, err));
    }
    if (set->trace != NULL) {
        WW_TRY(ww_figure_trace(set, f, err));
    }
    if (set->area != NULL) {
        WW_TRY(ww_figure_area(set, f, err));
    }
    WW_TRY(add_metrics(study, f, err));
    if (set->lines.count > 0) {
        WW_TRY(ww_figure_lines(set, f, err));
    }
    if (set->timeline != NULL) {
        WW_TRY(ww_figure_timeline(set, f, err));
    }
    for (size_t i = 0; i < f->count; i++) {
        WW_TRY(ww_str_check(&f->figure[i].csv, err));
    }
    return WW_OK;
}

ww_status ww_figures_of_set(const ww_report_set *set, const ww_report_options *options,
                            ww_figures *out, ww_error *err)
{
    *out = (ww_figures){0};
    ww_status status = build(set, options, out, err);
    if (status != WW_OK) {
        ww_figures_fini(out);
    }
    return status;
}
