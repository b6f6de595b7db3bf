/* pass.h - time and energy of a model's pass on a machine: each distinct operator simulated once,
 * on a slice of the machine and where it is large in part. docs/inference.md has the method and
 * what it rests on.
 *
 * inference/ owns models: families and published shapes (models.h), passes as operators with counts
 * (graph.h), the kernels that stand for an operator (kernels.h). Time and energy are the
 * simulator's; nothing here is fitted. Depends on: base, run and below. */
#ifndef WW_INFERENCE_PASS_H
#define WW_INFERENCE_PASS_H

#include <signal.h>

#include "arch/arch.h"
#include "base/status.h"
#include "inference/graph.h"
#include "run/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds between the end of a kernel and the start of the next one of its stream. Source: kernels
 * of 4,096 numbers, one behind the other (RRZE-HPC gpu-benches, gpu-small-kernels), are 2.65 us
 * apart on an A100 and 2.05 on an A40, in a captured graph 1.37 and 1.12, of which they take 0.70
 * and 0.58 here: means of 1.95 and 1.47, 0.67 and 0.54. */
#define WW_KERNEL_GAP_S 1.7e-6
#define WW_GRAPH_GAP_S  0.6e-6

typedef struct ww_infer_request {
    const char *gpu; /* name or file */
    const ww_setting *settings;
    size_t setting_count;
    const ww_graph *graph;    /* borrowed: must outlive the result */
    double launch_interval_s; /* the host launches an operator no sooner than so long behind the one
                                 before; 0: at once */
    bool graphs;              /* the launches are one graph: WW_GRAPH_GAP_S */
    unsigned threads;         /* that simulate, 0 or 1: one */
    bool rule_only;           /* products take the tile that a rule has first, where otherwise the
                                 fastest of some simulated ones is taken */
    const char *memory;       /* folder of operators that runs before have simulated; NULL: none */
    /* Told of what is wrong with the memory, which costs time alone; NULL: none. */
    void (*warn)(void *user, const char *text);
    /* Called before each operator is simulated; NULL: none. */
    void (*on_operator)(void *user, size_t i, size_t count, const char *name);
    void *user;
    const volatile sig_atomic_t *stop; /* as in ww_device_options */
} ww_infer_request;

/* One row of the graph, one occurrence. */
typedef struct ww_infer_operator {
    const ww_operator *op;
    char kernel[64];                  /* "gemm_bf16_tn_64x64/4": K in four parts */
    double time_s, energy_j, sigma_j; /* sigma: standard uncertainty */
    double simulated; /* share of its warp instructions on the slice that were simulated */
    double matrix, memory,
        issue; /* shares of what the machine could: matrix units, memory bandwidth, issue slots */
    double peak_flops; /* a second, of its numbers on the units that it runs on */
    const char *bound; /* the largest of them, or "latency" when none is above half */
} ww_infer_operator;

typedef struct ww_infer {
    ww_run *run; /* launches: a row of the graph each, all occurrences together with the gaps behind
                    them */
    ww_infer_operator *operators; /* as many as the graph has */
    double busy_s, busy_j;        /* kernels */
    double gap_s,
        gap_j; /* nothing runs: between kernels, and while the host has not launched the next */
    double time_s, energy_j, sigma_j; /* of the pass; sigma: standard uncertainty */
    double memory_bytes;              /* a second, of DRAM at best */
    double flop_j, byte_j; /* of the units that multiply, an operation of products; of DRAM and its
                              controllers, a byte; NaN: the pass has none */
    double idle_w;         /* of the card between kernels */
    uint64_t kernels;      /* launched: operators, and sums of split products */
    uint64_t warp_instructions; /* simulated, perhaps by a run before */
} ww_infer;

/**
 * Simulates a pass.
 * @error EUNSUP: an operator without a kernel, before anything runs; those of ww_arch_load and
 * launches; EINTERRUPTED
 */
WW_NODISCARD ww_status ww_infer_run(const ww_infer_request *request, ww_infer **out, ww_error *err);
/** Whether the machine can run the pass, before anything runs.
 * @error EUNSUP (an operator without a kernel), ERANGE (a model larger than the card's memory);
 * those of ww_arch_load */
WW_NODISCARD ww_status ww_infer_check(const ww_infer_request *request, ww_error *err);
void ww_infer_destroy(ww_infer *infer);

#ifdef __cplusplus
}
#endif
#endif
