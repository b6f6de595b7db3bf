/* conversions.c - of the thin cuSPARSE, sparse matrices out of dense ones and back. */
#include "base/checked.h"
#include "runtime/math/sparse/cusparse.h"

static bool is_there(int type, const sparse_matrix *s)
{
    return type == s->type && (type == R_32F || type == R_64F) && s->index_type != INDEX_16U &&
           s->batch == 1;
}

/* The dense matrix by rows, or, beside a CSC one, by columns. */
static sparse_dense view(const sparse_matrix *s, const dense_matrix *d)
{
    const bool turned = s->format == CSC;
    const int64_t row = d->order == COLUMN_ORDER ? 1 : d->pitch;
    const int64_t column = d->order == COLUMN_ORDER ? d->pitch : 1;
    return (sparse_dense){.dense = d->values,
                          .major_step = turned ? column : row,
                          .minor_step = turned ? row : column,
                          .majors = turned ? d->columns : d->rows,
                          .minors = turned ? d->rows : d->columns,
                          .elements = s->elements,
                          .offsets = s->format == COO ? NULL : s->first,
                          .to = s->format == COO ? s->first : NULL,
                          .from = s->second,
                          .values = s->values,
                          .base = s->base};
}

static bool launch(cusparse_handle h, const sparse_matrix *s, const char *kernel, bool typed_index,
                   uint64_t threads, sparse_dense *p)
{
    void *arguments[] = {p};
    return sparse_launch(h, kernel, s->type == R_64F, typed_index && s->index_type == INDEX_64I,
                         threads, 1, arguments);
}

static int check(const char *name, cusparse_handle h, const sparse_matrix *s, const dense_matrix *d,
                 int algorithm)
{
    size_t places;
    if (h == NULL || s == NULL || d == NULL || algorithm != 0 || s->rows != d->rows ||
        s->columns != d->columns) {
        return INVALID_VALUE;
    }
    if (!is_there(d->type, s)) {
        return sparse_lacks(name, "single and double precision, the same for both, and indices of "
                                  "32 and 64 bits are there");
    }
    return ww_mul_fits((size_t)d->rows, (size_t)d->columns, &places) && places < INT64_MAX / 64
               ? SUCCESS
               : INSUFFICIENT_RESOURCES;
}

MADE(cusparseSparseToDense_bufferSize)
(cusparse_handle h, const sparse_matrix *s, const dense_matrix *d, int algorithm, size_t *bytes)
{
    int code = check("cusparseSparseToDense_bufferSize", h, s, d, algorithm);
    if (code != SUCCESS || bytes == NULL) {
        return code != SUCCESS ? code : INVALID_VALUE;
    }
    *bytes = 0;
    return SUCCESS;
}

MADE(cusparseSparseToDense)
(cusparse_handle h, const sparse_matrix *s, const dense_matrix *d, int algorithm, void *buffer)
{
    (void)buffer;
    int code = check("cusparseSparseToDense", h, s, d, algorithm);
    if (code != SUCCESS || d->rows == 0 || d->columns == 0) {
        return code;
    }
    sparse_dense p = view(s, d);
    math_says("cusparseSparseToDense");
    return launch(h, s, "ww_dense_zero", false, (uint64_t)d->rows * (uint64_t)d->columns, &p) &&
                   (s->elements == 0 ||
                    launch(h, s, "ww_sparse_to_dense", true, (uint64_t)s->elements, &p))
               ? SUCCESS
               : EXECUTION_FAILED;
}

/* Where each row begins, and their sum. */
static bool buffer_size(const sparse_dense *p, size_t *bytes)
{
    return ww_mul_fits((size_t)p->majors + 1, sizeof(long long), bytes);
}

MADE(cusparseDenseToSparse_bufferSize)
(cusparse_handle h, const dense_matrix *d, const sparse_matrix *s, int algorithm, size_t *bytes)
{
    int code = check("cusparseDenseToSparse_bufferSize", h, s, d, algorithm);
    if (code != SUCCESS || bytes == NULL) {
        return code != SUCCESS ? code : INVALID_VALUE;
    }
    sparse_dense p = view(s, d);
    return buffer_size(&p, bytes) ? SUCCESS : INSUFFICIENT_RESOURCES;
}

static bool count(cusparse_handle h, const sparse_matrix *s, sparse_dense *p, long long *elements)
{
    const unsigned grid[3] = {1, 1, 1}, block[3] = {256, 1, 1};
    long long rows = p->majors;
    void *arguments[] = {&p->begins, &rows};
    return launch(h, s, "ww_dense_count", false, (uint64_t)rows * 32, p) &&
           math_launch("ww_sparse_sums", grid, block, arguments, h->stream) &&
           cuStreamSynchronize(h->stream) == 0 &&
           cuMemcpyDtoH_v2(elements, (CUdeviceptr)(uintptr_t)(p->begins + rows),
                           sizeof *elements) == 0;
}

MADE(cusparseDenseToSparse_analysis)
(cusparse_handle h, const dense_matrix *d, sparse_matrix *s, int algorithm, void *buffer)
{
    int code = check("cusparseDenseToSparse_analysis", h, s, d, algorithm);
    if (code != SUCCESS || buffer == NULL) {
        return code != SUCCESS ? code : INVALID_VALUE;
    }
    sparse_dense p = view(s, d);
    p.begins = buffer;
    long long elements;
    math_says("cusparseDenseToSparse_analysis");
    if (!count(h, s, &p, &elements)) {
        return EXECUTION_FAILED;
    }
    s->elements = elements;
    return SUCCESS;
}

MADE(cusparseDenseToSparse_convert)
(cusparse_handle h, const dense_matrix *d, sparse_matrix *s, int algorithm, void *buffer)
{
    int code = check("cusparseDenseToSparse_convert", h, s, d, algorithm);
    if (code != SUCCESS || buffer == NULL) {
        return code != SUCCESS ? code : INVALID_VALUE;
    }
    if (s->elements > 0 &&
        (s->second == NULL || s->values == NULL || (s->format == COO && s->first == NULL))) {
        return INVALID_VALUE;
    }
    sparse_dense p = view(s, d);
    p.begins = buffer;
    math_says("cusparseDenseToSparse_convert");
    return p.majors == 0 || launch(h, s, "ww_dense_to_sparse", true, (uint64_t)p.majors * 32, &p)
               ? SUCCESS
               : EXECUTION_FAILED;
}
