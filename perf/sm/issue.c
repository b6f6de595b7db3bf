/* issue.c - the schedulers at work: one warp each per cycle; its instruction is executed here and
 * then only takes time. */
#include "perf/sm/core.h"
#include "perf/sm/hooks.h"
#include "perf/sm/profile.h"
#include "perf/sm/values.h"

/* program: of a warp of the kernel. */
static WW_ALWAYS_INLINE void count_issue(ww_sm *sm, const ww_sm_op *uop, const ww_step *step,
                                         bool program)
{
    uint64_t *v = sm->counters->v;
    unsigned lanes = (unsigned)__builtin_popcount(step->exec);
    unsigned active = (unsigned)__builtin_popcount(step->active);
    v[WW_C_INST_ISSUED]++;
    v[WW_C_INST_THREAD] += lanes;
    v[WW_C_INST_PROGRAM] += program ? lanes : 0;
    v[WW_C_INST_LANES] += active;
    v[uop->thread_class] += active;
    v[WW_C_STACK_READ]++;
    if (WW_UNLIKELY((step->pushed | step->popped) != 0)) {
        v[WW_C_STACK_PUSH] += step->pushed;
        v[WW_C_STACK_POP] += step->popped;
    }
    v[WW_C_WARP_STATUS_READ]++;
    if ((uop->flags & WW_SM_OP_BRANCH) != 0) {
        v[WW_C_BRANCHES]++;
        v[WW_C_BRANCHES_DIVERGENT] += step->divergent;
    }
}

/* Hands an instruction to the operand collectors. A load/store-unit entry was filled by the
 * executor. */
static WW_ALWAYS_INLINE uint32_t start(ww_sm *sm, uint32_t w, uint32_t pc, const ww_sm_op *uop,
                                       const ww_step *step, ww_mem_inst *mem, bool preload,
                                       uint64_t now)
{
    uint32_t index = sm_flight_take(sm, w, pc, step->exec);
    if (WW_UNLIKELY(step->folded)) {
        sm_folded_issued(sm, &sm->flights.at[index], step);
    }
    if (preload) {
        sm->flights.at[index].quiet = sm->flights.at[index].loose = true;
    } else {
        sm_reserve(sm, w, uop);
    }
    if (mem != NULL) {
        ww_ldst_take(&sm->ldst);
        mem->flight = index;
        mem->prepared = false;
        mem->last_at = 0;
        sm->flights.at[index].mem = (uint32_t)(mem - sm->ldst.at);
        sm->warps.mem_flights[w] += (uop->flags & WW_SM_OP_MEMORY) != 0;
        if (WW_UNLIKELY((uop->flags & WW_SM_OP_COPY) != 0)) {
            sm_copy_issued(sm, &sm->flights.at[index], &mem->step);
        }
        if (WW_UNLIKELY((uop->flags & WW_SM_OP_ENGINE) != 0)) {
            sm_engine_issued(sm, &sm->flights.at[index]);
        }
    }
    ww_core_of(sm)->start(sm, index, uop, now);
    return index;
}

/* A fence, or what concerns groups of copies. */
static void wait_for_memory(ww_sm *sm, uint32_t w, const ww_sm_op *uop, const ww_step *step)
{
    if ((uop->flags & WW_SM_OP_GROUP) != 0) {
        if (step->exec != 0) {
            sm_copy_wait(sm, w, &sm->launch->kernel->code[step->pc]);
        }
    } else if (sm->warps.mem_flights[w] > 0) {
        sm->warps.at_fence |= ww_slot(w);
    } else if (!ww_pending_empty(sm->effects)) {
        sm->warps.held |=
            ww_slot(w); /* stores that the L1 took: other SMs see them from the edge on */
    }
}

/* What control instructions do to the warp's state. */
static WW_ALWAYS_INLINE void control(ww_sm *sm, uint32_t w, const ww_sm_op *uop,
                                     const ww_step *step)
{
    ww_cta_slot *slot = &sm->cta[sm->warps.cta_of[w]];
    if (step->barrier) {
        ww_count(sm, WW_C_WARP_STATUS_WRITE, 1);
        if (sm->warps.at[w]->at_barrier) {
            sm->warps.at_barrier |= ww_slot(w);
        }
    }
    if (WW_UNLIKELY((uop->flags & (WW_SM_OP_FENCE | WW_SM_OP_GROUP)) != 0)) {
        wait_for_memory(sm, w, uop, step);
    }
    if (step->exited) {
        sm_warp_exited(sm, w, sm->ibuf.count[w] - 1u); /* the exit itself was consumed */
    }
    if (step->barrier || step->exited) {
        sm_barrier_released(sm, slot);
    }
}

/* A head on its way from its warp's buffer to where it takes its time. */
typedef struct issuing {
    uint32_t w, pc;
    const ww_sm_op *uop;
    ww_issue_verdict verdict;
    ww_mem_inst *mem; /* NULL: it needs no entry of the load/store unit */
    ww_step *step;
} issuing;

/* `hooked`, here and below: a constant at each call, so that without mechanisms nothing of them is
 * left. */

/* Where mechanisms have taken instructions out of the code: runs those before the head. *here: the
 * warp stands at its head then, and may issue it. */
static WW_ALWAYS_INLINE ww_status come_to_head(ww_sm *sm, uint32_t w, uint32_t pc, uint64_t now,
                                               bool *here, ww_error *err)
{
    *here = false;
    if (!ww_in(sm->extra.warps, w)) { /* absent instructions behind a barrier */
        WW_TRY(sm_run_absent(sm, w, now, err));
        if (sm_at_absent(sm, w)) {
            return WW_OK;
        }
    }
    const uint32_t place = sm_next_place(sm, w);
    *here = place == pc;
    if (WW_UNLIKELY(!*here)) { /* what was absent led elsewhere */
        sm_flush(sm, w, place);
        sm_evaluate(sm, w);
    }
    return WW_OK;
}

/* Whether it goes through collectors and units. */
static WW_ALWAYS_INLINE bool takes_unit(const issuing *i, const bool hooked)
{
    return !hooked || i->verdict.kind == WW_ISSUE_UNIT || i->verdict.kind == WW_ISSUE_PRELOAD;
}

static WW_ALWAYS_INLINE ww_status execute(ww_sm *sm, issuing *i, uint64_t now, const bool hooked,
                                          ww_error *err)
{
    const bool accesses = i->uop->unit == WW_UNIT_LDST && takes_unit(i, hooked);
    i->mem = accesses ? &sm->ldst.at[sm->ldst.free] : NULL;
    i->step = accesses ? &i->mem->step : &sm->scratch;
    if (WW_BARE) {
        return ww_exec_step(&sm->issue.env, sm->warps.at[i->w], i->step, err);
    }
    ww_factors *factors = NULL;
    if (ww_values_of(sm) != NULL) {
        WW_TRY(values_keep(sm, i->w, i->pc, err));
        factors = sm->values->factors;
    }
    const ww_exec_env env = {.launch = sm->launch,
                             .pending = sm->effects,
                             .cycle = now,
                             .time = &sm->time,
                             .factors = factors};
    return hooked ? sm_execute(sm, &env, i->w, &i->verdict.kind, i->step, err)
                  : ww_exec_step(&env, sm->warps.at[i->w], i->step, err);
}

/* Sends an executed instruction where it takes its time: its flight; WW_NONE: it ends here. */
static WW_ALWAYS_INLINE uint32_t send(ww_sm *sm, const issuing *i, uint64_t now, const bool hooked)
{
    const ww_sm_op *uop = i->uop;
    if (uop->unit == WW_UNIT_CTRL || i->step->exec == 0) {
        const bool reads = uop->unit == WW_UNIT_CTRL && uop->src_words > 0;
        if (reads) {
            ww_charge(sm, i->pc, WW_C_RF_READ, uop->src_words);
            ww_charge(sm, i->pc, WW_C_RF_READ_LANES,
                      (uint64_t)uop->src_words * (unsigned)__builtin_popcount(i->step->exec));
        }
        return WW_NONE;
    }
    if (!takes_unit(i, hooked)) {
        return sm_start_elsewhere(sm, i->w, uop, i->step, i->verdict, now);
    }
    if (hooked && ww_hooked(sm, WW_HOOK(operands))) {
        hook_operands(sm, i->w, i->pc, uop);
    }
    const bool preload = hooked && i->verdict.kind == WW_ISSUE_PRELOAD;
    uint32_t flight = start(sm, i->w, i->pc, uop, i->step, i->mem, preload, now);
    if (hooked) {
        sm->flights.at[flight].shadow = sm->shadow.id[i->w];
    }
    return flight;
}

/* What an executed instruction does to its warp; in a shadow context that comes to nothing. */
static WW_ALWAYS_INLINE void take_effect(ww_sm *sm, const issuing *i, const bool hooked)
{
    if (hooked && ww_in(sm->shadow.warps, i->w)) {
        ww_count(sm, WW_C_MECH_SHADOW_LANES, (unsigned)__builtin_popcount(i->step->exec));
    } else {
        control(sm, i->w, i->uop, i->step);
    }
}

/* The warp has issued its head: on to the next instruction, or to its end. */
static WW_ALWAYS_INLINE ww_status go_on(ww_sm *sm, const issuing *i, uint64_t now,
                                        const bool hooked, ww_error *err)
{
    const uint32_t w = i->w;
    if (!ww_in(sm->warps.live, w)) {
        if (hooked) {
            hook_warp_exited(sm, w, now);
        }
        sm_cta_check(sm, &sm->cta[sm->warps.cta_of[w]], now);
        return WW_OK;
    }
    if (hooked && !ww_in(sm->extra.warps, w)) {
        WW_TRY(sm_run_absent(sm, w, now, err));
    }
    uint32_t next_pc = hooked ? sm_next_place(sm, w) : ww_warp_pc(sm->warps.at[w]);
    ww_count(sm, WW_C_WARP_STATUS_WRITE, next_pc != i->pc + 1);
    sm_advance(sm, w, next_pc, now);
    return WW_OK;
}

/* Issues the warp's head, unless it has to wait for the window's edge (step->again). */
static WW_ALWAYS_INLINE ww_status issue_one(ww_sm *sm, uint32_t w, uint64_t now, const bool hooked,
                                            ww_error *err)
{
    const uint32_t pc = sm->ibuf.pc[w];
    issuing i = {
        .w = w, .pc = pc, .uop = &sm->program->uop[pc], .verdict = {.kind = WW_ISSUE_UNIT}};
    WW_TRY(sm_flight_room(&sm->flights, err));
    if (hooked) {
        bool here;
        WW_TRY(come_to_head(sm, w, pc, now, &here, err));
        if (!here) {
            return WW_OK;
        }
        i.verdict = hook_issue(sm, w, pc, now);
    }
    WW_TRY(execute(sm, &i, now, hooked, err));
    if (WW_UNLIKELY(i.step->wait)) {
        sm_hold(sm, w);
        if (i.step->again) {
            return WW_OK;
        }
    }
    if (ww_values_of(sm) != NULL) {
        values_count(sm, w, pc, i.step, takes_unit(&i, hooked));
    }
    count_issue(sm, i.uop, i.step, !hooked || !ww_in(sm->extra.warps | sm->shadow.warps, w));
    sm->warps.issued[w]++;
    sm->pulse.progress++;
    const uint32_t flight = send(sm, &i, now, hooked);
    if (hooked) {
        hook_executed(sm, w, i.step, flight, now);
    }
    take_effect(sm, &i, hooked);
    return go_on(sm, &i, now, hooked, err);
}

static WW_NOINLINE ww_status issue_hooked(ww_sm *sm, uint32_t w, uint64_t now, ww_error *err)
{
    return issue_one(sm, w, now, true, err);
}

static ww_status issue_unhooked(ww_sm *sm, uint32_t w, uint64_t now, ww_error *err)
{
    return issue_one(sm, w, now, false, err);
}

/* What issuing counts itself; the rest is charged where it happens. An instruction that issues has
 * one of the first four, of which the last if it branches, unless a mechanism has others beside it.
 */
static const ww_counter OF_ISSUE[] = {WW_C_INST_ISSUED,      WW_C_STACK_READ, WW_C_WARP_STATUS_READ,
                                      WW_C_BRANCHES,         WW_C_STACK_PUSH, WW_C_STACK_POP,
                                      WW_C_WARP_STATUS_WRITE};
enum { KNOWN_OF_ISSUE = 4 };
typedef struct issue_counts {
    uint64_t v[WW_ARRAY_LEN(OF_ISSUE)];
} issue_counts;

static WW_ALWAYS_INLINE issue_counts counts_of_issue(const ww_sm *sm, const size_t first)
{
    issue_counts now;
    for (size_t i = first; i < WW_ARRAY_LEN(OF_ISSUE); i++) {
        now.v[i] = sm->counters->v[OF_ISSUE[i]];
    }
    return now;
}

static WW_ALWAYS_INLINE void note_issue(ww_sm *sm, uint32_t pc, const issue_counts *before,
                                        const size_t first)
{
    uint64_t *charged = sm->charged[pc].charged;
    for (size_t i = first; i < WW_ARRAY_LEN(OF_ISSUE); i++) {
        charged[OF_ISSUE[i] - WW_CHARGE_FIRST] += sm->counters->v[OF_ISSUE[i]] - before->v[i];
    }
}

static void note_one(ww_sm *sm, uint32_t pc)
{
    uint64_t *charged = sm->charged[pc].charged;
    for (size_t i = 0; i + 1 < KNOWN_OF_ISSUE; i++) {
        charged[OF_ISSUE[i] - WW_CHARGE_FIRST]++;
    }
    charged[WW_C_BRANCHES - WW_CHARGE_FIRST] += (sm->program->uop[pc].flags & WW_SM_OP_BRANCH) != 0;
}

static WW_ALWAYS_INLINE ww_status note_around(ww_sm *sm, uint32_t w, uint64_t now,
                                              const bool hooked, ww_error *err)
{
    const uint64_t *v = sm->counters->v;
    const size_t first = hooked ? 0 : KNOWN_OF_ISSUE;
    const uint64_t issued = v[WW_C_INST_ISSUED], lanes = v[WW_C_INST_THREAD];
    const issue_counts before = counts_of_issue(sm, first);
    const uint32_t pc = sm->ibuf.pc[w];
    sm->profile->issues = true;
    WW_TRY(hooked ? issue_hooked(sm, w, now, err) : issue_unhooked(sm, w, now, err));
    sm->profile->issues = false;
    if (v[WW_C_INST_ISSUED] != issued) {
        profile_issued(sm, w, pc, v[WW_C_INST_THREAD] - lanes);
        if (!hooked) {
            note_one(sm, pc);
        }
    }
    note_issue(sm, pc, &before, first);
    return WW_OK;
}

static WW_NOINLINE ww_status issue_noted(ww_sm *sm, uint32_t w, uint64_t now, ww_error *err)
{
    return ww_hooked(sm, WW_HOOK_ANY) ? note_around(sm, w, now, true, err)
                                      : note_around(sm, w, now, false, err);
}

static ww_status sm_issue_beside(ww_sm *sm, uint32_t w, uint64_t now, ww_error *err)
{
    if (WW_LINED || ww_profile_of(sm) != NULL) {
        return issue_noted(sm, w, now, err);
    }
    return ww_hooked(sm, WW_HOOK_ANY) ? issue_hooked(sm, w, now, err)
                                      : issue_unhooked(sm, w, now, err);
}

static WW_ALWAYS_INLINE ww_status issue_warp(ww_sm *sm, uint32_t w, uint64_t now, ww_error *err)
{
    if (WW_PLAIN) {
        return issue_unhooked(sm, w, now, err);
    }
    return ww_async_of(sm) != NULL ? sm_issue_engines(sm, w, now, err)
                                   : sm_issue_beside(sm, w, now, err);
}

/* The further instructions of a multiple-issue scheduler come from the same warp. */
static WW_ALWAYS_INLINE ww_status issue_more(ww_sm *sm, uint32_t s, uint32_t w, uint64_t now,
                                             ww_error *err)
{
    for (uint32_t i = 1; i < sm->arch->sm.issue_width; i++) {
        uint64_t next;
        ww_slots ready = sm->warps.live & sm->board.ready & ww_slot(w);
        if (!ww_any(ready) || (!ww_sm_head_accepted(sm, s, w, now) &&
                               ww_any(ww_core_of(sm)->blocked(sm, s, ready, now, &next)))) {
            break;
        }
        WW_TRY(issue_warp(sm, w, now, err));
    }
    return WW_OK;
}

/* Charges scheduler s the slots before cycle `until` that are not charged yet: it lost them as it
 * lost the first of them, because nothing that it asks for has changed since. */
static WW_ALWAYS_INLINE void sm_charge_slots(ww_sm *sm, uint32_t s, uint64_t until)
{
    const uint64_t since = sm->sleep.since[s];
    if (until <= since) {
        return;
    }
    const uint64_t n = until - since;
    uint64_t *v = sm->counters->v;
    sm->sleep.since[s] = until;
    v[stall_counter((ww_stall)sm->sleep.reason[s])] += n;
    if (WW_UNLIKELY(sm->sleep.reason[s] == WW_STALL_HELD)) {
        ww_sm_count_held(sm, sm->sleep.held[s], n);
    }
    if (WW_UNLIKELY(!WW_BARE && sm->arch->sm.count_most)) {
        ww_count(sm, most_counter((ww_stall)sm->sleep.most[s]), n);
    }
    v[WW_C_SCHED_SELECT] += n * sm->sleep.select[s];
    if (WW_UNLIKELY(ww_profile_of(sm) != NULL)) {
        profile_lost(sm, sm->profile->asleep[s], (ww_stall)sm->sleep.reason[s], n);
        ww_note(sm, sm->profile->asleep[s].waits, WW_C_SCHED_SELECT, n * sm->sleep.select[s]);
    }
}

/* Scheduler s has lost its slot, and loses those before cycle `until` if nothing changes. */
static WW_ALWAYS_INLINE void sm_settle(ww_sm *sm, uint32_t s, uint64_t until)
{
    const bool steady = sm->issue.policy->eligible == NULL; /* elsewhere asking changes it */
    sm->sleep.changed &= ~sm->issue.sched[s].mine;
    sm->sleep.until[s] = steady ? until : 0;
    sm->sleep.first = ww_min_u64(sm->sleep.first, sm->sleep.until[s]);
}

/* next: as blocked() says. */
static WW_ALWAYS_INLINE void lose_slot(ww_sm *sm, uint32_t s, uint32_t chosen, uint64_t next)
{
    ww_stall reason = sm_stall_reason(sm, s, chosen);
    if (WW_BARE) { /* charged with those that follow */
        sm->sleep.reason[s] = (uint8_t)reason;
        sm->sleep.select[s] = chosen != WW_NONE;
        if (WW_LINED) {
            sm->profile->asleep[s] = profile_charge(sm, s, reason, chosen);
        }
        sm_settle(sm, s, next);
        return;
    }
    sm->counters->v[stall_counter(reason)]++;
    if (sm->arch->sm.count_most) {
        ww_count(sm, most_counter(sm_most_stall(sm, s)), 1);
    }
    if (reason == WW_STALL_HELD) {
        ww_sm_count_held(sm, sm_held_for(sm, s), 1);
    }
    if (sm->profile != NULL) {
        profile_lost(sm, profile_charge(sm, s, reason, chosen), reason, 1);
    }
}

/* The slot of scheduler s for warp w, unless its instruction has to be tried again. */
static WW_ALWAYS_INLINE ww_status use_slot(ww_sm *sm, uint32_t s, uint32_t w, uint64_t now,
                                           ww_error *err)
{
    uint64_t *v = sm->counters->v;
    uint64_t issued = v[WW_C_INST_ISSUED];
    uint32_t pc = sm->ibuf.pc[w];
    WW_TRY(issue_warp(sm, w, now, err));
    WW_TRY(issue_more(sm, s, w, now, err));
    bool used = v[WW_C_INST_ISSUED] != issued;
    v[used ? WW_C_SLOTS_ISSUED : WW_C_STALL_RAW_LONG]++;
    if (WW_BARE) {
        sm->sleep.since[s] = sm->sleep.until[s] = sm->sleep.first = now + 1;
    }
    if (WW_PLAIN) {
        return WW_OK;
    }
    if (!WW_BARE && sm->arch->sm.issue_interval > 1 && used) {
        sm->issue.sched[s].next_issue = now + sm->arch->sm.issue_interval;
    }
    if (!WW_BARE && sm->arch->sm.count_most && !used) {
        v[WW_C_MOST_RAW_LONG]++;
    }
    if (WW_LINED || sm->profile != NULL) {
        sm->charged[pc].v[used ? WW_LINE_ISSUED : WW_LINE_RAW_LONG]++;
    }
    return WW_OK;
}

/* Heads of half a slot (mech_halve): what the first one leaves of it, or what one before has
 * left of this cycle's, goes to further heads. A whole head takes two halves; one that finds a half
 * goes on into the next slot. `half`: the slot's first head takes half of it. */
static ww_status use_rest(ww_sm *sm, uint32_t s, bool half, uint64_t now, ww_error *err)
{
    ww_sched *sched = &sm->issue.sched[s];
    int left = (sm->mech.owes[s] == now ? 1 : 2) - (half ? 1 : 2);
    while (left > 0) {
        uint64_t next;
        ww_slots ready = sm->board.ready & ww_sm_eligible(sm, sched, ww_sm_waiting(sm));
        ww_slots candidates = ready & ~ww_core_of(sm)->blocked(sm, s, ready, now, &next);
        if (!ww_any(candidates)) {
            return WW_OK;
        }
        uint32_t w = ww_sm_pick(sm, sched, candidates);
        left -= ww_in(sm->mech.halved, w) ? 1 : 2;
        ww_charge(sm, sm->ibuf.pc[w], WW_C_SCHED_SELECT, 1);
        ww_sched_issued(sched, w);
        WW_TRY(issue_warp(sm, w, now, err));
    }
    if (left < 0) {
        sm->mech.owes[s] = now + sm->arch->sm.issue_interval;
    }
    return WW_OK;
}

static ww_status sm_issue(ww_sm *sm, uint64_t now, ww_error *err)
{
    uint64_t *v = sm->counters->v;
    const bool hooked = ww_hooked(sm, WW_HOOK_ANY);
    sm->oc.ports = sm->arch->regfile.collector_ports;
    v[WW_C_SLOTS] += WW_BARE ? 0 : sm->issue.schedulers;
    if (WW_BARE) {
        sm->issue.env.cycle = now;
        sm->sleep.first = UINT64_MAX; /* found again below */
    }
    for (uint32_t s = 0; s < sm->issue.schedulers; s++) {
        ww_sched *sched = &sm->issue.sched[s];
        if (WW_BARE && !ww_sm_asked(sm, s, now)) {
            sm->sleep.first = ww_min_u64(sm->sleep.first, sm->sleep.until[s]);
            continue;
        }
        if (WW_BARE) {
            sm_charge_slots(sm, s, now);
        }
        if (hooked && sm_take_slot(sm, s, now)) {
            continue;
        }
        ww_slots waiting = ww_sm_waiting(sm);
        ww_slots ready = sm->board.ready & ww_sm_eligible(sm, sched, waiting);
        if (!ww_any(ready)) {
            lose_slot(sm, s, WW_NONE, UINT64_MAX);
            continue;
        }
        if (!WW_BARE && sched->next_issue > now) {
            lose_slot(sm, s, ww_sm_pick(sm, sched, ready), now + 1);
            continue;
        }
        uint32_t w = ww_sm_pick(sm, sched, ready);
        const uint32_t chosen = sm->ibuf.pc[w];
        if (!WW_BARE) {
            ww_charge(sm, chosen, WW_C_SCHED_SELECT, 1);
        }
        if (!ww_sm_head_accepted(sm, s, w, now)) {
            uint64_t next;
            ww_slots candidates = ready & ~ww_core_of(sm)->blocked(sm, s, ready, now, &next);
            if (!ww_any(candidates)) {
                lose_slot(sm, s, w, next);
                continue;
            }
            w = ww_sm_pick(sm, sched, candidates);
        }
        if (WW_BARE) { /* lost slots are charged it with their reason */
            ww_charge(sm, chosen, WW_C_SCHED_SELECT, 1);
        }
        const bool half = hooked && ww_in(sm->mech.halved, w);
        if (WW_BARE) {
            sched->last = w; /* there is no background */
        } else {
            ww_sched_issued(sched, w);
        }
        WW_TRY(use_slot(sm, s, w, now, err));
        if (hooked && sm->mech.halves) {
            WW_TRY(use_rest(sm, s, half, now, err));
        }
    }
    return WW_OK;
}
