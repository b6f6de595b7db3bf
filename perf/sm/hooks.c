/* hooks.c - calls from the SM's stages to the mechanisms attached to it. */
#include "base/arith.h"
#include "perf/sm/core.h"
#include "perf/sm/hooks.h"

/* For each attached mechanism with that hook. */
#define FOR_EACH(sm, hook, ...)                                                                    \
    for (uint32_t i_ = 0; i_ < (sm)->mech.count; i_++) {                                           \
        const ww_mech *mech = (sm)->mech.at[i_];                                                   \
        void *state = (sm)->mech.state[i_];                                                        \
        if (mech->hook != NULL) {                                                                  \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

#ifndef WW_NO_MECHANISMS
static uint64_t hooks_of(const ww_mech *m)
{
    uint64_t hooks = WW_HOOK_ANY;
#define HAS(type, hook, arguments, meaning) hooks |= m->hook != NULL ? WW_HOOK(hook) : 0;
    WW_MECH_HOOKS(HAS)
#undef HAS
    return hooks;
}
#endif

static ww_status sm_attach(ww_sm *sm, const ww_mech *mech, ww_error *err)
{
#ifdef WW_NO_MECHANISMS
    (void)sm;
    return ww_fail(err, WW_EUNSUP, "mechanism %s: this build has no mechanisms (WW_MECHANISMS=OFF)",
                   mech->name);
#else
    if (sm->mech.count == WW_MECH_MOST) {
        return ww_fail(err, WW_ERANGE, "mechanism %s: at most %d can be active at a time",
                       mech->name, WW_MECH_MOST);
    }
    uint32_t i = sm->mech.count++; /* the state may ask for its place while it is made */
    sm->mech.at[i] = mech;
    sm->mech.state[i] = NULL;
    ww_status st =
        mech->create != NULL ? mech->create(sm, sm->arch, &sm->mech.state[i], err) : WW_OK;
    if (st == WW_OK && mech->core != NULL) {
        st = given_take(sm, mech->core, sm->mech.state[i], err);
        if (st != WW_OK && mech->destroy != NULL) {
            mech->destroy(sm->mech.state[i]);
        }
    }
    if (st != WW_OK) {
        sm->mech.count--;
        ww_error_prefix(err, "mechanism %s: ", mech->name);
        return st;
    }
    sm->mech.hooks |= hooks_of(mech);
    return WW_OK;
#endif
}

static void sm_detach_all(ww_sm *sm)
{
    FOR_EACH(sm, destroy, mech->destroy(state);)
    sm->mech.count = 0;
    sm->mech.hooks = 0;
    sm->given.core = NULL;
    sm->given.state = NULL;
    sm->core = core_ops_of(sm->arch->sm.core);
}

/* Warp registers that the launch's CTAs leave free. */
static uint32_t spare_registers(const ww_sm *sm)
{
    const ww_dim3 b = sm->launch->block;
    ww_occupancy o = ww_occupancy_of(sm->arch, b.x * b.y * b.z, sm->launch->kernel->registers, 0);
    uint32_t all = sm->arch->sm.registers / WW_WARP_SIZE;
    uint32_t used = sm->ctas.limit * o.warps_per_cta * (o.warp_registers / WW_WARP_SIZE);
    return used < all ? all - used : 0;
}

static uint32_t unnamed_registers(const ww_sm *sm)
{
    const ww_dim3 b = sm->launch->block;
    const uint32_t named = sm->launch->kernel->registers;
    ww_occupancy o = ww_occupancy_of(sm->arch, b.x * b.y * b.z, named, 0);
    uint32_t given = o.warp_registers / WW_WARP_SIZE;
    return given > named ? o.warps_per_cta * (given - named) : 0;
}

static ww_status hook_begin(ww_sm *sm, ww_error *err)
{
    ww_mech_launch launch = {.kernel = sm->launch->kernel,
                             .launch = sm->launch,
                             .cta_limit = sm->ctas.limit,
                             .spare_registers = spare_registers(sm),
                             .unnamed_registers = unnamed_registers(sm)};
    FOR_EACH(sm, begin, {
        launch.notes = sm->program->notes != NULL ? sm->program->notes[i_] : NULL;
        ww_status st = mech->begin(state, &launch, err);
        if (st != WW_OK) {
            ww_error_prefix(err, "mechanism %s: ", mech->name);
            return st;
        }
    })
    return WW_OK;
}

static void hook_end(ww_sm *sm)
{
    FOR_EACH(sm, end, mech->end(state);)
}

static void hook_cta_started(ww_sm *sm, uint32_t cta, ww_slots warps, uint64_t now)
{
    const ww_warps set = ww_warps_of_slots(warps);
    FOR_EACH(sm, cta_started, mech->cta_started(state, cta, set, now);)
}

static void hook_cta_ended(ww_sm *sm, uint32_t cta, uint64_t now)
{
    FOR_EACH(sm, cta_ended, mech->cta_ended(state, cta, now);)
}

static void hook_warp_exited(ww_sm *sm, uint32_t w, uint64_t now)
{
    FOR_EACH(sm, warp_exited, mech->warp_exited(state, w, now);)
}

static void hook_head(ww_sm *sm, uint32_t w, uint64_t now)
{
    sm->mech.told &= ~ww_slot(w);
    sm->mech.lifted &= ~ww_slot(w);
    sm->mech.halved &= ~ww_slot(w);
    FOR_EACH(sm, head, mech->head(state, w, ww_program_inst(sm->program, sm->ibuf.pc[w]), now);)
    if (ww_in(sm->shadow.warps, w)) {
        FOR_EACH(sm, drop, {
            if (mech->drop(state, w, ww_program_inst(sm->program, sm->ibuf.pc[w]), now)) {
                sm->shadow.dropping |= ww_slot(w);
                sm->warps.at_barrier |=
                    ww_slot(w); /* as a held warp: it is not for the schedulers */
            }
        })
    }
    sm_evaluate(sm, w);
}

static void hook_stalled(ww_sm *sm, uint64_t now)
{
    for (ww_slots m = (sm->board.raw_long | sm->board.raw_short) & ~sm->mech.told; ww_any(m);
         m = ww_rest(m)) {
        uint32_t w = ww_first(m);
        bool memory = ww_in(sm->board.raw_long, w);
        sm->mech.told |= ww_slot(w);
        uint32_t pc = ww_program_inst(sm->program, sm->ibuf.pc[w]);
        FOR_EACH(sm, stalled, mech->stalled(state, w, pc, memory, now);)
    }
}

static ww_issue_verdict hook_issue(ww_sm *sm, uint32_t w, uint32_t pc, uint64_t now)
{
    ww_issue_verdict verdict = {.kind = WW_ISSUE_UNIT};
    pc = ww_program_inst(sm->program, pc);
    FOR_EACH(sm, issue, {
        verdict = mech->issue(state, w, pc, now);
        if (verdict.kind != WW_ISSUE_UNIT) {
            break;
        }
    })
    return verdict;
}

static uint32_t hook_driven(ww_sm *sm, uint32_t w, uint32_t pc, ww_step *step, uint64_t now)
{
    uint32_t i = sm->extra.driver[w];
    return sm->mech.at[i]->driven(sm->mech.state[i], w, ww_program_inst(sm->program, pc), step,
                                  now);
}

static void hook_executed(ww_sm *sm, uint32_t w, const ww_step *step, uint32_t flight, uint64_t now)
{
    FOR_EACH(sm, executed, mech->executed(state, w, step, flight, now);)
    if (ww_hooked(sm, WW_HOOK(addressed)) && flight != WW_NONE &&
        sm->flights.at[flight].mem != WW_NONE) {
        sm_tell_addresses(sm, &sm->ldst.at[sm->flights.at[flight].mem], now);
    }
}

/* Passes of operands in these banks: those that share a bank are read one after the other. */
static void divide_passes(ww_collect_stage *oc, const uint8_t *bank, uint32_t count)
{
    uint32_t passes = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bit = 1ull << bank[i];
        uint32_t k = 0;
        while (k < passes && (oc->moved_pass[k] & bit) != 0) {
            k++;
        }
        if (k == passes) {
            oc->moved_pass[passes++] = 0;
        }
        oc->moved_pass[k] |= bit;
    }
    oc->moved = passes;
}

static void hook_operands(ww_sm *sm, uint32_t w, uint32_t pc, const ww_sm_op *uop)
{
    uint32_t reg[WW_MOST_READS], count = ww_program_reads(sm->program, pc, WW_MOST_READS, reg);
    uint8_t bank[WW_MOST_READS];
    sm->oc.moved = 0;
    if (count != uop->src_words || count == 0) {
        return;
    }
    const uint32_t banks = ww_register_banks(sm->arch);
    for (uint32_t i = 0; i < count; i++) {
        bank[i] = (uint8_t)((reg[i] + sm->regfile.bank_shift[w]) % banks);
    }
    pc = ww_program_inst(sm->program, pc);
    FOR_EACH(sm, operands, mech->operands(state, w, pc, reg, bank, count);)
    divide_passes(&sm->oc, bank, count);
}

static void hook_flushed(ww_sm *sm, uint32_t w)
{
    uint32_t count = sm->ibuf.count[w];
    if (ww_in(sm->fetch.fetching, w) && ww_hooked(sm, WW_HOOK(fetch))) {
        count += sm->skip.fetch_width[w];
    }
    uint32_t first = ww_program_inst(sm->program, sm->ibuf.pc[w]);
    FOR_EACH(sm, flushed, mech->flushed(state, w, first, count);)
}

static void hook_written(ww_sm *sm, uint32_t flight, uint64_t now)
{
    const ww_flight *f = &sm->flights.at[flight];
    uint32_t pc = ww_program_inst(sm->program, f->uop);
    if (f->shadow != 0) {
        FOR_EACH(sm, shadow_written, mech->shadow_written(state, f->warp, pc, flight, now);)
        return;
    }
    FOR_EACH(sm, written, mech->written(state, f->warp, pc, now);)
}

static ww_mech_access access_of(const ww_sm *sm, uint32_t flight)
{
    const ww_flight *f = &sm->flights.at[flight];
    const uint32_t pc = ww_program_inst(sm->program, f->uop);
    return (ww_mech_access){.pc = pc,
                            .line = sm->program->kernel->code[pc].line,
                            .flight = flight,
                            .warp = f->warp,
                            .cta = sm->warps.cta_of[f->warp],
                            .extra = ww_in(sm->extra.warps, f->warp),
                            .shadow = f->shadow != 0};
}

static ww_access_kind kind_of(ww_mem_path path)
{
    switch (path) {
    case WW_PATH_STORE:
        return WW_ACCESS_STORE;
    case WW_PATH_ATOMIC:
        return WW_ACCESS_ATOMIC;
    case WW_PATH_TEX:
        return WW_ACCESS_TEXTURE;
    case WW_PATH_NONE:
    case WW_PATH_SHARED:
    case WW_PATH_CONST:
    case WW_PATH_LOAD:
        break;
    }
    return WW_ACCESS_LOAD;
}

static ww_mech_access line_access_of(const ww_sm *sm, const ww_line_access *a)
{
    ww_mech_access access = access_of(sm, a->flight);
    bool texture = (sm->flights.at[a->flight].op->flags & WW_SM_OP_TEXTURE) != 0;
    access.address = a->address;
    access.bytes = a->bytes;
    access.kind = a->store ? WW_ACCESS_STORE : texture ? WW_ACCESS_TEXTURE : WW_ACCESS_LOAD;
    access.local = a->local;
    access.cached = true;
    return access;
}

/* The instruction, and its split but for the runs of lanes' addresses. */
static ww_mech_access split_access(const ww_sm *sm, const ww_mem_inst *m, ww_mech_split *split)
{
    ww_mech_access access = access_of(sm, m->flight);
    split->segment = m->segment;
    split->segments = m->count;
    access.address = m->count > 0 ? m->segment[0].address : 0;
    access.bytes = m->count > 0 ? m->segment[0].bytes : 0;
    access.kind = (uint8_t)kind_of((ww_mem_path)m->path);
    access.local = m->local;
    access.cached = m->cached;
    return access;
}

static void hook_coalesced(ww_sm *sm, const ww_mem_inst *m, const uint64_t *address, uint32_t lanes,
                           uint64_t now)
{
    ww_address_run run[WW_WARP_SIZE];
    uint32_t bytes = m->local && m->step.lane_bytes > 4 ? 4 : m->step.lane_bytes;
    ww_mech_split split = {.run = run, .runs = ww_address_runs(address, lanes, bytes, run)};
    const ww_mech_access access = split_access(sm, m, &split);
    FOR_EACH(sm, coalesced, mech->coalesced(state, &access, &split, now);)
}

static void hook_addressed(ww_sm *sm, const ww_mem_inst *m, const uint64_t *address, uint32_t lanes,
                           uint64_t now)
{
    ww_address_run run[WW_WARP_SIZE];
    ww_mech_split split = {.run = run,
                           .runs = ww_address_runs(address, lanes, m->step.lane_bytes, run)};
    const ww_mech_access access = split_access(sm, m, &split);
    FOR_EACH(sm, addressed, mech->addressed(state, &access, &split, now);)
}

static bool hook_beside(ww_sm *sm, const ww_line_access *a, uint64_t now, uint64_t *ready)
{
    const ww_mech_access access = line_access_of(sm, a);
    FOR_EACH(sm, beside, {
        if (mech->beside(state, &access, now, ready)) {
            return true;
        }
    })
    return false;
}

static void hook_looked_up(ww_sm *sm, const ww_line_access *a, ww_cache_result result, uint64_t now)
{
    const ww_mech_access access = line_access_of(sm, a);
    FOR_EACH(sm, looked_up, mech->looked_up(state, &access, result, now);)
}

static void hook_filled(ww_sm *sm, uint64_t address, const uint32_t *waiter, size_t count,
                        uint64_t now)
{
    uint32_t demand = 0;
    for (size_t i = 0; i < count; i++) {
        demand += waiter[i] != WW_NONE;
    }
    FOR_EACH(sm, filled, mech->filled(state, address, demand, now);)
}

static void hook_arrived(ww_sm *sm, const ww_mem_req *reply, uint64_t now)
{
    uint32_t i = reply->token >> WW_BESIDE_SHIFT;
    uint32_t token = reply->token & ((1u << WW_BESIDE_SHIFT) - 1);
    if (sm->mech.at[i]->arrived != NULL) {
        sm->mech.at[i]->arrived(sm->mech.state[i], reply->address, token, now);
    }
}

static void hook_evicted(ww_sm *sm, uint64_t address, uint64_t now)
{
    FOR_EACH(sm, evicted, mech->evicted(state, address, now);)
}

static bool mech_prefetched(ww_sm *sm, uint32_t warp, bool demanded, uint64_t now)
{
    bool woken = false;
    FOR_EACH(sm, prefetched, woken |= mech->prefetched(state, warp, demanded, now);)
    return woken;
}

static void hook_tick(ww_sm *sm, uint64_t now)
{
    FOR_EACH(sm, tick, mech->tick(state, now);)
}

static uint64_t hook_next(const ww_sm *sm, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    FOR_EACH(sm, next, {
        uint64_t at = mech->next(state, now);
        next = ww_min_u64(next, at);
    })
    return next;
}
