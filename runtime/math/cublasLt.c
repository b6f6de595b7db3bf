/* cublasLt.c - cuBLASLt, thin: products with epilogues, batches and scales, on the kernels of
 * products/. There is one algorithm, which needs no workspace of the program's. */
#include <stdlib.h>
#include <string.h>

#include "runtime/math/cublasLt.h"
#include "runtime/math/products/products.h"

typedef struct lt_handle {
    int unused;
} * lt_handle;

MADE(cublasLtCreate)(lt_handle *out)
{
    if (out == NULL) {
        return INVALID_VALUE;
    }
    *out = calloc(1, sizeof **out);
    return *out != NULL ? SUCCESS : ALLOC_FAILED;
}
MADE(cublasLtDestroy)(lt_handle h)
{
    free(h);
    return SUCCESS;
}
MATH_API size_t cublasLtGetVersion(void) /* MADE(cublasLtGetVersion) */
{
    return WW_VERSION_NUMBER;
}
MATH_API const char *cublasLtGetStatusName(int code) /* MADE(cublasLtGetStatusName) */
{
    return math_status_text(code);
}
MATH_API const char *cublasLtGetStatusString(int code) /* MADE(cublasLtGetStatusString) */
{
    return math_status_text(code);
}

/* ---- what is asked for ---- */

static ww_matrix matrix_of(const lt_layout *l, const void *at)
{
    return (ww_matrix){at, l->ld, l->batch > 1 ? l->stride : 0, l->type};
}

/* Rows of a layout are columns of one whose order is the other. */
static bool is_shape(const lt_layout *l, bool turned, uint64_t rows, uint64_t columns)
{
    uint64_t r = turned ? l->columns : l->rows, c = turned ? l->rows : l->columns;
    uint64_t line = l->order == LT_ORDER_ROW ? l->columns : l->rows;
    return r == rows && c == columns && l->ld > 0 && (uint64_t)l->ld >= line;
}

static bool has_epilogue(int epilogue)
{
    const int rest = epilogue & ~(LT_BIAS | LT_AUX);
    return epilogue == LT_DGELU || epilogue == LT_DEFAULT || epilogue == LT_BIAS ||
           (rest == LT_RELU && (epilogue & LT_AUX) == 0) || rest == LT_GELU;
}

static int function_of(int epilogue)
{
    return epilogue == LT_DGELU        ? WW_FINISH_DGELU
           : (epilogue & LT_GELU) != 0 ? WW_FINISH_GELU
           : (epilogue & LT_RELU) != 0 ? WW_FINISH_RELU
                                       : WW_FINISH_NONE;
}

/* cublasComputeType_t that sum in f32, or of bytes in integers. */
static bool is_compute(const lt_matmul_desc *d)
{
    const int c = d->compute;
    const bool single = c == 68 || c == 69 || c == 74 || c == 75 || c == 77;
    return (single && d->scale_type == R_32F) || ((c == 72 || c == 73) && d->scale_type == R_32I) ||
           ((c == 72 || c == 73) && d->scale_type == R_32F);
}

/* BLAS's rows and columns change places where D lies by rows: D's transpose is op(B)' op(A)'. */
static void turn_around(ww_product *p)
{
    const ww_matrix a = p->a;
    const bool turn_a = p->turn_a;
    const int64_t m = p->m;
    p->a = p->b;
    p->b = a;
    p->turn_a = !p->turn_b;
    p->turn_b = !turn_a;
    p->m = p->n;
    p->n = m;
    p->along_n = true;
    const float *scale = p->scale[0];
    p->scale[0] = p->scale[1];
    p->scale[1] = scale;
}

/* The product that a descriptor and layouts say; INVALID_VALUE where they contradict each other,
 * NOT_SUPPORTED where nothing here makes it. */
static int describe(const lt_matmul_desc *d, const lt_layout *a, const lt_layout *b,
                    const lt_layout *c, const lt_layout *to, ww_product *out)
{
    if (d == NULL || a == NULL || b == NULL || c == NULL || to == NULL) {
        return INVALID_VALUE;
    }
    const uint64_t m = to->rows, n = to->columns, k = d->op_a != 0 ? a->rows : a->columns;
    if (!is_shape(a, d->op_a != 0, m, k) || !is_shape(b, d->op_b != 0, k, n) ||
        !is_shape(c, false, m, n) || !is_shape(to, false, m, n) || a->batch != to->batch ||
        b->batch != to->batch || c->batch != to->batch) {
        return INVALID_VALUE;
    }
    const bool orders = a->order <= LT_ORDER_ROW && b->order <= LT_ORDER_ROW &&
                        c->order == to->order && to->order <= LT_ORDER_ROW;
    if (!orders || !is_compute(d) || !has_epilogue(d->epilogue) || d->op_c != 0 ||
        d->fill != LT_FILL_WHOLE || d->pointer_mode > LT_POINTERS_DEVICE) {
        return NOT_SUPPORTED;
    }
    const bool bias = (d->epilogue & LT_BIAS) != 0, aux = (d->epilogue & LT_AUX) != 0;
    *out = (ww_product){.turn_a = (d->op_a != 0) != (a->order == LT_ORDER_ROW),
                        .turn_b = (d->op_b != 0) != (b->order == LT_ORDER_ROW),
                        .m = (int64_t)m,
                        .n = (int64_t)n,
                        .k = (int64_t)k,
                        .count = to->batch,
                        .a = matrix_of(a, NULL),
                        .b = matrix_of(b, NULL),
                        .c = matrix_of(c, NULL),
                        .d = matrix_of(to, NULL),
                        .tf32 = d->compute == 74 || d->compute == 75 || d->compute == 77,
                        .function = function_of(d->epilogue),
                        .scale = {d->scale[0], d->scale[1], d->scale[2], d->scale[3]}};
    if (bias) {
        out->bias =
            (ww_matrix){d->bias, 0, d->bias_stride, d->bias_type >= 0 ? d->bias_type : to->type};
    }
    if (aux) {
        out->aux = (ww_matrix){d->aux, d->aux_ld, d->aux_stride,
                               d->aux_type >= 0 ? d->aux_type : to->type};
    }
    if (to->order == LT_ORDER_ROW) {
        turn_around(out);
    }
    return (bias && d->bias == NULL) || (aux && d->aux == NULL) ? INVALID_VALUE : SUCCESS;
}

/* ---- algorithms ---- */

/* One that is there whatever is asked for; its data tell a program nothing. */
static const lt_algo the_algorithm = {{1}};

MADE(cublasLtMatmulAlgoGetHeuristic)
(lt_handle h, const lt_matmul_desc *d, const lt_layout *a, const lt_layout *b, const lt_layout *c,
 const lt_layout *to, const lt_preference *preference, int wanted, lt_result *results, int *found)
{
    ww_product p;
    (void)preference;
    if (h == NULL || found == NULL || results == NULL || wanted < 1) {
        return h == NULL ? NOT_INITIALIZED : INVALID_VALUE;
    }
    *found = 0;
    int status = describe(d, a, b, c, to, &p);
    /* Pointers need not be known yet. */
    if (status == INVALID_VALUE && d != NULL && a != NULL && b != NULL && c != NULL && to != NULL) {
        lt_matmul_desc filled = *d;
        filled.bias = filled.bias != NULL ? filled.bias : (const void *)16;
        filled.aux = filled.aux != NULL ? filled.aux : (void *)16;
        status = describe(&filled, a, b, c, to, &p);
    }
    if (status == SUCCESS && !warpwatt_product_is_there(&p)) {
        status = NOT_SUPPORTED;
    }
    if (status == NOT_SUPPORTED) {
        return math_lacks("cublasLtMatmulAlgoGetHeuristic", NOT_SUPPORTED,
                          "CUBLAS_STATUS_NOT_SUPPORTED for this product");
    }
    if (status == SUCCESS) {
        results[0] = (lt_result){.algo = the_algorithm, .status = SUCCESS, .waves = 1};
        *found = 1;
    }
    return status;
}

MADE(cublasLtMatmulAlgoCheck)
(lt_handle h, const lt_matmul_desc *d, const lt_layout *a, const lt_layout *b, const lt_layout *c,
 const lt_layout *to, const lt_algo *algo, lt_result *result)
{
    int found = 0;
    (void)algo;
    int status = cublasLtMatmulAlgoGetHeuristic(h, d, a, b, c, to, NULL, 1, result, &found);
    return status;
}

/* ---- the product ---- */

static int read_scalar(const lt_matmul_desc *d, const void *from, cudaStream_t stream, float *out)
{
    union {
        float f;
        int32_t i;
    } value;
    if (from == NULL) {
        return INVALID_VALUE;
    }
    if (d->pointer_mode == LT_POINTERS_DEVICE) {
        if (cuStreamSynchronize(stream) != 0 ||
            cuMemcpyDtoH_v2(&value, (CUdeviceptr)(uintptr_t)from, sizeof value) != 0) {
            return MAPPING_ERROR;
        }
    } else {
        memcpy(&value, from, sizeof value);
    }
    *out = d->scale_type == R_32I ? (float)value.i : value.f;
    return SUCCESS;
}

MADE(cublasLtMatmul)
(lt_handle h, const lt_matmul_desc *d, const void *alpha, const void *a, const lt_layout *la,
 const void *b, const lt_layout *lb, const void *beta, const void *c, const lt_layout *lc, void *to,
 const lt_layout *ld, const lt_algo *algo, void *workspace, size_t bytes, cudaStream_t stream)
{
    ww_product p;
    (void)algo, (void)workspace, (void)bytes;
    int status = h == NULL ? NOT_INITIALIZED : describe(d, la, lb, lc, ld, &p);
    status = status == SUCCESS ? read_scalar(d, alpha, stream, &p.alpha) : status;
    status = status == SUCCESS ? read_scalar(d, beta, stream, &p.beta) : status;
    if (status == SUCCESS && !warpwatt_product_is_there(&p)) {
        status = NOT_SUPPORTED;
    }
    if (status != SUCCESS) {
        return status != NOT_SUPPORTED ? status
                                       : math_lacks("cublasLtMatmul", NOT_SUPPORTED,
                                                    "CUBLAS_STATUS_NOT_SUPPORTED for this product");
    }
    const bool by_rows = ld->order == LT_ORDER_ROW;
    p.a.at = by_rows ? b : a;
    p.b.at = by_rows ? a : b;
    p.c.at = c;
    p.d.at = to;
    if (p.a.at == NULL || p.b.at == NULL || to == NULL || (p.beta != 0 && c == NULL)) {
        return INVALID_VALUE;
    }
    math_says("cublasLtMatmul");
    return warpwatt_product_run(&p, stream) == WW_PRODUCT_DONE ? SUCCESS : EXECUTION_FAILED;
}
