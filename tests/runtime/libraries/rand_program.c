/* rand_program.c - a program that draws with cuRAND: numbers beside those that NVIDIA's library
 * gives, distributions beside what they should be by GSL, sequences that go on where they were, and
 * calls that cuRAND refuses. NVIDIA's headers are not needed to build it. With an argument: a few
 * of each generator, for a run in time. */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cudaMalloc(void **p, size_t bytes);
int cudaFree(void *p);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
const char *cudaGetErrorString(int code);
int curandCreateGenerator(void **g, int type);
int curandCreateGeneratorHost(void **g, int type);
int curandDestroyGenerator(void *g);
int curandSetStream(void *g, void *stream);
int curandSetPseudoRandomGeneratorSeed(void *g, unsigned long long seed);
int curandSetGeneratorOffset(void *g, unsigned long long offset);
int curandSetGeneratorOrdering(void *g, int order);
int curandSetQuasiRandomGeneratorDimensions(void *g, unsigned dimensions);
int curandGenerateSeeds(void *g);
int curandGenerate(void *g, unsigned *out, size_t n);
int curandGenerateLongLong(void *g, unsigned long long *out, size_t n);
int curandGenerateUniform(void *g, float *out, size_t n);
int curandGenerateUniformDouble(void *g, double *out, size_t n);
int curandGenerateNormal(void *g, float *out, size_t n, float mean, float deviation);
int curandGenerateNormalDouble(void *g, double *out, size_t n, double mean, double deviation);
int curandGenerateLogNormal(void *g, float *out, size_t n, float mean, float deviation);
int curandGenerateLogNormalDouble(void *g, double *out, size_t n, double mean, double deviation);
int curandGeneratePoisson(void *g, unsigned *out, size_t n, double mean);

#include "tests/runtime/check.h"

enum { XORWOW = 101, MRG32K3A = 121, MTGP32 = 141, PHILOX = 161, SOBOL32 = 201, SOBOL64 = 203 };
enum { TO_HOST = 2 };
static const int pseudo[] = {XORWOW, MRG32K3A, PHILOX};
enum { PSEUDO = sizeof pseudo / sizeof *pseudo };

static void *generator(int type, unsigned long long seed)
{
    void *g = NULL;
    expect(curandCreateGeneratorHost(&g, type) == 0, "curandCreateGeneratorHost");
    if (type < SOBOL32) {
        expect(curandSetPseudoRandomGeneratorSeed(g, seed) == 0, "a seed");
    }
    return g;
}

/* What NVIDIA's library gave for this seed, at these places of 400000; then two numbers far on in
 * the sequence of seed 7, and normal ones in double precision of no seed. */
static void known_numbers(void)
{
    enum { PLACES = 9, ALL = 400000 };
    static const int at[PLACES] = {0, 1, 4095, 4096, 81919, 81920, 262143, 262144, 399999};
    static const struct {
        unsigned number[PLACES], far[2];
        double normal[4];
    } known[PSEUDO] = {
        {{0x1a444210, 0x6d3c9475, 0x02e8ecdd, 0x3fcca938, 0x322feabf, 0x7a8a0917, 0x3696d2be,
          0x45afd93a, 0x5c4f80e3},
         {0x3e06a6f8, 0xa27b2948},
         {3.1420432111508543, 2.4169373517624697, 2.7887479502447468, -0.73386013059618893}},
        {{0x892ce141, 0x1234526d, 0x6846c90d, 0x40af88de, 0xd3917dbf, 0x825035f5, 0x74ddc371,
          0x7ae3984e, 0x6944ab6a},
         {0x81e396d7, 0x08c57525},
         {4.6921455737739919, -0.69584964831894802, 1.5546958521599454, -3.4674902999175776}},
        {{0xb850222e, 0xc58cb04b, 0x480d8715, 0xe85b7a16, 0xe59f5aec, 0x5a7734c5, 0xa2b781ba,
          0xadca1466, 0x5b31179d},
         {0x94cdf2c3, 0x7708ad7e},
         {0.37920852799924731, 0.20466572736992916, 1.6584214025355366, 3.7736885567465515}},
    };
    static unsigned got[ALL];
    for (int t = 0; t < PSEUDO; t++) {
        double normal[4];
        void *g = generator(pseudo[t], 0x123456789abcdef);
        expect(curandGenerate(g, got, ALL) == 0, "curandGenerate");
        for (int i = 0; i < PLACES; i++) {
            expect(got[at[i]] == known[t].number[i], "a number of NVIDIA's");
        }
        expect(curandSetPseudoRandomGeneratorSeed(g, 7) == 0 &&
                   curandSetGeneratorOffset(g, 123456789012345) == 0,
               "a place in the sequence");
        expect(curandGenerate(g, got, 2) == 0 && memcmp(got, known[t].far, 8) == 0,
               "numbers far on");
        expect(curandSetPseudoRandomGeneratorSeed(g, 0) == 0 &&
                   curandGenerateNormalDouble(g, normal, 4, 1, 2) == 0,
               "curandGenerateNormalDouble");
        for (int i = 0; i < 4; i++) {
            expect(fabs(normal[i] - known[t].normal[i]) < 1e-14, "a normal number of NVIDIA's");
        }
        expect(curandDestroyGenerator(g) == 0, "curandDestroyGenerator");
    }
}

/* Sobol's sequence: known numbers, and that each dimension's first 2^k numbers are all multiples
 * of 2^-k. */
static void quasi_numbers(void)
{
    enum { DIMENSIONS = 20, EACH = 1024, SHIFT = 32 - 10 };
    static unsigned got[DIMENSIONS * EACH];
    static unsigned long long wide[DIMENSIONS * EACH];
    void *g = generator(SOBOL32, 0);
    static const unsigned start[8] = {0,          0x80000000, 0xc0000000, 0x40000000,
                                      0x60000000, 0xe0000000, 0xa0000000, 0x20000000};
    expect(curandGenerate(g, got, 8) == 0 && memcmp(got, start, sizeof start) == 0,
           "the first of Sobol's");
    expect(curandSetGeneratorOffset(g, 5) == 0 && curandGenerate(g, got, 3) == 0 &&
               memcmp(got, start + 5, 12) == 0,
           "an offset of a dimension");
    expect(curandSetQuasiRandomGeneratorDimensions(g, DIMENSIONS) == 0 &&
               curandSetGeneratorOffset(g, 0) == 0,
           "dimensions");
    expect(curandGenerate(g, got, DIMENSIONS * EACH) == 0, "numbers of each dimension");
    for (int d = 0; d < DIMENSIONS; d++) {
        bool seen[EACH] = {false}, even = true;
        for (int i = 0; i < EACH; i++) {
            unsigned x = got[d * EACH + i];
            even = even && x << 10 == 0 && !seen[x >> SHIFT];
            seen[x >> SHIFT] = true;
        }
        expect(even, "each part once");
    }
    void *h = generator(SOBOL64, 0);
    expect(curandSetQuasiRandomGeneratorDimensions(h, DIMENSIONS) == 0 &&
               curandGenerateLongLong(h, wide, (size_t)DIMENSIONS * 1000) == 0,
           "curandGenerateLongLong");
    expect(wide[19 * 1000 + 999] == 0x09c0000000000000 &&
               wide[7 * 1000 + 123] == 0xf200000000000000,
           "numbers of 64 bits");
    expect(curandDestroyGenerator(g) == 0 && curandDestroyGenerator(h) == 0, "ends");
}

/* In parts of any length a sequence is the same, on the device and on the host. */
static void sequences(void)
{
    enum { ALL = 9000 };
    static const int types[] = {XORWOW, MRG32K3A, PHILOX, SOBOL32};
    static unsigned whole[ALL], parts[ALL], device[ALL];
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        void *g = generator(types[t], 99), *d = NULL, *p = NULL;
        expect(curandGenerate(g, whole, ALL) == 0, "all at once");
        expect(curandSetGeneratorOffset(g, 0) == 0 && curandGenerate(g, parts, 1) == 0 &&
                   curandGenerate(g, parts + 1, 5000) == 0 &&
                   curandGenerate(g, parts + 5001, ALL - 5001) == 0,
               "in parts");
        expect(memcmp(whole, parts, sizeof whole) == 0, "parts of a sequence");
        OK(cudaMalloc(&p, sizeof device));
        expect(curandCreateGenerator(&d, types[t]) == 0 && curandSetStream(d, NULL) == 0,
               "curandCreateGenerator");
        if (types[t] < SOBOL32) {
            expect(curandSetPseudoRandomGeneratorSeed(d, 99) == 0, "a seed");
        }
        expect(curandSetGeneratorOffset(d, 321) == 0 && curandGenerateSeeds(d) == 0, "an offset");
        expect(curandGenerate(d, p, 5000) == 0, "on the device");
        OK(cudaMemcpy(device, p, sizeof device, TO_HOST));
        expect(memcmp(device, whole + 321, 5000 * sizeof *device) == 0, "the same on the device");
        expect(curandDestroyGenerator(g) == 0 && curandDestroyGenerator(d) == 0, "ends");
        OK(cudaFree(p));
    }
}

/* Kolmogorov and Smirnov's distance of ordered numbers from a distribution. */
static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double distance(double *x, int n, double (*cdf)(double))
{
    double worst = 0;
    qsort(x, (size_t)n, sizeof *x, by_size);
    for (int i = 0; i < n; i++) {
        double p = cdf(x[i]);
        worst = fmax(worst, fmax(fabs(p - (double)i / n), fabs((i + 1.0) / n - p)));
    }
    return worst;
}

static double flat(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static double bell(double x)
{
    return gsl_cdf_gaussian_P(x - 3, 2);
}

static double log_bell(double x)
{
    return gsl_cdf_lognormal_P(x, 0.5, 0.75);
}

enum { DRAWN = 20000 };
static double wide[DRAWN];
static float narrow[DRAWN];

static double *widen(void)
{
    for (int i = 0; i < DRAWN; i++) {
        wide[i] = (double)narrow[i];
    }
    return wide;
}

/* 2 / sqrt(n): a distance that a random sample exceeds once in 1500, of seeds that do not. */
static void distributions(int type)
{
    const double bound = 2 / sqrt((double)DRAWN);
    void *g = generator(type, 31);
    expect(curandGenerateUniform(g, narrow, DRAWN) == 0 && distance(widen(), DRAWN, flat) < bound,
           "curandGenerateUniform");
    expect(curandGenerateUniformDouble(g, wide, DRAWN) == 0 &&
               distance(wide, DRAWN, flat) < bound && wide[0] > 0 && wide[DRAWN - 1] <= 1,
           "curandGenerateUniformDouble");
    expect(curandGenerateNormal(g, narrow, DRAWN, 3, 2) == 0 &&
               distance(widen(), DRAWN, bell) < bound,
           "curandGenerateNormal");
    expect(curandGenerateNormalDouble(g, wide, DRAWN, 3, 2) == 0 &&
               distance(wide, DRAWN, bell) < bound,
           "curandGenerateNormalDouble");
    expect(curandGenerateLogNormal(g, narrow, DRAWN, 0.5F, 0.75F) == 0 &&
               distance(widen(), DRAWN, log_bell) < bound,
           "curandGenerateLogNormal");
    expect(curandGenerateLogNormalDouble(g, wide, DRAWN, 0.5, 0.75) == 0 &&
               distance(wide, DRAWN, log_bell) < bound,
           "curandGenerateLogNormalDouble");
    expect(curandDestroyGenerator(g) == 0, "curandDestroyGenerator");
}

/* Counts beside Poisson's, by chi-square over those that are expected five times and the rest. */
static void poisson(int type, double mean)
{
    static unsigned got[DRAWN];
    void *g = generator(type, 5);
    expect(curandGeneratePoisson(g, got, DRAWN, mean) == 0, "curandGeneratePoisson");
    double chi = 0, rest = DRAWN, seen_rest = DRAWN, cells = 0;
    for (unsigned k = 0; k < (unsigned)(mean + 12 * sqrt(mean) + 40); k++) {
        double want = DRAWN * gsl_ran_poisson_pdf(k, mean), seen = 0;
        for (int i = 0; want > 5 && i < DRAWN; i++) {
            seen += got[i] == k;
        }
        if (want > 5) {
            chi += (seen - want) * (seen - want) / want;
            cells++;
            rest -= want;
            seen_rest -= seen;
        }
    }
    chi += rest > 5 ? (seen_rest - rest) * (seen_rest - rest) / rest : 0;
    if (!(gsl_cdf_chisq_Q(chi, cells) > 1e-4)) {
        fprintf(stderr, "type %d, Poisson of %g: chi-square %g over %g\n", type, mean, chi, cells);
        failures++;
    }
    expect(curandDestroyGenerator(g) == 0, "curandDestroyGenerator");
}

/* The codes of curand.h: 101 no generator, 103 a wrong type, 104 out of range, 105 a wrong length.
 */
static void refusals(void)
{
    unsigned bits[8];
    unsigned long long long_bits[8];
    float x[8];
    void *none = NULL, *xorwow = generator(XORWOW, 1), *philox = generator(PHILOX, 1);
    void *sobol = generator(SOBOL32, 0), *sobol64 = generator(SOBOL64, 0), *twister = NULL;
    expect(curandCreateGenerator(&none, 99) == 103 && curandCreateGenerator(&none, 202) == 103,
           "no type");
    expect(curandGenerate(NULL, bits, 8) == 101 && curandDestroyGenerator(NULL) == 101 &&
               curandSetStream(NULL, NULL) == 101 && curandSetGeneratorOffset(NULL, 1) == 101,
           "no generator");
    expect(curandGenerateNormal(xorwow, x, 7, 0, 1) == 105, "an odd number");
    expect(curandGenerateNormal(philox, x, 7, 0, 1) == 0 && isfinite(x[6]), "but of Philox");
    expect(curandGenerateLongLong(xorwow, long_bits, 4) == 103 &&
               curandGenerate(sobol64, bits, 4) == 103,
           "words of another length");
    expect(curandSetPseudoRandomGeneratorSeed(sobol, 1) == 103, "a seed of no random numbers");
    expect(curandSetQuasiRandomGeneratorDimensions(xorwow, 2) == 103,
           "dimensions of random numbers");
    expect(curandSetQuasiRandomGeneratorDimensions(sobol, 0) == 104 &&
               curandSetQuasiRandomGeneratorDimensions(sobol, 20001) == 104 &&
               curandSetQuasiRandomGeneratorDimensions(sobol, 21) == 104,
           "dimensions");
    expect(curandSetQuasiRandomGeneratorDimensions(sobol, 3) == 0 &&
               curandGenerate(sobol, bits, 7) == 105,
           "numbers of some dimensions");
    expect(curandSetGeneratorOrdering(xorwow, 101) == 0 &&
               curandSetGeneratorOrdering(xorwow, 103) == 0 &&
               curandSetGeneratorOrdering(xorwow, 99) == 104 &&
               curandSetGeneratorOrdering(xorwow, 201) == 104 &&
               curandSetGeneratorOrdering(sobol, 201) == 0 &&
               curandSetGeneratorOrdering(sobol, 101) == 104 &&
               curandSetGeneratorOrdering(xorwow, 102) == 104,
           "orders");
    expect(curandGeneratePoisson(xorwow, bits, 4, 0) == 104 &&
               curandGeneratePoisson(xorwow, bits, 4, NAN) == 104,
           "no mean");
    expect(curandGenerate(xorwow, bits, SIZE_MAX / 4 + 2) == 104, "numbers without end");
    expect(curandGenerate(xorwow, bits, 0) == 0, "no numbers");
    expect(curandCreateGeneratorHost(&twister, MTGP32) == 0 &&
               curandGenerate(twister, bits, 8) == 0,
           "a twister's numbers");
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        static const int types[] = {XORWOW, MRG32K3A, PHILOX, SOBOL32};
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            void *g = generator(types[t], 1);
            expect(curandGenerateNormal(g, narrow, 10000, 0, 1) == 0, "curandGenerateNormal");
            expect(curandDestroyGenerator(g) == 0, "curandDestroyGenerator");
        }
    } else {
        known_numbers();
        quasi_numbers();
        sequences();
        for (int t = 0; t < PSEUDO; t++) {
            distributions(pseudo[t]);
            poisson(pseudo[t], 0.7);
            poisson(pseudo[t], 40);
            poisson(pseudo[t], 1234.5);
        }
        distributions(SOBOL32);
        distributions(SOBOL64);
        poisson(XORWOW, 6000);
        refusals();
    }
    printf("%d wrong\n", failures);
    return failures != 0;
}
