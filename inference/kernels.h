/* kernels.h - which kernel runs an operator, on how many CTAs, and running part of it on a slice of
 * a machine. Private to inference/. */
#ifndef WW_INFERENCE_KERNELS_H
#define WW_INFERENCE_KERNELS_H

#include "inference/graph.h"
#include "inference/slice.h"
#include "workloads/operators/operators.h"

/* An operator with its kernel. */
typedef struct ww__plan {
    const ww_operator *op;
    char unit[32], kernel[48];
    uint32_t threads, shared; /* of a CTA; dynamic shared memory */
    uint64_t ctas;            /* of one occurrence on the whole machine */
    uint64_t depth;           /* products: K; 0: the kernel has no such loop */
    uint32_t depth_step;      /* numbers of K per stage */
    double warp_instructions; /* of a CTA, about; of a product, per depth_step */
    uint64_t places;          /* CTAs that a slice holds at a time */
    /* of products */
    const ww_operator_tile *tile;
    uint64_t batch;
    uint64_t m, n;  /* rows and columns of the result as the kernel writes it */
    bool b_along_n; /* B is a matrix of K rows */
    bool bias;
    uint64_t channels; /* of a convolution, whole chunks of 16 bytes */
    /* of elementwise functions: a second operand of fewer elements, which repeats; 0: none */
    uint64_t inner, outer;
    uint64_t width; /* of a transpose: a head's; inner: rows, outer: heads */
} ww__plan;

/**
 * Chooses the kernel of an operator.
 * @param graph  its pass: which operands are scores, and how weights lie, follows from it
 * @error EUNSUP: no kernel; names the operator and what is nearest
 */
WW_NODISCARD ww_status ww__plan_operator(const ww_graph *graph, const ww_operator *op,
                                         ww__slice *slice, ww__plan *out, ww_error *err);
/** Whether every operator of a pass has a kernel; nothing is simulated. */
WW_NODISCARD ww_status ww__plan_check(const ww_graph *graph, ww_error *err);
/** Runs `ctas` of its CTAs on the slice, to a depth of `depth`; the record stands in the slice. */
WW_NODISCARD ww_status ww__plan_run(const ww__plan *plan, ww__slice *slice, uint64_t ctas,
                                    uint64_t depth, ww_error *err);

#endif
