/* numbers.c - a study's numbers by run, in memory and as a file. */
#include "validation/numbers.h"

#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "base/file.h"

enum { CONFIGURATION, WORKLOAD, NUMBER, OVER, UNDER, COLUMNS };
static const char *const names[COLUMNS] = {"configuration", "workload", "number", "over", "under"};

void ww_numbers_fini(ww_numbers *numbers)
{
    ww_map_fini(&numbers->by_term);
    ww_arena_fini(&numbers->arena);
}

static const char *key_of(ww_arena *arena, const char *configuration, const char *workload,
                          const char *number)
{
    return ww_arena_printf(arena, "%s\t%s\t%s", configuration, workload, number);
}

static const char *text_of(ww_arena *arena, const ww_term *t)
{
    return t->argument[0] == '\0' ? t->name
                                  : ww_arena_printf(arena, "%s[%s]", t->name, t->argument);
}

static ww_status keep(ww_numbers *numbers, const char *key, const ww_total *number, bool *added,
                      ww_error *err)
{
    ww_map_entry *entry = key != NULL ? ww_map_add(&numbers->by_term, key, added) : NULL;
    if (entry != NULL && *added) {
        ww_total *kept = WW_ARENA_NEW(&numbers->arena, ww_total);
        if (kept != NULL) {
            *kept = *number;
        }
        entry->ptr = kept;
    }
    return entry != NULL && entry->ptr != NULL ? WW_OK : ww_no_memory(err);
}

ww_status ww_numbers_keep(ww_numbers *numbers, const char *configuration, const char *workload,
                          const ww_term *term, const ww_total *number, ww_error *err)
{
    ww_arena arena = {0};
    bool added;
    const char *text = text_of(&arena, term);
    const char *key = text != NULL ? key_of(&arena, configuration, workload, text) : NULL;
    const ww_status status = keep(numbers, key, number, &added, err);
    ww_arena_fini(&arena);
    return status;
}

const ww_total *ww_numbers_find(const ww_numbers *numbers, const char *configuration,
                                const char *workload, const ww_term *term)
{
    ww_arena arena = {0};
    const char *text = text_of(&arena, term);
    const char *key = text != NULL ? key_of(&arena, configuration, workload, text) : NULL;
    const ww_total *found = key != NULL ? ww_map_ptr(&numbers->by_term, key) : NULL;
    ww_arena_fini(&arena);
    return found;
}

/* ---- as a file ---- */

static ww_status read_row(const ww_csv *csv, size_t row, const size_t *column, ww_numbers *out,
                          ww_error *err)
{
    ww_total number = {.under = (double)NAN};
    bool added;
    WW_TRY(ww_csv_double(csv, row, column[OVER], &number.over, err));
    if (ww_csv_text(csv, row, column[UNDER])[0] != '\0') {
        WW_TRY(ww_csv_double(csv, row, column[UNDER], &number.under, err));
    }
    const char *key =
        key_of(&out->arena, ww_csv_text(csv, row, column[CONFIGURATION]),
               ww_csv_text(csv, row, column[WORKLOAD]), ww_csv_text(csv, row, column[NUMBER]));
    WW_TRY(keep(out, key, &number, &added, err));
    return added ? WW_OK
                 : ww_csv_fail(csv, row, column[NUMBER], err, WW_ESCHEMA,
                               "the run has this number twice");
}

ww_status ww_numbers_read(const char *path, ww_numbers *out, ww_error *err)
{
    ww_csv *csv;
    size_t column[COLUMNS];
    WW_TRY(ww_csv_load(path, &csv, err));
    ww_status status = ww_csv_find_all(csv, names, COLUMNS, column, err);
    for (size_t row = 0; status == WW_OK && row < ww_csv_rows(csv); row++) {
        status = read_row(csv, row, column, out, err);
    }
    ww_csv_destroy(csv);
    return status;
}

static void put_row(ww_csv_writer *csv, ww_arena *arena, const ww_map_entry *entry)
{
    const char *at = entry->key;
    for (int c = CONFIGURATION; c <= NUMBER; c++) {
        const size_t n = strcspn(at, "\t");
        ww_csv_put_text(csv, ww_arena_strndup(arena, at, n));
        at += at[n] == '\t' ? n + 1 : n;
    }
    const ww_total *number = entry->ptr;
    WW_CSV_DOUBLES(csv, number->over, number->under);
    ww_csv_end_row(csv);
}

ww_status ww_numbers_write(const ww_numbers *numbers, const char *path, ww_error *err)
{
    ww_arena arena = {0};
    ww_str text = {0};
    ww_csv_writer csv;
    ww_csv_init(&csv, &text);
    for (int c = 0; c < COLUMNS; c++) {
        ww_csv_put_header(&csv, names[c], NULL);
    }
    ww_csv_end_row(&csv);
    for (size_t i = 0; i < numbers->by_term.count; i++) {
        put_row(&csv, &arena, &numbers->by_term.entries[i]);
    }
    ww_status status = ww_csv_finish(&csv, err);
    status = status == WW_OK ? ww_write_text(path, &text, err) : status;
    ww_str_fini(&text);
    ww_arena_fini(&arena);
    return status;
}
