// sgemm.cu - products of 32-bit numbers on the FP32 lanes, without TF32, as cuBLAS's ampere_sgemm kernels do it: 256 threads of 8 x 8
// results, K in steps of 8 through two stages of shared memory.
//
// A lies along K; B along K (tn) or along N (nn). Leading dimensions are whole chunks of four; M, N, K may be ragged.
#include "types.cuh"

namespace {

constexpr int TILE = 128, DEPTH = 8, SIDE = 8, THREADS = 256, PITCH = TILE + 4;

struct stage {
    float a[DEPTH][PITCH], b[DEPTH][PITCH];
};

// Four numbers along K of row `row`, or zeros beyond the edges.
__device__ __forceinline__ float4 along_k(const float *p, int row, int rows, int k, int depth, int ld)
{
    float4 v = make_float4(0, 0, 0, 0);
    if (row < rows) {
        const float *from = p + (long long)row * ld + k;
        if (k + 3 < depth) {
            v = *(const float4 *)from;
        } else {
            v.x = k < depth ? from[0] : 0.0f;
            v.y = k + 1 < depth ? from[1] : 0.0f;
            v.z = k + 2 < depth ? from[2] : 0.0f;
        }
    }
    return v;
}

template <bool ALONG_N>
__device__ __forceinline__ void product(const float *a, const float *b, float *c, const float *bias, int m, int n, int k, int lda,
                                        int ldb, int ldc, long long stride_a, long long stride_b, long long stride_c, float alpha)
{
    __shared__ stage stages[2];
    const int t = threadIdx.x, tx = t % 16, ty = t / 16;
    const int tiles_m = (m + TILE - 1) / TILE, tiles_n = (n + TILE - 1) / TILE;
    int id = blockIdx.x;
    const int matrix = id / (tiles_m * tiles_n);
    id -= matrix * tiles_m * tiles_n;
    const int group = id / (8 * tiles_n), rows = min(8, tiles_m - 8 * group);
    id -= group * 8 * tiles_n;
    const int m0 = (8 * group + id % rows) * TILE, n0 = id / rows * TILE;
    a += matrix * stride_a;
    b += matrix * stride_b;
    c += matrix * stride_c;

    float sum[SIDE][SIDE] = {};
    const int row = t / 2, half = t % 2 * 4;        // along K: a row of eight by two threads
    const int depth_row = t / 32, column = t % 32 * 4; // along N: a row of 128 by a warp
    float4 next_a, next_b;
    auto load = [&](int k0) {
        next_a = along_k(a, m0 + row, m, k0 + half, k, lda);
        if (ALONG_N) {
            const bool inside = k0 + depth_row < k && n0 + column < ldb;
            next_b = inside ? *(const float4 *)(b + (long long)(k0 + depth_row) * ldb + n0 + column) : make_float4(0, 0, 0, 0);
        } else {
            next_b = along_k(b, n0 + row, n, k0 + half, k, ldb);
        }
    };
    auto store = [&](stage &s) {
        s.a[half][row] = next_a.x;
        s.a[half + 1][row] = next_a.y;
        s.a[half + 2][row] = next_a.z;
        s.a[half + 3][row] = next_a.w;
        if (ALONG_N) {
            *(float4 *)&s.b[depth_row][column] = next_b;
        } else {
            s.b[half][row] = next_b.x;
            s.b[half + 1][row] = next_b.y;
            s.b[half + 2][row] = next_b.z;
            s.b[half + 3][row] = next_b.w;
        }
    };
    load(0);
    store(stages[0]);
    __syncthreads();
    const int steps = (k + DEPTH - 1) / DEPTH;
    for (int i = 0; i < steps; i++) {
        const stage &now = stages[i & 1];
        if (i + 1 < steps) {
            load((i + 1) * DEPTH);
        }
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            float x[SIDE], y[SIDE];
            *(float4 *)x = *(const float4 *)&now.a[d][ty * 4];
            *(float4 *)(x + 4) = *(const float4 *)&now.a[d][64 + ty * 4];
            *(float4 *)y = *(const float4 *)&now.b[d][tx * 4];
            *(float4 *)(y + 4) = *(const float4 *)&now.b[d][64 + tx * 4];
#pragma unroll
            for (int r = 0; r < SIDE; r++) {
#pragma unroll
                for (int s = 0; s < SIDE; s++) {
                    sum[r][s] = fmaf(x[r], y[s], sum[r][s]);
                }
            }
        }
        if (i + 1 < steps) {
            store(stages[i + 1 & 1]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < SIDE; r++) {
        const int at_m = m0 + (r & 4) * 16 + ty * 4 + (r & 3);
#pragma unroll
        for (int s = 0; s < SIDE; s += 4) {
            const int at_n = n0 + s * 16 + tx * 4;
            if (at_m >= m) {
                continue;
            }
            float v[4];
#pragma unroll
            for (int e = 0; e < 4; e++) {
                v[e] = alpha * sum[r][s + e];
                if (bias != nullptr && at_n + e < n) {
                    v[e] += bias[at_n + e];
                }
            }
            float *to = c + (long long)at_m * ldc + at_n;
            if (at_n + 3 < n) {
                *(float4 *)to = *(float4 *)v;
            } else {
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    if (at_n + e < n) {
                        to[e] = v[e];
                    }
                }
            }
        }
    }
}

} // namespace

// Parameters as of the kernels on matrix units, so that one host function launches all; residual, splits and activation have no
// effect here.
#define SGEMM(NAME, ALONG_N)                                                                                               \
    extern "C" __global__ void __launch_bounds__(THREADS)                                                                  \
        NAME(const float *a, const float *b, float *c, const float *bias, const float *residual, float *partial, int m,    \
             int n, int k, int lda, int ldb, int ldc, long long stride_a, long long stride_b, long long stride_c,          \
             int splits, int act, float alpha)                                                                             \
    {                                                                                                                      \
        product<ALONG_N>(a, b, c, bias, m, n, k, lda, ldb, ldc, stride_a, stride_b, stride_c, alpha);                 \
    }
SGEMM(sgemm_tn_128x128, false)
SGEMM(sgemm_nn_128x128, true)
