/* kernels.cu - what the thin libraries run in place of cuBLAS and cuRAND: products of matrices, column
 * by column as BLAS has them, and numbers of Philox 4x32-10. Compile: see CMakeLists.txt. */
#include <cuda_fp16.h>

namespace {

enum { TILE = 16 };

__device__ double load(double x) { return x; }
__device__ float load(float x) { return x; }
__device__ float load(__half x) { return __half2float(x); }
__device__ void store(double *to, double x) { *to = x; }
__device__ void store(float *to, float x) { *to = x; }
__device__ void store(__half *to, float x) { *to = __float2half(x); }

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

namespace {

/* Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. */
__device__ uint4 philox(unsigned long long counter, unsigned long long seed)
{
    unsigned x = (unsigned)counter, y = (unsigned)(counter >> 32), z = 0, w = 0;
    unsigned k0 = (unsigned)seed, k1 = (unsigned)(seed >> 32);
    for (int round = 0; round < 10; round++) {
        unsigned high0 = __umulhi(0xd2511f53u, x), low0 = 0xd2511f53u * x;
        unsigned high1 = __umulhi(0xcd9e8d57u, z), low1 = 0xcd9e8d57u * z;
        x = high1 ^ y ^ k0;
        y = low1;
        z = high0 ^ w ^ k1;
        w = low0;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    return make_uint4(x, y, z, w);
}

/* The i-th number of 32 bits of a sequence. */
__device__ unsigned number(unsigned long long i, unsigned long long seed)
{
    uint4 four = philox(i / 4, seed);
    unsigned k = (unsigned)(i % 4);
    return k == 0 ? four.x : k == 1 ? four.y : k == 2 ? four.z : four.w;
}

__device__ unsigned long long long_number(unsigned long long i, unsigned long long seed)
{
    return (unsigned long long)number(2 * i + 1, seed) << 32 | number(2 * i, seed);
}

/* (0, 1] */
__device__ float uniform(unsigned x) { return x * 2.3283064e-10f + 1.1641532e-10f; }
__device__ double uniform(unsigned long long x)
{
    return (double)(x >> 11) * 1.1102230246251565e-16 + 5.5511151231257827e-17;
}

/* Box and Muller's two of two. */
__device__ float normal(unsigned long long i, unsigned long long seed)
{
    float u = uniform(number(i / 2 * 2, seed)), v = uniform(number(i / 2 * 2 + 1, seed));
    float r = sqrtf(-2 * logf(u)), t = 6.2831853f * v;
    return r * (i % 2 ? sinf(t) : cosf(t));
}

__device__ double normal_double(unsigned long long i, unsigned long long seed)
{
    double u = uniform(long_number(i / 2 * 2, seed)), v = uniform(long_number(i / 2 * 2 + 1, seed));
    double r = sqrt(-2 * log(u)), t = 6.283185307179586 * v;
    return r * (i % 2 ? sin(t) : cos(t));
}

} // namespace

#define FILL(name, T, value)                                                                                   \
    extern "C" __global__ void name(T *out, unsigned long long n, unsigned long long first,                    \
                                    unsigned long long seed, double a, double b)                               \
    {                                                                                                          \
        for (unsigned long long at = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; at < n;        \
             at += (unsigned long long)gridDim.x * blockDim.x) {                                               \
            unsigned long long i = first + at;                                                                 \
            out[at] = value;                                                                                   \
        }                                                                                                      \
    }
FILL(ww_random_bits, unsigned, number(i, seed))
FILL(ww_random_long, unsigned long long, long_number(i, seed))
FILL(ww_random_uniform, float, uniform(number(i, seed)))
FILL(ww_random_uniform_double, double, uniform(long_number(i, seed)))
FILL(ww_random_normal, float, (float)a + (float)b * normal(i, seed))
FILL(ww_random_normal_double, double, a + b * normal_double(i, seed))
FILL(ww_random_log_normal, float, expf((float)a + (float)b * normal(i, seed)))
FILL(ww_random_log_normal_double, double, exp(a + b * normal_double(i, seed)))
