// saxpy.cu - y = a*x + y, the example of docs/launch-file.md.
extern "C" __global__ void saxpy(float *y, const float *x, float a, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}
