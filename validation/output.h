/* output.h - rows in print: one printer for every comparison, told which columns to show. */
#ifndef WW_VALIDATION_OUTPUT_H
#define WW_VALIDATION_OUTPUT_H

#include <stdio.h>

#include "analysis/table.h"
#include "base/json.h"
#include "base/str.h"
#include "validation/row.h"

typedef enum ww_format { WW_FORMAT_TEXT, WW_FORMAT_JSON, WW_FORMAT_MARKDOWN } ww_format;

/* Where a comparison is printed. */
typedef struct ww_output {
    FILE *to;    /* tables and sums; NULL: nowhere */
    FILE *notes; /* remarks that are no result; NULL: nowhere */
    ww_format format;
} ww_output;

typedef enum ww_field {
    WW_SHOW_SUBJECT,
    WW_SHOW_WHAT,
    WW_SHOW_UNIT,
    WW_SHOW_GROUP,
    WW_SHOW_SPLIT,
    WW_SHOW_QUALITY,
    WW_SHOW_NOTE,
    WW_SHOW_SOURCE,
    WW_SHOW_PRINTED,
    WW_SHOW_REFERENCE,
    WW_SHOW_OURS,
    WW_SHOW_RATIO, /* ours / reference */
    WW_SHOW_ERROR, /* of ours, in % of the reference */
    WW_SHOW_PEER1, /* of the peers, likewise; empty where they have none */
    WW_SHOW_PEER2,
    WW_SHOW_INVERSE_ERROR, /* of the reference, in % of ours: of a time where these are rates */
    WW_SHOW_SHARE,         /* ours, in % of the reference */
    WW_SHOW_DETAIL1,
    WW_SHOW_DETAIL2,
    WW_SHOW_DETAIL3,
    WW_SHOW_TEXT, /* what `text` says */
} ww_field;

enum { WW_DIGITS_OF_ROW = -1, WW_SHOWN_CHARS = 256 };

typedef struct ww_column {
    const char *head;
    ww_field field;
    int digits; /* behind the point; WW_DIGITS_OF_ROW: as many as the row says */
    const char *(*text)(const ww_row *row, char room[WW_SHOWN_CHARS]);
} ww_column;

/** A text of a row's own for WW_SHOW_TEXT: "met" or "MISSED", "" where nothing is judged. */
const char *ww_show_verdict(const ww_row *row, char room[WW_SHOWN_CHARS]);
/** Only what is missed: "MISSED" or "". */
const char *ww_show_missed(const ww_row *row, char room[WW_SHOWN_CHARS]);

/** Fills a table, which the caller has initialised, with every row. */
void ww_rows_fill(const ww_rows *rows, const ww_column *columns, size_t count, ww_table *out);
/** Prints a table as the output wants it. */
WW_NODISCARD ww_status ww_output_table(const ww_output *output, ww_table *table, ww_error *err);
/** Prints every row under that title. */
WW_NODISCARD ww_status ww_rows_print(const ww_rows *rows, const char *title,
                                     const ww_column *columns, size_t count,
                                     const ww_output *output, ww_error *err);
/** Whether there is text to be written between tables: neither quiet nor JSON. */
bool ww_output_is_text(const ww_output *output);

/* ---- several tables ---- */

typedef enum ww_titles {
    WW_TITLES_APART, /* a line of its own before and after */
    WW_TITLES_CLOSE, /* right above the table */
} ww_titles;

/* Tables one below the other, each with its title; JSON: one object with an array each. */
typedef struct ww_document {
    const ww_output *output;
    ww_titles titles;
    ww_str text;
    ww_json json;
} ww_document;

void ww_document_begin(ww_document *d, const ww_output *output, ww_titles titles);
/** Shows a table and releases it. */
WW_NODISCARD ww_status ww_document_table(ww_document *d, ww_table *table, const char *title,
                                         ww_error *err);
/** Shows rows; name: of the array in JSON. */
WW_NODISCARD ww_status ww_document_rows(ww_document *d, const ww_rows *rows, const char *name,
                                        const ww_column *columns, size_t count, const char *title,
                                        ww_error *err);
/** Ends the document, whatever has become of it, and releases what it holds. */
WW_NODISCARD ww_status ww_document_end(ww_document *d, ww_status status, ww_error *err);

/** Head of a column of pairs: one cell "published / ours" in print, NAME_published and NAME in
 * JSON. */
void ww_pair_head(ww_table *t, const ww_output *output, const char *name);
/** Such a pair; what is not known is "-". @param sign  with + or - */
void ww_pair_cell(ww_table *t, const ww_output *output, double published, double ours, int digits,
                  bool sign);
/** The published number of what is compared, ours, and the published one of all, in print; what is
 * not known is "-". */
void ww_triple_cell(ww_table *t, double subset, double ours, double whole, int digits);

#endif
