/* ending.h - being asked to end: by Ctrl-C, by what sends SIGTERM (timeout, SLURM, CI), by a
 * terminal that closes. A command that lies on disk, or has a program under it, notes the request,
 * puts in order what there is and returns; the exit code is 128 and the signal's number then. */
#ifndef WW_CLI_ENDING_H
#define WW_CLI_ENDING_H

#include <signal.h>
#include <stdbool.h>

/** From here SIGINT, SIGTERM and SIGHUP are noted instead of ending the process; a second one ends
 * it. SIGHUP stays ignored where it is (nohup). False: they were noted already. */
bool ww_ending_note(void);
/** They end the process again, unless one has been noted. */
void ww_ending_let(void);
/** While `on`, an interrupt from the terminal is noted however often it comes: a program that runs
 * under this one gets it too, and decides. */
void ww_ending_leave_terminal(bool on);
/** Becomes other than 0 with the first request. */
const volatile sig_atomic_t *ww_ending_flag(void);
/** The signal that was noted; 0: none. */
int ww_ending_signal(void);
/** Whether it came from elsewhere than the terminal, so that nobody else has had it. */
bool ww_ending_is_ours_alone(void);

#endif
