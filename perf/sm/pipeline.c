/* pipeline.c - from the collectors into the pipelines: initiation intervals, latencies, lane
 * operations. */
#include "base/arith.h"
#include "perf/sm/core.h"

/* What comes at `when`, up to the wheel's horizon ahead. */
static inline ww_results *results_at(const ww_sm *sm, uint64_t when)
{
    return &sm->units.results[when & sm->flights.wheel.mask];
}

/* Pipelines of that kind, as bits, that have no slot for a result at `when` (peer.result_slots). */
static inline uint32_t without_slot(const ww_sm *sm, unsigned unit, uint64_t when)
{
    if (unit == WW_UNIT_LDST) {
        return 0;
    }
    const ww_results *there = results_at(sm, when);
    if (there->cycle != when) {
        return 0;
    }
    return there->count < sm->arch->peer.result_slots ? there->from[unit] : UINT32_MAX;
}

static inline void take_result_slot(ww_sm *sm, unsigned unit, uint32_t pipe, uint64_t when)
{
    ww_results *there = results_at(sm, when);
    if (there->cycle != when) {
        *there = (ww_results){.cycle = when};
    }
    there->count++;
    there->from[unit] |= (uint16_t)(1u << pipe);
}

/* A pipeline of that kind that accepts an instruction now, not one of those in `without`; -1: none.
 */
static WW_ALWAYS_INLINE int free_pipe(const ww_sm *sm, unsigned unit, const uint32_t without,
                                      uint64_t now)
{
    if (unit == WW_UNIT_LDST && sm->ldst.count >= sm->arch->ldst.queue_entries) {
        return -1;
    }
    for (uint32_t i = 0; i < sm->units.count[unit]; i++) {
        if (sm->units.free[unit][i] <= now && (without >> i & 1) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static WW_ALWAYS_INLINE void sm_count_start(ww_sm *sm, const ww_sm_op *uop, uint32_t lanes)
{
    const ww_counter pipe = (ww_counter)uop->pipe;
    const bool noted = WW_UNLIKELY(ww_charged(sm) != NULL);
    const uint32_t pc = noted ? ww_place_of(sm, uop) : 0;
    ww_count(sm, pipe, 1);
    if (noted) {
        ww_note(sm, pc, pipe, 1);
    }
    if (uop->event != WW_COUNTER_COUNT) {
        ww_count(sm, (ww_counter)uop->event, lanes * uop->lane_work);
        if (noted) {
            ww_note(sm, pc, (ww_counter)uop->event, lanes * uop->lane_work);
        }
    }
}

static WW_ALWAYS_INLINE void start_in(ww_sm *sm, const ww_collector *oc, uint32_t pipe,
                                      uint64_t now)
{
    const ww_sm_op *uop = oc->op;
    uint64_t *free = &sm->units.free[uop->unit][pipe];
    ww_charge(sm, ww_place_of(sm, uop), WW_C_OC_READ, 1);
    sm_count_start(sm, uop, oc->lanes);
    if (uop->unit == WW_UNIT_LDST) {
        *free = now + 1;
        sm_ldst_enqueue(sm, sm->flights.at[oc->flight].mem);
        return;
    }
    *free = now + uop->interval;
    if (WW_UNLIKELY(sm->units.results != NULL)) {
        take_result_slot(sm, uop->unit, pipe, now + uop->latency);
    }
    ww_flight_ends(&sm->flights, now + uop->latency + sm->arch->sm.writeback_cycles, oc->flight);
}

static void sm_dispatch(ww_sm *sm, uint64_t now)
{
    ww_collect_stage *stage = &sm->oc;
    uint32_t ports = sm->arch->regfile.collector_ports;
    uint64_t complete = stage->complete;
    while (complete != 0 && ports > 0) {
        const uint32_t c = (uint32_t)__builtin_ctzll(complete); /* the oldest */
        const ww_collector *oc = &stage->collector[c];
        const unsigned unit = oc->op->unit;
        const int pipe =
            WW_LIKELY(sm->units.results == NULL)
                ? free_pipe(sm, unit, 0, now)
                : free_pipe(sm, unit, without_slot(sm, unit, now + oc->op->latency), now);
        if (pipe < 0) {
            complete &= ~stage->in_unit[unit]; /* nor for a younger one */
            continue;
        }
        complete &= ~ww_word_bit(c);
        start_in(sm, oc, (uint32_t)pipe, now);
        sm_collector_release(stage, c);
        ww_sm_stir(sm, sm->board.ready);
        ports--;
    }
}

/* First cycle after now in which a collector that waits for a pipeline alone can have one; the
 * load/store unit's queue gets room when its head goes. */
static uint64_t pool_next_free(const ww_sm *sm, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    for (uint64_t left = sm->oc.complete; left != 0;) {
        const unsigned unit = sm->oc.collector[__builtin_ctzll(left)].op->unit;
        left &= ~sm->oc.in_unit[unit];
        if (unit == WW_UNIT_LDST && sm->ldst.count >= sm->arch->ldst.queue_entries) {
            continue;
        }
        for (uint32_t i = 0; i < sm->units.count[unit]; i++) {
            next = ww_min_u64(next, sm->units.free[unit][i]);
        }
    }
    return ww_max_u64(next, now + 1);
}
