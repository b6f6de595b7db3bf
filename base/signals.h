/* signals.h - steps that a request to end must not cut in two. */
#ifndef WW_BASE_SIGNALS_H
#define WW_BASE_SIGNALS_H

#include <signal.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the thread let through before. */
typedef struct ww_held {
    sigset_t before;
} ww_held;

/** From here until ww_signals_release SIGINT, SIGTERM and SIGHUP wait: what lies on disk in between
 * is put in place or removed before they end the process. Of the calling thread; may be nested. */
void ww_signals_hold(ww_held *held);
void ww_signals_release(const ww_held *held);
/** The same for every signal but those of faults, around the start of a thread that works for
 * another: who asks the process to end or interrupts it is answered by a thread of the program. */
void ww_signals_hold_all(ww_held *held);

#ifdef __cplusplus
}
#endif
#endif
