/* table.h - a table for people (aligned columns) or for scripts (JSON), from the same calls. */
#ifndef WW_ANALYSIS_TABLE_H
#define WW_ANALYSIS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/status.h"

typedef struct ww_table {
    ww_arena arena;
    const char *title; /* JSON: name of the array */
    const char **cell; /* header row first */
    bool *number;      /* [cell]: right-aligned, bare in JSON */
    size_t columns, cells, capacity;
    bool header_done, failed;
} ww_table;

/** An empty table; title is a lower-case word. */
void ww_table_init(ww_table *t, const char *title);
void ww_table_fini(ww_table *t);
/** A header cell: name as in JSON ("energy_j"); call before any row. */
void ww_table_head(ww_table *t, const char *name);
void ww_table_heads(ww_table *t, const char *const *names, size_t count);
/** Cells, row by row; the row ends when the columns are full. */
void ww_table_text(ww_table *t, const char *text);
/** A number, printed with that many digits behind the point (JSON: the same text). */
void ww_table_number(ww_table *t, double value, int decimals);
void ww_table_count(ww_table *t, unsigned long long value);
/** Such a number: what a part is of a whole, in percent. */
void ww_table_percent(ww_table *t, double part, double whole, int decimals);
/** 100 part / whole; 0 of a whole that is not above 0. */
double ww_percent(double part, double whole);
/** The name of a kernel, "workload/kernel" too: of a mangled one the C++ name, without its result,
 * template arguments and parameters. CSV files have names as they are. */
void ww_table_kernel(ww_table *t, const char *label);
/** Prints {"title": [{…}, …]} or aligned columns; on a terminal fitted to its width. */
WW_NODISCARD ww_status ww_table_print(ww_table *t, bool json, FILE *out, ww_error *err);
/** Adds "title": [{…}, …] to the object that is open, for documents of several tables. */
void ww_table_put_json(const ww_table *t, ww_json *json);
/** Prints the table as Markdown, for the documentation; columns named source, assumption and file
 * are left out. */
WW_NODISCARD ww_status ww_table_print_markdown(const ww_table *t, FILE *out, ww_error *err);

/** Columns of a terminal; one of unknown width takes the customary 80. */
size_t ww_terminal_width(FILE *out);
/** Prints a table within the width of a terminal; false: it could not. */
bool ww_table_print_fitted(const ww_table *t, FILE *out);

/** Ends a document, prints its text and releases it. */
WW_NODISCARD ww_status ww_json_print(ww_json *json, ww_str *text, FILE *out, ww_error *err);

#endif
