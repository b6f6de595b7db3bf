/* governor.h - what closes the loop from activity back to the clock: whoever simulates publishes an
 * interval, whoever listens answers with a core clock. Depends on: base. */
#ifndef WW_COUNTERS_GOVERNOR_H
#define WW_COUNTERS_GOVERNOR_H

#include "counters/counters.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Asked at the end of every interval, and of the launch that cuts one short, in one thread. */
typedef struct ww_governor {
    /**
     * @param interval  its counters are borrowed; `at` is the clock and the voltage that it ran at
     *                  and the described temperature, which may be changed to what the die had
     * @param next_hz   the clock of the interval, to be changed into the one that holds from its
     *                  end on, down to a step of the card
     * @error whatever ends the launch
     */
    ww_status (*next)(void *user, ww_interval *interval, double *next_hz, ww_error *err);
    void *user;
} ww_governor;

#ifdef __cplusplus
}
#endif
#endif
