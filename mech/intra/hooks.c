/* hooks.c - INTRA, intra-warp stride prefetching as CTA-Aware Prefetching (Koo et al., IPDPS 2018,
 * section III-A) describes its baseline: addresses of one load in one warp move by a stride from
 * iteration to iteration (Baer, Chen, Supercomputing 1991). */
#include <string.h>

#include "mech/lib/prefetch.h"
#include "mech/lib/strides.h"
#include "mech/mechanisms.h"

typedef struct intra {
    ww_prefetcher prefetcher; /* first: its hooks take the state */
    ww_strides strides;       /* key: load and warp */
    uint32_t confidence, distance;
    /* what figure 4 counts, outside the hardware: how often (0, 1, more) each warp has executed
     * each instruction */
    uint8_t *times; /* [SLOTS][pcs] */
    uint32_t pcs;
} intra;

enum { SLOTS = 256 /* an access numbers its warp in a byte */, MORE = 2 };

static void release(void *state)
{
    intra *s = state;
    ww_strides_fini(&s->strides);
    ww_free(s->times);
}

static ww_status set_up(void *state, const ww_arch *arch, ww_error *err)
{
    intra *s = state;
    s->confidence = arch->intra.confidence;
    s->distance = arch->intra.distance;
    return ww_strides_init(&s->strides, arch->intra.entries, err);
}

static ww_status create(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err)
{
    const ww_prefetcher_kind kind = {.bytes = sizeof(intra),
                                     .queue_entries = arch->intra.queue_entries,
                                     .free_mshrs = arch->intra.free_mshrs,
                                     .set_up = set_up,
                                     .release = release};
    return ww_prefetcher_create(&kind, sm, arch, state, err);
}

static ww_status begin(void *state, const ww_mech_launch *launch, ww_error *err)
{
    intra *s = state;
    uint32_t pcs = launch->kernel->code_count;
    uint8_t *times = ww_realloc_array(s->times, (size_t)pcs * SLOTS, sizeof *times);
    if (times == NULL) {
        return ww_no_memory(err);
    }
    s->times = times;
    s->pcs = pcs;
    memset(times, 0, (size_t)pcs * SLOTS);
    ww_prefetcher_clear(&s->prefetcher);
    ww_strides_clear(&s->strides);
    return WW_OK;
}

/* A later warp of the same slot starts its loops anew. */
static void warp_exited(void *state, uint32_t warp, uint64_t now)
{
    intra *s = state;
    (void)now;
    ww_strides_drop(&s->strides, UINT32_MAX, warp);
    memset(&s->times[(size_t)warp * s->pcs], 0, s->pcs);
}

static void count_iteration(intra *s, const ww_mech_access *access)
{
    uint8_t *times = &s->times[(size_t)access->warp * s->pcs + access->pc];
    ww_mech_count(s->prefetcher.sm, WW_C_INTRA_FIRST, *times == 0);
    ww_mech_count(s->prefetcher.sm, WW_C_INTRA_SECOND, *times == 1);
    *times = (uint8_t)(*times + (*times < MORE));
}

static void coalesced(void *state, const ww_mech_access *access, const ww_mech_split *split,
                      uint64_t now)
{
    intra *s = state;
    (void)now;
    if (!ww_prefetcher_takes(access, split)) {
        return;
    }
    ww_mech_count(s->prefetcher.sm, WW_C_INTRA_LOOKUP, 1);
    count_iteration(s, access);
    const ww_stride *e = ww_strides_observe_next(
        &s->strides, (uint64_t)access->pc << 32 | access->warp, split->run[0].address);
    if (e->confidence >= s->confidence && e->stride != 0) {
        ww_prefetcher_request_split(&s->prefetcher, split, e->stride * (int64_t)s->distance, now);
    }
}

const ww_mech ww_mech_intra = {
    .name = "intra",
    .create = create,
    .destroy = ww_prefetcher_destroy,
    .begin = begin,
    .warp_exited = warp_exited,
    .coalesced = coalesced,
    .looked_up = ww_prefetcher_looked_up,
    .filled = ww_prefetcher_fill,
    .evicted = ww_prefetcher_evicted,
    .tick = ww_prefetcher_tick,
    .next = ww_prefetcher_next,
};
