/* governors.c - governors of the core clock that come with the program. */
#include <math.h>

#include "run/govern.h"

/* Power of the same cycles at another clock. Fewer cycles of a kernel that waits for DRAM only make
 * it less. */
static ww_status power_at(const ww_governed *told, double hz, double *out, ww_error *err)
{
    ww_interval same = *told->interval;
    ww_power_result r;
    same.at.core_hz = hz;
    same.at.vdd_v = ww_arch_voltage(told->arch, hz);
    WW_TRY(ww_govern_evaluate(told->arch, told->model, &same, &r, err));
    *out = r.total_w;
    return WW_OK;
}

ww_status ww_govern_capped(double cap_w, const ww_governed *told, double *next_hz, ww_error *err)
{
    enum { HALVINGS = 20 }; /* to a millionth of the range */
    double low = told->clocks.lowest_hz, high = told->clocks.highest_hz, watts = 0;
    WW_TRY(power_at(told, high, &watts, err));
    if (watts <= cap_w) {
        *next_hz = high;
        return WW_OK;
    }
    for (int i = 0; i < HALVINGS; i++) { /* power rises with the clock */
        double middle = low + (high - low) / 2;
        WW_TRY(power_at(told, middle, &watts, err));
        if (watts <= cap_w) {
            low = middle;
        } else {
            high = middle;
        }
    }
    *next_hz = low;
    return WW_OK;
}

double ww_govern_least_edp(ww_govern_edp *s, const ww_governed *told)
{
    enum { FIRST = 8 }; /* steps of the first move */
    const ww_clock_range *clocks = &told->clocks;
    double range_hz = clocks->highest_hz - clocks->lowest_hz;
    double least_hz = clocks->step_hz > 0 ? clocks->step_hz : range_hz / 100;
    double work = (double)told->warp_instructions;
    if (told->warp_instructions == 0) { /* a launch that begins or ends says nothing of a clock */
        return told->at.core_hz;
    }
    double now = told->power.total_j * told->seconds / (work * work);
    if (!(s->step_hz > 0)) {
        *s = (ww_govern_edp){.step_hz = FIRST * least_hz, .direction = -1, .last = now};
    } else if (now > s->last) {
        s->direction = -s->direction;
        s->step_hz = fmax(s->step_hz / 2, least_hz);
    }
    s->last = now;
    double hz = told->at.core_hz + s->direction * s->step_hz;
    if (hz < clocks->lowest_hz || hz > clocks->highest_hz) { /* at an end, back */
        s->direction = -s->direction;
        hz = told->at.core_hz + s->direction * least_hz;
    }
    return fmin(fmax(hz, clocks->lowest_hz), clocks->highest_hz);
}
