/* power-ubench.c - driver of the power microbenchmarks: nine of its own, a launch each, with enough
 * warps to fill 16 SMs at the default size, then those that cards run. The references compute the
 * same recurrences and are exact. */
#include "workloads/power-ubench/benches.h"

#include <math.h>

#define CHAINS 4
#define STEPS  16
#define TILE   256 /* threads per CTA */
#define WARP   32

typedef struct scale {
    unsigned ctas;
    int32_t repetitions; /* of arithmetic */
    int32_t elements;    /* of the streams */
    int32_t l2_elements;
    unsigned sms, divisor; /* of the benches that cards run: SMs at most, 0 for none of them; what
                              divides repetitions */
    size_t least_words, most_words;
} scale;

static const uint32_t a = 1664525u, b = 1013904223u;
static const float fa = 0.5f, fb = 3.0f;

static uint32_t integer_chain(uint32_t x, int32_t repetitions)
{
    for (int32_t i = 0; i < repetitions * STEPS; i++) {
        x = i % 2 != 0 ? x ^ b : x + a;
    }
    return x;
}

static uint32_t integer_thread(uint32_t thread, int32_t repetitions)
{
    uint32_t sum = 0;
    for (uint32_t c = 0; c < CHAINS; c++) {
        sum += integer_chain(thread + c, repetitions);
    }
    return sum;
}

static float float_thread(uint32_t thread, int32_t repetitions)
{
    float x[CHAINS];
    for (uint32_t c = 0; c < CHAINS; c++) {
        x[c] = (float)(thread % TILE + c);
        for (int32_t i = 0; i < repetitions * STEPS; i++) {
            int32_t s = i % STEPS % 3;
            x[c] = s == 0 ? fmaf(x[c], fa, fb) : s == 1 ? x[c] * fa : x[c] + fb;
        }
    }
    return (x[0] + x[1]) + (x[2] + x[3]);
}

static uint32_t mix_thread(uint32_t thread, int32_t repetitions)
{
    uint32_t x = thread, y = thread % TILE, word = thread;
    for (int32_t r = 0; r < repetitions; r++) {
        x += word;
        y = (y * a + b) ^ x;
        x = (x >> 3) + y;
        word = x;
    }
    return x + y;
}

static ww_status check_words(ww__bench *bench, const char *what, ww_devptr output,
                             const int32_t *expected, size_t n)
{
    int32_t *actual = NULL;
    WW_TRY(ww__download(bench, output, n * sizeof *actual, &actual));
    return ww__verify_ints(bench, what, actual, expected, n);
}

static ww_status run_integers(ww__bench *bench, const scale *s, ww_devptr output, int32_t *expected)
{
    const size_t n = (size_t)s->ctas * TILE;
    WW_TRY(WW__LAUNCH(bench, "ub_integer", ww__dim(s->ctas, 1), ww__dim(TILE, 1), 0, &output, &a,
                      &b, &s->repetitions));
    for (uint32_t t = 0; t < n; t++) {
        expected[t] = (int32_t)integer_thread(t, s->repetitions);
    }
    WW_TRY(check_words(bench, "ub_integer", output, expected, n));
    for (uint32_t lanes = 1; lanes <= WARP; lanes *= 8) { /* 1, 8 */
        WW_TRY(WW__LAUNCH(bench, "ub_lanes", ww__dim(s->ctas, 1), ww__dim(TILE, 1), 0, &output, &a,
                          &b, &s->repetitions, &lanes));
        for (uint32_t t = 0; t < n; t++) {
            bool active = t % WARP < lanes;
            expected[t] = (int32_t)integer_thread(t, active ? s->repetitions : 0);
        }
        WW_TRY(check_words(bench, "ub_lanes", output, expected, n));
    }
    WW_TRY(WW__LAUNCH(bench, "ub_mix", ww__dim(s->ctas, 1), ww__dim(TILE, 1), 0, &output, &a, &b,
                      &s->repetitions));
    for (uint32_t t = 0; t < n; t++) {
        expected[t] = (int32_t)mix_thread(t, s->repetitions);
    }
    return check_words(bench, "ub_mix", output, expected, n);
}

static ww_status run_floats(ww__bench *bench, const scale *s, ww_devptr output)
{
    const size_t n = (size_t)s->ctas * TILE;
    float *actual = NULL;
    double *expected = NULL;
    WW_TRY(ww__host_array(bench, n, sizeof *expected, &expected));
    WW_TRY(WW__LAUNCH(bench, "ub_float", ww__dim(s->ctas, 1), ww__dim(TILE, 1), 0, &output, &fa,
                      &fb, &s->repetitions));
    WW_TRY(ww__download(bench, output, n * sizeof *actual, &actual));
    for (uint32_t t = 0; t < n; t++) {
        expected[t] = (double)float_thread(t, s->repetitions);
    }
    WW_TRY(ww__verify_floats(bench, "ub_float", actual, expected, n, 0, 0));
    WW_TRY(WW__LAUNCH(bench, "ub_special", ww__dim(s->ctas, 1), ww__dim(TILE, 1), 0, &output,
                      &s->repetitions));
    WW_TRY(ww__download(bench, output, n * sizeof *actual, &actual));
    for (uint32_t t = 0; t < n; t++) {
        expected[t] = 0;
        for (int32_t r = 0; r < s->repetitions; r++) {
            expected[t] += (double)(1u << ((t + (uint32_t)r) & 7));
        }
    }
    return ww__verify_floats(bench, "ub_special", actual, expected, n, 1e-6, 0);
}

static ww_status run_shared(ww__bench *bench, const scale *s, ww_devptr output, int32_t *expected)
{
    const size_t n = (size_t)s->ctas * TILE;
    WW_TRY(WW__LAUNCH(bench, "ub_shared", ww__dim(s->ctas, 1), ww__dim(TILE, 1), 0, &output,
                      &s->repetitions));
    for (uint32_t t = 0; t < n; t++) {
        uint32_t lane = t % WARP; /* words turn by a lane per repetition */
        expected[t] =
            (int32_t)(t - lane + (lane + (uint32_t)s->repetitions) % WARP) + s->repetitions;
    }
    WW_TRY(check_words(bench, "ub_shared", output, expected, n));
    WW_TRY(WW__LAUNCH(bench, "ub_spin", ww__dim(16, 1), ww__dim(WARP, 1), 0, &output, &a,
                      &s->repetitions));
    for (uint32_t t = 0; t < 16 * WARP; t++) {
        uint32_t x = t % WARP;
        for (int32_t r = 0; r < s->repetitions; r++) {
            x = x * a + x;
        }
        expected[t] = (int32_t)x;
    }
    return check_words(bench, "ub_spin", output, expected, 16 * WARP);
}

static ww_status run_memory(ww__bench *bench, const scale *s, ww_devptr output, int32_t *expected)
{
    const size_t bytes = (size_t)s->elements * sizeof(int32_t);
    const uint32_t threads = s->ctas * TILE;
    uint32_t *x = NULL, *y = NULL;
    int32_t *sum = NULL;
    ww_devptr first, second, third;
    WW_TRY(ww__host_array(bench, (size_t)s->elements, sizeof *x, &x));
    WW_TRY(ww__host_array(bench, (size_t)s->elements, sizeof *y, &y));
    WW_TRY(ww__host_array(bench, (size_t)s->elements, sizeof *sum, &sum));
    for (int32_t i = 0; i < s->elements; i++) {
        x[i] = ww__random_bits(bench);
        y[i] = ww__random_bits(bench);
        sum[i] = (int32_t)(x[i] + y[i]);
    }
    WW_TRY(ww__upload(bench, x, bytes, &first));
    WW_TRY(ww__upload(bench, y, bytes, &second));
    WW_TRY(ww__buffer(bench, bytes, &third));
    WW_TRY(WW__LAUNCH(bench, "ub_stream", ww__dim(s->ctas, 1), ww__dim(TILE, 1), 0, &third, &first,
                      &second, &s->elements));
    WW_TRY(check_words(bench, "ub_stream", third, sum, (size_t)s->elements));
    const int32_t rounds = 1 + s->repetitions / 4;
    WW_TRY(WW__LAUNCH(bench, "ub_l2", ww__dim(s->ctas, 1), ww__dim(TILE, 1), 0, &output, &first,
                      &s->l2_elements, &rounds));
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t total = 0;
        for (uint32_t i = t; i < (uint32_t)s->l2_elements; i += threads) {
            for (int32_t r = 0; r < rounds; r++) {
                total += x[i] + (uint32_t)r;
            }
        }
        expected[t] = (int32_t)total;
    }
    return check_words(bench, "ub_l2", output, expected, threads);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const scale scales[] = {{2, 3, 3000, 1000, 0, 1, 0, 0},
                                   {96, 24, 500000, 100000, 2, 2, 1 << 16, 1 << 20},
                                   {360, 12, 500000, 100000, 4, 2, 1 << 16, 1 << 20},
                                   {96, 200, 16000000, 130000, 1024, 1, 1 << 21, 1 << 26}};
    const scale *s = &scales[size];
    int32_t *expected = NULL;
    ww_devptr output;
    WW_TRY(ww__host_array(bench, (size_t)s->ctas * TILE, sizeof *expected, &expected));
    WW_TRY(ww__buffer(bench, (size_t)s->ctas * TILE * sizeof(int32_t), &output));
    WW_TRY(run_integers(bench, s, output, expected));
    WW_TRY(run_floats(bench, s, output));
    WW_TRY(run_shared(bench, s, output, expected));
    WW_TRY(run_memory(bench, s, output, expected));
    return s->sms > 0 ? ww__power_benches(bench, s->sms, s->divisor, s->least_words, s->most_words)
                      : WW_OK; /* too many to be small */
}

ww_status ww_power_ubench_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "power-ubench", &ww__ptx_power_ubench, size, run, err);
}
