/* validate_paper.c - `warpwatt validate paper NAME`: every number of a paper beside ours. */
#include <math.h>
#include <string.h>

#include "analysis/table.h"
#include "base/num.h"
#include "base/version.h"
#include "cli/validate.h"
#include "validation/paper.h"

typedef struct tally {
    size_t met, missed, missing, shown;
} tally;

/* Four significant digits, as papers print. */
static const char *show_number(double value, char text[WW_NUM_CHARS])
{
    double size = fabs(value);
    int decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
    if (isnan(value)) {
        return "none";
    }
    if (size > 0 && size < 0.01) {
        snprintf(text, WW_NUM_CHARS, "%.3g", value);
    } else {
        snprintf(text, WW_NUM_CHARS, "%.*f", decimals, value);
    }
    return text;
}

static const char *show_band(const ww_band *band, char text[96])
{
    char low[WW_NUM_CHARS], high[WW_NUM_CHARS];
    bool from = isfinite(band->low), to = isfinite(band->high);
    ww_num_format(band->low, low);
    ww_num_format(band->high, high);
    if (from && to) {
        snprintf(text, 96, "%s to %s", low, high);
    } else {
        snprintf(text, 96, "%s%s",
                 from ? "at least "
                 : to ? "at most "
                      : "",
                 from ? low
                 : to ? high
                      : "");
    }
    return text;
}

static void count(tally *t, ww_verdict verdict)
{
    t->met += verdict == WW_VERDICT_MET;
    t->missed += verdict == WW_VERDICT_MISSED;
    t->missing += verdict == WW_VERDICT_MISSING;
    t->shown += verdict == WW_VERDICT_SHOWN;
}

static ww_status fill(ww_paper *paper, ww_table *t, tally *all, ww_error *err)
{
    static const char *const head[] = {"figure", "id",      "what", "over", "mean",
                                       "unit",   "printed", "ours", "band", "verdict"};
    size_t n;
    const ww_band *band = ww_paper_bands(paper, &n);
    ww_table_heads(t, head, WW_ARRAY_LEN(head));
    for (size_t i = 0; i < n; i++) {
        ww_judged j;
        char number[WW_NUM_CHARS], range[96], verdict[256];
        WW_TRY(ww_paper_judge(paper, &band[i], &j, err));
        count(all, j.verdict);
        snprintf(verdict, sizeof verdict, j.missing != NULL ? "%s: %s" : "%s",
                 ww_verdict_name(j.verdict), j.missing != NULL ? j.missing : "");
        const char *const cell[] = {band[i].figure,
                                    band[i].id,
                                    band[i].what,
                                    band[i].over,
                                    band[i].mean,
                                    band[i].unit,
                                    band[i].printed,
                                    show_number(j.value, number),
                                    show_band(&band[i], range),
                                    verdict};
        for (size_t c = 0; c < WW_ARRAY_LEN(cell); c++) {
            ww_table_text(t, cell[c]);
        }
    }
    return WW_OK;
}

/* The value of every workload that a band is over. */
static ww_status fill_rows(ww_paper *paper, ww_table *t, ww_error *err)
{
    static const char *const head[] = {"id", "workload", "value"};
    const ww_sweep *sweep = ww_paper_sweep(paper);
    size_t n;
    const ww_band *band = ww_paper_bands(paper, &n);
    ww_table_heads(t, head, WW_ARRAY_LEN(head));
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < sweep->item_count; k++) {
            ww_judged j;
            char number[WW_NUM_CHARS];
            bool in;
            WW_TRY(ww_paper_in(paper, band[i].over, &sweep->item[k], &in, err));
            if (!in) {
                continue;
            }
            WW_TRY(ww_paper_value(paper, band[i].measure, "", &sweep->item[k], &j, err));
            ww_table_text(t, band[i].id);
            ww_table_text(t, sweep->item[k].label);
            ww_table_text(t, show_number(j.value, number));
        }
    }
    return WW_OK;
}

static ww_status print_json(const ww_table *bands, const ww_table *rows, const tally *all,
                            const char *name, ww_error *err)
{
    ww_str text = {0};
    ww_json json;
    ww_json_init(&json, &text, 2);
    ww_json_object(&json, NULL);
    ww_json_text(&json, "paper", name);
    ww_json_u64(&json, "met", all->met);
    ww_json_u64(&json, "missed", all->missed);
    ww_json_u64(&json, "missing", all->missing);
    ww_json_u64(&json, "shown", all->shown);
    ww_table_put_json(bands, &json);
    if (rows != NULL) {
        ww_table_put_json(rows, &json);
    }
    ww_json_end(&json);
    return ww_json_print(&json, &text, stdout, err);
}

static ww_status print(const ww_args *args, ww_table *bands, ww_table *rows, const tally *all,
                       ww_error *err)
{
    const char *name = args->positional[1];
    bool markdown = ww_args_has(args, "markdown");
    if (ww_args_has(args, "json")) {
        return print_json(bands, rows, all, name, err);
    }
    WW_TRY(markdown ? ww_table_print_markdown(bands, stdout, err)
                    : ww_table_print(bands, false, stdout, err));
    if (rows != NULL) {
        printf("\n");
        WW_TRY(markdown ? ww_table_print_markdown(rows, stdout, err)
                        : ww_table_print(rows, false, stdout, err));
    }
    printf("\n%zu bands met, %zu missed, %zu without results; %zu numbers without a band\n",
           all->met, all->missed, all->missing, all->shown);
    return WW_OK;
}

static ww_status report(const ww_args *args, ww_paper *paper, ww_table *bands, ww_table *rows,
                        ww_error *err)
{
    tally all = {0};
    bool with_rows = ww_args_has(args, "rows");
    size_t numbers;
    (void)ww_paper_bands(paper, &numbers);
    if (numbers == 0) {
        return ww_fail(err, WW_ENOTFOUND, "there is no bands.csv with numbers to compare with");
    }
    WW_TRY(fill(paper, bands, &all, err));
    if (with_rows) {
        WW_TRY(fill_rows(paper, rows, err));
    }
    WW_TRY(print(args, bands, with_rows ? rows : NULL, &all, err));
    if (all.missed + all.missing > 0) {
        return ww_fail(err, WW_EVERIFY, "%zu of %zu bands are missed, %zu lack results", all.missed,
                       all.met + all.missed + all.missing, all.missing);
    }
    return WW_OK;
}

ww_status ww_validate_paper(const ww_args *args, ww_error *err)
{
    const char *results = ww_args_value(args, "results"), *folder;
    ww_paper *paper = NULL;
    ww_table bands, rows;
    ww_arena arena = {0};
    if (args->positional_count != 2 || results == NULL) {
        return ww_fail(err, WW_EUSAGE, "validate paper needs a name and --results DIR");
    }
    ww_table_init(&bands, "bands");
    ww_table_init(&rows, "workloads");
    ww_status status = ww_paper_folder(args->positional[1], &arena, &folder, err);
    status = status == WW_OK ? ww_paper_open(folder, results, WW_VERSION, &paper, err) : status;
    status = status == WW_OK ? report(args, paper, &bands, &rows, err) : status;
    ww_paper_close(paper);
    ww_table_fini(&bands);
    ww_table_fini(&rows);
    ww_arena_fini(&arena);
    return status;
}
