/* metrics.c - the nine workload metrics. */
#include "analysis/metrics.h"

static double total(const ww_counter_set *counters, ww_counter counter)
{
    return (double)ww_counter_total(counters, counter);
}

ww_status ww_metrics_compute(const ww_counter_set *counters, ww_metrics *out, ww_error *err)
{
    double cycles = total(counters, WW_C_CORE_CYCLES), slots = total(counters, WW_C_SLOTS);
    double threads = total(counters, WW_C_INST_THREAD), issued = total(counters, WW_C_INST_ISSUED);
    double active = total(counters, WW_C_SM_ACTIVE), transactions = total(counters, WW_C_GMEM_TRANSACTION);
    if (cycles <= 0 || slots <= 0 || active <= 0) {
        return ww_fail(err, WW_ENUMERIC, "metrics need cycles, and the run has none (a functional run?)");
    }
    if (threads <= 0 || issued <= 0) {
        return ww_fail(err, WW_ENUMERIC, "metrics need executed instructions, and the run has none");
    }
    *out = (ww_metrics){
        .ipc = threads / cycles,
        .ti_m = threads / 1e6,
        .ai = total(counters, WW_C_THREAD_ARITH) / threads,
        .bi = total(counters, WW_C_THREAD_BRANCH) / threads,
        .mi = total(counters, WW_C_THREAD_MEMORY) / threads,
        .other = total(counters, WW_C_THREAD_OTHER) / threads,
        .has_ce = transactions > 0,
        .ce = transactions > 0 ? total(counters, WW_C_GMEM_INST) / transactions : 0,
        .su = threads / issued,
        .ps = 1 - total(counters, WW_C_SLOTS_ISSUED) / slots,
        .aw = total(counters, WW_C_WARP_RESIDENT) / active,
    };
    return WW_OK;
}
