/* study_page.h - the page of a study: columns per program and configuration, as papers draw them,
 * passes of models by time and energy, and tables. Depends on: base. Equal inputs give equal bytes.
 */
#ifndef WW_ANALYSIS_STUDY_PAGE_H
#define WW_ANALYSIS_STUDY_PAGE_H

#include "analysis/chart.h"
#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A drawing with the numbers behind it, or a table alone (neither groups nor points). */
typedef struct ww_study_figure {
    const char *name; /* of its files: letters, digits, '-' */
    const char *title, *note;
    ww_column_chart chart;
    ww_scatter_chart points; /* drawn instead where it has any */
    const char *csv;         /* its data, with a header */
} ww_study_figure;

/**
 * Writes the page, and beside it, named after it, an SVG and a CSV of every figure.
 * @error EIO, ENOMEM; what ww_csv_parse says of a table
 */
WW_NODISCARD ww_status ww_study_page_write(const char *html_path, const char *title,
                                           const char *version, const ww_study_figure *figure,
                                           size_t count, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
