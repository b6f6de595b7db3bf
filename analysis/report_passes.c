/* report_passes.c - passes of several sets beside each other. */
#include <string.h>

#include "analysis/pass_front.h"
#include "analysis/report_parts.h"

/* Joules of tokens and of images have no common axis: passes of the first one's unit are drawn. */
ww_status ww_figure_passes(const ww_report *report, ww_figures *f, ww_error *err)
{
    ww_pass_point *points = WW_ARENA_NEW_ARRAY(&f->arena, ww_pass_point, report->count);
    size_t count = 0;
    if (points == NULL) {
        return ww_no_memory(err);
    }
    for (size_t i = 0; i < report->count; i++) {
        const ww_report_set *set = &report->set[i];
        if (set->pass != NULL) {
            WW_TRY(ww_pass_point_read(set->pass, set->label, set->label, &points[count], err));
            count += strcmp(points[count].unit, points[0].unit) == 0;
        }
    }
    if (count < 2) {
        return WW_OK;
    }
    ww_pass_front_mark(points, count);
    ww_figure *figure = ww_figures_add(f, "passes", "Joules against time", WW_PASS_FRONT_NOTE, 1);
    if (figure == NULL) {
        return ww_no_memory(err);
    }
    ww_pass_front_csv(points, count, &figure->csv);
    WW_TRY(ww_str_check(&figure->csv, err));
    figure->plot->kind = WW_PLOT_SCATTER;
    return ww_pass_front_chart(points, count, &f->arena, &figure->plot->chart.scatter, err);
}
