/* report_mechanisms.c - what the sets' mechanisms came to: measures of mechanisms.csv by kernel. */
#include <math.h>
#include <string.h>

#include "analysis/report_parts.h"

typedef struct columns {
    size_t workload, kernel, mechanism, measure, value, unit, meaning;
} columns;

static bool same_key(const ww_report_measure *a, const ww_report_measure *b)
{
    return strcmp(a->measure, b->measure) == 0 && strcmp(a->kernel, b->kernel) == 0 &&
           strcmp(a->workload, b->workload) == 0;
}

static ww_report_measure row_of(const ww_csv *csv, const columns *at, size_t row)
{
    return (ww_report_measure){.workload = ww_csv_text(csv, row, at->workload),
                               .kernel = ww_csv_text(csv, row, at->kernel),
                               .mechanism = ww_csv_text(csv, row, at->mechanism),
                               .measure = ww_csv_text(csv, row, at->measure),
                               .unit = ww_csv_text(csv, row, at->unit),
                               .meaning = ww_csv_text(csv, row, at->meaning)};
}

static bool grow(ww_report_measures *m, size_t more)
{
    if (m->count + more > m->capacity) {
        size_t capacity = 2 * m->capacity + more + 16;
        ww_report_measure *grown = ww_realloc_array(m->measure, capacity, sizeof *grown);
        m->measure = grown != NULL ? grown : m->measure;
        m->capacity = grown != NULL ? capacity : m->capacity;
    }
    return m->count + more <= m->capacity;
}

/* The measure of that row, a new one where it is the first launch's. A launch's rows follow each
 * other as those of the one before do: the search begins behind the last. NULL: no memory. */
static ww_report_measure *find(ww_report_measures *m, const ww_report_measure *row, size_t last,
                               ww_arena *arena)
{
    for (size_t n = 0; n < m->count; n++) {
        ww_report_measure *own = &m->measure[(last + 1 + n) % m->count];
        if (same_key(own, row) && strcmp(own->mechanism, row->mechanism) == 0) {
            return own;
        }
    }
    const char *const text[] = {row->workload, row->kernel, row->mechanism,
                                row->measure,  row->unit,   row->meaning};
    const char *copy[WW_ARRAY_LEN(text)];
    for (size_t i = 0; i < WW_ARRAY_LEN(text); i++) {
        copy[i] = ww_arena_strndup(arena, text[i], strlen(text[i]));
        if (copy[i] == NULL) {
            return NULL;
        }
    }
    if (!grow(m, 1)) {
        return NULL;
    }
    m->measure[m->count] = (ww_report_measure){.workload = copy[0],
                                               .kernel = copy[1],
                                               .mechanism = copy[2],
                                               .measure = copy[3],
                                               .unit = copy[4],
                                               .meaning = copy[5]};
    return &m->measure[m->count++];
}

static ww_status read_rows(const ww_csv *csv, ww_report_measures *m, ww_arena *arena, ww_error *err)
{
    columns at;
    size_t last = 0;
    WW_TRY(ww_csv_find(csv, "workload", &at.workload, err));
    WW_TRY(ww_csv_find(csv, "kernel", &at.kernel, err));
    WW_TRY(ww_csv_find(csv, "mechanism", &at.mechanism, err));
    WW_TRY(ww_csv_find(csv, "measure", &at.measure, err));
    WW_TRY(ww_csv_find(csv, "value", &at.value, err));
    WW_TRY(ww_csv_find(csv, "unit", &at.unit, err));
    WW_TRY(ww_csv_find(csv, "meaning", &at.meaning, err));
    for (size_t row = 0; row < ww_csv_rows(csv); row++) {
        ww_report_measure own = row_of(csv, &at, row);
        ww_report_measure *to = find(m, &own, last, arena);
        double value;
        if (to == NULL) {
            return ww_no_memory(err);
        }
        last = (size_t)(to - m->measure);
        if (*ww_csv_text(csv, row, at.value) != '\0') {
            WW_TRY(ww_csv_double(csv, row, at.value, &value, err));
            to->sum += value;
            to->launches++;
        }
    }
    return WW_OK;
}

ww_status ww_report_measures_load(ww_report_measures *m, const char *path, ww_arena *arena,
                                  ww_error *err)
{
    ww_csv *csv = NULL;
    WW_TRY(ww_csv_load(path, &csv, err));
    ww_status status = read_rows(csv, m, arena, err);
    ww_csv_destroy(csv);
    return status;
}

ww_status ww_report_measures_append(ww_report_measures *m, const ww_report_measures *other,
                                    ww_error *err)
{
    if (other->count == 0) {
        return WW_OK;
    }
    if (!grow(m, other->count)) {
        return ww_no_memory(err);
    }
    memcpy(&m->measure[m->count], other->measure, other->count * sizeof *other->measure);
    m->count += other->count;
    return WW_OK;
}

static ww_status put_row(const ww_report_set *set, const ww_report_measure *m, ww_arena *arena,
                         ww_csv_writer *csv, ww_error *err)
{
    const char *kernel = ww_study_label(arena, m->workload, m->kernel);
    if (kernel == NULL) {
        return ww_no_memory(err);
    }
    ww_csv_put_text(csv, kernel);
    ww_csv_put_text(csv, m->measure);
    ww_csv_put_text(csv, set->label);
    ww_csv_put_text(csv, m->mechanism);
    ww_csv_put_double(csv, m->launches > 0 ? m->sum / (double)m->launches : (double)NAN);
    ww_csv_put_text(csv, m->unit);
    ww_csv_put_u64(csv, m->launches);
    ww_csv_put_text(csv, m->meaning);
    ww_csv_end_row(csv);
    return WW_OK;
}

/* A kernel's measure of all sets from that one on, one below the other, whichever mechanism's. */
static ww_status put_sets(const ww_report *report, size_t first, const ww_report_measure *key,
                          ww_arena *arena, ww_csv_writer *csv, ww_error *err)
{
    for (size_t s = first; s < report->count; s++) {
        const ww_report_measures *m = &report->set[s].measures;
        for (size_t i = 0; i < m->count; i++) {
            if (same_key(&m->measure[i], key)) {
                WW_TRY(put_row(&report->set[s], &m->measure[i], arena, csv, err));
            }
        }
    }
    return WW_OK;
}

static bool is_told(const ww_report *report, size_t set, size_t measure)
{
    const ww_report_measure *key = &report->set[set].measures.measure[measure];
    for (size_t s = 0; s <= set; s++) {
        const ww_report_measures *m = &report->set[s].measures;
        for (size_t i = 0; i < (s < set ? m->count : measure); i++) {
            if (same_key(&m->measure[i], key)) {
                return true;
            }
        }
    }
    return false;
}

ww_status ww_figure_mechanisms(const ww_report *report, ww_figures *f, ww_error *err)
{
    static const char *const head[] = {"kernel", "measure", "set",      "mechanism",
                                       "value",  "unit",    "launches", "meaning"};
    size_t all = 0;
    for (size_t s = 0; s < report->count; s++) {
        all += report->set[s].measures.count;
    }
    if (all == 0) {
        return WW_OK;
    }
    ww_figure *figure = ww_figures_add(
        f, "mechanisms", "Mechanisms",
        "What the active mechanisms came to, by kernel: means over the launches that have a value, "
        "each launch alike; a measure of several sets stands one below the other.",
        0);
    if (figure == NULL) {
        return ww_no_memory(err);
    }
    figure->open_table = true;
    ww_csv_writer csv;
    ww_csv_init(&csv, &figure->csv);
    for (size_t i = 0; i < WW_ARRAY_LEN(head); i++) {
        ww_csv_put_header(&csv, head[i], NULL);
    }
    ww_csv_end_row(&csv);
    for (size_t s = 0; s < report->count; s++) {
        const ww_report_measures *m = &report->set[s].measures;
        for (size_t i = 0; i < m->count; i++) {
            if (!is_told(report, s, i)) {
                WW_TRY(put_sets(report, s, &m->measure[i], &f->arena, &csv, err));
            }
        }
    }
    return ww_csv_finish(&csv, err);
}
