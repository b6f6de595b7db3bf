/* wp.c - driver of the cloud microphysics: columns of a standard atmosphere with random moisture.
 * The reference advances every column in double precision, level by level where the kernel goes
 * sweep by sweep, and the kernel must conserve water. */
#include "workloads/support.h"

#include <inttypes.h>
#include <math.h>

#define EDGE       8 /* of a CTA */
#define MAX_LEVELS 28
#define FIELDS     6

static const double pi = 3.14159265358979323846;
static const double freezing = 273.15;                    /* K */
static const double vapour_gas = 461.6;                   /* J/(kg K) */
static const double sublimation = 2.85e6, fusion = 3.5e5; /* J/kg */
static const double least = 1e-9;                         /* mixing ratio that counts as present */
static const double floor_q = 1e-15;
static const double rain_a = 841.9, rain_b = 0.8; /* fall speed a D^b */
static const double snow_a = 11.72, snow_b = 0.41;
static const double rain_n0 = 8e6, snow_n0 = 2e6; /* 1/m4 */
static const double reference_density = 1.28;     /* kg/m3 */

/* One level of a column; species in the order of the kernel's parameters. */
typedef struct air {
    double t, v, c, i, r, s; /* temperature, vapour, cloud water and ice, rain, snow */
    double density, p, dz;
    double heat, latent;
} air;

/* Particles of a level. */
typedef struct spectra {
    double rain, snow, more_snow; /* mean sizes [m], factor on snow_n0 */
    double rain_speed, snow_speed, ice_speed;
    double ice_number, ice_size;
} spectra;

static double saturation(const air *a, bool ice)
{
    const double slope = ice ? 1846.4 - 2106.0 : 1846.4 - 4190.0;
    const double heat = ice ? sublimation : 2.5e6;
    const double x = -slope / vapour_gas;
    const double y = x + heat / (vapour_gas * 273.16);
    const double e =
        fmin(610.78 * pow(273.16 / a->t, x) * exp(y * (1.0 - 273.16 / a->t)), 0.99 * a->p);
    return fmax(287.0 / vapour_gas * e / (a->p - e), floor_q);
}

static double viscosity(const air *a)
{
    return 1.496e-6 * pow(a->t, 1.5) / (a->t + 120.0);
}

static double diffusivity(const air *a)
{
    return 8.794e-5 * pow(a->t, 1.81) / a->p;
}

static double exchange(const air *a, double latent, double saturated)
{
    const double thermal =
        a->density * latent * latent / (1414.0 * viscosity(a) * vapour_gas * a->t * a->t);
    return (a->v - saturated) / saturated / (thermal + 1.0 / (saturated * diffusivity(a)));
}

/* Ventilated exchange of particles of mean size x. */
static double ventilated(const air *a, double x, double still, double moved, double fall_a,
                         double fall_b)
{
    const double nu = viscosity(a) / a->density;
    const double wind =
        pow(nu / diffusivity(a), 1.0 / 3.0) / sqrt(nu) * pow(reference_density / a->density, 0.25);
    const double b = (5.0 + fall_b) / 2.0;
    return still * x * x + moved * wind * sqrt(fall_a) * tgamma(b) * pow(x, b);
}

static double snow_exchange(const air *a, const spectra *p)
{
    return 4.0 * snow_n0 * p->more_snow * ventilated(a, p->snow, 0.65, 0.44, snow_a, snow_b);
}

static double mean_size(double q, double density, double n0, double particle, double steepest)
{
    if (q <= least) {
        return 1.0 / steepest;
    }
    return 1.0 / fmin(pow(pi * particle * n0 / (q * density), 0.25), steepest);
}

static spectra spectra_of(const air *a)
{
    const double thinner = sqrt(reference_density / a->density);
    const double ice = a->density * fmax(a->i, floor_q);
    spectra p;
    p.more_snow = fmax(fmin(exp(0.12 * (freezing - a->t)), 1e11 / snow_n0), 1.0);
    p.rain = mean_size(a->r, a->density, rain_n0, 1000.0, 8e4);
    p.snow = mean_size(a->s, a->density, snow_n0 * p.more_snow, 100.0, 1e5);
    p.rain_speed =
        a->r > 0.0 ? rain_a * tgamma(4.0 + rain_b) / 6.0 * pow(p.rain, rain_b) * thinner : 0.0;
    p.snow_speed =
        a->s > 0.0 ? snow_a * tgamma(4.0 + snow_b) / 6.0 * pow(p.snow, snow_b) * thinner : 0.0;
    p.ice_number = fmin(fmax(5.38e7 * pow(ice, 0.75), 1e3), 1e6);
    p.ice_size = fmax(fmin(11.9 * sqrt(ice / p.ice_number), 500e-6), 1e-25);
    p.ice_speed = a->i > 0.0 ? 1.49e4 * pow(p.ice_size, 1.31) : 0.0;
    return p;
}

/* Moves a species down by one step; returns what leaves the level. */
static double fall(double *q, double speed, const air *a, double in, double step)
{
    const double mass = a->density * a->dz;
    const double out = mass * *q * fmin(speed * step / a->dz, 1.0);
    *q += (in - out) / mass;
    return out;
}

static void melt(air *a, const spectra *p, double step)
{
    if (a->t > freezing && a->s > 0.0) {
        const double rate = 1414.0 * viscosity(a) / fusion * (a->t - freezing) * pi / 2.0 *
                            snow_exchange(a, p) / a->density;
        const double melting = fmin(rate * step, a->s);
        a->s -= melting;
        a->r += melting;
        a->t -= fusion / a->heat * melting;
    }
}

static void sediment(air *a, int levels, double dt, double *rain, double *snow)
{
    spectra p[MAX_LEVELS];
    int steps = 1, ice_steps = 1;
    for (int k = 0; k < levels; k++) {
        p[k] = spectra_of(&a[k]);
        const int n = (int)(fmax(p[k].rain_speed, p[k].snow_speed) * dt / a[k].dz + 1.0);
        const int m = (int)(p[k].ice_speed * dt / a[k].dz + 1.0);
        steps = n > steps ? n : steps;
        ice_steps = m > ice_steps ? m : ice_steps;
    }
    for (int n = 0; n < steps; n++) {
        double r = 0.0, s = 0.0;
        for (int k = levels - 1; k >= 0; k--) {
            r = fall(&a[k].r, p[k].rain_speed, &a[k], r, dt / steps);
            s = fall(&a[k].s, p[k].snow_speed, &a[k], s, dt / steps);
            melt(&a[k], &p[k], dt / steps);
        }
        *rain += r;
        *snow += s;
    }
    for (int n = 0; n < ice_steps; n++) {
        double s = 0.0;
        for (int k = levels - 1; k >= 0; k--) {
            s = fall(&a[k].i, p[k].ice_speed, &a[k], s, dt / ice_steps);
        }
        *snow += s;
    }
}

static void freeze_or_melt_clouds(air *a)
{
    if (a->t > freezing && a->i > 0.0) {
        a->t -= fusion / a->heat * a->i;
        a->c += a->i;
        a->i = 0.0;
    }
    if (a->t < freezing - 40.0 && a->c > 0.0) {
        a->t += fusion / a->heat * a->c;
        a->i += a->c;
        a->c = 0.0;
    }
}

static double towards(double rate, double half, double there, double dt)
{
    return rate < 0.0 ? fmax(fmax(rate, -there / dt), half) : fmin(rate, half);
}

/* Mass that particles sweep up of what is there: n0 particles of fall speed a D^b. */
static double swept(double n0, double a, double b, double size, double q, double density, double dt)
{
    const double rate = pi / 4.0 * n0 * a * tgamma(3.0 + b) * pow(size, 3.0 + b) * q *
                        sqrt(reference_density / density);
    return fmin(rate, q / dt);
}

/* Rates of a level [1/s], by the names that the literature gives them. */
typedef struct rates {
    double praut, pracw, prevp, psaut, psaci, psacw, pidep, psdep, pigen;
} rates;

static void ice_rates(const air *a, const spectra *p, double saturated, double half, double dt,
                      rates *r)
{
    const double x = exchange(a, sublimation, saturated);
    if (a->s > least && a->i > least) {
        const double d = p->ice_size, l = p->snow;
        r->psaci = fmin(pi / 4.0 * a->i * exp(0.07 * (a->t - freezing)) * snow_n0 * p->more_snow *
                            fabs(p->snow_speed - p->ice_speed) *
                            (2.0 * l * l * l + 2.0 * d * l * l + d * d * l),
                        a->i / dt);
    }
    if (a->i > 0.0) {
        r->pidep = towards(4.0 * p->ice_size * p->ice_number * x, half, a->i, dt);
    }
    if (a->s > 0.0) {
        r->psdep = towards(x * snow_exchange(a, p), half, a->s, dt);
    }
    if (half > 0.0) {
        const double nuclei = 1e3 * exp(0.1 * (freezing - a->t));
        const double wanted = 4.92e-11 * pow(nuclei, 1.33) / a->density;
        r->pigen =
            fmin(fmax((wanted - a->i) / dt, 0.0), fmax(2.0 * half - r->pidep - r->psdep, 0.0));
    }
    r->psaut = fmax((a->i - 2.08e22 * pow(500e-6, 8.0) / a->density) / dt, 0.0);
}

static rates rates_of(const air *a, double dt)
{
    const spectra p = spectra_of(a);
    const bool cold = a->t < freezing;
    const double water = saturation(a, false);
    const double half = (a->v - water) / dt / 2.0;
    const double droplets = 3e8; /* 1/m3 */
    const double threshold =
        4.0 / 3.0 * pi * 1000.0 * pow(0.8e-5, 3.0) * droplets / reference_density;
    rates r = {0};
    if (a->c > threshold) {
        const double factor = 0.104 * 9.8 * 0.55 / pow(droplets * 1000.0, 1.0 / 3.0) / 1.718e-5 *
                              pow(reference_density, 4.0 / 3.0);
        r.praut = fmin(factor * pow(a->c, 7.0 / 3.0), a->c / dt);
    }
    if (a->r > least && a->c > least) {
        r.pracw = swept(rain_n0, rain_a, rain_b, p.rain, a->c, a->density, dt);
    }
    if (a->s > least && a->c > least) {
        r.psacw = swept(snow_n0 * p.more_snow, snow_a, snow_b, p.snow, a->c, a->density, dt);
    }
    if (a->r > 0.0) {
        const double rain = 2.0 * pi * rain_n0 * ventilated(a, p.rain, 0.78, 0.31, rain_a, rain_b);
        r.prevp = towards(exchange(a, a->latent, water) * rain, half, a->r, dt);
    }
    if (cold) {
        const double ice = saturation(a, true);
        ice_rates(a, &p, ice, (a->v - ice) / dt / 2.0, dt, &r);
    } else if (a->s > 0.0) {
        const double rate = exchange(a, a->latent, water) * snow_exchange(a, &p);
        r.psdep = fmin(towards(rate, half, a->s, dt), 0.0);
    }
    return r;
}

static void apply(air *a, rates r, double dt)
{
    const bool cold = a->t < freezing;
    const double cloud_loss = (r.praut + r.pracw + r.psacw) * dt;
    if (cloud_loss > fmax(a->c, floor_q)) {
        const double f = fmax(a->c, floor_q) / cloud_loss;
        r.praut *= f;
        r.pracw *= f;
        r.psacw *= f;
    }
    const double ice_loss = (r.psaut + r.psaci - r.pigen - r.pidep) * dt;
    if (ice_loss > fmax(a->i, floor_q)) {
        const double f = fmax(a->i, floor_q) / ice_loss;
        r.psaut *= f;
        r.psaci *= f;
        r.pigen *= f;
        r.pidep *= f;
    }
    a->v -= (r.prevp + r.psdep + r.pigen + r.pidep) * dt;
    a->c = fmax(a->c - (r.praut + r.pracw + r.psacw) * dt, 0.0);
    a->i = fmax(a->i - (r.psaut + r.psaci - r.pigen - r.pidep) * dt, 0.0);
    a->r += (r.praut + r.pracw + r.prevp) * dt;
    a->s += (r.psaut + r.psaci + r.psdep) * dt;
    if (cold) {
        a->s += r.psacw * dt;
        a->t += (sublimation * (r.psdep + r.pidep + r.pigen) + fusion * r.psacw) / a->heat * dt;
    } else {
        a->r += r.psacw * dt;
        a->t += a->latent * r.psdep / a->heat * dt;
    }
    a->r = fmax(a->r, 0.0);
    a->s = fmax(a->s, 0.0);
    a->t += a->latent * r.prevp / a->heat * dt;
}

static void condense(air *a)
{
    const double saturated = saturation(a, false);
    const double change = (a->v - saturated) / (1.0 + a->latent * a->latent * saturated /
                                                          (vapour_gas * a->heat * a->t * a->t));
    const double bounded = fmin(fmax(change, -a->c), fmax(a->v, 0.0));
    a->v -= bounded;
    a->c += bounded;
    a->t += bounded * a->latent / a->heat;
}

/* The fields: potential temperature, vapour, cloud water, cloud ice, rain, snow, as the kernel
 * changes them; density, Exner function, pressure, thickness. */
typedef struct grid {
    int32_t width, height, levels;
    float dt;
    size_t count; /* of cells */
    float *field[FIELDS], *density, *exner, *p, *dz;
} grid;

static size_t cell_of(const grid *g, size_t column, int k)
{
    const size_t width = (size_t)g->width;
    return column % width + width * ((size_t)k + (size_t)g->levels * (column / width));
}

static air air_at(const grid *g, size_t i)
{
    air a = {.t = (double)g->field[0][i] * (double)g->exner[i],
             .v = fmax((double)g->field[1][i], 0.0),
             .c = fmax((double)g->field[2][i], 0.0),
             .i = fmax((double)g->field[3][i], 0.0),
             .r = fmax((double)g->field[4][i], 0.0),
             .s = fmax((double)g->field[5][i], 0.0),
             .density = (double)g->density[i],
             .p = (double)g->p[i],
             .dz = (double)g->dz[i]};
    a.heat = 1004.5 * (1.0 - a.v) + 1846.4 * a.v;
    a.latent = 3.15e6 - 2370.0 * a.t;
    return a;
}

/* 288 K at the ground, 6.5 K less per kilometre; relative humidity 60 to 105 %, clouds and rain in
 * one column of five, and now and then a mixing ratio just below zero, as advection leaves it. */
static void make_column(ww__bench *bench, grid *g, size_t column)
{
    const bool cloudy = ww__random_below(bench, 5) == 0;
    double p = 1e5 + (double)ww__random_float(bench, -1500.0f, 1500.0f);
    const double ground = 288.0 + (double)ww__random_float(bench, -3.0f, 3.0f);
    for (int k = 0; k < g->levels; k++) {
        const size_t i = cell_of(g, column, k);
        const double dz = 14000.0 / g->levels;
        const double t = fmax(ground - 0.0065 * dz * (k + 0.5), 210.0);
        p *= 1.0 - 9.8 * dz / (287.0 * t) * (k == 0 ? 0.5 : 1.0);
        air a = {.t = t, .p = p};
        g->exner[i] = (float)pow(p / 1e5, 2.0 / 7.0);
        g->field[0][i] = (float)(t / (double)g->exner[i]);
        g->p[i] = (float)p;
        g->density[i] = (float)(p / (287.0 * t));
        g->dz[i] = (float)dz;
        g->field[1][i] = (float)saturation(&a, false) * ww__random_float(bench, 0.6f, 1.05f);
        for (int f = 2; f < FIELDS; f++) {
            /* Neither rain where it is very cold nor ice and snow where it is warm. */
            const bool possible = f == 4 ? t > 258.0 : f == 2 || t < 283.0;
            const float most = f == 3 ? 2e-4f : 1.5e-3f;
            const float q = ww__random_float(bench, -0.3f, 1.0f);
            g->field[f][i] = cloudy && possible ? q * q * q * most : 0.0f;
        }
    }
}

static ww_status make_grid(ww__bench *bench, grid *g)
{
    float **const arrays[] = {&g->density, &g->exner, &g->p, &g->dz};
    const size_t columns = (size_t)g->width * (size_t)g->height;
    g->count = columns * (size_t)g->levels;
    for (size_t f = 0; f < FIELDS; f++) {
        WW_TRY(ww__host_array(bench, g->count, sizeof(float), &g->field[f]));
    }
    for (size_t f = 0; f < WW_ARRAY_LEN(arrays); f++) {
        WW_TRY(ww__host_array(bench, g->count, sizeof(float), arrays[f]));
    }
    for (size_t column = 0; column < columns; column++) {
        make_column(bench, g, column);
    }
    return WW_OK;
}

static double water_of(const air *a)
{
    return a->density * a->dz * (a->v + a->c + a->i + a->r + a->s);
}

/* Where a column's water must be after the step; the kernel's results in after, rain and snow. */
static ww_status verify_water(ww__bench *bench, const grid *before, const grid *after,
                              size_t column, double fallen)
{
    double was = 0.0, is = fallen;
    for (int k = 0; k < before->levels; k++) {
        const air a = air_at(before, cell_of(before, column, k));
        const air b = air_at(after, cell_of(after, column, k));
        was += water_of(&a);
        is += water_of(&b);
    }
    if (!(fabs(was - is) <= 1e-6 * was)) {
        return ww_fail(bench->err, WW_EVERIFY, "%s: column %zu has %.9g kg/m2, expected %.9g",
                       bench->name, column, is, was);
    }
    return WW_OK;
}

static ww_status verify(ww__bench *bench, const grid *before, const grid *after, const float *rain,
                        const float *snow)
{
    static const char *const names[FIELDS] = {"th", "q", "qc", "qi", "qr", "qs"};
    const size_t columns = (size_t)before->width * (size_t)before->height;
    double *expected[FIELDS], *fallen[2];
    for (size_t f = 0; f < FIELDS; f++) {
        WW_TRY(ww__host_array(bench, before->count, sizeof(double), &expected[f]));
    }
    for (size_t f = 0; f < 2; f++) {
        WW_TRY(ww__host_array(bench, columns, sizeof(double), &fallen[f]));
    }
    for (size_t column = 0; column < columns; column++) {
        const double dt = (double)before->dt;
        air a[MAX_LEVELS];
        for (int k = 0; k < before->levels; k++) {
            a[k] = air_at(before, cell_of(before, column, k));
        }
        sediment(a, before->levels, dt, &fallen[0][column], &fallen[1][column]);
        for (int k = 0; k < before->levels; k++) {
            const size_t i = cell_of(before, column, k);
            freeze_or_melt_clouds(&a[k]);
            apply(&a[k], rates_of(&a[k], dt), dt);
            condense(&a[k]);
            const double result[FIELDS] = {
                a[k].t / (double)before->exner[i], a[k].v, a[k].c, a[k].i, a[k].r, a[k].s};
            for (size_t f = 0; f < FIELDS; f++) {
                expected[f][i] = result[f];
            }
        }
    }
    /* Mixing ratios are differences of numbers up to 0.01, rounded to 1e-9 each, and saturation is
     * an exponential with rounding of 2e-6. */
    for (size_t f = 0; f < FIELDS; f++) {
        WW_TRY(ww__verify_floats(bench, names[f], after->field[f], expected[f], before->count,
                                 f == 0 ? 1e-6 : 1e-4, f == 0 ? 0.0 : 1e-7));
    }
    WW_TRY(ww__verify_floats(bench, "rain", rain, fallen[0], columns, 1e-5, 1e-9));
    WW_TRY(ww__verify_floats(bench, "snow", snow, fallen[1], columns, 1e-5, 1e-9));
    for (size_t column = 0; column < columns; column++) {
        WW_TRY(verify_water(bench, before, after, column,
                            (double)rain[column] + (double)snow[column]));
    }
    return WW_OK;
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const grid inputs[] = {{.width = 10, .height = 7, .levels = 7, .dt = 120.0f},
                                  {.width = 32, .height = 16, .levels = 28, .dt = 120.0f},
                                  {.width = 192, .height = 160, .levels = 7, .dt = 120.0f},
                                  {.width = 72, .height = 64, .levels = 28, .dt = 120.0f}};
    grid g = inputs[size];
    WW_TRY(make_grid(bench, &g));
    const size_t bytes = g.count * sizeof(float);
    const size_t column_bytes = (size_t)g.width * (size_t)g.height * sizeof(float);

    ww_devptr field[FIELDS], density, exner, p, dz, rain, snow;
    for (size_t f = 0; f < FIELDS; f++) {
        WW_TRY(ww__upload(bench, g.field[f], bytes, &field[f]));
    }
    WW_TRY(ww__upload(bench, g.density, bytes, &density));
    WW_TRY(ww__upload(bench, g.exner, bytes, &exner));
    WW_TRY(ww__upload(bench, g.p, bytes, &p));
    WW_TRY(ww__upload(bench, g.dz, bytes, &dz));
    WW_TRY(ww__buffer(bench, column_bytes, &rain));
    WW_TRY(ww__buffer(bench, column_bytes, &snow));
    WW_TRY(WW__LAUNCH(
        bench, "wsm5_gpu",
        ww__dim(ww__pieces((size_t)g.width, EDGE), ww__pieces((size_t)g.height, EDGE)),
        ww__dim(EDGE, EDGE), 0, &field[0], &field[1], &field[2], &field[3], &field[4], &field[5],
        &density, &exner, &p, &dz, &rain, &snow, &g.dt, &g.width, &g.height, &g.levels));

    grid after = g;
    float *actual_rain, *actual_snow;
    for (size_t f = 0; f < FIELDS; f++) {
        WW_TRY(ww__download(bench, field[f], bytes, &after.field[f]));
    }
    WW_TRY(ww__download(bench, rain, column_bytes, &actual_rain));
    WW_TRY(ww__download(bench, snow, column_bytes, &actual_snow));
    return verify(bench, &g, &after, actual_rain, actual_snow);
}

ww_status ww_wp_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "wp", &ww__ptx_wp, size, run, err);
}
