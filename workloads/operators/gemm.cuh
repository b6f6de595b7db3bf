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
#include "unroll.cuh"

namespace gemm {

using unrolled::index;
using unrolled::unroll;

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


// What sums are held in, and what results are written as.
template <typename T> struct number { typedef float sum; typedef T out; };
template <> struct number<tf32> { typedef float sum; typedef float out; };
template <> struct number<int8_t> { typedef int sum; typedef float out; };

struct arguments {
    const char *a, *b, *bias, *residual; // bias, residual may be null; of the result's type
    char *c;
    float *partial;                      // of splits > 1: sums in f32, rows of ldc, for the reducing kernel
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

__device__ __forceinline__ void store_pair(bf16 *to, float x, float y) { *(__nv_bfloat162 *)to = __floats2bfloat162_rn(x, y); }
__device__ __forceinline__ void store_pair(f16 *to, float x, float y) { *(__half2 *)to = __floats2half2_rn(x, y); }
__device__ __forceinline__ void store_pair(float *to, float x, float y) { *(float2 *)to = make_float2(x, y); }

// Activation and residual of a chunk, `left` of its numbers within the matrix. They take the rounded sum, as kernels of their own
// would.
template <typename O> __device__ __forceinline__ void finish(const arguments &p, O *x, const O *residual, int left)
{
    constexpr int PER = 16 / sizeof(O);
#pragma unroll 1
    for (int e = 0; e < PER && e < left; e++) {
        x[e] = from_float<O>(activate(to_float(x[e]), p.act));
        if (residual != nullptr) {
            x[e] = from_float<O>(to_float(x[e]) + to_float(residual[e]));
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

    // Of a tile that starts `left` numbers before the end of K: bytes of a chunk of row (MN-major) or column (K-major) `at`.
    auto inside_k = [&](bool kmajor, int left, int at) {
        return kmajor ? min(16, max(0, (left - at) * (int)sizeof(T))) : left > at ? 16 : 0;
    };
    int left = p.k - first * BK, tiles_left = count, fill = 0;
    int bytes = 0, bytes_b = 0; // of a chunk: 0 behind the last tile, whose pointers are not followed
    auto copy_a = [&](auto i) {
        constexpr int I = decltype(i)::value;
        if constexpr (CONV) {
            int y = (pixel[I] >> 16) + tap_r, x = (short)pixel[I] + tap_s;
            bool inside = (unsigned)y < (unsigned)w.hw && (unsigned)x < (unsigned)w.hw && tap_r < w.rs && tiles_left > 0;
            const char *from = from_a[I] + (inside ? ((y * w.hw + x) * w.c + channel) * (int)sizeof(T) : 0);
            copy16<I * ta::ROWS_APART * ta::ROW_BYTES>(to_a + fill, from, inside ? 16 : 0);
        } else {
            copy16<I * ta::ROWS_APART * ta::ROW_BYTES>(to_a + fill, from_a[I], bytes);
            from_a[I] += next_a;
        }
    };
    auto copy_b = [&](auto i) {
        constexpr int I = decltype(i)::value;
        copy16<I * tb::ROWS_APART * tb::ROW_BYTES>(to_b + fill, from_b[I], CONV ? bytes_b : bytes);
        from_b[I] += next_b;
    };
    auto copies_follow = [&]() { // at the start of each tile's copies
        if constexpr (CONV) {
            bytes_b = tiles_left > 0 ? inside_k(true, left, chunk_b * PER) : 0;
        } else {
            bytes = tiles_left > 0 ? 16 : 0;
        }
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
            left -= BK;
        }
        tiles_left--;
        fill = fill == (STAGES - 1) * STAGE ? 0 : fill + STAGE;
        copies_follow();
    };
    // The tile at the end of K, which may be ragged, comes first, so that no copy of the loop asks where K ends. (Not of a
    // convolution, whose pixels ask anyway.)
    auto copy_last = [&]() {
        const int behind = tiles_left - 1, rest = tiles_left > 0 ? left - behind * BK : 0;
        unroll<0, ta::COPIES>([&](auto i) {
            constexpr int I = decltype(i)::value;
            copy16<I * ta::ROWS_APART * ta::ROW_BYTES>(
                to_a, from_a[I] + behind * next_a, inside_k(AK, rest, AK ? chunk_a * PER : row_a + I * ta::ROWS_APART));
        });
        unroll<0, tb::COPIES>([&](auto i) {
            constexpr int I = decltype(i)::value;
            copy16<I * tb::ROWS_APART * tb::ROW_BYTES>(
                to_b, from_b[I] + behind * next_b, inside_k(BKM, rest, BKM ? chunk_b * PER : row_b + I * tb::ROWS_APART));
        });
    };

    copies_follow();
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s == 0 && !CONV) {
            copy_last();
        } else {
            unroll<0, ta::COPIES>(copy_a);
            unroll<0, tb::COPIES>(copy_b);
        }
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
    // At the barrier of a tile's last step all have read it whole: copies into its stage begin there.
    // Of two stages the copies end half a tile before they are waited for.
    constexpr int COPIES = ta::COPIES + tb::COPIES, WORK = MI * NI, LOADS = MI + NI; // mma in pairs
    constexpr int SPREAD = STAGES == 2 ? STEPS / 2 : STEPS;
    auto copy = [&](auto x) {
        constexpr int X = decltype(x)::value;
        if constexpr (X < ta::COPIES) {
            copy_a(x);
        } else {
            copy_b(index<X - ta::COPIES>());
        }
    };
    auto turn = [&](auto step) {
        constexpr int S = decltype(step)::value, NOW = S & 1, NEXT = NOW ^ 1, AT = (S + 1) % STEPS;
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
            if constexpr (AT < SPREAD) {
                unroll<(AT * WORK + W) * COPIES / (WORK * SPREAD), (AT * WORK + W + 1) * COPIES / (WORK * SPREAD)>(copy);
            }
        });
    };
    unroll<0, COPIES / SPREAD>(copy);
    for (int n = 0; n < count; n++) {
        unroll<0, STEPS - 1>(turn);
        copied();
        wait<STAGES - 2>();
        __syncthreads();
        read = read == (STAGES - 1) * STAGE ? 0 : read + STAGE;
        turn(index<STEPS - 1>());
    }
    commit();
    wait<0>();
    __syncthreads();

    // ---- epilogue: each warp its own part of the tile, HALF of its rows at a time, through its own part of shared memory, so
    // that rows leave in 16 bytes a lane ----
    constexpr int OUT_PER = 16 / sizeof(out_t), COLS = BN / WN, ROW = COLS * sizeof(out_t) + 8 * sizeof(out_t); // free of conflicts
    constexpr int HALF = MI > 1 ? MI / 2 : 1, CHUNKS = COLS / OUT_PER, APART = 32 / CHUNKS;
    const int n_warp = n0 + wn * COLS, n_pair = n_warp + 2 * (l & 3), chunk = l % CHUNKS, n_chunk = n_warp + chunk * OUT_PER;
    char *own = shared + (t >> 5) * (16 * HALF * ROW);
    out_t *c = (out_t *)p.c + matrix * p.stride_c;
    const out_t *bias = (const out_t *)p.bias, *residual = (const out_t *)p.residual;
    float *partial = p.partial + (long long)(matrix * p.splits + split) * p.m * p.ldc;
    vec<float, 2> add[2 * NI];
#pragma unroll
    for (int j = 0; j < 2 * NI; j++) {
        add[j] = {0.0f, 0.0f};
        if (bias != nullptr && n_pair + 8 * j < p.n) { // whole chunks: its pair is there
            const vec<out_t, 2> two = *(const vec<out_t, 2> *)(bias + n_pair + 8 * j);
            add[j] = {to_float(two.v[0]), to_float(two.v[1])};
        }
    }
#pragma unroll
    for (int half = 0; half < MI / HALF; half++) {
        const int m_half = m0 + wm * (BM / WM) + half * 16 * HALF;
#pragma unroll
        for (int i = 0; i < 2 * HALF; i++) { // eight rows of the warp's
#pragma unroll
            for (int j = 0; j < 2 * NI; j++) {
                const sum_t *from = &sum[half * HALF + i / 2][j][2 * (i % 2)];
                if (p.splits > 1) {
                    const int m = m_half + 8 * i + (l >> 2), n = n_pair + 8 * j;
                    if (m < p.m && n < p.n) {
                        *(float2 *)(partial + (long long)m * p.ldc + n) = make_float2((float)from[0], (float)from[1]);
                    }
                } else {
                    const float x = p.alpha * (float)from[0] + add[j].v[0], y = p.alpha * (float)from[1] + add[j].v[1];
                    store_pair((out_t *)(own + (8 * i + (l >> 2)) * ROW) + 2 * (l & 3) + 8 * j, x, y);
                }
            }
        }
        if (p.splits > 1) {
            continue;
        }
        __syncwarp();
        auto row_out = [&](int i, bool plain) {
            const int row = i * APART + l / CHUNKS, m = m_half + row;
            if (m < p.m && n_chunk < p.n) {
                out_t *from = (out_t *)(own + row * ROW) + chunk * OUT_PER;
                const long long at = (long long)m * p.ldc + n_chunk;
                if (!plain) {
                    finish(p, from, residual == nullptr ? nullptr : residual + matrix * p.stride_c + at, p.n - n_chunk);
                }
                if (n_chunk + OUT_PER <= p.n) {
                    *(vec<out_t, OUT_PER> *)(c + at) = *(const vec<out_t, OUT_PER> *)from;
                } else {
#pragma unroll 1
                    for (int e = 0; n_chunk + e < p.n; e++) {
                        c[at + e] = from[e];
                    }
                }
            }
        };
        if (p.act == ACT_NONE && residual == nullptr) {
#pragma unroll
            for (int i = 0; i < 16 * HALF / APART; i++) {
                row_out(i, true);
            }
        } else {
#pragma unroll 1
            for (int i = 0; i < 16 * HALF / APART; i++) {
                row_out(i, false);
            }
        }
        __syncwarp();
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
