/* hooks.c - the scheduler of Orchestrated Scheduling and Prefetching for GPGPUs (Jog et al., ISCA
 * 2013), ORCH in CTA-Aware Prefetching (Koo et al., IPDPS 2018, section VI-B) where LAP prefetches:
 * neighbouring warps belong to different groups, so that a group's prefetches serve the next one.
 * With G groups, warp j of a scheduler belongs to group j mod G. The group in charge is chosen and
 * promoted first; when all of it waits, the next group takes charge. */
#include "base/assert.h"
#include "mech/mechanisms.h"

enum { MOST_SCHEDULERS = 8 };

typedef struct orch {
    ww_sm *sm;
    uint32_t schedulers, groups;
    uint32_t charge[MOST_SCHEDULERS]; /* group of each scheduler */
    ww_warps *slots;                  /* [scheduler][group] slots of its warps */
} orch;

static ww_warps members(const orch *s, uint32_t scheduler, uint32_t group)
{
    WW_ASSERT(scheduler < s->schedulers && group < s->groups);
    return s->slots[scheduler * s->groups + group];
}

static void divide(orch *s)
{
    for (uint32_t w = 0; w < WW_WARPS; w++) {
        uint32_t group = w / s->schedulers % s->groups;
        ww_warps_add(&s->slots[w % s->schedulers * s->groups + group], w);
    }
}

static void destroy(void *state)
{
    orch *s = state;
    if (s != NULL) {
        ww_free(s->slots);
        ww_free(s);
    }
}

static ww_status create(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err)
{
    orch *s = WW_NEW(orch);
    if (s == NULL) {
        return ww_no_memory(err);
    }
    uint32_t warps = arch->sm.max_warps / arch->sm.schedulers;
    *s = (orch){.sm = sm,
                .schedulers = arch->sm.schedulers,
                .groups = (warps + arch->orch.group - 1) / arch->orch.group};
    *state = s;
    s->slots = WW_NEW_ARRAY(ww_warps, (size_t)s->schedulers * s->groups);
    if (s->slots == NULL) {
        destroy(s);
        return ww_no_memory(err);
    }
    WW_ASSERT(s->schedulers <= MOST_SCHEDULERS); /* sm.schedulers (arch/params.h) */
    divide(s);
    return WW_OK;
}

static void take_charge(orch *s)
{
    ww_warps all = WW_NO_WARPS;
    for (uint32_t i = 0; i < s->schedulers; i++) {
        all = ww_warps_either(all, members(s, i, s->charge[i]));
    }
    ww_mech_favour(s->sm, all);
}

static ww_status begin(void *state, const ww_mech_launch *launch, ww_error *err)
{
    orch *s = state;
    (void)launch;
    (void)err;
    for (uint32_t i = 0; i < s->schedulers; i++) {
        s->charge[i] = 0;
    }
    return WW_OK;
}

static void cta_started(void *state, uint32_t cta, ww_warps warps, uint64_t now)
{
    (void)cta;
    (void)warps;
    (void)now;
    take_charge(state);
}

static ww_warps willing_of(const orch *s)
{
    return ww_warps_without(ww_mech_live(s->sm), ww_mech_waiting(s->sm));
}

/* The next group with a warp that does not wait; the present one when there is none. */
static uint32_t next_group(const orch *s, uint32_t scheduler, ww_warps willing)
{
    for (uint32_t k = 0; k < s->groups; k++) {
        uint32_t group = (s->charge[scheduler] + k) % s->groups;
        if (ww_warps_any(ww_warps_both(members(s, scheduler, group), willing))) {
            return group;
        }
    }
    return s->charge[scheduler];
}

static void tick(void *state, uint64_t now)
{
    orch *s = state;
    (void)now;
    ww_warps willing = willing_of(s);
    bool changed = false;
    for (uint32_t i = 0; i < s->schedulers; i++) {
        uint32_t group = next_group(s, i, willing);
        if (group == s->charge[i]) {
            continue;
        }
        s->charge[i] = group;
        ww_mech_count(s->sm, WW_C_ORCH_TURN, 1);
        changed = true;
        for (ww_warps_walk m = ww_warps_from(ww_warps_both(members(s, i, group), willing));
             ww_warps_next(&m);) {
            ww_mech_wake(s->sm, m.warp);
        }
    }
    if (changed) {
        take_charge(s);
    }
}

static uint64_t next(const void *state, uint64_t now)
{
    const orch *s = state;
    ww_warps willing = willing_of(s);
    for (uint32_t i = 0; i < s->schedulers; i++) {
        if (next_group(s, i, willing) != s->charge[i]) {
            return now + 1;
        }
    }
    return UINT64_MAX;
}

const ww_mech ww_mech_orch = {
    .name = "orch",
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .cta_started = cta_started,
    .tick = tick,
    .next = next,
};
