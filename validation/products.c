/* products.c - `warpwatt validate products`: what the values of a matrix product's factors cost
 * beside what boards drew for them. Watts of an experiment follow from our joules of a multiply-add
 * by one straight line per card and format, fitted to Gaussian factors alone; experiments are then
 * compared by their swing, from the row that drew most to the one that drew least. */
#include <gsl/gsl_fit.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "validation/compare.h"
#include "validation/products.h"

enum { GPU, FORMAT, EXPERIMENT, PARAM, WATTS, SPLIT, COLUMNS };

static const char *const formats[] = {
#define X(id, name) name,
    WW__PRODUCT_FORMATS(X)
#undef X
        NULL};
static const char *const patterns[] = {
#define X(id, name, meaning) name,
    WW__PRODUCT_PATTERNS(X)
#undef X
        NULL};
static const char *const splits[] = {"used", "looked at", "unseen", NULL};
static const ww_ref_column reference[COLUMNS] = {
    [GPU] = {"gpu", .kind = WW_REF_NAME},
    [FORMAT] = {"format", .kind = WW_REF_WORD, .words = formats},
    [EXPERIMENT] = {"experiment", .kind = WW_REF_WORD, .words = patterns},
    [PARAM] = {"param", .kind = WW_REF_NUMBER},
    [WATTS] = {"watts", .kind = WW_REF_POSITIVE},
    [SPLIT] = {"split", .kind = WW_REF_WORD, .words = splits},
};

/* Lines of the table, and what of them is of a card and format: they stand together, those that are
 * fitted to first. */
typedef struct series {
    double *watts, *joules, *predicted; /* [line] */
    size_t first, count;                /* of the present card and format */
} series;

static bool same(const ww__comparing *c, size_t a, size_t b, size_t column)
{
    return strcmp(ww_refs_text(c->refs, a, column), ww_refs_text(c->refs, b, column)) == 0;
}

static bool is_fitted(const ww__comparing *c, size_t line)
{
    return ww_refs_word(c->refs, line, SPLIT) == 0;
}

static ww_status make_room(ww__comparing *c, series *s, ww_error *err)
{
    const size_t lines = ww_refs_rows(c->refs);
    s->watts = WW_ARENA_NEW_ARRAY(&c->arena, double, lines);
    s->joules = WW_ARENA_NEW_ARRAY(&c->arena, double, lines);
    s->predicted = WW_ARENA_NEW_ARRAY(&c->arena, double, lines);
    return s->watts != NULL && s->joules != NULL && s->predicted != NULL ? WW_OK
                                                                         : ww_no_memory(err);
}

/* Energies of a card and format, from a line on. */
static ww_status measure(ww__comparing *c, series *s, size_t first, ww_error *err)
{
    s->first = first;
    s->count = 0;
    for (size_t i = first;
         i < ww_refs_rows(c->refs) && same(c, first, i, GPU) && same(c, first, i, FORMAT);
         i++, s->count++) {
        const ww__product product = {
            .format = (ww__product_format)ww_refs_word(c->refs, i, FORMAT),
            .pattern = (ww__product_pattern)ww_refs_word(c->refs, i, EXPERIMENT),
            .param = ww_refs_number(c->refs, i, PARAM),
        };
        s->watts[i] = ww_refs_number(c->refs, i, WATTS);
        WW_TRY(ww__product_energy(ww_refs_text(c->refs, i, GPU), &product, &s->joules[i], err));
    }
    return WW_OK;
}

/* A line through what Gaussian factors drew. */
static ww_status fit(ww__comparing *c, series *s, ww_error *err)
{
    double offset, slope, unused[4];
    size_t fitted = 0;
    while (fitted < s->count && is_fitted(c, s->first + fitted)) {
        fitted++;
    }
    if (fitted < 3) {
        return ww_refs_fail(c->refs, s->first, SPLIT, err, WW_ESCHEMA,
                            "%zu lines to fit to, and a line through them takes three", fitted);
    }
    WW_DROP((ww_status)gsl_fit_linear(s->joules + s->first, 1, s->watts + s->first, 1, fitted,
                                      &offset, &slope, &unused[0], &unused[1], &unused[2],
                                      &unused[3])); /* always 0 */
    for (size_t i = s->first; i < s->first + s->count; i++) {
        s->predicted[i] = offset + slope * s->joules[i];
    }
    return WW_OK;
}

/* ---- statistics of a card and format ---- */

/* Judged where bars.csv has a bar for it, else shown. */
static ww_status add(ww__comparing *c, size_t line, const char *what, double value, size_t of,
                     ww_error *err)
{
    ww_str text = {0};
    ww_str_addf(&text, "%s %s %s", ww_refs_text(c->refs, line, GPU),
                ww_refs_text(c->refs, line, FORMAT), what);
    const char *name = ww_arena_strndup(&c->rows.arena, ww_str_text(&text), text.len);
    ww_str_fini(&text);
    if (name == NULL) {
        return ww_no_memory(err);
    }
    ww_row row = ww_row_of("", name, "");
    row.ours = value;
    row.of = of;
    ww_judge(&row, ww_bars_get(c->bars, "products", name), value);
    return ww_rows_add(&c->statistics, &row, err);
}

/* Ranks of what was not fitted to, ours beside the measured ones. */
static ww_status add_rank(ww__comparing *c, const series *s, ww_error *err)
{
    size_t from = s->first, end = s->first + s->count;
    while (from < end && is_fitted(c, from)) {
        from++;
    }
    double *work = WW_NEW_ARRAY(double, 2 * (end - from) + 1);
    if (work == NULL) {
        return ww_no_memory(err);
    }
    double rank = gsl_stats_spearman(s->watts + from, 1, s->predicted + from, 1, end - from, work);
    ww_free(work);
    return add(c, s->first, "rank", rank, end - from, err);
}

/* Products of zeros over those with the fewest zeros. */
static ww_status add_zeros(ww__comparing *c, const series *s, ww_error *err)
{
    size_t zeros = SIZE_MAX, random = SIZE_MAX;
    for (size_t i = s->first; i < s->first + s->count; i++) {
        if (ww_refs_word(c->refs, i, EXPERIMENT) == WW__PRODUCT_SPARSE) {
            random = random == SIZE_MAX ? i : random;
            zeros = ww_refs_number(c->refs, i, PARAM) >= 1 ? i : zeros;
        }
    }
    if (zeros == SIZE_MAX || random == zeros) {
        return WW_OK;
    }
    double measured = s->watts[zeros] / s->watts[random];
    double ours = s->predicted[zeros] / s->predicted[random];
    return add(c, s->first, "zeros", fabs(ours / measured - 1), 2, err);
}

static ww_status add_swing(ww__comparing *c, size_t line, ww_error *err)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < c->rows.count; i++) {
        const ww_row *row = &c->rows.row[i];
        if (strcmp(row->subject, ww_refs_text(c->refs, line, GPU)) == 0 &&
            strcmp(row->group, ww_refs_text(c->refs, line, FORMAT)) == 0 &&
            strcmp(row->quality, splits[0]) != 0) {
            sum += fabs(ww_row_error(row));
            count++;
        }
    }
    return count == 0 ? WW_OK : add(c, line, "swing", sum / (double)count, count, err);
}

static ww_status tell(ww__comparing *c, FILE *to, ww_error *err)
{
    (void)err;
    for (size_t i = 0; i < c->statistics.count; i++) {
        const ww_row *row = &c->statistics.row[i];
        fprintf(to, "%-22s %5.2f of %3zu  %s\n", row->what, row->ours, row->of,
                ww_verdict_name(row->verdict));
    }
    return WW_OK;
}

/* ---- rows ---- */

/* The experiment that ends with this line. */
static ww_status add_experiment(ww__comparing *c, const series *s, size_t last, ww_error *err)
{
    size_t high = last, low = last;
    for (size_t i = last; i + 1 > s->first && same(c, last, i, EXPERIMENT); i--) {
        high = s->watts[i] > s->watts[high] ? i : high;
        low = s->watts[i] < s->watts[low] ? i : low;
        if (i == 0) {
            break;
        }
    }
    if (high == low) {
        return WW_OK; /* one line has no swing */
    }
    ww_row row =
        ww_row_of(ww_refs_text(c->refs, last, GPU), ww_refs_text(c->refs, last, EXPERIMENT), "W");
    row.group = ww_refs_text(c->refs, last, FORMAT);
    row.quality = splits[ww_refs_word(c->refs, last, SPLIT)];
    row.reference = s->watts[high] - s->watts[low];
    row.ours = s->predicted[high] - s->predicted[low];
    row.detail[0] = ww_refs_number(c->refs, high, PARAM);
    row.detail[1] = ww_refs_number(c->refs, low, PARAM);
    ww_judge(&row, NULL, 0);
    return ww_rows_add(&c->rows, &row, err);
}

static ww_status take(ww__comparing *c, size_t line, ww_error *err)
{
    series *s = c->own;
    WW_TRY(s->watts == NULL ? make_room(c, s, err) : WW_OK);
    if (line == s->first + s->count) {
        WW_TRY(measure(c, s, line, err));
        WW_TRY(fit(c, s, err));
    }
    const bool last = line + 1 == s->first + s->count;
    if (last || !same(c, line, line + 1, EXPERIMENT)) {
        WW_TRY(add_experiment(c, s, line, err));
    }
    if (!last) {
        return WW_OK;
    }
    WW_TRY(add_swing(c, line, err));
    WW_TRY(add_rank(c, s, err));
    return add_zeros(c, s, err);
}

ww_status ww_validate_products(const ww_validation *asked, ww_error *err)
{
    static const ww_column shown[] = {
        {"gpu", .field = WW_SHOW_SUBJECT},
        {"format", .field = WW_SHOW_GROUP},
        {"experiment", .field = WW_SHOW_WHAT},
        {"most_at", .field = WW_SHOW_DETAIL1, .digits = 1},
        {"least_at", .field = WW_SHOW_DETAIL2, .digits = 1},
        {"unit", .field = WW_SHOW_UNIT},
        {"measured", .field = WW_SHOW_REFERENCE, .digits = 1},
        {"warpwatt", .field = WW_SHOW_OURS, .digits = 1},
        {"error_percent", .field = WW_SHOW_ERROR, .digits = 0},
        {"split", .field = WW_SHOW_QUALITY},
    };
    static const ww__comparison description = {.title = "products",
                                               .table = "power/products.csv",
                                               .reference = reference,
                                               .references = COLUMNS,
                                               .shown = shown,
                                               .columns = WW_ARRAY_LEN(shown),
                                               .take = take,
                                               .tell = tell};
    series s = {0};
    return ww__compare(&description, asked, &s, err);
}
