// sgemm.cuh - products of 32-bit numbers on the FP32 lanes, without TF32, as cuBLAS's ampere_sgemm kernels do it: threads of 8 x 8
// results, K in steps of 8 through two stages of shared memory, in parts where `splits` says so. Sliced kernels have groups of threads
// in a CTA that take the steps in turn, each with stages and a barrier of its own, and are summed at the end.
//
// A lies along K; B along K (tn) or along N (nn). Leading dimensions are whole chunks of four; M, N, K may be ragged.
#pragma once
#include "types.cuh"
#include "unroll.cuh"

namespace sgemm {

using unrolled::index;
using unrolled::unroll;

constexpr int DEPTH = 8, SIDE = 8;

template <int BM, int BN> struct stage {
    float a[DEPTH][BM + 4], b[DEPTH][BN + 4];
};

// Four numbers along K, of which `left` are there; zeros behind them.
__device__ __forceinline__ float4 first_of(const float *from, int left)
{
    float4 v = make_float4(0, 0, 0, 0);
    if (left > 3) {
        return *(const float4 *)from;
    }
    v.x = left > 0 ? from[0] : 0.0f;
    v.y = left > 1 ? from[1] : 0.0f;
    v.z = left > 2 ? from[2] : 0.0f;
    return v;
}

// A chunk of four along K into a column of a stage.
template <int PITCH> __device__ __forceinline__ void put_column(float (*to)[PITCH], int column, int k, float4 v)
{
    to[k][column] = v.x;
    to[k + 1][column] = v.y;
    to[k + 2][column] = v.z;
    to[k + 3][column] = v.w;
}

template <int OFFSET> __device__ __forceinline__ void read4(float *to, uint32_t from)
{
    asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4+%5];"
                 : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3]) : "r"(from), "n"(OFFSET) : "memory");
}

__device__ __forceinline__ void multiply_add(float &sum, float x, float y)
{
    asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sum) : "f"(x), "f"(y));
}

struct arguments {
    const float *a, *b, *bias;
    float *c, *partial; // of splits > 1: sums, rows of ldc, for the reducing kernel
    int m, n, k, lda, ldb, ldc;
    long long stride_a, stride_b, stride_c;
    int splits;
    float alpha;
};

template <int BM, int BN, bool ALONG_N, int SLICES> __device__ __forceinline__ void product(const arguments &p)
{
    constexpr int COLUMNS = BN / SIDE, THREADS = BM / SIDE * COLUMNS /* of a slice */, COPIES_A = 2 * BM / THREADS, COPIES_B = 2 * BN / THREADS;
    typedef stage<BM, BN> stage_t;
    __shared__ stage_t stages[SLICES][2];
    const int slice = SLICES > 1 ? threadIdx.x / THREADS : 0, t = SLICES > 1 ? threadIdx.x % THREADS : threadIdx.x;
    const int tx = t % COLUMNS, ty = t / COLUMNS;
    auto wait = [&]() {
        if constexpr (SLICES > 1) {
            asm volatile("bar.sync %0, %1;" : : "r"(slice + 1), "n"(THREADS) : "memory");
        } else {
            __syncthreads();
        }
    };
    const int tiles_m = (p.m + BM - 1) / BM, tiles_n = (p.n + BN - 1) / BN;
    int id = blockIdx.x;
    const int matrix = id / (tiles_m * tiles_n * p.splits);
    id -= matrix * tiles_m * tiles_n * p.splits;
    const int split = id / (tiles_m * tiles_n);
    id -= split * tiles_m * tiles_n;
    const int group = id / (8 * tiles_n), rows = min(8, tiles_m - 8 * group);
    id -= group * 8 * tiles_n;
    const int m0 = (8 * group + id % rows) * BM, n0 = id / rows * BN;
    const float *a = p.a + matrix * p.stride_a, *b = p.b + matrix * p.stride_b;

    const int all = (p.k + DEPTH - 1) / DEPTH, share = (all + p.splits - 1) / p.splits;
    const int of_split = max(0, min(all - split * share, share));
    const int first = split * share + slice, steps = SLICES > 1 ? max(0, of_split - slice + SLICES - 1) / SLICES : of_split;

    // ---- copies. Along K: a row of eight by two threads; along N: rows of BN, a chunk a thread. Rows and columns beyond the edge
    // are read again from the last ones, and dropped. ----
    const float *from_a[COPIES_A], *from_b[COPIES_B];
    float4 next_a[COPIES_A], next_b[COPIES_B];
    auto row_b = [&](int i) { return (t + i * THREADS) / (BN / 4); };       // along N
    auto column_b = [&](int i) { return (t + i * THREADS) % (BN / 4) * 4; };
    auto column_k = [&](int i) { return (t + i * THREADS) % 2 * 4; };       // along K
    auto line_k = [&](int i) { return (t + i * THREADS) / 2; };
#pragma unroll
    for (int i = 0; i < COPIES_A; i++) {
        from_a[i] = a + (long long)min(m0 + line_k(i), p.m - 1) * p.lda + first * DEPTH + column_k(i);
    }
#pragma unroll
    for (int i = 0; i < COPIES_B; i++) {
        from_b[i] = ALONG_N ? b + (long long)(first * DEPTH + row_b(i)) * p.ldb + min(n0 + column_b(i), p.ldb - 4)
                            : b + (long long)min(n0 + line_k(i), p.n - 1) * p.ldb + first * DEPTH + column_k(i);
    }
    const long long step_b = SLICES * (ALONG_N ? (long long)DEPTH * p.ldb : DEPTH);
    auto load = [&](int left) { // numbers of K before its end
        if (left >= DEPTH) {
#pragma unroll
            for (int i = 0; i < COPIES_A; i++) {
                next_a[i] = *(const float4 *)from_a[i];
            }
#pragma unroll
            for (int i = 0; i < COPIES_B; i++) {
                next_b[i] = *(const float4 *)from_b[i];
            }
        } else {
#pragma unroll
            for (int i = 0; i < COPIES_A; i++) {
                next_a[i] = first_of(from_a[i], left - column_k(i));
            }
#pragma unroll
            for (int i = 0; i < COPIES_B; i++) {
                next_b[i] = first_of(from_b[i], ALONG_N ? (left > row_b(i) ? 4 : 0) : left - column_k(i));
            }
        }
#pragma unroll
        for (int i = 0; i < COPIES_A; i++) {
            from_a[i] += SLICES * DEPTH;
        }
#pragma unroll
        for (int i = 0; i < COPIES_B; i++) {
            from_b[i] += step_b;
        }
    };
    auto store = [&](stage_t &s) {
#pragma unroll
        for (int i = 0; i < COPIES_A; i++) {
            put_column(s.a, line_k(i), column_k(i), next_a[i]);
        }
#pragma unroll
        for (int i = 0; i < COPIES_B; i++) {
            if (ALONG_N) {
                *(float4 *)&s.b[row_b(i)][column_b(i)] = next_b[i];
            } else {
                put_column(s.b, line_k(i), column_k(i), next_b[i]);
            }
        }
    };

    // ---- the loop: fragments of the next depth are read among the multiply-adds of the present one, in the order that stands
    // here. At the last depth of a stage the next one is stored; it was last read a barrier ago. ----
    float sum[SIDE][SIDE] = {};
    float x[2][SIDE], y[2][SIDE];
    stage_t *own = stages[slice];
    const uint32_t base = (uint32_t)__cvta_generic_to_shared(own);
    const uint32_t base_a = base + 16 * ty, base_b = base + (uint32_t)sizeof own->a + 16 * tx;
    auto fragment = [&](auto depth, auto part, uint32_t stage_at) {
        constexpr int D = decltype(depth)::value, P = decltype(part)::value;
        if constexpr (P < 2) {
            read4<4 * (D * (BM + 4) + P * (BM / 2))>(&x[D & 1][4 * P], base_a + stage_at);
        } else {
            read4<4 * (D * (BN + 4) + (P - 2) * (BN / 2))>(&y[D & 1][4 * (P - 2)], base_b + stage_at);
        }
    };
    load(p.k - first * DEPTH);
    store(own[0]);
    wait();
    unroll<0, 4>([&](auto part) { fragment(index<0>(), part, 0); });
    uint32_t now = 0;
    for (int i = 1; i <= steps; i++) {
        const uint32_t next = (uint32_t)sizeof(stage_t) - now;
        if (i < steps) {
            load(p.k - (first + i * SLICES) * DEPTH);
        }
        unroll<0, DEPTH>([&](auto depth) {
            constexpr int D = decltype(depth)::value;
            if constexpr (D == DEPTH - 1) {
                store(own[i & 1]);
                wait();
            }
            unroll<0, SIDE>([&](auto row) {
                constexpr int R = decltype(row)::value;
                if constexpr (R % 2 == 0) {
                    fragment(index<(D + 1) % DEPTH>(), index<R / 2>(), D == DEPTH - 1 ? next : now);
                }
#pragma unroll
                for (int s = 0; s < SIDE; s++) {
                    multiply_add(sum[R][s], x[D & 1][R], y[D & 1][s]);
                }
            });
        });
        now = next;
    }

    // ---- slices are summed through the stages, the upper half of them into the lower one ----
    if constexpr (SLICES > 1) {
        constexpr int RESULTS = SIDE * SIDE;
        static_assert(SLICES / 2 * RESULTS * THREADS * sizeof(float) <= sizeof stages, "sums of half of the slices");
        float *room = (float *)stages + t;
#pragma unroll
        for (int half = SLICES / 2; half > 0; half /= 2) {
            __syncthreads();
            if (slice >= half && slice < 2 * half) {
#pragma unroll
                for (int e = 0; e < RESULTS; e++) {
                    room[((slice - half) * RESULTS + e) * THREADS] = sum[e / SIDE][e % SIDE];
                }
            }
            __syncthreads();
            if (slice < half) {
#pragma unroll
                for (int e = 0; e < RESULTS; e++) {
                    sum[e / SIDE][e % SIDE] += room[(slice * RESULTS + e) * THREADS];
                }
            }
        }
        if (slice > 0) {
            return;
        }
    }

    const bool parts = p.splits > 1;
    float *c = parts ? p.partial + (long long)(matrix * p.splits + split) * p.m * p.ldc : p.c + matrix * p.stride_c;
    const float *bias = parts ? nullptr : p.bias;
    const float alpha = parts ? 1.0f : p.alpha;
    float add[SIDE];
#pragma unroll
    for (int s = 0; s < SIDE; s++) {
        const int at_n = n0 + s / 4 * (BN / 2) + tx * 4 + (s & 3);
        add[s] = bias != nullptr && at_n < p.n ? bias[at_n] : 0.0f;
    }
#pragma unroll
    for (int r = 0; r < SIDE; r++) {
        const int at_m = m0 + r / 4 * (BM / 2) + ty * 4 + (r & 3);
#pragma unroll
        for (int s = 0; s < SIDE; s += 4) {
            const int at_n = n0 + s / 4 * (BN / 2) + tx * 4;
            if (at_m >= p.m) {
                continue;
            }
            float v[4];
#pragma unroll
            for (int e = 0; e < 4; e++) {
                v[e] = alpha * sum[r][s + e] + add[s + e];
            }
            float *to = c + (long long)at_m * p.ldc + at_n;
            if (at_n + 3 < p.n) {
                *(float4 *)to = *(float4 *)v;
            } else {
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    if (at_n + e < p.n) {
                        to[e] = v[e];
                    }
                }
            }
        }
    }
}

} // namespace sgemm

// Parameters as of the kernels on matrix units, so that one host function launches all; residual and activation have no effect
// here.
#define SGEMM(NAME, BM, BN, ALONG_N, SLICES)                                                                                     \
    extern "C" __global__ void __launch_bounds__(BM * BN / 64 * SLICES)                                                             \
        NAME(const float *a, const float *b, float *c, const float *bias, const float *residual, float *partial, int m,    \
             int n, int k, int lda, int ldb, int ldc, long long stride_a, long long stride_b, long long stride_c,          \
             int splits, int act, float alpha)                                                                             \
    {                                                                                                                      \
        sgemm::product<BM, BN, ALONG_N, SLICES>({a, b, bias, c, partial, m, n, k, lda, ldb, ldc, stride_a, stride_b, stride_c,     \
                                         splits, alpha});                                                                  \
    }
