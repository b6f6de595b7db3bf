/* pass.c - a pass, operator by operator. */
#include "inference/pass.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "inference/kernels.h"
#include "inference/scale.h"

/* Warp instructions that one operator may take, about: what goes beyond is extrapolated. */
#define OPERATOR_BUDGET 5e6
/* Depths of a product deeper than this are extrapolated from the two below it. */
enum { WHOLE_DEPTH = 1024, LONG_DEPTH = 512, SHORT_DEPTH = 256 };
/* Relative half-width of the 95 % interval that is stated of what was extrapolated
 * (docs/inference.md). */
#define EXTRAPOLATION_ERROR 0.05

typedef struct pass {
    const ww_infer_request *request;
    ww_infer *infer;
    ww__slice *slice;
    /* A row of the graph each, all its occurrences together: */
    ww_launch_record *records;
    ww_counter_set *counters;
    ww_str *names;
    char label[160];
    ww_error *err;
} pass;

/* ---- one operator ---- */

/* Parts that are simulated, and the weights with which their counters make the whole. */
typedef struct parts {
    uint64_t ctas[2], depth[2];
    double ctas_weight[2], depth_weight[2];
} parts;

/* Of few waves the whole grid; of more, two numbers of waves with the whole grid's tail, and the
 * line through them. */
static void divide_grid(uint64_t ctas, uint64_t places, double each, parts *out)
{
    uint64_t waves = ctas / places, tail = ctas % places;
    double most = OPERATOR_BUDGET / (each * (double)places);
    uint64_t last = most < 3 ? 2 : (uint64_t)(most * 2 / 3), first = last / 2;
    out->ctas[1] = ctas;
    out->ctas_weight[1] = 1;
    if (waves <= last + first) {
        return;
    }
    double beyond = (double)(waves - last) / (double)(last - first);
    out->ctas[0] = first * places + tail;
    out->ctas[1] = last * places + tail;
    out->ctas_weight[0] = -beyond;
    out->ctas_weight[1] = 1 + beyond;
}

/* A deep product is followed from two lesser depths, unless all of it is little work. */
static void divide_depth(uint64_t depth, double instructions, parts *out)
{
    out->depth[1] = depth;
    out->depth_weight[1] = 1;
    if (depth <= WHOLE_DEPTH || instructions <= OPERATOR_BUDGET / 4) {
        return;
    }
    double beyond = (double)(depth - LONG_DEPTH) / (LONG_DEPTH - SHORT_DEPTH);
    out->depth[0] = SHORT_DEPTH;
    out->depth[1] = LONG_DEPTH;
    out->depth_weight[0] = -beyond;
    out->depth_weight[1] = 1 + beyond;
}

static parts divide(const ww__plan *plan, unsigned share)
{
    parts p = {{0}, {0}, {0}, {0}};
    uint64_t ctas = (plan->ctas + share - 1) / share;
    double whole = (double)ctas * plan->warp_instructions;
    whole *= plan->depth == 0 ? 1 : (double)plan->depth / plan->depth_step;
    divide_depth(plan->depth, whole, &p);
    double steps = plan->depth == 0 ? 1 : (double)(p.depth[0] + p.depth[1]) / plan->depth_step;
    divide_grid(ctas, plan->places, plan->warp_instructions * (steps < 1 ? 1 : steps), &p);
    return p;
}

static ww_status simulate(pass *p, const ww__plan *plan, ww__scaled *sum)
{
    const parts d = divide(plan, p->slice->share);
    double longest = 0;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            double weight = d.ctas_weight[i] * d.depth_weight[j];
            if (weight != 0) {
                WW_TRY(ww__plan_run(plan, p->slice, d.ctas[i], d.depth[j], p->err));
                WW_TRY(ww__scaled_add(sum, &p->slice->counters, weight, p->err));
                double cycles = (double)ww_counter_total(&p->slice->counters, WW_C_CORE_CYCLES);
                longest = cycles > longest ? cycles : longest;
            }
        }
    }
    if (ww__scaled_cycles(sum) < longest) {
        return ww_fail(p->err, WW_ENUMERIC,
                       "%s: the whole operator would take less time than a part of it",
                       plan->kernel);
    }
    return WW_OK;
}

/* ---- records ---- */

static void state_error(ww_launch_record *record, double share)
{
    record->sampling.share = share;
    for (size_t c = 0; share > 0 && c < WW_COUNTER_COUNT; c++) {
        record->sampling.error.v[c] =
            (uint64_t)(EXTRAPOLATION_ERROR * share *
                       (double)ww_counter_total(record->counters, (ww_counter)c));
    }
}

static ww_status record_operator(pass *p, size_t i, const ww__plan *plan, const ww__scaled *sum)
{
    ww_launch_record *record = &p->records[i];
    *record = p->slice->record;
    WW_TRY(ww__scaled_whole(sum, p->infer->run->arch, plan->op->count, &p->counters[i], p->err));
    ww_operator_describe(plan->op, &p->names[i]);
    WW_TRY(ww_str_check(&p->names[i], p->err));
    record->kernel = ww_str_text(&p->names[i]);
    record->workload = p->label;
    record->grid[0] = (uint32_t)(plan->ctas < UINT32_MAX ? plan->ctas : UINT32_MAX);
    record->counters = &p->counters[i];
    record->occupancy_limit = "";
    state_error(record, 1 - p->infer->operators[i].simulated);
    return WW_OK;
}

/* ---- figures of an operator ---- */

/* Multiply-adds of the matrix units a second, in 16-bit numbers; of other numbers as GA100's
 * whitepaper has them. */
static double matrix_flops(const ww_arch *a, ww_number number)
{
    double half = 2 * 4096.0 / a->units.tensor_interval * a->units.tensor_count * a->sm.count *
                  a->clock.core_hz;
    switch (number) {
    case WW_NUMBER_TF32:
        return half / 2;
    case WW_NUMBER_INT8:
    case WW_NUMBER_FP8:
        return half * 2;
    default:
        return half;
    }
}

static double memory_bandwidth(const ww_arch *a)
{
    return a->mem.channels * (a->mem.bus_bits / 8.0) * a->mem.data_rate * a->clock.dram_hz;
}

static void find_bound(const ww_arch *a, const ww_launch_record *r, ww_infer_operator *o)
{
    const double cycles = (double)ww_counter_total(r->counters, WW_C_CORE_CYCLES);
    const double seconds = cycles / r->core_hz, n = (double)o->op->count;
    const double burst = a->mem.burst_length * (a->mem.bus_bits / 8.0);
    double bytes = burst * ((double)ww_counter_total(r->counters, WW_C_DRAM_RD) +
                            (double)ww_counter_total(r->counters, WW_C_DRAM_WR));
    o->matrix =
        o->op->tensor ? n * ww_operator_flops(o->op) / seconds / matrix_flops(a, o->op->number) : 0;
    o->memory = bytes / seconds / memory_bandwidth(a);
    o->issue = (double)ww_counter_total(r->counters, WW_C_INST_ISSUED) /
               (cycles * a->sm.count * a->sm.schedulers);
    double most = fmax(o->matrix, fmax(o->memory, o->issue));
    o->bound = most < 0.5          ? "latency"
               : most == o->matrix ? "matrix"
               : most == o->memory ? "memory"
                                   : "issue";
}

static ww_status evaluate(pass *p, size_t i, ww_power_groups *sum)
{
    const ww_run *run = p->infer->run;
    const ww_launch_record *r = &p->records[i];
    ww_infer_operator *o = &p->infer->operators[i];
    ww_power_result power;
    ww_power_groups own = {0};
    const double n = (double)o->op->count;
    WW_TRY(ww_power_evaluate(run->model, r->counters, r, &power, p->err));
    ww_power_add_groups(run->model, r->counters, r, sum);
    ww_power_add_groups(run->model, r->counters, r, &own);
    o->time_s = power.time_s / n;
    o->energy_j = power.total_j / n;
    o->sigma_j = ww_power_sure_of(run->model, &own, WW_COMPONENT_COUNT).sigma_j / n;
    find_bound(run->arch, r, o);
    p->infer->busy_s += power.time_s;
    p->infer->busy_j += power.total_j;
    return WW_OK;
}

static ww_status run_operator(pass *p, size_t i)
{
    const ww_operator *op = &p->request->graph->operators[i];
    ww__plan plan;
    ww__scaled sum = {0};
    const uint64_t before = p->slice->warp_instructions;
    WW_TRY(ww__plan_operator(p->request->graph, op, p->slice, &plan, p->err));
    if (p->request->on_operator != NULL) {
        p->request->on_operator(p->request->user, i, p->request->graph->count, plan.kernel);
    }
    ww_infer_operator *o = &p->infer->operators[i];
    o->op = op;
    memcpy(o->kernel, plan.kernel, sizeof o->kernel);
    ww_status status = simulate(p, &plan, &sum);
    if (status == WW_OK) {
        double issued = 0;
        for (size_t s = 0; s < sum.count[WW_SCOPE_SM]; s++) {
            issued += sum.v[WW_SCOPE_SM][s * WW_COUNTER_COUNT + WW_C_INST_ISSUED];
        }
        double part = (double)(p->slice->warp_instructions - before) / (issued > 1 ? issued : 1);
        o->simulated = part < 1 ? part : 1;
        status = record_operator(p, i, &plan, &sum);
    }
    ww__scaled_fini(&sum);
    return status;
}

/* ---- the pass ---- */

/* The host launches ahead of what runs, so that operators which outlast the interval make up for
 * those that do not; a pass takes the longer of the two. */
static double gap_seconds(const ww_infer_request *request, double busy_s)
{
    const double launches = (double)ww_graph_launches(request->graph);
    double device = busy_s + launches * (request->graphs ? WW_GRAPH_GAP_S : WW_KERNEL_GAP_S);
    double host = request->graphs ? 0 : launches * request->launch_interval_s;
    return (device > host ? device : host) - busy_s;
}

static void add_idle(uint64_t *chip, const ww_arch *a, double seconds)
{
    chip[WW_C_CORE_CYCLES] += (uint64_t)(seconds * a->clock.core_hz + 0.5);
    chip[WW_C_ICNT_CYCLES] += (uint64_t)(seconds * a->clock.icnt_hz + 0.5);
    chip[WW_C_L2_CYCLES] += (uint64_t)(seconds * a->clock.l2_hz + 0.5);
    chip[WW_C_DRAM_CYCLES] += (uint64_t)(seconds * a->clock.dram_hz + 0.5);
}

/* What the card draws while nothing runs. */
static ww_status evaluate_gaps(pass *p, ww_power_groups *sum)
{
    ww_infer *f = p->infer;
    const ww_arch *a = f->run->arch;
    ww_counter_set counters = {0};
    f->gap_s = gap_seconds(p->request, f->busy_s);
    WW_TRY(ww_counter_set_init(&counters, a->sm.count, a->mem.channels * a->mem.slices,
                               a->mem.channels, p->err));
    add_idle(counters.block[WW_SCOPE_CHIP][0].v, a, f->gap_s);
    ww_launch_record record = p->records[0];
    record.counters = &counters;
    ww_power_result power = {0};
    ww_status status = ww_power_evaluate(f->run->model, &counters, &record, &power, p->err);
    if (status == WW_OK) {
        f->gap_j = power.total_j;
        ww_power_add_groups(f->run->model, &counters, &record, sum);
    }
    ww_counter_set_fini(&counters);
    return status;
}

/* Launches of the result have the gaps behind them, as those of other runs have their overhead. */
static ww_status add_records(pass *p)
{
    ww_run *run = p->infer->run;
    const ww_graph *graph = p->request->graph;
    const double gap_s = p->infer->gap_s / (double)ww_graph_launches(graph);
    uint64_t interval_bytes = 0;
    for (size_t i = 0; i < graph->count; i++) {
        add_idle(p->counters[i].block[WW_SCOPE_CHIP][0].v, run->arch,
                 gap_s * (double)graph->operators[i].count);
        WW_TRY(ww_launch_records_append(&run->launches, &run->launch_count, &interval_bytes,
                                        &p->records[i], p->label, (uint32_t)i, p->err));
    }
    return WW_OK;
}

/* What the operators before the first left: an L2 full of written lines. */
static ww_status warm(ww__slice *slice, ww_error *err)
{
    const ww_arch *a = slice->arch;
    const size_t bytes = (size_t)ww_arch_l2_bytes(a);
    ww_devptr all;
    WW_TRY(ww_device_malloc(slice->device, bytes, &all, err));
    ww_device_copied(slice->device, all, bytes, WW_ON_DEVICE);
    return ww_device_free(slice->device, all, err);
}

static void label(pass *p)
{
    const ww_graph *g = p->request->graph;
    int n = snprintf(p->label, sizeof p->label, "%s", g->model[0] != '\0' ? g->model : "pass");
    if (g->precision[0] != '\0') {
        n += snprintf(p->label + n, sizeof p->label - (size_t)n, " %s", g->precision);
    }
    if (g->batch > 0) {
        n += snprintf(p->label + n, sizeof p->label - (size_t)n, " %" PRIu64, g->batch);
    }
    if (g->sequence > 0) {
        snprintf(p->label + n, sizeof p->label - (size_t)n, "x%" PRIu64, g->sequence);
    }
}

static ww_status load_machine(pass *p)
{
    const ww_infer_request *r = p->request;
    ww_infer *f = p->infer;
    f->run = WW_NEW(ww_run);
    f->operators = WW_NEW_ARRAY(ww_infer_operator, r->graph->count);
    p->records = WW_NEW_ARRAY(ww_launch_record, r->graph->count);
    p->counters = WW_NEW_ARRAY(ww_counter_set, r->graph->count);
    p->names = WW_NEW_ARRAY(ww_str, r->graph->count);
    if (f->run == NULL || f->operators == NULL || p->records == NULL || p->counters == NULL ||
        p->names == NULL) {
        return ww_no_memory(p->err);
    }
    WW_TRY(ww_arch_load(r->gpu, r->settings, r->setting_count, &f->run->arch, p->err));
    WW_TRY(ww_power_model_create(f->run->arch, NULL, &f->run->model, p->err));
    return ww__slice_open(r->gpu, r->settings, r->setting_count, r->threads, r->stop, &p->slice,
                          p->err);
}

static ww_status run_pass(pass *p)
{
    ww_infer *f = p->infer;
    ww_power_groups sum = {0};
    label(p);
    WW_TRY(load_machine(p));
    for (size_t i = 0; i < p->request->graph->count; i++) { /* refusals before anything runs */
        ww__plan plan;
        WW_TRY(ww__plan_operator(p->request->graph, &p->request->graph->operators[i], p->slice,
                                 &plan, p->err));
    }
    WW_TRY(warm(p->slice, p->err));
    for (size_t i = 0; i < p->request->graph->count; i++) {
        WW_TRY(run_operator(p, i));
        WW_TRY(evaluate(p, i, &sum));
    }
    WW_TRY(evaluate_gaps(p, &sum));
    WW_TRY(add_records(p));
    f->time_s = f->busy_s + f->gap_s;
    f->energy_j = f->busy_j + f->gap_j;
    f->sigma_j = ww_power_sure_of(f->run->model, &sum, WW_COMPONENT_COUNT).sigma_j;
    f->warp_instructions = f->run->warp_instructions = p->slice->warp_instructions;
    return WW_OK;
}

static void release(pass *p)
{
    for (size_t i = 0; i < p->request->graph->count; i++) {
        if (p->counters != NULL) {
            ww_counter_set_fini(&p->counters[i]);
        }
        if (p->names != NULL) {
            ww_str_fini(&p->names[i]);
        }
    }
    ww_free(p->records);
    ww_free(p->counters);
    ww_free(p->names);
    ww__slice_close(p->slice);
}

ww_status ww_infer_run(const ww_infer_request *request, ww_infer **out, ww_error *err)
{
    pass p = {.request = request, .infer = WW_NEW(ww_infer), .err = err};
    if (p.infer == NULL) {
        return ww_no_memory(err);
    }
    ww_status status = run_pass(&p);
    release(&p);
    if (status != WW_OK) {
        ww_infer_destroy(p.infer);
        return status;
    }
    *out = p.infer;
    return WW_OK;
}

void ww_infer_destroy(ww_infer *infer)
{
    if (infer == NULL) {
        return;
    }
    ww_run_destroy(infer->run);
    ww_free(infer->operators);
    ww_free(infer);
}
