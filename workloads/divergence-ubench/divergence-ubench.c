/* divergence-ubench.c - driver of the divergence microbenchmark: a launch per number of control
 * flows. The reference evaluates the same recurrences, with fma, and is exact. */
#include "workloads/support.h"

#include <math.h>

#define WARP       32
#define BODY_STEPS 16 /* multiply-adds per chain and repetition */
#define CHAINS     4

typedef struct sweep {
    unsigned ctas, threads;
    int32_t repetitions;
    uint32_t flows;  /* bit F-1: run with F flows */
    bool every_mode; /* both types with both lane orders; else floats interleaved, integers blocked
                      */
} sweep;

static const float float_offset = 0.25f;
static const uint32_t integer_offset = 1013904223u;

static int32_t flow_of(int32_t thread_in_block, int32_t flows, int32_t blocked)
{
    const int32_t lane = thread_in_block % WARP;
    return blocked ? lane * flows / WARP : lane % flows;
}

static float float_chain(float x, int32_t flow, int32_t steps)
{
    const float factor = 0.5f + (float)flow / 128.0f;
    for (int32_t i = 0; i < steps; i++) {
        x = fmaf(x, factor, float_offset);
    }
    return x;
}

static uint32_t integer_chain(uint32_t x, int32_t flow, int32_t steps)
{
    const uint32_t factor = 1664525u + 8u * (uint32_t)flow;
    for (int32_t i = 0; i < steps; i++) {
        x = x * factor + integer_offset;
    }
    return x;
}

static ww_status run_floats(ww__bench *bench, const sweep *s, int32_t flows, int32_t blocked,
                            ww_devptr output)
{
    const size_t n = (size_t)s->ctas * s->threads;
    float *actual = NULL;
    double *expected = NULL;
    WW_TRY(WW__LAUNCH(bench, "divergence_f32", ww__dim(s->ctas, 1), ww__dim(s->threads, 1), 0,
                      &output, &float_offset, &flows, &blocked, &s->repetitions));
    WW_TRY(ww__download(bench, output, n * sizeof *actual, &actual));
    WW_TRY(ww__host_array(bench, n, sizeof *expected, &expected));
    for (size_t t = 0; t < n; t++) {
        const int32_t flow = flow_of((int32_t)(t % s->threads), flows, blocked);
        float x[CHAINS];
        for (size_t c = 0; c < CHAINS; c++) {
            x[c] = float_chain((float)(t + c), flow, BODY_STEPS * s->repetitions);
        }
        expected[t] = (double)((x[0] + x[1]) + (x[2] + x[3]));
    }
    return ww__verify_floats(bench, "float output", actual, expected, n, 0.0, 0.0);
}

static ww_status run_integers(ww__bench *bench, const sweep *s, int32_t flows, int32_t blocked,
                              ww_devptr output)
{
    const size_t n = (size_t)s->ctas * s->threads;
    int32_t *actual = NULL;
    int32_t *expected = NULL;
    WW_TRY(WW__LAUNCH(bench, "divergence_u32", ww__dim(s->ctas, 1), ww__dim(s->threads, 1), 0,
                      &output, &integer_offset, &flows, &blocked, &s->repetitions));
    WW_TRY(ww__download(bench, output, n * sizeof *actual, &actual));
    WW_TRY(ww__host_array(bench, n, sizeof *expected, &expected));
    for (size_t t = 0; t < n; t++) {
        const int32_t flow = flow_of((int32_t)(t % s->threads), flows, blocked);
        uint32_t sum = 0;
        for (size_t c = 0; c < CHAINS; c++) {
            sum += integer_chain((uint32_t)(t + c), flow, BODY_STEPS * s->repetitions);
        }
        expected[t] = (int32_t)sum;
    }
    return ww__verify_ints(bench, "integer output", actual, expected, n);
}

#define FLOWS(f) (1u << ((f)-1))

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const sweep sweeps[] = {
        {2, 48, 2, FLOWS(1) | FLOWS(3) | FLOWS(8), false},
        {2, 256, 4, FLOWS(1) | FLOWS(2) | FLOWS(3) | FLOWS(4) | FLOWS(8) | FLOWS(16) | FLOWS(32),
         false},
        {4, 256, 16,
         FLOWS(1) | FLOWS(2) | FLOWS(3) | FLOWS(4) | FLOWS(6) | FLOWS(8) | FLOWS(16) | FLOWS(32),
         true},
        {1, 256, 16, UINT32_MAX, true},
    };
    const sweep *s = &sweeps[size];

    ww_devptr output;
    WW_TRY(ww__buffer(bench, (size_t)s->ctas * s->threads * sizeof(float), &output));
    for (int32_t flows = 1; flows <= WARP; flows++) {
        if (!(s->flows & FLOWS(flows))) {
            continue;
        }
        WW_TRY(run_floats(bench, s, flows, 0, output));
        WW_TRY(run_integers(bench, s, flows, 1, output));
        if (s->every_mode) {
            WW_TRY(run_floats(bench, s, flows, 1, output));
            WW_TRY(run_integers(bench, s, flows, 0, output));
        }
    }
    return WW_OK;
}

ww_status ww_divergence_ubench_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "divergence-ubench", &ww__ptx_divergence_ubench, size, run, err);
}
