/* csv_read.c - reading RFC 4180 tables into memory, each field with its place in the file. */
#include <string.h>

#include "base/assert.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/suggest.h"

enum { MAX_BYTES = 256 * 1024 * 1024 };

typedef struct field {
    const char *text;
    uint32_t line, column;
} field;

struct ww_csv {
    char *name;
    char *text; /* the file; fields are unquoted and terminated in place */
    field *fields;
    size_t field_count, field_cap;
    size_t columns, rows;
    char **names; /* header without units */
    char **units;
    ww_arena arena;
};

typedef struct reader {
    ww_csv *csv;
    char *p, *end;
    char *line_start;
    uint32_t line;
    ww_error *err;
} reader;

static uint32_t column_of(const reader *r, const char *p)
{
    return (uint32_t)(p - r->line_start) + 1;
}

static ww_status add_field(reader *r, field f)
{
    ww_csv *csv = r->csv;
    if (csv->field_count == csv->field_cap) {
        size_t cap = csv->field_cap != 0 ? csv->field_cap * 2 : 64;
        field *fields = ww_realloc_array(csv->fields, cap, sizeof *fields);
        if (fields == NULL) {
            return ww_no_memory_in(r->err, csv->name);
        }
        csv->fields = fields;
        csv->field_cap = cap;
    }
    csv->fields[csv->field_count++] = f;
    return WW_OK;
}

/* Moves past a quoted field, p on its opening quote; the text is rewritten in place without quotes.
 */
static ww_status read_quoted(reader *r, field *f)
{
    char *to = ++r->p;
    f->text = to;
    for (;; r->p++) {
        if (r->p == r->end) {
            return ww_fail_at(r->err, WW_EPARSE, r->csv->name, (int)f->line, (int)f->column,
                              "quoted field is not closed");
        }
        if (*r->p == '"' && r->p + 1 < r->end && r->p[1] == '"') {
            r->p++;
        } else if (*r->p == '"') {
            break;
        } else if (*r->p == '\n') {
            r->line++;
            r->line_start = r->p + 1;
        }
        *to++ = *r->p;
    }
    r->p++;
    *to = '\0';
    return WW_OK;
}

/* Reads one field and the separator behind it; *last tells that the row ends here. */
static ww_status read_field(reader *r, bool *last)
{
    field f = {.text = r->p, .line = r->line, .column = column_of(r, r->p)};
    if (r->p < r->end && *r->p == '"') {
        WW_TRY(read_quoted(r, &f));
    } else {
        while (r->p < r->end && *r->p != ',' && *r->p != '\n' && *r->p != '"') {
            r->p++;
        }
    }
    char *stop = r->p;
    char separator = r->p < r->end ? *r->p : '\n';
    if (separator == '\r' && r->p + 1 < r->end && r->p[1] == '\n') { /* behind a quoted field */
        separator = *++r->p;
    } else if (separator == '\n' && stop > f.text && stop[-1] == '\r') {
        stop--;
    }
    if (separator != ',' && separator != '\n') {
        return ww_fail_at(r->err, WW_EPARSE, r->csv->name, (int)r->line, (int)column_of(r, r->p),
                          "unexpected character at a quote");
    }
    *stop = '\0';
    r->p += r->p < r->end;
    *last = separator == '\n';
    if (*last) {
        r->line++;
        r->line_start = r->p;
    }
    return add_field(r, f);
}

static ww_status read_row(reader *r)
{
    ww_csv *csv = r->csv;
    size_t first = csv->field_count;
    int line = (int)r->line;
    for (bool last = false; !last;) {
        WW_TRY(read_field(r, &last));
    }
    size_t count = csv->field_count - first;
    if (first == 0) {
        csv->columns = count;
    } else if (count == 1 && csv->columns > 1 && csv->fields[first].text[0] == '\0') {
        csv->field_count = first; /* an empty line */
    } else if (count != csv->columns) {
        return ww_fail_at(r->err, WW_EPARSE, csv->name, line, 0,
                          "row has %zu fields, the header has %zu", count, csv->columns);
    } else {
        csv->rows++;
    }
    return WW_OK;
}

/* Splits "name [unit]" of every header field. */
static ww_status split_header(ww_csv *csv, ww_error *err)
{
    csv->names = WW_ARENA_NEW_ARRAY(&csv->arena, char *, csv->columns);
    csv->units = WW_ARENA_NEW_ARRAY(&csv->arena, char *, csv->columns);
    for (size_t i = 0; i < csv->columns && csv->names != NULL && csv->units != NULL; i++) {
        const char *text = csv->fields[i].text;
        size_t n = strlen(text);
        const char *open = n > 0 && text[n - 1] == ']' ? strrchr(text, '[') : NULL;
        size_t name_end = open != NULL ? (size_t)(open - text) : n;
        while (name_end > 0 && text[name_end - 1] == ' ') {
            name_end--;
        }
        csv->names[i] = ww_arena_strndup(&csv->arena, text, name_end);
        csv->units[i] = open != NULL
                            ? ww_arena_strndup(&csv->arena, open + 1, (size_t)(text + n - 2 - open))
                            : ww_arena_strndup(&csv->arena, "", 0);
        if (csv->names[i] == NULL || csv->units[i] == NULL) {
            csv->names = NULL;
        }
    }
    return csv->names != NULL && csv->units != NULL ? WW_OK : ww_no_memory_in(err, csv->name);
}

static ww_status read_table(ww_csv *csv, size_t length, ww_error *err)
{
    reader r = {.csv = csv, .p = csv->text, .end = csv->text + length, .line = 1, .err = err};
    char *zero = memchr(csv->text, '\0', length);
    if (zero != NULL) {
        return ww_fail_at(err, WW_EPARSE, csv->name, 0, 0,
                          "not a text file: zero byte at offset %zu", (size_t)(zero - csv->text));
    }
    if (length >= 3 && memcmp(csv->text, "\xEF\xBB\xBF", 3) == 0) {
        r.p += 3; /* byte-order mark */
    }
    if (r.p == r.end) {
        return ww_fail_at(err, WW_EPARSE, csv->name, 1, 1, "no header: the table is empty");
    }
    r.line_start = r.p;
    while (r.p < r.end) {
        WW_TRY(read_row(&r));
    }
    return split_header(csv, err);
}

/* Takes ownership of text, which has room for a terminator at text[length]. */
static ww_status parse_take(const char *name, char *text, size_t length, ww_csv **out,
                            ww_error *err)
{
    ww_csv *csv = WW_NEW(ww_csv);
    if (csv == NULL) {
        ww_free(text);
        return ww_no_memory_in(err, name);
    }
    csv->text = text;
    csv->name = ww_arena_printf(&csv->arena, "%s", name);
    ww_status status =
        csv->name != NULL ? read_table(csv, length, err) : ww_no_memory_in(err, name);
    if (status != WW_OK) {
        ww_csv_destroy(csv);
        return status;
    }
    *out = csv;
    return WW_OK;
}

ww_status ww_csv_parse(const char *name, const char *text, size_t length, ww_csv **out,
                       ww_error *err)
{
    char *copy = length < MAX_BYTES ? ww_alloc_array(length + 1, 1) : NULL;
    if (copy == NULL) {
        return ww_no_memory_in(err, name);
    }
    if (length > 0) {
        memcpy(copy, text, length);
    }
    return parse_take(name, copy, length, out, err);
}

ww_status ww_csv_load(const char *path, ww_csv **out, ww_error *err)
{
    char *text;
    size_t length;
    WW_TRY(ww_read_file(path, MAX_BYTES, &text, &length, err));
    return parse_take(path, text, length, out, err);
}

void ww_csv_destroy(ww_csv *csv)
{
    if (csv != NULL) {
        ww_free(csv->text);
        ww_free(csv->fields);
        ww_arena_fini(&csv->arena);
        ww_free(csv);
    }
}

size_t ww_csv_rows(const ww_csv *csv)
{
    return csv->rows;
}

size_t ww_csv_columns(const ww_csv *csv)
{
    return csv->columns;
}

const char *ww_csv_name(const ww_csv *csv, size_t column)
{
    return csv->names[column];
}

const char *ww_csv_unit(const ww_csv *csv, size_t column)
{
    return csv->units[column];
}

bool ww_csv_has(const ww_csv *csv, const char *name, size_t *column)
{
    for (size_t i = 0; i < csv->columns; i++) {
        if (strcmp(csv->names[i], name) == 0) {
            *column = i;
            return true;
        }
    }
    return false;
}

ww_status ww_csv_find(const ww_csv *csv, const char *name, size_t *column, ww_error *err)
{
    if (ww_csv_has(csv, name, column)) {
        return WW_OK;
    }
    ww_suggest near;
    ww_suggest_init(&near, name);
    for (size_t i = 0; i < csv->columns; i++) {
        ww_suggest_offer(&near, csv->names[i]);
    }
    char hint[160];
    return ww_fail_at(err, WW_ENOTFOUND, csv->name, 1, 0, "no column '%s'%s", name,
                      ww_suggest_text(&near, hint, sizeof hint));
}

ww_status ww_csv_find_all(const ww_csv *csv, const char *const *names, size_t n, size_t *columns,
                          ww_error *err)
{
    for (size_t k = 0; k < n; k++) {
        WW_TRY(ww_csv_find(csv, names[k], &columns[k], err));
    }
    return WW_OK;
}

static const field *field_at(const ww_csv *csv, size_t row, size_t column)
{
    WW_ASSERT(column < csv->columns && row < ww_csv_rows(csv));
    return &csv->fields[(row + 1) * csv->columns + column];
}

const char *ww_csv_text(const ww_csv *csv, size_t row, size_t column)
{
    return field_at(csv, row, column)->text;
}

ww_status ww_csv_double(const ww_csv *csv, size_t row, size_t column, double *out, ww_error *err)
{
    ww_error why = {0};
    ww_status status = ww_num_parse_double(ww_csv_text(csv, row, column), out, &why);
    return status == WW_OK ? WW_OK : ww_csv_fail(csv, row, column, err, WW_EPARSE, "%s", why.what);
}

ww_status ww_csv_u64(const ww_csv *csv, size_t row, size_t column, uint64_t *out, ww_error *err)
{
    ww_error why = {0};
    ww_status status = ww_num_parse_u64(ww_csv_text(csv, row, column), out, &why);
    return status == WW_OK ? WW_OK : ww_csv_fail(csv, row, column, err, WW_EPARSE, "%s", why.what);
}

ww_status ww_csv_fail(const ww_csv *csv, size_t row, size_t column, ww_error *err, ww_status code,
                      const char *fmt, ...)
{
    ww_str text = {0};
    va_list args;
    va_start(args, fmt);
    ww_str_addv(&text, fmt, args);
    va_end(args);
    const field *f = field_at(csv, row, column);
    ww_status status = ww_fail_at(err, code, csv->name, (int)f->line, (int)f->column,
                                  "column '%s': %s", csv->names[column], ww_str_text(&text));
    ww_str_fini(&text);
    return status;
}
