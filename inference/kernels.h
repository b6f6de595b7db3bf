/* kernels.h - which kernel runs an operator, on how many CTAs, and running part of it on a slice of
 * a machine. Private to inference/. */
#ifndef WW_INFERENCE_KERNELS_H
#define WW_INFERENCE_KERNELS_H

#include "inference/graph.h"
#include "inference/slice.h"
#include "workloads/operators/operators.h"

enum { WW__WALK_DIMS = 4, WW__WALK_OPERANDS = 4 };

/* A divisor of 31-bit numbers known at the launch: n / by is (umulhi(n, magic) + n) >> shift. */
typedef struct ww__divisor {
    uint32_t by, magic, shift;
} ww__divisor;

/* Where operands of an element lie, as the strided kernels take it
 * (workloads/operators/pointwise.cu): sizes, the fastest dimension first, and steps in bytes;
 * operand 0 is the result. */
typedef struct ww__walk {
    uint32_t dims; /* 0: contiguous operands */
    ww__divisor size[WW__WALK_DIMS];
    uint32_t step[WW__WALK_DIMS][WW__WALK_OPERANDS];
} ww__walk;

/* An operator with its kernel. */
typedef struct ww__plan {
    const ww_operator *op;
    char unit[32], kernel[48];
    uint32_t threads, shared; /* of a CTA; dynamic shared memory */
    uint64_t ctas;            /* of one occurrence on the whole machine, all parts of K */
    uint64_t depth;           /* products: K; 0: the kernel has no such loop */
    uint32_t depth_step;      /* numbers of K per stage */
    uint64_t depths[2];       /* products: a deeper part of K is followed from these two */
    uint64_t steady[3];       /* or, many CTAs to a place, by how one of the last of these numbers
                                 goes on between the first two; 0: not so */
    double warp_instructions; /* of a CTA, about; of a product, per depth_step */
    uint64_t places;          /* CTAs that a slice holds at a time; ww__simulate finds it */
    /* of products */
    const ww_operator_tile *tile;
    uint64_t batch;
    uint64_t m, n;  /* rows and columns of the result as the kernel writes it */
    bool b_along_n; /* B is a matrix of K rows */
    bool engines;   /* by Hopper's warp groups and copy engine */
    bool bias;
    unsigned splits;   /* parts of K, which a second kernel sums; 1: none */
    uint64_t channels; /* of a convolution, whole chunks of 16 bytes */
    bool sums;         /* a second kernel puts its parts together */
    unsigned
        group; /* of attention: heads of queries to one of keys; of rotary embedding: to a token */
    ww__walk walk;         /* of elementwise functions of strided or repeated operands */
    unsigned operands;     /* that these have, the result among them */
    uint64_t cta_elements; /* of elementwise functions */
} ww__plan;

enum { WW__MOST_CANDIDATES = 3 };

/**
 * The kernels that may run an operator: by a rule's estimate of their time, least first; those that
 * are estimated to take a good deal longer are left out.
 * @param graph  its pass: which operands are scores, and how weights lie, follows from it
 * @param out    [WW__MOST_CANDIDATES]
 * @error EUNSUP: no kernel; names the operator and what is nearest
 */
WW_NODISCARD ww_status ww__plan_candidates(const ww_graph *graph, const ww_operator *op,
                                           const ww__slice *slice, ww__plan *out, size_t *count,
                                           ww_error *err);
/** Runs `ctas` of its CTAs on the slice, to a depth of `depth`; the record stands in the slice. */
WW_NODISCARD ww_status ww__plan_run(const ww__plan *plan, ww__slice *slice, uint64_t ctas,
                                    uint64_t depth, ww_error *err);
/** Runs the slice's share of the kernel that sums the parts of a split product. */
WW_NODISCARD ww_status ww__plan_sum_splits(const ww__plan *plan, ww__slice *slice, ww_error *err);

/* ---- between the files of kernels ---- */

/* A part of an operator that is run. */
typedef struct ww__part {
    const ww__plan *plan;
    ww__slice *slice;
    uint64_t ctas, depth;
    ww_error *err;
} ww__part;

#define WW__ARGS(...)                                                                              \
    (const void *const[]){__VA_ARGS__}, sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *)

WW_NODISCARD ww_status ww__part_launch(const ww__part *p, const void *const *args, size_t count);
/** Buffers of the operator's numbers, or of others; the input is what the operator before left. */
WW_NODISCARD ww_status ww__part_input(const ww__part *p, uint64_t count, ww__contents contents,
                                      ww_devptr *out);
WW_NODISCARD ww_status ww__part_buffer(const ww__part *p, uint64_t count, ww_number number,
                                       ww__contents contents, ww_devptr *out);

/** "there is no kernel for", and why. EUNSUP. */
WW_NODISCARD ww_status ww__refuse(const ww_operator *op, const char *why, ww_error *err);
/** "bf16", "f16" or "fp32", as kernels' names end. */
const char *ww__suffix(ww_number number);
WW_NODISCARD ww_status ww__plan_pointwise(const ww_graph *graph, ww__plan *plan, ww_error *err);
WW_NODISCARD ww_status ww__run_pointwise(const ww__part *p);
/** Attention, rotary embedding and look-up of embeddings. */
WW_NODISCARD ww_status ww__plan_tokens(const ww_graph *graph, ww__plan *plan,
                                       const ww__slice *slice, ww_error *err);
WW_NODISCARD ww_status ww__run_tokens(const ww__part *p);
/** The kernel that combines the parts of attention's context. */
WW_NODISCARD ww_status ww__run_combine(const ww__part *p);

#endif
