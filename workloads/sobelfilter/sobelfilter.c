/* sobelfilter.c - driver of the edge filters; the reference folds the image with the two masks. */
#include "workloads/support.h"

#include <inttypes.h>
#include <stdlib.h>

#define ROW_THREADS 384
#define TILE_WORDS  80  /* of four pixels, per CTA */
#define TILE_PITCH  384 /* bytes */
#define TILE_ROWS   4

typedef struct image {
    int32_t width, height; /* the width is a multiple of 4 */
    uint8_t *pixel;
} image;

static ww_status make_image(ww__bench *bench, image *m)
{
    WW_TRY(ww__host_array(bench, (size_t)m->width * (size_t)m->height, 1, &m->pixel));
    for (int32_t y = 0; y < m->height; y++) {
        for (int32_t x = 0; x < m->width; x++) {
            const int32_t slope = 100 * x / m->width + 50 * y / m->height;
            const int32_t blocks = ((x / 24) ^ (y / 9)) % 2 * 70;
            const uint32_t noise = ww__random_below(bench, 30);
            m->pixel[y * m->width + x] = (uint8_t)((uint32_t)(slope + blocks) + noise);
        }
    }
    return WW_OK;
}

/* Sum over a mask of 3x3 around a pixel; pixels beyond the edge are those at it. */
static int32_t fold(const image *m, int32_t x, int32_t y, const int32_t mask[3][3])
{
    int32_t sum = 0;
    for (int32_t j = -1; j <= 1; j++) {
        for (int32_t i = -1; i <= 1; i++) {
            const int32_t u = x + i < 0 ? 0 : x + i >= m->width ? m->width - 1 : x + i;
            const int32_t v = y + j < 0 ? 0 : y + j >= m->height ? m->height - 1 : y + j;
            sum += mask[j + 1][i + 1] * m->pixel[v * m->width + u];
        }
    }
    return sum;
}

static ww_status verify(ww__bench *bench, const image *m, const char *what, ww_devptr edges)
{
    static const int32_t across[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
    static const int32_t down[3][3] = {{1, 2, 1}, {0, 0, 0}, {-1, -2, -1}};
    uint8_t *actual = NULL;
    WW_TRY(ww__download(bench, edges, (size_t)m->width * (size_t)m->height, &actual));
    for (int32_t y = 0; y < m->height; y++) {
        for (int32_t x = 0; x < m->width; x++) {
            const int32_t sum = abs(fold(m, x, y, across)) + abs(fold(m, x, y, down));
            const int32_t expected = sum > 255 ? 255 : sum;
            if (actual[y * m->width + x] != expected) {
                return ww_fail(bench->err, WW_EVERIFY,
                               "%s: %s(%" PRId32 ", %" PRId32 ") = %d, expected %" PRId32,
                               bench->name, what, x, y, actual[y * m->width + x], expected);
            }
        }
    }
    return WW_OK;
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    /* The small image takes two CTAs across, more than one turn of a row's threads, and ends within
     * a tile. */
    static const int32_t widths[] = {404, 512, 1024, 512};
    static const int32_t heights[] = {14, 512, 1024, 512};
    const int32_t tile_words = TILE_WORDS;
    const int32_t tile_pitch = TILE_PITCH;
    const float scale = 1.0f;
    image m = {.width = widths[size], .height = heights[size]};
    const size_t bytes = (size_t)m.width * (size_t)m.height;
    WW_TRY(make_image(bench, &m));

    ww_devptr pixels, by_fetches, by_tiles;
    uint64_t handle;
    WW_TRY(ww__upload(bench, m.pixel, bytes, &pixels));
    WW_TRY(ww__buffer(bench, bytes, &by_fetches));
    WW_TRY(ww__buffer(bench, bytes, &by_tiles));
    const ww_texture texture = {.address = pixels,
                                .width = (uint32_t)m.width,
                                .height = (uint32_t)m.height,
                                .pitch = (uint64_t)m.width,
                                .blocks = true,
                                .channels = 1,
                                .channel_bits = 8,
                                .channel = WW_TEX_UNSIGNED,
                                .mode = {WW_TEX_CLAMP, WW_TEX_CLAMP}};
    WW_TRY(ww__texture(bench, &texture, &handle));
    WW_TRY(WW__LAUNCH(bench, "SobelTex", ww__dim((unsigned)m.height, 1), ww__dim(ROW_THREADS, 1), 0,
                      &by_fetches, &m.width, &m.width, &scale, &handle));
    const ww_dim3 grid = ww__dim(ww__pieces((size_t)m.width, 4 * TILE_WORDS),
                                 ww__pieces((size_t)m.height, TILE_ROWS));
    WW_TRY(WW__LAUNCH(bench, "SobelShared", grid, ww__dim(16, TILE_ROWS),
                      TILE_PITCH * (TILE_ROWS + 2), &by_tiles, &m.width, &tile_words, &tile_pitch,
                      &m.width, &m.height, &scale, &handle));
    WW_TRY(verify(bench, &m, "edge by fetches", by_fetches));
    return verify(bench, &m, "edge by tiles", by_tiles);
}

ww_status ww_sobelfilter_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "sobelfilter", &ww__ptx_sobelfilter, size, run, err);
}
