// h264-idct.cu - the inverse transforms of H.264 (ITU-T H.264, 8.5.12 and 8.5.13) with the addition
// of the residual to the prediction, on the coded macroblocks of a picture. A reconstruction: the
// original is not public. Samples lie macroblock by macroblock, 16 rows of 16, as the motion
// compensation leaves them.

#define THREADS    128
#define MACROBLOCK 256 // samples

static __device__ unsigned clip(int value)
{
    return (unsigned)min(max(value, 0), 255);
}

// Prediction plus rounded residual of four neighbouring samples, packed.
static __device__ unsigned add_residual(unsigned prediction, int r0, int r1, int r2, int r3)
{
    const unsigned s0 = clip((int)(prediction & 255) + ((r0 + 32) >> 6));
    const unsigned s1 = clip((int)(prediction >> 8 & 255) + ((r1 + 32) >> 6));
    const unsigned s2 = clip((int)(prediction >> 16 & 255) + ((r2 + 32) >> 6));
    const unsigned s3 = clip((int)(prediction >> 24) + ((r3 + 32) >> 6));
    return s0 | s1 << 8 | s2 << 16 | s3 << 24;
}

static __device__ void transform4(int w[4])
{
    const int e0 = w[0] + w[2];
    const int e1 = w[0] - w[2];
    const int e2 = (w[1] >> 1) - w[3];
    const int e3 = w[1] + (w[3] >> 1);
    w[0] = e0 + e3;
    w[1] = e1 + e2;
    w[2] = e1 - e2;
    w[3] = e0 - e3;
}

// Four threads per block: each transforms a row of coefficients, then a column, then adds a row of
// residuals to the prediction. A macroblock's blocks come quarter by quarter (8.5.12, figure 6-10);
// coded: the numbers of the coded macroblocks.
extern "C" __global__ void idct4x4(const short4 *coefficients, const int *coded,
                                   const unsigned char *prediction, unsigned char *picture,
                                   int blocks)
{
    __shared__ int exchange[THREADS / 4][4][5]; // a column more than used, against bank conflicts
    const int lane = threadIdx.x % 4;
    const int slot = threadIdx.x / 4;
    const int block = blockIdx.x * (THREADS / 4) + slot;
    const bool present = block < blocks;
    int(*square)[5] = exchange[slot];

    int w[4] = {0, 0, 0, 0};
    if (present) {
        const short4 row = coefficients[block * 4 + lane];
        w[0] = row.x;
        w[1] = row.y;
        w[2] = row.z;
        w[3] = row.w;
    }
    transform4(w);
    for (int i = 0; i < 4; i++) {
        square[lane][i] = w[i];
    }
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        w[i] = square[i][lane];
    }
    transform4(w);
    for (int i = 0; i < 4; i++) {
        square[i][lane] = w[i];
    }
    __syncthreads();
    if (present) {
        const int quarter = block / 4 % 4;
        const int x = quarter % 2 * 8 + block % 2 * 4;
        const int y = quarter / 2 * 8 + block / 2 % 2 * 4 + lane;
        const int first = coded[block / 16] * MACROBLOCK + y * 16 + x;
        const unsigned predicted = *(const unsigned *)&prediction[first];
        *(unsigned *)&picture[first] = add_residual(predicted, square[lane][0], square[lane][1],
                                                    square[lane][2], square[lane][3]);
    }
}

static __device__ void transform8(int x[8])
{
    const int a0 = x[0] + x[4];
    const int a2 = x[0] - x[4];
    const int a4 = (x[2] >> 1) - x[6];
    const int a6 = x[2] + (x[6] >> 1);
    const int b0 = a0 + a6;
    const int b2 = a2 + a4;
    const int b4 = a2 - a4;
    const int b6 = a0 - a6;
    const int a1 = -x[3] + x[5] - x[7] - (x[7] >> 1);
    const int a3 = x[1] + x[7] - x[3] - (x[3] >> 1);
    const int a5 = -x[1] + x[7] + x[5] + (x[5] >> 1);
    const int a7 = x[3] + x[5] + x[1] + (x[1] >> 1);
    const int b1 = a1 + (a7 >> 2);
    const int b3 = a3 + (a5 >> 2);
    const int b5 = (a3 >> 2) - a5;
    const int b7 = a7 - (a1 >> 2);
    x[0] = b0 + b7;
    x[1] = b2 + b5;
    x[2] = b4 + b3;
    x[3] = b6 + b1;
    x[4] = b6 - b1;
    x[5] = b4 - b3;
    x[6] = b2 - b5;
    x[7] = b0 - b7;
}

// The same with eight threads per block of 8x8.
extern "C" __global__ void idct8x8(const short4 *coefficients, const int *coded,
                                   const unsigned char *prediction, unsigned char *picture,
                                   int blocks)
{
    __shared__ int exchange[THREADS / 8][8][9];
    const int lane = threadIdx.x % 8;
    const int slot = threadIdx.x / 8;
    const int block = blockIdx.x * (THREADS / 8) + slot;
    const bool present = block < blocks;
    int(*square)[9] = exchange[slot];

    int x[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    if (present) {
        const short4 left = coefficients[block * 16 + 2 * lane];
        const short4 right = coefficients[block * 16 + 2 * lane + 1];
        x[0] = left.x;
        x[1] = left.y;
        x[2] = left.z;
        x[3] = left.w;
        x[4] = right.x;
        x[5] = right.y;
        x[6] = right.z;
        x[7] = right.w;
    }
    transform8(x);
    for (int i = 0; i < 8; i++) {
        square[lane][i] = x[i];
    }
    __syncthreads();
    for (int i = 0; i < 8; i++) {
        x[i] = square[i][lane];
    }
    transform8(x);
    for (int i = 0; i < 8; i++) {
        square[i][lane] = x[i];
    }
    __syncthreads();
    if (present) {
        const int y = block / 2 % 2 * 8 + lane;
        const int first = coded[block / 4] * MACROBLOCK + y * 16 + block % 2 * 8;
        const uint2 predicted = *(const uint2 *)&prediction[first];
        const int *r = square[lane];
        *(uint2 *)&picture[first] = make_uint2(add_residual(predicted.x, r[0], r[1], r[2], r[3]),
                                               add_residual(predicted.y, r[4], r[5], r[6], r[7]));
    }
}
