/* montecarlo.c - driver of the Monte Carlo option prices. The reference sums the same pay-offs in
 * double precision; the estimate must also bracket the closed-form price. */
#include "workloads/support.h"

#include <math.h>

#define THREADS     256
#define MAX_OPTIONS 256

typedef struct option {
    float stock, strike, mean, deviation;
} option;

typedef struct state {
    int32_t options, paths;
    option option[MAX_OPTIONS];
    float discount[MAX_OPTIONS];
    double price[MAX_OPTIONS]; /* in closed form */
} state;

static const double rate = 0.06;
static const double volatility = 0.10;

static double normal(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

/* Price of a European call (Black and Scholes, 1973). */
static double closed_form(double stock, double strike, double years)
{
    const double deviation = volatility * sqrt(years);
    const double d1 =
        (log(stock / strike) + (rate + 0.5 * volatility * volatility) * years) / deviation;
    return stock * normal(d1) - strike * exp(-rate * years) * normal(d1 - deviation);
}

static void make_options(ww__bench *bench, state *s)
{
    for (int32_t i = 0; i < s->options; i++) {
        const float stock = ww__random_float(bench, 5.0f, 50.0f);
        const float strike = ww__random_float(bench, 10.0f, 25.0f);
        const double years = (double)ww__random_float(bench, 1.0f, 5.0f);
        s->option[i] = (option){
            .stock = stock,
            .strike = strike,
            .mean = (float)((rate - 0.5 * volatility * volatility) * years),
            .deviation = (float)(volatility * sqrt(years)),
        };
        s->discount[i] = (float)exp(-rate * years);
        s->price[i] = closed_form((double)stock, (double)strike, years);
    }
}

/* Every sample must lie at its share of the normal distribution. The distribution at the sample is
 * compared, not the sample: that needs no inverse and weighs the tails like the rest. */
static ww_status verify_samples(ww__bench *bench, const float *samples, size_t n)
{
    double *share, *expected;
    WW_TRY(ww__host_array(bench, n, sizeof *share, &share));
    WW_TRY(ww__host_array(bench, n, sizeof *expected, &expected));
    for (size_t i = 0; i < n; i++) {
        const double below = (double)(i + 1) / (double)(n + 1);
        const double sample = (double)samples[i];
        /* In the upper half the complement, so that the relative error means something. */
        share[i] = below < 0.5 ? normal(sample) : normal(-sample);
        expected[i] = below < 0.5 ? below : 1.0 - below;
    }
    /* The argument's rounding is 1e-7 of 1; the formula is good to 3e-9. */
    return ww__verify_doubles(bench, "share below the sample", share, expected, n, 1e-5, 5e-7);
}

static ww_status verify_prices(ww__bench *bench, const state *s, const float *samples,
                               const float *results)
{
    const double n = (double)s->paths;
    double expected[2 * MAX_OPTIONS];
    for (int32_t i = 0; i < s->options; i++) {
        const option *o = &s->option[i];
        double sum = 0.0;
        double square = 0.0;
        for (int32_t p = 0; p < s->paths; p++) {
            const double growth = (double)o->mean + (double)o->deviation * (double)samples[p];
            const double payoff = fmax((double)o->stock * exp(growth) - (double)o->strike, 0.0);
            sum += payoff;
            square += payoff * payoff;
        }
        const double discount = (double)s->discount[i];
        const double variance = (square - sum * sum / n) / (n - 1.0);
        expected[2 * i] = discount * sum / n;
        expected[2 * i + 1] = discount * 1.96 * sqrt(variance / n);
        if (!(fabs((double)results[2 * i] - s->price[i]) <= expected[2 * i + 1] + 1e-4)) {
            return ww_fail(bench->err, WW_EVERIFY,
                           "%s: price[%d] = %.9g, expected %.9g within the interval %.3g",
                           bench->name, (int)i, (double)results[2 * i], s->price[i],
                           expected[2 * i + 1]);
        }
    }
    /* The variance is a difference of sums of squares, so its relative error is the larger. */
    return ww__verify_floats(bench, "price and interval", results, expected, 2 * (size_t)s->options,
                             2e-4, 2e-5);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const struct {
        int32_t options, paths;
        unsigned sampling_ctas, sampling_threads;
    } inputs[] = {
        {11, 2500, 3, 128}, {128, 7000, 32, 128}, {256, 24576, 128, 128}, {256, 262144, 128, 128}};
    state s = {.options = inputs[size].options, .paths = inputs[size].paths};
    make_options(bench, &s);
    const size_t samples_bytes = (size_t)s.paths * sizeof(float);
    const size_t result_bytes = (size_t)s.options * 2 * sizeof(float);

    ww_devptr device_samples, device_results;
    float *samples, *results;
    WW_TRY(ww__upload_symbol(bench, "c_options", s.option, sizeof s.option));
    WW_TRY(ww__upload_symbol(bench, "c_discount", s.discount, sizeof s.discount));
    WW_TRY(ww__buffer(bench, samples_bytes, &device_samples));
    WW_TRY(ww__buffer(bench, result_bytes, &device_results));
    WW_TRY(WW__LAUNCH(bench, "inverseCNDKernel", ww__dim(inputs[size].sampling_ctas, 1),
                      ww__dim(inputs[size].sampling_threads, 1), 0, &device_samples, &s.paths));
    WW_TRY(WW__LAUNCH(bench, "MonteCarloOneBlockPerOption", ww__dim((unsigned)s.options, 1),
                      ww__dim(THREADS, 1), 0, &device_results, &device_samples, &s.paths));
    WW_TRY(ww__download(bench, device_samples, samples_bytes, &samples));
    WW_TRY(ww__download(bench, device_results, result_bytes, &results));
    WW_TRY(verify_samples(bench, samples, (size_t)s.paths));
    return verify_prices(bench, &s, samples, results);
}

ww_status ww_montecarlo_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "montecarlo", &ww__ptx_montecarlo, size, run, err);
}
