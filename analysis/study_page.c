/* study_page.c - see study_page.h. */
#include "analysis/study_page.h"

#include "analysis/report_parts.h"

static void as_figure(const ww_study_figure *from, ww_plot *plot, ww_figure *out)
{
    const bool points = from->points.count > 0, drawn = points || from->chart.groups > 0;
    *plot = (ww_plot){.suffix = "",
                      .title = from->title,
                      .description = from->note,
                      .kind = points ? WW_PLOT_SCATTER : WW_PLOT_COLUMNS};
    if (points) {
        plot->chart.scatter = from->points;
    } else {
        plot->chart.columns = from->chart;
    }
    *out = (ww_figure){.name = from->name,
                       .title = from->title,
                       .note = from->note,
                       .plot = plot,
                       .plots = drawn ? 1 : 0,
                       .open_table = !drawn};
    ww_str_add(&out->csv, from->csv);
}

ww_status ww_study_page_write(const char *html_path, const char *title, const char *version,
                              const ww_study_figure *figure, size_t count, ww_error *err)
{
    ww_arena arena = {0};
    ww_plot *plot = WW_ARENA_NEW_ARRAY(&arena, ww_plot, count + 1);
    ww_figure *drawn = WW_ARENA_NEW_ARRAY(&arena, ww_figure, count + 1);
    ww_status status = plot != NULL && drawn != NULL ? WW_OK : ww_no_memory(err);
    for (size_t i = 0; status == WW_OK && i < count; i++) {
        as_figure(&figure[i], &plot[i], &drawn[i]);
    }
    status = status == WW_OK ? ww_report_write_plain(html_path, title, version, drawn, count, err)
                             : status;
    for (size_t i = 0; drawn != NULL && i < count; i++) {
        ww_str_fini(&drawn[i].csv);
    }
    ww_arena_fini(&arena);
    return status;
}
