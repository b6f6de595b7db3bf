/* blackscholes.c - driver of the option pricing; the reference is the same formula in double
 * precision. */
#include "workloads/support.h"

#include <math.h>

#define THREADS 128

static const float rate = 0.02f;
static const float volatility = 0.30f;

/* Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.17. */
static double cumulative_normal(double d)
{
    const double k = 1.0 / (1.0 + 0.2316419 * fabs(d));
    const double polynomial =
        k * (0.31938153 +
             k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    const double tail = 0.39894228040143267794 * exp(-0.5 * d * d) * polynomial;
    return d > 0.0 ? 1.0 - tail : tail;
}

static void price_option(double s, double x, double t, double *call, double *put)
{
    const double r = (double)rate;
    const double v = (double)volatility;
    const double d1 = (log(s / x) + (r + 0.5 * v * v) * t) / (v * sqrt(t));
    const double n1 = cumulative_normal(d1);
    const double n2 = cumulative_normal(d1 - v * sqrt(t));
    const double discounted = x * exp(-r * t);
    *call = s * n1 - discounted * n2;
    *put = discounted * (1.0 - n2) - s * (1.0 - n1);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    /* The grid of the SDK's older releases is 480 CTAs, whatever the number of options. */
    static const int32_t options[] = {10007, 262144, 1000000, 4000000};
    static const unsigned ctas[] = {24, 480, 480, 480};
    const int32_t n = options[size];
    const size_t count = (size_t)n;
    const size_t bytes = count * sizeof(float);

    float *price, *strike, *years;
    WW_TRY(ww__random_floats(bench, count, 5.0f, 30.0f, &price));
    WW_TRY(ww__random_floats(bench, count, 1.0f, 100.0f, &strike));
    WW_TRY(ww__random_floats(bench, count, 0.25f, 10.0f, &years));

    ww_devptr device_price, device_strike, device_years, device_call, device_put;
    WW_TRY(ww__upload(bench, price, bytes, &device_price));
    WW_TRY(ww__upload(bench, strike, bytes, &device_strike));
    WW_TRY(ww__upload(bench, years, bytes, &device_years));
    WW_TRY(ww__buffer(bench, bytes, &device_call));
    WW_TRY(ww__buffer(bench, bytes, &device_put));
    WW_TRY(WW__LAUNCH(bench, "BlackScholesGPU", ww__dim(ctas[size], 1), ww__dim(THREADS, 1), 0,
                      &device_call, &device_put, &device_price, &device_strike, &device_years,
                      &rate, &volatility, &n));

    float *call, *put;
    double *expected_call, *expected_put;
    WW_TRY(ww__download(bench, device_call, bytes, &call));
    WW_TRY(ww__download(bench, device_put, bytes, &put));
    WW_TRY(ww__host_array(bench, count, sizeof *expected_call, &expected_call));
    WW_TRY(ww__host_array(bench, count, sizeof *expected_put, &expected_put));
    for (size_t i = 0; i < count; i++) {
        price_option((double)price[i], (double)strike[i], (double)years[i], &expected_call[i],
                     &expected_put[i]);
    }
    /* Prices are differences of amounts up to 100, so their error is absolute: 1e-6 of that. */
    WW_TRY(ww__verify_floats(bench, "call", call, expected_call, count, 1e-5, 1e-4));
    return ww__verify_floats(bench, "put", put, expected_put, count, 1e-5, 1e-4);
}

ww_status ww_blackscholes_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "blackscholes", &ww__ptx_blackscholes, size, run, err);
}
