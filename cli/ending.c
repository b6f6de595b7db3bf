/* ending.c - see ending.h. */
#define _GNU_SOURCE
#include "cli/ending.h"

#include <stddef.h>

/* What a handler may write: the process has one. */
static volatile sig_atomic_t noting, noted, ours_alone, terminal_left;

static void let_end(void)
{
    struct sigaction ends = {.sa_handler = SIG_DFL}, before;
    (void)sigaction(SIGINT, &ends, NULL);
    (void)sigaction(SIGTERM, &ends, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        (void)sigaction(SIGHUP, &ends, NULL);
    }
}

static void note(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    bool terminal = info != NULL && info->si_code == SI_KERNEL && signal_number == SIGINT;
    noted = signal_number;
    if (terminal && terminal_left) {
        return;
    }
    ours_alone = ours_alone || !terminal;
    let_end();
}

bool ww_ending_note(void)
{
    if (noting) {
        return false;
    }
    noting = 1;
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaddset(&action.sa_mask, SIGHUP);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        (void)sigaction(SIGHUP, &action, NULL);
    }
    return true;
}

void ww_ending_let(void)
{
    if (noted == 0) {
        let_end();
        noting = 0;
    }
}

void ww_ending_leave_terminal(bool on)
{
    terminal_left = on;
}

const volatile sig_atomic_t *ww_ending_flag(void)
{
    return &noted;
}

int ww_ending_signal(void)
{
    return noted;
}

bool ww_ending_is_ours_alone(void)
{
    return ours_alone != 0;
}
