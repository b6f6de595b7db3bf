/* pass.c - a pass, operator by operator. */
#include "inference/pass.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "inference/settled.h"
#include "inference/simulate.h"

/* Relative half-width of the 95 % interval that is stated of what was extrapolated
 * (docs/inference.md). */
#define EXTRAPOLATION_ERROR 0.05

typedef struct pass {
    const ww_infer_request *request;
    ww_infer *infer;
    ww__simulator simulator;
    /* A row of the graph each, all its occurrences together; behind them the gaps: */
    ww_launch_record *records;
    ww_counter_set *counters;
    ww_str *names;
    char label[160];
    double flop_j, flops, byte_j, bytes; /* of products, and of DRAM; see ww_infer */
    ww_error *err;
} pass;

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

static void fill_record(const ww__memo_facts *facts, ww_launch_record *record)
{
    *record = (ww_launch_record){.registers = facts->registers,
                                 .shared_bytes = facts->shared_bytes,
                                 .ctas_per_sm = facts->ctas_per_sm,
                                 .core_hz = facts->core_hz,
                                 .icnt_hz = facts->icnt_hz,
                                 .l2_hz = facts->l2_hz,
                                 .dram_hz = facts->dram_hz,
                                 .vdd_v = facts->vdd_v,
                                 .temperature_k = facts->temperature_k,
                                 .occupancy_limit = "",
                                 .grid = {1, 1, 1}};
    memcpy(record->block, facts->block, sizeof record->block);
}

static ww_status record_operator(pass *p, size_t i, const ww__outcome *o)
{
    ww_launch_record *record = &p->records[i];
    const ww__plan *plan = &o->plan;
    fill_record(&o->facts, record);
    WW_TRY(
        ww__scaled_whole(&o->sum, p->infer->run->arch, plan->op->count, &p->counters[i], p->err));
    ww_operator_describe(plan->op, &p->names[i]);
    WW_TRY(ww_str_check(&p->names[i], p->err));
    record->kernel = ww_str_text(&p->names[i]);
    record->workload = p->label;
    record->grid[0] = (uint32_t)(plan->ctas < UINT32_MAX ? plan->ctas : UINT32_MAX);
    record->counters = &p->counters[i];
    state_error(record, 1 - o->simulated);
    p->infer->busy_s +=
        (double)ww_counter_total(record->counters, WW_C_CORE_CYCLES) / record->core_hz;
    return WW_OK;
}

/* ---- figures of an operator ---- */

/* Operations of the matrix units a second; of other numbers than 16-bit ones as GA100's and GH100's
 * whitepapers have them. Warp groups have rates of their own. */
static double matrix_flops(const ww_arch *a, ww_number number)
{
    const double units = (double)a->units.tensor_count * a->sm.count * a->clock.core_hz;
    const double half = a->chip.compute_capability >= 90
                            ? a->async.matrix_f16 * units
                            : 2 * 4096.0 / a->units.tensor_interval * units;
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

/* Of the FP32 lanes, a multiply-add as two. */
static double lane_flops(const ww_arch *a)
{
    return 2.0 * a->units.sp_count * a->units.sp_lanes * a->sm.count * a->clock.core_hz;
}

static double memory_bandwidth(const ww_arch *a)
{
    return a->mem.channels * (a->mem.bus_bits / 8.0) * a->mem.data_rate * a->clock.dram_hz;
}

static double dram_bytes(const ww_arch *a, const ww_launch_record *r)
{
    const double burst = a->mem.burst_length * (a->mem.bus_bits / 8.0);
    return burst * ((double)ww_counter_total(r->counters, WW_C_DRAM_RD) +
                    (double)ww_counter_total(r->counters, WW_C_DRAM_WR));
}

static void find_bound(const ww_arch *a, const ww_launch_record *r, ww_infer_operator *o)
{
    const double cycles = (double)ww_counter_total(r->counters, WW_C_CORE_CYCLES);
    const double seconds = cycles / r->core_hz, n = (double)o->op->count;
    o->peak_flops = o->op->tensor ? matrix_flops(a, o->op->number) : lane_flops(a);
    o->matrix = o->op->tensor ? n * ww_operator_flops(o->op) / seconds / o->peak_flops : 0;
    o->memory = dram_bytes(a, r) / seconds / memory_bandwidth(a);
    o->issue = (double)ww_counter_total(r->counters, WW_C_INST_ISSUED) /
               (cycles * a->sm.count * a->sm.schedulers);
    double most = fmax(o->matrix, fmax(o->memory, o->issue));
    o->bound = most < 0.5          ? "latency"
               : most == o->matrix ? "matrix"
               : most == o->memory ? "memory"
                                   : "issue";
}

static bool is_product(const ww_operator *op)
{
    return op->kind == WW_OPERATOR_GEMM || op->kind == WW_OPERATOR_CONV2D;
}

/* What an operation of products and a byte of DRAM take, where nothing else would. */
static void note_roofs(pass *p, const ww_launch_record *r, const ww_operator *op,
                       const ww_power_result *power)
{
    const double n = (double)op->count;
    p->bytes += dram_bytes(p->infer->run->arch, r);
    p->byte_j +=
        power->component[WW_COMPONENT_MC].event_j + power->component[WW_COMPONENT_GM].event_j;
    if (is_product(op)) {
        p->flops += n * ww_operator_flops(op);
        p->flop_j += power->component[WW_COMPONENT_EU].event_j;
    }
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
    note_roofs(p, r, o->op, &power);
    p->infer->busy_j += power.total_j;
    return WW_OK;
}

static uint64_t result_bytes(const ww_operator *op)
{
    const uint64_t size = ww_number_bytes(op->number);
    switch (op->kind) {
    case WW_OPERATOR_GEMM:
    case WW_OPERATOR_CONV2D:
        return op->batch * op->m * op->n * size;
    case WW_OPERATOR_ELEMENTWISE:
        return op->m * ww_number_bytes(ww_pointwise_result(op));
    case WW_OPERATOR_ATTENTION:
        return op->batch * op->attention.heads * op->m * op->k * size;
    default:
        return op->batch * op->m * size;
    }
}

static ww_status run_operator(pass *p, size_t i)
{
    const ww_operator *op = &p->request->graph->operators[i];
    const unsigned share = p->simulator.slice->share;
    ww__outcome outcome = {.facts = {0}};
    ww_str name = {0};
    ww_operator_describe(op, &name);
    if (p->request->on_operator != NULL) {
        p->request->on_operator(p->request->user, i, p->request->graph->count, ww_str_text(&name));
    }
    ww_str_fini(&name);
    ww_status status =
        ww__simulate(&p->simulator, op, i > 0 ? result_bytes(op - 1) / share : 0, &outcome, p->err);
    if (status == WW_OK) {
        ww_infer_operator *o = &p->infer->operators[i];
        o->op = op;
        o->simulated = outcome.simulated;
        const unsigned splits = outcome.plan.splits;
        snprintf(o->kernel, sizeof o->kernel, splits > 1 ? "%s/%u" : "%s", outcome.plan.kernel,
                 splits);
        p->infer->kernels += op->count * (outcome.plan.sums ? 2 : 1);
        p->infer->warp_instructions += outcome.facts.warp_instructions;
        status = record_operator(p, i, &outcome);
    }
    ww__scaled_fini(&outcome.sum);
    return status;
}

/* ---- the pass ---- */

/* The host launches ahead of what runs, so that operators which outlast the interval make up for
 * those that do not; a pass takes the longer of the two. */
static double gap_seconds(const ww_infer_request *request, uint64_t kernels, double busy_s)
{
    const double intervals = (double)ww_graph_intervals(request->graph);
    double device = busy_s + (double)kernels * (request->graphs ? WW_GRAPH_GAP_S : WW_KERNEL_GAP_S);
    double host = request->graphs ? 0 : intervals * request->launch_interval_s;
    return (device > host ? device : host) - busy_s;
}

static void add_idle(uint64_t *chip, const ww_arch *a, double seconds)
{
    chip[WW_C_CORE_CYCLES] += (uint64_t)(seconds * a->clock.core_hz + 0.5);
    chip[WW_C_ICNT_CYCLES] += (uint64_t)(seconds * a->clock.icnt_hz + 0.5);
    chip[WW_C_L2_CYCLES] += (uint64_t)(seconds * a->clock.l2_hz + 0.5);
    chip[WW_C_DRAM_CYCLES] += (uint64_t)(seconds * a->clock.dram_hz + 0.5);
}

/* The time in which nothing runs, as a launch. */
static ww_status record_gaps(pass *p)
{
    ww_infer *f = p->infer;
    const ww_arch *a = f->run->arch;
    const size_t last = p->request->graph->count;
    ww_counter_set *counters = &p->counters[last];
    f->gap_s = gap_seconds(p->request, f->kernels, f->busy_s);
    WW_TRY(ww_counter_set_init(counters, a->sm.count, a->mem.channels * a->mem.slices,
                               a->mem.channels, p->err));
    add_idle(counters->block[WW_SCOPE_CHIP][0].v, a, f->gap_s);
    p->records[last] = p->records[0];
    p->records[last].counters = counters;
    return WW_OK;
}

static ww_status evaluate_gaps(pass *p, ww_power_groups *sum)
{
    ww_infer *f = p->infer;
    const ww_launch_record *record = &p->records[p->request->graph->count];
    ww_power_result power;
    WW_TRY(ww_power_evaluate(f->run->model, record->counters, record, &power, p->err));
    f->gap_j = power.total_j;
    f->idle_w = power.total_w;
    ww_power_add_groups(f->run->model, record->counters, record, sum);
    return WW_OK;
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
    p->records = WW_NEW_ARRAY(ww_launch_record, r->graph->count + 1);
    p->counters = WW_NEW_ARRAY(ww_counter_set, r->graph->count + 1);
    p->names = WW_NEW_ARRAY(ww_str, r->graph->count);
    if (f->run == NULL || f->operators == NULL || p->records == NULL || p->counters == NULL ||
        p->names == NULL) {
        return ww_no_memory(p->err);
    }
    WW_TRY(ww_arch_load(r->gpu, r->settings, r->setting_count, &f->run->arch, p->err));
    WW_TRY(ww_power_model_create(f->run->arch, NULL, &f->run->model, p->err));
    p->simulator = (ww__simulator){.graph = r->graph, .rule_only = r->rule_only};
    if (r->memory != NULL) {
        p->simulator.memo = ww__memo_open(r->memory, r->warn, r->user);
    }
    return ww__slice_open(r->gpu, r->settings, r->setting_count, r->threads, r->stop,
                          &p->simulator.slice, p->err);
}

/* Weights, the cache of a decoder and what the largest operator works on are there at a time. */
static ww_status check_memory(const pass *p, const ww_arch *arch)
{
    const ww_graph *graph = p->request->graph;
    const double weights = (double)ww_graph_weight_bytes(graph),
                 live = (double)ww_graph_live_bytes(graph);
    const double all = weights + (double)graph->cache_bytes + live;
    if (arch->mem.capacity_bytes == 0 || all <= arch->mem.capacity_bytes) {
        return WW_OK;
    }
    return ww_fail(p->err, WW_ERANGE,
                   "%s needs %.1f GB of memory: weights %.1f, keys and values %.1f, its largest "
                   "operator %.1f; %s has %.1f (mem.capacity_bytes)",
                   p->label, 1e-9 * all, 1e-9 * weights, 1e-9 * (double)graph->cache_bytes,
                   1e-9 * live, arch->chip.name, 1e-9 * arch->mem.capacity_bytes);
}

/* Refusals before anything runs. */
static ww_status check(const pass *p, const ww_arch *arch)
{
    WW_TRY(check_memory(p, arch));
    for (size_t i = 0; i < p->request->graph->count; i++) {
        ww__plan plans[WW__MOST_CANDIDATES];
        size_t count;
        WW_TRY(ww__plan_candidates(p->request->graph, &p->request->graph->operators[i],
                                   p->simulator.slice, plans, &count, p->err));
    }
    return WW_OK;
}

static ww_status run_pass(pass *p)
{
    ww_infer *f = p->infer;
    const size_t count = p->request->graph->count;
    ww_power_groups sum = {0};
    label(p);
    WW_TRY(load_machine(p));
    WW_TRY(check(p, f->run->arch));
    for (size_t i = 0; i < count; i++) {
        WW_TRY(run_operator(p, i));
    }
    WW_TRY(record_gaps(p));
    WW_TRY(ww__settle_pass(p->request, p->records, count + 1, f->run, p->err));
    for (size_t i = 0; i < count; i++) {
        WW_TRY(evaluate(p, i, &sum));
    }
    WW_TRY(evaluate_gaps(p, &sum));
    WW_TRY(add_records(p));
    f->memory_bytes = memory_bandwidth(f->run->arch);
    f->flop_j = p->flops > 0 ? p->flop_j / p->flops : (double)NAN;
    f->byte_j = p->bytes > 0 ? p->byte_j / p->bytes : (double)NAN;
    f->time_s = f->busy_s + f->gap_s;
    f->energy_j = f->busy_j + f->gap_j;
    f->sigma_j = ww_power_sure_of(f->run->model, &sum, WW_COMPONENT_COUNT).sigma_j;
    f->run->warp_instructions = f->warp_instructions;
    return WW_OK;
}

static void release(pass *p)
{
    const size_t count = p->request->graph->count;
    for (size_t i = 0; p->counters != NULL && i <= count; i++) {
        ww_counter_set_fini(&p->counters[i]);
    }
    for (size_t i = 0; p->names != NULL && i < count; i++) {
        ww_str_fini(&p->names[i]);
    }
    ww_free(p->records);
    ww_free(p->counters);
    ww_free(p->names);
    ww__memo_close(p->simulator.memo);
    ww__slice_close(p->simulator.slice);
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

ww_status ww_infer_check(const ww_infer_request *request, ww_error *err)
{
    pass p = {.request = request, .err = err};
    ww_arch *arch = NULL;
    label(&p);
    WW_TRY(ww_arch_load(request->gpu, request->settings, request->setting_count, &arch, err));
    ww_status status = ww__slice_open(request->gpu, request->settings, request->setting_count, 1,
                                      NULL, &p.simulator.slice, err);
    status = status == WW_OK ? check(&p, arch) : status;
    ww__slice_close(p.simulator.slice);
    ww_arch_destroy(arch);
    return status;
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
