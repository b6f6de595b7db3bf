/* report_sigma.c - standard uncertainties in a report's tables and plots. */
#include <stdio.h>

#include "analysis/report_parts.h"

bool ww_report_has_sigma(const ww_study *study)
{
    for (size_t k = 0; k < study->kernel_count; k++) {
        if (study->sigma_w[k] > 0) {
            return true;
        }
    }
    return false;
}

void ww_report_head_sigmas(const ww_study *study, const char *unit, ww_csv_writer *csv)
{
    if (!ww_report_has_sigma(study)) {
        return;
    }
    ww_csv_put_header(csv, "total_plus_minus", unit);
    for (size_t c = 0; c < study->component_count; c++) {
        char name[64];
        snprintf(name, sizeof name, "%.40s_plus_minus", study->component[c].name);
        ww_csv_put_header(csv, name, unit);
    }
}

void ww_report_put_sigmas(const ww_study *study, size_t kernel, double scale, ww_csv_writer *csv)
{
    if (!ww_report_has_sigma(study)) {
        return;
    }
    ww_csv_put_double(csv, study->sigma_w[kernel] * scale);
    for (size_t c = 0; c < study->component_count; c++) {
        ww_csv_put_double(csv, study->component[c].sigma[kernel] * scale);
    }
}

double *ww_report_sigmas(const ww_study *study, ww_arena *arena)
{
    double *sigma = WW_ARENA_NEW_ARRAY(arena, double, study->kernel_count + 1);
    for (size_t k = 0; sigma != NULL && k < study->kernel_count; k++) {
        sigma[k] = study->sigma_w[k];
    }
    return sigma;
}
