/* tpacf.c - driver of the two-point angular correlation. The reference bins every pair in double
 * precision; a pair so near a boundary that single precision may bin it otherwise counts as doubt.
 */
#include "workloads/support.h"

#include <inttypes.h>
#include <math.h>

#define THREADS 256
#define BINS    20
#define DOUBT   3e-7 /* of the cosine in single precision: three products, two sums, unit vectors */

typedef struct sky {
    int32_t sets;     /* random ones; set 0 is the data */
    int32_t elements; /* points per set */
    float *point[3];  /* x, y, z of all sets */
} sky;

/* Uniform on the sphere: the direction of a point in the ball. */
static ww_status make_sky(ww__bench *bench, sky *s)
{
    const size_t count = (size_t)(s->sets + 1) * (size_t)s->elements;
    for (int c = 0; c < 3; c++) {
        WW_TRY(ww__host_array(bench, count, sizeof(float), &s->point[c]));
    }
    for (size_t i = 0; i < count; i++) {
        float p[3], square;
        do {
            square = 0.0f;
            for (int c = 0; c < 3; c++) {
                p[c] = ww__random_float(bench, -1.0f, 1.0f);
                square += p[c] * p[c];
            }
        } while (square > 1.0f || square < 0.01f);
        for (int c = 0; c < 3; c++) {
            s->point[c][i] = p[c] / sqrtf(square);
        }
    }
    return WW_OK;
}

/* Cosines of 1 arc minute times 10^(k/5). */
static void make_boundaries(float cosines[BINS + 1])
{
    for (int k = 0; k <= BINS; k++) {
        const double minutes = pow(10.0, k / 5.0);
        cosines[k] = (float)cos(minutes / 60.0 * 3.14159265358979323846 / 180.0);
    }
}

/* Counts pairs of set a with set b, each once when they are the same; doubts[i]: pairs that may be
 * in bin i or not. */
static void correlate(const sky *s, const float cosines[BINS + 1], int32_t a, int32_t b,
                      uint32_t counts[BINS], uint32_t doubts[BINS])
{
    for (int32_t i = 0; i < s->elements; i++) {
        for (int32_t k = a == b ? i + 1 : 0; k < s->elements; k++) {
            double cosine = 0.0;
            for (int c = 0; c < 3; c++) {
                cosine += (double)s->point[c][a * s->elements + i] *
                          (double)s->point[c][b * s->elements + k];
            }
            for (int bin = 0; bin < BINS; bin++) {
                const double above = (double)cosines[bin] - cosine;
                const double below = cosine - (double)cosines[bin + 1];
                counts[bin] += above > 0.0 && below >= 0.0;
                doubts[bin] += (fabs(above) < DOUBT && below > -DOUBT) ||
                               (fabs(below) < DOUBT && above > -DOUBT);
            }
        }
    }
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const sky inputs[] = {{.sets = 1, .elements = 33},
                                 {.sets = 2, .elements = 260},
                                 {.sets = 100, .elements = 128},
                                 {.sets = 100, .elements = 487}};
    sky s = inputs[size];
    const uint32_t ctas = (uint32_t)(2 * s.sets + 1);
    const size_t bytes = (size_t)ctas * BINS * sizeof(uint32_t);
    float cosines[BINS + 1];
    WW_TRY(make_sky(bench, &s));
    make_boundaries(cosines);

    ww_devptr point[3], histograms;
    WW_TRY(ww__upload_symbol(bench, "dev_binb", cosines, sizeof cosines));
    for (int c = 0; c < 3; c++) {
        WW_TRY(ww__upload(bench, s.point[c],
                          (size_t)(s.sets + 1) * (size_t)s.elements * sizeof(float), &point[c]));
    }
    WW_TRY(ww__buffer(bench, bytes, &histograms));
    WW_TRY(WW__LAUNCH(bench, "gen_hists", ww__dim(ctas, 1), ww__dim(THREADS, 1), 0, &histograms,
                      &point[0], &point[1], &point[2], &s.sets, &s.elements));
    uint32_t *actual;
    WW_TRY(ww__download(bench, histograms, bytes, &actual));

    for (int32_t cta = 0; cta < (int32_t)ctas; cta++) {
        uint32_t expected[BINS] = {0}, doubts[BINS] = {0};
        correlate(&s, cosines, cta <= s.sets ? cta : 0, cta <= s.sets ? cta : cta - s.sets,
                  expected, doubts);
        for (int bin = 0; bin < BINS; bin++) {
            const uint32_t count = actual[cta * BINS + bin];
            if (count > expected[bin] + doubts[bin] || count + doubts[bin] < expected[bin]) {
                return ww_fail(bench->err, WW_EVERIFY,
                               "%s: histogram %" PRId32 ", bin %d: %" PRIu32 ", expected %" PRIu32
                               " within %" PRIu32,
                               bench->name, cta, bin, count, expected[bin], doubts[bin]);
            }
        }
    }
    return WW_OK;
}

ww_status ww_tpacf_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "tpacf", &ww__ptx_tpacf, size, run, err);
}
