/* metrics.h - the nine workload metrics of LPGPU D5.5.3 §3.2.1, from the counters of one launch or
 * of several. Depends on: base, arch, counters. Pure. */
#ifndef WW_ANALYSIS_METRICS_H
#define WW_ANALYSIS_METRICS_H

#include <stdbool.h>

#include "base/status.h"
#include "counters/counters.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_metrics {
    double ipc;  /* thread instructions per core cycle over the whole GPU */
    double ti_m; /* TI: executed thread instructions, millions */
    /* Shares of the scheduled lanes, guarded off or not: of 22 PTX instructions of vectorAdd the
     * study counts 13, 2 and 7, moves, the not taken branch and parameter loads among them. */
    double ai;    /* arithmetic: integer, floating point, conversion, comparison, logic, selection,
                     move, SFU */
    double bi;    /* control transfer */
    double mi;    /* memory: every load, store, atomic and texture access, shared memory and
                     parameters included */
    double other; /* the rest: barriers, votes; ai + bi + mi + other = 1 */
    double ce;    /* global and local memory warp instructions per coalesced transaction; valid if
                     has_ce */
    double su;    /* mean active lanes per issued warp instruction, guarded off or not, 0..32 */
    double ps;    /* share of issue slots of active SMs without an issue */
    double aw;    /* mean resident warps of an active SM */
    bool has_classes; /* ai, bi, mi */
    bool has_aw;
    bool has_ce;     /* false when the launch touched no global memory */
    bool has_timing; /* false for a functional run: ipc, ce, ps and aw are then absent */
} ww_metrics;

/**
 * Metrics of one counter set (one launch, or a sum over launches, which weights by cycles).
 * @error ENUMERIC when no instruction was executed
 * @source D5.5.3 §3.2.1; Σ over SMs throughout
 */
WW_NODISCARD ww_status ww_metrics_compute(const ww_counter_set *counters, ww_metrics *out,
                                          ww_error *err);

/* Name, unit and meaning of each metric, in the order of D5.5.3 Table 1; X(field, "NAME", "unit",
 * "meaning"). */
#define WW_METRICS(X)                                                                              \
    X(ipc, "IPC", "1/cycle", "thread instructions per core cycle, whole GPU")                      \
    X(ti_m, "TI", "million", "executed thread instructions")                                       \
    X(ai, "AI", "1", "arithmetic share of scheduled lanes")                                        \
    X(bi, "BI", "1", "branch share of scheduled lanes")                                            \
    X(mi, "MI", "1", "memory share of scheduled lanes")                                            \
    X(ce, "CE", "1", "global memory instructions per transaction")                                 \
    X(su, "SU", "lane", "mean active lanes per issued instruction")                                \
    X(ps, "PS", "1", "share of issue slots without an issue")                                      \
    X(aw, "AW", "warp", "mean resident warps of an active SM")

/** Text of metric i (order of WW_METRICS) with round-trip digits, "" where it is absent. Returns
 * buf (>= 32 bytes). */
char *ww_metric_text(const ww_metrics *m, unsigned i, char *buf);
/** Value of metric i; false where it is absent. */
bool ww_metric_value(const ww_metrics *m, unsigned i, double *out);
/** Share of one counter in another; false where that is 0. */
bool ww_counter_share(const ww_counter_set *counters, ww_counter part, ww_counter whole,
                      double *out);

enum {
#define X(field, name, unit, meaning) WW_METRIC_##field,
    WW_METRICS(X)
#undef X
        WW_METRIC_COUNT
};

#ifdef __cplusplus
}
#endif
#endif
