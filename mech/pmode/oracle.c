/* oracle.c - what bounds the mechanism (pmode.oracle): a warp that stalls has run ahead at once, by
 * P-mode's rules but without slots, queue or registers; what it executed is there when it comes to
 * it, and so are data of its loads, with or without their lines' way through the memory. */
#include "mech/pmode/pmode.h"

enum { AHEAD = 256, BUFFERED = 64 };

/* Executes the warp's next instruction as P-mode would; false: P-mode ends there. */
static bool do_next(pmode *s, uint32_t w)
{
    pm_warp *x = &s->warp[w];
    const ww_warp *warp = ww_mech_warp(s->sm, w);
    const uint32_t pc = ww_warp_pc(warp);
    const pm_note *n = &s->notes->inst[pc];
    WW_ASSERT(n->pc == pc);
    if (pm_ends(s, w, n)) {
        return false;
    }
    const bool loads = n->action == PM_PRELOAD;
    if (pm_skips(s, w, pc, n) || (!loads && pm_keeps_unknown(s, w, pc, n))) {
        pm_skip(s, w, pc, n);
        ww_mech_step_ahead(s->sm, w, false);
        return true;
    }
    const bool none = pm_executing(warp, &s->kernel->code[pc]) == 0;
    const bool known = ww_mech_step_ahead(s->sm, w, !loads) || (loads && none);
    pm_mark_executed(x);
    ww_mech_count(s->sm, loads ? WW_C_PMODE_PRELOAD : WW_C_PMODE_PREEXECUTED, 1);
    if (!known) {
        pm_unknown(s, w, n);
        return true;
    }
    for (uint32_t k = 0; k < n->writes && !loads; k++) {
        const uint16_t cell = pm_writes(s, n)[k];
        s->poison[(size_t)w * s->words + cell / 64] &= ~(UINT64_C(1) << (cell % 64));
    }
    return true;
}

void pm_run_ahead(pmode *s, uint32_t w, uint32_t pc)
{
    pm_begin_unknown(s, w);
    if (!ww_mech_look_ahead(s->sm, w)) {
        return;
    }
    pm_overwrite_unknown(s, w);
    pm_begin_rules(s, w, pc);
    ww_mech_count(s->sm, WW_C_PMODE_SWITCH, 1);
    for (pm_warp *x = &s->warp[w]; x->place < AHEAD && do_next(s, w);) {
        x->place++;
    }
    ww_mech_look_back(s->sm, w);
}

bool pm_has_ahead(const pmode *s, uint32_t w, uint32_t pc, uint32_t distance)
{
    const pm_warp *x = &s->warp[w];
    const pm_note *n = &s->notes->inst[pc];
    WW_ASSERT(n->pc == pc);
    const uint64_t at = (x->number + distance) % PM_TRACK;
    return n->action != PM_PRELOAD && n->writes > 0 && (x->executed[at / 64] >> (at % 64) & 1) != 0;
}

/* What is there is not fetched. */
void pm_oracle_skip(void *state, ww_warps warps, uint64_t now)
{
    pmode *s = state;
    (void)now;
    if (!pm_is_oracle(s) || s->notes == NULL) {
        return;
    }
    for (ww_warps_walk m = ww_warps_from(warps); ww_warps_next(&m);) {
        const uint32_t w = m.warp;
        const uint32_t head = w < s->warps ? ww_warp_pc(ww_mech_warp(s->sm, w)) : WW_NO_TARGET;
        for (uint32_t pc = ww_mech_next_inst(s->sm, w);
             head != WW_NO_TARGET && pc != WW_NO_TARGET && pc - head < BUFFERED &&
             pm_has_ahead(s, w, pc, pc - head) && ww_mech_skip(s->sm, w);) {
            pc = ww_mech_next_inst(s->sm, w);
        }
    }
}

bool pm_oracle_beside(void *state, const ww_mech_access *access, uint64_t now, uint64_t *ready)
{
    pmode *s = state;
    if (!pm_is_oracle(s) || access->kind != WW_ACCESS_LOAD || access->extra ||
        !ww_behind_covers(&s->behind, access->flight)) {
        return false;
    }
    if (s->params->oracle == WW_PMODE_ORACLE_AHEAD) {
        return ww_behind_serve_late(&s->behind, access, 1, now, ready);
    }
    *ready = now + 1;
    return true;
}
