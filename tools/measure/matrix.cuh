// matrix.cuh - products of tiles over and over, by format. A format that the code's target lacks has an empty kernel, and no
// benchmark. Included by measure.cu alone.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
// Operands of either sign in turn, so that sums do not run away and data change.
template <typename Format, typename Element, typename Sum, int M, int N, int K> __device__ void products(unsigned *out, int n)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, M, N, K, Format, row_major> a[2];
    fragment<matrix_b, M, N, K, Format, col_major> b;
    fragment<accumulator, M, N, K, Sum> c[2];
    const int lane = threadIdx.x;
    for (int i = 0; i < a[0].num_elements; i++) {
        const int value = (lane * 7 + i * 5) % 11 - 5;
        a[0].x[i] = Element(float(value));
        a[1].x[i] = Element(float(-value));
    }
    for (int i = 0; i < b.num_elements; i++) {
        b.x[i] = Element(float((lane * 3 + i * 13) % 7 - 3));
    }
    fill_fragment(c[0], Sum(0));
    fill_fragment(c[1], Sum(0));
#pragma unroll 1
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            mma_sync(c[s & 1], a[s / 2 & 1], b, c[s & 1]);
        }
    }
    float sum = 0;
    for (int i = 0; i < c[0].num_elements; i++) {
        sum += float(c[0].x[i]) + float(c[1].x[i]);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = __float_as_uint(sum);
}
#define SINCE_70(...) __VA_ARGS__
#else
#define SINCE_70(...)
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 720
#define SINCE_72(...) __VA_ARGS__
#else
#define SINCE_72(...)
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define SINCE_80(...) __VA_ARGS__
#else
#define SINCE_80(...)
#endif

extern "C" __global__ void ub_mma_f16(unsigned *out, int n) { SINCE_70((products<__half, __half, __half, 16, 16, 16>(out, n))); }
extern "C" __global__ void ub_mma_f16_f32(unsigned *out, int n) { SINCE_70((products<__half, __half, float, 16, 16, 16>(out, n))); }
extern "C" __global__ void ub_mma_s8(unsigned *out, int n)
{
    SINCE_72((products<signed char, signed char, int, 16, 16, 16>(out, n)));
}
extern "C" __global__ void ub_mma_bf16(unsigned *out, int n)
{
    SINCE_80((products<__nv_bfloat16, __nv_bfloat16, float, 16, 16, 16>(out, n)));
}
extern "C" __global__ void ub_mma_tf32(unsigned *out, int n)
{
    SINCE_80((products<nvcuda::wmma::precision::tf32, float, float, 16, 16, 8>(out, n)));
}
extern "C" __global__ void ub_mma_f64(unsigned *out, int n) { SINCE_80((products<double, double, double, 8, 8, 4>(out, n))); }

// Tens of the compute capability that the kernel's code was made for.
template <typename Kernel> static int target_of(Kernel *kernel)
{
    cudaFuncAttributes attributes = {};
    CHECK(cudaFuncGetAttributes(&attributes, kernel));
    return attributes.ptxVersion;
}
