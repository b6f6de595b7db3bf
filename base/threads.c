/* threads.c - teams of threads over POSIX threads and C11 atomics. One word says which piece of
 * work is on, whether one may still join it, and how many have: joining, closing and leaving are
 * single steps on it. Who waits looks at the word for a while before sleeping on a condition
 * variable: pieces follow each other within microseconds, and waking a sleeper takes as long as a
 * piece. */
#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/mem.h"
#include "base/signals.h"

/* Looks before sleeping, some tens of microseconds. Now and then the processor is offered to
 * others: the one waited for may need it. */
enum { LOOKS = 1 << 12, LOOKS_BETWEEN_YIELDS = 1 << 6, CACHE_LINE = 64 };

/* The word: number of the piece, OPEN, members inside. */
#define PIECE     (UINT64_C(1) << 32)
#define OPEN      (UINT64_C(1) << 31)
#define INSIDE(w) ((w) & (OPEN - 1))

struct ww_team {
    _Atomic uint64_t word;
    unsigned char padding[CACHE_LINE - sizeof(uint64_t)];
    ww_team_fn *fn;
    void *user;
    unsigned members, started;
    pthread_t *thread;    /* [members - 1] */
    pthread_mutex_t lock; /* for sleeping only */
    pthread_cond_t announced, left;
    atomic_uint asleep; /* members waiting for `announced` */
    atomic_bool caller_asleep, ending;
};

typedef struct member {
    ww_team *team;
    unsigned index;
} member;

static void pause_cpu(unsigned look)
{
    if (look % LOOKS_BETWEEN_YIELDS == 0) {
        sched_yield();
        return;
    }
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* ---- members ---- */

/* Whether the word shows a piece to join other than the last one seen, or the end. */
static bool wanted(const ww_team *team, uint64_t seen)
{
    uint64_t word = atomic_load(&team->word);
    return ((word & OPEN) != 0 && word / PIECE != seen) || atomic_load(&team->ending);
}

static void await_piece(ww_team *team, uint64_t seen)
{
    for (unsigned look = 1; look <= LOOKS; look++) {
        if (wanted(team, seen)) {
            return;
        }
        pause_cpu(look);
    }
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->asleep, 1);
    while (!wanted(team, seen)) {
        pthread_cond_wait(&team->announced, &team->lock);
    }
    atomic_fetch_sub(&team->asleep, 1);
    pthread_mutex_unlock(&team->lock);
}

/* Joins the piece that is on, unless it has been closed; *seen: its number. */
static bool join(ww_team *team, uint64_t *seen)
{
    uint64_t word = atomic_load(&team->word);
    while ((word & OPEN) != 0) {
        if (atomic_compare_exchange_weak(&team->word, &word, word + 1)) {
            *seen = word / PIECE;
            return true;
        }
    }
    return false;
}

static void leave(ww_team *team)
{
    uint64_t before = atomic_fetch_sub(&team->word, 1);
    WW_ASSERT(INSIDE(before) > 0);
    if (INSIDE(before) == 1 && atomic_load(&team->caller_asleep)) {
        pthread_mutex_lock(&team->lock);
        pthread_cond_signal(&team->left);
        pthread_mutex_unlock(&team->lock);
    }
}

static void *serve(void *argument)
{
    member self = *(member *)argument;
    ww_team *team = self.team;
    ww_free(argument);
    uint64_t seen = 0;
    for (;;) {
        await_piece(team, seen);
        if (atomic_load(&team->ending)) {
            return NULL;
        }
        if (join(team, &seen)) {
            team->fn(team->user, self.index);
            leave(team);
        }
    }
}

/* ---- the caller ---- */

static void wake_members(ww_team *team)
{
    if (atomic_load(&team->asleep) > 0) {
        pthread_mutex_lock(&team->lock);
        pthread_cond_broadcast(&team->announced);
        pthread_mutex_unlock(&team->lock);
    }
}

static bool all_left(const ww_team *team)
{
    return INSIDE(atomic_load(&team->word)) == 0;
}

static void await_members(ww_team *team)
{
    for (unsigned look = 1; look <= LOOKS; look++) {
        if (all_left(team)) {
            return;
        }
        pause_cpu(look);
    }
    pthread_mutex_lock(&team->lock);
    atomic_store(&team->caller_asleep, true);
    while (!all_left(team)) {
        pthread_cond_wait(&team->left, &team->lock);
    }
    atomic_store(&team->caller_asleep, false);
    pthread_mutex_unlock(&team->lock);
}

void ww_team_run(ww_team *team, ww_team_fn *fn, void *user)
{
    if (team->members == 1) {
        fn(user, 0);
        return;
    }
    team->fn = fn;
    team->user = user;
    /* Nobody is inside, and the last piece is closed. */
    WW_ASSERT(atomic_load(&team->word) % PIECE == 0);
    atomic_store(&team->word, (atomic_load(&team->word) / PIECE + 1) * PIECE + OPEN);
    wake_members(team);
    fn(user, 0);
    atomic_fetch_and(&team->word, ~OPEN);
    await_members(team);
}

/* ---- the team ---- */

static bool start(ww_team *team, unsigned index)
{
    member *self = WW_NEW(member);
    if (self == NULL) {
        return false;
    }
    *self = (member){team, index};
    ww_held held;
    ww_signals_hold_all(&held);
    int failed = pthread_create(&team->thread[index - 1], NULL, serve, self);
    ww_signals_release(&held);
    if (failed != 0) {
        ww_free(self);
        return false;
    }
    team->started++;
    return true;
}

ww_status ww_team_create(unsigned members, ww_team **out, ww_error *err)
{
    unsigned n = members > 1 ? members : 1;
    ww_team *team = WW_NEW(ww_team);
    pthread_t *thread = WW_NEW_ARRAY(pthread_t, n);
    if (team == NULL || thread == NULL) {
        ww_free(team);
        ww_free(thread);
        return ww_no_memory_for(err, "%u threads", n);
    }
    team->thread = thread;
    team->members = n;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->announced, NULL);
    pthread_cond_init(&team->left, NULL);
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
    wake_members(team);
    for (unsigned i = 0; i < team->started; i++) {
        pthread_join(team->thread[i], NULL);
    }
    pthread_cond_destroy(&team->left);
    pthread_cond_destroy(&team->announced);
    pthread_mutex_destroy(&team->lock);
    ww_free(team->thread);
    ww_free(team);
}

unsigned ww_team_members(const ww_team *team)
{
    return team->members;
}

unsigned ww_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}
