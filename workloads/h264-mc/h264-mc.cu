// h264-mc.cu - motion compensation of H.264 (ITU-T H.264, 8.4.2.2): luma by six-tap filters and
// averages, chroma by bilinear weights. A reconstruction: the original is not public. LPGPU report
// D5.5.3 tells of it: 64 threads per CTA; eight CTAs' luma fills 48 KiB of shared memory, chroma
// takes none; luma's branches depend on the vectors' fractions, chroma has none (table 3). Nearly
// every access of chroma to global memory is one transaction (table 1, CE 0.88), which rows of eight
// samples of a picture cannot be: so samples come through a texture, and predictions are stored
// macroblock by macroblock, as the residuals come that are added to them.

#define THREADS        64 // per macroblock of 16x16 samples
#define MAX_PARTITIONS 16
#define BORDER         64 // samples that pictures go on for beyond each edge; chroma half as many
#define MOST_SAMPLES   (MAX_PARTITIONS * 9 * 9) // in the windows of a macroblock's partitions

typedef unsigned char byte;

// How one partition of a macroblock is predicted, from one picture or from the mean of two.
struct partition {
    short2 vector[2]; // in quarters of a luma sample
    int reference[2]; // number of a reference picture; -1: none
};

static __device__ int clip(int value)
{
    return min(max(value, 0), 255);
}

static __constant__ int taps[6] = {1, -5, 20, 20, -5, 1};

// Six samples, stride apart, under the filter.
static __device__ int six_taps(const int *s, int stride)
{
    return s[0] - 5 * s[stride] + 20 * s[2 * stride] + 20 * s[3 * stride] - 5 * s[4 * stride] +
           s[5 * stride];
}

// Where a partition's window begins in the pictures, of each list; negative: nowhere. What its
// vectors leave, in quarters.
struct place {
    int first[2];
    int right[2], below[2];
};

static __device__ place find(const partition &p, int x, int y, int pitch, int height)
{
    place at;
    for (int list = 0; list < 2; list++) {
        const short2 vector = p.vector[list];
        const int top = p.reference[list] * (height + 2 * BORDER) + BORDER;
        const int row = top + y + (vector.y >> 2) - 2;
        at.first[list] =
            p.reference[list] < 0 ? -1 : row * pitch + BORDER + x + (vector.x >> 2) - 2;
        at.right[list] = vector.x & 3;
        at.below[list] = vector.y & 3;
    }
    return at;
}

// The sample right and below of the whole sample at s by quarters: one of the samples around it and
// the half samples across, down and between, or the mean of two; only these are computed. side: of
// the window, its samples from row to row.
static __device__ int interpolate(const int *s, int side, int right, int below)
{
    const int *nearest = s + (right == 3) + (below == 3) * side;
    int sum = 0, terms = 0;
    if ((right == 0 && below != 2) || (below == 0 && right != 2)) {
        sum += *nearest;
        terms++;
    }
    if (right != 0 && below != 2) {
        sum += clip((six_taps(s - 2 + (below == 3) * side, 1) + 16) >> 5);
        terms++;
    }
    if (below != 0 && right != 2) {
        sum += clip((six_taps(s - 2 * side + (right == 3), side) + 16) >> 5);
        terms++;
    }
    if ((right == 2 && below != 0) || (below == 2 && right != 0)) {
        int centre = 512;
#pragma unroll 1
        for (int row = 0; row < 6; row++) {
            centre += taps[row] * six_taps(s - 2 + (row - 2) * side, 1);
        }
        sum += clip(centre >> 10);
        terms++;
    }
    return terms == 2 ? (sum + 1) >> 1 : sum;
}

// A CTA per macroblock, four samples of a row per thread. pictures: luma with its border;
// log_edges: of each macroblock's partitions, 2 to 4; partitions: 16 places per macroblock; lists:
// 1, or 2 where partitions may have two references; predicted: macroblock by macroblock.
extern "C" __global__ void mc_luma(const byte *pictures, int width, int height,
                                   const int *log_edges, const partition *partitions, int lists,
                                   byte *predicted)
{
    __shared__ int window[MOST_SAMPLES];
    __shared__ place places[MAX_PARTITIONS];
    const int tx = threadIdx.x;
    const int macroblock = blockIdx.y * gridDim.x + blockIdx.x;
    const int pitch = width + 2 * BORDER;
    const int log_edge = log_edges[macroblock];
    const int log_across = 4 - log_edge;
    const int edge = 1 << log_edge;
    const int side = edge + 5; // of what the filters need: two samples before, three behind
    if (tx < 1 << 2 * log_across) {
        places[tx] = find(partitions[macroblock * MAX_PARTITIONS + tx],
                          blockIdx.x * 16 + ((tx & (1 << log_across) - 1) << log_edge),
                          blockIdx.y * 16 + (tx >> log_across << log_edge), pitch, height);
    }
    __syncthreads();

    // The samples of all windows, one after the other; reciprocals exact for so few.
    const int area = side * side;
    const int samples_fetched = area << 2 * log_across;
    const int per_area = (1 << 20) / area + 1, per_side = (1 << 20) / side + 1;
    const int row = tx >> 2, column = (tx & 3) << 2;
    const int number = (row >> log_edge << log_across) + (column >> log_edge);
    const int *own = &window[number * area + ((row & edge - 1) + 2) * side +
                             (column & edge - 1) + 2];
    unsigned samples = 0;
#pragma unroll 1
    for (int list = 0; list < lists; list++) {
#pragma unroll 1
        for (int k = tx; k < samples_fetched; k += THREADS) {
            const int from = k * per_area >> 20;
            const int in_window = k - from * area;
            const int y = in_window * per_side >> 20;
            const int first = places[from].first[list];
            if (first >= 0) {
                window[k] = pictures[first + y * pitch + in_window - y * side];
            }
        }
        __syncthreads();
        const place &at = places[number];
        if (at.first[list] >= 0) {
            const bool second = list == 1 && at.first[0] >= 0;
#pragma unroll 1
            for (int i = 0; i < 4; i++) {
                const int value = interpolate(own + i, side, at.right[list], at.below[list]);
                const int mean = second ? ((int)(samples & 255) + value + 1) >> 1 : value;
                samples = samples >> 8 | (unsigned)mean << 24;
            }
        }
        __syncthreads();
    }
    *(unsigned *)&predicted[(macroblock * THREADS + tx) * 4] = samples;
}

// A CTA per macroblock, one position of its 8x8 per thread, in both planes. pictures: a picture's
// planes of half the luma's width and height, with their borders, follow each other downwards.
extern "C" __global__ void mc_chroma(cudaTextureObject_t pictures, int height, const int *log_edges,
                                     const partition *partitions, int lists, byte *predicted)
{
    const int macroblock = blockIdx.y * gridDim.x + blockIdx.x;
    const int row = threadIdx.x >> 3;
    const int column = threadIdx.x & 7;
    const int log_edge = log_edges[macroblock] - 1;
    const int number = (row >> log_edge << (3 - log_edge)) + (column >> log_edge);
    const partition &p = partitions[macroblock * MAX_PARTITIONS + number];
    const int rows = height + BORDER; // of a plane

    int sample[2] = {0, 0};
#pragma unroll 1
    for (int list = 0; list < lists; list++) {
        const int reference = p.reference[list];
        if (reference < 0) {
            continue;
        }
        // A quarter of a luma sample is an eighth of a chroma sample.
        const short2 vector = p.vector[list];
        const int right = vector.x & 7;
        const int below = vector.y & 7;
        const float x = (float)(BORDER / 2 + blockIdx.x * 8 + column + (vector.x >> 3)) + 0.5f;
        int y = 2 * reference * rows + BORDER / 2 + blockIdx.y * 8 + row + (vector.y >> 3);
        const bool second = list == 1 && p.reference[0] >= 0;
#pragma unroll
        for (int plane = 0; plane < 2; plane++, y += rows) {
            const float upper = (float)y + 0.5f;
            const int value = ((8 - below) * ((8 - right) * tex2D<byte>(pictures, x, upper) +
                                              right * tex2D<byte>(pictures, x + 1, upper)) +
                               below * ((8 - right) * tex2D<byte>(pictures, x, upper + 1) +
                                        right * tex2D<byte>(pictures, x + 1, upper + 1)) +
                               32) >>
                              6;
            sample[plane] = second ? (sample[plane] + value + 1) >> 1 : value;
        }
    }
    predicted[macroblock * 2 * THREADS + threadIdx.x] = (byte)sample[0];
    predicted[(macroblock * 2 + 1) * THREADS + threadIdx.x] = (byte)sample[1];
}
