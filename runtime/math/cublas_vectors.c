/* cublas_vectors.c - of the thin cuBLAS, level 1: what is done with one vector or two, in single
 * and double precision, and in the Ex forms in half precision and bfloat16 too, whose sums are
 * single. */
#include <stdio.h>
#include <string.h>

#include "runtime/math/cublas.h"

enum {
    THREADS = 256,
    MOST_PARTS = 256,   /* partial results of a sum */
    PART_BYTES = 24,    /* struct partial of doubles in vectors.cuh */
    MOST_BLOCKS = 65535 /* of what is done number by number */
};

/* As vectors.cuh has it. */
typedef struct vectors {
    int64_t n;
    const void *x;
    int64_t x_step;
    void *y;
    int64_t y_step;
    double alpha, beta;
    CUdeviceptr partials;
    CUdeviceptr result;
    int blocks, wide;
} vectors;

static unsigned blocks_of(int64_t n, unsigned most)
{
    int64_t blocks = n / THREADS + (n % THREADS != 0);
    return blocks < most ? (unsigned)blocks : most;
}

static bool launch(cublas_handle h, int type, const char *operation, unsigned blocks, vectors *v)
{
    const char letter = type == R_64F ? 'd' : type == R_32F ? 's' : type == R_16F ? 'h' : 'b';
    char name[24];
    snprintf(name, sizeof name, "ww_%c%s", letter, operation);
    const unsigned grid[3] = {blocks, 1, 1}, block[3] = {THREADS, 1, 1};
    void *arguments[] = {v};
    return math_launch(name, grid, block, arguments, h->stream);
}

/* ---- what is done number by number ---- */

static int run_each(cublas_handle h, const char *name, int type, const char *operation, vectors v)
{
    if (v.n <= 0) {
        return SUCCESS;
    }
    math_says(name);
    return launch(h, type, operation, blocks_of(v.n, MOST_BLOCKS), &v) ? SUCCESS : EXECUTION_FAILED;
}

/* Scalars, of which NULL is none. */
static int scalars(cublas_handle h, const void *alpha, const void *beta, int type, vectors *v)
{
    bool read = (alpha == NULL || cublas_read_scalar(h, alpha, type, &v->alpha)) &&
                (beta == NULL || cublas_read_scalar(h, beta, type, &v->beta));
    return read ? SUCCESS : MAPPING_ERROR;
}

static int axpy(cublas_handle h, const char *name, int type, const void *alpha, int alpha_type,
                vectors v)
{
    if (h == NULL || alpha == NULL) {
        return h == NULL ? NOT_INITIALIZED : INVALID_VALUE;
    }
    int code = scalars(h, alpha, NULL, alpha_type, &v);
    return code == SUCCESS ? run_each(h, name, type, "axpy", v) : code;
}

static int scal(cublas_handle h, const char *name, int type, const void *alpha, int alpha_type,
                vectors v)
{
    if (h == NULL || alpha == NULL) {
        return h == NULL ? NOT_INITIALIZED : INVALID_VALUE;
    }
    if (v.x_step <= 0) { /* as BLAS has it: nothing */
        return SUCCESS;
    }
    int code = scalars(h, alpha, NULL, alpha_type, &v);
    return code == SUCCESS ? run_each(h, name, type, "scal", v) : code;
}

static int rot(cublas_handle h, const char *name, int type, const void *c, const void *s,
               int scalar_type, vectors v)
{
    if (h == NULL || c == NULL || s == NULL) {
        return h == NULL ? NOT_INITIALIZED : INVALID_VALUE;
    }
    int code = scalars(h, c, s, scalar_type, &v);
    return code == SUCCESS ? run_each(h, name, type, "rot", v) : code;
}

static int move(cublas_handle h, const char *name, int type, const char *operation, vectors v)
{
    return h != NULL ? run_each(h, name, type, operation, v) : NOT_INITIALIZED;
}

/* ---- what gives a number ---- */

static bool lies_in_device(cublas_handle h)
{
    return h->pointer_mode != 0;
}

/* Partial results, and one for the host, of the handle's own. */
static bool has_room(cublas_handle h)
{
    const size_t bytes = MOST_PARTS * PART_BYTES + sizeof(int64_t);
    return h->scratch != 0 || cuMemAlloc_v2(&h->scratch, bytes) == 0;
}

static int nothing(cublas_handle h, void *result, size_t bytes)
{
    if (!lies_in_device(h)) {
        memset(result, 0, bytes);
        return SUCCESS;
    }
    return cuMemsetD8Async(device(result), 0, bytes, h->stream) == 0 ? SUCCESS : EXECUTION_FAILED;
}

/* The result's bytes; two vectors where v.y is one. */
static int run_sum(cublas_handle h, const char *name, int type, const char *operation, vectors v,
                   void *result, size_t bytes)
{
    if (h == NULL || result == NULL) {
        return h == NULL ? NOT_INITIALIZED : INVALID_VALUE;
    }
    bool pair = v.y != NULL;
    if (v.n <= 0 || (!pair && v.x_step <= 0)) {
        return nothing(h, result, bytes);
    }
    if (!has_room(h)) {
        return ALLOC_FAILED;
    }
    math_says(name);
    bool there = lies_in_device(h);
    v.blocks = (int)blocks_of(v.n, MOST_PARTS);
    v.partials = h->scratch;
    v.result = there ? device(result) : h->scratch + MOST_PARTS * PART_BYTES;
    char end[16];
    snprintf(end, sizeof end, "%s_end", operation);
    if (!launch(h, type, operation, (unsigned)v.blocks, &v) || !launch(h, type, end, 1, &v)) {
        return EXECUTION_FAILED;
    }
    return there || (cuStreamSynchronize(h->stream) == 0 &&
                     cuMemcpyDtoH_v2(result, v.result, bytes) == 0)
               ? SUCCESS
               : MAPPING_ERROR;
}

static int index_of(cublas_handle h, const char *name, int type, const char *operation, vectors v,
                    void *result, size_t bytes)
{
    v.wide = bytes == sizeof(int64_t);
    return run_sum(h, name, type, operation, v, result, bytes);
}

/* ---- in single and double precision ---- */

#define PAIR                                                                                       \
    {                                                                                              \
        .n = n, .x = x, .x_step = incx, .y = y, .y_step = incy                                     \
    }
#define ONE                                                                                        \
    {                                                                                              \
        .n = n, .x = x, .x_step = incx                                                             \
    }

/* MADE(cublasSaxpy_v2) MADE(cublasSscal_v2) MADE(cublasScopy_v2) MADE(cublasSswap_v2)
 * MADE(cublasSrot_v2) MADE(cublasSdot_v2) MADE(cublasSasum_v2) MADE(cublasSnrm2_v2)
 * MADE(cublasIsamax_v2) MADE(cublasIsamin_v2) MADE(cublasDaxpy_v2) MADE(cublasDscal_v2)
 * MADE(cublasDcopy_v2) MADE(cublasDswap_v2) MADE(cublasDrot_v2) MADE(cublasDdot_v2)
 * MADE(cublasDasum_v2) MADE(cublasDnrm2_v2) MADE(cublasIdamax_v2) MADE(cublasIdamin_v2)
 * MADE(cublasSaxpy_v2_64) MADE(cublasSscal_v2_64) MADE(cublasScopy_v2_64) MADE(cublasSswap_v2_64)
 * MADE(cublasSrot_v2_64) MADE(cublasSdot_v2_64) MADE(cublasSasum_v2_64) MADE(cublasSnrm2_v2_64)
 * MADE(cublasIsamax_v2_64) MADE(cublasIsamin_v2_64) MADE(cublasDaxpy_v2_64)
 * MADE(cublasDscal_v2_64) MADE(cublasDcopy_v2_64) MADE(cublasDswap_v2_64) MADE(cublasDrot_v2_64)
 * MADE(cublasDdot_v2_64) MADE(cublasDasum_v2_64) MADE(cublasDnrm2_v2_64)
 * MADE(cublasIdamax_v2_64) MADE(cublasIdamin_v2_64) */
#define SUM_OF_ONE(name, operation, T, R, type, I)                                                 \
    MATH_API int name(cublas_handle h, I n, const T *x, I incx, R *result)                         \
    {                                                                                              \
        return index_of(h, #name, type, operation, (vectors)ONE, result, sizeof *result);          \
    }
#define LEVEL_1(S, s, suffix, T, type, I)                                                          \
    MATH_API int cublas##S##axpy##suffix(cublas_handle h, I n, const T *alpha, const T *x, I incx, \
                                         T *y, I incy)                                             \
    {                                                                                              \
        return axpy(h, "cublas" #S "axpy", type, alpha, type, (vectors)PAIR);                      \
    }                                                                                              \
    MATH_API int cublas##S##scal##suffix(cublas_handle h, I n, const T *alpha, T *x, I incx)       \
    {                                                                                              \
        return scal(h, "cublas" #S "scal", type, alpha, type, (vectors)ONE);                       \
    }                                                                                              \
    MATH_API int cublas##S##copy##suffix(cublas_handle h, I n, const T *x, I incx, T *y, I incy)   \
    {                                                                                              \
        return move(h, "cublas" #S "copy", type, "copy", (vectors)PAIR);                           \
    }                                                                                              \
    MATH_API int cublas##S##swap##suffix(cublas_handle h, I n, T *x, I incx, T *y, I incy)         \
    {                                                                                              \
        return move(h, "cublas" #S "swap", type, "swap", (vectors)PAIR);                           \
    }                                                                                              \
    MATH_API int cublas##S##rot##suffix(cublas_handle h, I n, T *x, I incx, T *y, I incy,          \
                                        const T *c, const T *s_)                                   \
    {                                                                                              \
        return rot(h, "cublas" #S "rot", type, c, s_, type, (vectors)PAIR);                        \
    }                                                                                              \
    MATH_API int cublas##S##dot##suffix(cublas_handle h, I n, const T *x, I incx, T *y, I incy,    \
                                        T *result)                                                 \
    {                                                                                              \
        return run_sum(h, "cublas" #S "dot", type, "dot", (vectors)PAIR, result, sizeof *result);  \
    }                                                                                              \
    SUM_OF_ONE(cublas##S##asum##suffix, "asum", T, T, type, I)                                     \
    SUM_OF_ONE(cublas##S##nrm2##suffix, "nrm2", T, T, type, I)                                     \
    SUM_OF_ONE(cublasI##s##amax##suffix, "amax", T, I, type, I)                                    \
    SUM_OF_ONE(cublasI##s##amin##suffix, "amin", T, I, type, I)
LEVEL_1(S, s, _v2, float, R_32F, int)
LEVEL_1(D, d, _v2, double, R_64F, int)
LEVEL_1(S, s, _v2_64, float, R_32F, int64_t)
LEVEL_1(D, d, _v2_64, double, R_64F, int64_t)

/* ---- in types that are named ---- */

/* One type for vectors, and sums in single precision, or all in double. */
static bool is_made(const int types[], size_t count, int execution)
{
    bool same = types[0] == R_32F || types[0] == R_64F || types[0] == R_16F || types[0] == R_16BF;
    for (size_t i = 1; i < count; i++) {
        same = same && types[i] == types[0];
    }
    return same && execution == (types[0] == R_64F ? R_64F : R_32F);
}

static int lacks(const char *name)
{
    return math_lacks(name, NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED for these types");
}

/* MADE(cublasAxpyEx) MADE(cublasScalEx) MADE(cublasCopyEx) MADE(cublasSwapEx) MADE(cublasRotEx)
 * MADE(cublasDotEx) MADE(cublasDotcEx) MADE(cublasAsumEx) MADE(cublasNrm2Ex) MADE(cublasIamaxEx)
 * MADE(cublasIaminEx) MADE(cublasAxpyEx_64) MADE(cublasScalEx_64) MADE(cublasCopyEx_64)
 * MADE(cublasSwapEx_64) MADE(cublasRotEx_64) MADE(cublasDotEx_64) MADE(cublasDotcEx_64)
 * MADE(cublasAsumEx_64) MADE(cublasNrm2Ex_64) MADE(cublasIamaxEx_64) MADE(cublasIaminEx_64) */
#define MOVE_TYPED(name, operation, suffix, X, I)                                                  \
    MATH_API int name##suffix(cublas_handle h, I n, X *x, int x_type, I incx, void *y, int y_type, \
                              I incy)                                                              \
    {                                                                                              \
        const int types[] = {x_type, y_type};                                                      \
        return is_made(types, 2, x_type == R_64F ? R_64F : R_32F)                                  \
                   ? move(h, #name, x_type, operation, (vectors)PAIR)                              \
                   : lacks(#name);                                                                 \
    }
#define DOT_TYPED(name, suffix, I)                                                                 \
    MATH_API int name##suffix(cublas_handle h, I n, const void *x, int x_type, I incx, void *y,    \
                              int y_type, I incy, void *result, int result_type, int execution)    \
    {                                                                                              \
        const int types[] = {x_type, y_type, result_type};                                         \
        return is_made(types, 3, execution) ? run_sum(h, #name, x_type, "dot", (vectors)PAIR,      \
                                                      result, cublas_bytes_of(result_type))        \
                                            : lacks(#name);                                        \
    }
#define SUM_TYPED(name, operation, suffix, I)                                                      \
    MATH_API int name##suffix(cublas_handle h, I n, const void *x, int x_type, I incx,             \
                              void *result, int result_type, int execution)                        \
    {                                                                                              \
        const int types[] = {x_type, result_type};                                                 \
        return is_made(types, 2, execution) ? run_sum(h, #name, x_type, operation, (vectors)ONE,   \
                                                      result, cublas_bytes_of(result_type))        \
                                            : lacks(#name);                                        \
    }
#define INDEX_TYPED(name, operation, suffix, I)                                                    \
    MATH_API int name##suffix(cublas_handle h, I n, const void *x, int x_type, I incx, I *result)  \
    {                                                                                              \
        return is_made(&x_type, 1, x_type == R_64F ? R_64F : R_32F)                                \
                   ? index_of(h, #name, x_type, operation, (vectors)ONE, result, sizeof *result)   \
                   : lacks(#name);                                                                 \
    }
#define LEVEL_1_TYPED(suffix, I)                                                                   \
    MATH_API int cublasAxpyEx##suffix(cublas_handle h, I n, const void *alpha, int alpha_type,     \
                                      const void *x, int x_type, I incx, void *y, int y_type,      \
                                      I incy, int execution)                                       \
    {                                                                                              \
        const int types[] = {x_type, y_type};                                                      \
        return is_made(types, 2, execution) && alpha_type == execution                             \
                   ? axpy(h, "cublasAxpyEx", x_type, alpha, alpha_type, (vectors)PAIR)             \
                   : lacks("cublasAxpyEx");                                                        \
    }                                                                                              \
    MATH_API int cublasScalEx##suffix(cublas_handle h, I n, const void *alpha, int alpha_type,     \
                                      void *x, int x_type, I incx, int execution)                  \
    {                                                                                              \
        return is_made(&x_type, 1, execution) && alpha_type == execution                           \
                   ? scal(h, "cublasScalEx", x_type, alpha, alpha_type, (vectors)ONE)              \
                   : lacks("cublasScalEx");                                                        \
    }                                                                                              \
    MATH_API int cublasRotEx##suffix(cublas_handle h, I n, void *x, int x_type, I incx, void *y,   \
                                     int y_type, I incy, const void *c, const void *s,             \
                                     int scalar_type, int execution)                               \
    {                                                                                              \
        const int types[] = {x_type, y_type, scalar_type};                                         \
        return is_made(types, 3, execution)                                                        \
                   ? rot(h, "cublasRotEx", x_type, c, s, scalar_type, (vectors)PAIR)               \
                   : lacks("cublasRotEx");                                                         \
    }                                                                                              \
    MOVE_TYPED(cublasCopyEx, "copy", suffix, const void, I)                                        \
    MOVE_TYPED(cublasSwapEx, "swap", suffix, void, I)                                              \
    DOT_TYPED(cublasDotEx, suffix, I)                                                              \
    DOT_TYPED(cublasDotcEx, suffix, I)                                                             \
    SUM_TYPED(cublasAsumEx, "asum", suffix, I)                                                     \
    SUM_TYPED(cublasNrm2Ex, "nrm2", suffix, I)                                                     \
    INDEX_TYPED(cublasIamaxEx, "amax", suffix, I)                                                  \
    INDEX_TYPED(cublasIaminEx, "amin", suffix, I)
LEVEL_1_TYPED(, int)
LEVEL_1_TYPED(_64, int64_t)
