/* toggles.c - `warpwatt validate toggles`: what the values of a stream of reads cost beside what a
 * card drew, over a stream of zeros. Random values were used for the description of the memory;
 * rows of runs of equal words were not. */
#include <math.h>
#include <string.h>

#include "validation/compare.h"
#include "validation/toggles.h"

enum { GPU, VALUES, PART, VALUE, SPLIT, JUDGED, NOTE, COLUMNS };

typedef enum part { PART_MEMORY, PART_DIE, PART_BOARD } part;

static const char *const parts[] = {"memory", "die", "board", NULL};
static const char *const splits[] = {"used", "unseen", NULL};
static const char *const kinds[] = {"", "random", NULL};
static const ww_ref_column reference[COLUMNS] = {
    [GPU] = {"gpu", .kind = WW_REF_NAME},
    [VALUES] = {"values", .kind = WW_REF_NAME},
    [PART] = {"part", .kind = WW_REF_WORD, .words = parts},
    [VALUE] = {"pj_per_bit", .kind = WW_REF_POSITIVE},
    [SPLIT] = {"split", .kind = WW_REF_WORD, .words = splits},
    [JUDGED] = {"judged", .kind = WW_REF_WORD, .words = kinds},
    [NOTE] = {"note", .kind = WW_REF_TEXT},
};

/* Streams that were measured last: rows of one stand together. */
typedef struct streams {
    const char *gpu, *values;
    ww__read_energy zeros, energy;
} streams;

static ww_status find_streams(ww__comparing *c, streams *s, const char *gpu, const char *values,
                              ww_error *err)
{
    if (s->gpu == NULL || strcmp(s->gpu, gpu) != 0) {
        WW_TRY(ww__read_energy_of(&c->arena, gpu, "zeros", &s->zeros, err));
        s->values = NULL;
    }
    if (s->values == NULL || strcmp(s->values, values) != 0) {
        WW_TRY(ww__read_energy_of(&c->arena, gpu, values, &s->energy, err));
    }
    s->gpu = gpu;
    s->values = values;
    return WW_OK;
}

static ww_status take(ww__comparing *c, size_t line, ww_error *err)
{
    streams *s = c->own;
    const ww_bar *bar = NULL;
    const part of = (part)ww_refs_word(c->refs, line, PART);
    const size_t kind = (size_t)ww_refs_word(c->refs, line, JUDGED);
    WW_TRY(find_streams(c, s, ww_refs_text(c->refs, line, GPU), ww_refs_text(c->refs, line, VALUES),
                        err));
    const double memory = s->energy.memory - s->zeros.memory, die = s->energy.die - s->zeros.die;
    ww_row row = ww_row_of(s->gpu, s->values, "pJ/bit");
    row.group = parts[of];
    row.quality = splits[ww_refs_word(c->refs, line, SPLIT)];
    row.note = ww_refs_text(c->refs, line, NOTE);
    row.reference = ww_refs_number(c->refs, line, VALUE);
    row.ours = 1e12 * (of == PART_MEMORY ? memory : of == PART_DIE ? die : memory + die);
    if (kind != 0) {
        WW_TRY(ww_bars_find(c->bars, "toggles", kinds[kind], &bar, err));
    }
    ww_judge(&row, bar, fabs(ww_row_error(&row)));
    return ww_rows_add(&c->rows, &row, err);
}

ww_status ww_validate_toggles(const ww_validation *asked, ww_error *err)
{
    static const ww_column shown[] = {
        {"gpu", .field = WW_SHOW_SUBJECT},
        {"values", .field = WW_SHOW_WHAT},
        {"part", .field = WW_SHOW_GROUP},
        {"unit", .field = WW_SHOW_UNIT},
        {"measured", .field = WW_SHOW_REFERENCE, .digits = 2},
        {"warpwatt", .field = WW_SHOW_OURS, .digits = 2},
        {"error_percent", .field = WW_SHOW_ERROR, .digits = 1},
        {"split", .field = WW_SHOW_QUALITY},
        {"bar", .field = WW_SHOW_TEXT, .text = ww_show_missed},
        {"note", .field = WW_SHOW_NOTE},
    };
    static const ww__comparison description = {.title = "toggles",
                                               .table = "power/toggles.csv",
                                               .reference = reference,
                                               .references = COLUMNS,
                                               .shown = shown,
                                               .columns = WW_ARRAY_LEN(shown),
                                               .take = take};
    streams s = {0};
    return ww__compare(&description, asked, &s, err);
}
