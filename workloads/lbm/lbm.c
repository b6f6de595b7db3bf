/* lbm.c - driver of the lattice Boltzmann fluid: a lid-driven cavity with an obstacle in it; the
 * reference computes every cell in double precision. */
#include "workloads/support.h"

#include <math.h>
#include <string.h>

#define DIRECTIONS  19
#define PADDED_X    128
#define OBSTACLE    1
#define ACCELERATED 2
#define OMEGA       1.95

static const int velocity[DIRECTIONS][3] = {
    {0, 0, 0},  {0, 1, 0},   {0, -1, 0},  {1, 0, 0},  {-1, 0, 0}, {0, 0, 1},   {0, 0, -1},
    {1, 1, 0},  {-1, -1, 0}, {-1, 1, 0},  {1, -1, 0}, {0, 1, 1},  {0, -1, -1}, {0, 1, -1},
    {0, -1, 1}, {1, 0, 1},   {-1, 0, -1}, {1, 0, -1}, {-1, 0, 1}};

typedef struct cavity {
    int32_t nx, ny, nz, steps; /* nx < PADDED_X: what flows out in x lands in the padding */
    int32_t plane, entry;      /* distances of planes and of entries, words */
    size_t words;              /* of a grid */
    size_t
        origin; /* of cell 0 in each entry: a plane and a row on either side take what flows out */
} cavity;

static double weight(int q)
{
    return q == 0 ? 1.0 / 3.0 : q < 7 ? 1.0 / 18.0 : 1.0 / 36.0;
}

/* Walls are obstacles, and a block in the middle; the lid moves what is below it. */
static int32_t flags_at(const cavity *c, int32_t x, int32_t y, int32_t z)
{
    if (x == 0 || x == c->nx - 1 || y == 0 || y == c->ny - 1 || z == 0 || z == c->nz - 1) {
        return OBSTACLE;
    }
    if (x / 4 == c->nx / 8 && y / 4 == c->ny / 8 && z / 4 == c->nz / 8) {
        return OBSTACLE;
    }
    return z == c->nz - 2 ? ACCELERATED : 0;
}

/* A fluid at rest, but for noise of a twentieth in every distribution. */
static ww_status make_grid(ww__bench *bench, cavity *c, float **out)
{
    float *grid;
    c->plane = PADDED_X * c->ny;
    c->entry = c->plane * (c->nz + 2) + 2 * PADDED_X;
    c->origin = (size_t)c->plane + PADDED_X;
    c->words = (size_t)c->entry * (DIRECTIONS + 1);
    WW_TRY(ww__host_array(bench, c->words, sizeof *grid, &grid));
    for (int32_t z = 0; z < c->nz; z++) {
        for (int32_t y = 0; y < c->ny; y++) {
            for (int32_t x = 0; x < c->nx; x++) {
                float *cell = &grid[c->origin + (size_t)(x + y * PADDED_X + z * c->plane)];
                for (int q = 0; q < DIRECTIONS; q++) {
                    cell[q * c->entry] = (float)weight(q) * ww__random_float(bench, 0.95f, 1.05f);
                }
                const int32_t flags = flags_at(c, x, y, z);
                memcpy(&cell[DIRECTIONS * c->entry], &flags, sizeof flags);
            }
        }
    }
    *out = grid;
    return WW_OK;
}

/* The distributions that leave a cell. */
static void collide(const double f[DIRECTIONS], int32_t flags, double out[DIRECTIONS])
{
    double density = 0.0, u[3] = {0.0}, u2 = 0.0;
    for (int q = 0; q < DIRECTIONS; q++) {
        density += f[q];
        for (int a = 0; a < 3; a++) {
            u[a] += f[q] * velocity[q][a];
        }
    }
    for (int a = 0; a < 3; a++) {
        static const double driven[3] = {0.005, 0.002, 0.0};
        u[a] = flags & ACCELERATED ? driven[a] : u[a] / density;
        u2 += u[a] * u[a];
    }
    for (int q = 0; q < DIRECTIONS; q++) {
        double cu = 0.0;
        for (int a = 0; a < 3; a++) {
            cu += velocity[q][a] * u[a];
        }
        const double equilibrium =
            weight(q) * density * (1.0 + 3.0 * cu + 4.5 * cu * cu - 1.5 * u2);
        out[q] = (1.0 - OMEGA) * f[q] + OMEGA * equilibrium;
    }
    if (flags & OBSTACLE) {
        out[0] = f[0];
        for (int q = 1; q < DIRECTIONS; q++) { /* 1 and 2, 3 and 4, … are opposite */
            out[q] = f[q % 2 ? q + 1 : q - 1];
        }
    }
}

static void step_reference(const cavity *c, const float *from, float *to)
{
    for (int32_t z = 0; z < c->nz; z++) {
        for (int32_t y = 0; y < c->ny; y++) {
            for (int32_t x = 0; x < c->nx; x++) {
                const float *cell = &from[c->origin + (size_t)(x + y * PADDED_X + z * c->plane)];
                double f[DIRECTIONS], out[DIRECTIONS];
                for (int q = 0; q < DIRECTIONS; q++) {
                    f[q] = (double)cell[q * c->entry];
                }
                collide(f, flags_at(c, x, y, z), out);
                for (int q = 0; q < DIRECTIONS; q++) {
                    const int *v = velocity[q];
                    const ptrdiff_t at = (x + v[0]) + (y + v[1]) * PADDED_X +
                                         (z + v[2]) * (ptrdiff_t)c->plane + q * (ptrdiff_t)c->entry;
                    to[(ptrdiff_t)c->origin + at] = (float)out[q];
                }
            }
        }
    }
}

/* Distributions are up to 0.35 and their sum near 1, rounded to 6e-8 up to nine times; OMEGA near 2
 * damps nothing from step to step. The noise is 1e-3 and more. */
static ww_status verify_grid(ww__bench *bench, const cavity *c, const float *actual,
                             const float *expected)
{
    const double tolerance = 5e-7 * c->steps;
    for (size_t i = 0; i < c->words; i++) {
        if (!(fabs((double)actual[i] - (double)expected[i]) <= tolerance)) {
            return ww_fail(bench->err, WW_EVERIFY,
                           "%s: distribution %zu of cell %td = %.9g, expected %.9g within %.3g",
                           bench->name, i / (size_t)c->entry,
                           (ptrdiff_t)(i % (size_t)c->entry) - (ptrdiff_t)c->origin,
                           (double)actual[i], (double)expected[i], tolerance);
        }
    }
    return WW_OK;
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const cavity inputs[] = {{.nx = 24, .ny = 8, .nz = 6, .steps = 2},
                                    {.nx = 64, .ny = 32, .nz = 32, .steps = 1},
                                    {.nx = 64, .ny = 64, .nz = 64, .steps = 1},
                                    {.nx = 120, .ny = 120, .nz = 150, .steps = 100}};
    cavity c = inputs[size];
    float *reference[2], *actual;
    WW_TRY(make_grid(bench, &c, &reference[0]));
    const size_t bytes = c.words * sizeof(float);
    WW_TRY(ww__host_array(bench, c.words, sizeof(float), &reference[1]));
    memcpy(reference[1], reference[0], bytes);

    ww_devptr grids[2], cells[2];
    for (int i = 0; i < 2; i++) {
        WW_TRY(ww__upload(bench, reference[i], bytes, &grids[i]));
        cells[i] = grids[i] + c.origin * sizeof(float);
    }
    for (int32_t i = 0; i < c.steps; i++) {
        WW_TRY(WW__LAUNCH(bench, "performStreamCollide_kernel",
                          ww__dim((unsigned)c.ny, (unsigned)c.nz), ww__dim((unsigned)c.nx, 1), 0,
                          &cells[i % 2], &cells[(i + 1) % 2], &c.plane, &c.entry));
    }
    WW_TRY(ww__download(bench, grids[c.steps % 2], bytes, &actual));

    for (int32_t i = 0; i < c.steps; i++) {
        step_reference(&c, reference[i % 2], reference[(i + 1) % 2]);
    }
    return verify_grid(bench, &c, actual, reference[c.steps % 2]);
}

ww_status ww_lbm_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "lbm", &ww__ptx_lbm, size, run, err);
}
