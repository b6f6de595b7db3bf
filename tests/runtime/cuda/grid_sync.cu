// grid_sync.cu - a grid-wide barrier between two passes over an array, and a second kernel that must find it at zero.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

static __global__ void shift(int *a, int *b, int n)
{
    cg::grid_group grid = cg::this_grid();
    for (int round = 0; round < 4; round++) {
        for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size()) {
            b[(i + 1) % n] = a[i] + 1;
        }
        grid.sync();
        int *other = a;
        a = b;
        b = other;
    }
}

int main()
{
    const int n = 4096;
    static int out[n];
    int *a, *b, wrong = 0;
    cudaMalloc(&a, sizeof out);
    cudaMalloc(&b, sizeof out);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < n; i++) {
            out[i] = i;
        }
        cudaMemcpy(a, out, sizeof out, cudaMemcpyHostToDevice);
        void *args[] = {&a, &b, (void *)&n};
        wrong += cudaLaunchCooperativeKernel((void *)shift, 8, 128, args) != cudaSuccess;
        wrong += cudaMemcpy(out, a, sizeof out, cudaMemcpyDeviceToHost) != cudaSuccess;
        for (int i = 0; i < n; i++) {
            wrong += out[(i + 4) % n] != i + 4;
        }
    }
    printf("grid_sync: %s\n", wrong == 0 ? "PASSED" : "FAILED");
    return wrong != 0;
}
