/* matrix-ubench.c - driver of the microbenchmarks of the matrix units: a launch per operand format.
 * Factors are all ones, so that every sum is exact. */
#include "workloads/support.h"

#define CHAINS 4
#define TILE   256 /* threads per CTA */

typedef struct scale {
    unsigned ctas;
    int32_t repetitions;
} scale;

/* A register of ones in the format, and how many products an element of the result sums. */
static const struct {
    const char *kernel;
    uint32_t ones;
    uint32_t depth;
    bool integer;
} formats[] = {
    {"mm_f16", 0x3c003c00, 16, false}, {"mm_bf16", 0x3f803f80, 16, false},
    {"mm_tf32", 0x3f800000, 8, false}, {"mm_f8", 0x38383838, 32, false},
    {"mm_i8", 0x01010101, 32, true},   {"mm_i4", 0x11111111, 64, true},
    {"mm_b1", 0xffffffff, 256, true},
};

static ww_status run_words(ww__bench *bench, const scale *s, ww_devptr output, size_t i)
{
    const size_t n = (size_t)s->ctas * TILE;
    const double sum = (double)CHAINS * formats[i].depth * s->repetitions;
    WW_TRY(WW__LAUNCH(bench, formats[i].kernel, ww__dim(s->ctas, 1), ww__dim(TILE, 1), 0, &output,
                      &formats[i].ones, &s->repetitions));
    if (formats[i].integer) {
        int32_t *expected = NULL, *actual = NULL;
        WW_TRY(ww__host_array(bench, n, sizeof *expected, &expected));
        WW_TRY(ww__download(bench, output, n * sizeof *actual, &actual));
        for (size_t t = 0; t < n; t++) {
            expected[t] = (int32_t)sum;
        }
        return ww__verify_ints(bench, formats[i].kernel, actual, expected, n);
    }
    double *expected = NULL;
    float *actual = NULL;
    WW_TRY(ww__host_array(bench, n, sizeof *expected, &expected));
    WW_TRY(ww__download(bench, output, n * sizeof *actual, &actual));
    for (size_t t = 0; t < n; t++) {
        expected[t] = sum;
    }
    return ww__verify_floats(bench, formats[i].kernel, actual, expected, n, 0, 0);
}

static ww_status run_doubles(ww__bench *bench, const scale *s, ww_devptr output)
{
    const size_t n = (size_t)s->ctas * TILE;
    const double one = 1, depth = 4;
    double *expected = NULL, *actual = NULL;
    WW_TRY(ww__host_array(bench, n, sizeof *expected, &expected));
    WW_TRY(WW__LAUNCH(bench, "mm_f64", ww__dim(s->ctas, 1), ww__dim(TILE, 1), 0, &output, &one,
                      &s->repetitions));
    WW_TRY(ww__download(bench, output, n * sizeof *actual, &actual));
    for (size_t t = 0; t < n; t++) {
        expected[t] = CHAINS * depth * s->repetitions;
    }
    return ww__verify_doubles(bench, "mm_f64", actual, expected, n, 0, 0);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const scale scales[] = {{2, 3}, {216, 24}, {360, 24}, {216, 200}};
    const scale *s = &scales[size];
    ww_devptr output;
    WW_TRY(ww__buffer(bench, (size_t)s->ctas * TILE * sizeof(double), &output));
    for (size_t i = 0; i < WW_ARRAY_LEN(formats); i++) {
        WW_TRY(run_words(bench, s, output, i));
    }
    return run_doubles(bench, s, output);
}

ww_status ww_matrix_ubench_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "matrix-ubench", &ww__ptx_matrix_ubench, size, run, err);
}
