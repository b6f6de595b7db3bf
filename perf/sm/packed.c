/* packed.c - code from which a mechanism's pass has taken instructions out (ww_inst_shape): the
 * front end sees the places of those that are present. The others still compute what they did, with
 * the instruction before them and without time, so that registers hold what the program says. */
#include "perf/sm/hooks.h"

static bool is_absent(const ww_program *p, uint32_t inst)
{
    return p->place != NULL && inst < p->kernel->code_count &&
           ww_program_inst(p, p->place[inst]) != inst;
}

static bool is_awaited(const ww_sm *sm, uint32_t w, const ww_operand *o)
{
    if (o->kind == WW_OPD_PRED) {
        return ww_awaits_memory(sm, w, ww_program_predicate_bit(sm->program, o->reg));
    }
    for (uint32_t k = 0; o->kind == WW_OPD_REG && k < o->words; k++) {
        if (ww_awaits_memory(sm, w, ww_program_bit(sm->program, o->reg + k))) {
            return true;
        }
    }
    return false;
}

/* Results of atomics reach their registers when they take place: what names such a register has to
 * wait, whether it takes time or not. */
static bool sm_must_wait(const ww_sm *sm, uint32_t w, const ww_inst *inst)
{
    bool wait = is_awaited(sm, w, &inst->guard);
    for (unsigned k = 0; k < inst->src_count; k++) {
        wait = wait || is_awaited(sm, w, &inst->src[k]);
    }
    for (unsigned k = 0; k < inst->dst_count; k++) {
        wait = wait || is_awaited(sm, w, &inst->dst[k]);
    }
    return wait;
}

static bool sm_at_absent(const ww_sm *sm, uint32_t w)
{
    return is_absent(sm->program, ww_warp_pc(sm->warps.at[w]));
}

static ww_status sm_run_absent(ww_sm *sm, uint32_t w, uint64_t now, ww_error *err)
{
    ww_warp *warp = sm->warps.at[w];
    const ww_exec_env env = {
        .launch = sm->launch, .pending = sm->effects, .cycle = now, .time = &sm->time};
    while (!warp->at_barrier && is_absent(sm->program, ww_warp_pc(warp)) &&
           !sm_must_wait(sm, w, &sm->launch->kernel->code[ww_warp_pc(warp)])) {
        ww_step step = {0};
        WW_TRY(ww_exec_step(&env, warp, &step, err));
        if (step.is_memory && step.again) {
            return ww_fail(err, WW_EINTERNAL,
                           "a mechanism has taken out an instruction that waits");
        }
        ww_count(sm, WW_C_MECH_ABSENT, 1);
        ww_count(sm, WW_C_INST_PROGRAM, (unsigned)__builtin_popcount(step.exec));
    }
    return WW_OK;
}

static uint32_t sm_next_place(const ww_sm *sm, uint32_t w)
{
    return ww_program_place(sm->program, ww_warp_pc(sm->warps.at[w]));
}
