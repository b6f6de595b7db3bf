/* validate_rates.c - `warpwatt validate cycles --rates`: rates (GB/s, GFLOP/s) that public
 * benchmarks reached on GPUs, beside those of the same kernels here. A rate is the work of a
 * repetition, as the benchmark itself counts it, over the time of the launches that do it. */
#include <math.h>
#include <string.h>

#include "analysis/table.h"
#include "base/csv.h"
#include "cli/rerun.h"
#include "cli/validate.h"

#define TABLE "cycles/rates.csv"

typedef struct row {
    const char *gpu, *metric, *unit;
    double theirs, ours;
} row;

typedef struct study {
    ww_arena arena;
    ww_rerun from;
    row *row;
    size_t rows;
    ww_str missing;
} study;

/* Whether the launch is one of `kernels`, parts of names with | between them. */
static bool is_meant(const char *kernel, const char *kernels)
{
    for (const char *at = kernels; *at != '\0';) {
        size_t length = strcspn(at, "|");
        for (const char *k = kernel; *k != '\0'; k++) {
            if (strncmp(k, at, length) == 0) {
                return true;
            }
        }
        at += length + (at[length] == '|');
    }
    return false;
}

/* Repetitions of so many launches each, on average; 0: every launch is one, and the best counts. */
static ww_status rate_of(const ww_rerun_launch *launch, size_t count, const char *kernels,
                         double work, double launches, double *rate, ww_error *err)
{
    double time_s = 0, best = 0;
    size_t meant = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_meant(launch[i].kernel, kernels)) {
            meant++;
            time_s += launch[i].time_s;
            best = fmax(best, work / launch[i].time_s);
        }
    }
    if (meant == 0 || (launches > 0 && fmod((double)meant, launches) != 0)) {
        return ww_fail(err, WW_ERANGE, "%zu launches of %s, not a multiple of %g", meant, kernels,
                       launches);
    }
    *rate = launches > 0 ? work * ((double)meant / launches) / time_s : best;
    return WW_OK;
}

enum {
    GPU,
    METRIC,
    RESULTS,
    FILE_NAME,
    ARGUMENTS,
    SAMPLE,
    KERNELS,
    LAUNCHES,
    WORK,
    VALUE,
    UNIT,
    COLUMNS
};

static ww_status take_row(study *s, const ww_csv *csv, size_t i, const size_t *column,
                          ww_error *err)
{
    const char *text[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) {
        const char *cell = ww_csv_text(csv, i, column[c]);
        text[c] = ww_arena_strndup(&s->arena, cell, strlen(cell));
    }
    const ww_rerun_row rerun = {.gpu = text[GPU],
                                .name =
                                    ww_arena_printf(&s->arena, "%s-%s", text[GPU], text[RESULTS]),
                                .file = text[FILE_NAME],
                                .arguments = text[ARGUMENTS],
                                .sample = text[SAMPLE]};
    row r = {.gpu = text[GPU], .metric = text[METRIC], .unit = text[UNIT]};
    double work, launches;
    ww_rerun_launch *launch;
    size_t count;
    bool found;
    WW_TRY(ww_csv_double(csv, i, column[VALUE], &r.theirs, err));
    WW_TRY(ww_csv_double(csv, i, column[WORK], &work, err));
    WW_TRY(ww_csv_double(csv, i, column[LAUNCHES], &launches, err));
    WW_TRY(ww_rerun_launches(&s->from, &rerun, &s->arena, &launch, &count, &found, err));
    if (!found) {
        ww_str_addf(&s->missing, "%s%s %s", s->missing.len > 0 ? ", " : "", r.gpu, r.metric);
        return WW_OK;
    }
    WW_TRY(rate_of(launch, count, text[KERNELS], work, launches, &r.ours, err));
    r.ours *= 1e-9;
    s->row[s->rows++] = r;
    return WW_OK;
}

static ww_status take_rows(study *s, const ww_csv *csv, ww_error *err)
{
    static const char *const NAME[COLUMNS] = {"gpu",       "metric", "results", "file",
                                              "arguments", "sample", "kernels", "launches",
                                              "work",      "value",  "unit"};
    size_t column[COLUMNS];
    WW_TRY(ww_csv_find_all(csv, NAME, COLUMNS, column, err));
    s->row = WW_ARENA_NEW_ARRAY(&s->arena, row, ww_csv_rows(csv) + 1);
    if (s->row == NULL) {
        return ww_no_memory_for(err, "the comparison");
    }
    for (size_t i = 0; i < ww_csv_rows(csv); i++) {
        WW_TRY(take_row(s, csv, i, column, err));
    }
    return WW_OK;
}

/* Of the time that the work takes: a rate that is half as high is an error of 100 %. */
static double time_error(const row *r)
{
    return r->theirs / r->ours - 1;
}

static ww_status print_rows(const study *s, bool json, ww_error *err)
{
    static const char *const HEAD[] = {"gpu",      "metric",   "unit",
                                       "hardware", "warpwatt", "time_error_percent"};
    ww_table t;
    ww_table_init(&t, "rates");
    ww_table_heads(&t, HEAD, WW_ARRAY_LEN(HEAD));
    for (size_t i = 0; i < s->rows; i++) {
        const row *r = &s->row[i];
        ww_table_text(&t, r->gpu);
        ww_table_text(&t, r->metric);
        ww_table_text(&t, r->unit);
        ww_table_number(&t, r->theirs, 1);
        ww_table_number(&t, r->ours, 1);
        ww_table_number(&t, 100 * time_error(r), 1);
    }
    ww_status status = ww_table_print(&t, json, stdout, err);
    ww_table_fini(&t);
    return status;
}

static void print_summary(const study *s)
{
    double sum = 0, log_sum = 0;
    for (size_t i = 0; i < s->rows; i++) {
        sum += fabs(time_error(&s->row[i]));
        log_sum += fabs(log(s->row[i].theirs / s->row[i].ours));
    }
    if (s->rows > 0) {
        double n = (double)s->rows;
        printf("\nabsolute error of the times: mean %.1f %%, geometric mean factor %.2f, over %zu "
               "rates\n",
               100 * sum / n, exp(log_sum / n), s->rows);
    }
    if (s->missing.len > 0) {
        printf("neither program nor results (--programs DIR, --results DIR): %s\n",
               ww_str_text(&s->missing));
    }
}

static ww_status study_all(study *s, const ww_args *args, ww_error *err)
{
    ww_csv *csv = NULL;
    const char *shipped;
    WW_TRY(ww_validation_file(&s->arena, TABLE, &shipped, err));
    const char *given = ww_args_value(args, "reference");
    s->from = (ww_rerun){.table = given != NULL ? given : shipped,
                         .programs = ww_args_value(args, "programs"),
                         .results = ww_args_value(args, "results")};
    WW_TRY(ww_csv_load(s->from.table, &csv, err));
    ww_status status = take_rows(s, csv, err);
    ww_csv_destroy(csv);
    WW_TRY(status);
    bool json = ww_args_has(args, "json");
    WW_TRY(print_rows(s, json, err));
    if (!json) {
        print_summary(s);
    }
    return WW_OK;
}

ww_status ww_validate_rates(const ww_args *args, ww_error *err)
{
    study s = {0};
    ww_status status = study_all(&s, args, err);
    ww_str_fini(&s.missing);
    ww_arena_fini(&s.arena);
    return status;
}
