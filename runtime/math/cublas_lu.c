/* cublas_lu.c - of cuBLAS, triangular factors of batches of matrices with partial pivoting, what is
 * solved with them, and inverses, in single and double precision, on kernels of ours. */
#include "base/compiler.h"
#include "runtime/math/cublas.h"

/* A block of 32 x 8 threads for each matrix. */
static int launch(cublas_handle h, const char *name, const char *kernel, int count,
                  void **arguments)
{
    const unsigned grid[3] = {(unsigned)count, 1, 1}, block[3] = {32, 8, 1};
    math_says(name);
    return math_launch(kernel, grid, block, arguments, h->stream) ? SUCCESS : EXECUTION_FAILED;
}

static bool fits(int n, int ld)
{
    return n >= 0 && ld >= (n > 1 ? n : 1);
}

static int factor(cublas_handle h, const char *name, const char *kernel, int n, const void *a,
                  int lda, int *pivots, int *info, int count)
{
    int64_t pitch = lda;
    if (h == NULL) {
        return NOT_INITIALIZED;
    }
    if (!fits(n, lda) || count < 0) {
        return INVALID_VALUE;
    }
    if (n == 0 || count == 0) {
        return SUCCESS;
    }
    if (a == NULL || info == NULL) {
        return INVALID_VALUE;
    }
    void *arguments[] = {&n, &a, &pitch, &pivots, &info};
    return launch(h, name, kernel, count, arguments);
}

/* *info: 0, or the number of the argument that is at fault, counted from 1 and negative. */
static int solve(cublas_handle h, const char *name, const char *kernel, int trans, int n,
                 int columns, const void *a, int lda, const int *pivots, const void *b, int ldb,
                 int *info, int count)
{
    int64_t pitch_a = lda, pitch_b = ldb;
    if (h == NULL || info == NULL) {
        return h == NULL ? NOT_INITIALIZED : INVALID_VALUE;
    }
    bool none = n == 0 || columns == 0 || count == 0;
    const struct {
        int argument;
        bool wrong;
    } checks[] = {
        {1, trans < 0 || trans > 2}, {2, n < 0},         {3, columns < 0},
        {4, a == NULL && !none},     {5, !fits(n, lda)}, {7, b == NULL && !none},
        {8, !fits(n, ldb)},          {10, count < 0},
    };
    *info = 0;
    for (size_t i = 0; i < WW_ARRAY_LEN(checks); i++) {
        if (checks[i].wrong) {
            *info = -checks[i].argument;
            return INVALID_VALUE;
        }
    }
    void *arguments[] = {&trans, &n, &columns, &a, &pitch_a, &pivots, &b, &pitch_b};
    return none ? SUCCESS : launch(h, name, kernel, count, arguments);
}

static int invert(cublas_handle h, const char *name, const char *kernel, int n, const void *a,
                  int lda, const int *pivots, const void *c, int ldc, int *info, int count)
{
    int64_t pitch_a = lda, pitch_c = ldc;
    if (h == NULL) {
        return NOT_INITIALIZED;
    }
    if (!fits(n, lda) || !fits(n, ldc) || count < 0) {
        return INVALID_VALUE;
    }
    if (n == 0 || count == 0) {
        return SUCCESS;
    }
    if (a == NULL || c == NULL || info == NULL) {
        return INVALID_VALUE;
    }
    void *arguments[] = {&n, &a, &pitch_a, &pivots, &c, &pitch_c, &info};
    return launch(h, name, kernel, count, arguments);
}

/* MADE(cublasSgetrfBatched) MADE(cublasDgetrfBatched) MADE(cublasSgetrsBatched)
 * MADE(cublasDgetrsBatched) MADE(cublasSgetriBatched) MADE(cublasDgetriBatched) */
#define LU(S, s)                                                                                   \
    MATH_API int cublas##S##getrfBatched(cublas_handle h, int n, const void *a, int lda,           \
                                         int *pivots, int *info, int count)                        \
    {                                                                                              \
        return factor(h, "cublas" #S "getrfBatched", "ww_" #s "getrf", n, a, lda, pivots, info,    \
                      count);                                                                      \
    }                                                                                              \
    MATH_API int cublas##S##getrsBatched(cublas_handle h, int trans, int n, int columns,           \
                                         const void *a, int lda, const int *pivots, const void *b, \
                                         int ldb, int *info, int count)                            \
    {                                                                                              \
        return solve(h, "cublas" #S "getrsBatched", "ww_" #s "getrs", trans, n, columns, a, lda,   \
                     pivots, b, ldb, info, count);                                                 \
    }                                                                                              \
    MATH_API int cublas##S##getriBatched(cublas_handle h, int n, const void *a, int lda,           \
                                         const int *pivots, const void *c, int ldc, int *info,     \
                                         int count)                                                \
    {                                                                                              \
        return invert(h, "cublas" #S "getriBatched", "ww_" #s "getri", n, a, lda, pivots, c, ldc,  \
                      info, count);                                                                \
    }
LU(S, s)
LU(D, d)
