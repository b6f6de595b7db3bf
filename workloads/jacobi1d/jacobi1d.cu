// jacobi1d.cu - relaxation on a line by means of three neighbours, and the copy back.

extern "C" __global__ void runJacobiCUDA_kernel1(int n, const float *a, float *b)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) {
        b[i] = 0.33333f * (a[i - 1] + a[i] + a[i + 1]);
    }
}

extern "C" __global__ void runJacobiCUDA_kernel2(int n, float *a, const float *b)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) {
        a[i] = b[i];
    }
}
