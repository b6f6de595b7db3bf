// units.cu - a kernel that calls a function, and reads a variable, of another unit; units_other.cu is that unit.
#include <cstdio>

extern __device__ int offset;
extern __device__ int twice(int x);
typedef int (*unary)(int);
extern __device__ unary chosen;
extern __global__ void elsewhere(int *out);

static __device__ int hidden(int x) // units_other.cu has another one
{
    return x + 1;
}

static __global__ void here(int *out)
{
    out[threadIdx.x] = twice(hidden((int)threadIdx.x)) + offset + chosen(7);
}

int main()
{
    int out[32], more[32], *d, wrong = 0;
    cudaMalloc(&d, sizeof out);
    here<<<1, 32>>>(d);
    cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost);
    elsewhere<<<1, 32>>>(d);
    cudaMemcpy(more, d, sizeof more, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++) {
        wrong += out[i] != 2 * (i + 1) + 500 + 70;
        wrong += more[i] != i - 1;
    }
    wrong += cudaGetLastError() != cudaSuccess;
    printf("units: %s\n", wrong == 0 ? "PASSED" : "FAILED");
    return wrong != 0;
}
