// mergesort.cu - stable merge sort of (key, value) pairs: runs within CTAs, then levels of pairwise
// merges that samples cut into intervals short enough for a CTA (after Satish, Harris and Garland,
// "Designing efficient sorting algorithms for manycore GPUs", IPDPS 2009).

#define MAX_RUN 1024 // pairs that a CTA sorts by itself
#define SAMPLE  128  // every such element of a run is a sample

typedef unsigned int uint;

// Number of the ascending elements below key. step: a power of two, at least length.
static __device__ uint rank_exclusive(uint key, const uint *data, uint length, uint step)
{
    uint rank = 0;
    if (length > 0) {
        for (; step > 0; step /= 2) {
            const uint next = min(rank + step, length);
            if (data[next - 1] < key) {
                rank = next;
            }
        }
    }
    return rank;
}

// Number of the ascending elements not above key.
static __device__ uint rank_inclusive(uint key, const uint *data, uint length, uint step)
{
    uint rank = 0;
    if (length > 0) {
        for (; step > 0; step /= 2) {
            const uint next = min(rank + step, length);
            if (data[next - 1] <= key) {
                rank = next;
            }
        }
    }
    return rank;
}

// Two neighbouring runs that one merge joins; the second may be shorter or missing at the end.
struct run_pair {
    uint base;        // of the first run
    uint length[2];   // of each run
    uint samples[2];  // in each run
    uint first_entry; // of the pair in the arrays of ranks and limits
};

static __device__ run_pair find_pair(uint base, uint stride, uint n)
{
    run_pair p;
    p.base = base;
    p.length[0] = min(stride, n - base);
    p.length[1] = base + stride < n ? min(stride, n - base - stride) : 0;
    p.samples[0] = (p.length[0] + SAMPLE - 1) / SAMPLE;
    p.samples[1] = (p.length[1] + SAMPLE - 1) / SAMPLE;
    p.first_entry = base / SAMPLE;
    return p;
}

// Sorts runs of twice as many pairs as the CTA has threads.
extern "C" __global__ void mergeSortSharedKernel(uint *sorted_keys, uint *sorted_values,
                                                 const uint *keys, const uint *values, uint run)
{
    __shared__ uint s_keys[MAX_RUN];
    __shared__ uint s_values[MAX_RUN];
    const uint tx = threadIdx.x;
    const uint half = run / 2;
    const uint first = blockIdx.x * run;

    s_keys[tx] = keys[first + tx];
    s_values[tx] = values[first + tx];
    s_keys[tx + half] = keys[first + tx + half];
    s_values[tx + half] = values[first + tx + half];

    for (uint stride = 1; stride < run; stride *= 2) {
        // This thread places one element of each of two neighbouring sorted pieces.
        const uint i = tx & (stride - 1);
        const uint base = 2 * (tx - i);
        __syncthreads();
        const uint key0 = s_keys[base + i];
        const uint value0 = s_values[base + i];
        const uint key1 = s_keys[base + stride + i];
        const uint value1 = s_values[base + stride + i];
        const uint to0 = base + i + rank_exclusive(key0, &s_keys[base + stride], stride, stride);
        const uint to1 = base + i + rank_inclusive(key1, &s_keys[base], stride, stride);
        __syncthreads();
        s_keys[to0] = key0;
        s_values[to0] = value0;
        s_keys[to1] = key1;
        s_values[to1] = value1;
    }

    __syncthreads();
    sorted_keys[first + tx] = s_keys[tx];
    sorted_values[first + tx] = s_values[tx];
    sorted_keys[first + tx + half] = s_keys[tx + half];
    sorted_values[first + tx + half] = s_values[tx + half];
}

// For every sample its place in the first (ranks0) and second run (ranks1) of its pair; the samples
// of the second run follow those of the first.
extern "C" __global__ void generateSampleRanksKernel(uint *ranks0, uint *ranks1, const uint *keys,
                                                     uint stride, uint n, uint threads)
{
    const uint t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= threads) {
        return;
    }
    const uint per_run = stride / SAMPLE;
    const uint i = t & (per_run - 1);
    const run_pair p = find_pair((t - i) * 2 * SAMPLE, stride, n);
    const uint *run0 = &keys[p.base];
    const uint *run1 = &keys[p.base + stride];
    if (i < p.samples[0]) {
        const uint entry = p.first_entry + i;
        ranks0[entry] = i * SAMPLE;
        ranks1[entry] = rank_exclusive(run0[i * SAMPLE], run1, p.length[1], stride);
    }
    if (i < p.samples[1]) {
        const uint entry = p.first_entry + per_run + i;
        ranks0[entry] = rank_inclusive(run1[i * SAMPLE], run0, p.length[0], stride);
        ranks1[entry] = i * SAMPLE;
    }
}

// Merges the two ascending lists of ranks of every pair of runs into the limits of its intervals.
extern "C" __global__ void mergeRanksAndIndicesKernel(uint *limits, const uint *ranks, uint stride,
                                                      uint n, uint threads)
{
    const uint t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= threads) {
        return;
    }
    const uint per_run = stride / SAMPLE;
    const uint i = t & (per_run - 1);
    const run_pair p = find_pair((t - i) * 2 * SAMPLE, stride, n);
    const uint *of_run0 = &ranks[p.first_entry];
    const uint *of_run1 = &ranks[p.first_entry + per_run];
    if (i < p.samples[0]) {
        const uint to = i + rank_exclusive(of_run0[i], of_run1, p.samples[1], per_run);
        limits[p.first_entry + to] = of_run0[i];
    }
    if (i < p.samples[1]) {
        const uint to = i + rank_inclusive(of_run1[i], of_run0, p.samples[0], per_run);
        limits[p.first_entry + to] = of_run1[i];
    }
}

// Merges one interval of each run of a pair, at most SAMPLE elements of each, per CTA.
extern "C" __global__ void mergeElementaryIntervalsKernel(uint *sorted_keys, uint *sorted_values,
                                                          const uint *keys, const uint *values,
                                                          const uint *limits0, const uint *limits1,
                                                          uint stride, uint n)
{
    __shared__ uint s_keys[2 * SAMPLE];
    __shared__ uint s_values[2 * SAMPLE];
    __shared__ uint start[2], length[2];
    const uint tx = threadIdx.x;
    const uint i = blockIdx.x & (2 * stride / SAMPLE - 1);
    const run_pair p = find_pair((blockIdx.x - i) * SAMPLE, stride, n);

    if (tx == 0) {
        const uint entry = p.first_entry + i;
        const bool last = i + 1 == p.samples[0] + p.samples[1];
        start[0] = limits0[entry];
        start[1] = limits1[entry];
        length[0] = (last ? p.length[0] : limits0[entry + 1]) - start[0];
        length[1] = (last ? p.length[1] : limits1[entry + 1]) - start[1];
    }
    __syncthreads();

    const uint from0 = p.base + start[0];
    const uint from1 = p.base + stride + start[1];
    uint key0, value0, key1, value1;
    if (tx < length[0]) {
        key0 = s_keys[tx] = keys[from0 + tx];
        value0 = values[from0 + tx];
    }
    if (tx < length[1]) {
        key1 = s_keys[SAMPLE + tx] = keys[from1 + tx];
        value1 = values[from1 + tx];
    }
    __syncthreads();

    uint to0, to1;
    if (tx < length[0]) {
        to0 = tx + rank_exclusive(key0, &s_keys[SAMPLE], length[1], SAMPLE);
    }
    if (tx < length[1]) {
        to1 = tx + rank_inclusive(key1, s_keys, length[0], SAMPLE);
    }
    __syncthreads();
    if (tx < length[0]) {
        s_keys[to0] = key0;
        s_values[to0] = value0;
    }
    if (tx < length[1]) {
        s_keys[to1] = key1;
        s_values[to1] = value1;
    }
    __syncthreads();

    const uint to = p.base + start[0] + start[1];
    for (uint k = tx; k < length[0] + length[1]; k += SAMPLE) {
        sorted_keys[to + k] = s_keys[k];
        sorted_values[to + k] = s_values[k];
    }
}
