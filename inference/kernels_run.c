/* kernels_run.c - parts of operators on a slice: buffers as large as the part touches, with numbers
 * like those of a trained model's pass, and the launch. */
#include "inference/kernels.h"

#include "base/arith.h"
#include "isa/tensor_map.h"

ww_status ww__part_launch(const ww__part *p, const void *const *args, size_t count)
{
    const ww__plan *plan = p->plan;
    return ww__slice_launch(p->slice, plan->unit, plan->kernel, (uint32_t)p->ctas, plan->threads,
                            plan->shared, args, count, p->err);
}

ww_status ww__part_input(const ww__part *p, uint64_t count, ww__contents contents, ww_devptr *out)
{
    const ww_number number = p->plan->op->number;
    return ww__slice_input(p->slice, count, ww_number_bytes(number), number == WW_NUMBER_FP16,
                           contents, out, p->err);
}

ww_status ww__part_buffer(const ww__part *p, uint64_t count, ww_number number,
                          ww__contents contents, ww_devptr *out)
{
    return ww__slice_buffer(p->slice, count, ww_number_bytes(number), number == WW_NUMBER_FP16,
                            contents, out, p->err);
}

/* ---- rows ---- */

static ww_status run_rows(const ww__part *p)
{
    const ww_operator *op = p->plan->op;
    uint64_t each = op->kind != WW_OPERATOR_SOFTMAX || op->m > WW_SOFTMAX_WARP_MOST ? 1
                    : op->m <= 128                                                  ? 8
                                                                                    : 4;
    uint64_t rows = p->ctas * each < op->batch ? p->ctas * each : op->batch;
    int count = (int)rows, length = (int)op->m;
    float eps = 1e-5f;
    ww_devptr x, y, gamma, beta, mean, scale;
    WW_TRY(ww__part_input(p, rows * op->m, WW__ACTIVATIONS, &x));
    WW_TRY(ww__part_buffer(p, rows * op->m, op->number, WW__RESULTS, &y));
    if (op->kind == WW_OPERATOR_SOFTMAX) {
        return op->m > WW_SOFTMAX_WARP_MOST ? ww__part_launch(p, WW__ARGS(&x, &y, &length))
                                            : ww__part_launch(p, WW__ARGS(&x, &y, &count, &length));
    }
    WW_TRY(ww__part_buffer(p, op->m, op->number, WW__ACTIVATIONS, &gamma));
    if (op->kind == WW_OPERATOR_RMSNORM) {
        return ww__part_launch(p, WW__ARGS(&x, &gamma, &y, &length, &eps));
    }
    WW_TRY(ww__part_buffer(p, op->m, op->number, WW__WEIGHTS, &beta));
    WW_TRY(ww__part_buffer(p, rows, WW_NUMBER_FP32, WW__RESULTS, &mean));
    WW_TRY(ww__part_buffer(p, rows, WW_NUMBER_FP32, WW__RESULTS, &scale));
    return ww__part_launch(p, WW__ARGS(&x, &gamma, &beta, &y, &mean, &scale, &length, &eps));
}

/* ---- products ---- */

/* Leading dimensions hold whole chunks of 16 bytes. */
static uint64_t padded(uint64_t n, unsigned number_bytes)
{
    uint64_t chunk = 16 / number_bytes;
    return ww_align_up(n, chunk);
}

/* What products of a number are written as. */
static ww_number product_result(ww_number number)
{
    return number == WW_NUMBER_INT8 || number == WW_NUMBER_TF32 ? WW_NUMBER_FP32
           : number == WW_NUMBER_FP8                            ? WW_NUMBER_BF16
                                                                : number;
}

/* Tiles in a corner of the product that hold `ctas` of them, in the order in which CTAs take them:
 * groups of eight rows. */
static void corner(const ww__plan *plan, uint64_t ctas, uint64_t *batch, uint64_t *m, uint64_t *n)
{
    const ww_operator_tile *t = plan->tile;
    uint64_t tiles_m = ww_ceil_div(plan->m, t->m), tiles_n = ww_ceil_div(plan->n, t->n);
    uint64_t all = tiles_m * tiles_n, rows = tiles_m < 8 ? tiles_m : 8;
    *batch = ww_ceil_div(ctas, all);
    *m = plan->m;
    *n = plan->n;
    if (*batch > 1) {
        return;
    }
    uint64_t columns = ww_ceil_div(ctas, rows);
    if (columns < tiles_n) {
        *n = columns * t->n;
        *m = rows * t->m < plan->m ? rows * t->m : plan->m;
    } else {
        uint64_t groups = ww_ceil_div(ctas, 8 * tiles_n);
        *m = 8 * groups * t->m < plan->m ? 8 * groups * t->m : plan->m;
    }
}

/* A tensor map of matrices of bf16 whose boxes have rows of 128 bytes, swizzled. */
typedef struct map {
    unsigned char bytes[WW_TENSOR_MAP_BYTES];
} map;

static ww_status make_map(const ww__part *p, ww_devptr address, uint64_t columns, uint64_t rows,
                          uint64_t step, uint32_t box_rows, map *out)
{
    enum { NUMBER = 2, SPAN = 64 }; /* bytes; numbers of a row of a box */
    const ww_tensor_map m = {.address = address,
                             .dim = {columns, rows, p->plan->batch},
                             .stride = {NUMBER, NUMBER * step, NUMBER * step * rows},
                             .box = {SPAN, box_rows, 1},
                             .step = {1, 1, 1},
                             .type = WW_TENSOR_BF16,
                             .rank = 3,
                             .swizzle = WW_SWIZZLE_128B,
                             .promotion = 2};
    const char *problem = ww_tensor_map_problem(&m);
    if (problem != NULL) {
        return ww_fail(p->err, WW_EINTERNAL, "%s: a tensor map: %s", p->plan->kernel, problem);
    }
    ww_tensor_map_encode(&m, out->bytes);
    return WW_OK;
}

/* Operands of a product in memory. */
typedef struct operands {
    uint64_t rows, columns, lda, ldb, ldc;
    ww_devptr a, b, c, bias;
} operands;

static ww_status run_on_engines(const ww__part *p, const operands *o)
{
    enum { BOX = 64 }; /* rows of C's boxes, and of B's where it lies across K */
    const ww__plan *plan = p->plan;
    const bool across = plan->b_along_n;
    int m = (int)o->rows, n = (int)o->columns, k = (int)p->depth;
    map a, b, c;
    WW_TRY(make_map(p, o->a, p->depth, o->rows, o->lda, plan->tile->m, &a));
    WW_TRY(make_map(p, o->b, across ? o->columns : p->depth, across ? p->depth : o->columns, o->ldb,
                    across ? BOX : plan->tile->n, &b));
    WW_TRY(make_map(p, o->c, o->columns, o->rows, o->ldc, BOX, &c));
    return ww__part_launch(p, WW__ARGS(&a, &b, &c, &o->bias, &m, &n, &k));
}

static ww_status run_product(const ww__part *p)
{
    const ww__plan *plan = p->plan;
    const ww_operator *op = plan->op;
    const unsigned size = ww_number_bytes(op->number);
    uint64_t batch, rows, columns;
    corner(plan, ww_ceil_div(p->ctas, plan->splits), &batch, &rows, &columns);
    const ww_number result = product_result(op->number);
    /* Rows lie as far apart as in the whole, where a part of a run stands for what follows it. */
    const uint64_t lda = padded(plan->steady[1] > 0 ? plan->depth : p->depth, size),
                   ldc = padded(columns, size);
    const uint64_t ldb = plan->b_along_n ? ldc : lda, b_rows = plan->b_along_n ? p->depth : columns;
    int m = (int)rows, n = (int)columns, k = (int)p->depth, splits = (int)plan->splits, act = 0;
    int la = (int)lda, lb = (int)ldb, lc = (int)ldc;
    int64_t stride_a = (int64_t)(rows * lda), stride_b = (int64_t)(b_rows * ldb);
    int64_t stride_c = (int64_t)(rows * ldc);
    float alpha = 1.0f;
    ww_devptr a, b, c, bias = 0, residual = 0, partial = 0;
    bool values = op->batch > 1 && plan->b_along_n;
    WW_TRY(ww__part_input(p, batch * rows * lda, values ? WW__PROBABILITIES : WW__ACTIVATIONS, &a));
    WW_TRY(ww__part_buffer(p, batch * b_rows * ldb, op->number,
                           op->batch > 1 ? WW__ACTIVATIONS : WW__WEIGHTS, &b));
    WW_TRY(ww__part_buffer(p, batch * rows * ldc, result, WW__RESULTS, &c));
    if (splits > 1) {
        WW_TRY(
            ww__part_buffer(p, plan->splits * rows * ldc, WW_NUMBER_FP32, WW__RESULTS, &partial));
    }
    if (plan->bias) {
        WW_TRY(ww__part_buffer(p, ldc, result, WW__WEIGHTS, &bias));
    }
    if (plan->engines) {
        return run_on_engines(p, &(operands){rows, columns, lda, ldb, ldc, a, b, c, bias});
    }
    return ww__part_launch(p,
                           WW__ARGS(&a, &b, &c, &bias, &residual, &partial, &m, &n, &k, &la, &lb,
                                    &lc, &stride_a, &stride_b, &stride_c, &splits, &act, &alpha));
}

/* Rows of the result as many as the grid has threads for; parts of K lie one behind the other. */
static ww_status run_sum(const ww__part *p)
{
    const ww__plan *plan = p->plan;
    const ww_number number = product_result(plan->op->number);
    const uint64_t ldc = padded(plan->n, ww_number_bytes(plan->op->number));
    const uint64_t rows = ww_ceil_div(plan->m, p->slice->share);
    int64_t each = (int64_t)(rows * ldc);
    int n = (int)plan->n, lc = (int)ldc, splits = (int)plan->splits, act = 0;
    float alpha = 1.0f;
    ww_devptr partial, c, bias = 0, residual = 0;
    const char *kernel = number == WW_NUMBER_BF16   ? "reduce_bf16"
                         : number == WW_NUMBER_FP16 ? "reduce_f16"
                                                    : "reduce_fp32";
    WW_TRY(ww__slice_input(p->slice, plan->splits * rows * ldc, sizeof(float), false,
                           WW__ACTIVATIONS, &partial, p->err));
    WW_TRY(ww__part_buffer(p, rows * ldc, number, WW__RESULTS, &c));
    if (plan->bias) {
        WW_TRY(ww__part_buffer(p, ldc, number, WW__WEIGHTS, &bias));
    }
    return ww__slice_launch(
        p->slice, "reduce", kernel, (uint32_t)p->ctas, WW_REDUCE_THREADS, 0,
        WW__ARGS(&partial, &c, &bias, &residual, &each, &n, &lc, &splits, &act, &alpha), p->err);
}

/* ---- convolutions ---- */

static ww_status run_conv(const ww__part *p)
{
    const ww__plan *plan = p->plan;
    const ww_operator *op = plan->op;
    const ww_conv_shape *conv = &op->conv;
    const uint64_t pixels = op->m / conv->b;
    uint64_t images, depthwise = plan->tile == NULL;
    if (depthwise) {
        uint64_t each = pixels * conv->m * ww_number_bytes(op->number) / 16;
        images = ww_ceil_div(p->ctas * WW_DEPTHWISE_THREADS, each);
    } else {
        uint64_t batch, rows, columns;
        corner(plan, p->ctas, &batch, &rows, &columns);
        images = ww_ceil_div(rows, pixels);
    }
    images = images < conv->b ? images : conv->b;
    int count = (int)images, c = (int)(depthwise ? conv->c : plan->channels), hw = (int)conv->hw;
    int n = (int)conv->m, rs = (int)conv->rs, stride = (int)conv->stride;
    int padding = (int)conv->padding, out = (int)ww_conv_output(conv), k = (int)p->depth, act = 0;
    const uint64_t window = conv->rs * conv->rs;
    const uint64_t weights = depthwise ? window * conv->c : window * plan->channels * conv->m;
    ww_devptr x, w, y, bias;
    WW_TRY(ww__part_input(p, images * conv->hw * conv->hw * (uint64_t)c, WW__ACTIVATIONS, &x));
    WW_TRY(ww__part_buffer(p, weights, op->number, WW__WEIGHTS, &w));
    WW_TRY(ww__part_buffer(p, images * pixels * conv->m, op->number, WW__RESULTS, &y));
    if (depthwise) {
        return ww__part_launch(p,
                               WW__ARGS(&x, &w, &y, &count, &c, &hw, &rs, &stride, &padding, &out));
    }
    WW_TRY(ww__part_buffer(p, conv->m, op->number, WW__WEIGHTS, &bias));
    return ww__part_launch(p, WW__ARGS(&x, &w, &y, &bias, &count, &c, &hw, &n, &rs, &stride,
                                       &padding, &out, &k, &act));
}

typedef ww_status (*run_fn)(const ww__part *p);

static run_fn runner(ww_operator_kind kind)
{
    switch (kind) {
    case WW_OPERATOR_GEMM:
        return run_product;
    case WW_OPERATOR_CONV2D:
        return run_conv;
    case WW_OPERATOR_ELEMENTWISE:
        return ww__run_pointwise;
    case WW_OPERATOR_ATTENTION:
    case WW_OPERATOR_ROTARY:
    case WW_OPERATOR_EMBEDDING:
        return ww__run_tokens;
    default:
        return run_rows;
    }
}

static ww_status run_part(const ww__part *p, run_fn run)
{
    WW_TRY(ww__slice_settle(p->slice, p->err));
    ww_status status = run(p);
    ww_status released = ww__slice_release(p->slice, status == WW_OK ? p->err : NULL);
    return status == WW_OK ? released : status;
}

ww_status ww__plan_run(const ww__plan *plan, ww__slice *slice, uint64_t ctas, uint64_t depth,
                       ww_error *err)
{
    return run_part(&(ww__part){plan, slice, ctas, depth, err}, runner(plan->op->kind));
}

/* Of attention all heads that the slice has, of products its share of the rows. */
ww_status ww__plan_sum_splits(const ww__plan *plan, ww__slice *slice, ww_error *err)
{
    ww__part p = {plan, slice, 0, 0, err};
    if (plan->op->kind == WW_OPERATOR_ATTENTION) {
        const uint64_t heads = plan->op->batch * plan->op->attention.heads;
        p.ctas = ww_ceil_div(heads, slice->share);
        slice->left = p.ctas * plan->splits * (plan->op->k + 2) * sizeof(float);
        return run_part(&p, ww__run_combine);
    }
    const uint64_t ldc = padded(plan->n, ww_number_bytes(plan->op->number));
    const uint64_t rows = ww_ceil_div(plan->m, slice->share);
    const uint64_t each = 4 * WW_REDUCE_THREADS;
    p.ctas = ww_ceil_div(rows * ldc, each);
    slice->left = rows * ldc * plan->splits * sizeof(float); /* by the kernel before */
    return run_part(&p, run_sum);
}
