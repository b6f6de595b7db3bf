/* h264-idct.c - driver of the inverse transforms. The reference uses the same integer butterflies
 * on whole blocks in plain arrays; results are exact by the standard. */
#include "workloads/support.h"

#include <string.h>

#define THREADS    128
#define MACROBLOCK 256 /* samples */

typedef struct blocks {
    int32_t edge;          /* 4 or 8 */
    int32_t count;         /* of whole macroblocks */
    int32_t *coded;        /* numbers of the macroblocks */
    int16_t *coefficients; /* row by row, block after block, a macroblock's quarter by quarter */
} blocks;

/* Samples macroblock by macroblock. */
typedef struct picture {
    int32_t macroblocks;
    uint8_t *prediction;
} picture;

/* Picks the coded macroblocks, about one in `every` (the transform is chosen by macroblock), and
 * their coefficients, about a quarter of them not zero and those at the front of a block the
 * greater. */
static ww_status make_blocks(ww__bench *bench, const picture *p, int32_t edge, uint32_t every,
                             blocks *b)
{
    const size_t all = (size_t)p->macroblocks;
    const int32_t area = edge * edge;
    int32_t macroblocks = 0;
    *b = (blocks){.edge = edge};
    WW_TRY(ww__host_array(bench, all, sizeof *b->coded, &b->coded));
    WW_TRY(ww__host_array(bench, all * MACROBLOCK, sizeof *b->coefficients, &b->coefficients));
    for (int32_t m = 0; m < p->macroblocks; m++) {
        if (ww__random_below(bench, every) != 0) {
            continue;
        }
        int16_t *c = &b->coefficients[macroblocks * MACROBLOCK];
        for (int32_t i = 0; i < MACROBLOCK; i++) {
            const bool first = i % area == 0, given = first || ww__random_below(bench, 4) == 0;
            const int32_t value = (int32_t)ww__random_below(bench, 1024) - 512;
            c[i] = (int16_t)(given ? value * (first ? 8 : 1) : 0);
        }
        b->coded[macroblocks++] = m;
    }
    b->count = macroblocks * (MACROBLOCK / area);
    return WW_OK;
}

/* v[0], v[stride], ... : one row or column in place. */
static void transform4(int32_t *v, size_t stride)
{
    const int32_t a = v[0], b = v[stride], c = v[2 * stride], d = v[3 * stride];
    const int32_t even[2] = {a + c, a - c};
    const int32_t odd[2] = {b + (d >> 1), (b >> 1) - d};
    v[0] = even[0] + odd[0];
    v[stride] = even[1] + odd[1];
    v[2 * stride] = even[1] - odd[1];
    v[3 * stride] = even[0] - odd[0];
}

static void transform8(int32_t *v, size_t stride)
{
    int32_t even[4], odd[4], x[8];
    for (size_t i = 0; i < 8; i++) {
        x[i] = v[i * stride];
    }
    for (size_t i = 0; i < 4; i++) { /* the even part is the 4-point transform */
        even[i] = x[2 * i];
    }
    transform4(even, 1);
    const int32_t p = -x[3] + x[5] - x[7] - (x[7] >> 1);
    const int32_t q = x[1] + x[7] - x[3] - (x[3] >> 1);
    const int32_t r = -x[1] + x[7] + x[5] + (x[5] >> 1);
    const int32_t s = x[3] + x[5] + x[1] + (x[1] >> 1);
    odd[0] = s - (p >> 2);
    odd[1] = (q >> 2) - r;
    odd[2] = q + (r >> 2);
    odd[3] = p + (s >> 2);
    for (size_t i = 0; i < 4; i++) {
        v[i * stride] = even[i] + odd[i];
        v[(7 - i) * stride] = even[i] - odd[i];
    }
}

/* The first sample of a block: its macroblock's quarter, and for 4x4 the quarter of that. */
static int32_t place(const blocks *b, int32_t block)
{
    const int32_t per_macroblock = MACROBLOCK / (b->edge * b->edge);
    int32_t within = block % per_macroblock, x = 0, y = 0;
    for (int32_t edge = b->edge; within > 0; within /= 4, edge *= 2) {
        x += within % 2 * edge;
        y += within % 4 / 2 * edge;
    }
    return b->coded[block / per_macroblock] * MACROBLOCK + y * 16 + x;
}

static void reconstruct(const blocks *b, int32_t block, const picture *p, int32_t *out)
{
    const int32_t edge = b->edge, first = place(b, block);
    int32_t v[64];
    for (int32_t i = 0; i < edge * edge; i++) {
        v[i] = b->coefficients[block * edge * edge + i];
    }
    for (int32_t i = 0; i < edge; i++) {
        (edge == 4 ? transform4 : transform8)(&v[i * edge], 1);
    }
    for (int32_t i = 0; i < edge; i++) {
        (edge == 4 ? transform4 : transform8)(&v[i], (size_t)edge);
    }
    for (int32_t i = 0; i < edge * edge; i++) {
        const int32_t at = first + i / edge * 16 + i % edge;
        const int32_t sample = p->prediction[at] + ((v[i] + 32) >> 6);
        out[at] = sample < 0 ? 0 : sample > 255 ? 255 : sample;
    }
}

static ww_status run_transform(ww__bench *bench, const picture *p, ww_devptr prediction,
                               int32_t edge, uint32_t every)
{
    const size_t samples = (size_t)p->macroblocks * MACROBLOCK;
    blocks b;
    uint8_t *output;
    int32_t *actual, *expected;
    WW_TRY(make_blocks(bench, p, edge, every, &b));
    WW_TRY(ww__host_array(bench, samples, sizeof *actual, &actual));
    WW_TRY(ww__host_array(bench, samples, sizeof *expected, &expected));

    ww_devptr coefficients, coded, device_picture;
    const size_t values = (size_t)b.count * (size_t)(edge * edge);
    WW_TRY(ww__upload(bench, b.coefficients, values * sizeof *b.coefficients, &coefficients));
    const size_t macroblocks = values / MACROBLOCK;
    WW_TRY(ww__upload(bench, b.coded, macroblocks * sizeof *b.coded, &coded));
    WW_TRY(ww__upload(bench, p->prediction, samples, &device_picture));
    const size_t per_cta = THREADS / (size_t)edge;
    WW_TRY(WW__LAUNCH(bench, edge == 4 ? "idct4x4" : "idct8x8",
                      ww__dim(ww__pieces((size_t)b.count, per_cta), 1), ww__dim(THREADS, 1), 0,
                      &coefficients, &coded, &prediction, &device_picture, &b.count));
    WW_TRY(ww__download(bench, device_picture, samples, &output));

    for (size_t i = 0; i < samples; i++) {
        actual[i] = output[i];
        expected[i] = p->prediction[i]; /* where no block is coded */
    }
    for (int32_t block = 0; block < b.count; block++) {
        reconstruct(&b, block, p, expected);
    }
    return ww__verify_ints(bench, edge == 4 ? "sample of 4x4" : "sample of 8x8", actual, expected,
                           samples);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const struct {
        int32_t width, height;
        uint32_t every;
    } inputs[] = {{160, 112, 2}, {960, 544, 2}, {1920, 1088, 2}, {1920, 1088, 8}};
    picture p = {.macroblocks = inputs[size].width / 16 * (inputs[size].height / 16)};
    const size_t samples = (size_t)p.macroblocks * MACROBLOCK;
    ww_devptr prediction;
    WW_TRY(ww__host_array(bench, samples, 1, &p.prediction));
    for (size_t i = 0; i < samples; i++) {
        p.prediction[i] = (uint8_t)ww__random_below(bench, 256);
    }
    WW_TRY(ww__upload(bench, p.prediction, samples, &prediction));
    WW_TRY(run_transform(bench, &p, prediction, 4, inputs[size].every));
    return run_transform(bench, &p, prediction, 8, inputs[size].every);
}

ww_status ww_h264_idct_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "h264-idct", &ww__ptx_h264_idct, size, run, err);
}
