// histo.cu - saturating histogram with more bins than fit in shared memory: the bins about the mean
// of the input are counted in byte counters there, range by range, the few others in global memory.

#define RANGE         24576 // bins per range, a byte each
#define RANGE_WORDS   (RANGE / 4)
#define MOST          255u
#define SAMPLE_CTA    512
#define ROWS          16 // per CTA of the second kernel
#define PARTIAL_BYTES 0x00ff00ffu

// Sum over a CTA of 512 threads, in all of them.
__device__ __forceinline__ float sum(float value, float *scratch)
{
    const int t = threadIdx.x;
    __syncthreads();
    scratch[t] = value;
#pragma unroll
    for (int stride = SAMPLE_CTA / 2; stride >= 32; stride /= 2) {
        __syncthreads();
        if (t < stride) {
            scratch[t] += scratch[t + stride];
        }
    }
    __syncthreads();
    if (t < 32) {
        float v = scratch[t];
        for (int stride = 16; stride > 0; stride /= 2) {
            v += __shfl_down_sync(0xffffffffu, v, stride);
        }
        if (t == 0) {
            scratch[0] = v;
        }
    }
    __syncthreads();
    return scratch[0];
}

// Widens minmax to the ranges within ten standard deviations of the mean, both estimated from the
// first eighth of the CTA's slice of the input.
extern "C" __global__ void histo_prescan_kernel(const unsigned *input, int size, unsigned *minmax)
{
    __shared__ float scratch[2][SAMPLE_CTA];
    const int slice = size / gridDim.x;
    const int sampled = slice / 8;
    const unsigned *first = &input[blockIdx.x * slice];

    float total = 0.0f;
#pragma unroll 1
    for (int i = threadIdx.x; i < sampled; i += SAMPLE_CTA) {
        total += first[i];
    }
    const float mean = sum(total, scratch[0]) / sampled;
    float squares = 0.0f;
#pragma unroll 1
    for (int i = threadIdx.x; i < sampled; i += SAMPLE_CTA) {
        const float d = first[i] - mean;
        squares += d * d;
    }
    const float deviation = sqrtf(sum(squares, scratch[1]) / sampled);
    if (threadIdx.x == 0) {
        atomicMin(&minmax[0], (unsigned)fmaxf(mean - 10.0f * deviation, 0.0f) / RANGE);
        atomicMax(&minmax[1], (unsigned)(mean + 10.0f * deviation) / RANGE);
    }
}

__device__ __forceinline__ uchar4 place_of(unsigned bin)
{
    const unsigned word = bin % RANGE / 4;
    return make_uchar4(bin / RANGE, word >> 8, word & 255, bin % 4);
}

// For every pixel: range, word of the range's counters, high and low byte, byte of the word. A
// thread takes two neighbours in each of ROWS rows; pitch: of the input in pairs.
extern "C" __global__ void histo_intermediates_kernel(const uint2 *input, int height, int width,
                                                      int pitch, uchar4 *sm_mappings)
{
    const int x = 2 * threadIdx.x;
#pragma unroll
    for (int row = 0; row < ROWS; row++) {
        const int y = blockIdx.x * ROWS + row;
        if (y < height) {
            const uint2 bins = input[y * pitch + threadIdx.x];
            sm_mappings[y * width + x] = place_of(bins.x);
            if (x + 1 < width) {
                sm_mappings[y * width + x + 1] = place_of(bins.y);
            }
        }
    }
}

// CTA (x, y) counts what lies in range first_range + y in its share of the pixels; those with y = 0
// also count what lies in none of the ranges, in 16-bit counters. What wraps around in a
// byte goes to the overflow.
extern "C" __global__ void histo_main_kernel(const uchar4 *sm_mappings, int count, int first_range,
                                             int last_range, unsigned *global_subhisto,
                                             unsigned *global_histo, unsigned *global_overflow)
{
    __shared__ unsigned counters[RANGE_WORDS];
    const int range = first_range + blockIdx.y;
    for (int i = threadIdx.x; i < RANGE_WORDS; i += blockDim.x) {
        counters[i] = 0;
    }
    __syncthreads();

#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const uchar4 place = sm_mappings[i];
        const int word = place.y * 256 + place.z;
        const int bin = place.x * RANGE + word * 4 + place.w;
        const int shift = place.w * 8;
        if (place.x == range) {
            unsigned seen = 0; // a guess, which the first exchange tells
            unsigned assumed;
            bool full;
            do {
                assumed = seen;
                full = (assumed >> shift & MOST) == MOST;
                seen = atomicCAS(&counters[word], assumed,
                                 full ? assumed & ~(MOST << shift) : assumed + (1u << shift));
            } while (seen != assumed);
            if (full) { // the byte starts again at 0
                atomicAdd(&global_overflow[bin], MOST + 1u);
            }
        } else if (blockIdx.y == 0 && (place.x < first_range || place.x > last_range)) {
            atomicAdd(&global_histo[bin / 2], bin % 2 ? 0x10000u : 1u);
        }
    }
    __syncthreads();

    unsigned *partial =
        &global_subhisto[(blockIdx.x * gridDim.y + blockIdx.y) * RANGE_WORDS];
    for (int i = threadIdx.x; i < RANGE_WORDS; i += blockDim.x) {
        partial[i] = counters[i];
    }
}

__device__ __forceinline__ unsigned char saturated(unsigned count)
{
    return min(count, MOST);
}

// Counts of bins first .. end - 1 (multiples of 4) outside the ranges; leaves zeros behind.
__device__ __forceinline__ void finish_outside(int first, int end, uint2 *global_histo,
                                               uchar4 *final_histo)
{
    const int threads = gridDim.x * blockDim.x;
#pragma unroll 1
    for (int i = first / 4 + blockIdx.x * blockDim.x + threadIdx.x; i < end / 4; i += threads) {
        const uint2 c = global_histo[i];
        global_histo[i] = make_uint2(0, 0);
        final_histo[i] = make_uchar4(saturated(c.x & 0xffff), saturated(c.x >> 16),
                                     saturated(c.y & 0xffff), saturated(c.y >> 16));
    }
}

// Adds up the partial histograms and the overflow, four bins per turn, and leaves zeros in the
// latter.
extern "C" __global__ void histo_final_kernel(int first_range, int last_range, int bins,
                                              int partials, const unsigned *global_subhisto,
                                              uint2 *global_histo, uint4 *global_overflow,
                                              uchar4 *final_histo)
{
    const int threads = gridDim.x * blockDim.x;
    const int first = first_range * RANGE;
    const int end = min((last_range + 1) * RANGE, bins);
    const int partial_words = (last_range - first_range + 1) * RANGE_WORDS;

    finish_outside(0, first, global_histo, final_histo);
#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (end - first) / 4; i += threads) {
        unsigned even = 0, odd = 0; // two sums in each, below 2^16
#pragma unroll 1
        for (int p = 0; p < partials; p++) {
            const unsigned word = global_subhisto[p * partial_words + i];
            even += word & PARTIAL_BYTES;
            odd += word >> 8 & PARTIAL_BYTES;
        }
        const int at = first / 4 + i;
        const uint4 overflow = global_overflow[at];
        global_overflow[at] = make_uint4(0, 0, 0, 0);
        final_histo[at] = make_uchar4(
            saturated((even & 0xffff) + overflow.x), saturated((odd & 0xffff) + overflow.y),
            saturated((even >> 16) + overflow.z), saturated((odd >> 16) + overflow.w));
    }
    finish_outside(end, bins, global_histo, final_histo);
}
