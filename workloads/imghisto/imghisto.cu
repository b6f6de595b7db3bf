// imghisto.cu - histogram of an image of 12-bit pixels; a CTA counts in several copies of the
// histogram in shared memory, so that few lanes meet at one counter.

#define WARP       32
#define PIXEL_BITS 12

// Lane t counts in copy t % copies; copies are padded by a word. Warp w of every CTA takes part in
// slice w of the image.
extern "C" __global__ void histo_R_per_block_kernel(unsigned *histo, const unsigned *data, int size,
                                                    int bins, int copies)
{
    extern __shared__ unsigned counters[]; // copies of bins + 1
    const int t = threadIdx.x;
    const int warp = t / WARP;
    const int warps = blockDim.x / WARP;

#pragma unroll 1
    for (int i = t; i < (bins + 1) * copies; i += blockDim.x) {
        counters[i] = 0;
    }
    __syncthreads();

    unsigned *mine = &counters[(bins + 1) * (t % copies)];
    const int slice = (size + warps - 1) / warps;
    const int end = min(slice * (warp + 1), size);
#pragma unroll 1
    for (int i = slice * warp + blockIdx.x * WARP + t % WARP; i < end; i += WARP * gridDim.x) {
        atomicAdd(&mine[data[i] * bins >> PIXEL_BITS], 1u);
    }
    __syncthreads();

#pragma unroll 1
    for (int bin = t; bin < bins; bin += blockDim.x) {
        unsigned sum = 0;
#pragma unroll 1
        for (int copy = 0; copy < copies; copy++) {
            sum += counters[(bins + 1) * copy + bin];
        }
        atomicAdd(&histo[bin], sum);
    }
}
