/* hooks.h - where the SM's stages call mechanisms (perf/mech/mech.h). Each place tests one bit of a
 * mask that is zero when no mechanism is active; a build with WW_MECHANISMS=OFF has no places. */
#ifndef WW_PERF_SM_HOOKS_H
#define WW_PERF_SM_HOOKS_H

#include "base/compiler.h"
#include "perf/sm/sm_state.h"

/* Whether a mechanism has given one of these hooks. */
static inline bool ww_hooked(const ww_sm *sm, uint32_t hooks)
{
#ifdef WW_NO_MECHANISMS
    (void)sm;
    (void)hooks;
    return false;
#else
    return WW_UNLIKELY((sm->hooks & hooks) != 0);
#endif
}

/* ---- hooks.c: each calls the mechanisms that have the hook, in the order of their attachment ----
 */
void ww_hook_cta_started(ww_sm *sm, uint32_t cta, uint64_t warps, uint64_t now);
void ww_hook_cta_ended(ww_sm *sm, uint32_t cta, uint64_t now);
void ww_hook_warp_exited(ww_sm *sm, uint32_t w, uint64_t now);
/* The head and, when it is found to wait for a register, its stall. */
void ww_hook_head(ww_sm *sm, uint32_t w, uint64_t now);
/* The first verdict other than UNIT holds. */
ww_issue_verdict ww_hook_issue(ww_sm *sm, uint32_t w, uint32_t pc, uint64_t now);
void ww_hook_executed(ww_sm *sm, uint32_t w, const ww_step *step, uint32_t flight, uint64_t now);
/* For the instruction that has just entered the collectors. */
void ww_hook_operands(ww_sm *sm, uint32_t w, uint32_t pc, uint32_t passes);
void ww_hook_written(ww_sm *sm, const ww_flight *f, uint64_t now);
void ww_hook_coalesced(ww_sm *sm, const ww_mem_inst *m, uint64_t now);
bool ww_hook_beside(ww_sm *sm, const ww_line_access *a, uint64_t now, uint64_t *ready);
void ww_hook_looked_up(ww_sm *sm, const ww_line_access *a, ww_cache_result result, uint64_t now);
void ww_hook_filled(ww_sm *sm, uint64_t address, const uint32_t *waiter, size_t count,
                    uint64_t now);
void ww_hook_arrived(ww_sm *sm, const ww_mem_req *reply, uint64_t now);
void ww_hook_evicted(ww_sm *sm, uint64_t address, uint64_t now);
void ww_hook_tick(ww_sm *sm, uint64_t now);
uint64_t ww_hook_next(const ww_sm *sm, uint64_t now);
ww_status ww_hook_begin(ww_sm *sm, ww_error *err);
void ww_hook_end(ww_sm *sm);

/* ---- skip.c: instructions that take no place in the front end ---- */
/* Asks about the instructions that the warp would fetch next: notes those to be skipped, and in
 * fetch_width how many behind them may be fetched. False: none now. */
bool ww_sm_skip_ahead(ww_sm *sm, uint32_t w, uint64_t now);
/* ww_sm_update_fetchable with holds, and where skipped instructions take no entries. */
void ww_sm_skip_fetchable(ww_sm *sm, uint32_t w);
/* Executes the skipped instructions that have come to the head of their warps' buffers. */
ww_status ww_sm_skip_heads(ww_sm *sm, uint64_t now, ww_error *err);

/* ---- elsewhere.c: instructions that do not take the way through collectors and units ---- */
/* Executes what an issue verdict leaves of the warp's instruction; *kind may become SUPPRESS. */
ww_status ww_sm_execute(ww_sm *sm, const ww_exec_env *env, uint32_t w, ww_issue_kind *kind,
                        ww_step *step, ww_error *err);
/* Starts an executed instruction under a verdict other than UNIT and PRELOAD; its flight. */
uint32_t ww_sm_start_elsewhere(ww_sm *sm, uint32_t w, const ww_sm_op *uop, const ww_step *step,
                               ww_issue_verdict verdict, uint64_t now);

/* ---- services.c ---- */
void ww_sm_stop_extras(ww_sm *sm, uint64_t now);

#endif
