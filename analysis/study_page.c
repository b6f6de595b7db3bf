/* study_page.c - see study_page.h. */
#include "analysis/study_page.h"

#include <string.h>

#include "analysis/report_parts.h"
#include "base/file.h"

static void as_figure(const ww_study_figure *from, ww_plot *plot, ww_figure *out)
{
    bool drawn = from->chart.groups > 0;
    *plot = (ww_plot){.suffix = "",
                      .title = from->title,
                      .description = from->note,
                      .kind = WW_PLOT_COLUMNS,
                      .chart.columns = from->chart};
    *out = (ww_figure){.name = from->name,
                       .title = from->title,
                       .note = from->note,
                       .plot = plot,
                       .plots = drawn ? 1 : 0,
                       .open_table = !drawn};
    ww_str_add(&out->csv, from->csv);
}

static ww_status add(ww_str *page, ww_file_set *files, const char *stem,
                     const ww_study_figure *from, ww_error *err)
{
    ww_plot plot;
    ww_figure figure;
    as_figure(from, &plot, &figure);
    ww_status status = ww_report_put_figure(page, &figure, 0, err);
    status = status == WW_OK ? ww_report_write_figure(files, stem, &figure, err) : status;
    ww_str_fini(&figure.csv);
    return status;
}

static ww_status build(ww_str *page, ww_file_set *files, const char *stem, const char *title,
                       const char *version, const ww_study_figure *figure, size_t count,
                       ww_error *err)
{
    ww_report_page_start(page, title, title);
    ww_str_add(page, "</header>\n<main>\n");
    for (size_t i = 0; i < count; i++) {
        WW_TRY(add(page, files, stem, &figure[i], err));
    }
    ww_str_add(page, "</main>\n<footer>WarpWatt ");
    ww_markup_text(page, version);
    ww_str_add(page, "</footer>\n");
    ww_report_page_end(page);
    return ww_str_check(page, err);
}

ww_status ww_study_page_write(const char *html_path, const char *title, const char *version,
                              const ww_study_figure *figure, size_t count, ww_error *err)
{
    ww_str page = {0};
    ww_arena arena = {0};
    ww_file_set files;
    WW_TRY(ww_file_set_begin(&files, html_path, err));
    size_t length = strlen(html_path);
    length -= length > 5 && strcmp(html_path + length - 5, ".html") == 0 ? 5 : 0;
    char *stem = ww_arena_strndup(&arena, html_path, length);
    ww_status status = stem != NULL ? build(&page, &files, stem, title, version, figure, count, err)
                                    : ww_no_memory(err);
    status = status == WW_OK ? ww_file_set_put(&files, html_path, ww_str_text(&page), page.len, err)
                             : status;
    status = ww_file_set_end(&files, status, err);
    ww_str_fini(&page);
    ww_arena_fini(&arena);
    return status;
}
