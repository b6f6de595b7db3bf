/* fft-shoc.c - driver of the Fourier transforms; the reference sums the transform's definition in
 * double precision. */
#include "workloads/support.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define POINTS  512
#define THREADS 64

typedef struct batch {
    unsigned transforms; /* even; the second half are copies of the first */
    size_t floats;       /* two per point */
    float *in;
    ww_devptr work, differs;
} batch;

/* Where the kernel leaves a frequency; see fft-shoc.cu. */
static size_t place(size_t frequency)
{
    const size_t p = frequency % 8;
    const size_t q = frequency / 8 % 8;
    return frequency / 64 * 64 + 8 * p + q;
}

/* The frequencies of one transform's points, in the kernel's order. */
static void transform(const float *in, const double *cosine, double *out)
{
    for (size_t k = 0; k < POINTS; k++) {
        double real = 0.0;
        double imaginary = 0.0;
        for (size_t n = 0; n < POINTS; n++) {
            const double c = cosine[k * n % POINTS];
            const double s = -cosine[(k * n + 3 * POINTS / 4) % POINTS]; /* -sin */
            real += (double)in[2 * n] * c - (double)in[2 * n + 1] * s;
            imaginary += (double)in[2 * n] * s + (double)in[2 * n + 1] * c;
        }
        out[2 * place(k)] = real;
        out[2 * place(k) + 1] = imaginary;
    }
}

static ww_status verify_forward(ww__bench *bench, const batch *b, const float *actual)
{
    double *cosine, *expected;
    WW_TRY(ww__host_array(bench, POINTS, sizeof *cosine, &cosine));
    WW_TRY(ww__host_array(bench, b->floats, sizeof *expected, &expected));
    for (size_t i = 0; i < POINTS; i++) {
        cosine[i] = cos(2.0 * 3.14159265358979323846 * (double)i / POINTS);
    }
    for (size_t i = 0; i < b->floats / 2; i += 2 * POINTS) {
        transform(&b->in[i], cosine, &expected[i]);
        memcpy(&expected[b->floats / 2 + i], &expected[i], 2 * POINTS * sizeof *expected);
    }
    /* Of about 20; the fast sines and cosines leave 1.6e-5. */
    return ww__verify_floats(bench, "frequency", actual, expected, b->floats, 0.0, 6e-5);
}

static ww_status verify_backward(ww__bench *bench, const batch *b, const float *actual)
{
    double *expected = NULL;
    WW_TRY(ww__host_array(bench, b->floats, sizeof *expected, &expected));
    for (size_t i = 0; i < b->floats; i++) {
        expected[i] = (double)b->in[i];
    }
    return ww__verify_floats(bench, "point", actual, expected, b->floats, 0.0, 2e-6);
}

/* Lets the device compare the halves. */
static ww_status compare_halves(ww__bench *bench, const batch *b, int32_t expected)
{
    const int32_t half = (int32_t)(b->floats / 4); /* in points */
    int8_t differs = 0;
    WW_TRY(ww_device_memset(bench->device, b->differs, 0, 1, bench->err));
    WW_TRY(WW__LAUNCH(bench, "chk512_device", ww__dim(b->transforms / 2, 1), ww__dim(THREADS, 1), 0,
                      &b->work, &half, &b->differs));
    WW_TRY(ww_device_read(bench->device, &differs, b->differs, 1, bench->err));
    if (differs != expected) {
        return ww_fail(bench->err, WW_EVERIFY, "%s: halves differ: %d, expected %" PRId32,
                       bench->name, differs, expected);
    }
    return WW_OK;
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const unsigned transforms[] = {14, 256, 1024, 256};
    batch b = {.transforms = transforms[size]};
    b.floats = (size_t)b.transforms * POINTS * 2;
    const size_t bytes = b.floats * sizeof(float);
    const ww_dim3 grid = ww__dim(b.transforms, 1);
    float *frequencies, *points;

    WW_TRY(ww__random_floats(bench, b.floats, -1.0f, 1.0f, &b.in));
    memcpy(&b.in[b.floats / 2], b.in, bytes / 2);
    WW_TRY(ww__upload(bench, b.in, bytes, &b.work));
    WW_TRY(ww__buffer(bench, 1, &b.differs));
    WW_TRY(WW__LAUNCH(bench, "FFT512_device", grid, ww__dim(THREADS, 1), 0, &b.work));
    WW_TRY(ww__download(bench, b.work, bytes, &frequencies));
    WW_TRY(compare_halves(bench, &b, 0));
    WW_TRY(verify_forward(bench, &b, frequencies));
    WW_TRY(WW__LAUNCH(bench, "IFFT512_device", grid, ww__dim(THREADS, 1), 0, &b.work));
    WW_TRY(ww__download(bench, b.work, bytes, &points));
    WW_TRY(verify_backward(bench, &b, points));

    /* One number that differs must be noticed. */
    points[b.floats - 3] += 1.0f;
    WW_TRY(ww_device_write(bench->device, b.work, points, bytes, bench->err));
    return compare_halves(bench, &b, 1);
}

ww_status ww_fft_shoc_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "fft-shoc", &ww__ptx_fft_shoc, size, run, err);
}
