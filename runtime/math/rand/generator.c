/* generator.c - the thin cuRAND's host interface: XORWOW, MRG32k3a, Philox 4x32-10 and Sobol's
 * sequence of 32 and 64 bits give NVIDIA's numbers in NVIDIA's order; the two Mersenne twisters,
 * whose parameters are tables of NVIDIA's, give Philox's and say so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "runtime/math/rand/curand.h"

/* curandRngType */
enum {
    PSEUDO_DEFAULT = 100,
    XORWOW = 101,
    MRG32K3A = 121,
    MTGP32 = 141,
    MT19937 = 142,
    PHILOX = 161,
    QUASI_DEFAULT = 200,
    SOBOL32 = 201,
    SCRAMBLED_SOBOL32 = 202,
    SOBOL64 = 203,
    SCRAMBLED_SOBOL64 = 204
};

typedef struct curand_generator {
    int type;
    bool host; /* it writes host memory */
    cudaStream_t stream;
    uint64_t seed,
        offset; /* offset: where the sequence is to begin, or where Philox and Sobol are */
    unsigned parts, next, dimensions;
    CUdeviceptr state; /* of parts, or directions of dimensions; 0: yet to be made */
} * curand_generator;

static bool is_quasi(const curand_generator g)
{
    return g->type >= QUASI_DEFAULT;
}

/* Its state is made anew for the next numbers. */
static void forget_state(curand_generator g)
{
    if (g->state != 0) {
        (void)cuMemFree_v2(g->state);
    }
    g->state = 0;
    g->next = 0;
}

static int create(curand_generator *out, int type, bool host)
{
    static const struct {
        int asked, type;
        unsigned parts;
        const char *instead;
    } rows[] = {
        {PSEUDO_DEFAULT, XORWOW, 4096, NULL},
        {XORWOW, XORWOW, 4096, NULL},
        {MRG32K3A, MRG32K3A, 81920, NULL},
        {MTGP32, PHILOX, 0, "curandCreateGenerator of CURAND_RNG_PSEUDO_MTGP32"},
        {MT19937, PHILOX, 0, "curandCreateGenerator of CURAND_RNG_PSEUDO_MT19937"},
        {PHILOX, PHILOX, 0, NULL},
        {QUASI_DEFAULT, SOBOL32, 0, NULL},
        {SOBOL32, SOBOL32, 0, NULL},
        {SOBOL64, SOBOL64, 0, NULL},
    };
    if (out == NULL) {
        return NOT_INITIALIZED;
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        if (rows[i].asked != type) {
            continue;
        }
        *out = calloc(1, sizeof **out);
        if (*out == NULL) {
            return ALLOCATION_FAILED;
        }
        **out = (struct curand_generator){
            .type = rows[i].type, .parts = rows[i].parts, .host = host, .dimensions = 1};
        if (rows[i].instead != NULL) {
            (void)math_lacks(rows[i].instead, SUCCESS,
                             "a generator of Philox's numbers, not of the twister's");
        }
        return SUCCESS;
    }
    return type == SCRAMBLED_SOBOL32 || type == SCRAMBLED_SOBOL64
               ? math_lacks("curandCreateGenerator of a scrambled Sobol sequence", TYPE_ERROR,
                            "CURAND_STATUS_TYPE_ERROR: CURAND_RNG_QUASI_SOBOL32 and 64 are there")
               : TYPE_ERROR;
}

MADE(curandCreateGenerator)(curand_generator *out, int type)
{
    return create(out, type, false);
}

MADE(curandCreateGeneratorHost)(curand_generator *out, int type)
{
    return create(out, type, true);
}

MADE(curandDestroyGenerator)(curand_generator g)
{
    if (g == NULL) {
        return NOT_INITIALIZED;
    }
    forget_state(g);
    free(g);
    return SUCCESS;
}

MADE(curandSetStream)(curand_generator g, cudaStream_t stream)
{
    if (g == NULL) {
        return NOT_INITIALIZED;
    }
    g->stream = stream;
    return SUCCESS;
}

MADE(curandSetPseudoRandomGeneratorSeed)(curand_generator g, unsigned long long seed)
{
    if (g == NULL || is_quasi(g)) {
        return g == NULL ? NOT_INITIALIZED : TYPE_ERROR;
    }
    forget_state(g);
    g->seed = seed;
    g->offset = 0;
    return SUCCESS;
}

MADE(curandSetGeneratorOffset)(curand_generator g, unsigned long long offset)
{
    if (g == NULL) {
        return NOT_INITIALIZED;
    }
    forget_state(g);
    g->offset = offset;
    return SUCCESS;
}

MADE(curandSetGeneratorOrdering)(curand_generator g, int order)
{
    enum { BEST = 100, DEFAULT = 101, SEEDED = 102, LEGACY = 103, DYNAMIC = 104, QUASI = 201 };
    if (g == NULL) {
        return NOT_INITIALIZED;
    }
    if (is_quasi(g)) {
        return order == QUASI ? SUCCESS : OUT_OF_RANGE;
    }
    if ((order == SEEDED && g->type == XORWOW) || order == DYNAMIC) {
        return math_lacks("curandSetGeneratorOrdering to a seeded or dynamic order", OUT_OF_RANGE,
                          "CURAND_STATUS_OUT_OF_RANGE: the default order is there");
    }
    return order == BEST || order == DEFAULT || order == LEGACY ? SUCCESS : OUT_OF_RANGE;
}

MADE(curandSetQuasiRandomGeneratorDimensions)(curand_generator g, unsigned dimensions)
{
    enum { NVIDIAS_MOST = 20000 };
    if (g == NULL || !is_quasi(g)) {
        return g == NULL ? NOT_INITIALIZED : TYPE_ERROR;
    }
    if (dimensions < 1 || dimensions > NVIDIAS_MOST) {
        return OUT_OF_RANGE;
    }
    if (dimensions > SOBOL_DIMENSIONS) {
        return math_lacks("curandSetQuasiRandomGeneratorDimensions", OUT_OF_RANGE,
                          "CURAND_STATUS_OUT_OF_RANGE above 20 dimensions, which are there");
    }
    forget_state(g);
    g->dimensions = dimensions;
    return SUCCESS;
}

/* Parts at the generator's offset, in device memory. */
static bool make_parts(curand_generator g)
{
    const uint64_t skip = g->offset / g->parts;
    const unsigned more = (unsigned)(g->offset % g->parts);
    const size_t bytes = g->parts * sizeof(rand_part);
    rand_part *parts = malloc(bytes);
    if (parts == NULL || cuMemAlloc_v2(&g->state, bytes) != 0) {
        free(parts);
        return false;
    }
    (g->type == XORWOW ? rand_seed_xorwow : rand_seed_mrg)(parts, g->parts, g->seed, skip, more);
    g->next = more;
    bool copied = cuMemcpyHtoD_v2(g->state, parts, bytes) == 0;
    free(parts);
    return copied;
}

static bool make_directions(curand_generator g)
{
    enum { MOST = 64 };
    const unsigned bits = g->type == SOBOL64 ? 64 : 32;
    uint64_t wide[SOBOL_DIMENSIONS * MOST] = {0};
    uint32_t narrow[SOBOL_DIMENSIONS * MOST / 2];
    for (unsigned d = 0; d < g->dimensions; d++) {
        uint64_t all[MOST];
        rand_sobol_directions(d, all);
        for (unsigned i = 0; i < bits; i++) {
            wide[d * bits + i] = all[i];
            if (bits == 32) {
                narrow[d * bits + i] = (uint32_t)(all[i] >> 32);
            }
        }
    }
    const size_t bytes = (size_t)g->dimensions * bits * (bits / 8);
    return cuMemAlloc_v2(&g->state, bytes) == 0 &&
           cuMemcpyHtoD_v2(g->state, bits == 64 ? (const void *)wide : narrow, bytes) == 0;
}

static bool make_state(curand_generator g)
{
    if (cuInit(0) != 0 || g->type == PHILOX || g->state != 0) {
        return g->type == PHILOX || g->state != 0;
    }
    bool made = is_quasi(g) ? make_directions(g) : make_parts(g);
    if (!made) {
        forget_state(g);
    }
    return made;
}

MADE(curandGenerateSeeds)(curand_generator g)
{
    if (g == NULL) {
        return NOT_INITIALIZED;
    }
    return make_state(g) ? SUCCESS : ALLOCATION_FAILED;
}

MADE(curandGetVersion)(int *version)
{
    if (version != NULL) {
        *version = WW_VERSION_NUMBER;
    }
    return SUCCESS;
}

MADE(curandGetProperty)(int which, int *value)
{
    static const int version[] = {10, 4, 0};
    if (which < 0 || which > 2 || value == NULL) {
        return OUT_OF_RANGE;
    }
    *value = version[which];
    return SUCCESS;
}

/* What is drawn: numbers, or pairs of pseudo-random normal ones, of one or two words of 32 bits
 * each. */
typedef struct distribution {
    const char *call, *kernel;
    size_t bytes;
    bool pairs;
    unsigned words;
    double a, b;
} distribution;

static const char *kernel_prefix(const curand_generator g)
{
    switch (g->type) {
    case XORWOW:
        return "ww_xorwow";
    case MRG32K3A:
        return "ww_mrg32k3a";
    case SOBOL32:
        return "ww_sobol32";
    case SOBOL64:
        return "ww_sobol64";
    default:
        return "ww_philox";
    }
}

static bool launch(curand_generator g, const distribution *d, void *out, uint64_t n)
{
    enum { BLOCK = 256, MOST = 4096 };
    char kernel[64];
    const bool pairs = d->pairs && !is_quasi(g);
    rand_draw draw = {.out = out,
                      .units = pairs ? n / 2 : n,
                      .first = g->type == PHILOX ? g->offset / d->words : g->offset,
                      .seed = g->seed,
                      .a = d->a,
                      .b = d->b,
                      .states = (rand_part *)(uintptr_t)g->state,
                      .parts = g->parts,
                      .next = g->next,
                      .directions = (const void *)(uintptr_t)g->state,
                      .dimensions = g->dimensions};
    const uint64_t threads = g->parts != 0 ? g->parts : draw.units;
    const uint64_t blocks = (threads + BLOCK - 1) / BLOCK;
    const unsigned grid[3] = {(unsigned)(blocks < MOST ? blocks : MOST), 1, 1};
    const unsigned block[3] = {BLOCK, 1, 1};
    void *arguments[] = {&draw};
    (void)snprintf(kernel, sizeof kernel, "%s%s", kernel_prefix(g), d->kernel);
    if (!math_launch(kernel, grid, block, arguments, g->stream)) {
        return false;
    }
    if (g->parts != 0) {
        g->next = (unsigned)((g->next + draw.units) % g->parts);
    } else {
        g->offset += is_quasi(g) ? n / g->dimensions : n * d->words;
    }
    return true;
}

/* bytes: of all. */
static bool launch_for_host(curand_generator g, const distribution *d, void *out, uint64_t n,
                            size_t bytes)
{
    CUdeviceptr p;
    if (cuMemAlloc_v2(&p, bytes) != 0) {
        return false;
    }
    bool ok = launch(g, d, (void *)(uintptr_t)p, n) && cuStreamSynchronize(g->stream) == 0 &&
              cuMemcpyDtoH_v2(out, p, bytes) == 0;
    (void)cuMemFree_v2(p);
    return ok;
}

/* Philox has an odd number of normal numbers, too: the last pair's second is left away. */
static int draw_odd(curand_generator g, const distribution *d, void *out, size_t n, size_t bytes)
{
    CUdeviceptr p;
    size_t more;
    if (!ww_add_fits(bytes, d->bytes, &more) || cuMemAlloc_v2(&p, more) != 0) {
        return ALLOCATION_FAILED;
    }
    bool ok = launch(g, d, (void *)(uintptr_t)p, (uint64_t)n + 1) &&
              cuStreamSynchronize(g->stream) == 0 &&
              (g->host ? cuMemcpyDtoH_v2(out, p, bytes)
                       : cuMemcpyDtoD_v2((CUdeviceptr)(uintptr_t)out, p, bytes)) == 0;
    (void)cuMemFree_v2(p);
    return ok ? SUCCESS : LAUNCH_FAILURE;
}

static int generate(curand_generator g, const distribution *d, void *out, size_t n)
{
    size_t all;
    if (g == NULL) {
        return NOT_INITIALIZED;
    }
    if ((is_quasi(g) && n % g->dimensions != 0) || (d->pairs && g->parts != 0 && n % 2 != 0)) {
        return LENGTH_NOT_MULTIPLE;
    }
    if (n == 0) {
        return SUCCESS;
    }
    if (!ww_mul_fits(n, d->bytes, &all)) {
        return OUT_OF_RANGE;
    }
    if (!make_state(g)) {
        return ALLOCATION_FAILED;
    }
    math_says(d->call);
    if (d->pairs && g->type == PHILOX && n % 2 != 0) {
        return draw_odd(g, d, out, n, all);
    }
    return (g->host ? launch_for_host(g, d, out, n, all) : launch(g, d, out, n)) ? SUCCESS
                                                                                 : LAUNCH_FAILURE;
}

MADE(curandGenerate)(curand_generator g, unsigned *out, size_t n)
{
    const distribution d = {"curandGenerate", "_bits", 4, false, 1, 0, 0};
    return g != NULL && g->type == SOBOL64 && n > 0 ? TYPE_ERROR : generate(g, &d, out, n);
}
MADE(curandGenerateLongLong)(curand_generator g, unsigned long long *out, size_t n)
{
    const distribution d = {"curandGenerateLongLong", "_bits", 8, false, 1, 0, 0};
    return g != NULL && g->type != SOBOL64 && n > 0 ? TYPE_ERROR : generate(g, &d, out, n);
}
MADE(curandGenerateUniform)(curand_generator g, float *out, size_t n)
{
    const distribution d = {"curandGenerateUniform", "_uniform", 4, false, 1, 0, 0};
    return generate(g, &d, out, n);
}
MADE(curandGenerateUniformDouble)(curand_generator g, double *out, size_t n)
{
    const distribution d = {"curandGenerateUniformDouble", "_uniform_double", 8, false, 2, 0, 0};
    return generate(g, &d, out, n);
}
MADE(curandGenerateNormal)(curand_generator g, float *out, size_t n, float mean, float deviation)
{
    const distribution d = {"curandGenerateNormal", "_normal",        4, true, 1,
                            (double)mean,           (double)deviation};
    return generate(g, &d, out, n);
}
MADE(curandGenerateNormalDouble)
(curand_generator g, double *out, size_t n, double mean, double deviation)
{
    const distribution d = {
        "curandGenerateNormalDouble", "_normal_double", 8, true, 2, mean, deviation};
    return generate(g, &d, out, n);
}
MADE(curandGenerateLogNormal)(curand_generator g, float *out, size_t n, float mean, float deviation)
{
    const distribution d = {"curandGenerateLogNormal", "_log_normal", 4, true, 1, (double)mean,
                            (double)deviation};
    return generate(g, &d, out, n);
}
MADE(curandGenerateLogNormalDouble)
(curand_generator g, double *out, size_t n, double mean, double deviation)
{
    const distribution d = {
        "curandGenerateLogNormalDouble", "_log_normal_double", 8, true, 2, mean, deviation};
    return generate(g, &d, out, n);
}
MADE(curandGeneratePoisson)(curand_generator g, unsigned *out, size_t n, double mean)
{
    const distribution d = {"curandGeneratePoisson", "_poisson", 4, false, 1, mean, 0};
    if (g != NULL && !(mean > 0)) {
        return OUT_OF_RANGE;
    }
    return generate(g, &d, out, n);
}
