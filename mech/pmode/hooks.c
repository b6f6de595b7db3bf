/* hooks.c - P-mode, warped pre-execution (Kim, Lee, Yoon, Koo, Ro, Annavaram, "Warped-Preexecution:
 * A GPU pre-execution approach for improving latency hiding", HPCA 2016). README.md holds the rules
 * and where each is from. */
#include "mech/pmode/pmode.h"

static ww_issue_verdict issue(void *state, uint32_t w, uint32_t pc, uint64_t now)
{
    pmode *s = state;
    (void)now;
    if (w < s->warps && pm_in_shadow(s, w)) {
        return pm_p_issue(s, w, pc);
    }
    if (w < s->warps && s->warp[w].lifted) {
        return (ww_issue_verdict){.kind = WW_ISSUE_RENAME, .latency = 1};
    }
    return (ww_issue_verdict){.kind = WW_ISSUE_UNIT};
}

static void executed(void *state, uint32_t w, const ww_step *step, uint32_t flight, uint64_t now)
{
    pmode *s = state;
    (void)now;
    if (w >= s->warps || s->notes == NULL) {
        return;
    }
    if (pm_in_shadow(s, w)) {
        pm_p_executed(s, w, step, flight);
    } else {
        pm_n_executed(s, w, step, flight);
    }
}

static void skipped(void *state, uint32_t w, const ww_step *step, uint64_t now)
{
    pmode *s = state;
    (void)now;
    if (pm_is_oracle(s) && s->notes != NULL && w < s->warps) {
        (void)pm_count_coverage(s, &s->warp[w], &s->notes->inst[step->pc]);
        pm_note_known(s, w, &s->notes->inst[step->pc]);
    }
    s->warp[w].number++; /* else by another mechanism */
}

static void written(void *state, uint32_t w, uint32_t pc, uint64_t now)
{
    pmode *s = state;
    (void)now;
    if (w >= s->warps || s->notes == NULL) {
        return;
    }
    const pm_note *n = &s->notes->inst[pc];
    WW_ASSERT(n->pc == pc);
    for (uint32_t k = 0; k < n->writes; k++) {
        pm_renaming_ended(s, w, pm_writes(s, n)[k]);
    }
    if (pm_in_shadow(s, w) && pc == s->warp[w].trigger) {
        ww_warps_add(&s->leaving, w);
    }
}

static void warp_exited(void *state, uint32_t w, uint64_t now)
{
    pmode *s = state;
    (void)now;
    if (w < s->warps) {
        pm_forget_warp(s, w);
    }
}

static void looked_up(void *state, const ww_mech_access *access, ww_cache_result result,
                      uint64_t now)
{
    pmode *s = state;
    const uint32_t w = access->warp;
    if (access->kind == WW_ACCESS_STORE || access->extra || access->shadow || w >= s->warps ||
        s->notes == NULL) {
        return;
    }
    ww_mech_count(s->sm, WW_C_PMODE_N_READ, 1);
    ww_mech_count(s->sm, WW_C_PMODE_N_HIT, result == WW_CACHE_HIT || result == WW_CACHE_MERGED);
    if (s->params->on_miss && result != WW_CACHE_HIT) {
        pm_missed(s, w, access->pc, now);
    }
}

static void filled(void *state, uint64_t address, uint32_t waiters, uint64_t now)
{
    pmode *s = state;
    (void)waiters;
    (void)now;
    ww_behind_came(&s->behind, address, s->sector_bytes);
}

static void tick(void *state, uint64_t now)
{
    pmode *s = state;
    for (ww_warps_walk m = ww_warps_from(s->leaving); ww_warps_next(&m);) {
        pm_leave(s, m.warp, now);
    }
    s->leaving = WW_NO_WARPS;
    for (ww_warps_walk m = ww_warps_from(s->held_back); ww_warps_next(&m);) {
        const uint32_t w = m.warp;
        if (now >= s->warp[w].fetch_at) {
            ww_warps_remove(&s->held_back, w);
            ww_mech_release_fetch(s->sm, w);
        }
    }
    if (s->freed && ww_warps_any(s->starving)) {
        pm_feed(s);
    }
    ww_behind_send(&s->behind, s->sm, now);
}

static uint64_t next(const void *state, uint64_t now)
{
    const pmode *s = state;
    const bool soon = (s->freed && ww_warps_any(s->starving)) || ww_behind_waits(&s->behind);
    uint64_t at = soon ? now + 1 : UINT64_MAX;
    for (ww_warps_walk m = ww_warps_from(s->held_back); ww_warps_next(&m);) {
        const uint64_t due = s->warp[m.warp].fetch_at;
        at = due < at ? due : at;
    }
    return at > now ? at : now + 1;
}

const ww_mech ww_mech_pmode = {
    .name = "pmode",
    .pass = pm_pass,
    .create = pm_create,
    .destroy = pm_destroy,
    .begin = pm_begin,
    .warp_exited = warp_exited,
    .skip = pm_oracle_skip,
    .fetch = pm_fetch,
    .skipped = skipped,
    .head = pm_head,
    .drop = pm_drop,
    .stalled = pm_stalled,
    .issue = issue,
    .executed = executed,
    .written = written,
    .shadow_written = pm_shadow_written,
    .beside = pm_oracle_beside,
    .looked_up = looked_up,
    .filled = filled,
    .tick = tick,
    .next = next,
};
