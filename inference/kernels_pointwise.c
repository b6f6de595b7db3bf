/* kernels_pointwise.c - elementwise functions: which kernel, and parts of them on a slice.
 *
 * As ATen launches them: contiguous operands of one type in vectors, strided or repeated ones and
 * copies that turn a tensor element by element behind a division of the index per dimension. */
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "inference/kernels.h"

/* Positions of GPT-2: rows of its causal mask are so long, whatever the sequence. */
enum { CAUSAL_PITCH = 1024 };

/* ---- walks ---- */

/* Sizes beyond it are those of a last dimension, of which only the beginning is simulated. */
#define MOST_SIZE (UINT64_C(1) << 31)

static void add_dim(ww__walk *w, uint64_t size, uint64_t result, uint64_t a, uint64_t b, uint64_t c)
{
    uint32_t by = (uint32_t)(size < MOST_SIZE ? size : MOST_SIZE), shift = 0;
    while (shift < 32 && (UINT64_C(1) << shift) < by) {
        shift++;
    }
    uint32_t magic = (uint32_t)((((UINT64_C(1) << 32) * ((UINT64_C(1) << shift) - by)) / by) + 1);
    w->size[w->dims] = (ww__divisor){by, magic, shift};
    const uint64_t steps[WW__WALK_OPERANDS] = {result, a, b, c};
    for (int i = 0; i < WW__WALK_OPERANDS; i++) {
        w->step[w->dims][i] = (uint32_t)steps[i];
    }
    w->dims++;
}

/* Bytes of an operand up to the last that the first n elements touch. */
static uint64_t reach(const ww__walk *w, int operand, uint64_t n, unsigned number_bytes)
{
    uint64_t last = 0;
    for (uint32_t d = 0; d < w->dims; d++) {
        uint64_t span = n < w->size[d].by ? n : w->size[d].by;
        last += (span - 1) * w->step[d][operand];
        n = ww_ceil_div(n, w->size[d].by);
    }
    return last + number_bytes;
}

static void take_strided(ww__plan *plan, const char *kernel, unsigned operands)
{
    const unsigned each = ww_number_bytes(plan->op->number) >= 4 ? 2 : 4;
    snprintf(plan->kernel, sizeof plan->kernel, "%s_strided_%s", kernel,
             ww__suffix(plan->op->number));
    plan->operands = operands;
    plan->cta_elements = (uint64_t)WW_POINTWISE_THREADS * each;
    plan->ctas = ww_ceil_div(plan->op->m, plan->cta_elements);
    plan->warp_instructions = 4.0 * (25 + each * (12.0 + 9.0 * plan->walk.dims));
}

/* ---- masks ---- */

static const ww_operator *first_softmax(const ww_graph *graph)
{
    for (size_t i = 0; i < graph->count; i++) {
        if (graph->operators[i].kind == WW_OPERATOR_SOFTMAX) {
            return &graph->operators[i];
        }
    }
    return NULL;
}

static bool has_pointwise(const ww_graph *graph, ww_pointwise kind, uint64_t elements)
{
    for (size_t i = 0; i < graph->count; i++) {
        const ww_operator *op = &graph->operators[i];
        if (op->kind == WW_OPERATOR_ELEMENTWISE && op->pointwise == kind && op->m == elements) {
            return true;
        }
    }
    return false;
}

/* A mask is added to scores, or chooses among them: one of keys for each sequence (encoders), of
 * queries and keys for each (OPT), or the same for all, a part of a larger one (GPT-2). Where one
 * chooses, an addition as large as the scores is another: GPT-2's activation at 256 tokens. */
static void plan_mask(const ww_graph *graph, ww__plan *plan)
{
    const ww_operator *op = plan->op, *softmax = first_softmax(graph);
    bool chooses = op->pointwise == WW_POINTWISE_UNSPECIFIED_TENSOR;
    if ((op->pointwise != WW_POINTWISE_ADD && !chooses) || softmax == NULL ||
        op->m != softmax->batch * softmax->m) {
        return;
    }
    if (!chooses && has_pointwise(graph, WW_POINTWISE_UNSPECIFIED_TENSOR, op->m)) {
        return;
    }
    const uint64_t size = ww_number_bytes(op->number), keys = softmax->m;
    const uint64_t sequences = graph->batch > 0 ? graph->batch : 1;
    const uint64_t queries = graph->sequence > 0 && graph->phase[0] != 'd' ? graph->sequence : 1;
    const uint64_t pitch = keys > CAUSAL_PITCH ? keys : CAUSAL_PITCH;
    const uint64_t inner = strncmp(graph->model, "bert", 4) == 0 ? keys : queries * keys;
    if (op->m % (inner * (chooses ? 1 : sequences)) != 0) {
        return;
    }
    if (chooses) {
        add_dim(&plan->walk, keys, size, 1, size, 0);
        add_dim(&plan->walk, queries, size * keys, pitch, size * keys, 0);
        add_dim(&plan->walk, op->m / inner, size * inner, 0, size * inner, 0);
        take_strided(plan, "where", 4);
        return;
    }
    const uint64_t rows = op->m / inner / sequences;
    add_dim(&plan->walk, inner, size, size, size, 0);
    add_dim(&plan->walk, rows, size * inner, size * inner, 0, 0);
    add_dim(&plan->walk, sequences, size * inner * rows, size * inner * rows, size * inner, 0);
    take_strided(plan, "add", 3);
}

/* ---- copies ---- */

/* The batched product that multiplies queries with keys of so many elements. */
static const ww_operator *scores_of(const ww_graph *graph, uint64_t elements)
{
    const ww_operator *first = NULL;
    for (size_t i = 0; i < graph->count; i++) {
        const ww_operator *op = &graph->operators[i];
        if (op->kind == WW_OPERATOR_GEMM && op->batch > 1) {
            first = first == NULL ? op : first;
            if (op->batch * op->m * op->k == elements) {
                return op;
            }
        }
    }
    return first;
}

/* [sequence][head][row][column] of [sequence][row][head][column]; of keys [...][column][row], whose
 * rows the result's threads read far apart. Rows of GPT-2's hold queries, keys and values. */
static ww_status plan_transpose(const ww_graph *graph, ww__plan *plan, ww_error *err)
{
    const ww_operator *op = plan->op, *scores = scores_of(graph, op->m);
    const uint64_t sequences = graph->batch > 0 ? graph->batch : 1;
    if (scores == NULL || scores->batch % sequences != 0) {
        return ww__refuse(op, "a transpose takes its heads from a pass's batched products", err);
    }
    const uint64_t size = ww_number_bytes(op->number), width = scores->k, rows = scores->m;
    const uint64_t heads = scores->batch / sequences;
    const uint64_t row = size * width * heads * (strncmp(graph->model, "gpt2", 4) == 0 ? 3 : 1);
    if (op->m % (width * rows * heads) != 0) {
        return ww__refuse(op, "a transpose is of whole sequences", err);
    }
    const uint64_t count = op->m / (width * rows * heads);
    if (op->pointwise == WW_POINTWISE_TRANSPOSE_KEYS) {
        add_dim(&plan->walk, rows, size, row, 0, 0);
        add_dim(&plan->walk, width * heads, size * rows, size, 0, 0);
        add_dim(&plan->walk, count, size * rows * width * heads, row * rows, 0, 0);
    } else {
        add_dim(&plan->walk, width, size, size, 0, 0);
        add_dim(&plan->walk, rows, size * width, row, 0, 0);
        add_dim(&plan->walk, heads, size * width * rows, size * width, 0, 0);
        add_dim(&plan->walk, count, size * width * rows * heads, row * rows, 0, 0);
    }
    take_strided(plan, "copy", 2);
    return WW_OK;
}

/* ---- plans ---- */

static bool is_cast(const ww_operator *op)
{
    return op->pointwise == WW_POINTWISE_TO_FP32 || op->pointwise == WW_POINTWISE_TO_BF16;
}

ww_status ww__plan_pointwise(const ww_graph *graph, ww__plan *plan, ww_error *err)
{
    static const char *const names[] = {
        [WW_POINTWISE_ADD] = "add",
        [WW_POINTWISE_MUL] = "mul",
        [WW_POINTWISE_SCALAR_ADD] = "scalar_add",
        [WW_POINTWISE_SCALAR_MUL] = "scalar_mul",
        [WW_POINTWISE_UNSPECIFIED_SCALAR] = "scalar_mul",
        [WW_POINTWISE_UNSPECIFIED_TENSOR] = "mul",
        [WW_POINTWISE_RELU] = "relu",
        [WW_POINTWISE_GELU] = "gelu",
        [WW_POINTWISE_SILU] = "silu",
        [WW_POINTWISE_TANH] = "tanh",
        [WW_POINTWISE_SILU_MUL] = "silu_mul",
        [WW_POINTWISE_DIVIDE_TENSOR] = "divide",
        [WW_POINTWISE_TRANSPOSE] = "copy",
        [WW_POINTWISE_TRANSPOSE_KEYS] = "copy",
        [WW_POINTWISE_TO_FP32] = "cast",
        [WW_POINTWISE_TO_BF16] = "cast",
    };
    const ww_operator *op = plan->op;
    const ww_number result = ww_pointwise_result(op);
    if (ww_number_bytes(op->number) == 1 || op->number == WW_NUMBER_TF32 ||
        (is_cast(op) && result == op->number)) {
        return ww__refuse(op, "elementwise kernels take bf16, fp16 and fp32", err);
    }
    memcpy(plan->unit, "pointwise", sizeof "pointwise");
    snprintf(plan->kernel, sizeof plan->kernel, "%s_%s", names[op->pointwise], ww__suffix(result));
    plan->threads = WW_POINTWISE_THREADS;
    plan->cta_elements = WW_POINTWISE_BLOCK;
    plan->ctas = ww_ceil_div(op->m, WW_POINTWISE_BLOCK);
    plan->warp_instructions = 4 * 60;
    switch (op->pointwise) {
    case WW_POINTWISE_TRANSPOSE:
    case WW_POINTWISE_TRANSPOSE_KEYS:
        return plan_transpose(graph, plan, err);
    case WW_POINTWISE_DIVIDE_TENSOR:
        add_dim(&plan->walk, op->m, ww_number_bytes(op->number), ww_number_bytes(op->number), 0, 0);
        take_strided(plan, "divide", 3);
        return WW_OK;
    default:
        plan_mask(graph, plan);
        return WW_OK;
    }
}

/* ---- runs ---- */

static ww_status run_strided(const ww__part *p, uint64_t n)
{
    const ww__plan *plan = p->plan;
    const unsigned size = ww_number_bytes(plan->op->number);
    const bool where = plan->operands == 4;
    uint32_t count = (uint32_t)n;
    ww_devptr y, a, b = 0, mask = 0;
    const int first = where ? 2 : 1;
    WW_TRY(ww__part_input(p, reach(&plan->walk, first, n, size) / size, WW__ACTIVATIONS, &a));
    WW_TRY(ww__part_buffer(p, n, plan->op->number, WW__RESULTS, &y));
    if (plan->operands == 2) {
        return ww__part_launch(p, WW__ARGS(&a, &y, &count, &plan->walk));
    }
    WW_TRY(ww__part_buffer(p, reach(&plan->walk, first + 1, n, size) / size, plan->op->number,
                           WW__ACTIVATIONS, &b));
    if (!where) {
        return ww__part_launch(p, WW__ARGS(&a, &b, &y, &count, &plan->walk));
    }
    WW_TRY(ww__part_buffer(p, reach(&plan->walk, 1, n, 1), WW_NUMBER_INT8, WW__ACTIVATIONS, &mask));
    return ww__part_launch(p, WW__ARGS(&mask, &a, &b, &y, &count, &plan->walk));
}

/* Types as the kernels of casts are told them. */
static unsigned type_of(ww_number number)
{
    return number == WW_NUMBER_BF16 ? 0 : number == WW_NUMBER_FP16 ? 1 : 2;
}

ww_status ww__run_pointwise(const ww__part *p)
{
    const ww__plan *plan = p->plan;
    const ww_operator *op = plan->op;
    const ww_number result = ww_pointwise_result(op);
    uint64_t whole = p->ctas * plan->cta_elements, n = whole < op->m ? whole : op->m;
    int64_t size = (int64_t)n;
    float scalar = 0.125f;
    ww_devptr a, b, y;
    if (plan->walk.dims > 0) {
        return run_strided(p, n);
    }
    WW_TRY(ww__part_input(p, n, WW__ACTIVATIONS, &a));
    WW_TRY(ww__part_buffer(p, n, result, WW__RESULTS, &y));
    if (is_cast(op)) {
        unsigned from = type_of(op->number), to = type_of(result);
        return ww__part_launch(p, WW__ARGS(&a, &y, &size, &from, &to));
    }
    if (ww_pointwise_operands(op->pointwise) == 1) {
        return ww__part_launch(p, WW__ARGS(&a, &y, &size, &scalar));
    }
    WW_TRY(ww__part_buffer(p, n, op->number, WW__ACTIVATIONS, &b));
    return ww__part_launch(p, WW__ARGS(&a, &b, &y, &size, &scalar));
}
