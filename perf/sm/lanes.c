/* lanes.c - the core of DART (LPGPU D5.5.3, 2013, section 3.3): a warp's registers lie in one lane,
 * which takes an instruction and sends the threads that execute it through its unit one after the
 * other, so that threads that do not take no time. The front end is that of any core.
 *
 * Of n threads and k cycles between two of them, an instruction that starts at t takes its lane
 * until t + n k, and thread j's result is there at t + j k + L. A dependent instruction of the same
 * threads follows thread by thread: it may start at t + L (later where k > 1 lets it catch up);
 * one of other threads, or one that needs the whole warp, waits for the last result. */
#include "perf/sm/lanes.h"

#include "base/arith.h"
#include "perf/sm/hooks.h"

/* ---- the time of an instruction ---- */

/* Cycles between two threads. A class of operations takes its share of the lanes' time that it
 * takes of a SIMD core's: its pipelines pass 32 threads per interval, and lanes share them in turn.
 */
static uint32_t thread_cycles(const ww_sm *sm, const ww_sm_op *uop)
{
    if (uop->unit == WW_UNIT_LDST) {
        return 1; /* an address each */
    }
    uint32_t threads = WW_WARP_SIZE * sm->units.count[uop->unit];
    uint32_t cycles = (uop->interval * sm->lanes->count + threads - 1) / threads;
    return cycles > 0 ? cycles : 1;
}

/* Cycles that a lane takes to find its threads beyond one for each: it sees `width` neighbours at a
 * time, and a window without a thread, with more to come behind, passes without one. */
static uint32_t skipping_cycles(uint32_t threads, uint32_t width)
{
    uint32_t empty = 0;
    uint64_t window = (1ull << width) - 1;
    for (; width < WW_WARP_SIZE && threads != 0; threads = (uint32_t)((uint64_t)threads >> width)) {
        empty += (threads & window) == 0;
    }
    return empty;
}

/* Cycles for which the slice is taken: it reads or writes a row of a register at a time, of the
 * rows in which a thread executes, for each vector source and for the result. */
static uint32_t row_cycles(const ww_sm *sm, const ww_sm_op *uop, uint32_t threads)
{
    const uint32_t width = sm->arch->dart.row;
    const uint64_t row = width < WW_WARP_SIZE ? (1ull << width) - 1 : UINT32_MAX;
    uint32_t rows = 0;
    for (uint32_t i = 0; width > 0 && i < WW_WARP_SIZE; i += width) {
        rows += ((uint64_t)threads >> i & row) != 0;
    }
    return rows * (uint32_t)(uop->src_words - uop->src_scalars + uop->dst_words);
}

/* The instruction at a place of the program. */
static const ww_inst *inst_at(const ww_sm *sm, uint32_t place)
{
    return &sm->program->kernel->code[ww_program_inst(sm->program, place)];
}

static void lanes_result(ww_sm *sm, uint32_t index, uint64_t first, uint64_t last)
{
    ww_flight *f = &sm->flights.at[index];
    const ww_sm_op *uop = &sm->program->uop[f->uop];
    bool whole = (uop->flags & WW_SM_OP_CROSSES) != 0 ||
                 uop->dst_levels == 0; /* predicates: the front end's */
    f->ready_at = last;
    ww_wheel_add(&sm->flights.wheel, whole ? last : first, index);
}

/* ---- issue ---- */

/* Lanes of the warp that its head would execute: those that are active and pass the guard. */
static uint32_t head_threads(const ww_warp_stage *warps, uint32_t w, const ww_inst *inst)
{
    const ww_warp *warp = warps->at[w];
    uint32_t threads = ww_warp_active(warp);
    if (inst->guard.kind == WW_OPD_PRED) {
        uint32_t p = warp->preds[inst->guard.reg];
        threads &= (inst->guard.flags & WW_OPD_NOT) != 0 ? ~p : p;
    }
    return threads;
}

static bool names(const ww_sm *sm, const ww_sm_op *uop, const ww_sm_op *writer)
{
    const ww_reg_bits *need = sm->program->bits + uop->hazard;
    const ww_reg_bits *made = sm->program->bits + writer->reserve;
    for (unsigned i = 0; i < uop->hazard_count; i++) {
        for (unsigned k = 0; k < writer->reserve_count; k++) {
            if (need[i].word == made[k].word && (need[i].mask & made[k].mask) != 0) {
                return true;
            }
        }
    }
    return false;
}

/* Whether an instruction's guard is among what another one still writes. */
static bool guards_with(const ww_sm *sm, const ww_inst *inst, const ww_sm_op *writer)
{
    const ww_reg_bits *made = sm->program->bits + writer->reserve;
    uint32_t bit = sm->program->predicate_base + inst->guard.reg;
    for (unsigned k = 0; inst->guard.kind == WW_OPD_PRED && k < writer->reserve_count; k++) {
        if (made[k].word == bit / 64 && (made[k].mask >> (bit % 64) & 1) != 0) {
            return true;
        }
    }
    return false;
}

/* Whether the warp's head needs results that have only begun to appear, and cannot follow them
 * thread by thread. */
static bool waits_for_tail(const ww_sm *sm, uint32_t w)
{
    uint32_t pc = sm->ibuf.pc[w];
    const ww_sm_op *uop = &sm->program->uop[pc];
    const ww_inst *inst = inst_at(sm, pc);
    bool whole = uop->unit == WW_UNIT_CTRL || (uop->flags & WW_SM_OP_CROSSES) != 0;
    uint32_t threads = head_threads(&sm->warps, w, inst);
    for (uint32_t i = sm->lanes->tail[w]; i != WW_NONE; i = sm->flights.at[i].next) {
        const ww_sm_op *writer = &sm->program->uop[sm->flights.at[i].uop];
        if ((whole || threads != sm->flights.at[i].exec || guards_with(sm, inst, writer)) &&
            names(sm, uop, writer)) {
            return true;
        }
    }
    return false;
}

static ww_slots lanes_blocked(const ww_sm *sm, uint32_t s, ww_slots ready, uint64_t now)
{
    const ww_lanes *l = sm->lanes;
    (void)s;
    ww_slots busy = WW_NO_SLOTS, memory = sm->ldst.free == WW_NONE ? ~busy : busy;
    for (uint32_t i = 0; i < l->count; i++) {
        busy |= l->lane[i].free_at > now ? l->lane[i].warps : WW_NO_SLOTS;
        memory |= l->lane[i].collected != WW_NONE ? l->lane[i].warps : WW_NO_SLOTS;
    }
    ww_slots blocked =
        (busy & ~sm->ibuf.head[WW_UNIT_CTRL]) | (memory & sm->ibuf.head[WW_UNIT_LDST]);
    for (ww_slots m = ready & ~blocked; ww_any(m); m = ww_rest(m)) {
        uint32_t w = ww_first(m);
        if (l->tail[w] != WW_NONE && waits_for_tail(sm, w)) {
            blocked |= ww_slot(w);
        }
    }
    return blocked & ready;
}

/* An operand that the threads share is read once and kept beside the unit. */
static void count_start(ww_sm *sm, const ww_sm_op *uop, uint32_t threads)
{
    uint64_t vectors = uop->src_words - uop->src_scalars;
    sm_count_start(sm, uop, threads);
    ww_count(sm, WW_C_DART_CONTROL, 1);
    ww_count(sm, WW_C_DART_THREAD, threads);
    ww_count(sm, WW_C_RF_READ_LANES, vectors * threads + uop->src_scalars);
}

static void lanes_start(ww_sm *sm, uint32_t index, const ww_sm_op *uop, uint64_t now)
{
    ww_flight *f = &sm->flights.at[index];
    ww_lane *lane = ww_lane_of(sm, f->warp);
    if ((uop->flags & WW_SM_OP_ONCE) != 0) {
        f->exec &= 0u - f->exec; /* the first thread, for all */
        f->lanes = 1;
    }
    uint32_t cycles = thread_cycles(sm, uop);
    uint32_t skipped = skipping_cycles(f->exec, sm->arch->dart.skip_width);
    uint32_t behind = (f->lanes - 1u) * cycles + skipped; /* from the first thread to the last */
    uint32_t rows = row_cycles(sm, uop, f->exec);
    behind = rows > behind + cycles ? rows - cycles : behind;
    count_start(sm, uop, f->lanes);
    if (uop->unit == WW_UNIT_LDST) {
        if (sm_mem_path(uop, &sm->ldst.at[f->mem].step) == WW_PATH_SHARED) {
            lanes_share(sm, f->warp % sm->lanes->count, index, now, now + rows);
            return;
        }
        lane->collected = index;
        lane->collected_at = lane->free_at = now + behind + 1;
        if (sm->arch->dart.coalesce == WW_DART_COALESCE_STREAM) {
            lane->collected_at = sm_coalesce_as_they_come(sm, f->mem, lane->free_at, now);
        }
        sm->lanes->collecting |= ww_word_bit(f->warp % sm->lanes->count);
        ww_count(sm, WW_C_DART_ADDRESS, f->lanes);
        ww_count(sm, WW_C_DART_BUSY, behind + 1);
        return;
    }
    uint64_t latency =
        (uint64_t)uop->latency + sm->arch->sm.collect_cycles + sm->arch->sm.writeback_cycles;
    lane->free_at = now + behind + cycles;
    ww_count(sm, WW_C_DART_BUSY, behind + cycles);
    /* A follower that sends a thread per cycle must not overtake. */
    uint64_t first = now + latency + behind - (f->lanes - 1u);
    lanes_result(sm, index, first, now + latency + behind);
}

/* ---- completion ---- */

static void leave_tail(ww_sm *sm, uint32_t index)
{
    uint32_t *link = &sm->lanes->tail[sm->flights.at[index].warp];
    while (*link != index) {
        link = &sm->flights.at[*link].next;
    }
    *link = sm->flights.at[index].next;
}

/* First when results begin to appear, then when all are there. */
static void lanes_write(ww_sm *sm, uint32_t index, uint64_t now)
{
    ww_flight *f = &sm->flights.at[index];
    const ww_sm_op *uop = &sm->program->uop[f->uop];
    if (f->ready_at > now) {
        sm_release(sm, f->warp, uop);
        f->loose = true;
        f->next = sm->lanes->tail[f->warp];
        sm->lanes->tail[f->warp] = index;
        ww_wheel_add(&sm->flights.wheel, f->ready_at, index);
        return;
    }
    if (f->loose) {
        leave_tail(sm, index);
    }
    ww_count(sm, WW_C_RF_WRITE_LANES, (uint64_t)uop->dst_words * f->lanes);
    sm_flight_done(sm, index, now);
}

/* ---- every cycle ---- */

/* Hands complete address collectors to the load/store unit, the longest waiting first. */
static void empty_collectors(ww_sm *sm, uint64_t now)
{
    ww_lanes *l = sm->lanes;
    while (sm->ldst.count < sm->arch->ldst.queue_entries) {
        uint32_t first = WW_NONE;
        for (uint64_t m = l->collecting; m != 0; m &= m - 1) {
            uint32_t i = (uint32_t)__builtin_ctzll(m);
            if (l->lane[i].collected_at <= now &&
                (first == WW_NONE || l->lane[i].collected_at < l->lane[first].collected_at)) {
                first = i;
            }
        }
        if (first == WW_NONE) {
            return;
        }
        sm_ldst_enqueue(sm, sm->flights.at[l->lane[first].collected].mem);
        l->lane[first].collected = WW_NONE;
        l->collecting &= ~ww_word_bit(first);
    }
}

static void lanes_cycle(ww_sm *sm, uint64_t now)
{
    if (sm->lanes->sharing != 0) {
        lanes_arbitrate(sm, now);
    }
    if (sm->lanes->collecting != 0) {
        empty_collectors(sm, now);
    }
}

static uint64_t lanes_next_free(const ww_sm *sm, uint64_t now)
{
    const ww_lanes *l = sm->lanes;
    uint64_t next = UINT64_MAX;
    bool room = sm->ldst.count < sm->arch->ldst.queue_entries;
    for (uint32_t i = 0; i < l->count; i++) {
        const ww_lane *lane = &l->lane[i];
        if (lane->sharing != WW_NONE) {
            return now + 1;
        }
        if (lane->free_at > now && ww_any(sm->board.ready & lane->warps)) {
            next = ww_min_u64(next, lane->free_at);
        }
        if (lane->collected != WW_NONE && room) {
            next = ww_min_u64(next, lane->collected_at > now ? lane->collected_at : now + 1);
        }
    }
    return next;
}

/* ---- life ---- */

static ww_status lanes_create(ww_sm *sm, ww_error *err)
{
    const ww_units_params *u = &sm->arch->units;
    uint32_t count = u->sp_count * u->sp_lanes;
    if (count > WW_LANES_MOST) {
        return ww_fail(err, WW_EUNSUP,
                       "%u lanes (units.sp_count x units.sp_lanes): a core of lanes has at most %d",
                       count, WW_LANES_MOST);
    }
    sm->lanes = WW_NEW(ww_lanes);
    if (sm->lanes == NULL) {
        return ww_no_memory_for(err, "SM %u", sm->id);
    }
    sm->lanes->count = count;
    for (uint32_t w = 0; w < sm->arch->sm.max_warps; w++) {
        ww_lane_of(sm, w)->warps |= ww_slot(w);
    }
    return WW_OK;
}

static void lanes_reset(ww_sm *sm)
{
    ww_lanes *l = sm->lanes;
    l->collecting = l->sharing = 0;
    for (uint32_t w = 0; w < WW_SM_WARPS; w++) {
        l->tail[w] = WW_NONE;
    }
    for (uint32_t i = 0; i < l->count; i++) {
        l->lane[i] = (ww_lane){.warps = l->lane[i].warps, .collected = WW_NONE, .sharing = WW_NONE};
    }
}
