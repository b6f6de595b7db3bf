/* judge.c - see judge.h. */
#include "validation/judge.h"

#include <math.h>
#include <string.h>

#include "validation/references.h"

struct ww_bars {
    ww_refs *refs;
    ww_bar *bar;
    size_t count;
};

enum { COMPARISON, WHAT, AT_LEAST, ABOVE, AT_MOST, BELOW, ENOUGH, REASON, COLUMNS };

static const ww_ref_column columns[COLUMNS] = {
    [COMPARISON] = {"comparison", .kind = WW_REF_NAME},
    [WHAT] = {"what", .kind = WW_REF_NAME},
    [AT_LEAST] = {"at_least", .kind = WW_REF_OPTIONAL},
    [ABOVE] = {"above", .kind = WW_REF_OPTIONAL},
    [AT_MOST] = {"at_most", .kind = WW_REF_OPTIONAL},
    [BELOW] = {"below", .kind = WW_REF_OPTIONAL},
    [ENOUGH] = {"enough", .kind = WW_REF_OPTIONAL},
    [REASON] = {"reason", .kind = WW_REF_NAME},
};

/* Of two columns at most one has a number; NaN: none has. */
static ww_status bound_of(const ww_refs *refs, size_t row, size_t with, size_t without, double open,
                          double *out, bool *outside, ww_error *err)
{
    double a = ww_refs_number(refs, row, with), b = ww_refs_number(refs, row, without);
    if (!isnan(a) && !isnan(b)) {
        return ww_refs_fail(refs, row, without, err, WW_ESCHEMA,
                            "a bar has one bound, not %s and %s", columns[with].name,
                            columns[without].name);
    }
    *outside = !isnan(b);
    *out = !isnan(a) ? a : !isnan(b) ? b : open;
    return WW_OK;
}

static ww_status read_bar(const ww_refs *refs, size_t row, ww_bar *bar, ww_error *err)
{
    double enough = ww_refs_number(refs, row, ENOUGH);
    *bar = (ww_bar){.comparison = ww_refs_text(refs, row, COMPARISON),
                    .what = ww_refs_text(refs, row, WHAT),
                    .reason = ww_refs_text(refs, row, REASON)};
    WW_TRY(bound_of(refs, row, AT_LEAST, ABOVE, -(double)INFINITY, &bar->low, &bar->above, err));
    WW_TRY(bound_of(refs, row, AT_MOST, BELOW, (double)INFINITY, &bar->high, &bar->below, err));
    if (isinf(bar->low) && isinf(bar->high)) {
        return ww_refs_fail(refs, row, AT_LEAST, err, WW_ESCHEMA, "a bar needs a bound");
    }
    if (bar->low > bar->high) {
        return ww_refs_fail(refs, row, AT_LEAST, err, WW_ERANGE, "nothing lies within this bar");
    }
    if (!isnan(enough) && !(enough >= 0 && enough <= 1e6)) {
        return ww_refs_fail(refs, row, ENOUGH, err, WW_ERANGE, "no number of rows");
    }
    bar->enough = isnan(enough) ? 0 : (size_t)enough;
    return WW_OK;
}

const ww_bar *ww_bars_get(const ww_bars *bars, const char *comparison, const char *what)
{
    for (size_t i = 0; i < bars->count; i++) {
        if (strcmp(bars->bar[i].comparison, comparison) == 0 &&
            strcmp(bars->bar[i].what, what) == 0) {
            return &bars->bar[i];
        }
    }
    return NULL;
}

static ww_status read_bars(ww_bars *bars, ww_error *err)
{
    size_t rows = ww_refs_rows(bars->refs);
    bars->bar = WW_NEW_ARRAY(ww_bar, rows + 1);
    if (bars->bar == NULL) {
        return ww_no_memory_for(err, "%zu bars", rows);
    }
    for (size_t i = 0; i < rows; i++) {
        WW_TRY(read_bar(bars->refs, i, &bars->bar[i], err));
        if (ww_bars_get(bars, bars->bar[i].comparison, bars->bar[i].what) != NULL) {
            return ww_refs_fail(bars->refs, i, WHAT, err, WW_ESCHEMA, "this bar is there twice");
        }
        bars->count++;
    }
    return WW_OK;
}

ww_status ww_bars_load(const char *path, ww_bars **out, ww_error *err)
{
    ww_bars *bars = WW_NEW(ww_bars);
    if (bars == NULL) {
        return ww_no_memory(err);
    }
    ww_status status = ww_refs_load(path, columns, COLUMNS, &bars->refs, err);
    status = status == WW_OK ? read_bars(bars, err) : status;
    if (status != WW_OK) {
        ww_bars_destroy(bars);
        return status;
    }
    *out = bars;
    return WW_OK;
}

void ww_bars_destroy(ww_bars *bars)
{
    if (bars != NULL) {
        ww_refs_destroy(bars->refs);
        ww_free(bars->bar);
        ww_free(bars);
    }
}

ww_status ww_bars_find(const ww_bars *bars, const char *comparison, const char *what,
                       const ww_bar **out, ww_error *err)
{
    *out = ww_bars_get(bars, comparison, what);
    return *out != NULL
               ? WW_OK
               : ww_fail(err, WW_ENOTFOUND, "there is no bar '%s' of %s", what, comparison);
}

/* ---- judging ---- */

static bool is_within(const ww_bar *bar, double value)
{
    bool low = bar->above ? value > bar->low : value >= bar->low;
    bool high = bar->below ? value < bar->high : value <= bar->high;
    return isfinite(value) && low && high;
}

ww_verdict ww_judge_whole(ww_row *row, const ww_bar *bar, double value)
{
    row->bar = bar;
    row->verdict = row->missing != NULL    ? WW_VERDICT_MISSING
                   : bar == NULL           ? WW_VERDICT_SHOWN
                   : is_within(bar, value) ? WW_VERDICT_MET
                                           : WW_VERDICT_MISSED;
    return row->verdict;
}

ww_verdict ww_judge(ww_row *row, const ww_bar *bar, double value)
{
    ww_judge_whole(row, bar, value);
    if (row->missing == NULL && bar != NULL && row->of < bar->enough) {
        row->verdict = WW_VERDICT_FEW;
    }
    return row->verdict;
}

/* The first of the rows that failed; NULL: none has. */
static const ww_row *first_failed(const ww_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        ww_verdict verdict = rows->row[i].verdict;
        if (verdict == WW_VERDICT_MISSED || (verdict == WW_VERDICT_MISSING && !rows->partial)) {
            return &rows->row[i];
        }
    }
    return NULL;
}

ww_status ww_judge_all(const ww_rows *rows, const ww_rows *statistics, const char *table,
                       ww_error *err)
{
    static const ww_rows none = {.count = 0};
    ww_tally a = ww_rows_tally(rows);
    if (rows->count == 0 || (rows->partial && a.of[WW_VERDICT_MISSING] == rows->count)) {
        return ww_fail(err, WW_EVERIFY, "nothing is compared: no row of %s has a number of ours",
                       table);
    }
    statistics = statistics != NULL ? statistics : &none;
    ww_tally b = ww_rows_tally(statistics);
    size_t missed = a.of[WW_VERDICT_MISSED] + b.of[WW_VERDICT_MISSED];
    size_t missing = (rows->partial ? 0 : a.of[WW_VERDICT_MISSING]) + b.of[WW_VERDICT_MISSING];
    const ww_row *first = first_failed(rows);
    first = first != NULL ? first : first_failed(statistics);
    if (first == NULL) {
        return WW_OK;
    }
    ww_status status =
        ww_fail(err, WW_EVERIFY, "%zu bars of %s are missed, the first: %s%s%s", missed, table,
                first->subject, first->subject[0] != '\0' ? " " : "", first->what);
    if (missing > 0) {
        ww_error_prefix(err, "%zu numbers of ours are missing; ", missing);
    }
    return status;
}
