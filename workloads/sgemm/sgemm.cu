// sgemm.cu - C = alpha A B^T + beta C of column-major matrices; a CTA computes 128 rows by 16
// columns of C, a thread the 16 elements of one row, in registers.

#define TILE_N 16 // columns of C per CTA, and its width
#define TILE_K 8  // columns of A per step, and the CTA's height

// A is m x k, B is n x k, C is m x n; ld* is the distance of their columns.
extern "C" __global__ void mysgemmNT(const float *A, int lda, const float *B, int ldb, float *C,
                                     int ldc, int k, float alpha, float beta)
{
    __shared__ float b_tile[TILE_K][TILE_N];
    const int thread = threadIdx.y * TILE_N + threadIdx.x;
    const int m = blockIdx.x * (TILE_N * TILE_K) + thread;
    const int n = blockIdx.y * TILE_N;

    float sum[TILE_N] = {0.0f};
#pragma unroll 1
    for (int i = 0; i < k; i += TILE_K) {
        b_tile[threadIdx.y][threadIdx.x] = B[n + threadIdx.x + (i + threadIdx.y) * ldb];
        __syncthreads();
#pragma unroll 1
        for (int j = 0; j < TILE_K; j++) {
            const float a = A[m + (i + j) * lda];
#pragma unroll
            for (int column = 0; column < TILE_N; column++) {
                sum[column] += a * b_tile[j][column];
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int column = 0; column < TILE_N; column++) {
        float *c = &C[m + (n + column) * ldc];
        *c = *c * beta + alpha * sum[column];
    }
}
