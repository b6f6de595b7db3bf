/* warming.c - functional warming: what is executed without time leaves in the L2 what it would have
 * left there, so that what is simulated next finds the cache that it would have found. L1s are
 * small and recover by themselves. Cf. Wunderlich et al., SMARTS, ISCA 2003, section 3.2. */
#include <math.h>

#include "perf/sampling/sampling.h"

static void see(void *user, const ww_step *step)
{
    ww_gpu *gpu = user;
    if (step->exec == 0 || (step->space != WW_SPACE_GLOBAL && step->space != WW_SPACE_TEX)) {
        return;
    }
    enum { MOST_SEGMENTS = 64 };
    ww_segment segment[MOST_SEGMENTS];
    uint32_t line = gpu->arch->l2.line_bytes < 128 ? gpu->arch->l2.line_bytes : 128;
    uint32_t least = gpu->arch->l2.sector_bytes < line ? gpu->arch->l2.sector_bytes : line;
    unsigned n = ww_coalesce(step->address, step->exec, step->lane_bytes, line, least, segment);
    for (unsigned i = 0; i < n; i++) {
        ww_memsys_touch(gpu->memory, segment[i].address, segment[i].bytes,
                        step->is_store || step->is_atomic);
    }
}

ww_observer ww_sampling_warming(ww_gpu *gpu)
{
    return (ww_observer){.memory = see, .user = gpu};
}

/* CTAs after which nothing is in the L2 that was there before, when `ctas` of them count so. */
static uint64_t turnover(const ww_gpu *gpu, const ww_sample_window *window, uint32_t windows)
{
    enum { TIMES = 2 }; /* replacement is not quite in order */
    uint64_t sectors =
        (uint64_t)gpu->arch->l2.bytes / gpu->arch->l2.sector_bytes * ww_arch_slices(gpu->arch);
    double fills = 0, ctas = 0;
    for (uint32_t i = 0; i < windows; i++) {
        fills += (double)(window[i].v[WW_C_L2_FILL] + window[i].v[WW_C_L2_WRITE_MISS]);
        ctas += (double)window[i].v[WW_C_CTAS];
    }
    double needed = TIMES * (double)sectors * fmax(ctas, 1) / fmax(fills, 1);
    return needed < UINT32_MAX ? (uint64_t)needed + 1 : UINT32_MAX;
}

ww_status ww_sampling_execute(ww_gpu *gpu, const ww_launch *launch, uint64_t first, uint64_t end,
                              uint64_t now, const ww_sample_window *window, uint32_t windows,
                              ww_functional_stats *stats, ww_error *err)
{
    uint64_t last = turnover(gpu, window, windows);
    uint64_t cold = end - first > last ? end - last : first;
    ww_launch seen = *launch;
    const ww_observer warming = ww_sampling_warming(gpu);
    seen.observer = &warming;
    if (cold > first) {
        WW_TRY(ww_exec_ctas(launch, first, cold, now, stats, err));
    }
    return ww_exec_ctas(&seen, cold, end, now, stats, err);
}
