// finish.cu - what stands behind a product whose sums are in f32: D = f(alpha sum + beta C + bias), as cublasLt's epilogues have it, in
// any type of result; and copies that turn an operand so that it lies along K.
#include <cuda_fp8.h>

#include "../../../workloads/operators/types.cuh"
#include "finish.h"

namespace {

enum { TILE = 32, ROWS = 8 };

__device__ float read(const void *from, int type, long long at)
{
    switch (type) {
    case WW_R_16F: return __half2float(((const __half *)from)[at]);
    case WW_R_16BF: return __bfloat162float(((const __nv_bfloat16 *)from)[at]);
    case WW_R_32I: return (float)((const int *)from)[at];
    case WW_R_8I: return (float)((const signed char *)from)[at];
    case WW_R_8F_E4M3: return (float)((const __nv_fp8_e4m3 *)from)[at];
    default: return ((const float *)from)[at];
    }
}

__device__ void write(void *to, int type, long long at, float x)
{
    switch (type) {
    case WW_R_16F: ((__half *)to)[at] = __float2half_rn(x); break;
    case WW_R_16BF: ((__nv_bfloat16 *)to)[at] = __float2bfloat16_rn(x); break;
    case WW_R_8I: ((signed char *)to)[at] = (signed char)fminf(fmaxf(rintf(x), -128.0f), 127.0f); break;
    case WW_R_8F_E4M3: ((__nv_fp8_e4m3 *)to)[at] = __nv_fp8_e4m3(x); break;
    default: ((float *)to)[at] = x; break;
    }
}

// With the hyperbolic tangent, as cublasLt has it.
constexpr float ROOT = 0.7978845608028654f, CUBE = 0.044715f;
__device__ float gelu_tanh(float x) { return 0.5f * x * (1.0f + tanhf(ROOT * (x + CUBE * x * x * x))); }
__device__ float gelu_slope(float x)
{
    const float t = tanhf(ROOT * (x + CUBE * x * x * x));
    return 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * ROOT * (1.0f + 3.0f * CUBE * x * x);
}

__device__ float scale(const float *p) { return p == nullptr ? 1.0f : *p; }

// Integers are exact: parts of at most 2^24 are summed as such.
__device__ void finish_integer(const ww_finish &p, long long from, long long c, long long d)
{
    int sum = 0;
    for (int s = 0; s < p.splits; s++) {
        sum += (int)p.sums[from + s * p.part];
    }
    sum *= (int)p.alpha;
    ((int *)p.d)[d] = sum + (p.beta == 0.0f ? 0 : (int)p.beta * ((const int *)p.c)[c]);
}

__device__ void finish(const ww_finish &p, long long i, long long j, long long z)
{
    const long long from = z * p.splits * p.part + j * p.pitch + i;
    const long long c = z * p.stride_c + j * p.ldc + i;
    const long long d = z * p.stride_d + j * p.ldd + i;
    if (p.type_d == WW_R_32I) {
        finish_integer(p, from, c, d);
        return;
    }
    float x = 0;
    for (int s = 0; s < p.splits; s++) {
        x += p.sums[from + s * p.part];
    }
    x *= p.alpha * scale(p.scale_a) * scale(p.scale_b);
    x += p.beta == 0.0f ? 0.0f : p.beta * scale(p.scale_c) * read(p.c, p.type_c, c);
    x += p.bias == nullptr ? 0.0f : read(p.bias, p.type_bias, z * p.stride_bias + (p.bias_columns ? j : i));
    const long long a = z * p.stride_aux + (p.bias_columns ? i * p.ld_aux + j : j * p.ld_aux + i);
    if (p.function == WW_FINISH_DGELU) {
        x *= gelu_slope(read(p.aux, p.type_aux, a));
    } else if (p.aux != nullptr) {
        write(p.aux, p.type_aux, a, x);
    }
    x = p.function == WW_FINISH_RELU ? fmaxf(x, 0.0f) : p.function == WW_FINISH_GELU ? gelu_tanh(x) : x;
    write(p.d, p.type_d, d, x * scale(p.scale_d));
}

// [columns][rows] of [rows][columns], tile by tile; what lies behind the rows is not written.
template <typename T>
__device__ void turn(const T *from, T *to, int rows, int columns, long long ld, long long ld_to, long long stride, long long stride_to)
{
    __shared__ T tile[TILE][TILE + 4 / sizeof(T)];
    from += blockIdx.z * stride;
    to += blockIdx.z * stride_to;
    const int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.x;
    for (int y = threadIdx.y; y < TILE; y += ROWS) {
        const int r = blockIdx.y * TILE + y;
        if (r < rows && column < columns) {
            tile[y][threadIdx.x] = from[r * ld + column];
        }
    }
    __syncthreads();
    for (int y = threadIdx.y; y < TILE; y += ROWS) {
        const int c = blockIdx.x * TILE + y;
        if (c < columns && row < rows) {
            to[c * ld_to + row] = tile[threadIdx.x][y];
        }
    }
}

// Rows that begin where copies of 16 bytes may.
template <typename T>
__device__ void pad(const T *from, T *to, int rows, int columns, long long ld, long long ld_to, long long stride, long long stride_to)
{
    from += blockIdx.z * stride;
    to += blockIdx.z * stride_to;
    const int column = blockIdx.x * TILE + threadIdx.x;
    for (int y = threadIdx.y; y < TILE; y += ROWS) {
        const int r = blockIdx.y * TILE + y;
        if (r < rows && column < columns) {
            to[r * ld_to + column] = from[r * ld + column];
        }
    }
}

} // namespace

extern "C" __global__ void ww_finish_product(ww_finish p)
{
    const long long i = (long long)blockIdx.y * blockDim.x + threadIdx.x;
    if (i < p.m) {
        finish(p, i, blockIdx.x, blockIdx.z);
    }
}

#define MOVE(NAME, FUNCTION, T)                                                                                            \
    extern "C" __global__ void NAME(const T *from, T *to, int rows, int columns, long long ld, long long ld_to,            \
                                    long long stride, long long stride_to)                                                 \
    {                                                                                                                      \
        FUNCTION(from, to, rows, columns, ld, ld_to, stride, stride_to);                                                   \
    }
MOVE(ww_turn_4, turn, float)
MOVE(ww_turn_2, turn, unsigned short)
MOVE(ww_turn_1, turn, unsigned char)
MOVE(ww_pad_4, pad, float)
MOVE(ww_pad_2, pad, unsigned short)
MOVE(ww_pad_1, pad, unsigned char)
