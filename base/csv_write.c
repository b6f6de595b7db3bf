/* csv_write.c - writing RFC 4180 tables. */
#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "base/num.h"

void ww_csv_init(ww_csv_writer *w, ww_str *out)
{
    *w = (ww_csv_writer){.out = out};
}

static void begin_field(ww_csv_writer *w)
{
    if (w->column++ > 0) {
        ww_str_add_char(w->out, ',');
    }
}

static void add_quoted(ww_str *out, const char *text)
{
    ww_str_add_char(out, '"');
    for (const char *p = text; *p != '\0';) {
        const size_t plain = strcspn(p, "\"");
        ww_str_add_n(out, p, plain);
        p += plain;
        if (*p == '"') {
            ww_str_add(out, "\"\"");
            p++;
        }
    }
    ww_str_add_char(out, '"');
}

void ww_csv_put_header(ww_csv_writer *w, const char *name, const char *unit)
{
    if (unit == NULL || *unit == '\0') {
        ww_csv_put_text(w, name);
        return;
    }
    ww_str text = {0};
    ww_str_addf(&text, "%s [%s]", name, unit);
    w->out->failed |= text.failed;
    ww_csv_put_text(w, ww_str_text(&text));
    ww_str_fini(&text);
}

void ww_csv_put_headers(ww_csv_writer *w, const ww_csv_field *field, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ww_csv_put_header(w, field[i].name, field[i].unit);
    }
}

void ww_csv_put_text(ww_csv_writer *w, const char *text)
{
    begin_field(w);
    if (text == NULL) {
        return;
    }
    if (strpbrk(text, ",\"\r\n") != NULL || *text == ' ') {
        add_quoted(w->out, text);
    } else {
        ww_str_add(w->out, text);
    }
}

void ww_csv_put_double(ww_csv_writer *w, double value)
{
    begin_field(w);
    if (isfinite(value)) {
        ww_str_add_double(w->out, value);
    }
}

void ww_csv_put_doubles(ww_csv_writer *w, const double *value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ww_csv_put_double(w, value[i]);
    }
}

void ww_csv_put_u64(ww_csv_writer *w, uint64_t value)
{
    begin_field(w);
    ww_str_addf(w->out, "%llu", (unsigned long long)value);
}

void ww_csv_end_row(ww_csv_writer *w)
{
    if (w->row == 0) {
        w->columns = w->column;
    }
    w->ragged |= w->column != w->columns;
    w->column = 0;
    w->row++;
    ww_str_add_char(w->out, '\n');
}

ww_status ww_csv_finish(const ww_csv_writer *w, ww_error *err)
{
    if (w->ragged || w->column != 0) {
        return ww_fail(err, WW_EINTERNAL, "CSV: %s",
                       w->ragged ? "rows differ in length" : "last row is not ended");
    }
    return ww_str_check(w->out, err);
}

/* One field, with its quotes; what follows it. */
static const char *guard_field(const char *p, ww_str *out)
{
    bool quoted = *p == '"';
    const char *text = p + quoted, *end = text;
    if (quoted) {
        while (*end != '\0' && (*end != '"' || end[1] == '"')) {
            end += *end == '"' ? 2 : 1;
        }
    } else {
        end += strcspn(text, ",\n");
    }
    char number[64];
    double value;
    size_t n = (size_t)(end - text);
    bool is_number = n > 0 && n < sizeof number;
    if (is_number) {
        memcpy(number, text, n);
        number[n] = '\0';
        is_number = ww_num_parse_double(number, &value, NULL) == WW_OK;
    }
    bool formula = n > 0 && strchr("=+-@\t\r\n", *text) != NULL && !is_number;
    ww_str_add_n(out, p, quoted);
    ww_str_add(out, formula ? "'" : "");
    end += quoted && *end == '"';
    ww_str_add_n(out, text, (size_t)(end - text));
    return end;
}

void ww_csv_guard(const char *table, ww_str *out)
{
    for (const char *p = table; *p != '\0';) {
        p = guard_field(p, out);
        if (*p != '\0') {
            ww_str_add_char(out, *p++);
        }
    }
}
