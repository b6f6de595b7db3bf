// dct8x8.cu - discrete cosine transform of 8x8 blocks, quantisation and inverse transform: once by
// products with the cosine matrix, once by a factorised transform of 8 points.

#define EDGE    8 // of a block
#define AREA    (EDGE * EDGE)
#define REGION  32 // columns of a CTA of the factorised transform
#define ROWS    16 // its rows
#define PADDING (REGION + 1)

__constant__ float DCTv8matrix[AREA]; // row k: the k-th cosine at the 8 points
__constant__ short Q[AREA];           // steps of the quantisation

// C X C^T, a thread per coefficient.
extern "C" __global__ void CUDAkernel1DCT(float *coefficients, int stride,
                                          cudaTextureObject_t image)
{
    __shared__ float first[AREA];
    __shared__ float second[AREA];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int x = blockIdx.x * EDGE + tx;
    const int y = blockIdx.y * EDGE + ty;

    first[ty * EDGE + tx] = tex2D<float>(image, (float)x + 0.5f, (float)y + 0.5f);
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < EDGE; k++) {
        sum += DCTv8matrix[ty * EDGE + k] * first[k * EDGE + tx];
    }
    second[ty * EDGE + tx] = sum;
    __syncthreads();
    sum = 0.0f;
#pragma unroll
    for (int k = 0; k < EDGE; k++) {
        sum += second[ty * EDGE + k] * DCTv8matrix[tx * EDGE + k];
    }
    first[ty * EDGE + tx] = sum;
    __syncthreads();
    coefficients[y * stride + x] = first[ty * EDGE + tx];
}

// C^T Y C.
extern "C" __global__ void CUDAkernel1IDCT(const float *coefficients, float *image, int stride)
{
    __shared__ float first[AREA];
    __shared__ float second[AREA];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int x = blockIdx.x * EDGE + tx;
    const int y = blockIdx.y * EDGE + ty;

    first[ty * EDGE + tx] = coefficients[y * stride + x];
    __syncthreads();
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < EDGE; k++) {
        sum += DCTv8matrix[k * EDGE + ty] * first[k * EDGE + tx];
    }
    second[ty * EDGE + tx] = sum;
    __syncthreads();
    sum = 0.0f;
#pragma unroll
    for (int k = 0; k < EDGE; k++) {
        sum += second[ty * EDGE + k] * DCTv8matrix[k * EDGE + tx];
    }
    first[ty * EDGE + tx] = sum;
    __syncthreads();
    image[y * stride + x] = first[ty * EDGE + tx];
}

// To the nearest multiple of the coefficient's step.
extern "C" __global__ void CUDAkernelQuantizationFloat(float *coefficients, int stride)
{
    const int x = blockIdx.x * EDGE + threadIdx.x;
    const int y = blockIdx.y * EDGE + threadIdx.y;
    const float step = Q[threadIdx.y * EDGE + threadIdx.x];
    const float value = coefficients[y * stride + x];
    coefficients[y * stride + x] = rintf(value / step) * step;
}

// sqrt(2) cos(k pi / 16), k = 1 .. 7 without 4, and 1 / sqrt(8).
#define C1   1.3870398453221475f
#define C2   1.3065629648763766f
#define C3   1.1758756024193588f
#define C5   0.7856949583871022f
#define C6   0.5411961001461970f
#define C7   0.2758993792829431f
#define NORM 0.3535533905932738f

// 8 points, `step` words apart, in place.
static __device__ void transform(float *v, int step)
{
    const float p07 = v[0 * step] + v[7 * step];
    const float p16 = v[1 * step] + v[6 * step];
    const float p25 = v[2 * step] + v[5 * step];
    const float p34 = v[3 * step] + v[4 * step];
    const float m07 = v[0 * step] - v[7 * step];
    const float m16 = v[1 * step] - v[6 * step];
    const float m25 = v[2 * step] - v[5 * step];
    const float m34 = v[3 * step] - v[4 * step];
    const float outer = p07 + p34;
    const float inner = p16 + p25;
    const float p = p07 - p34;
    const float m = p16 - p25;

    v[0 * step] = NORM * (outer + inner);
    v[1 * step] = NORM * (C1 * m07 + C3 * m16 + C5 * m25 + C7 * m34);
    v[2 * step] = NORM * (C2 * p + C6 * m);
    v[3 * step] = NORM * (C3 * m07 - C7 * m16 - C1 * m25 - C5 * m34);
    v[4 * step] = NORM * (outer - inner);
    v[5 * step] = NORM * (C5 * m07 - C1 * m16 + C7 * m25 + C3 * m34);
    v[6 * step] = NORM * (C6 * p - C2 * m);
    v[7 * step] = NORM * (C7 * m07 - C5 * m16 + C3 * m25 - C1 * m34);
}

static __device__ void inverse(float *v, int step)
{
    const float y1 = v[1 * step];
    const float y2 = v[2 * step];
    const float y3 = v[3 * step];
    const float y5 = v[5 * step];
    const float y6 = v[6 * step];
    const float y7 = v[7 * step];
    const float sum = v[0 * step] + v[4 * step];
    const float difference = v[0 * step] - v[4 * step];
    const float outer = C2 * y2 + C6 * y6;
    const float inner = C6 * y2 - C2 * y6;
    const float p07 = sum + outer;
    const float p34 = sum - outer;
    const float p16 = difference + inner;
    const float p25 = difference - inner;
    const float m07 = C1 * y1 + C3 * y3 + C5 * y5 + C7 * y7;
    const float m16 = C3 * y1 - C7 * y3 - C1 * y5 - C5 * y7;
    const float m25 = C5 * y1 - C1 * y3 + C7 * y5 + C3 * y7;
    const float m34 = C7 * y1 - C5 * y3 + C3 * y5 - C1 * y7;

    v[0 * step] = NORM * (p07 + m07);
    v[1 * step] = NORM * (p16 + m16);
    v[2 * step] = NORM * (p25 + m25);
    v[3 * step] = NORM * (p34 + m34);
    v[4 * step] = NORM * (p34 - m34);
    v[5 * step] = NORM * (p25 - m25);
    v[6 * step] = NORM * (p16 - m16);
    v[7 * step] = NORM * (p07 - m07);
}

// A CTA of 8x4x2 threads takes 4x2 blocks; a thread moves a column of a block, then transforms a
// row and a column of it.
template <bool forward> static __device__ void blocks(float *out, const float *in, int stride)
{
    __shared__ float block[ROWS * PADDING];
    const int column = threadIdx.y * EDGE + threadIdx.x; // of the region
    const int row = threadIdx.z * EDGE;                  // first one of the block
    const int at = (blockIdx.y * ROWS + row) * stride + blockIdx.x * REGION + column;
    float *const own_column = block + row * PADDING + column;
    float *const own_row = block + (row + threadIdx.x) * PADDING + threadIdx.y * EDGE;

#pragma unroll
    for (int i = 0; i < EDGE; i++) {
        own_column[i * PADDING] = in[at + i * stride];
    }
    __syncthreads();
    if (forward) {
        transform(own_row, 1);
    } else {
        inverse(own_row, 1);
    }
    __syncthreads();
    if (forward) {
        transform(own_column, PADDING);
    } else {
        inverse(own_column, PADDING);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < EDGE; i++) {
        out[at + i * stride] = own_column[i * PADDING];
    }
}

extern "C" __global__ void CUDAkernel2DCT(float *coefficients, const float *image, int stride)
{
    blocks<true>(coefficients, image, stride);
}

extern "C" __global__ void CUDAkernel2IDCT(float *image, const float *coefficients, int stride)
{
    blocks<false>(image, coefficients, stride);
}
