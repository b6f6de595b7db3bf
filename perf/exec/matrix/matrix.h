/* matrix.h - private to perf/exec: fragments in registers. */
#ifndef WW_PERF_EXEC_MATRIX_MATRIX_H
#define WW_PERF_EXEC_MATRIX_MATRIX_H

#include "isa/fragment.h"
#include "perf/exec/code.h"

enum { WW_FRAGMENT_WORDS = 16 }; /* 32-bit registers of the largest fragment */

/* A fragment's registers, one plane of lanes per 32-bit word. */
typedef struct ww_fragment_planes {
    uint32_t word[WW_FRAGMENT_WORDS][WW_LANES];
} ww_fragment_planes;

/* An element of up to 32 bits of a lane; of 64-bit elements use the words. */
static inline uint32_t ww__fragment_get(const ww_fragment_planes *p, unsigned bits, unsigned lane,
                                        unsigned element)
{
    unsigned at = element * bits;
    uint32_t word = p->word[at / 32][lane] >> (at % 32);
    return bits == 32 ? word : word & ((1u << bits) - 1);
}

static inline void ww__fragment_put(ww_fragment_planes *p, unsigned bits, unsigned lane,
                                    unsigned element, uint32_t value)
{
    unsigned at = element * bits;
    uint32_t mask = (bits == 32 ? UINT32_MAX : (1u << bits) - 1) << (at % 32);
    uint32_t *word = &p->word[at / 32][lane];
    *word = (*word & ~mask) | (value << (at % 32) & mask);
}

/** First line and position of a block of a fragment, counted as ww_fragment_place counts them. */
static inline void ww__fragment_block(const ww_fragment *f, unsigned block, unsigned *line,
                                      unsigned *position)
{
    unsigned span = 4u * f->unit;
    unsigned down = f->lines / 8u;
    unsigned along = f->positions / span;
    *line = 8 * (f->lines_first ? block % down : block / along);
    *position = span * (f->lines_first ? block / down : block % along);
}

/* One D = A B + C: A by rows, B by columns, C and D by rows. Of a load or store d alone, what it
 * moves. */
typedef struct ww_matrix_product {
    ww_fragment a, b, c, d;
    ww_type type_a, type_b, type_c, type_d;
    bool saturates;
    uint8_t bool_op; /* of single bits: what is counted */
} ww_matrix_product;

/** D of that product into the destination registers; false, and nothing is done, for types and
 * values that vector code does not take. */
bool ww__matrix_multiply_dense(ww_exec_ctx *x, const ww_uop *u, const ww_matrix_product *p);

/** Registers u->element[first…] as planes. */
void ww__fragment_read(const ww_exec_ctx *x, const ww_uop *u, unsigned first, const ww_fragment *f,
                       ww_fragment_planes *out);
/** Planes into the destination registers; those beyond the content repeat it. */
void ww__fragment_write(ww_exec_ctx *x, const ww_uop *u, const ww_fragment *f,
                        const ww_fragment_planes *planes);
/** Fails unless all 32 lanes execute, as PTX demands. */
WW_NODISCARD ww_status ww__matrix_check_lanes(const ww_exec_ctx *x, const ww_uop *u);

#endif
