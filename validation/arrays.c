/* arrays.c - `warpwatt validate arrays`: our array estimates against CACTI 7.0 and CACTI-P, summed
 * up by kind, node and group, and the sub-terms of forced partitions. */
#include "validation/arrays.h"

#include <math.h>
#include <string.h>

#include "base/configs.h"

enum { MOST_SLICES = 256 };

/* ---- slices ---- */

static bool is_same(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static void add_slice(ww__array_study *s, const char *scope, const char *kind, int nm,
                      const char *group)
{
    for (size_t i = 0; i < s->slices; i++) {
        const ww__slice *g = &s->slice[i];
        if (strcmp(g->scope, scope) == 0 && nm == g->nm && is_same(kind, g->kind) &&
            is_same(group, g->group)) {
            return;
        }
    }
    if (s->slices < MOST_SLICES) {
        ww__slice *new = &s->slice[s->slices++];
        const char *text = group != NULL ? group : kind != NULL ? kind : "";
        *new = (ww__slice){.scope = scope, .kind = kind, .nm = nm, .group = group};
        snprintf(new->name, sizeof new->name, "%s", nm == 0 && *text == '\0' ? "all" : text);
        if (nm != 0) {
            snprintf(new->name, sizeof new->name, "%s%s%d nm", text, *text != '\0' ? " " : "", nm);
        }
    }
}

/* The slices that the table has: all, kinds, nodes (largest first), both, groups. */
static void find_slices(ww__array_study *s)
{
    const ww__array *a = s->arrays.array;
    size_t n = s->arrays.count;
    add_slice(s, "all", NULL, 0, NULL);
    for (size_t i = 0; i < n; i++) {
        add_slice(s, "kind", a[i].kind, 0, NULL);
    }
    for (int below = 1000000, next = 1; next > 0; below = next) {
        next = 0;
        for (size_t i = 0; i < n; i++) {
            next = a[i].nm < below && a[i].nm > next ? a[i].nm : next;
        }
        if (next > 0) {
            add_slice(s, "node", NULL, next, NULL);
        }
    }
    for (size_t i = 0; i < n; i++) {
        add_slice(s, "kind+node", a[i].kind, a[i].nm, NULL);
    }
    for (size_t i = 0; i < n; i++) {
        add_slice(s, "group", NULL, 0, a[i].group);
    }
}

static bool is_in(const ww__array *a, const ww__slice *slice)
{
    return a->counted && (slice->kind == NULL || strcmp(slice->kind, a->kind) == 0) &&
           (slice->group == NULL || strcmp(slice->group, a->group) == 0) &&
           (slice->nm == 0 || slice->nm == a->nm);
}

/* ---- statistics ---- */

ww_status ww__array_bars(const ww_bars *bars, ww__array_quantity quantity, const ww_bar **median,
                         const ww_bar **p90, ww_error *err)
{
    char key[64];
    snprintf(key, sizeof key, "%s: median", ww__array_quantity_name(quantity));
    WW_TRY(ww_bars_find(bars, "arrays", key, median, err));
    snprintf(key, sizeof key, "%s: 90th percentile", ww__array_quantity_name(quantity));
    return ww_bars_find(bars, "arrays", key, p90, err);
}

/* D3 of DEVIATIONS.md: the 90 nm LOP leakage table of the tools has a misprint that is not
 * repeated. */
static bool departs(const ww__slice *slice, ww__array_quantity q)
{
    return q == WW__ARRAY_LEAK && slice->nm == 90;
}

/* Median and 90th percentile must both be within their bars. What follows a tool, and groups, which
 * are slices by what they try out, are shown and not judged. */
static ww_status judge(const ww__array_study *s, int model, const ww__slice *slice,
                       ww__array_quantity q, ww_row *row, ww_error *err)
{
    const ww_bar *median, *p90;
    WW_TRY(ww__array_bars(s->bars, q, &median, &p90, err));
    ww_verdict high = ww_judge(row, p90, row->detail[0]);
    ww_verdict verdict = ww_judge(row, median, row->ours);
    verdict = verdict == WW_VERDICT_MET ? high : verdict;
    if (row->of == 0 || model != WW_STYLE_WARPWATT || slice->group != NULL) {
        verdict = WW_VERDICT_SHOWN;
    } else if (verdict == WW_VERDICT_MISSED && departs(slice, q)) {
        verdict = WW_VERDICT_DEPARTED;
    }
    row->verdict = verdict;
    return WW_OK;
}

static ww_status add_statistic(ww__array_study *s, int model, const ww__slice *slice,
                               ww__array_quantity q, double *room, ww_error *err)
{
    ww__answers *m = &s->model[model];
    ww_row row = ww_row_of(slice->name, ww__array_quantity_name(q), "");
    size_t n = 0;
    for (size_t i = 0; i < s->arrays.count; i++) {
        const ww_row *one = &m->rows.row[i * WW__QUANTITIES + q];
        if (one->missing == NULL && !isnan(one->low) && is_in(&s->arrays.array[i], slice)) {
            room[n++] = ww__array_error(one);
        }
    }
    ww_spread spread = ww_spread_of(room, n);
    row.of = n;
    row.ours = spread.median;
    row.detail[0] = spread.p90;
    row.detail[1] = spread.largest;
    row.group = slice->scope;
    WW_TRY(judge(s, model, slice, q, &row, err));
    return ww_rows_add(&m->statistics, &row, err);
}

const ww_row *ww__slice_row(const ww__array_study *s, int model, size_t slice,
                            ww__array_quantity quantity)
{
    return &s->model[model].statistics.row[slice * WW__QUANTITIES + quantity];
}

static ww_status sum_up(ww__array_study *s, int model, ww_error *err)
{
    double *room = WW_NEW_ARRAY(double, s->arrays.count + 1);
    ww_status status = room != NULL ? WW_OK : ww_no_memory(err);
    for (size_t i = 0; i < s->slices; i++) {
        for (int q = 0; q < WW__QUANTITIES && status == WW_OK; q++) {
            status = add_statistic(s, model, &s->slice[i], (ww__array_quantity)q, room, err);
        }
    }
    ww_free(room);
    return status;
}

/* Arrays of forced partitions with a term beyond its bar. */
static size_t count_forced(const ww_rows *terms)
{
    size_t arrays = 0;
    const char *last = NULL;
    for (size_t i = 0; i < terms->count; i++) {
        const ww_row *row = &terms->row[i];
        if (row->verdict != WW_VERDICT_MET && row->subject != last) {
            arrays++;
            last = row->subject;
        }
    }
    return arrays;
}

static void count_missed(ww__array_study *s)
{
    for (int m = 0; m < WW__STYLES; m++) {
        ww_tally tally = ww_rows_tally(&s->model[m].statistics);
        s->missed += ww_tally_failed(&tally) + count_forced(&s->model[m].terms);
    }
    for (size_t i = 0; i < s->arrays.count; i++) {
        const ww__array *a = &s->arrays.array[i];
        for (int m = 0; m < WW__STYLES; m++) {
            bool judged = m == WW_STYLE_WARPWATT || a->fixed;
            s->missed += judged && ww__array_unanswered(&s->model[m], a, i);
        }
    }
}

/* ---- the command ---- */

const char *ww__array_model_name(int model)
{
    static const char *const names[] = {[WW_STYLE_WARPWATT] = "warpwatt",
                                        [WW_STYLE_CACTI7] = "as-cacti7",
                                        [WW_STYLE_CACTIP] = "as-cactip"};
    return names[model];
}

const char *ww__array_model_title(int model)
{
    static const char *const titles[] = {
        [WW_STYLE_WARPWATT] = ("distance outside the interval of both tools, widened by 5 % (15 % "
                               "around a single answer)"),
        [WW_STYLE_CACTI7] = "faults of CACTI 7.0 included: distance from CACTI 7.0",
        [WW_STYLE_CACTIP] = "faults of CACTI-P 6.5 included: distance from CACTI-P"};
    return titles[model];
}

static ww_status study(ww__array_study *s, ww_arena *arena, const ww_validation *asked,
                       ww_error *err)
{
    const char *tech_dir = NULL;
    const ww_bar *term;
    WW_TRY(ww_configs_dir(arena, "tech", &tech_dir, err));
    s->path = asked->reference;
    WW_TRY(s->path != NULL ? WW_OK : ww_validation_file(arena, "arrays.csv", &s->path, err));
    WW_TRY(ww__shipped_bars(arena, &s->bars, err));
    WW_TRY(ww_bars_find(s->bars, "arrays", "sub-term", &term, err));
    s->term_bar = term->high;
    WW_TRY(ww__arrays_load(s->path, &s->arrays, err));
    s->slice = WW_ARENA_NEW_ARRAY(arena, ww__slice, MOST_SLICES);
    if (s->slice == NULL) {
        return ww_no_memory(err);
    }
    if (s->arrays.count == 0) {
        return ww_judge_all(&s->model[0].rows, NULL, s->path, err);
    }
    find_slices(s);
    for (int m = 0; m < WW__STYLES; m++) {
        WW_TRY(
            ww__arrays_solve(&s->arrays, tech_dir, s->bars, (ww_array_style)m, &s->model[m], err));
        WW_TRY(sum_up(s, m, err));
    }
    count_missed(s);
    WW_TRY(ww__arrays_print(s, asked, err));
    return s->missed > 0 ? ww_fail(err, WW_EVERIFY, "%zu bars of %s are missed", s->missed, s->path)
                         : WW_OK;
}

ww_status ww_validate_arrays(const ww_validation *asked, ww_error *err)
{
    ww_arena arena = {0};
    ww__array_study s = {.path = NULL};
    ww_status status = study(&s, &arena, asked, err);
    for (int m = 0; m < WW__STYLES; m++) {
        ww__answers_fini(&s.model[m]);
    }
    ww__arrays_fini(&s.arrays);
    ww_bars_destroy(s.bars);
    ww_arena_fini(&arena);
    return status;
}
