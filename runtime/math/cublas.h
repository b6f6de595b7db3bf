/* cublas.h - private to the thin cuBLAS: its codes and its handle. */
#ifndef WW_RUNTIME_MATH_CUBLAS_H
#define WW_RUNTIME_MATH_CUBLAS_H

#include "runtime/math/math.h"

enum {
    SUCCESS = 0,
    NOT_INITIALIZED = 1,
    ALLOC_FAILED = 3,
    INVALID_VALUE = 7,
    MAPPING_ERROR = 11,
    EXECUTION_FAILED = 13,
    NOT_SUPPORTED = 15
};
enum { R_32F = 0, R_64F = 1, R_16F = 2, R_32I = 10, R_16BF = 14 }; /* cudaDataType_t */

typedef struct cublas_handle {
    cudaStream_t stream;
    int pointer_mode; /* 1: scalars lie in device memory */
    int math_mode, atomics_mode, sm_count;
    CUdeviceptr scratch; /* partial sums of level 1, from the first one on */
} * cublas_handle;

/** A scalar of a call, where the pointer mode has it; false: it cannot be read. */
bool cublas_read_scalar(cublas_handle h, const void *from, int type, double *out);
size_t cublas_bytes_of(int type);

static inline CUdeviceptr device(const void *p)
{
    return (CUdeviceptr)(uintptr_t)p;
}

#endif
