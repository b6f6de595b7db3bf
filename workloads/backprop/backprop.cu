// backprop.cu - one training step of a three-layer perceptron: the wide input-to-hidden layer.
// Weights are a (inputs + 1) x (hidden + 1) matrix; row 0 and column 0 belong to the bias units.

#define HIDDEN   16 // hidden units, and the edge of a CTA
#define RATE     0.3 // without an f in the original too: the sums below are in double precision
#define MOMENTUM 0.3

// A CTA multiplies 16 inputs with their 16x16 weights and sums over the inputs by a tree.
extern "C" __global__ void bpnn_layerforward_CUDA(const float *input, float *weights,
                                                  float *partial_sum, int hidden)
{
    __shared__ float x[HIDDEN];
    __shared__ float tile[HIDDEN][HIDDEN];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int unit = blockIdx.y * HIDDEN + ty + 1;
    const int index = unit * (hidden + 1) + tx + 1;

    if (tx == 0) {
        x[ty] = input[unit];
    }
    __syncthreads();
    tile[ty][tx] = weights[index] * x[ty];
    __syncthreads();
    // As in the original: steps are powers of two of the special-function unit, and a remainder.
#pragma unroll 1
    for (int i = 1; i <= __log2f((float)HIDDEN); i++) {
        const int step = (int)__powf(2.0f, (float)i);
        if (ty % step == 0) {
            tile[ty][tx] += tile[ty + step / 2][tx];
        }
        __syncthreads();
    }
    weights[index] = tile[ty][tx];
    if (tx == 0) {
        partial_sum[blockIdx.y * hidden + ty] = tile[0][ty];
    }
}

// w += rate * delta * x + momentum * (last change); CTA 0 also adjusts the bias row.
extern "C" __global__ void bpnn_adjust_weights_cuda(const float *delta, int hidden,
                                                    const float *input, float *weights,
                                                    float *change)
{
    const int column = threadIdx.x + 1;
    const int unit = blockIdx.y * HIDDEN + threadIdx.y + 1;
    const int index = unit * (hidden + 1) + column;

    // The change is computed twice, as in the original, because the arrays may overlap.
    weights[index] += RATE * delta[column] * input[unit] + MOMENTUM * change[index];
    change[index] = RATE * delta[column] * input[unit] + MOMENTUM * change[index];
    __syncthreads();
    if (threadIdx.y == 0 && blockIdx.y == 0) {
        weights[column] += RATE * delta[column] + MOMENTUM * change[column];
        change[column] = RATE * delta[column] + MOMENTUM * change[column];
    }
}
