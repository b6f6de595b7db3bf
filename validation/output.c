/* output.c - see output.h. */
#include "validation/output.h"

#include <math.h>

const char *ww_show_verdict(const ww_row *row, char room[WW_SHOWN_CHARS])
{
    (void)room;
    return row->bar != NULL ? ww_verdict_name(row->verdict) : "";
}

const char *ww_show_missed(const ww_row *row, char room[WW_SHOWN_CHARS])
{
    (void)room;
    return row->verdict == WW_VERDICT_MISSED ? ww_verdict_name(row->verdict) : "";
}

static const char *text_of(const ww_row *row, const ww_column *column, char room[WW_SHOWN_CHARS])
{
    switch (column->field) {
    case WW_SHOW_SUBJECT:
        return row->subject;
    case WW_SHOW_WHAT:
        return row->what;
    case WW_SHOW_UNIT:
        return row->unit;
    case WW_SHOW_GROUP:
        return row->group;
    case WW_SHOW_SPLIT:
        return ww_split_name(row->split);
    case WW_SHOW_QUALITY:
        return row->quality;
    case WW_SHOW_NOTE:
        return row->note;
    case WW_SHOW_SOURCE:
        return row->source;
    case WW_SHOW_PRINTED:
        return row->printed;
    default:
        return column->text(row, room);
    }
}

static double number_of(const ww_row *row, ww_field field)
{
    switch (field) {
    case WW_SHOW_REFERENCE:
        return row->reference;
    case WW_SHOW_OURS:
        return row->ours;
    case WW_SHOW_RATIO:
        return row->ours / row->reference;
    case WW_SHOW_ERROR:
        return 100 * ww_row_error(row);
    case WW_SHOW_PEER1:
        return 100 * ww_error_of(row->peer[0], row->reference);
    case WW_SHOW_SHARE:
        return 100 * row->ours / row->reference;
    case WW_SHOW_DETAIL1:
        return row->detail[0];
    case WW_SHOW_DETAIL2:
        return row->detail[1];
    case WW_SHOW_DETAIL3:
        return row->detail[2];
    case WW_SHOW_INVERSE_ERROR:
        return 100 * ww_error_of(row->reference, row->ours);
    default:
        return 100 * ww_error_of(row->peer[1], row->reference);
    }
}

static void put(ww_table *t, const ww_row *row, const ww_column *column)
{
    char room[WW_SHOWN_CHARS] = "";
    bool number = column->field >= WW_SHOW_REFERENCE && column->field < WW_SHOW_TEXT;
    if (number) {
        int digits = column->digits == WW_DIGITS_OF_ROW ? row->digits : column->digits;
        ww_table_number(t, number_of(row, column->field), digits);
    } else {
        ww_table_text(t, text_of(row, column, room));
    }
}

void ww_rows_fill(const ww_rows *rows, const ww_column *columns, size_t count, ww_table *out)
{
    for (size_t c = 0; c < count; c++) {
        ww_table_head(out, columns[c].head);
    }
    for (size_t i = 0; i < rows->count; i++) {
        for (size_t c = 0; c < count; c++) {
            put(out, &rows->row[i], &columns[c]);
        }
    }
}

ww_status ww_output_table(const ww_output *output, ww_table *table, ww_error *err)
{
    if (output->to == NULL) {
        return WW_OK;
    }
    return output->format == WW_FORMAT_MARKDOWN
               ? ww_table_print_markdown(table, output->to, err)
               : ww_table_print(table, output->format == WW_FORMAT_JSON, output->to, err);
}

ww_status ww_rows_print(const ww_rows *rows, const char *title, const ww_column *columns,
                        size_t count, const ww_output *output, ww_error *err)
{
    ww_table t;
    ww_table_init(&t, title);
    ww_rows_fill(rows, columns, count, &t);
    ww_status status = ww_output_table(output, &t, err);
    ww_table_fini(&t);
    return status;
}

bool ww_output_is_text(const ww_output *output)
{
    return output->to != NULL && output->format != WW_FORMAT_JSON;
}

/* ---- several tables ---- */

void ww_document_begin(ww_document *d, const ww_output *output, ww_titles titles)
{
    *d = (ww_document){.output = output, .titles = titles};
    ww_json_init(&d->json, &d->text, 2);
    ww_json_object(&d->json, NULL);
}

static ww_status show_titled(const ww_document *d, ww_table *table, const char *title,
                             ww_error *err)
{
    bool markdown = d->output->format == WW_FORMAT_MARKDOWN, close = d->titles == WW_TITLES_CLOSE;
    FILE *to = d->output->to;
    const char *stars = markdown ? "**" : "";
    fprintf(to, "%s%s%s%s\n%s", close ? "" : "\n", stars, title, stars,
            close && !markdown ? "" : "\n");
    WW_TRY(ww_output_table(d->output, table, err));
    if (close && markdown) {
        fputc('\n', to);
    }
    return WW_OK;
}

ww_status ww_document_table(ww_document *d, ww_table *table, const char *title, ww_error *err)
{
    ww_status status = WW_OK;
    if (table->failed) {
        status = ww_no_memory_for(err, "printing");
    } else if (d->output->format == WW_FORMAT_JSON) {
        ww_table_put_json(table, &d->json);
    } else if (d->output->to != NULL) {
        status = show_titled(d, table, title, err);
    }
    ww_table_fini(table);
    return status;
}

ww_status ww_document_rows(ww_document *d, const ww_rows *rows, const char *name,
                           const ww_column *columns, size_t count, const char *title, ww_error *err)
{
    ww_table t;
    ww_table_init(&t, name);
    ww_rows_fill(rows, columns, count, &t);
    return ww_document_table(d, &t, title, err);
}

ww_status ww_document_end(ww_document *d, ww_status status, ww_error *err)
{
    if (status == WW_OK && d->output->to != NULL && d->output->format == WW_FORMAT_JSON) {
        ww_json_end(&d->json);
        return ww_json_print(&d->json, &d->text, d->output->to, err);
    }
    ww_str_fini(&d->text);
    return status;
}

void ww_pair_head(ww_table *t, const ww_output *output, const char *name)
{
    if (output->format == WW_FORMAT_JSON) {
        char published[64];
        snprintf(published, sizeof published, "%s_published", name);
        ww_table_head(t, published);
    }
    ww_table_head(t, name);
}

static void format(double value, int digits, bool sign, char room[32])
{
    if (isnan(value)) {
        snprintf(room, 32, "-");
    } else {
        snprintf(room, 32, sign ? "%+.*f" : "%.*f", digits, value);
    }
}

void ww_pair_cell(ww_table *t, const ww_output *output, double published, double ours, int digits,
                  bool sign)
{
    char a[32], b[32], text[72];
    if (output->format == WW_FORMAT_JSON) {
        ww_table_number(t, published, digits);
        ww_table_number(t, ours, digits + 2);
        return;
    }
    format(published, digits, sign, a);
    format(ours, digits, sign, b);
    snprintf(text, sizeof text, "%s / %s", a, b);
    ww_table_text(t, isnan(published) ? a : text);
}

void ww_triple_cell(ww_table *t, double subset, double ours, double whole, int digits)
{
    char a[32], b[32], c[32], text[104];
    format(subset, digits, false, a);
    format(ours, digits, false, b);
    format(whole, digits, false, c);
    snprintf(text, sizeof text, "%s / %s / %s", a, b, c);
    ww_table_text(t, text);
}
