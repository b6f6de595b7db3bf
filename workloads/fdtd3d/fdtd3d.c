/* fdtd3d.c - driver of the stencil in a volume; the reference sums each cell's 25 terms in double
 * precision and rounds once per step. */
#include "workloads/support.h"

#include <math.h>
#include <string.h>

#define RADIUS 4
#define TILE_X 32
#define TILE_Y 16
#define LINE   32 /* floats; rows' first cells inside the halo lie on such a boundary */

typedef struct volume {
    int32_t x, y, z; /* without halo */
    int32_t steps;
    size_t row, plane, count; /* cells, halo included */
} volume;

static size_t cell(const volume *v, int32_t x, int32_t y, int32_t z)
{
    return (size_t)(z + RADIUS) * v->plane + (size_t)(y + RADIUS) * v->row + (size_t)(x + RADIUS);
}

static void step_reference(const volume *v, const float *coefficients, const float *in, float *out)
{
    for (int32_t z = 0; z < v->z; z++) {
        for (int32_t y = 0; y < v->y; y++) {
            for (int32_t x = 0; x < v->x; x++) {
                const float *p = &in[cell(v, x, y, z)];
                double sum = (double)coefficients[0] * (double)p[0];
                for (size_t r = 1; r <= RADIUS; r++) {
                    const double around = (double)p[r] + (double)*(p - r) + (double)p[r * v->row] +
                                          (double)*(p - r * v->row) + (double)p[r * v->plane] +
                                          (double)*(p - r * v->plane);
                    sum += (double)coefficients[r] * around;
                }
                out[cell(v, x, y, z)] = (float)sum;
            }
        }
    }
}

/* Row by row, so that no second volume in double precision is needed. */
static ww_status verify(ww__bench *bench, const volume *v, const float *actual,
                        const float *expected)
{
    double *row = NULL;
    WW_TRY(ww__host_array(bench, v->row, sizeof *row, &row));
    for (size_t first = 0; first < v->count; first += v->row) {
        for (size_t i = 0; i < v->row; i++) {
            row[i] = (double)expected[first + i];
        }
        /* Single precision leaves 2.4e-7. */
        WW_TRY(ww__verify_floats(bench, "cell of a row", &actual[first], row, v->row, 1e-6, 0.0));
    }
    return WW_OK;
}

/* Steps on the device, to and fro between two volumes that start alike, halo included. */
static ww_status simulate(ww__bench *bench, const volume *v, const float *cells,
                          const float *coefficients, float **result)
{
    const size_t bytes = v->count * sizeof(float);
    const ww_devptr padding = (LINE - RADIUS) * sizeof(float);
    const ww_dim3 grid =
        ww__dim(ww__pieces((size_t)v->x, TILE_X), ww__pieces((size_t)v->y, TILE_Y));
    ww_devptr source, target;
    WW_TRY(ww__upload_symbol(bench, "stencil", coefficients, (RADIUS + 1) * sizeof *coefficients));
    WW_TRY(ww__buffer(bench, bytes + padding, &source));
    WW_TRY(ww__buffer(bench, bytes + padding, &target));
    source += padding;
    target += padding;
    WW_TRY(ww_device_write(bench->device, source, cells, bytes, bench->err));
    WW_TRY(ww_device_write(bench->device, target, cells, bytes, bench->err));
    for (int32_t i = 0; i < v->steps; i++) {
        WW_TRY(WW__LAUNCH(bench, "FiniteDifferencesKernel", grid, ww__dim(TILE_X, TILE_Y), 0,
                          &target, &source, &v->x, &v->y, &v->z));
        const ww_devptr swap = source;
        source = target;
        target = swap;
    }
    return ww__download(bench, source, bytes, result);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const struct {
        int32_t x, y, z, steps;
    } inputs[] = {{21, 19, 6, 2}, {64, 64, 64, 1}, {256, 128, 64, 1}, {376, 376, 376, 5}};
    static const float coefficients[RADIUS + 1] = {0.1f, 0.1f, 0.1f, 0.1f, 0.1f};
    volume v = {
        .x = inputs[size].x, .y = inputs[size].y, .z = inputs[size].z, .steps = inputs[size].steps};
    v.row = (size_t)v.x + 2 * RADIUS;
    v.plane = v.row * ((size_t)v.y + 2 * RADIUS);
    v.count = v.plane * ((size_t)v.z + 2 * RADIUS);

    float *cells, *next, *actual;
    WW_TRY(ww__host_array(bench, v.count, sizeof *cells, &cells));
    WW_TRY(ww__host_array(bench, v.count, sizeof *next, &next));
    for (size_t i = 0; i < v.count; i++) { /* the halo as well: it stays as it is */
        cells[i] = ww__random_float(bench, 0.0f, 1.0f);
    }
    WW_TRY(simulate(bench, &v, cells, coefficients, &actual));
    memcpy(next, cells, v.count * sizeof *cells);
    for (int32_t i = 0; i < v.steps; i++) {
        step_reference(&v, coefficients, cells, next);
        float *swap = cells;
        cells = next;
        next = swap;
    }
    return verify(bench, &v, actual, cells);
}

ww_status ww_fdtd3d_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "fdtd3d", &ww__ptx_fdtd3d, size, run, err);
}
