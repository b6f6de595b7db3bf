/* power_print.c - the comparison with LPGPU D5.5.3 in print: as text or Markdown, pairs
 * "published / ours"; as JSON, number by number. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "validation/power.h"

/* ---- text ---- */

static int decimals_of(const char *metric)
{
    return strcmp(metric, "IPC") == 0 ? 0 : strcmp(metric, "TI") == 0 ? 1 : 2;
}

static ww_status print_metrics(ww_document *d, const ww__pair *p, const char *title, ww_error *err)
{
    ww_table t;
    ww_table_init(&t, "metrics");
    ww_table_head(&t, "kernel");
    for (size_t m = 0; m < p->ours->metric_count; m++) {
        ww_table_head(&t, p->ours->metric[m].name);
    }
    for (size_t k = 0; k < p->ours->kernel_count; k++) {
        ww_table_text(&t, p->ours->kernel[k]);
        for (size_t m = 0; m < p->ours->metric_count; m++) {
            ww_pair_cell(&t, d->output, p->reference->metric[m].value[k],
                         p->ours->metric[m].value[k], decimals_of(p->ours->metric[m].name), false);
        }
    }
    return ww_document_table(d, &t, title, err);
}

static ww_status print_powers(ww_document *d, const ww__pair *p, const char *title, ww_error *err)
{
    ww_table t;
    ww_table_init(&t, "power");
    ww_table_head(&t, "kernel");
    for (size_t c = 0; c < p->ours->component_count; c++) {
        ww_table_head(&t, p->ours->component[c].name);
    }
    ww_table_head(&t, "TP");
    ww_table_head(&t, "error [%]");
    for (size_t k = 0; k < p->ours->kernel_count; k++) {
        ww_table_text(&t, p->ours->kernel[k]);
        for (size_t c = 0; c < p->ours->component_count; c++) {
            ww_pair_cell(&t, d->output, p->reference->component[c].value[k],
                         p->ours->component[c].value[k], 1, false);
        }
        ww_pair_cell(&t, d->output, p->reference->dynamic_w[k], p->ours->dynamic_w[k], 1, false);
        ww_table_number(&t, 100 * (p->ours->dynamic_w[k] / p->reference->dynamic_w[k] - 1), 1);
    }
    return ww_document_table(d, &t, title, err);
}

static const char *show_bar(const ww_row *row, char room[WW_SHOWN_CHARS])
{
    bool least = isfinite(row->bar->low);
    snprintf(room, WW_SHOWN_CHARS, "%s %g", least ? "at least" : "at most",
             least ? row->bar->low : row->bar->high);
    return room;
}

static ww_status print_verdicts(ww_document *d, const ww__power_study *s, ww_error *err)
{
    static const ww_column shown[] = {
        {"statistic", .field = WW_SHOW_WHAT},
        {"value", .field = WW_SHOW_OURS, .digits = 3},
        {"bar", .field = WW_SHOW_TEXT, .text = show_bar},
        {"", .field = WW_SHOW_TEXT, .text = ww_show_verdict},
    };
    return ww_document_rows(d, &s->statistics, "statistics", shown, WW_ARRAY_LEN(shown),
                            "What is asked, over the kernels with public sources", err);
}

/* A number of a shipped table, NaN where it has none. */
static double cell_of(const ww_csv *csv, const char *row, const char *column)
{
    size_t c;
    double value = NAN;
    if (ww_csv_find(csv, column, &c, NULL) != WW_OK) {
        return NAN;
    }
    for (size_t i = 0; i < ww_csv_rows(csv); i++) {
        if (strcmp(ww_csv_text(csv, i, 0), row) == 0 &&
            ww_csv_double(csv, i, c, &value, NULL) == WW_OK) {
            return value;
        }
    }
    return NAN;
}

static double r_of(const ww_correlation_matrix *m, size_t metric, size_t component)
{
    const ww_correlation *cell = &m->cell[metric * m->components + component];
    return cell->defined ? cell->r : (double)NAN;
}

static ww_status print_correlations(ww_document *d, const ww__power_study *s, ww_error *err)
{
    ww_table t;
    ww_table_init(&t, "pearson");
    ww_table_head(&t, "metric");
    for (size_t c = 0; c < s->our_r.components; c++) {
        ww_table_head(&t, s->our_r.component[c]);
    }
    for (size_t m = 0; m < s->our_r.metrics; m++) {
        ww_table_text(&t, s->our_r.metric[m]);
        for (size_t c = 0; c < s->our_r.components; c++) {
            ww_triple_cell(&t, r_of(&s->published_r, m, c), r_of(&s->our_r, m, c),
                           cell_of(s->table8, s->our_r.metric[m], s->our_r.component[c]), 2);
        }
    }
    return ww_document_table(
        d, &t,
        "Pearson correlation: published rows of the same kernels / ours / Table 8 (83 kernels)",
        err);
}

static ww_status print_shares(ww_document *d, const ww__power_study *s, ww_error *err)
{
    ww_table t;
    ww_table_init(&t, "shares");
    ww_table_head(&t, "category");
    ww_table_head(&t, "kernels");
    ww_table_head(&t, "mean IPC");
    for (size_t c = 0; c < s->counted.ours->component_count; c++) {
        ww_table_head(&t, s->counted.ours->component[c].name);
    }
    for (size_t i = 0; i < WW_IPC_CATEGORY_COUNT; i++) {
        const ww_category *a = &s->published_c.category[i], *b = &s->our_c.category[i];
        ww_table_text(&t, a->name);
        ww_triple_cell(&t, (double)a->kernels, (double)b->kernels,
                       cell_of(s->table10, a->name, "kernels"), 0);
        ww_triple_cell(&t, a->mean_ipc, b->mean_ipc, cell_of(s->table10, a->name, "IPC"), 0);
        for (size_t c = 0; c < s->counted.ours->component_count; c++) {
            const char *name = s->counted.ours->component[c].name;
            ww_triple_cell(&t, 100 * a->share[c], 100 * b->share[c],
                           100 * cell_of(s->table10, a->name, name), 1);
        }
    }
    return ww_document_table(
        d, &t,
        "Shares of power by IPC category [%]: published rows of the same kernels / ours / "
        "Table 10 (83 kernels)",
        err);
}

static ww_status print_dies(ww_document *d, const ww__power_study *s, ww_error *err)
{
    static const ww_column shown[] = {
        {"gpu", .field = WW_SHOW_SUBJECT},
        {"die [mm2]", .field = WW_SHOW_REFERENCE, .digits = 0},
        {"modelled [mm2]", .field = WW_SHOW_OURS, .digits = 0},
        {"ratio", .field = WW_SHOW_RATIO, .digits = 2},
        {"static power [W]", .field = WW_SHOW_DETAIL1, .digits = 1},
    };
    return ww_document_rows(d, &s->dies, "die", shown, WW_ARRAY_LEN(shown), "Die area", err);
}

static ww_status print_tables(ww_document *d, const ww__power_study *s, ww_error *err)
{
    WW_TRY(print_metrics(d, &s->counted, "Metrics (Table 1), published / ours", err));
    WW_TRY(print_powers(d, &s->counted, "Dynamic power [W] (Table 7), published / ours", err));
    WW_TRY(print_verdicts(d, s, err));
    WW_TRY(print_correlations(d, s, err));
    WW_TRY(print_shares(d, s, err));
    if (s->apart.ours->kernel_count > 0) {
        WW_TRY(print_metrics(d, &s->apart, "Reconstructions, not judged: metrics", err));
        WW_TRY(print_powers(d, &s->apart, "Reconstructions, not judged: dynamic power [W]", err));
    }
    return print_dies(d, s, err);
}

/* ---- JSON ---- */

static void json_number(ww_json *j, const char *kernel, bool counted, const char *quantity,
                        double published, double ours)
{
    ww_json_object(j, NULL);
    ww_json_text(j, "kernel", kernel);
    ww_json_bool(j, "counted", counted);
    ww_json_text(j, "quantity", quantity);
    ww_json_double_or_null(j, "reference", published);
    ww_json_double_or_null(j, "warpwatt", ours);
    ww_json_double_or_null(j, "error", ours - published);
    ww_json_end(j);
}

static void json_pair(ww_json *j, const ww__pair *p, bool counted)
{
    for (size_t k = 0; k < p->ours->kernel_count; k++) {
        const char *kernel = p->ours->kernel[k];
        for (size_t m = 0; m < p->ours->metric_count; m++) {
            json_number(j, kernel, counted, p->ours->metric[m].name,
                        p->reference->metric[m].value[k], p->ours->metric[m].value[k]);
        }
        for (size_t c = 0; c < p->ours->component_count; c++) {
            json_number(j, kernel, counted, p->ours->component[c].name,
                        p->reference->component[c].value[k], p->ours->component[c].value[k]);
        }
        json_number(j, kernel, counted, "TP", p->reference->dynamic_w[k], p->ours->dynamic_w[k]);
    }
}

static void json_correlations(ww_json *j, const ww__power_study *s)
{
    ww_json_array(j, "pearson");
    for (size_t m = 0; m < s->our_r.metrics; m++) {
        for (size_t c = 0; c < s->our_r.components; c++) {
            ww_json_object(j, NULL);
            ww_json_text(j, "metric", s->our_r.metric[m]);
            ww_json_text(j, "component", s->our_r.component[c]);
            ww_json_double_or_null(j, "reference", r_of(&s->published_r, m, c));
            ww_json_double_or_null(j, "warpwatt", r_of(&s->our_r, m, c));
            ww_json_double_or_null(j, "table8",
                                   cell_of(s->table8, s->our_r.metric[m], s->our_r.component[c]));
            ww_json_end(j);
        }
    }
    ww_json_end(j);
}

static void json_shares(ww_json *j, const ww__power_study *s)
{
    ww_json_array(j, "shares");
    for (size_t i = 0; i < WW_IPC_CATEGORY_COUNT; i++) {
        const ww_category *a = &s->published_c.category[i], *b = &s->our_c.category[i];
        for (size_t c = 0; c < s->counted.ours->component_count; c++) {
            const char *component = s->counted.ours->component[c].name;
            ww_json_object(j, NULL);
            ww_json_text(j, "category", a->name);
            ww_json_text(j, "component", component);
            ww_json_double_or_null(j, "reference", a->share[c]);
            ww_json_double_or_null(j, "warpwatt", b->share[c]);
            ww_json_double_or_null(j, "table10", cell_of(s->table10, a->name, component));
            ww_json_end(j);
        }
    }
    ww_json_end(j);
}

static void json_verdicts(ww_json *j, const ww__power_study *s)
{
    ww_tally tally = ww_rows_tally(&s->statistics);
    ww_json_array(j, "statistics");
    for (size_t i = 0; i < s->statistics.count; i++) {
        const ww_row *row = &s->statistics.row[i];
        bool least = isfinite(row->bar->low);
        ww_json_object(j, NULL);
        ww_json_text(j, "statistic", row->what);
        ww_json_double_or_null(j, "value", row->ours);
        ww_json_double(j, least ? "at_least" : "at_most", least ? row->bar->low : row->bar->high);
        ww_json_bool(j, "met", row->verdict == WW_VERDICT_MET);
        ww_json_end(j);
    }
    ww_json_end(j);
    ww_json_u64(j, "missed_bars", ww_tally_failed(&tally));
    ww_json_u64(j, "missing_kernels", s->missing);
}

static void json_dies(ww_json *j, const ww__power_study *s)
{
    ww_json_array(j, "die");
    for (size_t i = 0; i < s->dies.count; i++) {
        const ww_row *row = &s->dies.row[i];
        ww_json_object(j, NULL);
        ww_json_text(j, "gpu", row->subject);
        ww_json_double(j, "die_mm2", row->reference);
        ww_json_double(j, "modelled_mm2", row->ours);
        ww_json_double(j, "static_w", row->detail[0]);
        ww_json_end(j);
    }
    ww_json_end(j);
}

static ww_status print_json(const ww__power_study *s, FILE *to, ww_error *err)
{
    ww_str text = {0};
    ww_json j;
    ww_json_init(&j, &text, 2);
    ww_json_object(&j, NULL);
    ww_json_array(&j, "rows");
    json_pair(&j, &s->counted, true);
    json_pair(&j, &s->apart, false);
    ww_json_end(&j);
    json_verdicts(&j, s);
    json_correlations(&j, s);
    json_shares(&j, s);
    json_dies(&j, s);
    ww_json_end(&j);
    return ww_json_print(&j, &text, to, err);
}

ww_status ww__power_print(const ww__power_study *s, const ww_output *output, ww_error *err)
{
    ww_document d;
    if (output->format == WW_FORMAT_JSON && output->to != NULL) {
        return print_json(s, output->to, err);
    }
    ww_document_begin(&d, output, WW_TITLES_APART);
    return ww_document_end(&d, print_tables(&d, s, err), err);
}
