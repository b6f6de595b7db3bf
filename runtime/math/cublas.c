/* cublas.c - cuBLAS, thin: handles, copies of vectors and matrices, and products of matrices in
 * single, double, half and bfloat16 precision, batched and strided, on kernels of ours. */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "runtime/math/cublas.h"
#include "runtime/math/products/products.h"

/* ---- handles ---- */

MADE(cublasCreate_v2)(cublas_handle *out)
{
    if (out == NULL) {
        return INVALID_VALUE;
    }
    *out = calloc(1, sizeof **out);
    return *out != NULL ? SUCCESS : ALLOC_FAILED;
}

MADE(cublasDestroy_v2)(cublas_handle h)
{
    if (h == NULL) {
        return NOT_INITIALIZED;
    }
    bool freed = h->scratch == 0 || cuMemFree_v2(h->scratch) == 0;
    free(h);
    return freed ? SUCCESS : EXECUTION_FAILED;
}

#define SETTING(set, get, type, field)                                                             \
    MATH_API int set(cublas_handle h, type value)                                                  \
    {                                                                                              \
        if (h == NULL) {                                                                           \
            return NOT_INITIALIZED;                                                                \
        }                                                                                          \
        h->field = value;                                                                          \
        return SUCCESS;                                                                            \
    }                                                                                              \
    MATH_API int get(cublas_handle h, type *value)                                                 \
    {                                                                                              \
        if (h == NULL || value == NULL) {                                                          \
            return h == NULL ? NOT_INITIALIZED : INVALID_VALUE;                                    \
        }                                                                                          \
        *value = h->field;                                                                         \
        return SUCCESS;                                                                            \
    }
/* MADE(cublasSetStream_v2) MADE(cublasGetStream_v2) MADE(cublasSetPointerMode_v2)
 * MADE(cublasGetPointerMode_v2) MADE(cublasSetMathMode) MADE(cublasGetMathMode)
 * MADE(cublasSetAtomicsMode) MADE(cublasGetAtomicsMode) MADE(cublasSetSmCountTarget)
 * MADE(cublasGetSmCountTarget) */
SETTING(cublasSetStream_v2, cublasGetStream_v2, cudaStream_t, stream)
SETTING(cublasSetPointerMode_v2, cublasGetPointerMode_v2, int, pointer_mode)
SETTING(cublasSetMathMode, cublasGetMathMode, int, math_mode)
SETTING(cublasSetAtomicsMode, cublasGetAtomicsMode, int, atomics_mode)
SETTING(cublasSetSmCountTarget, cublasGetSmCountTarget, int, sm_count)

MADE(cublasSetWorkspace_v2)(cublas_handle h, void *workspace, size_t bytes)
{
    (void)workspace, (void)bytes;
    return h != NULL ? SUCCESS : NOT_INITIALIZED;
}

MADE(cublasGetVersion_v2)(cublas_handle h, int *version)
{
    (void)h;
    *version = WW_VERSION_NUMBER;
    return SUCCESS;
}

MADE(cublasGetProperty)(int which, int *value)
{
    *value = which == 0 ? WW_VERSION_NUMBER / 10000 : 0;
    return SUCCESS;
}

MATH_API const char *cublasGetStatusName(int code); /* MADE(cublasGetStatusName) */
const char *cublasGetStatusName(int code)
{
    return math_status_text(code);
}

MATH_API const char *cublasGetStatusString(int code); /* MADE(cublasGetStatusString) */
const char *cublasGetStatusString(int code)
{
    return math_status_text(code);
}

/* ---- copies ---- */

/* Columns of `bytes`, from one pitch to another; both sides in bytes. */
static int copy(bool to_device, int64_t columns, size_t bytes, const char *from, size_t from_pitch,
                char *to, size_t to_pitch)
{
    for (int64_t i = 0; i < columns; i++, from += from_pitch, to += to_pitch) {
        CUresult r = to_device ? cuMemcpyHtoD_v2(device(to), from, bytes)
                               : cuMemcpyDtoH_v2(to, device(from), bytes);
        if (r != 0) {
            return MAPPING_ERROR;
        }
    }
    return SUCCESS;
}

static int copy_vector(bool to_device, int64_t n, size_t size, const void *x, int64_t x_step,
                       void *y, int64_t y_step)
{
    if (n < 0 || x_step <= 0 || y_step <= 0) {
        return INVALID_VALUE;
    }
    bool dense = x_step == 1 && y_step == 1;
    size_t all, x_pitch, y_pitch;
    if (!ww_mul_fits((size_t)n, size, &all) || !ww_mul_fits((size_t)x_step, size, &x_pitch) ||
        !ww_mul_fits((size_t)y_step, size, &y_pitch)) {
        return INVALID_VALUE;
    }
    return dense ? copy(to_device, n > 0, all, x, 0, y, 0)
                 : copy(to_device, n, size, x, x_pitch, y, y_pitch);
}

static int copy_matrix(bool to_device, int64_t rows, int64_t columns, size_t size, const void *a,
                       int64_t lda, void *b, int64_t ldb)
{
    if (rows < 0 || columns < 0 || lda < rows || ldb < rows) {
        return INVALID_VALUE;
    }
    size_t column, a_pitch, b_pitch;
    if (!ww_mul_fits((size_t)rows, size, &column) || !ww_mul_fits((size_t)lda, size, &a_pitch) ||
        !ww_mul_fits((size_t)ldb, size, &b_pitch)) {
        return INVALID_VALUE;
    }
    return copy(to_device, columns, column, a, a_pitch, b, b_pitch);
}

MADE(cublasSetVector)(int n, int size, const void *x, int incx, void *y, int incy)
{
    return copy_vector(true, n, (size_t)size, x, incx, y, incy);
}
MADE(cublasGetVector)(int n, int size, const void *x, int incx, void *y, int incy)
{
    return copy_vector(false, n, (size_t)size, x, incx, y, incy);
}
MADE(cublasSetMatrix)(int rows, int columns, int size, const void *a, int lda, void *b, int ldb)
{
    return copy_matrix(true, rows, columns, (size_t)size, a, lda, b, ldb);
}
MADE(cublasGetMatrix)(int rows, int columns, int size, const void *a, int lda, void *b, int ldb)
{
    return copy_matrix(false, rows, columns, (size_t)size, a, lda, b, ldb);
}
MADE(cublasSetVectorAsync)
(int n, int size, const void *x, int incx, void *y, int incy, cudaStream_t s)
{
    (void)s; /* copies run where they are issued */
    return copy_vector(true, n, (size_t)size, x, incx, y, incy);
}
MADE(cublasGetVectorAsync)
(int n, int size, const void *x, int incx, void *y, int incy, cudaStream_t s)
{
    return cuStreamSynchronize(s) == 0 ? copy_vector(false, n, (size_t)size, x, incx, y, incy)
                                       : MAPPING_ERROR;
}
MADE(cublasSetMatrixAsync)
(int rows, int columns, int size, const void *a, int lda, void *b, int ldb, cudaStream_t s)
{
    (void)s;
    return copy_matrix(true, rows, columns, (size_t)size, a, lda, b, ldb);
}
MADE(cublasGetMatrixAsync)
(int rows, int columns, int size, const void *a, int lda, void *b, int ldb, cudaStream_t s)
{
    return cuStreamSynchronize(s) == 0
               ? copy_matrix(false, rows, columns, (size_t)size, a, lda, b, ldb)
               : MAPPING_ERROR;
}

/* ---- products ---- */

/* A product as all forms come down to it. */
typedef struct product {
    int op_a, op_b;
    int64_t m, n, k;
    const void *alpha, *beta; /* of type `scalar` */
    int scalar;
    const void *a, *b;
    void *c; /* matrices, or lists of them */
    int type_ab, type_c;
    int64_t lda, ldb, ldc, stride_a, stride_b, stride_c, count;
    bool listed;
    bool tf32; /* asked for by the call */
} product;

static double half_to_double(uint16_t h)
{
    uint32_t exponent = h >> 10 & 31, fraction = h & 1023;
    double value = exponent == 0 ? fraction * 0x1p-24 : (1024 + fraction) * 0x1p-24;
    for (uint32_t i = 1; i < exponent; i++) {
        value *= 2;
    }
    return h >> 15 ? -value : value;
}

bool cublas_read_scalar(cublas_handle h, const void *from, int type, double *out)
{
    union {
        float f;
        double d;
        uint16_t h;
        int32_t i;
    } value;
    const size_t bytes = cublas_bytes_of(type);
    if (h->pointer_mode != 0) {
        if (cuStreamSynchronize(h->stream) != 0 ||
            cuMemcpyDtoH_v2(&value, device(from), bytes) != 0) {
            return false;
        }
    } else {
        memcpy(&value, from, bytes);
    }
    if (type == R_16BF) { /* the upper half of a float, here below zeros */
        value.i = (int32_t)((uint32_t)value.h << 16);
    }
    *out = type == R_64F   ? value.d
           : type == R_16F ? half_to_double(value.h)
           : type == R_32I ? value.i
                           : (double)value.f;
    return true;
}

static const char *kernel_of(const product *p)
{
    static const struct {
        int type_ab, type_c;
        const char *kernel;
    } kernels[] = {
        {R_32F, R_32F, "ww_sgemm"},  {R_64F, R_64F, "ww_dgemm"},   {R_16F, R_16F, "ww_hgemm"},
        {R_16F, R_32F, "ww_hsgemm"}, {R_16BF, R_16BF, "ww_bgemm"}, {R_16BF, R_32F, "ww_bsgemm"},
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(kernels); i++) {
        if (p->type_ab == kernels[i].type_ab && p->type_c == kernels[i].type_c) {
            return kernels[i].kernel;
        }
    }
    return NULL;
}

size_t cublas_bytes_of(int type)
{
    return type == R_64F ? 8 : type == R_32F || type == R_32I ? 4 : 2;
}

static bool is_valid(const product *p)
{
    bool ops = p->op_a >= 0 && p->op_a <= 2 && p->op_b >= 0 && p->op_b <= 2;
    int64_t rows_a = p->op_a == 0 ? p->m : p->k, rows_b = p->op_b == 0 ? p->k : p->n;
    return ops && p->m >= 0 && p->n >= 0 && p->k >= 0 && p->count >= 0 && p->alpha != NULL &&
           p->beta != NULL && p->lda >= (rows_a > 1 ? rows_a : 1) &&
           p->ldb >= (rows_b > 1 ? rows_b : 1) && p->ldc >= (p->m > 1 ? p->m : 1);
}

/* Matrices from number `first` on. */
static const void *part(const void *p, const product *q, int64_t first, int64_t stride, int type)
{
    return (const char *)p + (q->listed ? first * (int64_t)sizeof(void *)
                                        : first * stride * (int64_t)cublas_bytes_of(type));
}

/* ---- on the matrix units ---- */

static ww_product product_of(const cublas_handle h, const product *p, double alpha, double beta)
{
    enum { TF32_MATH = 3 }; /* cublasMath_t */
    return (ww_product){.turn_a = p->op_a != 0,
                        .turn_b = p->op_b != 0,
                        .m = p->m,
                        .n = p->n,
                        .k = p->k,
                        .count = p->count,
                        .a = {p->a, p->lda, p->stride_a, p->type_ab},
                        .b = {p->b, p->ldb, p->stride_b, p->type_ab},
                        .c = {p->c, p->ldc, p->stride_c, p->type_c},
                        .d = {p->c, p->ldc, p->stride_c, p->type_c},
                        .alpha = (float)alpha,
                        .beta = (float)beta,
                        .tf32 = p->tf32 || h->math_mode == TF32_MATH};
}

/* One after the other, from lists of where they lie. */
static ww_product_outcome run_listed(cublas_handle h, const product *p, ww_product *q)
{
    const size_t count = (size_t)p->count, bytes = count * sizeof(void *);
    void **list = calloc(3 * count, sizeof *list);
    bool read = list != NULL && cuStreamSynchronize(h->stream) == 0 &&
                cuMemcpyDtoH_v2(list, device(p->a), bytes) == 0 &&
                cuMemcpyDtoH_v2(list + count, device(p->b), bytes) == 0 &&
                cuMemcpyDtoH_v2(list + 2 * count, device(p->c), bytes) == 0;
    ww_product_outcome outcome = read ? WW_PRODUCT_DONE : WW_PRODUCT_UNSUPPORTED;
    q->count = 1;
    for (size_t i = 0; i < count && outcome == WW_PRODUCT_DONE; i++) {
        q->a.at = list[i];
        q->b.at = list[count + i];
        q->c.at = q->d.at = list[2 * count + i];
        outcome = warpwatt_product_run(q, h->stream);
    }
    free(list);
    return outcome;
}

static ww_product_outcome run_on_matrix_units(cublas_handle h, const product *p, double alpha,
                                              double beta)
{
    ww_product q = product_of(h, p, alpha, beta);
    if (!warpwatt_product_is_there(&q)) {
        return WW_PRODUCT_UNSUPPORTED;
    }
    return p->listed ? run_listed(h, p, &q) : warpwatt_product_run(&q, h->stream);
}

static int multiply_plainly(cublas_handle h, const char *kernel, product *p, double alpha,
                            double beta);

static int multiply_as(cublas_handle h, const char *name, product *p, bool plainly)
{
    const char *kernel = kernel_of(p);
    double alpha, beta;
    if (h == NULL) {
        return NOT_INITIALIZED;
    }
    if (!is_valid(p)) {
        return INVALID_VALUE;
    }
    if (p->m == 0 || p->n == 0 || p->count == 0) {
        return SUCCESS;
    }
    if (!cublas_read_scalar(h, p->alpha, p->scalar, &alpha) ||
        !cublas_read_scalar(h, p->beta, p->scalar, &beta)) {
        return MAPPING_ERROR;
    }
    ww_product_outcome outcome =
        plainly ? WW_PRODUCT_UNSUPPORTED : run_on_matrix_units(h, p, alpha, beta);
    if (outcome == WW_PRODUCT_UNSUPPORTED && kernel == NULL) {
        return math_lacks(name, NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED for these types");
    }
    math_says(name);
    return outcome == WW_PRODUCT_DONE     ? SUCCESS
           : outcome == WW_PRODUCT_FAILED ? EXECUTION_FAILED
                                          : multiply_plainly(h, kernel, p, alpha, beta);
}

static int multiply(cublas_handle h, const char *name, product *p)
{
    return multiply_as(h, name, p, false);
}

/* ---- on GPUs without them, in double precision, with vectors, and of a sum of nothing ---- */

static int multiply_plainly(cublas_handle h, const char *kernel, product *p, double alpha,
                            double beta)
{
    enum { TILE = 16, MOST = 65535 };
    for (int64_t first = 0; first < p->count; first += MOST) {
        int64_t batch = p->count - first < MOST ? p->count - first : MOST;
        const unsigned grid[3] = {(unsigned)((p->m + TILE - 1) / TILE),
                                  (unsigned)((p->n + TILE - 1) / TILE), (unsigned)batch};
        const unsigned block[3] = {TILE, TILE, 1};
        const void *a = part(p->a, p, first, p->stride_a, p->type_ab);
        const void *b = part(p->b, p, first, p->stride_b, p->type_ab);
        const void *c = part(p->c, p, first, p->stride_c, p->type_c);
        int transposed = (p->op_a != 0) | (p->op_b != 0) << 1, listed = p->listed;
        void *arguments[] = {&transposed, &p->m,        &p->n,        &p->k,   &alpha,       &a,
                             &p->lda,     &p->stride_a, &b,           &p->ldb, &p->stride_b, &beta,
                             &c,          &p->ldc,      &p->stride_c, &listed};
        if (!math_launch(kernel, grid, block, arguments, h->stream)) {
            return EXECUTION_FAILED;
        }
    }
    return SUCCESS;
}

/* MADE(cublasSgemm_v2) MADE(cublasSgemm_v2_64) MADE(cublasSgemmBatched) MADE(cublasSgemmBatched_64)
 * MADE(cublasSgemmStridedBatched) MADE(cublasSgemmStridedBatched_64)
 * MADE(cublasDgemm_v2) MADE(cublasDgemm_v2_64) MADE(cublasDgemmBatched) MADE(cublasDgemmBatched_64)
 * MADE(cublasDgemmStridedBatched) MADE(cublasDgemmStridedBatched_64)
 * MADE(cublasHgemm) MADE(cublasHgemm_64) MADE(cublasHgemmBatched) MADE(cublasHgemmBatched_64)
 * MADE(cublasHgemmStridedBatched) MADE(cublasHgemmStridedBatched_64) */
#define PRODUCTS(plain, batched, strided, suffix, type, I)                                         \
    MATH_API int plain##suffix(cublas_handle h, int ta, int tb, I m, I n, I k, const void *alpha,  \
                               const void *a, I lda, const void *b, I ldb, const void *beta,       \
                               void *c, I ldc)                                                     \
    {                                                                                              \
        product p = {ta,   tb,   m,   n,   k,   alpha, beta, type, a, b,     c,                    \
                     type, type, lda, ldb, ldc, 0,     0,    0,    1, false, false};               \
        return multiply(h, #plain, &p);                                                            \
    }                                                                                              \
    MATH_API int batched##suffix(cublas_handle h, int ta, int tb, I m, I n, I k,                   \
                                 const void *alpha, const void *a, I lda, const void *b, I ldb,    \
                                 const void *beta, void *c, I ldc, I count)                        \
    {                                                                                              \
        product p = {ta,   tb,   m,   n,   k,   alpha, beta, type, a,     b,    c,                 \
                     type, type, lda, ldb, ldc, 0,     0,    0,    count, true, false};            \
        return multiply(h, #batched, &p);                                                          \
    }                                                                                              \
    MATH_API int strided##suffix(cublas_handle h, int ta, int tb, I m, I n, I k,                   \
                                 const void *alpha, const void *a, I lda, long long sa,            \
                                 const void *b, I ldb, long long sb, const void *beta, void *c,    \
                                 I ldc, long long sc, I count)                                     \
    {                                                                                              \
        product p = {ta,   tb,   m,   n,   k,   alpha, beta, type, a,     b,     c,                \
                     type, type, lda, ldb, ldc, sa,    sb,   sc,   count, false, false};           \
        return multiply(h, #strided, &p);                                                          \
    }
PRODUCTS(cublasSgemm_v2, cublasSgemmBatched, cublasSgemmStridedBatched, , R_32F, int)
PRODUCTS(cublasDgemm_v2, cublasDgemmBatched, cublasDgemmStridedBatched, , R_64F, int)
PRODUCTS(cublasHgemm, cublasHgemmBatched, cublasHgemmStridedBatched, , R_16F, int)
PRODUCTS(cublasSgemm_v2, cublasSgemmBatched, cublasSgemmStridedBatched, _64, R_32F, int64_t)
PRODUCTS(cublasDgemm_v2, cublasDgemmBatched, cublasDgemmStridedBatched, _64, R_64F, int64_t)
PRODUCTS(cublasHgemm, cublasHgemmBatched, cublasHgemmStridedBatched, _64, R_16F, int64_t)

/* y = alpha op(A) x + beta y, A of m rows and n columns: a product of one row, the transposes of y,
 * x and op(A). Steps are then distances of columns. */
static int multiply_vector(cublas_handle h, const char *name, int trans, product p)
{
    int64_t rows = p.m, columns = p.n;
    if (p.lda < 0 || p.ldc < 0) {
        return math_lacks(name, NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED for negative steps");
    }
    if (trans < 0 || trans > 2) {
        return INVALID_VALUE;
    }
    p.op_b = trans == 0;
    p.m = 1;
    p.n = trans == 0 ? rows : columns;
    p.k = trans == 0 ? columns : rows;
    p.count = 1;
    return multiply_as(h, name, &p, true); /* a matrix that is read once needs no copy of it */
}

/* MADE(cublasSgemv_v2) MADE(cublasSgemv_v2_64) MADE(cublasDgemv_v2) MADE(cublasDgemv_v2_64) */
#define VECTOR_PRODUCT(name, suffix, type, I)                                                      \
    MATH_API int name##suffix(cublas_handle h, int trans, I m, I n, const void *alpha,             \
                              const void *a, I lda, const void *x, I incx, const void *beta,       \
                              void *y, I incy)                                                     \
    {                                                                                              \
        product p = {.m = m,                                                                       \
                     .n = n,                                                                       \
                     .alpha = alpha,                                                               \
                     .beta = beta,                                                                 \
                     .scalar = type,                                                               \
                     .a = x,                                                                       \
                     .b = a,                                                                       \
                     .c = y,                                                                       \
                     .type_ab = type,                                                              \
                     .type_c = type,                                                               \
                     .lda = incx,                                                                  \
                     .ldb = lda,                                                                   \
                     .ldc = incy};                                                                 \
        return multiply_vector(h, #name, trans, p);                                                \
    }
VECTOR_PRODUCT(cublasSgemv_v2, , R_32F, int)
VECTOR_PRODUCT(cublasDgemv_v2, , R_64F, int)
VECTOR_PRODUCT(cublasSgemv_v2, _64, R_32F, int64_t)
VECTOR_PRODUCT(cublasDgemv_v2, _64, R_64F, int64_t)

/* The type of alpha and beta: cublasComputeType_t, before CUDA 11 a cudaDataType_t; -1: none of
 * ours. */
static int scalar_of(int compute)
{
    switch (compute) {
    case R_32F:
    case 68: /* CUBLAS_COMPUTE_32F and its variants, which may round operands and need not */
    case 69:
    case 74:
    case 75:
    case 77:
        return R_32F;
    case R_64F:
    case 70: /* CUBLAS_COMPUTE_64F */
    case 71:
        return R_64F;
    case R_16F:
    case 64: /* CUBLAS_COMPUTE_16F: here too, sums are single */
    case 65:
        return R_16F;
    case R_32I:
    case 72: /* CUBLAS_COMPUTE_32I */
    case 73:
        return R_32I;
    default:
        return -1;
    }
}

static int multiply_typed(cublas_handle h, const char *name, product *p, int type_a, int type_b,
                          int compute)
{
    p->type_ab = type_a == type_b ? type_a : -1;
    p->scalar = scalar_of(compute);
    p->tf32 = compute == 74 || compute == 75 || compute == 77; /* CUBLAS_COMPUTE_32F_FAST_… */
    if (p->scalar < 0 || (p->scalar == R_32I) != (p->type_c == R_32I) ||
        (p->scalar == R_64F) != (p->type_c == R_64F) ||
        (p->scalar == R_16F && p->type_ab != R_16F)) {
        p->type_ab = -1;
    }
    return multiply(h, name, p);
}

/* MADE(cublasGemmEx) MADE(cublasGemmEx_64) MADE(cublasGemmBatchedEx) MADE(cublasGemmBatchedEx_64)
 * MADE(cublasGemmStridedBatchedEx) MADE(cublasGemmStridedBatchedEx_64) MADE(cublasSgemmEx)
 * MADE(cublasSgemmEx_64) */
#define TYPED(suffix, I)                                                                           \
    MATH_API int cublasGemmEx##suffix(cublas_handle h, int ta, int tb, I m, I n, I k,              \
                                      const void *alpha, const void *a, int type_a, I lda,         \
                                      const void *b, int type_b, I ldb, const void *beta, void *c, \
                                      int type_c, I ldc, int compute, int algorithm)               \
    {                                                                                              \
        product p = {ta, tb,     m,   n,   k,   alpha, beta, 0, a, b,     c,                       \
                     0,  type_c, lda, ldb, ldc, 0,     0,    0, 1, false, false};                  \
        (void)algorithm;                                                                           \
        return multiply_typed(h, "cublasGemmEx", &p, type_a, type_b, compute);                     \
    }                                                                                              \
    MATH_API int cublasGemmBatchedEx##suffix(                                                      \
        cublas_handle h, int ta, int tb, I m, I n, I k, const void *alpha, const void *a,          \
        int type_a, I lda, const void *b, int type_b, I ldb, const void *beta, void *c,            \
        int type_c, I ldc, I count, int compute, int algorithm)                                    \
    {                                                                                              \
        product p = {ta, tb,     m,   n,   k,   alpha, beta, 0, a,     b,    c,                    \
                     0,  type_c, lda, ldb, ldc, 0,     0,    0, count, true, false};               \
        (void)algorithm;                                                                           \
        return multiply_typed(h, "cublasGemmBatchedEx", &p, type_a, type_b, compute);              \
    }                                                                                              \
    MATH_API int cublasGemmStridedBatchedEx##suffix(                                               \
        cublas_handle h, int ta, int tb, I m, I n, I k, const void *alpha, const void *a,          \
        int type_a, I lda, long long sa, const void *b, int type_b, I ldb, long long sb,           \
        const void *beta, void *c, int type_c, I ldc, long long sc, I count, int compute,          \
        int algorithm)                                                                             \
    {                                                                                              \
        product p = {ta, tb,     m,   n,   k,   alpha, beta, 0,  a,     b,     c,                  \
                     0,  type_c, lda, ldb, ldc, sa,    sb,   sc, count, false, false};             \
        (void)algorithm;                                                                           \
        return multiply_typed(h, "cublasGemmStridedBatchedEx", &p, type_a, type_b, compute);       \
    }                                                                                              \
    MATH_API int cublasSgemmEx##suffix(cublas_handle h, int ta, int tb, I m, I n, I k,             \
                                       const void *alpha, const void *a, int type_a, I lda,        \
                                       const void *b, int type_b, I ldb, const void *beta,         \
                                       void *c, int type_c, I ldc)                                 \
    {                                                                                              \
        product p = {ta, tb,     m,   n,   k,   alpha, beta, 0, a, b,     c,                       \
                     0,  type_c, lda, ldb, ldc, 0,     0,    0, 1, false, false};                  \
        return multiply_typed(h, "cublasSgemmEx", &p, type_a, type_b, R_32F);                      \
    }
TYPED(, int)
TYPED(_64, int64_t)
