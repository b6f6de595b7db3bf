/* clock.c - the core clock: over which windows it may jump, and what a stretch of cycles adds to
 * the counters. The interconnect, L2 and DRAM clocks follow inside the memory system. */
#include "perf/gpu/gpu.h"

#include "base/arith.h"

/* First cycle that a CTA ordered at a later edge could run in: never, if no SM has room (a CTA's
 * completion is an event of its SM). */
static uint64_t next_dispatch(const ww_gpu *gpu)
{
    if (gpu->resting) {
        return UINT64_MAX;
    }
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        const ww_grid *grid = gpu->grid_of[i] != WW_NO_GRID ? &gpu->grid[gpu->grid_of[i]] : NULL;
        if (grid != NULL && grid->next_cta < grid->ctas &&
            gpu->pulse[i]->ctas + gpu->work[i].orders < grid->cta_limit) {
            next = ww_min_u64(next, ww_max_u64(ww_sm_launch_time(gpu->sm[i]), grid->first) + 1);
        }
    }
    return next;
}

static uint64_t next_of_sms(const ww_gpu *gpu, uint64_t from)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < gpu->arch->sm.count && next > from; i++) {
        next = gpu->work[i].orders > 0 ? from : ww_min_u64(next, ww_sm_next(gpu->sm[i], from));
    }
    return next;
}

uint64_t ww_gpu_idle_cycles(const ww_gpu *gpu, uint64_t edge)
{
    uint64_t window = gpu->window;
    uint64_t sms = next_of_sms(gpu, edge);
    if (sms < edge + window) {
        return 0;
    }
    sms = ww_min_u64(sms, next_dispatch(gpu));
    uint64_t memory = ww_ports_next(gpu->ports);
    if (sms == UINT64_MAX && memory == UINT64_MAX) {
        return UINT64_MAX;
    }
    if (!gpu->may_skip) {
        return 0;
    }
    /* While the SMs run the window from t the memory system runs the one that ends at t, or then
     * the same one. */
    uint64_t memory_window = gpu->behind && edge > gpu->start ? edge - window : edge;
    uint64_t windows = (ww_max_u64(sms, edge) - edge) / window;
    windows = ww_min_u64(windows, (ww_max_u64(memory, memory_window) - memory_window) / window);
    windows = ww_min_u64(windows, (gpu->snapshots.next - edge) / window);
    return windows * window;
}

/* Bits of the cycles in a stretch of at most 64. */
static uint64_t all_cycles(uint64_t n)
{
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

/* SM i is of cluster i * clusters / sms: those of a cluster follow each other, and its last is the
 * one behind which the quotient steps on. */
void ww_gpu_count_clusters(ww_gpu *gpu, uint64_t cycles)
{
    const uint32_t sms = gpu->arch->sm.count, clusters = gpu->arch->sm.clusters;
    const uint64_t all = all_cycles(cycles);
    uint64_t active = 0, total = 0; /* of the cluster, a bit for each cycle; of those before */
    for (uint32_t i = 0, rest = 0; i < sms; i++) {
        if (gpu->work[i].due) {
            active |= gpu->work[i].active;
        } else if (gpu->pulse[i]->ctas > 0) {
            active = all;
        }
        for (rest += clusters; rest >= sms; rest -= sms) {
            total += (uint64_t)__builtin_popcountll(active);
            active = 0;
        }
    }
    gpu->counters.block[WW_SCOPE_CHIP][0].v[WW_C_CLUSTER_ACTIVE] += total;
}

void ww_gpu_count_idle(ww_gpu *gpu, uint64_t cycles)
{
    uint32_t sms = gpu->arch->sm.count, clusters = gpu->arch->sm.clusters;
    uint64_t active = 0;
    for (uint32_t i = 0, last = UINT32_MAX; i < sms; i++) {
        uint32_t cluster = (uint32_t)((uint64_t)i * clusters / sms);
        if (gpu->pulse[i]->ctas > 0 && cluster != last) {
            active++;
            last = cluster;
        }
    }
    gpu->counters.block[WW_SCOPE_CHIP][0].v[WW_C_CLUSTER_ACTIVE] += cycles * active;
}

bool ww_gpu_finished(const ww_gpu *gpu, uint64_t *last)
{
    if (ww_grids_left(gpu) > 0 || !ww_ports_idle(gpu->ports, last)) {
        return false;
    }
    *last = ww_max_u64(*last, gpu->start);
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        const ww_sm_pulse *pulse = gpu->pulse[i];
        if (pulse->ctas > 0 || pulse->outgoing > 0 || pulse->awaited > 0 ||
            gpu->work[i].orders > 0) {
            return false;
        }
        *last = ww_max_u64(*last, pulse->idle_at);
    }
    return true;
}

void ww_gpu_account(ww_gpu *gpu, uint64_t now)
{
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        ww_sm_account(gpu->sm[i], now);
    }
    ww_memsys_sync(gpu->memory);
    gpu->counters.block[WW_SCOPE_CHIP][0].v[WW_C_CORE_CYCLES] = now - gpu->start;
}
