/* validate_power_judge.c - what is asked of the agreement with LPGPU D5.5.3, and what came out.
 * Bars hold over the kernels with public sources; reconstructions are shown and never judged. */
#include <math.h>
#include <string.h>

#include "cli/validate_power.h"

static void add(ww__power_study *s, const char *what, double value, double bar, bool at_least)
{
    bool met = at_least ? value >= bar : value <= bar; /* NaN meets nothing */
    s->verdict[s->verdicts++] = (ww__verdict){what, value, bar, at_least, met};
    s->missed += !met;
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

static void judge_metrics(ww__power_study *s)
{
    const ww__pair *p = &s->counted;
    ww_agreement ipc = of_metric(p, "IPC", 0);
    add(s, "IPC: Spearman", ipc.rho, 0.9, true);
    add(s, "IPC: mean absolute error / peak IPC", ipc.mean_abs / s->peak_ipc, 0.08, false);
    add(s, "AI: share of kernels within 0.1", of_metric(p, "AI", 0.1).within, 0.8, true);
    add(s, "BI: share of kernels within 0.1", of_metric(p, "BI", 0.1).within, 0.8, true);
    add(s, "MI: share of kernels within 0.1", of_metric(p, "MI", 0.1).within, 0.8, true);
    add(s, "SU: share of kernels within 2 lanes", of_metric(p, "SU", 2).within, 0.9, true);
    add(s, "CE: share of kernels within 0.15", of_metric(p, "CE", 0.15).within, 0.75, true);
}

static void judge_power(ww__power_study *s)
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
    add(s, "TP: mean absolute error", tp.mean_rel, 0.15, false);
    add(s, "TP: largest error", tp.max_rel, 0.40, false);
    for (size_t i = 0; i < WW_ARRAY_LEN(JUDGED); i++) {
        const ww_study_column *a = ww_study_component(p->reference, JUDGED[i].component),
                              *b = ww_study_component(p->ours, JUDGED[i].component);
        double r = a != NULL && b != NULL ? ww_agreement_of(a->value, b->value, n, 0).pearson
                                          : (double)NAN;
        add(s, JUDGED[i].what, r, 0.85, true);
    }
    add(s, "TP: Pearson", tp.pearson, 0.85, true);
}

/* Cell by cell: a correlation that is clear in the paper must have its sign here. */
static void judge_correlations(ww__power_study *s)
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
    add(s, "Pearson matrix: mean absolute difference", sum / cells, 0.10, false);
    add(s, "Pearson matrix: signs that differ where |r| >= 0.3", wrong, 0, false);
}

static void judge_shares(ww__power_study *s)
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
    add(s, "shares by IPC category: mean absolute difference", sum / cells, 0.04, false);
}

ww_status ww__power_judge(ww__power_study *s, ww_error *err)
{
    /* A cell can be constant here (CE of two kernels, say): it stays undefined. */
    const ww_correlate_options options = {.allow_constant = true};
    WW_TRY(ww_correlate(s->counted.reference, &options, &s->published_r, err));
    WW_TRY(ww_correlate(s->counted.ours, &options, &s->our_r, err));
    WW_TRY(ww_categorize(s->counted.reference, s->peak_ipc, &s->published_c, err));
    WW_TRY(ww_categorize(s->counted.ours, s->peak_ipc, &s->our_c, err));
    judge_metrics(s);
    judge_power(s);
    judge_correlations(s);
    judge_shares(s);
    return WW_OK;
}
