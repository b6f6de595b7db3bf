/* mars-km.c - driver of k-means as MapReduce; the reference assigns and averages in integers. Every
 * stage of every iteration is checked. */
#include "workloads/mars/mars.h"

#include <string.h>

#define DIMENSIONS 3
#define CENTRES    24

typedef struct clustering {
    int32_t points;
    int32_t *point;                            /* [point][dimension] */
    int32_t centre[CENTRES * DIMENSIONS];      /* of the device's stages */
    int32_t *assigned;                         /* expected */
    int32_t expected[CENTRES * DIMENSIONS];    /* centres */
    ww_devptr input, input_keys, input_values; /* records: point and its centre */
    ww_devptr device_points, device_centres, changed, out_keys, out_values;
} clustering;

static ww_status make_points(ww__bench *bench, clustering *c)
{
    const size_t n = (size_t)c->points;
    const int32_t zero = 0;
    ww__mars_entry *entries;
    int32_t *numbers;
    WW_TRY(ww__host_array(bench, n * DIMENSIONS, sizeof *c->point, &c->point));
    WW_TRY(ww__host_array(bench, n, sizeof *c->assigned, &c->assigned)); /* all to centre 0 */
    WW_TRY(ww__host_array(bench, n, sizeof *numbers, &numbers));
    WW_TRY(ww__host_array(bench, n, sizeof *entries, &entries));
    for (size_t i = 0; i < n * DIMENSIONS; i++) {
        c->point[i] = (int32_t)ww__random_below(bench, 100);
    }
    for (int32_t i = 0; i < c->points; i++) {
        numbers[i] = i;
        entries[i] = (ww__mars_entry){4 * i, 4, 4 * i, 4};
    }
    memcpy(c->centre, c->point, sizeof c->centre); /* the first points */
    memcpy(c->expected, c->point, sizeof c->expected);
    WW_TRY(ww__upload(bench, entries, n * sizeof *entries, &c->input));
    WW_TRY(ww__upload(bench, numbers, n * sizeof *numbers, &c->input_keys));
    WW_TRY(ww__upload(bench, c->assigned, n * sizeof *c->assigned, &c->input_values));
    WW_TRY(ww__upload(bench, c->point, n * DIMENSIONS * sizeof *c->point, &c->device_points));
    WW_TRY(ww__buffer(bench, sizeof c->centre, &c->device_centres));
    WW_TRY(ww__upload(bench, &zero, sizeof zero, &c->changed));
    WW_TRY(ww__buffer(bench, CENTRES * sizeof(int32_t), &c->out_keys));
    return ww__buffer(bench, sizeof c->centre, &c->out_values);
}

/* Assigns the points; *records are emitted. */
static ww_status map(ww__bench *bench, ww__mars *m, clustering *c, int32_t *records)
{
    const int32_t dimensions = DIMENSIONS;
    const int32_t centres = CENTRES;
    const int32_t zero = 0;
    const ww_dim3 grid = ww__mars_grid(c->points);
    const ww_dim3 block = ww__dim(WW__MARS_THREADS, 1);
    WW_TRY(ww_device_write(bench->device, c->changed, &zero, sizeof zero, bench->err));
    WW_TRY(
        ww_device_write(bench->device, c->device_centres, c->centre, sizeof c->centre, bench->err));
    WW_TRY(WW__LAUNCH(bench, "MapperCount", grid, block, 0, &c->points, &m->key_bytes,
                      &m->value_bytes, &m->counts));
    WW_TRY(ww__mars_place(m, c->points, records));
    return WW__LAUNCH(bench, "Mapper", grid, block, 0, &c->input, &c->input_keys, &c->input_values,
                      &c->points, &c->device_points, &c->device_centres, &dimensions, &centres,
                      &m->key_places, &m->value_places, &m->places, &m->directory, &m->keys,
                      &m->values, &c->changed);
}

/* Moves the centres that have points. */
static ww_status reduce(ww__bench *bench, ww__mars *m, clustering *c, int32_t groups)
{
    const int32_t dimensions = DIMENSIONS;
    const ww_dim3 grid = ww__mars_grid(groups);
    const ww_dim3 block = ww__dim(WW__MARS_THREADS, 1);
    int32_t *numbers, *means, emitted;
    WW_TRY(WW__LAUNCH(bench, "ReducerCount", grid, block, 0, &groups, &dimensions, &m->key_bytes,
                      &m->value_bytes, &m->counts));
    WW_TRY(ww__mars_place(m, groups, &emitted));
    WW_TRY(ww__verify_ints(bench, "centres emitted", &emitted, &groups, 1));
    WW_TRY(WW__LAUNCH(bench, "Reducer", grid, block, 0, &m->directory, &m->keys, &m->values,
                      &m->starts, &groups, &c->points, &c->device_points, &dimensions,
                      &m->key_places, &m->value_places, &c->out_keys, &c->out_values));
    WW_TRY(ww__download(bench, c->out_keys, CENTRES * sizeof *numbers, &numbers));
    WW_TRY(ww__download(bench, c->out_values, sizeof c->centre, &means));
    for (int32_t g = 0; g < groups; g++) {
        if (numbers[g] >= 0 && numbers[g] < CENTRES) {
            memcpy(&c->centre[numbers[g] * DIMENSIONS], &means[g * DIMENSIONS],
                   DIMENSIONS * sizeof *means);
        }
    }
    return WW_OK;
}

static int32_t distance(const clustering *c, int32_t point, int32_t centre)
{
    int32_t sum = 0;
    for (int d = 0; d < DIMENSIONS; d++) {
        const int32_t difference =
            c->point[point * DIMENSIONS + d] - c->expected[centre * DIMENSIONS + d];
        sum += difference * difference;
    }
    return sum;
}

/* One iteration of the reference; returns whether a point moved. A point leaves its centre only for
 * a nearer one, the first of the nearest. */
static bool iterate(clustering *c, int32_t *groups)
{
    int32_t sum[CENTRES][DIMENSIONS] = {{0}};
    int32_t count[CENTRES] = {0};
    bool moved = false;
    for (int32_t p = 0; p < c->points; p++) {
        int32_t nearest = c->assigned[p];
        for (int32_t k = 0; k < CENTRES; k++) {
            nearest = distance(c, p, k) < distance(c, p, nearest) ? k : nearest;
        }
        moved = moved || nearest != c->assigned[p];
        c->assigned[p] = nearest;
        count[nearest]++;
        for (int d = 0; d < DIMENSIONS; d++) {
            sum[nearest][d] += c->point[p * DIMENSIONS + d];
        }
    }
    *groups = 0;
    for (int k = 0; k < CENTRES; k++) {
        *groups += count[k] > 0;
        for (int d = 0; d < DIMENSIONS && count[k] > 0; d++) {
            c->expected[k * DIMENSIONS + d] = sum[k][d] / count[k];
        }
    }
    return moved;
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const struct {
        int32_t points, iterations;
    } inputs[] = {{520, 1}, {6000, 1}, {92160, 1}, {30000, 20}};
    clustering c = {.points = inputs[size].points};
    ww__mars m;
    WW_TRY(make_points(bench, &c));
    WW_TRY(ww__mars_init(&m, bench, c.points));
    for (int32_t i = 0; i < inputs[size].iterations; i++) {
        int32_t records, groups, expected_groups, changed, *assigned;
        WW_TRY(map(bench, &m, &c, &records));
        const int32_t moved = iterate(&c, &expected_groups);
        WW_TRY(ww_device_read(bench->device, &changed, c.changed, sizeof changed, bench->err));
        WW_TRY(ww__download(bench, c.input_values, (size_t)c.points * sizeof *assigned, &assigned));
        WW_TRY(ww__verify_ints(bench, "records", &records, &c.points, 1));
        WW_TRY(ww__verify_ints(bench, "centre of point", assigned, c.assigned, (size_t)c.points));
        WW_TRY(ww__verify_ints(bench, "changed", &changed, &moved, 1));
        WW_TRY(ww__mars_sort(&m));
        WW_TRY(ww__mars_group(&m, c.points, &groups));
        WW_TRY(ww__verify_ints(bench, "groups", &groups, &expected_groups, 1));
        WW_TRY(reduce(bench, &m, &c, groups));
        WW_TRY(ww__verify_ints(bench, "centre", c.centre, c.expected, CENTRES * DIMENSIONS));
        if (changed == 0) {
            break;
        }
    }
    return WW_OK;
}

ww_status ww_mars_km_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "mars-km", &ww__ptx_mars_km, size, run, err);
}
