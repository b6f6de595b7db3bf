// attention.cu - attention in one kernel on the matrix units, scores never in global memory (Dao et al., FlashAttention-2, 2023).
//
// Tensors are [sequence][head][position][D]; heads in groups share a head of keys and values. Causal: the last query sees all
// keys, each one before it a key less.
#include "gemm.cuh"

namespace attention {

__device__ __forceinline__ uint32_t pair(bf16 *, float x, float y)
{
    __nv_bfloat162 v = __floats2bfloat162_rn(x, y);
    return *(uint32_t *)&v;
}
__device__ __forceinline__ uint32_t pair(f16 *, float x, float y)
{
    __half2 v = __floats2half2_rn(x, y);
    return *(uint32_t *)&v;
}

#define LOG2_E 1.4426950408889634f

// ---- many queries: a CTA has 64 of them, a warp 16; keys and values come 64 at a time, one tile ahead ----

template <typename T, int D> struct tile64 {
    static constexpr int CHUNKS = D / 8, ROW_BYTES = D * 2, BYTES = 64 * ROW_BYTES;
    __device__ static __forceinline__ int place(int row, int chunk) { return row * ROW_BYTES + 16 * (chunk ^ (row & 7)); }
    // Rows from `first` on, those from `rows` on as zeros.
    __device__ static __forceinline__ void copy(uint32_t to, const T *from, int first, int rows)
    {
#pragma unroll
        for (int i = 0; i < 64 * CHUNKS / 128; i++) {
            const int at = i * 128 + threadIdx.x, row = at / CHUNKS, chunk = at % CHUNKS;
            const bool inside = first + row < rows;
            const T *source = from + (long long)(inside ? first + row : 0) * D + chunk * 8;
            gemm::copy16<0>(to + place(row, chunk), (const char *)source, inside ? 16 : 0);
        }
    }
};

template <typename T, int D>
__device__ __forceinline__ void prefill(const T *q, const T *k, const T *v, T *o, int heads, int kv_heads, int m, int n, int causal,
                                        float scale)
{
    typedef tile64<T, D> tile;
    extern __shared__ __align__(128) char shared[];
    const uint32_t base = (uint32_t)__cvta_generic_to_shared(shared), keys = base + tile::BYTES, values = keys + 2 * tile::BYTES;
    const int l = threadIdx.x & 31, warp = threadIdx.x >> 5, tiles = (m + 63) / 64;
    // The longest rows of a causal head first.
    const int head = blockIdx.x / tiles, row0 = (tiles - 1 - (int)blockIdx.x % tiles) * 64;
    const int kv = head / heads * kv_heads + head % heads / (heads / kv_heads);
    q += (long long)head * m * D;
    o += (long long)head * m * D;
    k += (long long)kv * n * D;
    v += (long long)kv * n * D;
    const int seen = causal ? min(n, row0 + 64 + n - m) : n, count = (seen + 63) / 64;
    tile::copy(base, q, row0, m);
    tile::copy(keys, k, 0, n);
    tile::copy(values, v, 0, n);
    gemm::commit();

    uint32_t qf[D / 16][4];
    float sum[D / 8][4], most[2] = {-1e30f, -1e30f}, total[2] = {0.0f, 0.0f};
#pragma unroll
    for (int j = 0; j < D / 8; j++) {
        sum[j][0] = sum[j][1] = sum[j][2] = sum[j][3] = 0.0f;
    }
    const float to_log2 = scale * LOG2_E;
    for (int t = 0; t < count; t++) {
        const uint32_t here = (t & 1) * tile::BYTES, next = tile::BYTES - here;
        if (t + 1 < count) {
            tile::copy(keys + next, k, (t + 1) * 64, n);
            tile::copy(values + next, v, (t + 1) * 64, n);
        }
        gemm::commit();
        gemm::wait<1>();
        __syncthreads();
        if (t == 0) {
#pragma unroll
            for (int s = 0; s < D / 16; s++) {
                gemm::fragment<false, 0>(qf[s], base + tile::place(16 * warp + (l & 15), 2 * s + (l >> 4)));
            }
        }
        float score[8][4];
#pragma unroll
        for (int j = 0; j < 8; j++) {
            score[j][0] = score[j][1] = score[j][2] = score[j][3] = 0.0f;
        }
#pragma unroll
        for (int s = 0; s < D / 16; s++) {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                uint32_t kf[4];
                gemm::fragment<false, 0>(
                    kf, keys + here + tile::place(16 * j + (l & 7) + 8 * (l >> 4), 2 * s + (l >> 3 & 1)));
                gemm::mma((T *)0, score[2 * j], qf[s], kf);
                gemm::mma((T *)0, score[2 * j + 1], qf[s], kf + 2);
            }
        }
        const int row = row0 + 16 * warp + (l >> 2), column = t * 64 + 2 * (l & 3);
        if (t * 64 + 64 > n || (causal && t * 64 + 63 > row0 + n - m)) {
#pragma unroll
            for (int j = 0; j < 8; j++) {
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    const int key = column + 8 * j + (e & 1), query = row + 8 * (e >> 1);
                    score[j][e] = key < n && (!causal || key <= query + n - m) ? score[j][e] : -1e30f;
                }
            }
        }
#pragma unroll
        for (int h = 0; h < 2; h++) { // rows l / 4 and l / 4 + 8
            float top = most[h];
#pragma unroll
            for (int j = 0; j < 8; j++) {
                top = fmaxf(top, fmaxf(score[j][2 * h], score[j][2 * h + 1]));
            }
            top = fmaxf(top, __shfl_xor_sync(~0u, top, 1));
            top = fmaxf(top, __shfl_xor_sync(~0u, top, 2));
            const float shrink = exp2f((most[h] - top) * to_log2), shift = top * to_log2;
            most[h] = top;
            total[h] *= shrink;
#pragma unroll
            for (int j = 0; j < 8; j++) {
                score[j][2 * h] = exp2f(score[j][2 * h] * to_log2 - shift);
                score[j][2 * h + 1] = exp2f(score[j][2 * h + 1] * to_log2 - shift);
                total[h] += score[j][2 * h] + score[j][2 * h + 1];
            }
#pragma unroll
            for (int j = 0; j < D / 8; j++) {
                sum[j][2 * h] *= shrink;
                sum[j][2 * h + 1] *= shrink;
            }
        }
#pragma unroll
        for (int s = 0; s < 4; s++) {
            const uint32_t p[4] = {pair((T *)0, score[2 * s][0], score[2 * s][1]), pair((T *)0, score[2 * s][2], score[2 * s][3]),
                                   pair((T *)0, score[2 * s + 1][0], score[2 * s + 1][1]),
                                   pair((T *)0, score[2 * s + 1][2], score[2 * s + 1][3])};
#pragma unroll
            for (int j = 0; j < D / 16; j++) {
                uint32_t vf[4];
                gemm::fragment<true, 0>(
                    vf, values + here + tile::place(16 * s + (l & 7) + 8 * (l >> 3 & 1), 2 * j + (l >> 4)));
                gemm::mma((T *)0, sum[2 * j], p, vf);
                gemm::mma((T *)0, sum[2 * j + 1], p, vf + 2);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const int row = row0 + 16 * warp + (l >> 2) + 8 * h;
        total[h] += __shfl_xor_sync(~0u, total[h], 1);
        total[h] += __shfl_xor_sync(~0u, total[h], 2);
        const float part = 1.0f / total[h];
        if (row < m) {
#pragma unroll
            for (int j = 0; j < D / 8; j++) {
                *(uint32_t *)(o + (long long)row * D + 8 * j + 2 * (l & 3)) =
                    pair((T *)0, sum[j][2 * h] * part, sum[j][2 * h + 1] * part);
            }
        }
    }
}

} // namespace attention

#define PREFILL(NAME, T, D)                                                                                                \
    extern "C" __global__ void __launch_bounds__(128) NAME(const T *q, const T *k, const T *v, T *o, int heads,             \
                                                           int kv_heads, int m, int n, int causal, float scale)            \
    {                                                                                                                      \
        attention::prefill<T, D>(q, k, v, o, heads, kv_heads, m, n, causal, scale);                                        \
    }
PREFILL(attention_64_bf16, bf16, 64)
PREFILL(attention_128_bf16, bf16, 128)
PREFILL(attention_64_f16, f16, 64)
PREFILL(attention_128_f16, f16, 128)
