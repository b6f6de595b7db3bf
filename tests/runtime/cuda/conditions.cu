// conditions.cu - a graph whose loop ends where a kernel says so, and a kernel that launches others.
#include <cstdio>

static __global__ void halve(unsigned *p, cudaGraphConditionalHandle loop)
{
    p[0] /= 2;
    p[1]++;
    cudaGraphSetConditional(loop, p[0] > 0);
}

static __global__ void add(unsigned *p, unsigned n)
{
    atomicAdd(p, n);
}

static __global__ void parent(unsigned *p)
{
    add<<<4, 64>>>(p, threadIdx.x + 1);
}

int main()
{
    unsigned *p;
    int wrong = 0;
    cudaMallocManaged(&p, 2 * sizeof *p);
    p[0] = 1000;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node, step;
    cudaGraphConditionalHandle loop;
    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandleCreate(&loop, graph, 1, cudaGraphCondAssignDefault);
    cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
    params.conditional.handle = loop;
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 1;
    wrong += cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params) != cudaSuccess;
    void *args[] = {&p, &loop};
    cudaGraphNodeParams kernel = {cudaGraphNodeTypeKernel};
    kernel.kernel.func = (void *)halve;
    kernel.kernel.gridDim = kernel.kernel.blockDim = dim3(1);
    kernel.kernel.kernelParams = args;
    wrong += cudaGraphAddNode(&step, params.conditional.phGraph_out[0], nullptr, nullptr, 0, &kernel) != cudaSuccess;
    wrong += cudaGraphInstantiate(&exec, graph, 0) != cudaSuccess;
    wrong += cudaGraphLaunch(exec, 0) != cudaSuccess;
    wrong += cudaDeviceSynchronize() != cudaSuccess;
    wrong += p[0] != 0 || p[1] != 10;

    parent<<<1, 3>>>(p);
    wrong += cudaDeviceSynchronize() != cudaSuccess;
    wrong += p[0] != 4 * 64 * (1 + 2 + 3);
    printf("conditions: %s\n", wrong == 0 ? "PASSED" : "FAILED");
    return wrong != 0;
}
