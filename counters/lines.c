/* lines.c - tables of what was counted per line, and their files. */
#include "counters/lines.h"

#include <string.h>

#include "base/assert.h"
#include "base/csv.h"
#include "base/file.h"

const char *ww_line_count_name(ww_line_count count)
{
    static const char *const names[WW_LINE_COUNT] = {
#define X(id, column, counter) [WW_LINE_##id] = column,
        WW_LINE_COUNTS(X)
#undef X
    };
    return names[count];
}

ww_counter ww_line_count_counter(ww_line_count count)
{
    static const ww_counter counters[WW_LINE_COUNT] = {
#define X(id, column, counter) [WW_LINE_##id] = counter,
        WW_LINE_COUNTS(X)
#undef X
    };
    return counters[count];
}

void ww_lines_fini(ww_lines *lines)
{
    ww_arena_fini(&lines->arena);
    ww_map_fini(&lines->index);
    ww_free(lines->line);
    *lines = (ww_lines){0};
}

static const char *keep(ww_lines *lines, const char *text)
{
    return ww_arena_strndup(&lines->arena, text, strlen(text));
}

static ww_status append(ww_lines *lines, const ww_line *line, ww_error *err)
{
    if (lines->count == lines->capacity) {
        size_t capacity = lines->capacity != 0 ? 2 * lines->capacity : 64;
        ww_line *grown = ww_realloc_array(lines->line, capacity, sizeof *grown);
        if (grown == NULL) {
            return ww_no_memory_for(err, "the lines of kernels");
        }
        lines->line = grown;
        lines->capacity = capacity;
    }
    ww_line copy = *line;
    copy.workload = keep(lines, line->workload);
    copy.kernel = keep(lines, line->kernel);
    copy.file = keep(lines, line->file);
    copy.source = keep(lines, line->source);
    copy.text = keep(lines, line->text);
    if (copy.workload == NULL || copy.kernel == NULL || copy.file == NULL || copy.source == NULL ||
        copy.text == NULL) {
        return ww_no_memory_for(err, "the lines of kernels");
    }
    WW_ASSERT(lines->count < lines->capacity);
    lines->line[lines->count++] = copy;
    return WW_OK;
}

ww_status ww_lines_add(ww_lines *lines, const ww_line *line, ww_error *err)
{
    ww_str key = {0};
    bool added = false;
    ww_str_addf(&key, "%s\t%s\t%s\t%u", line->workload, line->kernel, line->file, line->line);
    ww_status status = ww_str_check(&key, err);
    ww_map_entry *entry =
        status == WW_OK ? ww_map_add(&lines->index, ww_str_text(&key), &added) : NULL;
    ww_str_fini(&key);
    if (entry == NULL) {
        return ww_no_memory_for(err, "the lines of kernels");
    }
    if (added) {
        entry->num = (int64_t)lines->count;
        return append(lines, line, err);
    }
    WW_ASSERT(entry->num >= 0 && (size_t)entry->num < lines->count);
    ww_line *known = &lines->line[entry->num];
    for (int c = 0; c < WW_LINE_COUNT; c++) {
        known->count[c] += line->count[c];
    }
    return WW_OK;
}

ww_status ww_lines_add_all(ww_lines *lines, const ww_lines *more, ww_error *err)
{
    for (size_t i = 0; i < more->count; i++) {
        WW_TRY(ww_lines_add(lines, &more->line[i], err));
    }
    return WW_OK;
}

uint64_t ww_line_slots(const ww_line *line)
{
    uint64_t sum = 0;
    for (int c = WW_LINE_ISSUED; c <= WW_LINE_IDLE; c++) {
        sum += line->count[c];
    }
    return sum;
}

bool ww_line_same_kernel(const ww_line *a, const ww_line *b)
{
    return strcmp(a->kernel, b->kernel) == 0 && strcmp(a->workload, b->workload) == 0;
}

/* ---- files ---- */

static void put_heads(ww_csv_writer *csv)
{
    static const char *const texts[] = {"workload", "kernel",      "file", "line",
                                        "source",   "source_line", "text"};
    for (size_t i = 0; i < WW_ARRAY_LEN(texts); i++) {
        ww_csv_put_header(csv, texts[i], NULL);
    }
    for (int c = 0; c < WW_LINE_COUNT; c++) {
        ww_csv_put_header(csv, ww_line_count_name((ww_line_count)c), "1");
    }
    ww_csv_put_header(csv, "slots", "1");
    ww_csv_put_header(csv, "share", "1");
    ww_csv_end_row(csv);
}

static void put_number_or_nothing(ww_csv_writer *csv, uint32_t number)
{
    if (number != 0) {
        ww_csv_put_u64(csv, number);
    } else {
        ww_csv_put_text(csv, "");
    }
}

static void put_line(ww_csv_writer *csv, const ww_line *line, uint64_t of_kernel)
{
    ww_csv_put_text(csv, line->workload);
    ww_csv_put_text(csv, line->kernel);
    ww_csv_put_text(csv, line->file);
    put_number_or_nothing(csv, line->line);
    ww_csv_put_text(csv, line->source);
    put_number_or_nothing(csv, line->source_line);
    ww_csv_put_text(csv, line->text);
    for (int c = 0; c < WW_LINE_COUNT; c++) {
        ww_csv_put_u64(csv, line->count[c]);
    }
    uint64_t slots = ww_line_slots(line);
    ww_csv_put_u64(csv, slots);
    ww_csv_put_double(csv, of_kernel > 0 ? (double)slots / (double)of_kernel : 0);
    ww_csv_end_row(csv);
}

/* The entry of a line's kernel; NULL when out of memory. */
static ww_map_entry *kernel_of(ww_map *slots, const ww_line *line)
{
    ww_str key = {0};
    ww_str_addf(&key, "%s\t%s", line->workload, line->kernel);
    ww_map_entry *entry = key.failed ? NULL : ww_map_add(slots, ww_str_text(&key), NULL);
    ww_str_fini(&key);
    return entry;
}

static ww_status put_lines(ww_csv_writer *csv, const ww_lines *lines, ww_map *slots, ww_error *err)
{
    for (size_t i = 0; i < lines->count; i++) {
        ww_map_entry *kernel = kernel_of(slots, &lines->line[i]);
        if (kernel == NULL) {
            return ww_no_memory_for(err, "the lines of kernels");
        }
        kernel->num += (int64_t)ww_line_slots(&lines->line[i]);
    }
    for (size_t i = 0; i < lines->count; i++) {
        const ww_map_entry *kernel = kernel_of(slots, &lines->line[i]);
        if (kernel == NULL) {
            return ww_no_memory_for(err, "the lines of kernels");
        }
        put_line(csv, &lines->line[i], (uint64_t)kernel->num);
    }
    return ww_csv_finish(csv, err);
}

ww_status ww_lines_write(const ww_lines *lines, const char *path, ww_error *err)
{
    ww_str text = {0};
    ww_map slots = {0}; /* of each kernel */
    ww_csv_writer csv;
    ww_csv_init(&csv, &text);
    put_heads(&csv);
    ww_status status = put_lines(&csv, lines, &slots, err);
    if (status == WW_OK) {
        status = ww_write_file(path, ww_str_text(&text), text.len, err);
    }
    ww_str_fini(&text);
    ww_map_fini(&slots);
    return status;
}

/* The columns of a file, found by name. */
typedef struct columns {
    size_t workload, kernel, file, line, source, source_line, text, count[WW_LINE_COUNT];
} columns;

static ww_status find_columns(const ww_csv *csv, columns *c, ww_error *err)
{
    WW_TRY(ww_csv_find(csv, "workload", &c->workload, err));
    WW_TRY(ww_csv_find(csv, "kernel", &c->kernel, err));
    WW_TRY(ww_csv_find(csv, "file", &c->file, err));
    WW_TRY(ww_csv_find(csv, "line", &c->line, err));
    WW_TRY(ww_csv_find(csv, "source", &c->source, err));
    WW_TRY(ww_csv_find(csv, "source_line", &c->source_line, err));
    WW_TRY(ww_csv_find(csv, "text", &c->text, err));
    for (int i = 0; i < WW_LINE_COUNT; i++) {
        WW_TRY(ww_csv_find(csv, ww_line_count_name((ww_line_count)i), &c->count[i], err));
    }
    return WW_OK;
}

static ww_status line_number(const ww_csv *csv, size_t row, size_t column, uint32_t *out,
                             ww_error *err)
{
    uint64_t value = 0;
    *out = 0;
    if (*ww_csv_text(csv, row, column) == '\0') {
        return WW_OK;
    }
    WW_TRY(ww_csv_u64(csv, row, column, &value, err));
    if (value > UINT32_MAX) {
        return ww_csv_fail(csv, row, column, err, WW_ESCHEMA, "not the number of a line");
    }
    *out = (uint32_t)value;
    return WW_OK;
}

static ww_status read_row(const ww_csv *csv, size_t row, const columns *c, ww_lines *lines,
                          ww_error *err)
{
    ww_line line = {.workload = ww_csv_text(csv, row, c->workload),
                    .kernel = ww_csv_text(csv, row, c->kernel),
                    .file = ww_csv_text(csv, row, c->file),
                    .source = ww_csv_text(csv, row, c->source),
                    .text = ww_csv_text(csv, row, c->text)};
    WW_TRY(line_number(csv, row, c->line, &line.line, err));
    WW_TRY(line_number(csv, row, c->source_line, &line.source_line, err));
    for (int i = 0; i < WW_LINE_COUNT; i++) {
        WW_TRY(ww_csv_u64(csv, row, c->count[i], &line.count[i], err));
    }
    return ww_lines_add(lines, &line, err);
}

ww_status ww_lines_load(ww_lines *lines, const char *path, ww_error *err)
{
    ww_csv *csv = NULL;
    columns c;
    WW_TRY(ww_csv_load(path, &csv, err));
    ww_status status = find_columns(csv, &c, err);
    for (size_t row = 0; status == WW_OK && row < ww_csv_rows(csv); row++) {
        status = read_row(csv, row, &c, lines, err);
    }
    ww_csv_destroy(csv);
    return status;
}
