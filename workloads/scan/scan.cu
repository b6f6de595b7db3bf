// scan.cu - exclusive prefix sums of many arrays at once, in shared memory; of long arrays by
// blocks of 1024 and a scan of the blocks' totals.

#define THREADS 256
#define BLOCK   (4 * THREADS) // elements per CTA, four per thread

// Inclusive sum of one value per thread within groups of `size` (a power of two), in two halves of
// which the lower stays zero.
static __device__ unsigned scan_inclusive(unsigned value, volatile unsigned *halves, unsigned size)
{
    unsigned at = 2 * threadIdx.x - (threadIdx.x & (size - 1));
    halves[at] = 0;
    at += size;
    halves[at] = value;
#pragma unroll 1
    for (unsigned offset = 1; offset < size; offset <<= 1) {
        __syncthreads();
        const unsigned sum = halves[at] + halves[at - offset];
        __syncthreads();
        halves[at] = sum;
    }
    return halves[at];
}

static __device__ unsigned scan_exclusive(unsigned value, volatile unsigned *halves, unsigned size)
{
    return scan_inclusive(value, halves, size) - value;
}

// Arrays of `size` elements, 4 to BLOCK.
extern "C" __global__ void scanExclusiveShared(uint4 *out, const uint4 *in, unsigned size)
{
    __shared__ unsigned halves[2 * THREADS];
    const unsigned at = blockIdx.x * THREADS + threadIdx.x;
    uint4 v = in[at];
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    const unsigned before = scan_exclusive(v.w, halves, size / 4);
    out[at] = make_uint4(before, before + v.x, before + v.y, before + v.z);
}

// Scans the totals of n scanned blocks; `size` blocks are an array.
extern "C" __global__ void scanExclusiveShared2(unsigned *totals, const unsigned *scanned,
                                                const unsigned *in, unsigned n, unsigned size)
{
    __shared__ unsigned halves[2 * THREADS];
    const unsigned at = blockIdx.x * THREADS + threadIdx.x;
    unsigned total = 0;
    if (at < n) { // the last element's own value is not in its exclusive sum
        total = scanned[BLOCK - 1 + at * BLOCK] + in[BLOCK - 1 + at * BLOCK];
    }
    const unsigned before = scan_exclusive(total, halves, size);
    if (at < n) {
        totals[at] = before;
    }
}

// Adds to every block what lies before it.
extern "C" __global__ void uniformUpdate(uint4 *data, const unsigned *totals)
{
    __shared__ unsigned before;
    const unsigned at = blockIdx.x * THREADS + threadIdx.x;
    if (threadIdx.x == 0) {
        before = totals[blockIdx.x];
    }
    __syncthreads();
    uint4 v = data[at];
    v.x += before;
    v.y += before;
    v.z += before;
    v.w += before;
    data[at] = v;
}
