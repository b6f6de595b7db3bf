/* srad_v2.c - driver of the tiled anisotropic diffusion (Yu and Acton, IEEE TIP 11(11), 2002); the
 * reference does the same steps in double precision. */
#include "workloads/support.h"

#include <math.h>

#define EDGE 16 /* of a tile */
#define REGION                                                                                     \
    128 /* rows and columns of the region whose statistics scale the diffusion, at most */
#define LAMBDA 0.5f

typedef struct image {
    int32_t rows, columns, region_rows, region_columns;
} image;

/* Variance over squared mean of the region. */
static double speckle_scale(const image *m, const double *p)
{
    const double count = (double)m->region_rows * m->region_columns;
    double sum = 0.0;
    double squares = 0.0;
    for (int32_t y = 0; y < m->region_rows; y++) {
        for (int32_t x = 0; x < m->region_columns; x++) {
            const double v = p[y * m->columns + x];
            sum += v;
            squares += v * v;
        }
    }
    const double mean = sum / count;
    return (squares / count - mean * mean) / (mean * mean);
}

/* Iterations on the device; scratch has room for the image in double precision. */
static ww_status diffuse(ww__bench *bench, const image *m, const float *pixel, int32_t iterations,
                         double *scratch, float **out)
{
    const size_t pixels = (size_t)m->rows * (size_t)m->columns;
    const size_t bytes = pixels * sizeof(float);
    const ww_dim3 grid = ww__dim((unsigned)m->columns / EDGE, (unsigned)m->rows / EDGE);
    const ww_dim3 block = ww__dim(EDGE, EDGE);
    const float lambda = LAMBDA;
    ww_devptr image_d, c, d[4]; /* differences east, west, north, south */
    float *now = NULL;

    WW_TRY(ww__upload(bench, pixel, bytes, &image_d));
    WW_TRY(ww__buffer(bench, bytes, &c));
    for (size_t k = 0; k < WW_ARRAY_LEN(d); k++) {
        WW_TRY(ww__buffer(bench, bytes, &d[k]));
    }
    for (int32_t i = 0; i < iterations; i++) {
        WW_TRY(ww__download(bench, image_d, bytes, &now));
        for (size_t k = 0; k < pixels; k++) {
            scratch[k] = (double)now[k];
        }
        const float q0_squared = (float)speckle_scale(m, scratch);
        WW_TRY(WW__LAUNCH(bench, "srad_cuda_1", grid, block, 0, &d[0], &d[1], &d[2], &d[3],
                          &image_d, &c, &m->columns, &q0_squared));
        WW_TRY(WW__LAUNCH(bench, "srad_cuda_2", grid, block, 0, &d[0], &d[1], &d[2], &d[3],
                          &image_d, &c, &m->columns, &lambda));
    }
    return ww__download(bench, image_d, bytes, out);
}

/* Value at a row and a column moved onto the image. */
static double at(const double *p, const image *m, int32_t row, int32_t column)
{
    row = row < 0 ? 0 : row >= m->rows ? m->rows - 1 : row;
    column = column < 0 ? 0 : column >= m->columns ? m->columns - 1 : column;
    return p[row * m->columns + column];
}

/* Diffusion coefficient of Yu and Acton, eq. 33 to 35. */
static double coefficient(const double *p, const image *m, int32_t row, int32_t column, double q0)
{
    const double here = at(p, m, row, column);
    const double d[] = {at(p, m, row - 1, column) - here, at(p, m, row + 1, column) - here,
                        at(p, m, row, column - 1) - here, at(p, m, row, column + 1) - here};
    double squares = 0.0;
    double sum = 0.0;
    for (size_t k = 0; k < WW_ARRAY_LEN(d); k++) {
        squares += d[k] * d[k];
        sum += d[k];
    }
    const double l = sum / here;
    const double q =
        (0.5 * squares / (here * here) - l * l / 16.0) / ((1.0 + l / 4.0) * (1.0 + l / 4.0));
    const double c = 1.0 / (1.0 + (q - q0) / (q0 * (1.0 + q0)));
    return c < 0.0 ? 0.0 : c > 1.0 ? 1.0 : c;
}

static void step_reference(const image *m, const double *p, double *c, double *next)
{
    const double q0 = speckle_scale(m, p);
    for (int32_t y = 0; y < m->rows; y++) {
        for (int32_t x = 0; x < m->columns; x++) {
            c[y * m->columns + x] = coefficient(p, m, y, x, q0);
        }
    }
    for (int32_t y = 0; y < m->rows; y++) {
        for (int32_t x = 0; x < m->columns; x++) {
            const int32_t i = y * m->columns + x;
            const double flow = c[i] * (at(p, m, y - 1, x) - p[i]) +
                                c[i] * (at(p, m, y, x - 1) - p[i]) +
                                at(c, m, y + 1, x) * (at(p, m, y + 1, x) - p[i]) +
                                at(c, m, y, x + 1) * (at(p, m, y, x + 1) - p[i]);
            next[i] = p[i] + 0.25 * (double)LAMBDA * flow;
        }
    }
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const struct {
        int32_t rows, columns, iterations;
    } inputs[] = {{48, 32, 2}, {128, 128, 4}, {512, 512, 2}, {2048, 2048, 2}};
    const image m = {.rows = inputs[size].rows,
                     .columns = inputs[size].columns,
                     .region_rows = inputs[size].rows < REGION ? inputs[size].rows / 2 : REGION,
                     .region_columns =
                         inputs[size].columns < REGION ? inputs[size].columns / 2 : REGION};
    const size_t pixels = (size_t)m.rows * (size_t)m.columns;

    float *pixel, *actual;
    double *expected, *next, *c;
    WW_TRY(ww__random_floats(bench, pixels, 0.0f, 1.0f, &pixel));
    WW_TRY(ww__host_array(bench, pixels, sizeof *expected, &expected));
    WW_TRY(ww__host_array(bench, pixels, sizeof *next, &next));
    WW_TRY(ww__host_array(bench, pixels, sizeof *c, &c));
    for (size_t i = 0; i < pixels; i++) {
        pixel[i] = 1.0f + 1.71828f * pixel[i] * pixel[i]; /* 1 to e; the benchmark has e^x */
    }
    WW_TRY(diffuse(bench, &m, pixel, inputs[size].iterations, next, &actual));

    for (size_t i = 0; i < pixels; i++) {
        expected[i] = (double)pixel[i];
    }
    for (int32_t i = 0; i < inputs[size].iterations; i++) {
        step_reference(&m, expected, c, next);
        double *swap = expected;
        expected = next;
        next = swap;
    }
    /* A step changes most pixels by percents; single precision leaves 2e-7. */
    return ww__verify_floats(bench, "pixel", actual, expected, pixels, 1e-6, 0.0);
}

ww_status ww_srad_v2_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "srad_v2", &ww__ptx_srad_v2, size, run, err);
}
