/* hooks.c - INTER, inter-warp stride prefetching as CTA-Aware Prefetching (Koo et al., IPDPS 2018,
 * section III-B) describes its baseline: addresses of one load move by a stride from warp to warp,
 * and the warps behind the present one are requested for, whatever CTA they belong to. */
#include "mech/lib/prefetch.h"
#include "mech/lib/strides.h"
#include "mech/mechanisms.h"

typedef struct inter {
    ww_prefetcher prefetcher; /* first: its hooks take the state */
    ww_strides strides;       /* key: load; position: warp slot */
    uint32_t confidence, degree, distance, slots;
} inter;

static void release(void *state)
{
    inter *s = state;
    ww_strides_fini(&s->strides);
}

static ww_status set_up(void *state, const ww_arch *arch, ww_error *err)
{
    inter *s = state;
    s->confidence = arch->inter.confidence;
    s->degree = arch->inter.degree;
    s->distance = arch->inter.distance;
    s->slots = arch->sm.max_warps;
    return ww_strides_init(&s->strides, arch->inter.entries, err);
}

static ww_status create(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err)
{
    const ww_prefetcher_kind kind = {.bytes = sizeof(inter),
                                     .queue_entries = arch->inter.queue_entries,
                                     .free_mshrs = arch->inter.free_mshrs,
                                     .set_up = set_up,
                                     .release = release};
    return ww_prefetcher_create(&kind, sm, arch, state, err);
}

static ww_status begin(void *state, const ww_mech_launch *launch, ww_error *err)
{
    inter *s = state;
    (void)launch;
    (void)err;
    ww_prefetcher_clear(&s->prefetcher);
    ww_strides_clear(&s->strides);
    return WW_OK;
}

static void coalesced(void *state, const ww_mech_access *access, const ww_mech_split *split,
                      uint64_t now)
{
    inter *s = state;
    (void)now;
    if (!ww_prefetcher_takes(access, split)) {
        return;
    }
    ww_mech_count(s->prefetcher.sm, WW_C_INTER_LOOKUP, 1);
    const ww_stride *e =
        ww_strides_observe(&s->strides, access->pc, access->warp, split->run[0].address);
    if (e->confidence < s->confidence || e->stride == 0) {
        return;
    }
    for (uint32_t k = s->distance; k < s->distance + s->degree && access->warp + k < s->slots;
         k++) {
        ww_prefetcher_request_split(&s->prefetcher, split, e->stride * (int64_t)k, now);
    }
}

const ww_mech ww_mech_inter = {
    .name = "inter",
    .create = create,
    .destroy = ww_prefetcher_destroy,
    .begin = begin,
    .coalesced = coalesced,
    .looked_up = ww_prefetcher_looked_up,
    .filled = ww_prefetcher_fill,
    .evicted = ww_prefetcher_evicted,
    .tick = ww_prefetcher_tick,
    .next = ww_prefetcher_next,
};
