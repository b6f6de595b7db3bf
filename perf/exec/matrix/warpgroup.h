/* warpgroup.h - private to perf/exec: one warp's share of wgmma's D = A B + D, values alone: rows
 * 16 w to 16 w + 15 of A and D, all of B. Each warp of the group computes its own when it issues.
 */
#ifndef WW_PERF_EXEC_MATRIX_WARPGROUP_H
#define WW_PERF_EXEC_MATRIX_WARPGROUP_H

#include "isa/warpgroup.h"
#include "perf/exec/lanes/lanes.h"

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

/** Bytes of a matrix in shared memory, of those lines, as ww_factor has them. False: some lie
 * beyond the shared memory; *address then says where. */
bool ww__warpgroup_gather(const ww_matrix_descriptor *d, const ww_warpgroup_shape *s, bool is_a,
                          unsigned first_line, unsigned lines, const unsigned char *shared,
                          uint32_t shared_bytes, unsigned char *out, uint32_t *address);
/** Rows of A that a warp holds: four planes of registers. */
void ww__warpgroup_rows(const uint32_t *const plane[4], unsigned char *out);
/** An element of gathered bytes, raw (of single bits 32). */
uint32_t ww__warpgroup_element(const unsigned char *bytes, const ww_warpgroup_shape *s, bool across,
                               unsigned lines, unsigned line, unsigned unit);
/** D's registers that a lane has. */
unsigned ww__warpgroup_registers(const ww_warpgroup_shape *s);
/** D = A B + D, D in those planes; begins: D = A B. */
ww_warpgroup_job ww__warpgroup_job(const ww_warpgroup_shape *s, const unsigned char *a,
                                   const unsigned char *b, uint32_t *const *d, bool begins);

#endif
