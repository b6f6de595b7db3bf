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

const char *ww_line_event_name(ww_line_event event)
{
    static const char *const names[WW_LINE_EVENT_COUNT] = {
#define X(id, column, meaning) [WW_LINE_##id] = column,
        WW_LINE_EVENTS(X)
#undef X
    };
    return names[event];
}

const char *ww_line_part_name(ww_line_part part)
{
    static const char *const names[WW_PART_COUNT] = {
#define X(id, name, meaning) [WW_PART_##id] = name,
        WW_COMPONENTS(X)
#undef X
    };
    return names[part];
}

ww_line_event ww_line_event_of(ww_counter counter)
{
    static const struct {
        ww_counter counter;
        ww_line_event event;
    } of[] = {
        {WW_C_L1D_READ_MISS, WW_LINE_L1_MISS}, {WW_C_L1T_READ_MISS, WW_LINE_L1_MISS},
        {WW_C_L1C_READ_MISS, WW_LINE_L1_MISS}, {WW_C_L2_READ_MISS, WW_LINE_L2_MISS},
        {WW_C_L2_WRITE_MISS, WW_LINE_L2_MISS}, {WW_C_DRAM_RD, WW_LINE_DRAM_BURST},
        {WW_C_DRAM_WR, WW_LINE_DRAM_BURST},    {WW_C_DRAM_ACT, WW_LINE_DRAM_ROW},
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(of); i++) {
        if (of[i].counter == counter) {
            return of[i].event;
        }
    }
    return WW_LINE_EVENT_COUNT;
}

double ww_line_j(const ww_line *line)
{
    double sum = 0;
    for (int p = 0; p < WW_PART_COUNT; p++) {
        sum += line->joules[p];
    }
    return sum;
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
    copy.function = keep(lines, line->function != NULL ? line->function : "");
    if (copy.function == NULL || copy.workload == NULL || copy.kernel == NULL ||
        copy.file == NULL || copy.source == NULL || copy.text == NULL) {
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
    ww_str_addf(&key, "%s\t%s\t%s\t%u\t%s", line->workload, line->kernel, line->file, line->line,
                line->line == 0 ? line->text : "");
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
    for (int e = 0; e < WW_LINE_EVENT_COUNT; e++) {
        known->event[e] += line->event[e];
    }
    for (int p = 0; p < WW_PART_COUNT; p++) {
        known->joules[p] += line->joules[p];
    }
    return WW_OK;
}

ww_status ww_lines_add_all(ww_lines *lines, const ww_lines *more, ww_error *err)
{
    lines->has_joules = more->has_joules && (lines->has_joules || lines->count == 0);
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

#define ENERGY "energy" /* the column whose absence says that a file has no joules */

static void put_heads(ww_csv_writer *csv, bool joules)
{
    static const char *const texts[] = {"workload", "kernel",      "file", "line",
                                        "source",   "source_line", "text"};
    for (size_t i = 0; i < WW_ARRAY_LEN(texts); i++) {
        ww_csv_put_header(csv, texts[i], NULL);
    }
    for (int c = 0; c < WW_LINE_COUNT; c++) {
        ww_csv_put_header(csv, ww_line_count_name((ww_line_count)c), "1");
    }
    WW_CSV_HEAD(csv, {"slots", "1"}, {"share", "1"}, {"function", NULL});
    for (int e = 0; joules && e < WW_LINE_EVENT_COUNT; e++) {
        ww_csv_put_header(csv, ww_line_event_name((ww_line_event)e), "1");
    }
    for (int p = 0; joules && p < WW_PART_COUNT; p++) {
        ww_csv_put_header(csv, ww_line_part_name((ww_line_part)p), "J");
    }
    if (joules) {
        ww_csv_put_header(csv, ENERGY, "J");
    }
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

static void put_joules(ww_csv_writer *csv, const ww_line *line)
{
    for (int e = 0; e < WW_LINE_EVENT_COUNT; e++) {
        ww_csv_put_u64(csv, line->event[e]);
    }
    for (int p = 0; p < WW_PART_COUNT; p++) {
        ww_csv_put_double(csv, line->joules[p]);
    }
    ww_csv_put_double(csv, ww_line_j(line));
}

static void put_line(ww_csv_writer *csv, const ww_line *line, uint64_t of_kernel, bool joules)
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
    ww_csv_put_text(csv, line->function);
    if (joules) {
        put_joules(csv, line);
    }
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
        put_line(csv, &lines->line[i], (uint64_t)kernel->num, lines->has_joules);
    }
    return ww_csv_finish(csv, err);
}

ww_status ww_lines_write(const ww_lines *lines, const char *path, ww_error *err)
{
    ww_str text = {0};
    ww_map slots = {0}; /* of each kernel */
    ww_csv_writer csv;
    ww_csv_init(&csv, &text);
    put_heads(&csv, lines->has_joules);
    ww_status status = put_lines(&csv, lines, &slots, err);
    if (status == WW_OK) {
        status = ww_write_text(path, &text, err);
    }
    ww_str_fini(&text);
    ww_map_fini(&slots);
    return status;
}

/* The columns of a file, found by name. */
typedef struct columns {
    size_t workload, kernel, file, line, source, source_line, text, count[WW_LINE_COUNT];
    size_t function; /* columns of earlier versions end before it: SIZE_MAX */
    size_t event[WW_LINE_EVENT_COUNT], joules[WW_PART_COUNT];
    bool has_joules;
} columns;

static ww_status find_joules(const ww_csv *csv, columns *c, ww_error *err)
{
    size_t energy;
    c->has_joules = ww_csv_find(csv, ENERGY, &energy, NULL) == WW_OK;
    if (ww_csv_find(csv, "function", &c->function, NULL) != WW_OK) {
        c->function = SIZE_MAX;
    }
    for (int e = 0; c->has_joules && e < WW_LINE_EVENT_COUNT; e++) {
        WW_TRY(ww_csv_find(csv, ww_line_event_name((ww_line_event)e), &c->event[e], err));
    }
    for (int p = 0; c->has_joules && p < WW_PART_COUNT; p++) {
        WW_TRY(ww_csv_find(csv, ww_line_part_name((ww_line_part)p), &c->joules[p], err));
    }
    return WW_OK;
}

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
    return find_joules(csv, c, err);
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
    line.function = c->function != SIZE_MAX ? ww_csv_text(csv, row, c->function) : "";
    for (int e = 0; c->has_joules && e < WW_LINE_EVENT_COUNT; e++) {
        WW_TRY(ww_csv_u64(csv, row, c->event[e], &line.event[e], err));
    }
    for (int p = 0; c->has_joules && p < WW_PART_COUNT; p++) {
        WW_TRY(ww_csv_double(csv, row, c->joules[p], &line.joules[p], err));
    }
    return ww_lines_add(lines, &line, err);
}

ww_status ww_lines_load(ww_lines *lines, const char *path, ww_error *err)
{
    ww_csv *csv = NULL;
    columns c;
    WW_TRY(ww_csv_load(path, &csv, err));
    ww_status status = find_columns(csv, &c, err);
    lines->has_joules = status == WW_OK && c.has_joules && (lines->has_joules || lines->count == 0);
    for (size_t row = 0; status == WW_OK && row < ww_csv_rows(csv); row++) {
        status = read_row(csv, row, &c, lines, err);
    }
    ww_csv_destroy(csv);
    return status;
}
