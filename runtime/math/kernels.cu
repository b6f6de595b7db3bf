/* kernels.cu - what the thin libraries run in place of cuBLAS: products of matrices, column by column as BLAS has
 * them, triangular factors and what is solved with them. Compile: see CMakeLists.txt. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace {

enum { TILE = 16 };

__device__ double load(double x) { return x; }
__device__ float load(float x) { return x; }
__device__ float load(__half x) { return __half2float(x); }
__device__ float load(__nv_bfloat16 x) { return __bfloat162float(x); }
__device__ void store(double *to, double x) { *to = x; }
__device__ void store(float *to, float x) { *to = x; }
__device__ void store(__half *to, float x) { *to = __float2half(x); }
__device__ void store(__nv_bfloat16 *to, float x) { *to = __float2bfloat16(x); }

/* C = alpha op(A) op(B) + beta C, m x n, over k; sums in S. Of a batch, z-th: from lists of pointers, or
 * `stride` elements apart. beta = 0 does not read C. */
template <typename T, typename D, typename S>
__device__ void gemm(int transposed, long long m, long long n, long long k, S alpha, const T *a,
                     long long lda, long long stride_a, const T *b, long long ldb, long long stride_b, S beta,
                     D *c, long long ldc, long long stride_c, int listed)
{
    __shared__ S as[TILE][TILE + 1], bs[TILE][TILE + 1];
    long long z = blockIdx.z, row = (long long)blockIdx.x * TILE + threadIdx.x;
    long long column = (long long)blockIdx.y * TILE + threadIdx.y;
    const T *pa = listed ? ((const T *const *)a)[z] : a + z * stride_a;
    const T *pb = listed ? ((const T *const *)b)[z] : b + z * stride_b;
    D *pc = listed ? ((D *const *)c)[z] : c + z * stride_c;
    S sum = 0;
    for (long long from = 0; from < k; from += TILE) {
        long long ka = from + threadIdx.y, kb = from + threadIdx.x;
        as[threadIdx.y][threadIdx.x] =
            row < m && ka < k ? (S)load(pa[transposed & 1 ? ka + row * lda : row + ka * lda]) : (S)0;
        bs[threadIdx.y][threadIdx.x] =
            column < n && kb < k ? (S)load(pb[transposed & 2 ? column + kb * ldb : kb + column * ldb]) : (S)0;
        __syncthreads();
        for (int i = 0; i < TILE; i++) {
            sum += as[i][threadIdx.x] * bs[threadIdx.y][i];
        }
        __syncthreads();
    }
    if (row < m && column < n) {
        D *to = pc + row + column * ldc;
        S value = alpha * sum;
        store(to, beta == 0 ? value : value + beta * (S)load(*to));
    }
}

} // namespace

#define GEMM(name, T, D, S)                                                                                   \
    extern "C" __global__ void name(int transposed, long long m, long long n, long long k, double alpha,       \
                                    const T *a, long long lda, long long stride_a, const T *b, long long ldb,  \
                                    long long stride_b, double beta, D *c, long long ldc, long long stride_c,  \
                                    int listed)                                                                \
    {                                                                                                         \
        gemm<T, D, S>(transposed, m, n, k, (S)alpha, a, lda, stride_a, b, ldb, stride_b, (S)beta, c, ldc,      \
                      stride_c, listed);                                                                       \
    }
GEMM(ww_sgemm, float, float, float)
GEMM(ww_dgemm, double, double, double)
GEMM(ww_hgemm, __half, __half, float)
GEMM(ww_hsgemm, __half, float, float)
GEMM(ww_bgemm, __nv_bfloat16, __nv_bfloat16, float)
GEMM(ww_bsgemm, __nv_bfloat16, float, float)

namespace {

enum { ROWS = 32, COLUMNS = 8, THREADS = ROWS * COLUMNS };

/* The row of the largest number by size from row k on, of several the first. */
template <typename T>
__device__ int largest(const T *column, int k, int n)
{
    __shared__ T size[THREADS];
    __shared__ int row[THREADS];
    int thread = threadIdx.y * ROWS + threadIdx.x;
    T best = -1;
    int at = k;
#pragma unroll 1
    for (int i = k + thread; i < n; i += THREADS) {
        T x = column[i] < 0 ? -column[i] : column[i];
        at = x > best ? i : at;
        best = x > best ? x : best;
    }
    size[thread] = best;
    row[thread] = at;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (thread < half && (size[thread + half] > size[thread] ||
                              (size[thread + half] == size[thread] && row[thread + half] < row[thread]))) {
            size[thread] = size[thread + half];
            row[thread] = row[thread + half];
        }
    }
    __syncthreads();
    return row[0];
}

template <typename T>
__device__ void swap_rows(T *a, long long lda, int columns, int k, int p)
{
#pragma unroll 1
    for (int j = threadIdx.y * ROWS + threadIdx.x; k != p && j < columns; j += THREADS) {
        T old = a[k + j * lda];
        a[k + j * lda] = a[p + j * lda];
        a[p + j * lda] = old;
    }
}

/* Triangular factors of a matrix of a batch, a block of threads for each, in place: column by column, as LAPACK's
 * getf2. Pivots count from 1; null: none are sought. info: 0, or the first column whose pivot is 0, from 1. */
template <typename T>
__device__ void factor(int n, T *a, long long lda, int *pivots, int *info)
{
    int thread = threadIdx.y * ROWS + threadIdx.x, singular = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        T *column = a + k * lda;
        if (pivots != NULL) {
            int p = largest(column, k, n);
            swap_rows(a, lda, n, k, p);
            if (thread == 0) {
                pivots[k] = p + 1;
            }
            __syncthreads();
        }
        T pivot = column[k];
        singular = pivot == 0 && singular == 0 ? k + 1 : singular;
#pragma unroll 1
        for (int i = k + 1 + thread; pivot != 0 && i < n; i += THREADS) {
            column[i] /= pivot;
        }
        __syncthreads();
#pragma unroll 1
        for (int j = k + 1 + threadIdx.y; j < n; j += COLUMNS) {
            T above = a[k + j * lda];
#pragma unroll 1
            for (int i = k + 1 + threadIdx.x; i < n; i += ROWS) {
                a[i + j * lda] -= column[i] * above;
            }
        }
        __syncthreads();
    }
    if (thread == 0) {
        *info = singular;
    }
}

/* X of op(A) X = B in place of B, A triangular: row after row is divided by the diagonal, if that is not 1, and
 * taken from the rows yet to come. */
template <typename T>
__device__ void substitute(bool lower, bool unit, bool transposed, int n, int columns, const T *a, long long lda,
                           T *b, long long ldb)
{
    bool down = lower != transposed;
#pragma unroll 1
    for (int step = 0; step < n; step++) {
        int k = down ? step : n - 1 - step, first = down ? k + 1 : 0, end = down ? n : k;
#pragma unroll 1
        for (int j = threadIdx.y * ROWS + threadIdx.x; !unit && j < columns; j += THREADS) {
            b[k + j * ldb] /= a[k + k * lda];
        }
        __syncthreads();
#pragma unroll 1
        for (int j = threadIdx.y; j < columns; j += COLUMNS) {
            T x = b[k + j * ldb];
#pragma unroll 1
            for (int i = first + threadIdx.x; i < end; i += ROWS) {
                b[i + j * ldb] -= (transposed ? a[k + i * lda] : a[i + k * lda]) * x;
            }
        }
        __syncthreads();
    }
}

template <typename T>
__device__ void solve(bool transposed, int n, int columns, const T *a, long long lda, const int *pivots, T *b,
                      long long ldb)
{
#pragma unroll 1
    for (int k = 0; !transposed && pivots != NULL && k < n; k++) {
        swap_rows(b, ldb, columns, k, pivots[k] - 1);
    }
    __syncthreads();
    substitute(!transposed, !transposed, transposed, n, columns, a, lda, b, ldb);
    substitute(transposed, transposed, transposed, n, columns, a, lda, b, ldb);
#pragma unroll 1
    for (int k = n - 1; transposed && pivots != NULL && k >= 0; k--) {
        swap_rows(b, ldb, columns, k, pivots[k] - 1);
    }
}

template <typename T>
__device__ void identity(int n, T *c, long long ldc)
{
#pragma unroll 1
    for (int j = threadIdx.y; j < n; j += COLUMNS) {
#pragma unroll 1
        for (int i = threadIdx.x; i < n; i += ROWS) {
            c[i + j * ldc] = i == j;
        }
    }
    __syncthreads();
}

/* The inverse, of factors none of whose pivots is 0. */
template <typename T>
__device__ void invert(int n, const T *a, long long lda, const int *pivots, T *c, long long ldc, int *info)
{
    int singular = 0;
#pragma unroll 1
    for (int k = n - 1; k >= 0; k--) {
        singular = a[k + k * lda] == 0 ? k + 1 : singular;
    }
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        *info = singular;
    }
    if (singular == 0) {
        identity(n, c, ldc);
        solve(false, n, n, a, lda, pivots, c, ldc);
    }
}

} // namespace

#define LU(prefix, T)                                                                                         \
    extern "C" __global__ void prefix##getrf(int n, T *const *a, long long lda, int *pivots, int *info)        \
    {                                                                                                         \
        long long z = blockIdx.x;                                                                             \
        factor(n, a[z], lda, pivots == NULL ? NULL : pivots + z * n, info + z);                               \
    }                                                                                                         \
    extern "C" __global__ void prefix##getrs(int transposed, int n, int columns, const T *const *a,            \
                                             long long lda, const int *pivots, T *const *b, long long ldb)     \
    {                                                                                                         \
        long long z = blockIdx.x;                                                                             \
        solve(transposed != 0, n, columns, a[z], lda, pivots == NULL ? NULL : pivots + z * n, b[z], ldb);      \
    }                                                                                                         \
    extern "C" __global__ void prefix##getri(int n, const T *const *a, long long lda, const int *pivots,       \
                                             T *const *c, long long ldc, int *info)                            \
    {                                                                                                         \
        long long z = blockIdx.x;                                                                             \
        invert(n, a[z], lda, pivots == NULL ? NULL : pivots + z * n, c[z], ldc, info + z);                     \
    }
LU(ww_s, float)
LU(ww_d, double)

#include "vectors.cuh"
