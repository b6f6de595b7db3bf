/* foreign_ncu.c - tables of Nsight Compute: `ncu --csv --page raw`, and one metric per row.
 *
 * Format (Nsight Compute CLI documentation, "Command Line Options", --csv, --page, --print-units):
 * whatever the program printed and lines of "==PROF==", then a table whose head begins with "ID".
 * With --page raw a metric has a column, and a first row without ID names units; otherwise the
 * columns are "Metric Name", "Metric Unit" and "Metric Value". Numbers have groups of three digits,
 * units prefixes (unless --print-units base); a metric that the card does not have is "n/a". */
#include <string.h>

#include "base/csv.h"
#include "base/num.h"
#include "counters/foreign_parts.h"

typedef struct columns {
    size_t id, kernel, block, grid, name, unit, value; /* SIZE_MAX: absent */
} columns;

typedef struct reader {
    ww__foreign_table *table;
    const ww_csv *csv;
    columns c;
    int first_line; /* of the table in the file, less one */
} reader;

static size_t column_of(const ww_csv *csv, const char *name)
{
    for (size_t i = 0; i < ww_csv_columns(csv); i++) {
        if (strcmp(ww_csv_name(csv, i), name) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* Errors know the field; ww_csv counts lines from the table's head. */
static int line_of(const reader *r, size_t row)
{
    ww_error at = {0};
    WW_DROP(ww_csv_fail(r->csv, row, 0, &at, WW_EPARSE, "here")); /* for its place */
    return at.line + r->first_line;
}

static bool equal(const char *text, size_t length, const char *with)
{
    return strlen(with) == length && strncmp(text, with, length) == 0;
}

/* What a metric counts, by its documented name: UNIT__COUNTED… */
static const char *quantity(const char *metric)
{
    static const char *const names[][2] = {
        {"__bytes", "byte"},       {"__cycles", "cycle"},       {"__time", "second"},
        {"__sectors", "sector"},   {"__t_sectors", "sector"},   {"__t_bytes", "byte"},
        {"inst_executed", "inst"}, {"__t_requests", "request"}, {"warps_launched", "warp"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strstr(metric, names[i][0]) != NULL) {
            return names[i][1];
        }
    }
    return NULL;
}

/* "Mbyte", "usecond", "ms", "inst", "": the factor to the plain unit; false: it is another one. */
static bool factor_of(const char *metric, const char *unit, double *factor)
{
    static const struct {
        char prefix;
        double factor;
    } prefixes[] = {{'K', 1e3},  {'k', 1e3},  {'M', 1e6},  {'G', 1e9},
                    {'T', 1e12}, {'n', 1e-9}, {'u', 1e-6}, {'m', 1e-3}};
    const char *expected = quantity(metric);
    size_t length = strcspn(unit, "/");
    *factor = 1;
    bool threads =
        strstr(metric, "__thread_inst_executed") != NULL && equal(unit, length, "thread");
    if (length == 0 || expected == NULL || threads || equal(unit, length, expected)) {
        return true;
    }
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        if (unit[0] == prefixes[i].prefix && length > 1) {
            *factor = prefixes[i].factor;
            return equal(unit + 1, length - 1, expected) ||
                   (strcmp(expected, "second") == 0 && equal(unit + 1, length - 1, "s"));
        }
    }
    return strcmp(expected, "second") == 0 && equal(unit, length, "s");
}

static ww_status read_metric(const reader *r, ww__foreign_launch *launch, size_t row,
                             const char *metric, const char *unit, const char *value, ww_error *err)
{
    ww__told *told = ww__foreign_told(r->table, launch, metric, strlen(metric));
    if (told == NULL || strcmp(value, "n/a") == 0 || *value == '\0') {
        return WW_OK;
    }
    int line = line_of(r, row);
    double x, factor;
    WW_TRY(
        ww__foreign_number(r->table, metric, strlen(metric), value, strlen(value), line, &x, err));
    if (!factor_of(metric, unit, &factor)) {
        return ww_fail_at(err, WW_EPARSE, r->table->file, line, 0,
                          "'%s' is in '%s', which is no unit of it (%s)", metric, unit,
                          quantity(metric));
    }
    return ww__foreign_tell(r->table, told, metric, strlen(metric), x * factor, line, err);
}

static ww_status begin_launch(const reader *r, size_t row, ww__foreign_launch **out, ww_error *err)
{
    const char *kernel = r->c.kernel == SIZE_MAX ? "" : ww_csv_text(r->csv, row, r->c.kernel);
    int line = line_of(r, row);
    WW_TRY(ww__foreign_add(r->table, kernel, strlen(kernel), line, out, err));
    if (r->c.block != SIZE_MAX) {
        const char *text = ww_csv_text(r->csv, row, r->c.block);
        WW_TRY(ww__foreign_extent(r->table, text, line, (*out)->block, err));
    }
    if (r->c.grid != SIZE_MAX) {
        const char *text = ww_csv_text(r->csv, row, r->c.grid);
        WW_TRY(ww__foreign_extent(r->table, text, line, (*out)->grid, err));
    }
    return WW_OK;
}

/* A metric per row; rows of a launch follow each other. */
static ww_status read_long(const reader *r, ww_error *err)
{
    ww__foreign_launch *launch = NULL;
    const char *id = "";
    ww_map seen = {0};
    ww_status status = WW_OK;
    for (size_t row = 0; status == WW_OK && row < ww_csv_rows(r->csv); row++) {
        const char *now = ww_csv_text(r->csv, row, r->c.id);
        if (launch == NULL || strcmp(now, id) != 0) {
            bool added = false;
            id = now;
            if (ww_map_add(&seen, id, &added) == NULL) {
                status = ww_no_memory(err);
                break;
            }
            status = added ? begin_launch(r, row, &launch, err)
                           : ww_fail_at(err, WW_EPARSE, r->table->file, line_of(r, row), 0,
                                        "ID %s comes again after another", id);
        }
        if (status == WW_OK) {
            status = read_metric(r, launch, row, ww_csv_text(r->csv, row, r->c.name),
                                 r->c.unit == SIZE_MAX ? "" : ww_csv_text(r->csv, row, r->c.unit),
                                 ww_csv_text(r->csv, row, r->c.value), err);
        }
    }
    ww_map_fini(&seen);
    return status;
}

/* A metric per column, units in the first row. */
static ww_status read_wide(const reader *r, ww_error *err)
{
    bool units = ww_csv_rows(r->csv) > 0 && *ww_csv_text(r->csv, 0, r->c.id) == '\0';
    for (size_t row = units; row < ww_csv_rows(r->csv); row++) {
        ww__foreign_launch *launch;
        WW_TRY(begin_launch(r, row, &launch, err));
        for (size_t c = 0; c < ww_csv_columns(r->csv); c++) {
            WW_TRY(read_metric(r, launch, row, ww_csv_name(r->csv, c),
                               units ? ww_csv_text(r->csv, 0, c) : "", ww_csv_text(r->csv, row, c),
                               err));
        }
    }
    return WW_OK;
}

static ww_status read_table(reader *r, ww_error *err)
{
    const ww_csv *csv = r->csv;
    r->c = (columns){.id = column_of(csv, "ID"),
                     .kernel = column_of(csv, "Kernel Name"),
                     .block = column_of(csv, "Block Size"),
                     .grid = column_of(csv, "Grid Size"),
                     .name = column_of(csv, "Metric Name"),
                     .unit = column_of(csv, "Metric Unit"),
                     .value = column_of(csv, "Metric Value")};
    bool per_row = r->c.name != SIZE_MAX && r->c.value != SIZE_MAX;
    WW_TRY(per_row ? read_long(r, err) : read_wide(r, err));
    return r->table->count > 0 ? WW_OK
                               : ww_fail_at(err, WW_EPARSE, r->table->file, r->first_line + 1, 0,
                                            "the table has no row of a kernel");
}

/* The head of the table: the first line that begins with "ID". */
static const char *find_table(const char *text, int *lines)
{
    for (*lines = 0; *text != '\0'; ++*lines) {
        if (strncmp(text, "\"ID\",", 5) == 0 || strncmp(text, "ID,", 3) == 0) {
            return text;
        }
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return NULL;
}

ww_status ww__foreign_read_ncu(ww__foreign_table *table, const char *text, size_t length,
                               ww_error *err)
{
    reader r = {.table = table};
    const char *head = find_table(text, &r.first_line);
    if (head == NULL) {
        return ww_fail_at(err, WW_EPARSE, table->file, 1, 0,
                          "no table in it: no line begins with \"ID\", as with --csv --page raw");
    }
    ww_csv *csv = NULL;
    ww_error inside = {0};
    ww_status status =
        ww_csv_parse(table->file, head, length - (size_t)(head - text), &csv, &inside);
    if (status != WW_OK) {
        inside.line += inside.line > 0 ? r.first_line : 0;
        if (err != NULL) {
            *err = inside;
        }
        return status;
    }
    r.csv = csv;
    status = read_table(&r, err);
    ww_csv_destroy(csv);
    return status;
}
