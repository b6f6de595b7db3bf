/* elsewhere.c - instructions that a mechanism keeps from the way through collectors and units, and
 * what extra and shadow warps may execute. */
#include "perf/sm/hooks.h"

/* What an extra warp has to itself, and may therefore write: it is a CTA of its own. */
enum {
    WRITES_OWN =
        WW_AT_VALUES | WW_AT_SHARED | WW_AT_LOCAL | WW_AT_OBJECTS | WW_AT_GROUPS | WW_AT_ORDER
};

/* Whether an instruction could change what the kernel's own warps see. */
static bool leaves_traces(const ww_inst *inst)
{
    const ww_effects e = ww_inst_effects(inst);
    const bool arrives = (e.writes & WW_AT_OBJECTS) != 0;
    return (e.writes & ~(uint32_t)WRITES_OWN) != 0 || e.goes == WW_GOES_ABORTS ||
           (arrives && (e.meets & (WW_MEETS_CLUSTER | WW_MEETS_GRID)) != 0);
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

/* Whether an instruction of a shadow warp could change what is seen outside its context. A load
 * that orders those behind it only loads there. */
static bool sm_leaves_context(const ww_inst *inst)
{
    const ww_effects e = ww_inst_effects(inst);
    const uint32_t own = (e.writes & WW_AT_VALUES) != 0 ? WW_AT_VALUES | WW_AT_ORDER : 0;
    return (e.writes & ~own) != 0 || (e.waits & ~(uint32_t)WW_BY_TIME) != 0 || leaves_traces(inst);
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
    uint32_t next = hook_driven(sm, w, sm->ibuf.pc[w], step, env->cycle);
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
    if (*kind == WW_ISSUE_SUPPRESS || sm_leaves_context(inst) ||
        ww_exec_step(&alone, sm->warps.at[w], step, NULL) != WW_OK) {
        *kind = WW_ISSUE_SUPPRESS;
        ww_exec_pass(&alone, sm->warps.at[w], step);
    }
    return WW_OK;
}

static ww_status sm_execute(ww_sm *sm, const ww_exec_env *env, uint32_t w, ww_issue_kind *kind,
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

static uint32_t sm_start_elsewhere(ww_sm *sm, uint32_t w, const ww_sm_op *uop, const ww_step *step,
                                   ww_issue_verdict verdict, uint64_t now)
{
    uint32_t index = sm_flight_take(sm, w, sm->ibuf.pc[w], step->exec);
    ww_flight *f = &sm->flights.at[index];
    bool beside = verdict.kind == WW_ISSUE_BESIDE;
    uint64_t own = beside ? uop->latency + sm->arch->sm.writeback_cycles : 1;
    uint64_t latency = verdict.latency > 0 ? verdict.latency : own;
    sm_reserve(sm, w, uop);
    f->sent = true;
    ww_count(sm, WW_C_MECH_REUSED, verdict.kind != WW_ISSUE_OWN && !beside);
    f->quiet = verdict.kind == WW_ISSUE_RENAME || beside;
    sm->warps.mem_flights[w] += (uop->flags & WW_SM_OP_MEMORY) != 0;
    if (verdict.kind != WW_ISSUE_OWN) {
        ww_flight_ends(&sm->flights, now + (latency < WW_MOST_REUSE ? latency : WW_MOST_REUSE),
                       index);
    }
    return index;
}
