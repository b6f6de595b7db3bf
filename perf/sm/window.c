/* window.c - an SM through a window of cycles, alone: from one of its events to the next. */
#include "base/arith.h"
#include "base/assert.h"
#include "perf/sm/sm_state.h"

/* Bits [first, end) of a window. */
static uint64_t span(uint64_t first, uint64_t end)
{
    uint64_t n = end - first;
    return (n >= 64 ? ~0ull : ww_word_bit((uint32_t)n) - 1) << first;
}

static bool busy(const ww_sm *sm)
{
    return sm->pulse.ctas > 0 || sm->pulse.outgoing > 0 || sm->pulse.awaited > 0;
}

static void sm_hold(ww_sm *sm, uint32_t w)
{
    sm->warps.held |= ww_slot(w);
    sm_evaluate(sm, w);
}

static void release_held(ww_sm *sm, uint64_t now)
{
    ww_slots held = sm->warps.held;
    if (!ww_any(held)) {
        return;
    }
    sm->warps.held = WW_NO_SLOTS;
    for (; ww_any(held); held = ww_rest(held)) {
        sm_evaluate(sm, ww_first(held));
    }
    sm->pulse.wake = now;
}

/* Without a credit the requests stay until the edge. */
static uint64_t next_event(const ww_sm *sm, uint64_t now)
{
    if (sm->pulse.outgoing > 0 && ww_port_can_send(sm->port)) {
        return now;
    }
    uint64_t next = ww_min_u64(sm->pulse.wake, ww_port_next_reply(sm->port));
    return ww_max_u64(next, now);
}

static uint64_t sm_next(const ww_sm *sm, uint64_t from)
{
    return sm->pulse.held ? from : next_event(sm, from);
}

static ww_status run_cycle(ww_sm *sm, uint64_t now, ww_error *err)
{
    if (sm->pulse.wake <= now || ww_port_next_reply(sm->port) <= now) {
        return sm_tick(sm, now, err);
    }
    sm_drain(sm, now);
    return WW_OK;
}

static ww_status sm_run(ww_sm *sm, uint64_t from, uint64_t until, bool edge,
                        const ww_sm_order *order, uint32_t orders, uint64_t *stopped, ww_error *err)
{
    uint32_t placed = 0;
    uint64_t now = from, active = 0;
    *stopped = now;
    sm->pulse.active = 0;
    if (edge) {
        WW_VERIFY(sm_verify(sm));
        release_held(sm, now);
    }
    if (orders > 0 && order[0].at < from) {
        sm->ctas.joins = order[placed].cluster;
        WW_TRY(sm_launch_cta(sm, order[placed++].linear, from - 1, err));
    }
    bool was_busy = busy(sm), resident = sm->pulse.ctas > 0;
    uint64_t since = now; /* a CTA is resident, or none is */
    uint64_t order_at = placed < orders ? order[placed].at : UINT64_MAX;
    for (;;) {
        const uint64_t event = next_event(sm, now), next = ww_min_u64(event, order_at);
        if (next >= until) {
            break;
        }
        now = *stopped = next;
        WW_TRY(run_cycle(sm, now, err));
        if (WW_UNLIKELY(order_at == now)) {
            sm->ctas.joins = order[placed].cluster;
            WW_TRY(sm_launch_cta(sm, order[placed++].linear, now, err));
            order_at = placed < orders ? order[placed].at : UINT64_MAX;
        }
        now++;
        if (WW_LIKELY(resident && sm->pulse.ctas > 0)) {
            continue;
        }
        const bool is_busy = busy(sm);
        if (was_busy && !is_busy) {
            sm->pulse.idle_at = now - 1;
        }
        was_busy = is_busy;
        if (resident != (sm->pulse.ctas > 0)) {
            active |= resident ? span(since - from, now - from) : 0;
            resident = !resident;
            since = now;
        }
    }
    sm->pulse.held = ww_any(sm->warps.held);
    sm->pulse.active = active | (resident ? span(since - from, until - from) : 0);
    return WW_OK;
}

/* Between windows, when nothing is being simulated. */
static bool sm_cluster(ww_sm *sm, ww_cta *cta, ww_cluster_event event, uint64_t now)
{
    ww_cta_slot *slot = &sm->cta[sm->warps.cta_of[cta->warp[0].slot]];
    if (event == WW_CLUSTER_DONE) {
        return slot->live == 0 && slot->flights == 0;
    }
    sm_account(sm, now);
    cta->cluster = NULL;
    sm_cta_check(sm, slot, now);
    if (!busy(sm)) {
        sm->pulse.idle_at = now - 1;
    }
    return true;
}

static ww_pending *sm_pending(ww_sm *sm)
{
    return sm->effects;
}
