/* simscore.c - driver of the similarity scores; the reference computes cosines in double precision
 * and running sums in integers. */
#include "workloads/support.h"

#include <math.h>

#define THREADS     256
#define SCANNED     (2 * THREADS)
#define RECORD_SIZE 12

typedef struct record {
    float score;
    int32_t first, second;
} record;

static const float threshold = 0.75f;

static double cosine(const float *a, const float *b, int32_t features)
{
    double product = 0.0, length_a = 0.0, length_b = 0.0;
    for (int32_t i = 0; i < features; i++) {
        product += (double)a[i] * (double)b[i];
        length_a += (double)a[i] * (double)a[i];
        length_b += (double)b[i] * (double)b[i];
    }
    return product / sqrt(length_a * length_b);
}

static ww_status verify_map(ww__bench *bench, const float *documents, int32_t count,
                            int32_t features, const record *records, const int32_t *sizes)
{
    const size_t pairs = (size_t)count * (size_t)(count - 1) / 2;
    float *scores;
    double *expected;
    int32_t *actual_ints, *expected_ints; /* of each pair: both documents, size */
    WW_TRY(ww__host_array(bench, pairs, sizeof *scores, &scores));
    WW_TRY(ww__host_array(bench, pairs, sizeof *expected, &expected));
    WW_TRY(ww__host_array(bench, 3 * pairs, sizeof *actual_ints, &actual_ints));
    WW_TRY(ww__host_array(bench, 3 * pairs, sizeof *expected_ints, &expected_ints));
    size_t pair = 0;
    for (int32_t second = 1; second < count; second++) {
        for (int32_t first = 0; first < second; first++, pair++) {
            scores[pair] = records[pair].score;
            expected[pair] =
                cosine(&documents[first * features], &documents[second * features], features);
            actual_ints[3 * pair] = records[pair].first;
            actual_ints[3 * pair + 1] = records[pair].second;
            actual_ints[3 * pair + 2] = sizes[pair];
            expected_ints[3 * pair] = first;
            expected_ints[3 * pair + 1] = second;
            /* whether the device's own score is counted: the reference's may fall on the other
             * side of the threshold */
            expected_ints[3 * pair + 2] = scores[pair] >= threshold ? RECORD_SIZE : 0;
        }
    }
    WW_TRY(ww__verify_floats(bench, "score", scores, expected, pairs, 1e-5, 0.0));
    return ww__verify_ints(bench, "documents and size", actual_ints, expected_ints, 3 * pairs);
}

typedef struct scan {
    ww_devptr sums, totals;
    size_t blocks;
} scan;

/* Prefix sums of count values within blocks: full ones in one launch, the rest in another. */
static ww_status scan_blocks(ww__bench *bench, ww_devptr input, size_t count, scan *s)
{
    const size_t full = count / SCANNED;
    const int32_t rest = (int32_t)(count % SCANNED);
    s->blocks = ww__pieces(count, SCANNED);
    WW_TRY(ww__buffer(bench, count * sizeof(int32_t), &s->sums));
    WW_TRY(ww__buffer(bench, s->blocks * sizeof(int32_t), &s->totals));
    if (full > 0) {
        WW_TRY(WW__LAUNCH(bench, "prescan", ww__dim((unsigned)full, 1), ww__dim(THREADS, 1), 0,
                          &input, &s->sums, &s->totals));
    }
    if (rest > 0) {
        const int32_t first = (int32_t)(full * SCANNED);
        const ww_devptr total = s->totals + full * sizeof(int32_t);
        WW_TRY(WW__LAUNCH(bench, "prescan_last", ww__dim(1, 1), ww__dim(THREADS, 1), 0, &input,
                          &s->sums, &total, &first, &rest));
    }
    return WW_OK;
}

/* *totals receives the expected total of each block. */
static ww_status verify_scan(ww__bench *bench, const scan *s, const int32_t *input, size_t count,
                             int32_t **totals)
{
    int32_t *sums, *actual_totals, *expected;
    WW_TRY(ww__download(bench, s->sums, count * sizeof *sums, &sums));
    WW_TRY(ww__download(bench, s->totals, s->blocks * sizeof *actual_totals, &actual_totals));
    WW_TRY(ww__host_array(bench, count, sizeof *expected, &expected));
    WW_TRY(ww__host_array(bench, s->blocks, sizeof **totals, totals));
    for (size_t i = 0; i < count; i++) {
        expected[i] = (*totals)[i / SCANNED];
        (*totals)[i / SCANNED] += input[i];
    }
    WW_TRY(ww__verify_ints(bench, "sum before", sums, expected, count));
    return ww__verify_ints(bench, "block total", actual_totals, *totals, s->blocks);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const struct {
        int32_t documents, features; /* a multiple of 4 */
    } inputs[] = {{71, 32}, {260, 64}, {512, 64}, {1024, 256}};
    const int32_t count = inputs[size].documents;
    const int32_t features = inputs[size].features;
    const int32_t quarter = features / 4;
    const int32_t pairs = count * (count - 1) / 2;
    const size_t n = (size_t)pairs;

    float *documents;
    WW_TRY(ww__host_array(bench, (size_t)(count * features), sizeof *documents, &documents));
    for (int32_t i = 0; i < count * features; i++) {
        documents[i] = (float)ww__random_below(bench, 100);
    }

    ww_devptr device_documents, device_records, device_sizes;
    record *records;
    int32_t *sizes, *totals, *ignored;
    WW_TRY(ww__upload(bench, documents, (size_t)(count * features) * sizeof *documents,
                      &device_documents));
    WW_TRY(ww__buffer(bench, n * sizeof *records, &device_records));
    WW_TRY(ww__buffer(bench, n * sizeof *sizes, &device_sizes));
    WW_TRY(WW__LAUNCH(bench, "Mapper", ww__dim(ww__pieces(n, THREADS), 1), ww__dim(THREADS, 1), 0,
                      &device_documents, &quarter, &pairs, &threshold, &device_records,
                      &device_sizes));
    WW_TRY(ww__download(bench, device_records, n * sizeof *records, &records));
    WW_TRY(ww__download(bench, device_sizes, n * sizeof *sizes, &sizes));

    /* Sums within the blocks, then of the blocks' totals. */
    scan inner, outer;
    WW_TRY(scan_blocks(bench, device_sizes, n, &inner));
    WW_TRY(scan_blocks(bench, inner.totals, inner.blocks, &outer));
    WW_TRY(verify_map(bench, documents, count, features, records, sizes));
    WW_TRY(verify_scan(bench, &inner, sizes, n, &totals));
    return verify_scan(bench, &outer, totals, inner.blocks, &ignored);
}

ww_status ww_simscore_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "simscore", &ww__ptx_simscore, size, run, err);
}
