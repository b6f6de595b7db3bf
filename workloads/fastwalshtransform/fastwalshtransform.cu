// fastwalshtransform.cu - Walsh-Hadamard transform in natural order, by radix-4 butterflies:
// passes over global memory until a piece fits one CTA, then the rest in shared memory.

__device__ __forceinline__ void butterfly4(float &x0, float &x1, float &x2, float &x3)
{
    const float s02 = x0 + x2;
    const float d02 = x0 - x2;
    const float s13 = x1 + x3;
    const float d13 = x1 - x3;
    x0 = s02 + s13;
    x1 = s02 - s13;
    x2 = d02 + d13;
    x3 = d02 - d13;
}

// Index of the first of four elements `stride` apart that butterfly number i combines.
__device__ __forceinline__ int first_of_four(int i, int stride)
{
    const int low = i & (stride - 1);
    return ((i - low) << 2) + low;
}

// Each CTA transforms 2^log2_n consecutive values; blockDim.x is a quarter of that.
extern "C" __global__ void fwtBatch1Kernel(float *output, const float *input, int log2_n)
{
    extern __shared__ float data[];
    const int n = 1 << log2_n;
    const int base = blockIdx.x << log2_n;

#pragma unroll 1
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        data[i] = input[base + i];
    }
    for (int stride = n >> 2; stride > 0; stride >>= 2) {
        __syncthreads();
        float *p = data + first_of_four(threadIdx.x, stride);
        float x0 = p[0];
        float x1 = p[stride];
        float x2 = p[2 * stride];
        float x3 = p[3 * stride];
        butterfly4(x0, x1, x2, x3);
        p[0] = x0;
        p[stride] = x1;
        p[2 * stride] = x2;
        p[3 * stride] = x3;
    }
    if (log2_n & 1) { // the one factor of two that radix 4 leaves over
        __syncthreads();
#pragma unroll 1
        for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
            const float x0 = data[2 * i];
            const float x1 = data[2 * i + 1];
            data[2 * i] = x0 + x1;
            data[2 * i + 1] = x0 - x1;
        }
    }
    __syncthreads();
#pragma unroll 1
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        output[base + i] = data[i];
    }
}

// One radix-4 pass; blockIdx.y selects one of gridDim.y independent pieces of
// 4*gridDim.x*blockDim.x.
extern "C" __global__ void fwtBatch2Kernel(float *output, const float *input, int stride)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int n = 4 * gridDim.x * blockDim.x;
    const int i0 = blockIdx.y * n + first_of_four(i, stride);

    float x0 = input[i0];
    float x1 = input[i0 + stride];
    float x2 = input[i0 + 2 * stride];
    float x3 = input[i0 + 3 * stride];
    butterfly4(x0, x1, x2, x3);
    output[i0] = x0;
    output[i0 + stride] = x1;
    output[i0 + 2 * stride] = x2;
    output[i0 + 3 * stride] = x3;
}

// a = a * b / n, element by element.
extern "C" __global__ void modulateKernel(float *a, const float *b, int n)
{
    const float scale = 1.0f / (float)n;
    const int threads = gridDim.x * blockDim.x;

#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        a[i] *= b[i] * scale;
    }
}
