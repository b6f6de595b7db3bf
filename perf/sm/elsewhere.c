/* elsewhere.c - instructions that a mechanism keeps from the way through collectors and units, and
 * what extra and shadow warps may execute. */
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

/* Whether an instruction of a shadow warp could change what is seen outside its context. */
static bool leaves_context(const ww_inst *inst)
{
    ww_form form =
        ww_isa_form((ww_op)inst->op, (ww_type)inst->type, (ww_type)inst->type2, (ww_sub)inst->sub);
    switch (inst->op) {
    case WW_OP_LD:
    case WW_OP_TEX:
    case WW_OP_TLD4:
    case WW_OP_TXQ:
    case WW_OP_SULD:
    case WW_OP_SUQ:
    case WW_OP_PREFETCH:
    case WW_OP_LDMATRIX:
    case WW_OP_WMMA_LOAD:
        return false;
    default:
        return form.kind == WW_KIND_MEMORY || form.kind == WW_KIND_SYNC || leaves_traces(inst);
    }
}

static const ww_inst *inst_of(const ww_sm *sm, uint32_t w)
{
    return &sm->launch->kernel->code[ww_program_inst(sm->program, sm->ibuf.pc[w])];
}

/* The mechanism says what becomes of it and where the warp goes. */
static void execute_driven(ww_sm *sm, const ww_exec_env *env, uint32_t w, ww_step *step)
{
    ww_warp *warp = sm->warps.at[w];
    *step = (ww_step){.pc = ww_warp_pc(warp)};
    uint32_t next = ww_hook_driven(sm, w, sm->ibuf.pc[w], step, env->cycle);
    step->taken = next != step->pc + 1;
    if (next == WW_NO_TARGET) {
        warp->depth = 0;
        warp->cta->live_warps--;
        step->exited = true;
    } else {
        warp->stack[0].pc = next;
    }
}

/* A shadow warp's instruction. Its loads see memory as it is, and wait for nothing. */
static ww_status execute_shadow(ww_sm *sm, const ww_exec_env *env, uint32_t w, ww_issue_kind *kind,
                                ww_step *step, ww_error *err)
{
    const ww_inst *inst = inst_of(sm, w);
    ww_exec_env alone = *env;
    alone.pending = NULL;
    ww_count(sm, WW_C_MECH_SHADOW_INST, 1);
    if (inst->op == WW_OP_EXIT) {
        return ww_fail(err, WW_EINTERNAL, "a shadow warp was let to exit");
    }
    if (*kind == WW_ISSUE_SUPPRESS || leaves_context(inst) ||
        ww_exec_step(&alone, sm->warps.at[w], step, NULL) != WW_OK) {
        *kind = WW_ISSUE_SUPPRESS;
        ww_exec_pass(&alone, sm->warps.at[w], step);
    }
    return WW_OK;
}

ww_status ww_sm_execute(ww_sm *sm, const ww_exec_env *env, uint32_t w, ww_issue_kind *kind,
                        ww_step *step, ww_error *err)
{
    if (ww_in(sm->extra.warps, w)) {
        ww_count(sm, WW_C_MECH_EXTRA_INST, 1);
        if (ww_in(sm->extra.driven, w)) {
            execute_driven(sm, env, w, step);
            return WW_OK;
        }
        return execute_extra(env, sm->warps.at[w], inst_of(sm, w), kind, step);
    }
    if (ww_in(sm->shadow.warps, w)) {
        return execute_shadow(sm, env, w, kind, step, err);
    }
    if (*kind == WW_ISSUE_SUPPRESS || *kind == WW_ISSUE_PRELOAD) {
        return ww_fail(err, WW_EINTERNAL,
                       "a mechanism keeps an instruction of the kernel's own warps from executing");
    }
    return ww_exec_step(env, sm->warps.at[w], step, err);
}

uint32_t ww_sm_start_elsewhere(ww_sm *sm, uint32_t w, const ww_sm_op *uop, const ww_step *step,
                               ww_issue_verdict verdict, uint64_t now)
{
    uint32_t index = ww_sm_flight_take(sm, w, sm->ibuf.pc[w], step->exec);
    ww_flight *f = &sm->flights.at[index];
    bool beside = verdict.kind == WW_ISSUE_BESIDE;
    uint64_t own = beside ? uop->latency + sm->arch->sm.writeback_cycles : 1;
    uint64_t latency = verdict.latency > 0 ? verdict.latency : own;
    ww_sm_reserve(sm, w, uop);
    f->sent = true;
    ww_count(sm, WW_C_MECH_REUSED, verdict.kind != WW_ISSUE_OWN && !beside);
    f->quiet = verdict.kind == WW_ISSUE_RENAME || beside;
    sm->warps.mem_flights[w] += (uop->flags & WW_SM_OP_MEMORY) != 0;
    if (verdict.kind != WW_ISSUE_OWN) {
        ww_wheel_add(&sm->flights.wheel, now + (latency < WW_MOST_REUSE ? latency : WW_MOST_REUSE),
                     index);
    }
    return index;
}
