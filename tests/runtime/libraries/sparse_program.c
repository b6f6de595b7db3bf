/* sparse_program.c - a program that multiplies, converts and sorts with cuSPARSE: random matrices
 * of ragged shapes in each form, type and index, beside sums on the CPU; and calls that cuSPARSE
 * refuses. NVIDIA's headers are not needed to build it. With an argument: one of each kind, for a
 * run in time. */
#include "tests/runtime/libraries/sparse.h"

static double bound_of(int type, int depth)
{
    return (type == R_64F ? 1e-15 : 6e-7) * (8 + depth);
}

static void say(const char *what, int form, int type, int index, int op, const matrix *m)
{
    fprintf(stderr, "%s: form %d, type %d, index %d, operation %d, %d x %d\n", what, form, type,
            index, op, m->rows, m->columns);
    failures++;
}

/* y = alpha op(A) x + beta y. */
static void vector(void *h, int form, int type, int index, int op, int rows, int columns)
{
    matrix m;
    const double factors[] = {1.5, op == 0 ? 0 : -0.5};
    const float narrow[] = {1.5F, op == 0 ? 0 : -0.5F};
    const void *alpha = type == R_64F ? (const void *)factors : narrow;
    const void *beta = type == R_64F ? (const void *)(factors + 1) : narrow + 1;
    fill(&m, rows, columns, 7, type);
    list(&m, form, 1);
    describe(&m, form, type, index, index == INDEX_64);
    int out = op != 0 ? columns : rows, in = op != 0 ? rows : columns;
    dense x = make_dense(in, 1, COLUMN_ORDER, type), y = make_dense(out, 1, COLUMN_ORDER, type);
    void *vx, *vy;
    size_t bytes = 99;
    double *got = malloc(y.size * sizeof *got);
    if (op == 0) { /* what a 0 multiplies is not read */
        for (size_t i = 0; i < y.size; i++) {
            got[i] = NAN;
        }
        y.values = values_of(got, y.size, type);
    }
    OK(cusparseCreateDnVec(&vx, in, x.values, type));
    OK(cusparseCreateDnVec(&vy, out, y.values, type));
    OK(cusparseSpMV_bufferSize(h, op, alpha, m.descriptor, vx, beta, vy, type, 0, &bytes));
    OK(cusparseSpMV(h, op, alpha, m.descriptor, vx, beta, vy, type, 0, on_device(NULL, bytes)));
    read_values(got, y.values, y.size, type);
    for (int i = 0; i < out; i++) {
        double sum = 0;
        for (int k = 0; k < in; k++) {
            sum += at(&m, op != 0, i, k) * x.all[k];
        }
        double want = 1.5 * sum + (op == 0 ? 0 : -0.5 * y.all[i]);
        if (!(fabs(got[i] - want) <= bound_of(type, in))) {
            say("SpMV", form, type, index, op, &m);
            break;
        }
    }
    OK(cusparseDestroyDnVec(vx));
    OK(cusparseDestroyDnVec(vy));
    forget_dense(&x);
    forget_dense(&y);
    forget(&m);
    free(got);
}

/* C = alpha op(A) op(B) + beta C; what lies between columns stays. */
static void product(void *h, int form, int type, int index, int op, int order, int rows,
                    int columns, int width)
{
    matrix m;
    const double factors[] = {-2, 0.25};
    const float narrow[] = {-2, 0.25F};
    const void *alpha = type == R_64F ? (const void *)factors : narrow;
    const void *beta = type == R_64F ? (const void *)(factors + 1) : narrow + 1;
    const bool turned_a = (op & 1) != 0, turned_b = (op & 2) != 0;
    fill(&m, rows, columns, 9, type);
    list(&m, form, 0);
    describe(&m, form, type, index, index == INDEX_32);
    int out = turned_a ? columns : rows, in = turned_a ? rows : columns;
    dense b = make_dense(turned_b ? width : in, turned_b ? in : width, order, type);
    dense c = make_dense(out, width, 3 - order, type);
    size_t bytes = 99;
    double *got = malloc(c.size * sizeof *got);
    OK(cusparseSpMM_bufferSize(h, turned_a, turned_b ? 2 : 0, alpha, m.descriptor, b.descriptor,
                               beta, c.descriptor, type, 0, &bytes));
    OK(cusparseSpMM(h, turned_a, turned_b ? 2 : 0, alpha, m.descriptor, b.descriptor, beta,
                    c.descriptor, type, 0, on_device(NULL, bytes)));
    read_values(got, c.values, c.size, type);
    double *want = malloc(c.size * sizeof *want);
    memcpy(want, c.all, c.size * sizeof *want);
    for (int i = 0; i < out; i++) {
        for (int j = 0; j < width; j++) {
            double sum = 0;
            for (int k = 0; k < in; k++) {
                sum += at(&m, turned_a, i, k) * *place(&b, turned_b, k, j);
            }
            double *to = place(&c, false, i, j);
            want[to - c.all] = -2 * sum + 0.25 * *to;
        }
    }
    bool right = true;
    for (size_t i = 0; i < c.size; i++) {
        right = right && fabs(got[i] - want[i]) <= bound_of(type, in);
    }
    if (!right) {
        say("SpMM", form, type, index, op, &m);
    }
    free(want);
    free(got);
    forget_dense(&b);
    forget_dense(&c);
    forget(&m);
}

static void products(void *h)
{
    static const int shapes[][2] = {{1, 1}, {7, 5}, {37, 61}, {64, 3}, {3, 200}, {150, 150}};
    for (int form = CSR; form < FORMS; form++) {
        for (int kind = 0; kind < 8; kind++) {
            int type = kind & 1, index = (kind & 2) != 0 ? INDEX_64 : INDEX_32, op = kind >> 2;
            for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
                vector(h, form, type, index, op, shapes[s][0], shapes[s][1]);
            }
            for (int turned = 0; turned < 4; turned++) {
                product(h, form, type, index, turned, 1 + op, 23, 41, 9);
            }
            product(h, form, type, index, 0, ROW_ORDER, 5, 130, 33);
        }
    }
}

/* A sparse vector beside a dense one: gathered, added, rotated, multiplied, scattered. */
static void sparse_vectors(void *h, int type, int index)
{
    enum { SIZE = 700, ELEMENTS = 300 };
    const int base = index == INDEX_32;
    const double factors[] = {1.5, -0.5};
    const float narrow[] = {1.5F, -0.5F};
    const void *alpha = type == R_64F ? (const void *)factors : narrow;
    const void *beta = type == R_64F ? (const void *)(factors + 1) : narrow + 1;
    double x[ELEMENTS], y[SIZE], got[SIZE], sum = 0, wide = 0;
    float single = 0;
    int at[ELEMENTS];
    size_t bytes = 0;
    void *sparse, *vector_of_all;
    for (int i = 0; i < SIZE; i++) {
        y[i] = (double)(float)number();
    }
    for (int e = 0; e < ELEMENTS; e++) {
        at[e] = e * 37 % SIZE; /* no two the same, in no order */
        x[e] = y[at[e]];
        sum += x[e] * y[at[e]];
    }
    void *values = values_of(y, ELEMENTS, type), *full = values_of(y, SIZE, type);
    OK(cusparseCreateSpVec(&sparse, SIZE, ELEMENTS, indices_of(at, ELEMENTS, index, base), values,
                           index, base, type));
    OK(cusparseCreateDnVec(&vector_of_all, SIZE, full, type));
    OK(cusparseGather(h, vector_of_all, sparse));
    read_values(got, values, ELEMENTS, type);
    expect(memcmp(got, x, sizeof x) == 0, "cusparseGather");
    void *result = type == R_64F ? (void *)&wide : &single;
    OK(cusparseSpVV_bufferSize(h, 0, sparse, vector_of_all, result, type, &bytes));
    OK(cusparseSpVV(h, 0, sparse, vector_of_all, result, type, on_device(NULL, bytes)));
    expect(fabs(sum - (type == R_64F ? wide : (double)single)) < bound_of(type, ELEMENTS),
           "cusparseSpVV");
    OK(cusparseAxpby(h, alpha, sparse, beta, vector_of_all));
    OK(cusparseRot(h, alpha, beta, sparse, vector_of_all));
    for (int i = 0; i < SIZE; i++) {
        y[i] *= -0.5;
    }
    for (int e = 0; e < ELEMENTS; e++) {
        double old = x[e], other = y[at[e]] + 1.5 * old;
        x[e] = 1.5 * old - 0.5 * other;
        y[at[e]] = 1.5 * other + 0.5 * old;
    }
    read_values(got, full, SIZE, type);
    for (int i = 0; i < SIZE; i++) {
        expect(fabs(got[i] - y[i]) < bound_of(type, 4), "the dense vector, added to and rotated");
    }
    OK(cusparseScatter(h, sparse, vector_of_all));
    read_values(got, full, SIZE, type);
    for (int e = 0; e < ELEMENTS; e++) {
        expect(fabs(got[at[e]] - x[e]) < bound_of(type, 4), "the sparse vector, rotated");
    }
    OK(cusparseDestroySpVec(sparse));
    OK(cusparseDestroyDnVec(vector_of_all));
}

/* Batches: of A's values and the operands, and of the operands alone; scalars in device memory. */
static void batches(void *h)
{
    enum { N = 19, WIDTH = 6, BATCH = 3 };
    const float factors[] = {1, 0};
    double b[BATCH * N * WIDTH], got[BATCH * N * WIDTH];
    for (int i = 0; i < BATCH * N * WIDTH; i++) {
        b[i] = (double)(float)number();
    }
    for (int form = CSR; form <= COO; form += COO - CSR) {
        matrix m;
        void *db, *dc, *device = on_device(factors, sizeof factors);
        fill(&m, N, N, 4, R_32F);
        list(&m, form, 0);
        describe(&m, form, R_32F, INDEX_32, 0);
        void *out = on_device(NULL, sizeof b);
        OK(cusparseCreateDnMat(&db, N, WIDTH, N, values_of(b, BATCH * N * WIDTH, R_32F), R_32F,
                               COLUMN_ORDER));
        OK(cusparseCreateDnMat(&dc, N, WIDTH, N, out, R_32F, COLUMN_ORDER));
        expect(cusparseDnMatSetStridedBatch(db, BATCH, N * WIDTH - 1) == 3, "batches that overlap");
        OK(cusparseDnMatSetStridedBatch(db, BATCH, N * WIDTH));
        OK(cusparseDnMatSetStridedBatch(dc, BATCH, N * WIDTH));
        OK(cusparseSetPointerMode(h, 1));
        OK(cusparseSpMM(h, 0, 0, device, m.descriptor, db, (float *)device + 1, dc, R_32F, 0,
                        NULL));
        if (form == CSR) {
            OK(cusparseCsrSetStridedBatch(m.descriptor, BATCH, 0, 0));
        } else {
            OK(cusparseCooSetStridedBatch(m.descriptor, BATCH, 0));
        }
        OK(cusparseSpMM(h, 0, 0, device, m.descriptor, db, (float *)device + 1, dc, R_32F, 0,
                        NULL));
        OK(cusparseSetPointerMode(h, 0));
        read_values(got, out, BATCH * N * WIDTH, R_32F);
        for (int z = 0; z < BATCH * WIDTH; z++) {
            for (int i = 0; i < N; i++) {
                double sum = 0;
                for (int k = 0; k < N; k++) {
                    sum += at(&m, false, i, k) * b[z * N + k];
                }
                expect(fabs(got[z * N + i] - sum) < bound_of(R_32F, N), "a product of a batch");
            }
        }
        OK(cusparseDestroyDnMat(db));
        OK(cusparseDestroyDnMat(dc));
        forget(&m);
    }
}

static void set_pointers(void *m, int form, void *first, void *second, void *values)
{
    OK((form == CSR   ? cusparseCsrSetPointers
        : form == CSC ? cusparseCscSetPointers
                      : cusparseCooSetPointers)(m, first, second, values));
}

/* Dense to sparse, and back. */
static void dense_and_back(void *h, int form, int type, int index, int order, int rows, int columns)
{
    const int base = order == ROW_ORDER;
    matrix m;
    fill(&m, rows, columns, 6, type);
    list(&m, form, 0);
    dense d = make_dense(rows, columns, order, type),
          back = make_dense(rows, columns, 3 - order, type);
    for (int i = 0; i < rows * columns; i++) {
        *place(&d, false, i / columns, i % columns) = m.all[i];
    }
    void *filled = values_of(d.all, d.size, type), *full, *buffer;
    OK(cusparseCreateDnMat(&full, rows, columns, d.pitch, filled, type, order));
    size_t majors = (size_t)(form == CSC ? columns : rows), n = (size_t)m.elements, bytes;
    void *first = on_device(NULL, (form == COO ? n : majors + 1) * 8);
    void *second = on_device(NULL, n * 8), *values = on_device(NULL, n * 8);
    if (form == COO) {
        OK(cusparseCreateCoo(&m.descriptor, rows, columns, 0, NULL, NULL, NULL, index, base, type));
    } else {
        OK((form == CSC ? cusparseCreateCsc : cusparseCreateCsr)(
            &m.descriptor, rows, columns, 0, first, NULL, NULL, index, index, base, type));
    }
    OK(cusparseDenseToSparse_bufferSize(h, full, m.descriptor, 0, &bytes));
    buffer = on_device(NULL, bytes);
    OK(cusparseDenseToSparse_analysis(h, full, m.descriptor, 0, buffer));
    int64_t r, c, elements = 0;
    OK(cusparseSpMatGetSize(m.descriptor, &r, &c, &elements));
    expect(r == rows && c == columns && elements == m.elements, "how many elements there are");
    set_pointers(m.descriptor, form, first, second, values);
    OK(cusparseDenseToSparse_convert(h, full, m.descriptor, 0, buffer));
    int *list_read = malloc((n + majors + 1) * sizeof *list_read);
    double *values_read = malloc((n + 1) * sizeof *values_read);
    size_t firsts = form == COO ? n : majors + 1;
    read_indices(list_read, first, firsts, index, base);
    bool right = memcmp(list_read, form == COO ? m.major : m.offsets, firsts * sizeof(int)) == 0;
    read_indices(list_read, second, n, index, base);
    right = right && memcmp(list_read, m.minor, n * sizeof(int)) == 0;
    read_values(values_read, values, n, type);
    right = right && memcmp(values_read, m.values, n * sizeof *values_read) == 0;
    OK(cusparseSparseToDense(h, m.descriptor, back.descriptor, 0, NULL));
    double *got = malloc(back.size * sizeof *got);
    read_values(got, back.values, back.size, type);
    for (int i = 0; i < rows * columns; i++) {
        *place(&back, false, i / columns, i % columns) = m.all[i];
    }
    if (!right || memcmp(got, back.all, back.size * sizeof *got) != 0) {
        say("dense and sparse", form, type, index, order, &m);
    }
    free(got);
    free(list_read);
    free(values_read);
    OK(cusparseDestroyDnMat(full));
    forget_dense(&d);
    forget_dense(&back);
    forget(&m);
}

/* Elements in another order, sorted again. */
static void sorts(void *h, int rows, int columns, int base)
{
    matrix m, by_columns;
    fill(&m, rows, columns, 5, R_32F);
    by_columns = m;
    list(&m, COO, 0);
    list(&by_columns, CSC, 0);
    size_t n = (size_t)m.elements, bytes;
    int *r = malloc(n * sizeof *r), *c = malloc(n * sizeof *c), *p = malloc(n * sizeof *p);
    for (size_t i = 0; i < n; i++) {
        size_t from = (i * 7919 + 5) % n;
        bool whole = n % 7919 != 0; /* then every element is there */
        r[i] = m.major[whole ? from : n - 1 - i];
        c[i] = m.minor[whole ? from : n - 1 - i];
    }
    void *dr = indices_of(r, n, INDEX_32, base), *dc = indices_of(c, n, INDEX_32, base);
    void *dp = on_device(NULL, n * 4);
    int *got = malloc(n * sizeof *got);
    OK(cusparseXcoosort_bufferSizeExt(h, rows, columns, m.elements, dr, dc, &bytes));
    void *buffer = on_device(NULL, bytes);
    OK(cusparseCreateIdentityPermutation(h, m.elements, dp));
    OK(cusparseXcoosortByRow(h, rows, columns, m.elements, dr, dc, dp, buffer));
    read_indices(got, dr, n, INDEX_32, base);
    expect(memcmp(got, m.major, n * sizeof *got) == 0, "rows in order");
    read_indices(got, dc, n, INDEX_32, base);
    expect(memcmp(got, m.minor, n * sizeof *got) == 0, "columns in order");
    read_indices(p, dp, n, INDEX_32, 0);
    bool right = true;
    for (size_t i = 0; i < n; i++) {
        right = right && p[i] >= 0 && (size_t)p[i] < n && r[p[i]] == m.major[i] &&
                c[p[i]] == m.minor[i];
    }
    expect(right, "where elements were");
    OK(cusparseXcoosortByColumn(h, rows, columns, m.elements, dr, dc, NULL, buffer));
    read_indices(got, dc, n, INDEX_32, base);
    expect(memcmp(got, by_columns.major, n * sizeof *got) == 0, "sorted by columns");
    read_indices(got, dr, n, INDEX_32, base);
    expect(memcmp(got, by_columns.minor, n * sizeof *got) == 0, "rows within columns");
    free(r);
    free(c);
    free(p);
    free(got);
    OK(cusparseCreateCoo(&m.descriptor, rows, columns, 0, NULL, NULL, NULL, INDEX_32, 0, R_32F));
    by_columns.all = NULL;
    OK(cusparseCreateCoo(&by_columns.descriptor, rows, columns, 0, NULL, NULL, NULL, INDEX_32, 0,
                         R_32F));
    forget(&by_columns);
    forget(&m);
}

/* Offsets to rows and back; by rows to by columns; columns of rows sorted. */
static void lists(void *h, int rows, int columns, int base, int type)
{
    matrix m, backwards, by_columns;
    fill(&m, rows, columns, 5, type);
    by_columns = backwards = m;
    list(&m, CSR, 0);
    list(&backwards, CSR, 1);
    list(&by_columns, CSC, 0);
    size_t n = (size_t)m.elements, bytes, wide = type == R_64F ? 8 : 4;
    int *got = malloc((n + (size_t)rows + (size_t)columns + 1) * sizeof *got);
    double *values = malloc((n + 1) * sizeof *values);
    void *offsets = indices_of(m.offsets, (size_t)rows + 1, INDEX_32, base);
    void *list_out = on_device(NULL, n * 4), *offsets_out = on_device(NULL, ((size_t)rows + 1) * 4);
    OK(cusparseXcsr2coo(h, offsets, m.elements, rows, list_out, base));
    read_indices(got, list_out, n, INDEX_32, base);
    expect(memcmp(got, m.major, n * sizeof *got) == 0, "rows of elements");
    OK(cusparseXcoo2csr(h, list_out, m.elements, rows, offsets_out, base));
    read_indices(got, offsets_out, (size_t)rows + 1, INDEX_32, base);
    expect(memcmp(got, m.offsets, ((size_t)rows + 1) * sizeof *got) == 0, "where rows begin");
    void *minor = indices_of(backwards.minor, n, INDEX_32, base);
    OK(cusparseCreateIdentityPermutation(h, m.elements, list_out));
    OK(cusparseXcoosort_bufferSizeExt(h, rows, columns, m.elements, NULL, NULL, &bytes));
    OK(cusparseXcsrsort(h, rows, columns, m.elements, NULL, offsets, minor, list_out,
                        on_device(NULL, bytes)));
    read_indices(got, minor, n, INDEX_32, base);
    expect(memcmp(got, m.minor, n * sizeof *got) == 0, "columns of rows in order");
    void *given = values_of(m.values, n, type), *csc_values = on_device(NULL, n * wide);
    void *csc_rows = on_device(NULL, n * 4),
         *csc_offsets = on_device(NULL, ((size_t)columns + 1) * 4);
    minor = indices_of(m.minor, n, INDEX_32, base);
    OK(cusparseCsr2cscEx2_bufferSize(h, rows, columns, m.elements, given, offsets, minor,
                                     csc_values, csc_offsets, csc_rows, type, 1, base, 1, &bytes));
    OK(cusparseCsr2cscEx2(h, rows, columns, m.elements, given, offsets, minor, csc_values,
                          csc_offsets, csc_rows, type, 1, base, 1, on_device(NULL, bytes)));
    read_indices(got, csc_offsets, (size_t)columns + 1, INDEX_32, base);
    expect(memcmp(got, by_columns.offsets, ((size_t)columns + 1) * sizeof *got) == 0,
           "where columns begin");
    read_indices(got, csc_rows, n, INDEX_32, base);
    expect(memcmp(got, by_columns.minor, n * sizeof *got) == 0, "rows of columns");
    read_values(values, csc_values, n, type);
    expect(memcmp(values, by_columns.values, n * sizeof *values) == 0, "values of columns");
    free(got);
    free(values);
    by_columns.all = backwards.all = NULL;
    matrix *all[] = {&m, &backwards, &by_columns};
    for (int i = 0; i < 3; i++) {
        OK(cusparseCreateCoo(&all[i]->descriptor, 1, 1, 0, NULL, NULL, NULL, INDEX_32, 0, type));
        forget(all[i]);
    }
}

static void conversions(void *h)
{
    for (int form = CSR; form < FORMS; form++) {
        for (int kind = 0; kind < 8; kind++) {
            int type = kind & 1, index = (kind & 2) != 0 ? INDEX_64 : INDEX_32;
            dense_and_back(h, form, type, index, 1 + (kind >> 2), 17, 40);
            dense_and_back(h, form, type, index, 1 + (kind >> 2), 70, 9);
        }
    }
    sorts(h, 31, 47, 0);
    sorts(h, 90, 12, 1);
    lists(h, 31, 47, 0, R_32F);
    lists(h, 300, 11, 1, R_64F);
}

/* The codes of cusparse.h: 3 a wrong value, 10 what is not supported, 1 no handle in older calls.
 */
static void refusals(void *h)
{
    float one = 1;
    int x[16] = {0};
    void *a = NULL, *b = NULL, *v = NULL, *w = NULL, *half = NULL;
    size_t bytes;
    int64_t rows, columns, elements;
    expect(cusparseCreate(NULL) == 3 && cusparseDestroy(NULL) == 0, "no place for a handle");
    expect(cusparseSetStream(NULL, NULL) == 3, "no handle");
    expect(cusparseCreateCsr(NULL, 4, 4, 4, x, x, x, 2, 2, 0, R_32F) == 3, "no place for a matrix");
    expect(cusparseCreateCsr(&a, -1, 4, 4, x, x, x, 2, 2, 0, R_32F) == 3, "negative rows");
    expect(cusparseCreateCsr(&a, 4, 4, 17, x, x, x, 2, 2, 0, R_32F) == 3, "more than all places");
    expect(cusparseCreateCsr(&a, 4, 4, 4, x, x, x, 9, 2, 0, R_32F) == 3, "no type of offsets");
    expect(cusparseCreateCsr(&a, 4, 4, 4, x, x, x, 3, 2, 0, R_32F) == 10, "two types of indices");
    expect(cusparseCreateCsr(&a, 4, 4, 4, x, x, x, 2, 2, 7, R_32F) == 3, "no base");
    expect(cusparseCreateCsr(&a, 4, 4, 4, x, x, x, 2, 2, 0, 99) == 3, "no type");
    expect(cusparseCreateCsr(&a, 5000000000, 4, 4, x, x, x, 2, 2, 0, R_32F) == 3, "2^32 rows");
    expect(cusparseCreateCsr(&a, INT64_MAX, INT64_MAX, INT64_MAX, x, x, x, 3, 3, 0, R_32F) == 0,
           "2^63 rows");
    expect(cusparseCreateDnMat(&b, INT64_MAX, 1, INT64_MAX, x, R_32F, 1) == 0, "2^63 numbers");
    expect(cusparseCreateDnVec(&v, INT64_MAX, x, R_32F) == 0, "2^63 numbers of a vector");
    expect(cusparseSpMV(h, 0, &one, a, v, &one, v, R_32F, 0, NULL) == 11, "2^63 elements");
    expect(cusparseDestroyDnMat(b) == 0 && cusparseDestroyDnVec(v) == 0, "ends");
    OK(cusparseDestroySpMat(a));
    OK(cusparseCreateCsr(&a, 4, 3, 4, x, x, x, 2, 2, 0, R_32F));
    expect(cusparseCooSetPointers(a, x, x, x) == 3, "another form's call");
    expect(cusparseCooSetStridedBatch(a, 2, 4) == 3 && cusparseCsrSetStridedBatch(a, 2, 5, 3) == 3,
           "batches of another form, and that overlap");
    expect(cusparseSpMatGetSize(a, NULL, &columns, &elements) == 3 &&
               cusparseSpMatGetSize(NULL, &rows, &columns, &elements) == 3,
           "no size");
    expect(cusparseCreateSpVec(&v, 4, 9, x, x, INDEX_32, 0, R_32F) == 3 &&
               cusparseCreateSpVec(&v, 5000000000, 9, x, x, INDEX_32, 0, R_32F) == 3,
           "no sparse vector");
    expect(cusparseCreateDnVec(&v, -4, x, R_32F) == 3 && cusparseCreateDnVec(&v, 4, x, 99) == 3,
           "no vector");
    OK(cusparseCreateDnVec(&v, 3, x, R_32F));
    OK(cusparseCreateDnVec(&w, 4, x, R_32F));
    OK(cusparseCreateDnVec(&half, 3, x, R_16F));
    expect(cusparseCreateDnMat(&b, 4, 4, 3, x, R_32F, 1) == 3 &&
               cusparseCreateDnMat(&b, 4, 6, 4, x, R_32F, 2) == 3 &&
               cusparseCreateDnMat(&b, 4, 4, 4, x, R_32F, 9) == 3,
           "no dense matrix");
    OK(cusparseCreateDnMat(&b, 4, 4, 4, x, R_32F, 1));
    expect(cusparseDnMatSetStridedBatch(b, 0, 16) == 3, "no batch");
    OK(cusparseDnMatSetStridedBatch(b, 1, 0));
    expect(cusparseSpMV(NULL, 0, &one, a, v, &one, w, R_32F, 0, NULL) == 3, "no handle for SpMV");
    expect(cusparseSpMV(h, 5, &one, a, v, &one, w, R_32F, 0, NULL) == 3, "no operation");
    expect(cusparseSpMV(h, 0, NULL, a, v, &one, w, R_32F, 0, NULL) == 3, "no factor");
    expect(cusparseSpMV(h, 0, &one, a, w, &one, v, R_32F, 0, NULL) == 3, "shapes that do not fit");
    expect(cusparseSpMV(h, 0, &one, a, half, &one, w, R_32F, 0, NULL) == 10, "half precision");
    expect(cusparseSpMV_bufferSize(h, 0, &one, a, v, &one, w, R_32F, 77, &bytes) == 3,
           "no algorithm");
    expect(cusparseSpMM(h, 0, 0, &one, a, b, &one, b, R_32F, 0, NULL) == 3,
           "matrices that do not fit");
    expect(cusparseSparseToDense(h, a, b, 0, NULL) == 3, "shapes of two matrices");
    expect(cusparseDenseToSparse_analysis(h, b, NULL, 0, x) == 3, "no matrix");
    expect(cusparseXcoo2csr(NULL, x, 4, 4, x, 0) == 1 && cusparseXcoo2csr(h, x, -4, 4, x, 0) == 3 &&
               cusparseXcsr2coo(h, NULL, 4, 4, x, 0) == 3,
           "lists");
    expect(cusparseSpGEMM_createDescr(&a) == 10, "what is not there");
    expect(strcmp(cusparseGetErrorName(3), "CUSPARSE_STATUS_INVALID_VALUE") == 0 &&
               strcmp(cusparseGetErrorString(10), "operation not supported") == 0,
           "names of codes");
}

/* A matrix of zeros has no element, and needs no place for one. */
static void zeros_become_nothing(void *h)
{
    enum { N = 4 };
    const double zero[N * N] = {0};
    void *full, *sparse, *buffer, *offsets = on_device(NULL, (N + 1) * sizeof(int));
    int64_t rows, columns, elements = -1;
    size_t bytes;
    OK(cusparseCreateDnMat(&full, N, N, N, values_of(zero, N * N, R_64F), R_64F, ROW_ORDER));
    OK(cusparseCreateCsr(&sparse, N, N, 0, offsets, NULL, NULL, INDEX_32, INDEX_32, 0, R_64F));
    OK(cusparseDenseToSparse_bufferSize(h, full, sparse, 0, &bytes));
    buffer = on_device(NULL, bytes);
    OK(cusparseDenseToSparse_analysis(h, full, sparse, 0, buffer));
    OK(cusparseSpMatGetSize(sparse, &rows, &columns, &elements));
    expect(elements == 0, "elements of a matrix of zeros");
    OK(cusparseDenseToSparse_convert(h, full, sparse, 0, buffer));
    OK(cusparseDestroySpMat(sparse));
    OK(cusparseDestroyDnMat(full));
}

int main(int argc, char **argv)
{
    void *h = NULL;
    (void)argv;
    OK(cusparseCreate(&h));
    if (argc > 1) {
        for (int form = CSR; form < FORMS; form++) {
            vector(h, form, R_32F, INDEX_32, form & 1, 300, 200);
            product(h, form, R_64F, INDEX_64, 0, ROW_ORDER, 60, 80, 16);
        }
        dense_and_back(h, CSR, R_32F, INDEX_32, ROW_ORDER, 64, 64);
        lists(h, 40, 50, 0, R_32F);
    } else {
        products(h);
        for (int kind = 0; kind < 4; kind++) {
            sparse_vectors(h, kind & 1, (kind & 2) != 0 ? INDEX_64 : INDEX_32);
        }
        batches(h);
        conversions(h);
        zeros_become_nothing(h);
        refusals(h);
    }
    OK(cusparseDestroy(h));
    printf("%d wrong\n", failures);
    return failures != 0;
}
