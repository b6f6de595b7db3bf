/* engines.c - the asynchronous engines at work beside the pipeline: what an issued instruction
 * hands over to them, which warps sleep, and what an engine's event wakes. */
#include "base/arith.h"
#include "perf/sm/async/async.h"
#include "perf/sm/core.h"

/* ---- sleep ---- */

static void put_to_sleep(ww_sm *sm, uint32_t w, ww_sleep_for why, uint64_t until)
{
    ww_async *a = sm->async;
    a->asleep |= ww_slot(w);
    a->why[w] = (uint8_t)why;
    a->until[w] = until;
    sm->warps.at_barrier |= ww_slot(w);
    sm_evaluate(sm, w);
}

static void wake(ww_sm *sm, uint32_t w)
{
    sm->async->asleep &= ~ww_slot(w);
    sm->warps.at_barrier &= ~ww_slot(w);
    sm_evaluate(sm, w);
}

/* ---- products of warp groups ---- */

static uint32_t group_index(const ww_warp *warp)
{
    return warp->index % WW_MATRIX_WARPS;
}

static uint16_t key_of(const ww_sm *sm, uint32_t w)
{
    return (uint16_t)(sm->warps.cta_of[w] * 16u + sm->warps.at[w]->index / WW_MATRIX_WARPS + 1);
}

/* The warp's team; one that is free becomes it. */
static uint32_t team_of(ww_sm *sm, uint32_t w)
{
    ww_async *a = sm->async;
    const uint16_t key = key_of(sm, w);
    uint32_t free = 0;
    for (uint32_t t = 0; t < WW_MATRIX_TEAMS; t++) {
        if (a->team_key[t] == key) {
            return t;
        }
        free = a->team_key[t] == 0 ? t : free;
    }
    a->team_key[free] = key;
    ww_matrix_begin_team(&a->matrix, free);
    return free;
}

static void sm_async_cta_ended(ww_sm *sm, uint32_t slot)
{
    for (uint32_t t = 0; t < WW_MATRIX_TEAMS; t++) {
        if (sm->async->team_key[t] != 0 && (sm->async->team_key[t] - 1u) / 16 == slot) {
            sm->async->team_key[t] = 0;
        }
    }
}

/* The tensor pipelines of a warp's partition take nothing until a product begins. */
static void set_tensor_pipes(ww_sm *sm, uint32_t s, uint64_t free)
{
    if (sm->units.count[WW_UNIT_TENSOR] == 0) {
        return;
    }
    const ww_pipe_range range = sm->partition.serves[WW_UNIT_TENSOR][s];
    for (uint32_t i = range.first; i < range.end; i++) {
        sm->units.free[WW_UNIT_TENSOR][i] = free;
    }
}

static void issue_product(ww_sm *sm, uint32_t w, const ww_inst *inst)
{
    ww_async *a = sm->async;
    const uint32_t i = group_index(sm->warps.at[w]);
    ww_matrix_issue(&a->matrix, team_of(sm, w), i, ww_matrix_work_of(&sm->arch->async, inst));
    sm->ctas.at[sm->warps.cta_of[w]].flights++; /* its CTA stays until the product is done */
    if (ww_matrix_full(&a->matrix, i)) {
        a->blocked = true;
        set_tensor_pipes(sm, w % sm->issue.schedulers, UINT64_MAX / 2);
    }
}

static void let_products_in(ww_sm *sm, uint64_t now)
{
    sm->async->blocked = false;
    for (uint32_t s = 0; s < sm->issue.schedulers; s++) {
        set_tensor_pipes(sm, s, now);
    }
}

static void wait_for_products(ww_sm *sm, uint32_t w, const ww_inst *inst, uint64_t now)
{
    ww_matrix *m = &sm->async->matrix;
    const uint32_t team = team_of(sm, w), i = group_index(sm->warps.at[w]);
    if (inst->sub == WW_SUB_FENCE) {
        put_to_sleep(sm, w, WW_SLEEP_TIME, now + 1 + sm->arch->async.matrix_fence);
    } else if (inst->sub == WW_SUB_COMMIT) {
        ww_matrix_commit(m, team, i);
    } else {
        const uint32_t until = ww_matrix_until(m, team, i, (uint64_t)inst->offset);
        if (ww_matrix_done(m, team) < until) {
            put_to_sleep(sm, w, WW_SLEEP_MATRIX, until);
        }
    }
}

static void product_done(ww_sm *sm, uint32_t team, uint64_t now)
{
    ww_async *a = sm->async;
    const uint32_t key = a->team_key[team] - 1u;
    ww_cta_slot *slot = &sm->ctas.at[key / 16];
    for (ww_slots m = slot->warps & a->asleep; ww_any(m); m = ww_rest(m)) {
        const uint32_t w = ww_first(m);
        if (a->why[w] == WW_SLEEP_MATRIX && key_of(sm, w) == key + 1 &&
            ww_matrix_done(&a->matrix, team) >= a->until[w]) {
            wake(sm, w);
        }
    }
    sm->pulse.progress++;
    slot->flights -= WW_MATRIX_WARPS;
    if (slot->flights == 0) {
        sm_cta_check(sm, slot, now);
    }
}

/* ---- events ---- */

static void plan(ww_sm *sm)
{
    ww_async *a = sm->async;
    a->next = ww_matrix_next(&a->matrix);
    for (ww_slots m = a->asleep; ww_any(m); m = ww_rest(m)) {
        const uint32_t w = ww_first(m);
        if (a->why[w] == WW_SLEEP_TIME) {
            a->next = ww_min_u64(a->next, a->until[w]);
        }
    }
}

static void sm_async_act(ww_sm *sm, uint64_t now)
{
    ww_async *a = sm->async;
    uint32_t team;
    while (ww_matrix_act(&a->matrix, now, &team)) {
        if (team != WW_MATRIX_NOBODY) {
            product_done(sm, team, now);
        } else if (a->blocked) {
            let_products_in(sm, now);
        }
    }
    for (ww_slots m = a->asleep; ww_any(m); m = ww_rest(m)) {
        const uint32_t w = ww_first(m);
        if (a->why[w] == WW_SLEEP_TIME && a->until[w] <= now) {
            wake(sm, w);
        }
    }
    plan(sm);
}

static void hand_over(ww_sm *sm, uint32_t w, uint32_t pc, uint64_t now)
{
    const ww_inst *inst = &sm->launch->kernel->code[ww_program_inst(sm->program, pc)];
    if (inst->op == WW_OP_WGMMA) {
        issue_product(sm, w, inst);
    } else if (inst->op == WW_OP_WGMMA_WAIT) {
        wait_for_products(sm, w, inst, now);
    }
    /* A product that all four warps have issued may begin in this cycle. */
    sm_async_act(sm, now);
}

static WW_NOINLINE ww_status sm_issue_engines(ww_sm *sm, uint32_t w, uint64_t now, ww_error *err)
{
    const uint64_t *v = sm->counters->v;
    const uint64_t issued = v[WW_C_INST_ISSUED];
    const uint32_t pc = sm->ibuf.pc[w];
    WW_TRY(sm_issue_beside(sm, w, now, err));
    if (v[WW_C_INST_ISSUED] != issued && (sm->program->uop[pc].flags & WW_SM_OP_ENGINE) != 0 &&
        sm->scratch.exec != 0 && !ww_in(sm->extra.warps | sm->shadow.warps, w)) {
        hand_over(sm, w, pc, now);
    }
    return WW_OK;
}

/* ---- the port ---- */

static uint64_t sm_port_take(ww_sm *sm, uint32_t cycles, uint64_t now)
{
    return sm->async != NULL ? ww_smem_port_take(&sm->async->port, now, now, cycles) : now + cycles;
}

/* ---- a launch's engines ---- */

static ww_status sm_async_begin(ww_sm *sm, ww_error *err)
{
    if (!sm->program->asynchronous) {
        return WW_OK;
    }
    if (sm->async_room == NULL) {
        sm->async_room = WW_NEW(ww_async);
        if (sm->async_room == NULL) {
            return ww_no_memory_for(err, "the engines of SM %u", sm->id);
        }
    }
    ww_async *a = sm->async_room;
    memset(a, 0, sizeof *a);
    a->next = UINT64_MAX;
    ww_smem_port_reset(&a->port, 0);
    ww_matrix_reset(&a->matrix, &a->port, sm->arch->async.matrix_queue);
    sm->async = a;
    return WW_OK;
}

/* Nothing but what can wait is left to be slept for: warps that go on without time do so. */
static bool sm_async_at_rest(const ww_sm *sm)
{
    return sm->async->matrix.count == 0 && sm->async->matrix.end_count == 0;
}

static const char *sm_async_reason(const ww_sm *sm, uint32_t w)
{
    return sm->async->why[w] == WW_SLEEP_MATRIX ? "products of its warp group" : "a fence";
}
