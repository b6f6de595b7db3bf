// h264-mc.cu - motion compensation of H.264 (ITU-T H.264, 8.4.2.2): luma by six-tap filters and
// averages, chroma by bilinear weights. A reconstruction: the original is not public.

#define THREADS        64 // per macroblock of 16x16 samples
#define MAX_PARTITIONS 16
#define MAX_WINDOW     (MAX_PARTITIONS * 9 * 9) // samples; 4 x 13 x 13 and 21 x 21 are fewer

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

// The half sample to the right of *w.
static __device__ int half_right(const int *w)
{
    return clip((six_taps(w[-2], w[-1], w[0], w[1], w[2], w[3]) + 16) >> 5);
}

// The unrounded half sample below *w.
static __device__ int taps_below(const int *w, int side)
{
    return six_taps(w[-2 * side], w[-side], w[0], w[side], w[2 * side], w[3 * side]);
}

static __device__ int half_below(const int *w, int side)
{
    return clip((taps_below(w, side) + 16) >> 5);
}

// The half samples right of and below each of four samples.
static __device__ void centres(const int *w, int side, int out[4])
{
    int below[9];
    for (int i = 0; i < 9; i++) {
        below[i] = taps_below(w + i - 2, side);
    }
    for (int i = 0; i < 4; i++) {
        const int *b = &below[i];
        out[i] = clip((six_taps(b[0], b[1], b[2], b[3], b[4], b[5]) + 512) >> 10);
    }
}

#define EACH(expression)                                                                           \
    for (int i = 0; i < 4; i++) {                                                                  \
        out[i] = (expression);                                                                     \
    }                                                                                              \
    break

// Four neighbouring samples at a fraction of a sample (quarters) right of and below w.
static __device__ void interpolate(const int *w, int side, int right, int below, int out[4])
{
    int centre[4];
    switch (4 * below + right) {
    case 0:
        EACH(w[i]);
    case 1:
        EACH(average(w[i], half_right(w + i)));
    case 2:
        EACH(half_right(w + i));
    case 3:
        EACH(average(half_right(w + i), w[i + 1]));
    case 4:
        EACH(average(w[i], half_below(w + i, side)));
    case 5:
        EACH(average(half_right(w + i), half_below(w + i, side)));
    case 6:
        centres(w, side, centre);
        EACH(average(half_right(w + i), centre[i]));
    case 7:
        EACH(average(half_right(w + i), half_below(w + i + 1, side)));
    case 8:
        EACH(half_below(w + i, side));
    case 9:
        centres(w, side, centre);
        EACH(average(half_below(w + i, side), centre[i]));
    case 10:
        centres(w, side, centre);
        EACH(centre[i]);
    case 11:
        centres(w, side, centre);
        EACH(average(centre[i], half_below(w + i + 1, side)));
    case 12:
        EACH(average(half_below(w + i, side), w[i + side]));
    case 13:
        EACH(average(half_below(w + i, side), half_right(w + i + side)));
    case 14:
        centres(w, side, centre);
        EACH(average(centre[i], half_right(w + i + side)));
    default:
        EACH(average(half_below(w + i + 1, side), half_right(w + i + side)));
    }
}

// Fetches what the filters need of every partition of that edge: its samples, two more to the left
// and above, three more to the right and below; pictures go on beyond their border.
template <int edge>
static __device__ void load_windows(int *window, const partition *partitions, int list,
                                    const byte *pictures, int width, int height, int x0, int y0)
{
    const int side = edge + 5;
    const int across = 16 / edge;
    for (int k = threadIdx.x; k < across * across * side * side; k += THREADS) {
        const int number = k / (side * side);
        const partition &p = partitions[number];
        if (p.reference[list] >= 0) {
            const int in_window = k % (side * side);
            const int x = x0 + number % across * edge + in_window % side - 2;
            const int y = y0 + number / across * edge + in_window / side - 2;
            const byte *picture = &pictures[p.reference[list] * width * height];
            window[k] = picture[clamp(y + (p.vector[list].y >> 2), height - 1) * width +
                                clamp(x + (p.vector[list].x >> 2), width - 1)];
        }
    }
}

// A CTA per macroblock, four samples of a row per thread. edges: of each macroblock's partitions;
// partitions: 16 places per macroblock; lists: 1, or 2 where partitions may have two references.
extern "C" __global__ void mc_luma(const byte *pictures, int width, int height, const int *edges,
                                   const partition *partitions, int lists, byte *predicted)
{
    __shared__ int window[MAX_WINDOW];
    __shared__ partition own[MAX_PARTITIONS];
    const int tx = threadIdx.x;
    const int across = width / 16;
    const int x0 = blockIdx.x % across * 16;
    const int y0 = blockIdx.x / across * 16;
    const int edge = edges[blockIdx.x];
    if (tx < MAX_PARTITIONS) {
        own[tx] = partitions[blockIdx.x * MAX_PARTITIONS + tx];
    }
    __syncthreads();

    const int row = tx / 4;
    const int column = tx % 4 * 4;
    const int number = row / edge * (16 / edge) + column / edge;
    const int side = edge + 5;
    const int *at = &window[number * side * side + (row % edge + 2) * side + column % edge + 2];
    const partition &p = own[number];

    int sample[4] = {0, 0, 0, 0};
    for (int list = 0; list < lists; list++) {
        if (edge == 16) {
            load_windows<16>(window, own, list, pictures, width, height, x0, y0);
        } else if (edge == 8) {
            load_windows<8>(window, own, list, pictures, width, height, x0, y0);
        } else {
            load_windows<4>(window, own, list, pictures, width, height, x0, y0);
        }
        __syncthreads();
        if (p.reference[list] >= 0) {
            int value[4];
            interpolate(at, side, p.vector[list].x & 3, p.vector[list].y & 3, value);
            const bool second = list == 1 && p.reference[0] >= 0;
            for (int i = 0; i < 4; i++) {
                sample[i] = second ? average(sample[i], value[i]) : value[i];
            }
        }
        __syncthreads();
    }
    *(unsigned *)&predicted[(y0 + row) * width + x0 + column] =
        (unsigned)(sample[0] | sample[1] << 8 | sample[2] << 16 | sample[3] << 24);
}

// A CTA per macroblock: 32 threads for each of the two planes, two samples of a row per thread. A
// picture's planes of half the luma's width and height follow each other.
extern "C" __global__ void mc_chroma(const byte *pictures, int width, int height, const int *edges,
                                     const partition *partitions, int lists, byte *predicted)
{
    const int tx = threadIdx.x % 32;
    const int plane = threadIdx.x / 32;
    const int across = width / 8;
    const int row = tx / 4;
    const int column = tx % 4 * 2;
    const int x0 = blockIdx.x % across * 8 + column;
    const int y0 = blockIdx.x / across * 8 + row;
    const int edge = edges[blockIdx.x] / 2;
    const int number = row / edge * (8 / edge) + column / edge;
    const partition &p = partitions[blockIdx.x * MAX_PARTITIONS + number];

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
