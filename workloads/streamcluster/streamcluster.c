/* streamcluster.c - driver of the k-median step (O'Callaghan et al., ICDE 2002): the host proposes
 * candidates, the device tells each point's gain, the host decides. The reference computes every
 * distance in double precision. */
#include "workloads/support.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define THREADS 512
#define CENTRES 12 /* at first; the benchmark looks for 10 to 20 */
#define MOST    64

/* The same as in streamcluster.cu. */
typedef struct point {
    float weight;
    uint64_t coordinates;
    int64_t assigned;
    float cost;
} point;

typedef struct stream {
    int32_t points, dimensions;
    float *coordinates; /* [dimension][point] */
    point *point;
    int32_t *number; /* of a point among the centres; only of centres */
    int32_t centres;
    int32_t centre[MOST]; /* number -> point */
    double open_cost;     /* of one more centre */
} stream;

static double cost(const stream *s, int64_t i, int64_t centre)
{
    double sum = 0.0;
    for (int32_t d = 0; d < s->dimensions; d++) {
        const float *row = &s->coordinates[(size_t)d * (size_t)s->points];
        const double difference = (double)row[i] - (double)row[centre];
        sum += difference * difference;
    }
    return sum * (double)s->point[i].weight;
}

static ww_status make_stream(ww__bench *bench, stream *s)
{
    const size_t n = (size_t)s->points;
    WW_TRY(ww__random_floats(bench, n * (size_t)s->dimensions, 0.0f, 1.0f, &s->coordinates));
    WW_TRY(ww__host_array(bench, n, sizeof *s->point, &s->point));
    WW_TRY(ww__host_array(bench, n, sizeof *s->number, &s->number));
    for (s->centres = 0; s->centres < CENTRES; s->centres++) {
        const int32_t p = s->points / CENTRES * s->centres;
        s->centre[s->centres] = p;
        s->number[p] = s->centres;
    }
    double total = 0.0;
    for (int32_t i = 0; i < s->points; i++) {
        point *p = &s->point[i];
        p->weight = 0.5f + ww__random_float(bench, 0.0f, 1.0f);
        p->assigned = s->centre[0];
        for (int32_t c = 1; c < s->centres; c++) {
            if (cost(s, i, s->centre[c]) < cost(s, i, p->assigned)) {
                p->assigned = s->centre[c];
            }
        }
        p->cost = (float)cost(s, i, p->assigned);
        total += (double)p->cost;
    }
    s->open_cost = total / s->points; /* so that some candidates are worth it and some are not */
    return WW_OK;
}

/* Checks every point's row of work and its flag. A cost within rounding of the present one may fall
 * to either side. */
static ww_status verify(ww__bench *bench, const stream *s, int64_t candidate, const float *work,
                        const int8_t *switched)
{
    const int32_t stride = s->centres + 1;
    for (int32_t i = 0; i < s->points; i++) {
        const double saved = cost(s, i, candidate) - (double)s->point[i].cost;
        const double tolerance = 1e-5 * (double)s->point[i].cost + 1e-5 * fabs(saved);
        const bool chosen = switched[i] != 0;
        if (chosen != (saved < 0.0) && fabs(saved) > tolerance) {
            return ww_fail(bench->err, WW_EVERIFY,
                           "%s: switched[%" PRId32 "] = %d, expected %d (saves %.9g)", bench->name,
                           i, chosen, saved < 0.0, -saved);
        }
        const int32_t place = chosen ? s->centres : s->number[s->point[i].assigned];
        for (int32_t k = 0; k < stride; k++) {
            const double expected = k != place ? 0.0 : chosen ? saved : -saved;
            const double actual = (double)work[i * stride + k];
            if (!(fabs(actual - expected) <= (k == place ? tolerance : 0.0))) {
                return ww_fail(bench->err, WW_EVERIFY,
                               "%s: work[%" PRId32 "][%" PRId32 "] = %.9g, expected %.9g",
                               bench->name, i, k, actual, expected);
            }
        }
    }
    return WW_OK;
}

/* Opens the candidate when that pays, and closes the centres that it makes superfluous. */
static void decide(stream *s, int32_t candidate, const float *work, const int8_t *switched)
{
    double gain[MOST + 1] = {0.0};
    bool closes[MOST] = {false};
    const int32_t stride = s->centres + 1;
    for (int32_t i = 0; i < s->points; i++) {
        for (int32_t k = 0; k < stride; k++) {
            gain[k] += (double)work[i * stride + k];
        }
    }
    double change = s->open_cost + gain[s->centres];
    for (int32_t k = 0; k < s->centres; k++) {
        closes[k] = gain[k] + s->open_cost > 0.0;
        change -= closes[k] ? gain[k] + s->open_cost : 0.0;
    }
    if (change >= 0.0 || s->centres == MOST) {
        return;
    }
    for (int32_t i = 0; i < s->points; i++) {
        point *p = &s->point[i];
        if (switched[i] != 0 || closes[s->number[p->assigned]]) {
            p->cost = (float)cost(s, i, candidate);
            p->assigned = candidate;
        }
    }
    int32_t left = 0;
    for (int32_t k = 0; k < s->centres; k++) {
        if (!closes[k]) {
            s->centre[left++] = s->centre[k];
        }
    }
    s->centre[left++] = candidate;
    s->centres = left;
    for (int32_t k = 0; k < left; k++) {
        s->number[s->centre[k]] = k;
    }
}

/* A point that is not a centre yet. */
static int32_t draw(ww__bench *bench, const stream *s)
{
    for (;;) {
        const int32_t p = (int32_t)ww__random_below(bench, (uint32_t)s->points);
        bool free = true;
        for (int32_t k = 0; k < s->centres; k++) {
            free = free && s->centre[k] != p;
        }
        if (free) {
            return p;
        }
    }
}

static ww_status propose(ww__bench *bench, stream *s, int32_t candidates)
{
    const size_t n = (size_t)s->points;
    const ww_dim3 grid = ww__dim(ww__pieces(n, THREADS), 1);
    ww_devptr points, numbers, coordinates, work, switched;
    WW_TRY(ww__buffer(bench, n * sizeof *s->point, &points));
    WW_TRY(ww__buffer(bench, n * sizeof *s->number, &numbers));
    WW_TRY(ww__upload(bench, s->coordinates, n * (size_t)s->dimensions * sizeof *s->coordinates,
                      &coordinates));
    WW_TRY(ww__buffer(bench, n * (MOST + 1) * sizeof(float), &work));
    WW_TRY(ww__buffer(bench, n, &switched));
    for (int32_t c = 0; c < candidates; c++) {
        const int64_t candidate = draw(bench, s);
        const int32_t stride = s->centres + 1;
        const size_t work_bytes = n * (size_t)stride * sizeof(float);
        float *gains;
        int8_t *flags;
        WW_TRY(ww_device_write(bench->device, points, s->point, n * sizeof *s->point, bench->err));
        WW_TRY(
            ww_device_write(bench->device, numbers, s->number, n * sizeof *s->number, bench->err));
        WW_TRY(ww_device_memset(bench->device, work, 0, work_bytes, bench->err));
        WW_TRY(ww_device_memset(bench->device, switched, 0, n, bench->err));
        WW_TRY(WW__LAUNCH(bench, "kernel_compute_cost", grid, ww__dim(THREADS, 1), 0, &s->points,
                          &s->dimensions, &candidate, &points, &s->centres, &stride, &coordinates,
                          &work, &numbers, &switched));
        WW_TRY(ww__download(bench, work, work_bytes, &gains));
        WW_TRY(ww__download(bench, switched, n, &flags));
        WW_TRY(verify(bench, s, candidate, gains, flags));
        decide(s, (int32_t)candidate, gains, flags);
    }
    return WW_OK;
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const struct {
        int32_t points, dimensions, candidates;
    } inputs[] = {{1100, 15, 3}, {4096, 32, 20}, {98304, 32, 4}, {65536, 256, 20}};
    stream s = {.points = inputs[size].points, .dimensions = inputs[size].dimensions};
    WW_TRY(make_stream(bench, &s));
    return propose(bench, &s, inputs[size].candidates);
}

ww_status ww_streamcluster_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "streamcluster", &ww__ptx_streamcluster, size, run, err);
}
