// matrixmul.cu - C = A * B through square shared-memory tiles, one element of C per thread.
// The tile edge is 16 in the older releases of the CUDA SDK and 32 in the newer ones; both are
// here.

template <int TILE>
__device__ __forceinline__ void multiply_tiled(float *c, const float *a, const float *b,
                                               int a_width, int b_width)
{
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty;
    const int column = blockIdx.x * TILE + tx;

    float sum = 0.0f;
    for (int k0 = 0; k0 < a_width; k0 += TILE) {
        a_tile[ty][tx] = a[row * a_width + k0 + tx];
        b_tile[ty][tx] = b[(k0 + ty) * b_width + column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++) {
            sum += a_tile[ty][k] * b_tile[k][tx];
        }
        __syncthreads(); // the next tile overwrites what others may still read
    }
    c[row * b_width + column] = sum;
}

extern "C" __global__ void matrixMul(float *c, const float *a, const float *b, int a_width,
                                     int b_width)
{
    multiply_tiled<16>(c, a, b, a_width, b_width);
}

extern "C" __global__ void matrixMul32(float *c, const float *a, const float *b, int a_width,
                                       int b_width)
{
    multiply_tiled<32>(c, a, b, a_width, b_width);
}
