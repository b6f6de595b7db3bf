/* misses.c - why the bands of a paper are missed: the rows that bands.csv names for each. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "validation/paper.h"

const char *ww_standing_name(ww_standing standing)
{
    static const char *const name[] = {"out of reach",   "baseline differs", "in reach",
                                       "not run",        "no bound",         "beside",
                                       "no row says why"};
    return name[standing];
}

/* What a ceiling of the mechanism says of a band that is missed: nothing, where ours is nearer to
 * the band. */
static ww_standing reach(const ww_row *missed, const ww_row *ceiling)
{
    if (isnan(ceiling->ours) || isnan(missed->ours)) {
        return WW_STANDS_NOT_RUN;
    }
    const bool below = missed->ours < missed->bar->low;
    if (below ? ceiling->ours < missed->ours : ceiling->ours > missed->ours) {
        return WW_STANDS_NO_BOUND;
    }
    const bool out = below ? ceiling->ours < missed->bar->low : ceiling->ours > missed->bar->high;
    return out ? WW_STANDS_OUT : WW_STANDS_IN;
}

/* Whether a number of machines without a mechanism is not the paper's: beyond its own band, or,
 * where it has none, less than half or more than twice what is printed. */
static bool differs(const ww_row *row)
{
    double printed = 0;
    ww_error unread = {0};
    if (row->verdict != WW_VERDICT_SHOWN) {
        return row->verdict == WW_VERDICT_MISSED;
    }
    return ww_num_parse_double(row->printed, &printed, &unread) == WW_OK && printed > 0 &&
           (row->ours < printed / 2 || row->ours > 2 * printed);
}

static ww_standing bears_on(const ww_paper *paper, const ww_row *row)
{
    if (isnan(row->ours)) {
        return WW_STANDS_NOT_RUN;
    }
    return ww_paper_judged_base(paper) && differs(row) ? WW_STANDS_BASELINE : WW_STANDS_BESIDE;
}

/* The rows of these ids; `by` becomes the first by which the band stands best. */
static ww_status add_named(ww_paper *paper, const ww_row *missed, const char *words, bool ceilings,
                           ww_rows *out, ww_row *by, ww_standing *stands, ww_error *err)
{
    size_t count;
    const ww_band *band = ww_paper_bands(paper, &count);
    for (const char *w = words + strspn(words, " "); *w != '\0'; w += strspn(w, " ")) {
        const size_t length = strcspn(w, " ");
        const ww_band *named = ww_band_find(band, count, w, length);
        WW_ASSERT(named != NULL); /* checked when it was read */
        ww_row row;
        WW_TRY(ww_paper_judge(paper, named, &row, err));
        const ww_standing says = ceilings ? reach(missed, &row) : bears_on(paper, &row);
        row.group = named->id;
        row.subject = missed->subject;
        row.note = ww_standing_name(says);
        WW_TRY(ww_rows_add(out, &row, err));
        if (says < *stands) {
            *stands = says;
            *by = row;
        }
        w += length;
    }
    return WW_OK;
}

ww_status ww_paper_misses(ww_paper *paper, const ww_rows *judged, ww_rows *out, ww_rows *stands,
                          size_t count[WW_STANDINGS], ww_error *err)
{
    size_t bands;
    const ww_band *band = ww_paper_bands(paper, &bands);
    WW_ASSERT(judged->count == bands);
    for (size_t i = 0; i < bands; i++) {
        const ww_row *row = &judged->row[i];
        if (row->verdict != WW_VERDICT_MISSED) {
            continue;
        }
        ww_standing how = WW_STANDS_ALONE;
        ww_row by = ww_row_of(row->subject, "", "");
        by.group = by.printed = "";
        by.ours = (double)NAN;
        by.note = ww_standing_name(how);
        WW_TRY(add_named(paper, row, band[i].ceiling, true, out, &by, &how, err));
        WW_TRY(add_named(paper, row, band[i].beside, false, out, &by, &how, err));
        if (how == WW_STANDS_ALONE) {
            WW_TRY(ww_rows_add(out, &by, err));
        }
        by.what = row->what;
        by.printed = row->printed;
        by.ours = row->ours;
        by.bar = row->bar;
        WW_TRY(ww_rows_add(stands, &by, err));
        count[how]++;
    }
    return WW_OK;
}
