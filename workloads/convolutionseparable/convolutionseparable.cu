// convolutionseparable.cu - 17-tap separable convolution of an image, zero outside; rows, then
// columns. Every thread makes STEPS outputs, one CTA width (height) apart; one more step each side
// is halo.

#define RADIUS 8
#define STEPS  8

#define ROWS_X    16
#define ROWS_Y    4
#define COLUMNS_X 16
#define COLUMNS_Y 8

__constant__ float c_Kernel[2 * RADIUS + 1];

extern "C" __global__ void convolutionRowsKernel(float *output, const float *input, int width,
                                                 int pitch)
{
    __shared__ float tile[ROWS_Y][(STEPS + 2) * ROWS_X];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int x0 = (blockIdx.x * STEPS - 1) * ROWS_X + tx; // of the left halo
    const int row = (blockIdx.y * ROWS_Y + ty) * pitch;

#pragma unroll
    for (int i = 1; i <= STEPS; i++) {
        tile[ty][i * ROWS_X + tx] = input[row + x0 + i * ROWS_X];
    }
    tile[ty][tx] = x0 >= 0 ? input[row + x0] : 0.0f;
    const int right = (STEPS + 1) * ROWS_X;
    tile[ty][right + tx] = x0 + right < width ? input[row + x0 + right] : 0.0f;
    __syncthreads();

#pragma unroll
    for (int i = 1; i <= STEPS; i++) {
        float sum = 0.0f;
#pragma unroll
        for (int j = -RADIUS; j <= RADIUS; j++) {
            sum += c_Kernel[RADIUS - j] * tile[ty][i * ROWS_X + tx + j];
        }
        output[row + x0 + i * ROWS_X] = sum;
    }
}

extern "C" __global__ void convolutionColumnsKernel(float *output, const float *input, int height,
                                                    int pitch)
{
    __shared__ float tile[COLUMNS_X][(STEPS + 2) * COLUMNS_Y + 1]; // transposed; + 1: other bank
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int x = blockIdx.x * COLUMNS_X + tx;
    const int y0 = (blockIdx.y * STEPS - 1) * COLUMNS_Y + ty; // of the upper halo

#pragma unroll
    for (int i = 1; i <= STEPS; i++) {
        tile[tx][i * COLUMNS_Y + ty] = input[(y0 + i * COLUMNS_Y) * pitch + x];
    }
    tile[tx][ty] = y0 >= 0 ? input[y0 * pitch + x] : 0.0f;
    const int lower = (STEPS + 1) * COLUMNS_Y;
    tile[tx][lower + ty] = y0 + lower < height ? input[(y0 + lower) * pitch + x] : 0.0f;
    __syncthreads();

#pragma unroll
    for (int i = 1; i <= STEPS; i++) {
        float sum = 0.0f;
#pragma unroll
        for (int j = -RADIUS; j <= RADIUS; j++) {
            sum += c_Kernel[RADIUS - j] * tile[tx][i * COLUMNS_Y + ty + j];
        }
        output[(y0 + i * COLUMNS_Y) * pitch + x] = sum;
    }
}
