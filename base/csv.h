/* csv.h - comma-separated values as in RFC 4180, with headers of the form "name [unit]". */
#ifndef WW_BASE_CSV_H
#define WW_BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- writing ---- */
/* Rows are appended to out. Every row must have as many fields as the header. Failures are
 * remembered and reported by ww_csv_finish. */
typedef struct ww_csv_writer {
    ww_str *out;
    size_t columns; /* of the header */
    size_t column;  /* fields of the present row */
    size_t row;     /* finished rows, header included */
    bool ragged;    /* a row had another number of fields */
} ww_csv_writer;

/** Starts a table at the end of out, which must outlive the writer. */
void ww_csv_init(ww_csv_writer *w, ww_str *out);
/** A header field: "name [unit]", or "name" when unit is NULL or "". */
void ww_csv_put_header(ww_csv_writer *w, const char *name, const char *unit);
/** Header fields of a table: WW_CSV_HEAD(&csv, {"kernel", NULL}, {"time", "s"}). */
typedef struct ww_csv_field {
    const char *name, *unit;
} ww_csv_field;
void ww_csv_put_headers(ww_csv_writer *w, const ww_csv_field *field, size_t count);
#define WW_CSV_HEAD(w, ...)                                                                        \
    ww_csv_put_headers(w, (const ww_csv_field[]){__VA_ARGS__},                                     \
                       sizeof((const ww_csv_field[]){__VA_ARGS__}) / sizeof(ww_csv_field))
/** A text field; quoted where needed. NULL is an empty field. */
void ww_csv_put_text(ww_csv_writer *w, const char *text);
/** A number that reads back exactly; an empty field when it is not finite. */
void ww_csv_put_double(ww_csv_writer *w, double value);
/** Such numbers: WW_CSV_DOUBLES(&csv, time_s, energy_j). */
void ww_csv_put_doubles(ww_csv_writer *w, const double *value, size_t count);
#define WW_CSV_DOUBLES(w, ...)                                                                     \
    ww_csv_put_doubles(w, (const double[]){__VA_ARGS__},                                           \
                       sizeof((const double[]){__VA_ARGS__}) / sizeof(double))
/** An unsigned integer. */
void ww_csv_put_u64(ww_csv_writer *w, uint64_t value);
/** Ends the row. */
void ww_csv_end_row(ww_csv_writer *w);
/** ENOMEM when memory ran out, EINTERNAL when rows differ in length or the last row is not ended.
 */
WW_NODISCARD ww_status ww_csv_finish(const ww_csv_writer *w, ww_error *err);

/** Copies a table for a spreadsheet: texts that it would take for formulas (they begin with =, +,
 * -,
 * @, a tab or the end of a line, and are no numbers) begin with an apostrophe. */
void ww_csv_guard(const char *table, ww_str *out);

/* ---- reading ---- */
typedef struct ww_csv ww_csv; /* a table held in memory, first row taken as header */

/** Reads a table; name is used in messages. EPARSE with line and column, ENOMEM. */
WW_NODISCARD ww_status ww_csv_parse(const char *name, const char *text, size_t length, ww_csv **out,
                                    ww_error *err);
/** Reads a table from a file of at most 256 MiB. */
WW_NODISCARD ww_status ww_csv_load(const char *path, ww_csv **out, ww_error *err);
/** Releases a table; NULL allowed. */
void ww_csv_destroy(ww_csv *csv);
/** Rows without the header. */
size_t ww_csv_rows(const ww_csv *csv);
/** Columns of the header; every row has as many. */
size_t ww_csv_columns(const ww_csv *csv);
/** Name of a column, without its unit. */
const char *ww_csv_name(const ww_csv *csv, size_t column);
/** Unit of a column, "" when it has none. */
const char *ww_csv_unit(const ww_csv *csv, size_t column);
/** Whether there is a column of that name; *column: its index. */
bool ww_csv_has(const ww_csv *csv, const char *name, size_t *column);
/** Index of the column of that name; ENOTFOUND with a suggestion. */
WW_NODISCARD ww_status ww_csv_find(const ww_csv *csv, const char *name, size_t *column,
                                   ww_error *err);
/** The same for n names. */
WW_NODISCARD ww_status ww_csv_find_all(const ww_csv *csv, const char *const *names, size_t n,
                                       size_t *columns, ww_error *err);
/** A field's text; "" when empty. */
const char *ww_csv_text(const ww_csv *csv, size_t row, size_t column);
/** A field as number; EPARSE with line and column. */
WW_NODISCARD ww_status ww_csv_double(const ww_csv *csv, size_t row, size_t column, double *out,
                                     ww_error *err);
/** A field as unsigned integer; EPARSE with line and column. */
WW_NODISCARD ww_status ww_csv_u64(const ww_csv *csv, size_t row, size_t column, uint64_t *out,
                                  ww_error *err);
/** Fails with a message located at a field. */
WW_NODISCARD ww_status ww_csv_fail(const ww_csv *csv, size_t row, size_t column, ww_error *err,
                                   ww_status code, const char *fmt, ...) WW_PRINTF(6, 7);

#ifdef __cplusplus
}
#endif
#endif
