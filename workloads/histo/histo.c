/* histo.c - driver of the large saturating histogram: bins scattered about a centre, a few
 * anywhere. The reference counts up to 255. */
#include "workloads/support.h"

#define RANGE       24576 /* bins whose counters fit shared memory */
#define ROWS        16
#define MOST        255
#define PRESCAN_CTA 512
#define MAIN_CTA    768
#define FINAL_CTA   512

typedef struct input {
    int32_t width, height;
    int32_t ranges; /* of bins */
    float spread;   /* standard deviation, bins */
    uint32_t stray; /* one in so many pixels is any bin */
    int32_t iterations;
    unsigned prescan_ctas, main_ctas, final_ctas;
} input;

typedef struct buffers {
    ww_devptr image, minmax, mappings, partials, histogram, overflow, result;
} buffers;

/* Rows of an even number of words, the centre in the last where it is none of the image. Twelve
 * uniform numbers add up to a nearly normal one. */
static ww_status make_image(ww__bench *bench, const input *in, uint32_t **out)
{
    const int32_t pitch = (in->width + 1) / 2 * 2;
    const int32_t bins = in->ranges * RANGE;
    const int32_t centre = bins / 8 * 5;
    uint32_t *image;
    WW_TRY(ww__host_array(bench, (size_t)pitch * (size_t)in->height, sizeof *image, &image));
    for (int32_t y = 0; y < in->height; y++) {
        image[y * pitch + pitch - 1] = (uint32_t)centre;
        for (int32_t x = 0; x < in->width; x++) {
            float sum = 0.0f;
            for (int i = 0; i < 12; i++) {
                sum += ww__random_float(bench, -0.5f, 0.5f);
            }
            int32_t bin = centre + (int32_t)(sum * in->spread);
            if (ww__random_below(bench, in->stray) == 0) {
                bin = (int32_t)ww__random_below(bench, (uint32_t)bins);
            }
            image[y * pitch + x] = (uint32_t)(bin < 0 ? 0 : bin >= bins ? bins - 1 : bin);
        }
    }
    *out = image;
    return WW_OK;
}

static ww_status make_buffers(ww__bench *bench, const input *in, const uint32_t *image, buffers *b)
{
    const size_t bins = (size_t)in->ranges * RANGE;
    const size_t words = (size_t)((in->width + 1) / 2 * 2) * (size_t)in->height;
    WW_TRY(ww__upload(bench, image, words * sizeof *image, &b->image));
    WW_TRY(ww__buffer(bench, 2 * sizeof(uint32_t), &b->minmax));
    WW_TRY(ww__buffer(bench, (size_t)in->width * (size_t)in->height * 4, &b->mappings));
    WW_TRY(ww__buffer(bench, in->main_ctas * bins, &b->partials));
    WW_TRY(ww__buffer(bench, bins * sizeof(uint16_t), &b->histogram));
    WW_TRY(ww__buffer(bench, bins * sizeof(uint32_t), &b->overflow));
    WW_TRY(ww__buffer(bench, bins, &b->result));
    WW_TRY(ww_device_memset(bench->device, b->histogram, 0, bins * sizeof(uint16_t), bench->err));
    return ww_device_memset(bench->device, b->overflow, 0, bins * sizeof(uint32_t), bench->err);
}

static ww_status iterate(ww__bench *bench, const input *in, const buffers *b)
{
    static const uint32_t none[2] = {UINT32_MAX, 0};
    const int32_t pitch = (in->width + 1) / 2;
    const int32_t pitched = 2 * pitch * in->height;
    const int32_t pixels = in->width * in->height;
    const int32_t bins = in->ranges * RANGE;
    const int32_t partials = (int32_t)in->main_ctas;
    uint32_t found[2];

    WW_TRY(ww_device_write(bench->device, b->minmax, none, sizeof none, bench->err));
    WW_TRY(WW__LAUNCH(bench, "histo_prescan_kernel", ww__dim(in->prescan_ctas, 1),
                      ww__dim(PRESCAN_CTA, 1), 0, &b->image, &pitched, &b->minmax));
    WW_TRY(ww_device_read(bench->device, found, b->minmax, sizeof found, bench->err));
    const uint32_t most = (uint32_t)in->ranges - 1;
    const int32_t first = (int32_t)(found[0] < most ? found[0] : most);
    const int32_t last = (int32_t)(found[1] < most ? found[1] : most);
    const unsigned ranges = last >= first ? (unsigned)(last - first + 1) : 1;

    WW_TRY(WW__LAUNCH(bench, "histo_intermediates_kernel",
                      ww__dim(ww__pieces((size_t)in->height, ROWS), 1), ww__dim((unsigned)pitch, 1),
                      0, &b->image, &in->height, &in->width, &pitch, &b->mappings));
    WW_TRY(WW__LAUNCH(bench, "histo_main_kernel", ww__dim(in->main_ctas, ranges),
                      ww__dim(MAIN_CTA, 1), 0, &b->mappings, &pixels, &first, &last, &b->partials,
                      &b->histogram, &b->overflow));
    return WW__LAUNCH(bench, "histo_final_kernel", ww__dim(in->final_ctas, 1),
                      ww__dim(FINAL_CTA, 1), 0, &first, &last, &bins, &partials, &b->partials,
                      &b->histogram, &b->overflow, &b->result);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const input inputs[] = {{63, 24, 2, 0.9f, 500, 1, 2, 2, 3},
                                   {320, 256, 4, 1000.0f, 16384, 1, 64, 14, 42},
                                   {128, 7680, 4, 1000.0f, 16384, 1, 180, 40, 120},
                                   {996, 1040, 4, 1000.0f, 16384, 20, 64, 14, 42}};
    const input in = inputs[size];
    const size_t bins = (size_t)in.ranges * RANGE;

    uint32_t *image;
    buffers b;
    WW_TRY(make_image(bench, &in, &image));
    WW_TRY(make_buffers(bench, &in, image, &b));
    for (int32_t i = 0; i < in.iterations; i++) {
        WW_TRY(iterate(bench, &in, &b));
    }
    uint8_t *counts;
    int32_t *actual, *expected;
    WW_TRY(ww__download(bench, b.result, bins, &counts));
    WW_TRY(ww__host_array(bench, bins, sizeof *actual, &actual));
    WW_TRY(ww__host_array(bench, bins, sizeof *expected, &expected));
    for (int32_t y = 0; y < in.height; y++) {
        for (int32_t x = 0; x < in.width; x++) {
            expected[image[y * ((in.width + 1) / 2 * 2) + x]]++;
        }
    }
    for (size_t i = 0; i < bins; i++) {
        actual[i] = counts[i];
        expected[i] = expected[i] < MOST ? expected[i] : MOST;
    }
    return ww__verify_ints(bench, "bin", actual, expected, bins);
}

ww_status ww_histo_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "histo", &ww__ptx_histo, size, run, err);
}
