/* async.c - `warpwatt validate async`: latencies, rates and power of the asynchronous paths of
 * Hopper cards, by kernels of ours, beside published ones, each on the card that it was measured
 * on. Measured intervals of the matrix unit are met to the cycle, measured latencies in their mean;
 * rates, fitted numbers and such as others disagree with are shown. */
#include <math.h>
#include <string.h>

#include "validation/async.h"
#include "validation/compare.h"
#include "validation/memory.h"

enum {
    GPU,
    PATH,
    WHAT,
    SHAPE,
    KERNEL,
    CTAS,
    CLUSTER,
    THREADS,
    BYTES,
    REPEATS,
    ADVANCE,
    MEASURE,
    VALUE,
    UNIT,
    MHZ,
    JUDGED,
    NOTE,
    COLUMNS
};

typedef enum judged { JUDGED_NOT, JUDGED_INTERVAL, JUDGED_LATENCY, JUDGED_POWER } judged;

static const char *const kinds[] = {"", "interval", "latency", "power", NULL};
static const ww_ref_column reference[COLUMNS] = {
    [GPU] = {"gpu", .kind = WW_REF_NAME},
    [PATH] = {"path", .kind = WW_REF_NAME},
    [WHAT] = {"what", .kind = WW_REF_NAME},
    [SHAPE] = {"shape", .kind = WW_REF_TEXT},
    [KERNEL] = {"kernel", .kind = WW_REF_NAME},
    [CTAS] = {"ctas", .kind = WW_REF_NUMBER},
    [CLUSTER] = {"cluster", .kind = WW_REF_NUMBER},
    [THREADS] = {"threads", .kind = WW_REF_POSITIVE},
    [BYTES] = {"bytes", .kind = WW_REF_NUMBER},
    [REPEATS] = {"repeats", .kind = WW_REF_POSITIVE},
    [ADVANCE] = {"advance", .kind = WW_REF_NUMBER},
    [MEASURE] = {"measure", .kind = WW_REF_NAME},
    [VALUE] = {"value", .kind = WW_REF_POSITIVE},
    [UNIT] = {"unit", .kind = WW_REF_TEXT},
    [MHZ] = {"mhz", .kind = WW_REF_NUMBER},
    [JUDGED] = {"judged", .kind = WW_REF_WORD, .words = kinds},
    [NOTE] = {"note", .kind = WW_REF_TEXT},
};

/* A count: what a launch, which checks it further, takes. */
static ww_status count_at(const ww__comparing *c, size_t line, size_t column, uint32_t *out,
                          ww_error *err)
{
    double value = ww_refs_number(c->refs, line, column);
    if (!(value >= 0 && value <= 1 << 24) || value != floor(value)) {
        return ww_refs_fail(c->refs, line, column, err, WW_ESCHEMA, "not a count up to 2^24");
    }
    *out = (uint32_t)value;
    return WW_OK;
}

static ww_status bench_at(const ww__comparing *c, size_t line, ww__async_bench *out, ww_error *err)
{
    *out = (ww__async_bench){.gpu = ww_refs_text(c->refs, line, GPU),
                             .kernel = ww_refs_text(c->refs, line, KERNEL),
                             .shape = ww_refs_text(c->refs, line, SHAPE),
                             .measure = ww_refs_text(c->refs, line, MEASURE)};
    double mhz = ww_refs_number(c->refs, line, MHZ);
    if (!(mhz >= 0)) {
        return ww_refs_fail(c->refs, line, MHZ, err, WW_ESCHEMA, "not a clock");
    }
    out->core_hz = 1e6 * mhz; /* 0: that of the description */
    WW_TRY(count_at(c, line, CTAS, &out->ctas, err));
    WW_TRY(count_at(c, line, CLUSTER, &out->cluster, err));
    WW_TRY(count_at(c, line, THREADS, &out->threads, err));
    WW_TRY(count_at(c, line, BYTES, &out->bytes, err));
    WW_TRY(count_at(c, line, REPEATS, &out->repeats, err));
    return count_at(c, line, ADVANCE, &out->advance, err);
}

static ww_status measure(ww__comparing *c, const ww__async_bench *b, ww_row *row, ww_error *err)
{
    ww__async_answer answer = {.sigma = NAN};
    WW_TRY(strcmp(b->kernel, "memory") == 0
               ? ww__memory_measure(&c->arena, b->gpu, b->measure, &answer.value, err)
               : ww__async_measure(&c->arena, b, &answer, err));
    row->ours = answer.value;
    row->sigma = answer.sigma;
    row->detail[0] = answer.sigma;
    return WW_OK;
}

/* An interval is judged by its distance in cycles, a power by its own in parts of the measured one;
 * latencies together, below the table. */
static ww_status take(ww__comparing *c, size_t line, ww_error *err)
{
    ww__async_bench b;
    const ww_bar *bar = NULL;
    judged kind = (judged)ww_refs_word(c->refs, line, JUDGED);
    WW_TRY(bench_at(c, line, &b, err));
    ww_row row =
        ww_row_of(b.gpu, ww_refs_text(c->refs, line, WHAT), ww_refs_text(c->refs, line, UNIT));
    row.group = ww_refs_text(c->refs, line, PATH);
    row.printed = b.shape;
    row.quality = kinds[kind];
    row.note = ww_refs_text(c->refs, line, NOTE);
    row.reference = ww_refs_number(c->refs, line, VALUE);
    WW_TRY(measure(c, &b, &row, err));
    double off = fabs(row.ours - row.reference);
    if (kind == JUDGED_INTERVAL || kind == JUDGED_POWER) {
        WW_TRY(ww_bars_find(c->bars, "async", kinds[kind], &bar, err));
        off /= kind == JUDGED_POWER ? row.reference : 1;
    }
    ww_judge(&row, bar, off);
    return ww_rows_add(&c->rows, &row, err);
}

static ww_status sum_up(ww__comparing *c, ww_error *err)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < c->rows.count; i++) {
        if (strcmp(c->rows.row[i].quality, kinds[JUDGED_LATENCY]) == 0) {
            sum += fabs(ww_row_error(&c->rows.row[i]));
            count++;
        }
    }
    return count == 0 ? WW_OK
                      : ww__add_statistic(c, "async", "latency", sum / (double)count, count, err);
}

static ww_status tell(ww__comparing *c, FILE *to, ww_error *err)
{
    (void)err;
    for (size_t i = 0; i < c->statistics.count; i++) {
        const ww_row *row = &c->statistics.row[i];
        fprintf(to, "\nmean absolute error of %zu measured latencies: %.1f %% (bar %.0f %%)%s\n",
                row->of, 100 * row->ours, 100 * row->bar->high,
                row->verdict == WW_VERDICT_MISSED ? " MISSED" : "");
    }
    return WW_OK;
}

ww_status ww_validate_async(const ww_validation *asked, ww_error *err)
{
    static const ww_column shown[] = {
        {"gpu", .field = WW_SHOW_SUBJECT},
        {"path", .field = WW_SHOW_GROUP},
        {"what", .field = WW_SHOW_WHAT},
        {"shape", .field = WW_SHOW_PRINTED},
        {"unit", .field = WW_SHOW_UNIT},
        {"published", .field = WW_SHOW_REFERENCE, .digits = 1},
        {"warpwatt", .field = WW_SHOW_OURS, .digits = 1},
        {"plus_minus", .field = WW_SHOW_DETAIL1, .digits = 1},
        {"error_percent", .field = WW_SHOW_ERROR, .digits = 1},
        {"judged", .field = WW_SHOW_QUALITY},
        {"bar", .field = WW_SHOW_TEXT, .text = ww_show_missed},
        {"note", .field = WW_SHOW_NOTE},
    };
    static const ww__comparison description = {.title = "async",
                                               .table = "cycles/async.csv",
                                               .reference = reference,
                                               .references = COLUMNS,
                                               .shown = shown,
                                               .columns = WW_ARRAY_LEN(shown),
                                               .take = take,
                                               .sum_up = sum_up,
                                               .tell = tell};
    return ww__compare(&description, asked, NULL, err);
}
