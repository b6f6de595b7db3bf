// lud.cu - LU decomposition without pivoting, in place, by blocks of 16x16: the diagonal block, the
// strips beside it, the rest.

#define EDGE 16

// Factorises the diagonal block at `offset`, a thread per row and column.
extern "C" __global__ void lud_diagonal(float *m, int n, int offset)
{
    __shared__ float block[EDGE][EDGE];
    const int tx = threadIdx.x;

    for (int i = 0; i < EDGE; i++) {
        block[i][tx] = m[(offset + i) * n + offset + tx];
    }
    __syncthreads();
    for (int i = 0; i < EDGE - 1; i++) {
        if (tx > i) {
            for (int j = 0; j < i; j++) {
                block[tx][i] -= block[tx][j] * block[j][i];
            }
            block[tx][i] /= block[i][i];
        }
        __syncthreads();
        if (tx > i) {
            for (int j = 0; j < i + 1; j++) {
                block[i + 1][tx] -= block[i + 1][j] * block[j][tx];
            }
        }
        __syncthreads();
    }
    for (int i = 1; i < EDGE; i++) { // the first row stays as it was
        m[(offset + i) * n + offset + tx] = block[i][tx];
    }
}

// The blocks to the right of the diagonal one (first half of the threads, a column each) and below
// it (second half, a row each).
extern "C" __global__ void lud_perimeter(float *m, int n, int offset)
{
    __shared__ float diagonal[EDGE][EDGE];
    __shared__ float right[EDGE][EDGE];
    __shared__ float below[EDGE][EDGE];
    const int distance = (blockIdx.x + 1) * EDGE;

    if (threadIdx.x < EDGE) {
        const int tx = threadIdx.x;
        for (int i = 0; i < EDGE / 2; i++) {
            diagonal[i][tx] = m[(offset + i) * n + offset + tx];
        }
        for (int i = 0; i < EDGE; i++) {
            right[i][tx] = m[(offset + i) * n + offset + distance + tx];
        }
    } else {
        const int tx = threadIdx.x - EDGE;
        for (int i = EDGE / 2; i < EDGE; i++) {
            diagonal[i][tx] = m[(offset + i) * n + offset + tx];
        }
        for (int i = 0; i < EDGE; i++) {
            below[i][tx] = m[(offset + distance + i) * n + offset + tx];
        }
    }
    __syncthreads();

    if (threadIdx.x < EDGE) {
        const int tx = threadIdx.x;
        for (int i = 1; i < EDGE; i++) {
            for (int j = 0; j < i; j++) {
                right[i][tx] -= diagonal[i][j] * right[j][tx];
            }
        }
    } else {
        const int tx = threadIdx.x - EDGE;
        for (int i = 0; i < EDGE; i++) {
            for (int j = 0; j < i; j++) {
                below[tx][i] -= below[tx][j] * diagonal[j][i];
            }
            below[tx][i] /= diagonal[i][i];
        }
    }
    __syncthreads();

    if (threadIdx.x < EDGE) {
        const int tx = threadIdx.x;
        for (int i = 1; i < EDGE; i++) {
            m[(offset + i) * n + offset + distance + tx] = right[i][tx];
        }
    } else {
        const int tx = threadIdx.x - EDGE;
        for (int i = 0; i < EDGE; i++) {
            m[(offset + distance + i) * n + offset + tx] = below[i][tx];
        }
    }
}

// Subtracts the product of the strips from a block of the rest.
extern "C" __global__ void lud_internal(float *m, int n, int offset)
{
    __shared__ float right[EDGE][EDGE];
    __shared__ float below[EDGE][EDGE];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = offset + (blockIdx.y + 1) * EDGE + ty;
    const int column = offset + (blockIdx.x + 1) * EDGE + tx;

    right[ty][tx] = m[(offset + ty) * n + column];
    below[ty][tx] = m[row * n + offset + tx];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < EDGE; i++) {
        sum += below[ty][i] * right[i][tx];
    }
    m[row * n + column] -= sum;
}
