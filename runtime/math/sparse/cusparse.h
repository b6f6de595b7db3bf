/* cusparse.h - private to the thin cuSPARSE: its codes, its handle, and what its descriptors hold.
 */
#ifndef WW_RUNTIME_MATH_SPARSE_CUSPARSE_H
#define WW_RUNTIME_MATH_SPARSE_CUSPARSE_H

#include <stdio.h>

#include "base/compiler.h"
#include "runtime/math/math.h"
#include "runtime/math/sparse/operation.h"

enum {
    SUCCESS = 0,
    NOT_INITIALIZED = 1,
    ALLOC_FAILED = 2,
    INVALID_VALUE = 3,
    EXECUTION_FAILED = 6,
    NOT_SUPPORTED = 10,
    INSUFFICIENT_RESOURCES = 11
};
enum { R_32F = 0, R_64F = 1 };                        /* cudaDataType */
enum { CSR = 1, CSC = 2, COO = 3 };                   /* cusparseFormat_t */
enum { COLUMN_ORDER = 1, ROW_ORDER = 2 };             /* cusparseOrder_t */
enum { INDEX_16U = 1, INDEX_32I = 2, INDEX_64I = 3 }; /* cusparseIndexType_t */

typedef struct cusparse_handle {
    cudaStream_t stream;
    int pointer_mode; /* 1: scalars lie in device memory */
} * cusparse_handle;

typedef struct dense_vector {
    int64_t size;
    void *values;
    int type;
} dense_vector;

typedef struct sparse_vector {
    int64_t size, elements;
    void *indices, *values;
    int index_type, base, type;
} sparse_vector;

typedef struct dense_matrix {
    int64_t rows, columns, pitch, batch_stride;
    void *values;
    int type, order, batch;
} dense_matrix;

typedef struct sparse_matrix {
    int format, offsets_type, index_type, base, type, batch, fill_mode, diagonal;
    int64_t rows, columns, elements;
    /* Offsets of rows and columns of elements (CSR), the same with rows and columns exchanged
     * (CSC), or rows and columns of elements (COO). */
    void *first, *second, *values;
    int64_t first_batch, elements_batch;
} sparse_matrix;

/** descriptors.c: a cudaDataType of values that the library has. */
bool sparse_is_value_type(int type);

/** descriptors.c: an index of this type can be as large as `most`. */
bool sparse_index_fits(int type, int64_t most);

/** Launches a kernel whose name ends by the types, grid-stride over so many threads.
 * @param wide  indices of 64 bits */
static inline bool sparse_launch(cusparse_handle h, const char *kernel, bool is_double, bool wide,
                                 uint64_t threads, unsigned batch, void **arguments)
{
    enum { BLOCK = 256, MOST = 16384 };
    char name[64];
    const uint64_t blocks = (threads + BLOCK - 1) / BLOCK;
    const unsigned grid[3] = {(unsigned)(blocks < 1 ? 1 : blocks < MOST ? blocks : MOST), 1, batch};
    const unsigned block[3] = {BLOCK, 1, 1};
    (void)snprintf(name, sizeof name, "%s%s%s", kernel, is_double ? "_double" : "",
                   wide ? "_wide" : "");
    return math_launch(name, grid, block, arguments, h->stream);
}

/** What no product, conversion or sort of ours takes, by name and with what is nearest. */
static inline int sparse_lacks(const char *name, const char *nearest)
{
    char answer[160];
    (void)snprintf(answer, sizeof answer, "CUSPARSE_STATUS_NOT_SUPPORTED: %s", nearest);
    return math_lacks(name, NOT_SUPPORTED, answer);
}

#endif
