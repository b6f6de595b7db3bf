/* functional.c - a whole launch without time: warps in turns of a few instructions, CTA after CTA.
 * A CTA that does not end may be waiting for another one, so that others get turns as well, as many
 * as the machine would hold at a time. Where the order of the CTAs shows nowhere, a team of threads
 * shares them. */
#include <stdatomic.h>
#include <string.h>

#include "base/mem.h"
#include "perf/exec/code.h"
#include "perf/exec/deadlock.h"

/* Long enough that a warp's registers stay cached, short enough that warps that wait for each other
 * in a loop get on. */
enum { TURN = 64 };

/* Runs a CTA until it ends or has executed that many instructions; *stuck: all its warps wait. */
static ww_status run_cta(ww_exec_env *env, ww_cta *cta, uint64_t most, ww_functional_stats *stats,
                         bool *stuck, ww_error *err)
{
    uint64_t end = env->cycle + most;
    *stuck = false;
    while (cta->live_warps > 0 && env->cycle < end) {
        bool progress = false;
        for (uint32_t k = 0; k < cta->warp_count; k++) {
            ww_warp *w = &cta->warp[k];
            if (w->depth > 0 && !w->at_barrier) {
                progress = true;
                WW_TRY(ww_exec_straight_run(env, w, TURN, stats, err));
            }
        }
        if (!progress) {
            *stuck = true;
            return WW_OK;
        }
    }
    return WW_OK;
}

/* CTAs that have started and not ended, and room for more. */
typedef struct residents {
    ww_cta *
        *cta; /* [room]: the first `count` are running, others keep their memory for later ones */
    uint32_t count, room, most;
    ww_cluster **cluster; /* [clusters]: in use where CTAs are held */
    uint32_t clusters;
    ww_frozen frozen;
} residents;

static ww_status take_cluster(residents *r, uint32_t size, ww_cluster **out, ww_error *err)
{
    uint32_t k = 0;
    *out = NULL;
    if (size == 1) {
        return WW_OK;
    }
    while (k < r->clusters && r->cluster[k]->held > 0) {
        k++;
    }
    if (k == r->clusters) {
        ww_cluster **grown = ww_realloc_array(r->cluster, (size_t)k + 1, sizeof(ww_cluster *));
        if (grown == NULL) {
            return ww_no_memory_for(err, "clusters");
        }
        r->cluster = grown;
        grown[k] = WW_NEW(ww_cluster);
        if (grown[k] == NULL) {
            return ww_no_memory_for(err, "a cluster");
        }
        r->clusters++;
    }
    *out = r->cluster[k];
    **out = (ww_cluster){.size = size, .held = size};
    return WW_OK;
}

static ww_status start_cta(residents *r, const ww_launch *launch, uint32_t linear,
                           ww_cluster *cluster, ww_functional_stats *stats, ww_error *err)
{
    if (r->count == r->room) {
        uint32_t room = r->room != 0 ? 2 * r->room : 4;
        ww_cta **grown = ww_realloc_array(r->cta, room, sizeof *grown);
        if (grown == NULL) {
            return ww_no_memory_for(err, "CTAs");
        }
        memset(grown + r->room, 0, (room - r->room) * sizeof *grown);
        r->cta = grown;
        r->room = room;
    }
    if (r->cta[r->count] == NULL) {
        r->cta[r->count] = WW_NEW(ww_cta);
        if (r->cta[r->count] == NULL) {
            return ww_no_memory_for(err, "a CTA");
        }
    }
    WW_TRY(ww_cta_init(r->cta[r->count], launch, linear, cluster, err));
    r->cta[r->count]->executed = 0;
    stats->ctas++;
    stats->warps += r->cta[r->count]->warp_count;
    r->count++;
    return WW_OK;
}

/* The CTAs of the cluster that begins with that one; or the CTA. */
static ww_status start(residents *r, const ww_launch *launch, uint64_t ordinal,
                       ww_functional_stats *stats, ww_error *err)
{
    uint32_t size = ww_cluster_size(launch);
    ww_cluster *cluster;
    WW_TRY(take_cluster(r, size, &cluster, err));
    for (uint32_t k = 0; k < size; k++) {
        WW_TRY(start_cta(r, launch, ww_cluster_cta(launch, ordinal + k), cluster, stats, err));
    }
    return WW_OK;
}

/* Its memory may be used again: neither it nor another CTA of its cluster runs. */
static bool is_over(const ww_cta *cta)
{
    return cta->live_warps == 0 && (cta->cluster == NULL || ww_cluster_ended(cta->cluster));
}

/* All its warps wait, or have ended. */
static bool is_waiting(const ww_cta *cta)
{
    for (uint32_t k = 0; k < cta->warp_count; k++) {
        if (cta->warp[k].depth > 0 && !cta->warp[k].at_barrier) {
            return false;
        }
    }
    return true;
}

/* Nobody of its cluster gets on any more. */
static bool all_wait(const residents *r, const ww_cluster *cluster)
{
    for (uint32_t k = 0; k < r->count; k++) {
        if (r->cta[k]->cluster == cluster && !is_waiting(r->cta[k])) {
            return false;
        }
    }
    return true;
}

/* A turn for every CTA that runs. */
static ww_status run_round(residents *r, ww_exec_env *env, uint64_t most,
                           ww_functional_stats *stats, ww_error *err)
{
    uint32_t left = 0;
    ww_cta *stuck = NULL;
    for (uint32_t k = 0; k < r->count; k++) {
        ww_cta *cta = r->cta[k];
        uint64_t before = env->cycle;
        bool waits;
        WW_TRY(run_cta(env, cta, most, stats, &waits, err));
        cta->executed += env->cycle - before;
        stuck = waits ? cta : stuck;
        if (waits && cta->cluster == NULL) {
            return ww__deadlock(env->launch, &cta, 1, err);
        }
    }
    if (stuck != NULL && all_wait(r, stuck->cluster)) {
        return ww__deadlock(env->launch, stuck->cluster->cta, stuck->cluster->size, err);
    }
    if (ww__frozen(&r->frozen, env->launch, r->cta, r->count)) {
        return ww__deadlock(env->launch, r->cta, r->count, err);
    }
    for (uint32_t k = 0; k < r->count; k++) {
        ww_cta *cta = r->cta[k];
        if (!is_over(cta)) {
            r->cta[k] = r->cta[left];
            r->cta[left++] = cta;
            continue;
        }
        stats->longest = cta->executed > stats->longest ? cta->executed : stats->longest;
        if (cta->cluster != NULL) {
            cta->cluster->held--;
        }
    }
    r->count = left;
    return WW_OK;
}

/* Most CTAs end within FIRST instructions; one that does not shares from then on with others, whose
 * number doubles with every round. */
static ww_status run_all(residents *r, ww_exec_env *env, uint64_t first, uint64_t end,
                         ww_functional_stats *stats, ww_error *err)
{
    enum { FIRST = 1 << 18, SHARED = 1 << 11 };
    const ww_launch *launch = env->launch;
    uint32_t size = ww_cluster_size(launch);
    uint64_t next = first;
    while (next < end || r->count > 0) {
        uint32_t more = r->count == 0 ? 1 : r->count;
        for (uint32_t begun = 0;
             begun < more && next < end && (r->count == 0 || r->count + size <= r->most);
             begun += size, next += size) {
            WW_TRY(start(r, launch, next, stats, err));
        }
        bool alone = r->count == 1 && launch->grid_workspace == 0;
        WW_TRY(run_round(r, env, alone ? FIRST : SHARED, stats, err));
    }
    return WW_OK;
}

/* Adds counts by instruction, and what follows from them, to *stats. */
static void add_counts(const ww_functional_stats *from, const struct ww_exec_code *code,
                       uint32_t instructions, ww_functional_stats *stats)
{
    stats->ctas += from->ctas;
    stats->warps += from->warps;
    stats->pushed += from->pushed;
    stats->popped += from->popped;
    stats->divergent += from->divergent;
    if (from->longest > stats->longest) {
        stats->longest = from->longest;
    }
    for (uint32_t k = 0; k < instructions; k++) {
        const ww_pc_count *pc = &from->pc[k];
        stats->warp_inst += pc->issued;
        stats->thread_inst += pc->lanes;
        stats->kind_lanes[code->uop[k].kind] += pc->scheduled;
        if (stats->pc != NULL) {
            stats->pc[k].issued += pc->issued;
            stats->pc[k].active += pc->active;
            stats->pc[k].lanes += pc->lanes;
            stats->pc[k].scheduled += pc->scheduled;
        }
    }
}

/* A thread that runs CTAs, and what it has done. */
typedef struct worker {
    residents resident;
    ww_exec_env env;
    uint64_t ahead; /* of its clocks */
    ww_functional_stats stats;
    uint64_t failed; /* first CTA of the chunk that failed */
    ww_status status;
    ww_error err;
} worker;

static ww_status start_worker(worker *w, const ww_launch *launch, uint64_t cycle, ww_error *err)
{
    w->resident.most = launch->resident_ctas > 0 ? launch->resident_ctas : 1;
    w->env = (ww_exec_env){
        .launch = launch, .cycle = cycle, .observer = launch->observer, .ahead = &w->ahead};
    w->status = WW_OK;
    w->stats.pc = WW_NEW_ARRAY(ww_pc_count, (size_t)launch->kernel->code_count + 1);
    return w->stats.pc != NULL ? WW_OK : ww_no_memory_for(err, "instruction counts");
}

static void end_worker(worker *w, const ww_launch *launch, ww_functional_stats *stats)
{
    if (w->stats.pc != NULL) {
        add_counts(&w->stats, launch->code, launch->kernel->code_count, stats);
    }
    for (uint32_t k = 0; k < w->resident.room; k++) {
        if (w->resident.cta[k] != NULL) {
            ww_cta_fini(w->resident.cta[k]);
            ww_free(w->resident.cta[k]);
        }
    }
    for (uint32_t k = 0; k < w->resident.clusters; k++) {
        ww_free(w->resident.cluster[k]);
    }
    ww_free(w->resident.cluster);
    ww_free(w->resident.cta);
    ww_free(w->stats.pc);
}

/* CTAs that a team shares, in chunks that are taken in ascending order. */
typedef struct sharing {
    worker *worker; /* by member */
    uint64_t end, chunk;
    _Atomic uint64_t next;
    _Atomic uint64_t failed; /* first CTA of the lowest chunk that failed; UINT64_MAX: none */
} sharing;

static void run_chunks(void *user, unsigned member)
{
    sharing *s = user;
    worker *w = &s->worker[member];
    while (w->status == WW_OK) {
        uint64_t first = atomic_fetch_add(&s->next, s->chunk);
        if (first >= s->end || first > atomic_load(&s->failed)) {
            return;
        }
        uint64_t end = first + s->chunk < s->end ? first + s->chunk : s->end;
        w->status = run_all(&w->resident, &w->env, first, end, &w->stats, &w->err);
        if (w->status != WW_OK) {
            w->failed = first;
            uint64_t lowest = atomic_load(&s->failed);
            while (first < lowest && !atomic_compare_exchange_weak(&s->failed, &lowest, first)) {
            }
        }
    }
}

/* The error is that of the lowest chunk, as if they had run one after the other. */
static ww_status run_shared(const ww_launch *launch, uint64_t first, uint64_t end, uint64_t cycle,
                            ww_functional_stats *stats, ww_error *err)
{
    enum { CHUNKS_PER_MEMBER = 16, MOST_IN_CHUNK = 64 };
    unsigned members = ww_team_members(launch->team);
    uint64_t chunk = (end - first) / ((uint64_t)members * CHUNKS_PER_MEMBER);
    sharing s = {.end = end,
                 .chunk = chunk < 1               ? 1
                          : chunk > MOST_IN_CHUNK ? MOST_IN_CHUNK
                                                  : chunk,
                 .next = first,
                 .failed = UINT64_MAX,
                 .worker = WW_NEW_ARRAY(worker, members)};
    ww_status status = s.worker != NULL ? WW_OK : ww_no_memory_for(err, "threads");
    for (unsigned k = 0; k < members && status == WW_OK; k++) {
        status = start_worker(&s.worker[k], launch, cycle, err);
    }
    if (status == WW_OK) {
        ww_team_run(launch->team, run_chunks, &s);
    }
    for (unsigned k = 0; k < members && s.worker != NULL; k++) {
        worker *w = &s.worker[k];
        if (w->status != WW_OK && w->failed == atomic_load(&s.failed)) {
            status = w->status;
            if (err != NULL) {
                *err = w->err;
            }
        }
        end_worker(w, launch, stats);
    }
    ww_free(s.worker);
    return status;
}

static bool worth_sharing(const ww_launch *launch, uint64_t ctas)
{
    return launch->team != NULL && ww_team_members(launch->team) > 1 && ctas > 1 &&
           launch->memcheck == NULL && launch->observer == NULL && launch->code->independent;
}

ww_status ww_exec_ctas(const ww_launch *launch, uint64_t first, uint64_t end, uint64_t cycle,
                       ww_functional_stats *stats, ww_error *err)
{
    if (worth_sharing(launch, end - first)) {
        return run_shared(launch, first, end, cycle, stats, err);
    }
    worker w = {0};
    ww_status status = start_worker(&w, launch, cycle, err);
    if (status == WW_OK) {
        status = run_all(&w.resident, &w.env, first, end, &w.stats, err);
    }
    end_worker(&w, launch, stats);
    return status;
}

ww_status ww_exec_functional(ww_launch *launch, ww_functional_stats *stats, ww_error *err)
{
    bool prepared_here = launch->code == NULL;
    ww_functional_stats total = {0};
    if (prepared_here) {
        WW_TRY(ww_exec_prepare(launch, err));
    }
    uint64_t ctas = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    ww_status status = ww_exec_ctas(launch, 0, ctas, 0, &total, err);
    if (prepared_here) {
        ww_exec_release(launch);
    }
    if (status == WW_OK && stats != NULL) {
        *stats = total;
    }
    return status;
}
