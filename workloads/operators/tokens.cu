// tokens.cu - what models of tokens do beside products: rotary embedding of queries and keys, look-up of embeddings.
#include "types.cuh"

// Rows are heads of tokens, `heads` to a token; number i of a row's first half turns with number i of its second half, by the angle
// of the token's position. Four pairs a thread; half a row is a multiple of four.
template <typename T>
__device__ __forceinline__ void rotary(const T *x, T *y, const T *cosine, const T *sine, long long rows, int width, int heads,
                                       int sequence)
{
    const int half = width / 2, each = half / 4;
    const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x, row = at / each;
    if (row >= rows) {
        return;
    }
    const int i = (int)(at % each) * 4, position = (int)(row / heads % sequence);
    const vec<T, 4> low = *(const vec<T, 4> *)(x + row * width + i), high = *(const vec<T, 4> *)(x + row * width + half + i);
    const vec<T, 4> c = *(const vec<T, 4> *)(cosine + (long long)position * half + i);
    const vec<T, 4> s = *(const vec<T, 4> *)(sine + (long long)position * half + i);
    vec<T, 4> a, b;
#pragma unroll
    for (int e = 0; e < 4; e++) {
        const float u = to_float(low.v[e]), v = to_float(high.v[e]), cs = to_float(c.v[e]), sn = to_float(s.v[e]);
        a.v[e] = from_float<T>(u * cs - v * sn);
        b.v[e] = from_float<T>(v * cs + u * sn);
    }
    *(vec<T, 4> *)(y + row * width + i) = a;
    *(vec<T, 4> *)(y + row * width + half + i) = b;
}

// A CTA a row; rows are whole chunks of 16 bytes.
template <typename T> __device__ __forceinline__ void embedding(const int *ids, const T *table, T *y, int width)
{
    constexpr int PER = 16 / sizeof(T);
    const T *from = table + (long long)ids[blockIdx.x] * width;
    T *to = y + (long long)blockIdx.x * width;
    for (int i = threadIdx.x * PER; i < width; i += blockDim.x * PER) {
        *(vec<T, PER> *)(to + i) = *(const vec<T, PER> *)(from + i);
    }
}

#define TOKENS(SUFFIX, T)                                                                                                  \
    extern "C" __global__ void __launch_bounds__(128)                                                                      \
        rotary_##SUFFIX(const T *x, T *y, const T *cosine, const T *sine, long long rows, int width, int heads, int sequence) \
    {                                                                                                                      \
        rotary(x, y, cosine, sine, rows, width, heads, sequence);                                                          \
    }                                                                                                                      \
    extern "C" __global__ void __launch_bounds__(128) embedding_##SUFFIX(const int *ids, const T *table, T *y, int width)   \
    {                                                                                                                      \
        embedding(ids, table, y, width);                                                                                   \
    }
TOKENS(bf16, bf16)
TOKENS(f16, f16)
TOKENS(fp32, float)
