/* elsewhere.c - instructions that a mechanism keeps from the way through collectors and units, and
 * what extra warps may execute. */
#include "perf/sm/hooks.h"

/* Whether an instruction could change what the kernel's own warps see. Shared and local memory of
 * an extra warp are its own. */
static bool leaves_traces(const ww_inst *inst)
{
    if (ww_inst_is_builtin(inst)) {
        return true; /* malloc, printf, assertions */
    }
    if (inst->space == WW_SPACE_SHARED || inst->space == WW_SPACE_LOCAL) {
        return false;
    }
    switch (inst->op) {
    case WW_OP_ST:
    case WW_OP_ATOM:
    case WW_OP_RED:
    case WW_OP_SUST:
    case WW_OP_SURED:
    case WW_OP_WMMA_STORE:
    case WW_OP_TRAP:
        return true;
    default:
        return false;
    }
}

/* An extra warp's instruction: suppressed when it would leave traces, and when it fails, as one
 * that runs ahead may. */
static ww_status execute_extra(const ww_exec_env *env, ww_warp *warp, const ww_inst *inst,
                               ww_issue_kind *kind, ww_step *step)
{
    if (*kind == WW_ISSUE_SUPPRESS || leaves_traces(inst) ||
        ww_exec_step(env, warp, step, NULL) != WW_OK) {
        *kind = WW_ISSUE_SUPPRESS;
        ww_exec_pass(env, warp, step);
    }
    return WW_OK;
}

ww_status ww_sm_execute(ww_sm *sm, const ww_exec_env *env, uint32_t w, ww_issue_kind *kind,
                        ww_step *step, ww_error *err)
{
    if ((sm->extra & ww_bit(w)) != 0) {
        ww_count(sm, WW_C_MECH_EXTRA_INST, 1);
        return execute_extra(env, sm->warp[w], &sm->launch->kernel->code[sm->ib_pc[w]], kind, step);
    }
    if (*kind == WW_ISSUE_SUPPRESS || *kind == WW_ISSUE_PRELOAD) {
        return ww_fail(err, WW_EINTERNAL,
                       "a mechanism keeps an instruction of the kernel's own warps from executing");
    }
    return ww_exec_step(env, sm->warp[w], step, err);
}

uint32_t ww_sm_start_elsewhere(ww_sm *sm, uint32_t w, const ww_sm_op *uop, const ww_step *step,
                               ww_issue_verdict verdict, uint64_t now)
{
    uint32_t index = ww_sm_flight_take(sm, w, step->pc, step->exec);
    ww_flight *f = &sm->flight[index];
    uint64_t latency = verdict.latency > 0 ? verdict.latency : 1;
    ww_sm_reserve(sm, w, uop);
    f->sent = true;
    ww_count(sm, WW_C_MECH_REUSED, verdict.kind != WW_ISSUE_OWN);
    f->quiet = verdict.kind == WW_ISSUE_RENAME;
    sm->mem_flights[w] += (uop->flags & WW_SM_OP_MEMORY) != 0;
    if (verdict.kind != WW_ISSUE_OWN) {
        ww_wheel_add(&sm->wheel, now + (latency < WW_MOST_REUSE ? latency : WW_MOST_REUSE), index);
    }
    return index;
}
