/* products.h - products of matrices on the matrix units, or on the FP32 lanes with large tiles, for
 * the thin cuBLAS and cuBLASLt: private to runtime/math, in a library of its own, so that the
 * kernels are there once. */
#ifndef WW_RUNTIME_MATH_PRODUCTS_H
#define WW_RUNTIME_MATH_PRODUCTS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/driver_api/calls.h"
#include "runtime/math/products/finish.h"

/* Column by column, as BLAS has matrices. */
typedef struct ww_matrix {
    const void *at;
    int64_t ld, stride; /* in numbers; from one matrix of a batch to the next */
    int type;           /* cudaDataType_t */
} ww_matrix;

/* D = function(alpha op(A) op(B) + beta C + bias), `count` of them. */
typedef struct ww_product {
    bool turn_a, turn_b; /* op */
    int64_t m, n, k, count;
    ww_matrix a, b, c, d;
    float alpha, beta;
    bool tf32;             /* numbers of 32 bits may be rounded to TF32 */
    int function;          /* WW_FINISH_… */
    ww_matrix bias;        /* null: none; ld is not used */
    bool along_n;          /* bias is a number per column, and aux lies by rows */
    ww_matrix aux;         /* null: none */
    const float *scale[4]; /* of A, B, C, D; null: 1 */
} ww_product;

typedef enum ww_product_outcome {
    WW_PRODUCT_DONE,
    WW_PRODUCT_UNSUPPORTED, /* these types, this GPU */
    WW_PRODUCT_FAILED,
} ww_product_outcome;

/** Whether there is a kernel for it on the current device. */
WW_API bool warpwatt_product_is_there(const ww_product *p);
/** Launches it. C may be D; what it needs for itself is kept per stream. */
WW_API ww_product_outcome warpwatt_product_run(const ww_product *p, cudaStream_t stream);

#endif
