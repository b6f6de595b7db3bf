// nw.cu - global alignment of two sequences by dynamic programming, tile by tile along the
// anti-diagonals; within a tile, 16 threads go along its anti-diagonals.

#define EDGE 16

// The tile at (bx, by) of the table of scores, whose first row and column are given.
static __device__ void align(const int *reference, int *score, int columns, int penalty, int bx,
                             int by)
{
    __shared__ int temp[EDGE + 1][EDGE + 1];
    __shared__ int ref[EDGE][EDGE];
    const int tx = threadIdx.x;
    const int corner = columns * EDGE * by + EDGE * bx; // above and to the left of the tile

    if (tx == 0) {
        temp[0][0] = score[corner];
    }
    for (int ty = 0; ty < EDGE; ty++) {
        ref[ty][tx] = reference[corner + (ty + 1) * columns + tx + 1];
    }
    __syncthreads();
    temp[tx + 1][0] = score[corner + (tx + 1) * columns];
    __syncthreads();
    temp[0][tx + 1] = score[corner + tx + 1];
    __syncthreads();
#pragma unroll
    for (int m = 0; m < EDGE; m++) {
        if (tx <= m) {
            const int x = tx + 1;
            const int y = m - tx + 1;
            temp[y][x] = max(temp[y - 1][x - 1] + ref[y - 1][x - 1],
                             max(temp[y][x - 1] - penalty, temp[y - 1][x] - penalty));
        }
        __syncthreads();
    }
#pragma unroll
    for (int m = EDGE - 2; m >= 0; m--) {
        if (tx <= m) {
            const int x = tx + EDGE - m;
            const int y = EDGE - tx;
            temp[y][x] = max(temp[y - 1][x - 1] + ref[y - 1][x - 1],
                             max(temp[y][x - 1] - penalty, temp[y - 1][x] - penalty));
        }
        __syncthreads();
    }
    for (int ty = 0; ty < EDGE; ty++) {
        score[corner + (ty + 1) * columns + tx + 1] = temp[ty + 1][tx + 1];
    }
}

// Anti-diagonal i of the tiles, i of them, while they grow longer.
extern "C" __global__ void needle_cuda_shared_1(const int *reference, int *score, int columns,
                                                int penalty, int i)
{
    align(reference, score, columns, penalty, blockIdx.x, i - 1 - blockIdx.x);
}

// The same while they grow shorter, to i tiles out of `tiles`.
extern "C" __global__ void needle_cuda_shared_2(const int *reference, int *score, int columns,
                                                int penalty, int i, int tiles)
{
    align(reference, score, columns, penalty, blockIdx.x + tiles - i, tiles - blockIdx.x - 1);
}
