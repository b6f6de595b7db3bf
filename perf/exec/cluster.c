/* cluster.c - CTAs of a cluster: their places, the shared memory of others, and the barrier that
 * all of their threads share. Arrival and waiting are apart; a thread that has exited counts as
 * arrived (PTX ISA 8.x, "barrier.cluster"). */
#include "base/arith.h"
#include "perf/exec/memcheck/shadow.h"

enum { OFFSET_MASK = (1 << WW_CLUSTER_RANK_SHIFT) - 1 };

/* Clusters follow each other along x, then y, then z; so do ranks within one. */
uint32_t ww_cluster_cta(const ww_launch *launch, uint64_t ordinal)
{
    const ww_dim3 c = ww_cluster_shape(launch);
    const ww_dim3 g = launch->grid;
    uint32_t size = c.x * c.y * c.z;
    if (size == 1) {
        return (uint32_t)ordinal;
    }
    uint32_t cluster = (uint32_t)(ordinal / size), rank = (uint32_t)(ordinal % size);
    uint32_t across = g.x / c.x, down = g.y / c.y;
    uint32_t x = cluster % across * c.x + rank % c.x;
    uint32_t y = cluster / across % down * c.y + rank / c.x % c.y;
    uint32_t z = cluster / across / down * c.z + rank / c.x / c.y;
    return x + g.x * (y + g.y * z);
}

uint32_t ww__cluster_rank(const ww_launch *launch, const uint32_t id[3])
{
    const ww_dim3 c = ww_cluster_shape(launch);
    return id[0] % c.x + c.x * (id[1] % c.y + c.y * (id[2] % c.z));
}

ww_cta *ww__cluster_find(ww_cta *cta, uint64_t address, uint32_t *offset)
{
    uint64_t rank = address >> WW_CLUSTER_RANK_SHIFT;
    *offset = (uint32_t)address & OFFSET_MASK;
    if (rank == 0 || rank - 1 == cta->rank) {
        return cta;
    }
    return cta->cluster != NULL && rank <= cta->cluster->size ? cta->cluster->cta[rank - 1] : NULL;
}

/* ---- the barrier ---- */

static bool all_arrived(const ww_cluster *cluster)
{
    for (uint32_t r = 0; r < cluster->size; r++) {
        const ww_cta *cta = cluster->cta[r];
        for (uint32_t w = 0; cta != NULL && w < cta->warp_count; w++) {
            if ((cta->warp[w].live & ~cta->warp[w].cluster_arrived) != 0) {
                return false;
            }
        }
        if (cta == NULL) {
            return false;
        }
    }
    return true;
}

void ww_cluster_open(ww_cta *cta)
{
    uint64_t waiting = 0;
    for (uint32_t w = 0; w < cta->warp_count; w++) {
        ww_warp *warp = &cta->warp[w];
        warp->cluster_arrived = 0;
        if (warp->at_barrier && warp->barrier_id == WW_BARRIER_CLUSTER) {
            warp->at_barrier = false;
            waiting |= 1ull << w;
        }
    }
    if (WW_UNLIKELY(cta->shadow != NULL)) {
        ww__shadow_open(cta, WW_BARRIER_CLUSTER, waiting);
    }
    cta->cluster_arrivals = 0;
}

bool ww_cluster_meets(ww_cluster *cluster, uint64_t *last)
{
    uint32_t arrivals = 0;
    *last = 0;
    for (uint32_t r = 0; r < cluster->size; r++) {
        const ww_cta *cta = cluster->cta[r];
        arrivals += cta != NULL ? cta->cluster_arrivals : 0;
        *last = cta != NULL ? ww_max_u64(*last, cta->cluster_arrived_at) : *last;
    }
    if (arrivals == 0 || !all_arrived(cluster)) {
        return false;
    }
    if (WW_UNLIKELY(cluster->cta[0]->shadow != NULL)) {
        ww__shadow_cluster_opens(cluster);
    }
    return true;
}

bool ww_cluster_ended(const ww_cluster *cluster)
{
    for (uint32_t r = 0; r < cluster->size; r++) {
        if (cluster->cta[r] == NULL || cluster->cta[r]->live_warps > 0) {
            return false;
        }
    }
    return true;
}

/* Opens the barrier at once if all have come. A CTA without a cluster is one of its own. */
static void settle(ww_cta *cta)
{
    ww_cluster alone = {.size = 1, .cta = {cta}};
    ww_cluster *cluster = cta->cluster != NULL ? cta->cluster : &alone;
    uint64_t last;
    if (!cluster->at_edges && ww_cluster_meets(cluster, &last)) {
        for (uint32_t r = 0; r < cluster->size; r++) {
            ww_cluster_open(cluster->cta[r]);
        }
    }
}

ww_status ww__run_cluster_arrive(ww_exec_ctx *x, const ww_uop *u)
{
    ww_warp *w = x->warp;
    if ((w->cluster_arrived & x->exec) != 0) {
        return ww__lane_fault(x, u, (unsigned)__builtin_ctz(w->cluster_arrived & x->exec),
                              "a second barrier.cluster.arrive before the wait");
    }
    x->out->barrier = true;
    w->cluster_arrived |= x->exec;
    w->cta->cluster_arrivals++;
    w->cta->cluster_arrived_at = x->env->cycle;
    settle(w->cta);
    return WW_OK;
}

ww_status ww__run_cluster_wait(ww_exec_ctx *x, const ww_uop *u)
{
    ww_warp *w = x->warp;
    (void)u;
    x->out->barrier = true;
    if ((w->cluster_arrived & x->exec) != 0) { /* else the barrier has opened since */
        w->at_barrier = true;
        w->barrier_id = WW_BARRIER_CLUSTER;
        w->barrier_pc = x->out->pc;
        w->barrier_lanes = x->exec;
    }
    return WW_OK;
}

void ww__cluster_warp_exited(ww_cta *cta)
{
    if (cta->cluster_arrivals > 0 || cta->cluster != NULL) {
        settle(cta);
    }
}
