/* stencil.c - driver of the seven-point stencil; the reference steps in double precision. */
#include "workloads/support.h"

#define WIDTH  32
#define HEIGHT 4

typedef struct shape {
    int32_t nx, ny, nz, steps;
} shape;

static void step_reference(const shape *s, const double *from, double *to)
{
    const size_t row = (size_t)s->nx;
    const size_t plane = row * (size_t)s->ny;
    for (size_t z = 1; z + 1 < (size_t)s->nz; z++) {
        for (size_t y = 1; y + 1 < (size_t)s->ny; y++) {
            for (size_t x = 1; x + 1 < row; x++) {
                const size_t i = x + y * row + z * plane;
                const double sum = from[i - 1] + from[i + 1] + from[i - row] + from[i + row] +
                                   from[i - plane] + from[i + plane];
                to[i] = sum / 36.0 - from[i] / 6.0;
            }
        }
    }
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    /* Multiples of the tiles in x and y. */
    static const shape inputs[] = {
        {64, 16, 9, 2}, {128, 128, 32, 1}, {512, 256, 32, 1}, {512, 512, 64, 100}};
    const shape s = inputs[size];
    const size_t count = (size_t)s.nx * (size_t)s.ny * (size_t)s.nz;
    const float c0 = 1.0f / 6.0f;
    const float c1 = 1.0f / 6.0f / 6.0f;

    float *start, *actual;
    WW_TRY(ww__random_floats(bench, count, 0.0f, 1.0f, &start));
    ww_devptr grids[2]; /* the boundary is the same in both */
    WW_TRY(ww__upload(bench, start, count * sizeof *start, &grids[0]));
    WW_TRY(ww__upload(bench, start, count * sizeof *start, &grids[1]));
    for (int32_t i = 0; i < s.steps; i++) {
        WW_TRY(WW__LAUNCH(bench, "block2D_hybrid_coarsen_x",
                          ww__dim((unsigned)s.nx / (2 * WIDTH), (unsigned)s.ny / HEIGHT),
                          ww__dim(WIDTH, HEIGHT), 2 * WIDTH * HEIGHT * sizeof(float), &c0, &c1,
                          &grids[i % 2], &grids[(i + 1) % 2], &s.nx, &s.ny, &s.nz));
    }
    WW_TRY(ww__download(bench, grids[s.steps % 2], count * sizeof *actual, &actual));

    double *reference[2];
    for (int i = 0; i < 2; i++) {
        WW_TRY(ww__host_array(bench, count, sizeof(double), &reference[i]));
        for (size_t p = 0; p < count; p++) {
            reference[i][p] = (double)start[p];
        }
    }
    for (int32_t i = 0; i < s.steps; i++) {
        step_reference(&s, reference[i % 2], reference[(i + 1) % 2]);
    }
    /* Every sum of at most 6 is rounded to 2^-22 and multiplied by 1/36; a step shrinks the errors
     * of the last one. A point differs from its neighbours by hundredths. */
    return ww__verify_floats(bench, "point", actual, reference[s.steps % 2], count, 0.0, 2e-7);
}

ww_status ww_stencil_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "stencil", &ww__ptx_stencil, size, run, err);
}
