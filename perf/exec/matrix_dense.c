/* matrix_dense.c - D = A B + C by vector code, for the types and values that it takes. */
#include "perf/exec/half.h"
#include "perf/exec/matrix.h"

enum { MOST_ELEMENTS = 512 }; /* of A, B or C */

/* Elements of a fragment, raw, as [line][position], or transposed as [position][line]. The blocks
 * are gone through as ww_fragment_place counts them. */
static void gather(const ww_exec_ctx *x, const ww_uop *u, unsigned first, const ww_fragment *f,
                   bool transposed, uint32_t *out)
{
    ww_fragment_planes planes;
    ww__fragment_read(x, u, first, f, &planes);
    unsigned span = 4u * f->unit;
    unsigned down = f->lines / 8u;
    unsigned along = f->positions / span;
    unsigned by_line = transposed ? 1 : f->positions;
    unsigned by_position = transposed ? f->lines : 1;
    for (unsigned block = 0; block < down * along; block++) {
        unsigned line = 8 * (f->lines_first ? block % down : block / along);
        unsigned position = span * (f->lines_first ? block / down : block % along);
        for (unsigned lane = 0; lane < WW_LANES; lane++) {
            uint32_t *to =
                out + (line + lane / 4) * by_line + (position + lane % 4 * f->unit) * by_position;
            for (unsigned e = 0; e < f->unit; e++) {
                to[e * by_position] = ww__fragment_get(&planes, f->bits, lane, block * f->unit + e);
            }
        }
    }
}

static void scatter(ww_exec_ctx *x, const ww_uop *u, const ww_fragment *f, const uint32_t *in)
{
    ww_fragment_planes planes = {0};
    unsigned span = 4u * f->unit;
    unsigned down = f->lines / 8u;
    unsigned along = f->positions / span;
    for (unsigned block = 0; block < down * along; block++) {
        unsigned line = 8 * (f->lines_first ? block % down : block / along);
        unsigned position = span * (f->lines_first ? block / down : block % along);
        for (unsigned lane = 0; lane < WW_LANES; lane++) {
            const uint32_t *from =
                in + (line + lane / 4) * f->positions + position + lane % 4 * f->unit;
            for (unsigned e = 0; e < f->unit; e++) {
                ww__fragment_put(&planes, f->bits, lane, block * f->unit + e, from[e]);
            }
        }
    }
    ww__fragment_write(x, u, f, &planes);
}

bool ww__matrix_multiply_dense(ww_exec_ctx *x, const ww_uop *u, const ww_matrix_product *p)
{
    unsigned n = (unsigned)p->a.lines * p->b.lines;
    bool integer = p->type_a == WW_T_S8 || p->type_a == WW_T_U8;
    bool half = p->type_a == WW_T_F16 || p->type_a == WW_T_BF16 || p->type_a == WW_T_TF32;
    if ((!integer && !half) || (integer && p->saturates) || n > MOST_ELEMENTS ||
        p->a.positions % 4 != 0) {
        return false;
    }
    _Alignas(64) uint32_t a[MOST_ELEMENTS];
    _Alignas(64) uint32_t b[MOST_ELEMENTS];
    _Alignas(64) uint32_t c[MOST_ELEMENTS];
    const ww_matrix_job job = {a, b, c, p->a.lines, p->b.lines, p->a.positions};
    gather(x, u, 0, &p->a, false, a);
    gather(x, u, p->a.registers, &p->b, true, b);
    gather(x, u, (unsigned)p->a.registers + p->b.registers, &p->c, false, c);
    if (integer) {
        x->code->lanes->matrix->multiply_int(&job, p->type_a, p->type_b);
        scatter(x, u, &p->d, c);
        return true;
    }
    for (unsigned i = 0; p->type_c == WW_T_F16 && i < n; i++) {
        c[i] = ww__half_bits32(ww__f16_to_f32((uint16_t)c[i]));
    }
    if (!x->code->lanes->matrix->multiply_float(&job, p->type_a, p->type_b)) {
        return false;
    }
    for (unsigned i = 0; p->type_d == WW_T_F16 && i < n; i++) {
        c[i] = ww__f16_from_f32(ww__half_f32(c[i]));
    }
    scatter(x, u, &p->d, c);
    return true;
}
