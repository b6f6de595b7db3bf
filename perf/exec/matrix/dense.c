/* dense.c - D = A B + C by vector code, for the types and values that it takes. The side of
 * the product that has 16 lines to every vector is made its columns: D^T = B^T A^T where B has not.
 */
#include <string.h>

#include "perf/exec/matrix/matrix.h"

enum {
    MOST = 512,      /* elements of a factor or the sums */
    MOST_WIDE = 256, /* 64-bit elements of one */
    LINES = 8,       /* of a block, each in four neighbouring lanes */
    ACROSS = 4,      /* words of a line in a block */
};

/* The matrices as vector code has them, and which are which. */
typedef struct dense {
    _Alignas(64) uint32_t a[MOST];
    _Alignas(64) uint32_t b[MOST];
    _Alignas(64) uint32_t c[MOST];
} dense;

typedef struct dense_wide {
    _Alignas(64) uint64_t a[MOST_WIDE];
    _Alignas(64) uint64_t b[MOST_WIDE];
    _Alignas(64) uint64_t c[MOST_WIDE];
} dense_wide;

/* Words of a factor as [word][line]. */
static void read_factor(const ww_exec_ctx *x, const ww_uop *u, unsigned first, const ww_fragment *f,
                        uint32_t *out)
{
    unsigned blocks = f->lines * ((unsigned)f->positions / f->unit) / WW_LANES;
    for (unsigned block = 0; block < blocks; block++) {
        uint32_t scratch[WW_PAIR_WORDS];
        const uint32_t *plane = ww__src(x, &u->element[first + block], scratch);
        unsigned line, position;
        ww__fragment_block(f, block, &line, &position);
        uint32_t *to = out + position / f->unit * f->lines + line;
        for (unsigned w = 0; w < ACROSS; w++, to += f->lines) {
            for (unsigned i = 0; i < LINES; i++) {
                to[i] = plane[ACROSS * i + w];
            }
        }
    }
}

/* Between a block of sums, two neighbours of a line in each lane, and 8 x 8 elements of a matrix by
 * rows, or by columns. */
static void spread_sums(const uint32_t *even, const uint32_t *odd, bool by_column, unsigned stride,
                        uint32_t *out)
{
    for (unsigned i = 0; i < LINES; i++) {
        for (unsigned w = 0; w < ACROSS; w++) {
            unsigned lane = ACROSS * i + w;
            out[by_column ? 2 * w * stride + i : i * stride + 2 * w] = even[lane];
            out[by_column ? (2 * w + 1) * stride + i : i * stride + 2 * w + 1] = odd[lane];
        }
    }
}

static void collect_sums(const uint32_t *in, bool by_column, unsigned stride, uint32_t *even,
                         uint32_t *odd)
{
    for (unsigned i = 0; i < LINES; i++) {
        for (unsigned w = 0; w < ACROSS; w++) {
            unsigned lane = ACROSS * i + w;
            even[lane] = in[by_column ? 2 * w * stride + i : i * stride + 2 * w];
            odd[lane] = in[by_column ? (2 * w + 1) * stride + i : i * stride + 2 * w + 1];
        }
    }
}

/* Where a block of C or D begins in the matrix. */
static unsigned sums_at(const ww_fragment *f, unsigned block, bool by_column)
{
    unsigned line, position;
    ww__fragment_block(f, block, &line, &position);
    return by_column ? position * f->lines + line : line * f->positions + position;
}

static void read_sums(const ww_exec_ctx *x, const ww_uop *u, unsigned first, const ww_fragment *f,
                      bool by_column, uint32_t *out)
{
    unsigned stride = by_column ? f->lines : f->positions;
    unsigned blocks = f->content / 2u;
    for (unsigned block = 0; block < blocks; block++) {
        uint32_t scratch[2][WW_PAIR_WORDS];
        uint32_t half[2][WW_LANES];
        uint32_t *to = out + sums_at(f, block, by_column);
        if (f->bits == 32) {
            const uint32_t *even = ww__src(x, &u->element[first + 2 * block], scratch[0]);
            const uint32_t *odd = ww__src(x, &u->element[first + 2 * block + 1], scratch[1]);
            spread_sums(even, odd, by_column, stride, to);
        } else {
            const uint32_t *pair = ww__src(x, &u->element[first + block], scratch[0]);
            for (unsigned i = 0; i < WW_LANES; i++) {
                half[0][i] = pair[i] & 0xffff;
                half[1][i] = pair[i] >> 16;
            }
            spread_sums(half[0], half[1], by_column, stride, to);
        }
    }
}

static void write_sums(const ww_exec_ctx *x, const ww_uop *u, const ww_fragment *f, bool by_column,
                       const uint32_t *in)
{
    unsigned stride = by_column ? f->lines : f->positions;
    unsigned blocks = f->content / 2u;
    for (unsigned block = 0; block < blocks; block++) {
        uint32_t even[WW_LANES];
        uint32_t odd[WW_LANES];
        collect_sums(in + sums_at(f, block, by_column), by_column, stride, even, odd);
        if (f->bits == 32) {
            ww__dst_write(x, u->dst_list[2 * block], even, 1);
            ww__dst_write(x, u->dst_list[2 * block + 1], odd, 1);
        } else {
            for (unsigned i = 0; i < WW_LANES; i++) {
                even[i] |= odd[i] << 16;
            }
            ww__dst_write(x, u->dst_list[block], even, 1);
        }
    }
}

/* ---- 64-bit elements ---- */

/* Where a block's 8 lines of 4 units begin in the matrix, A, C and D by rows, B by positions, and
 * how far apart they are. */
typedef struct steps {
    unsigned first, line, unit;
} steps;

static steps steps_of(const ww_fragment *f, unsigned element)
{
    unsigned line, position;
    ww__fragment_block(f, element / f->unit, &line, &position);
    position += element % f->unit;
    return f->lines_first ? (steps){line * f->positions + position, f->positions, f->unit}
                          : (steps){position * f->lines + line, 1, f->lines * (unsigned)f->unit};
}

static void read_wide(const ww_exec_ctx *x, const ww_uop *u, unsigned first, const ww_fragment *f,
                      uint64_t *out)
{
    for (unsigned e = 0; e < f->content; e++) {
        uint32_t scratch[WW_PAIR_WORDS];
        const uint32_t *planes = ww__src(x, &u->element[first + e], scratch);
        const steps s = steps_of(f, e);
        uint64_t *to = out + s.first;
        uint64_t joined[WW_LANES];
        for (unsigned i = 0; i < WW_LANES; i++) {
            joined[i] = (uint64_t)planes[i + WW_LANES] << 32 | planes[i];
        }
        for (unsigned i = 0; i < LINES; i++) {
            for (unsigned w = 0; w < ACROSS; w++) {
                to[i * s.line + w * s.unit] = joined[ACROSS * i + w];
            }
        }
    }
}

static void write_wide(const ww_exec_ctx *x, const ww_uop *u, const ww_fragment *f,
                       const uint64_t *in)
{
    for (unsigned e = 0; e < f->content; e++) {
        const steps s = steps_of(f, e);
        const uint64_t *from = in + s.first;
        uint64_t joined[WW_LANES];
        uint32_t planes[WW_PAIR_WORDS];
        for (unsigned i = 0; i < LINES; i++) {
            for (unsigned w = 0; w < ACROSS; w++) {
                joined[ACROSS * i + w] = from[i * s.line + w * s.unit];
            }
        }
        for (unsigned i = 0; i < WW_LANES; i++) {
            planes[i] = (uint32_t)joined[i];
            planes[i + WW_LANES] = (uint32_t)(joined[i] >> 32);
        }
        ww__dst_write(x, u->dst_list[e], planes, 2);
    }
}

static bool multiply_wide(ww_exec_ctx *x, const ww_uop *u, const ww_matrix_product *p)
{
    const ww_matrix_lanes *lanes = x->code->lanes->matrix;
    dense_wide w;
    if (lanes->multiply_double == NULL || p->a.lines * p->a.positions > MOST_WIDE ||
        p->b.lines * p->b.positions > MOST_WIDE || p->c.lines * p->c.positions > MOST_WIDE) {
        return false;
    }
    const ww_matrix_job job = {.wide_a = w.a,
                               .wide_b = w.b,
                               .wide_c = w.c,
                               .rows = p->a.lines,
                               .columns = p->b.lines,
                               .words = p->a.positions};
    read_wide(x, u, 0, &p->a, w.a);
    read_wide(x, u, p->a.registers, &p->b, w.b);
    read_wide(x, u, (unsigned)p->a.registers + p->b.registers, &p->c, w.c);
    lanes->multiply_double(&job);
    write_wide(x, u, &p->d, w.c);
    return true;
}

bool ww__matrix_multiply_dense(ww_exec_ctx *x, const ww_uop *u, const ww_matrix_product *p)
{
    const ww_matrix_lanes *lanes = x->code->lanes->matrix;
    bool integer = p->type_a == WW_T_S8 || p->type_a == WW_T_U8;
    bool half = p->type_a == WW_T_F16 || p->type_a == WW_T_BF16 || p->type_a == WW_T_TF32;
    if (lanes != NULL && p->type_a == WW_T_F64) {
        return multiply_wide(x, u, p);
    }
    if (lanes == NULL || (!integer && !half) || p->a.lines * p->b.lines > MOST ||
        p->a.lines * p->a.positions > MOST || p->b.lines * p->b.positions > MOST ||
        p->a.positions % (ACROSS * (unsigned)p->a.unit) != 0) {
        return false;
    }
    bool swaps = p->b.lines % 16 != 0 && p->a.lines % 16 == 0;
    dense w;
    const ww_matrix_job job = {.a = w.a,
                               .b = w.b,
                               .c = w.c,
                               .rows = swaps ? p->b.lines : p->a.lines,
                               .columns = swaps ? p->a.lines : p->b.lines,
                               .words = (unsigned)p->a.positions / p->a.unit,
                               .type_a = swaps ? p->type_b : p->type_a,
                               .type_b = swaps ? p->type_a : p->type_b,
                               .half_c = p->type_c == WW_T_F16,
                               .half_d = p->type_d == WW_T_F16,
                               .saturates = p->saturates};
    read_factor(x, u, 0, &p->a, swaps ? w.b : w.a);
    read_factor(x, u, p->a.registers, &p->b, swaps ? w.a : w.b);
    read_sums(x, u, (unsigned)p->a.registers + p->b.registers, &p->c, swaps, w.c);
    if (integer) {
        lanes->multiply_int(&job);
    } else if (!lanes->multiply_float(&job)) {
        return false;
    }
    write_sums(x, u, &p->d, swaps, w.c);
    return true;
}
