/* sparse.h - the calls of cuSPARSE that sparse_program.c makes, and its matrices: all places of one
 * on the host, and its lists on the device. */
#ifndef WW_TESTS_RUNTIME_LIBRARIES_SPARSE_H
#define WW_TESTS_RUNTIME_LIBRARIES_SPARSE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cudaMalloc(void **p, size_t bytes);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
const char *cudaGetErrorString(int code);
int cusparseCreate(void **h);
int cusparseDestroy(void *h);
int cusparseSetStream(void *h, void *stream);
int cusparseSetPointerMode(void *h, int mode);
const char *cusparseGetErrorName(int code);
const char *cusparseGetErrorString(int code);
int cusparseCreateCsr(void **m, int64_t rows, int64_t columns, int64_t elements, void *offsets,
                      void *indices, void *values, int offsets_type, int index_type, int base,
                      int type);
int cusparseCreateCsc(void **m, int64_t rows, int64_t columns, int64_t elements, void *offsets,
                      void *indices, void *values, int offsets_type, int index_type, int base,
                      int type);
int cusparseCreateCoo(void **m, int64_t rows, int64_t columns, int64_t elements, void *row_list,
                      void *column_list, void *values, int index_type, int base, int type);
int cusparseDestroySpMat(void *m);
int cusparseCsrSetPointers(void *m, void *offsets, void *indices, void *values);
int cusparseCscSetPointers(void *m, void *offsets, void *indices, void *values);
int cusparseCooSetPointers(void *m, void *rows, void *columns, void *values);
int cusparseCooSetStridedBatch(void *m, int batch, int64_t stride);
int cusparseCsrSetStridedBatch(void *m, int batch, int64_t offsets, int64_t elements);
int cusparseSpMatGetSize(void *m, int64_t *rows, int64_t *columns, int64_t *elements);
int cusparseCreateDnVec(void **v, int64_t size, void *values, int type);
int cusparseDestroyDnVec(void *v);
int cusparseCreateDnMat(void **m, int64_t rows, int64_t columns, int64_t pitch, void *values,
                        int type, int order);
int cusparseDnMatSetStridedBatch(void *m, int batch, int64_t stride);
int cusparseDestroyDnMat(void *m);
int cusparseSpMV_bufferSize(void *h, int op, const void *alpha, void *a, void *x, const void *beta,
                            void *y, int type, int algorithm, size_t *bytes);
int cusparseSpMV(void *h, int op, const void *alpha, void *a, void *x, const void *beta, void *y,
                 int type, int algorithm, void *buffer);
int cusparseSpMM_bufferSize(void *h, int op_a, int op_b, const void *alpha, void *a, void *b,
                            const void *beta, void *c, int type, int algorithm, size_t *bytes);
int cusparseSpMM(void *h, int op_a, int op_b, const void *alpha, void *a, void *b, const void *beta,
                 void *c, int type, int algorithm, void *buffer);
int cusparseSparseToDense(void *h, void *s, void *d, int algorithm, void *buffer);
int cusparseDenseToSparse_bufferSize(void *h, void *d, void *s, int algorithm, size_t *bytes);
int cusparseDenseToSparse_analysis(void *h, void *d, void *s, int algorithm, void *buffer);
int cusparseDenseToSparse_convert(void *h, void *d, void *s, int algorithm, void *buffer);
int cusparseXcsr2coo(void *h, const int *offsets, int elements, int rows, int *out, int base);
int cusparseXcoo2csr(void *h, const int *list, int elements, int rows, int *out, int base);
int cusparseCreateIdentityPermutation(void *h, int n, int *p);
int cusparseXcoosort_bufferSizeExt(void *h, int m, int n, int elements, const int *rows,
                                   const int *columns, size_t *bytes);
int cusparseXcoosortByRow(void *h, int m, int n, int elements, int *rows, int *columns, int *p,
                          void *buffer);
int cusparseXcoosortByColumn(void *h, int m, int n, int elements, int *rows, int *columns, int *p,
                             void *buffer);
int cusparseXcsrsort(void *h, int m, int n, int elements, const void *kind, const int *offsets,
                     int *columns, int *p, void *buffer);
int cusparseCsr2cscEx2_bufferSize(void *h, int m, int n, int elements, const void *values,
                                  const int *offsets, const int *indices, void *values_out,
                                  int *offsets_out, int *indices_out, int type, int numeric,
                                  int base, int algorithm, size_t *bytes);
int cusparseCsr2cscEx2(void *h, int m, int n, int elements, const void *values, const int *offsets,
                       const int *indices, void *values_out, int *offsets_out, int *indices_out,
                       int type, int numeric, int base, int algorithm, void *buffer);
int cusparseCreateSpVec(void **v, int64_t size, int64_t elements, void *indices, void *values,
                        int index_type, int base, int type);
int cusparseDestroySpVec(void *v);
int cusparseGather(void *h, void *y, void *x);
int cusparseScatter(void *h, void *x, void *y);
int cusparseAxpby(void *h, const void *alpha, void *x, const void *beta, void *y);
int cusparseRot(void *h, const void *c, const void *s, void *x, void *y);
int cusparseSpVV_bufferSize(void *h, int op, void *x, void *y, const void *result, int type,
                            size_t *bytes);
int cusparseSpVV(void *h, int op, void *x, void *y, void *result, int type, void *buffer);
int cusparseSpGEMM_createDescr(void **out);

#include "tests/runtime/check.h"

enum { TO_DEVICE = 1, TO_HOST = 2, CSR = 1, CSC = 2, COO = 3, FORMS };
enum { R_32F = 0, R_64F = 1, R_16F = 2, INDEX_32 = 2, INDEX_64 = 3, COLUMN_ORDER = 1, ROW_ORDER };

static uint64_t state = 1;

static double number(void)
{
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (double)(int64_t)(state >> 11) / 4503599627370496.0 - 1;
}

static void *on_device(const void *from, size_t bytes)
{
    void *p = NULL;
    OK(cudaMalloc(&p, bytes + 1));
    if (from != NULL && bytes > 0) {
        OK(cudaMemcpy(p, from, bytes, TO_DEVICE));
    }
    return p;
}

/* Arrays of the program's types, out of doubles and whole numbers. */
static void *values_of(const double *from, size_t n, int type)
{
    float *narrow = malloc((n + 1) * sizeof *narrow);
    for (size_t i = 0; i < n; i++) {
        narrow[i] = (float)from[i];
    }
    void *p = type == R_64F ? on_device(from, n * 8) : on_device(narrow, n * 4);
    free(narrow);
    return p;
}

static void *indices_of(const int *from, size_t n, int type, int base)
{
    int64_t *wide = malloc((n + 1) * sizeof *wide);
    int *narrow = malloc((n + 1) * sizeof *narrow);
    for (size_t i = 0; i < n; i++) {
        wide[i] = from[i] + base;
        narrow[i] = from[i] + base;
    }
    void *p = type == INDEX_64 ? on_device(wide, n * 8) : on_device(narrow, n * 4);
    free(wide);
    free(narrow);
    return p;
}

static void read_values(double *to, const void *from, size_t n, int type)
{
    float *narrow = malloc((n + 1) * sizeof *narrow);
    if (type == R_64F) {
        OK(cudaMemcpy(to, from, n * 8, TO_HOST));
    } else {
        OK(cudaMemcpy(narrow, from, n * 4, TO_HOST));
    }
    for (size_t i = 0; type != R_64F && i < n; i++) {
        to[i] = (double)narrow[i];
    }
    free(narrow);
}

static void read_indices(int *to, const void *from, size_t n, int type, int base)
{
    int64_t *wide = malloc((n + 1) * sizeof *wide);
    OK(cudaMemcpy(type == INDEX_64 ? (void *)wide : (void *)to, from,
                  n * (type == INDEX_64 ? 8 : 4), TO_HOST));
    for (size_t i = 0; i < n; i++) {
        to[i] = (type == INDEX_64 ? (int)wide[i] : to[i]) - base;
    }
    free(wide);
}

/* A matrix as all its places, and as lists: by rows, or by columns where `form` is CSC. */
typedef struct matrix {
    int rows, columns, elements;
    double *all; /* row by row; single precision's numbers where that is the type */
    int *offsets, *major, *minor;
    double *values;
    void *descriptor;
} matrix;

/* About one place in `sparsity` is not 0; every fifth row is empty, and the third is full. */
static void fill(matrix *m, int rows, int columns, int sparsity, int type)
{
    m->rows = rows;
    m->columns = columns;
    m->all = calloc((size_t)rows * (size_t)columns + 1, sizeof *m->all);
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            double chance = (number() + 1) / 2 * sparsity, value = number() + 1.5;
            bool set = i % 5 != 4 && (i == 2 || chance < 1);
            m->all[i * columns + j] = !set ? 0 : type == R_64F ? value : (double)(float)value;
        }
    }
}

static void list(matrix *m, int form, int shuffled)
{
    const size_t places = (size_t)m->rows * (size_t)m->columns + 1;
    const int majors = form == CSC ? m->columns : m->rows;
    const int minors = form == CSC ? m->rows : m->columns;
    m->offsets = malloc(((size_t)majors + 1) * sizeof *m->offsets);
    m->major = malloc(places * sizeof *m->major);
    m->minor = malloc(places * sizeof *m->minor);
    m->values = malloc(places * sizeof *m->values);
    m->elements = 0;
    for (int i = 0; i < majors; i++) {
        m->offsets[i] = m->elements;
        for (int k = 0; k < minors; k++) {
            /* backwards: columns of a row need no order */
            int j = shuffled != 0 ? minors - 1 - k : k;
            double value = form == CSC ? m->all[j * m->columns + i] : m->all[i * m->columns + j];
            if (value != 0) {
                m->major[m->elements] = i;
                m->minor[m->elements] = j;
                m->values[m->elements++] = value;
            }
        }
    }
    m->offsets[majors] = m->elements;
}

static void describe(matrix *m, int form, int type, int index, int base)
{
    size_t n = (size_t)m->elements;
    size_t majors = (size_t)(form == CSC ? m->columns : m->rows);
    void *first = form == COO ? indices_of(m->major, n, index, base)
                              : indices_of(m->offsets, majors + 1, index, base);
    void *second = indices_of(m->minor, n, index, base), *values = values_of(m->values, n, type);
    if (form == COO) {
        OK(cusparseCreateCoo(&m->descriptor, m->rows, m->columns, m->elements, first, second,
                             values, index, base, type));
    } else {
        OK((form == CSC ? cusparseCreateCsc
                        : cusparseCreateCsr)(&m->descriptor, m->rows, m->columns, m->elements,
                                             first, second, values, index, index, base, type));
    }
}

static void forget(matrix *m)
{
    OK(cusparseDestroySpMat(m->descriptor));
    free(m->all);
    free(m->offsets);
    free(m->major);
    free(m->minor);
    free(m->values);
    *m = (matrix){0};
}

static double at(const matrix *m, bool turned, int i, int j)
{
    return turned ? m->all[j * m->columns + i] : m->all[i * m->columns + j];
}

/* A dense matrix in memory: element (i, j), transposed or not, by its order. */
typedef struct dense {
    int rows, columns, pitch, order;
    size_t size;
    double *all;
    void *values, *descriptor;
} dense;

static double *place(const dense *d, bool turned, int i, int j)
{
    int row = turned ? j : i, column = turned ? i : j;
    return &d->all[d->order == COLUMN_ORDER ? row + column * d->pitch : column + row * d->pitch];
}

static dense make_dense(int rows, int columns, int order, int type)
{
    dense d = {rows, columns, (order == COLUMN_ORDER ? rows : columns) + 3, order, 0, NULL,
               NULL, NULL};
    d.size = (size_t)d.pitch * (size_t)(order == COLUMN_ORDER ? columns : rows) + 1;
    d.all = malloc(d.size * sizeof *d.all);
    for (size_t i = 0; i < d.size; i++) {
        double value = number();
        d.all[i] = type == R_64F ? value : (double)(float)value;
    }
    d.values = values_of(d.all, d.size, type);
    OK(cusparseCreateDnMat(&d.descriptor, rows, columns, d.pitch, d.values, type, order));
    return d;
}

static void forget_dense(dense *d)
{
    OK(cusparseDestroyDnMat(d->descriptor));
    free(d->all);
}

#endif
