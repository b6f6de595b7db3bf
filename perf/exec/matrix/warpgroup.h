/* warpgroup.h - private to perf/exec: one warp's share of wgmma's D = A B + D, values alone: rows
 * 16 w to 16 w + 15 of A and D, all of B. Each warp of the group computes its own when it issues.
 */
#ifndef WW_PERF_EXEC_MATRIX_WARPGROUP_H
#define WW_PERF_EXEC_MATRIX_WARPGROUP_H

#include "isa/warpgroup.h"
#include "perf/exec/lanes/lanes.h"

enum { WW_WARPGROUP_WORDS = 32 }; /* elements along the depth, at most; of single bits 32 each */

/* The matrices of a product. */
typedef struct ww_warpgroup_shape {
    ww_type type_a, type_b, type_d;
    uint16_t n;
    uint8_t units; /* elements along the depth; words of single bits */
    uint8_t bytes; /* of one */
    bool transposed_a, transposed_b, negated_a, negated_b;
    bool saturates;
    bool descriptor_a; /* A lies in shared memory, too */
} ww_warpgroup_shape;

/** Elements of a matrix in shared memory, as [unit][line], WW_ROWS_LINE lines apart, or as
 * [line][unit] for rows of A. False: some lie beyond the shared memory; *address then says where.
 */
bool ww__warpgroup_gather(const ww_matrix_descriptor *d, const ww_warpgroup_shape *s, bool is_a,
                          unsigned first_line, unsigned lines, const unsigned char *shared,
                          uint32_t shared_bytes, uint32_t *out, uint32_t *address);
/** Factors of A that a warp holds: four planes of registers, as [line][unit]. */
void ww__warpgroup_factors(const ww_warpgroup_shape *s, const uint32_t *const plane[4],
                           uint32_t *out);
/** D's registers that a lane has. */
unsigned ww__warpgroup_registers(const ww_warpgroup_shape *s);
/** Between D's registers, a plane of lanes each, and rows of sums in binary32 or s32. */
void ww__warpgroup_read_sums(const ww_warpgroup_shape *s, const uint32_t *const *plane,
                             uint32_t *sums);
void ww__warpgroup_write_sums(const ww_warpgroup_shape *s, const uint32_t *sums, unsigned reg,
                              uint32_t plane[WW_LANES]);

#endif
