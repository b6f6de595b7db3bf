/* spmv.c - driver of the sparse matrix-vector product: a random banded matrix, or one of cubic
 * finite elements, in compressed rows, turned into jagged diagonals; the reference multiplies the
 * compressed rows in double precision. */
#include "workloads/support.h"

#define WARP          32
#define MAX_DIAGONALS 5000
#define MAX_WARPS     5000

/* Compressed rows. */
typedef struct matrix {
    int32_t rows;
    int32_t *first; /* of each row's entries; rows + 1 */
    int32_t *column;
    float *value;
} matrix;

/* Jagged diagonals: entry d of sorted row r at start[d] + r. */
typedef struct jagged {
    int32_t diagonals;
    int32_t start[MAX_DIAGONALS];
    int32_t longest[MAX_WARPS]; /* row of each warp's */
    int32_t *permutation;       /* original row of each sorted one */
    int32_t *column;
    float *value;
    size_t count; /* with padding */
} jagged;

/* Rows of 1 to 2 * mean - 1 entries, half of them near the diagonal, half anywhere. */
static ww_status make_matrix(ww__bench *bench, int32_t rows, int32_t mean, matrix *m)
{
    const uint32_t n = (uint32_t)rows;
    m->rows = rows;
    WW_TRY(ww__host_array(bench, (size_t)rows + 1, sizeof *m->first, &m->first));
    for (uint32_t r = 0; r < n; r++) {
        m->first[r + 1] =
            m->first[r] + 1 + (int32_t)ww__random_below(bench, (uint32_t)(2 * mean - 1));
    }
    const size_t count = (size_t)m->first[rows];
    WW_TRY(ww__host_array(bench, count, sizeof *m->column, &m->column));
    WW_TRY(ww__random_floats(bench, count, -1.0f, 1.0f, &m->value));
    for (uint32_t r = 0; r < n; r++) {
        for (int32_t i = m->first[r]; i < m->first[r + 1]; i++) {
            const uint32_t band = (r + ww__random_below(bench, (uint32_t)(4 * mean))) % n;
            m->column[i] =
                (int32_t)(ww__random_bits(bench) % 2 ? band : ww__random_below(bench, n));
        }
    }
    return WW_OK;
}

/* ---- cubic finite elements ----
 * Parboil's large matrix, Dubcova3 (University of Florida collection), has 146,689 = 383^2 rows and
 * 3,636,643 entries: finite elements of third degree on 128 x 128 squares, a value fixed on the
 * edge of the domain. Such a matrix has (3 * 128 - 1)^2 rows and 1,907^2 = 3,636,649 entries; its
 * rows have 49, 28 or 16. The collection's note on its group (UTEP) names the first 81,153 rows and
 * columns as a subset of interest, of Dubcova2 (squares of second degree) the first 48,641: 127^2
 * corners of squares with two nodes or one on each of 2 * 127 * 128 edges. Nodes within squares
 * come last; that corners come before edges, and each kind line by line, is assumed. */

enum { DEGREE = 3 };

/* Corner, edge, within a square. */
static unsigned kind_of(int32_t x, int32_t y)
{
    return (unsigned)(x % DEGREE != 0) + (unsigned)(y % DEGREE != 0);
}

/* Nodes in the matrix's order, and the place of each node of the grid in it. */
static ww_status order_nodes(ww__bench *bench, int32_t side, int32_t **node, int32_t **place)
{
    const size_t nodes = (size_t)side * (size_t)side;
    int32_t n = 0;
    WW_TRY(ww__host_array(bench, nodes, sizeof **node, node));
    WW_TRY(ww__host_array(bench, nodes, sizeof **place, place));
    for (unsigned kind = 0; kind < 3; kind++) {
        for (int32_t at = 0; at < side * side; at++) {
            if (kind_of(at % side + 1, at / side + 1) == kind) {
                (*place)[at] = n;
                (*node)[n++] = at;
            }
        }
    }
    return WW_OK;
}

/* Nodes of one dimension, 1 to `most`, with which node `at` shares an element. */
static void element_range(int32_t at, int32_t most, int32_t *first, int32_t *last)
{
    const int32_t begin = at % DEGREE == 0 ? at - DEGREE : at / DEGREE * DEGREE;
    const int32_t end = at / DEGREE * DEGREE + DEGREE;
    *first = begin > 1 ? begin : 1;
    *last = end < most ? end : most;
}

static int32_t row_length(int32_t x, int32_t y, int32_t side)
{
    int32_t x0, x1, y0, y1;
    element_range(x, side, &x0, &x1);
    element_range(y, side, &y0, &y1);
    return (x1 - x0 + 1) * (y1 - y0 + 1);
}

static ww_status make_elements(ww__bench *bench, int32_t side, matrix *m)
{
    int32_t *node, *place;
    m->rows = side * side;
    WW_TRY(order_nodes(bench, side, &node, &place));
    WW_TRY(ww__host_array(bench, (size_t)m->rows + 1, sizeof *m->first, &m->first));
    for (int32_t r = 0; r < m->rows; r++) {
        m->first[r + 1] = m->first[r] + row_length(node[r] % side + 1, node[r] / side + 1, side);
    }
    const size_t count = (size_t)m->first[m->rows];
    WW_TRY(ww__host_array(bench, count, sizeof *m->column, &m->column));
    WW_TRY(ww__random_floats(bench, count, -1.0f, 1.0f, &m->value));
    for (int32_t r = 0; r < m->rows; r++) {
        int32_t x0, x1, y0, y1;
        element_range(node[r] % side + 1, side, &x0, &x1);
        element_range(node[r] / side + 1, side, &y0, &y1);
        int32_t *column = m->column + m->first[r];
        for (unsigned kind = 0; kind < 3; kind++) { /* ascending */
            for (int32_t y = y0; y <= y1; y++) {
                for (int32_t x = x0; x <= x1; x++) {
                    if (kind_of(x, y) == kind) {
                        *column++ = place[(y - 1) * side + x - 1];
                    }
                }
            }
        }
    }
    return WW_OK;
}

/* Rows by descending length, those of one length in their order (a counting sort). */
static ww_status sort_rows(ww__bench *bench, const matrix *m, jagged *j)
{
    int32_t next[MAX_DIAGONALS + 2] = {0}; /* place of the next row of a length */
    j->diagonals = 0;
    for (int32_t r = 0; r < m->rows; r++) {
        const int32_t length = m->first[r + 1] - m->first[r];
        if (length > MAX_DIAGONALS) {
            return ww_fail(bench->err, WW_EINTERNAL, "%s: row too long", bench->name);
        }
        j->diagonals = length > j->diagonals ? length : j->diagonals;
        next[length]++;
    }
    int32_t place = 0;
    for (int32_t length = j->diagonals; length >= 0; length--) {
        const int32_t rows = next[length];
        next[length] = place;
        place += rows;
    }
    WW_TRY(ww__host_array(bench, (size_t)m->rows, sizeof *j->permutation, &j->permutation));
    for (int32_t r = 0; r < m->rows; r++) {
        j->permutation[next[m->first[r + 1] - m->first[r]]++] = r;
    }
    return WW_OK;
}

/* Length of a sorted row, padded to that of the first of its warp. */
static int32_t padded(const matrix *m, const jagged *j, int32_t sorted)
{
    const int32_t leader = j->permutation[sorted / WARP * WARP];
    return m->first[leader + 1] - m->first[leader];
}

static ww_status make_jagged(ww__bench *bench, const matrix *m, jagged *j)
{
    WW_TRY(sort_rows(bench, m, j));
    for (int32_t r = 0; r < m->rows; r++) {
        j->longest[r / WARP] = padded(m, j, r);
        j->count += (size_t)padded(m, j, r);
    }
    WW_TRY(ww__host_array(bench, j->count, sizeof *j->column, &j->column));
    WW_TRY(ww__host_array(bench, j->count, sizeof *j->value, &j->value));
    int32_t at = 0;
    for (int32_t d = 0; d < j->diagonals; d++) {
        j->start[d] = at;
        for (int32_t r = 0; r < m->rows && padded(m, j, r) > d; r++, at++) {
            const int32_t row = j->permutation[r];
            if (d < m->first[row + 1] - m->first[row]) {
                j->column[at] = m->column[m->first[row] + d];
                j->value[at] = m->value[m->first[row] + d];
            } /* else padding: 0 times x[0] */
        }
    }
    return WW_OK;
}

static ww_status multiply(ww__bench *bench, const matrix *m, int32_t launches, unsigned threads)
{
    const int32_t rows = m->rows;
    const size_t n = (size_t)rows;

    jagged *j;
    float *x, *actual;
    double *expected;
    WW_TRY(ww__host_array(bench, 1, sizeof *j, &j));
    WW_TRY(make_jagged(bench, m, j));
    WW_TRY(ww__random_floats(bench, n, 0.0f, 1.0f, &x));
    WW_TRY(ww__host_array(bench, n, sizeof *expected, &expected));

    ww_devptr value, column, permutation, device_x, y;
    const size_t warps = (n + WARP - 1) / WARP;
    WW_TRY(ww__upload_symbol(bench, "jds_ptr_int", j->start,
                             (size_t)j->diagonals * sizeof j->start[0]));
    WW_TRY(ww__upload_symbol(bench, "sh_zcnt_int", j->longest, warps * sizeof j->longest[0]));
    WW_TRY(ww__upload(bench, j->value, j->count * sizeof *j->value, &value));
    WW_TRY(ww__upload(bench, j->column, j->count * sizeof *j->column, &column));
    WW_TRY(ww__upload(bench, j->permutation, n * sizeof *j->permutation, &permutation));
    WW_TRY(ww__upload(bench, x, n * sizeof *x, &device_x));
    WW_TRY(ww__buffer(bench, n * sizeof *actual, &y));
    for (int32_t i = 0; i < launches; i++) {
        WW_TRY(WW__LAUNCH(bench, "spmv_jds", ww__dim(ww__pieces(n, threads), 1),
                          ww__dim(threads, 1), 0, &y, &value, &column, &permutation, &device_x,
                          &rows));
    }
    WW_TRY(ww__download(bench, y, n * sizeof *actual, &actual));

    for (size_t r = 0; r < n; r++) {
        for (int32_t i = m->first[r]; i < m->first[r + 1]; i++) {
            expected[r] += (double)m->value[i] * (double)x[m->column[i]];
        }
    }
    /* Sums of at most 79 terms below 1: rounding stays below 79 * 79 * 2^-25, 2e-4, and by chance
     * far below that. Terms are 0.25 in the mean. */
    return ww__verify_floats(bench, "y", actual, expected, n, 0.0, 1e-5);
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    /* default: the dimensions of Dubcova3, threads as a GPU of compute capability 2.0 takes them.
     */
    static const struct {
        int32_t rows, mean, launches;
        unsigned threads;
    } inputs[] = {
        {1138, 8, 2, 32}, {16384, 40, 2, 192}, {98304, 25, 2, 192}, {146689, 25, 50, 192}};
    matrix m;
    WW_TRY(make_matrix(bench, inputs[size].rows, inputs[size].mean, &m));
    return multiply(bench, &m, inputs[size].launches, inputs[size].threads);
}

static ww_status run_elements(ww__bench *bench, ww_workload_size size)
{
    static const struct {
        int32_t side, launches;
        unsigned threads;
    } inputs[] = {{35, 2, 32}, {128, 2, 192}, {314, 2, 192}, {383, 50, 192}};
    matrix m;
    WW_TRY(make_elements(bench, inputs[size].side, &m));
    return multiply(bench, &m, inputs[size].launches, inputs[size].threads);
}

ww_status ww_spmv_elements_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "spmv-elements", &ww__ptx_spmv, size, run_elements, err);
}

ww_status ww_spmv_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "spmv", &ww__ptx_spmv, size, run, err);
}
