/* kernels.cu - what the thin cuSPARSE runs: products of sparse and dense matrices, conversions between forms, and a
 * stable sort. Compile: see runtime/math/CMakeLists.txt. */
#include "operation.h"

namespace {

__device__ long long thread_index() { return blockIdx.x * (long long)blockDim.x + threadIdx.x; }
__device__ long long thread_count() { return (long long)gridDim.x * blockDim.x; }

template <typename T>
__device__ T scalar(const void *at, double value)
{
    return at != nullptr ? *(const T *)at : (T)value;
}

template <typename T>
__device__ void put(T *to, T sum, T beta)
{
    *to = beta == 0 ? sum : sum + beta * *to; /* what a 0 multiplies is not read */
}

/* A vector: p.lanes threads for each row, whose sums meet. */
template <typename T, typename I>
__device__ void row_vector(const sparse_product &p)
{
    const I *offsets = (const I *)p.offsets, *from = (const I *)p.from;
    const T *values = (const T *)p.values, *b = (const T *)p.b;
    T alpha = scalar<T>(p.alpha_at, p.alpha), beta = scalar<T>(p.beta_at, p.beta);
    int lane = (int)(threadIdx.x % p.lanes);
    long long first = thread_index() / p.lanes, step = thread_count() / p.lanes;
    long long rounds = (p.rows + step - 1) / step;
    for (long long round = 0; round < rounds; round++) { /* as many for all lanes of a warp */
        long long row = first + round * step;
        T sum = 0;
        if (row < p.rows) {
            long long end = (long long)offsets[row + 1] - p.base;
#pragma unroll 1
            for (long long e = (long long)offsets[row] - p.base + lane; e < end; e += p.lanes) {
                sum += values[e] * b[((long long)from[e] - p.base) * p.b_row];
            }
        }
#pragma unroll 1
        for (int away = p.lanes / 2; away > 0; away /= 2) {
            sum += __shfl_down_sync(0xffffffffu, sum, away, p.lanes);
        }
        if (row < p.rows && lane == 0) {
            put((T *)p.c + row * p.c_row, alpha * sum, beta);
        }
    }
}

/* Several columns: a thread for each of a row's, neighbours beside each other. */
template <typename T, typename I>
__device__ void row_matrix(const sparse_product &p)
{
    const I *offsets = (const I *)p.offsets + blockIdx.z * p.offsets_batch;
    const I *from = (const I *)p.from + blockIdx.z * p.elements_batch;
    const T *values = (const T *)p.values + blockIdx.z * p.elements_batch;
    const T *b = (const T *)p.b + blockIdx.z * p.b_batch;
    T *c = (T *)p.c + blockIdx.z * p.c_batch;
    T alpha = scalar<T>(p.alpha_at, p.alpha), beta = scalar<T>(p.beta_at, p.beta);
    for (long long i = thread_index(); i < p.rows * p.columns; i += thread_count()) {
        long long row = i / p.columns, column = i - row * p.columns;
        long long end = (long long)offsets[row + 1] - p.base;
        T sum = 0;
#pragma unroll 1
        for (long long e = (long long)offsets[row] - p.base; e < end; e++) {
            sum += values[e] * b[((long long)from[e] - p.base) * p.b_row + column * p.b_column];
        }
        put(c + row * p.c_row + column * p.c_column, alpha * sum, beta);
    }
}

template <typename T>
__device__ void scale(const sparse_product &p)
{
    T *c = (T *)p.c + blockIdx.z * p.c_batch, beta = scalar<T>(p.beta_at, p.beta);
    for (long long i = thread_index(); i < p.c_rows * p.columns; i += thread_count()) {
        long long row = i / p.columns, column = i - row * p.columns;
        put(c + row * p.c_row + column * p.c_column, (T)0, beta);
    }
}

/* Each element of A by itself, added to C where it belongs. */
template <typename T, typename I>
__device__ void by_elements(const sparse_product &p)
{
    const I *to = (const I *)p.to + blockIdx.z * p.elements_batch;
    const I *from = (const I *)p.from + blockIdx.z * p.elements_batch;
    const T *values = (const T *)p.values + blockIdx.z * p.elements_batch;
    const T *b = (const T *)p.b + blockIdx.z * p.b_batch;
    T *c = (T *)p.c + blockIdx.z * p.c_batch, alpha = scalar<T>(p.alpha_at, p.alpha);
    for (long long i = thread_index(); i < p.elements * p.columns; i += thread_count()) {
        long long e = i / p.columns, column = i - e * p.columns;
        atomicAdd(c + ((long long)to[e] - p.base) * p.c_row + column * p.c_column,
                  alpha * values[e] * b[((long long)from[e] - p.base) * p.b_row + column * p.b_column]);
    }
}

/* The same for rows that are rows of B, p.lanes threads for each. */
template <typename T, typename I>
__device__ void row_elements(const sparse_product &p)
{
    const I *offsets = (const I *)p.offsets + blockIdx.z * p.offsets_batch;
    const I *to = (const I *)p.from + blockIdx.z * p.elements_batch;
    const T *values = (const T *)p.values + blockIdx.z * p.elements_batch;
    const T *b = (const T *)p.b + blockIdx.z * p.b_batch;
    T *c = (T *)p.c + blockIdx.z * p.c_batch, alpha = scalar<T>(p.alpha_at, p.alpha);
    int lane = (int)(threadIdx.x % p.lanes);
    for (long long row = thread_index() / p.lanes; row < p.rows; row += thread_count() / p.lanes) {
        long long end = (long long)offsets[row + 1] - p.base;
#pragma unroll 1
        for (long long e = (long long)offsets[row] - p.base + lane; e < end; e += p.lanes) {
#pragma unroll 1
            for (long long column = 0; column < p.columns; column++) {
                atomicAdd(c + ((long long)to[e] - p.base) * p.c_row + column * p.c_column,
                          alpha * values[e] * b[row * p.b_row + column * p.b_column]);
            }
        }
    }
}

/* The first of `count` numbers in order that is not below x. */
template <typename I>
__device__ long long first_not_below(const I *list, long long count, long long x)
{
    long long low = 0;
    while (count > 0) {
        long long half = count / 2;
        bool below = (long long)list[low + half] < x;
        low = below ? low + half + 1 : low;
        count = below ? count - half - 1 : half;
    }
    return low;
}

/* The row that element e is in: the last that begins at or before it. */
template <typename I>
__device__ long long row_of(const I *offsets, long long rows, long long e, int base)
{
    return first_not_below(offsets, rows + 1, e + base + 1) - 1;
}

template <typename T, typename I>
__device__ void fill_elements(const sparse_dense &p)
{
    const I *offsets = (const I *)p.offsets, *to = (const I *)p.to, *from = (const I *)p.from;
    for (long long e = thread_index(); e < p.elements; e += thread_count()) {
        long long major = offsets != nullptr ? row_of(offsets, p.majors, e, p.base) : (long long)to[e] - p.base;
        long long minor = (long long)from[e] - p.base;
        ((T *)p.dense)[major * p.major_step + minor * p.minor_step] = ((const T *)p.values)[e];
    }
}

template <typename T>
__device__ void fill_zero(const sparse_dense &p)
{
    for (long long i = thread_index(); i < p.majors * p.minors; i += thread_count()) {
        long long major = i / p.minors;
        ((T *)p.dense)[major * p.major_step + (i - major * p.minors) * p.minor_step] = 0;
    }
}

/* A warp for each row: how many elements are not 0, or these themselves, in order. */
template <typename T, typename I, bool WRITES>
__device__ void not_zero(const sparse_dense &p)
{
    unsigned lane = threadIdx.x % 32;
    for (long long major = thread_index() / 32; major < p.majors; major += thread_count() / 32) {
        long long at = WRITES ? p.begins[major] : 0;
        if (WRITES && lane == 0 && p.offsets != nullptr) {
            ((I *)p.offsets)[major] = (I)(at + p.base);
            if (major == p.majors - 1) {
                ((I *)p.offsets)[p.majors] = (I)(p.begins[p.majors] + p.base);
            }
        }
#pragma unroll 1
        for (long long first = 0; first < p.minors; first += 32) {
            long long minor = first + lane;
            T value = minor < p.minors ? ((const T *)p.dense)[major * p.major_step + minor * p.minor_step] : (T)0;
            unsigned set = __ballot_sync(0xffffffffu, value != 0);
            long long e = at + __popc(set & ((1u << lane) - 1));
            if (WRITES && value != 0) {
                ((T *)p.values)[e] = value;
                ((I *)p.from)[e] = (I)(minor + p.base);
                if (p.to != nullptr) {
                    ((I *)p.to)[e] = (I)(major + p.base);
                }
            }
            at += __popc(set);
        }
        if (!WRITES && lane == 0) {
            p.begins[major] = at;
        }
    }
}

template <typename T>
__device__ void scale_vector(const sparse_pair &p)
{
    T beta = scalar<T>(p.beta_at, p.beta);
    for (long long i = thread_index(); i < p.size; i += thread_count()) {
        put((T *)p.dense + i, (T)0, beta);
    }
}

enum { GATHER, SCATTER, ADD, ROTATE };

/* Element by element: no index comes twice. */
template <typename T, typename I, int WHAT>
__device__ void each_element(const sparse_pair &p)
{
    T *values = (T *)p.values, alpha = scalar<T>(p.alpha_at, p.alpha), beta = scalar<T>(p.beta_at, p.beta);
    for (long long e = thread_index(); e < p.elements; e += thread_count()) {
        T *y = (T *)p.dense + ((long long)((const I *)p.indices)[e] - p.base), x = values[e];
        if (WHAT == GATHER) {
            values[e] = *y;
        } else if (WHAT == SCATTER) {
            *y = x;
        } else if (WHAT == ADD) {
            *y += alpha * x;
        } else {
            values[e] = alpha * x + beta * *y;
            *y = alpha * *y - beta * x;
        }
    }
}

/* The sum of products: one block. */
template <typename T, typename I>
__device__ void dot(const sparse_pair &p)
{
    __shared__ T part[256];
    T sum = 0;
    for (long long e = threadIdx.x; e < p.elements; e += 256) {
        sum += ((const T *)p.values)[e] * ((const T *)p.dense)[(long long)((const I *)p.indices)[e] - p.base];
    }
    part[threadIdx.x] = sum;
#pragma unroll 1
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            part[threadIdx.x] += part[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0) {
        *(T *)p.sum = part[0];
    }
}

} // namespace

/* Counts to where each begins, and their sum behind the last: one block. */
extern "C" __global__ void ww_sparse_sums(long long *counts, long long n)
{
    __shared__ long long part[256];
    long long before = 0;
#pragma unroll 1
    for (long long first = 0; first < n; first += 256) {
        long long i = first + threadIdx.x, own = i < n ? counts[i] : 0;
        part[threadIdx.x] = own;
        __syncthreads();
#pragma unroll 1
        for (int away = 1; away < 256; away *= 2) {
            long long more = threadIdx.x >= away ? part[threadIdx.x - away] : 0;
            __syncthreads();
            part[threadIdx.x] += more;
            __syncthreads();
        }
        if (i < n) {
            counts[i] = before + part[threadIdx.x] - own;
        }
        before += part[255];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        counts[n] = before;
    }
}

#define KERNEL(name, P, call)                                                                                        \
    extern "C" __global__ void name(const __grid_constant__ P p) { call(p); }
#define SPARSE(T, I, suffix)                                                                                         \
    KERNEL(ww_csr_vector##suffix, sparse_product, (row_vector<T, I>))                                                \
    KERNEL(ww_csr_matrix##suffix, sparse_product, (row_matrix<T, I>))                                                \
    KERNEL(ww_csr_transposed##suffix, sparse_product, (row_elements<T, I>))                                          \
    KERNEL(ww_coo##suffix, sparse_product, (by_elements<T, I>))                                                      \
    KERNEL(ww_sparse_to_dense##suffix, sparse_dense, (fill_elements<T, I>))                                          \
    KERNEL(ww_dense_to_sparse##suffix, sparse_dense, (not_zero<T, I, true>))                                         \
    KERNEL(ww_gather##suffix, sparse_pair, (each_element<T, I, GATHER>))                                             \
    KERNEL(ww_scatter##suffix, sparse_pair, (each_element<T, I, SCATTER>))                                           \
    KERNEL(ww_sparse_axpby##suffix, sparse_pair, (each_element<T, I, ADD>))                                          \
    KERNEL(ww_sparse_rot##suffix, sparse_pair, (each_element<T, I, ROTATE>))                                         \
    KERNEL(ww_sparse_dot##suffix, sparse_pair, (dot<T, I>))
SPARSE(float, int, )
SPARSE(float, long long, _wide)
SPARSE(double, int, _double)
SPARSE(double, long long, _double_wide)

#define DENSE(T, suffix)                                                                                             \
    KERNEL(ww_sparse_scale##suffix, sparse_product, scale<T>)                                                        \
    KERNEL(ww_vector_scale##suffix, sparse_pair, scale_vector<T>)                                                    \
    KERNEL(ww_dense_zero##suffix, sparse_dense, fill_zero<T>)                                                        \
    KERNEL(ww_dense_count##suffix, sparse_dense, (not_zero<T, int, false>))
DENSE(float, )
DENSE(double, _double)

/* Rows of elements from where rows begin, and back. */
extern "C" __global__ void ww_csr_to_coo(const int *offsets, int elements, int rows, int *out, int base)
{
    for (long long e = thread_index(); e < elements; e += thread_count()) {
        out[e] = (int)row_of(offsets, rows, e, base) + base;
    }
}

extern "C" __global__ void ww_coo_to_csr(const int *list, int elements, int rows, int *out, int base)
{
    for (long long row = thread_index(); row <= rows; row += thread_count()) {
        out[row] = (int)first_not_below(list, elements, row + base) + base;
    }
}

/* Keys of elements: the major index before the minor one; from offsets where the major ones are not listed. minor
 * NULL: the major alone. places NULL: each its own. */
extern "C" __global__ void ww_sort_keys(const int *offsets, int rows, const int *major, const int *minor,
                                        const int *places, unsigned long long *keys, int *out, int elements, int base)
{
    for (long long e = thread_index(); e < elements; e += thread_count()) {
        int high = major != nullptr ? major[e] : (int)row_of(offsets, rows, e, base);
        keys[e] = (unsigned long long)(unsigned)high << 32 | (minor != nullptr ? (unsigned)minor[e] : 0u);
        out[e] = places != nullptr ? places[e] : (int)e;
    }
}

/* Runs of p.width in order become runs of twice that: where an element goes, its place in the other run says, where
 * equal ones of the left run come first. */
extern "C" __global__ void ww_sort_merge(const __grid_constant__ sparse_sort p)
{
    for (long long i = thread_index(); i < p.count; i += thread_count()) {
        long long pair = i / (2 * p.width) * (2 * p.width), middle = min(pair + p.width, p.count);
        bool right = i >= middle;
        unsigned long long key = p.keys[i];
        long long low = right ? pair : middle, end = right ? middle : min(middle + p.width, p.count), first = low;
        while (low < end) {
            long long half = (low + end) / 2;
            bool before = right ? p.keys[half] <= key : p.keys[half] < key;
            low = before ? half + 1 : low;
            end = before ? end : half;
        }
        long long to = (right ? i - middle : i - pair) + (low - first) + pair;
        p.keys_out[to] = key;
        p.places_out[to] = p.places[i];
    }
}

/* What was sorted, out of the keys. NULL: not wanted. */
extern "C" __global__ void ww_sort_out(const unsigned long long *keys, const int *places, int *major, int *minor,
                                       int *out, int elements)
{
    for (long long e = thread_index(); e < elements; e += thread_count()) {
        if (major != nullptr) {
            major[e] = (int)(keys[e] >> 32);
        }
        if (minor != nullptr) {
            minor[e] = (int)(unsigned)keys[e];
        }
        if (out != nullptr) {
            out[e] = places[e];
        }
    }
}

/* Rows and values of elements in the order of their columns: those that `places` names. bytes: of a value; 0: none. */
extern "C" __global__ void ww_csr_to_csc(const int *offsets, int rows, const int *places, const void *values,
                                         int *rows_out, void *values_out, int elements, int base, int bytes)
{
    for (long long e = thread_index(); e < elements; e += thread_count()) {
        int from = places[e];
        rows_out[e] = (int)row_of(offsets, rows, from, base) + base;
        if (bytes == 4) {
            ((unsigned *)values_out)[e] = ((const unsigned *)values)[from];
        } else if (bytes == 8) {
            ((unsigned long long *)values_out)[e] = ((const unsigned long long *)values)[from];
        }
    }
}

extern "C" __global__ void ww_identity(int *out, int n)
{
    for (long long i = thread_index(); i < n; i += thread_count()) {
        out[i] = (int)i;
    }
}
