/* hooks.c - NLP, next-line prefetching as CTA-Aware Prefetching (Koo et al., IPDPS 2018, sections
 * III-C and VI-B) describes its baseline: when a line misses the L1D, the line behind it is
 * requested, at lower priority than demand. */
#include "mech/mechanisms.h"
#include "mech/lib/prefetch.h"

typedef struct nlp {
    ww_prefetcher prefetcher; /* first: its hooks take the state */
    uint32_t degree;
} nlp;

static void destroy(void *state)
{
    nlp *s = state;
    if (s != NULL) {
        ww_prefetcher_fini(&s->prefetcher);
        ww_free(s);
    }
}

static ww_status create(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err)
{
    nlp *s = WW_NEW(nlp);
    if (s == NULL) {
        return ww_fail(err, WW_ENOMEM, "out of memory");
    }
    s->degree = arch->nlp.degree;
    ww_status st = ww_prefetcher_init(&s->prefetcher, sm, arch, arch->nlp.queue_entries,
                                      arch->nlp.free_mshrs, err);
    if (st != WW_OK) {
        ww_free(s);
        return st;
    }
    *state = s;
    return WW_OK;
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
                                  WW_FOR_NOBODY);
        }
    }
}

const ww_mech ww_mech_nlp = {
    .name = "nlp",
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .looked_up = looked_up,
    .filled = ww_prefetcher_fill,
    .evicted = ww_prefetcher_evicted,
    .tick = ww_prefetcher_tick,
    .next = ww_prefetcher_next,
};
