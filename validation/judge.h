/* judge.h - the one rule by which rows are judged, and the bars, which are data: bars.csv beside
 * the tables of references, each with its reason. */
#ifndef WW_VALIDATION_JUDGE_H
#define WW_VALIDATION_JUDGE_H

#include "validation/row.h"

typedef struct ww_bars ww_bars;

/** Reads a table of bars: comparison, what, at_least, above, at_most, below, enough, reason. An
 * empty bound is open. @error ENOTFOUND, EPARSE, ESCHEMA (file, line): also a bar without bound or
 * without reason, and one that is there twice */
WW_NODISCARD ww_status ww_bars_load(const char *path, ww_bars **out, ww_error *err);
void ww_bars_destroy(ww_bars *bars);
/** The bar of that key; NULL: there is none, and what it is of is shown without. */
const ww_bar *ww_bars_get(const ww_bars *bars, const char *comparison, const char *what);
/** The bar that has to be there. @error ENOTFOUND */
WW_NODISCARD ww_status ww_bars_find(const ww_bars *bars, const char *comparison, const char *what,
                                    const ww_bar **out, ww_error *err);

/**
 * Judges a value of a row (its error, say, or what it has of ours) and notes bar and verdict in it.
 * What is missing is missing, whatever the value; without a bar (NULL) the row is shown. A value
 * that is NaN or infinite meets no bar. A value of fewer rows than its bar asks for is not judged,
 * wherever it lies.
 */
ww_verdict ww_judge(ww_row *row, const ww_bar *bar, double value);

/** The same of rows that are all there are, however few. */
ww_verdict ww_judge_whole(ww_row *row, const ww_bar *bar, double value);

/**
 * Ends a comparison: EVERIFY when it has no row at all, or when a row or statistic is missed or
 * missing.
 * @param rows        what was compared
 * @param statistics  sums of them, with bars; NULL: none
 * @param table       names the references in messages
 */
WW_NODISCARD ww_status ww_judge_all(const ww_rows *rows, const ww_rows *statistics,
                                    const char *table, ww_error *err);

#endif
