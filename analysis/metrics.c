/* metrics.c - the nine workload metrics. */
#include "analysis/metrics.h"

#include "base/num.h"

static double total(const ww_counter_set *counters, ww_counter counter)
{
    return (double)ww_counter_total(counters, counter);
}

ww_status ww_metrics_compute(const ww_counter_set *counters, ww_metrics *out, ww_error *err)
{
    double cycles = total(counters, WW_C_CORE_CYCLES), slots = total(counters, WW_C_SLOTS);
    double threads = total(counters, WW_C_INST_THREAD), issued = total(counters, WW_C_INST_ISSUED);
    double lanes = total(counters, WW_C_INST_LANES);
    double active = total(counters, WW_C_SM_ACTIVE),
           transactions = total(counters, WW_C_GMEM_TRANSACTION);
    if (threads <= 0 || issued <= 0) {
        return ww_fail(err, WW_ENUMERIC,
                       "metrics need executed instructions, and the run has none");
    }
    if (lanes <= 0) {
        lanes = threads; /* imported activity tells them not apart */
    }
    double classes = total(counters, WW_C_THREAD_ARITH) + total(counters, WW_C_THREAD_BRANCH) +
                     total(counters, WW_C_THREAD_MEMORY) + total(counters, WW_C_THREAD_OTHER);
    bool timed = cycles > 0 && slots > 0 && active > 0;
    *out = (ww_metrics){
        .has_timing = timed,
        .ipc = timed ? threads / cycles : 0,
        .ti_m = threads / 1e6,
        .ai = total(counters, WW_C_THREAD_ARITH) / lanes,
        .bi = total(counters, WW_C_THREAD_BRANCH) / lanes,
        .mi = total(counters, WW_C_THREAD_MEMORY) / lanes,
        .other = total(counters, WW_C_THREAD_OTHER) / lanes,
        .has_classes = classes > 0, /* nor these */
        .has_aw = timed && total(counters, WW_C_WARP_RESIDENT) > 0,
        .has_ce = transactions > 0,
        .ce = transactions > 0 ? total(counters, WW_C_GMEM_INST) / transactions : 0,
        .su = lanes / issued,
        .ps = timed ? 1 - total(counters, WW_C_SLOTS_ISSUED) / slots : 0,
        .aw = timed ? total(counters, WW_C_WARP_RESIDENT) / active : 0,
    };
    return WW_OK;
}

bool ww_counter_share(const ww_counter_set *counters, ww_counter part, ww_counter whole,
                      double *out)
{
    const uint64_t all = ww_counter_total(counters, whole);
    if (all > 0) {
        *out = (double)ww_counter_total(counters, part) / (double)all;
    }
    return all > 0;
}

bool ww_metric_value(const ww_metrics *m, unsigned i, double *out)
{
    const double value[WW_METRIC_COUNT] = {
#define X(field, name, unit, meaning) m->field,
        WW_METRICS(X)
#undef X
    };
    bool timing_only = i == WW_METRIC_ipc || i == WW_METRIC_ps || i == WW_METRIC_aw;
    bool of_classes = i == WW_METRIC_ai || i == WW_METRIC_bi || i == WW_METRIC_mi;
    if (i >= WW_METRIC_COUNT || (timing_only && !m->has_timing) ||
        (of_classes && !m->has_classes) || (i == WW_METRIC_aw && !m->has_aw) ||
        (i == WW_METRIC_ce && !m->has_ce)) {
        return false;
    }
    *out = value[i];
    return true;
}

char *ww_metric_text(const ww_metrics *m, unsigned i, char *buf)
{
    double value;
    buf[0] = '\0';
    if (ww_metric_value(m, i, &value)) {
        ww_num_format(value, buf);
    }
    return buf;
}
