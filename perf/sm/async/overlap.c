/* overlap.c - the picture that a kernel's author wants: cycles in which copy engine, matrix unit
 * and special-function units are at work, alone and together, and where producers and consumers
 * spend their time. Intervals are added up when something begins or ends: no cycle is looked at. */
#include "base/arith.h"
#include "perf/sm/async/async.h"

/* ---- engines ---- */

/* The counter of cycles in which just these are at work. */
static ww_counter busy_counter(bool copy, bool matrix, bool sfu)
{
    static const ww_counter of[8] = {WW_COUNTER_COUNT,      WW_C_BUSY_COPY, WW_C_BUSY_MATRIX,
                                     WW_C_BUSY_COPY_MATRIX, WW_C_BUSY_SFU,  WW_C_BUSY_COPY_SFU,
                                     WW_C_BUSY_MATRIX_SFU,  WW_C_BUSY_ALL};
    return of[(copy ? 1 : 0) + (matrix ? 2 : 0) + (sfu ? 4 : 0)];
}

/* Counts what has been going on up to a cycle. */
static void overlap_count(ww_sm *sm, uint64_t now)
{
    ww_overlap *o = &sm->async->overlap;
    while (o->counted < now) {
        const bool matrix = o->matrix > o->counted, sfu = o->sfu > o->counted;
        uint64_t until = now;
        until = matrix ? ww_min_u64(until, o->matrix) : until;
        until = sfu ? ww_min_u64(until, o->sfu) : until;
        const ww_counter c = busy_counter(o->copying, matrix, sfu);
        if (c != WW_COUNTER_COUNT) {
            ww_count(sm, c, until - o->counted);
        }
        o->counted = until;
    }
}

static void overlap_copying(ww_sm *sm, bool copying, uint64_t now)
{
    ww_overlap *o = &sm->async->overlap;
    if (o->copying != copying) {
        overlap_count(sm, now);
        o->copying = copying;
    }
}

static void overlap_matrix(ww_sm *sm, uint64_t until, uint64_t now)
{
    overlap_count(sm, now);
    sm->async->overlap.matrix = until;
}

static void overlap_sfu(ww_sm *sm, uint32_t interval, uint64_t now)
{
    overlap_count(sm, now);
    sm->async->overlap.sfu = ww_max_u64(sm->async->overlap.sfu, now + interval);
}

/* ---- the timeline of a CTA ---- */

static void sm_set_timeline(ww_sm *sm, ww_timeline *timeline)
{
    sm->timeline = timeline;
}

static void note_span(ww_sm *sm, const ww_cta *cta, ww_timed_span span)
{
    if (WW_LIKELY(sm->timeline == NULL) || cta->linear != sm->timeline->cta ||
        span.until <= span.from) {
        return;
    }
    span.kernel = sm->launch->kernel->name;
    span.launch = (uint32_t)sm->launch->id;
    ww_timeline_add(sm->timeline, &span);
}

static void note_warp(ww_sm *sm, uint32_t w, ww_span_kind kind, uint64_t from)
{
    const ww_overlap *o = &sm->async->overlap;
    note_span(sm, sm->warps.at[w]->cta,
              (ww_timed_span){.warp = (uint16_t)sm->warps.at[w]->index,
                              .kind = (uint8_t)kind,
                              .role = o->role[w],
                              .from = from,
                              .until = o->now});
}

static void note_engine(ww_sm *sm, uint32_t slot, ww_span_kind kind, uint64_t from, uint64_t until)
{
    note_span(sm, &sm->cta[slot].cta,
              (ww_timed_span){.kind = (uint8_t)kind, .from = from, .until = until});
}

/* ---- warps ---- */

static void overlap_warp(ww_sm *sm, uint32_t w)
{
    ww_overlap *o = &sm->async->overlap;
    o->born[w] = UINT64_MAX;
    o->waits[w] = WW_FOR_NOTHING;
    o->role[w] = WW_ROLE_NONE;
    memset(o->waited[w], 0, sizeof o->waited[w]);
}

static void overlap_waits(ww_sm *sm, uint32_t w, ww_waits_for what)
{
    ww_overlap *o = &sm->async->overlap;
    o->waits[w] = (uint8_t)what;
    o->since[w] = o->now;
}

static void overlap_goes_on(ww_sm *sm, uint32_t w)
{
    ww_overlap *o = &sm->async->overlap;
    if (o->waits[w] != WW_FOR_NOTHING) {
        o->waited[w][o->waits[w]] += o->now - o->since[w];
        note_warp(sm, w, (ww_span_kind)o->waits[w], o->since[w]);
        o->waits[w] = WW_FOR_NOTHING;
    }
}

/* A warp that asks for products consumes, whatever else it asks for. */
static void overlap_asks(ww_sm *sm, uint32_t w, ww_role role)
{
    uint8_t *own = &sm->async->overlap.role[w];
    *own = *own < role ? (uint8_t)role : *own;
}

static void overlap_exited(ww_sm *sm, uint32_t w)
{
    const ww_overlap *o = &sm->async->overlap;
    const ww_counter resident = o->role[w] == WW_ROLE_PRODUCER   ? WW_C_PRODUCER_RESIDENT
                                : o->role[w] == WW_ROLE_CONSUMER ? WW_C_CONSUMER_RESIDENT
                                                                 : WW_COUNTER_COUNT;
    const ww_counter first =
        o->role[w] == WW_ROLE_PRODUCER ? WW_C_PRODUCER_OBJECT : WW_C_CONSUMER_OBJECT;
    note_warp(sm, w, WW_SPAN_WARP, o->born[w]);
    if (resident == WW_COUNTER_COUNT) {
        return;
    }
    ww_count(sm, resident, o->now - o->born[w]);
    for (unsigned k = 0; k < WW_FOR_COUNT; k++) {
        ww_count(sm, (ww_counter)(first + k), o->waited[w][k]);
    }
}

/* A warp has issued an instruction, or tried to. */
static void overlap_issued(ww_sm *sm, uint32_t w, const ww_sm_op *uop, uint64_t now)
{
    ww_overlap *o = &sm->async->overlap;
    o->born[w] = ww_min_u64(o->born[w], now);
    if (uop->unit == WW_UNIT_SFU) {
        overlap_sfu(sm, uop->interval, now);
    }
    if (!ww_in(sm->warps.live, w)) {
        overlap_exited(sm, w);
    } else if (ww_in(sm->warps.at_barrier & ~sm->async->asleep, w)) {
        overlap_waits(sm, w, WW_FOR_BARRIER);
    }
}
