/* h264-mc.c - driver of the motion compensation in the modes of LPGPU report D5.5.3, table 2: a
 * workload for each. The reference predicts sample by sample from the standard's definitions. */
#include "workloads/support.h"

#include <string.h>

#define THREADS        64
#define MAX_PARTITIONS 16
#define BORDER         64 /* as in h264-mc.cu: more than vectors and filters reach */

typedef struct partition {
    int16_t vector[2][2]; /* of each list: x, y in quarters of a luma sample */
    int32_t reference[2];
} partition;

typedef struct mode {
    const char *name;
    int32_t edge;     /* of every partition; 0: of 16, 8 and 4, as a real film has them */
    bool branches;    /* fractions differ between partitions */
    bool scattered;   /* so do whole samples, by up to 32 */
    int32_t lists;    /* 1: P frames, 2: B frames */
    int32_t pictures; /* that may be referred to */
} mode;

static const mode modes[] = {
    {"h264-mc", 0, true, true, 2, 16}, /* AllBFrameRef16, the row of the report's table 1 */
    {"h264-mc-16x16-brchno-memno", 16, false, false, 1, 1},
    {"h264-mc-4x4-brchno-memyes", 4, false, true, 1, 1},
    {"h264-mc-4x4-brchyes-memno", 4, true, false, 1, 1},
    {"h264-mc-4x4-brchyes-memyes", 4, true, true, 1, 1},
    {"h264-mc-8x8-brchno-memyes", 8, false, true, 1, 1},
    {"h264-mc-8x8-brchyes-memno", 8, true, false, 1, 1},
    {"h264-mc-8x8-brchyes-memyes", 8, true, true, 1, 1},
    {"h264-mc-allpframe-ref1", 0, true, true, 1, 1},
};

typedef struct plane {
    int32_t width, height;
    uint8_t *samples; /* of all pictures (chroma: two planes each) */
} plane;

typedef struct state {
    const mode *mode;
    plane luma, chroma;
    int32_t macroblocks;
    int32_t *edges;
    partition *partitions; /* MAX_PARTITIONS places per macroblock, row by row */
} state;

/* A random texture in which neighbours resemble each other. */
static ww_status make_plane(ww__bench *bench, int32_t width, int32_t height, size_t count, plane *p)
{
    const size_t samples = (size_t)width * (size_t)height * count;
    *p = (plane){.width = width, .height = height};
    WW_TRY(ww__host_array(bench, samples, 1, &p->samples));
    uint32_t left = 128;
    for (size_t i = 0; i < samples; i++) {
        const uint32_t above = i >= (size_t)width ? p->samples[i - (size_t)width] : left;
        left = (3 * left + 3 * above + 2 * ww__random_below(bench, 256)) / 8;
        p->samples[i] = (uint8_t)left;
    }
    return WW_OK;
}

static int16_t between(ww__bench *bench, int32_t low, int32_t high)
{
    return (int16_t)(low + (int32_t)ww__random_below(bench, (uint32_t)(high - low + 1)));
}

/* The modes that the report synthesises: one reference, vectors as told. */
static partition synthetic(ww__bench *bench, const mode *m)
{
    partition p = {.reference = {0, -1}};
    for (int axis = 0; axis < 2; axis++) {
        const int32_t whole = m->scattered ? between(bench, -32, 32) : 3;
        const int32_t fraction = m->branches ? between(bench, 0, 3) : 2;
        p.vector[0][axis] = (int16_t)(4 * whole + fraction);
    }
    return p;
}

/* Encoders find most predictions in the nearest pictures: half in the first, a quarter in the
 * second, and so on. */
static int32_t choose_reference(ww__bench *bench, int32_t pictures)
{
    int32_t reference = 0;
    while (reference + 1 < pictures && ww__random_below(bench, 2) != 0) {
        reference++;
    }
    return reference;
}

/* Like a film: all moves with the camera, and by up to two samples on its own. */
static partition real(ww__bench *bench, const mode *m)
{
    static const int16_t camera[2] = {-21, 6};
    partition p = {.reference = {-1, -1}};
    const uint32_t used = m->lists == 2 ? ww__random_below(bench, 4) : 0;
    for (uint32_t list = 0; list < 2; list++) {
        if (used != list && used < 2) {
            continue; /* half of the partitions of B frames have one reference */
        }
        p.reference[list] = choose_reference(bench, m->pictures);
        for (int axis = 0; axis < 2; axis++) {
            p.vector[list][axis] = (int16_t)(camera[axis] + between(bench, -8, 8));
        }
    }
    return p;
}

static ww_status make_motion(ww__bench *bench, state *s)
{
    const mode *m = s->mode;
    const size_t count = (size_t)s->macroblocks;
    WW_TRY(ww__host_array(bench, count, sizeof *s->edges, &s->edges));
    WW_TRY(ww__host_array(bench, count * MAX_PARTITIONS, sizeof *s->partitions, &s->partitions));
    for (size_t i = 0; i < count; i++) {
        /* Of a film's macroblocks, half are whole and an eighth has the smallest partitions. */
        static const int32_t shares[] = {16, 16, 16, 16, 8, 8, 8, 4};
        s->edges[i] = m->edge ? m->edge : shares[ww__random_below(bench, 8)];
        const int32_t across = 16 / s->edges[i];
        for (int32_t k = 0; k < across * across; k++) {
            s->partitions[i * MAX_PARTITIONS + (size_t)k] =
                m->edge ? synthetic(bench, m) : real(bench, m);
        }
    }
    return WW_OK;
}

/* The sample of picture number at (x, y); pictures go on beyond their border. */
static int32_t fetch(const plane *p, int32_t number, int32_t x, int32_t y)
{
    x = x < 0 ? 0 : x >= p->width ? p->width - 1 : x;
    y = y < 0 ? 0 : y >= p->height ? p->height - 1 : y;
    return p
        ->samples[((size_t)number * (size_t)p->height + (size_t)y) * (size_t)p->width + (size_t)x];
}

static int32_t clip(int32_t value)
{
    return value < 0 ? 0 : value > 255 ? 255 : value;
}

static const int32_t taps[6] = {1, -5, 20, 20, -5, 1};

/* The luma sample at a multiple of half a sample, from the whole sample at (x, y). */
static int32_t luma_half(const plane *p, int32_t number, int32_t x, int32_t y, bool right,
                         bool below)
{
    int32_t sum = 0;
    if (!right && !below) {
        return fetch(p, number, x, y);
    }
    if (right && below) {
        for (int32_t j = 0; j < 6; j++) {
            for (int32_t i = 0; i < 6; i++) {
                sum += taps[i] * taps[j] * fetch(p, number, x + i - 2, y + j - 2);
            }
        }
        return clip((sum + 512) >> 10);
    }
    for (int32_t i = 0; i < 6; i++) {
        sum += taps[i] * fetch(p, number, right ? x + i - 2 : x, below ? y + i - 2 : y);
    }
    return clip((sum + 16) >> 5);
}

/* The luma sample at quarters: a half sample, or the mean of the two nearest ones. Diagonal
 * quarters lie between a horizontal and a vertical half sample. */
static int32_t luma_sample(const plane *p, int32_t number, int32_t x4, int32_t y4)
{
    const int32_t x = x4 >> 2, y = y4 >> 2;
    const int32_t right = x4 & 3, below = y4 & 3;
    const bool odd_right = right & 1, odd_below = below & 1;
    if (odd_right && odd_below) {
        const int32_t a = luma_half(p, number, x, y + (below == 3), true, false);
        const int32_t b = luma_half(p, number, x + (right == 3), y, false, true);
        return (a + b + 1) >> 1;
    }
    if (odd_right) {
        const int32_t a = luma_half(p, number, x, y, true, below == 2);
        const int32_t b = luma_half(p, number, x + (right == 3), y, false, below == 2);
        return (a + b + 1) >> 1;
    }
    if (odd_below) {
        const int32_t a = luma_half(p, number, x, y, right == 2, true);
        const int32_t b = luma_half(p, number, x, y + (below == 3), right == 2, false);
        return (a + b + 1) >> 1;
    }
    return luma_half(p, number, x, y, right == 2, below == 2);
}

static int32_t chroma_sample(const plane *p, int32_t number, int32_t x8, int32_t y8)
{
    const int32_t x = x8 >> 3, y = y8 >> 3;
    const int32_t right = x8 & 7, below = y8 & 7;
    const int32_t upper = (8 - right) * fetch(p, number, x, y) + right * fetch(p, number, x + 1, y);
    const int32_t lower =
        (8 - right) * fetch(p, number, x, y + 1) + right * fetch(p, number, x + 1, y + 1);
    return ((8 - below) * upper + below * lower + 32) >> 6;
}

/* The partition that predicts the luma sample at (x, y). */
static const partition *partition_at(const state *s, int32_t x, int32_t y)
{
    const int32_t macroblock = y / 16 * (s->luma.width / 16) + x / 16;
    const int32_t edge = s->edges[macroblock];
    const int32_t number = y % 16 / edge * (16 / edge) + x % 16 / edge;
    return &s->partitions[macroblock * MAX_PARTITIONS + number];
}

/* The expected sample; which: 0 or 1, of the two chroma planes. */
static int32_t predict(const state *s, bool luma, int32_t which, int32_t x, int32_t y)
{
    const partition *p = luma ? partition_at(s, x, y) : partition_at(s, 2 * x, 2 * y);
    int32_t sum = 0;
    int32_t used = 0;
    for (int list = 0; list < s->mode->lists; list++) {
        const int16_t *v = p->vector[list];
        const int32_t number = p->reference[list];
        if (number >= 0) {
            sum += luma ? luma_sample(&s->luma, number, 4 * x + v[0], 4 * y + v[1])
                        : chroma_sample(&s->chroma, 2 * number + which, 8 * x + v[0], 8 * y + v[1]);
            used++;
        }
    }
    return used == 2 ? (sum + 1) >> 1 : sum;
}

/* The planes as decoders keep them: with a border that vectors may point into, one below the
 * other. */
static ww_status upload_planes(ww__bench *bench, const plane *p, size_t count, int32_t border,
                               ww_devptr *out)
{
    const int32_t pitch = p->width + 2 * border, rows = p->height + 2 * border;
    const size_t bytes = count * (size_t)pitch * (size_t)rows;
    uint8_t *with_border;
    WW_TRY(ww__host_array(bench, bytes, 1, &with_border));
    uint8_t *at = with_border;
    for (size_t number = 0; number < count; number++) {
        for (int32_t y = 0; y < rows; y++) {
            for (int32_t x = 0; x < pitch; x++) {
                *at++ = (uint8_t)fetch(p, (int32_t)number, x - border, y - border);
            }
        }
    }
    return ww__upload(bench, with_border, bytes, out);
}

/* Compares what a kernel has stored, macroblock by macroblock, row by row, plane after plane. */
static ww_status verify(ww__bench *bench, const state *s, bool luma, ww_devptr device_predicted)
{
    const int32_t planes = luma ? 1 : 2, edge = luma ? 16 : 8;
    const size_t samples = (size_t)s->macroblocks * (size_t)(planes * edge * edge);
    uint8_t *predicted;
    int32_t *actual, *expected;
    WW_TRY(ww__host_array(bench, samples, sizeof *actual, &actual));
    WW_TRY(ww__host_array(bench, samples, sizeof *expected, &expected));
    WW_TRY(ww__download(bench, device_predicted, samples, &predicted));
    for (size_t i = 0; i < samples; i++) {
        const int32_t in_block = (int32_t)(i % (size_t)(edge * edge));
        const int32_t block = (int32_t)(i / (size_t)(edge * edge));
        const int32_t macroblock = block / planes, across = s->luma.width / 16;
        actual[i] = predicted[i];
        expected[i] = predict(s, luma, block % planes, macroblock % across * edge + in_block % edge,
                              macroblock / across * edge + in_block / edge);
    }
    return ww__verify_ints(bench, luma ? "luma sample" : "chroma sample", actual, expected,
                           samples);
}

static ww_status run_luma(ww__bench *bench, const state *s, ww_dim3 grid, ww_devptr edges,
                          ww_devptr partitions)
{
    const plane *p = &s->luma;
    ww_devptr pictures, predicted;
    WW_TRY(upload_planes(bench, p, (size_t)s->mode->pictures, BORDER, &pictures));
    WW_TRY(ww__buffer(bench, (size_t)s->macroblocks * 16 * 16, &predicted));
    WW_TRY(WW__LAUNCH(bench, "mc_luma", grid, ww__dim(THREADS, 1), 0, &pictures, &p->width,
                      &p->height, &edges, &partitions, &s->mode->lists, &predicted));
    return verify(bench, s, true, predicted);
}

static ww_status run_chroma(ww__bench *bench, const state *s, ww_dim3 grid, ww_devptr edges,
                            ww_devptr partitions)
{
    const plane *p = &s->chroma;
    const size_t planes = 2 * (size_t)s->mode->pictures;
    const uint32_t pitch = (uint32_t)p->width + BORDER, rows = (uint32_t)p->height + BORDER;
    ww_devptr pictures, predicted;
    uint64_t handle;
    WW_TRY(upload_planes(bench, p, planes, BORDER / 2, &pictures));
    const ww_texture texture = {.address = pictures,
                                .width = pitch,
                                .height = rows * (uint32_t)planes,
                                .pitch = pitch,
                                .blocks = true,
                                .channels = 1,
                                .channel_bits = 8,
                                .channel = WW_TEX_UNSIGNED,
                                .mode = {WW_TEX_CLAMP, WW_TEX_CLAMP}};
    WW_TRY(ww__texture(bench, &texture, &handle));
    WW_TRY(ww__buffer(bench, (size_t)s->macroblocks * 2 * 8 * 8, &predicted));
    WW_TRY(WW__LAUNCH(bench, "mc_chroma", grid, ww__dim(THREADS, 1), 0, &handle, &p->height, &edges,
                      &partitions, &s->mode->lists, &predicted));
    return verify(bench, s, false, predicted);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const struct {
        int32_t width, height;
    } inputs[] = {{48, 48}, {320, 192}, {640, 384}, {1920, 1088}};
    const int32_t width = inputs[size].width;
    const int32_t height = inputs[size].height;

    state s = {.mode = modes, .macroblocks = width / 16 * (height / 16)};
    while (strcmp(s.mode->name, bench->name) != 0) {
        s.mode++;
    }
    const size_t pictures = (size_t)s.mode->pictures;
    WW_TRY(make_plane(bench, width, height, pictures, &s.luma));
    WW_TRY(make_plane(bench, width / 2, height / 2, 2 * pictures, &s.chroma));
    WW_TRY(make_motion(bench, &s));

    ww_devptr edges, partitions;
    const size_t count = (size_t)s.macroblocks;
    int32_t *log_edges;
    WW_TRY(ww__host_array(bench, count, sizeof *log_edges, &log_edges));
    for (size_t i = 0; i < count; i++) {
        log_edges[i] = s.edges[i] == 16 ? 4 : s.edges[i] == 8 ? 3 : 2;
    }
    WW_TRY(ww__upload(bench, log_edges, count * sizeof *log_edges, &edges));
    WW_TRY(ww__upload(bench, s.partitions, count * MAX_PARTITIONS * sizeof *s.partitions,
                      &partitions));
    const ww_dim3 grid = ww__dim((unsigned)width / 16, (unsigned)height / 16);
    WW_TRY(run_luma(bench, &s, grid, edges, partitions));
    return run_chroma(bench, &s, grid, edges, partitions);
}

#define RUN(id, number)                                                                            \
    ww_status ww_##id##_run(ww_device *device, ww_workload_size size, ww_error *err)               \
    {                                                                                              \
        return ww__bench_run(device, modes[number].name, &ww__ptx_h264_mc, size, run, err);        \
    }
RUN(h264_mc, 0)
RUN(h264_mc_16x16_brchno_memno, 1)
RUN(h264_mc_4x4_brchno_memyes, 2)
RUN(h264_mc_4x4_brchyes_memno, 3)
RUN(h264_mc_4x4_brchyes_memyes, 4)
RUN(h264_mc_8x8_brchno_memyes, 5)
RUN(h264_mc_8x8_brchyes_memno, 6)
RUN(h264_mc_8x8_brchyes_memyes, 7)
RUN(h264_mc_allpframe_ref1, 8)
