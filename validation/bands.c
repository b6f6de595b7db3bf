/* bands.c - reading bands.csv: each row a number that a paper prints and where ours must lie. */
#include "validation/bands.h"

#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "validation/mean.h"

enum { ID, FIGURE, WHAT, OVER, MEAN, MEASURE, UNIT, PRINTED, LOW, HIGH, COLUMNS };

static const char *const columns[COLUMNS] = {"id",      "figure", "what",    "over", "mean",
                                             "measure", "unit",   "printed", "low",  "high"};

static ww_status read_bound(const ww_csv *csv, size_t row, size_t column, double open, double *out,
                            ww_error *err)
{
    *out = open;
    return ww_csv_text(csv, row, column)[0] != '\0' ? ww_csv_double(csv, row, column, out, err)
                                                    : WW_OK;
}

static ww_status read_band(const ww_csv *csv, size_t row, const size_t *column, ww_arena *arena,
                           ww_band *band, ww_error *err)
{
    const char **const text[] = {&band->id,   &band->figure,  &band->what, &band->over,
                                 &band->mean, &band->measure, &band->unit, &band->printed};
    ww_mean mean;
    for (size_t c = 0; c < WW_ARRAY_LEN(text); c++) {
        const char *from = ww_csv_text(csv, row, column[c]);
        *text[c] = ww_arena_strndup(arena, from, strlen(from));
        if (*text[c] == NULL) {
            return ww_no_memory(err);
        }
    }
    if (!ww_mean_parse(band->mean, &mean)) {
        return ww_csv_fail(csv, row, column[MEAN], err, WW_ESCHEMA,
                           "the mean is geo, arith, min, max, sum, pooled or rank, not '%s'",
                           band->mean);
    }
    if (band->id[0] == '\0' || band->over[0] == '\0' || band->measure[0] == '\0') {
        return ww_csv_fail(csv, row, column[ID], err, WW_ESCHEMA,
                           "a row needs an id, workloads that it is over, and a measure");
    }
    WW_TRY(read_bound(csv, row, column[LOW], -(double)INFINITY, &band->low, err));
    WW_TRY(read_bound(csv, row, column[HIGH], (double)INFINITY, &band->high, err));
    return band->low <= band->high ? WW_OK
                                   : ww_csv_fail(csv, row, column[LOW], err, WW_ERANGE,
                                                 "the band of %s is empty", band->id);
}

static ww_status read_all(const ww_csv *csv, ww_arena *arena, ww_band **out, size_t *count,
                          ww_error *err)
{
    size_t column[COLUMNS], rows = ww_csv_rows(csv);
    WW_TRY(ww_csv_find_all(csv, columns, COLUMNS, column, err));
    ww_band *band = WW_ARENA_NEW_ARRAY(arena, ww_band, rows + 1);
    if (band == NULL) {
        return ww_no_memory(err);
    }
    for (size_t row = 0; row < rows; row++) {
        WW_TRY(read_band(csv, row, column, arena, &band[row], err));
        for (size_t i = 0; i < row; i++) {
            if (strcmp(band[i].id, band[row].id) == 0) {
                return ww_csv_fail(csv, row, column[ID], err, WW_ESCHEMA, "%s is there twice",
                                   band[row].id);
            }
        }
    }
    *out = band;
    *count = rows;
    return WW_OK;
}

ww_status ww__bands_load(const char *path, ww_arena *arena, ww_band **out, size_t *count,
                         ww_error *err)
{
    ww_csv *csv = NULL;
    WW_TRY(ww_csv_load(path, &csv, err));
    ww_status status = read_all(csv, arena, out, count, err);
    ww_csv_destroy(csv);
    return status;
}
