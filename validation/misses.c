/* misses.c - why the bands of a paper are missed: the rows that bands.csv names for each. */
#include <math.h>
#include <string.h>

#include "validation/paper.h"

/* What a ceiling of the mechanism says of a band that is missed. */
static const char *reach(const ww_row *missed, const ww_row *ceiling)
{
    if (isnan(ceiling->ours) || isnan(missed->ours)) {
        return "not run";
    }
    const bool below = missed->ours < missed->bar->low;
    const bool out = below ? ceiling->ours < missed->bar->low : ceiling->ours > missed->bar->high;
    return out ? "out of reach" : "in reach";
}

static ww_status add_named(ww_paper *paper, const ww_row *missed, const char *words, bool ceilings,
                           ww_rows *out, ww_error *err)
{
    size_t count;
    const ww_band *band = ww_paper_bands(paper, &count);
    for (const char *w = words + strspn(words, " "); *w != '\0'; w += strspn(w, " ")) {
        const size_t length = strcspn(w, " ");
        const ww_band *named = ww_band_find(band, count, w, length);
        WW_ASSERT(named != NULL); /* checked when it was read */
        ww_row row;
        WW_TRY(ww_paper_judge(paper, named, &row, err));
        row.group = named->id;
        row.subject = missed->subject;
        row.note = ceilings ? reach(missed, &row) : isnan(row.ours) ? "not run" : "beside";
        WW_TRY(ww_rows_add(out, &row, err));
        w += length;
    }
    return WW_OK;
}

ww_status ww_paper_misses(ww_paper *paper, const ww_rows *judged, ww_rows *out, ww_error *err)
{
    size_t count;
    const ww_band *band = ww_paper_bands(paper, &count);
    WW_ASSERT(judged->count == count);
    for (size_t i = 0; i < count; i++) {
        const ww_row *row = &judged->row[i];
        if (row->verdict != WW_VERDICT_MISSED) {
            continue;
        }
        const size_t before = out->count;
        WW_TRY(add_named(paper, row, band[i].ceiling, true, out, err));
        WW_TRY(add_named(paper, row, band[i].beside, false, out, err));
        if (out->count == before) {
            ww_row none = ww_row_of(row->subject, "", "");
            none.group = none.printed = "";
            none.ours = (double)NAN;
            none.note = "no row says why";
            WW_TRY(ww_rows_add(out, &none, err));
        }
    }
    return WW_OK;
}
