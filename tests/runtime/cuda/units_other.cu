// units_other.cu - the other unit of units.cu.
__device__ int offset = 500;

__device__ int twice(int x)
{
    return 2 * x;
}

static __device__ int tenfold(int x)
{
    return 10 * x;
}

typedef int (*unary)(int);
__device__ unary chosen = tenfold;

static __device__ int hidden(int x)
{
    return x - 1;
}

__global__ void elsewhere(int *out)
{
    out[threadIdx.x] = hidden((int)threadIdx.x);
}
