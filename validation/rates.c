/* rates.c - `warpwatt validate cycles --rates`: rates (GB/s, GFLOP/s) that public benchmarks
 * reached on GPUs, beside those of the same kernels here. A rate is the work of a repetition, as
 * the benchmark itself counts it, over the time of the launches that do it. */
#include <math.h>
#include <string.h>

#include "validation/rerun.h"

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

static const char *const samples[] = {"", "ctas", "kernels", NULL};
static const ww_ref_column reference[COLUMNS] = {
    [GPU] = {"gpu", .kind = WW_REF_NAME},
    [METRIC] = {"metric", .kind = WW_REF_NAME},
    [RESULTS] = {"results", .kind = WW_REF_NAME},
    [FILE_NAME] = {"file", .kind = WW_REF_NAME},
    [ARGUMENTS] = {"arguments", .kind = WW_REF_TEXT},
    [SAMPLE] = {"sample", .kind = WW_REF_WORD, .words = samples},
    [KERNELS] = {"kernels", .kind = WW_REF_NAME},
    [LAUNCHES] = {"launches", .kind = WW_REF_NUMBER},
    [WORK] = {"work", .kind = WW_REF_POSITIVE},
    [VALUE] = {"value", .kind = WW_REF_POSITIVE},
    [UNIT] = {"unit", .kind = WW_REF_TEXT},
};

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
static ww_status rate_of(const ww__comparing *c, size_t line, const ww_rerun_launch *launch,
                         size_t count, double *rate, ww_error *err)
{
    const char *kernels = ww_refs_text(c->refs, line, KERNELS);
    double work = ww_refs_number(c->refs, line, WORK);
    double launches = ww_refs_number(c->refs, line, LAUNCHES);
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
    if (!(time_s > 0)) {
        return ww_fail(err, WW_ERANGE, "the launches of %s have no time", kernels);
    }
    *rate = launches > 0 ? work * ((double)meant / launches) / time_s : best;
    return WW_OK;
}

static ww_status take(ww__comparing *c, size_t line, ww_error *err)
{
    const char *gpu = ww_refs_text(c->refs, line, GPU);
    const ww_rerun_row rerun = {
        .gpu = gpu,
        .name = ww_arena_printf(&c->arena, "%s-%s", gpu, ww_refs_text(c->refs, line, RESULTS)),
        .file = ww_refs_text(c->refs, line, FILE_NAME),
        .arguments = ww_refs_text(c->refs, line, ARGUMENTS),
        .sample = ww_refs_text(c->refs, line, SAMPLE)};
    ww_row row =
        ww_row_of(gpu, ww_refs_text(c->refs, line, METRIC), ww_refs_text(c->refs, line, UNIT));
    ww_rerun_launch *launch;
    size_t count;
    bool found;
    WW_TRY(rerun.name != NULL ? WW_OK : ww_no_memory(err));
    WW_TRY(ww__rerun_launches(c, &rerun, &c->arena, &launch, &count, &found, err));
    if (!found) {
        ww_rows_leave_out(&c->rows, "%s %s", gpu, row.what);
        return WW_OK;
    }
    WW_TRY(rate_of(c, line, launch, count, &row.ours, err));
    row.reference = ww_refs_number(c->refs, line, VALUE);
    row.ours *= 1e-9;
    return ww_rows_add(&c->rows, &row, err);
}

/* Of the time that the work takes: a rate that is half as high is an error of 100 %. */
static double time_error(const ww_row *row)
{
    return ww_error_of(row->reference, row->ours);
}

static ww_status tell(ww__comparing *c, FILE *to, ww_error *err)
{
    double sum = 0, log_sum = 0, n = (double)c->rows.count;
    (void)err;
    for (size_t i = 0; i < c->rows.count; i++) {
        const ww_row *row = &c->rows.row[i];
        sum += fabs(time_error(row));
        log_sum += fabs(log(row->reference / row->ours));
    }
    if (c->rows.count > 0) {
        fprintf(to,
                "\nabsolute error of the times: mean %.1f %%, geometric mean factor %.2f, over "
                "%zu rates\n",
                100 * sum / n, exp(log_sum / n), c->rows.count);
    }
    return ww__tell_left_out(c, to);
}

ww_status ww_validate_rates(const ww_validation *asked, ww_error *err)
{
    static const ww_column shown[] = {
        {"gpu", .field = WW_SHOW_SUBJECT},
        {"metric", .field = WW_SHOW_WHAT},
        {"unit", .field = WW_SHOW_UNIT},
        {"hardware", .field = WW_SHOW_REFERENCE, .digits = 1},
        {"warpwatt", .field = WW_SHOW_OURS, .digits = 1},
        {"time_error_percent", .field = WW_SHOW_INVERSE_ERROR, .digits = 1},
    };
    static const ww__comparison description = {.title = "rates",
                                               .table = "cycles/rates.csv",
                                               .reference = reference,
                                               .references = COLUMNS,
                                               .shown = shown,
                                               .columns = WW_ARRAY_LEN(shown),
                                               .take = take,
                                               .tell = tell};
    return ww__compare(&description, asked, NULL, err);
}
