/* references.c - see references.h. */
#include "validation/references.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/csv.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/suggest.h"

struct ww_refs {
    ww_arena arena;
    const char *path;
    ww_csv *csv;
    const ww_ref_column *column;
    size_t columns;
    size_t *at;     /* [column] in the file; SIZE_MAX: lacking */
    double *number; /* [row][column]; NaN: empty, or no column of numbers */
};

static ww_status not_a_word(const ww_refs *refs, size_t row, size_t column, ww_error *err)
{
    const char *text = ww_refs_text(refs, row, column);
    char known[256] = "", hint[96];
    ww_suggest near;
    ww_suggest_init(&near, text);
    for (const char *const *w = refs->column[column].words; *w != NULL; w++) {
        size_t used = strlen(known);
        ww_suggest_offer(&near, *w);
        snprintf(known + used, sizeof known - used, "%s%s", used > 0 ? ", " : "", *w);
    }
    return ww_refs_fail(refs, row, column, err, WW_ESCHEMA, "%s '%s' is none of %s%s",
                        refs->column[column].name, text, known,
                        ww_suggest_text(&near, hint, sizeof hint));
}

static bool is_word(const char *text, const char *const *words)
{
    while (*words != NULL && strcmp(*words, text) != 0) {
        words++;
    }
    return *words != NULL;
}

static ww_status read_number(ww_refs *refs, size_t row, size_t column, ww_error *err)
{
    ww_ref_kind kind = refs->column[column].kind;
    double *out = &refs->number[row * refs->columns + column];
    *out = (double)NAN;
    if (kind == WW_REF_OPTIONAL && ww_refs_text(refs, row, column)[0] == '\0') {
        return WW_OK;
    }
    WW_TRY(ww_csv_double(refs->csv, row, refs->at[column], out, err));
    if (!isfinite(*out)) {
        return ww_refs_fail(refs, row, column, err, WW_ERANGE, "%s is not a finite number",
                            refs->column[column].name);
    }
    return kind != WW_REF_POSITIVE || *out > 0
               ? WW_OK
               : ww_refs_fail(refs, row, column, err, WW_ERANGE, "%s is not above 0",
                              refs->column[column].name);
}

static ww_status check_cell(ww_refs *refs, size_t row, size_t column, ww_error *err)
{
    const ww_ref_column *c = &refs->column[column];
    const char *text = ww_refs_text(refs, row, column);
    refs->number[row * refs->columns + column] = (double)NAN;
    if (refs->at[column] == SIZE_MAX) {
        return WW_OK;
    }
    switch (c->kind) {
    case WW_REF_TEXT:
        return WW_OK;
    case WW_REF_NAME:
        return text[0] != '\0'
                   ? WW_OK
                   : ww_refs_fail(refs, row, column, err, WW_ESCHEMA, "%s is empty", c->name);
    case WW_REF_WORD:
        return is_word(text, c->words) ? WW_OK : not_a_word(refs, row, column, err);
    case WW_REF_NUMBER:
    case WW_REF_POSITIVE:
    case WW_REF_OPTIONAL:
        break;
    }
    return read_number(refs, row, column, err);
}

static ww_status check_all(ww_refs *refs, ww_error *err)
{
    size_t rows = ww_csv_rows(refs->csv);
    refs->at = WW_ARENA_NEW_ARRAY(&refs->arena, size_t, refs->columns + 1);
    refs->number = WW_ARENA_NEW_ARRAY(&refs->arena, double, rows * refs->columns + 1);
    if (refs->at == NULL || refs->number == NULL) {
        return ww_no_memory_for(err, "%zu rows of references", rows);
    }
    for (size_t c = 0; c < refs->columns; c++) {
        bool may_lack = refs->column[c].may_lack;
        ww_status status =
            ww_csv_find(refs->csv, refs->column[c].name, &refs->at[c], may_lack ? NULL : err);
        if (status != WW_OK && !may_lack) {
            return status;
        }
        refs->at[c] = status == WW_OK ? refs->at[c] : SIZE_MAX;
    }
    for (size_t row = 0; row < rows; row++) {
        for (size_t c = 0; c < refs->columns; c++) {
            WW_TRY(check_cell(refs, row, c, err));
        }
    }
    return WW_OK;
}

ww_status ww_refs_load(const char *path, const ww_ref_column *columns, size_t count, ww_refs **out,
                       ww_error *err)
{
    ww_refs *refs = WW_NEW(ww_refs);
    if (refs == NULL) {
        return ww_no_memory(err);
    }
    refs->column = columns;
    refs->columns = count;
    refs->path = ww_arena_strndup(&refs->arena, path, strlen(path));
    ww_status status = refs->path != NULL ? ww_csv_load(path, &refs->csv, err) : ww_no_memory(err);
    status = status == WW_OK ? check_all(refs, err) : status;
    if (status != WW_OK) {
        ww_refs_destroy(refs);
        return status;
    }
    *out = refs;
    return WW_OK;
}

void ww_refs_destroy(ww_refs *refs)
{
    if (refs != NULL) {
        ww_csv_destroy(refs->csv);
        ww_arena_fini(&refs->arena);
        ww_free(refs);
    }
}

const char *ww_refs_path(const ww_refs *refs)
{
    return refs->path;
}

size_t ww_refs_rows(const ww_refs *refs)
{
    return ww_csv_rows(refs->csv);
}

const char *ww_refs_text(const ww_refs *refs, size_t row, size_t column)
{
    size_t at = refs->at[column];
    return at != SIZE_MAX ? ww_csv_text(refs->csv, row, at) : "";
}

double ww_refs_number(const ww_refs *refs, size_t row, size_t column)
{
    return refs->number[row * refs->columns + column];
}

size_t ww_refs_word(const ww_refs *refs, size_t row, size_t column)
{
    const char *text = ww_refs_text(refs, row, column);
    const char *const *words = refs->column[column].words;
    size_t i = 0;
    while (words[i] != NULL && strcmp(words[i], text) != 0) {
        i++;
    }
    return i;
}

ww_status ww_refs_fail(const ww_refs *refs, size_t row, size_t column, ww_error *err,
                       ww_status code, const char *fmt, ...)
{
    char text[512];
    va_list list;
    va_start(list, fmt);
    vsnprintf(text, sizeof text, fmt, list);
    va_end(list);
    return ww_csv_fail(refs->csv, row, refs->at[column], err, code, "%s", text);
}
