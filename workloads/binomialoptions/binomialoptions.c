/* binomialoptions.c - driver of the binomial option prices; the reference walks the same tree in
 * double precision. */
#include "workloads/support.h"

#include <math.h>

#define THREADS     256
#define MAX_OPTIONS 1024
#define PADDING     16 /* between the options' rows */

typedef struct option {
    float stock, strike, move, up, down;
} option;

static option make_option(ww__bench *bench, int32_t steps)
{
    const double rate = 0.06;
    const double volatility = 0.10;
    const float stock = ww__random_float(bench, 5.0f, 30.0f);
    const float strike = ww__random_float(bench, 1.0f, 100.0f);
    const double step = (double)ww__random_float(bench, 0.25f, 10.0f) / (double)steps;
    /* Cox, Ross and Rubinstein, 1979 */
    const double move = volatility * sqrt(step);
    const double up = (exp(rate * step) - exp(-move)) / (exp(move) - exp(-move));
    return (option){.stock = stock,
                    .strike = strike,
                    .move = (float)move,
                    .up = (float)(up * exp(-rate * step)),
                    .down = (float)((1.0 - up) * exp(-rate * step))};
}

/* level has steps + 1 elements to work in. */
static double walk_tree(const option *o, int32_t steps, double *level)
{
    for (int32_t i = 0; i <= steps; i++) {
        const double end = (double)o->stock * exp((double)o->move * (double)(2 * i - steps));
        level[i] = fmax(end - (double)o->strike, 0.0);
    }
    for (int32_t top = steps; top > 0; top--) {
        for (int32_t i = 0; i < top; i++) {
            level[i] = (double)o->up * level[i + 1] + (double)o->down * level[i];
        }
    }
    return level[0];
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const struct {
        int32_t options, steps;
    } inputs[] = {{2, 256}, {32, 256}, {960, 256}, {512, 2048}};
    const size_t options = (size_t)inputs[size].options;
    const int32_t steps = inputs[size].steps;
    const int32_t pitch = steps + PADDING;

    option *list;
    double *level, *expected;
    float *prices;
    WW_TRY(ww__host_array(bench, options, sizeof *list, &list));
    WW_TRY(ww__host_array(bench, options, sizeof *expected, &expected));
    WW_TRY(ww__host_array(bench, (size_t)steps + 1, sizeof *level, &level));
    for (size_t i = 0; i < options; i++) {
        list[i] = make_option(bench, steps);
    }

    ww_devptr device_prices, levels;
    WW_TRY(ww__upload_symbol(bench, "c_options", list, options * sizeof *list));
    WW_TRY(ww__buffer(bench, options * sizeof *prices, &device_prices));
    WW_TRY(ww__buffer(bench, options * (size_t)pitch * sizeof(float), &levels));
    WW_TRY(WW__LAUNCH(bench, "binomialOptionsKernel", ww__dim((unsigned)options, 1),
                      ww__dim(THREADS, 1), 0, &device_prices, &levels, &steps, &pitch));
    WW_TRY(ww__download(bench, device_prices, options * sizeof *prices, &prices));

    for (size_t i = 0; i < options; i++) {
        expected[i] = walk_tree(&list[i], steps, level);
    }
    /* Rounding adds 1e-7 per step at most, seldom in the same direction; a node wrongly weighted
     * at the tree's middle changes a price by a share of 1e-2. */
    return ww__verify_floats(bench, "price", prices, expected, options, 1e-4, 1e-6);
}

ww_status ww_binomialoptions_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "binomialoptions", &ww__ptx_binomialoptions, size, run, err);
}
