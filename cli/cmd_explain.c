/* cmd_explain.c - `warpwatt explain`: why two runs differ in energy. */
#include <stdio.h>
#include <string.h>

#include "analysis/explain_lines.h"
#include "analysis/table.h"
#include "base/file.h"
#include "base/version.h"
#include "base/visible.h"
#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/study.h"

enum { TOP_ROWS = 12, MOST_ROWS = 1000000, CHANGES_SHOWN = 8 };

/* " (-12.3 %)"; nothing of a base of 0. Returns buf. */
static const char *percent(double difference, double base, char *buf, size_t size)
{
    if (base > 0) {
        snprintf(buf, size, " (%+.2f %%)", ww_percent(difference, base));
    } else {
        buf[0] = '\0';
    }
    return buf;
}

/* ---- tables ---- */

static void put_heads(ww_table *t, const char *first, const char *second)
{
    static const char *const names[] = {"base",   "other",  "difference", "more_events",
                                        "longer", "dearer", "both"};
    ww_table_head(t, first);
    if (second != NULL) {
        ww_table_head(t, second);
    }
    ww_table_heads(t, names, WW_ARRAY_LEN(names));
}

static void put_sum(ww_table *t, const ww_explain_sum *sum, double scale)
{
    const double value[] = {sum->base_j,     sum->other_j,      ww_explain_difference(sum),
                            sum->parts.more, sum->parts.longer, sum->parts.dearer,
                            sum->parts.both};
    for (size_t i = 0; i < WW_ARRAY_LEN(value); i++) {
        ww_table_number(t, value[i] * scale, 3);
    }
}

static ww_status fill_components(ww_explanation *e, double scale, ww_table *t, ww_error *err)
{
    ww_explain_sum *sum, total = ww_explain_total(e);
    size_t count;
    WW_TRY(ww_explain_components(e, &sum, &count, err));
    put_heads(t, "component", NULL);
    for (size_t i = 0; i < count; i++) {
        ww_table_text(t, sum[i].name);
        put_sum(t, &sum[i], scale);
    }
    ww_table_text(t, total.name);
    put_sum(t, &total, scale);
    return WW_OK;
}

/* The rows that differ most; of how many, and their unit: that of the largest which is shown. */
static ww_status fill_rows(ww_explanation *e, size_t top, ww_table *t, size_t *all,
                           const char **unit, ww_error *err)
{
    const ww_explain_row **row;
    double scale;
    WW_TRY(ww_explain_ranked(e, &row, all, err));
    const size_t shown = top > 0 && top < *all ? top : *all;
    *unit = ww_explain_unit_of_rows(row, shown, &scale);
    ww_table_head(t, "reason");
    put_heads(t, "structure", "event");
    for (size_t i = 0; i < shown; i++) {
        ww_explain_sum sum = {0};
        ww_explain_add(&sum, row[i]);
        ww_table_text(t, ww_explain_reason(row[i]));
        ww_table_text(t, row[i]->structure);
        ww_table_text(t, row[i]->event);
        put_sum(t, &sum, scale);
    }
    return WW_OK;
}

/* ---- for people ---- */

static void print_run(const char *what, const ww_explain_run *run)
{
    printf("%-6s %s: %s, %zu launch%s\n", what, WW_VISIBLE(run->dir), WW_VISIBLE(run->info.gpu),
           run->launches, run->launches == 1 ? "" : "es");
}

static ww_status print_changes(ww_explanation *e, ww_error *err)
{
    ww_explain_change *change;
    size_t count;
    WW_TRY(ww_explain_changes(e, &change, &count, err));
    printf("%s\n", count == 0 ? "same machine" : "the machines differ in:");
    for (size_t i = 0; i < count && i < CHANGES_SHOWN; i++) {
        printf("  %s: %s -> %s%s%s\n", WW_VISIBLE(change[i].key),
               *change[i].base != '\0' ? WW_VISIBLE(change[i].base) : "-",
               *change[i].other != '\0' ? WW_VISIBLE(change[i].other) : "-",
               *change[i].unit != '\0' && strcmp(change[i].unit, "1") != 0 ? " " : "",
               strcmp(change[i].unit, "1") != 0 ? WW_VISIBLE(change[i].unit) : "");
    }
    if (count > CHANGES_SHOWN) {
        printf("  and %zu more: warpwatt explain --json lists them\n", count - CHANGES_SHOWN);
    }
    return WW_OK;
}

static void print_totals(const ww_explanation *e, double scale, const char *unit)
{
    char text[64];
    ww_explain_sum total = ww_explain_total(e);
    ww_explain_cause causes[WW_EXPLAIN_CAUSES];
    ww_explain_rank_causes(ww_explain_by_cause(e), causes);
    printf("\nenergy %.6g -> %.6g %s%s, ", total.base_j * scale, total.other_j * scale, unit,
           percent(ww_explain_difference(&total), total.base_j, text, sizeof text));
    printf("time %.6g -> %.6g us%s\n", e->base.time_s * 1e6, e->other.time_s * 1e6,
           percent(ww_explain_longer_s(e), e->base.time_s, text, sizeof text));
    for (size_t i = 0; i < WW_ARRAY_LEN(causes); i++) {
        if (causes[i].joules != 0) {
            printf("  %-40s %+12.6g %s%s\n", causes[i].name, causes[i].joules * scale, unit,
                   percent(causes[i].joules, total.base_j, text, sizeof text));
        }
    }
}

/* Lines that differ most; nothing where the runs have no profiles. */
static ww_status print_lines(const ww_explain_lines *lines, size_t top, ww_error *err)
{
    double scale;
    const char *unit =
        ww_explain_unit_of_lines(lines, top > 0 && top < lines->count ? top : lines->count, &scale);
    static const char *const heads[] = {"base", "other", "difference", "kernel", "line", ""};
    ww_table t;
    size_t shown = 0;
    ww_table_init(&t, "lines");
    ww_table_heads(&t, heads, WW_ARRAY_LEN(heads));
    while (shown < lines->count && (top == 0 || shown < top)) {
        const ww_explain_line *line = &lines->line[shown];
        if (line->difference_j == 0) {
            break;
        }
        ww_table_number(&t, line->base_j * scale, 3);
        ww_table_number(&t, line->other_j * scale, 3);
        ww_table_number(&t, line->difference_j * scale, 3);
        ww_table_kernel(&t, *line->kernel != '\0' ? line->kernel : line->workload);
        ww_table_text(&t, line->place);
        ww_table_text(&t, line->text);
        shown++;
    }
    ww_status status = WW_OK;
    if (shown > 0) {
        printf("\nlines that differ most [%s], %zu of %zu\n", unit, shown, lines->count);
        status = ww_table_print(&t, false, stdout, err);
    }
    ww_table_fini(&t);
    return status;
}

static ww_status print_plain(ww_explanation *e, const ww_explain_lines *lines, size_t top,
                             ww_error *err)
{
    ww_table t;
    double scale;
    size_t all;
    const char *unit = ww_explain_unit_of_total(e, &scale);
    print_run("base", &e->base);
    print_run("other", &e->other);
    if (e->difference != NULL) {
        printf("the programs differ: %s\n", WW_VISIBLE(e->difference));
    }
    WW_TRY(print_changes(e, err));
    print_totals(e, scale, unit);
    printf("\nby component [%s]\n", unit);
    ww_table_init(&t, "components");
    ww_status status = fill_components(e, scale, &t, err);
    status = status == WW_OK ? ww_table_print(&t, false, stdout, err) : status;
    ww_table_fini(&t);
    WW_TRY(status);
    ww_table_init(&t, "rows");
    status = fill_rows(e, top, &t, &all, &unit, err);
    if (status == WW_OK && all > 0) {
        printf("\nwhat differs most [%s], %zu of %zu\n", unit, top == 0 || all < top ? all : top,
               all);
        status = ww_table_print(&t, false, stdout, err);
    }
    ww_table_fini(&t);
    return status == WW_OK ? print_lines(lines, top, err) : status;
}

/* ---- for scripts ---- */

static void put_run(ww_json *j, const char *name, const ww_explain_run *run)
{
    ww_json_object(j, name);
    ww_json_text(j, "result", run->dir);
    ww_json_text(j, "gpu", run->info.gpu);
    ww_json_u64(j, "launches", run->launches);
    ww_json_double(j, "time_s", run->time_s);
    ww_json_double(j, "cycles", run->cycles);
    ww_json_end(j);
}

static ww_status put_changes(ww_json *j, ww_explanation *e, ww_error *err)
{
    ww_explain_change *change;
    size_t count;
    WW_TRY(ww_explain_changes(e, &change, &count, err));
    ww_json_array(j, "parameters");
    for (size_t i = 0; i < count; i++) {
        ww_json_object(j, NULL);
        ww_json_text(j, "key", change[i].key);
        ww_json_text(j, "unit", change[i].unit);
        ww_json_text(j, "base", change[i].base);
        ww_json_text(j, "other", change[i].other);
        ww_json_end(j);
    }
    ww_json_end(j);
    return WW_OK;
}

static void put_joules(ww_json *j, const ww_explain_sum *sum)
{
    ww_json_double(j, "base_j", sum->base_j);
    ww_json_double(j, "other_j", sum->other_j);
    ww_json_double(j, "difference_j", ww_explain_difference(sum));
    ww_json_double(j, "more_events_j", sum->parts.more);
    ww_json_double(j, "longer_j", sum->parts.longer);
    ww_json_double(j, "dearer_j", sum->parts.dearer);
    ww_json_double(j, "both_j", sum->parts.both);
}

static ww_status put_components(ww_json *j, ww_explanation *e, ww_error *err)
{
    ww_explain_sum *sum, total = ww_explain_total(e);
    size_t count;
    WW_TRY(ww_explain_components(e, &sum, &count, err));
    ww_json_array(j, "components");
    for (size_t i = 0; i <= count; i++) {
        ww_json_object(j, NULL);
        ww_json_text(j, "component", i < count ? sum[i].name : total.name);
        put_joules(j, i < count ? &sum[i] : &total);
        ww_json_end(j);
    }
    ww_json_end(j);
    return WW_OK;
}

static ww_status put_rows(ww_json *j, ww_explanation *e, size_t top, ww_error *err)
{
    const ww_explain_row **row;
    size_t count;
    WW_TRY(ww_explain_ranked(e, &row, &count, err));
    ww_json_array(j, "events");
    for (size_t i = 0; i < count && (top == 0 || i < top); i++) {
        ww_explain_sum sum = {0};
        ww_explain_add(&sum, row[i]);
        ww_json_object(j, NULL);
        ww_json_text(j, "component", row[i]->component);
        ww_json_text(j, "structure", row[i]->structure);
        ww_json_text(j, "event", row[i]->event);
        ww_json_text(j, "reason", ww_explain_reason(row[i]));
        put_joules(j, &sum);
        ww_json_end(j);
    }
    ww_json_end(j);
    return WW_OK;
}

/* All that differ, whatever the number of events; nothing without profiles. */
static void put_lines(ww_json *j, const ww_explain_lines *lines, size_t top)
{
    if (!lines->known) {
        return;
    }
    ww_json_array(j, "lines");
    for (size_t i = 0; i < lines->count && (top == 0 || i < top); i++) {
        const ww_explain_line *line = &lines->line[i];
        ww_json_object(j, NULL);
        ww_json_text(j, "workload", line->workload);
        ww_json_text(j, "kernel", line->kernel);
        ww_json_text(j, "place", line->place);
        ww_json_text(j, "text", line->text);
        ww_json_bool(j, "in_base", line->in_base);
        ww_json_bool(j, "in_other", line->in_other);
        ww_json_double(j, "base_j", line->base_j);
        ww_json_double(j, "other_j", line->other_j);
        ww_json_double(j, "difference_j", line->difference_j);
        ww_json_end(j);
    }
    ww_json_end(j);
    ww_json_object(j, "lines_total");
    ww_json_double(j, "base_j", lines->base_j);
    ww_json_double(j, "other_j", lines->other_j);
    ww_json_end(j);
}

static ww_status print_json(ww_explanation *e, const ww_explain_lines *lines, size_t top,
                            ww_error *err)
{
    ww_explain_causes cause = ww_explain_by_cause(e);
    ww_str text = {0};
    ww_json j;
    ww_json_init(&j, &text, 2);
    ww_json_object(&j, NULL);
    put_run(&j, "base", &e->base);
    put_run(&j, "other", &e->other);
    ww_json_object(&j, "causes_j");
    ww_json_double(&j, "work", cause.work_j);
    ww_json_double(&j, "mechanisms", cause.mechanism_j);
    ww_json_double(&j, "structures", cause.structure_j);
    ww_json_double(&j, "time", cause.time_j);
    ww_json_double(&j, "prices", cause.price_j);
    ww_json_end(&j);
    ww_status status = put_changes(&j, e, err);
    status = status == WW_OK ? put_components(&j, e, err) : status;
    status = status == WW_OK ? put_rows(&j, e, top, err) : status;
    if (status != WW_OK) {
        ww_str_fini(&text);
        return status;
    }
    put_lines(&j, lines, top);
    ww_json_end(&j);
    return ww_json_print(&j, &text, stdout, err);
}

/* ---- the command ---- */

static ww_status write_csv(const ww_explanation *e, const char *path, ww_error *err)
{
    ww_str text = {0};
    ww_status status = ww_explain_export(e, &text, err);
    status = status == WW_OK ? ww_write_text(path, &text, err) : status;
    ww_str_fini(&text);
    return status;
}

static bool ends_in(const char *path, const char *suffix)
{
    size_t n = strlen(path), m = strlen(suffix);
    return n > m && strcmp(path + n - m, suffix) == 0;
}

/* Beside the table of events. */
static ww_status write_lines(ww_explanation *e, const ww_explain_lines *lines, const char *path,
                             ww_error *err)
{
    ww_str text = {0};
    const char *beside =
        ww_arena_printf(&e->arena, "%.*s-lines.csv", (int)(strlen(path) - strlen(".csv")), path);
    ww_status status =
        beside != NULL ? ww_explain_export_lines(lines, &text, err) : ww_no_memory(err);
    status = status == WW_OK ? ww_write_text(beside, &text, err) : status;
    ww_str_fini(&text);
    return status;
}

static ww_status write_out(ww_explanation *e, const ww_explain_lines *lines, const char *path,
                           ww_error *err)
{
    bool page = ends_in(path, ".html");
    if (!page && !ends_in(path, ".csv")) {
        return ww_fail(err, WW_EUSAGE, "--out %s: a page ends in .html, a table in .csv", path);
    }
    WW_TRY(ww_outputs_folder(path, err));
    if (page) {
        return ww_explain_page(e, lines, path, WW_VERSION, err);
    }
    WW_TRY(write_csv(e, path, err));
    return lines->known ? write_lines(e, lines, path, err) : WW_OK;
}

static ww_status run(const ww_args *args, ww_error *err)
{
    ww_explanation e = {0};
    unsigned long long top;
    const ww_explain_options options = {.kernel = ww_args_value(args, "kernel"),
                                        .symmetric = ww_args_has(args, "symmetric"),
                                        .anyway = ww_args_has(args, "anyway")};
    WW_TRY(ww_args_u64(args, "top", 0, MOST_ROWS, TOP_ROWS, &top, err));
    if (args->positional_count != 2) {
        return ww_fail(err, WW_EUSAGE, "explain needs two results: the base, and the other");
    }
    ww_note_incomplete(args->positional, args->positional_count);
    WW_TRY(ww_explain_load(args->positional[0], args->positional[1], &options, &e, err));
    const char *out = ww_args_value(args, "out");
    ww_explain_lines lines = {0};
    ww_status status = ww_explain_find_lines(&e, options.kernel, &lines, err);
    status = status == WW_OK && out != NULL ? write_out(&e, &lines, out, err) : status;
    if (status == WW_OK && !ww_args_has(args, "quiet")) {
        status = ww_args_has(args, "json") ? print_json(&e, &lines, (size_t)top, err)
                                           : print_plain(&e, &lines, (size_t)top, err);
    }
    ww_explanation_fini(&e);
    return status;
}

static const ww_option options[] = {
    {"kernel", "NAME", "Only launches of this kernel, by its name or as WORKLOAD/KERNEL."},
    {"top", "N",
     "Events shown, and lines of runs with --profile, those that differ most; 12 when omitted, 0 "
     "for "
     "all."},
    {"symmetric", NULL,
     "Half of what comes of both causes together to either: exchanging the runs changes signs "
     "alone."},
    {"anyway", NULL, "Explain runs whose launches are not the same, too."},
    {"out", "FILE",
     "Also write the difference: a page with waterfalls (.html, its SVG and CSV in the folder "
     "beside it), or "
     "every event as a table (.csv); lines are beside it (-lines.csv)."},
    {NULL, NULL, NULL},
};
static const ww_example examples[] = {
    {"warpwatt explain base with-dac",
     "What a mechanism saved, what its structures cost, what the time was worth."},
    {"warpwatt explain gtx480 qv100 --kernel vectorAdd --top 20", "One kernel on two machines."},
    {"warpwatt explain base slower --out why.html", "The same as a page with waterfalls."},
    {NULL, NULL},
};
const ww_command ww_cmd_explain = {
    .name = "explain",
    .summary = "why two runs differ in energy",
    .synopsis = "BASE OTHER [options]",
    .description =
        "Splits the difference of two results' energies, event by event, into more events, a "
        "longer time, dearer events, and what comes of both together (docs/analysis.md).",
    .options = options,
    .examples = examples,
    .run = run,
};
