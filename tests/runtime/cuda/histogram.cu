// histogram.cu - templates, atomics, warp primitives, shared memory, managed memory and device printf in one histogram.
#include <cstdio>
#include <cstring>

__managed__ int bins[16];

template <typename T, int N> static __global__ void histogram(const T *in, int n)
{
    __shared__ int local[N];
    if (threadIdx.x < N) {
        local[threadIdx.x] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&local[in[i] % N], 1);
    }
    __syncthreads();
    if (threadIdx.x < N) {
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
    }
}

static __global__ void total(int *out)
{
    int v = threadIdx.x < 16 ? bins[threadIdx.x] : 0;
    for (int k = 16; k > 0; k /= 2) {
        v += __shfl_down_sync(0xffffffff, v, k);
    }
    if (threadIdx.x == 0) {
        *out = v;
        printf("%s: %d values, %.2f per bin\n", "total", v, v / 16.0);
    }
}

int main()
{
    const int n = 10000;
    unsigned *in;
    int *sum, expected[16] = {0}, wrong = 0;
    cudaMallocManaged(&in, n * sizeof *in);
    cudaMallocManaged(&sum, sizeof *sum);
    for (int i = 0; i < n; i++) {
        in[i] = (unsigned)i * 2654435761u >> 7;
        expected[in[i] % 16]++;
    }
    histogram<unsigned, 16><<<4, 128>>>(in, n);
    total<<<1, 32>>>(sum);
    wrong += cudaDeviceSynchronize() != cudaSuccess;
    wrong += memcmp(bins, expected, sizeof expected) != 0;
    wrong += *sum != n;
    printf("histogram: %s\n", wrong == 0 ? "PASSED" : "FAILED");
    return wrong != 0;
}
