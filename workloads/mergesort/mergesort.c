/* mergesort.c - driver of the merge sort; values are the elements' original places, so that
 * comparing them with a counting sort's also checks stability. */
#include "workloads/support.h"

#define SAMPLE       128
#define RANK_THREADS 256
#define KEYS         65536 /* keys are below */

typedef struct buffers {
    ww_devptr keys[2], values[2]; /* source and target, exchanged after every level */
    ww_devptr ranks[2], limits[2];
} buffers;

static ww_status merge_level(ww__bench *bench, const buffers *b, int from, uint32_t stride,
                             uint32_t n)
{
    const uint32_t threads = ww__pieces(n, 2 * (size_t)stride) * (stride / SAMPLE);
    const ww_dim3 grid = ww__dim(ww__pieces(threads, RANK_THREADS), 1);
    const ww_dim3 block = ww__dim(RANK_THREADS, 1);
    const int to = 1 - from;
    WW_TRY(WW__LAUNCH(bench, "generateSampleRanksKernel", grid, block, 0, &b->ranks[0],
                      &b->ranks[1], &b->keys[from], &stride, &n, &threads));
    for (int i = 0; i < 2; i++) {
        WW_TRY(WW__LAUNCH(bench, "mergeRanksAndIndicesKernel", grid, block, 0, &b->limits[i],
                          &b->ranks[i], &stride, &n, &threads));
    }
    return WW__LAUNCH(bench, "mergeElementaryIntervalsKernel", ww__dim(n / SAMPLE, 1),
                      ww__dim(SAMPLE, 1), 0, &b->keys[to], &b->values[to], &b->keys[from],
                      &b->values[from], &b->limits[0], &b->limits[1], &stride, &n);
}

/* Where each element of a stable sort comes from. */
static ww_status counting_sort(ww__bench *bench, const int32_t *keys, size_t n,
                               int32_t *sorted_keys, int32_t *sorted_values)
{
    size_t *next;
    WW_TRY(ww__host_array(bench, KEYS + 1, sizeof *next, &next));
    for (size_t i = 0; i < n; i++) {
        next[keys[i] + 1]++;
    }
    for (size_t k = 1; k < KEYS; k++) {
        next[k] += next[k - 1];
    }
    for (size_t i = 0; i < n; i++) {
        const size_t to = next[keys[i]]++;
        sorted_keys[to] = keys[i];
        sorted_values[to] = (int32_t)i;
    }
    return WW_OK;
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    /* 3 runs of 256: a merge of equal runs, a run without a partner, a merge of unequal runs.
     * Few keys, so that many are equal. */
    static const struct {
        uint32_t n, run, keys;
    } inputs[] = {
        {768, 256, 100}, {12288, 1024, KEYS}, {196608, 1024, KEYS}, {4194304, 1024, KEYS}};
    const uint32_t n = inputs[size].n;
    const uint32_t run_length = inputs[size].run;
    const size_t bytes = n * sizeof(int32_t);

    int32_t *keys, *values, *sorted_keys, *sorted_values, *expected_keys, *expected_values;
    WW_TRY(ww__host_array(bench, n, sizeof *keys, &keys));
    WW_TRY(ww__host_array(bench, n, sizeof *values, &values));
    WW_TRY(ww__host_array(bench, n, sizeof *expected_keys, &expected_keys));
    WW_TRY(ww__host_array(bench, n, sizeof *expected_values, &expected_values));
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = (int32_t)ww__random_below(bench, inputs[size].keys);
        values[i] = (int32_t)i;
    }

    buffers b;
    ww_devptr source_keys, source_values;
    WW_TRY(ww__upload(bench, keys, bytes, &source_keys));
    WW_TRY(ww__upload(bench, values, bytes, &source_values));
    for (int i = 0; i < 2; i++) {
        WW_TRY(ww__buffer(bench, bytes, &b.keys[i]));
        WW_TRY(ww__buffer(bench, bytes, &b.values[i]));
        WW_TRY(ww__buffer(bench, bytes / SAMPLE, &b.ranks[i]));
        WW_TRY(ww__buffer(bench, bytes / SAMPLE, &b.limits[i]));
    }

    int now = 0;
    WW_TRY(WW__LAUNCH(bench, "mergeSortSharedKernel", ww__dim(n / run_length, 1),
                      ww__dim(run_length / 2, 1), 0, &b.keys[now], &b.values[now], &source_keys,
                      &source_values, &run_length));
    for (uint32_t stride = run_length; stride < n; stride *= 2) {
        WW_TRY(merge_level(bench, &b, now, stride, n));
        now = 1 - now;
    }

    WW_TRY(ww__download(bench, b.keys[now], bytes, &sorted_keys));
    WW_TRY(ww__download(bench, b.values[now], bytes, &sorted_values));
    WW_TRY(counting_sort(bench, keys, n, expected_keys, expected_values));
    WW_TRY(ww__verify_ints(bench, "key", sorted_keys, expected_keys, n));
    return ww__verify_ints(bench, "value", sorted_values, expected_values, n);
}

ww_status ww_mergesort_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "mergesort", &ww__ptx_mergesort, size, run, err);
}
