/* engines.c - the asynchronous engines at work beside the pipeline: what an issued instruction
 * hands over to them, which warps sleep, and what an engine's event wakes. */
#include "base/arith.h"
#include "perf/sm/async/async.h"
#include "perf/sm/core.h"

#include <stdio.h>

/* ---- sleep ---- */

static ww_waits_for wait_of(ww_sleep_for why)
{
    switch (why) {
    case WW_SLEEP_OBJECT:
        return WW_FOR_OBJECT;
    case WW_SLEEP_MATRIX:
    case WW_SLEEP_ROOM:
        return WW_FOR_PRODUCTS;
    case WW_SLEEP_QUEUE:
    case WW_SLEEP_READ:
    case WW_SLEEP_DONE:
        return WW_FOR_COPIES;
    case WW_SLEEP_TIME:
    case WW_SLEEP_GRIDS:
    case WW_SLEEP_REGISTERS:
        break;
    }
    return WW_FOR_OTHER;
}

static void put_to_sleep(ww_sm *sm, uint32_t w, ww_sleep_for why, uint64_t until)
{
    ww_async *a = sm->async;
    overlap_waits(sm, w, wait_of(why));
    a->asleep |= ww_slot(w);
    a->why[w] = (uint8_t)why;
    a->until[w] = until;
    sm->warps.at_barrier |= ww_slot(w);
    sm_evaluate(sm, w);
}

static void wake(ww_sm *sm, uint32_t w)
{
    overlap_goes_on(sm, w);
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

static void sm_async_warp(ww_sm *sm, uint32_t w)
{
    sm->async->bulk[w] = (ww_bulk_groups){0};
    sm->async->tries[w] = 0;
    sm->warps.at[w]->gives_up = false;
    registers_warp(sm, w);
    overlap_warp(sm, w);
}

static void sm_async_cta_ended(ww_sm *sm, uint32_t slot, uint64_t now)
{
    overlap_count(sm, now);
    for (uint32_t t = 0; t < WW_MATRIX_TEAMS; t++) {
        if (sm->async->team_key[t] != 0 && (sm->async->team_key[t] - 1u) / 16 == slot) {
            sm->async->team_key[t] = 0;
        }
    }
}

/* The warp's head is a product that finds no room: it stays where it is. */
static bool stands_before_unit(ww_sm *sm, uint32_t w)
{
    const uint32_t pc = ww_program_inst(sm->program, sm->ibuf.pc[w]);
    return sm->launch->kernel->code[pc].op == WW_OP_WGMMA &&
           !ww_in(sm->extra.warps | sm->shadow.warps, w) &&
           !ww_matrix_room(&sm->async->matrix, team_of(sm, w), group_index(sm->warps.at[w]));
}

static void issue_product(ww_sm *sm, uint32_t w, uint32_t pc, const ww_inst *inst)
{
    ww_async *a = sm->async;
    const uint32_t i = group_index(sm->warps.at[w]);
    overlap_asks(sm, w, WW_ROLE_CONSUMER);
    const ww_matrix_work work = ww_matrix_work_of(&sm->arch->async, inst);
    ww_matrix_issue(&a->matrix, team_of(sm, w), i, work);
    if (i == 0) { /* once for the warp group: A and B come from shared memory without a crossbar */
        ww_charge(sm, pc, WW_C_WG_PRODUCTS, 1);
        ww_charge(sm, pc, WW_C_OPERAND_ROWS, work.rows);
    }
    sm->cta[sm->warps.cta_of[w]].flights++; /* its CTA stays until the product is done */
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
    ww_cta_slot *slot = &sm->cta[key / 16];
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

/* ---- mbarriers ---- */

/* A try_wait that fails: the warp sleeps until the phase ends or it has waited for long enough; for
 * as long as it takes where it has done so often, so that a wait that never ends is seen. */
static void sleep_for_object(ww_sm *sm, uint32_t w, uint64_t now)
{
    enum { MOST_TRIES = 16 };
    ww_async *a = sm->async;
    const uint32_t object = a->engines.object;
    a->engines.sleeps = false;
    a->object[w] = object;
    a->phase[w] = (uint8_t)ww_exec_phase(sm->warps.at[w]->cta, object);
    put_to_sleep(sm, w, WW_SLEEP_OBJECT,
                 a->tries[w] < MOST_TRIES ? now + sm->arch->async.object_suspend : UINT64_MAX);
}

static void phases_ended(ww_sm *sm, uint64_t now)
{
    ww_async *a = sm->async;
    for (ww_slots m = a->asleep; ww_any(m); m = ww_rest(m)) {
        const uint32_t w = ww_first(m);
        if (a->why[w] == WW_SLEEP_OBJECT &&
            ww_exec_phase(sm->warps.at[w]->cta, a->object[w]) != a->phase[w]) {
            a->tries[w] = 0;
            a->why[w] = WW_SLEEP_TIME;
            a->until[w] = now + sm->arch->async.object_wake;
        }
    }
}

/* ---- copies ---- */

static ww_status ask_for_copies(ww_sm *sm, uint32_t w, uint32_t pc, uint64_t now, ww_error *err)
{
    ww_async *a = sm->async;
    bool multicast = false;
    for (uint32_t i = 0; i < a->engines.jobs; i++) {
        multicast |= a->engines.job[i].multicast;
        WW_TRY(copy_ask(sm, w, pc, &a->engines.job[i], err));
    }
    const uint32_t held = multicast ? sm->arch->async.multicast_issue : sm->arch->async.copy_issue;
    if (a->copies.waiting > sm->arch->async.copy_queue) {
        put_to_sleep(sm, w, WW_SLEEP_QUEUE, 0);
    } else {
        put_to_sleep(sm, w, WW_SLEEP_TIME, now + 1 + held);
        overlap_waits(sm, w, WW_FOR_COPIES);
    }
    a->engines.jobs = 0;
    overlap_asks(sm, w, WW_ROLE_PRODUCER);
    overlap_copying(sm, true, now);
    return WW_OK;
}

static void wait_for_bulk(ww_sm *sm, uint32_t w, const ww_inst *inst)
{
    ww_bulk_groups *g = &sm->async->bulk[w];
    uint32_t until;
    if (inst->sub == WW_SUB_COMMIT_BULK) {
        bulk_commit(g);
        return;
    }
    const bool reads = inst->layout != 0;
    if (!bulk_arrived(g, reads, (uint64_t)inst->offset, &until)) {
        put_to_sleep(sm, w, reads ? WW_SLEEP_READ : WW_SLEEP_DONE, until);
    }
}

/* ---- grids that depend on each other ---- */

static void control_grids(ww_sm *sm, uint32_t w, const ww_inst *inst)
{
    ww_cta_slot *slot = &sm->cta[sm->warps.cta_of[w]];
    if (inst->sub == WW_SUB_WAIT && sm->async->depends) {
        put_to_sleep(sm, w, WW_SLEEP_GRIDS, 0);
    } else if (inst->sub == WW_SUB_LAUNCH && !slot->willing) {
        slot->willing = true;
        sm->pulse.willing++;
    }
}

static void sm_set_depends(ww_sm *sm, bool depends, uint64_t now)
{
    ww_async *a = sm->async;
    if (a == NULL) {
        return;
    }
    a->overlap.now = now;
    a->depends = depends;
    for (ww_slots m = depends ? WW_NO_SLOTS : a->asleep; ww_any(m); m = ww_rest(m)) {
        const uint32_t w = ww_first(m);
        if (a->why[w] == WW_SLEEP_GRIDS) {
            a->why[w] = WW_SLEEP_TIME;
            a->until[w] = a->next = sm->pulse.wake = now;
        }
    }
}

/* ---- events ---- */

static void plan(ww_sm *sm)
{
    ww_async *a = sm->async;
    a->next = ww_min_u64(ww_matrix_next(&a->matrix), copy_next(&a->copies));
    a->next = ww_min_u64(a->next, messages_next(&a->remote));
    for (ww_slots m = a->asleep; ww_any(m); m = ww_rest(m)) {
        const uint32_t w = ww_first(m);
        if (a->why[w] == WW_SLEEP_TIME || a->why[w] == WW_SLEEP_OBJECT) {
            a->next = ww_min_u64(a->next, a->until[w]);
        }
    }
}

/* Whether what the warp sleeps for has come. */
static bool may_wake(ww_sm *sm, uint32_t w, uint64_t now)
{
    ww_async *a = sm->async;
    ww_bulk_groups *g = &a->bulk[w];
    switch ((ww_sleep_for)a->why[w]) {
    case WW_SLEEP_TIME:
        return a->until[w] <= now;
    case WW_SLEEP_OBJECT:
        if (a->until[w] <= now) {
            a->tries[w]++;
            sm->warps.at[w]->gives_up = true;
            return true;
        }
        return false;
    case WW_SLEEP_QUEUE:
        return a->copies.waiting <= sm->arch->async.copy_queue;
    case WW_SLEEP_READ:
        bulk_forget(g);
        return (int32_t)(g->oldest_read - (uint32_t)a->until[w]) >= 0;
    case WW_SLEEP_DONE:
        bulk_forget(g);
        return (int32_t)(g->oldest_done - (uint32_t)a->until[w]) >= 0;
    case WW_SLEEP_ROOM:
        return !stands_before_unit(sm, w);
    case WW_SLEEP_MATRIX:    /* product_done wakes it */
    case WW_SLEEP_REGISTERS: /* becomes a time */
    case WW_SLEEP_GRIDS:     /* so does that */
        break;
    }
    return false;
}

static ww_status act_copies(ww_sm *sm, uint64_t now, ww_error *err)
{
    ww_copies *c = &sm->async->copies;
    uint32_t ended;
    while (start_command(sm, now) || walk(sm, now) || walk_out(sm, now)) {
    }
    while ((ended = ended_task(c, now)) != WW_COPY_NONE) {
        bool flipped;
        WW_TRY(end_task(sm, ended, now, &flipped, err));
        if (flipped) {
            phases_ended(sm, now);
        }
    }
    return WW_OK;
}

static ww_status sm_async_act(ww_sm *sm, uint64_t now, ww_error *err)
{
    ww_async *a = sm->async;
    uint32_t team;
    a->overlap.now = now;
    while (ww_matrix_act(&a->matrix, now, &team)) {
        if (team != WW_MATRIX_NOBODY) {
            product_done(sm, team, now);
            continue;
        }
        overlap_matrix(sm, a->matrix.free_at, now);
        note_engine(sm, (a->team_key[ww_matrix_latest(&a->matrix)] - 1u) / 16, WW_SPAN_PRODUCT, now,
                    a->matrix.free_at);
    }
    WW_TRY(act_messages(sm, now, err));
    WW_TRY(act_copies(sm, now, err));
    overlap_copying(sm, a->copies.under_way > 0, now);
    for (ww_slots m = a->asleep; ww_any(m); m = ww_rest(m)) {
        const uint32_t w = ww_first(m);
        if (may_wake(sm, w, now)) {
            wake(sm, w);
        }
    }
    plan(sm);
    return WW_OK;
}

static void sm_async_replied(ww_sm *sm, const ww_mem_req *reply, uint64_t now)
{
    copy_replied(sm, reply, now);
    sm->async->next = now;
}

static void sm_async_drained(ww_sm *sm, uint64_t now)
{
    ww_async *a = sm->async;
    if (a->copies.blocked) {
        a->copies.blocked = false;
        a->next = ww_min_u64(a->next, now + 1);
        sm->pulse.wake = ww_min_u64(sm->pulse.wake, now + 1);
    }
}

static ww_status hand_over(ww_sm *sm, uint32_t w, uint32_t pc, uint64_t now, ww_error *err)
{
    const ww_inst *inst = &sm->launch->kernel->code[ww_program_inst(sm->program, pc)];
    ww_async *a = sm->async;
    const bool some = sm->scratch.exec != 0; /* of an instruction that no pipeline takes over */
    if (inst->op == WW_OP_WGMMA && some) {
        issue_product(sm, w, pc, inst);
    } else if (inst->op == WW_OP_WGMMA_WAIT && some) {
        wait_for_products(sm, w, inst, now);
    } else if (inst->op == WW_OP_CP_WAIT && some) {
        wait_for_bulk(sm, w, inst);
    } else if (inst->op == WW_OP_SETMAXNREG && some) {
        change_registers(sm, w, inst, now);
    } else if (inst->op == WW_OP_GRID_CONTROL && some) {
        control_grids(sm, w, inst);
    }
    if (a->engines.jobs > 0) {
        WW_TRY(ask_for_copies(sm, w, pc, now, err));
    }
    send_ops(sm, w, now);
    if (a->engines.flips > 0) {
        a->engines.flips = 0;
        phases_ended(sm, now);
    }
    /* What is due at once happens in this cycle. */
    return sm_async_act(sm, now, err);
}

static WW_NOINLINE ww_status sm_issue_engines(ww_sm *sm, uint32_t w, uint64_t now, ww_error *err)
{
    const uint64_t *v = sm->counters->v;
    const uint64_t issued = v[WW_C_INST_ISSUED];
    const uint32_t pc = sm->ibuf.pc[w];
    ww_async *a = sm->async;
    a->engines.gives_up = sm->warps.at[w]->gives_up;
    a->overlap.now = now;
    if ((sm->program->uop[pc].flags & WW_SM_OP_ENGINE) != 0 && stands_before_unit(sm, w)) {
        put_to_sleep(sm, w, WW_SLEEP_ROOM, 0);
        return WW_OK;
    }
    WW_TRY(sm_issue_beside(sm, w, now, err));
    if (a->engines.sleeps) {
        sm->warps.held &= ~ww_slot(w); /* it waits for no edge */
        sleep_for_object(sm, w, now);
        plan(sm);
    } else if (v[WW_C_INST_ISSUED] != issued &&
               (sm->program->uop[pc].flags & WW_SM_OP_ENGINE) != 0 &&
               !ww_in(sm->extra.warps | sm->shadow.warps, w)) {
        sm->warps.at[w]->gives_up = a->engines.gives_up;
        WW_TRY(hand_over(sm, w, pc, now, err));
    }
    if (v[WW_C_INST_ISSUED] != issued) {
        overlap_issued(sm, w, &sm->program->uop[pc], now);
    }
    return WW_OK;
}

/* ---- the port ---- */

static uint64_t sm_port_take(ww_sm *sm, uint32_t cycles, uint64_t now)
{
    return ww_async_of(sm) != NULL ? ww_smem_port_take(&sm->async->port, now, now, cycles)
                                   : now + cycles;
}

/* ---- a launch's engines ---- */

static ww_status sm_async_begin(ww_sm *sm, ww_error *err)
{
    if (!sm->program->asynchronous && ww_cluster_size(sm->launch) == 1) {
        return WW_OK;
    }
    if (sm->async_room == NULL) {
        sm->async_room = WW_NEW(ww_async);
        if (sm->async_room == NULL) {
            return ww_no_memory_for(err, "the engines of SM %u", sm->id);
        }
    }
    ww_async *a = sm->async_room;
    const ww_engines engines = {.job = a->engines.job,
                                .room = a->engines.room,
                                .op = a->engines.op,
                                .op_room = a->engines.op_room};
    const ww_remote remote = remote_begin(&a->remote);
    ww_copies copies = {.task = a->copies.task, .room = a->copies.room};
    memset(a, 0, sizeof *a);
    copies.free = copies.first = copies.last = copies.out = copies.out_last = WW_COPY_NONE;
    sm_copy_free_from(&copies, 0);
    a->engines = engines;
    a->copies = copies;
    a->remote = remote;
    a->next = UINT64_MAX;
    ww_smem_port_reset(&a->port, 0);
    ww_matrix_reset(&a->matrix, &a->port, sm->arch->async.matrix_queue);
    sm->async = a;
    return WW_OK;
}

/* Nothing but what can wait is left to be slept for: warps that go on without time do so. */
static bool sm_async_at_rest(const ww_sm *sm)
{
    const ww_async *a = sm->async;
    return a->matrix.count == 0 && a->matrix.end_count == 0 && a->copies.under_way == 0 &&
           a->remote.in.count == 0 && a->remote.out.count == 0;
}

static void sm_async_destroy(ww_async *a)
{
    if (a != NULL) {
        ww_engines_fini(&a->engines);
        ww_free(a->copies.task);
        remote_fini(&a->remote);
        ww_free(a);
    }
}

static void sm_async_reason(const ww_sm *sm, uint32_t w, char *buf, size_t size)
{
    static const char *const reasons[] = {[WW_SLEEP_TIME] = "an engine to take its command",
                                          [WW_SLEEP_MATRIX] = "products of its warp group",
                                          [WW_SLEEP_ROOM] = "room for a product of its warp group",
                                          [WW_SLEEP_OBJECT] = "an mbarrier",
                                          [WW_SLEEP_QUEUE] = "room in the copy engine's queue",
                                          [WW_SLEEP_READ] = "its bulk copies to be read",
                                          [WW_SLEEP_GRIDS] = "the grids before its own to end",
                                          [WW_SLEEP_DONE] = "its bulk copies to be done"};
    const ww_async *a = sm->async;
    if (a->why[w] == WW_SLEEP_REGISTERS) {
        registers_reason(sm, w, buf, size);
    } else if (a->why[w] == WW_SLEEP_OBJECT) {
        (void)ww_waits_for_object(sm->warps.at[w]->cta, a->object[w], buf, size);
    } else {
        snprintf(buf, size, "%s", reasons[a->why[w]]);
    }
}
