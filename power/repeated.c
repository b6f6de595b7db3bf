/* repeated.c - power of a kernel that a card launches again and again, as cards are measured: the
 * next launch is prepared while one runs, so that its overhead, idle cycles at the beginning of a
 * simulated one, takes no time. One path for what `run` prints and what validation compares. */
#include <math.h>
#include <string.h>

#include "power/power.h"

/* Beside energies, simulated activity is uncertain: cycles of a QV100 are a tenth off on average,
 * work per time as much (docs/validation.md). Those of other cards are not validated; a simulator
 * that was tuned for Volta, 15 % off there, is 25 % off on Turing and 30 % on Pascal (Khairy et
 * al., ISCA 2020, table V). Of a normal distribution, root mean square over mean. */
static double activity_sigma(const ww_arch *arch)
{
    enum { VOLTA = 70, TURING = 75 };
    unsigned capability = arch->chip.compute_capability;
    double peer = capability == VOLTA ? 0.15 : capability == TURING ? 0.25 : 0.3;
    return 0.1 * peer / 0.15 * 1.25;
}

/* Energy of what a kernel does; the rest goes with time, and its watts stay when cycles are off. */
static double work_j(const ww_power_model *model, const ww_launch_record *launch)
{
    size_t count;
    const ww_power_event *events = ww_power_events(model, &count);
    double sum_j = 0;
    for (size_t i = 0; i < count; i++) {
        const ww_power_event *e = &events[i];
        bool work = e->kind == WW_POWER_EVENT &&
                    strcmp(ww_counter_describe(e->counter[0])->unit, "cycle") != 0;
        sum_j += work ? ww_power_event_j(e, launch->counters, launch) : 0;
    }
    return sum_j;
}

ww_status ww_power_repeat(const ww_power_model *model, const ww_arch *arch,
                          const ww_launch_record *launch, ww_power_repeated *sum, ww_error *err)
{
    ww_power_result r;
    WW_TRY(ww_power_evaluate(model, launch->counters, launch, &r, err));
    ww_power_add_groups(model, launch->counters, launch, &sum->groups);
    double overhead_s = arch->sm.kernel_launch_cycles / launch->core_hz;
    sum->total_j += r.total_j;
    sum->work_j += work_j(model, launch);
    sum->time_s += r.time_s;
    sum->overhead_s += overhead_s;
    sum->overhead_j += ww_power_idle_w(model, launch->dram_hz) * overhead_s;
    return WW_OK;
}

bool ww_power_repeated_w(const ww_power_model *model, const ww_arch *arch,
                         const ww_power_repeated *sum, double *watts, double *sigma_w)
{
    double busy_s = sum->time_s - sum->overhead_s;
    if (!(busy_s > 0)) {
        return false;
    }
    ww_power_sureness sure = ww_power_sure_of(model, &sum->groups, WW_COMPONENT_COUNT);
    *watts = (sum->total_j - sum->overhead_j) / busy_s;
    *sigma_w =
        hypot(sure.sigma_j / sum->total_j * *watts, activity_sigma(arch) * sum->work_j / busy_s);
    return true;
}
