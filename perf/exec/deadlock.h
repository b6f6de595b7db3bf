/* deadlock.h - private to perf/exec: CTAs without time in which nothing can happen any more. */
#ifndef WW_PERF_EXEC_DEADLOCK_H
#define WW_PERF_EXEC_DEADLOCK_H

#include "perf/exec/exec.h"

/* The state of CTAs in which every warp waits. Zero-initialise. */
typedef struct ww_frozen {
    uint64_t first; /* hash of the state that later ones are held against */
    uint32_t rounds, repeats;
} ww_frozen;

/** To be called after every round of turns, with the CTAs that run. True: every warp waits, at
 * barriers or for mbarriers that it tests again and again, and their state has come back several
 * times, so that it will for ever. */
bool ww__frozen(ww_frozen *f, const ww_launch *launch, ww_cta *const *cta, uint32_t count);

/** Says what the warps of the CTAs wait for. @error EDEADLOCK */
WW_NODISCARD ww_status ww__deadlock(const ww_launch *launch, ww_cta *const *cta, uint32_t count,
                                    ww_error *err);

#endif
