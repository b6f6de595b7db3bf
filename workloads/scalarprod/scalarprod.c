/* scalarprod.c - driver of the dot products; the reference sums in double precision. */
#include "workloads/support.h"

#define THREADS 256

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    /* Rows of 1,999 words start off any transaction boundary; 6 CTAs take 3 or 4 pairs each. */
    static const struct {
        int32_t pairs, elements;
        unsigned ctas;
    } inputs[] = {{21, 1999, 6}, {256, 4096, 128}, {1024, 4096, 512}, {256, 4096, 128}};
    const int32_t pairs = inputs[size].pairs;
    const int32_t elements = inputs[size].elements;
    const size_t count = (size_t)pairs * (size_t)elements;

    float *a, *b, *c;
    double *expected;
    WW_TRY(ww__random_floats(bench, count, 0.0f, 1.0f, &a));
    WW_TRY(ww__random_floats(bench, count, 0.0f, 1.0f, &b));
    WW_TRY(ww__host_array(bench, (size_t)pairs, sizeof *expected, &expected));

    ww_devptr device_a, device_b, device_c;
    WW_TRY(ww__upload(bench, a, count * sizeof *a, &device_a));
    WW_TRY(ww__upload(bench, b, count * sizeof *b, &device_b));
    WW_TRY(ww__buffer(bench, (size_t)pairs * sizeof *c, &device_c));
    WW_TRY(WW__LAUNCH(bench, "scalarProdGPU", ww__dim(inputs[size].ctas, 1), ww__dim(THREADS, 1), 0,
                      &device_c, &device_a, &device_b, &pairs, &elements));
    WW_TRY(ww__download(bench, device_c, (size_t)pairs * sizeof *c, &c));

    for (size_t i = 0; i < count; i++) {
        expected[i / (size_t)elements] += (double)a[i] * (double)b[i];
    }
    return ww__verify_floats(bench, "c", c, expected, (size_t)pairs, 1e-5, 0.0);
}

ww_status ww_scalarprod_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "scalarprod", &ww__ptx_scalarprod, size, run, err);
}
