/* hooks.c - NLP, next-line prefetching as CTA-Aware Prefetching (Koo et al., IPDPS 2018, sections
 * III-C and VI-B) describes its baseline: when a line misses the L1D, the line behind it is
 * requested, at lower priority than demand. */
#include "mech/mechanisms.h"
#include "mech/lib/prefetch.h"

typedef struct nlp {
    ww_prefetcher prefetcher; /* first: its hooks take the state */
    uint32_t degree;
} nlp;

static ww_status set_up(void *state, const ww_arch *arch, ww_error *err)
{
    nlp *s = state;
    (void)err;
    s->degree = arch->nlp.degree;
    return WW_OK;
}

static ww_status create(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err)
{
    const ww_prefetcher_kind kind = {.bytes = sizeof(nlp),
                                     .queue_entries = arch->nlp.queue_entries,
                                     .free_mshrs = arch->nlp.free_mshrs,
                                     .oracle = arch->nlp.oracle,
                                     .set_up = set_up};
    return ww_prefetcher_create(&kind, sm, arch, state, err);
}

static ww_status begin(void *state, const ww_mech_launch *launch, ww_error *err)
{
    nlp *s = state;
    (void)launch;
    (void)err;
    ww_prefetcher_clear(&s->prefetcher);
    return WW_OK;
}

static void looked_up(void *state, const ww_mech_access *access, ww_cache_result result,
                      uint64_t now)
{
    nlp *s = state;
    ww_prefetcher_looked_up(state, access, result, now);
    if (result == WW_CACHE_MISS && access->kind != WW_ACCESS_STORE) {
        for (uint32_t k = 1; k <= s->degree; k++) {
            ww_prefetcher_request(&s->prefetcher,
                                  access->address + (uint64_t)k * s->prefetcher.line_bytes,
                                  WW_FOR_NOBODY, now);
        }
    }
}

const ww_mech ww_mech_nlp = {
    .name = "nlp",
    .create = create,
    .destroy = ww_prefetcher_destroy,
    .begin = begin,
    .beside = ww_prefetcher_beside,
    .looked_up = looked_up,
    .filled = ww_prefetcher_fill,
    .evicted = ww_prefetcher_evicted,
    .tick = ww_prefetcher_tick,
    .next = ww_prefetcher_next,
};
