/* summary.c - sums and shares of a pass. */
#include "inference/summary.h"

#include <string.h>

#include "inference/models.h"

static ww_infer_part part_of(const ww_infer *f, const char *name, double time_s, double energy_j)
{
    return (ww_infer_part){.name = name,
                           .time_s = time_s,
                           .energy_j = energy_j,
                           .of_time = time_s / f->time_s,
                           .of_energy = energy_j / f->energy_j,
                           .power_w = energy_j / time_s};
}

ww_infer_part ww_infer_row(const ww_infer *f, size_t row)
{
    const ww_infer_operator *o = &f->operators[row];
    const double n = (double)o->op->count;
    ww_infer_part part = part_of(f, NULL, n * o->time_s, n * o->energy_j);
    part.power_w = o->energy_j / o->time_s;
    part.sigma_w = o->sigma_j / o->time_s;
    return part;
}

size_t ww_infer_kinds(const ww_infer *f, const ww_graph *graph, ww_infer_part out[WW_INFER_KINDS])
{
    double time[WW_OPERATOR_KIND_COUNT] = {0}, energy[WW_OPERATOR_KIND_COUNT] = {0};
    size_t n = 0;
    for (size_t i = 0; i < graph->count; i++) {
        const ww_infer_part row = ww_infer_row(f, i);
        time[graph->operators[i].kind] += row.time_s;
        energy[graph->operators[i].kind] += row.energy_j;
    }
    for (int k = 0; k < WW_OPERATOR_KIND_COUNT; k++) {
        if (time[k] > 0) {
            out[n++] = part_of(f, ww_operator_kind_name((ww_operator_kind)k), time[k], energy[k]);
        }
    }
    if (f->gap_s > 0) {
        out[n++] = part_of(f, "gaps", f->gap_s, f->gap_j);
    }
    return n;
}

/* Tokens that a pass makes or reads, or images; 0: not known. */
static double units_of(const ww_graph *graph)
{
    bool decode = strcmp(graph->phase, "decode") == 0;
    return (double)graph->batch * (decode || graph->sequence == 0 ? 1 : (double)graph->sequence);
}

ww_infer_total ww_infer_total_of(const ww_infer *f, const ww_graph *graph)
{
    const double n = units_of(graph);
    return (ww_infer_total){.power_w = f->energy_j / f->time_s,
                            .sigma_w = f->sigma_j / f->time_s,
                            .edp_js = f->energy_j * f->time_s,
                            .unit = graph->sequence > 0 ? "token" : "image",
                            .units = n,
                            .unit_j = n > 0 ? f->energy_j / n : 0,
                            .units_per_s = n > 0 ? n / f->time_s : 0};
}

/* ---- what nothing measured is like ---- */

static void put_reason(const char *reason, ww_str *out)
{
    ww_str_add(out, out->len > 0 ? "; " : "");
    ww_str_add(out, reason);
}

static bool is_mixture(const ww_graph *graph)
{
    const ww_model *model = NULL;
    return graph->model[0] != '\0' && ww_model_find(graph->model, &model, NULL) == WW_OK &&
           model->experts > 0;
}

void ww_infer_unvalidated(const ww_infer *infer, const ww_graph *graph, bool measured, ww_str *out)
{
    bool has[WW_NUMBER_COUNT] = {false}, attention = false;
    for (size_t i = 0; i < graph->count; i++) {
        has[graph->operators[i].number] = true;
        attention = attention || graph->operators[i].kind == WW_OPERATOR_ATTENTION;
    }
    if (!measured) {
        put_reason(infer->run->arch->chip.name, out);
    }
    if (strcmp(graph->phase, "decode") == 0) {
        put_reason("decoding", out);
    }
    if (is_mixture(graph)) {
        put_reason("a mixture of experts", out);
    }
    if (attention) {
        put_reason("attention in one kernel", out);
    }
    if (has[WW_NUMBER_INT8]) {
        put_reason("int8", out);
    }
    if (has[WW_NUMBER_FP8]) {
        put_reason("fp8", out);
    }
}
