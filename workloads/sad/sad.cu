// sad.cu - motion search of H.264: sums of absolute differences of every 4x4 block of a frame with
// all positions about it in a reference frame, then of the larger blocks as sums of smaller ones.

#define PER_THREAD 18
#define AT_ONCE    3
#define WARP       32

// Sums lie block type by block type, macroblock by macroblock within a type, block by block within a
// macroblock: 16 of 4x4, 8 of 8x4 (width x height), 8 of 4x8, 4 of 8x8, 2 of 16x8, 2 of 8x16, 1 of
// 16x16. Each is followed by its sums, 16 bits per position, row by row of positions, padded to 16
// bytes.
#define FIRST_8X4   16
#define FIRST_4X8   24
#define FIRST_8X8   32
#define FIRST_16X8  36
#define FIRST_8X16  38
#define FIRST_16X16 40

// One CTA per 4x4 block, PER_THREAD positions per thread; range: of the search to each side,
// one more than a multiple of three. The sums are collected in shared memory, from where they are written eight bytes at a time.
extern "C" __global__ void mb_sad_calc(unsigned short *blk_sad, const unsigned short *frame,
                                       int mb_width, int range, cudaTextureObject_t reference)
{
    extern __shared__ unsigned short sums[];
    __shared__ unsigned short block[4][4];
    const int t = threadIdx.x;
    const int left = blockIdx.x * 4;
    const int top = blockIdx.y * 4;
    const int edge = 2 * range + 1;
    const int positions = edge * edge;
    const int padded = (positions + 7) & ~7;

    for (int i = t; i < 16; i += blockDim.x) {
        block[i / 4][i % 4] = frame[(top + i / 4) * (mb_width * 16) + left + i % 4];
    }
    if (t < padded - positions) {
        sums[positions + t] = 0;
    }
    __syncthreads();

    // Three positions, which share what they read, lie in one row: a row has a multiple of three.
#pragma unroll 1
    for (int first = t * PER_THREAD; first < (t + 1) * PER_THREAD; first += AT_ONCE) {
        unsigned sad[AT_ONCE] = {0};
        const int y = top + first / edge - range;
        const int x = left + first % edge - range;
#pragma unroll 1
        for (int row = 0; row < 4; row++) {
            int pixel[4 + AT_ONCE - 1];
#pragma unroll
            for (int column = 0; column < 4 + AT_ONCE - 1; column++) {
                pixel[column] = tex2D<unsigned short>(reference, x + column, y + row);
            }
#pragma unroll
            for (int column = 0; column < 4; column++) {
                const int current = block[row][column];
#pragma unroll
                for (int i = 0; i < AT_ONCE; i++) {
                    sad[i] += abs(current - pixel[column + i]);
                }
            }
        }
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            if (first + i < positions) {
                sums[first + i] = sad[i];
            }
        }
    }
    __syncthreads();

    // Blocks of a macroblock are numbered by quarters, and within a quarter by rows.
    const int macroblock = blockIdx.y / 4 * mb_width + blockIdx.x / 4;
    const int bx = blockIdx.x % 4;
    const int by = blockIdx.y % 4;
    const int number = (by / 2 * 2 + bx / 2) * 4 + by % 2 * 2 + bx % 2;
    uint2 *out = (uint2 *)&blk_sad[(macroblock * 16 + number) * padded];
    for (int i = t; i < padded / 4; i += blockDim.x) {
        out[i] = ((const uint2 *)sums)[i];
    }
}

// Where the sums of a block lie, as pairs of them: first: blocks of smaller types per macroblock,
// count: of its own type.
__device__ __forceinline__ unsigned *sums_of(unsigned *blk_sad, int pairs, int macroblocks,
                                             int macroblock, int first, int count, int number)
{
    return &blk_sad[(first * macroblocks + count * macroblock + number) * pairs];
}

// A warp per quarter of a macroblock: two sums of 8x4, two of 4x8, one of 8x8. Sums of 16 bits are
// added two at a time; none of a block up to 16x16 overflows (256 pixels of 8 bits).
extern "C" __global__ void larger_sad_calc_8(unsigned *blk_sad, int mb_width, int mb_height,
                                             int pairs)
{
    const int macroblocks = mb_width * mb_height;
    const int macroblock = blockIdx.y * mb_width + blockIdx.x;
    const int quarter = threadIdx.y;
    const unsigned *small = sums_of(blk_sad, pairs, macroblocks, macroblock, 0, 16, 4 * quarter);
    unsigned *wide = sums_of(blk_sad, pairs, macroblocks, macroblock, FIRST_8X4, 8, 2 * quarter);
    unsigned *high = sums_of(blk_sad, pairs, macroblocks, macroblock, FIRST_4X8, 8, 2 * quarter);
    unsigned *square = sums_of(blk_sad, pairs, macroblocks, macroblock, FIRST_8X8, 4, quarter);
#pragma unroll 1
    for (int i = threadIdx.x; i < pairs; i += WARP) {
        const unsigned a = small[i];
        const unsigned b = small[i + pairs];
        const unsigned c = small[i + 2 * pairs];
        const unsigned d = small[i + 3 * pairs];
        wide[i] = a + b;
        wide[i + pairs] = c + d;
        high[i] = a + c;
        high[i + pairs] = b + d;
        square[i] = a + b + c + d;
    }
}

// A warp per macroblock: two sums of 16x8, two of 8x16, one of 16x16.
extern "C" __global__ void larger_sad_calc_16(unsigned *blk_sad, int mb_width, int mb_height,
                                             int pairs)
{
    const int macroblocks = mb_width * mb_height;
    const int macroblock = blockIdx.y * mb_width + blockIdx.x;
    const unsigned *square = sums_of(blk_sad, pairs, macroblocks, macroblock, FIRST_8X8, 4, 0);
    unsigned *wide = sums_of(blk_sad, pairs, macroblocks, macroblock, FIRST_16X8, 2, 0);
    unsigned *high = sums_of(blk_sad, pairs, macroblocks, macroblock, FIRST_8X16, 2, 0);
    unsigned *whole = sums_of(blk_sad, pairs, macroblocks, macroblock, FIRST_16X16, 1, 0);
#pragma unroll 1
    for (int i = threadIdx.x; i < pairs; i += WARP) {
        const unsigned a = square[i];
        const unsigned b = square[i + pairs];
        const unsigned c = square[i + 2 * pairs];
        const unsigned d = square[i + 3 * pairs];
        wide[i] = a + b;
        wide[i + pairs] = c + d;
        high[i] = a + c;
        high[i + pairs] = b + d;
        whole[i] = a + b + c + d;
    }
}
