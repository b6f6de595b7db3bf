/* srad_v1.c - driver of the anisotropic diffusion (Yu and Acton, IEEE TIP 11(11), 2002) with
 * reductions on the device; the reference does the same steps in double precision. */
#include "workloads/support.h"

#include <math.h>

#define THREADS 512
#define LAMBDA  0.5f

typedef struct image {
    int32_t rows, columns, pixels, iterations;
    ww_devptr north, south, east, west; /* neighbours' indices, of rows and of columns */
    ww_devptr pixel, dn, ds, dw, de, c, sums, squares;
    unsigned ctas;
} image;

/* *out = device array of n indices i + step, kept within 0 .. n-1. */
static ww_status neighbours(ww__bench *bench, int32_t n, int32_t step, ww_devptr *out)
{
    int32_t *index = NULL;
    WW_TRY(ww__host_array(bench, (size_t)n, sizeof *index, &index));
    for (int32_t i = 0; i < n; i++) {
        const int32_t to = i + step;
        index[i] = to < 0 ? 0 : to >= n ? n - 1 : to;
    }
    return ww__upload(bench, index, (size_t)n * sizeof *index, out);
}

static ww_status make_device_image(ww__bench *bench, const float *pixels, image *m)
{
    const size_t bytes = (size_t)m->pixels * sizeof(float);
    ww_devptr *const arrays[] = {&m->dn, &m->ds, &m->dw, &m->de, &m->c, &m->sums, &m->squares};
    WW_TRY(neighbours(bench, m->rows, -1, &m->north));
    WW_TRY(neighbours(bench, m->rows, 1, &m->south));
    WW_TRY(neighbours(bench, m->columns, 1, &m->east));
    WW_TRY(neighbours(bench, m->columns, -1, &m->west));
    WW_TRY(ww__upload(bench, pixels, bytes, &m->pixel));
    for (size_t i = 0; i < WW_ARRAY_LEN(arrays); i++) {
        WW_TRY(ww__buffer(bench, bytes, arrays[i]));
    }
    m->ctas = ww__pieces((size_t)m->pixels, THREADS);
    return WW_OK;
}

/* *q0_squared = variance over squared mean, from reductions on the device. */
static ww_status speckle_scale(ww__bench *bench, const image *m, float *q0_squared)
{
    float sum, square;
    WW_TRY(WW__LAUNCH(bench, "prepare", ww__dim(m->ctas, 1), ww__dim(THREADS, 1), 0, &m->pixels,
                      &m->pixel, &m->sums, &m->squares));
    int32_t values = m->pixels;
    int32_t stride = 1;
    for (;;) {
        const unsigned ctas = ww__pieces((size_t)values, THREADS);
        WW_TRY(WW__LAUNCH(bench, "reduce", ww__dim(ctas, 1), ww__dim(THREADS, 1), 0, &values,
                          &stride, &m->sums, &m->squares));
        if (ctas == 1) {
            break;
        }
        values = (int32_t)ctas;
        stride *= THREADS;
    }
    WW_TRY(ww_device_read(bench->device, &sum, m->sums, sizeof sum, bench->err));
    WW_TRY(ww_device_read(bench->device, &square, m->squares, sizeof square, bench->err));
    const float mean = sum / (float)m->pixels;
    *q0_squared = (square / (float)m->pixels - mean * mean) / (mean * mean);
    return WW_OK;
}

static ww_status diffuse(ww__bench *bench, const image *m)
{
    const ww_dim3 grid = ww__dim(m->ctas, 1);
    const ww_dim3 block = ww__dim(THREADS, 1);
    const float lambda = LAMBDA;

    WW_TRY(WW__LAUNCH(bench, "extract", grid, block, 0, &m->pixels, &m->pixel));
    for (int32_t i = 0; i < m->iterations; i++) {
        float q0_squared;
        WW_TRY(speckle_scale(bench, m, &q0_squared));
        WW_TRY(WW__LAUNCH(bench, "srad", grid, block, 0, &m->rows, &m->columns, &m->pixels,
                          &m->north, &m->south, &m->east, &m->west, &m->dn, &m->ds, &m->dw, &m->de,
                          &q0_squared, &m->c, &m->pixel));
        WW_TRY(WW__LAUNCH(bench, "srad2", grid, block, 0, &lambda, &m->rows, &m->columns,
                          &m->pixels, &m->south, &m->east, &m->dn, &m->ds, &m->dw, &m->de, &m->c,
                          &m->pixel));
    }
    return WW_OK;
}

/* Value of the pixel at a row and a column moved onto the image. */
static double at(const double *p, const image *m, int32_t row, int32_t column)
{
    row = row < 0 ? 0 : row >= m->rows ? m->rows - 1 : row;
    column = column < 0 ? 0 : column >= m->columns ? m->columns - 1 : column;
    return p[row + m->rows * column];
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
    double sum = 0.0;
    double squares = 0.0;
    for (int32_t i = 0; i < m->pixels; i++) {
        sum += p[i];
        squares += p[i] * p[i];
    }
    const double mean = sum / m->pixels;
    const double q0 = (squares / m->pixels - mean * mean) / (mean * mean);
    for (int32_t i = 0; i < m->pixels; i++) {
        c[i] = coefficient(p, m, i % m->rows, i / m->rows, q0);
    }
    for (int32_t i = 0; i < m->pixels; i++) {
        const int32_t row = i % m->rows;
        const int32_t column = i / m->rows;
        const double flow = c[i] * (at(p, m, row - 1, column) - p[i]) +
                            c[i] * (at(p, m, row, column - 1) - p[i]) +
                            at(c, m, row + 1, column) * (at(p, m, row + 1, column) - p[i]) +
                            at(c, m, row, column + 1) * (at(p, m, row, column + 1) - p[i]);
        next[i] = p[i] + 0.25 * (double)LAMBDA * flow;
    }
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const struct {
        int32_t rows, columns, iterations;
    } inputs[] = {{45, 38, 1}, {128, 128, 4}, {502, 458, 1}, {502, 458, 100}};
    image m = {.rows = inputs[size].rows,
               .columns = inputs[size].columns,
               .pixels = inputs[size].rows * inputs[size].columns,
               .iterations = inputs[size].iterations};
    const size_t pixels = (size_t)m.pixels;

    float *pixel, *actual;
    double *expected, *next, *c;
    WW_TRY(ww__random_floats(bench, pixels, 0.0f, 255.0f, &pixel));
    WW_TRY(ww__host_array(bench, pixels, sizeof *expected, &expected));
    WW_TRY(ww__host_array(bench, pixels, sizeof *next, &next));
    WW_TRY(ww__host_array(bench, pixels, sizeof *c, &c));
    WW_TRY(make_device_image(bench, pixel, &m));
    WW_TRY(diffuse(bench, &m));
    WW_TRY(WW__LAUNCH(bench, "compress", ww__dim(m.ctas, 1), ww__dim(THREADS, 1), 0, &m.pixels,
                      &m.pixel));
    WW_TRY(ww__download(bench, m.pixel, pixels * sizeof *actual, &actual));

    for (size_t i = 0; i < pixels; i++) {
        expected[i] = exp((double)pixel[i] / 255.0);
    }
    for (int32_t i = 0; i < m.iterations; i++) {
        step_reference(&m, expected, c, next);
        double *swap = expected;
        expected = next;
        next = swap;
    }
    for (size_t i = 0; i < pixels; i++) {
        expected[i] = 255.0 * log(expected[i]);
    }
    /* Of 255. A step changes most pixels by whole units; single precision leaves 1e-4 after one,
     * 3e-3 after a hundred, and 9e-4 after one that begins with the sums of 230,000 pixels. */
    const double tolerance = 2e-4 + 5e-5 * m.iterations + 4e-9 * m.pixels;
    return ww__verify_floats(bench, "pixel", actual, expected, pixels, 0.0, tolerance);
}

ww_status ww_srad_v1_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "srad_v1", &ww__ptx_srad_v1, size, run, err);
}
