// montecarlo.cu - prices of European calls from many end values of the stock: the common normal
// samples, then a CTA per option that sums pay-offs and their squares.

#define THREADS     256
#define MAX_OPTIONS 256

struct option {
    float stock, strike;
    float mean;      // of the logarithm of the stock's growth
    float deviation; // of the same
};

struct estimate {
    float expected;   // discounted mean of the pay-off
    float confidence; // half the width of its 95 % interval
};

__constant__ option c_options[MAX_OPTIONS];
__constant__ float c_discount[MAX_OPTIONS];

// Inverse of the cumulative normal distribution, for 0 < p < 1 (Moro, "The full Monte", Risk 8(2),
// 1995): a rational function near the middle, a polynomial in the logarithm's logarithm in the
// tails.
static __device__ float inverse_normal(float p)
{
    const float y = p - 0.5f;
    if (fabsf(y) < 0.42f) {
        const float z = y * y;
        return y *
               (((-25.44106049637f * z + 41.39119773534f) * z - 18.61500062529f) * z +
                2.50662823884f) /
               ((((3.13082909833f * z - 21.06224101826f) * z + 23.08336743743f) * z -
                 8.4735109309f) *
                    z +
                1.0f);
    }
    const float tail = y > 0.0f ? 1.0f - p : p;
    const float z = __logf(-__logf(tail));
    const float x =
        0.3374754822726147f +
        z * (0.9761690190917186f +
             z * (0.1607979714918209f +
                  z * (0.0276438810333863f +
                       z * (0.0038405729373609f +
                            z * (0.0003951896511919f +
                                 z * (0.0000321767881768f +
                                      z * (0.0000002888167364f + z * 0.0000003960315187f)))))));
    return y > 0.0f ? x : -x;
}

// The n samples that cut the normal distribution into n + 1 equally likely pieces.
extern "C" __global__ void inverseCNDKernel(float *samples, unsigned n)
{
    const float share = 1.0f / (float)(n + 1);
    const unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        samples[i] = inverse_normal((float)(i + 1) * share);
    }
}

extern "C" __global__ void MonteCarloOneBlockPerOption(estimate *results, const float *samples,
                                                       int paths)
{
    __shared__ float sums[THREADS];
    __shared__ float squares[THREADS];
    const int tx = threadIdx.x;
    const option o = c_options[blockIdx.x];

    float sum = 0.0f;
    float square = 0.0f;
#pragma unroll 1
    for (int i = tx; i < paths; i += THREADS) {
        const float end = o.stock * __expf(o.mean + o.deviation * samples[i]);
        const float payoff = fmaxf(end - o.strike, 0.0f);
        sum += payoff;
        square += payoff * payoff;
    }
    sums[tx] = sum;
    squares[tx] = square;
    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (tx < stride) {
            sums[tx] += sums[tx + stride];
            squares[tx] += squares[tx + stride];
        }
    }
    if (tx == 0) {
        const float n = (float)paths;
        const float mean = sums[0] / n;
        const float variance = fmaxf(squares[0] - mean * sums[0], 0.0f) / (n - 1.0f);
        const float discount = c_discount[blockIdx.x];
        results[blockIdx.x].expected = discount * mean;
        results[blockIdx.x].confidence = discount * 1.96f * sqrtf(variance / n);
    }
}
