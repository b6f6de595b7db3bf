/* convolutionseparable.c - driver of the separable convolution.
 * Pixels and taps are small integers, so that every sum is exact in float and in any order. */
#include "workloads/support.h"

#define RADIUS 8
#define TAPS   (2 * RADIUS + 1)
#define STEPS  8 /* outputs per thread */

/* Convolution along x (dx = 1, dy = 0) or y with zeros outside the image. */
static void convolve(const double *in, int width, int height, int dx, int dy, const float *taps,
                     double *out)
{
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            double sum = 0.0;
            for (int j = -RADIUS; j <= RADIUS; j++) {
                int px = x + j * dx;
                int py = y + j * dy;
                if (px >= 0 && px < width && py >= 0 && py < height) {
                    sum += (double)taps[RADIUS - j] * in[py * width + px];
                }
            }
            out[y * width + x] = sum;
        }
    }
}

static ww_status random_integers(ww__bench *bench, size_t n, float **out)
{
    float *array = NULL;
    WW_TRY(ww__host_array(bench, n, sizeof *array, &array));
    for (size_t i = 0; i < n; i++) {
        array[i] = (float)ww__random_below(bench, 16);
    }
    *out = array;
    return WW_OK;
}

static ww_status verify(ww__bench *bench, const float *image, const float *taps, int width,
                        int height, const float *rows, const float *columns)
{
    const size_t count = (size_t)width * (size_t)height;
    double *exact, *expected_rows, *expected_columns;
    WW_TRY(ww__host_array(bench, count, sizeof *exact, &exact));
    WW_TRY(ww__host_array(bench, count, sizeof *exact, &expected_rows));
    WW_TRY(ww__host_array(bench, count, sizeof *exact, &expected_columns));
    for (size_t i = 0; i < count; i++) {
        exact[i] = (double)image[i];
    }
    convolve(exact, width, height, 1, 0, taps, expected_rows);
    convolve(expected_rows, width, height, 0, 1, taps, expected_columns);
    WW_TRY(ww__verify_floats(bench, "rows", rows, expected_rows, count, 0.0, 0.0));
    return ww__verify_floats(bench, "columns", columns, expected_columns, count, 0.0, 0.0);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    /* Widths are multiples of a CTA's 16 * 8 outputs, heights of 8 * 8. */
    static const int32_t widths[] = {256, 512, 1024, 3072};
    static const int32_t heights[] = {64, 512, 1024, 3072};
    const int32_t width = widths[size];
    const int32_t height = heights[size];
    const size_t bytes = (size_t)width * (size_t)height * sizeof(float);

    float *image, *taps, *rows, *columns;
    WW_TRY(random_integers(bench, (size_t)width * (size_t)height, &image));
    WW_TRY(random_integers(bench, TAPS, &taps));

    ww_devptr device_image, device_rows, device_columns;
    WW_TRY(ww__upload_symbol(bench, "c_Kernel", taps, TAPS * sizeof *taps));
    WW_TRY(ww__upload(bench, image, bytes, &device_image));
    WW_TRY(ww__buffer(bench, bytes, &device_rows));
    WW_TRY(ww__buffer(bench, bytes, &device_columns));
    WW_TRY(WW__LAUNCH(bench, "convolutionRowsKernel",
                      ww__dim((unsigned)width / (16 * STEPS), (unsigned)height / 4), ww__dim(16, 4),
                      0, &device_rows, &device_image, &width, &width));
    WW_TRY(WW__LAUNCH(bench, "convolutionColumnsKernel",
                      ww__dim((unsigned)width / 16, (unsigned)height / (8 * STEPS)), ww__dim(16, 8),
                      0, &device_columns, &device_rows, &height, &width));
    WW_TRY(ww__download(bench, device_rows, bytes, &rows));
    WW_TRY(ww__download(bench, device_columns, bytes, &columns));
    return verify(bench, image, taps, width, height, rows, columns);
}

ww_status ww_convolutionseparable_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "convolutionseparable", &ww__ptx_convolutionseparable, size, run,
                         err);
}
