/* hooks.h - where the SM's stages call mechanisms (perf/sm/seam.h). Each place tests one bit of a
 * mask that is zero when no mechanism is active; a build with WW_MECHANISMS=OFF has no places. */
#ifndef WW_PERF_SM_HOOKS_H
#define WW_PERF_SM_HOOKS_H

#include "base/compiler.h"
#include "perf/sm/sm_state.h"

/* Whether a mechanism has given one of these hooks. */
static inline bool ww_hooked(const ww_sm *sm, uint64_t hooks)
{
#if defined WW_NO_MECHANISMS || defined WW_SM_PLAIN || defined WW_SM_LINED
    (void)sm;
    (void)hooks;
    return false;
#else
    return WW_UNLIKELY((sm->mech.hooks & hooks) != 0);
#endif
}

/* ---- hooks.c: each calls the mechanisms that have the hook, in the order of their attachment ----
 */
static void hook_cta_started(ww_sm *sm, uint32_t cta, ww_slots warps, uint64_t now);
static void hook_cta_ended(ww_sm *sm, uint32_t cta, uint64_t now);
static void hook_warp_exited(ww_sm *sm, uint32_t w, uint64_t now);
/* A new head, which is to be evaluated. */
static void hook_head(ww_sm *sm, uint32_t w, uint64_t now);
/* Heads that have come to wait for a register. */
static void hook_stalled(ww_sm *sm, uint64_t now);
/* The first verdict other than UNIT holds. */
static ww_issue_verdict hook_issue(ww_sm *sm, uint32_t w, uint32_t pc, uint64_t now);
static uint32_t hook_driven(ww_sm *sm, uint32_t w, uint32_t pc, ww_step *step, uint64_t now);
static void hook_executed(ww_sm *sm, uint32_t w, const ww_step *step, uint32_t flight,
                          uint64_t now);
/* For the instruction that is about to read its operands: the passes that it will take (moved). */
static void hook_operands(ww_sm *sm, uint32_t w, uint32_t pc, const ww_sm_op *uop);
/* What the buffer held, or awaits, is about to be dropped. */
static void hook_flushed(ww_sm *sm, uint32_t w);
static void hook_written(ww_sm *sm, uint32_t flight, uint64_t now);
/* address: of each of the lanes, as the caches see it. */
static void hook_addressed(ww_sm *sm, const ww_mem_inst *m, const uint64_t *address, uint32_t lanes,
                           uint64_t now);
static void hook_coalesced(ww_sm *sm, const ww_mem_inst *m, const uint64_t *address, uint32_t lanes,
                           uint64_t now);
static bool hook_beside(ww_sm *sm, const ww_line_access *a, uint64_t now, uint64_t *ready);
static void hook_looked_up(ww_sm *sm, const ww_line_access *a, ww_cache_result result,
                           uint64_t now);
static void hook_filled(ww_sm *sm, uint64_t address, const uint32_t *waiter, size_t count,
                        uint64_t now);
static void hook_arrived(ww_sm *sm, const ww_mem_req *reply, uint64_t now);
static void hook_evicted(ww_sm *sm, uint64_t address, uint64_t now);
static void hook_tick(ww_sm *sm, uint64_t now);
static uint64_t hook_next(const ww_sm *sm, uint64_t now);
WW_NODISCARD static ww_status hook_begin(ww_sm *sm, ww_error *err);
static void hook_end(ww_sm *sm);

/* ---- skip.c: instructions that take no place in the front end ---- */
/* Lets mechanisms take instructions out. */
static void sm_skip_stage(ww_sm *sm, uint64_t now);
/* Asks about the instructions that the warp would fetch next: notes in fetch_width how many may be
 * fetched. False: none now. */
static ww_fetch_verdict sm_fetch_asked(ww_sm *sm, uint32_t w, uint64_t now);
/* sm_update_fetchable with holds, and where skipped instructions take no entries. */
static void sm_skip_fetchable(ww_sm *sm, uint32_t w);
/* Executes the skipped instructions that have come to the head of their warps' buffers. */
WW_NODISCARD static ww_status sm_skip_heads(ww_sm *sm, uint64_t now, ww_error *err);

/* ---- packed.c: code with absent instructions ---- */
/* Executes the absent instructions that the warp stands at. */
WW_NODISCARD static ww_status sm_run_absent(ww_sm *sm, uint32_t w, uint64_t now, ww_error *err);
/* Whether it still does: they name a register that waits for memory. */
static bool sm_at_absent(const ww_sm *sm, uint32_t w);
/* Whether an instruction names a register that memory has yet to write: executed now, it would read
 * too early or be overwritten. */
static bool sm_must_wait(const ww_sm *sm, uint32_t w, const ww_inst *inst);
/* Place of the instruction that the warp stands at. */
static uint32_t sm_next_place(const ww_sm *sm, uint32_t w);

/* ---- elsewhere.c: instructions that do not take the way through collectors and units ---- */
/* Executes what an issue verdict leaves of the warp's instruction; *kind may become SUPPRESS. */
WW_NODISCARD static ww_status sm_execute(ww_sm *sm, const ww_exec_env *env, uint32_t w,
                                         ww_issue_kind *kind, ww_step *step, ww_error *err);
/* Starts an executed instruction under a verdict other than UNIT and PRELOAD; its flight. */
static uint32_t sm_start_elsewhere(ww_sm *sm, uint32_t w, const ww_sm_op *uop, const ww_step *step,
                                   ww_issue_verdict verdict, uint64_t now);

/* ---- shadow_context.c ---- */
/* Of the launch: no warp is in one any more. */
static void sm_forget_shadows(ww_shadow_stage *shadow);
/* sm_release where shadow contexts may be about. */
/* Whether an instruction of a shadow warp could change what is seen outside its context. */
static bool sm_leaves_context(const ww_inst *inst);
static void sm_release_beside_shadow(ww_sm *sm, const ww_flight *f, const ww_sm_op *uop);
/* Drops heads of the warps in `due` that are to be dropped, one each. */
static void sm_drop_heads(ww_sm *sm, ww_slots due, uint64_t now);

/* ---- services.c ---- */
/* The slot of scheduler s goes to a pass that a mechanism has asked for; false: none is due, or no
 * pipeline is free. */
static bool sm_take_slot(ww_sm *sm, uint32_t s, uint64_t now);
static void sm_stop_extras(ww_sm *sm, uint64_t now);

#endif
