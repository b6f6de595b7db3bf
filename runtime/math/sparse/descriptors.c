/* descriptors.c - of the thin cuSPARSE, what its generic calls are told: sparse matrices by rows,
 * columns or coordinates, dense vectors and matrices. Values of any type of the library's may be
 * described; which can be multiplied, products.c says. Wrong values are refused as NVIDIA's library
 * refuses them. */
#include <stdlib.h>

#include "base/checked.h"
#include "runtime/math/sparse/cusparse.h"

/* cudaDataType of values: real and complex ones of 16, 32 and 64 bits, and bytes. */
bool sparse_is_value_type(int type)
{
    static const int all[] = {0, 1, 2, 3, 4, 5, 6, 8, 10, 14, 15};
    for (size_t i = 0; i < WW_ARRAY_LEN(all); i++) {
        if (all[i] == type) {
            return true;
        }
    }
    return false;
}

static bool is_index_type(int type)
{
    return type >= INDEX_16U && type <= INDEX_64I;
}

bool sparse_index_fits(int type, int64_t most)
{
    return type == INDEX_64I || most <= (type == INDEX_32I ? INT32_MAX : UINT16_MAX);
}

/* More elements than places. */
static bool too_many(int64_t rows, int64_t columns, int64_t elements)
{
    size_t places;
    return ww_mul_fits((size_t)rows, (size_t)columns, &places) && (size_t)elements > places;
}

static int create_sparse(sparse_matrix **out, const sparse_matrix *m)
{
    if (out == NULL || m->rows < 0 || m->columns < 0 || m->elements < 0 ||
        !is_index_type(m->offsets_type) || !is_index_type(m->index_type) || m->base < 0 ||
        m->base > 1 || !sparse_is_value_type(m->type)) {
        return INVALID_VALUE;
    }
    if (m->offsets_type != m->index_type) {
        return sparse_lacks("cusparseCreateCsr with offsets and indices of different types",
                            "offsets and indices of the same type are there");
    }
    if (too_many(m->rows, m->columns, m->elements) ||
        !sparse_index_fits(m->index_type, m->rows + m->base) ||
        !sparse_index_fits(m->index_type, m->columns + m->base) ||
        !sparse_index_fits(m->offsets_type, m->elements)) {
        return INVALID_VALUE;
    }
    sparse_matrix *made = malloc(sizeof *made);
    if (made == NULL) {
        return ALLOC_FAILED;
    }
    *made = *m;
    *out = made;
    return SUCCESS;
}

/* MADE(cusparseCreateCsr) MADE(cusparseCreateConstCsr) MADE(cusparseCreateCsc)
 * MADE(cusparseCreateConstCsc) */
#define COMPRESSED(name, kind)                                                                     \
    MATH_API int name(sparse_matrix **out, int64_t rows, int64_t columns, int64_t elements,        \
                      void *offsets, void *indices, void *values, int offsets_type,                \
                      int index_type, int base, int type)                                          \
    {                                                                                              \
        const sparse_matrix m = {.format = (kind),                                                 \
                                 .offsets_type = offsets_type,                                     \
                                 .index_type = index_type,                                         \
                                 .base = base,                                                     \
                                 .type = type,                                                     \
                                 .batch = 1,                                                       \
                                 .rows = rows,                                                     \
                                 .columns = columns,                                               \
                                 .elements = elements,                                             \
                                 .first = offsets,                                                 \
                                 .second = indices,                                                \
                                 .values = values};                                                \
        return create_sparse(out, &m);                                                             \
    }
COMPRESSED(cusparseCreateCsr, CSR)
COMPRESSED(cusparseCreateConstCsr, CSR)
COMPRESSED(cusparseCreateCsc, CSC)
COMPRESSED(cusparseCreateConstCsc, CSC)

/* MADE(cusparseCreateCoo) MADE(cusparseCreateConstCoo) */
#define COORDINATES(name)                                                                          \
    MATH_API int name(sparse_matrix **out, int64_t rows, int64_t columns, int64_t elements,        \
                      void *row_list, void *column_list, void *values, int index_type, int base,   \
                      int type)                                                                    \
    {                                                                                              \
        const sparse_matrix m = {.format = COO,                                                    \
                                 .offsets_type = index_type,                                       \
                                 .index_type = index_type,                                         \
                                 .base = base,                                                     \
                                 .type = type,                                                     \
                                 .batch = 1,                                                       \
                                 .rows = rows,                                                     \
                                 .columns = columns,                                               \
                                 .elements = elements,                                             \
                                 .first = row_list,                                                \
                                 .second = column_list,                                            \
                                 .values = values};                                                \
        return create_sparse(out, &m);                                                             \
    }
COORDINATES(cusparseCreateCoo)
COORDINATES(cusparseCreateConstCoo)

MADE(cusparseDestroySpMat)(sparse_matrix *m)
{
    free(m);
    return SUCCESS;
}

static int set_pointers(sparse_matrix *m, int format, void *first, void *second, void *values)
{
    if (m == NULL || m->format != format) {
        return INVALID_VALUE;
    }
    m->first = first;
    m->second = second;
    m->values = values;
    return SUCCESS;
}

MADE(cusparseCsrSetPointers)(sparse_matrix *m, void *offsets, void *columns, void *values)
{
    return set_pointers(m, CSR, offsets, columns, values);
}

MADE(cusparseCscSetPointers)(sparse_matrix *m, void *offsets, void *rows, void *values)
{
    return set_pointers(m, CSC, offsets, rows, values);
}

MADE(cusparseCooSetPointers)(sparse_matrix *m, void *rows, void *columns, void *values)
{
    return set_pointers(m, COO, rows, columns, values);
}

/* MADE(cusparseCsrGet) MADE(cusparseConstCsrGet) MADE(cusparseCscGet) MADE(cusparseConstCscGet) */
#define COMPRESSED_GET(name, kind)                                                                 \
    MATH_API int name(const sparse_matrix *m, int64_t *rows, int64_t *columns, int64_t *elements,  \
                      void **offsets, void **indices, void **values, int *offsets_type,            \
                      int *index_type, int *base, int *type)                                       \
    {                                                                                              \
        if (m == NULL || m->format != (kind) || rows == NULL || columns == NULL ||                 \
            elements == NULL || offsets == NULL || indices == NULL || values == NULL ||            \
            offsets_type == NULL || index_type == NULL || base == NULL || type == NULL) {          \
            return INVALID_VALUE;                                                                  \
        }                                                                                          \
        *rows = m->rows, *columns = m->columns, *elements = m->elements;                           \
        *offsets = m->first, *indices = m->second, *values = m->values;                            \
        *offsets_type = m->offsets_type, *index_type = m->index_type;                              \
        *base = m->base, *type = m->type;                                                          \
        return SUCCESS;                                                                            \
    }
COMPRESSED_GET(cusparseCsrGet, CSR)
COMPRESSED_GET(cusparseConstCsrGet, CSR)
COMPRESSED_GET(cusparseCscGet, CSC)
COMPRESSED_GET(cusparseConstCscGet, CSC)

/* MADE(cusparseCooGet) MADE(cusparseConstCooGet) */
#define COORDINATES_GET(name)                                                                      \
    MATH_API int name(const sparse_matrix *m, int64_t *rows, int64_t *columns, int64_t *elements,  \
                      void **row_list, void **column_list, void **values, int *index_type,         \
                      int *base, int *type)                                                        \
    {                                                                                              \
        if (m == NULL || m->format != COO || rows == NULL || columns == NULL ||                    \
            elements == NULL || row_list == NULL || column_list == NULL || values == NULL ||       \
            index_type == NULL || base == NULL || type == NULL) {                                  \
            return INVALID_VALUE;                                                                  \
        }                                                                                          \
        *rows = m->rows, *columns = m->columns, *elements = m->elements;                           \
        *row_list = m->first, *column_list = m->second, *values = m->values;                       \
        *index_type = m->index_type, *base = m->base, *type = m->type;                             \
        return SUCCESS;                                                                            \
    }
COORDINATES_GET(cusparseCooGet)
COORDINATES_GET(cusparseConstCooGet)

MADE(cusparseSpMatGetSize)
(const sparse_matrix *m, int64_t *rows, int64_t *columns, int64_t *elements)
{
    if (m == NULL || rows == NULL || columns == NULL || elements == NULL) {
        return INVALID_VALUE;
    }
    *rows = m->rows;
    *columns = m->columns;
    *elements = m->elements;
    return SUCCESS;
}

/* MADE(cusparseSpMatGetFormat) MADE(cusparseSpMatGetIndexBase) MADE(cusparseSpMatGetStridedBatch)
 * MADE(cusparseSpMatGetValues) MADE(cusparseConstSpMatGetValues) MADE(cusparseDnVecGetValues)
 * MADE(cusparseConstDnVecGetValues) MADE(cusparseDnMatGetValues) MADE(cusparseConstDnMatGetValues)
 */
#define GET(name, descriptor, T, field)                                                            \
    MATH_API int name(const descriptor *m, T *out)                                                 \
    {                                                                                              \
        if (m == NULL || out == NULL) {                                                            \
            return INVALID_VALUE;                                                                  \
        }                                                                                          \
        *out = m->field;                                                                           \
        return SUCCESS;                                                                            \
    }
GET(cusparseSpMatGetFormat, sparse_matrix, int, format)
GET(cusparseSpMatGetIndexBase, sparse_matrix, int, base)
GET(cusparseSpMatGetStridedBatch, sparse_matrix, int, batch)
GET(cusparseSpMatGetValues, sparse_matrix, void *, values)
GET(cusparseConstSpMatGetValues, sparse_matrix, void *, values)
GET(cusparseDnVecGetValues, dense_vector, void *, values)
GET(cusparseConstDnVecGetValues, dense_vector, void *, values)
GET(cusparseDnMatGetValues, dense_matrix, void *, values)
GET(cusparseConstDnMatGetValues, dense_matrix, void *, values)

/* MADE(cusparseSpMatSetValues) MADE(cusparseDnVecSetValues) MADE(cusparseDnMatSetValues) */
#define SET_VALUES(name, descriptor)                                                               \
    MATH_API int name(descriptor *m, void *values)                                                 \
    {                                                                                              \
        if (m == NULL) {                                                                           \
            return INVALID_VALUE;                                                                  \
        }                                                                                          \
        m->values = values;                                                                        \
        return SUCCESS;                                                                            \
    }
SET_VALUES(cusparseSpMatSetValues, sparse_matrix)
SET_VALUES(cusparseDnVecSetValues, dense_vector)
SET_VALUES(cusparseDnMatSetValues, dense_matrix)

MADE(cusparseCooSetStridedBatch)(sparse_matrix *m, int batch, int64_t stride)
{
    if (m == NULL || m->format != COO || batch < 1 || (stride != 0 && stride < m->elements)) {
        return INVALID_VALUE;
    }
    m->batch = batch;
    m->first_batch = m->elements_batch = stride;
    return SUCCESS;
}

MADE(cusparseCsrSetStridedBatch)
(sparse_matrix *m, int batch, int64_t offsets_stride, int64_t elements_stride)
{
    if (m == NULL || m->format != CSR || batch < 1 ||
        (offsets_stride != 0 && offsets_stride < m->rows + 1) ||
        (elements_stride != 0 && elements_stride < m->elements)) {
        return INVALID_VALUE;
    }
    m->batch = batch;
    m->first_batch = offsets_stride;
    m->elements_batch = elements_stride;
    return SUCCESS;
}

/* 0: the fill mode, 1: the diagonal, for solutions, which are not there. */
static int *attribute(sparse_matrix *m, int which, size_t size)
{
    bool known = m != NULL && which >= 0 && which <= 1 && size == sizeof(int);
    return !known ? NULL : which == 0 ? &m->fill_mode : &m->diagonal;
}

MADE(cusparseSpMatSetAttribute)(sparse_matrix *m, int which, const void *data, size_t size)
{
    int *to = attribute(m, which, size);
    if (to == NULL || data == NULL) {
        return INVALID_VALUE;
    }
    *to = *(const int *)data;
    return SUCCESS;
}

MADE(cusparseSpMatGetAttribute)(sparse_matrix *m, int which, void *data, size_t size)
{
    const int *from = attribute(m, which, size);
    if (from == NULL || data == NULL) {
        return INVALID_VALUE;
    }
    *(int *)data = *from;
    return SUCCESS;
}

static int create_vector(dense_vector **out, int64_t size, void *values, int type)
{
    if (out == NULL || size < 0 || !sparse_is_value_type(type)) {
        return INVALID_VALUE;
    }
    *out = malloc(sizeof **out);
    if (*out == NULL) {
        return ALLOC_FAILED;
    }
    **out = (dense_vector){size, values, type};
    return SUCCESS;
}

MADE(cusparseCreateDnVec)(dense_vector **out, int64_t size, void *values, int type)
{
    return create_vector(out, size, values, type);
}

MADE(cusparseCreateConstDnVec)(dense_vector **out, int64_t size, void *values, int type)
{
    return create_vector(out, size, values, type);
}

MADE(cusparseDestroyDnVec)(dense_vector *v)
{
    free(v);
    return SUCCESS;
}

/* MADE(cusparseDnVecGet) MADE(cusparseConstDnVecGet) */
#define VECTOR_GET(name)                                                                           \
    MATH_API int name(const dense_vector *v, int64_t *size, void **values, int *type)              \
    {                                                                                              \
        if (v == NULL || size == NULL || values == NULL || type == NULL) {                         \
            return INVALID_VALUE;                                                                  \
        }                                                                                          \
        *size = v->size, *values = v->values, *type = v->type;                                     \
        return SUCCESS;                                                                            \
    }
VECTOR_GET(cusparseDnVecGet)
VECTOR_GET(cusparseConstDnVecGet)

static int create_matrix(dense_matrix **out, const dense_matrix *m)
{
    if (out == NULL || m->rows < 0 || m->columns < 0 || !sparse_is_value_type(m->type) ||
        (m->order != COLUMN_ORDER && m->order != ROW_ORDER) ||
        m->pitch < (m->order == COLUMN_ORDER ? m->rows : m->columns)) {
        return INVALID_VALUE;
    }
    *out = malloc(sizeof **out);
    if (*out == NULL) {
        return ALLOC_FAILED;
    }
    **out = *m;
    return SUCCESS;
}

/* MADE(cusparseCreateDnMat) MADE(cusparseCreateConstDnMat) */
#define DENSE(name)                                                                                \
    MATH_API int name(dense_matrix **out, int64_t rows, int64_t columns, int64_t pitch,            \
                      void *values, int type, int order)                                           \
    {                                                                                              \
        const dense_matrix m = {rows, columns, pitch, 0, values, type, order, 1};                  \
        return create_matrix(out, &m);                                                             \
    }
DENSE(cusparseCreateDnMat)
DENSE(cusparseCreateConstDnMat)

MADE(cusparseDestroyDnMat)(dense_matrix *m)
{
    free(m);
    return SUCCESS;
}

/* MADE(cusparseDnMatGet) MADE(cusparseConstDnMatGet) */
#define DENSE_GET(name)                                                                            \
    MATH_API int name(const dense_matrix *m, int64_t *rows, int64_t *columns, int64_t *pitch,      \
                      void **values, int *type, int *order)                                        \
    {                                                                                              \
        if (m == NULL || rows == NULL || columns == NULL || pitch == NULL || values == NULL ||     \
            type == NULL || order == NULL) {                                                       \
            return INVALID_VALUE;                                                                  \
        }                                                                                          \
        *rows = m->rows, *columns = m->columns, *pitch = m->pitch;                                 \
        *values = m->values, *type = m->type, *order = m->order;                                   \
        return SUCCESS;                                                                            \
    }
DENSE_GET(cusparseDnMatGet)
DENSE_GET(cusparseConstDnMatGet)

MADE(cusparseDnMatSetStridedBatch)(dense_matrix *m, int batch, int64_t stride)
{
    size_t size;
    if (m == NULL || batch < 1) {
        return INVALID_VALUE;
    }
    int64_t lines = m->order == COLUMN_ORDER ? m->columns : m->rows;
    if (stride < 0 || (stride > 0 && (!ww_mul_fits((size_t)m->pitch, (size_t)lines, &size) ||
                                      (size_t)stride < size))) {
        return INVALID_VALUE;
    }
    m->batch = batch;
    m->batch_stride = stride;
    return SUCCESS;
}

MADE(cusparseDnMatGetStridedBatch)(const dense_matrix *m, int *batch, int64_t *stride)
{
    if (m == NULL || batch == NULL || stride == NULL) {
        return INVALID_VALUE;
    }
    *batch = m->batch;
    *stride = m->batch_stride;
    return SUCCESS;
}
