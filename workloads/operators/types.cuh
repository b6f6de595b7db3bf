// types.cuh - numbers of the operator kernels, and how 16 bytes of them move.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

typedef __nv_bfloat16 bf16;
typedef __half f16;

__device__ __forceinline__ float to_float(bf16 x) { return __bfloat162float(x); }
__device__ __forceinline__ float to_float(f16 x) { return __half2float(x); }
__device__ __forceinline__ float to_float(float x) { return x; }
template <typename T> __device__ __forceinline__ T from_float(float x);
template <> __device__ __forceinline__ bf16 from_float<bf16>(float x) { return __float2bfloat16_rn(x); }
template <> __device__ __forceinline__ f16 from_float<f16>(float x) { return __float2half_rn(x); }
template <> __device__ __forceinline__ float from_float<float>(float x) { return x; }

// N numbers that move as one.
template <typename T, int N> struct alignas(sizeof(T) * N) vec {
    T v[N];
};

// What an epilogue does behind scale and bias.
enum activation { ACT_NONE, ACT_RELU, ACT_GELU, ACT_SILU };

__device__ __forceinline__ float gelu(float x) { return 0.5f * x * (1.0f + erff(x * 0.70710678118654752f)); }
__device__ __forceinline__ float silu(float x) { return x / (1.0f + __expf(-x)); }

__device__ __forceinline__ float activate(float x, int act)
{
    if (act == ACT_RELU) {
        x = fmaxf(x, 0.0f);
    } else if (act == ACT_GELU) {
        x = gelu(x);
    } else if (act == ACT_SILU) {
        x = silu(x);
    }
    return x;
}
