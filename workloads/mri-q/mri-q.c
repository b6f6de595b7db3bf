/* mri-q.c - driver of MRI-Q: magnitudes on the device, then one launch per chunk of samples; the
 * reference sums in double precision. */
#include "workloads/support.h"

#include <math.h>

#define PHI_THREADS 512
#define Q_THREADS   256
#define CHUNK       1024 /* samples per launch of ComputeQ_GPU */

static const double two_pi = 6.283185307179586;

typedef struct input {
    int32_t samples;
    int32_t edges[3];     /* of the lattice of voxels */
    float *k[3], *phi[2]; /* samples */
    float *x[3];          /* voxels */
} input;

/* Uniform samples in [-0.5, 0.5); voxels at whole coordinates about the origin. */
static ww_status make_input(ww__bench *bench, input *in)
{
    const size_t voxels = (size_t)(in->edges[0] * in->edges[1] * in->edges[2]);
    for (int c = 0; c < 3; c++) {
        WW_TRY(ww__random_floats(bench, (size_t)in->samples, -0.5f, 0.5f, &in->k[c]));
        WW_TRY(ww__host_array(bench, voxels, sizeof(float), &in->x[c]));
    }
    for (int c = 0; c < 2; c++) {
        WW_TRY(ww__random_floats(bench, (size_t)in->samples, -0.5f, 0.5f, &in->phi[c]));
    }
    for (size_t v = 0; v < voxels; v++) {
        size_t rest = v;
        for (int c = 0; c < 3; c++) {
            const size_t edge = (size_t)in->edges[c];
            in->x[c][v] = (float)(rest % edge) - (float)(edge / 2);
            rest /= edge;
        }
    }
    return WW_OK;
}

static ww_status compute_magnitudes(ww__bench *bench, const input *in, float **magnitude)
{
    const size_t bytes = (size_t)in->samples * sizeof(float);
    ww_devptr real, imaginary, result;
    double *expected;
    WW_TRY(ww__upload(bench, in->phi[0], bytes, &real));
    WW_TRY(ww__upload(bench, in->phi[1], bytes, &imaginary));
    WW_TRY(ww__buffer(bench, bytes, &result));
    WW_TRY(WW__LAUNCH(bench, "ComputePhiMag_GPU",
                      ww__dim(ww__pieces((size_t)in->samples, PHI_THREADS), 1),
                      ww__dim(PHI_THREADS, 1), 0, &real, &imaginary, &result, &in->samples));
    WW_TRY(ww__download(bench, result, bytes, magnitude));
    WW_TRY(ww__host_array(bench, (size_t)in->samples, sizeof *expected, &expected));
    for (int32_t k = 0; k < in->samples; k++) {
        const double re = (double)in->phi[0][k];
        const double im = (double)in->phi[1][k];
        expected[k] = re * re + im * im;
    }
    return ww__verify_floats(bench, "phiMag", *magnitude, expected, (size_t)in->samples, 2e-7, 0.0);
}

static ww_status compute_q(ww__bench *bench, const input *in, const float *magnitude, size_t voxels,
                           float *q[2])
{
    const size_t bytes = voxels * sizeof(float);
    ww_devptr x[3], sums[2];
    for (int c = 0; c < 3; c++) {
        WW_TRY(ww__upload(bench, in->x[c], bytes, &x[c]));
    }
    for (int c = 0; c < 2; c++) {
        WW_TRY(ww__buffer(bench, bytes, &sums[c]));
        WW_TRY(ww_device_memset(bench->device, sums[c], 0, bytes, bench->err));
    }
    for (int32_t first = 0; first < in->samples; first += CHUNK) {
        const int32_t left = in->samples - first;
        const int32_t now = left < CHUNK ? left : CHUNK;
        float packed[CHUNK][4];
        for (int32_t k = 0; k < now; k++) {
            for (int c = 0; c < 3; c++) {
                packed[k][c] = in->k[c][first + k];
            }
            packed[k][3] = magnitude[first + k];
        }
        WW_TRY(ww__upload_symbol(bench, "ck", packed, (size_t)now * sizeof packed[0]));
        WW_TRY(WW__LAUNCH(bench, "ComputeQ_GPU", ww__dim((unsigned)(voxels / Q_THREADS), 1),
                          ww__dim(Q_THREADS, 1), 0, &now, &x[0], &x[1], &x[2], &sums[0], &sums[1]));
    }
    WW_TRY(ww__download(bench, sums[0], bytes, &q[0]));
    return ww__download(bench, sums[1], bytes, &q[1]);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    /* Voxels are a multiple of Q_THREADS. */
    static const input inputs[] = {{.samples = 17, .edges = {8, 8, 8}},
                                   {.samples = 512, .edges = {16, 16, 16}},
                                   {.samples = 192, .edges = {48, 48, 40}},
                                   {.samples = 3072, .edges = {32, 32, 32}}};
    input in = inputs[size];
    const size_t voxels = (size_t)(in.edges[0] * in.edges[1] * in.edges[2]);

    float *magnitude, *q[2];
    double *expected[2];
    WW_TRY(make_input(bench, &in));
    WW_TRY(compute_magnitudes(bench, &in, &magnitude));
    WW_TRY(compute_q(bench, &in, magnitude, voxels, q));

    for (int c = 0; c < 2; c++) {
        WW_TRY(ww__host_array(bench, voxels, sizeof(double), &expected[c]));
    }
    for (size_t v = 0; v < voxels; v++) {
        for (int32_t k = 0; k < in.samples; k++) {
            double angle = 0.0;
            for (int c = 0; c < 3; c++) {
                angle += two_pi * (double)in.k[c][k] * (double)in.x[c][v];
            }
            expected[0][v] += (double)magnitude[k] * cos(angle);
            expected[1][v] += (double)magnitude[k] * sin(angle);
        }
    }
    /* Angles reach 2 pi * 34 and are rounded to 6e-5; a magnitude is at most 0.5. */
    const double tolerance = 2e-5 * in.samples;
    WW_TRY(ww__verify_floats(bench, "Qr", q[0], expected[0], voxels, 0.0, tolerance));
    return ww__verify_floats(bench, "Qi", q[1], expected[1], voxels, 0.0, tolerance);
}

ww_status ww_mri_q_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "mri-q", &ww__ptx_mri_q, size, run, err);
}
