/* parts.c - the parts of the chip on the threads: the memory system, and each SM that has something
 * to do, through a stretch of cycles. A thread begins with SMs of its own, so that their state
 * stays in its caches, and then helps others, from the other end of their lists. */
#include <stdatomic.h>
#include <string.h>

#include "base/mem.h"
#include "perf/gpu/gpu.h"

/* A stretch is worth sharing when so many SMs have something to do, and the last one had so many
 * events, of some 0.5 microseconds each, memory's share included: calling the others and waiting
 * for them takes one or two. */
enum { SMS_WORTH_SHARING = 3, EVENTS_WORTH_SHARING = 8, CACHE_LINE = 64 };

/* The places [first, end) of the list of SMs that nobody has taken yet, as first << 32 | end. */
typedef struct ww_share {
    _Atomic uint64_t rest;
    unsigned char padding[CACHE_LINE - sizeof(uint64_t)];
} ww_share;

static void run_sm(ww_gpu *gpu, uint32_t i, unsigned member)
{
    ww_sm_work *work = &gpu->work[i];
    if (gpu->profiling && work->counts_for != member && gpu->grid_of[i] != WW_NO_GRID) {
        const ww_grid *grid = &gpu->grid[gpu->grid_of[i]];
        work->counts_for = member;
        ww_sm_count_into(gpu->sm[i],
                         grid->profile + (size_t)member * ww_profile_rows(grid->program));
    }
    work->status = ww_sm_run(gpu->sm[i], gpu->from, gpu->until, gpu->at_edge, work->order,
                             work->orders, &work->stopped, work->err);
    work->active = gpu->pulse[i]->active;
    if (WW_LIKELY(work->orders == 0)) {
        return;
    }
    uint32_t placed = 0;
    while (placed < work->orders && work->order[placed].at < gpu->until) {
        placed++;
    }
    work->orders -= placed; /* none is left where the stretch ends its window */
    memmove(work->order, work->order + placed, work->orders * sizeof work->order[0]);
}

static void run_memory(ww_gpu *gpu)
{
    if (ww_ports_time(gpu->ports) < gpu->memory_until) {
        ww_ports_run(gpu->ports, gpu->memory_until, gpu->memory_edge);
    }
}

/* Takes a place from the front or the back; false: none is left. */
static bool take(ww_share *share, bool front, uint32_t *place)
{
    uint64_t rest = atomic_load_explicit(&share->rest, memory_order_relaxed);
    for (;;) {
        uint32_t first = (uint32_t)(rest >> 32), end = (uint32_t)rest;
        if (first >= end) {
            return false;
        }
        *place = front ? first : end - 1;
        uint64_t left =
            front ? (uint64_t)(first + 1) << 32 | end : (uint64_t)first << 32 | (end - 1);
        if (atomic_compare_exchange_weak_explicit(&share->rest, &rest, left, memory_order_relaxed,
                                                  memory_order_relaxed)) {
            return true;
        }
    }
}

static void run_member(void *user, unsigned member)
{
    ww_gpu *gpu = user;
    unsigned members = ww_team_members(gpu->team);
    if (member == 0) {
        run_memory(gpu);
    }
    for (unsigned k = 0; k < members; k++) {
        unsigned whose = member + k < members ? member + k : member + k - members;
        uint32_t place;
        while (take(&gpu->share[whose], k == 0, &place)) {
            WW_ASSERT(place < gpu->due_count);
            run_sm(gpu, gpu->due[place], member);
        }
    }
}

/* Each member's own SMs are neighbours, the same in every stretch. */
static void share_out(ww_gpu *gpu)
{
    unsigned members = ww_team_members(gpu->team);
    uint32_t sms = gpu->arch->sm.count;
    uint32_t place = 0;
    for (unsigned m = 0; m < members; m++) {
        uint32_t first = place;
        uint32_t end = (uint32_t)((uint64_t)(m + 1) * sms / members);
        while (place < gpu->due_count && gpu->due[place] < end) {
            place++;
        }
        atomic_store_explicit(&gpu->share[m].rest, (uint64_t)first << 32 | place,
                              memory_order_relaxed);
    }
}

void ww_gpu_run_parts(ww_gpu *gpu)
{
    if (gpu->team != NULL && gpu->due_count >= SMS_WORTH_SHARING &&
        gpu->events >= EVENTS_WORTH_SHARING) {
        share_out(gpu);
        ww_team_run(gpu->team, run_member, gpu);
        return;
    }
    run_memory(gpu);
    for (uint32_t k = 0; k < gpu->due_count; k++) {
        run_sm(gpu, gpu->due[k], 0);
    }
}

void ww_gpu_end_threads(ww_gpu *gpu)
{
    ww_team_destroy(gpu->team);
    ww_free(gpu->share);
    gpu->team = NULL;
    gpu->share = NULL;
}

ww_status ww_gpu_set_threads(ww_gpu *gpu, unsigned threads, ww_error *err)
{
    unsigned most = gpu->arch->sm.count + 1; /* more than parts would have nothing to do */
    unsigned n = threads < most ? threads : most;
    ww_gpu_end_threads(gpu);
    if (n <= 1) {
        return WW_OK;
    }
    gpu->share = WW_NEW_ARRAY(ww_share, n);
    if (gpu->share == NULL) {
        return ww_no_memory_for(err, "%u threads", n);
    }
    ww_status st = ww_team_create(n, &gpu->team, err);
    if (st != WW_OK) {
        ww_gpu_end_threads(gpu);
    }
    return st;
}
