/* nw.c - driver of the sequence alignment (Needleman and Wunsch, J. Mol. Biol. 48, 1970); the
 * reference fills the table row by row. */
#include "workloads/support.h"

#define EDGE    16
#define PENALTY 10 /* of a gap */
#define LETTERS 10

/* BLOSUM62 (Henikoff and Henikoff, PNAS 89, 1992) for R N D C Q E G H I L. */
static const int8_t blosum62[LETTERS][LETTERS] = {
    {5, 0, -2, -3, 1, 0, -2, 0, -3, -2},    {0, 6, 1, -3, 0, 0, 0, 1, -3, -3},
    {-2, 1, 6, -3, 0, 2, -1, -1, -3, -4},   {-3, -3, -3, 9, -3, -4, -3, -3, -1, -1},
    {1, 0, 0, -3, 5, 2, -2, 0, -3, -2},     {0, 0, 2, -4, 2, 5, -2, 0, -3, -3},
    {-2, 0, -1, -3, -2, -2, 6, -2, -4, -4}, {0, 1, -1, -3, 0, 0, -2, 8, -3, -3},
    {-3, -3, -3, -1, -3, -3, -4, -3, 4, 2}, {-2, -3, -4, -1, -2, -3, -4, -3, 2, 4}};

/* Scores of all pairs of letters of two random sequences of n; row 0 and column 0 are not used. */
static ww_status make_reference(ww__bench *bench, int32_t n, int32_t **out)
{
    const int32_t columns = n + 1;
    uint32_t *row, *column;
    int32_t *reference;
    WW_TRY(ww__host_array(bench, (size_t)columns, sizeof *row, &row));
    WW_TRY(ww__host_array(bench, (size_t)columns, sizeof *column, &column));
    WW_TRY(ww__host_array(bench, (size_t)columns * (size_t)columns, sizeof *reference, &reference));
    for (int32_t i = 1; i <= n; i++) {
        row[i] = ww__random_below(bench, LETTERS);
        column[i] = ww__random_below(bench, LETTERS);
    }
    for (int32_t i = 1; i <= n; i++) {
        for (int32_t j = 1; j <= n; j++) {
            reference[i * columns + j] = blosum62[row[i]][column[j]];
        }
    }
    *out = reference;
    return WW_OK;
}

static void fill(const int32_t *reference, int32_t n, int32_t *score)
{
    const int32_t columns = n + 1;
    for (int32_t i = 1; i <= n; i++) {
        for (int32_t j = 1; j <= n; j++) {
            const int32_t at = i * columns + j;
            const int32_t both = score[at - columns - 1] + reference[at];
            const int32_t gap =
                (score[at - 1] > score[at - columns] ? score[at - 1] : score[at - columns]) -
                PENALTY;
            score[at] = both > gap ? both : gap;
        }
    }
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const int32_t lengths[] = {128, 640, 2048, 2048};
    const int32_t n = lengths[size];
    const int32_t columns = n + 1;
    const int32_t tiles = n / EDGE;
    const int32_t penalty = PENALTY;
    const size_t count = (size_t)columns * (size_t)columns;
    const ww_dim3 block = ww__dim(EDGE, 1);

    int32_t *reference, *score, *actual;
    ww_devptr device_reference, device_score;
    WW_TRY(make_reference(bench, n, &reference));
    WW_TRY(ww__host_array(bench, count, sizeof *score, &score));
    for (int32_t i = 0; i <= n; i++) {
        score[i] = -i * PENALTY;
        score[i * columns] = -i * PENALTY;
    }
    WW_TRY(ww__upload(bench, reference, count * sizeof *reference, &device_reference));
    WW_TRY(ww__upload(bench, score, count * sizeof *score, &device_score));
    for (int32_t i = 1; i <= tiles; i++) {
        WW_TRY(WW__LAUNCH(bench, "needle_cuda_shared_1", ww__dim((unsigned)i, 1), block, 0,
                          &device_reference, &device_score, &columns, &penalty, &i));
    }
    for (int32_t i = tiles - 1; i >= 1; i--) {
        WW_TRY(WW__LAUNCH(bench, "needle_cuda_shared_2", ww__dim((unsigned)i, 1), block, 0,
                          &device_reference, &device_score, &columns, &penalty, &i, &tiles));
    }
    WW_TRY(ww__download(bench, device_score, count * sizeof *actual, &actual));
    fill(reference, n, score);
    return ww__verify_ints(bench, "score", actual, score, count);
}

ww_status ww_nw_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "nw", &ww__ptx_nw, size, run, err);
}
