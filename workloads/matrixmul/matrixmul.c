/* matrixmul.c - driver of the tiled matrix product; the reference multiplies in double precision.
 */
#include "workloads/support.h"

typedef struct shape {
    int32_t rows, inner, columns; /* A is rows x inner, B inner x columns; multiples of the tile */
} shape;

static void multiply(const float *a, const float *b, shape s, double *c)
{
    for (int32_t i = 0; i < s.rows; i++) {
        for (int32_t k = 0; k < s.inner; k++) {
            double factor = (double)a[i * s.inner + k];
            for (int32_t j = 0; j < s.columns; j++) {
                c[i * s.columns + j] += factor * (double)b[k * s.columns + j];
            }
        }
    }
}

static ww_status run_tiled(ww__bench *bench, const char *kernel, int32_t tile, shape s)
{
    const size_t a_count = (size_t)(s.rows * s.inner);
    const size_t b_count = (size_t)(s.inner * s.columns);
    const size_t c_count = (size_t)(s.rows * s.columns);

    float *a, *b, *c;
    double *expected;
    WW_TRY(ww__random_floats(bench, a_count, 0.0f, 1.0f, &a));
    WW_TRY(ww__random_floats(bench, b_count, 0.0f, 1.0f, &b));
    WW_TRY(ww__host_array(bench, c_count, sizeof *expected, &expected));

    ww_devptr device_a, device_b, device_c;
    WW_TRY(ww__upload(bench, a, a_count * sizeof *a, &device_a));
    WW_TRY(ww__upload(bench, b, b_count * sizeof *b, &device_b));
    WW_TRY(ww__buffer(bench, c_count * sizeof *c, &device_c));
    const ww_dim3 grid = ww__dim((unsigned)(s.columns / tile), (unsigned)(s.rows / tile));
    WW_TRY(WW__LAUNCH(bench, kernel, grid, ww__dim((unsigned)tile, (unsigned)tile), 0, &device_c,
                      &device_a, &device_b, &s.inner, &s.columns));
    WW_TRY(ww__download(bench, device_c, c_count * sizeof *c, &c));

    multiply(a, b, s, expected);
    return ww__verify_floats(bench, kernel, c, expected, c_count, 1e-5, 0.0);
}

/* default: SDK 3 multiplies with tiles of 16, SDK 5 and later with tiles of 32. */
static ww_status run16(ww__bench *bench, ww_workload_size size)
{
    static const shape shapes[] = {{48, 64, 64}, {160, 160, 160}, {320, 160, 320}, {160, 80, 80}};
    return run_tiled(bench, "matrixMul", 16, shapes[size]);
}

static ww_status run32(ww__bench *bench, ww_workload_size size)
{
    static const shape shapes[] = {{32, 64, 64}, {128, 160, 128}, {480, 96, 480}, {320, 320, 640}};
    return run_tiled(bench, "matrixMul32", 32, shapes[size]);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    WW_TRY(run16(bench, size));
    return run32(bench, size);
}

ww_status ww_matrixmul_16_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "matrixmul-16", &ww__ptx_matrixmul, size, run16, err);
}

ww_status ww_matrixmul_32_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "matrixmul-32", &ww__ptx_matrixmul, size, run32, err);
}

ww_status ww_matrixmul_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "matrixmul", &ww__ptx_matrixmul, size, run, err);
}
