/* outqueue.c - requests on their way from the SM to the interconnect, and replies coming back. */
#include "base/assert.h"
#include "perf/sm/hooks.h"

static void sm_send(ww_sm *sm, const ww_mem_req *request)
{
    WW_ASSERT(sm->pulse.outgoing <= sm->out.mask);
    ww_mem_req *slot = &sm->out.ring[(sm->out.first + sm->pulse.outgoing++) & sm->out.mask];
    sm->pulse.awaited += request->kind != WW_REQ_WRITEBACK;
    *slot = *request;
    slot->sm = sm->id;
}

static bool sm_send_along(ww_sm *sm, ww_req_kind kind, uint64_t address, uint32_t bytes,
                          uint32_t token, uint32_t mask)
{
    if (sm->arch->ldst.l1_sectors == 1 || sm->pulse.outgoing == 0) {
        return false;
    }
    ww_mem_req *last = &sm->out.ring[(sm->out.first + sm->pulse.outgoing - 1) & sm->out.mask];
    uint32_t line = sm->arch->l1d.line_bytes;
    if (last->kind != kind || last->token != token || (last->flags & WW_OUT_BESIDE) != 0 ||
        last->address + last->bytes != address || last->address / line != address / line) {
        return false;
    }
    last->byte_mask |= last->bytes < 128 ? mask << (last->bytes / 4) : 0;
    last->bytes = (uint16_t)(last->bytes + bytes);
    return true;
}

/* Whether what happened may let an access go on that failed. */
static bool unblocks(const ww_sm *sm, unsigned what)
{
    return (sm->ldst.blocked && (sm->ldst.until & what) != 0) ||
           (sm->l1d.blocked && (sm->l1d.until & what) != 0);
}

static void unblock(ww_sm *sm, unsigned what)
{
    sm->ldst.blocked &= (sm->ldst.until & what) == 0;
    sm->l1d.blocked &= (sm->l1d.until & what) == 0;
}

/* One request a cycle enters the interconnect port. */
static void sm_drain(ww_sm *sm, uint64_t now)
{
    if (sm->pulse.outgoing == 0) {
        return;
    }
    const ww_mem_req *req = &sm->out.ring[sm->out.first];
    if (!ww_port_can_send(sm->port)) {
        return;
    }
    ww_port_send(sm->port, req, now);
    sm->out.first = (sm->out.first + 1) & sm->out.mask;
    sm->pulse.outgoing--;
    if (WW_UNLIKELY(ww_async_of(sm) != NULL)) {
        sm_async_drained(sm, now);
    }
    if (unblocks(sm, WW_UNTIL_SENT)) {
        sm_account_ldst(sm, now + 1); /* this cycle still counts as blocked */
        unblock(sm, WW_UNTIL_SENT);
        sm->pulse.wake = now + 1;
    }
}

static void sm_replies(ww_sm *sm, uint64_t now)
{
    ww_mem_req reply;
    if (!ww_port_receive(sm->port, now, &reply)) {
        return;
    }
    sm->pulse.awaited--;
    sm->pulse.progress++;
    unblock(sm, WW_UNTIL_REPLY);
    switch ((ww_req_kind)reply.kind) {
    case WW_REQ_INST:
        sm_fetch_filled(sm, &reply, now);
        return;
    case WW_REQ_CONST:
        sm_const_filled(sm, &reply, now);
        return;
    case WW_REQ_TEX:
        unblock(sm, WW_UNTIL_FILL);
        sm_texture_filled(sm, &reply, now);
        return;
    case WW_REQ_READ:
    case WW_REQ_WRITE:
    case WW_REQ_ATOMIC:
    case WW_REQ_REDUCE:
    case WW_REQ_PREFETCH:
    case WW_REQ_BRING:
    case WW_REQ_WRITEBACK:
        break;
    }
    if ((reply.flags & WW_OUT_THROUGH_CACHE) != 0) {
        unblock(sm, WW_UNTIL_FILL);
        sm_data_filled(sm, &reply, now);
        return;
    }
    if (WW_UNLIKELY((reply.flags & (WW_OUT_BESIDE | WW_OUT_ENGINE)) != 0)) {
        if ((reply.flags & WW_OUT_ENGINE) != 0) {
            sm_async_replied(sm, &reply, now);
        } else {
            hook_arrived(sm, &reply, now);
        }
        return;
    }
    sm->flights.at[reply.token].pieces--;
    sm_flight_settle(sm, reply.token, now);
}
