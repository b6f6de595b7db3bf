/* vectors.c - of the thin cuSPARSE, sparse vectors, and what is done with one beside a dense one.
 * No index comes twice, as the library asks for. */
#include <stdlib.h>

#include "runtime/math/sparse/cusparse.h"

/* MADE(cusparseCreateSpVec) MADE(cusparseCreateConstSpVec) */
#define CREATE(name)                                                                               \
    MATH_API int name(sparse_vector **out, int64_t size, int64_t elements, void *indices,          \
                      void *values, int index_type, int base, int type)                            \
    {                                                                                              \
        if (out == NULL || size < 0 || elements < 0 || elements > size ||                          \
            index_type < INDEX_16U || index_type > INDEX_64I || base < 0 || base > 1 ||            \
            !sparse_is_value_type(type) || size == INT64_MAX ||                                    \
            !sparse_index_fits(index_type, size + base)) {                                         \
            return INVALID_VALUE;                                                                  \
        }                                                                                          \
        *out = malloc(sizeof **out);                                                               \
        if (*out == NULL) {                                                                        \
            return ALLOC_FAILED;                                                                   \
        }                                                                                          \
        **out = (sparse_vector){size, elements, indices, values, index_type, base, type};          \
        return SUCCESS;                                                                            \
    }
CREATE(cusparseCreateSpVec)
CREATE(cusparseCreateConstSpVec)

MADE(cusparseDestroySpVec)(sparse_vector *v)
{
    free(v);
    return SUCCESS;
}

/* MADE(cusparseSpVecGet) MADE(cusparseConstSpVecGet) */
#define VECTOR_GET(name)                                                                           \
    MATH_API int name(const sparse_vector *v, int64_t *size, int64_t *elements, void **indices,    \
                      void **values, int *index_type, int *base, int *type)                        \
    {                                                                                              \
        if (v == NULL || size == NULL || elements == NULL || indices == NULL || values == NULL ||  \
            index_type == NULL || base == NULL || type == NULL) {                                  \
            return INVALID_VALUE;                                                                  \
        }                                                                                          \
        *size = v->size, *elements = v->elements, *indices = v->indices, *values = v->values;      \
        *index_type = v->index_type, *base = v->base, *type = v->type;                             \
        return SUCCESS;                                                                            \
    }
VECTOR_GET(cusparseSpVecGet)
VECTOR_GET(cusparseConstSpVecGet)

/* MADE(cusparseSpVecGetIndexBase) MADE(cusparseSpVecGetValues) MADE(cusparseConstSpVecGetValues) */
#define GET(name, T, field)                                                                        \
    MATH_API int name(const sparse_vector *v, T *out)                                              \
    {                                                                                              \
        if (v == NULL || out == NULL) {                                                            \
            return INVALID_VALUE;                                                                  \
        }                                                                                          \
        *out = v->field;                                                                           \
        return SUCCESS;                                                                            \
    }
GET(cusparseSpVecGetIndexBase, int, base)
GET(cusparseSpVecGetValues, void *, values)
GET(cusparseConstSpVecGetValues, void *, values)

MADE(cusparseSpVecSetValues)(sparse_vector *v, void *values)
{
    if (v == NULL) {
        return INVALID_VALUE;
    }
    v->values = values;
    return SUCCESS;
}

static int check(const char *name, cusparse_handle h, const sparse_vector *x, const dense_vector *y)
{
    if (h == NULL || x == NULL || y == NULL || x->size != y->size) {
        return INVALID_VALUE;
    }
    if (x->type != y->type || (x->type != R_32F && x->type != R_64F) ||
        x->index_type == INDEX_16U) {
        return sparse_lacks(name, "single and double precision, the same for both, and indices of "
                                  "32 and 64 bits are there");
    }
    return SUCCESS;
}

static sparse_pair pair_of(const sparse_vector *x, const dense_vector *y)
{
    return (sparse_pair){.indices = x->indices,
                         .values = x->values,
                         .dense = y->values,
                         .elements = x->elements,
                         .size = y->size,
                         .base = x->base};
}

static void scalars(cusparse_handle h, const sparse_vector *x, const void *alpha, const void *beta,
                    sparse_pair *p)
{
    if (h->pointer_mode != 0) {
        p->alpha_at = alpha;
        p->beta_at = beta;
    } else if (x->type == R_64F) {
        p->alpha = *(const double *)alpha;
        p->beta = *(const double *)beta;
    } else {
        p->alpha = (double)*(const float *)alpha;
        p->beta = (double)*(const float *)beta;
    }
}

/* For each element. */
static bool launch(cusparse_handle h, const sparse_vector *x, const char *kernel, sparse_pair *p)
{
    void *arguments[] = {p};
    return p->elements == 0 ||
           sparse_launch(h, kernel, x->type == R_64F, x->index_type == INDEX_64I,
                         (uint64_t)p->elements, 1, arguments);
}

static int run(cusparse_handle h, const char *name, const sparse_vector *x, const dense_vector *y,
               const char *kernel)
{
    int code = check(name, h, x, y);
    if (code != SUCCESS) {
        return code;
    }
    sparse_pair p = pair_of(x, y);
    math_says(name);
    return launch(h, x, kernel, &p) ? SUCCESS : EXECUTION_FAILED;
}

MADE(cusparseGather)(cusparse_handle h, const dense_vector *y, const sparse_vector *x)
{
    return run(h, "cusparseGather", x, y, "ww_gather");
}

MADE(cusparseScatter)(cusparse_handle h, const sparse_vector *x, const dense_vector *y)
{
    return run(h, "cusparseScatter", x, y, "ww_scatter");
}

MADE(cusparseAxpby)
(cusparse_handle h, const void *alpha, const sparse_vector *x, const void *beta,
 const dense_vector *y)
{
    int code = alpha == NULL || beta == NULL ? INVALID_VALUE : check("cusparseAxpby", h, x, y);
    if (code != SUCCESS) {
        return code;
    }
    sparse_pair p = pair_of(x, y);
    void *arguments[] = {&p};
    scalars(h, x, alpha, beta, &p);
    math_says("cusparseAxpby");
    return (y->size == 0 || sparse_launch(h, "ww_vector_scale", x->type == R_64F, false,
                                          (uint64_t)y->size, 1, arguments)) &&
                   launch(h, x, "ww_sparse_axpby", &p)
               ? SUCCESS
               : EXECUTION_FAILED;
}

MADE(cusparseRot)
(cusparse_handle h, const void *c, const void *s, const sparse_vector *x, const dense_vector *y)
{
    int code = c == NULL || s == NULL ? INVALID_VALUE : check("cusparseRot", h, x, y);
    if (code != SUCCESS) {
        return code;
    }
    sparse_pair p = pair_of(x, y);
    scalars(h, x, c, s, &p);
    math_says("cusparseRot");
    return launch(h, x, "ww_sparse_rot", &p) ? SUCCESS : EXECUTION_FAILED;
}

static int check_dot(const char *name, cusparse_handle h, int op, const sparse_vector *x,
                     const dense_vector *y, const void *result, int type)
{
    if (op < 0 || op > 2 || result == NULL) {
        return INVALID_VALUE;
    }
    int code = check(name, h, x, y);
    return code == SUCCESS && type != x->type
               ? sparse_lacks(name, "sums of the vectors' own type are there")
               : code;
}

MADE(cusparseSpVV_bufferSize)
(cusparse_handle h, int op, const sparse_vector *x, const dense_vector *y, const void *result,
 int type, size_t *bytes)
{
    int code = check_dot("cusparseSpVV_bufferSize", h, op, x, y, result, type);
    if (code != SUCCESS || bytes == NULL) {
        return code != SUCCESS ? code : INVALID_VALUE;
    }
    *bytes = sizeof(double); /* the sum, on its way to the host */
    return SUCCESS;
}

MADE(cusparseSpVV)
(cusparse_handle h, int op, const sparse_vector *x, const dense_vector *y, void *result, int type,
 void *buffer)
{
    int code = check_dot("cusparseSpVV", h, op, x, y, result, type);
    if (code != SUCCESS || (h->pointer_mode == 0 && buffer == NULL)) {
        return code != SUCCESS ? code : INVALID_VALUE;
    }
    sparse_pair p = pair_of(x, y);
    p.sum = h->pointer_mode == 0 ? buffer : result;
    void *arguments[] = {&p};
    math_says("cusparseSpVV");
    /* one block */
    bool ok = sparse_launch(h, "ww_sparse_dot", x->type == R_64F, x->index_type == INDEX_64I, 1, 1,
                            arguments);
    if (ok && h->pointer_mode == 0) {
        ok = cuStreamSynchronize(h->stream) == 0 &&
             cuMemcpyDtoH_v2(result, (CUdeviceptr)(uintptr_t)buffer, x->type == R_64F ? 8 : 4) == 0;
    }
    return ok ? SUCCESS : EXECUTION_FAILED;
}
