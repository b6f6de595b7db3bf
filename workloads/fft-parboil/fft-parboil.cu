// fft-parboil.cu - Stockham's fast Fourier transform, radix 2: a CTA transforms 256 complex numbers,
// a thread holds two of them in registers, and stages exchange them through shared memory.

#define N       256
#define RADIX   2
#define THREADS (N / RADIX)

__device__ __forceinline__ int expand(int low, int ns)
{
    return low / ns * ns * RADIX + low % ns;
}

// Real and imaginary parts go through memory one after the other: 2 x 1 KiB of shared memory.
__device__ __forceinline__ void exchange(float2 *v, int to, int to_stride, int from,
                                         float *real, float *imaginary)
{
    __syncthreads();
#pragma unroll
    for (int r = 0; r < RADIX; r++) {
        real[to + r * to_stride] = v[r].x;
        imaginary[to + r * to_stride] = v[r].y;
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < RADIX; r++) {
        v[r].x = real[from + r * THREADS];
        v[r].y = imaginary[from + r * THREADS];
    }
}

extern "C" __global__ void GPU_FftShMem(float2 *data)
{
    __shared__ float real[N];
    __shared__ float imaginary[N];
    const int j = threadIdx.x;
    float2 *transform = &data[blockIdx.x * N];

    float2 v[RADIX];
#pragma unroll
    for (int r = 0; r < RADIX; r++) {
        v[r] = transform[j + r * THREADS];
    }
#pragma unroll 1
    for (int ns = 1; ns < N; ns *= RADIX) {
        const float angle = -6.2831853071795864769f * (j % ns) / (ns * RADIX);
        const float c = cosf(angle);
        const float s = sinf(angle);
        const float2 turned = {v[1].x * c - v[1].y * s, v[1].x * s + v[1].y * c};
        v[1] = {v[0].x - turned.x, v[0].y - turned.y};
        v[0] = {v[0].x + turned.x, v[0].y + turned.y};
        exchange(v, expand(j, ns), ns, j, real, imaginary);
    }
#pragma unroll
    for (int r = 0; r < RADIX; r++) {
        transform[j + r * THREADS] = v[r];
    }
}
