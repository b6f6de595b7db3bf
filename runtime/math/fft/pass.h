/* pass.h - what a launch of kernels.cu is told, in both languages: transforms of one length along
 * many lines, or a table by which lines are multiplied. Offsets count elements of the type that
 * lies there: complex, or real. */
#ifndef WW_RUNTIME_MATH_FFT_PASS_H
#define WW_RUNTIME_MATH_FFT_PASS_H

enum {
    FFT_AXES = 5,       /* a line's place: batch, two other dimensions, two levels of division */
    FFT_FACTORS = 12,   /* of a length in shared memory */
    FFT_SHARED = 32768, /* B of shared memory: two buffers of lines */
    FFT_LINES = 64,     /* of a block, at most */
    FFT_TURN_LOW = 1024
};

/* What lies at an end of a pass: numbers, real parts only, or the first half of a spectrum whose
 * other half is its conjugate. */
enum { FFT_COMPLEX, FFT_REAL, FFT_HALF };

/* Element k of a line is the one of index `hop * k + first[axis] * (place on the axis) …` in a
 * sequence of `whole` whose neighbours lie `stride` apart; where the sequence begins, the steps
 * say. */
typedef struct fft_end {
    void *data;
    long long step[FFT_AXES], first[FFT_AXES];
    long long stride, hop, whole;
    int kind;
    int across; /* neighbours in memory are of neighbouring lines */
} fft_end;

typedef struct fft_pass {
    fft_end in, out;
    unsigned count[FFT_AXES], lines; /* the last axis is the fastest */
    int axes, length, factors, factor[FFT_FACTORS];
    int lines_per_block, inverse;
    const void *roots; /* length of them: exp(-2 pi i k / length) */
    /* On leaving, element k of a line at x on the last axis is turned by exp(-2 pi i k x / N):
     * roots of N, FFT_TURN_LOW of them and then every FFT_TURN_LOW-th. NULL: no turn. */
    const void *turns_low, *turns_high;
} fft_pass;

/* Element k < used of each line times table[k], `length` written, 0 for the rest. */
typedef struct fft_product {
    fft_end in, out;
    unsigned count[FFT_AXES], lines;
    int axes, inverse;
    long long used, length;
    const void *table;
} fft_product;

#endif
