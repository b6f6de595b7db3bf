/* simulate.h - one operator: which of its candidate kernels is fastest, and what a slice of the
 * machine counts in it. Private to inference/. */
#ifndef WW_INFERENCE_SIMULATE_H
#define WW_INFERENCE_SIMULATE_H

#include "inference/kernels.h"
#include "inference/memo.h"

typedef struct ww__outcome {
    ww__plan plan;
    ww__scaled sum; /* of one occurrence on the slice; released with ww__scaled_fini */
    ww__memo_facts facts;
    double simulated; /* share of its warp instructions on the slice that were simulated */
} ww__outcome;

typedef struct ww__simulator {
    const ww_graph *graph;
    ww__slice *slice;
    ww__memo *memo; /* NULL: nothing is remembered */
    bool rule_only; /* the rule's first candidate, without simulating others */
} ww__simulator;

/** A CTA per SM, of a few stages: leaves the kernel's instructions where a layer before would have
 * left them. */
WW_NODISCARD ww_status ww__fetch_instructions(const ww__plan *plan, ww__slice *slice,
                                              ww_error *err);
/**
 * Simulates parts of an operator on a new device of the slice, or remembers them.
 * @param left  bytes of the slice's share of what the operator before wrote: its input, found in
 *              the L2 where that holds it; 0: none
 * @param out   {0} at first
 * @error those of ww__plan_candidates and of launches; ENUMERIC: parts that contradict each other
 */
WW_NODISCARD ww_status ww__simulate(const ww__simulator *simulator, const ww_operator *op,
                                    uint64_t left, ww__outcome *out, ww_error *err);

#endif
