/* progress.h - a progress line with rate and remaining time, at most ten times a second.
 * Nothing is printed here: the line goes to the caller's function. */
#ifndef WW_BASE_PROGRESS_H
#define WW_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_progress {
    /* Receives one line without newline ("" clears); NULL: progress is off. */
    void (*show)(void *user, const char *line);
    void *user;
    const char *label; /* "simulate bfs"; must outlive the progress */
    const char *unit;  /* what is counted: "warp inst" */
    uint64_t total;    /* 0: unknown, no remaining time */
    double start_s, last_s;
    bool shown;
} ww_progress;

/** Starts at time now_s; show NULL turns everything off. */
void ww_progress_init(ww_progress *p, const char *label, const char *unit, uint64_t total,
                      double now_s, void (*show)(void *user, const char *line), void *user);
/** Shows "label: 42 % 3.1 M warp inst, 12 M/s, 4 s left", when a tenth of a second has passed since
 * the last line. */
void ww_progress_update(ww_progress *p, uint64_t done, double now_s);
/** The same where the share of the work that is done is known otherwise than by counting; 0: too
 * early to tell. */
void ww_progress_update_share(ww_progress *p, uint64_t done, double share, double now_s);
/** Counts from zero again, as of now_s; the line stays until the next. */
void ww_progress_restart(ww_progress *p, double now_s);
/** Clears the line when one was shown. */
void ww_progress_finish(ww_progress *p);
/** A ww_progress.show for a terminal: user is a FILE *, and the line replaces the previous one. */
void ww_progress_to_terminal(void *file, const char *line);
/** Seconds of a clock that never goes back. */
double ww_clock_s(void);
/** Seconds since it said so. */
double ww_clock_since_s(double start);

#ifdef __cplusplus
}
#endif
#endif
