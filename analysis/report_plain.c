/* report_plain.c - a page of figures alone, with their files. */
#include "analysis/report_parts.h"
#include "base/file.h"

static ww_status build(ww_str *page, ww_file_set *files, const char *folder, const char *title,
                       const char *version, const ww_figure *figure, size_t count, ww_error *err)
{
    ww_report_page_start(page, title, title);
    ww_str_add(page, "</header>\n<main>\n");
    for (size_t i = 0; i < count; i++) {
        WW_TRY(ww_report_put_figure(page, &figure[i], 0, err));
        WW_TRY(ww_report_write_figure(files, folder, &figure[i], err));
    }
    ww_str_add(page, "</main>\n<footer>WarpWatt ");
    ww_markup_text(page, version);
    ww_str_add(page, "</footer>\n");
    ww_report_page_end(page);
    return ww_str_check(page, err);
}

ww_status ww_report_write_plain(const char *html_path, const char *title, const char *version,
                                const ww_figure *figure, size_t count, ww_error *err)
{
    ww_str page = {0};
    ww_arena arena = {0};
    ww_file_set files;
    WW_TRY(ww_file_set_begin(&files, html_path, err));
    const char *folder = ww_report_folder(&arena, html_path);
    ww_status status = folder != NULL
                           ? build(&page, &files, folder, title, version, figure, count, err)
                           : ww_no_memory(err);
    status = status == WW_OK ? ww_file_set_put(&files, html_path, ww_str_text(&page), page.len, err)
                             : status;
    status = ww_file_set_end(&files, status, err);
    ww_str_fini(&page);
    ww_arena_fini(&arena);
    return status;
}
