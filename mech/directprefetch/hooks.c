/* hooks.c - DirectPrefetch: each warp keeps, for each of its loads, the address that it last
 * accessed, by how much that had moved, and a saturating counter of how often it moved by the same.
 * A load that is sure requests its lines moved once more. Kim et al., "Warped-Preexecution", HPCA
 * 2016, section 6.1. */
#include <string.h>

#include "mech/lib/prefetch.h"
#include "mech/mechanisms.h"

/* What a warp knows of a load. */
typedef struct follow {
    uint64_t used; /* 0: free; else when, for replacement */
    uint64_t address;
    int64_t stride;
    uint32_t pc;
    uint8_t confidence;
} follow;

typedef struct directprefetch {
    ww_prefetcher prefetcher; /* first: its hooks take the state */
    const ww_directprefetch_params *params;
    uint64_t clock;
    uint32_t warps;
    follow *table; /* [warps][entries] */
} directprefetch;

static void release(void *state)
{
    directprefetch *s = state;
    ww_free(s->table);
}

static ww_status set_up(void *state, const ww_arch *arch, ww_error *err)
{
    directprefetch *s = state;
    s->params = &arch->directprefetch;
    s->warps = arch->sm.max_warps;
    s->table = WW_NEW_ARRAY(follow, (size_t)s->warps * s->params->entries);
    return s->table != NULL ? WW_OK : ww_no_memory(err);
}

static ww_status create(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err)
{
    const ww_prefetcher_kind kind = {.bytes = sizeof(directprefetch),
                                     .queue_entries = arch->directprefetch.queue_entries,
                                     .free_mshrs = arch->directprefetch.free_mshrs,
                                     .set_up = set_up,
                                     .release = release};
    return ww_prefetcher_create(&kind, sm, arch, state, err);
}

static void forget(directprefetch *s, uint32_t warp)
{
    memset(s->table + (size_t)warp * s->params->entries, 0, s->params->entries * sizeof(follow));
}

static ww_status begin(void *state, const ww_mech_launch *launch, ww_error *err)
{
    directprefetch *s = state;
    (void)launch;
    (void)err;
    ww_prefetcher_clear(&s->prefetcher);
    for (uint32_t w = 0; w < s->warps; w++) {
        forget(s, w);
    }
    return WW_OK;
}

static void warp_exited(void *state, uint32_t warp, uint64_t now)
{
    directprefetch *s = state;
    (void)now;
    if (warp < s->warps) {
        forget(s, warp);
    }
}

/* The load's entry, or the least recently used one of its warp, made its own. */
static follow *entry_of(directprefetch *s, uint32_t warp, uint32_t pc, bool *known)
{
    follow *set = s->table + (size_t)warp * s->params->entries, *oldest = set;
    *known = true;
    for (uint32_t i = 0; i < s->params->entries; i++) {
        if (set[i].used != 0 && set[i].pc == pc) {
            return &set[i];
        }
        oldest = set[i].used < oldest->used ? &set[i] : oldest;
    }
    *known = false;
    *oldest = (follow){.pc = pc};
    return oldest;
}

/* One more step of the same size raises the confidence, another lowers it and is the one to come.
 */
static void learn(const directprefetch *s, follow *f, uint64_t address)
{
    const int64_t stride = (int64_t)(address - f->address);
    const uint8_t most = (uint8_t)((1u << s->params->confidence_bits) - 1);
    if (stride == f->stride) {
        f->confidence = (uint8_t)(f->confidence + (f->confidence < most));
    } else {
        f->confidence = (uint8_t)(f->confidence - (f->confidence > 0));
        f->stride = stride;
    }
}

static void coalesced(void *state, const ww_mech_access *access, const ww_mech_split *split,
                      uint64_t now)
{
    directprefetch *s = state;
    (void)now;
    if (!ww_prefetcher_takes(access, split) || access->shadow || access->warp >= s->warps) {
        return;
    }
    bool known;
    follow *f = entry_of(s, access->warp, access->pc, &known);
    if (known) {
        learn(s, f, access->address);
    }
    f->address = access->address;
    f->used = ++s->clock;
    ww_mech_count(s->prefetcher.sm, WW_C_DIRECTPREFETCH_LOAD, 1);
    if (f->confidence < s->params->threshold) {
        return;
    }
    ww_mech_count(s->prefetcher.sm, WW_C_DIRECTPREFETCH_SURE, 1);
    ww_prefetcher_request_split(&s->prefetcher, split, f->stride, now);
}

const ww_mech ww_mech_directprefetch = {
    .name = "directprefetch",
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
