/* report_timeline.c - what the warps of one CTA, by role, and the engines for it do over time. */
#include <string.h>

#include "analysis/report_parts.h"
#include "counters/timeline.h"

enum { ROWS = 72, MOST_SPANS = 4000 };

static const char *const kinds[] = {
#define KIND(ID, name) name,
    WW_SPANS(KIND)
#undef KIND
};

typedef struct columns {
    size_t kernel, launch, row, role, what, from, until;
} columns;

static ww_status find_columns(const ww_csv *csv, columns *c, ww_error *err)
{
    WW_TRY(ww_csv_find(csv, "kernel", &c->kernel, err));
    WW_TRY(ww_csv_find(csv, "launch", &c->launch, err));
    WW_TRY(ww_csv_find(csv, "row", &c->row, err));
    WW_TRY(ww_csv_find(csv, "role", &c->role, err));
    WW_TRY(ww_csv_find(csv, "what", &c->what, err));
    WW_TRY(ww_csv_find(csv, "from", &c->from, err));
    return ww_csv_find(csv, "until", &c->until, err);
}

/* Of a kind's name; one that is not known is the last. */
static size_t kind_of(const char *text)
{
    size_t i = 0;
    while (i + 1 < WW_ARRAY_LEN(kinds) && strcmp(kinds[i], text) != 0) {
        i++;
    }
    return i;
}

/* Engines first, then producers, consumers and others, each in the order of their names' length and
 * text: "warp 4" before "warp 10". */
static int order_of(const char *label)
{
    return strstr(label, "engine") != NULL || strstr(label, "matrix") != NULL ? 0
           : strstr(label, "producer") != NULL                                ? 1
           : strstr(label, "consumer") != NULL                                ? 2
                                                                              : 3;
}

static bool comes_before(const char *a, const char *b)
{
    const int x = order_of(a), y = order_of(b);
    const size_t n = strlen(a), m = strlen(b);
    return x != y ? x < y : n != m ? n < m : strcmp(a, b) < 0;
}

/* The label's row; a new one is put where it belongs. SIZE_MAX: there are too many. */
static size_t row_of(ww_timeline_chart *c, const char **row, ww_timeline_span *span,
                     const char *label)
{
    size_t at = 0;
    for (size_t i = 0; i < c->rows; i++) {
        if (strcmp(row[i], label) == 0) {
            return i;
        }
    }
    if (c->rows == ROWS) {
        return SIZE_MAX;
    }
    while (at < c->rows && comes_before(row[at], label)) {
        at++;
    }
    memmove(row + at + 1, row + at, (c->rows - at) * sizeof *row);
    row[at] = label;
    c->rows++;
    for (size_t i = 0; i < c->spans; i++) {
        span[i].row += span[i].row >= at;
    }
    return at;
}

/* A warp's life lies under its waits. */
static void put_lives_first(ww_timeline_span *span, size_t count)
{
    size_t first = 0;
    for (size_t i = 0; i < count; i++) {
        if (span[i].kind == WW_SPAN_WARP) {
            const ww_timeline_span life = span[i];
            memmove(span + first + 1, span + first, (i - first) * sizeof *span);
            span[first++] = life;
        }
    }
}

static ww_status take_rows(const ww_csv *csv, const columns *k, ww_timeline_chart *c,
                           ww_arena *arena, ww_error *err)
{
    const char **row = WW_ARENA_NEW_ARRAY(arena, const char *, ROWS);
    ww_timeline_span *span = WW_ARENA_NEW_ARRAY(arena, ww_timeline_span, MOST_SPANS);
    if (row == NULL || span == NULL) {
        return ww_no_memory(err);
    }
    *c = (ww_timeline_chart){.kinds = WW_ARRAY_LEN(kinds),
                             .row = row,
                             .kind = kinds,
                             .span = span,
                             .axis = "core cycles since the CTA's first instruction"};
    for (size_t i = 0; i < ww_csv_rows(csv) && c->spans < MOST_SPANS; i++) {
        const char *name = ww_csv_text(csv, i, k->row), *role = ww_csv_text(csv, i, k->role);
        double from, until;
        if (strcmp(ww_csv_text(csv, i, k->launch), ww_csv_text(csv, 0, k->launch)) != 0) {
            break;
        }
        WW_TRY(ww_csv_double(csv, i, k->from, &from, err));
        WW_TRY(ww_csv_double(csv, i, k->until, &until, err));
        const char *label = strcmp(role, "engine") == 0 || strcmp(role, "other") == 0
                                ? name
                                : ww_arena_printf(arena, "%.40s %.40s", role, name);
        if (label == NULL) {
            return ww_no_memory(err);
        }
        const size_t at = row_of(c, row, span, label);
        if (at != SIZE_MAX) {
            span[c->spans++] = (ww_timeline_span){.row = at,
                                                  .kind = kind_of(ww_csv_text(csv, i, k->what)),
                                                  .from = from,
                                                  .until = until};
            c->end = until > c->end ? until : c->end;
        }
    }
    put_lives_first(span, c->spans);
    return WW_OK;
}

ww_status ww_figure_timeline(const ww_report_set *set, ww_figures *f, ww_error *err)
{
    columns k;
    WW_TRY(find_columns(set->timeline, &k, err));
    if (ww_csv_rows(set->timeline) == 0) {
        return WW_OK;
    }
    ww_figure *figure = ww_figures_add(
        f, "timeline", "A CTA over time",
        "What its warps wait for, by what they have asked the engines for, and the engines at work "
        "for it; of the first launch. Producers ask for copies, consumers for products.",
        1);
    if (figure == NULL) {
        return ww_no_memory(err);
    }
    ww_plot *plot = figure->plot;
    *plot =
        (ww_plot){.suffix = "",
                  .title = "A CTA over time",
                  .description = "Rows of warps and engines with spans of what they wait for or "
                                 "work on.",
                  .kind = WW_PLOT_TIMELINE};
    WW_TRY(take_rows(set->timeline, &k, &plot->chart.timeline, &f->arena, err));
    ww_csv_writer csv;
    ww_csv_init(&csv, &figure->csv);
    ww_csv_put_header(&csv, "row", NULL);
    ww_csv_put_header(&csv, "spans", "1");
    ww_csv_end_row(&csv);
    for (size_t i = 0; i < plot->chart.timeline.rows; i++) {
        uint64_t n = 0;
        for (size_t s = 0; s < plot->chart.timeline.spans; s++) {
            n += plot->chart.timeline.span[s].row == i;
        }
        ww_csv_put_text(&csv, plot->chart.timeline.row[i]);
        ww_csv_put_u64(&csv, n);
        ww_csv_end_row(&csv);
    }
    return ww_csv_finish(&csv, err);
}
