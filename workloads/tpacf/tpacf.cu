// tpacf.cu - two-point angular correlation: histograms of the separations of all pairs of points on
// the sky, within the data, within each random set and between the two.

#define THREADS    256
#define BINS       20
#define HISTOGRAMS 128 // per CTA; two threads share one

__constant__ float dev_binb[BINS + 1]; // cosines of the bins' boundaries, descending

struct points {
    float x[THREADS], y[THREADS], z[THREADS];
};

// The bin whose upper boundary is the last above the cosine.
__device__ __forceinline__ int search(float cosine)
{
    int low = 0;
    int high = BINS;
    while (high > low + 1) {
        const int middle = (low + high) / 2;
        if (cosine >= dev_binb[middle]) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return low;
}

// Adds up the HISTOGRAMS counters of every bin, four bins at a time, into the first of each.
__device__ __forceinline__ void reduce(unsigned (*counters)[HISTOGRAMS])
{
    const int bin = threadIdx.x / (HISTOGRAMS / 2);
    const int place = threadIdx.x % (HISTOGRAMS / 2);
#pragma unroll 1
    for (int first = 0; first < BINS; first += THREADS / (HISTOGRAMS / 2)) {
#pragma unroll 1
        for (int stride = HISTOGRAMS / 2; stride > 0; stride /= 2) {
            __syncthreads();
            if (place < stride) {
                counters[first + bin][place] += counters[first + bin][place + stride];
            }
        }
    }
    __syncthreads();
}

// Set 0 is the data. CTA 0 correlates it with itself, CTA s <= sets random set s with itself, CTA
// sets + s the data with random set s; each writes BINS counts.
extern "C" __global__ void gen_hists(unsigned *histograms, const float *all_x, const float *all_y,
                                     const float *all_z, int sets, int elements)
{
    __shared__ points tile;
    __shared__ unsigned counters[BINS][HISTOGRAMS];
    const int t = threadIdx.x;
    const bool self = blockIdx.x <= sets;
    const int mine = self ? blockIdx.x * elements : 0; // first point of the set that threads keep
    const int other = (self ? blockIdx.x : blockIdx.x - sets) * elements; // and of the tiles' set

    for (int i = t; i < BINS * HISTOGRAMS; i += THREADS) {
        counters[i / HISTOGRAMS][i % HISTOGRAMS] = 0;
    }
    for (int first = 0; first < elements; first += THREADS) {
        __syncthreads();
        if (first + t < elements) {
            tile.x[t] = all_x[other + first + t];
            tile.y[t] = all_y[other + first + t];
            tile.z[t] = all_z[other + first + t];
        }
        __syncthreads();
        const int count = min(THREADS, elements - first);
        for (int i = t; i < elements; i += THREADS) {
            const float x = all_x[mine + i];
            const float y = all_y[mine + i];
            const float z = all_z[mine + i];
#pragma unroll 1
            for (int k = 0; k < count; k++) {
                const float cosine = x * tile.x[k] + y * tile.y[k] + z * tile.z[k];
                const int bin = search(cosine);
                if (cosine < dev_binb[bin] && cosine >= dev_binb[bin + 1] &&
                    (!self || first + k > i)) {
                    atomicAdd(&counters[bin][t / 2], 1u);
                }
            }
        }
    }
    reduce(counters);
    if (t < BINS) {
        histograms[blockIdx.x * BINS + t] = counters[t][0];
    }
}
