/* cufft.h - private to the thin cuFFT: its codes, plans, and what a plan knows of a length. */
#ifndef WW_RUNTIME_MATH_FFT_CUFFT_H
#define WW_RUNTIME_MATH_FFT_CUFFT_H

#include "base/compiler.h"
#include "runtime/math/fft/pass.h"
#include "runtime/math/math.h"

enum {
    SUCCESS = 0,
    INVALID_PLAN = 1,
    ALLOC_FAILED = 2,
    INVALID_TYPE = 3,
    INVALID_VALUE = 4,
    INTERNAL_ERROR = 5,
    EXEC_FAILED = 6,
    INVALID_SIZE = 8,
    NO_WORKSPACE = 13,
    NOT_IMPLEMENTED = 14,
    NOT_SUPPORTED = 16
};
enum { C2C = 0x29, R2C = 0x2a, C2R = 0x2c, Z2Z = 0x69, D2Z = 0x6a, Z2D = 0x6c }; /* cufftType */
enum { FORWARD = -1, INVERSE = 1, RANK = 3, LEVELS = 3 };

/* How a length is transformed: as one of `levels` factors, each of which fits shared memory; where
 * its primes do not allow that, as a convolution with a chirp, by transforms of `padded`
 * (Bluestein, IEEE Trans. Audio and Electroacoustics 18(4), 1970). */
typedef struct fft_length {
    int64_t n, padded; /* padded: 0, or a power of two >= 2 n - 1 */
    int levels, level[LEVELS];
    /* Offsets in the plan's tables, in complex numbers: of each level its roots, and of all but the
     * last the turns between it and the next; the chirp, itself over `padded`, its spectrum. */
    size_t roots[LEVELS], turns_low[LEVELS], turns_high[LEVELS], chirp, chirp_scaled, spectrum;
} fft_length;

/* Numbers of one side of a plan: elements between neighbours on each axis, and between batches. */
typedef struct fft_layout {
    int64_t step[RANK], distance;
} fft_layout;

typedef struct fft_plan {
    int type, rank;
    bool made, keeps_work;  /* keeps_work: the program brings the memory */
    bool basic;             /* a real side that is the complex one is padded */
    int64_t n[RANK], batch; /* n: leading ones where the rank is lower */
    fft_layout in, out, padded_real;
    fft_length length[RANK];
    cudaStream_t stream;
    CUdeviceptr tables, own_work;
    void *work;
    size_t table_count, work_bytes; /* complex numbers; B */
} fft_plan;

static inline bool fft_is_double(int type)
{
    return type >= Z2Z;
}

/** Real numbers lie at one side of it. */
static inline bool fft_is_real(int type)
{
    return type != C2C && type != Z2Z;
}

/** B of a complex number. */
static inline size_t fft_number_bytes(const fft_plan *p)
{
    return fft_is_double(p->type) ? 16 : 8;
}

/** Complex numbers on an axis of the plan's complex side. */
static inline int64_t fft_extent(const fft_plan *p, int axis)
{
    return fft_is_real(p->type) && axis == RANK - 1 ? p->n[axis] / 2 + 1 : p->n[axis];
}

/** lengths.c: how n is transformed, and where its tables lie, which begin at *tables (complex
 * numbers) and move it on. @return false: n is too long */
WW_NODISCARD bool fft_length_init(fft_length *out, int64_t n, bool is_double, size_t *tables);

/** lengths.c: the tables of all axes, in the plan's precision. @param out  table_count numbers
 * @return false: no memory */
WW_NODISCARD bool fft_tables_fill(const fft_plan *p, void *out);

/** transform.c: B of memory that an execution needs beside its ends; false: more than there can be.
 */
WW_NODISCARD bool fft_work_size(const fft_plan *p, size_t *bytes);

/** transform.c: runs the plan. @param direction  FORWARD or INVERSE @return false: a launch failed
 */
WW_NODISCARD bool fft_execute(const fft_plan *p, void *in, void *out, int direction);

#endif
