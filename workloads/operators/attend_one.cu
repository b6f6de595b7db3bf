// attend_one.cu - attention of one query per sequence, on the FP32 lanes: its context is split among CTAs, whose parts a second
// kernel combines. Tensors are [sequence][head][position][D]; `group` heads of queries share a head of keys and values.
#include "types.cuh"

#define LOG2_E 1.4426950408889634f

// Eight lanes have a key, a warp four, a CTA sixteen at a time; `group` heads of queries, up to G, share them.

template <typename T, int D, int G>
__device__ __forceinline__ void decode(const T *q, const T *k, const T *v, float *part, int group, int n, int splits, float scale)
{
    constexpr int EACH = D / 8; // numbers of a lane
    __shared__ float all_sum[4][G][D], all_most[4][G], all_total[4][G];
    const int l = threadIdx.x & 31, warp = threadIdx.x >> 5, lane = l & 7;
    const int split = blockIdx.x % splits, kv = blockIdx.x / splits;
    const int share = (n + splits - 1) / splits, first = split * share, end = min(n, first + share);
    float query[G][EACH], sum[G][EACH], most[G], total[G];
    k += (long long)kv * n * D + lane * 8;
    v += (long long)kv * n * D + lane * 8;
#pragma unroll
    for (int g = 0; g < G; g++) {
        most[g] = -1e30f;
        total[g] = 0.0f;
#pragma unroll
        for (int c = 0; c < EACH / 8; c++) {
            const vec<T, 8> x = *(const vec<T, 8> *)(q + (long long)(kv * group + min(g, group - 1)) * D + c * 64 + lane * 8);
#pragma unroll
            for (int e = 0; e < 8; e++) {
                query[g][8 * c + e] = to_float(x.v[e]) * scale * LOG2_E;
                sum[g][8 * c + e] = 0.0f;
            }
        }
    }
    for (int at = first + 4 * warp; at < end; at += 16) {
        const int key = at + (l >> 3);
        const long long row = (long long)min(key, end - 1) * D;
        vec<T, 8> x[EACH / 8], y[EACH / 8];
#pragma unroll
        for (int c = 0; c < EACH / 8; c++) {
            x[c] = *(const vec<T, 8> *)(k + row + 64 * c);
            y[c] = *(const vec<T, 8> *)(v + row + 64 * c);
        }
#pragma unroll
        for (int g = 0; g < G; g++) {
            float score = 0.0f;
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                score += query[g][i] * to_float(x[i / 8].v[i % 8]);
            }
            score += __shfl_xor_sync(~0u, score, 1);
            score += __shfl_xor_sync(~0u, score, 2);
            score += __shfl_xor_sync(~0u, score, 4);
            score = key < end ? score : -1e30f;
            const float top = fmaxf(most[g], score), shrink = exp2f(most[g] - top);
            const float p = key < end ? exp2f(score - top) : 0.0f;
            most[g] = top;
            total[g] = total[g] * shrink + p;
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                sum[g][i] = sum[g][i] * shrink + p * to_float(y[i / 8].v[i % 8]);
            }
        }
    }
#pragma unroll
    for (int g = 0; g < G; g++) { // the warp's four keys, then the CTA's four warps
#pragma unroll
        for (int apart = 8; apart < 32; apart *= 2) {
            const float other = __shfl_xor_sync(~0u, most[g], apart), top = fmaxf(most[g], other);
            const float shrink = exp2f(most[g] - top);
            most[g] = top;
            total[g] *= shrink;
            total[g] += __shfl_xor_sync(~0u, total[g], apart);
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                sum[g][i] *= shrink;
                sum[g][i] += __shfl_xor_sync(~0u, sum[g][i], apart);
            }
        }
        if (l < 8) {
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                all_sum[warp][g][i / 8 * 64 + lane * 8 + i % 8] = sum[g][i];
            }
        }
        if (l == 0) {
            all_most[warp][g] = most[g];
            all_total[warp][g] = total[g];
        }
    }
    __syncthreads();
    for (int at = threadIdx.x; at < group * D; at += 128) {
        const int g = at / D, d = at % D;
        float top = -1e30f, x = 0.0f, t = 0.0f;
#pragma unroll
        for (int w = 0; w < 4; w++) {
            top = fmaxf(top, all_most[w][g]);
        }
#pragma unroll
        for (int w = 0; w < 4; w++) {
            const float shrink = exp2f(all_most[w][g] - top);
            x += all_sum[w][g][d] * shrink;
            t += all_total[w][g] * shrink;
        }
        float *to = part + ((long long)(kv * group + g) * splits + split) * (D + 2);
        to[d] = x;
        if (d == 0) {
            to[D] = top;
            to[D + 1] = t;
        }
    }
}

// The parts of a head's context: D threads.
template <typename T, int D> __device__ __forceinline__ void combine(const float *part, T *o, int splits)
{
    float top = -1e30f, x = 0.0f, total = 0.0f;
    part += (long long)blockIdx.x * splits * (D + 2);
    for (int s = 0; s < splits; s++) {
        const float *from = part + s * (D + 2);
        const float most = fmaxf(top, from[D]), shrink = exp2f(top - most), grow = exp2f(from[D] - most);
        top = most;
        x = x * shrink + from[threadIdx.x] * grow;
        total = total * shrink + from[D + 1] * grow;
    }
    o[(long long)blockIdx.x * D + threadIdx.x] = from_float<T>(x / total);
}

#define DECODE(NAME, T, D, G)                                                                                              \
    extern "C" __global__ void __launch_bounds__(128) NAME##_##G(const T *q, const T *k, const T *v, float *part,           \
                                                                 int group, int n, int splits, float scale)                \
    {                                                                                                                      \
        decode<T, D, G>(q, k, v, part, group, n, splits, scale);                                                \
    }
#define ATTEND_ONE(SUFFIX, T, D)                                                                                           \
    DECODE(attend_one_##D##_##SUFFIX, T, D, 1)                                                                             \
    DECODE(attend_one_##D##_##SUFFIX, T, D, 4)                                                                             \
    DECODE(attend_one_##D##_##SUFFIX, T, D, 8)                                                                             \
    extern "C" __global__ void __launch_bounds__(D) combine_##D##_##SUFFIX(const float *part, T *o, int splits)            \
    {                                                                                                                      \
        combine<T, D>(part, o, splits);                                                                                    \
    }
ATTEND_ONE(bf16, bf16, 64)
ATTEND_ONE(bf16, bf16, 128)
