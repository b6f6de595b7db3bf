/* guard.h - a program that runs under this one and never outlives it. A process between the two,
 * the guard, is the parent of the program and of all that loses its own parent below it. Depends
 * on: Linux (prctl, /proc). */
#ifndef WW_CLI_GUARD_H
#define WW_CLI_GUARD_H

#include "base/status.h"

/* What a program has to end in once it was asked to; then it is killed. */
#define WW_GUARD_GRACE_S 3

/**
 * Runs a program to its end. When this process is asked to end (cli/ending.h), the program and
 * whatever it started get the same signal, and SIGKILL when they have not ended WW_GUARD_GRACE_S
 * seconds later; when this process is killed, they are killed at once.
 * @param watch  called several times a second meanwhile; NULL: nobody watches
 * @param state  of the program, as waitpid has it
 * @error EIO: it cannot be started
 */
WW_NODISCARD ww_status ww_guard_run(const char *file, char *const *argv, void (*watch)(void *user),
                                    void *user, int *state, ww_error *err);

#endif
