/* hopper-attention.c - driver of attention on Hopper's asynchronous engines; the reference works in
 * double precision, from the definition. */
#include <math.h>

#include "workloads/hopper.h"

enum { TILE_QUERIES = 128, TILE_KEYS = 128, STAGES = 2, THREADS = 384 };

static const struct kernel {
    const char *name;
    size_t depth; /* numbers of a query, key or value */
    bool causal;  /* a query sees the keys up to its own */
} kernels[] = {
    {"attend_64", 64, false}, {"attend_128", 128, false}, {"attend_128_causal", 128, true}};

typedef struct shape {
    size_t heads, length; /* queries, keys and values of a head */
} shape;

typedef struct problem {
    const struct kernel *kernel;
    shape shape;
    float factor; /* of scores, as powers of two */
    const uint16_t *q, *k, *v;
} problem;

static double at(const uint16_t *numbers, size_t i)
{
    return ww__16bit_value(WW_TENSOR_F16, numbers[i]);
}

/* Row `row` of all heads' queries: what attention makes of it. weight[] is room for its keys'. */
static void attend(const problem *p, size_t row, double *weight, double *out)
{
    const size_t depth = p->kernel->depth, head = row / p->shape.length * p->shape.length;
    const size_t keys = p->kernel->causal ? row - head + 1 : p->shape.length;
    double most = -HUGE_VAL, sum = 0;
    for (size_t j = 0; j < keys; j++) {
        double score = 0;
        for (size_t i = 0; i < depth; i++) {
            score += at(p->q, row * depth + i) * at(p->k, (head + j) * depth + i);
        }
        weight[j] = score * (double)p->factor;
        most = fmax(most, weight[j]);
    }
    for (size_t i = 0; i < depth; i++) {
        out[i] = 0;
    }
    for (size_t j = 0; j < keys; j++) {
        const double w = exp2(weight[j] - most);
        sum += w;
        for (size_t i = 0; i < depth; i++) {
            out[i] += w * at(p->v, (head + j) * depth + i);
        }
    }
    for (size_t i = 0; i < depth; i++) {
        out[i] /= sum;
    }
}

/* Weights and results are rounded to half precision, and special functions are good to some 2^-22:
 * values are at most 1, and so is what they weigh together. */
static ww_status verify(ww__bench *bench, const problem *p, const uint16_t *results)
{
    enum { MOST_PRODUCTS = 1 << 25 }; /* so many are summed again, of rows evenly spread */
    const size_t depth = p->kernel->depth, rows = p->shape.heads * p->shape.length;
    const size_t step = rows / (MOST_PRODUCTS / (2 * depth * p->shape.length)) + 1;
    const size_t n = (rows + step - 1) / step;
    double *expected, *actual, *weight;
    WW_TRY(ww__host_array(bench, n * depth, sizeof *expected, &expected));
    WW_TRY(ww__host_array(bench, n * depth, sizeof *actual, &actual));
    WW_TRY(ww__host_array(bench, p->shape.length, sizeof *weight, &weight));
    for (size_t r = 0; r < n; r++) {
        attend(p, r * step, weight, expected + r * depth);
        for (size_t i = 0; i < depth; i++) {
            actual[r * depth + i] = at(results, r * step * depth + i);
        }
    }
    return ww__verify_doubles(bench, p->kernel->name, actual, expected, n * depth, 0x1p-10,
                              0x1p-11);
}

static ww_status map_of(ww__bench *bench, const problem *p, ww_devptr address, uint32_t rows,
                        ww__map *out)
{
    const ww__tensor tensor = {
        address, WW_TENSOR_F16, {p->kernel->depth, p->shape.length, p->shape.heads}, rows};
    return ww__map_make(bench, &tensor, out);
}

/* What the kernel lays out in shared memory: queries, two stages of keys and of values, nine
 * mbarriers. */
static size_t shared_bytes(size_t depth)
{
    return (TILE_QUERIES + 2 * STAGES * TILE_KEYS) * depth * 2 + 72;
}

static ww_status run_kernel(ww__bench *bench, const struct kernel *kernel, shape s)
{
    const double spread = 4; /* so that some keys weigh far more than others */
    const size_t n = s.heads * s.length * kernel->depth;
    uint16_t *q, *k, *v, *results;
    ww_devptr at_q, at_k, at_v, at_results;
    ww__map map_q, map_k, map_v, map_results;
    WW_TRY(ww__random_16bit(bench, WW_TENSOR_F16, n, &q));
    WW_TRY(ww__random_16bit(bench, WW_TENSOR_F16, n, &k));
    WW_TRY(ww__random_16bit(bench, WW_TENSOR_F16, n, &v));
    WW_TRY(ww__upload(bench, q, n * sizeof *q, &at_q));
    WW_TRY(ww__upload(bench, k, n * sizeof *k, &at_k));
    WW_TRY(ww__upload(bench, v, n * sizeof *v, &at_v));
    WW_TRY(ww__buffer(bench, n * sizeof *results, &at_results));
    const problem p = {kernel, s, (float)(spread * M_LOG2E / sqrt((double)kernel->depth)), q, k, v};
    WW_TRY(map_of(bench, &p, at_q, TILE_QUERIES / 2, &map_q));
    WW_TRY(map_of(bench, &p, at_k, TILE_KEYS, &map_k));
    WW_TRY(map_of(bench, &p, at_v, TILE_KEYS, &map_v));
    WW_TRY(map_of(bench, &p, at_results, TILE_QUERIES / 2, &map_results));
    const int32_t keys = (int32_t)s.length;
    const ww_dim3 grid = ww__dim(ww__pieces(s.length, TILE_QUERIES), (unsigned)s.heads);
    WW_TRY(WW__LAUNCH(bench, kernel->name, grid, ww__dim(THREADS, 1), shared_bytes(kernel->depth),
                      &map_q, &map_k, &map_v, &map_results, &keys, &p.factor));
    WW_TRY(ww__download(bench, at_results, n * sizeof *results, &results));
    return verify(bench, &p, results);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const shape shapes[] = {{2, 200}, {4, 384}, {16, 512}, {16, 4096}};
    for (size_t i = 0; i < WW_ARRAY_LEN(kernels); i++) {
        WW_TRY(run_kernel(bench, &kernels[i], shapes[size]));
    }
    return WW_OK;
}

ww_status ww_hopper_attention_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "hopper-attention", &ww__ptx_hopper_attention, size, run, err);
}
