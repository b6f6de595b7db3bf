/* cluster.c - clusters of CTAs on the chip: placed whole, all CTAs at once in one GPC; their
 * barriers and their ends, which concern several SMs, are met at edges of windows. */
#include <string.h>

#include "base/arith.h"
#include "base/assert.h"
#include "base/mem.h"
#include "perf/gpu/gpu.h"

/* ---- the list: the first gpu->cta_clusters are in use ---- */

static ww_cluster *new_cluster(ww_gpu *gpu, uint32_t size, ww_error *err)
{
    if (gpu->cta_clusters == gpu->cta_cluster_room) {
        uint32_t room = gpu->cta_cluster_room != 0 ? 2 * gpu->cta_cluster_room : 16;
        ww_cluster **grown = ww_realloc_array(gpu->cta_cluster, room, sizeof(ww_cluster *));
        if (grown == NULL) {
            WW_DROP(ww_no_memory_for(err, "clusters")); /* NULL says it */
            return NULL;
        }
        memset(grown + gpu->cta_cluster_room, 0,
               (room - gpu->cta_cluster_room) * sizeof(ww_cluster *));
        gpu->cta_cluster = grown;
        gpu->cta_cluster_room = room;
    }
    WW_ASSERT(gpu->cta_clusters < gpu->cta_cluster_room);
    ww_cluster **c = &gpu->cta_cluster[gpu->cta_clusters];
    if (*c == NULL) {
        *c = WW_NEW(ww_cluster);
        if (*c == NULL) {
            WW_DROP(ww_no_memory_for(err, "a cluster")); /* NULL says it */
            return NULL;
        }
    }
    gpu->cta_clusters++;
    **c = (ww_cluster){.size = size, .at_edges = true, .held = size};
    return *c;
}

void ww_clusters_forget(ww_gpu *gpu)
{
    gpu->cta_clusters = 0;
    gpu->next_gpc = 0;
}

void ww_clusters_free(ww_gpu *gpu)
{
    for (uint32_t k = 0; k < gpu->cta_cluster_room; k++) {
        ww_free(gpu->cta_cluster[k]);
    }
    ww_free(gpu->cta_cluster);
    gpu->cta_cluster = NULL;
    gpu->cta_cluster_room = gpu->cta_clusters = 0;
}

/* ---- placing ---- */

/* Places of SM i that are free, of those that it may fill from cycle `from` on. */
static uint32_t places(const ww_gpu *gpu, uint32_t g, uint32_t i, uint64_t from)
{
    uint32_t taken = gpu->pulse[i]->ctas + gpu->work[i].orders;
    bool open = gpu->grid_of[i] == g && ww_sm_launch_time(gpu->sm[i]) <= from;
    return open && taken < gpu->grid[g].cta_limit ? gpu->grid[g].cta_limit - taken : 0;
}

static uint32_t places_of_gpc(const ww_gpu *gpu, uint32_t g, uint32_t gpc, uint64_t from)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        n += ww_occupancy_gpc(gpu->arch, i) == gpc ? places(gpu, g, i, from) : 0;
    }
    return n;
}

/* A CTA on every SM of the GPC in turn; on each, one a cycle. */
static void fill(ww_gpu *gpu, uint32_t g, uint32_t gpc, uint64_t from, ww_cluster *cluster)
{
    ww_grid *grid = &gpu->grid[g];
    for (uint32_t left = cluster->size; left > 0;) {
        for (uint32_t i = 0; i < gpu->arch->sm.count && left > 0; i++) {
            ww_sm_work *work = &gpu->work[i];
            if (ww_occupancy_gpc(gpu->arch, i) != gpc || places(gpu, g, i, from) == 0) {
                continue;
            }
            uint64_t at = work->orders > 0 ? work->order[work->orders - 1].at + 1 : from;
            WW_ASSERT(work->orders < WW_LONGEST_WINDOW && grid->next_cta < grid->ctas);
            work->order[work->orders++] = (ww_sm_order){
                ww_max_u64(at, from), ww_cluster_cta(grid->launch, grid->next_cta++), cluster};
            left--;
        }
    }
}

/* No SM takes more CTAs in a window than it has places, fewer than the window has cycles. */
ww_status ww_clusters_dispatch(ww_gpu *gpu, uint32_t g, uint64_t from, uint64_t ctas, ww_error *err)
{
    ww_grid *grid = &gpu->grid[g];
    uint32_t size = ww_cluster_size(grid->launch), gpcs = gpu->arch->sm.clusters;
    for (uint32_t tried = 0; tried < gpcs && grid->next_cta + size <= ctas;) {
        uint32_t gpc = gpu->next_gpc;
        gpu->next_gpc = gpc + 1 < gpcs ? gpc + 1 : 0;
        if (places_of_gpc(gpu, g, gpc, from) < size) {
            tried++;
            continue;
        }
        tried = 0;
        ww_cluster *cluster = new_cluster(gpu, size, err);
        if (cluster == NULL) {
            return WW_ENOMEM;
        }
        fill(gpu, g, gpc, from, cluster);
    }
    return WW_OK;
}

/* ---- edges ---- */

static ww_sm *sm_of(const ww_gpu *gpu, const ww_cta *cta)
{
    return gpu->sm[cta->warp[0].smid];
}

/* All CTAs are there, and nothing of theirs is under way any more. */
static bool has_ended(const ww_gpu *gpu, const ww_cluster *cluster)
{
    if (!ww_cluster_ended(cluster)) {
        return false;
    }
    for (uint32_t r = 0; r < cluster->size; r++) {
        if (!ww_sm_cluster(sm_of(gpu, cluster->cta[r]), cluster->cta[r], WW_CLUSTER_DONE, 0)) {
            return false;
        }
    }
    return true;
}

static void let_go(const ww_gpu *gpu, const ww_cluster *cluster, uint64_t now)
{
    for (uint32_t r = 0; r < cluster->size; r++) {
        ww_cta *cta = cluster->cta[r];
        (void)ww_sm_cluster(sm_of(gpu, cta), cta, WW_CLUSTER_LEFT, now);
    }
}

static ww_status hand_over(const ww_gpu *gpu, ww_message m, uint64_t edge, ww_error *err)
{
    m.at = ww_max_u64(m.at, edge);
    return ww_sm_deliver(sm_of(gpu, m.to), &m)
               ? WW_OK
               : ww_no_memory_for(err, "messages between CTAs of a cluster");
}

/* What the SMs have sent each other in the window before, in the order of SMs. */
static ww_status exchange(const ww_gpu *gpu, uint64_t edge, ww_error *err)
{
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        ww_messages *out = ww_sm_outbox(gpu->sm[i]);
        for (uint32_t k = 0; out != NULL && k < out->count; k++) {
            ww_message m = out->at[k];
            m.to = m.from->cluster->cta[m.to_rank];
            WW_TRY(hand_over(gpu, m, edge, err));
        }
        if (out != NULL) {
            out->count = 0;
        }
    }
    return WW_OK;
}

/* Opens the cluster's barrier where all have come: some time behind the last. */
static ww_status open_barrier(const ww_gpu *gpu, ww_cluster *cluster, uint64_t edge, ww_error *err)
{
    uint64_t last;
    if (edge <= cluster->opens_at || !ww_cluster_meets(cluster, &last)) {
        return WW_OK;
    }
    cluster->opens_at = ww_max_u64(last + gpu->arch->async.cluster_barrier, edge);
    for (uint32_t r = 0; r < cluster->size; r++) {
        const ww_message open = {
            .kind = WW_MESSAGE_OPEN, .at = cluster->opens_at, .to = cluster->cta[r]};
        WW_TRY(hand_over(gpu, open, edge, err));
    }
    return WW_OK;
}

ww_status ww_clusters_meet(ww_gpu *gpu, uint64_t edge, ww_error *err)
{
    uint32_t left = 0;
    WW_TRY(exchange(gpu, edge, err));
    for (uint32_t k = 0; k < gpu->cta_clusters; k++) {
        ww_cluster *c = gpu->cta_cluster[k];
        WW_TRY(open_barrier(gpu, c, edge, err));
        if (has_ended(gpu, c)) {
            let_go(gpu, c, edge);
            continue;
        }
        gpu->cta_cluster[k] = gpu->cta_cluster[left];
        gpu->cta_cluster[left++] = c;
    }
    gpu->cta_clusters = left;
    return WW_OK;
}
