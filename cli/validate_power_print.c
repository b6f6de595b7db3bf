/* validate_power_print.c - the comparison with LPGPU D5.5.3 in print: as text or Markdown, pairs
 * "published / ours"; as JSON, number by number. */
#include <math.h>
#include <string.h>

#include "analysis/table.h"
#include "base/json.h"
#include "cli/validate_power.h"

/* ---- text ---- */

static ww_status show(ww_table *t, const char *title, bool markdown, ww_error *err)
{
    printf(markdown ? "\n**%s**\n\n" : "\n%s\n\n", title);
    ww_status status =
        markdown ? ww_table_print_markdown(t, stdout, err) : ww_table_print(t, false, stdout, err);
    ww_table_fini(t);
    return status;
}

static void pair_cell(ww_table *t, double published, double ours, int decimals)
{
    char text[64];
    if (isnan(published) || isnan(ours)) {
        snprintf(text, sizeof text, isnan(published) ? "-" : "%.*f / -", decimals, published);
    } else {
        snprintf(text, sizeof text, "%.*f / %.*f", decimals, published, decimals, ours);
    }
    ww_table_text(t, text);
}

static int decimals_of(const char *metric)
{
    return strcmp(metric, "IPC") == 0 ? 0 : strcmp(metric, "TI") == 0 ? 1 : 2;
}

static ww_status print_metrics(const ww__pair *p, const char *title, bool markdown, ww_error *err)
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
            pair_cell(&t, p->reference->metric[m].value[k], p->ours->metric[m].value[k],
                      decimals_of(p->ours->metric[m].name));
        }
    }
    return show(&t, title, markdown, err);
}

static ww_status print_powers(const ww__pair *p, const char *title, bool markdown, ww_error *err)
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
            pair_cell(&t, p->reference->component[c].value[k], p->ours->component[c].value[k], 1);
        }
        pair_cell(&t, p->reference->dynamic_w[k], p->ours->dynamic_w[k], 1);
        ww_table_number(&t, 100 * (p->ours->dynamic_w[k] / p->reference->dynamic_w[k] - 1), 1);
    }
    return show(&t, title, markdown, err);
}

static ww_status print_verdicts(const ww__power_study *s, bool markdown, ww_error *err)
{
    ww_table t;
    ww_table_init(&t, "statistics");
    ww_table_head(&t, "statistic");
    ww_table_head(&t, "value");
    ww_table_head(&t, "bar");
    ww_table_head(&t, "");
    for (size_t i = 0; i < s->verdicts; i++) {
        const ww__verdict *v = &s->verdict[i];
        char bar[48];
        snprintf(bar, sizeof bar, "%s %g", v->at_least ? "at least" : "at most", v->bar);
        ww_table_text(&t, v->what);
        ww_table_number(&t, v->value, 3);
        ww_table_text(&t, bar);
        ww_table_text(&t, v->met ? "met" : "MISSED");
    }
    return show(&t, "What is asked, over the kernels with public sources", markdown, err);
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

static ww_status print_correlations(const ww__power_study *s, bool markdown, ww_error *err)
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
            char text[64];
            snprintf(text, sizeof text, "%.2f / %.2f / %.2f", r_of(&s->published_r, m, c),
                     r_of(&s->our_r, m, c),
                     cell_of(s->table8, s->our_r.metric[m], s->our_r.component[c]));
            ww_table_text(&t, text);
        }
    }
    return show(
        &t, "Pearson correlation: published rows of the same kernels / ours / Table 8 (83 kernels)",
        markdown, err);
}

static ww_status print_shares(const ww__power_study *s, bool markdown, ww_error *err)
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
        char text[64];
        ww_table_text(&t, a->name);
        snprintf(text, sizeof text, "%zu / %zu / %.0f", a->kernels, b->kernels,
                 cell_of(s->table10, a->name, "kernels"));
        ww_table_text(&t, text);
        snprintf(text, sizeof text, "%.0f / %.0f / %.0f", a->mean_ipc, b->mean_ipc,
                 cell_of(s->table10, a->name, "IPC"));
        ww_table_text(&t, text);
        for (size_t c = 0; c < s->counted.ours->component_count; c++) {
            snprintf(text, sizeof text, "%.1f / %.1f / %.1f", 100 * a->share[c], 100 * b->share[c],
                     100 * cell_of(s->table10, a->name, s->counted.ours->component[c].name));
            ww_table_text(&t, text);
        }
    }
    return show(&t,
                "Shares of power by IPC category [%]: published rows of the same kernels / ours / "
                "Table 10 (83 kernels)",
                markdown, err);
}

static ww_status print_dies(const ww__power_study *s, bool markdown, ww_error *err)
{
    ww_table t;
    ww_table_init(&t, "die");
    ww_table_head(&t, "gpu");
    ww_table_head(&t, "die [mm2]");
    ww_table_head(&t, "modelled [mm2]");
    ww_table_head(&t, "ratio");
    ww_table_head(&t, "static power [W]");
    for (size_t g = 0; g < WW__GPUS; g++) {
        const ww__die *d = &s->die[g];
        ww_table_text(&t, d->gpu);
        ww_table_number(&t, d->published_m2 * 1e6, 0);
        ww_table_number(&t, d->modelled_m2 * 1e6, 0);
        ww_table_number(&t, d->modelled_m2 / d->published_m2, 2);
        ww_table_number(&t, d->static_w, 1);
    }
    return show(&t, "Die area", markdown, err);
}

ww_status ww__power_print_text(const ww__power_study *s, bool markdown, ww_error *err)
{
    WW_TRY(print_metrics(&s->counted, "Metrics (Table 1), published / ours", markdown, err));
    WW_TRY(
        print_powers(&s->counted, "Dynamic power [W] (Table 7), published / ours", markdown, err));
    WW_TRY(print_verdicts(s, markdown, err));
    WW_TRY(print_correlations(s, markdown, err));
    WW_TRY(print_shares(s, markdown, err));
    if (s->apart.ours->kernel_count > 0) {
        WW_TRY(print_metrics(&s->apart, "Reconstructions, not judged: metrics", markdown, err));
        WW_TRY(print_powers(&s->apart, "Reconstructions, not judged: dynamic power [W]", markdown,
                            err));
    }
    return print_dies(s, markdown, err);
}

/* ---- JSON ---- */

static void json_number(ww_json *j, const ww__paper_kernel *k, const char *quantity,
                        double published, double ours)
{
    ww_json_object(j, NULL);
    ww_json_text(j, "kernel", k->paper);
    ww_json_bool(j, "counted", k->counted);
    ww_json_text(j, "quantity", quantity);
    ww_json_double_or_null(j, "reference", published);
    ww_json_double_or_null(j, "warpwatt", ours);
    ww_json_double_or_null(j, "error", ours - published);
    ww_json_end(j);
}

static void json_pair(ww_json *j, const ww__pair *p, bool counted)
{
    for (size_t k = 0; k < p->ours->kernel_count; k++) {
        const ww__paper_kernel kernel = {.paper = p->ours->kernel[k], .counted = counted};
        for (size_t m = 0; m < p->ours->metric_count; m++) {
            json_number(j, &kernel, p->ours->metric[m].name, p->reference->metric[m].value[k],
                        p->ours->metric[m].value[k]);
        }
        for (size_t c = 0; c < p->ours->component_count; c++) {
            json_number(j, &kernel, p->ours->component[c].name, p->reference->component[c].value[k],
                        p->ours->component[c].value[k]);
        }
        json_number(j, &kernel, "TP", p->reference->dynamic_w[k], p->ours->dynamic_w[k]);
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
    ww_json_array(j, "statistics");
    for (size_t i = 0; i < s->verdicts; i++) {
        ww_json_object(j, NULL);
        ww_json_text(j, "statistic", s->verdict[i].what);
        ww_json_double_or_null(j, "value", s->verdict[i].value);
        ww_json_double(j, s->verdict[i].at_least ? "at_least" : "at_most", s->verdict[i].bar);
        ww_json_bool(j, "met", s->verdict[i].met);
        ww_json_end(j);
    }
    ww_json_end(j);
    ww_json_u64(j, "missed_bars", s->missed);
    ww_json_u64(j, "missing_kernels", s->missing);
}

static void json_dies(ww_json *j, const ww__power_study *s)
{
    ww_json_array(j, "die");
    for (size_t g = 0; g < WW__GPUS; g++) {
        ww_json_object(j, NULL);
        ww_json_text(j, "gpu", s->die[g].gpu);
        ww_json_double(j, "die_mm2", s->die[g].published_m2 * 1e6);
        ww_json_double(j, "modelled_mm2", s->die[g].modelled_m2 * 1e6);
        ww_json_double(j, "static_w", s->die[g].static_w);
        ww_json_end(j);
    }
    ww_json_end(j);
}

ww_status ww__power_print_json(const ww__power_study *s, ww_error *err)
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
    return ww_json_print(&j, &text, stdout, err);
}
