/* threads.h - a team of threads that share short pieces of work, thousands of times a second.
 * Members wait for the next piece by looking for it for a moment, then asleep. */
#ifndef WW_BASE_THREADS_H
#define WW_BASE_THREADS_H

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_team ww_team; /* opaque */

/** A member's part in a piece of work: takes something to do from a list that all share until
 * nothing is left. Member 0 is the thread that called ww_team_run. */
typedef void ww_team_fn(void *user, unsigned member);

/** A team of `members` threads, the caller's included (1: no thread is started).
 * @error ENOMEM (also when the system refuses a thread) */
WW_NODISCARD ww_status ww_team_create(unsigned members, ww_team **out, ww_error *err);
/** Ends the threads. NULL allowed. */
void ww_team_destroy(ww_team *team);
unsigned ww_team_members(const ww_team *team);
/** Calls fn(user, 0), and fn(user, member) once by every other member that comes before that has
 * returned: a member without a processor to run on holds nobody up. Returns when all who came have
 * finished. What the caller wrote before is seen by all; what they wrote is seen by the caller. By
 * one thread at a time. */
void ww_team_run(ww_team *team, ww_team_fn *fn, void *user);
/** Processors of this machine; at least 1. */
unsigned ww_processors(void);

#ifdef __cplusplus
}
#endif
#endif
