/* stall_lines.c - `warpwatt analyze stalls --lines`: where the issue slots and the joules of each
 * kernel went, line by line. */
#include <stdlib.h>
#include <string.h>

#include "analysis/hot_lines.h"
#include "analysis/speedscope.h"
#include "analysis/table.h"
#include "base/file.h"
#include "base/version.h"
#include "cli/breakdown.h"

static const double MICRO = 1e6;

/* ---- JSON ---- */

static void put_json_row(ww_table *t, const ww_lines *all, const ww_hot_kernel *k,
                         const ww_line *line)
{
    ww_table_text(t, line->workload);
    ww_table_kernel(t, line->kernel);
    ww_table_text(t, line->file);
    ww_table_count(t, line->line);
    ww_table_text(t, line->source);
    ww_table_count(t, line->source_line);
    ww_table_text(t, line->text);
    for (int c = 0; c < WW_LINE_COUNT; c++) {
        ww_table_count(t, line->count[c]);
    }
    ww_table_number(t, ww_hot_share(k, line), 6);
    ww_table_text(t, line->function);
    for (int e = 0; all->has_joules && e < WW_LINE_EVENT_COUNT; e++) {
        ww_table_count(t, line->event[e]);
    }
    if (all->has_joules) {
        ww_table_number(t, MICRO * ww_line_j(line), 6);
        ww_table_number(t, MICRO * ww_hot_by_slots_j(k, line), 6);
    }
}

static ww_status print_json(const ww_hot_lines *hot, const ww_lines *all, ww_error *err)
{
    static const char *const texts[] = {"workload", "kernel",      "file", "line",
                                        "source",   "source_line", "text"};
    ww_table t;
    ww_table_init(&t, "lines");
    ww_table_heads(&t, texts, WW_ARRAY_LEN(texts));
    for (int c = 0; c < WW_LINE_COUNT; c++) {
        ww_table_head(&t, ww_line_count_name((ww_line_count)c));
    }
    ww_table_head(&t, "share");
    ww_table_head(&t, "function");
    for (int e = 0; all->has_joules && e < WW_LINE_EVENT_COUNT; e++) {
        ww_table_head(&t, ww_line_event_name((ww_line_event)e));
    }
    if (all->has_joules) {
        ww_table_head(&t, "energy_uj");
        ww_table_head(&t, "by_slots_uj");
    }
    for (size_t k = 0; k < hot->kernel_count; k++) {
        for (size_t i = 0; i < hot->kernel[k].count; i++) {
            put_json_row(&t, all, &hot->kernel[k], hot->kernel[k].line[i]);
        }
    }
    ww_status status = ww_table_print(&t, true, stdout, err);
    ww_table_fini(&t);
    return status;
}

/* ---- text ---- */

/* A share in percent; nothing for what rounds to nothing. */
static void put_percent(ww_table *t, double part, double whole)
{
    double percent = ww_percent(part, whole);
    if (percent >= 0.05) {
        ww_table_number(t, percent, 1);
    } else {
        ww_table_text(t, "");
    }
}

static void put_count(ww_table *t, uint64_t count)
{
    if (count > 0) {
        ww_table_count(t, count);
    } else {
        ww_table_text(t, "");
    }
}

static void put_joules(ww_table *t, const ww_hot_kernel *k, const ww_line *line)
{
    ww_table_number(t, MICRO * ww_line_j(line), 3);
    put_percent(t, ww_line_j(line), k->energy_j);
    ww_table_number(t, MICRO * ww_hot_by_slots_j(k, line), 3);
    put_count(t, line->event[WW_LINE_L1_MISS]);
    put_count(t, line->event[WW_LINE_L2_MISS]);
    put_count(t, line->event[WW_LINE_DRAM_BURST]);
}

static void put_row(ww_table *t, const ww_lines *all, const ww_hot_kernel *k, const ww_line *line)
{
    char text[WW_HOT_TEXT];
    const uint64_t slots = ww_line_slots(line), issued = line->count[WW_LINE_ISSUED];
    ww_table_text(t, ww_hot_place(line, text, sizeof text));
    put_percent(t, (double)issued, (double)k->slots);
    put_percent(t, (double)(slots - issued), (double)k->slots);
    put_percent(t, (double)line->count[WW_LINE_AWAITED], (double)k->slots);
    if (all->has_joules) {
        put_joules(t, k, line);
    }
    ww_table_text(t, ww_hot_reasons(line, k->slots, text, sizeof text));
    ww_table_text(t, line->text);
    if (k->has_source) {
        ww_table_text(t, ww_hot_source(line, text, sizeof text));
    }
}

/* Joules of a workload that no kernel's line has. */
static ww_status print_rest(const ww_hot_kernel *k, ww_error *err)
{
    ww_table t;
    ww_table_init(&t, "lines");
    ww_table_head(&t, "energy uJ");
    ww_table_head(&t, "");
    for (size_t i = 0; i < k->count; i++) {
        ww_table_number(&t, MICRO * ww_line_j(k->line[i]), 3);
        ww_table_text(&t, k->line[i]->text);
    }
    printf("%s: %.6g uJ that no line causes\n", k->line[0]->workload, MICRO * k->energy_j);
    ww_status status = ww_table_print(&t, false, stdout, err);
    printf("\n");
    ww_table_fini(&t);
    return status;
}

static ww_status print_kernel(const ww_hot_kernel *k, const ww_lines *all, ww_error *err)
{
    static const char *const slots[] = {"line", "issued %", "lost %", "awaited %"};
    static const char *const joules[] = {"energy uJ", "energy %", "by slots uJ",
                                         "L1 miss",   "L2 miss",  "bursts"};
    if (*k->line[0]->kernel == '\0') {
        return print_rest(k, err);
    }
    ww_table t;
    ww_table_init(&t, "lines");
    ww_table_heads(&t, slots, WW_ARRAY_LEN(slots));
    if (all->has_joules) {
        ww_table_heads(&t, joules, WW_ARRAY_LEN(joules));
    }
    ww_table_head(&t, "lost to");
    ww_table_head(&t, "");
    if (k->has_source) {
        ww_table_head(&t, "source");
    }
    for (size_t i = 0; i < k->count; i++) {
        put_row(&t, all, k, k->line[i]);
    }
    printf("%s %s: %llu issue slots, ", k->line[0]->workload, k->line[0]->kernel,
           (unsigned long long)k->slots);
    if (all->has_joules) {
        printf("%.6g uJ, ", MICRO * k->energy_j);
    }
    printf("%zu of %zu lines\n", k->count, k->lines);
    ww_status status = ww_table_print(&t, false, stdout, err);
    printf("\n");
    ww_table_fini(&t);
    return status;
}

static ww_status print(const ww_hot_lines *hot, const ww_lines *all, bool json, ww_error *err)
{
    if (json) {
        return print_json(hot, all, err);
    }
    for (size_t k = 0; k < hot->kernel_count; k++) {
        WW_TRY(print_kernel(&hot->kernel[k], all, err));
    }
    return WW_OK;
}

/* ---- what is listed ---- */

static ww_status write_speedscope(const ww_lines *lines, const char *path, ww_error *err)
{
    ww_str text = {0};
    ww_status status = ww_lines_speedscope(lines, "WarpWatt " WW_VERSION, &text, err);
    status = status == WW_OK ? ww_write_text(path, &text, err) : status;
    ww_str_fini(&text);
    return status;
}

static ww_status load(const char *dir, ww_lines *lines, ww_error *err)
{
    ww_arena arena = {0};
    char *path = ww_path_join(&arena, dir, WW_LINES_FILE);
    ww_status status = path != NULL ? WW_OK : ww_no_memory(err);
    if (status == WW_OK && !ww_file_exists(path)) {
        status = ww_fail(err, WW_ENOTFOUND,
                         "%s holds no " WW_LINES_FILE ": run with --profile to count by line; what "
                         "other tools have counted has no lines",
                         dir);
    }
    status = status == WW_OK ? ww_lines_load(lines, path, err) : status;
    ww_arena_fini(&arena);
    return status;
}

static ww_status check_joules(const ww_lines *lines, const ww_listing *how, const char *dir,
                              ww_error *err)
{
    const bool needed = how->speedscope != NULL || ww_line_sort_needs_joules(how->sort);
    return lines->has_joules || !needed
               ? WW_OK
               : ww_fail(err, WW_ESCHEMA,
                         "the lines of %s have no joules: the run was made without time "
                         "(--no-timing), or another version of WarpWatt wrote them",
                         dir);
}

ww_status ww_print_stall_lines(const char *dir, const ww_listing *how, ww_error *err)
{
    ww_lines lines = {0}, folded = {0};
    ww_hot_lines hot = {0};
    ww_status status = load(dir, &lines, err);
    status = status == WW_OK ? check_joules(&lines, how, dir, err) : status;
    status = status == WW_OK ? ww_lines_fold(&lines, how->by, &folded, err) : status;
    status = status == WW_OK ? ww_hot_lines_find(&folded, how->top, how->sort, &hot, err) : status;
    if (status == WW_OK && how->speedscope != NULL) {
        status = write_speedscope(&lines, how->speedscope, err);
    } else if (status == WW_OK) {
        status = print(&hot, &folded, how->json, err);
    }
    ww_hot_lines_fini(&hot);
    ww_lines_fini(&folded);
    ww_lines_fini(&lines);
    return status;
}
