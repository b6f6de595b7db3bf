/* report_energy.c - the first figure of a set: joules of every kernel by component. */
#include <math.h>

#include "analysis/report_parts.h"
#include "analysis/kernel_name.h"

/* The unit in which the largest kernel has one to three digits before the point. */
typedef struct unit {
    double j;
    const char *name, *axis;
} unit;

static unit unit_of(double most_j)
{
    static const unit units[] = {{1, "J", "energy [J]"},
                                 {1e-3, "mJ", "energy [mJ]"},
                                 {1e-6, "\xC2\xB5J", "energy [\xC2\xB5J]"},
                                 {1e-9, "nJ", "energy [nJ]"}};
    size_t i = 0;
    while (i + 1 < WW_ARRAY_LEN(units) && most_j < units[i].j) {
        i++;
    }
    return units[i];
}

double ww_report_total_w(const ww_study *study, size_t kernel)
{
    return study->dynamic_w[kernel] + study->static_w[kernel];
}

double ww_report_energy_j(const ww_study *study, size_t kernel)
{
    return ww_report_total_w(study, kernel) * study->time_s[kernel];
}

bool ww_report_has_energy(const ww_study *study)
{
    for (size_t k = 0; k < study->kernel_count; k++) {
        if (!(ww_report_energy_j(study, k) > 0)) {
            return false;
        }
    }
    return study->kernel_count > 0 && study->component_count > 0;
}

/* Of a component, or behind the last of static power. */
static double part_j(const ww_study *study, size_t series, size_t kernel)
{
    double w = series < study->component_count ? study->component[series].value[kernel]
                                               : study->static_w[kernel];
    return w * study->time_s[kernel];
}

static ww_status put_csv(const ww_study *study, ww_str *out, ww_error *err)
{
    ww_csv_writer csv;
    ww_csv_init(&csv, out);
    ww_csv_put_header(&csv, "kernel", NULL);
    ww_csv_put_header(&csv, "total", "J");
    for (size_t c = 0; c < study->component_count; c++) {
        ww_csv_put_header(&csv, study->component[c].name, "J");
    }
    ww_csv_put_header(&csv, "static", "J");
    ww_report_head_sigmas(study, "J", &csv);
    ww_csv_end_row(&csv);
    for (size_t k = 0; k < study->kernel_count; k++) {
        ww_csv_put_text(&csv, study->kernel[k]);
        ww_csv_put_double(&csv, ww_report_energy_j(study, k));
        for (size_t s = 0; s <= study->component_count; s++) {
            ww_csv_put_double(&csv, part_j(study, s, k));
        }
        ww_report_put_sigmas(study, k, study->time_s[k], &csv);
        ww_csv_end_row(&csv);
    }
    return ww_csv_finish(&csv, err);
}

ww_status ww_figure_energy(const ww_study *study, ww_figures *f, ww_error *err)
{
    size_t series = study->component_count + 1;
    ww_figure *figure = ww_figures_add(
        f, "energy", "Where the energy goes",
        ww_report_has_sigma(study)
            ? "Energy of every kernel by component, all its launches together. The number at the "
              "end of a bar is the sum, static energy included, with its standard uncertainty."
            : "Energy of every kernel by component, all its launches together. The number at the "
              "end of a bar is the sum, static energy included.",
        1);
    double *value = WW_ARENA_NEW_ARRAY(&f->arena, double, study->kernel_count *series);
    double *sigma = ww_report_sigmas(study, &f->arena);
    const char **name = WW_ARENA_NEW_ARRAY(&f->arena, const char *, series);
    const char *const *row = ww_kernel_plain_all(&f->arena, study->kernel, study->kernel_count);
    if (figure == NULL || sigma == NULL || value == NULL || name == NULL || row == NULL) {
        return ww_no_memory(err);
    }
    size_t most = 0;
    for (size_t k = 1; k < study->kernel_count; k++) {
        most = ww_report_energy_j(study, k) > ww_report_energy_j(study, most) ? k : most;
    }
    double most_j = ww_report_energy_j(study, most);
    unit u = unit_of(most_j);
    for (size_t k = 0; k < study->kernel_count; k++) {
        sigma[k] *= study->time_s[k] / u.j;
    }
    for (size_t s = 0; s < series; s++) {
        name[s] = s < study->component_count ? study->component[s].name : "static";
        for (size_t k = 0; k < study->kernel_count; k++) {
            value[k * series + s] = part_j(study, s, k) / u.j;
        }
    }
    figure->plot->description =
        ww_arena_printf(&f->arena,
                        "Horizontal stacked bars, one for each of %zu kernels, parts are "
                        "components. Most: %s with %.3g %s.",
                        study->kernel_count, row[most], most_j / u.j, u.name);
    if (figure->plot->description == NULL) {
        return ww_no_memory(err);
    }
    figure->plot->kind = WW_PLOT_STACK;
    figure->plot->chart.stack = (ww_stack_chart){.rows = study->kernel_count,
                                                 .series = series,
                                                 .row = row,
                                                 .name = name,
                                                 .value = value,
                                                 .sigma = sigma,
                                                 .axis = u.axis,
                                                 .unit = u.name,
                                                 .decimals = most_j / u.j < 100 ? 2 : 1,
                                                 .totals = true};
    return put_csv(study, &figure->csv, err);
}
