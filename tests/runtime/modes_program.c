/* modes_program.c - does TF32 reach a product of cuBLAS that asks for it, and all products of a
 * handle that does, and no other? NVIDIA's headers are not needed to build it. */
#include <stddef.h>
#include <stdio.h>

int cudaMalloc(void **p, size_t bytes);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cublasCreate_v2(void **h);
int cublasDestroy_v2(void *h);
int cublasSetMathMode(void *h, int mode);
int cublasGemmEx(void *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a,
                 int type_a, int lda, const void *b, int type_b, int ldb, const void *beta, void *c,
                 int type_c, int ldc, int compute, int algorithm);

enum { TO_DEVICE = 1, TO_HOST = 2, R_32F = 0, COMPUTE_32F = 68, COMPUTE_TF32 = 77, TF32_MATH = 3 };
static const float more_than_one = 1 + 0x1p-12F;
static int bad;

static void expect(int condition, const char *what)
{
    if (!condition) {
        printf("wrong: %s\n", what);
        bad++;
    }
}

/* 1 + 2^-12 times 1: a factor of TF32 has ten bits behind its point. */
static float product(void *h, float *device, int compute)
{
    const float one = 1, zero = 0;
    float result = 0;
    expect(cublasGemmEx(h, 0, 0, 1, 1, 1, &one, device, R_32F, 1, device + 1, R_32F, 1, &zero,
                        device + 2, R_32F, 1, compute, -1) == 0 &&
               cudaMemcpy(&result, device + 2, sizeof result, TO_HOST) == 0,
           "a product of two numbers");
    return result;
}

int main(void)
{
    const float factors[] = {more_than_one, 1};
    void *h = NULL, *device = NULL;
    expect(cublasCreate_v2(&h) == 0 && cudaMalloc(&device, 3 * sizeof *factors) == 0 &&
               cudaMemcpy(device, factors, sizeof factors, TO_DEVICE) == 0,
           "a handle and two numbers");
    expect(product(h, device, COMPUTE_32F) == more_than_one, "FP32 as usual");
    expect(product(h, device, COMPUTE_TF32) == 1, "TF32 of a product");
    expect(product(h, device, COMPUTE_32F) == more_than_one, "FP32 of the next one");
    expect(cublasSetMathMode(h, TF32_MATH) == 0 && product(h, device, COMPUTE_32F) == 1,
           "TF32 of a handle");
    expect(cublasSetMathMode(h, 0) == 0 && product(h, device, COMPUTE_32F) == more_than_one,
           "FP32 again");
    expect(cublasDestroy_v2(h) == 0, "the end");
    return bad != 0;
}
