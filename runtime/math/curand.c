/* curand.c - cuRAND's host interface, thin: all its pseudo-random generators are Philox 4x32-10
 * here, on kernels of ours, so that numbers have the distribution asked for, and not NVIDIA's
 * sequence. */
#include <stdlib.h>

#include "base/checked.h"
#include "runtime/math/math.h"

enum {
    SUCCESS = 0,
    NOT_INITIALIZED = 101,
    ALLOCATION_FAILED = 102,
    TYPE_ERROR = 103,
    OUT_OF_RANGE = 104,
    LENGTH_NOT_MULTIPLE = 105,
    LAUNCH_FAILURE = 201
};
enum { PSEUDO_FIRST = 100, PSEUDO_LAST = 161 }; /* curandRngType_t */

typedef struct curand_generator {
    cudaStream_t stream;
    bool host;           /* it writes host memory */
    uint64_t seed, next; /* number of the sequence */
} * curand_generator;

static int create(curand_generator *out, int type, bool host)
{
    if (type < PSEUDO_FIRST || type > PSEUDO_LAST) {
        return math_lacks("curandCreateGenerator of a quasi-random type", TYPE_ERROR,
                          "CURAND_STATUS_TYPE_ERROR");
    }
    *out = calloc(1, sizeof **out);
    if (*out == NULL) {
        return ALLOCATION_FAILED;
    }
    (*out)->host = host;
    return SUCCESS;
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
    free(g);
    return g != NULL ? SUCCESS : NOT_INITIALIZED;
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
    if (g == NULL) {
        return NOT_INITIALIZED;
    }
    g->seed = seed;
    g->next = 0;
    return SUCCESS;
}

MADE(curandSetGeneratorOffset)(curand_generator g, unsigned long long offset)
{
    if (g == NULL) {
        return NOT_INITIALIZED;
    }
    g->next = offset;
    return SUCCESS;
}

MADE(curandSetGeneratorOrdering)(curand_generator g, int order)
{
    (void)order; /* there is one */
    return g != NULL ? SUCCESS : NOT_INITIALIZED;
}

MADE(curandGenerateSeeds)(curand_generator g)
{
    return g != NULL ? SUCCESS : NOT_INITIALIZED;
}

MADE(curandGetVersion)(int *version)
{
    *version = WW_VERSION_NUMBER;
    return SUCCESS;
}

MADE(curandGetProperty)(int which, int *value)
{
    *value = which == 0 ? WW_VERSION_NUMBER / 1000 : 0;
    return SUCCESS;
}

static bool launch(const curand_generator g, const char *kernel, void *out, uint64_t n, double a,
                   double b)
{
    enum { BLOCK = 256, MOST = 4096 };
    uint64_t blocks = (n + BLOCK - 1) / BLOCK;
    const unsigned grid[3] = {(unsigned)(blocks < MOST ? blocks : MOST), 1, 1};
    const unsigned block[3] = {BLOCK, 1, 1};
    uint64_t first = g->next, seed = g->seed;
    void *arguments[] = {&out, &n, &first, &seed, &a, &b};
    return math_launch(kernel, grid, block, arguments, g->stream);
}

/* bytes: of all. */
static bool launch_for_host(const curand_generator g, const char *kernel, void *out, uint64_t n,
                            size_t bytes, double a, double b)
{
    CUdeviceptr p;
    if (cuInit(0) != 0 || cuMemAlloc_v2(&p, bytes) != 0) {
        return false;
    }
    bool ok = launch(g, kernel, (void *)(uintptr_t)p, n, a, b) &&
              cuStreamSynchronize(g->stream) == 0 && cuMemcpyDtoH_v2(out, p, bytes) == 0;
    (void)cuMemFree_v2(p);
    return ok;
}

static int generate(curand_generator g, const char *name, const char *kernel, void *out, size_t n,
                    size_t bytes, bool pairs, double a, double b)
{
    if (g == NULL) {
        return NOT_INITIALIZED;
    }
    if (pairs && n % 2 != 0) {
        return LENGTH_NOT_MULTIPLE;
    }
    if (n == 0) {
        return SUCCESS;
    }
    size_t all;
    if (!ww_mul_fits(n, bytes, &all)) {
        return OUT_OF_RANGE;
    }
    math_says(name);
    g->next += pairs && g->next % 2 != 0;
    bool ok =
        g->host ? launch_for_host(g, kernel, out, n, all, a, b) : launch(g, kernel, out, n, a, b);
    g->next += n;
    return ok ? SUCCESS : LAUNCH_FAILURE;
}

MADE(curandGenerate)(curand_generator g, unsigned *out, size_t n)
{
    return generate(g, "curandGenerate", "ww_random_bits", out, n, 4, false, 0, 0);
}
MADE(curandGenerateLongLong)(curand_generator g, unsigned long long *out, size_t n)
{
    return generate(g, "curandGenerateLongLong", "ww_random_long", out, n, 8, false, 0, 0);
}
MADE(curandGenerateUniform)(curand_generator g, float *out, size_t n)
{
    return generate(g, "curandGenerateUniform", "ww_random_uniform", out, n, 4, false, 0, 0);
}
MADE(curandGenerateUniformDouble)(curand_generator g, double *out, size_t n)
{
    return generate(g, "curandGenerateUniformDouble", "ww_random_uniform_double", out, n, 8, false,
                    0, 0);
}
MADE(curandGenerateNormal)(curand_generator g, float *out, size_t n, float mean, float deviation)
{
    return generate(g, "curandGenerateNormal", "ww_random_normal", out, n, 4, true, (double)mean,
                    (double)deviation);
}
MADE(curandGenerateNormalDouble)
(curand_generator g, double *out, size_t n, double mean, double deviation)
{
    return generate(g, "curandGenerateNormalDouble", "ww_random_normal_double", out, n, 8, true,
                    mean, deviation);
}
MADE(curandGenerateLogNormal)(curand_generator g, float *out, size_t n, float mean, float deviation)
{
    return generate(g, "curandGenerateLogNormal", "ww_random_log_normal", out, n, 4, true,
                    (double)mean, (double)deviation);
}
MADE(curandGenerateLogNormalDouble)
(curand_generator g, double *out, size_t n, double mean, double deviation)
{
    return generate(g, "curandGenerateLogNormalDouble", "ww_random_log_normal_double", out, n, 8,
                    true, mean, deviation);
}
