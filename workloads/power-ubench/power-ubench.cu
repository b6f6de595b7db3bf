// power-ubench.cu - microbenchmarks for calibrating a power model: each keeps one part of the machine
// busy and the rest as idle as it can. Nothing here resembles a kernel that a calibrated model is
// later compared with.

#include "kernels.cuh"

// Integer lanes: an addition and a logic operation in turn.
extern "C" __global__ void ub_integer(unsigned *output, unsigned a, unsigned b, int repetitions)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x[CHAINS];
    for (int c = 0; c < CHAINS; c++) {
        x[c] = thread + c;
    }
#pragma unroll 1
    for (int r = 0; r < repetitions; r++) {
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
#pragma unroll
            for (int c = 0; c < CHAINS; c++) {
                x[c] = (s & 1) != 0 ? x[c] ^ b : x[c] + a;
            }
        }
    }
    output[thread] = (x[0] + x[1]) + (x[2] + x[3]);
}

// The same on the first lanes of each warp only: what is left at one lane is the warp's own.
extern "C" __global__ void ub_lanes(unsigned *output, unsigned a, unsigned b, int repetitions,
                                    unsigned lanes)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x[CHAINS];
    for (int c = 0; c < CHAINS; c++) {
        x[c] = thread + c;
    }
    if (threadIdx.x % 32 < lanes) {
#pragma unroll 1
        for (int r = 0; r < repetitions; r++) {
#pragma unroll
            for (int s = 0; s < STEPS; s++) {
#pragma unroll
                for (int c = 0; c < CHAINS; c++) {
                    x[c] = (s & 1) != 0 ? x[c] ^ b : x[c] + a;
                }
            }
        }
    }
    output[thread] = (x[0] + x[1]) + (x[2] + x[3]);
}

// Floating-point lanes: multiply, add and fused multiply-add.
extern "C" __global__ void ub_float(float *output, float a, float b, int repetitions)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    float x[CHAINS];
    for (int c = 0; c < CHAINS; c++) {
        x[c] = (float)(thread % TILE + c);
    }
#pragma unroll 1
    for (int r = 0; r < repetitions; r++) {
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
#pragma unroll
            for (int c = 0; c < CHAINS; c++) {
                x[c] = s % 3 == 0 ? __fmaf_rn(x[c], a, b) : s % 3 == 1 ? __fmul_rn(x[c], a)
                                                                       : __fadd_rn(x[c], b);
            }
        }
    }
    output[thread] = (x[0] + x[1]) + (x[2] + x[3]);
}

// Special-function unit: powers of two, exact for small whole numbers.
extern "C" __global__ void ub_special(float *output, int repetitions)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
#pragma unroll 1
    for (int r = 0; r < repetitions; r++) {
        float power;
        asm volatile("ex2.approx.f32 %0, %1;" : "=f"(power) : "f"((float)((thread + r) & 7)));
        sum += power;
    }
    output[thread] = sum;
}

// Shared memory: every lane reads its neighbour's word and writes its own, without conflicts.
extern "C" __global__ void ub_shared(unsigned *output, int repetitions)
{
    __shared__ volatile unsigned tile[TILE];
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x - lane;
    tile[threadIdx.x] = thread;
    __syncthreads();
#pragma unroll 1
    for (int r = 0; r < repetitions; r++) {
        const unsigned value = tile[warp + (lane + 1) % 32];
        __syncwarp();
        tile[threadIdx.x] = value + 1;
        __syncwarp();
    }
    output[thread] = tile[threadIdx.x];
}

// The instruction mix of integer codes: address arithmetic, a comparison and a branch per step, one
// access of six to shared memory.
extern "C" __global__ void ub_mix(unsigned *output, unsigned a, unsigned b, int repetitions)
{
    __shared__ volatile unsigned tile[TILE];
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = thread, y = threadIdx.x;
    tile[threadIdx.x] = thread;
    __syncthreads();
#pragma unroll 1
    for (int r = 0; r < repetitions; r++) {
        x += tile[threadIdx.x];
        y = (y * a + b) ^ x;
        x = (x >> 3) + y;
        tile[threadIdx.x] = x;
    }
    output[thread] = x + y;
}

// One warp that depends on itself: the cost of holding an SM and its cluster active.
extern "C" __global__ void ub_spin(unsigned *output, unsigned a, int repetitions)
{
    unsigned x = threadIdx.x;
#pragma unroll 1
    for (int r = 0; r < repetitions; r++) {
        x = x * a + x;
    }
    output[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// DRAM: two streams in, one out.
extern "C" __global__ void ub_stream(unsigned *c, const unsigned *a, const unsigned *b, int n)
{
    const int threads = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
        c[i] = a[i] + b[i];
    }
}

// L2: an array that fits there and in no L1 is read again and again.
extern "C" __global__ void ub_l2(unsigned *output, const unsigned *a, int n, int repetitions)
{
    const int threads = gridDim.x * blockDim.x;
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
#pragma unroll 1
    for (int r = 0; r < repetitions; r++) {
#pragma unroll 1
        for (int i = thread; i < n; i += threads) {
            sum += a[i] + r;
        }
    }
    output[thread] = sum;
}
