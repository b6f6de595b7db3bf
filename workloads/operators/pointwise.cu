// pointwise.cu - elementwise functions as PyTorch launches them (ATen, native/cuda/CUDALoops.cuh, up to 2.5): 128 threads of four
// elements; contiguous operands of one type in vectors of four, operands of two types one by one behind a choice of the type, strided
// and repeated ones one after the other behind a division of the index for each dimension.
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
struct divide { static __device__ float of(float a, float b, float) { return a / b; } };

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

// Where operands of an element lie: its index in each dimension, the fastest first, times the operand's step in bytes, as ATen's
// OffsetCalculator has it. Operand 0 is the result.
struct walk {
    unsigned dims;
    divisor size[4];
    unsigned step[4][4];
};

template <int OPERANDS, int DIMS> __device__ __forceinline__ void offsets(const walk &w, unsigned index, unsigned at[OPERANDS])
{
#pragma unroll
    for (int i = 0; i < OPERANDS; i++) {
        at[i] = 0;
    }
#pragma unroll
    for (int d = 0; d < DIMS; d++) {
        if (d == w.dims) {
            break;
        }
        unsigned next = w.size[d].divide(index), rest = index - next * w.size[d].by;
        index = next;
#pragma unroll
        for (int i = 0; i < OPERANDS; i++) {
            at[i] += rest * w.step[d][i];
        }
    }
}

// One element after the other: what is written may be what is read next, so that no load passes a store (ATen's launch_legacy_kernel,
// whose operands are bare pointers). Numbers of four bytes come in twos.
template <typename T, int OPERANDS, int DIMS, typename BODY> __device__ __forceinline__ void one_by_one(unsigned n, const walk &w, BODY body)
{
    const int each = sizeof(T) >= 4 ? 2 : EACH;
    unsigned index = blockIdx.x * (THREADS * each) + threadIdx.x;
#pragma unroll
    for (int i = 0; i < each; i++) {
        if (index < n) {
            unsigned at[OPERANDS];
            offsets<OPERANDS, DIMS>(w, index, at);
            body(at);
            index += THREADS;
        }
    }
}

template <typename T> __device__ __forceinline__ T *reach(T *p, unsigned offset) { return (T *)((char *)p + offset); }
template <typename T> __device__ __forceinline__ const T *reach(const T *p, unsigned offset) { return (const T *)((const char *)p + offset); }

// Types of operands that a cast is told when it runs, as ATen's fetch_and_cast and cast_and_store are; only these four are here.
enum type { TYPE_BF16, TYPE_F16, TYPE_F32, TYPE_F64 };

template <typename T> __device__ __forceinline__ T fetch(unsigned from, const void *p, long long i)
{
    switch (from) {
    case TYPE_BF16:
        return from_float<T>(to_float(((const bf16 *)p)[i]));
    case TYPE_F16:
        return from_float<T>(to_float(((const f16 *)p)[i]));
    case TYPE_F32:
        return from_float<T>(((const float *)p)[i]);
    default:
        return from_float<T>((float)((const double *)p)[i]);
    }
}

template <typename T> __device__ __forceinline__ void store(unsigned to, void *p, long long i, T x)
{
    switch (to) {
    case TYPE_BF16:
        ((bf16 *)p)[i] = from_float<bf16>(to_float(x));
        break;
    case TYPE_F16:
        ((f16 *)p)[i] = from_float<f16>(to_float(x));
        break;
    case TYPE_F32:
        ((float *)p)[i] = to_float(x);
        break;
    default:
        ((double *)p)[i] = to_float(x);
    }
}

template <typename T> __device__ __forceinline__ void cast(const void *a, void *y, long long n, unsigned from, unsigned to)
{
    const long long first = (long long)blockIdx.x * BLOCK + threadIdx.x;
    T x[EACH];
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        if (first + i * THREADS < n) {
            x[i] = fetch<T>(from, a, first + i * THREADS);
        }
    }
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        if (first + i * THREADS < n) {
            store<T>(to, y, first + i * THREADS, x[i]);
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
#define STRIDED(NAME, F, T, DIMS)                                                                                                \
    extern "C" __global__ void __launch_bounds__(THREADS, 4) NAME(const T *a, const T *b, T *y, unsigned n, walk w)         \
    {                                                                                                                      \
        one_by_one<T, 3, DIMS>(n, w, [=](const unsigned *at) {                                                                   \
            *reach(y, at[0]) = from_float<T>(F::of(to_float(*reach(a, at[1])), to_float(*reach(b, at[2])), 0));            \
        });                                                                                                                \
    }
// A number where the mask is set, another one's where not.
#define WHERE(NAME, T)                                                                                                     \
    extern "C" __global__ void __launch_bounds__(THREADS, 4)                                                               \
        NAME(const unsigned char *mask, const T *a, const T *b, T *y, unsigned n, walk w)                                  \
    {                                                                                                                      \
        one_by_one<T, 4, 3>(n, w, [=](const unsigned *at) {                                                                   \
            bool set = *reach(mask, at[1]) != 0;                                                                           \
            T x = *reach(a, at[2]), z = *reach(b, at[3]);                                                                  \
            *reach(y, at[0]) = set ? x : z;                                                                                \
        });                                                                                                                \
    }
#define COPY(NAME, T)                                                                                                      \
    extern "C" __global__ void __launch_bounds__(THREADS, 4) NAME(const T *a, T *y, unsigned n, walk w)                    \
    {                                                                                                                      \
        one_by_one<T, 2, 4>(n, w, [=](const unsigned *at) { *reach(y, at[0]) = *reach(a, at[1]); });                          \
    }
#define CAST(NAME, T)                                                                                                      \
    extern "C" __global__ void __launch_bounds__(THREADS)                                                                  \
        NAME(const void *a, void *y, long long n, unsigned from, unsigned to)                                              \
    {                                                                                                                      \
        cast<T>(a, y, n, from, to);                                                                                        \
    }
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
    STRIDED(add_strided_##SUFFIX, add, T, 3)                                                                                  \
    STRIDED(divide_strided_##SUFFIX, divide, T, 1)                                                                            \
    WHERE(where_strided_##SUFFIX, T)                                                                                       \
    COPY(copy_strided_##SUFFIX, T)                                                                                         \
    CAST(cast_##SUFFIX, T)

ALL(bf16, bf16)
ALL(f16, f16)
ALL(fp32, float)
