/* occupancy.c - how many CTAs of a kernel one SM holds, and what limits it. */
#include "perf/sm/sm.h"

#include "base/arith.h"

/* Lowers the result to `ctas` when that resource binds; the first of equal limits is named. */
static void bind(ww_occupancy *o, uint32_t ctas, const char *limit)
{
    if (ctas < o->ctas) {
        o->ctas = ctas;
        o->limit = limit;
    }
}

ww_occupancy ww_occupancy_of(const ww_arch *arch, uint32_t threads, uint32_t registers,
                             uint32_t shared_bytes)
{
    return ww_occupancy_of_words(arch, threads, registers * WW_WARP_SIZE, shared_bytes);
}

ww_occupancy ww_occupancy_of_words(const ww_arch *arch, uint32_t threads, uint32_t warp_words,
                                   uint32_t shared_bytes)
{
    const ww_sm_params *sm = &arch->sm;
    ww_occupancy o = {.ctas = sm->max_ctas, .limit = "ctas"};
    o.warps_per_cta = ww_warps_of(threads);
    o.warp_registers = (uint32_t)ww_align_up(warp_words, sm->register_unit);
    o.cta_shared = (uint32_t)ww_align_up(shared_bytes, sm->shared_unit_bytes);
    bind(&o, sm->max_threads / (o.warps_per_cta * WW_WARP_SIZE), "threads");
    bind(&o, sm->max_warps / o.warps_per_cta, "warps");
    if (o.warp_registers > 0) {
        /* Whole warps fit or do not; leftovers of different CTAs are not pooled. */
        bind(&o, sm->registers / o.warp_registers / o.warps_per_cta, "registers");
    }
    if (o.cta_shared > 0) {
        bind(&o, sm->shared_bytes / o.cta_shared, "shared");
    }
    return o;
}

uint32_t ww_occupancy_gpc(const ww_arch *arch, uint32_t sm)
{
    return ww_arch_cluster_of(arch, sm);
}

uint32_t ww_occupancy_clusters(const ww_arch *arch, uint32_t ctas_per_sm, uint32_t size)
{
    uint32_t clusters = 0, sms = 0;
    for (uint32_t i = 0; i < arch->sm.count; i++) {
        sms++;
        if (i + 1 == arch->sm.count || ww_occupancy_gpc(arch, i + 1) != ww_occupancy_gpc(arch, i)) {
            clusters += sms * ctas_per_sm / size;
            sms = 0;
        }
    }
    return clusters;
}
