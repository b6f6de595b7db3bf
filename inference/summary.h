/* summary.h - a pass in the numbers that tables print: its rows, its kinds of operators, its whole.
 */
#ifndef WW_INFERENCE_SUMMARY_H
#define WW_INFERENCE_SUMMARY_H

#include "inference/pass.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A part of a pass. */
typedef struct ww_infer_part {
    const char *name; /* of a kind, or "gaps"; NULL: of a row, which has its own */
    double time_s, energy_j;
    double of_time, of_energy; /* shares of the pass */
    double power_w;
    double sigma_w; /* standard uncertainty; 0: not known */
} ww_infer_part;

/** All occurrences of a row of the graph. */
ww_infer_part ww_infer_row(const ww_infer *infer, size_t row);

enum { WW_INFER_KINDS = WW_OPERATOR_KIND_COUNT + 1 }; /* parts at most */

/** The kinds of operators that take time, then what passes between kernels. Returns their number.
 */
size_t ww_infer_kinds(const ww_infer *infer, const ww_graph *graph,
                      ww_infer_part out[WW_INFER_KINDS]);

/* The whole pass. */
typedef struct ww_infer_total {
    double power_w, sigma_w, edp_js;
    const char *unit;                  /* of what it makes or reads: "token", "image" */
    double units, unit_j, units_per_s; /* 0: not known how many */
} ww_infer_total;
ww_infer_total ww_infer_total_of(const ww_infer *infer, const ww_graph *graph);

/** Appends, parted by "; ", what of a pass no measured pass has: "decoding", "int8", "a mixture of
 * experts", "H200". Nothing: passes like it were measured. measured: some pass on this card was. */
void ww_infer_unvalidated(const ww_infer *infer, const ww_graph *graph, bool measured, ww_str *out);

#ifdef __cplusplus
}
#endif
#endif
