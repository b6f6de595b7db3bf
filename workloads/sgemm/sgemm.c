/* sgemm.c - driver of the register-tiled matrix product; the reference sums in double precision. */
#include "workloads/support.h"

#define TILE_M 128
#define TILE_N 16
#define TILE_K 8

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    /* Multiples of the tiles. */
    static const struct {
        int32_t m, n, k;
        float alpha, beta;
    } inputs[] = {{128, 48, 24, 1.5f, 0.5f},
                  {256, 128, 160, 1.0f, 0.0f},
                  {1024, 1056, 64, 1.0f, 0.0f},
                  {1024, 1056, 992, 1.0f, 0.0f}};
    const int32_t m = inputs[size].m;
    const int32_t n = inputs[size].n;
    const int32_t k = inputs[size].k;
    const float alpha = inputs[size].alpha;
    const float beta = inputs[size].beta;
    const size_t count = (size_t)m * (size_t)n;

    float *a, *b, *c, *actual;
    double *expected;
    WW_TRY(ww__random_floats(bench, (size_t)m * (size_t)k, 0.0f, 1.0f, &a));
    WW_TRY(ww__random_floats(bench, (size_t)n * (size_t)k, 0.0f, 1.0f, &b));
    WW_TRY(ww__random_floats(bench, count, 0.0f, 1.0f, &c));
    WW_TRY(ww__host_array(bench, count, sizeof *expected, &expected));

    ww_devptr device_a, device_b, device_c;
    WW_TRY(ww__upload(bench, a, (size_t)m * (size_t)k * sizeof *a, &device_a));
    WW_TRY(ww__upload(bench, b, (size_t)n * (size_t)k * sizeof *b, &device_b));
    WW_TRY(ww__upload(bench, c, count * sizeof *c, &device_c));
    WW_TRY(WW__LAUNCH(bench, "mysgemmNT", ww__dim((unsigned)(m / TILE_M), (unsigned)(n / TILE_N)),
                      ww__dim(TILE_N, TILE_K), 0, &device_a, &m, &device_b, &n, &device_c, &m, &k,
                      &alpha, &beta));
    WW_TRY(ww__download(bench, device_c, count * sizeof *c, &actual));

    for (size_t j = 0; j < (size_t)n; j++) {
        double *column = &expected[j * (size_t)m];
        for (size_t l = 0; l < (size_t)k; l++) {
            const double right = (double)b[j + l * (size_t)n];
            for (size_t i = 0; i < (size_t)m; i++) {
                column[i] += (double)a[i + l * (size_t)m] * right;
            }
        }
        for (size_t i = 0; i < (size_t)m; i++) {
            column[i] = (double)alpha * column[i] + (double)beta * (double)c[j * (size_t)m + i];
        }
    }
    /* Sums of k positive products: rounding is below k * 2^-24, 6e-5 at the most, and by chance far
     * below that; a lost product is 1/k of the sum, 1e-3 or more. */
    return ww__verify_floats(bench, "c", actual, expected, count, 1e-5, 0.0);
}

ww_status ww_sgemm_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "sgemm", &ww__ptx_sgemm, size, run, err);
}
