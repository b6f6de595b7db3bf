/* threads.c - teams of threads over POSIX threads and C11 atomics. A piece of work is announced by
 * counting up `piece`; a member that has done it counts up `done`. Both sides look at the other's
 * counter for a while before they sleep on a condition variable: pieces follow each other within
 * microseconds, and waking a sleeping thread takes as long as a piece. */
#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "base/mem.h"

/* Looks at a counter before sleeping: some 20 to 50 microseconds. When there are fewer processors
 * than threads, the one waited for may need this processor. */
enum { LOOKS = 1 << 12, LOOKS_BETWEEN_YIELDS = 1 << 8, CACHE_LINE = 64 };

struct ww_team {
    _Alignas(CACHE_LINE) atomic_uint piece; /* pieces announced; wraps around */
    _Alignas(CACHE_LINE) atomic_uint done;  /* members that have finished the present piece */
    _Alignas(CACHE_LINE) ww_team_fn *fn;
    void *user;
    unsigned members;
    pthread_t *thread; /* [members - 1] */
    unsigned started;
    atomic_bool ending;
    pthread_mutex_t lock; /* for sleeping only */
    pthread_cond_t announced, finished;
    atomic_uint asleep; /* members sleeping on `announced` */
    atomic_bool caller_asleep;
    void *raw; /* allocation that holds this */
};

typedef struct member {
    ww_team *team;
    unsigned index;
} member;

static void pause_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* True when the counter has left (or, with `reach`, reached) the value within the looks allowed. */
static bool look_for(const atomic_uint *counter, unsigned value, bool reach)
{
    for (unsigned i = 1; i <= LOOKS; i++) {
        if ((atomic_load_explicit(counter, memory_order_acquire) == value) == reach) {
            return true;
        }
        if (i % LOOKS_BETWEEN_YIELDS == 0) {
            sched_yield();
        } else {
            pause_cpu();
        }
    }
    return false;
}

static void await_piece(ww_team *team, unsigned seen)
{
    if (look_for(&team->piece, seen, false)) {
        return;
    }
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->asleep, 1);
    while (atomic_load(&team->piece) == seen) {
        pthread_cond_wait(&team->announced, &team->lock);
    }
    atomic_fetch_sub(&team->asleep, 1);
    pthread_mutex_unlock(&team->lock);
}

static void announce(ww_team *team)
{
    atomic_store(&team->done, 0);
    atomic_fetch_add(&team->piece, 1);
    if (atomic_load(&team->asleep) > 0) {
        pthread_mutex_lock(&team->lock);
        pthread_cond_broadcast(&team->announced);
        pthread_mutex_unlock(&team->lock);
    }
}

static void report_done(ww_team *team)
{
    unsigned others = team->members - 1;
    if (atomic_fetch_add(&team->done, 1) + 1 == others && atomic_load(&team->caller_asleep)) {
        pthread_mutex_lock(&team->lock);
        pthread_cond_signal(&team->finished);
        pthread_mutex_unlock(&team->lock);
    }
}

static void await_done(ww_team *team)
{
    unsigned others = team->members - 1;
    if (look_for(&team->done, others, true)) {
        return;
    }
    pthread_mutex_lock(&team->lock);
    atomic_store(&team->caller_asleep, true);
    while (atomic_load(&team->done) != others) {
        pthread_cond_wait(&team->finished, &team->lock);
    }
    atomic_store(&team->caller_asleep, false);
    pthread_mutex_unlock(&team->lock);
}

static void *serve(void *argument)
{
    member *self = argument;
    ww_team *team = self->team;
    unsigned index = self->index;
    ww_free(self);
    for (unsigned seen = 0;; seen++) {
        await_piece(team, seen);
        if (atomic_load(&team->ending)) {
            return NULL;
        }
        team->fn(team->user, index);
        report_done(team);
    }
}

static bool start(ww_team *team, unsigned index)
{
    member *self = WW_NEW(member);
    if (self == NULL) {
        return false;
    }
    *self = (member){team, index};
    if (pthread_create(&team->thread[index - 1], NULL, serve, self) != 0) {
        ww_free(self);
        return false;
    }
    team->started++;
    return true;
}

ww_status ww_team_create(unsigned members, ww_team **out, ww_error *err)
{
    unsigned n = members > 1 ? members : 1;
    unsigned char *raw = ww_alloc_array(1, sizeof(ww_team) + CACHE_LINE);
    pthread_t *thread = WW_NEW_ARRAY(pthread_t, n);
    if (raw == NULL || thread == NULL) {
        ww_free(raw);
        ww_free(thread);
        return ww_fail(err, WW_ENOMEM, "Out of memory for %u threads.", n);
    }
    size_t past = (size_t)((uintptr_t)raw % CACHE_LINE);
    ww_team *team = (void *)(raw + (CACHE_LINE - past));
    team->raw = raw;
    team->thread = thread;
    team->members = n;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->announced, NULL);
    pthread_cond_init(&team->finished, NULL);
    for (unsigned i = 1; i < n; i++) {
        if (!start(team, i)) {
            ww_team_destroy(team);
            return ww_fail(err, WW_ENOMEM, "The system refuses thread %u of %u.", i + 1, n);
        }
    }
    *out = team;
    return WW_OK;
}

void ww_team_destroy(ww_team *team)
{
    if (team == NULL) {
        return;
    }
    atomic_store(&team->ending, true);
    announce(team);
    for (unsigned i = 0; i < team->started; i++) {
        pthread_join(team->thread[i], NULL);
    }
    pthread_cond_destroy(&team->finished);
    pthread_cond_destroy(&team->announced);
    pthread_mutex_destroy(&team->lock);
    ww_free(team->thread);
    ww_free(team->raw);
}

unsigned ww_team_members(const ww_team *team)
{
    return team->members;
}

void ww_team_run(ww_team *team, ww_team_fn *fn, void *user)
{
    if (team->members == 1) {
        fn(user, 0);
        return;
    }
    team->fn = fn;
    team->user = user;
    announce(team);
    fn(user, 0);
    await_done(team);
}

unsigned ww_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}
