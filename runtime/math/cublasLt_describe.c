/* cublasLt_describe.c - descriptors of cuBLASLt: made, filled, asked and destroyed. What an
 * attribute would change and is not there is refused where it is set. */
#include <stdlib.h>
#include <string.h>

#include "runtime/math/cublasLt.h"

/* ---- attributes ---- */

/* Where an attribute lies in its descriptor. */
typedef struct field {
    int which;
    size_t at, bytes;
} field;

#define FIELD(type, which, member)                                                                 \
    {                                                                                              \
        which, offsetof(type, member), sizeof(((type *)0)->member)                                 \
    }

static const field *find(const field *fields, size_t count, int which)
{
    for (size_t i = 0; i < count; i++) {
        if (fields[i].which == which) {
            return &fields[i];
        }
    }
    return NULL;
}

static int set(void *to, const field *f, const void *value, size_t bytes)
{
    if (to == NULL || value == NULL || bytes != f->bytes) {
        return INVALID_VALUE;
    }
    memcpy((char *)to + f->at, value, bytes);
    return SUCCESS;
}

static int get(const void *from, const field *f, void *value, size_t bytes, size_t *written)
{
    if (from == NULL || (bytes == 0 ? written == NULL : value == NULL || bytes < f->bytes)) {
        return INVALID_VALUE;
    }
    if (written != NULL) {
        *written = f->bytes;
    }
    if (bytes > 0) {
        memcpy(value, (const char *)from + f->at, f->bytes);
    }
    return SUCCESS;
}

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* ---- products ---- */

static const field desc_fields[] = {
    FIELD(lt_matmul_desc, 0, compute),      FIELD(lt_matmul_desc, 1, scale_type),
    FIELD(lt_matmul_desc, 2, pointer_mode), FIELD(lt_matmul_desc, 3, op_a),
    FIELD(lt_matmul_desc, 4, op_b),         FIELD(lt_matmul_desc, 5, op_c),
    FIELD(lt_matmul_desc, 6, fill),         FIELD(lt_matmul_desc, 7, epilogue),
    FIELD(lt_matmul_desc, 8, bias),         FIELD(lt_matmul_desc, 10, bias_stride),
    FIELD(lt_matmul_desc, 11, aux),         FIELD(lt_matmul_desc, 12, aux_ld),
    FIELD(lt_matmul_desc, 13, aux_stride),  FIELD(lt_matmul_desc, 15, sm_count),
    FIELD(lt_matmul_desc, 17, scale[0]),    FIELD(lt_matmul_desc, 18, scale[1]),
    FIELD(lt_matmul_desc, 19, scale[2]),    FIELD(lt_matmul_desc, 20, scale[3]),
    FIELD(lt_matmul_desc, 22, aux_type),    FIELD(lt_matmul_desc, 25, fast_sums),
    FIELD(lt_matmul_desc, 26, bias_type)};

MADE(cublasLtMatmulDescInit_internal)(lt_matmul_desc *d, size_t bytes, int compute, int scale_type)
{
    if (d == NULL || bytes < sizeof *d) {
        return INVALID_VALUE;
    }
    *d = (lt_matmul_desc){.compute = compute,
                          .scale_type = scale_type,
                          .fill = LT_FILL_WHOLE,
                          .epilogue = LT_DEFAULT,
                          .bias_type = -1,
                          .aux_type = -1};
    return SUCCESS;
}

MADE(cublasLtMatmulDescCreate)(lt_matmul_desc **out, int compute, int scale_type)
{
    if (out == NULL) {
        return INVALID_VALUE;
    }
    *out = malloc(sizeof **out);
    return *out == NULL ? ALLOC_FAILED
                        : cublasLtMatmulDescInit_internal(*out, sizeof **out, compute, scale_type);
}

MADE(cublasLtMatmulDescDestroy)(lt_matmul_desc *d)
{
    free(d);
    return SUCCESS;
}

MADE(cublasLtMatmulDescSetAttribute)(lt_matmul_desc *d, int which, const void *value, size_t bytes)
{
    const field *f = find(desc_fields, COUNT(desc_fields), which);
    return f != NULL ? set(d, f, value, bytes)
                     : math_lacks("cublasLtMatmulDescSetAttribute", NOT_SUPPORTED,
                                  "CUBLAS_STATUS_NOT_SUPPORTED for this attribute");
}

MADE(cublasLtMatmulDescGetAttribute)
(const lt_matmul_desc *d, int which, void *value, size_t bytes, size_t *written)
{
    const field *f = find(desc_fields, COUNT(desc_fields), which);
    return f != NULL ? get(d, f, value, bytes, written) : INVALID_VALUE;
}

/* ---- matrices ---- */

static const field layout_fields[] = {FIELD(lt_layout, 0, type),  FIELD(lt_layout, 1, order),
                                      FIELD(lt_layout, 2, rows),  FIELD(lt_layout, 3, columns),
                                      FIELD(lt_layout, 4, ld),    FIELD(lt_layout, 5, batch),
                                      FIELD(lt_layout, 6, stride)};

MADE(cublasLtMatrixLayoutInit_internal)
(lt_layout *l, size_t bytes, int type, uint64_t rows, uint64_t columns, int64_t ld)
{
    if (l == NULL || bytes < sizeof *l) {
        return INVALID_VALUE;
    }
    *l = (lt_layout){.rows = rows, .columns = columns, .ld = ld, .type = type, .batch = 1};
    return SUCCESS;
}

MADE(cublasLtMatrixLayoutCreate)
(lt_layout **out, int type, uint64_t rows, uint64_t columns, int64_t ld)
{
    if (out == NULL) {
        return INVALID_VALUE;
    }
    *out = malloc(sizeof **out);
    return *out == NULL
               ? ALLOC_FAILED
               : cublasLtMatrixLayoutInit_internal(*out, sizeof **out, type, rows, columns, ld);
}

MADE(cublasLtMatrixLayoutDestroy)(lt_layout *l)
{
    free(l);
    return SUCCESS;
}

MADE(cublasLtMatrixLayoutSetAttribute)(lt_layout *l, int which, const void *value, size_t bytes)
{
    const field *f = find(layout_fields, COUNT(layout_fields), which);
    return f != NULL ? set(l, f, value, bytes)
                     : math_lacks("cublasLtMatrixLayoutSetAttribute", NOT_SUPPORTED,
                                  "CUBLAS_STATUS_NOT_SUPPORTED for this attribute");
}

MADE(cublasLtMatrixLayoutGetAttribute)
(const lt_layout *l, int which, void *value, size_t bytes, size_t *written)
{
    const field *f = find(layout_fields, COUNT(layout_fields), which);
    return f != NULL ? get(l, f, value, bytes, written) : INVALID_VALUE;
}

/* ---- preferences ---- */

static const field preference_fields[] = {
    FIELD(lt_preference, 0, search),       FIELD(lt_preference, 1, workspace),
    FIELD(lt_preference, 3, reductions),   FIELD(lt_preference, 5, alignment[0]),
    FIELD(lt_preference, 6, alignment[1]), FIELD(lt_preference, 7, alignment[2]),
    FIELD(lt_preference, 8, alignment[3])};

MADE(cublasLtMatmulPreferenceInit_internal)(lt_preference *p, size_t bytes)
{
    if (p == NULL || bytes < sizeof *p) {
        return INVALID_VALUE;
    }
    *p = (lt_preference){.alignment = {256, 256, 256, 256}};
    return SUCCESS;
}

MADE(cublasLtMatmulPreferenceCreate)(lt_preference **out)
{
    if (out == NULL) {
        return INVALID_VALUE;
    }
    *out = malloc(sizeof **out);
    return *out == NULL ? ALLOC_FAILED : cublasLtMatmulPreferenceInit_internal(*out, sizeof **out);
}

MADE(cublasLtMatmulPreferenceDestroy)(lt_preference *p)
{
    free(p);
    return SUCCESS;
}

/* All are hints to a search that is not made. */
MADE(cublasLtMatmulPreferenceSetAttribute)
(lt_preference *p, int which, const void *value, size_t bytes)
{
    const field *f = find(preference_fields, COUNT(preference_fields), which);
    return p == NULL ? INVALID_VALUE : f == NULL ? SUCCESS : set(p, f, value, bytes);
}

MADE(cublasLtMatmulPreferenceGetAttribute)
(const lt_preference *p, int which, void *value, size_t bytes, size_t *written)
{
    const field *f = find(preference_fields, COUNT(preference_fields), which);
    return f != NULL ? get(p, f, value, bytes, written) : INVALID_VALUE;
}
