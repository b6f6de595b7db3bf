// scalarprod.cu - dot products of many vector pairs; a CTA takes every gridDim.x-th pair.

#define ACCUMULATORS 1024 // power of two

extern "C" __global__ void scalarProdGPU(float *c, const float *a, const float *b, int vectors,
                                         int elements)
{
    __shared__ float accumulator[ACCUMULATORS];

    for (int vector = blockIdx.x; vector < vectors; vector += gridDim.x) {
        const int begin = vector * elements;
        const int end = begin + elements;

        // Accumulator s holds the sum over the elements s, s + 1024, s + 2048, ...
#pragma unroll 1
        for (int s = threadIdx.x; s < ACCUMULATORS; s += blockDim.x) {
            float sum = 0.0f;
#pragma unroll 1
            for (int i = begin + s; i < end; i += ACCUMULATORS) {
                sum += a[i] * b[i];
            }
            accumulator[s] = sum;
        }
        for (int stride = ACCUMULATORS / 2; stride > 0; stride >>= 1) {
            __syncthreads();
#pragma unroll 1
            for (int s = threadIdx.x; s < stride; s += blockDim.x) {
                accumulator[s] += accumulator[s + stride];
            }
        }
        if (threadIdx.x == 0) {
            c[vector] = accumulator[0];
        }
        __syncthreads(); // the next pair overwrites accumulator[1], which thread 0 may still add
    }
}
