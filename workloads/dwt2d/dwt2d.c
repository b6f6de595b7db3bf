/* dwt2d.c - driver of the wavelet transform (ITU-T T.800, annex F, reversible 5/3); the reference
 * transforms whole columns, then whole rows. */
#include "workloads/support.h"

#include <string.h>

#define COMPONENTS 3
#define COPY       256 /* pixels per CTA of the copy */
#define LEVELS     3
#define WINDOW     8 /* rows per step of a transform's CTA */

typedef struct plan {
    int32_t width, height;
    unsigned threads[LEVELS]; /* per CTA: 192, 128 or 64 */
    int32_t rows[LEVELS];     /* most that a CTA slides over */
} plan;

/* A coarse texture, slopes and noise; three bytes per pixel, up to whole CTAs of the copy. */
static ww_status make_image(ww__bench *bench, const plan *p, size_t bytes, uint8_t **out)
{
    uint8_t *image = NULL;
    WW_TRY(ww__host_array(bench, bytes, 1, &image));
    for (int32_t y = 0; y < p->height; y++) {
        for (int32_t x = 0; x < p->width; x++) {
            for (int32_t c = 0; c < COMPONENTS; c++) {
                const int32_t slope = 100 * x / p->width + 60 * (c + 1) * y / p->height / 2;
                const int32_t texture = ((x / 7) ^ (y / 5)) % 3 * 10;
                const uint32_t noise = ww__random_below(bench, 40);
                image[(y * p->width + x) * COMPONENTS + c] =
                    (uint8_t)((uint32_t)(slope + texture) + noise);
            }
        }
    }
    *out = image;
    return WW_OK;
}

/* ---- reference ---- */

static int32_t floor_half(int32_t v, int32_t halvings)
{
    const int32_t divisor = 1 << halvings;
    const int32_t rest = ((v % divisor) + divisor) % divisor;
    return (v - rest) / divisor;
}

/* Low part of n samples into the first half of out, high part behind; the sample beyond an end is
 * the one before it. */
static void transform_line(const int32_t *in, int32_t n, int32_t stride, int32_t *line,
                           int32_t *out)
{
    for (int32_t i = 0; i < n; i++) {
        line[i] = in[i * stride];
    }
    for (int32_t i = 1; i < n; i += 2) {
        line[i] -= floor_half(line[i - 1] + line[i + 1 < n ? i + 1 : i - 1], 1);
    }
    for (int32_t i = 0; i < n && n > 1; i += 2) {
        const int32_t before = line[i > 0 ? i - 1 : 1];
        const int32_t behind = line[i + 1 < n ? i + 1 : i - 1];
        line[i] += floor_half(before + behind + 2, 2);
    }
    for (int32_t i = 0; i < n; i++) {
        out[(i % 2 == 0 ? i / 2 : (n + 1) / 2 + i / 2) * stride] = line[i];
    }
}

/* One level; the result's quarters lie at the corners of out. */
static void transform_level(int32_t *image, int32_t width, int32_t height, int32_t *line,
                            int32_t *out)
{
    for (int32_t x = 0; x < width; x++) {
        transform_line(&image[x], height, width, line, &out[x]);
    }
    memcpy(image, out, (size_t)width * (size_t)height * sizeof *image);
    for (int32_t y = 0; y < height; y++) {
        transform_line(&image[y * width], width, 1, line, &out[y * width]);
    }
}

/* *out = sub-bands one behind the other, the last level's first, as the kernel leaves them. */
static ww_status reference(ww__bench *bench, const plan *p, const uint8_t *pixels,
                           int32_t component, int32_t *out)
{
    const size_t count = (size_t)p->width * (size_t)p->height;
    int32_t *image, *quarters, *line;
    WW_TRY(ww__host_array(bench, count, sizeof *image, &image));
    WW_TRY(ww__host_array(bench, count, sizeof *quarters, &quarters));
    WW_TRY(ww__host_array(bench, (size_t)(p->width + p->height), sizeof *line, &line));
    for (size_t i = 0; i < count; i++) {
        image[i] = pixels[i * COMPONENTS + (size_t)component] - 128;
    }
    int32_t width = p->width;
    int32_t height = p->height;
    for (int32_t level = 0; level < LEVELS; level++) {
        transform_level(image, width, height, line, quarters);
        const int32_t low_columns = (width + 1) / 2;
        const int32_t low_rows = (height + 1) / 2;
        int32_t *to = out;
        for (int quarter = 0; quarter < 4; quarter++) {
            const int32_t x0 = quarter % 2 == 0 ? 0 : low_columns;
            const int32_t x1 = quarter % 2 == 0 ? low_columns : width;
            for (int32_t y = quarter < 2 ? 0 : low_rows; y < (quarter < 2 ? low_rows : height);
                 y++) {
                for (int32_t x = x0; x < x1; x++) {
                    *to++ = quarters[y * width + x];
                }
            }
        }
        width = low_columns;
        height = low_rows;
        memcpy(image, out, (size_t)width * (size_t)height * sizeof *image);
    }
    return WW_OK;
}

/* ---- device ---- */

/* All levels of one component; each takes the low part of the one before, copied. */
static ww_status transform(ww__bench *bench, const plan *p, ww_devptr in, ww_devptr out)
{
    int32_t width = p->width;
    int32_t height = p->height;
    for (int32_t level = 0; level < LEVELS; level++) {
        const unsigned threads = p->threads[level];
        const char *kernel = threads == 192   ? "fdwt53Kernel192"
                             : threads == 128 ? "fdwt53Kernel128"
                                              : "fdwt53Kernel64";
        const unsigned sweeps = ww__pieces((size_t)height, (size_t)p->rows[level]);
        const int32_t steps = (int32_t)ww__pieces((size_t)height, sweeps * WINDOW);
        const ww_dim3 grid = ww__dim(ww__pieces((size_t)width, threads),
                                     ww__pieces((size_t)height, (size_t)steps * WINDOW));
        WW_TRY(WW__LAUNCH(bench, kernel, grid, ww__dim(threads, 1), 0, &in, &out, &width, &height,
                          &steps));
        width = (width + 1) / 2;
        height = (height + 1) / 2;
        WW_TRY(ww__copy(bench, in, out, (size_t)width * (size_t)height * sizeof(int32_t)));
    }
    return WW_OK;
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    /* The small image reaches every kernel, CTAs amid others and CTAs of two steps. */
    static const plan inputs[] = {{130, 17, {64, 128, 192}, {8, 16, 8}},
                                  {256, 256, {64, 64, 64}, {120, 120, 120}},
                                  {1024, 1024, {64, 64, 64}, {32, 32, 32}},
                                  {1024, 1024, {192, 128, 64}, {120, 120, 120}}};
    const plan *p = &inputs[size];
    const size_t count = (size_t)p->width * (size_t)p->height;
    const unsigned ctas = ww__pieces(count, COPY);
    const int32_t pixels = (int32_t)count;

    uint8_t *image;
    ww_devptr bytes, components[COMPONENTS], out[COMPONENTS];
    WW_TRY(make_image(bench, p, (size_t)ctas * COPY * COMPONENTS, &image));
    WW_TRY(ww__upload(bench, image, (size_t)ctas * COPY * COMPONENTS, &bytes));
    for (int c = 0; c < COMPONENTS; c++) {
        WW_TRY(ww__buffer(bench, count * sizeof(int32_t), &components[c]));
        WW_TRY(ww__buffer(bench, count * sizeof(int32_t), &out[c]));
    }
    WW_TRY(WW__LAUNCH(bench, "c_CopySrcToComponents", ww__dim(ctas, 1), ww__dim(COPY, 1), 0,
                      &components[0], &components[1], &components[2], &bytes, &pixels));
    for (int c = 0; c < COMPONENTS; c++) {
        WW_TRY(transform(bench, p, components[c], out[c]));
    }
    for (int32_t c = 0; c < COMPONENTS; c++) {
        int32_t *actual, *expected;
        WW_TRY(ww__download(bench, out[c], count * sizeof *actual, &actual));
        WW_TRY(ww__host_array(bench, count, sizeof *expected, &expected));
        WW_TRY(reference(bench, p, image, c, expected));
        WW_TRY(ww__verify_ints(bench, "coefficient", actual, expected, count));
    }
    return WW_OK;
}

ww_status ww_dwt2d_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "dwt2d", &ww__ptx_dwt2d, size, run, err);
}
