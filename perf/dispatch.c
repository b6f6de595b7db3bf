/* dispatch.c - the CTA scheduler of the chip: CTAs in linear order to SMs in turn. It sees the SMs
 * as they are at the edges of windows. */
#include "perf/gpu.h"

static bool any_room(const ww_gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        if (gpu->pulse[i]->ctas < gpu->cta_limit) {
            return true;
        }
    }
    return false;
}

/* True when SM i takes a CTA in cycle `at`, with those it has been given. */
static bool accepts(const ww_gpu *gpu, uint32_t i, uint64_t at)
{
    const ww_sm_work *work = &gpu->work[i];
    if (gpu->pulse[i]->ctas + work->orders >= gpu->cta_limit) {
        return false;
    }
    if (work->orders == 0) {
        return at >= ww_sm_launch_time(gpu->sm[i]);
    }
    uint32_t gap = gpu->arch->sm.cta_launch_cycles;
    return at >= work->order[work->orders - 1].at + (gap > 0 ? gap : 1);
}

void ww_gpu_dispatch(ww_gpu *gpu, uint64_t edge)
{
    uint64_t first = gpu->start + gpu->arch->sm.kernel_launch_cycles;
    uint64_t end = edge - 1 + gpu->window;
    uint32_t sms = gpu->arch->sm.count;
    uint64_t ctas = gpu->ctas < gpu->sampler.next ? gpu->ctas : gpu->sampler.next;
    if (gpu->next_cta >= ctas || end <= first || !any_room(gpu)) {
        return;
    }
    uint64_t lowest = edge > first ? edge - 1 : first;
    for (uint64_t at = lowest; at < end; at++) {
        uint32_t turn = gpu->next_sm;
        for (uint32_t k = 0; k < sms && gpu->next_cta < ctas; k++) {
            uint32_t i = turn + k < sms ? turn + k : turn + k - sms;
            if (accepts(gpu, i, at)) {
                ww_sm_work *work = &gpu->work[i];
                work->order[work->orders++] = (ww_sm_order){at, (uint32_t)gpu->next_cta++};
                gpu->next_sm = i + 1 < sms ? i + 1 : 0;
            }
        }
    }
}
