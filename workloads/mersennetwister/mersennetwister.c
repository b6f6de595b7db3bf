/* mersennetwister.c - driver of the random numbers; the reference keeps each twister's whole
 * sequence of words, and transforms in double precision. */
#include "workloads/support.h"

#include <math.h>

#define THREADS 128
#define STATES  19
#define MIDDLE  9
#define SEED    777

/* The same as in mersennetwister.cu. */
typedef struct parameters {
    uint32_t matrix_a, mask_b, mask_c, seed;
} parameters;

/* The numbers of one twister, n of them. word has room for STATES + n; words follow the recurrence
 * without a ring. */
static void twist(const parameters *p, size_t n, uint32_t *word, double *out, size_t step)
{
    word[0] = p->seed;
    for (uint32_t i = 1; i < STATES; i++) {
        word[i] = 1812433253u * (word[i - 1] ^ (word[i - 1] >> 30)) + i;
    }
    for (size_t i = 0; i < n; i++) {
        const uint32_t mixed = (word[i] & 0xfffffffeu) | (word[i + 1] & 1u);
        word[i + STATES] = word[i + MIDDLE] ^ (mixed >> 1) ^ (mixed % 2 == 1 ? p->matrix_a : 0u);
        uint32_t x = word[i + STATES];
        x ^= x >> 12;
        x ^= (x << 7) & p->mask_b;
        x ^= (x << 15) & p->mask_c;
        x ^= x >> 18;
        out[i * step] = (double)(((float)x + 1.0f) / 4294967296.0f);
    }
}

/* Bits of the twisters' parameters are random: their period matters less here than that they
 * differ. */
static ww_status make_parameters(ww__bench *bench, size_t twisters, parameters **out)
{
    parameters *p = NULL;
    WW_TRY(ww__host_array(bench, twisters, sizeof *p, &p));
    for (size_t i = 0; i < twisters; i++) {
        p[i].matrix_a = ww__random_bits(bench) | 0x80000000u;
        p[i].mask_b = ww__random_bits(bench);
        p[i].mask_c = ww__random_bits(bench);
        p[i].seed = SEED;
    }
    *out = p;
    return WW_OK;
}

/* In place, every two numbers of a twister. */
static void box_muller(double *number, size_t twisters, size_t per_twister)
{
    for (size_t i = 0; i < twisters * per_twister; i++) {
        if (i / twisters % 2 == 0) {
            const double radius = sqrt(-2.0 * log(number[i]));
            const double angle = 2.0 * 3.14159265358979323846 * number[i + twisters];
            number[i] = radius * cos(angle);
            number[i + twisters] = radius * sin(angle);
        }
    }
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const struct {
        unsigned ctas;
        int32_t per_twister; /* even */
    } inputs[] = {{4, 34}, {32, 96}, {32, 384}, {32, 5860}};
    const ww_dim3 grid = ww__dim(inputs[size].ctas, 1);
    const ww_dim3 block = ww__dim(THREADS, 1);
    const int32_t per_twister = inputs[size].per_twister;
    const size_t twisters = (size_t)inputs[size].ctas * THREADS;
    const size_t count = twisters * (size_t)per_twister;
    const size_t bytes = count * sizeof(float);

    parameters *p;
    uint32_t *word;
    double *expected;
    float *uniform, *normal;
    ww_devptr random;
    WW_TRY(make_parameters(bench, twisters, &p));
    WW_TRY(ww__host_array(bench, (size_t)per_twister + STATES, sizeof *word, &word));
    WW_TRY(ww__host_array(bench, count, sizeof *expected, &expected));
    WW_TRY(ww__upload_symbol(bench, "ds_MT", p, twisters * sizeof *p));
    WW_TRY(ww__buffer(bench, bytes, &random));
    WW_TRY(WW__LAUNCH(bench, "RandomGPU", grid, block, 0, &random, &per_twister));
    WW_TRY(ww__download(bench, random, bytes, &uniform));
    WW_TRY(WW__LAUNCH(bench, "BoxMullerGPU", grid, block, 0, &random, &per_twister));
    WW_TRY(ww__download(bench, random, bytes, &normal));

    for (size_t i = 0; i < twisters; i++) {
        twist(&p[i], (size_t)per_twister, word, &expected[i], twisters);
    }
    WW_TRY(ww__verify_floats(bench, "uniform number", uniform, expected, count, 0.0, 0.0));
    box_muller(expected, twisters, (size_t)per_twister);
    /* The angle's rounding and the fast sine and cosine leave 2e-6. */
    return ww__verify_floats(bench, "normal number", normal, expected, count, 0.0, 1e-5);
}

ww_status ww_mersennetwister_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "mersennetwister", &ww__ptx_mersennetwister, size, run, err);
}
