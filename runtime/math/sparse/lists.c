/* lists.c - of the thin cuSPARSE, the older calls on lists of 32-bit indices: offsets of rows to
 * rows of elements and back, sorted elements, a matrix by its columns. A sort is a merge of ever
 * longer runs, so that what is equal keeps its order. */
#include "base/checked.h"
#include "runtime/math/sparse/cusparse.h"

static bool launch(cusparse_handle h, const char *kernel, int count, void **arguments)
{
    return sparse_launch(h, kernel, false, false, (uint64_t)count, 1, arguments);
}

static bool is_base(int base)
{
    return base == 0 || base == 1;
}

MADE(cusparseXcsr2coo)
(cusparse_handle h, const int *offsets, int elements, int rows, int *out, int base)
{
    if (h == NULL) {
        return NOT_INITIALIZED;
    }
    if (elements < 0 || rows < 0 || !is_base(base) || offsets == NULL ||
        (elements > 0 && out == NULL)) {
        return INVALID_VALUE;
    }
    void *arguments[] = {&offsets, &elements, &rows, &out, &base};
    math_says("cusparseXcsr2coo");
    return elements == 0 || launch(h, "ww_csr_to_coo", elements, arguments) ? SUCCESS
                                                                            : EXECUTION_FAILED;
}

MADE(cusparseXcoo2csr)
(cusparse_handle h, const int *list, int elements, int rows, int *out, int base)
{
    if (h == NULL) {
        return NOT_INITIALIZED;
    }
    if (elements < 0 || rows < 0 || !is_base(base) || out == NULL ||
        (elements > 0 && list == NULL)) {
        return INVALID_VALUE;
    }
    void *arguments[] = {&list, &elements, &rows, &out, &base};
    math_says("cusparseXcoo2csr");
    return launch(h, "ww_coo_to_csr", rows, arguments) ? SUCCESS : EXECUTION_FAILED;
}

MADE(cusparseCreateIdentityPermutation)(cusparse_handle h, int n, int *out)
{
    if (h == NULL) {
        return NOT_INITIALIZED;
    }
    if (n < 0 || (n > 0 && out == NULL)) {
        return INVALID_VALUE;
    }
    void *arguments[] = {&out, &n};
    math_says("cusparseCreateIdentityPermutation");
    return n == 0 || launch(h, "ww_identity", n, arguments) ? SUCCESS : EXECUTION_FAILED;
}

/* A buffer of a sort: two lists of keys, and two of places. */
static size_t sort_bytes(int elements)
{
    return (size_t)elements * 2 * (sizeof(unsigned long long) + sizeof(int));
}

/* What is sorted, and where it goes: by the major index (from offsets, or a list), then the minor
 * one, which may be none. */
typedef struct sorting {
    const int *offsets, *major, *minor, *places;
    int rows, elements, base;
    void *buffer;
} sorting;

/* *keys, *places: where the buffer has them in order. */
static bool sort(cusparse_handle h, const sorting *s, unsigned long long **keys, int **places)
{
    unsigned long long *key = s->buffer;
    sparse_sort p = {.keys = key,
                     .keys_out = key + s->elements,
                     .places = (int *)(key + 2 * (size_t)s->elements),
                     .count = s->elements};
    p.places_out = p.places + s->elements;
    sorting of = *s;
    void *first[] = {&of.offsets, &of.rows,  &of.major,    &of.minor, &of.places,
                     &p.keys,     &p.places, &of.elements, &of.base};
    bool ok = launch(h, "ww_sort_keys", s->elements, first);
    for (p.width = 1; ok && p.width < p.count; p.width *= 2) {
        void *arguments[] = {&p};
        ok = launch(h, "ww_sort_merge", s->elements, arguments);
        unsigned long long *keys_before = p.keys;
        int *places_before = p.places;
        p.keys = p.keys_out;
        p.places = p.places_out;
        p.keys_out = keys_before;
        p.places_out = places_before;
    }
    *keys = p.keys;
    *places = p.places;
    return ok;
}

static int sorted(cusparse_handle h, const char *name, const sorting *s, int *major, int *minor,
                  int *out)
{
    unsigned long long *keys;
    int *places, elements = s->elements;
    if (elements == 0) {
        return SUCCESS;
    }
    math_says(name);
    if (!sort(h, s, &keys, &places)) {
        return EXECUTION_FAILED;
    }
    void *arguments[] = {&keys, &places, &major, &minor, &out, &elements};
    return launch(h, "ww_sort_out", elements, arguments) ? SUCCESS : EXECUTION_FAILED;
}

static int sort_coordinates(cusparse_handle h, const char *name, int m, int n, int elements,
                            int *major, int *minor, int *places, void *buffer)
{
    if (h == NULL) {
        return NOT_INITIALIZED;
    }
    if (m < 0 || n < 0 || elements < 0 ||
        (elements > 0 && (major == NULL || minor == NULL || buffer == NULL))) {
        return INVALID_VALUE;
    }
    const sorting s = {
        .major = major, .minor = minor, .places = places, .elements = elements, .buffer = buffer};
    return sorted(h, name, &s, major, minor, places);
}

MADE(cusparseXcoosortByRow)
(cusparse_handle h, int m, int n, int elements, int *rows, int *columns, int *places, void *buffer)
{
    return sort_coordinates(h, "cusparseXcoosortByRow", m, n, elements, rows, columns, places,
                            buffer);
}

MADE(cusparseXcoosortByColumn)
(cusparse_handle h, int m, int n, int elements, int *rows, int *columns, int *places, void *buffer)
{
    return sort_coordinates(h, "cusparseXcoosortByColumn", m, n, elements, columns, rows, places,
                            buffer);
}

static int sort_compressed(cusparse_handle h, const char *name, int m, int n, int rows,
                           int elements, const int *offsets, int *indices, int *places,
                           void *buffer)
{
    if (h == NULL) {
        return NOT_INITIALIZED;
    }
    if (m < 0 || n < 0 || elements < 0 ||
        (elements > 0 && (offsets == NULL || indices == NULL || buffer == NULL))) {
        return INVALID_VALUE;
    }
    int base = 0;
    if (elements > 0 && cuMemcpyDtoH_v2(&base, (CUdeviceptr)(uintptr_t)offsets, sizeof base) != 0) {
        return EXECUTION_FAILED;
    }
    const sorting s = {.offsets = offsets,
                       .minor = indices,
                       .places = places,
                       .rows = rows,
                       .elements = elements,
                       .base = base,
                       .buffer = buffer};
    return sorted(h, name, &s, NULL, indices, places);
}

MADE(cusparseXcsrsort)
(cusparse_handle h, int m, int n, int elements, const void *kind, const int *offsets, int *columns,
 int *places, void *buffer)
{
    (void)kind;
    return sort_compressed(h, "cusparseXcsrsort", m, n, m, elements, offsets, columns, places,
                           buffer);
}

MADE(cusparseXcscsort)
(cusparse_handle h, int m, int n, int elements, const void *kind, const int *offsets, int *rows,
 int *places, void *buffer)
{
    (void)kind;
    return sort_compressed(h, "cusparseXcscsort", m, n, n, elements, offsets, rows, places, buffer);
}

/* MADE(cusparseXcoosort_bufferSizeExt) MADE(cusparseXcsrsort_bufferSizeExt)
 * MADE(cusparseXcscsort_bufferSizeExt) */
#define SORT_SIZE(name)                                                                            \
    MATH_API int name(cusparse_handle h, int m, int n, int elements, const int *first,             \
                      const int *second, size_t *bytes)                                            \
    {                                                                                              \
        (void)first, (void)second;                                                                 \
        if (h == NULL) {                                                                           \
            return NOT_INITIALIZED;                                                                \
        }                                                                                          \
        if (m < 0 || n < 0 || elements < 0 || bytes == NULL) {                                     \
            return INVALID_VALUE;                                                                  \
        }                                                                                          \
        *bytes = sort_bytes(elements);                                                             \
        return SUCCESS;                                                                            \
    }
SORT_SIZE(cusparseXcoosort_bufferSizeExt)
SORT_SIZE(cusparseXcsrsort_bufferSizeExt)
SORT_SIZE(cusparseXcscsort_bufferSizeExt)

/* A matrix by its columns: its elements in the order of their columns, those of one as they came.
 */
typedef struct turn {
    int rows, columns, elements;
    const void *values;
    const int *offsets, *indices;
    void *values_out;
    int *offsets_out, *indices_out;
    int type, numeric, base, algorithm;
} turn;

static int check_turn(const char *name, cusparse_handle h, const turn *t)
{
    if (h == NULL) {
        return NOT_INITIALIZED;
    }
    if (t->rows < 0 || t->columns < 0 || t->elements < 0 || !is_base(t->base) || t->numeric < 0 ||
        t->numeric > 1 || t->algorithm != 1) {
        return INVALID_VALUE;
    }
    if (t->type != R_32F && t->type != R_64F) {
        return sparse_lacks(name, "single and double precision are there");
    }
    return SUCCESS;
}

#define TURN_ARGUMENTS                                                                             \
    cusparse_handle h, int rows, int columns, int elements, const void *values,                    \
        const int *offsets, const int *indices, void *values_out, int *offsets_out,                \
        int *indices_out, int type, int numeric, int base, int algorithm
#define TURN                                                                                       \
    {                                                                                              \
        rows, columns, elements, values, offsets, indices, values_out, offsets_out, indices_out,   \
            type, numeric, base, algorithm                                                         \
    }

MADE(cusparseCsr2cscEx2_bufferSize)(TURN_ARGUMENTS, size_t *bytes)
{
    const turn t = TURN;
    int code = check_turn("cusparseCsr2cscEx2_bufferSize", h, &t);
    if (code != SUCCESS || bytes == NULL) {
        return code != SUCCESS ? code : INVALID_VALUE;
    }
    /* and a list of the sorted columns */
    *bytes = sort_bytes(elements) + (size_t)elements * sizeof(int);
    return SUCCESS;
}

static bool run_turn(cusparse_handle h, turn *t, void *buffer)
{
    unsigned long long *keys;
    int *places, *none = NULL;
    int *sorted_columns = (int *)(void *)((char *)buffer + sort_bytes(t->elements));
    int bytes = t->numeric == 0 ? 0 : t->type == R_64F ? 8 : 4;
    const sorting s = {.major = t->indices, .elements = t->elements, .buffer = buffer};
    if (t->elements > 0 && !sort(h, &s, &keys, &places)) {
        return false;
    }
    void *out[] = {&keys, &places, &sorted_columns, &none, &none, &t->elements};
    void *begins[] = {&sorted_columns, &t->elements, &t->columns, &t->offsets_out, &t->base};
    void *values[] = {&t->offsets,    &t->rows,     &places,  &t->values, &t->indices_out,
                      &t->values_out, &t->elements, &t->base, &bytes};
    return (t->elements == 0 || launch(h, "ww_sort_out", t->elements, out)) &&
           launch(h, "ww_coo_to_csr", t->columns, begins) &&
           (t->elements == 0 || launch(h, "ww_csr_to_csc", t->elements, values));
}

MADE(cusparseCsr2cscEx2)(TURN_ARGUMENTS, void *buffer)
{
    turn t = TURN;
    int code = check_turn("cusparseCsr2cscEx2", h, &t);
    if (code != SUCCESS) {
        return code;
    }
    if (offsets_out == NULL ||
        (elements > 0 &&
         (offsets == NULL || indices == NULL || indices_out == NULL || buffer == NULL ||
          (numeric == 1 && (values == NULL || values_out == NULL))))) {
        return INVALID_VALUE;
    }
    math_says("cusparseCsr2cscEx2");
    return run_turn(h, &t, buffer) ? SUCCESS : EXECUTION_FAILED;
}
