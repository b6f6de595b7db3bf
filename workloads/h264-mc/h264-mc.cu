// h264-mc.cu - motion compensation of H.264 (ITU-T H.264, 8.4.2.2): luma by six-tap filters and
// averages, chroma by bilinear weights. A reconstruction: the original is not public. What is known
// of it: 64 threads per CTA, 6 KiB of shared memory for luma (8 CTAs fill 48 KiB), none for chroma.

#define THREADS        64 // per macroblock of 16x16 samples
#define MAX_PARTITIONS 16
#define BORDER         64 // samples that luma pictures go on for beyond each edge

typedef unsigned char byte;

// How one partition of a macroblock is predicted, from one picture or from the mean of two.
struct partition {
    short2 vector[2]; // in quarters of a luma sample
    int reference[2]; // number of a reference picture; -1: none
};

static __device__ int clamp(int value, int high)
{
    return min(max(value, 0), high);
}

static __device__ int clip(int value)
{
    return clamp(value, 255);
}

static __device__ int average(int a, int b)
{
    return (a + b + 1) >> 1;
}

static __device__ int six_taps(int a, int b, int c, int d, int e, int f)
{
    return a - 5 * b + 20 * c + 20 * d - 5 * e + f;
}

// The partitions of a macroblock by the edge of each, 1 << log_edge samples, in passes over all of
// them that the CTA's threads share.
template <int log_edge> struct macroblock {
    enum {
        EDGE = 1 << log_edge,
        ACROSS = 16 / EDGE,
        PARTITIONS = ACROSS * ACROSS,
        SIDE = EDGE + 5,                // of what the filters need: two before, three behind
        WORDS = (SIDE + 3 + 3) / 4,     // of four samples, wherever in the first the row begins
    };

    // Samples, as they lie in memory; horizontal taps of all rows, unrounded; vertical half samples
    // of the partition's columns and the next one.
    unsigned window[PARTITIONS * SIDE * WORDS];
    int across[PARTITIONS * SIDE * EDGE];
    int down[PARTITIONS * EDGE * (EDGE + 1)];

    // The first sample of a partition's window.
    static __device__ const byte *first(const partition &p, int list, int number,
                                        const byte *pictures, int pitch, int height, int x0, int y0)
    {
        const int x = x0 + number % ACROSS * EDGE + (p.vector[list].x >> 2) - 2;
        const int y = y0 + number / ACROSS * EDGE + (p.vector[list].y >> 2) - 2;
        const int top = p.reference[list] * (height + 2 * BORDER) + BORDER;
        return &pictures[(top + y) * pitch + BORDER + x];
    }

    __device__ void fetch(const partition *partitions, int list, const byte *pictures, int pitch,
                          int height, int x0, int y0)
    {
#pragma unroll 1
        for (int k = threadIdx.x; k < PARTITIONS * SIDE * WORDS; k += THREADS) {
            const int number = k / (SIDE * WORDS);
            const int row = k / WORDS % SIDE;
            if (partitions[number].reference[list] >= 0) {
                const byte *at = first(partitions[number], list, number, pictures, pitch, height,
                                       x0, y0) +
                                 row * pitch;
                window[k] = ((const unsigned *)((size_t)at & ~(size_t)3))[k % WORDS];
            }
        }
    }

    // Column x of row y of a partition's window; rows are multiples of four samples apart in
    // memory, so that all begin equally far in their first word.
    __device__ const byte *sample(const partition &p, int list, int number, int x, int y) const
    {
        const int skew = (p.vector[list].x >> 2) - 2 & 3; // all else is a multiple of four
        return (const byte *)&window[(number * SIDE + y) * WORDS] + skew + x;
    }

    __device__ void filter(const partition *partitions, int list)
    {
#pragma unroll 1
        for (int k = threadIdx.x; k < PARTITIONS * SIDE * EDGE; k += THREADS) {
            const int number = k / (SIDE * EDGE);
            const byte *s = sample(partitions[number], list, number, k % EDGE, k / EDGE % SIDE);
            across[k] = six_taps(s[0], s[1], s[2], s[3], s[4], s[5]);
        }
#pragma unroll 1
        for (int k = threadIdx.x; k < PARTITIONS * EDGE * (EDGE + 1); k += THREADS) {
            const int number = k / (EDGE * (EDGE + 1));
            const byte *s = sample(partitions[number], list, number, k % (EDGE + 1) + 2,
                                   k / (EDGE + 1) % EDGE);
            down[k] = clip((six_taps(s[0], s[4 * WORDS], s[8 * WORDS], s[12 * WORDS],
                                     s[16 * WORDS], s[20 * WORDS]) +
                            16) >>
                           5);
        }
    }

    // The sample at column x, row y of a partition, at quarters of a sample right and below.
    __device__ int at(const partition &p, int list, int number, int x, int y) const
    {
        const byte *whole = sample(p, list, number, x + 2, y + 2);
        const int *b = &across[(number * SIDE + y + 2) * EDGE + x];
        const int *h = &down[(number * EDGE + y) * (EDGE + 1) + x];
#define RIGHT(row)  clip((b[(row)*EDGE] + 16) >> 5)
#define CENTRE      clip((six_taps(b[-2 * EDGE], b[-EDGE], b[0], b[EDGE], b[2 * EDGE], b[3 * EDGE]) + 512) >> 10)
        switch (4 * (p.vector[list].y & 3) + (p.vector[list].x & 3)) {
        case 0:
            return whole[0];
        case 1:
            return average(whole[0], RIGHT(0));
        case 2:
            return RIGHT(0);
        case 3:
            return average(RIGHT(0), whole[1]);
        case 4:
            return average(whole[0], h[0]);
        case 5:
            return average(RIGHT(0), h[0]);
        case 6:
            return average(RIGHT(0), CENTRE);
        case 7:
            return average(RIGHT(0), h[1]);
        case 8:
            return h[0];
        case 9:
            return average(h[0], CENTRE);
        case 10:
            return CENTRE;
        case 11:
            return average(CENTRE, h[1]);
        case 12:
            return average(h[0], whole[4 * WORDS]);
        case 13:
            return average(h[0], RIGHT(1));
        case 14:
            return average(CENTRE, RIGHT(1));
        default:
            return average(h[1], RIGHT(1));
        }
    }

    // Four samples of a row from one picture, or from the mean of two, in the bytes of a word.
    __device__ unsigned predict(const partition *partitions, int lists, const byte *pictures,
                                int width, int height, int x0, int y0)
    {
        const int row = threadIdx.x / 4, column = threadIdx.x % 4 * 4;
        const int number = row / EDGE * ACROSS + column / EDGE;
        const partition &p = partitions[number];
        unsigned samples = 0;
#pragma unroll 1
        for (int list = 0; list < lists; list++) {
            fetch(partitions, list, pictures, width + 2 * BORDER, height, x0, y0);
            __syncthreads();
            filter(partitions, list);
            __syncthreads();
            if (p.reference[list] >= 0) {
                const bool second = list == 1 && p.reference[0] >= 0;
#pragma unroll 1
                for (int i = 0; i < 4; i++) {
                    const int value = at(p, list, number, column % EDGE + i, row % EDGE);
                    const int mean = second ? average(samples & 255, value) : value;
                    samples = samples >> 8 | (unsigned)mean << 24;
                }
            }
            __syncthreads();
        }
        return samples;
    }
};

// A CTA per macroblock, four samples of a row per thread. pictures: luma with its border;
// log_edges: of each macroblock's partitions, 2 to 4; partitions: 16 places per macroblock; lists:
// 1, or 2 where partitions may have two references.
extern "C" __global__ void mc_luma(const byte *pictures, int width, int height,
                                   const int *log_edges, const partition *partitions, int lists,
                                   byte *predicted)
{
    __shared__ union {
        macroblock<4> whole;
        macroblock<3> quarters;
        macroblock<2> sixteenths;
    } work;
    __shared__ partition own[MAX_PARTITIONS];
    const int tx = threadIdx.x;
    const int number = blockIdx.y * gridDim.x + blockIdx.x;
    const int log_edge = log_edges[number];
    const int x0 = blockIdx.x * 16;
    const int y0 = blockIdx.y * 16;
    if (tx < MAX_PARTITIONS) {
        own[tx] = partitions[number * MAX_PARTITIONS + tx];
    }
    __syncthreads();

    unsigned samples;
    if (log_edge == 4) {
        samples = work.whole.predict(own, lists, pictures, width, height, x0, y0);
    } else if (log_edge == 3) {
        samples = work.quarters.predict(own, lists, pictures, width, height, x0, y0);
    } else {
        samples = work.sixteenths.predict(own, lists, pictures, width, height, x0, y0);
    }
    *(unsigned *)&predicted[(y0 + tx / 4) * width + x0 + tx % 4 * 4] = samples;
}

// A CTA per macroblock: 32 threads for each of the two planes, two samples of a row per thread. A
// picture's planes of half the luma's width and height follow each other.
extern "C" __global__ void mc_chroma(const byte *pictures, int width, int height,
                                     const int *log_edges,
                                     const partition *partitions, int lists, byte *predicted)
{
    const int tx = threadIdx.x % 32;
    const int plane = threadIdx.x / 32;
    const int macroblock_number = blockIdx.y * gridDim.x + blockIdx.x;
    const int row = tx / 4;
    const int column = tx % 4 * 2;
    const int x0 = blockIdx.x * 8 + column;
    const int y0 = blockIdx.y * 8 + row;
    const int log_edge = log_edges[macroblock_number] - 1;
    const int number = (row >> log_edge << (3 - log_edge)) + (column >> log_edge);
    const partition &p = partitions[macroblock_number * MAX_PARTITIONS + number];

    int sample[2] = {0, 0};
    for (int list = 0; list < lists; list++) {
        const int reference = p.reference[list];
        if (reference < 0) {
            continue;
        }
        // A quarter of a luma sample is an eighth of a chroma sample.
        const short2 vector = p.vector[list];
        const int right = vector.x & 7;
        const int below = vector.y & 7;
        const byte *picture = &pictures[(2 * reference + plane) * width * height];
        const byte *upper = &picture[clamp(y0 + (vector.y >> 3), height - 1) * width];
        const byte *lower = &picture[clamp(y0 + (vector.y >> 3) + 1, height - 1) * width];
        const bool second = list == 1 && p.reference[0] >= 0;
#pragma unroll 1
        for (int i = 0; i < 2; i++) {
            const int x = clamp(x0 + i + (vector.x >> 3), width - 1);
            const int next = clamp(x0 + i + (vector.x >> 3) + 1, width - 1);
            const int value =
                ((8 - right) * (8 - below) * upper[x] + right * (8 - below) * upper[next] +
                 (8 - right) * below * lower[x] + right * below * lower[next] + 32) >>
                6;
            sample[i] = second ? average(sample[i], value) : value;
        }
    }
    *(unsigned short *)&predicted[plane * width * height + y0 * width + x0] =
        (unsigned short)(sample[0] | sample[1] << 8);
}
