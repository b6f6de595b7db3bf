/* dispatch.c - the CTA scheduler of the chip: CTAs in linear order to SMs in turn. It sees the SMs
 * as they are at the edges of windows. */
#include "base/assert.h"
#include "perf/gpu/gpu.h"

static bool any_room(const ww_gpu *gpu, uint32_t g)
{
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        if (gpu->grid_of[i] == g && gpu->pulse[i]->ctas < gpu->grid[g].cta_limit) {
            return true;
        }
    }
    return false;
}

/* True when SM i takes a CTA of grid g in cycle `at`, with those it has been given. */
static bool accepts(const ww_gpu *gpu, uint32_t g, uint32_t i, uint64_t at)
{
    const ww_sm_work *work = &gpu->work[i];
    if (gpu->grid_of[i] != g || gpu->pulse[i]->ctas + work->orders >= gpu->grid[g].cta_limit) {
        return false;
    }
    if (work->orders == 0) {
        return at >= ww_sm_launch_time(gpu->sm[i]);
    }
    uint32_t gap = gpu->arch->sm.cta_launch_cycles;
    const ww_sm_order *last = &work->order[work->orders - 1];
    WW_ASSERT(last->at <= at && at - last->at < gpu->window); /* of the window that is ordered */
    return at >= last->at + (gap > 0 ? gap : 1);
}

static ww_status dispatch_grid(ww_gpu *gpu, uint32_t g, uint64_t edge, ww_error *err)
{
    ww_grid *grid = &gpu->grid[g];
    uint64_t end = edge - 1 + gpu->window;
    uint32_t sms = gpu->arch->sm.count;
    uint64_t ctas = grid->ctas < gpu->cta_stop ? grid->ctas : gpu->cta_stop;
    if (gpu->resting || grid->next_cta >= ctas || end <= grid->first || !any_room(gpu, g)) {
        return WW_OK;
    }
    uint64_t lowest = edge > grid->first ? edge - 1 : grid->first;
    if (grid->clustered) {
        return ww_clusters_dispatch(gpu, g, lowest, ctas, err);
    }
    for (uint64_t at = lowest; at < end; at++) {
        uint32_t turn = gpu->next_sm;
        for (uint32_t k = 0; k < sms && grid->next_cta < ctas; k++) {
            uint32_t i = turn + k < sms ? turn + k : turn + k - sms;
            if (accepts(gpu, g, i, at)) {
                ww_sm_work *work = &gpu->work[i];
                WW_ASSERT(work->orders < WW_LONGEST_WINDOW && grid->next_cta < grid->ctas);
                WW_ASSERT(gpu->pulse[i]->ctas + work->orders < grid->cta_limit);
                work->order[work->orders++] = (ww_sm_order){at, (uint32_t)grid->next_cta++, NULL};
                gpu->next_sm = i + 1 < sms ? i + 1 : 0;
            }
        }
    }
    return WW_OK;
}

ww_status ww_gpu_dispatch(ww_gpu *gpu, uint64_t edge, ww_error *err)
{
    for (uint32_t g = 0; g < gpu->grids; g++) {
        WW_TRY(dispatch_grid(gpu, g, edge, err));
    }
    return WW_OK;
}
