/* stall_lines.c - `warpwatt analyze stalls --lines`: where the issue slots of each kernel went,
 * line by line. */
#include <stdlib.h>
#include <string.h>

#include "analysis/hot_lines.h"
#include "analysis/table.h"
#include "base/file.h"
#include "cli/breakdown.h"

static void put_json_row(ww_table *t, const ww_line *line, uint64_t of_kernel)
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
    ww_table_number(t, of_kernel > 0 ? (double)ww_line_slots(line) / (double)of_kernel : 0, 6);
}

static ww_status print_json(const ww_hot_lines *hot, ww_error *err)
{
    static const char *const texts[] = {"workload", "kernel",      "file", "line",
                                        "source",   "source_line", "text"};
    ww_table t;
    ww_table_init(&t, "lines");
    for (size_t i = 0; i < WW_ARRAY_LEN(texts); i++) {
        ww_table_head(&t, texts[i]);
    }
    for (int c = 0; c < WW_LINE_COUNT; c++) {
        ww_table_head(&t, ww_line_count_name((ww_line_count)c));
    }
    ww_table_head(&t, "share");
    for (size_t k = 0; k < hot->kernel_count; k++) {
        for (size_t i = 0; i < hot->kernel[k].count; i++) {
            put_json_row(&t, hot->kernel[k].line[i], hot->kernel[k].slots);
        }
    }
    ww_status status = ww_table_print(&t, true, stdout, err);
    ww_table_fini(&t);
    return status;
}

/* A share in percent; nothing for what rounds to nothing. */
static void put_percent(ww_table *t, uint64_t part, uint64_t whole)
{
    double percent = whole > 0 ? 100.0 * (double)part / (double)whole : 0;
    if (percent >= 0.05) {
        ww_table_number(t, percent, 1);
    } else {
        ww_table_text(t, "");
    }
}

static ww_status print_kernel(const ww_hot_kernel *k, ww_error *err)
{
    static const char *const heads[] = {"line", "issued %", "lost %", "awaited %", "lost to", ""};
    char text[WW_HOT_TEXT];
    ww_table t;
    ww_table_init(&t, "lines");
    for (size_t i = 0; i < WW_ARRAY_LEN(heads); i++) {
        ww_table_head(&t, heads[i]);
    }
    if (k->has_source) {
        ww_table_head(&t, "source");
    }
    for (size_t i = 0; i < k->count; i++) {
        const ww_line *line = k->line[i];
        ww_table_text(&t, ww_hot_place(line, text, sizeof text));
        put_percent(&t, line->count[WW_LINE_ISSUED], k->slots);
        put_percent(&t, ww_line_slots(line) - line->count[WW_LINE_ISSUED], k->slots);
        put_percent(&t, line->count[WW_LINE_AWAITED], k->slots);
        ww_table_text(&t, ww_hot_reasons(line, k->slots, text, sizeof text));
        ww_table_text(&t, line->text);
        if (k->has_source) {
            ww_table_text(&t, ww_hot_source(line, text, sizeof text));
        }
    }
    printf("%s %s: %llu issue slots, %zu of %zu lines\n", k->line[0]->workload, k->line[0]->kernel,
           (unsigned long long)k->slots, k->count, k->lines);
    ww_status status = ww_table_print(&t, false, stdout, err);
    printf("\n");
    ww_table_fini(&t);
    return status;
}

static ww_status print(const ww_hot_lines *hot, bool json, ww_error *err)
{
    if (json) {
        return print_json(hot, err);
    }
    for (size_t k = 0; k < hot->kernel_count; k++) {
        WW_TRY(print_kernel(&hot->kernel[k], err));
    }
    return WW_OK;
}

ww_status ww_print_stall_lines(const char *dir, size_t top, bool json, ww_error *err)
{
    ww_lines lines = {0};
    ww_hot_lines hot = {0};
    ww_arena arena = {0};
    char *path = ww_path_join(&arena, dir, WW_LINES_FILE);
    ww_status status = path != NULL ? WW_OK : ww_no_memory(err);
    if (status == WW_OK && !ww_file_exists(path)) {
        status = ww_fail(err, WW_ENOTFOUND,
                         "%s holds no " WW_LINES_FILE ": run with --profile to count by line", dir);
    }
    status = status == WW_OK ? ww_lines_load(&lines, path, err) : status;
    status = status == WW_OK ? ww_hot_lines_find(&lines, top, &hot, err) : status;
    status = status == WW_OK ? print(&hot, json, err) : status;
    ww_hot_lines_fini(&hot);
    ww_lines_fini(&lines);
    ww_arena_fini(&arena);
    return status;
}
