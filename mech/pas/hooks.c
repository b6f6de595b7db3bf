/* hooks.c - PAS, the prefetch-aware scheduler of CTA-Aware Prefetching and Scheduling (Koo et al.,
 * IPDPS 2018, section V-A): one warp of each CTA is marked as leading for the CTA's life; leading
 * warps enter the active set first and issue first, so that the base addresses of all CTAs are
 * known early; warps wake up whose prefetched lines arrive. The rest is as without it. */
#include "mech/mechanisms.h"

typedef struct pas {
    ww_sm *sm;
    uint32_t schedulers;
    bool spread, wakeup, wake_demanded;
    ww_warps leads; /* warp slots */
} pas;

static ww_status create(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err)
{
    pas *s = WW_NEW(pas);
    if (s == NULL) {
        return ww_no_memory(err);
    }
    *s = (pas){.sm = sm,
               .schedulers = arch->sm.schedulers,
               .spread = arch->pas.lead == WW_PAS_SPREAD,
               .wakeup = arch->pas.wakeup,
               .wake_demanded = arch->pas.wake_demanded};
    *state = s;
    return WW_OK;
}

static void destroy(void *state)
{
    ww_free(state);
}

static ww_status begin(void *state, const ww_mech_launch *launch, ww_error *err)
{
    pas *s = state;
    (void)launch;
    (void)err;
    s->leads = WW_NO_WARPS;
    return WW_OK;
}

/* The slots of a CTA follow each other, and a slot's scheduler is slot mod schedulers: with warp 0
 * of every CTA, the same scheduler would hold all leading warps wherever CTAs have an even number.
 */
static uint32_t leading_warp(const pas *s, uint32_t cta, ww_warps warps)
{
    for (ww_warps_walk m = ww_warps_from(warps); s->spread && ww_warps_next(&m);) {
        uint32_t w = m.warp;
        if (w % s->schedulers == cta % s->schedulers) {
            return w;
        }
    }
    return ww_warps_first(warps);
}

static void cta_started(void *state, uint32_t cta, ww_warps warps, uint64_t now)
{
    pas *s = state;
    (void)now;
    uint32_t lead = leading_warp(s, cta, warps);
    ww_warps_add(&s->leads, lead);
    ww_mech_favour(s->sm, s->leads);
    ww_mech_wake(s->sm, lead);
    ww_mech_count(s->sm, WW_C_PAS_LEAD, 1);
}

static void warp_exited(void *state, uint32_t warp, uint64_t now)
{
    pas *s = state;
    (void)now;
    if (ww_warps_has(&s->leads, warp)) {
        ww_warps_remove(&s->leads, warp);
        ww_mech_favour(s->sm, s->leads);
    }
}

/* The warp that the line is for becomes ready to issue, unless it waits for something else. */
static bool prefetched(void *state, uint32_t warp, bool demanded, uint64_t now)
{
    const pas *s = state;
    (void)now;
    const ww_warps waiting = ww_mech_waiting(s->sm), live = ww_mech_live(s->sm);
    bool waits_for_another = !demanded && ww_warps_has(&waiting, warp);
    const bool late = demanded && !s->wake_demanded;
    if (!s->wakeup || late || !ww_warps_has(&live, warp) || waits_for_another) {
        return false;
    }
    ww_mech_wake(s->sm, warp);
    return true;
}

const ww_mech ww_mech_pas = {
    .name = "pas",
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .cta_started = cta_started,
    .warp_exited = warp_exited,
    .prefetched = prefetched,
};
