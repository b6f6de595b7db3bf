/* kernels.c - which kernel runs an operator.
 *
 * As eager PyTorch does on CUDA: a matrix product is one tiled kernel with the bias in its
 * epilogue, everything else is a kernel of its own that reads and writes global memory. A rule
 * offers tiles of products (see rule_cycles). */
#include "inference/kernels.h"

#include <stdio.h>
#include <string.h>

#include "base/arith.h"

ww_status ww__refuse(const ww_operator *op, const char *why, ww_error *err)
{
    ww_str text = {0};
    ww_operator_describe(op, &text);
    ww_status status = ww_fail_at(err, WW_EUNSUP, NULL, op->line, 0,
                                  "there is no kernel for %s: %s", ww_str_text(&text), why);
    ww_str_fini(&text);
    return status;
}

const char *ww__suffix(ww_number number)
{
    return number == WW_NUMBER_BF16 ? "bf16" : number == WW_NUMBER_FP16 ? "f16" : "fp32";
}

/* ---- rows ---- */

static ww_status plan_softmax(ww__plan *plan, ww_error *err)
{
    const ww_operator *op = plan->op;
    memcpy(plan->unit, "rows", sizeof "rows");
    if (op->m > WW_SOFTMAX_WARP_MOST) {
        uint64_t bytes = op->m * ww_number_bytes(op->number);
        if (bytes > 48u << 10) {
            return ww__refuse(op, "rows beyond 48 KiB; softmax rows stay in shared memory", err);
        }
        snprintf(plan->kernel, sizeof plan->kernel, "softmax_block_%s", ww__suffix(op->number));
        plan->threads = 1024;
        plan->shared = (uint32_t)bytes;
        plan->ctas = op->batch;
        plan->warp_instructions = (double)op->m / 32 * 60 + 32 * 60;
        return WW_OK;
    }
    uint32_t longest = 32;
    while (longest < op->m) {
        longest *= 2;
    }
    snprintf(plan->kernel, sizeof plan->kernel, "softmax_%u_%s", longest, ww__suffix(op->number));
    plan->threads = WW_ROW_THREADS;
    plan->ctas = ww_ceil_div(op->batch, longest <= 128 ? 8 : 4);
    plan->warp_instructions = 4 * (40 + 30.0 * (longest <= 128 ? 2 : 1) * longest / 32);
    return WW_OK;
}

static ww_status plan_norm(ww__plan *plan, ww_error *err)
{
    const ww_operator *op = plan->op;
    if (op->m % 4 != 0) {
        return ww__refuse(op, "norms take rows of whole vectors of four", err);
    }
    memcpy(plan->unit, "rows", sizeof "rows");
    snprintf(plan->kernel, sizeof plan->kernel, "%s_%s",
             op->kind == WW_OPERATOR_LAYERNORM ? "layernorm" : "rmsnorm", ww__suffix(op->number));
    plan->threads = WW_ROW_THREADS;
    plan->ctas = op->batch;
    plan->warp_instructions = 4 * (120 + 60.0 * (double)ww_ceil_div(op->m, 4 * WW_ROW_THREADS));
    return WW_OK;
}

static ww_status plan_rows(ww__plan *plan, ww_error *err)
{
    if (ww_number_bytes(plan->op->number) == 1 || plan->op->number == WW_NUMBER_TF32) {
        return ww__refuse(plan->op, "kernels over rows take bf16, fp16 and fp32", err);
    }
    return plan->op->kind == WW_OPERATOR_SOFTMAX ? plan_softmax(plan, err) : plan_norm(plan, err);
}

/* ---- products ---- */

/* Core cycles of a stage of one CTA, when its SM works on nothing else: matrix units, and shared
 * memory, which ldmatrix reads for every warp and copies write once (128 bytes a cycle). */
static double stage_cycles(const ww_operator_tile *t, const ww_arch *arch)
{
    /* As many bytes of K a cycle in each format. */
    double macs = 4096.0 / arch->units.tensor_interval * arch->units.tensor_count;
    double mma = (double)t->m * t->n * (t->k_bytes / 2.0) / macs;
    double read = (double)t->warps_n * t->m + (double)t->warps_m * t->n, copied = t->m + t->n;
    double shared = (read + copied) * t->k_bytes / 128.0;
    return mma > shared ? mma : shared;
}

/* The same of warp groups, whose operands the copy engine brings. */
static double group_stage_cycles(const ww_operator_tile *t, const ww_arch *arch)
{
    double macs = arch->async.matrix_f16 / 2.0 * arch->units.tensor_count;
    double products = (double)t->m * t->n * (t->k_bytes / 2.0) / macs;
    double copies = (double)(t->m + t->n) * t->k_bytes / arch->async.copy_bytes;
    return products > copies ? products : copies;
}

/* The same on the FP32 lanes of an SM that holds `warps`: one alone uses the lanes of its
 * scheduler. */
static double lanes_stage_cycles(const ww_operator_tile *t, const ww_arch *arch, double warps)
{
    const double pipelines = arch->units.sp_count, used = warps < pipelines ? warps : pipelines;
    return (double)t->m * t->n * (t->k_bytes / 4.0) / 32 * arch->units.fp32_interval / used;
}

/* CTAs of a tile that an SM holds, when it has `each` of them to do. */
static double held_ctas(const ww__plan *plan, const ww_arch *arch, double each)
{
    enum { MOST_REGISTERS = 255, LANES_REGISTERS = 128 }; /* what the large tiles take */
    const ww_operator_tile *t = plan->tile;
    const uint32_t registers = plan->op->tensor ? MOST_REGISTERS : LANES_REGISTERS;
    double held = t->shared_bytes == 0 ? each : (double)(arch->sm.shared_bytes / t->shared_bytes);
    double by_registers = (double)(arch->sm.registers / (t->threads * registers));
    held = held < by_registers ? held : by_registers;
    held = held > each ? each : held;
    return held < 1 ? 1 : held;
}

/* On matrix units the stages of a tile are still being filled from 256 to 512: a step of K there
 * takes half the time of later ones. On the FP32 lanes a stage takes thousands of cycles; where
 * CTAs follow each other on a place, two short runs differ by how their ends meet the writes of the
 * results as much as by a few stages: of one run that is looked at where all stages are alike. All
 * SMs ask for their first lines at once, and have caught up with it a few stages later. */
static void take_depths(ww__plan *plan)
{
    if (plan->op->tensor) {
        plan->depths[0] = 512;
        plan->depths[1] = 1024;
        return;
    }
    const uint64_t step = plan->depth_step;
    plan->depths[0] = 12 * step;
    plan->depths[1] = 24 * step;
    plan->steady[0] = 4 * step;
    plan->steady[1] = 13 * step;
    plan->steady[2] = 14 * step;
}

static void take_tile(ww__plan *plan, const ww_operator_tile *tile, unsigned splits)
{
    plan->tile = tile;
    plan->splits = splits;
    snprintf(plan->kernel, sizeof plan->kernel, "%s_%ux%u", plan->unit, tile->m, tile->n);
    plan->threads = tile->threads;
    plan->shared = tile->shared_bytes;
    plan->ctas =
        ww_ceil_div(plan->m, tile->m) * ww_ceil_div(plan->n, tile->n) * plan->batch * splits;
    plan->depth_step = tile->k_bytes / ww_number_bytes(plan->op->number);
    take_depths(plan);
}

/* Cycles by a rule: each SM works through its CTAs one after the other, and each round of those it
 * holds fills and drains its pipeline once: the fill waits for memory, the drain writes the result.
 * A CTA alone on its SM shows at each stage the wait at its barrier and for its first fragments,
 * about 250 cycles on the simulated A100. Parts of K are written and read as floats, 32 bytes a
 * cycle and SM, by a kernel more. */
static double rule_cycles(const ww__plan *plan, const ww_arch *arch, unsigned share)
{
    const ww_operator_tile *t = plan->tile;
    const double fill = 2000, alone = 250, another_kernel = 4000;
    const double sms = (double)arch->sm.count * share;
    double each = (double)ww_ceil_div(plan->ctas, (uint64_t)arch->sm.count * share);
    double held = held_ctas(plan, arch, each);
    double stages = (double)ww_ceil_div(plan->depth * ww_number_bytes(plan->op->number),
                                        (uint64_t)t->k_bytes * plan->splits);
    double stage = plan->engines      ? group_stage_cycles(t, arch)
                   : plan->op->tensor ? stage_cycles(t, arch)
                                      : lanes_stage_cycles(t, arch, held * t->threads / 32);
    stage += held < 2 && !plan->engines ? alone : 0;
    double drain = (double)t->m * t->n / 64.0;
    drain += t->slices > 0 ? 2.0 * (t->slices - 1) * t->m * t->n / 32 : 0; /* through the banks */
    double cycles = each / held * fill + each * (stages * stage + drain);
    if (plan->splits > 1) {
        cycles +=
            another_kernel + 8.0 * plan->splits * (double)plan->m * (double)plan->n / (32 * sms);
    }
    return cycles;
}

/* Candidates in the order of their estimates. */
typedef struct candidates {
    ww__plan *plan;
    double cycles[WW__MOST_CANDIDATES];
    size_t count;
} candidates;

static void offer(candidates *c, const ww__plan *plan, double cycles)
{
    size_t at = c->count < WW__MOST_CANDIDATES ? c->count++ : WW__MOST_CANDIDATES;
    for (; at > 0 && cycles < c->cycles[at - 1]; at--) {
        if (at < WW__MOST_CANDIDATES) {
            c->plan[at] = c->plan[at - 1];
            c->cycles[at] = c->cycles[at - 1];
        }
    }
    if (at < WW__MOST_CANDIDATES) {
        c->plan[at] = *plan;
        c->cycles[at] = cycles;
    }
}

/* Parts of K are floats in the workspace that PyTorch gives cublasLt, as cuBLAS's manual has it:
 * 4 MiB, on Hopper 32 MiB (pytorch/pytorch, pull request 120925). A larger product is not split. */
static bool parts_fit(const ww__plan *plan, unsigned splits, const ww_arch *arch)
{
    const double workspace = arch->chip.compute_capability >= 90 ? 32 << 20 : 4 << 20;
    return (double)plan->m * (double)plan->n * splits * sizeof(float) <= workspace;
}

/* In fp32 cuBLAS (CUDA 12.1) splits K where even tiles of 32 x 32, its least, are fewer than three
 * to two SMs: 397 of 454 such products on an A100, and 73 of 6,422 larger ones (sitar-lab/NeuSight,
 * grids of PyTorch's linear layers as measured). */
static bool is_worth_parts(const ww__plan *plan, const ww__slice *slice)
{
    enum { SIDE = 32 };
    const uint64_t sms = (uint64_t)slice->arch->sm.count * slice->share;
    return plan->op->tensor ||
           2 * ww_ceil_div(plan->m, SIDE) * ww_ceil_div(plan->n, SIDE) < 3 * sms;
}

/* The large tiles need more shared memory than an SM of GA102 has. */
static bool tile_fits(const ww_operator_tile *tile, const ww_arch *arch)
{
    return tile->shared_bytes <= arch->sm.shared_bytes;
}

/* Warp groups take 16-bit numbers on compute capability 9.0 alone, for whose PTX there is no later
 * machine; of these bf16 is there. A product is not split among them. */
static void offer_group_tiles(const ww__plan *plan, const ww_arch *arch, unsigned share,
                              candidates *c)
{
    size_t count;
    const ww_operator_tile *tiles = ww_operator_group_tiles(&count);
    if (arch->chip.compute_capability != 90 || plan->op->kind != WW_OPERATOR_GEMM ||
        plan->op->number != WW_NUMBER_BF16) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        ww__plan tried = *plan;
        tried.engines = true;
        snprintf(tried.unit, sizeof tried.unit, "wgmma_bf16_%s", plan->b_along_n ? "nn" : "tn");
        take_tile(&tried, &tiles[i], 1);
        offer(c, &tried, rule_cycles(&tried, arch, share));
    }
}

static void take_lanes_unit(ww__plan *plan, const ww_operator_tile *tile)
{
    if (tile->slices > 0) {
        snprintf(plan->unit, sizeof plan->unit, "sgemm_sliced_%s", plan->b_along_n ? "nn" : "tn");
    }
}

/* Slices of K are for results of so few tiles that one slice would leave an SM fewer than two warps
 * to a scheduler. */
static bool is_worth_slices(const ww__plan *plan, const ww__slice *slice)
{
    const uint64_t sms = (uint64_t)slice->arch->sm.count * slice->share;
    return plan->tile->slices == 0 ||
           ww_ceil_div(plan->ctas, sms) * plan->threads / plan->tile->slices <
               2 * (uint64_t)slice->arch->sm.schedulers * 32;
}

/* Batches of products of rows of N in fp32: cuBLAS takes tiles of 128 x 128 for 18,869 of 18,942 on
 * an A100, however narrow the result is (NeuSight, torch.bmm). */
static bool is_of_a_batch(const ww__plan *plan, const ww_operator_tile *tile)
{
    return plan->op->tensor || plan->batch == 1 || !plan->b_along_n ||
           (tile->m == 128 && tile->n == 128);
}

/* Every tile that fits, and for one matrix every number of parts of K that have 512 bytes each
 * of a row and room for their sums; those within 15 % of the least remain. */
static size_t offer_tiles(const ww__plan *plan, const ww__slice *slice, bool split, ww__plan *out)
{
    static const unsigned splits[] = {1, 2, 3, 4, 6, 8, 12, 16};
    enum { LINE = 128, LEAST_LINES = 4 }; /* bytes of a row; lines of it to a part */
    size_t tile_count;
    const ww_operator_tile *tiles =
        plan->op->tensor ? ww_operator_tiles(&tile_count) : ww_operator_sgemm_tiles(&tile_count);
    const uint64_t lines = ww_ceil_div(plan->depth * ww_number_bytes(plan->op->number), LINE);
    split = split && is_worth_parts(plan, slice);
    candidates c = {.plan = out};
    for (size_t i = 0; i < tile_count; i++) {
        if (!tile_fits(&tiles[i], slice->arch) || !is_of_a_batch(plan, &tiles[i])) {
            continue;
        }
        for (size_t s = 0; s < (split ? sizeof splits / sizeof splits[0] : 1); s++) {
            ww__plan tried = *plan;
            if (s == 0 || (lines >= (uint64_t)LEAST_LINES * splits[s] &&
                           parts_fit(plan, splits[s], slice->arch))) {
                take_lanes_unit(&tried, &tiles[i]);
                take_tile(&tried, &tiles[i], splits[s]);
                if (is_worth_slices(&tried, slice)) {
                    offer(&c, &tried, rule_cycles(&tried, slice->arch, slice->share));
                }
            }
        }
    }
    offer_group_tiles(plan, slice->arch, slice->share, &c);
    while (c.count > 1 && c.cycles[c.count - 1] > 1.15 * c.cycles[0]) {
        c.count--;
    }
    return c.count;
}

static ww_status plan_gemm(const ww_graph *graph, ww__plan *plan, const ww__slice *slice,
                           ww_error *err)
{
    const ww_operator *op = plan->op;
    if (op->tensor ? op->number == WW_NUMBER_FP32 : op->number != WW_NUMBER_FP32) {
        return ww__refuse(op, "products in fp32 run without matrix units, all others on them", err);
    }
    if (op->number == WW_NUMBER_FP8 && slice->arch->chip.compute_capability < 89) {
        return ww__refuse(op, "products in fp8 need compute capability 8.9; in int8 none of it",
                          err);
    }
    /* Weights of a linear layer are rows of K, and its result has a row per token, where the listed
     * sizes have tokens as columns; GPT-2's are rows of N. Probabilities meet values as rows of N.
     */
    bool linear = op->batch == 1, rows_of_n = linear ? strncmp(graph->model, "gpt2", 4) == 0
                                                     : op->k > op->n || op->k == op->m;
    bool swapped = linear && !rows_of_n, chunks = ww_number_bytes(op->number) == 2;
    if (rows_of_n && op->tensor && !chunks) {
        return ww__refuse(
            op, "operands of other than 16 bits lie along K; bf16 and fp16 also across", err);
    }
    plan->batch = op->batch;
    plan->m = swapped ? op->n : op->m;
    plan->n = swapped ? op->m : op->n;
    plan->b_along_n = rows_of_n;
    plan->bias = linear;
    plan->depth = op->k;
    const char *layout = rows_of_n ? "nn" : "tn";
    if (!op->tensor) {
        snprintf(plan->unit, sizeof plan->unit, "sgemm_%s", layout);
        return WW_OK;
    }
    const char *number = op->number == WW_NUMBER_INT8   ? "s8"
                         : op->number == WW_NUMBER_FP8  ? "e4m3"
                         : op->number == WW_NUMBER_TF32 ? "tf32"
                                                        : ww__suffix(op->number);
    snprintf(plan->unit, sizeof plan->unit, "gemm_%s_%s", number, layout);
    return WW_OK;
}

/* A depthwise convolution does not use matrix units, whatever the profiler lists. */
static ww_status plan_depthwise(ww__plan *plan, ww_error *err)
{
    const ww_operator *op = plan->op;
    const unsigned chunk = 16 / ww_number_bytes(op->number);
    if (op->conv.groups != op->conv.c || op->conv.m != op->conv.c || op->conv.c % chunk != 0 ||
        ww_number_bytes(op->number) == 1) {
        return ww__refuse(
            op, "grouped convolutions have a channel a group, in whole chunks of 16 bytes", err);
    }
    memcpy(plan->unit, "depthwise", sizeof "depthwise");
    snprintf(plan->kernel, sizeof plan->kernel, "depthwise_%s", ww__suffix(op->number));
    plan->threads = WW_DEPTHWISE_THREADS;
    plan->ctas = ww_ceil_div(op->m * op->n / chunk, WW_DEPTHWISE_THREADS);
    plan->warp_instructions =
        8 * (100 + (double)(op->conv.rs * op->conv.rs) * (12 + 4.0 * (double)chunk));
    return WW_OK;
}

static ww_status plan_conv(ww__plan *plan, ww_error *err)
{
    const ww_operator *op = plan->op;
    const unsigned chunk = 16 / ww_number_bytes(op->number);
    if (op->conv.groups > 1) {
        return plan_depthwise(plan, err);
    }
    if (!op->tensor || (op->number != WW_NUMBER_BF16 && op->number != WW_NUMBER_TF32)) {
        return ww__refuse(op, "convolutions are there in bf16 and tf32 on matrix units", err);
    }
    if (op->conv.m % chunk != 0 || op->conv.padding > 1 << 14 || op->conv.hw > 1 << 14) {
        return ww__refuse(op, "convolutions take output channels in whole chunks of 16 bytes", err);
    }
    plan->batch = 1;
    plan->m = op->m;
    plan->n = op->n;
    plan->channels = ww_align_up(op->conv.c, chunk);
    plan->depth = op->conv.rs * op->conv.rs * plan->channels;
    snprintf(plan->unit, sizeof plan->unit, "conv_%s", ww_number_name(op->number));
    return WW_OK;
}

/* ---- all ---- */

static ww_status plan_kernel(const ww_graph *graph, ww__plan *plan, const ww__slice *slice,
                             ww_error *err)
{
    switch (plan->op->kind) {
    case WW_OPERATOR_GEMM:
        return plan_gemm(graph, plan, slice, err);
    case WW_OPERATOR_CONV2D:
        return plan_conv(plan, err);
    case WW_OPERATOR_ELEMENTWISE:
        return ww__plan_pointwise(graph, plan, err);
    case WW_OPERATOR_SOFTMAX:
    case WW_OPERATOR_LAYERNORM:
    case WW_OPERATOR_RMSNORM:
        return plan_rows(plan, err);
    default:
        return ww__plan_tokens(graph, plan, slice, err);
    }
}

/* Warp instructions of a CTA and stage of a product, by its multiply-adds. */
static double stage_instructions(const ww__plan *plan)
{
    if (!plan->op->tensor) {
        return (double)plan->tile->m * plan->tile->n * plan->depth_step / 32 * 1.2;
    }
    double mma = (double)plan->tile->m * plan->tile->n * plan->tile->k_bytes / 4096.0;
    return mma * (plan->op->kind == WW_OPERATOR_CONV2D ? 2.5 : 1.6);
}

ww_status ww__plan_candidates(const ww_graph *graph, const ww_operator *op, const ww__slice *slice,
                              ww__plan *out, size_t *count, ww_error *err)
{
    ww__plan plan = {.op = op, .splits = 1};
    WW_TRY(plan_kernel(graph, &plan, slice, err));
    const bool product = plan.depth > 0 && plan.tile == NULL;
    out[0] = plan;
    *count = product
                 ? offer_tiles(&plan, slice, op->kind == WW_OPERATOR_GEMM && op->batch == 1, out)
                 : 1;
    for (size_t i = 0; i < *count; i++) {
        if (product) {
            out[i].warp_instructions = stage_instructions(&out[i]) / out[i].splits;
            out[i].sums = out[i].splits > 1;
        }
        if (ww_ceil_div(out[i].ctas, slice->share) > INT32_MAX) {
            return ww__refuse(op, "its grid has more than 2^31 CTAs", err);
        }
    }
    return WW_OK;
}
