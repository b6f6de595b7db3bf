/* pathfinder.c - driver of the cheapest path through a grid; the reference is exact. */
#include "workloads/support.h"

#define PYRAMID 20 /* most rows per launch */

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static void reference(const int32_t *wall, int32_t columns, int32_t rows, int32_t *cost,
                      int32_t *next)
{
    for (int32_t row = 1; row < rows; row++) {
        for (int32_t x = 0; x < columns; x++) {
            const int32_t west = cost[x > 0 ? x - 1 : x];
            const int32_t east = cost[x < columns - 1 ? x + 1 : x];
            next[x] = wall[row * columns + x] + least(cost[x], least(west, east));
        }
        for (int32_t x = 0; x < columns; x++) {
            cost[x] = next[x];
        }
    }
}

static ww_status advance(ww__bench *bench, ww_workload_size size, const char *kernel,
                         unsigned threads)
{
    /* The last launch of each has fewer rows: 7 of 27 steps at the small size, 19 of 99 else. */
    static const int32_t all_columns[] = {517, 4096, 230000, 100000};
    static const int32_t all_rows[] = {28, 100, 31, 100};
    const int32_t columns = all_columns[size];
    const int32_t rows = all_rows[size];
    const int32_t border = PYRAMID;
    const size_t row_bytes = (size_t)columns * sizeof(int32_t);
    const size_t weights = (size_t)columns * (size_t)rows;

    int32_t *wall, *expected, *scratch, *actual;
    WW_TRY(ww__host_array(bench, weights, sizeof *wall, &wall));
    WW_TRY(ww__host_array(bench, (size_t)columns, sizeof *expected, &expected));
    WW_TRY(ww__host_array(bench, (size_t)columns, sizeof *scratch, &scratch));
    for (size_t i = 0; i < weights; i++) {
        wall[i] = (int32_t)ww__random_below(bench, 10);
    }

    ww_devptr device_wall, source, target;
    WW_TRY(ww__upload(bench, wall + columns, weights * sizeof *wall - row_bytes, &device_wall));
    WW_TRY(ww__upload(bench, wall, row_bytes, &source));
    WW_TRY(ww__buffer(bench, row_bytes, &target));
    const ww_dim3 grid = ww__dim(ww__pieces((size_t)columns, threads - 2 * PYRAMID), 1);
    for (int32_t start = 0; start < rows - 1; start += PYRAMID) {
        const int32_t steps = least(PYRAMID, rows - 1 - start);
        WW_TRY(WW__LAUNCH(bench, kernel, grid, ww__dim(threads, 1), 0, &steps, &device_wall,
                          &source, &target, &columns, &rows, &start, &border));
        const ww_devptr swap = source;
        source = target;
        target = swap;
    }
    WW_TRY(ww__download(bench, source, row_bytes, &actual));

    for (int32_t x = 0; x < columns; x++) {
        expected[x] = wall[x];
    }
    reference(wall, columns, rows, expected, scratch);
    return ww__verify_ints(bench, "cost", actual, expected, (size_t)columns);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    return advance(bench, size, "dynproc_kernel", 256);
}

static ww_status run_1024(ww__bench *bench, ww_workload_size size)
{
    return advance(bench, size, "dynproc_kernel1024", 1024);
}

ww_status ww_pathfinder_1024_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "pathfinder-1024", &ww__ptx_pathfinder, size, run_1024, err);
}

ww_status ww_pathfinder_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "pathfinder", &ww__ptx_pathfinder, size, run, err);
}
