// imagedenoising-nlm.cu - non-local means: a pixel becomes the mean of those around it, weighted by
// how much their surroundings resemble its own.

#define WEIGHT_THRESHOLD 0.1f // of pixels that count as alike
#define SHARE_THRESHOLD  0.1f // of alike pixels in the window

static __device__ float distance_squared(float4 a, float4 b)
{
    return (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y) + (b.z - a.z) * (b.z - a.z);
}

static __device__ unsigned pack(float r, float g, float b, float a)
{
    return (unsigned)((int)(a * 255.0f) << 24 | (int)(b * 255.0f) << 16 | (int)(g * 255.0f) << 8 |
                      (int)(r * 255.0f));
}

// window: radius of the pixels that are averaged; block: radius of the surroundings compared.
extern "C" __global__ void NLM(unsigned *out, int width, int height, int window, int block,
                               float noise, float lerp, cudaTextureObject_t image)
{
    const int ix = blockDim.x * blockIdx.x + threadIdx.x;
    const int iy = blockDim.y * blockIdx.y + threadIdx.y;
    if (ix >= width || iy >= height) {
        return;
    }
    const float x = (float)ix + 0.5f;
    const float y = (float)iy + 0.5f;
    const float per_area = 1.0f / (float)((2 * window + 1) * (2 * window + 1));
    float alike = 0.0f;
    float weights = 0.0f;
    float3 colour = {0.0f, 0.0f, 0.0f};

#pragma unroll 1
    for (float i = -window; i <= window; i++) {
#pragma unroll 1
        for (float j = -window; j <= window; j++) {
            float distance = 0.0f;
#pragma unroll 1
            for (float n = -block; n <= block; n++) {
#pragma unroll 1
                for (float m = -block; m <= block; m++) {
                    distance += distance_squared(tex2D<float4>(image, x + j + m, y + i + n),
                                                 tex2D<float4>(image, x + m, y + n));
                }
            }
            const float weight = __expf(-(distance * noise + (i * i + j * j) * per_area));
            const float4 there = tex2D<float4>(image, x + j, y + i);
            colour.x += there.x * weight;
            colour.y += there.y * weight;
            colour.z += there.z * weight;
            weights += weight;
            alike += weight > WEIGHT_THRESHOLD ? per_area : 0.0f;
        }
    }
    const float scale = 1.0f / weights;
    const float share = alike > SHARE_THRESHOLD ? lerp : 1.0f - lerp;
    const float4 here = tex2D<float4>(image, x, y);
    const float r = colour.x * scale;
    const float g = colour.y * scale;
    const float b = colour.z * scale;
    out[width * iy + ix] =
        pack(r + (here.x - r) * share, g + (here.y - g) * share, b + (here.z - b) * share, 0.0f);
}
