/* mars-pvr.c - driver of Page View Rank; the reference sorts ranks and places on the host. */
#include "workloads/mars/mars.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct page {
    int32_t rank, place; /* of its line in the log, in bytes */
} page;

/* Lines of a log: an address of 20 to 99 characters and a rank, which several pages may share. */
static ww_status make_pages(ww__bench *bench, int32_t count, page **out)
{
    page *pages = NULL;
    int32_t place = 0;
    WW_TRY(ww__host_array(bench, (size_t)count, sizeof *pages, &pages));
    for (int32_t i = 0; i < count; i++) {
        pages[i].rank = (int32_t)ww__random_below(bench, (uint32_t)count / 2);
        pages[i].place = place;
        place += 20 + (int32_t)ww__random_below(bench, 80);
    }
    *out = pages;
    return WW_OK;
}

/* Uploads the pages as the records of the map stage and runs it. */
static ww_status map(ww__bench *bench, ww__mars *m, const page *pages, int32_t count)
{
    const size_t n = (size_t)count;
    const ww_dim3 grid = ww__mars_grid(count);
    const ww_dim3 block = ww__dim(WW__MARS_THREADS, 1);
    int32_t *keys, *values;
    ww__mars_entry *entries;
    ww_devptr input, input_keys, input_values;
    WW_TRY(ww__host_array(bench, n, sizeof *keys, &keys));
    WW_TRY(ww__host_array(bench, n, sizeof *values, &values));
    WW_TRY(ww__host_array(bench, n, sizeof *entries, &entries));
    for (int32_t i = 0; i < count; i++) {
        keys[i] = pages[i].rank;
        values[i] = pages[i].place;
        entries[i] = (ww__mars_entry){4 * i, 4, 4 * i, 4};
    }
    WW_TRY(ww__upload(bench, keys, n * sizeof *keys, &input_keys));
    WW_TRY(ww__upload(bench, values, n * sizeof *values, &input_values));
    WW_TRY(ww__upload(bench, entries, n * sizeof *entries, &input));
    WW_TRY(WW__LAUNCH(bench, "MapperCount", grid, block, 0, &input, &count, &m->key_bytes,
                      &m->value_bytes, &m->counts));
    int32_t emitted = 0;
    WW_TRY(ww__mars_place(m, count, &emitted));
    WW_TRY(WW__LAUNCH(bench, "Mapper", grid, block, 0, &input, &input_keys, &input_values, &count,
                      &m->key_places, &m->value_places, &m->places, &m->directory, &m->keys,
                      &m->values));
    WW_TRY(ww__mars_sort(m));
    return ww__verify_ints(bench, "records emitted", &emitted, &count, 1);
}

static int compare(const void *a, const void *b)
{
    const page *x = a;
    const page *y = b;
    if (x->rank != y->rank) {
        return x->rank < y->rank ? -1 : 1;
    }
    return x->place < y->place ? -1 : x->place > y->place;
}

/* The ranks of the sorted directory in order, and the pages with it as a set: the order of pages of
 * the same rank is open. */
static ww_status verify_order(ww__bench *bench, const ww__mars *m, const page *sorted,
                              int32_t count)
{
    const size_t n = (size_t)count;
    ww__mars_entry *entries;
    int32_t *keys, *values;
    page *found;
    WW_TRY(ww__download(bench, m->directory, n * sizeof *entries, &entries));
    WW_TRY(ww__download(bench, m->keys, n * sizeof *keys, &keys));
    WW_TRY(ww__download(bench, m->values, n * sizeof *values, &values));
    WW_TRY(ww__host_array(bench, n, sizeof *found, &found));
    for (int32_t i = 0; i < count; i++) {
        const ww__mars_entry e = entries[i];
        if (e.key % 4 != 0 || e.key < 0 || e.key / 4 >= count || e.value != e.key ||
            e.key_bytes != 4 || e.value_bytes != 4) {
            return ww_fail(bench->err, WW_EVERIFY,
                           "%s: entry %" PRId32 " = {%" PRId32 ", %" PRId32 ", %" PRId32
                           ", %" PRId32 "}, expected places within the records and sizes of 4",
                           bench->name, i, e.key, e.key_bytes, e.value, e.value_bytes);
        }
        found[i] = (page){keys[e.key / 4], values[e.value / 4]};
        if (found[i].rank != sorted[i].rank) {
            return ww_fail(bench->err, WW_EVERIFY,
                           "%s: rank[%" PRId32 "] = %" PRId32 ", expected %" PRId32, bench->name, i,
                           found[i].rank, sorted[i].rank);
        }
    }
    qsort(found, n, sizeof *found, compare);
    for (int32_t i = 0; i < count; i++) {
        if (found[i].place != sorted[i].place) {
            return ww_fail(bench->err, WW_EVERIFY,
                           "%s: page[%" PRId32 "] at %" PRId32 ", expected one at %" PRId32,
                           bench->name, i, found[i].place, sorted[i].place);
        }
    }
    return WW_OK;
}

static ww_status verify_groups(ww__bench *bench, const ww__mars *m, const page *sorted,
                               int32_t count, int32_t groups)
{
    int32_t *starts, *expected;
    int32_t expected_groups = 0;
    WW_TRY(ww__host_array(bench, (size_t)count, sizeof *expected, &expected));
    for (int32_t i = 0; i < count; i++) {
        if (i == 0 || sorted[i].rank != sorted[i - 1].rank) {
            expected[expected_groups++] = i;
        }
    }
    WW_TRY(ww__verify_ints(bench, "groups", &groups, &expected_groups, 1));
    WW_TRY(ww__download(bench, m->starts, (size_t)groups * sizeof *starts, &starts));
    return ww__verify_ints(bench, "start", starts, expected, (size_t)groups);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const int32_t counts[] = {520, 8000, 92160, 1000000};
    const int32_t count = counts[size];
    page *pages;
    ww__mars m;
    int32_t groups = 0;
    WW_TRY(make_pages(bench, count, &pages));
    WW_TRY(ww__mars_init(&m, bench, count));
    WW_TRY(map(bench, &m, pages, count));
    WW_TRY(ww__mars_group(&m, count, &groups));
    qsort(pages, (size_t)count, sizeof *pages, compare);
    WW_TRY(verify_order(bench, &m, pages, count));
    return verify_groups(bench, &m, pages, count, groups);
}

ww_status ww_mars_pvr_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "mars-pvr", &ww__ptx_mars_pvr, size, run, err);
}
