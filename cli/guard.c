/* guard.c - see guard.h. */
#define _GNU_SOURCE
#include "cli/guard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/progress.h"
#include "cli/ending.h"

/* ---- who is below ---- */

typedef struct process {
    pid_t id, parent;
    bool below;
} process;

/* "ID (NAME) S PARENT …"; the name may hold anything. */
static pid_t parent_of(const char *id)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", id);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0) {
        close(fd);
    }
    text[n > 0 ? n : 0] = '\0';
    const char *name_ends = strrchr(text, ')');
    char state;
    int parent;
    return name_ends != NULL && sscanf(name_ends + 1, " %c %d", &state, &parent) == 2 ? parent : 0;
}

static process *list_processes(size_t *count)
{
    DIR *folder = opendir("/proc");
    process *list = NULL;
    size_t room = 0;
    *count = 0;
    for (struct dirent *e = NULL; folder != NULL && (e = readdir(folder)) != NULL;) {
        long id = strtol(e->d_name, NULL, 10);
        pid_t parent = id > 0 ? parent_of(e->d_name) : 0;
        if (parent == 0) {
            continue;
        }
        if (*count == room) {
            process *more = ww_realloc_array(list, 2 * room + 64, sizeof *list);
            if (more == NULL) {
                break;
            }
            list = more;
            room = 2 * room + 64;
        }
        list[(*count)++] = (process){(pid_t)id, parent, false};
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return list;
}

/* Marks what is below `top`, a generation in each round. */
static void mark(process *list, size_t count, pid_t top)
{
    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; i < count; i++) {
            bool below = list[i].parent == top;
            for (size_t k = 0; k < count && !below; k++) {
                below = list[k].below && list[k].id == list[i].parent;
            }
            found = found || (below && !list[i].below);
            list[i].below = list[i].below || below;
        }
    }
}

static void signal_all(pid_t child, int signal_number)
{
    size_t count;
    process *list = list_processes(&count);
    mark(list, count, getpid());
    for (size_t i = 0; i < count; i++) {
        if (list[i].below) {
            (void)kill(list[i].id, signal_number);
        }
    }
    if (count == 0 && child > 0) { /* no /proc */
        (void)kill(child, signal_number);
    }
    ww_free(list);
}

/* ---- the guard ---- */

typedef struct guard {
    pid_t above, child;
    bool child_ended, none_left;
    int state;     /* of the child */
    int asked;     /* the signal; 0: nobody asked */
    double kill_s; /* when those that are left are killed */
} guard;

static void reap(guard *g)
{
    int state;
    pid_t ended;
    while ((ended = waitpid(-1, &state, WNOHANG)) > 0) {
        if (ended == g->child) {
            g->child_ended = true;
            g->state = state;
        }
    }
    g->none_left = ended < 0 && errno == ECHILD;
}

static void ask(guard *g, const siginfo_t *info)
{
    bool terminal = info->si_signo == SIGINT && info->si_code == SI_KERNEL;
    bool orphaned = getppid() != g->above;
    if (terminal && !orphaned) {
        return; /* who is below has had it from the terminal too */
    }
    bool at_once = orphaned || g->asked != 0;
    if (g->asked == 0) {
        g->asked = info->si_signo;
        g->kill_s = ww_clock_s() + WW_GUARD_GRACE_S;
    }
    signal_all(g->child_ended ? 0 : g->child, at_once ? SIGKILL : info->si_signo);
    g->kill_s = at_once ? ww_clock_s() : g->kill_s;
}

/* The child gets the signals that the guard holds back. */
static void start_child(guard *g, const char *file, char *const *argv, const sigset_t *mask)
{
    pid_t self = getpid();
    g->child = fork();
    if (g->child != 0) {
        return;
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != self) {
        _exit(127);
    }
    struct sigaction usual = {.sa_handler = SIG_DFL}, hangup;
    (void)sigaction(SIGINT, &usual, NULL);
    (void)sigaction(SIGTERM, &usual, NULL);
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) {
        (void)sigaction(SIGHUP, &usual, NULL);
    }
    (void)sigprocmask(SIG_SETMASK, mask, NULL);
    execv(file, argv);
    fprintf(stderr, "error: %s cannot be run: %s\n", file, strerror(errno));
    _exit(127);
}

/* Until the child has ended; once somebody asked, until nobody is left. */
static void stand(guard *g, const sigset_t *set)
{
    while (!g->child_ended || (g->asked != 0 && !g->none_left)) {
        const struct timespec pause = {.tv_nsec = 50000000};
        siginfo_t info;
        int got =
            sigtimedwait(set, &info, g->asked != 0 ? &pause : &(struct timespec){.tv_sec = 1});
        if (got > 0 && got != SIGCHLD) {
            ask(g, &info);
        }
        reap(g);
        if (g->asked != 0 && !g->none_left && ww_clock_s() >= g->kill_s) {
            signal_all(g->child_ended ? 0 : g->child, SIGKILL);
        }
    }
}

static _Noreturn void be_guard(pid_t above, int report, const char *file, char *const *argv)
{
    guard g = {.above = above};
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &set, &before);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (getppid() == above) { /* it may have died in between */
        start_child(&g, file, argv, &before);
    }
    if (g.child > 0) {
        stand(&g, &set);
        (void)!write(report, &g.state, sizeof g.state);
    }
    _exit(0);
}

/* ---- in the process above ---- */

/* True when the guard has said how the program ended; false: it died without a word. */
static bool await(pid_t below, int report, void (*watch)(void *user), void *user, int *state)
{
    enum { LOOK_MS = 100 };
    bool passed_on = false;
    for (;;) {
        struct pollfd end = {.fd = report, .events = POLLIN};
        int ready = poll(&end, 1, LOOK_MS);
        if (ready > 0) {
            return read(report, state, sizeof *state) == sizeof *state;
        }
        if (!passed_on && ww_ending_is_ours_alone()) {
            (void)kill(below, ww_ending_signal());
            passed_on = true;
        }
        if (watch != NULL) {
            watch(user);
        }
    }
}

ww_status ww_guard_run(const char *file, char *const *argv, void (*watch)(void *user), void *user,
                       int *state, ww_error *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return ww_fail(err, WW_EIO, "%s cannot be started: %s", file, strerror(errno));
    }
    fflush(NULL);
    const pid_t self = getpid();
    pid_t below = fork();
    if (below == 0) {
        close(ends[0]);
        be_guard(self, ends[1], file, argv);
    }
    int why = errno;
    close(ends[1]);
    bool said = below > 0 && await(below, ends[0], watch, user, state);
    close(ends[0]);
    while (below > 0 && waitpid(below, NULL, 0) < 0 && errno == EINTR) {
    }
    return below < 0 ? ww_fail(err, WW_EIO, "%s cannot be started: %s", file, strerror(why))
           : said    ? WW_OK
                     : ww_fail(err, WW_EIO, "%s cannot be started, or its guard was killed", file);
}
