/* mars.c - host side of the stages between map and reduce; see mars.h. */
#include "workloads/mars/mars.h"

#define THREADS WW__MARS_THREADS
#define SCANNED (2 * THREADS)

ww_dim3 ww__mars_grid(int32_t tasks)
{
    return ww__dim(ww__pieces((size_t)tasks, THREADS), 1);
}

static ww_dim3 block(void)
{
    return ww__dim(THREADS, 1);
}

ww_status ww__mars_init(ww__mars *m, ww__bench *bench, int32_t tasks)
{
    *m = (ww__mars){.bench = bench, .most = tasks, .capacity = SCANNED};
    while (m->capacity < tasks) {
        m->capacity *= 2;
    }
    ww_devptr *const arrays[] = {&m->keys,   &m->values,     &m->key_bytes,    &m->value_bytes,
                                 &m->counts, &m->key_places, &m->value_places, &m->places,
                                 &m->starts, &m->scratch};
    const size_t bytes = (size_t)m->capacity * sizeof(int32_t);
    for (size_t i = 0; i < WW_ARRAY_LEN(arrays); i++) {
        WW_TRY(ww__buffer(bench, bytes, arrays[i]));
    }
    const size_t directory_bytes = (size_t)m->capacity * sizeof(ww__mars_entry);
    WW_TRY(ww__buffer(bench, directory_bytes, &m->directory));
    /* Entries beyond the last record stay empty. */
    return ww_device_memset(bench->device, m->directory, 0, directory_bytes, bench->err);
}

/* Prefix sums of n values; blocks' totals are summed in turn, in scratch from word `used` on. */
static ww_status scan(ww__mars *m, ww_devptr in, ww_devptr out, int32_t n, size_t used)
{
    const int32_t blocks = (int32_t)ww__pieces((size_t)n, SCANNED);
    const ww_devptr totals = m->scratch + used * sizeof(int32_t);
    const ww_devptr before = totals + (size_t)blocks * sizeof(int32_t);
    const ww_dim3 grid = ww__dim((unsigned)blocks, 1);
    WW_TRY(WW__LAUNCH(m->bench, "prescan", grid, block(), 0, &in, &out, &totals, &n));
    if (blocks == 1) {
        return WW_OK;
    }
    WW_TRY(scan(m, totals, before, blocks, used + 2 * (size_t)blocks));
    return WW__LAUNCH(m->bench, "uniformAdd", grid, block(), 0, &out, &before, &n);
}

/* *out = the sum of the n values in `in`, whose prefix sums are in `sums`. */
static ww_status total(ww__mars *m, ww_devptr in, ww_devptr sums, int32_t n, int32_t *out)
{
    const ww_devptr last = (ww_devptr)(n - 1) * sizeof(int32_t);
    int32_t value, before;
    WW_TRY(ww_device_read(m->bench->device, &value, in + last, sizeof value, m->bench->err));
    WW_TRY(ww_device_read(m->bench->device, &before, sums + last, sizeof before, m->bench->err));
    *out = before + value;
    return WW_OK;
}

ww_status ww__mars_place(ww__mars *m, int32_t tasks, int32_t *records)
{
    WW_TRY(scan(m, m->key_bytes, m->key_places, tasks, 0));
    WW_TRY(scan(m, m->value_bytes, m->value_places, tasks, 0));
    WW_TRY(scan(m, m->counts, m->places, tasks, 0));
    return total(m, m->counts, m->places, tasks, records);
}

ww_status ww__mars_sort(ww__mars *m)
{
    const ww_dim3 chunks = ww__mars_grid(m->capacity);
    const ww_dim3 pairs = ww__mars_grid(m->capacity / 2);
    WW_TRY(WW__LAUNCH(m->bench, "bitonicSortShared", chunks, block(), 0, &m->directory, &m->keys));
    for (int32_t size = 2 * THREADS; size <= m->capacity; size *= 2) {
        for (int32_t stride = size / 2; stride >= THREADS; stride /= 2) {
            WW_TRY(WW__LAUNCH(m->bench, "bitonicMergeGlobal", pairs, block(), 0, &m->directory,
                              &m->keys, &size, &stride));
        }
        WW_TRY(WW__LAUNCH(m->bench, "bitonicMergeShared", chunks, block(), 0, &m->directory,
                          &m->keys, &size));
    }
    return WW_OK;
}

ww_status ww__mars_group(ww__mars *m, int32_t n, int32_t *groups)
{
    const ww_devptr marks = m->counts;
    const ww_devptr numbers = m->key_places;
    WW_TRY(WW__LAUNCH(m->bench, "markBoundaries", ww__mars_grid(n), block(), 0, &m->directory,
                      &m->keys, &marks, &n));
    WW_TRY(scan(m, marks, numbers, n, 0));
    WW_TRY(WW__LAUNCH(m->bench, "writeBoundaries", ww__mars_grid(n), block(), 0, &marks, &numbers,
                      &m->starts, &n));
    return total(m, marks, numbers, n, groups);
}
