/* pipeline.c - from the collectors into the pipelines: initiation intervals, latencies, lane
 * operations. */
#include "perf/sm/sm_state.h"

/* A pipeline of that kind that accepts an instruction now; -1: none. */
static int free_pipe(const ww_sm *sm, unsigned unit, uint64_t now)
{
    if (unit == WW_UNIT_LDST && sm->ldst.count >= sm->arch->ldst.queue_entries) {
        return -1;
    }
    for (uint32_t i = 0; i < sm->units.count[unit]; i++) {
        if (sm->units.free[unit][i] <= now) {
            return (int)i;
        }
    }
    return -1;
}

static void sm_count_start(ww_sm *sm, const ww_sm_op *uop, uint32_t lanes)
{
    ww_count(sm, ww_pipe_counter(uop->unit), 1);
    if (uop->event != WW_COUNTER_COUNT) {
        ww_count(sm, (ww_counter)uop->event, lanes * uop->lane_work);
    }
}

static void start_in(ww_sm *sm, ww_collector *oc, uint32_t pipe, uint64_t now)
{
    ww_flight *f = &sm->flights.at[oc->flight];
    const ww_sm_op *uop = &sm->program->uop[f->uop];
    ww_count(sm, WW_C_OC_READ, 1);
    sm_count_start(sm, uop, f->lanes);
    if (oc->unit == WW_UNIT_LDST) {
        sm->units.free[oc->unit][pipe] = now + 1;
        sm_ldst_enqueue(sm, f->mem);
        return;
    }
    sm->units.free[oc->unit][pipe] = now + uop->interval;
    ww_wheel_add(&sm->flights.wheel, now + uop->latency + sm->arch->sm.writeback_cycles,
                 oc->flight);
}

static void sm_dispatch(ww_sm *sm, uint64_t now)
{
    uint32_t ports = sm->arch->regfile.collector_ports;
    for (uint32_t i = 0; i < sm->oc.count && ports > 0;) {
        ww_collector *oc = &sm->oc.collector[sm->oc.order[i]];
        int pipe = oc->reads == 0 && oc->rounds == 0 ? free_pipe(sm, oc->unit, now) : -1;
        if (pipe < 0) {
            i++;
            continue;
        }
        start_in(sm, oc, (uint32_t)pipe, now);
        sm_collector_release(&sm->oc, i);
        ports--;
    }
}
