// gemm.cuh - C = activation(alpha A B + bias) + residual on the matrix units of Ampere and Ada, as CUTLASS's multistage
// kernels do it: cp.async fills a ring of stages in shared memory, ldmatrix reads fragments ahead of the mma that use them.
//
// Instructions stand in the order in which they should issue (asm volatile): one ldmatrix, then a copy, to every few mma.
// Operands lie K-major (rows of K) or, for 16-bit numbers, MN-major. Leading dimensions, bias and residual hold whole chunks of 16 bytes;
// M, N and K may be ragged: rows beyond the edge are read again from the last one and dropped, K is filled with zeros.
//
// Shared memory in chunks of 16 bytes, swizzled so that copies and ldmatrix meet all banks: a row of 64 bytes has chunk c at
// c ^ (row >> 1 & 3), wider rows at c ^ (row & 7).
#pragma once
#include "types.cuh"

namespace gemm {

template <int V> struct index {
    static constexpr int value = V;
};

template <int I, int N, typename F> __device__ __forceinline__ void unroll(F f)
{
    if constexpr (I < N) {
        f(index<I>());
        unroll<I + 1, N>(f);
    }
}

template <int OFFSET> __device__ __forceinline__ void copy16(uint32_t to, const char *from, int bytes)
{
    asm volatile("cp.async.cg.shared.global [%0+%3], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes), "n"(OFFSET) : "memory");
}

__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ __forceinline__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }

template <bool TRANS, int OFFSET> __device__ __forceinline__ void fragment(uint32_t r[4], uint32_t at)
{
    if constexpr (TRANS) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4+%5];"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at), "n"(OFFSET) : "memory");
    } else {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4+%5];"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at), "n"(OFFSET) : "memory");
    }
}

// Numbers that the matrix units multiply; a step is 32 bytes of K.
struct tf32 { float v; };
#define MMA(NAME, SHAPE, TYPES, C, SUM)                                                                                   \
    __device__ __forceinline__ void mma(NAME *, SUM c[4], const uint32_t a[4], const uint32_t b[2])                        \
    {                                                                                                                      \
        asm volatile("mma.sync.aligned." SHAPE ".row.col." TYPES " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
                     : C(c[0]), C(c[1]), C(c[2]), C(c[3])                                                                  \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                                  \
    }
MMA(bf16, "m16n8k16", "f32.bf16.bf16.f32", "+f", float)
MMA(f16, "m16n8k16", "f32.f16.f16.f32", "+f", float)
MMA(tf32, "m16n8k8", "f32.tf32.tf32.f32", "+f", float)
MMA(int8_t, "m16n8k32", "s32.s8.s8.s32", "+r", int)
#undef MMA

// What sums are held in, and what results are written as.
template <typename T> struct number { typedef float sum; typedef T out; };
template <> struct number<tf32> { typedef float sum; typedef float out; };
template <> struct number<int8_t> { typedef int sum; typedef float out; };

struct arguments {
    const char *a, *b, *bias, *residual; // bias, residual may be null; of the result's type
    char *c;
    float *partial;                      // of splits > 1: sums in f32, for the reducing kernel
    int m, n, k;
    int lda, ldb, ldc;                   // in numbers
    long long stride_a, stride_b, stride_c; // between matrices of a batch, in numbers
    int splits, act;
    float alpha;
};

// Geometry of a convolution over channels-last tensors: A is gathered from the input, K runs over window rows, columns, channels.
struct window {
    int c, hw, rs, stride, padding, out; // channels; height and width in; window; step; zeros; height and width out
};

// One operand's tile in shared memory: MN x K numbers, K-major or not.
template <typename T, int MN, int BK, bool KMAJOR, int THREADS> struct tile {
    static constexpr int SIZE = sizeof(T), PER = 16 / SIZE;
    static constexpr int ROWS = KMAJOR ? MN : BK, CHUNKS = (KMAJOR ? BK : MN) / PER, ROW_BYTES = CHUNKS * 16;
    static constexpr int BYTES = ROWS * ROW_BYTES;
    static constexpr int COPIES = ROWS * CHUNKS / THREADS, ROWS_APART = THREADS / CHUNKS;
    static_assert(CHUNKS >= 4 && COPIES >= 1 && ROWS_APART % 8 == 0, "the swizzle repeats every eight rows");
    __device__ static __forceinline__ int place(int row, int chunk)
    {
        return row * ROW_BYTES + 16 * (CHUNKS == 4 ? chunk ^ (row >> 1 & 3) : chunk ^ (row & 7));
    }
    // Where a lane reads its row of four 8 x 8 matrices; FIRST: of A's fragment, whose second matrix lies along M, of B's along K.
    template <bool FIRST> __device__ static __forceinline__ int lane(int l, int mn, int step)
    {
        int low = (l & 7) + (FIRST == KMAJOR ? 8 * (l >> 3 & 1) : 8 * (l >> 4));
        int high = FIRST == KMAJOR ? l >> 4 : l >> 3 & 1;
        return KMAJOR ? place(mn + low, 2 * step + high) : place(16 * step + low, mn / PER + high);
    }
};

// PER numbers that lie side by side from a whole chunk on, `left` of them within the matrix; 0 beyond.
template <int PER, typename O> __device__ __forceinline__ vec<O, PER> side_by_side(const O *from, int left)
{
    vec<O, PER> v;
    if (left >= PER) {
        return *(const vec<O, PER> *)from;
    }
#pragma unroll
    for (int e = 0; e < PER; e++) {
        v.v[e] = e < left ? from[e] : from_float<O>(0.0f);
    }
    return v;
}

// Scale, bias, activation, residual of numbers that lie side by side.
template <typename T, int PER, typename S, typename O>
__device__ __forceinline__ void finish(const arguments &p, const S *sum, const O *bias, const O *residual, int left, O *to)
{
    float x[PER];
#pragma unroll
    for (int e = 0; e < PER; e++) {
        x[e] = p.alpha * (float)sum[e];
    }
    if (bias != nullptr) {
        const vec<O, PER> add = side_by_side<PER>(bias, left);
#pragma unroll
        for (int e = 0; e < PER; e++) {
            x[e] += to_float(add.v[e]);
        }
    }
    if (p.act != ACT_NONE) {
#pragma unroll
        for (int e = 0; e < PER; e++) {
            x[e] = activate(x[e], p.act);
        }
    }
#pragma unroll
    for (int e = 0; e < PER; e++) {
        to[e] = from_float<O>(x[e]);
    }
    if (residual != nullptr) {
        const vec<O, PER> add = side_by_side<PER>(residual, left);
#pragma unroll
        for (int e = 0; e < PER; e++) {
            to[e] = from_float<O>(to_float(to[e]) + to_float(add.v[e]));
        }
    }
}

template <typename T, int BM, int BN, int BK, int STAGES, int WM, int WN, bool AK, bool BKM, bool CONV>
__device__ __forceinline__ void run(const arguments &p, const window &w)
{
    constexpr int THREADS = 32 * WM * WN, MI = BM / WM / 16, NI = BN / WN / 16, STEP = 32 / sizeof(T), STEPS = BK / STEP;
    typedef tile<T, BM, BK, AK, THREADS> ta;
    typedef tile<T, BN, BK, BKM, THREADS> tb;
    typedef typename number<T>::sum sum_t;
    typedef typename number<T>::out out_t;
    constexpr int STAGE = ta::BYTES + tb::BYTES, PER = ta::PER;
    extern __shared__ __align__(128) char shared[];
    const uint32_t base = (uint32_t)__cvta_generic_to_shared(shared);
    const int t = threadIdx.x, l = t & 31, wm = (t >> 5) % WM, wn = (t >> 5) / WM;

    // Groups of eight rows of tiles, column by column within: CTAs that run together share strips of A and B.
    const int tiles_m = (p.m + BM - 1) / BM, tiles_n = (p.n + BN - 1) / BN;
    int id = blockIdx.x;
    const int matrix = id / (tiles_m * tiles_n * p.splits);
    id -= matrix * tiles_m * tiles_n * p.splits;
    const int split = id / (tiles_m * tiles_n);
    id -= split * tiles_m * tiles_n;
    const int group = id / (8 * tiles_n), rows = min(8, tiles_m - 8 * group);
    id -= group * 8 * tiles_n;
    const int m0 = (8 * group + id % rows) * BM, n0 = id / rows * BN;

    const int all = (p.k + BK - 1) / BK, share = (all + p.splits - 1) / p.splits;
    const int first = split * share, count = max(0, min(all - first, share));

    // ---- copies: each thread its chunk of every ROWS_APART-th row ----
    const int chunk_a = t % ta::CHUNKS, row_a = t / ta::CHUNKS, chunk_b = t % tb::CHUNKS, row_b = t / tb::CHUNKS;
    const uint32_t to_a = base + ta::place(row_a, chunk_a), to_b = base + ta::BYTES + tb::place(row_b, chunk_b);
    const char *from_a[ta::COPIES], *from_b[tb::COPIES];
    int pixel[ta::COPIES]; // of a convolution: row and column of the window's corner, 16 bits each
    int channel = 0, tap_r = 0, tap_s = 0;
    const char *a = p.a + matrix * p.stride_a * (long long)sizeof(T), *b = p.b + matrix * p.stride_b * (long long)sizeof(T);
    if constexpr (CONV) {
        int at = first * BK + chunk_a * PER;
        channel = at % w.c;
        tap_s = at / w.c % w.rs;
        tap_r = at / w.c / w.rs;
    }
#pragma unroll
    for (int i = 0; i < ta::COPIES; i++) {
        int row = row_a + i * ta::ROWS_APART;
        if constexpr (CONV) {
            int m = min(m0 + row, p.m - 1), x = m % w.out, y = m / w.out % w.out, image = m / w.out / w.out;
            pixel[i] = (y * w.stride - w.padding) << 16 | ((x * w.stride - w.padding) & 0xffff);
            from_a[i] = a + (long long)image * w.hw * w.hw * w.c * (int)sizeof(T);
        } else if constexpr (AK) {
            from_a[i] = a + ((long long)min(m0 + row, p.m - 1) * p.lda + first * BK + chunk_a * PER) * (int)sizeof(T);
        } else {
            from_a[i] = a + ((long long)(first * BK + row) * p.lda + min(m0 + chunk_a * PER, p.lda - PER)) * (int)sizeof(T);
        }
    }
#pragma unroll
    for (int i = 0; i < tb::COPIES; i++) {
        int row = row_b + i * tb::ROWS_APART;
        if constexpr (BKM) {
            from_b[i] = b + ((long long)min(n0 + row, p.n - 1) * p.ldb + first * BK + chunk_b * PER) * (int)sizeof(T);
        } else {
            from_b[i] = b + ((long long)(first * BK + row) * p.ldb + min(n0 + chunk_b * PER, p.ldb - PER)) * (int)sizeof(T);
        }
    }
    const long long next_a = (AK ? BK : (long long)BK * p.lda) * (int)sizeof(T);
    const long long next_b = (BKM ? BK : (long long)BK * p.ldb) * (int)sizeof(T);

    int left = p.k - first * BK; // of K, from the tile that is copied next
    int tiles_left = count, fill = 0;
    auto copy_a = [&](auto i) {
        constexpr int I = decltype(i)::value;
        if constexpr (CONV) {
            int y = (pixel[I] >> 16) + tap_r, x = (short)pixel[I] + tap_s;
            bool inside = (unsigned)y < (unsigned)w.hw && (unsigned)x < (unsigned)w.hw && tap_r < w.rs && tiles_left > 0;
            const char *from = from_a[I] + (inside ? ((y * w.hw + x) * w.c + channel) * (int)sizeof(T) : 0);
            copy16<I * ta::ROWS_APART * ta::ROW_BYTES>(to_a + fill, from, inside ? 16 : 0);
        } else {
            int bytes = AK ? min(16, max(0, (left - chunk_a * PER) * (int)sizeof(T))) : left > row_a + I * ta::ROWS_APART ? 16 : 0;
            copy16<I * ta::ROWS_APART * ta::ROW_BYTES>(to_a + fill, bytes > 0 ? from_a[I] : a, bytes);
            from_a[I] += next_a;
        }
    };
    auto copy_b = [&](auto i) {
        constexpr int I = decltype(i)::value;
        int bytes = BKM ? min(16, max(0, (left - chunk_b * PER) * (int)sizeof(T))) : left > row_b + I * tb::ROWS_APART ? 16 : 0;
        copy16<I * tb::ROWS_APART * tb::ROW_BYTES>(to_b + fill, bytes > 0 ? from_b[I] : b, bytes);
        from_b[I] += next_b;
    };
    auto copied = [&]() {
        commit();
        if constexpr (CONV) {
            channel += BK;
            while (channel >= w.c) {
                channel -= w.c;
                tap_s++;
            }
            while (tap_s >= w.rs) {
                tap_s -= w.rs;
                tap_r++;
            }
        }
        left = --tiles_left > 0 ? left - BK : 0;
        fill = fill == (STAGES - 1) * STAGE ? 0 : fill + STAGE;
    };

    left = count > 0 ? left : 0;
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        unroll<0, ta::COPIES>(copy_a);
        unroll<0, tb::COPIES>(copy_b);
        copied();
    }

    // ---- fragments ----
    sum_t sum[MI][2 * NI][4];
#pragma unroll
    for (int i = 0; i < MI; i++) {
#pragma unroll
        for (int j = 0; j < 2 * NI; j++) {
            sum[i][j][0] = sum[i][j][1] = sum[i][j][2] = sum[i][j][3] = 0;
        }
    }
    // A base a step (K-major) or a block of 16 (MN-major) of each 64: the swizzle changes with it, the rest is an immediate.
    constexpr int ABASES = AK ? STEPS : MI < 4 ? MI : 4, BBASES = BKM ? STEPS : NI < 4 ? NI : 4;
    uint32_t at_a[ABASES], at_b[BBASES];
    uint32_t fa[2][MI][4], fb[2][NI][4];
#pragma unroll
    for (int i = 0; i < ABASES; i++) {
        at_a[i] = base + ta::template lane<true>(l, wm * (BM / WM) + (AK ? 0 : 16 * i), AK ? i : 0);
    }
#pragma unroll
    for (int i = 0; i < BBASES; i++) {
        at_b[i] = base + ta::BYTES + tb::template lane<false>(l, wn * (BN / WN) + (BKM ? 0 : 16 * i), BKM ? i : 0);
    }
    int read = 0;
    auto load_a = [&](auto step, auto i, uint32_t *to) {
        constexpr int S = decltype(step)::value, I = decltype(i)::value;
        if constexpr (AK) {
            fragment<false, I * 16 * ta::ROW_BYTES>(to, at_a[S] + read);
        } else {
            fragment<true, S * 16 * ta::ROW_BYTES + I / 4 * 128>(to, at_a[I % 4] + read);
        }
    };
    auto load_b = [&](auto step, auto i, uint32_t *to) {
        constexpr int S = decltype(step)::value, I = decltype(i)::value;
        if constexpr (BKM) {
            fragment<false, I * 16 * tb::ROW_BYTES>(to, at_b[S] + read);
        } else {
            fragment<true, S * 16 * tb::ROW_BYTES + I / 4 * 128>(to, at_b[I % 4] + read);
        }
    };

    wait<STAGES - 2>();
    __syncthreads();
    unroll<0, MI>([&](auto i) { load_a(index<0>(), i, fa[0][decltype(i)::value]); });
    unroll<0, NI>([&](auto i) { load_b(index<0>(), i, fb[0][decltype(i)::value]); });

    // ---- the loop: per step MI x 2 NI mma, MI + NI fragments ahead, and its part of the copies ----
    constexpr int COPIES = ta::COPIES + tb::COPIES, SPREAD = STEPS > 1 ? STEPS - 1 : 1, EACH = (COPIES + SPREAD - 1) / SPREAD;
    constexpr int WORK = MI * NI, LOADS = MI + NI; // mma in pairs
    for (int n = 0; n < count; n++) {
        unroll<0, STEPS>([&](auto step) {
            constexpr int S = decltype(step)::value, NOW = S & 1, NEXT = NOW ^ 1;
            if constexpr (S == STEPS - 1) {
                if constexpr (STEPS == 1) {
                    unroll<0, ta::COPIES>(copy_a);
                    unroll<0, tb::COPIES>(copy_b);
                }
                copied();
                wait<STAGES - 2>();
                __syncthreads();
                read = read == (STAGES - 1) * STAGE ? 0 : read + STAGE;
            }
            unroll<0, WORK>([&](auto k) {
                constexpr int W = decltype(k)::value, I = W / NI, J = I % 2 ? NI - 1 - W % NI : W % NI;
                // Loads of the next step among the first mma, copies behind each.
                unroll<W * LOADS / WORK, (W + 1) * LOADS / WORK>([&](auto x) {
                    constexpr int X = decltype(x)::value;
                    if constexpr (X < NI) {
                        load_b(index<(S + 1) % STEPS>(), x, fb[NEXT][X]);
                    } else {
                        load_a(index<(S + 1) % STEPS>(), index<X - NI>(), fa[NEXT][X - NI]);
                    }
                });
                mma((T *)0, sum[I][2 * J], fa[NOW][I], fb[NOW][J]);
                mma((T *)0, sum[I][2 * J + 1], fa[NOW][I], fb[NOW][J] + 2);
                if constexpr (S < SPREAD && STEPS > 1) {
                    unroll<S * EACH + W * EACH / WORK, S * EACH + (W + 1) * EACH / WORK>([&](auto x) {
                        constexpr int X = decltype(x)::value;
                        if constexpr (X < ta::COPIES) {
                            copy_a(x);
                        } else if constexpr (X < COPIES) {
                            copy_b(index<X - ta::COPIES>());
                        }
                    });
                }
            });
        });
    }
    wait<0>();
    __syncthreads();

    // ---- epilogue: through shared memory, half the tile's rows at a time, so that rows leave in 16 bytes a lane ----
    constexpr int OUT_PER = 16 / sizeof(out_t), ROW = BN * 4 + 16, CHUNKS = BN / OUT_PER; // four banks longer than the tile
    const int row0 = wm * (BM / WM) + (l >> 2), col0 = wn * (BN / WN) + 2 * (l & 3);
    out_t *c = (out_t *)p.c + matrix * p.stride_c;
    const out_t *bias = (const out_t *)p.bias, *residual = (const out_t *)p.residual;
    float *partial = p.partial + (long long)(matrix * p.splits + split) * p.m * p.n;
#pragma unroll 1
    for (int half = 0; half < 2; half++) {
#pragma unroll
        for (int i = 0; i < MI; i++) {
#pragma unroll
            for (int h = 0; h < 2; h++) {
                int row = row0 + 16 * i + 8 * h - half * (BM / 2);
                if (row >= 0 && row < BM / 2) {
#pragma unroll
                    for (int j = 0; j < 2 * NI; j++) {
                        *(vec<sum_t, 2> *)(shared + row * ROW + (col0 + 8 * j) * 4) = {sum[i][j][2 * h], sum[i][j][2 * h + 1]};
                    }
                }
            }
        }
        __syncthreads();
#pragma unroll 1
        for (int at = t; at < BM / 2 * CHUNKS; at += THREADS) {
            const int row = at / CHUNKS, m = m0 + half * (BM / 2) + row, n = n0 + at % CHUNKS * OUT_PER;
            if (m >= p.m || n >= p.n) {
                continue;
            }
            const vec<sum_t, OUT_PER> v = *(const vec<sum_t, OUT_PER> *)(shared + row * ROW + at % CHUNKS * OUT_PER * 4);
            if (p.splits > 1) {
#pragma unroll
                for (int e = 0; e < OUT_PER; e++) {
                    if (n + e < p.n) {
                        partial[(long long)m * p.n + n + e] = (float)v.v[e];
                    }
                }
                continue;
            }
            const bool whole = n + OUT_PER <= p.n;
            vec<out_t, OUT_PER> result;
            finish<T, OUT_PER>(p, v.v, bias == nullptr ? nullptr : bias + n,
                               residual == nullptr ? nullptr : residual + matrix * p.stride_c + (long long)m * p.ldc + n,
                               p.n - n, result.v);
            out_t *to = c + (long long)m * p.ldc + n;
            if (whole) {
                *(vec<out_t, OUT_PER> *)to = result;
            } else {
#pragma unroll
                for (int e = 0; e < OUT_PER; e++) {
                    if (n + e < p.n) {
                        to[e] = result.v[e];
                    }
                }
            }
        }
        __syncthreads();
    }
}

} // namespace gemm

// A kernel: NAME, number, tile, stages, warps along M and N, how A and B lie.
#define GEMM(NAME, T, BM, BN, BK, STAGES, WM, WN, AK, BKM)                                                                 \
    extern "C" __global__ void __launch_bounds__(32 * WM * WN)                                                             \
        NAME(const char *a, const char *b, char *c, const char *bias, const char *residual, float *partial, int m, int n,   \
             int k, int lda, int ldb, int ldc, long long stride_a, long long stride_b, long long stride_c, int splits,      \
             int act, float alpha)                                                                                         \
    {                                                                                                                      \
        gemm::arguments p = {a,   b,   bias, residual, c,        partial,  m,        n,      k,                            \
                             lda, ldb, ldc,  stride_a, stride_b, stride_c, splits,   act,    alpha};                       \
        gemm::run<T, BM, BN, BK, STAGES, WM, WN, AK, BKM, false>(p, gemm::window());                                       \
    }

// The same whose A is a channels-last input behind a window.
#define CONVOLUTION(NAME, T, BM, BN, BK, STAGES, WM, WN)                                                                   \
    extern "C" __global__ void __launch_bounds__(32 * WM * WN)                                                             \
        NAME(const char *x, const char *weights, char *y, const char *bias, int images, int c, int hw, int n, int rs,      \
             int stride, int padding, int out, int k, int act)                                                               \
    {                                                                                                                      \
        gemm::arguments p = {x, weights, bias, nullptr, y, nullptr, images * out * out, n, k,                    \
                             0, rs * rs * c, n, 0, 0, 0, 1, act, 1.0f};                                                    \
        gemm::run<T, BM, BN, BK, STAGES, WM, WN, true, true, true>(p, gemm::window{c, hw, rs, stride, padding, out});      \
    }
