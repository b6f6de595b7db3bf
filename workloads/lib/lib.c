/* lib.c - driver of the LIBOR market model. The reference computes the value in double precision,
 * and the derivative from differences of values. */
#include "workloads/support.h"

#include <math.h>

#define MAX_RATES   80
#define MAX_STEPS   40
#define MAX_OPTIONS 15
#define RATE        0.05 /* initial */
#define INCREMENT   0.3

/* As the kernels' constant. */
typedef struct market {
    int32_t rates, steps, options;
    float delta;
    int32_t maturities[MAX_OPTIONS];
    float swaprates[MAX_OPTIONS];
    float lambda[MAX_RATES];
} market;

/* Maturities of 4, 8, 20, 28 and 40 of 40 periods, scaled to those that there are; each with three
 * swap rates. */
static market make_market(int32_t rates, int32_t steps)
{
    static const int32_t maturities[] = {4, 8, 20, 28, 40};
    static const float swaprates[] = {0.045f, 0.05f, 0.055f};
    market m = {.rates = rates, .steps = steps, .options = MAX_OPTIONS, .delta = 0.25f};
    for (int i = 0; i < MAX_OPTIONS; i++) {
        m.maturities[i] = (maturities[i / 3] * (rates - steps) + 39) / 40;
        m.swaprates[i] = swaprates[i % 3];
    }
    for (int i = 0; i < MAX_RATES; i++) {
        m.lambda[i] = 0.2f;
    }
    return m;
}

/* Value of the portfolio on the path that starts with rates RATE, but the last with last. */
static double value(const market *m, double last)
{
    const double delta = (double)m->delta;
    double L[MAX_RATES];
    for (int i = 0; i < m->rates; i++) {
        L[i] = i == m->rates - 1 ? last : RATE;
    }
    for (int n = 0; n < m->steps; n++) {
        double drift = 0.0;
        for (int i = n + 1; i < m->rates; i++) {
            const double lambda = (double)m->lambda[i - n - 1];
            drift += delta * lambda * L[i] / (1.0 + delta * L[i]);
            L[i] *= exp(delta * lambda * drift +
                        lambda * (sqrt(delta) * INCREMENT - 0.5 * delta * lambda));
        }
    }
    double total = 0.0;
    for (int o = 0; o < m->options; o++) {
        double bond = 1.0, annuity = 0.0;
        for (int i = m->steps; i < m->steps + m->maturities[o]; i++) {
            bond /= 1.0 + delta * L[i];
            annuity += delta * bond;
        }
        total += 100.0 * fmax(0.0, 1.0 - bond - (double)m->swaprates[o] * annuity);
    }
    for (int n = 0; n < m->steps; n++) {
        total /= 1.0 + delta * L[n];
    }
    return total;
}

typedef struct input {
    int32_t rates, steps, paths;
    unsigned threads; /* of the grid */
} input;

static const input inputs[] = {
    {10, 5, 157, 128}, {24, 12, 2048, 2048}, {24, 12, 30720, 30720}, {80, 40, 4096, 4096}};

/* Four waves of CTAs of 256 threads on 28 SMs that hold four each, a smaller market. */
static const input wide = {10, 5, 114688, 114688};

static ww_status price(ww__bench *bench, const input *in, unsigned cta_threads)
{
    const int32_t paths = in->paths;
    const size_t bytes = (size_t)paths * sizeof(float);
    const ww_dim3 grid = ww__dim(ww__pieces(in->threads, cta_threads), 1);
    const market m = make_market(in->rates, in->steps);

    ww_devptr values, values_too, derivatives;
    WW_TRY(ww__upload_symbol(bench, "model", &m, sizeof m));
    WW_TRY(ww__buffer(bench, bytes, &values));
    WW_TRY(ww__buffer(bench, bytes, &values_too));
    WW_TRY(ww__buffer(bench, bytes, &derivatives));
    WW_TRY(WW__LAUNCH(bench, "Pathcalc_Portfolio_KernelGPU", grid, ww__dim(cta_threads, 1), 0,
                      &values, &derivatives, &paths));
    WW_TRY(WW__LAUNCH(bench, "Pathcalc_Portfolio_KernelGPU2", grid, ww__dim(cta_threads, 1), 0,
                      &values_too, &paths));

    const double step = 1e-5;
    const double expected_value = value(&m, RATE);
    const double expected_slope = (value(&m, RATE + step) - value(&m, RATE - step)) / (2.0 * step);
    double *expected;
    WW_TRY(ww__host_array(bench, (size_t)paths, sizeof *expected, &expected));
    for (int32_t i = 0; i < paths; i++) {
        expected[i] = expected_value;
    }
    /* What is in the money is a difference of numbers near 1 with 100 in front: rounding of 2^-24
     * in each of up to 120 factors; the value itself is tens to hundreds. */
    float *actual;
    WW_TRY(ww__download(bench, values, bytes, &actual));
    WW_TRY(ww__verify_floats(bench, "value", actual, expected, (size_t)paths, 1e-4, 0.0));
    WW_TRY(ww__download(bench, values_too, bytes, &actual));
    WW_TRY(ww__verify_floats(bench, "value alone", actual, expected, (size_t)paths, 1e-4, 0.0));
    for (int32_t i = 0; i < paths; i++) {
        expected[i] = expected_slope;
    }
    WW_TRY(ww__download(bench, derivatives, bytes, &actual));
    return ww__verify_floats(bench, "derivative", actual, expected, (size_t)paths, 1e-4, 0.0);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    return price(bench, &inputs[size], 64);
}

static ww_status run_256(ww__bench *bench, ww_workload_size size)
{
    return price(bench, size == WW_SIZE_STUDY ? &wide : &inputs[size], 256);
}

ww_status ww_lib_256_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "lib-256", &ww__ptx_lib, size, run_256, err);
}

ww_status ww_lib_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "lib", &ww__ptx_lib, size, run, err);
}
