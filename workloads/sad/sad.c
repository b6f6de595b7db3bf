/* sad.c - driver of the motion search; the reference sums every block of every size from its
 * pixels. */
#include "workloads/support.h"

#include <inttypes.h>
#include <stdlib.h>

#define PER_THREAD 18 /* positions */
#define BLOCKS     41 /* of all sizes per macroblock */

/* The blocks of one size: width and height in 4x4 blocks, blocks of smaller sizes per macroblock.
 */
typedef struct shape {
    int32_t width, height, first;
} shape;

static const shape shapes[] = {{1, 1, 0},  {2, 1, 16}, {1, 2, 24}, {2, 2, 32},
                               {4, 2, 36}, {2, 4, 38}, {4, 4, 40}};

typedef struct frames {
    int32_t width, height; /* multiples of 16 */
    int32_t range;         /* of the search, to each side; one more than a multiple of three */
    uint16_t *current, *reference;
} frames;

/* Patches of texture; the reference is the same picture 3 to the left and 2 above, with noise. */
static ww_status make_frames(ww__bench *bench, frames *f)
{
    const size_t pixels = (size_t)f->width * (size_t)f->height;
    uint8_t texture[64][64];
    for (int y = 0; y < 64; y++) {
        for (int x = 0; x < 64; x++) {
            const uint32_t before = x > 0 ? texture[y][x - 1] : 128;
            texture[y][x] = (uint8_t)((3 * before + ww__random_below(bench, 256)) / 4);
        }
    }
    WW_TRY(ww__host_array(bench, pixels, sizeof(uint16_t), &f->current));
    WW_TRY(ww__host_array(bench, pixels, sizeof(uint16_t), &f->reference));
    for (size_t i = 0; i < pixels; i++) {
        const size_t x = i % (size_t)f->width;
        const size_t y = i / (size_t)f->width;
        const uint32_t there = texture[(y + 2) % 64][(x + 3) % 64] + ww__random_below(bench, 9);
        f->current[i] = texture[y % 64][x % 64];
        f->reference[i] = (uint16_t)(there < 255 ? there : 255);
    }
    return WW_OK;
}

static int32_t positions(const frames *f)
{
    return (2 * f->range + 1) * (2 * f->range + 1);
}

/* Sums of a block, with their padding to 16 bytes. */
static int32_t stride(const frames *f)
{
    return (positions(f) + 7) / 8 * 8;
}

static int32_t clamped(int32_t i, int32_t size)
{
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}

/* Of a block of w x h pixels at (x, y) with the reference dx, dy away, whose edge pixels go on. */
static int32_t sum_of(const frames *f, int32_t x, int32_t y, int32_t w, int32_t h, int32_t dx,
                      int32_t dy)
{
    int32_t sum = 0;
    for (int32_t v = y; v < y + h; v++) {
        for (int32_t u = x; u < x + w; u++) {
            const int32_t from = clamped(v + dy, f->height) * f->width + clamped(u + dx, f->width);
            sum += abs(f->current[v * f->width + u] - f->reference[from]);
        }
    }
    return sum;
}

/* Place among its shape's in a macroblock, by quarters of 8x8 and then by rows, as far as there are
 * such parts. */
static int32_t number_of(const shape *s, int32_t x, int32_t y)
{
    if (s->width * s->height >= 8) { /* no part of a quarter */
        return y / s->height * (4 / s->width) + x / s->width;
    }
    const int32_t quarter = y / 2 * 2 + x / 2;
    const int32_t across = 2 / s->width;
    return quarter * across * (2 / s->height) + y % 2 / s->height * across + x % 2 / s->width;
}

/* Checks the sums of one shape in one macroblock. */
static ww_status verify_macroblock(ww__bench *bench, const frames *f, int32_t macroblock,
                                   const shape *s, const uint16_t *sums)
{
    const int32_t mb_width = f->width / 16;
    const int32_t macroblocks = mb_width * (f->height / 16);
    const int32_t edge = 2 * f->range + 1;
    const int32_t per_macroblock = 16 / (s->width * s->height);
    for (int32_t y = 0; y < 4; y += s->height) {
        for (int32_t x = 0; x < 4; x += s->width) {
            const int32_t block =
                s->first * macroblocks + per_macroblock * macroblock + number_of(s, x, y);
            const uint16_t *actual = &sums[(size_t)block * (size_t)stride(f)];
            for (int32_t p = 0; p < positions(f); p++) {
                const int32_t expected = sum_of(
                    f, macroblock % mb_width * 16 + 4 * x, macroblock / mb_width * 16 + 4 * y,
                    4 * s->width, 4 * s->height, p % edge - f->range, p / edge - f->range);
                if (actual[p] != expected) {
                    return ww_fail(bench->err, WW_EVERIFY,
                                   "%s: block %" PRId32 ", position %" PRId32
                                   ": %d, expected %" PRId32,
                                   bench->name, block, p, actual[p], expected);
                }
            }
        }
    }
    return WW_OK;
}

static ww_status search(ww__bench *bench, const frames *f, uint16_t **sums)
{
    const int32_t mb_width = f->width / 16;
    const int32_t mb_height = f->height / 16;
    const size_t frame_bytes = (size_t)f->width * (size_t)f->height * sizeof(uint16_t);
    const size_t sum_bytes =
        (size_t)(mb_width * mb_height) * BLOCKS * (size_t)stride(f) * sizeof(uint16_t);
    const int32_t pairs = stride(f) / 2;
    const ww_dim3 macroblocks = ww__dim((unsigned)mb_width, (unsigned)mb_height);

    ww_devptr current, reference, device_sums;
    uint64_t texture;
    WW_TRY(ww__upload(bench, f->current, frame_bytes, &current));
    WW_TRY(ww__upload(bench, f->reference, frame_bytes, &reference));
    WW_TRY(ww__buffer(bench, sum_bytes, &device_sums));
    const ww_texture picture = {.address = reference,
                                .width = (uint32_t)f->width,
                                .height = (uint32_t)f->height,
                                .pitch = (uint64_t)f->width * sizeof(uint16_t),
                                .channels = 1,
                                .channel_bits = 16,
                                .channel = WW_TEX_UNSIGNED,
                                .mode = {WW_TEX_CLAMP, WW_TEX_CLAMP, WW_TEX_CLAMP}};
    WW_TRY(ww__texture(bench, &picture, &texture));
    WW_TRY(WW__LAUNCH(bench, "mb_sad_calc",
                      ww__dim((unsigned)f->width / 4, (unsigned)f->height / 4),
                      ww__dim(ww__pieces((size_t)positions(f), PER_THREAD), 1),
                      (size_t)stride(f) * sizeof(uint16_t), &device_sums, &current, &mb_width,
                      &f->range, &texture));
    WW_TRY(WW__LAUNCH(bench, "larger_sad_calc_8", macroblocks, ww__dim(32, 4), 0, &device_sums,
                      &mb_width, &mb_height, &pairs));
    WW_TRY(WW__LAUNCH(bench, "larger_sad_calc_16", macroblocks, ww__dim(32, 1), 0, &device_sums,
                      &mb_width, &mb_height, &pairs));
    return ww__download(bench, device_sums, sum_bytes, sums);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const frames inputs[] = {{.width = 16, .height = 16, .range = 7},
                                    {.width = 64, .height = 48, .range = 16},
                                    {.width = 176, .height = 144, .range = 16},
                                    {.width = 176, .height = 144, .range = 16}};
    frames f = inputs[size];
    uint16_t *sums;
    WW_TRY(make_frames(bench, &f));
    WW_TRY(search(bench, &f, &sums));
    for (int32_t m = 0; m < f.width / 16 * (f.height / 16); m++) {
        for (size_t s = 0; s < WW_ARRAY_LEN(shapes); s++) {
            WW_TRY(verify_macroblock(bench, &f, m, &shapes[s], sums));
        }
    }
    return WW_OK;
}

ww_status ww_sad_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "sad", &ww__ptx_sad, size, run, err);
}
