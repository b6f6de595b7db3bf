/* partition.c - an SM of partitions: each scheduler has its own register banks, dispatch port and
 * pipelines, and shares only the load/store unit (and units of which there are fewer than
 * schedulers) with the others. NVIDIA Tesla V100 architecture whitepaper, "Volta streaming
 * multiprocessor"; Pascal's partitions issue two instructions of a warp in a cycle (NVIDIA GP100
 * whitepaper: two dispatch units per scheduler); register banks: Jia et al., "Dissecting the NVIDIA
 * Volta GPU architecture via microbenchmarking", 2018, section 3.2. An instruction reads its
 * operands on the way from issue to its pipeline; operands that meet in a bank hold the dispatch
 * port for the cycles that they take beyond one. With control bits an instruction of fixed latency
 * lets its dependents issue `latency` cycles after its own issue, whatever the banks do in between:
 * the compiler has counted on it. With a scoreboard they wait for the register write. */
#include "base/arith.h"
#include "perf/sm/core.h"
#include "perf/sm/hooks.h"

static void partition_divide(ww_sm *sm)
{
    const ww_units_params *u = &sm->arch->units;
    for (unsigned unit = 0; unit < WW_PIPE_KINDS; unit++) {
        uint32_t n = sm->units.count[unit];
        for (uint32_t s = 0; s < sm->issue.schedulers; s++) {
            uint32_t first = s * n / sm->issue.schedulers;
            uint32_t end =
                n >= sm->issue.schedulers ? (s + 1) * n / sm->issue.schedulers : first + 1;
            sm->partition.serves[unit][s] = (ww_pipe_range){(uint8_t)first, (uint8_t)end};
        }
    }
    /* Special functions wait in a queue, as memory instructions do (NVIDIA Nsight Compute
     * documentation, MIO throttle). */
    sm->partition.ahead[WW_UNIT_SFU] = u->sfu_queue * u->sfu_interval;
}

static inline bool pipe_free_at(const ww_sm *sm, unsigned unit, uint32_t s, uint64_t now)
{
    if (unit == WW_UNIT_LDST) {
        return sm->partition.port_free[s] <= now && sm->ldst.free != WW_NONE &&
               sm->ldst.count < sm->arch->ldst.queue_entries;
    }
    const ww_pipe_range range = sm->partition.serves[unit][s];
    for (uint32_t i = range.first; i < range.end; i++) {
        if (sm->units.free[unit][i] <= now + sm->partition.ahead[unit]) {
            return true;
        }
    }
    return false;
}

/* The dispatch port that is free first: there is one for each instruction that may issue in a
 * cycle. */
static uint32_t first_port(const ww_sm *sm, uint32_t s)
{
    uint32_t first = 0;
    for (uint32_t p = 1; p < sm->arch->sm.issue_width; p++) {
        first =
            sm->partition.dispatch_free[s][p] < sm->partition.dispatch_free[s][first] ? p : first;
    }
    return first;
}

/* An instruction holds it until that cycle. */
static void hold_port(ww_sm *sm, uint32_t s, uint64_t until)
{
    sm->partition.dispatch_free[s][first_port(sm, s)] = until;
    sm->partition.dispatch_from[s] = sm->partition.dispatch_free[s][first_port(sm, s)];
}

/* First cycle in which the unit takes an instruction of scheduler s by time, at or before now: it
 * does; UINT64_MAX: not before it is given something back. */
static inline uint64_t unit_free_from(const ww_sm *sm, unsigned unit, uint32_t s, uint64_t now)
{
    if (unit == WW_UNIT_LDST) {
        const uint64_t port = sm->partition.port_free[s];
        const bool room = sm->ldst.free != WW_NONE && sm->ldst.count < sm->arch->ldst.queue_entries;
        return room || port > now ? port : UINT64_MAX;
    }
    const ww_pipe_range range = sm->partition.serves[unit][s];
    uint64_t from = UINT64_MAX;
    for (uint32_t i = range.first; i < range.end; i++) {
        from = ww_min_u64(from, sm->units.free[unit][i]);
    }
    return from - ww_min_u64(from, sm->partition.ahead[unit]);
}

static WW_ALWAYS_INLINE ww_slots partition_blocked(const ww_sm *sm, uint32_t s, ww_slots ready,
                                                   uint64_t now, uint64_t *next)
{
    const uint64_t port = sm->partition.dispatch_from[s];
    *next = port;
    if (port > now) {
        return ready & ~sm->ibuf.head[WW_UNIT_CTRL];
    }
    ww_slots blocked = WW_NO_SLOTS;
    uint64_t first = UINT64_MAX;
    for (ww_slots left = ready; ww_any(left);) {
        const unsigned u = sm->ibuf.unit[ww_first(left)];
        ww_slots heads = sm->ibuf.head[u] & ready;
        left = ww_rest(left) & ~heads;
        const uint64_t from = u == WW_UNIT_CTRL ? 0 : unit_free_from(sm, u, s, now);
        if (from > now) {
            blocked |= heads;
            first = ww_min_u64(first, from);
        }
    }
    *next = first;
    return blocked;
}

static WW_ALWAYS_INLINE bool partition_accepts(const ww_sm *sm, uint32_t s, unsigned unit,
                                               uint64_t now)
{
    return unit == WW_UNIT_CTRL ||
           (sm->partition.dispatch_from[s] <= now && pipe_free_at(sm, unit, s, now));
}

/* First cycle after now in which a pipeline of the unit takes an instruction of scheduler s. */
static uint64_t next_pipe(const ww_sm *sm, unsigned unit, uint32_t s, uint64_t now)
{
    const ww_pipe_range range = sm->partition.serves[unit][s];
    uint64_t next = UINT64_MAX;
    for (uint32_t i = range.first; i < range.end; i++) {
        uint64_t free = sm->units.free[unit][i], ahead = sm->partition.ahead[unit];
        uint64_t from = free - (free < ahead ? free : ahead);
        next = from > now && from < next ? from : next;
    }
    return next;
}

static uint64_t partition_next_free(const ww_sm *sm, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t s = 0; s < sm->issue.schedulers; s++) {
        const ww_slots ready = sm->board.ready & sm->issue.sched[s].mine;
        if (!ww_any(ready)) {
            continue;
        }
        uint64_t port = sm->partition.dispatch_from[s];
        next = port > now ? ww_min_u64(next, port) : next;
        port = sm->partition.port_free[s];
        next = port > now ? ww_min_u64(next, port) : next;
        for (ww_slots left = ready; ww_any(left);) {
            const unsigned u = sm->ibuf.unit[ww_first(left)];
            left = ww_rest(left) & ~sm->ibuf.head[u];
            if (u != WW_UNIT_CTRL && u != WW_UNIT_LDST) {
                next = ww_min_u64(next, next_pipe(sm, u, s, now));
            }
        }
    }
    return next;
}

/* Takes the pipeline for the instruction's initiation interval; the cycles until it begins. */
static uint64_t occupy_pipe(ww_sm *sm, uint32_t s, const ww_sm_op *uop, uint64_t now)
{
    if (uop->unit == WW_UNIT_LDST) {
        sm->partition.port_free[s] = now + uop->interval;
        return 0;
    }
    const ww_pipe_range range = sm->partition.serves[uop->unit][s];
    uint32_t i = range.first;
    while (i + 1u < range.end && sm->units.free[uop->unit][i] > now) {
        i++;
    }
    uint64_t *free = &sm->units.free[uop->unit][i];
    uint64_t begin = *free > now ? *free : now;
    *free = begin + uop->interval;
    return begin - now;
}

/* Cycles for which the operand reads take the dispatch port. */
static uint32_t read_cycles(const ww_sm *sm, const ww_sm_op *uop)
{
    uint32_t per_cycle = sm->arch->regfile.bank_reads, passes = uop->src_levels;
    if (ww_hooked(sm, WW_HOOK(operands)) && sm->oc.moved > 0) {
        passes = sm->oc.moved;
    }
    return passes > per_cycle ? (passes + per_cycle - 1u) / per_cycle : 1;
}

static void count_operands(ww_sm *sm, const ww_sm_op *uop, uint32_t lanes, uint32_t cycles)
{
    const uint32_t pc = ww_place_of(sm, uop), words = uop->src_words;
    ww_count(sm, WW_C_RF_CONFLICT, cycles - 1);
    ww_charge(sm, pc, WW_C_RF_ARBITRATION, words);
    ww_charge(sm, pc, WW_C_RF_READ, words);
    ww_charge(sm, pc, WW_C_RF_READ_LANES, (uint64_t)words * lanes);
    ww_charge(sm, pc, WW_C_OC_WRITE, words);
    ww_charge(sm, pc, WW_C_OC_READ, 1);
}

static void partition_start(ww_sm *sm, uint32_t index, const ww_sm_op *uop, uint64_t now)
{
    const ww_flight *f = &sm->flights.at[index];
    uint32_t s = f->warp % sm->issue.schedulers;
    uint32_t cycles = read_cycles(sm, uop);
    count_operands(sm, uop, f->lanes, cycles);
    sm_count_start(sm, uop, f->lanes);
    hold_port(sm, s, now + cycles);
    uint64_t queued = occupy_pipe(sm, s, uop, now);
    if (uop->unit == WW_UNIT_LDST) {
        sm_ldst_enqueue(sm, f->mem);
        return;
    }
    uint32_t behind = 0;
    if (sm->arch->sm.dependence == WW_DEPEND_SCOREBOARD) {
        behind = sm->arch->sm.collect_cycles + cycles + sm->arch->sm.writeback_cycles;
    }
    if (ww_sm_folded_waits(sm, uop)) { /* its passes hold the dispatch port, as register banks do */
        sm_folded_pass(sm, f);
        hold_port(sm, s, sm->partition.dispatch_from[s] + f->port_cycles - 1u);
        behind += f->port_cycles - 1u + sm->arch->ldst.shared_latency;
    }
    ww_flight_ends(&sm->flights, now + queued + uop->latency + behind, index);
}

static void partition_write(ww_sm *sm, uint32_t index, uint64_t now)
{
    const ww_flight *f = &sm->flights.at[index];
    const ww_sm_op *uop = f->op;
    sm_count_writes(sm, f, uop->dst_words, uop->dst_words);
    sm_flight_done(sm, index, now);
}
