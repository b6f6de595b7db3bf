/* rows.h - private to perf/exec: sums of products of whole rows, as wgmma makes them. */
#ifndef WW_PERF_EXEC_LANES_ROWS_H
#define WW_PERF_EXEC_LANES_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"

enum { WW_ROWS_LINE = 256 }; /* places of a row of B and of sums, used or not */

/* sums[row][column] += a[row][k] * b[k][column] for 16 rows. Factors are raw elements, one to a
 * word (single bits: 32 of them); sums are binary32, s32 for integers and counts. */
typedef struct ww_rows_job {
    const uint32_t *a; /* [16][depth] */
    const uint32_t *b; /* [depth][WW_ROWS_LINE] */
    uint32_t *sums;    /* [16][WW_ROWS_LINE] */
    unsigned columns;  /* a multiple of 8 */
    unsigned depth;    /* words, at most 32 */
    ww_type type_a, type_b;
    bool negate_a, negate_b;
    bool saturates; /* integers: the sum of all products and the sum before, clamped to s32 */
} ww_rows_job;

typedef void ww_rows_fn(const ww_rows_job *m);

#endif
