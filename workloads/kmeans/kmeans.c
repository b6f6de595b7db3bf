/* kmeans.c - driver of k-means: assignment on the device, new centres on the host, until few points
 * move. Every assignment is checked against double-precision distances to the centres of that
 * iteration. */
#include "workloads/support.h"

#include <inttypes.h>
#include <string.h>

#define THREADS  256
#define FEATURES 34
#define CLUSTERS 5

typedef struct state {
    int32_t points;
    float *features; /* a row of FEATURES per point */
    float centres[CLUSTERS][FEATURES];
    int32_t *membership; /* of the last iteration */
} state;

/* Overlapping blobs: about a random middle, a sum of uniforms (close to a Gaussian, without libm).
 */
static ww_status make_points(ww__bench *bench, int32_t points, state *s)
{
    const size_t count = (size_t)points * FEATURES;
    float *middles = NULL;
    WW_TRY(ww__random_floats(bench, CLUSTERS * FEATURES, 0.0f, 4.0f, &middles));
    WW_TRY(ww__host_array(bench, count, sizeof *s->features, &s->features));
    WW_TRY(ww__host_array(bench, (size_t)points, sizeof *s->membership, &s->membership));
    s->points = points;
    for (int32_t p = 0; p < points; p++) {
        const uint32_t blob = ww__random_below(bench, CLUSTERS);
        for (uint32_t f = 0; f < FEATURES; f++) {
            float offset = 0.0f;
            for (int i = 0; i < 4; i++) {
                offset += ww__random_float(bench, -4.0f, 4.0f);
            }
            s->features[(uint32_t)p * FEATURES + f] = middles[blob * FEATURES + f] + offset;
        }
        s->membership[p] = -1;
    }
    memcpy(s->centres, s->features, sizeof s->centres); /* the first points are the first centres */
    return WW_OK;
}

/* invert_mapping must have transposed the features exactly. */
static ww_status verify_transposed(ww__bench *bench, const state *s, ww_devptr by_feature)
{
    const size_t points = (size_t)s->points;
    float *actual = NULL;
    double *expected = NULL;
    WW_TRY(ww__download(bench, by_feature, points * FEATURES * sizeof *actual, &actual));
    WW_TRY(ww__host_array(bench, points * FEATURES, sizeof *expected, &expected));
    for (size_t p = 0; p < points; p++) {
        for (size_t f = 0; f < FEATURES; f++) {
            expected[f * points + p] = (double)s->features[p * FEATURES + f];
        }
    }
    return ww__verify_floats(bench, "feature", actual, expected, points * FEATURES, 0.0, 0.0);
}

static double distance(const float *point, const float *centre)
{
    double sum = 0.0;
    for (int f = 0; f < FEATURES; f++) {
        const double d = (double)point[f] - (double)centre[f];
        sum += d * d;
    }
    return sum;
}

/* Every point must be with its nearest centre, or with one as near but for float's rounding. */
static ww_status verify_membership(ww__bench *bench, const state *s, const int32_t *membership)
{
    for (int32_t p = 0; p < s->points; p++) {
        double d[CLUSTERS];
        int32_t nearest = 0;
        for (int32_t c = 0; c < CLUSTERS; c++) {
            d[c] = distance(&s->features[(size_t)p * FEATURES], s->centres[c]);
            nearest = d[c] < d[nearest] ? c : nearest;
        }
        const int32_t chosen = membership[p];
        if (chosen < 0 || chosen >= CLUSTERS || !(d[chosen] <= d[nearest] * (1.0 + 1e-5))) {
            return ww_fail(bench->err, WW_EVERIFY,
                           "%s: membership[%" PRId32 "] = %" PRId32 ", expected %" PRId32,
                           bench->name, p, chosen, nearest);
        }
    }
    return WW_OK;
}

static int32_t count_moved(const state *s, const int32_t *membership)
{
    int32_t moved = 0;
    for (int32_t p = 0; p < s->points; p++) {
        moved += membership[p] != s->membership[p];
    }
    return moved;
}

/* Centres become the means of their points; a centre without points stays. */
static void update_centres(state *s)
{
    for (int c = 0; c < CLUSTERS; c++) {
        double sum[FEATURES] = {0};
        int32_t count = 0;
        for (int32_t p = 0; p < s->points; p++) {
            if (s->membership[p] == c) {
                count++;
                for (int f = 0; f < FEATURES; f++) {
                    sum[f] += (double)s->features[(size_t)p * FEATURES + (size_t)f];
                }
            }
        }
        for (int f = 0; f < FEATURES && count > 0; f++) {
            s->centres[c][f] = (float)(sum[f] / count);
        }
    }
}

/* The grid is the smallest square that holds the CTAs. */
static unsigned square_edge(unsigned ctas)
{
    unsigned edge = 1;
    while (edge * edge < ctas) {
        edge++;
    }
    return edge;
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const struct {
        int32_t points, iterations;
        float threshold; /* stop when this share of the points moves, or less */
    } inputs[] = {{300, 3, 0.0f}, {6000, 3, 0.0f}, {98304, 1, 0.0f}, {494020, 20, 0.001f}};
    const int32_t features = FEATURES;
    const int32_t clusters = CLUSTERS;

    state s;
    WW_TRY(make_points(bench, inputs[size].points, &s));
    const size_t points = (size_t)s.points;
    const size_t feature_bytes = points * FEATURES * sizeof(float);
    const unsigned ctas = ww__pieces(points, THREADS);
    const unsigned edge = square_edge(ctas);

    ww_devptr by_point, by_feature, membership;
    WW_TRY(ww__upload(bench, s.features, feature_bytes, &by_point));
    WW_TRY(ww__buffer(bench, feature_bytes, &by_feature));
    WW_TRY(ww__upload(bench, s.membership, points * sizeof(int32_t), &membership));
    WW_TRY(WW__LAUNCH(bench, "invert_mapping", ww__dim(ctas, 1), ww__dim(THREADS, 1), 0, &by_point,
                      &by_feature, &s.points, &features));
    WW_TRY(verify_transposed(bench, &s, by_feature));

    for (int32_t i = 0; i < inputs[size].iterations; i++) {
        int32_t *now;
        WW_TRY(ww__upload_symbol(bench, "c_clusters", s.centres, sizeof s.centres));
        WW_TRY(WW__LAUNCH(bench, "kmeansPoint", ww__dim(edge, edge), ww__dim(THREADS, 1), 0,
                          &by_feature, &features, &s.points, &clusters, &membership));
        WW_TRY(ww__download(bench, membership, points * sizeof *now, &now));
        WW_TRY(verify_membership(bench, &s, now));
        const int32_t moved = count_moved(&s, now);
        s.membership = now;
        if ((float)moved <= inputs[size].threshold * (float)s.points) {
            break;
        }
        update_centres(&s);
    }
    return WW_OK;
}

ww_status ww_kmeans_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "kmeans", &ww__ptx_kmeans, size, run, err);
}
