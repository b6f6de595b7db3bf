/* cp.c - driver of the Coulombic potential; the reference sums the charges in double precision. */
#include "workloads/support.h"

#include <math.h>

#define BLOCK_X   16
#define BLOCK_Y   8
#define MAX_ATOMS 4000 /* per launch */
#define SPACING   0.1f /* of the lattice */

typedef struct atom {
    float x, y, z2, charge; /* z2: square of the distance from the plane */
} atom;

static ww_status make_atoms(ww__bench *bench, uint32_t count, float width, float height, atom **out)
{
    atom *atoms;
    WW_TRY(ww__host_array(bench, count, sizeof *atoms, &atoms));
    for (uint32_t i = 0; i < count; i++) {
        atoms[i].x = ww__random_float(bench, 0.0f, width);
        atoms[i].y = ww__random_float(bench, 0.0f, height);
        const float z = ww__random_float(bench, 0.5f, width); /* no charge on a lattice point */
        atoms[i].z2 = z * z;
        atoms[i].charge = ww__random_float(bench, -1.0f, 1.0f);
    }
    *out = atoms;
    return WW_OK;
}

static double potential(const atom *atoms, uint32_t count, double x, double y)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        const double dx = x - (double)atoms[i].x;
        const double dy = y - (double)atoms[i].y;
        sum += (double)atoms[i].charge / sqrt(dx * dx + dy * dy + (double)atoms[i].z2);
    }
    return sum;
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const struct {
        uint32_t width, height, atoms;
    } inputs[] = {{64, 64, 18}, {256, 256, 40}, {768, 640, 40}, {256, 256, 200}};
    const uint32_t width = inputs[size].width;
    const uint32_t height = inputs[size].height;
    const uint32_t count = inputs[size].atoms;
    const size_t points = (size_t)width * height;
    const float spacing = SPACING;

    atom *atoms;
    float *energy;
    double *expected;
    WW_TRY(make_atoms(bench, count, SPACING * (float)width, SPACING * (float)height, &atoms));
    WW_TRY(ww__host_array(bench, points, sizeof *expected, &expected));

    ww_devptr grid;
    WW_TRY(ww__buffer(bench, points * sizeof *energy, &grid));
    WW_TRY(ww_device_memset(bench->device, grid, 0, points * sizeof *energy, bench->err));
    for (uint32_t first = 0; first < count; first += MAX_ATOMS) {
        const uint32_t left = count - first;
        const int32_t now = (int32_t)(left < MAX_ATOMS ? left : MAX_ATOMS);
        WW_TRY(ww__upload_symbol(bench, "atominfo", &atoms[first], (size_t)now * sizeof(atom)));
        WW_TRY(WW__LAUNCH(bench, "cenergy", ww__dim(width / (2 * BLOCK_X), height / BLOCK_Y),
                          ww__dim(BLOCK_X, BLOCK_Y), 0, &now, &spacing, &grid));
    }
    WW_TRY(ww__download(bench, grid, points * sizeof *energy, &energy));

    for (size_t i = 0; i < points; i++) {
        expected[i] = potential(atoms, count, (double)SPACING * (double)(i % width),
                                (double)SPACING * (double)(i / width));
    }
    /* No charge is nearer than 0.5, so that a term is below 2 and coordinates, rounded to 2e-6,
     * move it by less than 8e-6; few are so near. The mean term is above 0.01. */
    return ww__verify_floats(bench, "energy", energy, expected, points, 1e-5, 1e-4);
}

ww_status ww_cp_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "cp", &ww__ptx_cp, size, run, err);
}
