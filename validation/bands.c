/* bands.c - reading bands.csv: each row a number that a paper prints and where ours must lie. */
#include "validation/bands.h"

#include <math.h>
#include <string.h>

#include "validation/mean.h"

enum { ID, FIGURE, WHAT, OVER, MEAN, MEASURE, UNIT, PRINTED, LOW, HIGH, COLUMNS };

static const ww_ref_column columns[COLUMNS] = {
    [ID] = {"id", .kind = WW_REF_NAME},       [FIGURE] = {"figure", .kind = WW_REF_TEXT},
    [WHAT] = {"what", .kind = WW_REF_TEXT},   [OVER] = {"over", .kind = WW_REF_NAME},
    [MEAN] = {"mean", .kind = WW_REF_TEXT},   [MEASURE] = {"measure", .kind = WW_REF_NAME},
    [UNIT] = {"unit", .kind = WW_REF_TEXT},   [PRINTED] = {"printed", .kind = WW_REF_TEXT},
    [LOW] = {"low", .kind = WW_REF_OPTIONAL}, [HIGH] = {"high", .kind = WW_REF_OPTIONAL},
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
    *out = band;
    return WW_OK;
}

ww_status ww__bands_load(const char *path, ww_arena *arena, ww_refs **table, ww_band **out,
                         ww_error *err)
{
    WW_TRY(ww_refs_load(path, columns, COLUMNS, table, err));
    return read_all(*table, arena, out, err);
}
