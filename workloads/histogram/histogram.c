/* histogram.c - driver of the histograms; the reference counts one byte after the other. */
#include "workloads/support.h"

#define THREADS64  64
#define THREADS256 192
#define MOST_BYTES 240 /* that a thread of the first kernel counts; its counters hold 255 */

/* Counts the bytes in as many bins and checks a device's count. */
static ww_status verify(ww__bench *bench, const char *what, const uint8_t *data, size_t bytes,
                        uint32_t bins, ww_devptr histogram)
{
    int32_t *actual, *expected;
    WW_TRY(ww__download(bench, histogram, bins * sizeof *actual, &actual));
    WW_TRY(ww__host_array(bench, bins, sizeof *expected, &expected));
    for (size_t i = 0; i < bytes; i++) {
        expected[data[i] / (256 / bins)]++;
    }
    return ww__verify_ints(bench, what, actual, expected, bins);
}

/* Runs one histogram kernel and its merge. */
static ww_status count(ww__bench *bench, const char *const kernels[2], unsigned ctas,
                       unsigned threads, unsigned merge, uint32_t bins, ww_devptr data,
                       uint32_t items, ww_devptr *histogram)
{
    ww_devptr partial;
    WW_TRY(ww__buffer(bench, (size_t)ctas * bins * sizeof(uint32_t), &partial));
    WW_TRY(ww__buffer(bench, bins * sizeof(uint32_t), histogram));
    WW_TRY(WW__LAUNCH(bench, kernels[0], ww__dim(ctas, 1), ww__dim(threads, 1), 0, &partial, &data,
                      &items));
    return WW__LAUNCH(bench, kernels[1], ww__dim(bins, 1), ww__dim(merge, 1), 0, histogram,
                      &partial, &ctas);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const char *const kernels64[] = {"histogram64Kernel", "mergeHistogram64Kernel"};
    static const char *const kernels256[] = {"histogram256Kernel", "mergeHistogram256Kernel"};
    /* Bytes are a multiple of 16. */
    static const struct {
        size_t bytes;
        unsigned ctas256;
        unsigned merge; /* threads of a CTA that adds partial histograms */
    } inputs[] = {{20016, 5, 32}, {1u << 20, 240, 256}, {1u << 23, 480, 256}, {1u << 26, 240, 256}};
    const unsigned merge = inputs[size].merge;
    const size_t bytes = inputs[size].bytes;

    uint8_t *data;
    ww_devptr device_data, histogram64, histogram256;
    WW_TRY(ww__host_array(bench, bytes, 1, &data));
    for (size_t i = 0; i < bytes; i++) {
        /* Small values are more frequent than large ones. */
        const uint32_t bits = ww__random_bits(bench);
        data[i] = (uint8_t)((bits & 255) * (bits >> 8 & 255) / 255);
    }
    WW_TRY(ww__upload(bench, data, bytes, &device_data));
    WW_TRY(count(bench, kernels64, ww__pieces(bytes, (size_t)THREADS64 * MOST_BYTES), THREADS64,
                 merge, 64, device_data, (uint32_t)(bytes / 16), &histogram64));
    WW_TRY(count(bench, kernels256, inputs[size].ctas256, THREADS256, merge, 256, device_data,
                 (uint32_t)(bytes / 4), &histogram256));
    WW_TRY(verify(bench, "count of 64", data, bytes, 64, histogram64));
    return verify(bench, "count of 256", data, bytes, 256, histogram256);
}

ww_status ww_histogram_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "histogram", &ww__ptx_histogram, size, run, err);
}
