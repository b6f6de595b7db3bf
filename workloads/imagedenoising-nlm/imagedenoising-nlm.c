/* imagedenoising-nlm.c - driver of the non-local means (Buades, Coll and Morel, CVPR 2005); the
 * reference computes them in double precision. */
#include "workloads/support.h"

#include <inttypes.h>
#include <math.h>

#define EDGE      16 /* of a CTA */
#define CHANNELS  3
#define THRESHOLD 0.1 /* of weights that count, and of the share of them */

typedef struct image {
    int32_t width, height, window, block;
    float noise, lerp;
    uint8_t *pixel; /* four bytes each */
} image;

/* Blocks of colour under noise. */
static ww_status make_image(ww__bench *bench, image *m)
{
    WW_TRY(ww__host_array(bench, (size_t)m->width * (size_t)m->height * 4, 1, &m->pixel));
    for (int32_t y = 0; y < m->height; y++) {
        for (int32_t x = 0; x < m->width; x++) {
            for (int32_t c = 0; c < CHANNELS; c++) {
                const int32_t blocks = ((x / 11) ^ (y / 7) ^ c) % 4 * 50;
                const uint32_t noise = ww__random_below(bench, 100);
                m->pixel[(y * m->width + x) * 4 + c] = (uint8_t)((uint32_t)blocks + noise);
            }
        }
    }
    return WW_OK;
}

/* A channel of the pixel nearest to a place, in 0 .. 1. */
static double at(const image *m, int32_t x, int32_t y, int c)
{
    x = x < 0 ? 0 : x >= m->width ? m->width - 1 : x;
    y = y < 0 ? 0 : y >= m->height ? m->height - 1 : y;
    return m->pixel[(y * m->width + x) * 4 + c] / 255.0;
}

static double weight(const image *m, int32_t x, int32_t y, int32_t i, int32_t j)
{
    double distance = 0.0;
    for (int32_t n = -m->block; n <= m->block; n++) {
        for (int32_t k = -m->block; k <= m->block; k++) {
            for (int c = 0; c < CHANNELS; c++) {
                const double d = at(m, x + j + k, y + i + n, c) - at(m, x + k, y + n, c);
                distance += d * d;
            }
        }
    }
    const double area = (2 * m->window + 1) * (2 * m->window + 1);
    return exp(-(distance * (double)m->noise + (i * i + j * j) / area));
}

/* The pixel with either share of itself, and which of them are right: both where a weight is so
 * close to the threshold that its rounding decides. */
typedef struct pixel {
    double colour[2][CHANNELS];
    bool allowed[2]; /* many pixels alike; few */
} pixel;

static pixel denoise(const image *m, int32_t x, int32_t y)
{
    const int32_t area = (2 * m->window + 1) * (2 * m->window + 1);
    double weights = 0.0, mean[CHANNELS] = {0.0};
    int32_t least = 0; /* pixels alike without the doubtful ones, and with them */
    int32_t most = 0;
    for (int32_t i = -m->window; i <= m->window; i++) {
        for (int32_t j = -m->window; j <= m->window; j++) {
            const double w = weight(m, x, y, i, j);
            weights += w;
            least += w > THRESHOLD * (1.0 + 1e-4);
            most += w > THRESHOLD * (1.0 - 1e-4);
            for (int c = 0; c < CHANNELS; c++) {
                mean[c] += w * at(m, x + j, y + i, c);
            }
        }
    }
    pixel p;
    p.allowed[0] = most > THRESHOLD * area;
    p.allowed[1] = !(least > THRESHOLD * area);
    for (int c = 0; c < CHANNELS; c++) {
        const double own = at(m, x, y, c);
        const double other = mean[c] / weights;
        p.colour[0][c] = other + (own - other) * (double)m->lerp;
        p.colour[1][c] = other + (own - other) * (1.0 - (double)m->lerp);
    }
    return p;
}

/* Whether a packed pixel is that colour; it is rounded downwards from the device's value. */
static bool is_colour(uint32_t packed, const double colour[CHANNELS])
{
    for (int c = 0; c < CHANNELS; c++) {
        const double behind = 255.0 * colour[c] - (double)(packed >> (8 * c) & 255);
        if (!(behind > -1e-2 && behind < 1.0 + 1e-2)) {
            return false;
        }
    }
    return packed >> 24 == 0;
}

static ww_status verify(ww__bench *bench, const image *m, const uint32_t *actual)
{
    for (int32_t y = 0; y < m->height; y++) {
        for (int32_t x = 0; x < m->width; x++) {
            const uint32_t packed = actual[y * m->width + x];
            const pixel p = denoise(m, x, y);
            if (!(p.allowed[0] && is_colour(packed, p.colour[0])) &&
                !(p.allowed[1] && is_colour(packed, p.colour[1]))) {
                const double *colour = p.colour[p.allowed[0] ? 0 : 1];
                return ww_fail(bench->err, WW_EVERIFY,
                               "%s: pixel(%" PRId32 ", %" PRId32 ") = %08" PRIx32
                               ", expected %g, %g, %g of 255 (red, green, blue)",
                               bench->name, x, y, packed, 255.0 * colour[0], 255.0 * colour[1],
                               255.0 * colour[2]);
            }
        }
    }
    return WW_OK;
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const struct {
        int32_t width, height, window, block;
    } inputs[] = {{27, 21, 1, 1}, {24, 24, 3, 3}, {480, 480, 1, 1}, {320, 408, 3, 3}};
    image m = {.width = inputs[size].width,
               .height = inputs[size].height,
               .window = inputs[size].window,
               .block = inputs[size].block,
               .noise = 1.0f / (1.45f * 1.45f),
               .lerp = 0.2f};
    const size_t bytes = (size_t)m.width * (size_t)m.height * 4;

    uint32_t *actual;
    ww_devptr pixels, out;
    uint64_t handle;
    WW_TRY(make_image(bench, &m));
    WW_TRY(ww__upload(bench, m.pixel, bytes, &pixels));
    WW_TRY(ww__buffer(bench, bytes, &out));
    const ww_texture texture = {.address = pixels,
                                .width = (uint32_t)m.width,
                                .height = (uint32_t)m.height,
                                .pitch = (uint64_t)m.width * 4,
                                .blocks = true,
                                .channels = 4,
                                .channel_bits = 8,
                                .channel = WW_TEX_UNSIGNED,
                                .normalized_read = true,
                                .mode = {WW_TEX_CLAMP, WW_TEX_CLAMP}};
    WW_TRY(ww__texture(bench, &texture, &handle));
    const ww_dim3 grid =
        ww__dim(ww__pieces((size_t)m.width, EDGE), ww__pieces((size_t)m.height, EDGE));
    WW_TRY(WW__LAUNCH(bench, "NLM", grid, ww__dim(EDGE, EDGE), 0, &out, &m.width, &m.height,
                      &m.window, &m.block, &m.noise, &m.lerp, &handle));
    WW_TRY(ww__download(bench, out, bytes, &actual));
    return verify(bench, &m, actual);
}

ww_status ww_imagedenoising_nlm_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "imagedenoising-nlm", &ww__ptx_imagedenoising_nlm, size, run, err);
}
