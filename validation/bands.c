/* bands.c - reading bands.csv: each row a number that a paper prints and where ours must lie. */
#include "validation/bands.h"

#include <math.h>
#include <string.h>

#include "validation/mean.h"

enum { ID, FIGURE, WHAT, OVER, MEAN, MEASURE, UNIT, PRINTED, LOW, HIGH, CEILING, BESIDE, COLUMNS };

static const ww_ref_column columns[COLUMNS] = {
    [ID] = {"id", .kind = WW_REF_NAME},
    [FIGURE] = {"figure", .kind = WW_REF_TEXT},
    [WHAT] = {"what", .kind = WW_REF_TEXT},
    [OVER] = {"over", .kind = WW_REF_NAME},
    [MEAN] = {"mean", .kind = WW_REF_TEXT},
    [MEASURE] = {"measure", .kind = WW_REF_NAME},
    [UNIT] = {"unit", .kind = WW_REF_TEXT},
    [PRINTED] = {"printed", .kind = WW_REF_TEXT},
    [LOW] = {"low", .kind = WW_REF_OPTIONAL},
    [HIGH] = {"high", .kind = WW_REF_OPTIONAL},
    [CEILING] = {"ceiling", .kind = WW_REF_TEXT, .may_lack = true},
    [BESIDE] = {"beside", .kind = WW_REF_TEXT, .may_lack = true},
};

static ww_status read_band(const ww_refs *t, size_t row, ww_band *band, ww_error *err)
{
    double low = ww_refs_number(t, row, LOW), high = ww_refs_number(t, row, HIGH);
    ww_mean mean;
    *band = (ww_band){.id = ww_refs_text(t, row, ID),
                      .figure = ww_refs_text(t, row, FIGURE),
                      .what = ww_refs_text(t, row, WHAT),
                      .over = ww_refs_text(t, row, OVER),
                      .mean = ww_refs_text(t, row, MEAN),
                      .measure = ww_refs_text(t, row, MEASURE),
                      .unit = ww_refs_text(t, row, UNIT),
                      .printed = ww_refs_text(t, row, PRINTED),
                      .ceiling = ww_refs_text(t, row, CEILING),
                      .beside = ww_refs_text(t, row, BESIDE),
                      .judged = !isnan(low) || !isnan(high)};
    band->bar = (ww_bar){.comparison = "paper",
                         .what = band->what,
                         .low = isnan(low) ? -(double)INFINITY : low,
                         .high = isnan(high) ? (double)INFINITY : high,
                         .reason = band->printed};
    if (!ww_mean_parse(band->mean, &mean)) {
        return ww_refs_fail(t, row, MEAN, err, WW_ESCHEMA,
                            "the mean is geo, arith, min, max, sum, pooled or rank, not '%s'",
                            band->mean);
    }
    return band->bar.low <= band->bar.high
               ? WW_OK
               : ww_refs_fail(t, row, LOW, err, WW_ERANGE, "the band of %s is empty", band->id);
}

/* Whether all words of a cell are rows of the table, and the row is one that can be missed. */
static ww_status check_named(const ww_refs *t, size_t row, size_t column, const ww_band *band,
                             ww_error *err)
{
    const char *words = ww_refs_text(t, row, column);
    if (words[0] != '\0' && !band[row].judged) {
        return ww_refs_fail(t, row, column, err, WW_ESCHEMA, "%s has no band to miss",
                            band[row].id);
    }
    for (const char *w = words + strspn(words, " "); *w != '\0'; w += strspn(w, " ")) {
        const size_t length = strcspn(w, " ");
        if (ww_band_find(band, ww_refs_rows(t), w, length) == NULL) {
            return ww_refs_fail(t, row, column, err, WW_ENOTFOUND, "there is no row '%.*s'",
                                (int)length, w);
        }
        w += length;
    }
    return WW_OK;
}

static ww_status read_all(const ww_refs *t, ww_arena *arena, ww_band **out, ww_error *err)
{
    size_t rows = ww_refs_rows(t);
    ww_band *band = WW_ARENA_NEW_ARRAY(arena, ww_band, rows + 1);
    if (band == NULL) {
        return ww_no_memory(err);
    }
    for (size_t row = 0; row < rows; row++) {
        WW_TRY(read_band(t, row, &band[row], err));
        for (size_t i = 0; i < row; i++) {
            if (strcmp(band[i].id, band[row].id) == 0) {
                return ww_refs_fail(t, row, ID, err, WW_ESCHEMA, "%s is there twice", band[row].id);
            }
        }
    }
    for (size_t row = 0; row < rows; row++) {
        WW_TRY(check_named(t, row, CEILING, band, err));
        WW_TRY(check_named(t, row, BESIDE, band, err));
    }
    *out = band;
    return WW_OK;
}

const ww_band *ww_band_find(const ww_band *band, size_t count, const char *id, size_t length)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(band[i].id) == length && memcmp(band[i].id, id, length) == 0) {
            return &band[i];
        }
    }
    return NULL;
}

ww_status ww__bands_load(const char *path, ww_arena *arena, ww_refs **table, ww_band **out,
                         ww_error *err)
{
    WW_TRY(ww_refs_load(path, columns, COLUMNS, table, err));
    return read_all(*table, arena, out, err);
}
