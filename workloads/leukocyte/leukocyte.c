/* leukocyte.c - driver of the cell detection and tracking kernels on generated pictures; the
 * references follow the definitions in double precision. */
#include "workloads/support.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MAX_RADII      7
#define MAX_ANGLES     150
#define MAX_ELEMENT    25
#define MAX_CELL       (41 * 81)
#define DILATE_THREADS 176
#define IMGVF_THREADS  320
#define PI             3.14159 /* the original's */
#define ROUNDING       1.2e-7  /* of a difference of two floats below 1: half an ulp each */

typedef struct cell {
    int32_t rows, columns, first;
} cell;

typedef struct input {
    int32_t rows, columns;                      /* of the frame */
    int32_t radii, first_radius, angles, reach; /* reach: of the dilation */
    int32_t cells;
    int32_t cell_rows, cell_columns; /* of the first; the others lose one row each, up to four */
    int32_t max_iterations;
    float cutoff; /* of the mean change */
    int32_t discs;
} input;

typedef struct detection {
    const input *in;
    int32_t margin;
    float *gradient_x, *gradient_y;
    float sine[MAX_ANGLES], cosine[MAX_ANGLES];
    int32_t x[MAX_RADII * MAX_ANGLES], y[MAX_RADII * MAX_ANGLES];
    float element[MAX_ELEMENT * MAX_ELEMENT];
} detection;

/* Bright discs on a noisy ground, then central differences. */
static ww_status make_gradients(ww__bench *bench, detection *d)
{
    const int32_t rows = d->in->rows;
    const int32_t columns = d->in->columns;
    const size_t count = (size_t)rows * (size_t)columns;
    float *image;
    WW_TRY(ww__random_floats(bench, count, 0.0f, 0.2f, &image));
    WW_TRY(ww__host_array(bench, count, sizeof *image, &d->gradient_x));
    WW_TRY(ww__host_array(bench, count, sizeof *image, &d->gradient_y));
    for (int32_t i = 0; i < d->in->discs; i++) {
        const int32_t row = (int32_t)ww__random_below(bench, (uint32_t)rows);
        const int32_t column = (int32_t)ww__random_below(bench, (uint32_t)columns);
        const int32_t radius = d->in->first_radius + (int32_t)ww__random_below(bench, 4);
        for (int32_t e = 0; e < rows * columns; e++) {
            const int32_t y = e % rows - row;
            const int32_t x = e / rows - column;
            image[e] += x * x + y * y <= radius * radius ? 0.7f : 0.0f;
        }
    }
    for (int32_t column = 1; column < columns - 1; column++) {
        for (int32_t row = 1; row < rows - 1; row++) {
            const int32_t e = column * rows + row;
            d->gradient_x[e] = 0.5f * (image[e + rows] - image[e - rows]);
            d->gradient_y[e] = 0.5f * (image[e + 1] - image[e - 1]);
        }
    }
    return WW_OK;
}

static void make_tables(detection *d)
{
    const input *in = d->in;
    for (int32_t n = 0; n < in->angles; n++) {
        const double angle = 2.0 * 3.14159265358979323846 * (double)n / (double)in->angles;
        d->sine[n] = (float)sin(angle);
        d->cosine[n] = (float)cos(angle);
        for (int32_t k = 0; k < in->radii; k++) {
            const float radius = (float)(in->first_radius + 2 * k);
            d->x[k * in->angles + n] = (int32_t)(radius * d->cosine[n]);
            d->y[k * in->angles + n] = (int32_t)(radius * d->sine[n]);
        }
    }
    const int32_t edge = 2 * in->reach + 1;
    for (int32_t e = 0; e < edge * edge; e++) {
        const int32_t y = e / edge - in->reach;
        const int32_t x = e % edge - in->reach;
        d->element[e] = x * x + y * y <= in->reach * in->reach ? 1.0f : 0.0f;
    }
}

/* The score of the pixel at element e. */
static double expected_score(const detection *d, int32_t e)
{
    const input *in = d->in;
    double best = 0.0;
    for (int32_t k = 0; k < in->radii; k++) {
        double outward[MAX_ANGLES];
        double sum = 0.0;
        double deviations = 0.0;
        for (int32_t n = 0; n < in->angles; n++) {
            const int32_t at = e + d->x[k * in->angles + n] * in->rows + d->y[k * in->angles + n];
            outward[n] = (double)d->gradient_x[at] * (double)d->cosine[n] +
                         (double)d->gradient_y[at] * (double)d->sine[n];
            sum += outward[n];
        }
        const double mean = sum / (double)in->angles;
        for (int32_t n = 0; n < in->angles; n++) {
            deviations += (outward[n] - mean) * (outward[n] - mean);
        }
        best = fmax(best, mean * mean / (deviations / (double)(in->angles - 1)));
    }
    return best;
}

static ww_status verify_score(ww__bench *bench, const detection *d, const float *score)
{
    const int32_t rows = d->in->rows;
    const int32_t columns = d->in->columns;
    double *expected;
    WW_TRY(ww__host_array(bench, (size_t)(rows * columns), sizeof *expected, &expected));
    for (int32_t column = d->margin; column < columns - d->margin; column++) {
        for (int32_t row = d->margin; row < rows - d->margin; row++) {
            expected[column * rows + row] = expected_score(d, column * rows + row);
        }
    }
    /* The mean of up to 150 values below 1 is good to 1e-6, and so is the score of a mean of zero;
     * the square doubles a relative error. */
    return ww__verify_floats(bench, "score", score, expected, (size_t)(rows * columns), 1e-4, 1e-5);
}

/* The score is column-major, the dilated one row-major. */
static ww_status verify_dilated(ww__bench *bench, const detection *d, const float *score,
                                const float *dilated)
{
    const int32_t rows = d->in->rows;
    const int32_t columns = d->in->columns;
    const int32_t reach = d->in->reach;
    double *expected;
    WW_TRY(ww__host_array(bench, (size_t)(rows * columns), sizeof *expected, &expected));
    for (int32_t e = 0; e < rows * columns; e++) {
        for (int32_t i = -reach; i <= reach; i++) {
            for (int32_t j = -reach; j <= reach; j++) {
                const int32_t y = e % rows + i;
                const int32_t x = e / rows + j;
                if (i * i + j * j <= reach * reach && y >= 0 && y < rows && x >= 0 && x < columns) {
                    double *at = &expected[e % rows * columns + e / rows];
                    *at = fmax(*at, (double)score[x * rows + y]);
                }
            }
        }
    }
    return ww__verify_floats(bench, "dilated score", dilated, expected, (size_t)(rows * columns),
                             0.0, 0.0);
}

static ww_status detect(ww__bench *bench, const input *in)
{
    detection d = {.in = in, .margin = in->first_radius + 2 * (in->radii - 1) + 2};
    WW_TRY(make_gradients(bench, &d));
    make_tables(&d);
    const size_t pixels = (size_t)in->rows * (size_t)in->columns;
    const size_t bytes = pixels * sizeof(float);
    const size_t points = (size_t)(in->radii * in->angles);
    const int32_t element_edge = 2 * in->reach + 1;

    ww_devptr gradient_x, gradient_y, device_score, device_dilated;
    WW_TRY(ww__upload(bench, d.gradient_x, bytes, &gradient_x));
    WW_TRY(ww__upload(bench, d.gradient_y, bytes, &gradient_y));
    WW_TRY(ww__buffer(bench, bytes, &device_score));
    WW_TRY(
        ww_device_memset(bench->device, device_score, 0, bytes, bench->err)); /* the border stays */
    WW_TRY(ww__buffer(bench, bytes, &device_dilated));
    WW_TRY(ww__upload_symbol(bench, "c_sin", d.sine, sizeof d.sine));
    WW_TRY(ww__upload_symbol(bench, "c_cos", d.cosine, sizeof d.cosine));
    WW_TRY(ww__upload_symbol(bench, "c_x", d.x, points * sizeof d.x[0]));
    WW_TRY(ww__upload_symbol(bench, "c_y", d.y, points * sizeof d.y[0]));
    WW_TRY(ww__upload_symbol(bench, "c_element", d.element, sizeof d.element));

    float *score, *dilated;
    WW_TRY(WW__LAUNCH(bench, "GICOV_kernel", ww__dim((unsigned)(in->columns - 2 * d.margin), 1),
                      ww__dim((unsigned)(in->rows - 2 * d.margin), 1), 0, &in->rows, &d.margin,
                      &in->radii, &in->angles, &gradient_x, &gradient_y, &device_score));
    WW_TRY(WW__LAUNCH(bench, "dilate_kernel", ww__dim(ww__pieces(pixels, DILATE_THREADS), 1),
                      ww__dim(DILATE_THREADS, 1), 0, &in->rows, &in->columns, &element_edge,
                      &device_score, &device_dilated));
    WW_TRY(ww__download(bench, device_score, bytes, &score));
    WW_TRY(ww__download(bench, device_dilated, bytes, &dilated));
    WW_TRY(verify_score(bench, &d, score));
    return verify_dilated(bench, &d, score, dilated);
}

/* A blurred ring on a noisy ground, about the cell's middle. */
static void draw_cell(ww__bench *bench, const cell *c, float *image)
{
    const int32_t radius = c->rows / 3;
    for (int32_t e = 0; e < c->rows * c->columns; e++) {
        const int32_t y = e / c->columns - c->rows / 2;
        const int32_t x = e % c->columns - c->columns / 2;
        const int32_t off = x * x + y * y - radius * radius;
        const float distance = (float)(off < 0 ? -off : off) / (float)(4 * radius);
        image[c->first + e] = (distance < 1.0f ? 0.8f * (1.0f - distance) : 0.0f) +
                              ww__random_float(bench, 0.0f, 0.2f);
    }
}

/* The new value of one pixel. */
static double flow_at(const cell *c, const float *image, const double *field, int32_t e)
{
    const int32_t row = e / c->columns;
    const int32_t column = e % c->columns;
    const double value = field[e];
    double flow = 0.0;
    for (int32_t dy = -1; dy <= 1; dy++) {
        for (int32_t dx = -1; dx <= 1; dx++) {
            int32_t y = row + dy;
            int32_t x = column + dx;
            y = y < 0 ? 0 : y >= c->rows ? c->rows - 1 : y;
            x = x < 0 ? 0 : x >= c->columns ? c->columns - 1 : x;
            const double difference = field[y * c->columns + x] - value;
            const double step = atan(difference * (double)(dx + dy) * 1e10) / PI + 0.5;
            flow += difference * step;
        }
    }
    const double smooth = value + 0.1 * flow;
    const double edge = (double)image[e];
    return smooth - 0.2 * edge * (smooth - edge);
}

/* Follows the device for as many iterations as it made, and checks that it was right to stop then.
 */
static ww_status verify_cell(ww__bench *bench, const cell *c, const float *image,
                             const float *actual, int32_t iterations, const input *in)
{
    double field[MAX_CELL], next[MAX_CELL];
    const int32_t pixels = c->rows * c->columns;
    for (int32_t e = 0; e < pixels; e++) {
        field[e] = (double)image[e];
    }
    double mean = 1.0; /* change of the iteration before */
    for (int32_t i = 0; i < iterations; i++) {
        if (!(mean >= (double)in->cutoff - ROUNDING)) {
            return ww_fail(bench->err, WW_EVERIFY,
                           "%s: %" PRId32 " iterations, expected %" PRId32 " to be enough",
                           bench->name, iterations, i);
        }
        mean = 0.0;
        for (int32_t e = 0; e < pixels; e++) {
            next[e] = flow_at(c, image, field, e);
            mean += fabs(next[e] - field[e]) / (double)pixels;
        }
        memcpy(field, next, (size_t)pixels * sizeof *field);
    }
    if (iterations < in->max_iterations && !(mean <= (double)in->cutoff + ROUNDING)) {
        return ww_fail(bench->err, WW_EVERIFY,
                       "%s: stopped after %" PRId32
                       " iterations at a change of %.3g, expected %.3g",
                       bench->name, iterations, mean, (double)in->cutoff);
    }
    return ww__verify_floats(bench, "field", actual, field, (size_t)pixels, 0.0, 1e-4);
}

static ww_status track(ww__bench *bench, const input *in)
{
    const float vx = 1.0f;
    const float vy = 1.0f;
    const size_t count = (size_t)in->cells;
    const size_t bytes = count * (size_t)(in->cell_rows * in->cell_columns) * sizeof(float);
    cell *cells;
    float *images, *fields;
    int32_t *iterations;
    WW_TRY(ww__host_array(bench, count, sizeof *cells, &cells));
    WW_TRY(ww__host_array(bench, bytes, 1, &images));
    for (int32_t i = 0, first = 0; i < in->cells; i++) {
        cells[i] = (cell){in->cell_rows - i % 5, in->cell_columns, first};
        draw_cell(bench, &cells[i], images);
        first += cells[i].rows * cells[i].columns;
    }

    ww_devptr device_cells, device_images, device_fields, device_iterations;
    WW_TRY(ww__upload(bench, cells, count * sizeof *cells, &device_cells));
    WW_TRY(ww__upload(bench, images, bytes, &device_images));
    WW_TRY(ww__upload(bench, images, bytes, &device_fields));
    WW_TRY(ww__buffer(bench, count * sizeof *iterations, &device_iterations));
    WW_TRY(WW__LAUNCH(bench, "IMGVF_kernel", ww__dim((unsigned)in->cells, 1),
                      ww__dim(IMGVF_THREADS, 1), 0, &device_cells, &device_images, &device_fields,
                      &vx, &vy, &in->cutoff, &in->max_iterations, &device_iterations));
    WW_TRY(ww__download(bench, device_fields, bytes, &fields));
    WW_TRY(ww__download(bench, device_iterations, count * sizeof *iterations, &iterations));
    for (size_t i = 0; i < count; i++) {
        const int32_t first = cells[i].first;
        WW_TRY(verify_cell(bench, &cells[i], &images[first], &fields[first], iterations[i], in));
    }
    return WW_OK;
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const input inputs[] = {
        {.rows = 49,
         .columns = 19,
         .radii = 2,
         .first_radius = 4,
         .angles = 16,
         .reach = 2,
         .cells = 2,
         .cell_rows = 9,
         .cell_columns = 45,
         .max_iterations = 3,
         .cutoff = 0.02f,
         .discs = 2},
        {.rows = 84,
         .columns = 40,
         .radii = 3,
         .first_radius = 4,
         .angles = 50,
         .reach = 4,
         .cells = 2,
         .cell_rows = 41,
         .cell_columns = 81,
         .max_iterations = 3,
         .cutoff = 0.001f,
         .discs = 4},
        {.rows = 219,
         .columns = 640,
         .radii = 2,
         .first_radius = 4,
         .angles = 16,
         .reach = 2,
         .cells = 120,
         .cell_rows = 21,
         .cell_columns = 41,
         .max_iterations = 3,
         .cutoff = 0.001f,
         .discs = 36},
        {.rows = 219,
         .columns = 640,
         .radii = 7,
         .first_radius = 8,
         .angles = 150,
         .reach = 12,
         .cells = 36,
         .cell_rows = 41,
         .cell_columns = 81,
         .max_iterations = 500,
         .cutoff = 0.00001f,
         .discs = 36},
    };
    WW_TRY(detect(bench, &inputs[size]));
    return track(bench, &inputs[size]);
}

ww_status ww_leukocyte_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "leukocyte", &ww__ptx_leukocyte, size, run, err);
}
