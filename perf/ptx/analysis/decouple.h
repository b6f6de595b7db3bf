/* decouple.h - the two instruction streams of a kernel under decoupled affine computation (Wang and
 * Lin, ISCA 2017, section 4.7 and Figure 7): which memory accesses and comparisons take their
 * addresses and predicates from an affine warp, what that warp executes for them, and what the
 * kernel's own warps no longer do.
 * Depends on: affine.h. */
#ifndef WW_PERF_PTX_ANALYSIS_DECOUPLE_H
#define WW_PERF_PTX_ANALYSIS_DECOUPLE_H

#include "perf/ptx/analysis/affine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What becomes of an instruction. */
enum {
    WW_STREAM_AFFINE = 1 << 0,    /* the affine warp executes it */
    WW_STREAM_DATA = 1 << 1,      /* its address and a request for its data: enq.data, deq.data */
    WW_STREAM_ADDRESS = 1 << 2,   /* its address: enq.addr, deq.addr */
    WW_STREAM_PREDICATE = 1 << 3, /* behind it the affine warp enqueues its predicate: enq.pred */
    WW_STREAM_ABSENT = 1 << 4,    /* the kernel's warps do not execute it */
    WW_STREAM_DEQUEUES = 1 << 5,  /* it takes a predicate from the queue: "deq.pred p" in the place
                                     of  a comparison, "deq.pred bra" of a branch */
    WW_STREAM_RETURNS = 1 << 6,   /* a branch or exit whose lanes only the kernel's warps know: they
                                     return them to the affine warp, which waits (section 4.5) */
};

typedef struct ww_decouple_options {
    bool divergence;      /* values with divergent conditions (section 4.6) */
    uint32_t conditions;  /* that the Divergent Condition Register File holds */
    uint32_t stack_depth; /* of the Affine SIMT Stack */
    bool follow_data;     /* what runs as loaded data decides is decoupled: the affine warp waits
                             for the masks of the kernel's warps */
    bool shared;          /* accesses to shared memory are decoupled */
} ww_decouple_options;

typedef struct ww_decoupled {
    uint16_t *stream;    /* [inst] WW_STREAM_* */
    uint32_t *condition; /* [condition_count] instructions whose masks are kept (ww_affine_value) */
    uint32_t condition_count;
    /* static counts */
    uint32_t affine, absent, loads, stores, others, predicates;
    uint32_t rejected_depth, rejected_conditions; /* candidates beyond a limit */
} ww_decoupled;

/** Divides a kernel into its two streams. @error ENOMEM */
WW_NODISCARD ww_status ww_decouple(const ww_affine *affine, const ww_chains *chains,
                                   const ww_decouple_options *options, ww_arena *arena,
                                   ww_decoupled *out, ww_error *err);

/** Marks the instructions that run only as loaded data decides, or read a value of one of them, or
 * stand behind a barrier of theirs. @param marked [inst_count / 64 + 1] */
void ww_mark_data_control(const ww_affine *affine, const ww_chains *chains, uint64_t *marked);

/** Whether an access asks for its data ahead: a global or local load (section 4.2). */
bool ww_decouple_loads(const ww_inst *inst);

#ifdef __cplusplus
}
#endif
#endif
