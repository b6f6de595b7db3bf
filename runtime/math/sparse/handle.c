/* handle.c - handles of the thin cuSPARSE, and what its codes are called. */
#include <stdlib.h>

#include "runtime/math/sparse/cusparse.h"

MADE(cusparseCreate)(cusparse_handle *out)
{
    if (out == NULL) {
        return INVALID_VALUE;
    }
    if (cuInit(0) != 0) {
        return NOT_INITIALIZED;
    }
    *out = calloc(1, sizeof **out);
    return *out != NULL ? SUCCESS : ALLOC_FAILED;
}

MADE(cusparseDestroy)(cusparse_handle h)
{
    free(h);
    return SUCCESS;
}

MADE(cusparseSetStream)(cusparse_handle h, cudaStream_t stream)
{
    if (h == NULL) {
        return INVALID_VALUE;
    }
    h->stream = stream;
    return SUCCESS;
}

MADE(cusparseGetStream)(cusparse_handle h, cudaStream_t *stream)
{
    if (h == NULL || stream == NULL) {
        return INVALID_VALUE;
    }
    *stream = h->stream;
    return SUCCESS;
}

MADE(cusparseSetPointerMode)(cusparse_handle h, int mode)
{
    if (h == NULL || mode < 0 || mode > 1) {
        return INVALID_VALUE;
    }
    h->pointer_mode = mode;
    return SUCCESS;
}

MADE(cusparseGetPointerMode)(cusparse_handle h, int *mode)
{
    if (h == NULL || mode == NULL) {
        return INVALID_VALUE;
    }
    *mode = h->pointer_mode;
    return SUCCESS;
}

MADE(cusparseGetVersion)(cusparse_handle h, int *version)
{
    if (h == NULL || version == NULL) {
        return INVALID_VALUE;
    }
    *version = WW_VERSION_NUMBER;
    return SUCCESS;
}

MADE(cusparseGetProperty)(int which, int *value)
{
    if (which < 0 || which > 2 || value == NULL) {
        return INVALID_VALUE;
    }
    *value = which == 0 ? WW_VERSION_NUMBER / 1000 : 0;
    return SUCCESS;
}

static const struct {
    const char *name, *text;
} codes[] = {
    {"CUSPARSE_STATUS_SUCCESS", "success"},
    {"CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
    {"CUSPARSE_STATUS_ALLOC_FAILED", "out of memory"},
    {"CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
    {"CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"},
    {"CUSPARSE_STATUS_MAPPING_ERROR", "texture memory mapping error"},
    {"CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"},
    {"CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
    {"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"},
    {"CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
    {"CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
    {"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"},
};

static bool is_code(int code)
{
    return code >= 0 && (size_t)code < WW_ARRAY_LEN(codes);
}

MATH_API const char *cusparseGetErrorName(int code) /* MADE(cusparseGetErrorName) */
{
    return is_code(code) ? codes[code].name : "unrecognized error code";
}

MATH_API const char *cusparseGetErrorString(int code) /* MADE(cusparseGetErrorString) */
{
    return is_code(code) ? codes[code].text : "unrecognized error code";
}

/* Descriptors of the older calls: type, fill mode, diagonal and base, which these take. */
typedef struct matrix_kind {
    int value[4];
} matrix_kind;

MADE(cusparseCreateMatDescr)(matrix_kind **out)
{
    if (out == NULL) {
        return INVALID_VALUE;
    }
    *out = calloc(1, sizeof **out);
    return *out != NULL ? SUCCESS : ALLOC_FAILED;
}

MADE(cusparseDestroyMatDescr)(matrix_kind *kind)
{
    free(kind);
    return SUCCESS;
}

/* MADE(cusparseSetMatType) MADE(cusparseGetMatType) MADE(cusparseSetMatFillMode)
 * MADE(cusparseGetMatFillMode) MADE(cusparseSetMatDiagType) MADE(cusparseGetMatDiagType)
 * MADE(cusparseSetMatIndexBase) MADE(cusparseGetMatIndexBase) */
#define KIND(what, at, most)                                                                       \
    MATH_API int cusparseSetMat##what(matrix_kind *kind, int value)                                \
    {                                                                                              \
        if (kind == NULL || value < 0 || value > (most)) {                                         \
            return INVALID_VALUE;                                                                  \
        }                                                                                          \
        kind->value[at] = value;                                                                   \
        return SUCCESS;                                                                            \
    }                                                                                              \
    MATH_API int cusparseGetMat##what(const matrix_kind *kind)                                     \
    {                                                                                              \
        return kind != NULL ? kind->value[at] : 0;                                                 \
    }
KIND(Type, 0, 3)
KIND(FillMode, 1, 1)
KIND(DiagType, 2, 1)
KIND(IndexBase, 3, 1)
