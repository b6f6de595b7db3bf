/* clock.h - a clock domain derived from the core clock by exact integer ratio accumulation.
 * After c core cycles a domain has seen floor(c * hz / core_hz) cycles, however they were stepped
 * or jumped over. */
#ifndef WW_PERF_MEM_CLOCK_H
#define WW_PERF_MEM_CLOCK_H

#include <stdint.h>

typedef struct ww_clock {
    uint64_t hz, core_hz; /* reduced by their greatest common divisor */
    uint64_t phase;       /* remainder in [0, core_hz) */
    uint64_t cycle;       /* domain cycles so far: the number of the latest one, counted from 1 */
} ww_clock;

/** A domain of frequency hz beside a core clock of core_hz (both rounded to whole hertz). */
void ww__clock_init(ww_clock *clock, double hz, double core_hz);
/** Another core clock beside the same domain: its cycles go on, from the same point in the one that
 * has begun, to a core cycle. */
void ww__clock_change(ww_clock *clock, double hz, double core_hz);
/** Moves over `core_cycles` at once. */
void ww__clock_jump(ww_clock *clock, uint64_t core_cycles);
/** Smallest k >= 1 such that the domain reaches cycle `target` within the next k core cycles. */
uint64_t ww__clock_distance(const ww_clock *clock, uint64_t target);

/** Enters one core cycle; the caller then runs the returned number of domain cycles, incrementing
 * cycle before each. */
static inline uint64_t ww__clock_enter(ww_clock *clock)
{
    uint64_t ticks = 0;
    for (clock->phase += clock->hz; clock->phase >= clock->core_hz;
         clock->phase -= clock->core_hz) {
        ticks++;
    }
    return ticks;
}

#endif
