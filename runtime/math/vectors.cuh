/* vectors.cuh - of kernels.cu, what BLAS does with vectors (level 1). Sums are added up in two launches, as the library does: partial
 * results of blocks, and one block that puts these together in an order that depends on the length alone. */

namespace {

enum { VECTOR_THREADS = 256 };

/* Steps are in elements; one below 0 begins at the other end. */
struct vectors {
    long long n;
    const void *x;
    long long x_step;
    void *y;
    long long y_step;
    double alpha, beta;
    void *partials, *result;
    int blocks, wide; /* of partials; whether the result is an index of 64 bits */
};

template <typename T>
__device__ T *first(const void *p, long long n, long long step)
{
    return (T *)p + (step < 0 ? (1 - n) * step : 0);
}

enum vector_sum { SUM, NORM, LARGEST, SMALLEST };

/* value: a sum; of a norm the largest number, beside the sum of squares over its square, so that neither overflows; of
 * the largest and smallest that number, beside its place from 1 on, 0 for none. */
template <typename S>
struct partial {
    S value, squares;
    long long at;
};

template <vector_sum KIND, typename S>
__device__ partial<S> both(partial<S> a, partial<S> b)
{
    if (KIND == SUM) {
        a.value += b.value;
        return a;
    }
    if (KIND == NORM) {
        partial<S> large = a.value < b.value ? b : a, small = a.value < b.value ? a : b;
        S ratio = large.value == small.value ? (S)1 : small.value / large.value;
        large.squares += small.squares * ratio * ratio;
        return large;
    }
    bool beyond = KIND == LARGEST ? b.value > a.value : b.value < a.value;
    return b.at != 0 && (a.at == 0 || beyond || (b.value == a.value && b.at < a.at)) ? b : a;
}

/* Of all threads of the block, in thread 0. */
template <vector_sum KIND, typename S>
__device__ partial<S> of_block(partial<S> mine)
{
    __shared__ partial<S> all[VECTOR_THREADS];
    all[threadIdx.x] = mine;
#pragma unroll 1
    for (int half = VECTOR_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            all[threadIdx.x] = both<KIND>(all[threadIdx.x], all[threadIdx.x + half]);
        }
    }
    return all[0];
}

template <vector_sum KIND, bool PRODUCT, typename T, typename S>
__device__ void gather(const vectors &v)
{
    const T *x = first<T>(v.x, v.n, v.x_step), *y = first<T>(v.y, v.n, v.y_step);
    partial<S> mine = {0, 0, 0};
#pragma unroll 1
    for (long long i = (long long)blockIdx.x * VECTOR_THREADS + threadIdx.x; i < v.n;
         i += (long long)gridDim.x * VECTOR_THREADS) {
        S number = load(x[i * v.x_step]);
        partial<S> one = {number < 0 ? -number : number, (S)(number != 0), i + 1};
        if (PRODUCT) {
            one.value = number * (S)load(y[i * v.y_step]);
        } else if (KIND == NORM && number != number) {
            one = {0, number, 0};
        }
        mine = both<KIND>(mine, one);
    }
    mine = of_block<KIND>(mine);
    if (threadIdx.x == 0) {
        ((partial<S> *)v.partials)[blockIdx.x] = mine;
    }
}

template <vector_sum KIND, typename T, typename S>
__device__ void finish(const vectors &v)
{
    partial<S> mine = {0, 0, 0};
#pragma unroll 1
    for (int i = threadIdx.x; i < v.blocks; i += VECTOR_THREADS) {
        mine = both<KIND>(mine, ((const partial<S> *)v.partials)[i]);
    }
    mine = of_block<KIND>(mine);
    if (threadIdx.x != 0) {
        return;
    }
    if (KIND == SUM || KIND == NORM) {
        store((T *)v.result, KIND == NORM ? mine.value * (S)sqrt(mine.squares) : mine.value);
    } else if (v.wide) {
        *(long long *)v.result = mine.at;
    } else {
        *(int *)v.result = (int)mine.at;
    }
}

enum vector_map { AXPY, SCAL, COPY, SWAP, ROT };

template <vector_map KIND, typename T, typename S>
__device__ void each(const vectors &v)
{
    T *x = first<T>(v.x, v.n, v.x_step), *y = first<T>(v.y, v.n, v.y_step);
    S alpha = (S)v.alpha, beta = (S)v.beta;
#pragma unroll 1
    for (long long i = (long long)blockIdx.x * VECTOR_THREADS + threadIdx.x; i < v.n;
         i += (long long)gridDim.x * VECTOR_THREADS) {
        T *a = x + i * v.x_step, *b = y + i * v.y_step;
        const T old = *a;
        if (KIND == SCAL) {
            store(a, alpha * (S)load(old));
        } else if (KIND == AXPY) {
            store(b, alpha * (S)load(old) + (S)load(*b));
        } else if (KIND == ROT) {
            S p = load(old), q = load(*b);
            store(a, alpha * p + beta * q);
            store(b, alpha * q - beta * p);
        } else {
            if (KIND == SWAP) {
                *a = *b;
            }
            *b = old;
        }
    }
}

} // namespace

#define VECTOR(name, ...)                                                                                     \
    extern "C" __global__ void name(vectors v)                                                                \
    {                                                                                                         \
        __VA_ARGS__(v);                                                                                       \
    }
#define VECTORS(prefix, T, S)                                                                                 \
    VECTOR(prefix##dot, gather<SUM, true, T, S>)                                                              \
    VECTOR(prefix##asum, gather<SUM, false, T, S>)                                                            \
    VECTOR(prefix##nrm2, gather<NORM, false, T, S>)                                                           \
    VECTOR(prefix##amax, gather<LARGEST, false, T, S>)                                                        \
    VECTOR(prefix##amin, gather<SMALLEST, false, T, S>)                                                       \
    VECTOR(prefix##dot_end, finish<SUM, T, S>)                                                                \
    VECTOR(prefix##asum_end, finish<SUM, T, S>)                                                               \
    VECTOR(prefix##nrm2_end, finish<NORM, T, S>)                                                              \
    VECTOR(prefix##amax_end, finish<LARGEST, T, S>)                                                           \
    VECTOR(prefix##amin_end, finish<SMALLEST, T, S>)                                                          \
    VECTOR(prefix##axpy, each<AXPY, T, S>)                                                                    \
    VECTOR(prefix##scal, each<SCAL, T, S>)                                                                    \
    VECTOR(prefix##copy, each<COPY, T, S>)                                                                    \
    VECTOR(prefix##swap, each<SWAP, T, S>)                                                                    \
    VECTOR(prefix##rot, each<ROT, T, S>)
VECTORS(ww_s, float, float)
VECTORS(ww_d, double, double)
VECTORS(ww_h, __half, float)
VECTORS(ww_b, __nv_bfloat16, float)
