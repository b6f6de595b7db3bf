// convolutiontexture.cu - 17-tap separable filter of an image that is read through a texture.

#define RADIUS 8

__constant__ float c_Kernel[2 * RADIUS + 1];

extern "C" __global__ void convolutionRowsKernel(float *out, int width, int height,
                                                 cudaTextureObject_t image)
{
    const int ix = blockDim.x * blockIdx.x + threadIdx.x;
    const int iy = blockDim.y * blockIdx.y + threadIdx.y;
    if (ix >= width || iy >= height) {
        return;
    }
    const float x = (float)ix + 0.5f;
    const float y = (float)iy + 0.5f;
    float sum = 0.0f;
#pragma unroll
    for (int k = -RADIUS; k <= RADIUS; k++) {
        sum += tex2D<float>(image, x + (float)k, y) * c_Kernel[RADIUS - k];
    }
    out[iy * width + ix] = sum;
}

extern "C" __global__ void convolutionColumnsKernel(float *out, int width, int height,
                                                    cudaTextureObject_t image)
{
    const int ix = blockDim.x * blockIdx.x + threadIdx.x;
    const int iy = blockDim.y * blockIdx.y + threadIdx.y;
    if (ix >= width || iy >= height) {
        return;
    }
    const float x = (float)ix + 0.5f;
    const float y = (float)iy + 0.5f;
    float sum = 0.0f;
#pragma unroll
    for (int k = -RADIUS; k <= RADIUS; k++) {
        sum += tex2D<float>(image, x, y + (float)k) * c_Kernel[RADIUS - k];
    }
    out[iy * width + ix] = sum;
}
