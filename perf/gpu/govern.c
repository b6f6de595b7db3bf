/* govern.c - a core clock that changes while launches run: who governs it is asked at the end of
 * every interval, when SMs and memory system stand at the same cycle.
 *
 * Time stays counted in core cycles. Interconnect and L2 go with the core clock, so that nothing
 * about windows and lookahead changes; DRAM keeps its clock, and with it the point in its cycle. */
#include "perf/gpu/gpu.h"

#include <math.h>

void ww_gpu_set_clock(ww_gpu *gpu, double core_hz, uint64_t now)
{
    ww_memsys_set_core_clock(gpu->memory, gpu->arch->clock.dram_hz, core_hz);
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        ww_sm_set_core_clock(gpu->sm[i], core_hz, now);
    }
    gpu->core_hz = core_hz;
}

static ww_status refuse(const ww_arch *arch, double hz, ww_error *err)
{
    ww_clock_range r = ww_arch_clocks(arch);
    return ww_fail(err, WW_ERANGE,
                   "governor: a clock of %g Hz is outside those of this card, %.5g to %.5g MHz", hz,
                   r.lowest_hz / 1e6, r.highest_hz / 1e6);
}

/* The interval's own point: the machine's where the clock is. */
static ww_point point_of(const ww_gpu *gpu)
{
    const ww_arch *arch = gpu->arch;
    bool own = !(gpu->core_hz != arch->clock.core_hz);
    return (ww_point){.core_hz = gpu->core_hz,
                      .vdd_v = own ? ww_arch_core_v(arch) : ww_arch_voltage(arch, gpu->core_hz),
                      .temperature_k = arch->chip.temperature_k};
}

static ww_status ask(ww_gpu *gpu, ww_interval *interval, uint64_t now, ww_error *err)
{
    double hz = gpu->core_hz;
    const double held_hz = hz;
    interval->at = point_of(gpu);
    WW_TRY(gpu->governor->next(gpu->governor->user, interval, &hz, err));
    if (!(interval->at.temperature_k > 0 && isfinite(interval->at.temperature_k))) {
        return ww_fail(err, WW_ERANGE, "governor: a die at %g K", interval->at.temperature_k);
    }
    if (!(hz != held_hz)) { /* also where the card was set to a clock that it does not have */
        return WW_OK;
    }
    ww_clock_range r = ww_arch_clocks(gpu->arch);
    if (!(hz >= r.lowest_hz && hz <= r.highest_hz)) {
        return refuse(gpu->arch, hz, err);
    }
    hz = ww_arch_clock_below(gpu->arch, hz);
    if (hz != held_hz) {
        ww_gpu_set_clock(gpu, hz, now);
    }
    return WW_OK;
}

ww_status ww_gpu_snapshot(ww_gpu *gpu, uint64_t now, ww_error *err)
{
    ww_snapshots *s = &gpu->snapshots;
    size_t before = s->count;
    if (gpu->governor != NULL && before + 1 >= s->most) {
        return ww_fail(err, WW_ERANGE,
                       "%zu intervals of one launch: more do not fit in memory, and one that a "
                       "governor ended is not merged with the next; a longer --interval helps",
                       before);
    }
    WW_TRY(ww_snapshots_take(s, gpu, now, err));
    return gpu->governor != NULL && s->count > before ? ask(gpu, &s->interval[before], now, err)
                                                      : WW_OK;
}

/* Whether an interval ran at another point than the machine's own. */
static bool varies(const ww_gpu *gpu)
{
    const ww_arch *arch = gpu->arch;
    for (size_t i = 0; i < gpu->snapshots.count; i++) {
        const ww_point *at = &gpu->snapshots.interval[i].at;
        if (at->core_hz != arch->clock.core_hz || at->temperature_k != arch->chip.temperature_k) {
            return true;
        }
    }
    return false;
}

double ww_gpu_mean_hz(ww_gpu *gpu)
{
    ww_snapshots *s = &gpu->snapshots;
    double cycles = 0, seconds = 0;
    if (gpu->governor == NULL || !varies(gpu)) {
        for (size_t i = 0; i < s->count; i++) {
            s->interval[i].at = (ww_point){0}; /* as if nobody had been asked */
        }
        return gpu->arch->clock.core_hz;
    }
    for (size_t i = 0; i < s->count; i++) {
        double length = (double)(s->interval[i].last_cycle - s->interval[i].first_cycle);
        cycles += length;
        seconds += length / s->interval[i].at.core_hz;
    }
    return cycles / seconds;
}
