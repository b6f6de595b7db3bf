// reduce.cu - the second kernel of a product whose K was split: sums partial results, then what an epilogue does. Rows of both hold
// whole chunks of 16 bytes; a thread has four numbers that lie side by side.
#include "types.cuh"

template <typename T>
__device__ __forceinline__ void reduce(const float *partial, T *c, const T *bias, const T *residual, long long each, int n, int ldc,
                                       int splits, int act, float alpha)
{
    const long long at = 4 * ((long long)blockIdx.x * blockDim.x + threadIdx.x);
    const int column = (int)(at % ldc);
    if (at >= each || column >= n) {
        return;
    }
    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll 4
    for (int s = 0; s < splits; s++) {
        const float4 x = *(const float4 *)(partial + s * each + at);
        sum[0] += x.x;
        sum[1] += x.y;
        sum[2] += x.z;
        sum[3] += x.w;
    }
    vec<T, 4> add, result;
    if (bias != nullptr) {
        add = *(const vec<T, 4> *)(bias + column);
    }
#pragma unroll
    for (int e = 0; e < 4; e++) {
        result.v[e] = from_float<T>(activate(to_float(from_float<T>(alpha * sum[e] + (bias != nullptr ? to_float(add.v[e]) : 0.0f))), act));
    }
    if (residual != nullptr) {
        add = *(const vec<T, 4> *)(residual + at);
#pragma unroll
        for (int e = 0; e < 4; e++) {
            result.v[e] = from_float<T>(to_float(result.v[e]) + to_float(add.v[e]));
        }
    }
    if (column + 4 <= n) {
        *(vec<T, 4> *)(c + at) = result;
        return;
    }
#pragma unroll
    for (int e = 0; e < 3; e++) {
        if (column + e < n) {
            c[at + e] = result.v[e];
        }
    }
}

// `each`: numbers of a split, rows of ldc.
#define REDUCE(NAME, T)                                                                                                    \
    extern "C" __global__ void __launch_bounds__(128)                                                                      \
        NAME(const float *partial, T *c, const T *bias, const T *residual, long long each, int n, int ldc, int splits,      \
             int act, float alpha)                                                                                         \
    {                                                                                                                      \
        reduce(partial, c, bias, residual, each, n, ldc, splits, act, alpha);                                              \
    }
REDUCE(reduce_bf16, bf16)
REDUCE(reduce_f16, f16)
REDUCE(reduce_fp32, float)
