/* backprop.c - driver of one perceptron training step: forward sums, deltas on the host, new
 * weights. The forward reference adds in the kernel's order and is exact; the new weights are
 * checked against double precision. */
#include "workloads/support.h"

#define HIDDEN   16
#define ROW      (HIDDEN + 1) /* weights per input: one to the hidden layer's bias unit, unused */
#define RATE     0.3
#define MOMENTUM 0.3

typedef struct network {
    size_t inputs;             /* without the bias unit; a multiple of 16 */
    size_t weight_count;       /* (inputs + 1) * ROW */
    float *input;              /* inputs + 1, input[0] = 1 */
    float *weights;            /* row per input */
    float *change;             /* last change of each weight */
    float output_weights[ROW]; /* hidden to the one output unit, [0] bias */
} network;

static ww_status make_network(ww__bench *bench, size_t inputs, network *net)
{
    net->inputs = inputs;
    net->weight_count = (inputs + 1) * ROW;
    WW_TRY(ww__random_floats(bench, inputs + 1, 0.0f, 1.0f, &net->input));
    net->input[0] = 1.0f;
    /* Small enough that the hidden units do not saturate. */
    WW_TRY(ww__random_floats(bench, net->weight_count, -0.0625f, 0.0625f, &net->weights));
    WW_TRY(ww__random_floats(bench, net->weight_count, -0.0625f, 0.0625f, &net->change));
    for (int j = 0; j < ROW; j++) {
        net->output_weights[j] = ww__random_float(bench, -1.0f, 1.0f);
    }
    return WW_OK;
}

/* What bpnn_layerforward_CUDA leaves in the weights and in the partial sums, operation by
 * operation. */
static void forward_reference(const network *net, double *weights, double *partial_sums)
{
    for (size_t i = 0; i < net->weight_count; i++) {
        weights[i] = (double)net->weights[i];
    }
    for (size_t first = 1; first <= net->inputs; first += HIDDEN) {
        for (size_t j = 0; j < HIDDEN; j++) {
            float sum[HIDDEN];
            for (size_t i = 0; i < HIDDEN; i++) {
                sum[i] = net->weights[(first + i) * ROW + j + 1] * net->input[first + i];
            }
            for (size_t stride = 1; stride < HIDDEN; stride *= 2) {
                for (size_t i = 0; i < HIDDEN; i += 2 * stride) {
                    sum[i] += sum[i + stride];
                }
            }
            for (size_t i = 0; i < HIDDEN; i++) {
                weights[(first + i) * ROW + j + 1] = (double)sum[i];
            }
            partial_sums[first - 1 + j] = (double)sum[0];
        }
    }
}

/* e^x by its power series at x/64, squared six times: libm's last bits differ between machines, and
 * these values become input of the second kernel. */
static double exponential(double x)
{
    double term = 1.0;
    double sum = 1.0;
    for (int i = 1; i <= 12; i++) {
        term *= x / 64.0 / i;
        sum += term;
    }
    for (int i = 0; i < 6; i++) {
        sum *= sum;
    }
    return sum;
}

static double sigmoid(double x)
{
    const double limit = 30.0; /* beyond, float cannot tell it from 0 or 1 */
    x = x < -limit ? -limit : x > limit ? limit : x;
    return 1.0 / (1.0 + exponential(-x));
}

/* The small layer, on the host as in the original: hidden units, output unit, and their errors. */
static void hidden_deltas(const network *net, const float *partial_sums, float delta[ROW])
{
    const double target = 0.1;
    double hidden[HIDDEN];
    double output = (double)net->output_weights[0];
    for (size_t j = 0; j < HIDDEN; j++) {
        double sum = (double)net->weights[j + 1];
        for (size_t i = j; i < net->inputs; i += HIDDEN) {
            sum += (double)partial_sums[i];
        }
        hidden[j] = sigmoid(sum);
        output += hidden[j] * (double)net->output_weights[j + 1];
    }
    output = sigmoid(output);
    const double output_delta = output * (1.0 - output) * (target - output);
    delta[0] = 0.0f;
    for (size_t j = 0; j < HIDDEN; j++) {
        delta[j + 1] = (float)(hidden[j] * (1.0 - hidden[j]) * output_delta *
                               (double)net->output_weights[j + 1]);
    }
}

static void adjust_reference(const network *net, const float delta[ROW], double *weights,
                             double *change)
{
    for (size_t i = 0; i < net->weight_count; i++) {
        weights[i] = (double)net->weights[i];
        change[i] = (double)net->change[i];
        if (i % ROW != 0) {
            change[i] =
                RATE * (double)delta[i % ROW] * (double)net->input[i / ROW] + MOMENTUM * change[i];
            weights[i] += change[i];
        }
    }
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const size_t inputs[] = {336, 8192, 32768, 65536};
    const int32_t hidden = HIDDEN;
    const ww_dim3 grid = ww__dim(1, (unsigned)(inputs[size] / HIDDEN));
    const ww_dim3 block = ww__dim(HIDDEN, HIDDEN);

    network net;
    double *expected_weights, *expected_change, *expected_sums;
    WW_TRY(make_network(bench, inputs[size], &net));
    const size_t weight_bytes = net.weight_count * sizeof(float);
    WW_TRY(ww__host_array(bench, net.weight_count, sizeof(double), &expected_weights));
    WW_TRY(ww__host_array(bench, net.weight_count, sizeof(double), &expected_change));
    WW_TRY(ww__host_array(bench, net.inputs, sizeof(double), &expected_sums));

    ww_devptr input, weights, change, sums, deltas;
    WW_TRY(ww__upload(bench, net.input, (net.inputs + 1) * sizeof(float), &input));
    WW_TRY(ww__upload(bench, net.weights, weight_bytes, &weights));
    WW_TRY(ww__upload(bench, net.change, weight_bytes, &change));
    WW_TRY(ww__buffer(bench, net.inputs * sizeof(float), &sums));
    WW_TRY(WW__LAUNCH(bench, "bpnn_layerforward_CUDA", grid, block, 0, &input, &weights, &sums,
                      &hidden));

    float *result_weights, *result_change, *result_sums;
    WW_TRY(ww__download(bench, weights, weight_bytes, &result_weights));
    WW_TRY(ww__download(bench, sums, net.inputs * sizeof(float), &result_sums));
    forward_reference(&net, expected_weights, expected_sums);
    WW_TRY(
        ww__verify_floats(bench, "partial sum", result_sums, expected_sums, net.inputs, 0.0, 0.0));
    WW_TRY(ww__verify_floats(bench, "weighted input", result_weights, expected_weights,
                             net.weight_count, 0.0, 0.0));

    float delta[ROW];
    hidden_deltas(&net, result_sums, delta);
    WW_TRY(ww__upload(bench, delta, sizeof delta, &deltas));
    /* The forward kernel left its products in the weights. */
    WW_TRY(ww_device_write(bench->device, weights, net.weights, weight_bytes, bench->err));
    WW_TRY(WW__LAUNCH(bench, "bpnn_adjust_weights_cuda", grid, block, 0, &deltas, &hidden, &input,
                      &weights, &change));
    WW_TRY(ww__download(bench, weights, weight_bytes, &result_weights));
    WW_TRY(ww__download(bench, change, weight_bytes, &result_change));
    adjust_reference(&net, delta, expected_weights, expected_change);
    WW_TRY(ww__verify_floats(bench, "weight", result_weights, expected_weights, net.weight_count,
                             1e-6, 1e-7));
    return ww__verify_floats(bench, "change", result_change, expected_change, net.weight_count,
                             1e-6, 1e-7);
}

ww_status ww_backprop_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "backprop", &ww__ptx_backprop, size, run, err);
}
