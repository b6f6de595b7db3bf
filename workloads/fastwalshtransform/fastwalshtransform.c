/* fastwalshtransform.c - driver of the dyadic convolution by Walsh-Hadamard transforms.
 * The reference sums the convolution directly, in double precision. */
#include "workloads/support.h"

#define PASS_THREADS 256 /* fwtBatch2Kernel; fewer for pieces smaller than 4 values per thread */
#define LOG2_TAPS    7

/* In-place transform of 2^log2_n values: radix-4 passes over global memory until pieces of at most
 * 2^log2_cta values are left, which one CTA each transforms in shared memory. */
static ww_status transform(ww__bench *bench, ww_devptr data, int32_t log2_n, int32_t log2_cta)
{
    unsigned pieces = 1;
    for (; log2_n > log2_cta; log2_n -= 2, pieces *= 4) {
        const int32_t stride = 1 << (log2_n - 2);
        const ww_dim3 grid = ww__dim((unsigned)stride / PASS_THREADS, pieces);
        WW_TRY(WW__LAUNCH(bench, "fwtBatch2Kernel", grid, ww__dim(PASS_THREADS, 1), 0, &data, &data,
                          &stride));
    }
    const unsigned values = 1u << log2_n;
    return WW__LAUNCH(bench, "fwtBatch1Kernel", ww__dim(pieces, 1), ww__dim(values / 4, 1),
                      values * sizeof(float), &data, &data, &log2_n);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    /* The last pieces have 2^9, 2^10 and 2^11 values: with and without a radix-2 stage. */
    static const struct {
        int32_t log2_n, log2_cta;
    } inputs[] = {{11, 9}, {16, 11}, {20, 11}, {23, 11}};
    const int32_t log2_n = inputs[size].log2_n;
    const int32_t n = 1 << log2_n;
    const size_t count = (size_t)n;
    const size_t taps_count = (size_t)1 << LOG2_TAPS;

    float *data, *taps;
    WW_TRY(ww__random_floats(bench, count, 0.0f, 1.0f, &data));
    WW_TRY(ww__random_floats(bench, taps_count, 0.0f, 1.0f, &taps));

    ww_devptr device_data, device_taps;
    WW_TRY(ww__upload(bench, data, count * sizeof *data, &device_data));
    WW_TRY(ww__buffer(bench, count * sizeof *taps, &device_taps));
    WW_TRY(ww_device_memset(bench->device, device_taps, 0, count * sizeof *taps, bench->err));
    WW_TRY(
        ww_device_write(bench->device, device_taps, taps, taps_count * sizeof *taps, bench->err));

    WW_TRY(transform(bench, device_data, log2_n, inputs[size].log2_cta));
    WW_TRY(transform(bench, device_taps, log2_n, inputs[size].log2_cta));
    WW_TRY(WW__LAUNCH(bench, "modulateKernel", ww__dim(size == WW_SIZE_SMALL ? 5 : 128, 1),
                      ww__dim(256, 1), 0, &device_data, &device_taps, &n));
    WW_TRY(transform(bench, device_data, log2_n, inputs[size].log2_cta));

    float *result;
    double *expected;
    WW_TRY(ww__download(bench, device_data, count * sizeof *result, &result));
    WW_TRY(ww__host_array(bench, count, sizeof *expected, &expected));
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < taps_count; j++) {
            expected[i] += (double)data[i ^ j] * (double)taps[j];
        }
    }
    return ww__verify_floats(bench, "convolution", result, expected, count, 1e-5, 0.0);
}

ww_status ww_fastwalshtransform_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "fastwalshtransform", &ww__ptx_fastwalshtransform, size, run, err);
}
