/* paper_page.h - the figures of a study as a page. */
#ifndef WW_VALIDATION_PAPER_PAGE_H
#define WW_VALIDATION_PAPER_PAGE_H

#include "validation/paper.h"

/**
 * Writes the page of a study: its numbers beside the paper's, when it has any, and its figures;
 * those of a sweep without figures are speed, energy and stalls of its configurations. Bars without
 * results are left out.
 */
WW_NODISCARD ww_status ww_paper_page_write(ww_paper *paper, const char *html_path,
                                           const char *version, ww_error *err);

#endif
