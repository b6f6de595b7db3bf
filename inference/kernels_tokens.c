/* kernels_tokens.c - attention, rotary embedding and look-up of embeddings: which kernel, and parts
 * of them on a slice. */
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "inference/kernels.h"

/* ---- attention ---- */

/* One query per sequence: the context in as many parts as fill each SM twice, of no fewer than 64
 * keys. Eight lanes have a key, so that a warp has four of sixteen at a time. */
static ww_status plan_one(ww__plan *plan, const ww__slice *slice, ww_error *err)
{
    const ww_operator *op = plan->op;
    const uint64_t rows = op->batch * op->attention.kv_heads;
    const uint64_t wanted = 2 * (uint64_t)slice->arch->sm.count * slice->share;
    const uint64_t most = ww_ceil_div(op->n, 64), fill = ww_ceil_div(wanted, rows);
    if (op->number != WW_NUMBER_BF16 || plan->group > 8) {
        return ww__refuse(
            op, "attention of one query is there in bf16, of up to 8 heads to one of keys", err);
    }
    const unsigned held = plan->group > 4 ? 8 : plan->group > 1 ? 4 : 1;
    memcpy(plan->unit, "attend_one", sizeof "attend_one");
    snprintf(plan->kernel, sizeof plan->kernel, "attend_one_%u_bf16_%u", (unsigned)op->k, held);
    plan->splits = (unsigned)(fill < most ? fill : most);
    plan->sums = true;
    plan->ctas = rows * plan->splits;
    plan->warp_instructions = 4.0 * (double)ww_ceil_div(op->n, 16 * plan->splits) *
                              (30 + held * ((double)op->k / 8 * 3 + 20));
    return WW_OK;
}

static ww_status plan_attention(ww__plan *plan, const ww__slice *slice, ww_error *err)
{
    const ww_operator *op = plan->op;
    const ww_attention_shape *a = &op->attention;
    plan->group = (unsigned)(a->heads / a->kv_heads);
    if ((op->k != 64 && op->k != 128) ||
        (op->number != WW_NUMBER_BF16 && op->number != WW_NUMBER_FP16)) {
        return ww__refuse(op, "attention is there in bf16 and fp16, of heads of 64 and 128", err);
    }
    if (a->causal && op->n < op->m) {
        return ww__refuse(op, "causal attention sees at least as many keys as it has queries", err);
    }
    if (op->n > INT32_MAX / 2 || op->m > INT32_MAX / 2) {
        return ww__refuse(op, "attention sees up to 2^30 positions", err);
    }
    plan->threads = WW_ATTENTION_THREADS;
    if (op->m == 1) {
        return plan_one(plan, slice, err);
    }
    memcpy(plan->unit, "attention", sizeof "attention");
    snprintf(plan->kernel, sizeof plan->kernel, "attention_%u_%s", (unsigned)op->k,
             ww__suffix(op->number));
    plan->shared = 5 * WW_ATTENTION_ROWS * (uint32_t)op->k * 2;
    plan->ctas = op->batch * a->heads * ww_ceil_div(op->m, WW_ATTENTION_ROWS);
    double keys = (double)op->n - (a->causal ? (double)op->m / 2 : 0);
    plan->warp_instructions = 4 * (keys / 64) * (1.5 * (double)op->k + 450);
    return WW_OK;
}

/* Heads of keys that the first so many heads of queries look at. */
static uint64_t heads_of_keys(const ww__part *p, uint64_t heads)
{
    const ww_attention_shape *a = &p->plan->op->attention;
    return (heads - 1) / a->heads * a->kv_heads + (heads - 1) % a->heads / p->plan->group + 1;
}

static ww_status run_one(const ww__part *p)
{
    const ww_operator *op = p->plan->op;
    const uint64_t keys = ww_ceil_div(p->ctas, p->plan->splits), heads = keys * p->plan->group;
    int group = (int)p->plan->group, n = (int)op->n, splits = (int)p->plan->splits;
    float scale = 0.125f;
    ww_devptr q, k, v, part;
    WW_TRY(ww__part_input(p, heads * op->k, WW__ACTIVATIONS, &q));
    WW_TRY(ww__part_buffer(p, keys * op->n * op->k, op->number, WW__ACTIVATIONS, &k));
    WW_TRY(ww__part_buffer(p, keys * op->n * op->k, op->number, WW__ACTIVATIONS, &v));
    WW_TRY(ww__part_buffer(p, heads * p->plan->splits * (op->k + 2), WW_NUMBER_FP32, WW__RESULTS,
                           &part));
    return ww__part_launch(p, WW__ARGS(&q, &k, &v, &part, &group, &n, &splits, &scale));
}

ww_status ww__run_combine(const ww__part *p)
{
    const ww_operator *op = p->plan->op;
    int splits = (int)p->plan->splits;
    char kernel[48];
    ww_devptr part, o;
    snprintf(kernel, sizeof kernel, "combine_%u_%s", (unsigned)op->k, ww__suffix(op->number));
    WW_TRY(ww__slice_input(p->slice, p->ctas * p->plan->splits * (op->k + 2), sizeof(float), false,
                           WW__ACTIVATIONS, &part, p->err));
    WW_TRY(ww__part_buffer(p, p->ctas * op->k, op->number, WW__RESULTS, &o));
    return ww__slice_launch(p->slice, p->plan->unit, kernel, (uint32_t)p->ctas, (uint32_t)op->k, 0,
                            WW__ARGS(&part, &o, &splits), p->err);
}

static ww_status run_attention(const ww__part *p)
{
    const ww_operator *op = p->plan->op;
    const uint64_t heads = ww_ceil_div(p->ctas, ww_ceil_div(op->m, WW_ATTENTION_ROWS));
    const uint64_t keys = heads_of_keys(p, heads);
    int all = (int)op->attention.heads, all_keys = (int)op->attention.kv_heads;
    int m = (int)op->m, n = (int)op->n, causal = op->attention.causal;
    float scale = 0.125f;
    ww_devptr q, k, v, o;
    WW_TRY(ww__part_input(p, heads * op->m * op->k, WW__ACTIVATIONS, &q));
    WW_TRY(ww__part_buffer(p, keys * op->n * op->k, op->number, WW__ACTIVATIONS, &k));
    WW_TRY(ww__part_buffer(p, keys * op->n * op->k, op->number, WW__ACTIVATIONS, &v));
    WW_TRY(ww__part_buffer(p, heads * op->m * op->k, op->number, WW__RESULTS, &o));
    return ww__part_launch(p, WW__ARGS(&q, &k, &v, &o, &all, &all_keys, &m, &n, &causal, &scale));
}

/* ---- rows of tokens ---- */

/* Heads of a token: of queries and of keys, as its pass's attention has them; tokens lie at the
 * positions of a sequence. */
static void plan_rotary(const ww_graph *graph, ww__plan *plan)
{
    plan->group = 1;
    for (size_t i = 0; i < graph->count; i++) {
        const ww_operator *op = &graph->operators[i];
        if (op->kind == WW_OPERATOR_ATTENTION) {
            plan->group = (unsigned)(op->attention.heads + op->attention.kv_heads);
            break;
        }
    }
    snprintf(plan->kernel, sizeof plan->kernel, "rotary_%s", ww__suffix(plan->op->number));
    plan->ctas = ww_ceil_div(plan->op->batch * plan->op->m / 8, WW_TOKEN_THREADS);
    plan->warp_instructions = 4 * 110;
}

ww_status ww__plan_tokens(const ww_graph *graph, ww__plan *plan, const ww__slice *slice,
                          ww_error *err)
{
    const ww_operator *op = plan->op;
    const unsigned chunk = 16 / ww_number_bytes(op->number);
    if (op->kind == WW_OPERATOR_ATTENTION) {
        return plan_attention(plan, slice, err);
    }
    if (ww_number_bytes(op->number) == 1 || op->number == WW_NUMBER_TF32 || op->m % 8 != 0 ||
        op->m > INT32_MAX) {
        return ww__refuse(op, "rows of tokens are bf16, fp16 or fp32, a multiple of 8 of them",
                          err);
    }
    memcpy(plan->unit, "tokens", sizeof "tokens");
    plan->threads = WW_TOKEN_THREADS;
    if (op->kind == WW_OPERATOR_ROTARY) {
        plan_rotary(graph, plan);
        return WW_OK;
    }
    snprintf(plan->kernel, sizeof plan->kernel, "embedding_%s", ww__suffix(op->number));
    plan->ctas = op->batch;
    plan->warp_instructions =
        4 * (40 + 15.0 * (double)ww_ceil_div(op->m, chunk * WW_TOKEN_THREADS));
    return WW_OK;
}

static ww_status run_rotary(const ww__part *p)
{
    const ww_operator *op = p->plan->op;
    const uint64_t whole = p->ctas * WW_TOKEN_THREADS * 8 / op->m + 1;
    const uint64_t rows = whole < op->batch ? whole : op->batch, tokens = rows / p->plan->group + 1;
    int64_t count = (int64_t)rows;
    int width = (int)op->m, heads = (int)p->plan->group, sequence = (int)tokens;
    ww_devptr x, y, cosine, sine;
    WW_TRY(ww__part_input(p, rows * op->m, WW__ACTIVATIONS, &x));
    WW_TRY(ww__part_buffer(p, rows * op->m, op->number, WW__RESULTS, &y));
    WW_TRY(ww__part_buffer(p, tokens * op->m / 2, op->number, WW__ACTIVATIONS, &cosine));
    WW_TRY(ww__part_buffer(p, tokens * op->m / 2, op->number, WW__ACTIVATIONS, &sine));
    return ww__part_launch(p, WW__ARGS(&x, &y, &cosine, &sine, &count, &width, &heads, &sequence));
}

/* Each row another one of the table, far from the one before. */
static ww_status run_embedding(const ww__part *p)
{
    const ww_operator *op = p->plan->op;
    const uint64_t rows = p->ctas;
    int width = (int)op->m;
    ww_devptr ids, table, y;
    WW_TRY(ww__part_buffer(p, rows, WW_NUMBER_FP32, WW__RESULTS, &ids));
    WW_TRY(ww__part_buffer(p, rows * op->m, op->number, WW__WEIGHTS, &table));
    WW_TRY(ww__part_buffer(p, rows * op->m, op->number, WW__RESULTS, &y));
    int32_t *id = ww_device_host(p->slice->device, ids, rows * sizeof *id);
    for (uint64_t i = 0; id != NULL && i < rows; i++) {
        id[i] = (int32_t)(i * 7919 % rows);
    }
    return ww__part_launch(p, WW__ARGS(&ids, &table, &y, &width));
}

ww_status ww__run_tokens(const ww__part *p)
{
    switch (p->plan->op->kind) {
    case WW_OPERATOR_ATTENTION:
        return p->plan->op->m == 1 ? run_one(p) : run_attention(p);
    case WW_OPERATOR_ROTARY:
        return run_rotary(p);
    default:
        return run_embedding(p);
    }
}
