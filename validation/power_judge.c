/* power_judge.c - what is asked of the agreement with LPGPU D5.5.3, and what came out.
 * Bars hold over the kernels with public sources; reconstructions are shown and never judged. */
#include <math.h>
#include <string.h>

#include "validation/power.h"

/* Adds a statistic over so many rows, with its bar. */
static ww_status add(ww__power_study *s, const char *what, double value, ww_error *err)
{
    ww_row row = ww_row_of("", what, "");
    const ww_bar *bar;
    row.ours = value;
    WW_TRY(ww_bars_find(s->bars, "power", what, &bar, err));
    ww_judge(&row, bar, value);
    return ww_rows_add(&s->statistics, &row, err);
}

static ww_agreement of_metric(const ww__pair *p, const char *name, double tolerance)
{
    const ww_study_column *a = ww_study_metric(p->reference, name),
                          *b = ww_study_metric(p->ours, name);
    if (a == NULL || b == NULL) {
        return (ww_agreement){.pearson = NAN, .rho = NAN, .mean_abs = NAN, .within = NAN};
    }
    return ww_agreement_of(a->value, b->value, p->ours->kernel_count, tolerance);
}

static ww_status judge_metrics(ww__power_study *s, ww_error *err)
{
    const ww__pair *p = &s->counted;
    ww_agreement ipc = of_metric(p, "IPC", 0);
    WW_TRY(add(s, "IPC: Spearman", ipc.rho, err));
    WW_TRY(add(s, "IPC: mean absolute error / peak IPC", ipc.mean_abs / s->peak_ipc, err));
    WW_TRY(add(s, "AI: share of kernels within 0.1", of_metric(p, "AI", 0.1).within, err));
    WW_TRY(add(s, "BI: share of kernels within 0.1", of_metric(p, "BI", 0.1).within, err));
    WW_TRY(add(s, "MI: share of kernels within 0.1", of_metric(p, "MI", 0.1).within, err));
    WW_TRY(add(s, "SU: share of kernels within 2 lanes", of_metric(p, "SU", 2).within, err));
    WW_TRY(add(s, "CE: share of kernels within 0.15", of_metric(p, "CE", 0.15).within, err));
    return WW_OK;
}

static ww_status judge_power(ww__power_study *s, ww_error *err)
{
    static const struct {
        const char *component, *what;
    } JUDGED[] = {{"RF", "RF: Pearson"},
                  {"EU", "EU: Pearson"},
                  {"WCU", "WCU: Pearson"},
                  {"MC", "MC: Pearson"},
                  {"GM", "GM: Pearson"}};
    const ww__pair *p = &s->counted;
    size_t n = p->ours->kernel_count;
    ww_agreement tp = ww_agreement_of(p->reference->dynamic_w, p->ours->dynamic_w, n, 0);
    WW_TRY(add(s, "TP: mean absolute error", tp.mean_rel, err));
    WW_TRY(add(s, "TP: largest error", tp.max_rel, err));
    for (size_t i = 0; i < WW_ARRAY_LEN(JUDGED); i++) {
        const ww_study_column *a = ww_study_component(p->reference, JUDGED[i].component),
                              *b = ww_study_component(p->ours, JUDGED[i].component);
        double r = a != NULL && b != NULL ? ww_agreement_of(a->value, b->value, n, 0).pearson
                                          : (double)NAN;
        WW_TRY(add(s, JUDGED[i].what, r, err));
    }
    WW_TRY(add(s, "TP: Pearson", tp.pearson, err));
    return WW_OK;
}

/* Cell by cell: a correlation that is clear in the paper must have its sign here. */
static ww_status judge_correlations(ww__power_study *s, ww_error *err)
{
    double sum = 0, cells = 0, wrong = 0;
    for (size_t i = 0; i < s->published_r.metrics * s->published_r.components; i++) {
        const ww_correlation *a = &s->published_r.cell[i], *b = &s->our_r.cell[i];
        if (!a->defined || !b->defined) {
            continue;
        }
        sum += fabs(a->r - b->r);
        cells++;
        wrong += fabs(a->r) >= 0.3 && a->r * b->r <= 0;
    }
    WW_TRY(add(s, "Pearson matrix: mean absolute difference", sum / cells, err));
    WW_TRY(add(s, "Pearson matrix: signs that differ where |r| >= 0.3", wrong, err));
    return WW_OK;
}

static ww_status judge_shares(ww__power_study *s, ww_error *err)
{
    double sum = 0, cells = 0;
    for (size_t c = 0; c < WW_IPC_CATEGORY_COUNT; c++) {
        for (size_t i = 0; i < s->counted.ours->component_count; i++) {
            double difference = s->published_c.category[c].share[i] - s->our_c.category[c].share[i];
            if (!isnan(difference)) {
                sum += fabs(difference);
                cells++;
            }
        }
    }
    WW_TRY(add(s, "shares by IPC category: mean absolute difference", sum / cells, err));
    return WW_OK;
}

ww_status ww__power_judge(ww__power_study *s, ww_error *err)
{
    /* A cell can be constant here (CE of two kernels, say): it stays undefined. */
    const ww_correlate_options options = {.allow_constant = true};
    WW_TRY(ww_correlate(s->counted.reference, &options, &s->published_r, err));
    WW_TRY(ww_correlate(s->counted.ours, &options, &s->our_r, err));
    WW_TRY(ww_categorize(s->counted.reference, s->peak_ipc, &s->published_c, err));
    WW_TRY(ww_categorize(s->counted.ours, s->peak_ipc, &s->our_c, err));
    WW_TRY(judge_metrics(s, err));
    WW_TRY(judge_power(s, err));
    WW_TRY(judge_correlations(s, err));
    WW_TRY(judge_shares(s, err));
    return WW_OK;
}
