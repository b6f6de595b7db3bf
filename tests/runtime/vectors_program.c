/* vectors_program.c - a program that calls cuBLAS's functions of vectors and checks what they give
 * on the CPU. NVIDIA's headers are not needed to build it. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cudaMalloc(void **p, size_t bytes);
int cudaFree(void *p);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cublasCreate_v2(void **h);
int cublasDestroy_v2(void *h);
int cublasSetPointerMode_v2(void *h, int mode);
#define TYPE(S, s, T, suffix, I)                                                                   \
    int cublas##S##axpy##suffix(void *h, I n, const T *alpha, const T *x, I incx, T *y, I incy);   \
    int cublas##S##scal##suffix(void *h, I n, const T *alpha, T *x, I incx);                       \
    int cublas##S##copy##suffix(void *h, I n, const T *x, I incx, T *y, I incy);                   \
    int cublas##S##swap##suffix(void *h, I n, T *x, I incx, T *y, I incy);                         \
    int cublas##S##rot##suffix(void *h, I n, T *x, I incx, T *y, I incy, const T *c, const T *s_); \
    int cublas##S##dot##suffix(void *h, I n, const T *x, I incx, const T *y, I incy, T *result);   \
    int cublas##S##asum##suffix(void *h, I n, const T *x, I incx, T *result);                      \
    int cublas##S##nrm2##suffix(void *h, I n, const T *x, I incx, T *result);                      \
    int cublasI##s##amax##suffix(void *h, I n, const T *x, I incx, I *result);                     \
    int cublasI##s##amin##suffix(void *h, I n, const T *x, I incx, I *result);
TYPE(S, s, float, _v2, int)
TYPE(D, d, double, _v2, int)
TYPE(D, d, double, _v2_64, int64_t)
int cublasAxpyEx(void *h, int n, const void *alpha, int alpha_type, const void *x, int x_type,
                 int incx, void *y, int y_type, int incy, int execution);
int cublasScalEx(void *h, int n, const void *alpha, int alpha_type, void *x, int x_type, int incx,
                 int execution);
int cublasRotEx(void *h, int n, void *x, int x_type, int incx, void *y, int y_type, int incy,
                const void *c, const void *s, int scalar_type, int execution);
int cublasDotEx(void *h, int n, const void *x, int x_type, int incx, const void *y, int y_type,
                int incy, void *result, int result_type, int execution);
int cublasNrm2Ex(void *h, int n, const void *x, int x_type, int incx, void *result, int result_type,
                 int execution);
int cublasIamaxEx(void *h, int n, const void *x, int x_type, int incx, int *result);

enum { MOST = 70000, TO_DEVICE = 1, TO_HOST = 2, R_32F = 0, R_64F = 1, R_16F = 2, R_16BF = 14 };
enum { SUCCESS = 0, NOT_INITIALIZED = 1, INVALID_VALUE = 7, NOT_SUPPORTED = 15 };
static int bad;

static void expect(bool condition, const char *what, double is)
{
    if (!condition) {
        printf("wrong: %s (%.17g)\n", what, is);
        bad++;
    }
}

/* Small multiples of an eighth, so that sums are exact in single precision. */
static double number(int64_t i)
{
    return (double)((i * 7919 + 13) % 64 - 32) / 8.0;
}

/* Where number i of n lies that are `step` apart, as BLAS has it. */
static int64_t at(int64_t i, int64_t n, int64_t step)
{
    return step < 0 ? (i + 1 - n) * step : i * step;
}

static void *upload(const void *from, size_t bytes)
{
    void *p = NULL;
    expect(cudaMalloc(&p, bytes) == 0 && cudaMemcpy(p, from, bytes, TO_DEVICE) == 0, "upload", 0);
    return p;
}

static void download(void *to, void *from, size_t bytes)
{
    expect(cudaMemcpy(to, from, bytes, TO_HOST) == 0 && cudaFree(from) == 0, "download", 0);
}

/* What a type's functions give for n numbers with these steps, in both pointer modes. */
#define CHECK(S, s, T, suffix, I, check, eps)                                                      \
    static void check##_numbers(void *h, I n, I x_step, I y_step)                                  \
    {                                                                                              \
        static T x[2 * MOST], y[2 * MOST], x2[2 * MOST], y2[2 * MOST];                             \
        for (int64_t i = 0; i < 2 * MOST; i++) {                                                   \
            x[i] = (T)number(i);                                                                   \
            y[i] = (T)number(3 * i + 1);                                                           \
        }                                                                                          \
        T *dx = upload(x, sizeof x), *dy = upload(y, sizeof y);                                    \
        const T two = 2, half = (T)0.5, quarter = (T)0.25;                                         \
        expect(cublas##S##axpy##suffix(h, n, &two, dx, x_step, dy, y_step) == SUCCESS, "axpy", 0); \
        expect(cublas##S##rot##suffix(h, n, dx, x_step, dy, y_step, &half, &quarter) == SUCCESS,   \
               "rot", 0);                                                                          \
        expect(cublas##S##swap##suffix(h, n, dx, x_step, dy, y_step) == SUCCESS, "swap", 0);       \
        expect(cublas##S##scal##suffix(h, n, &two, dx, x_step) == SUCCESS, "scal", 0);             \
        download(x2, dx, sizeof x);                                                                \
        download(y2, dy, sizeof y);                                                                \
        for (I i = 0; i < n; i++) {                                                                \
            T a = x[at(i, n, x_step)], b = two * a + y[at(i, n, y_step)];                          \
            T turned_a = half * a + quarter * b, turned_b = half * b - quarter * a;                \
            x[at(i, n, x_step)] = x_step > 0 ? two * turned_b : turned_b;                          \
            y[at(i, n, y_step)] = turned_a;                                                        \
        }                                                                                          \
        expect(memcmp(x, x2, sizeof x) == 0, #S "x after axpy, rot, swap, scal", (double)n);       \
        expect(memcmp(y, y2, sizeof y) == 0, #S "y after axpy, rot, swap", (double)n);             \
    }                                                                                              \
    static void check##_sums(void *h, I n, I x_step, I y_step)                                     \
    {                                                                                              \
        static T x[2 * MOST], y[2 * MOST];                                                         \
        double dot = 0, sum = 0, squares = 0;                                                      \
        I largest = 0, smallest = 0;                                                               \
        for (int64_t i = 0; i < 2 * MOST; i++) {                                                   \
            x[i] = (T)number(i);                                                                   \
            y[i] = (T)number(5 * i + 2);                                                           \
        }                                                                                          \
        for (I i = 0; i < n; i++) {                                                                \
            double a = (double)x[at(i, n, x_step)];                                                \
            dot += a * (double)y[at(i, n, y_step)];                                                \
            sum += fabs(a);                                                                        \
            squares += a * a;                                                                      \
            largest = i == 0 || fabs(a) > fabs((double)x[at(largest, n, x_step)]) ? i : largest;   \
            smallest =                                                                             \
                i == 0 || fabs(a) < fabs((double)x[at(smallest, n, x_step)]) ? i : smallest;       \
        }                                                                                          \
        bool none = n <= 0 || x_step <= 0;                                                         \
        T *dx = upload(x, sizeof x), *dy = upload(y, sizeof y), is[3];                             \
        I where[2];                                                                                \
        for (int mode = 0; mode < 2; mode++) {                                                     \
            memset(is, 255, sizeof is);                                                            \
            memset(where, 255, sizeof where);                                                      \
            T *r = mode ? upload(is, sizeof is) : is;                                              \
            I *w = mode ? upload(where, sizeof where) : where;                                     \
            cublasSetPointerMode_v2(h, mode);                                                      \
            expect(cublas##S##dot##suffix(h, n, dx, x_step, dy, y_step, r) == SUCCESS, "dot", 0);  \
            expect(cublas##S##asum##suffix(h, n, dx, x_step, r + 1) == SUCCESS, "asum", 0);        \
            expect(cublas##S##nrm2##suffix(h, n, dx, x_step, r + 2) == SUCCESS, "nrm2", 0);        \
            expect(cublasI##s##amax##suffix(h, n, dx, x_step, w) == SUCCESS, "amax", 0);           \
            expect(cublasI##s##amin##suffix(h, n, dx, x_step, w + 1) == SUCCESS, "amin", 0);       \
            if (mode) {                                                                            \
                download(is, r, sizeof is);                                                        \
                download(where, w, sizeof where);                                                  \
            }                                                                                      \
            expect(is[0] == (T)dot, #S "dot", (double)is[0]);                                      \
            expect(is[1] == (none ? 0 : (T)sum), #S "asum", (double)is[1]);                        \
            double norm = none ? 0 : sqrt(squares);                                                \
            expect(fabs((double)is[2] - norm) <= (eps)*norm, #S "nrm2", (double)is[2]);            \
            expect(where[0] == (none ? 0 : largest + 1), #S "amax", (double)where[0]);             \
            expect(where[1] == (none ? 0 : smallest + 1), #S "amin", (double)where[1]);            \
        }                                                                                          \
        cublasSetPointerMode_v2(h, 0);                                                             \
        expect(cudaFree(dx) == 0 && cudaFree(dy) == 0, "cudaFree", 0);                             \
    }
CHECK(S, s, float, _v2, int, single, 1e-6)
CHECK(D, d, double, _v2, int, double, 1e-15)
CHECK(D, d, double, _v2_64, int64_t, wide, 1e-15)

/* Numbers whose squares no type holds. */
static void extremes(void *h)
{
    const double large[] = {3e200, 4e200}, small[] = {3e-200, 4e-200}, odd[] = {1, NAN, 2};
    void *d[] = {upload(large, sizeof large), upload(small, sizeof small), upload(odd, sizeof odd)};
    double is[3] = {0};
    for (int i = 0; i < 3; i++) {
        expect(cublasDnrm2_v2(h, i == 2 ? 3 : 2, d[i], 1, is + i) == SUCCESS, "nrm2", i);
    }
    expect(fabs(is[0] / 5e200 - 1) < 1e-15, "norm of large numbers", is[0]);
    expect(fabs(is[1] / 5e-200 - 1) < 1e-15, "norm of small numbers", is[1]);
    expect(isnan(is[2]), "norm with what is no number", is[2]);
}

/* 16 bits: halves and bfloat16 of 1, 2, 3, -4 and of what they become. */
static void typed(void *h, int type, const uint16_t numbers[4], uint16_t ten, uint16_t thirty)
{
    void *x = upload(numbers, 8), *y = upload(numbers, 8);
    const float two = 2;
    uint16_t dot = 0, norm = 0, is[4] = {0};
    int largest = 0;
    expect(cublasDotEx(h, 4, x, type, 1, y, type, 1, &dot, type, R_32F) == SUCCESS, "DotEx", type);
    expect(dot == thirty, "DotEx gives", dot);
    expect(cublasIamaxEx(h, 4, x, type, 1, &largest) == SUCCESS && largest == 4, "IamaxEx",
           largest);
    expect(cublasAxpyEx(h, 4, &two, R_32F, x, type, 1, y, type, 1, R_32F) == SUCCESS, "AxpyEx", 0);
    expect(cublasNrm2Ex(h, 1, y, type, 1, &norm, type, R_32F) == SUCCESS, "Nrm2Ex", type);
    expect(norm == numbers[2], "1 + 2 x 1, and its norm", norm); /* 3 */
    /* x = 1 x + 2 y, y = 1 y - 2 x with y = 3 x: the first of x is 7, of y 1 */
    expect(cublasRotEx(h, 4, x, type, 1, y, type, 1, &numbers[0], &numbers[1], type, R_32F) ==
               SUCCESS,
           "RotEx", type);
    download(is, y, sizeof is);
    expect(memcmp(is, numbers, sizeof is) == 0, "y turned back", is[0]);
    expect(cublasScalEx(h, 1, &two, R_32F, x, type, 1, R_32F) == SUCCESS, "ScalEx", type);
    download(is, x, sizeof is);
    expect(is[0] == ten, "2 x 7", is[0]);
}

static void refusals(void *h)
{
    double number_on_host = 1, *none = NULL;
    int place = 0;
    expect(cublasDdot_v2(NULL, 1, none, 1, none, 1, &number_on_host) == NOT_INITIALIZED, "dot", 0);
    expect(cublasDdot_v2(h, 1, none, 1, none, 1, NULL) == INVALID_VALUE, "no result", 0);
    expect(cublasDaxpy_v2(h, 1, NULL, none, 1, none, 1) == INVALID_VALUE, "no alpha", 0);
    expect(cublasDotEx(h, 1, none, R_32F, 1, none, R_64F, 1, &number_on_host, R_64F, R_64F) ==
               NOT_SUPPORTED,
           "types that differ", 0);
    expect(cublasAxpyEx(h, 0, &number_on_host, R_64F, none, R_32F, 1, none, R_32F, 1, R_32F) ==
               NOT_SUPPORTED,
           "alpha of another type than what computes", 0);
    expect(cublasAxpyEx(h, 0, &number_on_host, R_32F, none, R_32F, 1, none, R_16F, 1, R_32F) ==
               NOT_SUPPORTED,
           "vectors of two types", 0);
    expect(cublasScalEx(h, 0, &number_on_host, R_64F, none, R_32F, 1, R_32F) == NOT_SUPPORTED,
           "factor of another type than what computes", 0);
    expect(cublasIamaxEx(h, 1, none, 3, 1, &place) == NOT_SUPPORTED, "bytes", 0);
    expect(cublasDscal_v2(h, -1, &number_on_host, none, 1) == SUCCESS, "nothing to do", 0);
}

int main(void)
{
    void *h = NULL;
    expect(cublasCreate_v2(&h) == SUCCESS, "cublasCreate", 0);
    single_numbers(h, 1000, 1, 1);
    single_numbers(h, MOST, 2, -1);
    double_numbers(h, 257, -2, 1);
    wide_numbers(h, 1000, 2, 2);
    single_sums(h, 1000, 1, 1);
    single_sums(h, MOST, 1, 2);
    double_sums(h, MOST, 2, -1);
    double_sums(h, 5, -1, 1);
    wide_sums(h, 1000, 2, 1);
    wide_sums(h, 0, 1, 1);
    extremes(h);
    typed(h, R_16F, (const uint16_t[]){0x3c00, 0x4000, 0x4200, 0xc400}, 0x4b00, 0x4f80);
    typed(h, R_16BF, (const uint16_t[]){0x3f80, 0x4000, 0x4040, 0xc080}, 0x4160, 0x41f0);
    refusals(h);
    expect(cublasDestroy_v2(h) == SUCCESS && cublasDestroy_v2(NULL) == NOT_INITIALIZED, "end", 0);
    printf("%d wrong\n", bad);
    return bad != 0;
}
