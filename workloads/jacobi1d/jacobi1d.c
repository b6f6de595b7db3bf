/* jacobi1d.c - driver of the relaxation on a line; the reference relaxes in double precision. */
#include "workloads/support.h"

#define THREADS 256

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const struct {
        int32_t n, steps;
    } inputs[] = {{4099, 5}, {65536, 10}, {131072, 20}, {100000, 100}};
    const int32_t n = inputs[size].n;
    const size_t bytes = (size_t)n * sizeof(float);
    const ww_dim3 grid = ww__dim(ww__pieces((size_t)n, THREADS), 1);
    const ww_dim3 block = ww__dim(THREADS, 1);

    float *a, *actual;
    double *expected, *next;
    ww_devptr device_a, device_b;
    WW_TRY(ww__random_floats(bench, (size_t)n, 0.0f, 4.0f, &a));
    WW_TRY(ww__host_array(bench, (size_t)n, sizeof *expected, &expected));
    WW_TRY(ww__host_array(bench, (size_t)n, sizeof *next, &next));
    WW_TRY(ww__upload(bench, a, bytes, &device_a));
    WW_TRY(ww__buffer(bench, bytes, &device_b));
    for (int32_t t = 0; t < inputs[size].steps; t++) {
        WW_TRY(
            WW__LAUNCH(bench, "runJacobiCUDA_kernel1", grid, block, 0, &n, &device_a, &device_b));
        WW_TRY(
            WW__LAUNCH(bench, "runJacobiCUDA_kernel2", grid, block, 0, &n, &device_a, &device_b));
    }
    WW_TRY(ww__download(bench, device_a, bytes, &actual));

    for (int32_t i = 0; i < n; i++) {
        expected[i] = (double)a[i];
        next[i] = expected[i]; /* the ends stay */
    }
    for (int32_t t = 0; t < inputs[size].steps; t++) {
        for (int32_t i = 1; i < n - 1; i++) {
            next[i] = (double)0.33333f * (expected[i - 1] + expected[i] + expected[i + 1]);
        }
        double *swap = expected;
        expected = next;
        next = swap;
    }
    /* Single precision leaves 3e-7, and as much again in a hundred steps, which forget it. */
    return ww__verify_floats(bench, "a", actual, expected, (size_t)n, 2e-6, 0.0);
}

ww_status ww_jacobi1d_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "jacobi1d", &ww__ptx_jacobi1d, size, run, err);
}
