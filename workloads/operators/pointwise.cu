// pointwise.cu - elementwise functions as PyTorch launches them (ATen, native/cuda/CUDALoops.cuh, up to 2.5): 128 threads of four
// elements; contiguous operands of one type in vectors of four, operands of two types one by one, broadcast ones one by one behind a
// division of the index.
#include "types.cuh"

enum { THREADS = 128, EACH = 4, BLOCK = THREADS * EACH };

struct add { static __device__ float of(float a, float b, float) { return a + b; } };
struct mul { static __device__ float of(float a, float b, float) { return a * b; } };
struct silu_mul { static __device__ float of(float a, float b, float) { return silu(a) * b; } };
struct scalar_add { static __device__ float of(float a, float, float s) { return a + s; } };
struct scalar_mul { static __device__ float of(float a, float, float s) { return a * s; } };
struct relu { static __device__ float of(float a, float, float) { return fmaxf(a, 0.0f); } };
struct gelu_erf { static __device__ float of(float a, float, float) { return gelu(a); } };
struct silu_of { static __device__ float of(float a, float, float) { return silu(a); } };
struct tanh_of { static __device__ float of(float a, float, float) { return tanhf(a); } };
// Where the mask is 0 a value takes the scalar's place.
struct where { static __device__ float of(float a, float b, float s) { return b != 0.0f ? a : s; } };

template <typename F, typename T, bool TWO>
__device__ __forceinline__ void contiguous(const T *a, const T *b, T *y, long long n, float s)
{
    typedef vec<T, EACH> quad;
    const long long first = (long long)blockIdx.x * BLOCK + threadIdx.x * EACH;
    if ((long long)(blockIdx.x + 1) * BLOCK <= n) {
        quad x = *(const quad *)(a + first), z = TWO ? *(const quad *)(b + first) : x, r;
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            r.v[i] = from_float<T>(F::of(to_float(x.v[i]), to_float(z.v[i]), s));
        }
        *(quad *)(y + first) = r;
        return;
    }
    for (long long i = (long long)blockIdx.x * BLOCK + threadIdx.x; i < n; i += THREADS) {
        y[i] = from_float<T>(F::of(to_float(a[i]), to_float(b[TWO ? i : 0]), s));
    }
}

// Division of a 31-bit index by a number known at the launch, as ATen's IntDivider does it (Granlund, Montgomery, PLDI 1994).
struct divisor {
    unsigned by, magic, shift;
    __device__ __forceinline__ unsigned divide(unsigned n) const { return (__umulhi(n, magic) + n) >> shift; }
};

// The second operand's index is the first's modulo `inner`, and one row of `inner` further for every `outer` such rows.
template <typename F, typename T>
__device__ __forceinline__ void broadcast(const T *a, const T *b, T *y, unsigned n, divisor inner, divisor outer, float s)
{
    T x[EACH], z[EACH];
    const unsigned first = blockIdx.x * BLOCK + threadIdx.x;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        unsigned at = first + i * THREADS;
        if (at < n) {
            unsigned row = inner.divide(at);
            x[i] = a[at];
            z[i] = b[outer.divide(row) * inner.by + (at - row * inner.by)];
        }
    }
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        unsigned at = first + i * THREADS;
        if (at < n) {
            y[at] = from_float<T>(F::of(to_float(x[i]), to_float(z[i]), s));
        }
    }
}

// The copy that makes [batch][heads][rows][width] of [batch][rows][heads][width], or the other way round with heads and rows
// exchanged: one by one, behind three divisions.
template <typename T> __device__ __forceinline__ void transpose(const T *a, T *y, unsigned n, divisor width, divisor rows, divisor heads)
{
    T x[EACH];
    const unsigned first = blockIdx.x * BLOCK + threadIdx.x;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        unsigned at = first + i * THREADS;
        if (at < n) {
            unsigned q = width.divide(at), r = rows.divide(q), b = heads.divide(r);
            unsigned column = at - q * width.by, row = q - r * rows.by, head = r - b * heads.by;
            x[i] = a[((b * rows.by + row) * heads.by + head) * width.by + column];
        }
    }
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        unsigned at = first + i * THREADS;
        if (at < n) {
            y[at] = x[i];
        }
    }
}

template <typename FROM, typename TO> __device__ __forceinline__ void cast(const FROM *a, TO *y, long long n)
{
    const long long first = (long long)blockIdx.x * BLOCK + threadIdx.x;
    FROM x[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        if (first + i * THREADS < n) {
            x[i] = a[first + i * THREADS];
        }
    }
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        if (first + i * THREADS < n) {
            y[first + i * THREADS] = from_float<TO>(to_float(x[i]));
        }
    }
}

#define ONE(NAME, F, T)                                                                                                    \
    extern "C" __global__ void __launch_bounds__(THREADS) NAME(const T *a, T *y, long long n, float s)                     \
    {                                                                                                                      \
        contiguous<F, T, false>(a, a, y, n, s);                                                                            \
    }
#define TWO(NAME, F, T)                                                                                                    \
    extern "C" __global__ void __launch_bounds__(THREADS) NAME(const T *a, const T *b, T *y, long long n, float s)         \
    {                                                                                                                      \
        contiguous<F, T, true>(a, b, y, n, s);                                                                             \
    }
#define BROADCAST(NAME, F, T)                                                                                              \
    extern "C" __global__ void __launch_bounds__(THREADS)                                                                  \
        NAME(const T *a, const T *b, T *y, unsigned n, unsigned inner, unsigned inner_magic, unsigned inner_shift,         \
             unsigned outer, unsigned outer_magic, unsigned outer_shift, float s)                                          \
    {                                                                                                                      \
        broadcast<F, T>(a, b, y, n, divisor{inner, inner_magic, inner_shift}, divisor{outer, outer_magic, outer_shift}, s); \
    }
#define TRANSPOSE(NAME, T)                                                                                                 \
    extern "C" __global__ void __launch_bounds__(THREADS)                                                                  \
        NAME(const T *a, T *y, unsigned n, unsigned width, unsigned width_magic, unsigned width_shift, unsigned rows,       \
             unsigned rows_magic, unsigned rows_shift, unsigned heads, unsigned heads_magic, unsigned heads_shift)          \
    {                                                                                                                      \
        transpose(a, y, n, divisor{width, width_magic, width_shift}, divisor{rows, rows_magic, rows_shift},                \
                  divisor{heads, heads_magic, heads_shift});                                                               \
    }
#define CAST(NAME, FROM, TO)                                                                                               \
    extern "C" __global__ void __launch_bounds__(THREADS) NAME(const FROM *a, TO *y, long long n) { cast(a, y, n); }
#define ALL(SUFFIX, T)                                                                                                     \
    TWO(add_##SUFFIX, add, T)                                                                                              \
    TWO(mul_##SUFFIX, mul, T)                                                                                              \
    TWO(silu_mul_##SUFFIX, silu_mul, T)                                                                                    \
    ONE(scalar_add_##SUFFIX, scalar_add, T)                                                                                \
    ONE(scalar_mul_##SUFFIX, scalar_mul, T)                                                                                \
    ONE(relu_##SUFFIX, relu, T)                                                                                            \
    ONE(gelu_##SUFFIX, gelu_erf, T)                                                                                        \
    ONE(silu_##SUFFIX, silu_of, T)                                                                                         \
    ONE(tanh_##SUFFIX, tanh_of, T)                                                                                         \
    BROADCAST(add_broadcast_##SUFFIX, add, T)                                                                              \
    BROADCAST(where_broadcast_##SUFFIX, where, T)                                                                          \
    TRANSPOSE(transpose_##SUFFIX, T)

ALL(bf16, bf16)
ALL(f16, f16)
ALL(fp32, float)
CAST(cast_bf16_fp32, bf16, float)
CAST(cast_fp32_bf16, float, bf16)
CAST(cast_f16_fp32, f16, float)
CAST(cast_fp32_f16, float, f16)
