/* lps.c - driver of the Laplace solver; the reference sweeps in double precision. */
#include "workloads/support.h"

#define BLOCK_X 32
#define BLOCK_Y 4

/* Rows are padded to a multiple of: 512 bytes, or the 400 of the original's grid of 100 points a
 * row, which are no whole lines. */
enum { WHOLE_LINES = 128, ROWS_OF_100 = 100 };

typedef struct shape {
    int32_t nx, ny, nz;
    int32_t pitch; /* words between rows */
} shape;

static size_t at(const shape *s, int32_t x, int32_t y, int32_t z)
{
    return (size_t)(x + s->pitch * (y + s->ny * z));
}

static double swept(const shape *s, const float *u, int32_t x, int32_t y, int32_t z)
{
    if (x == 0 || x == s->nx - 1 || y == 0 || y == s->ny - 1 || z == 0 || z == s->nz - 1) {
        return (double)u[at(s, x, y, z)];
    }
    const double sum = (double)u[at(s, x - 1, y, z)] + (double)u[at(s, x + 1, y, z)] +
                       (double)u[at(s, x, y - 1, z)] + (double)u[at(s, x, y + 1, z)] +
                       (double)u[at(s, x, y, z - 1)] + (double)u[at(s, x, y, z + 1)];
    return sum / 6.0;
}

static ww_status sweep(ww__bench *bench, ww_workload_size size, int32_t pitch_words)
{
    static const struct {
        int32_t nx, ny, nz;
    } inputs[] = {{45, 11, 10}, {64, 64, 64}, {100, 480, 24}, {100, 100, 100}};
    shape s = {.nx = inputs[size].nx, .ny = inputs[size].ny, .nz = inputs[size].nz};
    s.pitch = (s.nx + pitch_words - 1) / pitch_words * pitch_words;
    const size_t count = (size_t)s.pitch * (size_t)s.ny * (size_t)s.nz;

    /* The padding keeps its random contents. */
    float *u, *actual;
    double *expected;
    WW_TRY(ww__random_floats(bench, count, 0.0f, 1.0f, &u));
    WW_TRY(ww__host_array(bench, count, sizeof *expected, &expected));
    ww_devptr from, to;
    WW_TRY(ww__upload(bench, u, count * sizeof *u, &from));
    WW_TRY(ww__buffer(bench, count * sizeof *u, &to));
    WW_TRY(ww_device_memset(bench->device, to, 0, count * sizeof *u, bench->err));
    WW_TRY(WW__LAUNCH(bench, "GPU_laplace3d",
                      ww__dim(ww__pieces((size_t)s.nx, BLOCK_X), ww__pieces((size_t)s.ny, BLOCK_Y)),
                      ww__dim(BLOCK_X, BLOCK_Y), 0, &s.nx, &s.ny, &s.nz, &s.pitch, &from, &to));
    WW_TRY(ww__download(bench, to, count * sizeof *actual, &actual));

    for (int32_t z = 0; z < s.nz; z++) {
        for (int32_t y = 0; y < s.ny; y++) {
            for (int32_t x = 0; x < s.nx; x++) {
                expected[at(&s, x, y, z)] = swept(&s, u, x, y, z);
            }
        }
    }
    /* A sum of six is below 6 and rounded to 2^-22 five times. */
    return ww__verify_floats(bench, "point", actual, expected, count, 0.0, 3e-7);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    return sweep(bench, size, WHOLE_LINES);
}

static ww_status run_pitch100(ww__bench *bench, ww_workload_size size)
{
    return sweep(bench, size, ROWS_OF_100);
}

ww_status ww_lps_pitch100_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "lps-pitch100", &ww__ptx_lps, size, run_pitch100, err);
}

ww_status ww_lps_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "lps", &ww__ptx_lps, size, run, err);
}
