/* lud.c - driver of the LU decomposition; the reference eliminates row by row in double precision.
 */
#include "workloads/support.h"

#define EDGE 16 /* of a block */

/* The product of a random unit lower and a random upper triangle with a strong diagonal, in single
 * precision. */
static ww_status make_matrix(ww__bench *bench, size_t n, float **out)
{
    float *lower, *upper, *m;
    WW_TRY(ww__random_floats(bench, n * n, -0.125f, 0.125f, &lower));
    WW_TRY(ww__random_floats(bench, n * n, -0.125f, 0.125f, &upper));
    WW_TRY(ww__host_array(bench, n * n, sizeof *m, &m));
    for (size_t i = 0; i < n; i++) {
        upper[i * n + i] += 1.5f;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double sum = i <= j ? (double)upper[i * n + j] : 0.0;
            for (size_t k = 0; k < i && k <= j; k++) {
                sum += (double)lower[i * n + k] * (double)upper[k * n + j];
            }
            m[i * n + j] = (float)sum;
        }
    }
    *out = m;
    return WW_OK;
}

/* Gaussian elimination that keeps its factors below the diagonal. */
static void eliminate(double *m, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        for (size_t i = k + 1; i < n; i++) {
            const double factor = m[i * n + k] / m[k * n + k];
            m[i * n + k] = factor;
            for (size_t j = k + 1; j < n; j++) {
                m[i * n + j] -= factor * m[k * n + j];
            }
        }
    }
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const int32_t edges[] = {64, 256, 512, 256};
    const int32_t n = edges[size];
    const size_t count = (size_t)n * (size_t)n;

    float *m, *actual;
    double *expected;
    ww_devptr device_m;
    WW_TRY(make_matrix(bench, (size_t)n, &m));
    WW_TRY(ww__host_array(bench, count, sizeof *expected, &expected));
    WW_TRY(ww__upload(bench, m, count * sizeof *m, &device_m));
    for (int32_t offset = 0; offset < n; offset += EDGE) {
        const unsigned rest = (unsigned)(n - offset) / EDGE - 1;
        WW_TRY(WW__LAUNCH(bench, "lud_diagonal", ww__dim(1, 1), ww__dim(EDGE, 1), 0, &device_m, &n,
                          &offset));
        if (rest > 0) {
            WW_TRY(WW__LAUNCH(bench, "lud_perimeter", ww__dim(rest, 1), ww__dim(2 * EDGE, 1), 0,
                              &device_m, &n, &offset));
            WW_TRY(WW__LAUNCH(bench, "lud_internal", ww__dim(rest, rest), ww__dim(EDGE, EDGE), 0,
                              &device_m, &n, &offset));
        }
    }
    WW_TRY(ww__download(bench, device_m, count * sizeof *actual, &actual));

    for (size_t i = 0; i < count; i++) {
        expected[i] = (double)m[i];
    }
    eliminate(expected, (size_t)n);
    /* Factors are up to 2, their products a tenth; single precision leaves 4e-7. */
    return ww__verify_floats(bench, "factor", actual, expected, count, 0.0, 2e-6);
}

ww_status ww_lud_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "lud", &ww__ptx_lud, size, run, err);
}
