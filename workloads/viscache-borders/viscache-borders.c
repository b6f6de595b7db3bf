/* viscache-borders.c - driver of the visibility borders on a generated dungeon. The reference casts
 * rays by multiplication and refines them by recursion; all integers, exact. */
#include "workloads/support.h"

#include <stdlib.h>
#include <string.h>

#define SECTORS  16
#define COARSE   8
#define CAPACITY 96 /* of a thread's list; longer borders are only counted and in the bit map */

typedef struct place {
    int32_t x, y;
} place;

typedef struct state {
    int32_t edge; /* of the square map */
    int32_t range, sources, threads;
    uint8_t *map; /* 1: obstacle */
    place *source;
} state;

static place random_free_cell(ww__bench *bench, const state *s)
{
    place p;
    do {
        p.x = (int32_t)ww__random_below(bench, (uint32_t)s->edge);
        p.y = (int32_t)ww__random_below(bench, (uint32_t)s->edge);
    } while (s->map[p.y * s->edge + p.x]);
    return p;
}

/* Frees the cells of a rectangle but for a pillar here and there. */
static void carve(ww__bench *bench, state *s, place from, place to, uint32_t pillars_in_256)
{
    for (int32_t y = from.y; y <= to.y; y++) {
        for (int32_t x = from.x; x <= to.x; x++) {
            s->map[y * s->edge + x] = ww__random_below(bench, 256) < pillars_in_256;
        }
    }
}

/* Rooms at random places, each joined to the one before by a corridor with a corner. */
static ww_status make_map(ww__bench *bench, state *s)
{
    const size_t cells = (size_t)(s->edge * s->edge);
    WW_TRY(ww__host_array(bench, cells, 1, &s->map));
    memset(s->map, 1, cells);
    place last = {s->edge / 2, s->edge / 2};
    for (int32_t room = 0; room < s->edge * s->edge / 72; room++) {
        const place at = {1 + (int32_t)ww__random_below(bench, (uint32_t)(s->edge - 14)),
                          1 + (int32_t)ww__random_below(bench, (uint32_t)(s->edge - 14))};
        const place end = {at.x + 3 + (int32_t)ww__random_below(bench, 9),
                           at.y + 3 + (int32_t)ww__random_below(bench, 9)};
        const place middle = {(at.x + end.x) / 2, (at.y + end.y) / 2};
        carve(bench, s, at, end, 12);
        const place low = {last.x < middle.x ? last.x : middle.x,
                           last.y < middle.y ? last.y : middle.y};
        const place high = {last.x > middle.x ? last.x : middle.x,
                            last.y > middle.y ? last.y : middle.y};
        carve(bench, s, (place){low.x, last.y}, (place){high.x, last.y}, 0);
        carve(bench, s, (place){middle.x, low.y}, (place){middle.x, high.y}, 0);
        last = middle;
    }
    WW_TRY(ww__host_array(bench, (size_t)s->sources, sizeof *s->source, &s->source));
    for (int32_t i = 0; i < s->sources; i++) {
        s->source[i] = random_free_cell(bench, s);
    }
    return WW_OK;
}

/* One thread's part of the reference. */
typedef struct tracer {
    const state *s;
    place source;
    int32_t octant;
    int32_t *bits; /* words of the source */
    int32_t *list;
    int32_t count;
} tracer;

static place cell_on_ray(const tracer *t, int32_t ray, int32_t step)
{
    /* Unit vectors of each octant's major and minor axis. */
    static const place major[8] = {{1, 0},  {0, 1},  {0, 1},  {-1, 0},
                                   {-1, 0}, {0, -1}, {0, -1}, {1, 0}};
    static const place minor[8] = {{0, 1},  {1, 0},  {-1, 0}, {0, 1},
                                   {0, -1}, {-1, 0}, {1, 0},  {0, -1}};
    const int32_t aside = (step * ray + t->s->range / 2) / t->s->range;
    const place a = major[t->octant];
    const place b = minor[t->octant];
    return (place){t->source.x + step * a.x + aside * b.x, t->source.y + step * a.y + aside * b.y};
}

static int32_t distance(const tracer *t, int32_t ray)
{
    const int32_t edge = t->s->edge;
    int32_t step = 1;
    for (; step <= t->s->range; step++) {
        const place p = cell_on_ray(t, ray, step);
        if (p.x < 0 || p.x >= edge || p.y < 0 || p.y >= edge || t->s->map[p.y * edge + p.x]) {
            break;
        }
    }
    return step - 1;
}

static void mark(tracer *t, int32_t ray, int32_t step)
{
    const place p = cell_on_ray(t, ray, step);
    const int32_t cell = p.y * t->s->edge + p.x;
    t->bits[cell / 32] = (int32_t)((uint32_t)t->bits[cell / 32] | 1u << cell % 32);
    if (t->count < CAPACITY) {
        t->list[t->count] = cell;
    }
    t->count++;
}

/* The border from ray a up to ray b. */
static void trace(tracer *t, int32_t a, int32_t b)
{
    const int32_t at_a = distance(t, a);
    const int32_t at_b = distance(t, b);
    if (abs(at_a - at_b) <= 1) {
        mark(t, a, at_a);
    } else if (b - a > 1) {
        trace(t, a, (a + b) / 2);
        trace(t, (a + b) / 2, b);
    } else if (at_a < at_b) {
        for (int32_t step = at_a + 1; step <= at_b; step++) {
            mark(t, b, step);
        }
    } else {
        for (int32_t step = at_b + 1; step <= at_a; step++) {
            mark(t, a, step);
        }
    }
}

static ww_status verify(ww__bench *bench, const state *s, size_t words, const int32_t *counts,
                        const int32_t *lists, const int32_t *bits)
{
    const size_t threads = (size_t)s->threads;
    const int32_t rays = s->range * 8 / SECTORS;
    int32_t *expected_counts, *expected_lists, *expected_bits;
    WW_TRY(ww__host_array(bench, threads, sizeof *expected_counts, &expected_counts));
    WW_TRY(ww__host_array(bench, threads * CAPACITY, sizeof *expected_lists, &expected_lists));
    WW_TRY(
        ww__host_array(bench, (size_t)s->sources * words, sizeof *expected_bits, &expected_bits));
    for (int32_t i = 0; i < s->threads; i++) {
        tracer t = {.s = s,
                    .source = s->source[i / SECTORS],
                    .octant = i % 8,
                    .bits = &expected_bits[(size_t)(i / SECTORS) * words],
                    .list = &expected_lists[(size_t)i * CAPACITY]};
        const int32_t first = i % SECTORS / 8 * rays;
        for (int32_t ray = first; ray < first + rays; ray += COARSE) {
            trace(&t, ray, ray + COARSE);
        }
        expected_counts[i] = t.count;
    }
    WW_TRY(ww__verify_ints(bench, "border length", counts, expected_counts, threads));
    WW_TRY(ww__verify_ints(bench, "border cell", lists, expected_lists, threads * CAPACITY));
    return ww__verify_ints(bench, "visibility word", bits, expected_bits,
                           (size_t)s->sources * words);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const struct {
        int32_t edge, range, sources;
        unsigned cta_threads;
    } inputs[] = {{32, 16, 7, 64}, {96, 48, 24, 128}, {96, 48, 256, 128}, {128, 64, 256, 128}};
    static const int32_t sectors = SECTORS;
    static const int32_t capacity = CAPACITY;
    state s = {.edge = inputs[size].edge,
               .range = inputs[size].range,
               .sources = inputs[size].sources,
               .threads = inputs[size].sources * SECTORS};
    WW_TRY(make_map(bench, &s));

    const size_t threads = (size_t)s.threads;
    const int32_t words = s.edge * s.edge / 32;
    const size_t bit_bytes = (size_t)s.sources * (size_t)words * sizeof(int32_t);
    const size_t list_bytes = threads * CAPACITY * sizeof(int32_t);
    ww_devptr map, sources, bits, lists, counts;
    int32_t *host_bits, *host_lists, *host_counts;
    WW_TRY(ww__upload(bench, s.map, (size_t)(s.edge * s.edge), &map));
    WW_TRY(ww__upload(bench, s.source, (size_t)s.sources * sizeof *s.source, &sources));
    WW_TRY(ww__buffer(bench, bit_bytes, &bits));
    WW_TRY(ww_device_memset(bench->device, bits, 0, bit_bytes, bench->err));
    WW_TRY(ww__buffer(bench, list_bytes, &lists));
    WW_TRY(ww__buffer(bench, threads * sizeof(int32_t), &counts));
    WW_TRY(WW__LAUNCH(bench, "viscache_borders",
                      ww__dim(ww__pieces(threads, inputs[size].cta_threads), 1),
                      ww__dim(inputs[size].cta_threads, 1), 0, &map, &s.edge, &s.edge, &sources,
                      &s.threads, &sectors, &s.range, &bits, &words, &lists, &capacity, &counts));
    WW_TRY(ww__download(bench, bits, bit_bytes, &host_bits));
    WW_TRY(ww__download(bench, lists, list_bytes, &host_lists));
    WW_TRY(ww__download(bench, counts, threads * sizeof(int32_t), &host_counts));
    return verify(bench, &s, (size_t)words, host_counts, host_lists, host_bits);
}

ww_status ww_viscache_borders_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "viscache-borders", &ww__ptx_viscache_borders, size, run, err);
}
