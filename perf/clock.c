/* clock.c - the core clock: which cycle comes next, and what a stretch of cycles adds to the
 * counters. The interconnect, L2 and DRAM clocks follow inside the memory system. */
#include "perf/gpu.h"

static uint64_t min64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* When the next CTA could be placed: never, if no SM has room (a CTA's completion is an event of
 * its SM). */
static uint64_t next_dispatch(const ww_gpu *gpu, uint64_t now)
{
    if (gpu->next_cta >= gpu->ctas) {
        return UINT64_MAX;
    }
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        if (gpu->pulse[i]->ctas < gpu->cta_limit) {
            next = min64(next, ww_sm_launch_time(gpu->sm[i]));
        }
    }
    uint64_t first = gpu->start + gpu->arch->sm.kernel_launch_cycles;
    next = next < first ? first : next;
    return next > now ? next : now + 1;
}

uint64_t ww_gpu_next_cycle(const ww_gpu *gpu, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        const ww_sm_pulse *pulse = gpu->pulse[i];
        next = min64(next, pulse->outgoing > 0 ? now + 1 : pulse->wake);
    }
    if (next > now + 1) {
        next = min64(next, ww_memsys_next_event(gpu->memory, now));
        next = min64(next, next_dispatch(gpu, now));
    }
    if (next == UINT64_MAX) {
        return next;
    }
    next = gpu->may_skip ? min64(next, gpu->snapshots.next) : now + 1;
    return next > now ? next : now + 1;
}

void ww_gpu_note_active(ww_gpu *gpu)
{
    uint32_t sms = gpu->arch->sm.count, clusters = gpu->arch->sm.clusters;
    for (uint32_t i = 0; i < sms; i++) {
        bool active = gpu->pulse[i]->ctas > 0;
        if (active == gpu->active[i]) {
            continue;
        }
        gpu->active[i] = active;
        uint32_t *count = &gpu->cluster_sms[(uint64_t)i * clusters / sms];
        if (active) {
            gpu->active_clusters += (*count)++ == 0;
        } else {
            gpu->active_clusters -= --*count == 0;
        }
    }
}

bool ww_gpu_finished(const ww_gpu *gpu)
{
    if (gpu->next_cta < gpu->ctas || gpu->active_clusters > 0) {
        return false;
    }
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        if (gpu->pulse[i]->outgoing > 0 || gpu->pulse[i]->awaited > 0) {
            return false;
        }
    }
    return ww_memsys_idle(gpu->memory);
}

void ww_gpu_account(ww_gpu *gpu, uint64_t now)
{
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        ww_sm_account(gpu->sm[i], now);
    }
    ww_memsys_sync(gpu->memory);
    gpu->counters.block[WW_SCOPE_CHIP][0].v[WW_C_CORE_CYCLES] = now - gpu->start;
}
