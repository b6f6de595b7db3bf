/* scan.c - driver of the prefix sums: the same elements as short and as long arrays; the reference
 * adds one element after the other. */
#include "workloads/support.h"

#include <inttypes.h>

#define THREADS 256
#define BLOCK   1024 /* longest array that one CTA scans */

typedef struct elements {
    uint32_t count; /* a multiple of BLOCK */
    uint32_t *in, *out;
    ww_devptr device_in, device_out, totals;
} elements;

static ww_status verify(ww__bench *bench, const elements *e, uint32_t size)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < e->count; i++) {
        sum = i % size == 0 ? 0 : sum + e->in[i - 1];
        if (e->out[i] != sum) {
            return ww_fail(bench->err, WW_EVERIFY,
                           "%s: arrays of %" PRIu32 ": sum[%" PRIu32 "] = %" PRIu32
                           ", expected %" PRIu32,
                           bench->name, size, i, e->out[i], sum);
        }
    }
    return WW_OK;
}

/* All arrays of that size (a power of two): an array that the elements do not fill is cut off. */
static ww_status scan(ww__bench *bench, const elements *e, uint32_t size)
{
    const uint32_t blocks = e->count / BLOCK;
    const uint32_t within = size < BLOCK ? size : BLOCK;
    const ww_dim3 block = ww__dim(THREADS, 1);
    WW_TRY(WW__LAUNCH(bench, "scanExclusiveShared", ww__dim(blocks, 1), block, 0, &e->device_out,
                      &e->device_in, &within));
    if (size > BLOCK) {
        const uint32_t per_array = size / BLOCK;
        WW_TRY(WW__LAUNCH(bench, "scanExclusiveShared2", ww__dim(ww__pieces(blocks, THREADS), 1),
                          block, 0, &e->totals, &e->device_out, &e->device_in, &blocks,
                          &per_array));
        WW_TRY(WW__LAUNCH(bench, "uniformUpdate", ww__dim(blocks, 1), block, 0, &e->device_out,
                          &e->totals));
    }
    WW_TRY(ww_device_read(bench->device, e->out, e->device_out, e->count * sizeof *e->out,
                          bench->err));
    return verify(bench, e, size);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    /* Sizes of the arrays: from the shortest on, each `step` times the one before. */
    static const struct {
        uint32_t count, shortest, longest, step;
    } inputs[] = {{13 * BLOCK, 64, 4096, 64},
                  {256 * BLOCK, 1024, 256 * 1024, 256},
                  {1024 * BLOCK, 1024, 256 * 1024, 256},
                  {13u << 19, 4, 256 * 1024, 2}};
    elements e = {.count = inputs[size].count};
    const size_t bytes = e.count * sizeof(uint32_t);
    WW_TRY(ww__host_array(bench, e.count, sizeof *e.in, &e.in));
    WW_TRY(ww__host_array(bench, e.count, sizeof *e.out, &e.out));
    for (uint32_t i = 0; i < e.count; i++) {
        e.in[i] = ww__random_bits(bench);
    }
    WW_TRY(ww__upload(bench, e.in, bytes, &e.device_in));
    WW_TRY(ww__buffer(bench, bytes, &e.device_out));
    WW_TRY(ww__buffer(bench, e.count / BLOCK * sizeof(uint32_t), &e.totals));
    for (uint32_t n = inputs[size].shortest; n <= inputs[size].longest; n *= inputs[size].step) {
        WW_TRY(scan(bench, &e, n));
    }
    return WW_OK;
}

ww_status ww_scan_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "scan", &ww__ptx_scan, size, run, err);
}
