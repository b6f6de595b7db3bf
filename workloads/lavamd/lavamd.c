/* lavamd.c - driver of the particle interactions; the reference evaluates the same pairs on the
 * host. */
#include "workloads/support.h"

#include <math.h>

#define THREADS        128
#define MAX_NEIGHBOURS 26

typedef struct particle {
    double v, x, y, z;
} particle;

typedef struct box {
    int32_t neighbours;
    int32_t neighbour[MAX_NEIGHBOURS];
} box;

typedef struct state {
    int32_t edge[3]; /* boxes along each axis */
    int32_t boxes, particles;
    box *box;
    particle *positions;
    double *charges;
} state;

static const double alpha = 0.5;

/* Lists the boxes around number b; those at the grid's border have fewer. */
static void find_neighbours(const state *s, int32_t b)
{
    const int32_t x = b % s->edge[0];
    const int32_t y = b / s->edge[0] % s->edge[1];
    const int32_t z = b / (s->edge[0] * s->edge[1]);
    box *here = &s->box[b];
    for (int32_t k = z - 1; k <= z + 1; k++) {
        for (int32_t j = y - 1; j <= y + 1; j++) {
            for (int32_t i = x - 1; i <= x + 1; i++) {
                const int32_t other = (k * s->edge[1] + j) * s->edge[0] + i;
                if (i >= 0 && i < s->edge[0] && j >= 0 && j < s->edge[1] && k >= 0 &&
                    k < s->edge[2] && other != b) {
                    here->neighbour[here->neighbours++] = other;
                }
            }
        }
    }
}

/* One of 0.1, 0.2, ... 1.0 */
static double tenth(ww__bench *bench)
{
    return (1.0 + (double)ww__random_below(bench, 10)) / 10.0;
}

static ww_status make_inputs(ww__bench *bench, state *s)
{
    const size_t count = (size_t)s->boxes * (size_t)s->particles;
    WW_TRY(ww__host_array(bench, (size_t)s->boxes, sizeof *s->box, &s->box));
    WW_TRY(ww__host_array(bench, count, sizeof *s->positions, &s->positions));
    WW_TRY(ww__host_array(bench, count, sizeof *s->charges, &s->charges));
    for (int32_t b = 0; b < s->boxes; b++) {
        find_neighbours(s, b);
    }
    for (size_t i = 0; i < count; i++) {
        particle *p = &s->positions[i];
        p->v = tenth(bench);
        p->x = tenth(bench);
        p->y = tenth(bench);
        p->z = tenth(bench);
        s->charges[i] = tenth(bench);
    }
    return WW_OK;
}

/* What the particles of one box do to particle a. */
static void add_box(const state *s, const particle *a, int32_t b, particle *force)
{
    const size_t first = (size_t)b * (size_t)s->particles;
    for (size_t j = first; j < first + (size_t)s->particles; j++) {
        const particle *p = &s->positions[j];
        const double r2 = a->v + p->v - (a->x * p->x + a->y * p->y + a->z * p->z);
        const double vij = exp(-2.0 * alpha * alpha * r2);
        force->v += s->charges[j] * vij;
        force->x += s->charges[j] * 2.0 * vij * (a->x - p->x);
        force->y += s->charges[j] * 2.0 * vij * (a->y - p->y);
        force->z += s->charges[j] * 2.0 * vij * (a->z - p->z);
    }
}

static ww_status verify(ww__bench *bench, const state *s, const double *actual)
{
    const size_t count = (size_t)s->boxes * (size_t)s->particles;
    particle *force;
    WW_TRY(ww__host_array(bench, count, sizeof *force, &force));
    for (size_t i = 0; i < count; i++) {
        const int32_t home = (int32_t)(i / (size_t)s->particles);
        const box *here = &s->box[home];
        add_box(s, &s->positions[i], home, &force[i]);
        for (int32_t k = 0; k < here->neighbours; k++) {
            add_box(s, &s->positions[i], here->neighbour[k], &force[i]);
        }
    }
    /* Sums of at most 2,700 terms below 4, both with relative errors of 1e-15. */
    return ww__verify_doubles(bench, "force", actual, (const double *)force, 4 * count, 1e-10,
                              1e-10);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    /* With 40 or 50 particles some warps are partly filled and others idle, as with 100. */
    static const struct {
        int32_t edge[3], particles;
    } inputs[] = {{{2, 1, 1}, 40}, {{2, 2, 2}, 50}, {{8, 8, 6}, 20}, {{10, 10, 10}, 100}};
    const int32_t *edge = inputs[size].edge;

    state s = {.edge = {edge[0], edge[1], edge[2]},
               .boxes = edge[0] * edge[1] * edge[2],
               .particles = inputs[size].particles};
    WW_TRY(make_inputs(bench, &s));
    const size_t count = (size_t)s.boxes * (size_t)s.particles;

    double *force;
    ww_devptr boxes, positions, charges, device_force;
    WW_TRY(ww__upload(bench, s.box, (size_t)s.boxes * sizeof *s.box, &boxes));
    WW_TRY(ww__upload(bench, s.positions, count * sizeof *s.positions, &positions));
    WW_TRY(ww__upload(bench, s.charges, count * sizeof *s.charges, &charges));
    WW_TRY(ww__buffer(bench, count * sizeof(particle), &device_force));
    WW_TRY(ww_device_memset(bench->device, device_force, 0, count * sizeof(particle), bench->err));
    WW_TRY(WW__LAUNCH(bench, "kernel_gpu_cuda", ww__dim((unsigned)s.boxes, 1), ww__dim(THREADS, 1),
                      0, &alpha, &s.particles, &boxes, &positions, &charges, &device_force));
    WW_TRY(ww__download(bench, device_force, count * sizeof(particle), &force));
    return verify(bench, &s, force);
}

ww_status ww_lavamd_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "lavamd", &ww__ptx_lavamd, size, run, err);
}
