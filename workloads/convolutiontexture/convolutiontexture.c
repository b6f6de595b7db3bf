/* convolutiontexture.c - driver of the separable filter through a texture.
 * Pixels and taps are small integers, so that every sum is exact in float and in any order. */
#include "workloads/support.h"

#define RADIUS 8
#define TAPS   (2 * RADIUS + 1)
#define EDGE   16 /* of a CTA */

/* Convolution along x (dx = 1, dy = 0) or y; pixels beyond an edge are those at it. */
static void convolve(const double *in, int32_t width, int32_t height, int32_t dx, int32_t dy,
                     const float *taps, double *out)
{
    for (int32_t y = 0; y < height; y++) {
        for (int32_t x = 0; x < width; x++) {
            double sum = 0.0;
            for (int32_t t = 0; t < TAPS; t++) {
                int32_t u = x + (RADIUS - t) * dx;
                int32_t v = y + (RADIUS - t) * dy;
                u = u < 0 ? 0 : u >= width ? width - 1 : u;
                v = v < 0 ? 0 : v >= height ? height - 1 : v;
                sum += (double)taps[t] * in[v * width + u];
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

static ww_status verify(ww__bench *bench, const float *image, const float *taps, int32_t width,
                        int32_t height, const float *rows, const float *columns)
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
    static const int32_t widths[] = {83, 384, 768, 3072};
    static const int32_t heights[] = {45, 384, 512, 1536};
    const int32_t width = widths[size];
    const int32_t height = heights[size];
    const size_t count = (size_t)width * (size_t)height;
    const size_t bytes = count * sizeof(float);
    const ww_dim3 grid = ww__dim(ww__pieces((size_t)width, EDGE), ww__pieces((size_t)height, EDGE));
    const ww_dim3 block = ww__dim(EDGE, EDGE);

    float *image, *taps, *rows, *columns;
    ww_devptr source, out;
    uint64_t handle;
    WW_TRY(random_integers(bench, count, &image));
    WW_TRY(random_integers(bench, TAPS, &taps));
    WW_TRY(ww__upload_symbol(bench, "c_Kernel", taps, TAPS * sizeof *taps));
    WW_TRY(ww__upload(bench, image, bytes, &source));
    WW_TRY(ww__buffer(bench, bytes, &out));
    const ww_texture texture = {.address = source,
                                .width = (uint32_t)width,
                                .height = (uint32_t)height,
                                .pitch = (uint64_t)width * sizeof(float),
                                .blocks = true,
                                .channels = 1,
                                .channel_bits = 32,
                                .channel = WW_TEX_FLOAT,
                                .mode = {WW_TEX_CLAMP, WW_TEX_CLAMP}};
    WW_TRY(ww__texture(bench, &texture, &handle));
    WW_TRY(
        WW__LAUNCH(bench, "convolutionRowsKernel", grid, block, 0, &out, &width, &height, &handle));
    WW_TRY(ww__download(bench, out, bytes, &rows));
    WW_TRY(ww_device_write(bench->device, source, rows, bytes, bench->err));
    WW_TRY(WW__LAUNCH(bench, "convolutionColumnsKernel", grid, block, 0, &out, &width, &height,
                      &handle));
    WW_TRY(ww__download(bench, out, bytes, &columns));
    return verify(bench, image, taps, width, height, rows, columns);
}

ww_status ww_convolutiontexture_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "convolutiontexture", &ww__ptx_convolutiontexture, size, run, err);
}
