/* signals.c - see signals.h. */
#define _GNU_SOURCE
#include "base/signals.h"

void ww_signals_hold(ww_held *held)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, &set, &held->before);
}

void ww_signals_release(const ww_held *held)
{
    (void)pthread_sigmask(SIG_SETMASK, &held->before, NULL);
}

void ww_signals_hold_all(ww_held *held)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPROF};
    sigset_t set;
    sigfillset(&set);
    for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++) {
        sigdelset(&set, faults[i]);
    }
    (void)pthread_sigmask(SIG_BLOCK, &set, &held->before);
}
