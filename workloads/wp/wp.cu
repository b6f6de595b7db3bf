// wp.cu - cloud microphysics of a weather model after WSM5 (Hong, Dudhia, Chen, Monthly Weather Review
// 132, 2004): a thread advances one column of air with vapour, cloud water, cloud ice, rain and snow.

#define MAX_LEVELS 28
#define PI         3.14159265f
#define T0         273.15f   // freezing, K
#define TRIPLE     273.16f   // K
#define PSAT       610.78f   // saturation pressure there, Pa
#define EP2        0.62175043f // ratio of the gas constants of air and vapour
#define RV         461.6f    // J/(kg K)
#define CP         1004.5f
#define CPV        1846.4f
#define LIQUID_A   5.0771232f // exponents of the saturation pressures over water
#define LIQUID_B   24.904128f
#define ICE_A      0.5623917f // and ice
#define ICE_B      23.165177f
#define XLS        2.85e6f // heat of sublimation, J/kg
#define XLF        3.5e5f  // of fusion
#define DEN0       1.28f   // kg/m3
#define N0R        8.0e6f  // 1/m4
#define N0S        2.0e6f
#define Q_LEAST    1.0e-9f
#define Q_FLOOR    1.0e-15f
#define QCK1       6.7738954f // autoconversion
#define QC0        5.0265482e-4f
#define QI_MOST    8.125e-5f // above which ice aggregates, kg/m3

// State of a column, and what its sweeps hand on to each other.
struct column {
    float t[MAX_LEVELS], q[MAX_LEVELS], qc[MAX_LEVELS], qi[MAX_LEVELS], qr[MAX_LEVELS],
        qs[MAX_LEVELS];
    float den[MAX_LEVELS], p[MAX_LEVELS], dz[MAX_LEVELS];
    float heat[MAX_LEVELS], latent[MAX_LEVELS], thinner[MAX_LEVELS];
    float rain_size[MAX_LEVELS], snow_size[MAX_LEVELS], more_snow[MAX_LEVELS]; // inverse slopes
    float rain_fall[MAX_LEVELS], snow_fall[MAX_LEVELS], ice_fall[MAX_LEVELS];  // m/s
    float ice_number[MAX_LEVELS], ice_size[MAX_LEVELS];
    float praut[MAX_LEVELS], pracw[MAX_LEVELS], prevp[MAX_LEVELS], psaut[MAX_LEVELS],
        psaci[MAX_LEVELS], psacw[MAX_LEVELS], pidep[MAX_LEVELS], psdep[MAX_LEVELS],
        pigen[MAX_LEVELS]; // rates, 1/s
};

__device__ __forceinline__ float power(float x, float y)
{
    return expf(y * logf(x));
}

// Saturation mixing ratio over water (ice: over ice).
__device__ __forceinline__ float saturation(float t, float p, bool ice)
{
    const float r = TRIPLE / t;
    const float e = PSAT * expf(logf(r) * (ice ? ICE_A : LIQUID_A) +
                                (ice ? ICE_B : LIQUID_B) * (1.0f - r));
    const float bounded = fminf(e, 0.99f * p);
    return fmaxf(EP2 * bounded / (p - bounded), Q_FLOOR);
}

__device__ __forceinline__ float viscosity(float t) // dynamic
{
    return 1.496e-6f * t * sqrtf(t) / (t + 120.0f);
}

__device__ __forceinline__ float diffusivity(float t, float p)
{
    return 8.794e-5f * power(t, 1.81f) / p;
}

// Resistance of heat and vapour to a phase change of heat l at saturation qsat.
__device__ __forceinline__ float resistance(const column *c, int k, float l, float qsat)
{
    const float t = c->t[k];
    return c->den[k] * l * l / (1.414e3f * viscosity(t) * RV * t * t) +
           1.0f / (qsat * diffusivity(t, c->p[k]));
}

// Ventilation of falling particles.
__device__ __forceinline__ float ventilation(const column *c, int k)
{
    const float nu = viscosity(c->t[k]) / c->den[k];
    return cbrtf(nu / diffusivity(c->t[k], c->p[k])) / sqrtf(nu) *
           sqrtf(sqrtf(DEN0 / c->den[k]));
}

__device__ __forceinline__ float rain_exchange(const column *c, int k)
{
    const float size = c->rain_size[k];
    return 2.0f * PI * N0R *
           (0.78f * size * size + 0.31f * ventilation(c, k) * sqrtf(841.9f) * 1.8273551f *
                                      power(size, 2.9f)); // Gamma(2.9), (5 + b)/2
}

__device__ __forceinline__ float snow_exchange(const column *c, int k)
{
    const float size = c->snow_size[k];
    return 4.0f * N0S * c->more_snow[k] *
           (0.65f * size * size + 0.44f * ventilation(c, k) * sqrtf(11.72f) * 1.5508607f *
                                      power(size, 2.705f));
}

// Sizes and fall speeds of Marshall-Palmer spectra.
__device__ __forceinline__ void find_slopes(column *c, int levels)
{
#pragma unroll 1
    for (int k = 0; k < levels; k++) {
        const float den = c->den[k];
        const float qr = c->qr[k];
        const float qs = c->qs[k];
        c->rain_size[k] =
            1.0f / (qr <= Q_LEAST
                        ? 8.0e4f
                        : fminf(sqrtf(sqrtf(PI * 1000.0f * N0R / (qr * den))), 8.0e4f));
        c->more_snow[k] =
            fmaxf(fminf(expf(0.12f * (T0 - c->t[k])), 1.0e11f / N0S), 1.0f);
        c->snow_size[k] =
            1.0f /
            (qs <= Q_LEAST
                 ? 1.0e5f
                 : fminf(sqrtf(sqrtf(PI * 100.0f * N0S * c->more_snow[k] / (qs * den))), 1.0e5f));
        const float rain_speed = 841.9f * 17.837862f / 6.0f;
        const float snow_speed = 11.72f * 10.275404f / 6.0f;
        c->rain_fall[k] =
            qr > 0.0f ? rain_speed * power(c->rain_size[k], 0.8f) * c->thinner[k] : 0.0f;
        c->snow_fall[k] =
            qs > 0.0f ? snow_speed * power(c->snow_size[k], 0.41f) * c->thinner[k] : 0.0f;
        const float ice = den * fmaxf(c->qi[k], Q_FLOOR);
        c->ice_number[k] = fminf(fmaxf(5.38e7f * power(ice, 0.75f), 1.0e3f), 1.0e6f);
        c->ice_size[k] = fmaxf(fminf(11.9f * sqrtf(ice / c->ice_number[k]), 500.0e-6f), 1.0e-25f);
        c->ice_fall[k] = c->qi[k] > 0.0f ? 1.49e4f * power(c->ice_size[k], 1.31f) : 0.0f;
    }
}

// Steps in which nothing falls through a whole level.
__device__ __forceinline__ int fall_steps(const column *c, const float *a, const float *b,
                                          int levels, float dt)
{
    int steps = 1;
#pragma unroll 1
    for (int k = 0; k < levels; k++) {
        steps = max(steps, (int)(fmaxf(a[k], b[k]) * dt / c->dz[k] + 1.0f));
    }
    return min(steps, 100);
}

// What leaves a level in a step [kg/m2]; in comes what left the one above.
__device__ __forceinline__ float fall(float *q, float speed, float mass, float dz, float in,
                                      float step)
{
    const float out = mass * *q * fminf(speed * step / dz, 1.0f);
    *q += (in - out) / mass;
    return out;
}

// Rain and snow fall, and snow melts on its way.
__device__ __forceinline__ void sediment_rain_and_snow(column *c, int levels, float dt, float *rain,
                                                       float *snow)
{
    const int steps = fall_steps(c, c->rain_fall, c->snow_fall, levels, dt);
    const float step = dt / steps;
#pragma unroll 1
    for (int n = 0; n < steps; n++) {
        float falling_rain = 0.0f;
        float falling_snow = 0.0f;
#pragma unroll 1
        for (int k = levels - 1; k >= 0; k--) {
            const float mass = c->den[k] * c->dz[k];
            falling_rain = fall(&c->qr[k], c->rain_fall[k], mass, c->dz[k], falling_rain, step);
            falling_snow = fall(&c->qs[k], c->snow_fall[k], mass, c->dz[k], falling_snow, step);
            if (c->t[k] > T0 && c->qs[k] > 0.0f) {
                const float conductivity = 1.414e3f * viscosity(c->t[k]);
                const float rate = conductivity / XLF * (c->t[k] - T0) * 0.5f * PI *
                                   snow_exchange(c, k) / c->den[k];
                const float melting = fminf(rate * step, c->qs[k]);
                c->qs[k] -= melting;
                c->qr[k] += melting;
                c->t[k] -= XLF / c->heat[k] * melting;
            }
        }
        *rain += falling_rain;
        *snow += falling_snow;
    }
}

__device__ __forceinline__ void sediment_ice(column *c, int levels, float dt, float *snow)
{
    const int steps = fall_steps(c, c->ice_fall, c->ice_fall, levels, dt);
    const float step = dt / steps;
#pragma unroll 1
    for (int n = 0; n < steps; n++) {
        float falling = 0.0f;
#pragma unroll 1
        for (int k = levels - 1; k >= 0; k--) {
            falling = fall(&c->qi[k], c->ice_fall[k], c->den[k] * c->dz[k], c->dz[k], falling,
                           step);
        }
        *snow += falling;
    }
}

// Ice melts above freezing at once, cloud water freezes below -40 degrees.
__device__ __forceinline__ void change_phase(column *c, int levels)
{
#pragma unroll 1
    for (int k = 0; k < levels; k++) {
        if (c->t[k] > T0 && c->qi[k] > 0.0f) {
            c->qc[k] += c->qi[k];
            c->t[k] -= XLF / c->heat[k] * c->qi[k];
            c->qi[k] = 0.0f;
        }
        if (c->t[k] < T0 - 40.0f && c->qc[k] > 0.0f) {
            c->qi[k] += c->qc[k];
            c->t[k] += XLF / c->heat[k] * c->qc[k];
            c->qc[k] = 0.0f;
        }
    }
}

// A rate towards saturation goes at most half of the way, and takes no more than there is.
__device__ __forceinline__ float towards(float rate, float half, float there, float dt)
{
    return rate < 0.0f ? fmaxf(fmaxf(rate, -there / dt), half) : fminf(rate, half);
}

__device__ __forceinline__ void warm_rates(column *c, int levels, float dt)
{
#pragma unroll 1
    for (int k = 0; k < levels; k++) {
        const float qsat = saturation(c->t[k], c->p[k], false);
        const float supersaturation = fmaxf(c->q[k], Q_FLOOR) - qsat;
        const float qc = c->qc[k];
        c->praut[k] = qc > QC0 ? fminf(QCK1 * power(qc, 7.0f / 3.0f), qc / dt) : 0.0f;
        c->pracw[k] = 0.0f;
        c->prevp[k] = 0.0f;
        if (c->qr[k] > Q_LEAST && qc > Q_LEAST) {
            const float swept = 0.25f * PI * N0R * 841.9f * 4.6941742f; // Gamma(3.8)
            c->pracw[k] =
                fminf(swept * power(c->rain_size[k], 3.8f) * qc * c->thinner[k], qc / dt);
        }
        if (c->qr[k] > 0.0f) {
            const float rate = supersaturation / qsat * rain_exchange(c, k) /
                               resistance(c, k, c->latent[k], qsat);
            c->prevp[k] = towards(rate, 0.5f * supersaturation / dt, c->qr[k], dt);
        }
    }
}

__device__ __forceinline__ void cold_rates(column *c, int levels, float dt)
{
#pragma unroll 1
    for (int k = 0; k < levels; k++) {
        const bool cold = c->t[k] < T0;
        const float qsat = saturation(c->t[k], c->p[k], cold);
        const float supersaturation = fmaxf(c->q[k], Q_FLOOR) - qsat;
        const float half = 0.5f * supersaturation / dt;
        const float exchange =
            supersaturation / qsat / resistance(c, k, cold ? XLS : c->latent[k], qsat);
        const float size = c->snow_size[k];
        const float qi = c->qi[k];
        c->psaut[k] = c->psaci[k] = c->psacw[k] = c->pidep[k] = c->psdep[k] = c->pigen[k] = 0.0f;

        if (c->qs[k] > Q_LEAST && c->qc[k] > Q_LEAST) {
            const float swept = 0.25f * PI * N0S * 11.72f * 3.0133150f; // Gamma(3.41)
            c->psacw[k] = fminf(swept * c->more_snow[k] * power(size, 3.41f) * c->qc[k] *
                                    c->thinner[k],
                                c->qc[k] / dt);
        }
        if (!cold) {
            if (c->qs[k] > 0.0f) { // wet snow only evaporates
                c->psdep[k] = fminf(
                    towards(exchange * snow_exchange(c, k), half, c->qs[k], dt), 0.0f);
            }
            continue;
        }
        if (c->qs[k] > Q_LEAST && qi > Q_LEAST) {
            const float d = c->ice_size[k];
            const float area =
                2.0f * size * size * size + 2.0f * d * size * size + d * d * size;
            const float sticks = expf(0.07f * (c->t[k] - T0));
            c->psaci[k] =
                fminf(0.25f * PI * qi * sticks * N0S * c->more_snow[k] *
                          fabsf(c->snow_fall[k] - c->ice_fall[k]) * area,
                      qi / dt);
        }
        if (qi > 0.0f) {
            c->pidep[k] =
                towards(4.0f * c->ice_size[k] * c->ice_number[k] * exchange, half, qi, dt);
        }
        if (c->qs[k] > 0.0f) {
            c->psdep[k] = towards(exchange * snow_exchange(c, k), half, c->qs[k], dt);
        }
        if (supersaturation > 0.0f) {
            const float nuclei = 1.0e3f * expf(0.1f * (T0 - c->t[k]));
            const float wanted = 4.92e-11f * power(nuclei, 1.33f) / c->den[k];
            const float left = supersaturation / dt - c->pidep[k] - c->psdep[k];
            c->pigen[k] = fminf(fmaxf((wanted - qi) / dt, 0.0f), fmaxf(left, 0.0f));
        }
        c->psaut[k] = fmaxf((qi - QI_MOST / c->den[k]) / dt, 0.0f);
    }
}

// Factor by which losses shrink so that they take no more than there is.
__device__ __forceinline__ float limited(float there, float loss)
{
    return loss > there ? there / loss : 1.0f;
}

// Limits the rates and applies them.
__device__ __forceinline__ void apply_rates(column *c, int levels, float dt)
{
#pragma unroll 1
    for (int k = 0; k < levels; k++) {
        const bool cold = c->t[k] < T0;
        const float cloud = limited(fmaxf(c->qc[k], Q_FLOOR),
                                    (c->praut[k] + c->pracw[k] + c->psacw[k]) * dt);
        const float praut = c->praut[k] * cloud;
        const float pracw = c->pracw[k] * cloud;
        const float psacw = c->psacw[k] * cloud;
        const float ice = limited(
            fmaxf(c->qi[k], Q_FLOOR),
            (c->psaut[k] + c->psaci[k] - c->pigen[k] - c->pidep[k]) * dt);
        const float psaut = c->psaut[k] * ice;
        const float psaci = c->psaci[k] * ice;
        const float pidep = c->pidep[k] * ice;
        const float pigen = c->pigen[k] * ice;
        const float prevp = c->prevp[k];
        const float psdep = c->psdep[k];

        c->q[k] -= (prevp + psdep + pigen + pidep) * dt;
        c->qc[k] = fmaxf(c->qc[k] - (praut + pracw + psacw) * dt, 0.0f);
        c->qi[k] = fmaxf(c->qi[k] - (psaut + psaci - pigen - pidep) * dt, 0.0f);
        c->qr[k] = fmaxf(c->qr[k] + (praut + pracw + prevp + (cold ? 0.0f : psacw)) * dt, 0.0f);
        c->qs[k] = fmaxf(c->qs[k] + (psaut + psaci + psdep + (cold ? psacw : 0.0f)) * dt, 0.0f);
        const float warmed = cold ? XLS * (psdep + pidep + pigen) + XLF * psacw
                                  : c->latent[k] * psdep;
        c->t[k] += (warmed + c->latent[k] * prevp) / c->heat[k] * dt;
    }
}

// Cloud water and vapour end in balance.
__device__ __forceinline__ void condense(column *c, int levels)
{
#pragma unroll 1
    for (int k = 0; k < levels; k++) {
        const float t = c->t[k];
        const float l = c->latent[k];
        const float qsat = saturation(t, c->p[k], false);
        const float excess =
            (c->q[k] - qsat) / (1.0f + l * l / (RV * c->heat[k] * t * t) * qsat);
        const float change = excess > 0.0f ? fminf(excess, c->q[k]) : fmaxf(excess, -c->qc[k]);
        c->q[k] -= change;
        c->qc[k] += change;
        c->t[k] += change * l / c->heat[k];
    }
}

// Fields are levels x columns, row by row: (x, y) at level k is at x + width * (k + levels * y).
extern "C" __global__ void wsm5_gpu(float *th, float *q, float *qc, float *qi, float *qr, float *qs,
                                    const float *den, const float *pii, const float *p,
                                    const float *delz, float *rain, float *snow, float dt,
                                    int width, int height, int levels)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    column c;
    const int first = x + width * levels * y;
#pragma unroll 1
    for (int k = 0; k < levels; k++) {
        const int i = first + width * k;
        c.t[k] = th[i] * pii[i];
        c.q[k] = fmaxf(q[i], 0.0f);
        c.qc[k] = fmaxf(qc[i], 0.0f);
        c.qi[k] = fmaxf(qi[i], 0.0f);
        c.qr[k] = fmaxf(qr[i], 0.0f);
        c.qs[k] = fmaxf(qs[i], 0.0f);
        c.den[k] = den[i];
        c.p[k] = p[i];
        c.dz[k] = delz[i];
        c.heat[k] = CP * (1.0f - c.q[k]) + CPV * c.q[k];
        c.latent[k] = 3.15e6f - 2370.0f * c.t[k];
        c.thinner[k] = sqrtf(DEN0 / c.den[k]);
    }
    float fallen_rain = 0.0f;
    float fallen_snow = 0.0f;
    find_slopes(&c, levels);
    sediment_rain_and_snow(&c, levels, dt, &fallen_rain, &fallen_snow);
    sediment_ice(&c, levels, dt, &fallen_snow);
    change_phase(&c, levels);
    find_slopes(&c, levels);
    warm_rates(&c, levels, dt);
    cold_rates(&c, levels, dt);
    apply_rates(&c, levels, dt);
    condense(&c, levels);
#pragma unroll 1
    for (int k = 0; k < levels; k++) {
        const int i = first + width * k;
        th[i] = c.t[k] / pii[i];
        q[i] = c.q[k];
        qc[i] = c.qc[k];
        qi[i] = c.qi[k];
        qr[i] = c.qr[k];
        qs[i] = c.qs[k];
    }
    rain[x + width * y] = fallen_rain;
    snow[x + width * y] = fallen_snow;
}
