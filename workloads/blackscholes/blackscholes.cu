// blackscholes.cu - closed-form price of European call and put options, in a grid-stride loop.

// Cumulative normal distribution, Abramowitz and Stegun 26.2.17.
__device__ __forceinline__ float cumulative_normal(float d)
{
    const float a1 = 0.31938153f;
    const float a2 = -0.356563782f;
    const float a3 = 1.781477937f;
    const float a4 = -1.821255978f;
    const float a5 = 1.330274429f;
    const float inverse_sqrt_2pi = 0.39894228040143267794f;

    const float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(d));
    const float polynomial = k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5))));
    const float tail = inverse_sqrt_2pi * __expf(-0.5f * d * d) * polynomial;
    return d > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void BlackScholesGPU(float *call, float *put, const float *price,
                                           const float *strike, const float *years, float rate,
                                           float volatility, int options)
{
    const int threads = gridDim.x * blockDim.x;

#pragma unroll 1
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < options; i += threads) {
        const float s = price[i];
        const float x = strike[i];
        const float t = years[i];
        const float deviation = volatility * sqrtf(t);
        const float d1 = __fdividef(
            __logf(__fdividef(s, x)) + (rate + 0.5f * volatility * volatility) * t, deviation);
        const float d2 = d1 - deviation;
        const float n1 = cumulative_normal(d1);
        const float n2 = cumulative_normal(d2);
        const float discounted = x * __expf(-rate * t);
        call[i] = s * n1 - discounted * n2;
        put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
    }
}
