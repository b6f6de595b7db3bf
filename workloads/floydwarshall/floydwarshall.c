/* floydwarshall.c - driver of the shortest paths; the reference finds the distances from every node
 * by Dijkstra's algorithm, and the way points are checked against them. */
#include "workloads/support.h"

#include <inttypes.h>

#define EDGE        16 /* of a CTA */
#define UNREACHABLE 999999
#define DIRECT      (-1) /* no node in between */

static ww_status make_graph(ww__bench *bench, int32_t n, int32_t edges, int32_t **out)
{
    int32_t *length = NULL;
    WW_TRY(ww__host_array(bench, (size_t)n * (size_t)n, sizeof *length, &length));
    for (int32_t i = 0; i < n * n; i++) {
        length[i] = i / n == i % n ? 0 : UNREACHABLE;
    }
    for (int32_t e = 0; e < edges; e++) {
        const uint32_t from = ww__random_below(bench, (uint32_t)n);
        const uint32_t to = ww__random_below(bench, (uint32_t)n);
        if (from != to) {
            length[from * (uint32_t)n + to] = 1 + (int32_t)ww__random_below(bench, 100);
        }
    }
    *out = length;
    return WW_OK;
}

/* Distances from one node; done has n entries. */
/* Paths over the first `rounds` nodes: the others end one. */
static void dijkstra(const int32_t *length, int32_t n, int32_t rounds, int32_t from, bool *done,
                     int32_t *distance)
{
    for (int32_t i = 0; i < n; i++) {
        done[i] = false;
        distance[i] = i == from ? 0 : UNREACHABLE;
    }
    for (;;) {
        int32_t nearest = -1;
        for (int32_t i = 0; i < n; i++) {
            if (!done[i] && distance[i] < UNREACHABLE &&
                (nearest < 0 || distance[i] < distance[nearest])) {
                nearest = i;
            }
        }
        if (nearest < 0) {
            return;
        }
        done[nearest] = true;
        if (nearest != from && nearest >= rounds) {
            continue;
        }
        for (int32_t i = 0; i < n; i++) {
            const int32_t through = distance[nearest] + length[nearest * n + i];
            distance[i] = through < distance[i] ? through : distance[i];
        }
    }
}

/* A way point must divide its path; a path without one is an edge. */
static ww_status verify_next(ww__bench *bench, const int32_t *length, const int32_t *distance,
                             const int32_t *next, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            const int32_t k = next[i * n + j];
            const bool known = k >= 0 && k < n;
            const int32_t along = known         ? distance[i * n + k] + distance[k * n + j]
                                  : k == DIRECT ? length[i * n + j]
                                                : -1;
            if (along != distance[i * n + j] || k == i || k == j) {
                return ww_fail(bench->err, WW_EVERIFY,
                               "%s: next[%" PRId32 "][%" PRId32 "] = %" PRId32
                               ", a path of %" PRId32 ", expected one of %" PRId32,
                               bench->name, i, j, k, along, distance[i * n + j]);
            }
        }
    }
    return WW_OK;
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const struct {
        int32_t nodes, edges, rounds; /* of the first nodes as way points */
    } inputs[] = {{29, 87, 29}, {96, 400, 96}, {480, 57600, 32}, {256, 16384, 256}};
    const int32_t n = inputs[size].nodes, rounds = inputs[size].rounds;
    const size_t count = (size_t)n * (size_t)n;
    const unsigned ctas = ww__pieces((size_t)n, EDGE);

    int32_t *length, *distance, *next, *expected;
    bool *done;
    ww_devptr device_distance, device_next;
    WW_TRY(make_graph(bench, n, inputs[size].edges, &length));
    WW_TRY(ww__host_array(bench, count, sizeof *expected, &expected));
    WW_TRY(ww__host_array(bench, count, sizeof *next, &next));
    WW_TRY(ww__host_array(bench, (size_t)n, sizeof *done, &done));
    for (size_t i = 0; i < count; i++) {
        next[i] = DIRECT;
    }
    WW_TRY(ww__upload(bench, length, count * sizeof *length, &device_distance));
    WW_TRY(ww__upload(bench, next, count * sizeof *next, &device_next));
    for (int32_t k = 0; k < rounds; k++) {
        WW_TRY(WW__LAUNCH(bench, "floydwarshall", ww__dim(ctas, ctas), ww__dim(EDGE, EDGE), 0,
                          &device_distance, &device_next, &n, &k));
    }
    WW_TRY(ww__download(bench, device_distance, count * sizeof *distance, &distance));
    WW_TRY(ww__download(bench, device_next, count * sizeof *next, &next));
    for (int32_t i = 0; i < n; i++) {
        dijkstra(length, n, rounds, i, done, &expected[i * n]);
    }
    WW_TRY(ww__verify_ints(bench, "distance", distance, expected, count));
    return verify_next(bench, length, distance, next, n);
}

ww_status ww_floydwarshall_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "floydwarshall", &ww__ptx_floydwarshall, size, run, err);
}
