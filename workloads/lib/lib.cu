// lib.cu - LIBOR market model: value of a portfolio of swaptions on simulated paths of forward
// rates, and in the second kernel its derivative by adjoint differentiation of the path.

#define MAX_RATES   80
#define MAX_STEPS   40
#define MAX_OPTIONS 15
#define INCREMENT   0.3f // in place of normal increments, as the benchmark does

// Set by the driver.
struct market {
    int rates, steps, options; // N, Nmat, Nopt
    float delta;               // of time, years
    int maturities[MAX_OPTIONS];
    float swaprates[MAX_OPTIONS];
    float lambda[MAX_RATES]; // volatilities
};
__constant__ market model[1];

__device__ __forceinline__ void start(float *L, float *z)
{
#pragma unroll 1
    for (int i = 0; i < model->rates; i++) {
        L[i] = 0.05f;
    }
#pragma unroll 1
    for (int n = 0; n < model->steps; n++) {
        z[n] = INCREMENT;
    }
}

// Value of the swaptions in the money, per unit of discount; B: prices of bonds, S: their sums.
__device__ __forceinline__ float payoffs(const float *L, float *B, float *S)
{
    float b = 1.0f;
    float s = 0.0f;
#pragma unroll 1
    for (int n = model->steps; n < model->rates; n++) {
        b = __fdividef(b, 1.0f + model->delta * L[n]);
        s += model->delta * b;
        B[n - model->steps] = b;
        S[n - model->steps] = s;
    }
    float value = 0.0f;
#pragma unroll 1
    for (int i = 0; i < model->options; i++) {
        const int m = model->maturities[i] - 1;
        const float swap = B[m] + model->swaprates[i] * S[m] - 1.0f;
        if (swap < 0.0f) {
            value -= 100.0f * swap;
        }
    }
    return value;
}

__device__ __forceinline__ float discounted(float value, const float *L)
{
#pragma unroll 1
    for (int n = 0; n < model->steps; n++) {
        value = __fdividef(value, 1.0f + model->delta * L[n]);
    }
    return value;
}

// Derivatives of the portfolio's value by the final rates.
__device__ __forceinline__ float portfolio_adjoint(const float *L, float *L_b)
{
    float B[MAX_STEPS], S[MAX_STEPS], B_b[MAX_STEPS], S_b[MAX_STEPS];
    const float payoff = payoffs(L, B, S);
    const float value = discounted(payoff, L);
    const float discount = discounted(1.0f, L);

#pragma unroll 1
    for (int m = 0; m < model->rates - model->steps; m++) {
        B_b[m] = 0.0f;
        S_b[m] = 0.0f;
    }
#pragma unroll 1
    for (int i = 0; i < model->options; i++) {
        const int m = model->maturities[i] - 1;
        if (B[m] + model->swaprates[i] * S[m] - 1.0f < 0.0f) {
            B_b[m] -= 100.0f * discount;
            S_b[m] -= 100.0f * discount * model->swaprates[i];
        }
    }
    float bond = 0.0f, sum = 0.0f; // what later bonds and sums pass on to earlier ones
#pragma unroll 1
    for (int n = model->rates - 1; n >= model->steps; n--) {
        const int m = n - model->steps;
        sum += S_b[m];
        bond += B_b[m] + model->delta * sum;
        const float down = __fdividef(1.0f, 1.0f + model->delta * L[n]);
        L_b[n] = -bond * model->delta * B[m] * down;
        bond *= down;
    }
#pragma unroll 1
    for (int n = 0; n < model->steps; n++) {
        L_b[n] = -value * __fdividef(model->delta, 1.0f + model->delta * L[n]);
    }
    return value;
}

// Values alone.
extern "C" __global__ void Pathcalc_Portfolio_KernelGPU2(float *values, int paths)
{
    const int threads = blockDim.x * gridDim.x;
#pragma unroll 1
    for (int path = blockIdx.x * blockDim.x + threadIdx.x; path < paths; path += threads) {
        float L[MAX_RATES], z[MAX_STEPS], B[MAX_STEPS], S[MAX_STEPS];
        start(L, z);
#pragma unroll 1
        for (int n = 0; n < model->steps; n++) {
            const float root = sqrtf(model->delta) * z[n];
            float v = 0.0f;
#pragma unroll 1
            for (int i = n + 1; i < model->rates; i++) {
                const float lambda = model->lambda[i - n - 1];
                const float c = model->delta * lambda;
                v += __fdividef(c * L[i], 1.0f + model->delta * L[i]);
                L[i] *= __expf(c * v + lambda * (root - 0.5f * c));
            }
        }
        values[path] = discounted(payoffs(L, B, S), L);
    }
}

// Values, and derivatives by the last initial rate.
extern "C" __global__ void Pathcalc_Portfolio_KernelGPU(float *values, float *derivatives,
                                                        int paths)
{
    const int threads = blockDim.x * gridDim.x;
    const int rates = model->rates;
#pragma unroll 1
    for (int path = blockIdx.x * blockDim.x + threadIdx.x; path < paths; path += threads) {
        float L[MAX_RATES], z[MAX_STEPS], L_b[MAX_RATES];
        float L2[MAX_RATES * (MAX_STEPS + 1)]; // the rates before each step
        start(L, z);
#pragma unroll 1
        for (int n = 0; n < model->steps; n++) {
            const float root = sqrtf(model->delta) * z[n];
            float v = 0.0f;
#pragma unroll 1
            for (int i = 0; i < rates; i++) {
                L2[n * rates + i] = L[i];
            }
#pragma unroll 1
            for (int i = n + 1; i < rates; i++) {
                const float lambda = model->lambda[i - n - 1];
                const float c = model->delta * lambda;
                v += __fdividef(c * L[i], 1.0f + model->delta * L[i]);
                L[i] *= __expf(c * v + lambda * (root - 0.5f * c));
            }
        }
#pragma unroll 1
        for (int i = 0; i < rates; i++) {
            L2[model->steps * rates + i] = L[i];
        }
        values[path] = portfolio_adjoint(L, L_b);

        for (int n = model->steps - 1; n >= 0; n--) {
            float v_b = 0.0f;
#pragma unroll 1
            for (int i = rates - 1; i > n; i--) {
                const float before = L2[n * rates + i];
                const float after = L2[(n + 1) * rates + i];
                const float lambda = model->lambda[i - n - 1];
                const float down = __fdividef(model->delta, 1.0f + model->delta * before);
                v_b += lambda * after * L_b[i];
                L_b[i] = __fdividef(L_b[i] * after, before) + v_b * lambda * down * down;
            }
        }
        derivatives[path] = L_b[rates - 1];
    }
}
