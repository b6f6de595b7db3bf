/* clock.c - jumps and distances of a derived clock domain. */
#include "perf/mem/clock.h"

#include <math.h>

#include "base/arith.h"

__extension__ typedef unsigned __int128
    wide; /* k * hz exceeds 64 bits for long jumps at odd frequencies */

void ww__clock_init(ww_clock *clock, double hz, double core_hz)
{
    uint64_t domain = (uint64_t)llround(hz);
    uint64_t core = (uint64_t)llround(core_hz);
    uint64_t common = ww_gcd(domain, core);
    *clock = (ww_clock){.hz = domain / common, .core_hz = core / common};
}

void ww__clock_change(ww_clock *clock, double hz, double core_hz)
{
    const ww_clock was = *clock;
    ww__clock_init(clock, hz, core_hz);
    clock->phase = (uint64_t)((wide)was.phase * clock->core_hz / was.core_hz);
    clock->cycle = was.cycle;
}

void ww__clock_jump(ww_clock *clock, uint64_t core_cycles)
{
    if (clock->hz == clock->core_hz) {
        clock->cycle += core_cycles;
        return;
    }
    if (core_cycles < UINT32_MAX && clock->hz < UINT32_MAX / 2) {
        uint64_t total = clock->phase + core_cycles * clock->hz;
        clock->cycle += total / clock->core_hz;
        clock->phase = total % clock->core_hz;
        return;
    }
    wide total = (wide)core_cycles * clock->hz + clock->phase;
    clock->cycle += (uint64_t)(total / clock->core_hz);
    clock->phase = (uint64_t)(total % clock->core_hz);
}

uint64_t ww__clock_distance(const ww_clock *clock, uint64_t target)
{
    if (target <= clock->cycle) {
        return 1;
    }
    uint64_t ticks = target - clock->cycle;
    if (clock->hz == clock->core_hz) {
        return ticks;
    }
    /* cycle + floor((phase + k*hz) / core_hz) >= target  <=>  k*hz >= ticks*core_hz - phase */
    if (ticks < UINT32_MAX / 2 && clock->core_hz < UINT32_MAX && clock->hz < UINT32_MAX) {
        uint64_t need = ticks * clock->core_hz - clock->phase;
        return (need + clock->hz - 1) / clock->hz;
    }
    wide need = (wide)ticks * clock->core_hz - clock->phase;
    wide k = (need + clock->hz - 1) / clock->hz;
    return k == 0 ? 1 : (uint64_t)k;
}
