/* arrays_print.c - the comparison of memory arrays in print: for people by slice, and by array with
 * --rows; for scripts number by number. */
#include <math.h>

#include "validation/arrays.h"

enum { JUDGED_ROWS = 10 /* `enough` of every bar of arrays */ };

static const char *mark_of(ww_verdict verdict)
{
    return verdict == WW_VERDICT_MISSED     ? " MISSED"
           : verdict == WW_VERDICT_FEW      ? " *"
           : verdict == WW_VERDICT_DEPARTED ? " D3"
                                            : "";
}

static const char *name_of(ww_verdict verdict)
{
    return verdict == WW_VERDICT_MISSED     ? "missed"
           : verdict == WW_VERDICT_DEPARTED ? "departure D3"
                                            : ww_verdict_name(verdict);
}

/* Worst errors of a model's sub-terms: over all, and of each. */
typedef struct worst {
    double all, term[WW__TERMS];
    const char *id;
} worst;

static worst worst_of(const ww_rows *terms)
{
    worst w = {.id = ""};
    for (size_t i = 0; i < terms->count; i++) {
        const ww_row *row = &terms->row[i];
        double error = fabs(ww_row_error(row));
        for (int t = 0; t < WW__TERMS; t++) {
            if (row->what == ww__array_term_name((ww__array_term)t) && !(error <= w.term[t])) {
                w.term[t] = error;
            }
        }
        if (!(error < w.all)) {
            w.all = error;
            w.id = row->subject;
        }
    }
    return w;
}

/* ---- for people ---- */

static void put_slice(ww_table *t, const ww__array_study *s, int model, size_t slice)
{
    size_t arrays = ww__slice_row(s, model, slice, WW__ARRAY_AREA)->of;
    if (arrays == 0) {
        return;
    }
    ww_table_text(t, s->slice[slice].name);
    ww_table_count(t, arrays);
    for (int q = 0; q < WW__QUANTITIES; q++) {
        const ww_row *row = ww__slice_row(s, model, slice, (ww__array_quantity)q);
        char cell[64] = "          -";
        if (row->of > 0) {
            snprintf(cell, sizeof cell, "%5.1f %5.1f%s", row->ours * 100, row->detail[0] * 100,
                     mark_of(row->verdict));
        }
        ww_table_text(t, cell);
    }
}

static ww_status print_slices(const ww__array_study *s, int model, FILE *to, ww_error *err)
{
    ww_table t;
    ww_table_init(&t, "arrays");
    ww_table_head(&t, "slice");
    ww_table_head(&t, "rows");
    for (int q = 0; q < WW__QUANTITIES; q++) {
        ww_table_head(&t, ww__array_quantity_name((ww__array_quantity)q));
    }
    for (size_t i = 0; i < s->slices; i++) {
        put_slice(&t, s, model, i);
    }
    ww_status status = ww_table_print(&t, false, to, err);
    ww_table_fini(&t);
    return status;
}

static ww_status print_model(const ww__array_study *s, int model, FILE *to, ww_error *err)
{
    const ww__answers *m = &s->model[model];
    fprintf(to, "%s: %s\n", ww__array_model_name(model), ww__array_model_title(model));
    WW_TRY(print_slices(s, model, to, err));
    if (m->forced > 0) {
        worst w = worst_of(&m->terms);
        fprintf(to, "forced partitions: %zu rows, worst sub-term %.2f %% (%s), bar %.0f %%\n",
                m->forced, w.all * 100, w.id, s->term_bar * 100);
        for (int t = 0; t < WW__TERMS; t++) {
            fprintf(to, "  %-28s %6.2f %%\n", ww__array_term_name((ww__array_term)t),
                    w.term[t] * 100);
        }
    }
    for (size_t i = 0; i < s->arrays.count; i++) {
        const ww__array *a = &s->arrays.array[i];
        if (ww__array_unanswered(m, a, i)) {
            fprintf(to, "no answer to %s %s: %s\n", a->id, a->desc,
                    m->rows.row[i * WW__QUANTITIES].missing);
        }
    }
    fprintf(to, "%zu configurations, %.0f per second\n\n", s->arrays.count,
            (double)s->arrays.count / m->seconds);
    return WW_OK;
}

static void put_row(ww_table *t, const ww__array_study *s, size_t array, int q)
{
    const ww__array *a = &s->arrays.array[array];
    size_t at = array * WW__QUANTITIES + (size_t)q;
    if (!isfinite(ww__array_error(&s->model[WW_STYLE_WARPWATT].rows.row[at]))) {
        return;
    }
    ww_table_text(t, a->id);
    ww_table_text(t, a->desc);
    ww_table_text(t, ww__array_quantity_name((ww__array_quantity)q));
    ww_table_text(t, ww__array_quantity_unit((ww__array_quantity)q));
    ww_table_number(t, a->tool[0][q], 6);
    ww_table_number(t, a->tool[1][q], 6);
    for (int m = 0; m < WW__STYLES; m++) {
        const ww_row *row = &s->model[m].rows.row[at];
        ww_table_number(t, row->ours, 6);
        ww_table_number(t, ww__array_error(row) * 100, 1);
    }
}

static ww_status print_rows(const ww__array_study *s, FILE *to, ww_error *err)
{
    static const char *const head[] = {"id",        "configuration", "quantity",  "unit",
                                       "cacti7",    "cactip",        "warpwatt",  "error_%",
                                       "as_cacti7", "error_%",       "as_cactip", "error_%"};
    ww_table t;
    ww_table_init(&t, "rows");
    ww_table_heads(&t, head, WW_ARRAY_LEN(head));
    for (size_t i = 0; i < s->arrays.count; i++) {
        for (int q = 0; q < WW__QUANTITIES; q++) {
            put_row(&t, s, i, q);
        }
    }
    ww_status status = ww_table_print(&t, false, to, err);
    ww_table_fini(&t);
    fputc('\n', to);
    return status;
}

static ww_status print_plain(const ww__array_study *s, bool every_row, FILE *to, ww_error *err)
{
    fprintf(to, "median and 90th percentile of the errors in %%; bars:");
    for (int q = 0; q < WW__QUANTITIES; q++) {
        const ww_bar *median, *p90;
        WW_TRY(ww__array_bars(s->bars, (ww__array_quantity)q, &median, &p90, err));
        fprintf(to, "%s %s %.0f / %.0f", q > 0 ? "," : "",
                ww__array_quantity_name((ww__array_quantity)q), median->high * 100,
                p90->high * 100);
    }
    fprintf(to,
            "\n* not judged (fewer than %d rows), nor are groups and what follows a tool; "
            "D3: departure on purpose, see DEVIATIONS.md\nreference: %s\n\n",
            JUDGED_ROWS, s->path);
    WW_TRY(every_row ? print_rows(s, to, err) : WW_OK);
    for (int m = 0; m < WW__STYLES; m++) {
        WW_TRY(print_model(s, m, to, err));
    }
    fprintf(to, "%zu missed bars\n", s->missed);
    return WW_OK;
}

/* ---- for scripts ---- */

static ww_status json_statistic(const ww__array_study *s, int model, size_t slice, int q,
                                ww_json *j, ww_error *err)
{
    const ww_row *row = ww__slice_row(s, model, slice, (ww__array_quantity)q);
    const ww_bar *median, *p90;
    if (row->of == 0) {
        return WW_OK;
    }
    WW_TRY(ww__array_bars(s->bars, (ww__array_quantity)q, &median, &p90, err));
    ww_json_object(j, NULL);
    ww_json_text(j, "scope", s->slice[slice].scope);
    ww_json_text(j, "slice", s->slice[slice].name);
    ww_json_text(j, "quantity", row->what);
    ww_json_u64(j, "rows", row->of);
    ww_json_double_or_null(j, "median", row->ours);
    ww_json_double_or_null(j, "p90", row->detail[0]);
    ww_json_double_or_null(j, "largest", row->detail[1]);
    ww_json_double(j, "bar_median", median->high);
    ww_json_double(j, "bar_p90", p90->high);
    ww_json_text(j, "verdict", name_of(row->verdict));
    ww_json_end(j);
    return WW_OK;
}

static ww_status json_model(const ww__array_study *s, int model, ww_json *j, ww_error *err)
{
    const ww__answers *m = &s->model[model];
    worst w = worst_of(&m->terms);
    ww_json_object(j, NULL);
    ww_json_text(j, "model", ww__array_model_name(model));
    ww_json_text(j, "error", ww__array_model_title(model));
    ww_json_array(j, "statistics");
    for (size_t i = 0; i < s->slices; i++) {
        for (int q = 0; q < WW__QUANTITIES; q++) {
            WW_TRY(json_statistic(s, model, i, q, j, err));
        }
    }
    ww_json_end(j);
    ww_json_object(j, "forced_partitions");
    ww_json_u64(j, "rows", m->forced);
    ww_json_double_or_null(j, "worst_term", w.all);
    ww_json_double(j, "bar", s->term_bar);
    for (int t = 0; m->forced > 0 && t < WW__TERMS; t++) {
        ww_json_double_or_null(j, ww__array_term_name((ww__array_term)t), w.term[t]);
    }
    ww_json_end(j);
    ww_json_end(j);
    return WW_OK;
}

static void json_quantity(const ww__array_study *s, size_t array, int q, ww_json *j)
{
    const ww__array *a = &s->arrays.array[array];
    ww_json_object(j, ww__array_quantity_name((ww__array_quantity)q));
    ww_json_double_or_null(j, "cacti7", a->tool[0][q]);
    ww_json_double_or_null(j, "cactip", a->tool[1][q]);
    for (int m = 0; m < WW__STYLES; m++) {
        const ww_row *row = &s->model[m].rows.row[array * WW__QUANTITIES + (size_t)q];
        ww_json_object(j, ww__array_model_name(m));
        ww_json_double_or_null(j, "value", row->ours);
        ww_json_double_or_null(j, "error", ww__array_error(row));
        ww_json_end(j);
    }
    ww_json_end(j);
}

static void json_rows(const ww__array_study *s, ww_json *j)
{
    ww_json_array(j, "rows");
    for (size_t i = 0; i < s->arrays.count; i++) {
        const ww__array *a = &s->arrays.array[i];
        const char *why = s->model[WW_STYLE_WARPWATT].rows.row[i * WW__QUANTITIES].missing;
        ww_json_object(j, NULL);
        ww_json_text(j, "id", a->id);
        ww_json_text(j, "group", a->group);
        ww_json_text(j, "kind", a->kind);
        ww_json_text(j, "configuration", a->desc);
        ww_json_u64(j, "node_nm", (uint64_t)a->nm);
        ww_json_bool(j, "counted", a->counted);
        for (int q = 0; q < WW__QUANTITIES; q++) {
            json_quantity(s, i, q, j);
        }
        if (why != NULL) {
            ww_json_text(j, "why", why);
        }
        ww_json_end(j);
    }
    ww_json_end(j);
}

static ww_status print_json(const ww__array_study *s, bool every_row, FILE *to, ww_error *err)
{
    ww_str text = {0};
    ww_json j;
    ww_json_init(&j, &text, 2);
    ww_json_object(&j, NULL);
    ww_json_text(&j, "reference", s->path);
    ww_json_u64(&j, "missed_bars", s->missed);
    ww_json_array(&j, "models");
    ww_status status = WW_OK;
    for (int m = 0; m < WW__STYLES && status == WW_OK; m++) {
        status = json_model(s, m, &j, err);
    }
    ww_json_end(&j);
    if (every_row) {
        json_rows(s, &j);
    }
    ww_json_end(&j);
    if (status != WW_OK) {
        ww_str_fini(&text);
        return status;
    }
    return ww_json_print(&j, &text, to, err);
}

ww_status ww__arrays_print(const ww__array_study *s, const ww_validation *asked, ww_error *err)
{
    FILE *to = asked->output.to;
    if (to == NULL) {
        return WW_OK;
    }
    return asked->output.format == WW_FORMAT_JSON ? print_json(s, asked->every_row, to, err)
                                                  : print_plain(s, asked->every_row, to, err);
}
