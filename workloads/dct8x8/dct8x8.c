/* dct8x8.c - driver of the cosine transforms; the reference evaluates the transform's definition in
 * double precision, each stage from what the stage before it left on the device. */
#include "workloads/support.h"

#include <math.h>

#define EDGE   8
#define AREA   (EDGE * EDGE)
#define REGION 32 /* columns of a CTA of the factorised transform */
#define ROWS   16

/* Luminance table of ITU-T T.81, table K.1. */
static const int16_t quantisation[AREA] = {
    16, 11, 10, 16, 24,  40,  51,  61,  /**/ 12, 12, 14, 19, 26,  58,  60,  55,
    14, 13, 16, 24, 40,  57,  69,  56,  /**/ 14, 17, 22, 29, 51,  87,  80,  62,
    18, 22, 37, 56, 68,  109, 103, 77,  /**/ 24, 35, 55, 64, 81,  104, 113, 92,
    49, 64, 78, 87, 103, 121, 120, 101, /**/ 72, 92, 95, 98, 112, 100, 103, 99};

typedef struct image {
    int32_t width, height;
    size_t count, bytes; /* pixels, and bytes of as many floats */
} image;

/* cosine[k][n]: the k-th normalised cosine at point n. */
static void make_cosines(double cosine[EDGE][EDGE])
{
    for (int k = 0; k < EDGE; k++) {
        const double norm = k == 0 ? sqrt(1.0 / EDGE) : sqrt(2.0 / EDGE);
        for (int n = 0; n < EDGE; n++) {
            cosine[k][n] = norm * cos((2 * n + 1) * k * 3.14159265358979323846 / (2 * EDGE));
        }
    }
}

/* A block's transform, or its inverse, from the definition: a double sum for every output. */
static void transform_block(const float *in, int32_t stride, bool inverse, double *out)
{
    double cosine[EDGE][EDGE];
    make_cosines(cosine);
    for (int v = 0; v < EDGE; v++) {
        for (int u = 0; u < EDGE; u++) {
            double sum = 0.0;
            for (int y = 0; y < EDGE; y++) {
                for (int x = 0; x < EDGE; x++) {
                    sum += (double)in[y * stride + x] *
                           (inverse ? cosine[y][v] * cosine[x][u] : cosine[v][y] * cosine[u][x]);
                }
            }
            out[v * stride + u] = sum;
        }
    }
}

static ww_status verify_transform(ww__bench *bench, const image *m, const char *what,
                                  const float *in, bool inverse, const float *actual)
{
    double *expected = NULL;
    WW_TRY(ww__host_array(bench, m->count, sizeof *expected, &expected));
    for (int32_t y = 0; y < m->height; y += EDGE) {
        for (int32_t x = 0; x < m->width; x += EDGE) {
            const int32_t at = y * m->width + x;
            transform_block(&in[at], m->width, inverse, &expected[at]);
        }
    }
    /* Of up to 1000; single precision leaves 1.3e-4. */
    return ww__verify_floats(bench, what, actual, expected, m->count, 0.0, 4e-4);
}

/* The division and the rounding are exact in the sense of IEEE 754, here as on the device. */
static ww_status verify_quantised(ww__bench *bench, const image *m, const float *coefficients,
                                  const float *actual)
{
    double *expected = NULL;
    WW_TRY(ww__host_array(bench, m->count, sizeof *expected, &expected));
    for (size_t i = 0; i < m->count; i++) {
        const size_t x = i % (size_t)m->width % EDGE;
        const size_t y = i / (size_t)m->width % EDGE;
        const float step = (float)quantisation[y * EDGE + x];
        expected[i] = (double)(rintf(coefficients[i] / step) * step);
    }
    return ww__verify_floats(bench, "quantised coefficient", actual, expected, m->count, 0.0, 0.0);
}

/* A slope, a coarse texture and noise, less 128. */
static ww_status make_image(ww__bench *bench, const image *m, float **out)
{
    float *pixel = NULL;
    WW_TRY(ww__host_array(bench, m->count, sizeof *pixel, &pixel));
    for (int32_t y = 0; y < m->height; y++) {
        for (int32_t x = 0; x < m->width; x++) {
            const int32_t slope = 128 * x / m->width + 64 * y / m->height;
            const int32_t texture = ((x / 5) ^ (y / 3)) % 4 * 8;
            const int32_t noise = (int32_t)ww__random_below(bench, 32);
            pixel[y * m->width + x] = (float)(slope + texture + noise - 128);
        }
    }
    *out = pixel;
    return WW_OK;
}

static ww_status make_texture(ww__bench *bench, const image *m, ww_devptr pixels, uint64_t *handle)
{
    const ww_texture texture = {.address = pixels,
                                .width = (uint32_t)m->width,
                                .height = (uint32_t)m->height,
                                .pitch = (uint64_t)m->width * sizeof(float),
                                .blocks = true,
                                .channels = 1,
                                .channel_bits = 32,
                                .channel = WW_TEX_FLOAT,
                                .mode = {WW_TEX_CLAMP, WW_TEX_CLAMP}};
    return ww__texture(bench, &texture, handle);
}

/* Quantises the coefficients in place and checks that. */
static ww_status quantise(ww__bench *bench, const image *m, ww_devptr coefficients,
                          const float *before, float **after)
{
    const ww_dim3 grid = ww__dim((unsigned)m->width / EDGE, (unsigned)m->height / EDGE);
    WW_TRY(WW__LAUNCH(bench, "CUDAkernelQuantizationFloat", grid, ww__dim(EDGE, EDGE), 0,
                      &coefficients, &m->width));
    WW_TRY(ww__download(bench, coefficients, m->bytes, after));
    return verify_quantised(bench, m, before, *after);
}

static ww_status by_matrix(ww__bench *bench, const image *m, const float *pixel, ww_devptr pixels,
                           ww_devptr coefficients, ww_devptr result)
{
    const ww_dim3 grid = ww__dim((unsigned)m->width / EDGE, (unsigned)m->height / EDGE);
    const ww_dim3 block = ww__dim(EDGE, EDGE);
    uint64_t texture;
    float *before, *quantised, *after;

    WW_TRY(make_texture(bench, m, pixels, &texture));
    WW_TRY(WW__LAUNCH(bench, "CUDAkernel1DCT", grid, block, 0, &coefficients, &m->width, &texture));
    WW_TRY(ww__download(bench, coefficients, m->bytes, &before));
    WW_TRY(quantise(bench, m, coefficients, before, &quantised));
    WW_TRY(WW__LAUNCH(bench, "CUDAkernel1IDCT", grid, block, 0, &coefficients, &result, &m->width));
    WW_TRY(ww__download(bench, result, m->bytes, &after));
    WW_TRY(verify_transform(bench, m, "coefficient (1)", pixel, false, before));
    return verify_transform(bench, m, "pixel (1)", quantised, true, after);
}

static ww_status by_factors(ww__bench *bench, const image *m, const float *pixel, ww_devptr pixels,
                            ww_devptr coefficients, ww_devptr result)
{
    const ww_dim3 grid = ww__dim((unsigned)m->width / REGION, (unsigned)m->height / ROWS);
    const ww_dim3 block = {EDGE, REGION / EDGE, ROWS / EDGE};
    float *before, *quantised, *after;

    WW_TRY(WW__LAUNCH(bench, "CUDAkernel2DCT", grid, block, 0, &coefficients, &pixels, &m->width));
    WW_TRY(ww__download(bench, coefficients, m->bytes, &before));
    WW_TRY(quantise(bench, m, coefficients, before, &quantised));
    WW_TRY(WW__LAUNCH(bench, "CUDAkernel2IDCT", grid, block, 0, &result, &coefficients, &m->width));
    WW_TRY(ww__download(bench, result, m->bytes, &after));
    WW_TRY(verify_transform(bench, m, "coefficient (2)", pixel, false, before));
    return verify_transform(bench, m, "pixel (2)", quantised, true, after);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const int32_t widths[] = {64, 256, 768, 512};
    static const int32_t heights[] = {32, 256, 768, 512};
    image m = {.width = widths[size], .height = heights[size]};
    m.count = (size_t)m.width * (size_t)m.height;
    m.bytes = m.count * sizeof(float);

    double cosine[EDGE][EDGE];
    float matrix[AREA];
    make_cosines(cosine);
    for (size_t i = 0; i < AREA; i++) {
        matrix[i] = (float)cosine[i / EDGE][i % EDGE];
    }
    float *pixel;
    ww_devptr pixels, coefficients[2], result[2];
    WW_TRY(make_image(bench, &m, &pixel));
    WW_TRY(ww__upload_symbol(bench, "DCTv8matrix", matrix, sizeof matrix));
    WW_TRY(ww__upload_symbol(bench, "Q", quantisation, sizeof quantisation));
    WW_TRY(ww__upload(bench, pixel, m.bytes, &pixels));
    for (int i = 0; i < 2; i++) {
        WW_TRY(ww__buffer(bench, m.bytes, &coefficients[i]));
        WW_TRY(ww__buffer(bench, m.bytes, &result[i]));
    }
    WW_TRY(by_matrix(bench, &m, pixel, pixels, coefficients[0], result[0]));
    return by_factors(bench, &m, pixel, pixels, coefficients[1], result[1]);
}

ww_status ww_dct8x8_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "dct8x8", &ww__ptx_dct8x8, size, run, err);
}
