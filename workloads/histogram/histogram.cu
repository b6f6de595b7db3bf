// histogram.cu - histograms of bytes in 64 and in 256 bins, as partial histograms per CTA and their
// sums.

#define BINS64      64
#define THREADS64   64 // per CTA, with a column of byte counters each
#define BINS256     256
#define WARPS256    6 // per CTA, with a histogram each
#define THREADS256  (WARPS256 * 32)
#define MERGE       256 // most threads of a merge
#define PER_WORD(f) f(0) f(8) f(16) f(24)

// A thread counts at most 255 bytes: its counters are bytes. Counter b of thread t lies at b * 64
// plus a place that puts threads of a half-warp into different words.
extern "C" __global__ void histogram64Kernel(unsigned *partial, const uint4 *data, unsigned count)
{
    __shared__ unsigned char counters[BINS64 * THREADS64];
    const unsigned tid = threadIdx.x;
    const unsigned place = (tid & 15) << 2 | tid >> 4;
    unsigned char *const own = &counters[place];

    for (unsigned i = 0; i < BINS64 / 4; i++) {
        ((unsigned *)counters)[tid + i * THREADS64] = 0;
    }
    __syncthreads();

#pragma unroll 1
    for (unsigned i = blockIdx.x * THREADS64 + tid; i < count; i += gridDim.x * THREADS64) {
        const uint4 words = data[i];
#define COUNT64(word, shift) own[((word) >> ((shift) + 2) & 63) * THREADS64]++;
#define COUNT_X(shift)       COUNT64(words.x, shift)
#define COUNT_Y(shift)       COUNT64(words.y, shift)
#define COUNT_Z(shift)       COUNT64(words.z, shift)
#define COUNT_W(shift)       COUNT64(words.w, shift)
        PER_WORD(COUNT_X)
        PER_WORD(COUNT_Y)
        PER_WORD(COUNT_Z)
        PER_WORD(COUNT_W)
    }
    __syncthreads();

    // Thread t sums bin t, four counters at a time, from another place than its neighbours.
    const unsigned *const row = (const unsigned *)&counters[tid * THREADS64];
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned i = 0; i < THREADS64 / 4; i++) {
        const unsigned four = row[(tid + i) & 15];
        sum += (four & 255) + (four >> 8 & 255) + (four >> 16 & 255) + (four >> 24);
    }
    partial[blockIdx.x * BINS64 + tid] = sum;
}

extern "C" __global__ void histogram256Kernel(unsigned *partial, const unsigned *data,
                                              unsigned count)
{
    __shared__ unsigned bins[WARPS256 * BINS256];
    unsigned *const own = &bins[(threadIdx.x >> 5) * BINS256];

    for (unsigned i = 0; i < WARPS256 * BINS256 / THREADS256; i++) {
        bins[threadIdx.x + i * THREADS256] = 0;
    }
    __syncthreads();

#pragma unroll 1
    for (unsigned i = blockIdx.x * THREADS256 + threadIdx.x; i < count;
         i += gridDim.x * THREADS256) {
        const unsigned word = data[i];
#define COUNT256(shift) atomicAdd(&own[word >> (shift)&255], 1u);
        PER_WORD(COUNT256)
    }
    __syncthreads();

    for (unsigned bin = threadIdx.x; bin < BINS256; bin += THREADS256) {
        unsigned sum = 0;
        for (unsigned i = 0; i < WARPS256; i++) {
            sum += bins[i * BINS256 + bin];
        }
        partial[blockIdx.x * BINS256 + bin] = sum;
    }
}

// Bin blockIdx.x out of `bins` per partial histogram; blockDim.x is a power of two.
static __device__ void merge(unsigned *histogram, const unsigned *partial, unsigned count,
                             unsigned bins)
{
    __shared__ unsigned sums[MERGE];
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        sum += partial[blockIdx.x + i * bins];
    }
    sums[threadIdx.x] = sum;
    for (unsigned stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        if (threadIdx.x < stride) {
            sums[threadIdx.x] += sums[threadIdx.x + stride];
        }
    }
    if (threadIdx.x == 0) {
        histogram[blockIdx.x] = sums[0];
    }
}

extern "C" __global__ void mergeHistogram64Kernel(unsigned *histogram, const unsigned *partial,
                                                  unsigned count)
{
    merge(histogram, partial, count, BINS64);
}

extern "C" __global__ void mergeHistogram256Kernel(unsigned *histogram, const unsigned *partial,
                                                   unsigned count)
{
    merge(histogram, partial, count, BINS256);
}
