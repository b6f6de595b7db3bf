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
