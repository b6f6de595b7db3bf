/* kernels.cu - what the thin cuFFT runs: discrete Fourier transforms of lines in shared memory, by factors of the
 * length in the order of Stockham, which needs no reversal; and products of lines with tables, for lengths with large
 * primes. Lengths that do not fit, and further dimensions, are several passes (transform.c). Compile: see
 * runtime/math/CMakeLists.txt. */
#include "pass.h"

namespace {

template <typename T>
struct alignas(2 * sizeof(T)) number {
    T x, y;
};

template <typename T>
__device__ number<T> operator+(number<T> a, number<T> b)
{
    return {a.x + b.x, a.y + b.y};
}

template <typename T>
__device__ number<T> operator-(number<T> a, number<T> b)
{
    return {a.x - b.x, a.y - b.y};
}

template <typename T>
__device__ number<T> operator*(number<T> a, number<T> b)
{
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

/* A root as it lies in a table, or its conjugate. */
template <typename T>
__device__ number<T> root(const void *table, long long k, int inverse)
{
    number<T> w = ((const number<T> *)table)[k];
    return {w.x, inverse ? -w.y : w.y};
}

/* cos and sin of 2 pi k / R, k < R, R odd: those of the first half, which the second mirrors. */
template <int R>
__device__ constexpr double cosine(int k)
{
    int j = k > R / 2 ? R - k : k;
    return R == 3   ? -0.5
           : R == 5 ? (j == 1 ? 0.30901699437494742410 : -0.80901699437494742410)
                    : (j == 1 ? 0.62348980185873353053 : j == 2 ? -0.22252093395631440429 : -0.90096886790241912624);
}

template <int R>
__device__ constexpr double sine(int k)
{
    int j = k > R / 2 ? R - k : k;
    double s = R == 3   ? 0.86602540378443864676
               : R == 5 ? (j == 1 ? 0.95105651629515357212 : 0.58778525229247312917)
                        : (j == 1 ? 0.78183148246802980871 : j == 2 ? 0.97492791218182360702 : 0.43388373911755812048);
    return k > R / 2 ? -s : s;
}

/* The transform of R numbers in place; `sign` is 1, or -1 for the inverse. Odd R: sums and differences of numbers
 * that lie opposite. */
template <int R, typename T>
struct butterfly {
    static __device__ void run(number<T> *v, T sign)
    {
        number<T> sum[R / 2], difference[R / 2], first = v[0], total = v[0];
#pragma unroll
        for (int q = 1; q <= R / 2; q++) {
            sum[q - 1] = v[q] + v[R - q];
            difference[q - 1] = v[q] - v[R - q];
            total = total + sum[q - 1];
        }
        v[0] = total;
#pragma unroll
        for (int p = 1; p <= R / 2; p++) {
            number<T> even = first, odd = {0, 0};
#pragma unroll
            for (int q = 1; q <= R / 2; q++) {
                T c = (T)cosine<R>(p * q % R), s = (T)sine<R>(p * q % R);
                even = even + number<T>{c * sum[q - 1].x, c * sum[q - 1].y};
                odd = odd + number<T>{s * difference[q - 1].x, s * difference[q - 1].y};
            }
            v[p] = {even.x + sign * odd.y, even.y - sign * odd.x};
            v[R - p] = {even.x - sign * odd.y, even.y + sign * odd.x};
        }
    }
};
template <typename T>
struct butterfly<2, T> {
    static __device__ void run(number<T> *v, T)
    {
        number<T> a = v[0];
        v[0] = a + v[1];
        v[1] = a - v[1];
    }
};
template <typename T>
struct butterfly<4, T> {
    static __device__ void run(number<T> *v, T sign)
    {
        number<T> a = v[0] + v[2], b = v[0] - v[2], c = v[1] + v[3], d = v[1] - v[3];
        number<T> turned = {sign * d.y, -sign * d.x}; /* -i d */
        v[0] = a + c;
        v[1] = b + turned;
        v[2] = a - c;
        v[3] = b - turned;
    }
};

/* Divides numbers below 65536 by one of these, the same for many: a multiplication each. */
struct divider {
    unsigned by, reciprocal;

    __device__ explicit divider(int d) : by((unsigned)d), reciprocal(0xffffffffu / (unsigned)d + 1) {}

    __device__ int divide(int x, int *rest) const
    {
        unsigned quotient = by == 1 ? (unsigned)x : __umulhi((unsigned)x, reciprocal);
        *rest = x - (int)(quotient * by);
        return (int)quotient;
    }
};

/* A stage: the product of the factors before is `done`. Of each line R numbers that lie length / R apart become R
 * that lie `done` apart. */
template <int R, typename T>
__device__ void stage(const fft_pass &p, int lines, int done, const number<T> *from, number<T> *to)
{
    int apart = p.length / R, turn = p.length / (done * R);
    T sign = p.inverse ? (T)-1 : (T)1;
    const divider by_apart(apart), by_done(done);
    for (int item = threadIdx.x; item < lines * apart; item += blockDim.x) {
        int j, k, line = by_apart.divide(item, &j), group = by_done.divide(j, &k), base = line * p.length;
        number<T> v[R];
#pragma unroll
        for (int q = 0; q < R; q++) {
            v[q] = from[base + j + q * apart];
            if (q > 0 && done > 1) {
                v[q] = v[q] * root<T>(p.roots, k * q * turn, p.inverse);
            }
        }
        butterfly<R, T>::run(v, sign);
#pragma unroll
        for (int q = 0; q < R; q++) {
            to[base + group * done * R + k + q * done] = v[q];
        }
    }
}

/* The same for any factor r, number by number: as its definition has it. */
template <typename T>
__device__ void direct_stage(const fft_pass &p, int lines, int r, int done, const number<T> *from, number<T> *to)
{
    int apart = p.length / r, turn = p.length / (done * r), span = done * r;
    const divider by_length(p.length), by_span(span), by_done(done);
    for (int item = threadIdx.x; item < lines * p.length; item += blockDim.x) {
        int at, within, k, line = by_length.divide(item, &at), group = by_span.divide(at, &within);
        by_done.divide(within, &k);
        int j = group * done + k, base = line * p.length, angle = 0;
        number<T> sum = from[base + j];
#pragma unroll 1
        for (int q = 1; q < r; q++) {
            angle += within;
            angle -= angle >= span ? span : 0;
            sum = sum + from[base + j + q * apart] * root<T>(p.roots, angle * turn, p.inverse);
        }
        to[base + at] = sum;
    }
}

/* Where the sequence of a line begins at an end, and the index of its first element in it. */
struct origin {
    long long offset, index;
};

template <typename P>
__device__ origin begin(const P &p, const fft_end &end, unsigned line)
{
    origin at = {0, 0};
    for (int axis = p.axes - 1; axis >= 0; axis--) {
        unsigned place = line % p.count[axis];
        at.offset += place * end.step[axis];
        at.index += place * end.first[axis];
        line /= p.count[axis];
    }
    return at;
}

template <typename T>
__device__ number<T> load(const fft_end &end, origin at, long long k)
{
    long long index = at.index + k * end.hop;
    if (end.kind == FFT_REAL) {
        return {((const T *)end.data)[at.offset + index * end.stride], 0};
    }
    bool mirrored = end.kind == FFT_HALF && index > end.whole / 2;
    number<T> value =
        ((const number<T> *)end.data)[at.offset + (mirrored ? end.whole - index : index) * end.stride];
    return {value.x, mirrored ? -value.y : value.y};
}

template <typename T>
__device__ void store(const fft_end &end, origin at, long long k, number<T> value)
{
    long long index = at.index + k * end.hop, offset = at.offset + index * end.stride;
    if (end.kind == FFT_REAL) {
        ((T *)end.data)[offset] = value.x;
    } else if (end.kind == FFT_COMPLEX || index <= end.whole / 2) {
        ((number<T> *)end.data)[offset] = value;
    }
}

/* Which line of a block's, and which element of it, the i-th of all is, so that neighbours in memory are neighbours
 * among the threads. */
struct order {
    divider by;
    int across;

    __device__ order(const fft_end &end, int lines, int length) : by(end.across ? lines : length), across(end.across) {}

    __device__ int line(int i, int *k) const
    {
        int rest, quotient = by.divide(i, &rest);
        *k = across ? quotient : rest;
        return across ? rest : quotient;
    }
};

template <typename T>
__device__ number<T> turned(const fft_pass &p, unsigned long long angle, number<T> value)
{
    return value * (root<T>(p.turns_low, angle % FFT_TURN_LOW, p.inverse) *
                    root<T>(p.turns_high, angle / FFT_TURN_LOW, p.inverse));
}

/* The stages of all factors; which buffer holds the result. */
template <typename T>
__device__ number<T> *stages(const fft_pass &p, int lines, number<T> *from, number<T> *to)
{
    int done = 1;
#pragma unroll 1
    for (int f = 0; f < p.factors; f++) {
        int r = p.factor[f];
        switch (r) {
        case 2: stage<2, T>(p, lines, done, from, to); break;
        case 3: stage<3, T>(p, lines, done, from, to); break;
        case 4: stage<4, T>(p, lines, done, from, to); break;
        case 5: stage<5, T>(p, lines, done, from, to); break;
        case 7: stage<7, T>(p, lines, done, from, to); break;
        default: direct_stage<T>(p, lines, r, done, from, to); break;
        }
        number<T> *other = from;
        from = to;
        to = other;
        done *= r;
        __syncthreads();
    }
    return from;
}

template <typename T>
__device__ void transform(const fft_pass &p)
{
    extern __shared__ double2 shared[];
    __shared__ origin begins[FFT_LINES], ends[FFT_LINES];
    number<T> *buffer = (number<T> *)shared;
    unsigned first = blockIdx.x * (unsigned)p.lines_per_block;
    int lines = (int)min(p.lines - first, (unsigned)p.lines_per_block), k;
    if (threadIdx.x < lines) {
        begins[threadIdx.x] = begin(p, p.in, first + threadIdx.x);
        ends[threadIdx.x] = begin(p, p.out, first + threadIdx.x);
    }
    __syncthreads();
    const order in(p.in, lines, p.length), out(p.out, lines, p.length);
#pragma unroll 1
    for (int i = threadIdx.x; i < lines * p.length; i += blockDim.x) {
        int line = in.line(i, &k);
        buffer[line * p.length + k] = load<T>(p.in, begins[line], k);
    }
    __syncthreads();
    const number<T> *result = stages<T>(p, lines, buffer, buffer + p.lines_per_block * p.length);
#pragma unroll 1
    for (int i = threadIdx.x; i < lines * p.length; i += blockDim.x) {
        int line = out.line(i, &k);
        number<T> value = result[line * p.length + k];
        if (p.turns_low != nullptr) {
            value = turned(p, (unsigned long long)((first + line) % p.count[p.axes - 1]) * k, value);
        }
        store<T>(p.out, ends[line], k, value);
    }
}

template <typename T>
__device__ void product(const fft_product &p)
{
    long long all = (long long)p.lines * p.length;
    long long threads = (long long)gridDim.x * blockDim.x;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < all; i += threads) {
        long long line = i / p.length, k = i - line * p.length;
        number<T> value = {0, 0};
        if (k < p.used) {
            value = load<T>(p.in, begin(p, p.in, (unsigned)line), k) * root<T>(p.table, k, p.inverse);
        }
        store<T>(p.out, begin(p, p.out, (unsigned)line), k, value);
    }
}

} // namespace

extern "C" __global__ void ww_fft(const __grid_constant__ fft_pass p) { transform<float>(p); }
extern "C" __global__ void ww_fft_double(const __grid_constant__ fft_pass p) { transform<double>(p); }
extern "C" __global__ void ww_fft_product(const __grid_constant__ fft_product p) { product<float>(p); }
extern "C" __global__ void ww_fft_product_double(const __grid_constant__ fft_product p) { product<double>(p); }
