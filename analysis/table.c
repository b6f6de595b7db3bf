/* table.c - printing tables. */
#include "analysis/table.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "analysis/kernel_name.h"
#include "base/assert.h"
#include "base/json.h"
#include "base/num.h"
#include "base/visible.h"

void ww_table_init(ww_table *t, const char *title)
{
    *t = (ww_table){.title = title};
}

void ww_table_fini(ww_table *t)
{
    ww_arena_fini(&t->arena);
    ww_free(t->cell);
    ww_free(t->number);
    *t = (ww_table){0};
}

ww_status ww_json_print(ww_json *json, ww_str *text, FILE *out, ww_error *err)
{
    ww_status status = ww_json_finish(json, err);
    if (status == WW_OK) {
        fputs(ww_str_text(text), out);
    }
    ww_str_fini(text);
    return status;
}

static void add(ww_table *t, const char *text, bool number)
{
    if (t->cells == t->capacity) {
        size_t capacity = t->capacity != 0 ? 2 * t->capacity : 64;
        const char **cell = ww_realloc_array(t->cell, capacity, sizeof *cell);
        t->cell = cell != NULL ? cell : t->cell;
        bool *numbers =
            cell != NULL ? ww_realloc_array(t->number, capacity, sizeof *numbers) : NULL;
        t->number = numbers != NULL ? numbers : t->number;
        if (cell == NULL || numbers == NULL) {
            t->failed = true;
            return;
        }
        t->capacity = capacity;
    }
    const char *copy = ww_arena_strndup(&t->arena, text, strlen(text));
    t->failed |= copy == NULL;
    WW_ASSERT(t->cells < t->capacity);
    t->cell[t->cells] = copy != NULL ? copy : "";
    t->number[t->cells++] = number;
}

void ww_table_head(ww_table *t, const char *name)
{
    t->columns++;
    add(t, name, false);
}

void ww_table_heads(ww_table *t, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ww_table_head(t, names[i]);
    }
}

void ww_table_text(ww_table *t, const char *text)
{
    add(t, text != NULL ? text : "", false);
}

void ww_table_number(ww_table *t, double value, int decimals)
{
    char text[64];
    if (!isfinite(value)) {
        add(t, "", false);
        return;
    }
    snprintf(text, sizeof text, "%.*f", decimals, value);
    add(t, text, true);
}

double ww_percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

void ww_table_percent(ww_table *t, double part, double whole, int decimals)
{
    ww_table_number(t, ww_percent(part, whole), decimals);
}

void ww_table_count(ww_table *t, unsigned long long value)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", value);
    add(t, text, true);
}

static size_t width_of(const char *text)
{
    size_t width = 0; /* characters, not bytes: continuation bytes of UTF-8 do not count */
    for (; *text != '\0'; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
}

static void print_plain(const ww_table *t, FILE *out)
{
    WW_ASSERT(t->columns > 0 && t->cells % t->columns == 0); /* whole rows */
    size_t rows = t->cells / t->columns;
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < t->columns; c++) {
            size_t widest = 0;
            bool numeric = false;
            for (size_t k = 0; k < rows; k++) {
                size_t width = width_of(t->cell[k * t->columns + c]);
                widest = width > widest ? width : widest;
                numeric |= t->number[k * t->columns + c];
            }
            const char *text = t->cell[r * t->columns + c];
            int pad = (int)(widest - width_of(text));
            bool last = c + 1 == t->columns;
            if (numeric) {
                fprintf(out, "%*s%s", pad, "", text);
            } else {
                fprintf(out, "%s%*s", text, last ? 0 : pad, "");
            }
            fputs(last ? "\n" : "  ", out);
        }
    }
}

void ww_table_put_json(const ww_table *t, ww_json *json)
{
    ww_json_array(json, t->title);
    for (size_t r = 1; r < t->cells / t->columns; r++) {
        ww_json_object(json, NULL);
        for (size_t c = 0; c < t->columns; c++) {
            size_t i = r * t->columns + c;
            double value = 0;
            if (t->number[i] && ww_num_parse_double(t->cell[i], &value, NULL) == WW_OK) {
                ww_json_double(json, t->cell[c], value);
            } else {
                ww_json_text(json, t->cell[c], t->cell[i]);
            }
        }
        ww_json_end(json);
    }
    ww_json_end(json);
}

static ww_status print_json(const ww_table *t, FILE *out, ww_error *err)
{
    ww_str text = {0};
    ww_json json;
    ww_json_init(&json, &text, 2);
    ww_json_object(&json, NULL);
    ww_table_put_json(t, &json);
    ww_json_end(&json);
    return ww_json_print(&json, &text, out, err);
}

/* A cell is one line of what a terminal may show. */
static void make_visible(ww_table *t)
{
    for (size_t i = 0; i < t->cells; i++) {
        size_t size = 3 * strlen(t->cell[i]) + 1;
        char *cell = ww_arena_alloc(&t->arena, size, 1);
        if (cell == NULL) {
            t->failed = true;
            return;
        }
        ww_visible(t->cell[i], cell, size);
        for (char *p = strpbrk(cell, "\n\t"); p != NULL; p = strpbrk(p, "\n\t")) {
            *p = ' ';
        }
        t->cell[i] = cell;
    }
}

ww_status ww_table_print(ww_table *t, bool json, FILE *out, ww_error *err)
{
    if (t->failed) {
        return ww_no_memory_for(err, "printing");
    }
    if (json) {
        return print_json(t, out, err);
    }
    make_visible(t);
    if (t->failed) {
        return ww_no_memory_for(err, "printing");
    }
    if (!isatty(fileno(out)) || !ww_table_print_fitted(t, out)) {
        print_plain(t, out);
    }
    return WW_OK;
}

/* Columns of sentences, which would make the rows of a page too long. */
static bool is_for_files(const char *head)
{
    static const char *const names[] = {"source", "assumption", "file"};
    for (size_t i = 0; i < WW_ARRAY_LEN(names); i++) {
        if (strcmp(head, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

ww_status ww_table_print_markdown(const ww_table *t, FILE *out, ww_error *err)
{
    if (t->failed) {
        return ww_no_memory_for(err, "printing");
    }
    for (size_t row = 0; t->columns > 0 && row < t->cells / t->columns; row++) {
        for (size_t c = 0; c < t->columns; c++) {
            if (!is_for_files(t->cell[c])) {
                fprintf(out, "| %s ", t->cell[row * t->columns + c]);
            }
        }
        fputs("|\n", out);
        for (size_t c = 0; row == 0 && c < t->columns; c++) {
            if (!is_for_files(t->cell[c])) {
                fputs(c == 0 ? "|---" : "|---:", out);
            }
        }
        fputs(row == 0 ? "|\n" : "", out);
    }
    return WW_OK;
}

void ww_table_kernel(ww_table *t, const char *label)
{
    ww_table_text(t, ww_kernel_plain(&t->arena, label));
}
