// blocks.cu - CTAs of 1024 threads with more live values than such a CTA has registers, sums of the first lanes of a warp
// with the strides of a whole one, and thousands of launches.
#include <cstdio>

constexpr int LIVE = 80, THREADS = 1024, WARPS = THREADS / 32;

// All values are loaded before the first is used: the loop below runs backwards behind a barrier.
static __global__ void sum(const int *in, long long *out)
{
    __shared__ int part[WARPS];
    int value[LIVE], v = 0;
#pragma unroll
    for (int i = 0; i < LIVE; i++) {
        value[i] = *(const volatile int *)&in[i * THREADS + threadIdx.x];
    }
    __syncthreads();
#pragma unroll
    for (int i = LIVE - 1; i >= 0; i--) {
        v = v * 3 + value[i];
    }
    for (int k = 16; k > 0; k /= 2) {
        v += __shfl_down_sync(0xffffffff, v, k);
    }
    if (threadIdx.x % 32 == 0) {
        part[threadIdx.x / 32] = v;
    }
    __syncthreads();
    if (threadIdx.x < 8) { // each adds up four warps
        int few = part[4 * threadIdx.x] + part[4 * threadIdx.x + 1] + part[4 * threadIdx.x + 2] + part[4 * threadIdx.x + 3];
        for (int k = 16; k > 0; k /= 2) {
            few += __shfl_down_sync(0xff, few, k);
        }
        if (threadIdx.x == 0) {
            *out = few;
        }
    }
}

static __global__ void __launch_bounds__(THREADS, 1) same(const int *in, long long *out)
{
    int value[LIVE], v = 0;
#pragma unroll
    for (int i = 0; i < LIVE; i++) {
        value[i] = *(const volatile int *)&in[i * THREADS + threadIdx.x];
    }
    __syncthreads();
#pragma unroll
    for (int i = LIVE - 1; i >= 0; i--) {
        v = v * 3 + value[i];
    }
    atomicAdd((int *)out, v);
}

static __global__ void count(int *n)
{
    ++*n;
}

int main()
{
    enum { LAUNCHES = 3000 };
    int *in, *n, expected = 0, wrong = 0;
    long long *out;
    cudaMallocManaged(&in, LIVE * THREADS * sizeof *in);
    cudaMallocManaged(&out, 2 * sizeof *out);
    cudaMallocManaged(&n, sizeof *n);
    for (int i = 0; i < LIVE * THREADS; i++) {
        in[i] = (int)((unsigned)i * 2654435761u >> 24);
    }
    for (int t = 0; t < THREADS; t++) {
        unsigned v = 0;
        for (int i = LIVE - 1; i >= 0; i--) {
            v = v * 3 + (unsigned)in[i * THREADS + t];
        }
        expected = (int)((unsigned)expected + v);
    }
    sum<<<1, THREADS>>>(in, &out[0]);
    wrong += cudaGetLastError() != cudaSuccess;
    same<<<1, THREADS>>>(in, &out[1]);
    wrong += cudaGetLastError() != cudaSuccess;
    for (int i = 0; i < LAUNCHES; i++) {
        count<<<1, 1>>>(n);
    }
    wrong += cudaDeviceSynchronize() != cudaSuccess;
    wrong += (int)out[0] != expected;
    wrong += (int)out[1] != expected;
    wrong += *n != LAUNCHES;
    printf("blocks: %s\n", wrong == 0 ? "PASSED" : "FAILED");
    return wrong != 0;
}
