/* imghisto.c - driver of the image histogram; the reference counts. */
#include "workloads/support.h"

#define BINS         256
#define LEVELS       4096 /* of a pixel */
#define SPOTS        8
#define SHARED_BYTES 49152

/* A smooth image: spots of light whose brightness falls with the square of the distance, and noise.
 */
static ww_status make_image(ww__bench *bench, uint32_t width, uint32_t height, uint32_t **out)
{
    float x[SPOTS], y[SPOTS], radius[SPOTS], light[SPOTS];
    uint32_t *image;
    WW_TRY(ww__host_array(bench, (size_t)width * height, sizeof *image, &image));
    for (int i = 0; i < SPOTS; i++) {
        x[i] = ww__random_float(bench, 0.0f, (float)width);
        y[i] = ww__random_float(bench, 0.0f, (float)height);
        radius[i] = ww__random_float(bench, 0.05f, 0.3f) * (float)width;
        light[i] = ww__random_float(bench, 300.0f, 3000.0f);
    }
    for (size_t p = 0; p < (size_t)width * height; p++) {
        float sum = 200.0f;
        for (int i = 0; i < SPOTS; i++) {
            const float dx = ((float)(p % width) - x[i]) / radius[i];
            const float dy = ((float)(p / width) - y[i]) / radius[i];
            sum += light[i] / (1.0f + dx * dx + dy * dy);
        }
        for (int i = 0; i < 4; i++) {
            sum += ww__random_float(bench, -25.0f, 25.0f);
        }
        image[p] = sum < 0.0f ? 0 : sum > (float)(LEVELS - 1) ? LEVELS - 1 : (uint32_t)sum;
    }
    *out = image;
    return WW_OK;
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    /* std: two CTAs for each of 15 SMs, default: ten, as the original launches them. Every one has
     * as many copies as fit 48 KiB. */
    static const struct {
        uint32_t width, height, ctas, threads;
    } inputs[] = {{131, 125, 2, 512},
                  {1024, 1024, 30, 1024},
                  {2048, 2048, 150, 1024},
                  {1536, 1024, 150, 1024}};
    const size_t pixels = (size_t)inputs[size].width * inputs[size].height;
    const int32_t count = (int32_t)pixels;
    const int32_t bins = BINS;
    const size_t copy_bytes = (BINS + 1) * sizeof(uint32_t);
    const int32_t copies = (int32_t)(SHARED_BYTES / copy_bytes);

    uint32_t *image;
    int32_t *actual, *expected;
    WW_TRY(make_image(bench, inputs[size].width, inputs[size].height, &image));
    WW_TRY(ww__host_array(bench, BINS, sizeof *expected, &expected));

    ww_devptr histogram, data;
    WW_TRY(ww__buffer(bench, BINS * sizeof(uint32_t), &histogram));
    WW_TRY(ww_device_memset(bench->device, histogram, 0, BINS * sizeof(uint32_t), bench->err));
    WW_TRY(ww__upload(bench, image, pixels * sizeof *image, &data));
    WW_TRY(WW__LAUNCH(bench, "histo_R_per_block_kernel", ww__dim(inputs[size].ctas, 1),
                      ww__dim(inputs[size].threads, 1), (size_t)copies * copy_bytes, &histogram,
                      &data, &count, &bins, &copies));
    WW_TRY(ww__download(bench, histogram, BINS * sizeof *actual, &actual));

    for (size_t i = 0; i < pixels; i++) {
        expected[image[i] / (LEVELS / BINS)]++;
    }
    return ww__verify_ints(bench, "bin", actual, expected, BINS);
}

ww_status ww_imghisto_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "imghisto", &ww__ptx_imghisto, size, run, err);
}
