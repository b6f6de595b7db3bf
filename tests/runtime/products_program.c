/* products_program.c - a program that multiplies matrices of every type with cuBLAS and cuBLASLt,
 * over random and ragged shapes, all transposes and epilogues, and checks each result on the CPU.
 * NVIDIA's headers are not needed to build it. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cudaMalloc(void **p, size_t bytes);
int cudaFree(void *p);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaDeviceSynchronize(void);
int cudaDeviceGetAttribute(int *value, int which, int device);
int cublasCreate_v2(void **h);
int cublasSetMathMode(void *h, int mode);
int cublasGemmEx(void *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a,
                 int type_a, int lda, const void *b, int type_b, int ldb, const void *beta, void *c,
                 int type_c, int ldc, int compute, int algorithm);
int cublasGemmStridedBatchedEx(void *h, int ta, int tb, int m, int n, int k, const void *alpha,
                               const void *a, int type_a, int lda, long long sa, const void *b,
                               int type_b, int ldb, long long sb, const void *beta, void *c,
                               int type_c, int ldc, long long sc, int count, int compute,
                               int algorithm);
int cublasGemmBatchedEx(void *h, int ta, int tb, int m, int n, int k, const void *alpha,
                        const void *const *a, int type_a, int lda, const void *const *b, int type_b,
                        int ldb, const void *beta, void *const *c, int type_c, int ldc, int count,
                        int compute, int algorithm);
int cublasLtCreate(void **h);
int cublasLtMatmulDescCreate(void **d, int compute, int scale);
int cublasLtMatmulDescSetAttribute(void *d, int which, const void *value, size_t bytes);
int cublasLtMatmulDescGetAttribute(void *d, int which, void *value, size_t bytes, size_t *written);
int cublasLtMatmulDescDestroy(void *d);
int cublasLtMatrixLayoutCreate(void **l, int type, uint64_t rows, uint64_t columns, int64_t ld);
int cublasLtMatrixLayoutSetAttribute(void *l, int which, const void *value, size_t bytes);
int cublasLtMatrixLayoutDestroy(void *l);
int cublasLtMatmulPreferenceCreate(void **p);
int cublasLtMatmulPreferenceSetAttribute(void *p, int which, const void *value, size_t bytes);
int cublasLtMatmulPreferenceDestroy(void *p);
int cublasLtMatmulAlgoGetHeuristic(void *h, void *d, void *a, void *b, void *c, void *to, void *p,
                                   int wanted, void *results, int *found);
int cublasLtMatmul(void *h, void *d, const void *alpha, const void *a, void *la, const void *b,
                   void *lb, const void *beta, const void *c, void *lc, void *to, void *ld,
                   const void *algo, void *workspace, size_t bytes, void *stream);

enum { F32 = 0, F16 = 2, S8 = 3, S32 = 10, BF16 = 14, E4M3 = 28 };
enum { COMPUTE_16F = 64, COMPUTE_32F = 68, COMPUTE_TF32 = 77, COMPUTE_32I = 72 };
enum { TO_DEVICE = 1, TO_HOST = 2, NOT_SUPPORTED = 15 };

static int bad, checked;
static void *blas, *lt;

static void expect(int condition, const char *what)
{
    if (!condition) {
        printf("wrong: %s\n", what);
        bad++;
    }
}

static uint32_t next(void)
{
    static uint32_t state = 12345;
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static int up_to(int most)
{
    return 1 + (int)(next() % (uint32_t)most);
}

/* ---- numbers ---- */

static size_t size_of(int type)
{
    return type == F32 || type == S32 ? 4 : type == F16 || type == BF16 ? 2 : 1;
}

/* Value of a floating-point number of few bits; without infinities. */
static double decode(uint32_t bits, int exponents, int fractions)
{
    int bias = (1 << (exponents - 1)) - 1;
    int e = (int)(bits >> fractions) & ((1 << exponents) - 1);
    int f = (int)bits & ((1 << fractions) - 1);
    double x =
        e == 0 ? ldexp(f, 1 - bias - fractions) : ldexp(f + (1 << fractions), e - bias - fractions);
    return bits >> (exponents + fractions) & 1 ? -x : x;
}

static double value(const void *from, int type, int64_t at)
{
    float f;
    int32_t i;
    uint16_t h;
    switch (type) {
    case F32:
        memcpy(&f, (const char *)from + 4 * at, 4);
        return (double)f;
    case S32:
        memcpy(&i, (const char *)from + 4 * at, 4);
        return i;
    case S8:
        return ((const int8_t *)from)[at];
    case E4M3:
        return decode(((const uint8_t *)from)[at], 4, 3);
    default:
        memcpy(&h, (const char *)from + 2 * at, 2);
        return decode(h, type == F16 ? 5 : 8, type == F16 ? 10 : 7);
    }
}

/* Any number of a moderate size. */
static void fill(void *to, int type, int64_t count)
{
    for (int64_t at = 0; at < count; at++) {
        uint32_t bits = next();
        float f = (float)((int)(bits % 2001) - 1000) / 500.0f;
        int32_t i = (int)(bits % 2001) - 1000;
        uint16_t h = type == F16 ? (uint16_t)(0x3000 + bits % 0x0e00 + (bits >> 16 & 1) * 0x8000)
                                 : (uint16_t)(0x3e80 + bits % 0x0180 + (bits >> 16 & 1) * 0x8000);
        uint8_t b =
            type == S8 ? (uint8_t)bits : (uint8_t)(0x20 + bits % 0x20 + (bits >> 16 & 1) * 0x80);
        const void *from = type == F32          ? (void *)&f
                           : type == S32        ? (void *)&i
                           : size_of(type) == 2 ? (void *)&h
                                                : &b;
        memcpy((char *)to + size_of(type) * (size_t)at, from, size_of(type));
    }
}

/* What a result of that type may be off by, beside the sum's own rounding. */
static double step_of(int type)
{
    return type == F32    ? 1e-5
           : type == F16  ? 0x1p-9
           : type == BF16 ? 0x1p-6
           : type == E4M3 ? 0x1p-3
                          : 0;
}

/* ---- arrays ---- */

typedef struct array {
    void *host, *device;
    int64_t ld, stride; /* column by column, or row by row */
    int type;
    bool rows;
    size_t bytes;
} array;

/* Lines of `length` numbers, `gap` apart from each other, from a byte offset on. */
static array make(int type, int64_t lines, int64_t length, int gap, int count)
{
    array a = {.ld = length + gap, .type = type};
    a.stride = a.ld * lines + gap;
    a.bytes = (size_t)(a.stride * count) * size_of(type);
    a.host = malloc(a.bytes);
    fill(a.host, type, a.stride * count);
    expect(a.host != NULL && cudaMalloc(&a.device, a.bytes) == 0 &&
               cudaMemcpy(a.device, a.host, a.bytes, TO_DEVICE) == 0,
           "memory");
    return a;
}

static void drop(array *a)
{
    free(a->host);
    expect(a->device == NULL || cudaFree(a->device) == 0, "cudaFree");
}

static double at(const array *a, int row, int column, int z)
{
    int64_t i = a->rows ? row * a->ld + column : column * a->ld + row;
    return value(a->host, a->type, z * a->stride + i);
}

/* ---- products ---- */

typedef struct product {
    int ta, tb, m, n, k, count;
    double alpha, beta;
    array a, b, c, bias, aux; /* c is also the result's place */
    int epilogue;             /* cublasLtEpilogue_t */
    double scale;             /* of A, B and D together */
} product;

static double gelu(double x)
{
    return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

static double gelu_slope(double x)
{
    return (gelu(x + 1e-5) - gelu(x - 1e-5)) / 2e-5;
}

/* Result and what goes to aux; `size`: the sum of the products' sizes, which errors follow. */
static double wanted(const product *p, int i, int j, int z, double *before, double *size)
{
    double sum = 0;
    *size = 0;
    for (int l = 0; l < p->k; l++) {
        double x = p->ta ? at(&p->a, l, i, z) : at(&p->a, i, l, z);
        double y = p->tb ? at(&p->b, j, l, z) : at(&p->b, l, j, z);
        sum += x * y;
        *size += fabs(x * y);
    }
    double x = p->alpha * sum + (p->beta != 0 ? p->beta * at(&p->c, i, j, z) : 0);
    *size = fabs(p->alpha) * *size + fabs(p->beta * at(&p->c, i, j, z));
    x += p->epilogue & 4 ? value(p->bias.host, p->bias.type, i) : 0;
    *before = x;
    x = p->epilogue == 192         ? x * gelu_slope(at(&p->aux, i, j, z))
        : p->epilogue & 32         ? gelu(x)
        : p->epilogue & 2 && x < 0 ? 0
                                   : x;
    return x * p->scale;
}

static void compare(const product *p, double rounding, const char *what)
{
    char *result = malloc(p->c.bytes), *aux = p->aux.host != NULL ? malloc(p->aux.bytes) : NULL;
    expect(result != NULL && cudaMemcpy(result, p->c.device, p->c.bytes, TO_HOST) == 0, "result");
    expect(aux == NULL || cudaMemcpy(aux, p->aux.device, p->aux.bytes, TO_HOST) == 0, "aux");
    array got = p->c, got_aux = p->aux;
    got.host = result;
    got_aux.host = aux;
    for (int z = 0, stop = 0; z < p->count && !stop; z++) {
        for (int j = 0; j < p->n && !stop; j++) {
            for (int i = 0; i < p->m && !stop; i++) {
                double before, size, want = wanted(p, i, j, z, &before, &size),
                                     is = at(&got, i, j, z);
                double error = step_of(p->c.type) * (fabs(want) + 2 * fabs(before)) +
                               rounding * size + (p->c.type == E4M3 ? 0x1p-9 : 0);
                /* Of 16 bits the sum is rounded before C is added to it. */
                double added = p->beta == 1 ? fabs(at(&p->c, i, j, z)) : 0;
                error += size_of(p->c.type) == 2 ? step_of(p->c.type) * added : 0;
                bool right = fabs(is - want) <= error;
                if (aux != NULL && p->epilogue != 192) {
                    double step = step_of(p->aux.type);
                    right = right && fabs(at(&got_aux, i, j, z) - before) <=
                                         step * fabs(before) + rounding * size;
                }
                if (!right) {
                    printf("wrong: %s %c%c %dx%dx%d x %d, types %d %d, epilogue %d, ld %lld %lld "
                           "%lld: [%d][%d][%d] is %g, expected %g +- %g\n",
                           what, "nt"[p->ta], "nt"[p->tb], p -> m, p -> n, p -> k, p -> count,
                           p -> a.type, p->c.type, p->epilogue, (long long)p->a.ld,
                           (long long)p->b.ld, (long long)p->c.ld, i, j, z, is, want, error);
                    bad++;
                    stop = 1;
                }
            }
        }
    }
    /* Between and behind the columns nothing is written. */
    for (int64_t x = 0; x < p->c.stride * p->count; x++) {
        int64_t in = x % p->c.stride, lines = p->c.rows ? p->m : p->n,
                length = p->c.rows ? p->n : p->m;
        bool outside = in % p->c.ld >= length || in / p->c.ld >= lines;
        size_t size = size_of(p->c.type);
        if (outside &&
            memcmp(result + (size_t)x * size, (char *)p->c.host + (size_t)x * size, size) != 0) {
            printf("wrong: %s %dx%d writes outside, at %lld of ld %lld\n", what, p->m, p->n,
                   (long long)in, (long long)p->c.ld);
            bad++;
            break;
        }
    }
    checked++;
    free(result);
    free(aux);
}

static product make_product(int type, int type_c, int gap, int count)
{
    product p = {.ta = (int)(next() % 2),
                 .tb = (int)(next() % 2),
                 .m = up_to(150),
                 .n = up_to(150),
                 .k = up_to(200),
                 .count = count,
                 .alpha = 1,
                 .epilogue = 1,
                 .scale = 1};
    if (next() % 2) { /* whole chunks, as most programs have them */
        p.m = (p.m + 15) / 16 * 16;
        p.n = (p.n + 15) / 16 * 16;
        p.k = (p.k + 15) / 16 * 16;
    }
    p.a = p.ta ? make(type, p.m, p.k, gap, count) : make(type, p.k, p.m, gap, count);
    p.b = p.tb ? make(type, p.k, p.n, gap, count) : make(type, p.n, p.k, gap, count);
    p.c = make(type_c, p.n, p.m, gap, count);
    return p;
}

static void drop_product(product *p)
{
    array *all[] = {&p->a, &p->b, &p->c, &p->bias, &p->aux};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        drop(all[i]);
    }
}

/* ---- cuBLAS ---- */

static void **list_of(const array *a, int count)
{
    void *host[8], *device = NULL;
    for (int i = 0; i < count; i++) {
        host[i] = (char *)a->device + (size_t)(i * a->stride) * size_of(a->type);
    }
    expect(cudaMalloc(&device, sizeof host) == 0 &&
               cudaMemcpy(device, host, (size_t)count * sizeof *host, TO_DEVICE) == 0,
           "a list");
    return device;
}

static int call(const product *p, int form, const void *alpha, const void *beta, int compute)
{
    int lda = (int)p->a.ld, ldb = (int)p->b.ld, ldc = (int)p->c.ld;
    if (form == 0) {
        return cublasGemmEx(blas, p->ta, p->tb, p->m, p->n, p->k, alpha, p->a.device, p->a.type,
                            lda, p->b.device, p->b.type, ldb, beta, p->c.device, p->c.type, ldc,
                            compute, -1);
    }
    if (form == 1) {
        return cublasGemmStridedBatchedEx(blas, p->ta, p->tb, p->m, p->n, p->k, alpha, p->a.device,
                                          p->a.type, lda, p->a.stride, p->b.device, p->b.type, ldb,
                                          p->b.stride, beta, p->c.device, p->c.type, ldc,
                                          p->c.stride, p->count, compute, -1);
    }
    void **a = list_of(&p->a, p->count), **b = list_of(&p->b, p->count),
         **c = list_of(&p->c, p->count);
    int status = cublasGemmBatchedEx(
        blas, p->ta, p->tb, p->m, p->n, p->k, alpha, (const void *const *)a, p->a.type, lda,
        (const void *const *)b, p->b.type, ldb, beta, c, p->c.type, ldc, p->count, compute, -1);
    expect(cudaFree(a) == 0 && cudaFree(b) == 0 && cudaFree(c) == 0, "cudaFree");
    return status;
}

static void check_blas(int type, int type_c, int compute, double rounding)
{
    for (int turn = 0; turn < 12; turn++) {
        int form = turn % 3;
        product p = make_product(type, type_c,
                                 turn % 4 == 3   ? up_to(9)
                                 : turn % 4 == 1 ? 16
                                                 : 0,
                                 form == 0 ? 1 : 3);
        p.alpha = turn % 2 ? 1 : type_c == S32 ? 3 : 0.5;
        p.beta = turn % 5 == 0 ? 1 : turn % 5 == 1 ? (type_c == S32 ? -2 : -0.75) : 0;
        float alpha = (float)p.alpha, beta = (float)p.beta;
        int32_t ialpha = (int)p.alpha, ibeta = (int)p.beta;
        bool integers = compute == COMPUTE_32I;
        int status = call(&p, form, integers ? (void *)&ialpha : &alpha,
                          integers ? (void *)&ibeta : &beta, compute);
        expect(status == 0 && cudaDeviceSynchronize() == 0, "a product of cuBLAS");
        compare(&p, rounding,
                form == 0   ? "GemmEx"
                : form == 1 ? "GemmStridedBatchedEx"
                            : "GemmBatchedEx");
        drop_product(&p);
    }
}

/* ---- cuBLASLt ---- */

static void *layout(const array *a, int rows, int columns, int count)
{
    void *l = NULL;
    int32_t order = a->rows;
    expect(cublasLtMatrixLayoutCreate(&l, a->type, (uint64_t)rows, (uint64_t)columns, a->ld) == 0 &&
               cublasLtMatrixLayoutSetAttribute(l, 1, &order, sizeof order) == 0 &&
               cublasLtMatrixLayoutSetAttribute(l, 5, &count, sizeof count) == 0 &&
               cublasLtMatrixLayoutSetAttribute(l, 6, &a->stride, sizeof a->stride) == 0,
           "a layout");
    return l;
}

static void set(void *d, int which, const void *value, size_t bytes)
{
    expect(cublasLtMatmulDescSetAttribute(d, which, value, bytes) == 0, "an attribute");
}

static void *descriptor(const product *p, int compute)
{
    void *d = NULL;
    int32_t scale_type = compute == COMPUTE_32I ? S32 : F32, got = 0;
    size_t written = 0;
    expect(cublasLtMatmulDescCreate(&d, compute, scale_type) == 0, "a descriptor");
    set(d, 3, &p->ta, 4);
    set(d, 4, &p->tb, 4);
    set(d, 7, &p->epilogue, 4);
    if (p->bias.device != NULL) {
        set(d, 8, &p->bias.device, 8);
        set(d, 26, &p->bias.type, 4);
    }
    if (p->aux.device != NULL) {
        set(d, 11, &p->aux.device, 8);
        set(d, 12, &p->aux.ld, 8);
        set(d, 13, &p->aux.stride, 8);
        set(d, 22, &p->aux.type, 4);
    }
    expect(cublasLtMatmulDescGetAttribute(d, 7, &got, sizeof got, &written) == 0 &&
               got == p->epilogue && written == 4,
           "asking a descriptor");
    return d;
}

/* As programs do it: a descriptor, layouts, a preference, the first algorithm, the product. */
static int run_lt(const product *p, int compute, float *scale[3])
{
    struct {
        uint64_t algo[8];
        size_t workspace;
        int status;
        float waves;
        int reserved[4];
    } result = {.status = -1};
    void *d = descriptor(p, compute), *preference = NULL;
    for (int i = 0; i < 3 && scale != NULL; i++) {
        set(d, i < 2 ? 17 + i : 20, &scale[i], 8);
    }
    void *a = p->ta ? layout(&p->a, p->k, p->m, p->count) : layout(&p->a, p->m, p->k, p->count);
    void *b = p->tb ? layout(&p->b, p->n, p->k, p->count) : layout(&p->b, p->k, p->n, p->count);
    void *c = layout(&p->c, p->m, p->n, p->count);
    size_t most = 32 << 20;
    int found = 0;
    expect(cublasLtMatmulPreferenceCreate(&preference) == 0 &&
               cublasLtMatmulPreferenceSetAttribute(preference, 1, &most, sizeof most) == 0,
           "a preference");
    int status = cublasLtMatmulAlgoGetHeuristic(lt, d, a, b, c, c, preference, 1, &result, &found);
    if (status == 0) {
        float alpha = (float)p->alpha, beta = (float)p->beta;
        expect(found == 1 && result.status == 0, "an algorithm");
        status = cublasLtMatmul(lt, d, &alpha, p->a.device, a, p->b.device, b, &beta, p->c.device,
                                c, p->c.device, c, result.algo, NULL, 0, NULL);
    }
    expect(cublasLtMatmulPreferenceDestroy(preference) == 0 && cublasLtMatmulDescDestroy(d) == 0 &&
               cublasLtMatrixLayoutDestroy(a) == 0 && cublasLtMatrixLayoutDestroy(b) == 0 &&
               cublasLtMatrixLayoutDestroy(c) == 0,
           "destroying");
    return status;
}

static void check_epilogues(int type, int type_c, int compute, double rounding)
{
    static const int epilogues[] = {1, 2, 4, 6, 32, 36, 160, 164, 192};
    for (size_t e = 0; e < sizeof epilogues / sizeof epilogues[0]; e++) {
        for (int turn = 0; turn < 2; turn++) {
            product p = make_product(type, type_c, turn ? up_to(9) : 8, turn && e % 2 ? 2 : 1);
            p.epilogue = epilogues[e];
            p.alpha = 1.0 / 16;
            p.beta = turn ? 0.5 : 0;
            if (p.epilogue & 4) {
                p.bias = make(type_c, 1, p.m, 0, 1);
            }
            if (p.epilogue & 128) {
                p.aux = make(type_c, p.n, p.m, 8, p.count);
            }
            expect(run_lt(&p, compute, NULL) == 0 && cudaDeviceSynchronize() == 0,
                   "a product of cuBLASLt");
            compare(&p, rounding, "Matmul");
            drop_product(&p);
        }
    }
}

/* Matrices by rows, each or all of them; C and D alike. */
static void check_orders(void)
{
    for (int turn = 0; turn < 8; turn++) {
        product p = {.m = up_to(90),
                     .n = up_to(90),
                     .k = up_to(90),
                     .count = 2,
                     .alpha = 0.25,
                     .beta = 1,
                     .epilogue = 4,
                     .scale = 1};
        bool rows[3] = {turn & 1, turn & 2, turn & 4};
        p.a = rows[0] ? make(BF16, p.m, p.k, 3, 2) : make(BF16, p.k, p.m, 3, 2);
        p.b = rows[1] ? make(BF16, p.k, p.n, 0, 2) : make(BF16, p.n, p.k, 0, 2);
        p.c = rows[2] ? make(BF16, p.m, p.n, 5, 2) : make(BF16, p.n, p.m, 5, 2);
        p.bias = make(BF16, 1, p.m, 0, 1);
        p.a.rows = rows[0];
        p.b.rows = rows[1];
        p.c.rows = rows[2];
        expect(run_lt(&p, COMPUTE_32F, NULL) == 0 && cudaDeviceSynchronize() == 0,
               "a product of matrices by rows");
        compare(&p, 1e-6, "Matmul by rows");
        drop_product(&p);
    }
}

/* Few tiles and much depth: K is split. Sums of bytes beyond 2^24 stay exact. */
static void check_deep(void)
{
    product p = {
        .ta = 1, .m = 64, .n = 48, .k = 5000, .count = 1, .alpha = 1, .epilogue = 1, .scale = 1};
    p.a = make(BF16, p.m, p.k, 0, 1);
    p.b = make(BF16, p.n, p.k, 0, 1);
    p.c = make(BF16, p.n, p.m, 0, 1);
    float one = 1, zero = 0;
    expect(call(&p, 0, &one, &zero, COMPUTE_32F) == 0, "a deep product");
    compare(&p, 1e-6, "deep");
    drop_product(&p);
    p.a = make(S8, p.m, p.k, 0, 1);
    p.b = make(S8, p.n, p.k, 0, 1);
    p.c = make(S32, p.n, p.m, 0, 1);
    memset(p.a.host, 0x81, p.a.bytes);
    memset(p.b.host, 0x81, p.b.bytes);
    ((int8_t *)p.a.host)[7] = 3;
    expect(cudaMemcpy(p.a.device, p.a.host, p.a.bytes, TO_DEVICE) == 0 &&
               cudaMemcpy(p.b.device, p.b.host, p.b.bytes, TO_DEVICE) == 0,
           "bytes");
    int32_t ione = 1, izero = 0;
    expect(call(&p, 0, &ione, &izero, COMPUTE_32I) == 0, "a deep product of bytes");
    compare(&p, 0, "deep bytes");
    drop_product(&p);
}

/* 8-bit floats, scaled by numbers in device memory. */
static void check_eight_bits(void)
{
    float host[3] = {0.5f, 0.25f, 2.0f}, *device = NULL;
    expect(cudaMalloc((void **)&device, sizeof host) == 0 &&
               cudaMemcpy(device, host, sizeof host, TO_DEVICE) == 0,
           "scales");
    static const int results[] = {BF16, F32, F16, E4M3};
    for (int turn = 0; turn < 8; turn++) {
        product p = {.ta = 1,
                     .m = 16 * up_to(8),
                     .n = 16 * up_to(8),
                     .k = 16 * up_to(8),
                     .count = 1,
                     .alpha = 1,
                     .epilogue = turn % 2 ? 36 : 1};
        p.scale = 1;
        p.a = make(E4M3, p.m, p.k, 0, 1);
        p.b = make(E4M3, p.n, p.k, 0, 1);
        p.c = make(results[turn % 4], p.n, p.m, 0, 1);
        if (p.epilogue & 4) {
            p.bias = make(BF16, 1, p.m, 0, 1);
        }
        float *scale[3] = {device, device + 1, turn < 4 ? NULL : device + 2};
        expect(run_lt(&p, COMPUTE_32F, scale) == 0 && cudaDeviceSynchronize() == 0,
               "a product of 8-bit floats");
        p.alpha = 0.125;
        p.scale = turn < 4 ? 1 : 2;
        compare(&p, 1e-6, "Matmul e4m3");
        drop_product(&p);
    }
}

static void check_refusals(int capability)
{
    product p = make_product(capability < 89 ? E4M3 : F16, BF16, 0, 1);
    if (capability >= 89) {
        p.epilogue = 512; /* a gradient of bias */
        p.c.type = F16;
    }
    expect(run_lt(&p, COMPUTE_32F, NULL) == NOT_SUPPORTED, "what is not there is refused");
    drop_product(&p);
}

int main(void)
{
    int major = 0, minor = 0;
    expect(cudaDeviceGetAttribute(&major, 75, 0) == 0 && cudaDeviceGetAttribute(&minor, 76, 0) == 0,
           "a device");
    expect(cublasCreate_v2(&blas) == 0 && cublasLtCreate(&lt) == 0, "handles");
    const int capability = 10 * major + minor;
    check_blas(BF16, BF16, COMPUTE_32F, 1e-6);
    check_blas(BF16, F32, COMPUTE_32F, 1e-6);
    check_blas(F16, F16, COMPUTE_32F, 1e-6);
    check_blas(F16, F32, COMPUTE_32F, 1e-6);
    check_blas(F32, F32, COMPUTE_32F, 1e-6);
    check_blas(F32, F32, COMPUTE_TF32, 0x1p-9);
    check_blas(S8, S32, COMPUTE_32I, 0);
    expect(cublasSetMathMode(blas, 3) == 0, "TF32");
    check_blas(F32, F32, COMPUTE_32F, 0x1p-9);
    check_epilogues(BF16, BF16, COMPUTE_32F, 1e-6);
    check_epilogues(F16, F16, COMPUTE_32F, 1e-6);
    check_epilogues(F32, F32, COMPUTE_32F, 1e-6);
    check_epilogues(F32, F32, COMPUTE_TF32, 0x1p-9);
    check_epilogues(BF16, F32, COMPUTE_32F, 1e-6);
    check_orders();
    check_deep();
    check_refusals(capability);
    if (capability >= 89) {
        check_eight_bits();
    }
    printf("%d wrong of %d\n", bad, checked);
    return bad != 0;
}
