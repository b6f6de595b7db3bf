/* products.c - of the thin cuSPARSE, products of sparse matrices with dense vectors and matrices.
 * Where rows of A become rows of the result, threads add up a row; where they do not (a transposed
 * CSR matrix, coordinates), the result is scaled first and elements are added to it atomically. */
#include "base/checked.h"
#include "runtime/math/sparse/cusparse.h"

typedef struct request {
    const char *name;
    cusparse_handle handle;
    int op_a, op_b, type, algorithm;
    const void *alpha, *beta;
    const sparse_matrix *a;
    /* The dense operands: of a vector, one column. */
    int b_type, c_type, b_batch, c_batch;
    int64_t b_rows, b_columns, c_rows, c_columns;
    sparse_product product;
} request;

/* A dense operand of a matrix, `transposed` as its operation says. */
static void matrix_operand(request *r, const dense_matrix *b, const dense_matrix *c)
{
    const bool turned = r->op_b != 0;
    const int64_t b_row = b->order == COLUMN_ORDER ? 1 : b->pitch;
    const int64_t b_column = b->order == COLUMN_ORDER ? b->pitch : 1;
    r->b_type = b->type;
    r->c_type = c->type;
    r->b_batch = b->batch;
    r->c_batch = c->batch;
    r->b_rows = turned ? b->columns : b->rows;
    r->b_columns = turned ? b->rows : b->columns;
    r->c_rows = c->rows;
    r->c_columns = c->columns;
    r->product.b = b->values;
    r->product.b_row = turned ? b_column : b_row;
    r->product.b_column = turned ? b_row : b_column;
    r->product.b_batch = b->batch_stride;
    r->product.c = c->values;
    r->product.c_row = c->order == COLUMN_ORDER ? 1 : c->pitch;
    r->product.c_column = c->order == COLUMN_ORDER ? c->pitch : 1;
    r->product.c_batch = c->batch_stride;
}

static void vector_operand(request *r, const dense_vector *x, const dense_vector *y)
{
    r->b_type = x->type;
    r->c_type = y->type;
    r->b_batch = r->c_batch = 1;
    r->b_rows = x->size;
    r->c_rows = y->size;
    r->b_columns = r->c_columns = 1;
    r->product.b = x->values;
    r->product.c = y->values;
    r->product.b_row = r->product.c_row = 1;
}

static bool is_operation(int op)
{
    return op >= 0 && op <= 2;
}

/* SUCCESS: the shapes go together, and the types are there. */
static int check(const request *r)
{
    const sparse_matrix *a = r->a;
    const bool turned = r->op_a != 0;
    size_t all;
    if ((turned ? a->columns : a->rows) != r->c_rows ||
        (turned ? a->rows : a->columns) != r->b_rows || r->b_columns != r->c_columns) {
        return INVALID_VALUE;
    }
    if (r->type != a->type || r->type != r->b_type || r->type != r->c_type ||
        (r->type != R_32F && r->type != R_64F) || a->index_type == INDEX_16U) {
        return sparse_lacks(r->name,
                            "single and double precision, the same for all, and indices of "
                            "32 and 64 bits are there");
    }
    if ((a->batch != 1 && a->batch != r->c_batch) ||
        (r->b_batch != 1 && r->b_batch != r->c_batch)) {
        return INVALID_VALUE;
    }
    if (!ww_mul_fits((size_t)a->elements, (size_t)r->c_columns, &all) || all > INT64_MAX / 64 ||
        !ww_mul_fits((size_t)r->c_rows, (size_t)r->c_columns, &all) || all > INT64_MAX / 64) {
        return INSUFFICIENT_RESOURCES;
    }
    return SUCCESS;
}

static double host_scalar(const void *at, int type)
{
    return type == R_64F ? *(const double *)at : (double)*(const float *)at;
}

static void scalars(request *r)
{
    sparse_product *p = &r->product;
    if (r->handle->pointer_mode != 0) {
        p->alpha_at = r->alpha;
        p->beta_at = r->beta;
    } else {
        p->alpha = host_scalar(r->alpha, r->type);
        p->beta = host_scalar(r->beta, r->type);
    }
}

/* Threads of a row: about as many as it has elements. */
static int lanes_for(const sparse_matrix *a, int64_t rows)
{
    int64_t mean = rows > 0 ? a->elements / rows : 0;
    int lanes = 2;
    while (lanes < 32 && lanes < mean) {
        lanes *= 2;
    }
    return lanes;
}

static bool launch(const request *r, const char *kernel, bool typed_index, uint64_t threads)
{
    sparse_product p = r->product;
    void *arguments[] = {&p};
    return sparse_launch(r->handle, kernel, r->type == R_64F,
                         typed_index && r->a->index_type == INDEX_64I, threads,
                         (unsigned)r->c_batch, arguments);
}

static bool run(request *r)
{
    const sparse_matrix *a = r->a;
    sparse_product *p = &r->product;
    const bool turned = r->op_a != 0, coordinates = a->format == COO;
    const bool by_rows = !coordinates && (a->format == CSR) != turned;
    const uint64_t results = (uint64_t)r->c_rows * (uint64_t)r->c_columns;
    p->offsets = coordinates ? NULL : a->first;
    p->to = turned ? a->second : a->first;
    p->from = coordinates && turned ? a->first : a->second;
    p->values = a->values;
    p->rows = a->format == CSC ? a->columns : a->rows;
    p->elements = a->elements;
    p->columns = r->c_columns;
    p->c_rows = r->c_rows;
    p->offsets_batch = a->batch > 1 ? a->first_batch : 0;
    p->elements_batch = a->batch > 1 ? a->elements_batch : 0;
    p->b_batch = r->b_batch > 1 ? p->b_batch : 0;
    p->base = a->base;
    p->lanes = lanes_for(a, p->rows);
    scalars(r);
    if (results == 0) {
        return true;
    }
    if (by_rows) {
        return r->c_columns == 1 && r->c_batch == 1
                   ? launch(r, "ww_csr_vector", true, (uint64_t)p->rows * (uint64_t)p->lanes)
                   : launch(r, "ww_csr_matrix", true, results);
    }
    if (!launch(r, "ww_sparse_scale", false, results)) {
        return false;
    }
    return a->elements == 0 ||
           (coordinates
                ? launch(r, "ww_coo", true, (uint64_t)a->elements * (uint64_t)p->columns)
                : launch(r, "ww_csr_transposed", true, (uint64_t)p->rows * (uint64_t)p->lanes));
}

/* What both calls of a product look at first. */
static bool is_request(const request *r, int most_algorithm)
{
    return r->handle != NULL && is_operation(r->op_a) && is_operation(r->op_b) &&
           r->alpha != NULL && r->beta != NULL && r->a != NULL && r->algorithm >= 0 &&
           r->algorithm <= most_algorithm;
}

static int multiply(request *r)
{
    int code = check(r);
    if (code != SUCCESS) {
        return code;
    }
    math_says(r->name);
    return run(r) ? SUCCESS : EXECUTION_FAILED;
}

enum { LAST_VECTOR_ALGORITHM = 6, LAST_MATRIX_ALGORITHM = 14 };

#define VECTOR_ARGUMENTS                                                                           \
    cusparse_handle h, int op, const void *alpha, const sparse_matrix *a, const dense_vector *x,   \
        const void *beta, const dense_vector *y, int type, int algorithm
#define VECTOR_REQUEST(name)                                                                       \
    {                                                                                              \
        name, h, op, 0, type, algorithm, alpha, beta, a, .b_batch = 1                              \
    }

MADE(cusparseSpMV_bufferSize)(VECTOR_ARGUMENTS, size_t *bytes)
{
    request r = VECTOR_REQUEST("cusparseSpMV_bufferSize");
    if (!is_request(&r, LAST_VECTOR_ALGORITHM) || x == NULL || y == NULL || bytes == NULL) {
        return INVALID_VALUE;
    }
    vector_operand(&r, x, y);
    *bytes = 0;
    return check(&r);
}

MADE(cusparseSpMV_preprocess)(VECTOR_ARGUMENTS, void *buffer)
{
    request r = VECTOR_REQUEST("cusparseSpMV_preprocess");
    (void)buffer;
    if (!is_request(&r, LAST_VECTOR_ALGORITHM) || x == NULL || y == NULL) {
        return INVALID_VALUE;
    }
    vector_operand(&r, x, y);
    return check(&r);
}

MADE(cusparseSpMV)(VECTOR_ARGUMENTS, void *buffer)
{
    request r = VECTOR_REQUEST("cusparseSpMV");
    (void)buffer; /* none is needed */
    if (!is_request(&r, LAST_VECTOR_ALGORITHM) || x == NULL || y == NULL) {
        return INVALID_VALUE;
    }
    vector_operand(&r, x, y);
    return multiply(&r);
}

#define MATRIX_ARGUMENTS                                                                           \
    cusparse_handle h, int op_a, int op_b, const void *alpha, const sparse_matrix *a,              \
        const dense_matrix *b, const void *beta, const dense_matrix *c, int type, int algorithm
#define MATRIX_REQUEST(name)                                                                       \
    {                                                                                              \
        name, h, op_a, op_b, type, algorithm, alpha, beta, a, .b_batch = 1                         \
    }

MADE(cusparseSpMM_bufferSize)(MATRIX_ARGUMENTS, size_t *bytes)
{
    request r = MATRIX_REQUEST("cusparseSpMM_bufferSize");
    if (!is_request(&r, LAST_MATRIX_ALGORITHM) || b == NULL || c == NULL || bytes == NULL) {
        return INVALID_VALUE;
    }
    matrix_operand(&r, b, c);
    *bytes = 0;
    return check(&r);
}

MADE(cusparseSpMM_preprocess)(MATRIX_ARGUMENTS, void *buffer)
{
    request r = MATRIX_REQUEST("cusparseSpMM_preprocess");
    (void)buffer;
    if (!is_request(&r, LAST_MATRIX_ALGORITHM) || b == NULL || c == NULL) {
        return INVALID_VALUE;
    }
    matrix_operand(&r, b, c);
    return check(&r);
}

MADE(cusparseSpMM)(MATRIX_ARGUMENTS, void *buffer)
{
    request r = MATRIX_REQUEST("cusparseSpMM");
    (void)buffer;
    if (!is_request(&r, LAST_MATRIX_ALGORITHM) || b == NULL || c == NULL) {
        return INVALID_VALUE;
    }
    matrix_operand(&r, b, c);
    return multiply(&r);
}
