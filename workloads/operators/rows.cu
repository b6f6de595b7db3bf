// rows.cu - operators over rows as PyTorch launches them (ATen, native/cuda: PersistentSoftmax.cuh, SoftMax.cu,
// layer_norm_kernel.cu): softmax of rows up to 1024 in the registers of a warp, longer ones by a CTA; layer norm and RMS norm a CTA a row.
#include "types.cuh"

__device__ __forceinline__ float warp_max(float x)
{
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        x = fmaxf(x, __shfl_xor_sync(~0u, x, d));
    }
    return x;
}

__device__ __forceinline__ float warp_sum(float x)
{
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        x += __shfl_xor_sync(~0u, x, d);
    }
    return x;
}

// Four warps a CTA, each with ROWS rows of up to 32 x EACH elements.
template <typename T, int EACH, int ROWS>
__device__ __forceinline__ void softmax_warp(const T *x, T *y, int rows, int length)
{
    const int lane = threadIdx.x & 31, first = (blockIdx.x * 4 + (threadIdx.x >> 5)) * ROWS;
    float v[ROWS][EACH], most[ROWS], sum[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            int at = lane + 32 * i;
            v[r][i] = first + r < rows && at < length ? to_float(x[(long long)(first + r) * length + at]) : -INFINITY;
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        most[r] = v[r][0];
#pragma unroll
        for (int i = 1; i < EACH; i++) {
            most[r] = fmaxf(most[r], v[r][i]);
        }
        most[r] = warp_max(most[r]);
        sum[r] = 0.0f;
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            v[r][i] = expf(v[r][i] - most[r]);
            sum[r] += v[r][i];
        }
        sum[r] = warp_sum(sum[r]);
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            int at = lane + 32 * i;
            if (first + r < rows && at < length) {
                y[(long long)(first + r) * length + at] = from_float<T>(v[r][i] / sum[r]);
            }
        }
    }
}

template <bool MAX> __device__ __forceinline__ float block_reduce(float x)
{
    __shared__ float part[32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    x = MAX ? warp_max(x) : warp_sum(x);
    __syncthreads();
    if (lane == 0) {
        part[warp] = x;
    }
    __syncthreads();
    x = lane < warps ? part[lane] : MAX ? -INFINITY : 0.0f;
    return MAX ? warp_max(x) : warp_sum(x);
}

// A CTA a row: three passes over it, 16 bytes at a time; the row stays in shared memory behind the first.
template <typename T> __device__ __forceinline__ void softmax_block(const T *x, T *y, int length)
{
    enum { N = 16 / sizeof(T) };
    typedef vec<T, N> chunk;
    extern __shared__ __align__(16) char keep[];
    T *row = (T *)keep;
    x += (long long)blockIdx.x * length;
    y += (long long)blockIdx.x * length;
    const bool vectors = length % N == 0;
    float most = -INFINITY;
    if (vectors) {
        for (int i = threadIdx.x; i < length / N; i += blockDim.x) {
            chunk c = ((const chunk *)x)[i];
            ((chunk *)row)[i] = c;
#pragma unroll
            for (int e = 0; e < N; e++) {
                most = fmaxf(most, to_float(c.v[e]));
            }
        }
    } else {
        for (int i = threadIdx.x; i < length; i += blockDim.x) {
            row[i] = x[i];
            most = fmaxf(most, to_float(row[i]));
        }
    }
    most = block_reduce<true>(most);
    float sum = 0.0f;
    for (int i = threadIdx.x; i < length; i += blockDim.x) {
        sum += expf(to_float(row[i]) - most);
    }
    sum = block_reduce<false>(sum);
    if (vectors) {
        for (int i = threadIdx.x; i < length / N; i += blockDim.x) {
            chunk c = ((const chunk *)row)[i];
#pragma unroll
            for (int e = 0; e < N; e++) {
                c.v[e] = from_float<T>(expf(to_float(c.v[e]) - most) / sum);
            }
            ((chunk *)y)[i] = c;
        }
    } else {
        for (int i = threadIdx.x; i < length; i += blockDim.x) {
            y[i] = from_float<T>(expf(to_float(row[i]) - most) / sum);
        }
    }
}

// Two passes, the second of which finds the row in the L1; lengths of whole vectors of four.
template <typename T, bool RMS>
__device__ __forceinline__ void norm(const T *x, const T *gamma, const T *beta, T *y, float *mean_out, float *scale_out, int length, float eps)
{
    typedef vec<T, 4> quad;
    const quad *from = (const quad *)(x + (long long)blockIdx.x * length);
    quad *to = (quad *)(y + (long long)blockIdx.x * length);
    float sum = 0.0f, squares = 0.0f;
    for (int i = threadIdx.x; i < length / 4; i += blockDim.x) {
        quad c = from[i];
#pragma unroll
        for (int e = 0; e < 4; e++) {
            float v = to_float(c.v[e]);
            sum += v;
            squares += v * v;
        }
    }
    const float mean = RMS ? 0.0f : block_reduce<false>(sum) / length;
    const float scale = rsqrtf(block_reduce<false>(squares) / length - mean * mean + eps);
    for (int i = threadIdx.x; i < length / 4; i += blockDim.x) {
        quad c = from[i], g = ((const quad *)gamma)[i], b = RMS ? g : ((const quad *)beta)[i];
#pragma unroll
        for (int e = 0; e < 4; e++) {
            float v = (to_float(c.v[e]) - mean) * scale * to_float(g.v[e]);
            c.v[e] = from_float<T>(RMS ? v : v + to_float(b.v[e]));
        }
        to[i] = c;
    }
    if (!RMS && threadIdx.x == 0) {
        mean_out[blockIdx.x] = mean;
        scale_out[blockIdx.x] = scale;
    }
}

#define SOFTMAX_WARP(NAME, T, EACH, ROWS)                                                                                  \
    extern "C" __global__ void __launch_bounds__(128) NAME(const T *x, T *y, int rows, int length)                         \
    {                                                                                                                      \
        softmax_warp<T, EACH, ROWS>(x, y, rows, length);                                                                   \
    }
#define ALL(SUFFIX, T)                                                                                                     \
    SOFTMAX_WARP(softmax_32_##SUFFIX, T, 1, 2)                                                                             \
    SOFTMAX_WARP(softmax_64_##SUFFIX, T, 2, 2)                                                                             \
    SOFTMAX_WARP(softmax_128_##SUFFIX, T, 4, 2)                                                                            \
    SOFTMAX_WARP(softmax_256_##SUFFIX, T, 8, 1)                                                                            \
    SOFTMAX_WARP(softmax_512_##SUFFIX, T, 16, 1)                                                                           \
    SOFTMAX_WARP(softmax_1024_##SUFFIX, T, 32, 1)                                                                          \
    extern "C" __global__ void __launch_bounds__(1024) softmax_block_##SUFFIX(const T *x, T *y, int length)                \
    {                                                                                                                      \
        softmax_block<T>(x, y, length);                                                                                    \
    }                                                                                                                      \
    extern "C" __global__ void __launch_bounds__(128)                                                                      \
        layernorm_##SUFFIX(const T *x, const T *gamma, const T *beta, T *y, float *mean, float *scale, int length, float eps) \
    {                                                                                                                      \
        norm<T, false>(x, gamma, beta, y, mean, scale, length, eps);                                                       \
    }                                                                                                                      \
    extern "C" __global__ void __launch_bounds__(128) rmsnorm_##SUFFIX(const T *x, const T *gamma, T *y, int length, float eps) \
    {                                                                                                                      \
        norm<T, true>(x, gamma, gamma, y, nullptr, nullptr, length, eps);                                                  \
    }

ALL(bf16, bf16)
ALL(f16, f16)
ALL(fp32, float)
