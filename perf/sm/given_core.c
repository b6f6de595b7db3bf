/* given_core.c - a core that a mechanism brings (seam_core.h): the row of core.h that passes on to
 * it, results that appear over several cycles, and its services. */
#include "base/assert.h"
#include "perf/sm/core.h"
#include "perf/sm/hooks.h"

/* ---- the row ---- */

static const ww_sm_op *op_of(const ww_sm *sm, uint32_t flight)
{
    WW_ASSERT(flight < sm->flights.capacity);
    return sm->flights.at[flight].op;
}

static ww_core_inst core_inst(const ww_sm *sm, uint32_t flight)
{
    const ww_sm_op *op = op_of(sm, flight);
    const ww_flight *f = &sm->flights.at[flight];
    const ww_step *step = f->mem != WW_NONE ? &sm->ldst.at[f->mem].step : NULL;
    return (ww_core_inst){.op = op,
                          .step = step,
                          .threads = f->exec,
                          .warp = f->warp,
                          .shared = step != NULL && sm_mem_path(op, step) == WW_PATH_SHARED};
}

static ww_slots given_blocked(const ww_sm *sm, uint32_t s, ww_slots ready, uint64_t now,
                              uint64_t *next)
{
    *next = now + 1; /* the mechanism is asked again */
    (void)s;
    const ww_core_heads heads = {
        .ready = ww_warps_of_slots(ready),
        .control = ww_warps_of_slots(sm->ibuf.head[WW_UNIT_CTRL]),
        .memory = ww_warps_of_slots(sm->ibuf.head[WW_UNIT_LDST]),
        .appearing = ww_warps_of_slots(sm->given.appear),
        .may_hold = sm->ldst.free != WW_NONE,
    };
    return ww_slots_of_warps(sm->given.core->blocked(sm->given.state, &heads, now));
}

static void given_start(ww_sm *sm, uint32_t flight, const ww_sm_op *uop, uint64_t now)
{
    ww_core_inst inst = core_inst(sm, flight);
    if (ww_sm_folded_waits(sm, uop)) {
        inst.step = sm->given.folded;
    }
    sm->given.core->start(sm->given.state, flight, &inst, now);
    sm_count_start(sm, uop, sm->flights.at[flight].lanes);
}

static uint64_t given_next_free(const ww_sm *sm, uint64_t now)
{
    return sm->given.core->next_free(sm->given.state, now);
}

static void leave_appearing(ww_sm *sm, uint32_t index)
{
    const uint32_t w = sm->flights.at[index].warp;
    uint32_t *link = &sm->given.appearing[w];
    while (*link != index) {
        WW_ASSERT(*link != WW_NONE); /* given_write has put it there */
        link = &sm->flights.at[*link].next;
    }
    *link = sm->flights.at[index].next;
    if (sm->given.appearing[w] == WW_NONE) {
        sm->given.appear &= ~ww_slot(w);
    }
}

/* First when results begin to appear, then when all are there. */
static void given_write(ww_sm *sm, uint32_t index, uint64_t now)
{
    ww_flight *f = &sm->flights.at[index];
    if (f->ready_at > now) {
        sm_release(sm, f->warp, f->op);
        f->loose = true;
        f->next = sm->given.appearing[f->warp];
        sm->given.appearing[f->warp] = index;
        sm->given.appear |= ww_slot(f->warp);
        ww_flight_ends(&sm->flights, f->ready_at, index);
        return;
    }
    if (f->loose) {
        leave_appearing(sm, index);
    }
    const ww_core_inst inst = core_inst(sm, index);
    sm->given.core->written(sm->given.state, &inst, now);
    sm_flight_done(sm, index, now);
}

static void given_cycle(ww_sm *sm, uint64_t now)
{
    sm->given.core->cycle(sm->given.state, now);
}

/* ---- services ---- */

static uint32_t mech_pipes(const ww_sm *sm, uint32_t unit)
{
    WW_ASSERT(unit < WW_PIPE_KINDS);
    return sm->units.count[unit];
}

static ww_warps mech_ready(const ww_sm *sm)
{
    return ww_warps_of_slots(sm->board.ready);
}

static const ww_inst *head_inst(const ww_sm *sm, uint32_t w)
{
    WW_ASSERT(ww_in(sm->ibuf.decoded, w));
    return &sm->program->kernel->code[ww_program_inst(sm->program, sm->ibuf.pc[w])];
}

static ww_core_inst mech_head_of(const ww_sm *sm, uint32_t w)
{
    const ww_warp *warp = sm->warps.at[w];
    const ww_inst *inst = head_inst(sm, w);
    uint32_t threads = ww_warp_active(warp);
    if (inst->guard.kind == WW_OPD_PRED) {
        uint32_t p = warp->preds[inst->guard.reg];
        threads &= (inst->guard.flags & WW_OPD_NOT) != 0 ? ~p : p;
    }
    return (ww_core_inst){.op = &sm->program->uop[sm->ibuf.pc[w]], .threads = threads, .warp = w};
}

static bool names(const ww_sm *sm, const ww_sm_op *uop, const ww_sm_op *writer)
{
    const ww_reg_bits *need = ww_program_named(sm->program, uop);
    const ww_reg_bits *made = ww_program_written(sm->program, writer);
    for (unsigned i = 0; i < uop->hazard_count; i++) {
        for (unsigned k = 0; k < writer->reserve_count; k++) {
            if (need[i].word == made[k].word && (need[i].mask & made[k].mask) != 0) {
                return true;
            }
        }
    }
    return false;
}

static bool guarded_by(const ww_sm *sm, const ww_inst *inst, const ww_sm_op *writer)
{
    const ww_reg_bits *made = ww_program_written(sm->program, writer);
    if (inst->guard.kind != WW_OPD_PRED) {
        return false;
    }
    const uint32_t bit = ww_program_predicate_bit(sm->program, inst->guard.reg);
    for (unsigned k = 0; k < writer->reserve_count; k++) {
        if (made[k].word == bit / 64 && (made[k].mask >> (bit % 64) & 1) != 0) {
            return true;
        }
    }
    return false;
}

static bool mech_needs_last(const ww_sm *sm, uint32_t w)
{
    const ww_core_inst head = mech_head_of(sm, w);
    const ww_inst *inst = head_inst(sm, w);
    const bool whole = head.op->unit == WW_UNIT_CTRL || (head.op->flags & WW_SM_OP_CROSSES) != 0;
    for (uint32_t i = sm->given.appearing[w]; i != WW_NONE; i = sm->flights.at[i].next) {
        const ww_sm_op *writer = op_of(sm, i);
        if ((whole || head.threads != sm->flights.at[i].exec || guarded_by(sm, inst, writer)) &&
            names(sm, head.op, writer)) {
            return true;
        }
    }
    return false;
}

static ww_core_inst mech_flight(const ww_sm *sm, uint32_t flight)
{
    return core_inst(sm, flight);
}

static void mech_charge(ww_sm *sm, const ww_sm_op *op, ww_counter counter, uint64_t n)
{
    ww_charge(sm, ww_place_of(sm, op), counter, n);
}

static void mech_only(ww_sm *sm, uint32_t flight, uint32_t threads)
{
    ww_flight *f = &sm->flights.at[flight];
    WW_ASSERT(threads != 0 && (threads & ~f->exec) == 0);
    f->exec = threads;
    f->lanes = (uint8_t)__builtin_popcount(threads);
}

static void mech_results(ww_sm *sm, uint32_t flight, uint64_t first, uint64_t last)
{
    WW_ASSERT(first <= last);
    sm->flights.at[flight].ready_at = last;
    ww_flight_ends(&sm->flights, first, flight);
}

static bool mech_queue_room(const ww_sm *sm)
{
    return sm->ldst.count < sm->arch->ldst.queue_entries;
}

static void mech_queue(ww_sm *sm, uint32_t flight)
{
    WW_ASSERT(mech_queue_room(sm));
    sm_ldst_enqueue(sm, sm->flights.at[flight].mem);
}

static uint64_t mech_coalesce(ww_sm *sm, uint32_t flight, uint64_t last_at, uint64_t now)
{
    return sm_coalesce_as_they_come(sm, sm->flights.at[flight].mem, last_at, now);
}

static void mech_accessed(ww_sm *sm, uint32_t flight)
{
    ww_flight *f = &sm->flights.at[flight];
    WW_ASSERT(f->mem != WW_NONE);
    ww_ldst_give(&sm->ldst, f->mem);
    f->mem = WW_NONE;
}

/* ---- life ---- */

/* Entries for what the core holds, and time for its results; what was there is of no launch. */
static ww_status make_room(ww_sm *sm, const ww_mech_core *core, ww_error *err)
{
    const uint32_t capacity = sm->ldst.capacity + core->holds(sm->arch);
    ww_mem_inst *at = WW_NEW_ARRAY(ww_mem_inst, capacity);
    if (at == NULL) {
        return ww_no_memory_for(err, "the load/store unit of SM %u", sm->id);
    }
    ww_free(sm->ldst.own);
    sm->ldst.at = sm->ldst.own = at;
    sm->ldst.capacity = capacity;
    ww_wheel_fini(&sm->flights.wheel);
    sm->flights.wheel = (ww_wheel){0};
    return ww_wheel_init(&sm->flights.wheel, sm_horizon(sm->arch) + core->horizon(sm->arch), err);
}

static ww_status given_take(ww_sm *sm, const ww_mech_core *core, void *state, ww_error *err)
{
    if (sm->given.core != NULL) {
        return ww_fail(err, WW_EUNSUP, "another mechanism has brought a core already");
    }
    WW_TRY(make_room(sm, core, err));
    sm->given.core = core;
    sm->given.state = state;
    sm->core = core_ops_of(WW_CORE_LANES);
    sm_end(sm); /* free lists anew */
    return WW_OK;
}

static void given_reset(ww_given_stage *given)
{
    for (uint32_t w = 0; w < WW_SM_WARPS; w++) {
        given->appearing[w] = WW_NONE;
    }
    given->appear = WW_NO_SLOTS;
}
