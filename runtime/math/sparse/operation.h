/* operation.h - what launches of kernels.cu are told, in both languages. Steps and sizes count
 * elements; indices begin at `base`. */
#ifndef WW_RUNTIME_MATH_SPARSE_OPERATION_H
#define WW_RUNTIME_MATH_SPARSE_OPERATION_H

/* C = alpha A B + beta C, A sparse: by its rows, or by its elements, each at a row of C and of B.
 */
typedef struct sparse_product {
    const void *offsets;   /* of rows; of A's elements: NULL */
    const void *to, *from; /* of each element: the row of C, of elements alone; the row of B */
    const void *values;
    long long rows, elements, columns; /* columns of B and C */
    long long offsets_batch, elements_batch, b_batch, c_batch;
    const void *b;
    void *c;
    long long c_rows, b_row, b_column, c_row, c_column;
    const void *alpha_at, *beta_at; /* in device memory; NULL: the values beside */
    double alpha, beta;
    int base, lanes; /* lanes: threads of a row */
} sparse_product;

/* A dense matrix and a sparse one: `majors` rows (of a CSC matrix, columns) of `minors` elements.
 */
typedef struct sparse_dense {
    void *dense;
    long long major_step, minor_step;
    long long majors, minors, elements;
    long long *begins;                  /* in the buffer: of each row, and behind the last */
    void *offsets, *to, *from, *values; /* of the sparse one; NULL: it has none of these */
    int base;
} sparse_dense;

/* A sparse vector beside a dense one of `size` numbers. */
typedef struct sparse_pair {
    const void *indices;
    void *values, *dense;
    long long elements, size;
    const void *alpha_at, *beta_at; /* as of a product */
    double alpha, beta;
    int base;
    void *sum; /* where one is asked for */
} sparse_pair;

/* Sorting: keys and what goes with them, and where a pass puts them. */
typedef struct sparse_sort {
    unsigned long long *keys, *keys_out;
    int *places, *places_out;
    long long count, width; /* width: of the runs that are in order */
} sparse_sort;

#endif
