/* hooks.c - the scheduler of Orchestrated Scheduling and Prefetching for GPGPUs (Jog et al., ISCA
 * 2013), ORCH in CTA-Aware Prefetching (Koo et al., IPDPS 2018, section VI-B) where LAP prefetches:
 * neighbouring warps belong to different groups, so that a group's prefetches serve the next one.
 * With G groups, warp j of a scheduler belongs to group j mod G. The group in charge is chosen and
 * promoted first; when all of it waits, the next group takes charge. */
#include "mech/mechanisms.h"

enum { MOST_SCHEDULERS = 8 };

typedef struct orch {
    ww_sm *sm;
    uint32_t schedulers, groups;
    uint32_t charge[MOST_SCHEDULERS]; /* group of each scheduler */
    ww_slots member[MOST_SCHEDULERS]; /* its slots */
} orch;

static ww_slots members(const orch *s, uint32_t scheduler, uint32_t group)
{
    ww_slots slots = WW_NO_SLOTS;
    for (uint32_t w = scheduler + group * s->schedulers; w < WW_SM_WARPS;
         w += s->groups * s->schedulers) {
        slots |= ww_slot(w);
    }
    return slots;
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
    return WW_OK;
}

static void destroy(void *state)
{
    ww_free(state);
}

static void take_charge(orch *s)
{
    ww_slots all = WW_NO_SLOTS;
    for (uint32_t i = 0; i < s->schedulers; i++) {
        all |= s->member[i];
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
        s->member[i] = members(s, i, 0);
    }
    return WW_OK;
}

static void cta_started(void *state, uint32_t cta, ww_slots warps, uint64_t now)
{
    (void)cta;
    (void)warps;
    (void)now;
    take_charge(state);
}

static ww_slots willing_of(const orch *s)
{
    return ww_mech_live(s->sm) & ~ww_mech_waiting(s->sm);
}

/* The next group with a warp that does not wait; the present one when there is none. */
static uint32_t next_group(const orch *s, uint32_t scheduler, ww_slots willing)
{
    for (uint32_t k = 0; k < s->groups; k++) {
        uint32_t group = (s->charge[scheduler] + k) % s->groups;
        if (ww_any(members(s, scheduler, group) & willing)) {
            return group;
        }
    }
    return s->charge[scheduler];
}

static void tick(void *state, uint64_t now)
{
    orch *s = state;
    (void)now;
    ww_slots willing = willing_of(s);
    bool changed = false;
    for (uint32_t i = 0; i < s->schedulers; i++) {
        uint32_t group = next_group(s, i, willing);
        if (group == s->charge[i]) {
            continue;
        }
        s->charge[i] = group;
        s->member[i] = members(s, i, group);
        ww_mech_count(s->sm, WW_C_ORCH_TURN, 1);
        changed = true;
        for (ww_slots m = s->member[i] & willing; ww_any(m); m = ww_rest(m)) {
            ww_mech_wake(s->sm, ww_first(m));
        }
    }
    if (changed) {
        take_charge(s);
    }
}

static uint64_t next(const void *state, uint64_t now)
{
    const orch *s = state;
    ww_slots willing = willing_of(s);
    for (uint32_t i = 0; i < s->schedulers; i++) {
        if (next_group(s, i, willing) != s->charge[i]) {
            return now + 1;
        }
    }
    return UINT64_MAX;
}

const ww_mech ww_mech_orch = {
    .name = "orch",
    .slots = WW_SM_WARPS,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .cta_started = cta_started,
    .tick = tick,
    .next = next,
};
