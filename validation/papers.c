/* papers.c - `warpwatt validate paper NAME`: every number of a paper beside ours. */
#include <math.h>

#include "base/num.h"
#include "base/version.h"
#include "validation/compare.h"
#include "validation/paper.h"

/* A paper's numbers, and what is said of them. */
typedef struct judged {
    ww_rows bands, workloads;
    ww_rows stands, misses; /* of bands that are missed: how each stands, the rows that say why */
    size_t standing[WW_STANDINGS];
    ww_table ceilings;
    bool has_ceilings;
} judged;

/* Four significant digits, as papers print. */
static const char *show_number(const ww_row *row, char room[WW_SHOWN_CHARS])
{
    double size = fabs(row->ours);
    int digits = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
    if (isnan(row->ours)) {
        return "none";
    }
    if (size > 0 && size < 0.01) {
        snprintf(room, WW_SHOWN_CHARS, "%.3g", row->ours);
    } else {
        snprintf(room, WW_SHOWN_CHARS, "%.*f", digits, row->ours);
    }
    return room;
}

static const char *show_band(const ww_row *row, char room[WW_SHOWN_CHARS])
{
    char low[WW_NUM_CHARS], high[WW_NUM_CHARS];
    if (row->bar == NULL) {
        return "";
    }
    bool from = isfinite(row->bar->low), to = isfinite(row->bar->high);
    ww_num_format(row->bar->low, low);
    ww_num_format(row->bar->high, high);
    if (from && to) {
        snprintf(room, WW_SHOWN_CHARS, "%s to %s", low, high);
    } else {
        snprintf(room, WW_SHOWN_CHARS, "%s%s", from ? "at least " : "at most ", from ? low : high);
    }
    return room;
}

static const char *show_why(const ww_row *row, char room[WW_SHOWN_CHARS])
{
    const char *name = ww_verdict_name(row->verdict);
    snprintf(room, WW_SHOWN_CHARS, "%s: %s", name, row->missing != NULL ? row->missing : "");
    return row->missing != NULL ? room : name;
}

static ww_status add_bands(ww_paper *paper, ww_rows *rows, ww_error *err)
{
    size_t n;
    const ww_band *band = ww_paper_bands(paper, &n);
    if (n == 0) {
        return ww_fail(err, WW_ENOTFOUND, "there is no bands.csv with numbers to compare with");
    }
    for (size_t i = 0; i < n; i++) {
        ww_row row;
        WW_TRY(ww_paper_judge(paper, &band[i], &row, err));
        WW_TRY(ww_rows_add(rows, &row, err));
    }
    return WW_OK;
}

/* The value of every workload that a band is over. */
static ww_status add_workloads(ww_paper *paper, ww_rows *rows, ww_error *err)
{
    const ww_sweep *sweep = ww_paper_sweep(paper);
    size_t n;
    const ww_band *band = ww_paper_bands(paper, &n);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < sweep->item_count; k++) {
            ww_row row;
            bool in;
            WW_TRY(ww_paper_in(paper, band[i].over, &sweep->item[k], &in, err));
            if (!in) {
                continue;
            }
            WW_TRY(ww_paper_value(paper, band[i].measure, "", &sweep->item[k], &row, err));
            row.group = band[i].id;
            WW_TRY(ww_rows_add(rows, &row, err));
        }
    }
    return WW_OK;
}

/* ---- print ---- */

static const ww_column band_columns[] = {
    {"figure", .field = WW_SHOW_SOURCE},
    {"id", .field = WW_SHOW_SUBJECT},
    {"what", .field = WW_SHOW_WHAT},
    {"over", .field = WW_SHOW_GROUP},
    {"mean", .field = WW_SHOW_NOTE},
    {"unit", .field = WW_SHOW_UNIT},
    {"printed", .field = WW_SHOW_PRINTED},
    {"ours", .field = WW_SHOW_TEXT, .text = show_number},
    {"band", .field = WW_SHOW_TEXT, .text = show_band},
    {"verdict", .field = WW_SHOW_TEXT, .text = show_why},
};
static const ww_column miss_columns[] = {
    {"missed", .field = WW_SHOW_SUBJECT},
    {"row", .field = WW_SHOW_GROUP},
    {"what", .field = WW_SHOW_WHAT},
    {"printed", .field = WW_SHOW_PRINTED},
    {"value", .field = WW_SHOW_TEXT, .text = show_number},
    {"says", .field = WW_SHOW_NOTE},
};
static const ww_column stand_columns[] = {
    {"missed", .field = WW_SHOW_SUBJECT},
    {"what", .field = WW_SHOW_WHAT},
    {"printed", .field = WW_SHOW_PRINTED},
    {"ours", .field = WW_SHOW_TEXT, .text = show_number},
    {"band", .field = WW_SHOW_TEXT, .text = show_band},
    {"stands", .field = WW_SHOW_NOTE},
    {"by", .field = WW_SHOW_GROUP},
};
static const ww_column workload_columns[] = {
    {"id", .field = WW_SHOW_GROUP},
    {"workload", .field = WW_SHOW_SUBJECT},
    {"value", .field = WW_SHOW_TEXT, .text = show_number},
};

static ww_status print_json(const ww_validation *asked, const judged *j, ww_error *err)
{
    ww_tally all = ww_rows_tally(&j->bands);
    ww_document d;
    ww_document_begin(&d, &asked->output, WW_TITLES_APART);
    ww_json_text(&d.json, "paper", asked->name);
    ww_json_u64(&d.json, "met", all.of[WW_VERDICT_MET]);
    ww_json_u64(&d.json, "missed", all.of[WW_VERDICT_MISSED]);
    ww_json_u64(&d.json, "missing", all.of[WW_VERDICT_MISSING]);
    ww_json_u64(&d.json, "shown", all.of[WW_VERDICT_SHOWN]);
    ww_status status = ww_document_rows(&d, &j->bands, "bands", band_columns,
                                        WW_ARRAY_LEN(band_columns), NULL, err);
    if (status == WW_OK && j->misses.count > 0) {
        status = ww_document_rows(&d, &j->stands, "stands", stand_columns,
                                  WW_ARRAY_LEN(stand_columns), NULL, err);
    }
    if (status == WW_OK && j->misses.count > 0) {
        status = ww_document_rows(&d, &j->misses, "misses", miss_columns,
                                  WW_ARRAY_LEN(miss_columns), NULL, err);
    }
    if (status == WW_OK && asked->every_row) {
        status = ww_document_rows(&d, &j->workloads, "workloads", workload_columns,
                                  WW_ARRAY_LEN(workload_columns), NULL, err);
    }
    if (status == WW_OK && j->has_ceilings) {
        ww_table_put_json(&j->ceilings, &d.json);
    }
    return ww_document_end(&d, status, err);
}

/* "9 missed: 2 out of reach, 1 baseline differs, 6 in reach" */
static void print_standings(FILE *to, const judged *j)
{
    const char *before = ": ";
    for (size_t k = 0; k < WW_STANDINGS; k++) {
        if (j->standing[k] > 0) {
            fprintf(to, "%s%zu %s", before, j->standing[k], ww_standing_name((ww_standing)k));
            before = ", ";
        }
    }
    fputc('\n', to);
}

static ww_status print(const ww_validation *asked, judged *j, ww_error *err)
{
    const ww_output *output = &asked->output;
    const ww_tally all = ww_rows_tally(&j->bands);
    if (!ww_output_is_text(output)) {
        return output->to != NULL ? print_json(asked, j, err) : WW_OK;
    }
    WW_TRY(
        ww_rows_print(&j->bands, "bands", band_columns, WW_ARRAY_LEN(band_columns), output, err));
    if (j->misses.count > 0) {
        fputc('\n', output->to);
        WW_TRY(ww_rows_print(&j->stands, "stands", stand_columns, WW_ARRAY_LEN(stand_columns),
                             output, err));
        fputc('\n', output->to);
        WW_TRY(ww_rows_print(&j->misses, "misses", miss_columns, WW_ARRAY_LEN(miss_columns), output,
                             err));
    }
    if (asked->every_row) {
        fputc('\n', output->to);
        WW_TRY(ww_rows_print(&j->workloads, "workloads", workload_columns,
                             WW_ARRAY_LEN(workload_columns), output, err));
    }
    if (j->has_ceilings) {
        fputc('\n', output->to);
        WW_TRY(ww_output_table(output, &j->ceilings, err));
    }
    fprintf(output->to,
            "\n%zu bands met, %zu missed, %zu without results; %zu numbers without a band\n",
            all.of[WW_VERDICT_MET], all.of[WW_VERDICT_MISSED], all.of[WW_VERDICT_MISSING],
            all.of[WW_VERDICT_SHOWN]);
    if (all.of[WW_VERDICT_MISSED] > 0) {
        fprintf(output->to, "%zu missed", all.of[WW_VERDICT_MISSED]);
        print_standings(output->to, j);
    }
    return WW_OK;
}

static ww_status report(const ww_validation *asked, ww_paper *paper, judged *j, ww_error *err)
{
    WW_TRY(add_bands(paper, &j->bands, err));
    WW_TRY(ww_paper_misses(paper, &j->bands, &j->misses, &j->stands, j->standing, err));
    WW_TRY(asked->every_row ? add_workloads(paper, &j->workloads, err) : WW_OK);
    WW_TRY(ww_paper_ceilings(paper, &j->ceilings, &j->has_ceilings, err));
    WW_TRY(print(asked, j, err));
    WW_TRY(asked->numbers != NULL ? ww_paper_keep(paper, asked->numbers, err) : WW_OK);
    ww_tally all = ww_rows_tally(&j->bands);
    size_t missed = all.of[WW_VERDICT_MISSED], missing = all.of[WW_VERDICT_MISSING];
    if (ww_tally_failed(&all) > 0) {
        return ww_fail(err, WW_EVERIFY, "%zu of %zu bands are missed, %zu lack results", missed,
                       all.of[WW_VERDICT_MET] + missed + missing, missing);
    }
    return WW_OK;
}

ww_status ww_validate_paper(const ww_validation *asked, ww_error *err)
{
    ww_paper *paper = NULL;
    judged j = {.standing = {0}};
    const char *folder;
    if (asked->name == NULL || asked->results == NULL) {
        return ww_fail(err, WW_EUSAGE, "validate paper needs a name and --results DIR or FILE");
    }
    ww_status status = ww_paper_folder(asked->name, &j.bands.arena, &folder, err);
    status =
        status == WW_OK ? ww_paper_open(folder, asked->results, WW_VERSION, &paper, err) : status;
    status = status == WW_OK ? report(asked, paper, &j, err) : status;
    ww_rows_fini(&j.bands);
    ww_rows_fini(&j.misses);
    ww_rows_fini(&j.stands);
    ww_rows_fini(&j.workloads);
    ww_table_fini(&j.ceilings);
    ww_paper_close(paper);
    return status;
}
