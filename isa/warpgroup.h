/* warpgroup.h - how wgmma finds its matrices: descriptors of those in shared memory, and the
 * registers of a warp group's 128 threads (PTX ISA 8.x, "Asynchronous Warpgroup Level Matrix
 * Instructions"). */
#ifndef WW_ISA_WARPGROUP_H
#define WW_ISA_WARPGROUP_H

#include "isa/isa.h"
#include "isa/tensor_map.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WW_WARPGROUP_WARPS = 4,
    WW_WARPGROUP_M = 64,      /* rows of A and D */
    WW_WARPGROUP_WARP_M = 16, /* of those, of one warp */
    WW_WARPGROUP_MOST_N = 256,
};

/* A matrix descriptor taken apart. */
typedef struct ww_matrix_descriptor {
    uint32_t start;           /* shared address, bytes */
    uint32_t leading, stride; /* byte offsets */
    uint32_t base;            /* added to bits 7 to 9 of an address before it is swizzled */
    uint8_t span;             /* of the swizzle: 0, 32, 64, 128 */
} ww_matrix_descriptor;

/** Takes a descriptor apart; what is wrong with it in words, NULL: nothing. */
const char *ww_matrix_descriptor_decode(uint64_t bits, ww_matrix_descriptor *out);

/** Where a shared address of a matrix lies after the swizzle. */
static inline uint32_t ww_matrix_descriptor_swizzle(const ww_matrix_descriptor *d, uint32_t address)
{
    uint32_t based = address + (d->base << 7);
    return address ^ ((ww_swizzled(based, d->span) ^ based) & 0x70);
}
/** Address of an element before the swizzle; otherwise as below. */
uint32_t ww_matrix_descriptor_place(const ww_matrix_descriptor *d, unsigned line, unsigned k,
                                    unsigned bytes, bool transposed);
/**
 * Shared address of an element of A or B.
 * @param line   row of A, column of B
 * @param k      along the depth
 * @param bytes  of an element
 * @param transposed  neighbours in memory are lines, not k: 16-bit elements alone
 */
uint32_t ww_matrix_descriptor_address(const ww_matrix_descriptor *d, unsigned line, unsigned k,
                                      unsigned bytes, bool transposed);

/** Depth of wgmma for elements of that type of A; 0: it takes no such type. */
unsigned ww_warpgroup_depth(ww_type type);
/** Whether wgmma has that N for elements of that type of A. */
bool ww_warpgroup_columns(ww_type type, unsigned n);

/** Row, of the 16 of its warp, and column of element i of D of a lane. */
static inline void ww_warpgroup_sum(unsigned lane, unsigned i, unsigned *row, unsigned *column)
{
    *row = lane / 4 + 8 * (i / 2 % 2);
    *column = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
}

/** Row, of the 16 of its warp, and k of element i of A of a lane, elements of that many bytes. */
static inline void ww_warpgroup_factor(unsigned lane, unsigned i, unsigned bytes, unsigned *row,
                                       unsigned *k)
{
    unsigned per = 4 / bytes; /* in a register */
    *row = lane / 4 + 8 * (i / per % 2);
    *k = 4 * per * (i / (2 * per)) + per * (lane % 4) + i % per;
}

#ifdef __cplusplus
}
#endif
#endif
