/* hopper-matmul.c - driver of the matrix product on Hopper's asynchronous engines; the reference
 * sums in double precision. */
#include "workloads/hopper.h"

enum { TILE_ROWS = 128, TILE_COLUMNS = 256, THREADS = 384 };

/* What the kernel lays out in shared memory: three stages of a tile of A and one of B, the CTA's
 * results, and two mbarriers a stage. */
enum { SHARED = 3 * (TILE_ROWS + TILE_COLUMNS) * 2 * WW__SPAN + 2 * TILE_ROWS * TILE_COLUMNS + 48 };

typedef struct shape {
    size_t rows, columns, inner; /* multiples of 8: rows of 16 B */
} shape;

/* A result is off by half a unit of bfloat16, and by what sums in single precision lose. */
static ww_status verify(ww__bench *bench, shape s, const uint16_t *a, const uint16_t *b,
                        const uint16_t *c)
{
    enum { MOST_PRODUCTS = 1 << 26 }; /* so many are summed again, of elements evenly spread */
    const size_t elements = s.rows * s.columns, step = elements / (MOST_PRODUCTS / s.inner) + 1;
    const size_t n = (elements + step - 1) / step;
    double *expected, *actual;
    WW_TRY(ww__host_array(bench, n, sizeof *expected, &expected));
    WW_TRY(ww__host_array(bench, n, sizeof *actual, &actual));
    for (size_t i = 0; i < n; i++) {
        const size_t row = i * step / s.columns, column = i * step % s.columns;
        const uint16_t *x = a + row * s.inner, *y = b + column * s.inner;
        actual[i] = ww__16bit_value(WW_TENSOR_BF16, c[i * step]);
        for (size_t k = 0; k < s.inner; k++) {
            expected[i] +=
                ww__16bit_value(WW_TENSOR_BF16, x[k]) * ww__16bit_value(WW_TENSOR_BF16, y[k]);
        }
    }
    return ww__verify_doubles(bench, "hopper_matmul", actual, expected, n, 0x1p-8 * 1.01, 1e-4);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const shape shapes[] = {
        {136, 264, 200}, {512, 1024, 512}, {1024, 2048, 1024}, {4096, 4096, 4096}};
    const shape s = shapes[size];
    uint16_t *a, *b, *c;
    ww_devptr device_a, device_b, device_c;
    ww__map map_a, map_b, map_c;
    WW_TRY(ww__random_16bit(bench, WW_TENSOR_BF16, s.rows * s.inner, &a));
    WW_TRY(ww__random_16bit(bench, WW_TENSOR_BF16, s.columns * s.inner, &b));
    WW_TRY(ww__upload(bench, a, s.rows * s.inner * sizeof *a, &device_a));
    WW_TRY(ww__upload(bench, b, s.columns * s.inner * sizeof *b, &device_b));
    WW_TRY(ww__buffer(bench, s.rows * s.columns * sizeof *c, &device_c));
    const ww__tensor tensors[] = {
        {device_a, WW_TENSOR_BF16, {s.inner, s.rows, 1}, TILE_ROWS},
        {device_b, WW_TENSOR_BF16, {s.inner, s.columns, 1}, TILE_COLUMNS},
        {device_c, WW_TENSOR_BF16, {s.columns, s.rows, 1}, TILE_ROWS / 2}};
    WW_TRY(ww__map_make(bench, &tensors[0], &map_a));
    WW_TRY(ww__map_make(bench, &tensors[1], &map_b));
    WW_TRY(ww__map_make(bench, &tensors[2], &map_c));
    const int32_t rows = (int32_t)ww__pieces(s.rows, TILE_ROWS);
    const int32_t columns = (int32_t)ww__pieces(s.columns, TILE_COLUMNS);
    const int32_t tiles = (int32_t)ww__pieces(s.inner, WW__SPAN);
    WW_TRY(WW__LAUNCH(bench, "hopper_matmul", ww__dim((unsigned)(rows * columns), 1),
                      ww__dim(THREADS, 1), SHARED, &map_a, &map_b, &map_c, &rows, &columns,
                      &tiles));
    WW_TRY(ww__download(bench, device_c, s.rows * s.columns * sizeof *c, &c));
    return verify(bench, s, a, b, c);
}

ww_status ww_hopper_matmul_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "hopper-matmul", &ww__ptx_hopper_matmul, size, run, err);
}
