/* warpgroup.h - private to perf/exec: one warp's share of wgmma's D = A B + D, where the values
 * lie: D in planes of registers, A and B as the bytes of their elements. */
#ifndef WW_PERF_EXEC_LANES_WARPGROUP_H
#define WW_PERF_EXEC_LANES_WARPGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/warpgroup.h"

enum {
    WW_FACTOR_BYTES = 32, /* of a row of A or a column of B: the depth of every type */
    WW_FACTOR_MOST = WW_WARPGROUP_MOST_N * WW_FACTOR_BYTES,
};

/* The factors of a product as bytes: lines (rows of A, columns of B) of WW_FACTOR_BYTES, or,
 * across, for each place along the depth its element of every line. */
typedef struct ww_factor {
    const unsigned char *bytes;
    ww_type type;
    bool across; /* elements of 16 bits alone */
    bool negate; /* floats alone */
} ww_factor;

/* D = A B + D of 16 rows. Results are binary32 (f16 with half_d), s32 for integers and counts. */
typedef struct ww_warpgroup_job {
    ww_factor a, b;
    unsigned columns;   /* a multiple of 8 */
    bool half_d;        /* two neighbours of a row to a register */
    bool begins;        /* D is not read: zeros */
    bool saturates;     /* integers: the sum of all products and D, clamped to s32 */
    uint32_t *const *d; /* registers of D, planes of 32 lanes */
} ww_warpgroup_job;

typedef void ww_warpgroup_fn(const ww_warpgroup_job *m);

#endif
