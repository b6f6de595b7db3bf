/* sweep_pool.c - runs in processes of their own, several at a time. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/assert.h"
#include "base/progress.h"
#include "run/sweep.h"

/* What a process says of its run by its exit status. */
enum { RAN = 0, FAILED = 1, ELSEWHERE = 2 };

typedef struct job {
    pid_t process; /* 0: free */
    size_t run;
    double start_s;
} job;

typedef struct pool {
    ww_sweep *sweep;
    const char *dir, *version;
    job *jobs;
    unsigned job_count;
    size_t next; /* first run not yet looked at */
    ww_sweep_progress progress;
    double *item_s; /* [item_count] seconds that runs of this workload took, together */
    size_t *item_n; /* [item_count] how many they were */
    void (*on_progress)(void *user, const ww_sweep_progress *progress);
    void *user;
} pool;

/* ---- in the process of a run ---- */

/* A run without a parent would hold its lock for nobody: whoever stops the sweep stops the runs. */
static void die_with_parent(pid_t parent)
{
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) { /* it died in between */
        _exit(FAILED);
    }
}

static bool redirect_to_log(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    bool ok = fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0 && dup2(fd, STDERR_FILENO) >= 0;
    if (fd > STDERR_FILENO) {
        close(fd);
    }
    return ok;
}

static int run_in_process(const pool *p, const ww_sweep_run *run, pid_t parent)
{
    ww_arena arena = {0};
    ww_error err = {0};
    char *log = ww_sweep_log(&arena, p->dir, run), text[4096];
    bool ran = false;
    die_with_parent(parent);
    (void)signal(SIGINT, SIG_DFL); /* the sweep's process notes them, and ends its runs */
    (void)signal(SIGTERM, SIG_DFL);
    ww_status status = log != NULL && redirect_to_log(log)
                           ? WW_OK
                           : ww_fail(&err, WW_EIO, "the log of %s cannot be written", run->id);
    double start = ww_clock_s();
    if (status == WW_OK) {
        status = ww_sweep_execute(p->sweep, p->dir, run, p->version, &ran, &err);
    }
    if (status != WW_OK) {
        dprintf(STDERR_FILENO, "%s\n", ww_error_format(&err, text, sizeof text));
    } else if (ran) {
        dprintf(STDERR_FILENO, "done in %.2f s\n", ww_clock_s() - start);
    } else {
        dprintf(STDERR_FILENO, "another process runs this\n");
    }
    ww_arena_fini(&arena);
    return status != WW_OK ? FAILED : ran ? RAN : ELSEWHERE;
}

/* ---- in the sweep's process ---- */

static size_t item_of(const pool *p, size_t run)
{
    WW_ASSERT(run < p->sweep->run_count);
    WW_ASSERT(p->sweep->run[run].item >= p->sweep->item);
    WW_ASSERT(p->sweep->run[run].item < p->sweep->item + p->sweep->item_count);
    return (size_t)(p->sweep->run[run].item - p->sweep->item);
}

static ww_status start(pool *p, job *j, size_t run, ww_error *err)
{
    const pid_t self = getpid();
    WW_ASSERT(j->process == 0 && run < p->sweep->run_count);
    *j = (job){.process = fork(), .run = run, .start_s = ww_clock_s()};
    if (j->process == 0) {
        _exit(run_in_process(p, &p->sweep->run[run], self));
    }
    if (j->process < 0) {
        j->process = 0;
        return ww_fail(err, WW_EIO, "a process cannot be made: %s", strerror(errno));
    }
    p->progress.running++;
    return WW_OK;
}

/* The next run that nobody has done; false when there is none, or it waits for a choice. */
static ww_status find_next(pool *p, size_t *run, bool *found, ww_error *err)
{
    *found = false;
    for (; p->next < p->sweep->run_count; p->next++) {
        ww_sweep_state state;
        if (p->sweep->run[p->next].left_out != NULL) {
            continue;
        }
        if (p->sweep->run[p->next].spec == NULL) {
            return WW_OK;
        }
        WW_TRY(ww_sweep_run_state(p->dir, &p->sweep->run[p->next], &state, err));
        if (state != WW_SWEEP_DONE && state != WW_SWEEP_RUNNING) {
            *run = p->next++;
            *found = true;
            return WW_OK;
        }
        p->progress.done += state == WW_SWEEP_DONE;
    }
    return WW_OK;
}

static ww_status fill(pool *p, ww_error *err)
{
    for (unsigned i = 0; i < p->job_count; i++) {
        size_t run = 0;
        bool found = false;
        if (p->jobs[i].process == 0) {
            WW_TRY(find_next(p, &run, &found, err));
        }
        if (found) {
            WW_TRY(start(p, &p->jobs[i], run, err));
        }
    }
    return WW_OK;
}

/* A process that died without a word, say for lack of memory: its run says so. */
static void note_death(const pool *p, size_t run, int wait_status)
{
    char why[64] = "the process of the run ended in an unknown way";
    if (WIFSIGNALED(wait_status)) {
        snprintf(why, sizeof why, "the process of the run was stopped by signal %d",
                 WTERMSIG(wait_status));
    }
    /* Without the note the run is to do again. */
    WW_DROP(ww_sweep_note_failure(p->dir, &p->sweep->run[run], why, NULL));
}

static bool stopped(const pool *p)
{
    return p->sweep->stop != NULL && *p->sweep->stop != 0;
}

static void finish(pool *p, job *j, int wait_status)
{
    int code = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
    WW_ASSERT(j->process != 0 && p->progress.running > 0);
    p->progress.running--;
    if (code == RAN) {
        size_t item = item_of(p, j->run);
        p->item_s[item] += ww_clock_s() - j->start_s;
        p->item_n[item]++;
        p->progress.done++;
    } else if (code != ELSEWHERE) {
        p->progress.failed++;
        if (code != FAILED && !stopped(p)) { /* a terminal interrupts the runs too */
            note_death(p, j->run, wait_status);
        }
    }
    j->process = 0;
}

static void reap(pool *p)
{
    for (unsigned i = 0; i < p->job_count; i++) {
        int wait_status;
        job *j = &p->jobs[i];
        if (j->process != 0 && waitpid(j->process, &wait_status, WNOHANG) == j->process) {
            finish(p, j, wait_status);
        }
    }
}

/* Seconds a run may take: as its workload took before, or as the average of all did. */
static double expected_s(const pool *p, size_t run, double average_s)
{
    size_t item = item_of(p, run);
    return p->item_n[item] > 0 ? p->item_s[item] / (double)p->item_n[item] : average_s;
}

static double time_left(const pool *p)
{
    double sum_s = 0, left_s = 0, longest_s = 0;
    size_t n = 0;
    for (size_t i = 0; i < p->sweep->item_count; i++) {
        sum_s += p->item_s[i];
        n += p->item_n[i];
    }
    if (n == 0) {
        return 0;
    }
    for (size_t run = p->next; run < p->sweep->run_count; run++) {
        double whole_s = expected_s(p, run, sum_s / (double)n);
        left_s += whole_s;
        longest_s = whole_s > longest_s ? whole_s : longest_s;
    }
    for (unsigned i = 0; i < p->job_count; i++) {
        if (p->jobs[i].process != 0) {
            double rest = expected_s(p, p->jobs[i].run, sum_s / (double)n) -
                          (ww_clock_s() - p->jobs[i].start_s);
            left_s += rest > 0 ? rest : 0;
            longest_s = rest > longest_s ? rest : longest_s;
        }
    }
    left_s /= p->job_count;
    return left_s > longest_s ? left_s : longest_s; /* one run has one process */
}

/* What a run that was ended left: claiming it removes that. */
static void clear(const pool *p, size_t run)
{
    ww_sweep_claim claim;
    if (ww_sweep_claim_run(p->dir, &p->sweep->run[run], &claim, NULL) == WW_OK && claim.lock >= 0) {
        ww_sweep_release(&claim);
    }
}

static void kill_all(pool *p)
{
    for (unsigned i = 0; i < p->job_count; i++) {
        if (p->jobs[i].process != 0) {
            kill(p->jobs[i].process, SIGKILL);
            waitpid(p->jobs[i].process, NULL, 0);
            clear(p, p->jobs[i].run);
        }
    }
}

/* With nothing under way: what those that ran decide. Runs whose candidates have failed are passed
 * over. */
static ww_status go_on(pool *p, ww_error *err)
{
    WW_TRY(ww_sweep_resolve(p->sweep, p->dir, p->version, err));
    while (p->next < p->sweep->run_count && p->sweep->run[p->next].spec == NULL) {
        p->next++;
    }
    return fill(p, err);
}

static ww_status run_all(pool *p, ww_error *err)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    WW_TRY(fill(p, err));
    while (p->progress.running > 0 || p->next < p->sweep->run_count) {
        if (p->progress.running == 0) {
            WW_TRY(go_on(p, err));
        }
        nanosleep(&pause, NULL);
        if (stopped(p)) {
            return ww_fail(err, WW_EINTERRUPTED,
                           "interrupted: %zu of %zu runs are complete; the same command does the "
                           "rest",
                           p->progress.done, p->sweep->run_count);
        }
        reap(p);
        WW_TRY(fill(p, err));
        p->progress.left_s = time_left(p);
        if (p->on_progress != NULL) {
            p->on_progress(p->user, &p->progress);
        }
    }
    return WW_OK;
}

ww_status ww_sweep_pool(ww_sweep *sweep, const char *dir, const char *version, unsigned jobs,
                        void (*on_progress)(void *user, const ww_sweep_progress *progress),
                        void *user, ww_sweep_progress *out, ww_error *err)
{
    pool p = {.sweep = sweep,
              .dir = dir,
              .version = version,
              .jobs = WW_NEW_ARRAY(job, jobs),
              .job_count = jobs,
              .progress = {.total = sweep->run_count},
              .item_s = WW_NEW_ARRAY(double, sweep->item_count),
              .item_n = WW_NEW_ARRAY(size_t, sweep->item_count),
              .on_progress = on_progress,
              .user = user};
    ww_status status =
        p.jobs != NULL && p.item_s != NULL && p.item_n != NULL ? WW_OK : ww_no_memory(err);
    if (status == WW_OK) {
        status = run_all(&p, err);
        if (status != WW_OK) {
            kill_all(&p);
        }
        *out = p.progress;
    }
    ww_free(p.jobs);
    ww_free(p.item_s);
    ww_free(p.item_n);
    return status;
}
