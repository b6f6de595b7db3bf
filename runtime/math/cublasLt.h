/* cublasLt.h - private to the thin cuBLASLt: what its descriptors hold. Programs may keep them in
 * their own memory, of the sizes that NVIDIA's header gives them. */
#ifndef WW_RUNTIME_MATH_CUBLASLT_H
#define WW_RUNTIME_MATH_CUBLASLT_H

#include "runtime/math/cublas.h"

typedef struct lt_matmul_desc { /* cublasLtMatmulDescOpaque_t: 23 words before CUDA 13, 32 since */
    int32_t compute, scale_type, pointer_mode, op_a, op_b, op_c, fill, epilogue;
    const void *bias;
    void *aux;
    int64_t bias_stride, aux_ld, aux_stride;
    int32_t bias_type, aux_type; /* -1: D's */
    const float *scale[4];       /* of A, B, C, D */
    int32_t sm_count;
    int8_t fast_sums;
} lt_matmul_desc;

typedef struct lt_layout { /* cublasLtMatrixLayoutOpaque_t: 8 words */
    uint64_t rows, columns;
    int64_t ld, stride;
    int32_t type, order, batch;
} lt_layout;

typedef struct lt_preference { /* cublasLtMatmulPreferenceOpaque_t: 8 words */
    uint64_t workspace;
    uint32_t alignment[4]; /* of A, B, C, D */
    uint32_t search, reductions;
} lt_preference;

typedef struct lt_algo { /* cublasLtMatmulAlgo_t */
    uint64_t data[8];
} lt_algo;

typedef struct lt_result { /* cublasLtMatmulHeuristicResult_t */
    lt_algo algo;
    size_t workspace;
    int status;
    float waves;
    int reserved[4];
} lt_result;

_Static_assert(sizeof(lt_matmul_desc) <= 23 * 8, "fits NVIDIA's");
_Static_assert(sizeof(lt_layout) <= 64 && sizeof(lt_preference) <= 64, "fits NVIDIA's");
_Static_assert(sizeof(lt_result) == 96, "as NVIDIA's");

enum { LT_ORDER_COLUMN = 0, LT_ORDER_ROW = 1 };
enum { LT_FILL_WHOLE = 2 };
enum { LT_POINTERS_HOST = 0, LT_POINTERS_DEVICE = 1 };

/* cublasLtEpilogue_t, of those that are there. */
enum { LT_DEFAULT = 1, LT_RELU = 2, LT_BIAS = 4, LT_GELU = 32, LT_DGELU = 64 | 128, LT_AUX = 128 };

#endif
