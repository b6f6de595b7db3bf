/* fragment.h - how the 32 lanes of a warp hold the matrices of wmma and mma.
 * PTX leaves the placement of wmma fragments open. Here they are held as mma.sync prescribes for
 * its own (PTX ISA 8.x, "Matrix Fragments for mma.m16n8k16" and following), extended to wmma's
 * larger tiles by repetition, so that both kinds share one placement: a matrix is a set of lines:
 * rows of A, columns of B, rows of C and D; positions along a line count k for A and B, n for C and
 * D. A lane holds `unit` neighbouring positions of a line (what fills 32 bits for A and B; two for
 * C and D); 8 lines x 4 units make a block, in which lane l has line l/4, unit l%4. Blocks follow
 * each other in a lane's registers: first along the lines for A, C and D, first along the positions
 * for B. f16 fragments of A and B have 8 registers for every wmma tile; those beyond the content
 * repeat it, as on Volta and Turing, where fragments hold elements more than once. */
#ifndef WW_ISA_FRAGMENT_H
#define WW_ISA_FRAGMENT_H

#include "isa/isa.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_fragment {
    uint8_t lines, positions;
    uint8_t bits;      /* of an element; single bits count as words of 32 of them */
    uint8_t unit;      /* neighbouring positions in one lane */
    uint8_t content;   /* elements per lane */
    uint8_t registers; /* operands in PTX: 32 bits each, f64: 64 bits; 0: no such fragment */
    bool lines_first;  /* order of the blocks */
} ww_fragment;

/** Fragment of one matrix (sub A, B, C or D) of that element type.
 * @param wmma  for wmma; false: for mma */
ww_fragment ww_isa_fragment(ww_tile tile, ww_sub matrix, ww_type type, bool wmma);
/** Which lane holds an element, and as which of its elements. */
static inline void ww_fragment_place(const ww_fragment *f, unsigned line, unsigned position,
                                     unsigned *lane, unsigned *element)
{
    unsigned span = 4u * f->unit;
    unsigned block = f->lines_first ? position / span * (f->lines / 8u) + line / 8
                                    : line / 8 * (f->positions / span) + position / span;
    *lane = line % 8 * 4 + position % span / f->unit;
    *element = block * f->unit + position % f->unit;
}

unsigned ww_tile_m(ww_tile tile);
unsigned ww_tile_n(ww_tile tile);
unsigned ww_tile_k(ww_tile tile);
/** Multiply-accumulates of a warp in a product of that tile: M x N x K, a quarter of it where a
 * warp group shares the tile; 0 for WW_TILE_NONE. */
unsigned ww_tile_products(ww_tile tile);
const char *ww_tile_name(ww_tile tile);
/** Tile of that PTX name; WW_TILE_NONE when unknown. */
ww_tile ww_tile_find(const char *name, unsigned length);

#ifdef __cplusplus
}
#endif
#endif
