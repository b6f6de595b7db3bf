/* vectoradd.c - driver of the vector sum; the reference is exact. */
#include "workloads/support.h"

#define THREADS 256

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const int32_t elements[] = {20011, 1000000, 4000000, 500000};
    const int32_t n = elements[size];
    const size_t bytes = (size_t)n * sizeof(float);

    float *a, *b, *c;
    double *expected;
    WW_TRY(ww__random_floats(bench, (size_t)n, 0.0f, 1.0f, &a));
    WW_TRY(ww__random_floats(bench, (size_t)n, 0.0f, 1.0f, &b));
    WW_TRY(ww__host_array(bench, (size_t)n, sizeof *expected, &expected));

    ww_devptr device_a, device_b, device_c;
    WW_TRY(ww__upload(bench, a, bytes, &device_a));
    WW_TRY(ww__upload(bench, b, bytes, &device_b));
    WW_TRY(ww__buffer(bench, bytes, &device_c));
    WW_TRY(WW__LAUNCH(bench, "vectorAdd", ww__dim(ww__pieces((size_t)n, THREADS), 1),
                      ww__dim(THREADS, 1), 0, &device_a, &device_b, &device_c, &n));
    WW_TRY(ww__download(bench, device_c, bytes, &c));

    for (int32_t i = 0; i < n; i++) {
        expected[i] = (double)(a[i] + b[i]);
    }
    return ww__verify_floats(bench, "c", c, expected, (size_t)n, 0.0, 0.0);
}

ww_status ww_vectoradd_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "vectoradd", &ww__ptx_vectoradd, size, run, err);
}
