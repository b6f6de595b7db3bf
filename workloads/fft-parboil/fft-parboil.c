/* fft-parboil.c - driver of the batched fast Fourier transforms; the reference is the transform's
 * definition in double precision. */
#include "workloads/support.h"

#include <math.h>

#define N       256
#define THREADS 128

/* The discrete Fourier transform of N complex numbers; the two numbers at turn[2 k] are
 * exp(-2 pi i k / N). */
static void transform(const float *in, const double *turn, double *out)
{
    for (size_t k = 0; k < N; k++) {
        double real = 0.0, imaginary = 0.0;
        for (size_t n = 0; n < N; n++) {
            const double *w = &turn[2 * (n * k % N)];
            const double x = (double)in[2 * n];
            const double y = (double)in[2 * n + 1];
            real += x * w[0] - y * w[1];
            imaginary += x * w[1] + y * w[0];
        }
        out[2 * k] = real;
        out[2 * k + 1] = imaginary;
    }
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const uint32_t transforms[] = {3, 256, 640, 1024};
    const uint32_t batch = transforms[size];
    const size_t count = (size_t)batch * N * 2; /* floats */

    float *in, *actual;
    double *expected, turn[2 * N];
    WW_TRY(ww__random_floats(bench, count, -1.0f, 1.0f, &in));
    WW_TRY(ww__host_array(bench, count, sizeof *expected, &expected));

    ww_devptr data;
    WW_TRY(ww__upload(bench, in, count * sizeof *in, &data));
    WW_TRY(WW__LAUNCH(bench, "GPU_FftShMem", ww__dim(batch, 1), ww__dim(THREADS, 1), 0, &data));
    WW_TRY(ww__download(bench, data, count * sizeof *actual, &actual));

    for (int k = 0; k < N; k++) {
        const double angle = -2.0 * 3.14159265358979323846 * k / N;
        turn[2 * k] = cos(angle);
        turn[2 * k + 1] = sin(angle);
    }
    for (size_t i = 0; i < batch; i++) {
        transform(&in[i * N * 2], turn, &expected[i * N * 2]);
    }
    /* Eight stages of rounding of numbers whose root mean square ends at 13: a few 1e-6. */
    return ww__verify_floats(bench, "value", actual, expected, count, 0.0, 2e-5);
}

ww_status ww_fft_parboil_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "fft-parboil", &ww__ptx_fft_parboil, size, run, err);
}
