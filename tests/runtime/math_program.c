/* math_program.c - a program that multiplies with cuBLAS, draws with cuRAND and asks for more, and
 * checks all that it gets on the CPU. NVIDIA's headers are not needed to build it. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cudaMalloc(void **p, size_t bytes);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaDeviceSynchronize(void);
int cublasCreate_v2(void **h);
int cublasDestroy_v2(void *h);
int cublasSetStream_v2(void *h, void *stream);
int cublasSetPointerMode_v2(void *h, int mode);
int cublasSetMatrix(int rows, int columns, int size, const void *a, int lda, void *b, int ldb);
int cublasSgemm_v2(void *h, int ta, int tb, int m, int n, int k, const float *alpha, const float *a,
                   int lda, const float *b, int ldb, const float *beta, float *c, int ldc);
int cublasDgemmStridedBatched(void *h, int ta, int tb, int m, int n, int k, const double *alpha,
                              const double *a, int lda, long long sa, const double *b, int ldb,
                              long long sb, const double *beta, double *c, int ldc, long long sc,
                              int count);
int cublasSgemmBatched(void *h, int ta, int tb, int m, int n, int k, const float *alpha,
                       float *const *a, int lda, float *const *b, int ldb, const float *beta,
                       float *const *c, int ldc, int count);
int cublasGemmEx(void *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a,
                 int type_a, int lda, const void *b, int type_b, int ldb, const void *beta, void *c,
                 int type_c, int ldc, int compute, int algorithm);
int cublasSgemv_v2(void *h, int trans, int m, int n, const float *alpha, const float *a, int lda,
                   const float *x, int incx, const float *beta, float *y, int incy);
int cublasDgemv_v2_64(void *h, int trans, int64_t m, int64_t n, const double *alpha,
                      const double *a, int64_t lda, const double *x, int64_t incx,
                      const double *beta, double *y, int64_t incy);
int cublasDgetrfBatched(void *h, int n, double *const *a, int lda, int *pivots, int *info,
                        int count);
int cublasDgetrsBatched(void *h, int trans, int n, int columns, const double *const *a, int lda,
                        const int *pivots, double *const *b, int ldb, int *info, int count);
int cublasDgetriBatched(void *h, int n, const double *const *a, int lda, const int *pivots,
                        double *const *c, int ldc, int *info, int count);
int cublasSgetrfBatched(void *h, int n, float *const *a, int lda, int *pivots, int *info,
                        int count);
int cublasSgetrsBatched(void *h, int trans, int n, int columns, const float *const *a, int lda,
                        const int *pivots, float *const *b, int ldb, int *info, int count);
int cublasSsymv_v2(void *h);
int cublasLtCreate(void **h);
int cusparseCreate(void **h);
int cufftXtSetGPUs(int plan, int count, int *gpus);
int cusparseScsrgeam2(void *h);
int curandCreateGenerator(void **g, int type);
int curandSetPseudoRandomGeneratorSeed(void *g, unsigned long long seed);
int curandGenerate(void *g, unsigned *out, size_t n);
int curandCreateGeneratorHost(void **g, int type);
int curandGenerateNormal(void *g, float *out, size_t n, float mean, float deviation);
int curandGenerateUniformDouble(void *g, double *out, size_t n);

enum { M = 37, N = 21, K = 50, COUNT = 3, TO_DEVICE = 1, TO_HOST = 2 };
static int bad;

static void expect(int condition, const char *what)
{
    if (!condition) {
        printf("wrong: %s\n", what);
        bad++;
    }
}

static void *on_device(const void *from, size_t bytes)
{
    void *p = NULL;
    expect(cudaMalloc(&p, bytes) == 0, "cudaMalloc");
    expect(from == NULL || cudaMemcpy(p, from, bytes, TO_DEVICE) == 0, "cudaMemcpy");
    return p;
}

/* Small multiples of an eighth: sums of products are exact in single precision. */
static double number(int i)
{
    return ((i * 7919 + 13) % 64 - 32) / 8.0;
}

static double expected(int ta, int tb, int i, int j, int offset_a, int lda, int offset_b, int ldb)
{
    double sum = 0;
    for (int p = 0; p < K; p++) {
        sum += number(offset_a + (ta ? p + i * lda : i + p * lda)) *
               number(offset_b + (tb ? j + p * ldb : p + j * ldb));
    }
    return sum;
}

static void single(void *h)
{
    enum { LD = 60, SIZE = LD * 60 };
    static float host[SIZE], c[SIZE];
    for (int i = 0; i < SIZE; i++) {
        host[i] = (float)number(i);
    }
    float *a = on_device(host, sizeof host), *b = on_device(host, sizeof host);
    for (int op = 0; op < 4; op++) {
        float *out = on_device(NULL, sizeof host), alpha = 2, beta = op == 0 ? 0.0F : 0.5F;
        expect(cublasSetMatrix(LD, 60, 4, host, LD, out, LD) == 0, "cublasSetMatrix");
        expect(cublasSgemm_v2(h, op & 1, op >> 1, M, N, K, &alpha, a, LD, b, LD, &beta, out, LD) ==
                   0,
               "cublasSgemm");
        expect(cudaMemcpy(c, out, sizeof c, TO_HOST) == 0, "copy");
        for (int j = 0; j < N; j++) {
            for (int i = 0; i < LD; i++) {
                double old = number(i + j * LD);
                double want =
                    i >= M ? old
                           : 2 * expected(op & 1, op >> 1, i, j, 0, LD, 0, LD) + (double)beta * old;
                expect((double)c[i + j * LD] == want, "a value of cublasSgemm");
            }
        }
    }
    float *list_a[COUNT], *list_b[COUNT], *list_c[COUNT], one = 1, zero = 0;
    for (int z = 0; z < COUNT; z++) {
        list_a[z] = a + z * 7;
        list_b[z] = b + z * 11;
        list_c[z] = on_device(NULL, sizeof host);
    }
    float *scalars = on_device(NULL, 8);
    cudaMemcpy(scalars, &one, 4, TO_DEVICE);
    cudaMemcpy(scalars + 1, &zero, 4, TO_DEVICE);
    cublasSetPointerMode_v2(h, 1);
    expect(cublasSgemmBatched(h, 0, 0, M, N, K, scalars, on_device(list_a, sizeof list_a), LD,
                              on_device(list_b, sizeof list_b), LD, scalars + 1,
                              on_device(list_c, sizeof list_c), LD, COUNT) == 0,
           "cublasSgemmBatched");
    cublasSetPointerMode_v2(h, 0);
    for (int z = 0; z < COUNT; z++) {
        cudaMemcpy(c, list_c[z], sizeof c, TO_HOST);
        expect((double)c[3 + 5 * LD] == expected(0, 0, 3, 5, z * 7, LD, z * 11, LD), "a batch");
    }
}

static void doubles(void *h)
{
    static double host[COUNT * K * K], c[COUNT * M * N];
    for (int i = 0; i < COUNT * K * K; i++) {
        host[i] = number(i);
    }
    double *a = on_device(host, sizeof host), *out = on_device(NULL, sizeof c), one = 1, zero = 0;
    expect(cublasDgemmStridedBatched(h, 0, 0, M, N, K, &one, a, M, M * K, a, K, K * N, &zero, out,
                                     M, M * N, COUNT) == 0,
           "cublasDgemmStridedBatched");
    cudaMemcpy(c, out, sizeof c, TO_HOST);
    for (int z = 0; z < COUNT; z++) {
        expect(c[z * M * N + 4 + 6 * M] == expected(0, 0, 4, 6, z * M * K, M, z * K * N, K),
               "a stride");
    }
}

/* y = 2 op(A) x + y / 2, x with steps of 2 and y of 3, which leave what is between alone. */
static void vectors(void *h)
{
    enum { STEP_X = 2, STEP_Y = 3 };
    static double host[K * K], y[K * STEP_Y];
    static float single_host[K * K], single_y[K * STEP_Y];
    for (int i = 0; i < K * K; i++) {
        host[i] = number(i);
        single_host[i] = (float)host[i];
    }
    const double *a = on_device(host, sizeof host), two = 2, part = 0.5;
    const float *b = on_device(single_host, sizeof single_host), single_two = 2, single_part = 0.5F;
    for (int trans = 0; trans < 2; trans++) {
        double *out = on_device(host, sizeof y);
        float *single_out = on_device(single_host, sizeof single_y);
        int rows = trans == 0 ? M : N, columns = trans == 0 ? N : M;
        expect(cublasDgemv_v2_64(h, trans, M, N, &two, a, K, a + 5, STEP_X, &part, out, STEP_Y) ==
                   0,
               "cublasDgemv_v2_64");
        expect(cublasSgemv_v2(h, trans, M, N, &single_two, b, K, b + 5, STEP_X, &single_part,
                              single_out, STEP_Y) == 0,
               "cublasSgemv_v2");
        cudaMemcpy(y, out, sizeof y, TO_HOST);
        cudaMemcpy(single_y, single_out, sizeof single_y, TO_HOST);
        for (int i = 0; i < K * STEP_Y; i++) {
            double sum = 0;
            for (int k = 0; k < columns; k++) {
                int row = trans == 0 ? i / STEP_Y : k, column = trans == 0 ? k : i / STEP_Y;
                sum += host[row + column * K] * host[5 + k * STEP_X];
            }
            bool written = i % STEP_Y == 0 && i / STEP_Y < rows;
            double want = written ? 2 * sum + host[i] / 2 : host[i];
            expect(y[i] == want && (double)single_y[i] == want, "a product with a vector");
        }
    }
    expect(cublasSgemv_v2(h, 0, M, N, &single_two, b, K, b, -1, &single_part, NULL, 1) == 15,
           "negative steps");
}

/* A batch of matrices of N rows in columns LD apart, the last singular; each with a vector. */
enum { LD = N + 3, SYSTEMS = 3, SINGULAR = 2 };

static double entry(int z, int i, int j)
{
    return z == SINGULAR && j == 4 ? 0 : number(i * i + 5 * j * i + 17 * z + j) + (i + j == N);
}

static double solution(int i)
{
    return (i % 7 - 3) / 2.0;
}

/* op(A) times the vector of solutions. */
static double right_side(int trans, int z, int i)
{
    double sum = 0;
    for (int k = 0; k < N; k++) {
        sum += (trans ? entry(z, k, i) : entry(z, i, k)) * solution(k);
    }
    return sum;
}

/* Row i of L U: L has ones and nothing above them, U nothing below the diagonal. */
static double product_of_factors(const double *lu, int i, int j)
{
    double sum = 0;
    for (int k = 0; k <= i && k <= j; k++) {
        sum += (k == i ? 1 : lu[i + k * LD]) * lu[k + j * LD];
    }
    return sum;
}

/* Rows of the matrix in the order of its pivots are those of L U; no factor of L exceeds 1. */
static void expect_factors(int z, const double *lu, const int *pivots)
{
    int order[N];
    for (int i = 0; i < N; i++) {
        order[i] = i;
    }
    for (int k = 0; k < N; k++) {
        int p = pivots[k] - 1, old = order[k];
        expect(p >= k && p < N, "a pivot");
        order[k] = order[p];
        order[p] = old;
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            expect(j >= i || fabs(lu[i + j * LD]) <= 1, "a factor that no pivot bounds");
            expect(fabs(product_of_factors(lu, i, j) - entry(z, order[i], j)) < 1e-10,
                   "factors of a matrix");
        }
    }
}

static void expect_inverse(int z, const double *inverse)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++) {
                sum += entry(z, i, k) * inverse[k + j * LD];
            }
            expect(fabs(sum - (i == j)) < 1e-9, "an inverse");
        }
    }
}

/* The first argument that is at fault is named by its number, negative. */
static void wrong_arguments(void *h, const double *const *a, const int *p, double *const *b)
{
    static const struct {
        int trans, n, columns, lda, ldb, count, info;
        bool a, b;
    } rows[] = {
        {3, N, 1, LD, LD, 1, -1, true, true},   {-1, -1, 1, LD, LD, 1, -1, true, true},
        {0, -1, 1, LD, LD, 1, -2, true, true},  {0, N, -1, LD, LD, 1, -3, true, true},
        {0, N, 1, LD, LD, 1, -4, false, false}, {0, N, 1, N - 1, LD, 1, -5, true, true},
        {0, N, 1, LD, LD, 1, -7, true, false},  {0, N, 1, LD, N - 1, 1, -8, true, true},
        {0, N, 1, LD, LD, -1, -10, true, true}, {0, N, 0, LD, LD, 1, 0, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int info = 99;
        int code = cublasDgetrsBatched(h, rows[i].trans, rows[i].n, rows[i].columns,
                                       rows[i].a ? a : NULL, rows[i].lda, p, rows[i].b ? b : NULL,
                                       rows[i].ldb, &info, rows[i].count);
        if (code != (rows[i].info == 0 ? 0 : 7) || info != rows[i].info) {
            fprintf(stderr, "getrsBatched, row %zu: %d, %d\n", i, code, info);
        }
        expect(code == (rows[i].info == 0 ? 0 : 7) && info == rows[i].info,
               "the argument that is at fault");
    }
}

static void double_factors(void *h)
{
    static double a[SYSTEMS][LD * N], b[2][SYSTEMS][LD], back[LD * N];
    int pivots[SYSTEMS][N], info[SYSTEMS], fault = 1;
    double *list_a[SYSTEMS], *list_b[2][SYSTEMS], *list_c[SYSTEMS];
    for (int z = 0; z < SYSTEMS; z++) {
        for (int i = 0; i < N; i++) {
            b[0][z][i] = right_side(0, z, i);
            b[1][z][i] = right_side(1, z, i);
            for (int j = 0; j < N; j++) {
                a[z][i + j * LD] = entry(z, i, j);
            }
        }
        list_a[z] = on_device(a[z], sizeof a[z]);
        list_b[0][z] = on_device(b[0][z], sizeof b[0][z]);
        list_b[1][z] = on_device(b[1][z], sizeof b[1][z]);
        list_c[z] = on_device(NULL, sizeof a[z]);
    }
    double **as = on_device(list_a, sizeof list_a), **cs = on_device(list_c, sizeof list_c);
    int *p = on_device(NULL, sizeof pivots), *state = on_device(NULL, sizeof info);
    expect(cublasDgetrfBatched(h, N, as, LD, p, state, SYSTEMS) == 0, "cublasDgetrfBatched");
    cudaMemcpy(pivots, p, sizeof pivots, TO_HOST);
    cudaMemcpy(info, state, sizeof info, TO_HOST);
    expect(info[0] == 0 && info[1] == 0 && info[SINGULAR] == 5, "what is singular");
    for (int z = 0; z < SINGULAR; z++) {
        cudaMemcpy(a[z], list_a[z], sizeof a[z], TO_HOST);
        expect_factors(z, a[z], pivots[z]);
    }
    for (int trans = 0; trans < 2; trans++) {
        expect(cublasDgetrsBatched(h, trans, N, 1, (const double *const *)as, LD, p,
                                   on_device(list_b[trans], sizeof list_b[trans]), LD, &fault,
                                   SINGULAR) == 0 &&
                   fault == 0,
               "cublasDgetrsBatched");
        for (int z = 0; z < SINGULAR; z++) {
            cudaMemcpy(b[0][z], list_b[trans][z], sizeof b[0][z], TO_HOST);
            for (int i = 0; i < N; i++) {
                expect(fabs(b[0][z][i] - solution(i)) < 1e-9, "a solution");
            }
        }
    }
    expect(cublasDgetriBatched(h, N, (const double *const *)as, LD, p, cs, LD, state, SYSTEMS) == 0,
           "cublasDgetriBatched");
    cudaMemcpy(info, state, sizeof info, TO_HOST);
    expect(info[0] == 0 && info[1] == 0 && info[SINGULAR] == 5, "what has no inverse");
    for (int z = 0; z < SINGULAR; z++) {
        cudaMemcpy(back, list_c[z], sizeof back, TO_HOST);
        expect_inverse(z, back);
    }
    wrong_arguments(h, (const double *const *)as, p, cs);
}

/* Without pivots; two right sides. */
static void single_factors(void *h)
{
    enum { SIDES = 2 };
    static float a[N * N], b[N * SIDES];
    int info = -1, fault = 1;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            a[i + j * N] = (float)entry(0, i, j) + (i == j ? 64.0F : 0.0F);
        }
        float side = (float)right_side(0, 0, i) + 64 * (float)solution(i);
        b[i] = side;
        b[i + N] = 2 * side;
    }
    float *list_a[] = {on_device(a, sizeof a)}, *list_b[] = {on_device(b, sizeof b)};
    float **as = on_device(list_a, sizeof list_a);
    int *state = on_device(NULL, sizeof info);
    expect(cublasSgetrfBatched(h, N, as, N, NULL, state, 1) == 0, "cublasSgetrfBatched");
    expect(cublasSgetrsBatched(h, 0, N, SIDES, (const float *const *)as, N, NULL,
                               on_device(list_b, sizeof list_b), N, &fault, 1) == 0,
           "cublasSgetrsBatched");
    cudaMemcpy(&info, state, sizeof info, TO_HOST);
    cudaMemcpy(b, list_b[0], sizeof b, TO_HOST);
    expect(info == 0 && fault == 0, "states of single precision");
    for (int i = 0; i < N * SIDES; i++) {
        expect(fabs((double)b[i] - solution(i % N) * (1 + i / N)) < 1e-4,
               "a solution in single precision");
    }
}

/* The nearest half of a normal one's size, or zero; the even one of two. */
static uint16_t half(double x)
{
    float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    bits += 0xfff + (bits >> 13 & 1);
    return f == 0 ? 0
                  : (uint16_t)((bits >> 16 & 0x8000) | ((bits >> 23 & 255) - 112) << 10 |
                               (bits >> 13 & 1023));
}

/* The same as bfloat16, which is the upper half of a single. */
static uint16_t brain(double x)
{
    float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* Products of numbers of 16 bits, to single precision and to their own type. */
static void halves(void *h, int type, uint16_t (*narrow)(double))
{
    static uint16_t host[K * K], same[M * N];
    static float c[M * N];
    for (int i = 0; i < K * K; i++) {
        host[i] = narrow(number(i));
    }
    void *a = on_device(host, sizeof host);
    float *out = on_device(NULL, sizeof c), one = 1, zero = 0;
    expect(cublasGemmEx(h, 0, 0, M, N, K, &one, a, type, M, a, type, K, &zero, out, 0, M, 68, -1) ==
               0,
           "cublasGemmEx");
    cudaMemcpy(c, out, sizeof c, TO_HOST);
    expect(cublasGemmEx(h, 0, 0, M, N, K, &one, a, type, M, a, type, K, &zero, out, type, M, 68,
                        -1) == 0,
           "cublasGemmEx to the same type");
    cudaMemcpy(same, out, sizeof same, TO_HOST);
    for (int i = 0; i < M * N; i++) {
        double sum = expected(0, 0, i % M, i / M, 0, M, 0, K);
        expect((double)c[i] == sum, "a value of cublasGemmEx");
        expect(same[i] == narrow(sum), "a value of cublasGemmEx in 16 bits");
    }
}

/* bfloat16 is multiplied with sums in single precision, or not at all. */
static void brain_sums(void *h)
{
    float one = 1, zero = 0;
    void *a = on_device(NULL, 2 * K * K);
    expect(cublasGemmEx(h, 0, 0, M, N, K, &one, a, 14, M, a, 14, K, &zero, a, 14, M, 64, -1) == 15,
           "bfloat16 with sums in half precision");
}

/* The first block of Philox 4x32-10 is that of Random123's list of known answers; of normals,
 * moments. */
static void randoms(void)
{
    enum { DRAWN = 4000 };
    static const unsigned known[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    static float normal[DRAWN];
    static double uniform[DRAWN];
    unsigned first[4] = {0};
    void *g = NULL, *p = on_device(NULL, sizeof uniform);
    expect(curandCreateGenerator(&g, 161) == 0, "curandCreateGenerator");
    expect(curandSetPseudoRandomGeneratorSeed(g, 0) == 0, "seed");
    expect(curandGenerate(g, p, 4) == 0, "curandGenerate");
    cudaMemcpy(first, p, sizeof first, TO_HOST);
    expect(memcmp(first, known, sizeof known) == 0, "Philox");
    double sum = 0, squares = 0;
    expect(curandGenerateNormal(g, p, DRAWN, 3, 2) == 0, "curandGenerateNormal");
    cudaMemcpy(normal, p, sizeof normal, TO_HOST);
    for (int i = 0; i < DRAWN; i++) {
        sum += (double)normal[i] / DRAWN;
        squares += (double)normal[i] * (double)normal[i] / DRAWN;
    }
    expect(fabs(sum - 3) < 0.12 && fabs(sqrt(squares - sum * sum) - 2) < 0.1, "moments");
    expect(curandGenerateUniformDouble(g, p, DRAWN) == 0, "curandGenerateUniformDouble");
    cudaMemcpy(uniform, p, sizeof uniform, TO_HOST);
    for (int i = 0; i < DRAWN; i++) {
        expect(uniform[i] > 0 && uniform[i] <= 1, "uniform");
    }
    expect(curandGenerateUniformDouble(g, p, SIZE_MAX / 8 + 2) == 104, "numbers without end");
    expect(curandCreateGeneratorHost(&g, 161) == 0, "curandCreateGeneratorHost");
    expect(curandGenerateUniformDouble(g, uniform, SIZE_MAX / 8 + 2) == 104, "to the host");
    expect(curandCreateGenerator(&g, 202) == 103, "a scrambled quasi-random generator");
}

int main(void)
{
    void *h = NULL, *other = NULL;
    expect(cublasCreate_v2(&h) == 0 && cublasSetStream_v2(h, NULL) == 0, "cublasCreate");
    single(h);
    doubles(h);
    vectors(h);
    double_factors(h);
    single_factors(h);
    halves(h, 2, half);
    halves(h, 14, brain);
    brain_sums(h);
    randoms();
    for (int i = 0; i < 2; i++) {
        expect(cublasSsymv_v2(h) == 15, "cublasSsymv");
    }
    expect(cublasLtCreate(&other) == 0 && cusparseCreate(&other) == 0, "handles");
    expect(cufftXtSetGPUs(0, 0, NULL) == 16 && cusparseScsrgeam2(other) == 10, "what is not there");
    expect(cudaDeviceSynchronize() == 0 && cublasDestroy_v2(h) == 0, "the end");
    printf("%d wrong\n", bad);
    return bad != 0;
}
