/* remote.c - what CTAs of a cluster do to each other, in time. Each SM sends 32 B at a time through
 * its share of the lanes of its group of SMs, whether the others send or not; whoever receives
 * writes or reads its shared memory through its port. Four lanes of six SMs, not work-conserving:
 * seanzw, "dsm_bw", measured on an H200 (390 GB/s of a pair, no more alone). A load sends a flit
 * and gets those of its data back; a store sends one and its data; packets of bulk copies have no
 * header (21.1 of 21.3 B a cycle, FlashGPU-Sim, docs/cluster_noc/calibration.md). */
#include "base/arith.h"
#include "base/room.h"
#include "perf/sm/async/async.h"

enum { FLIT = 32, PACKET = 128 };

/* ---- lists ---- */

static bool messages_room(ww_messages *list)
{
    ww_message *at = ww_heap_room(list->at, list->count, 1, &list->room, sizeof *at);
    list->at = at != NULL ? at : list->at;
    return at != NULL;
}

static bool acts_before(const ww_message *a, const ww_message *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static bool heap_add(ww_messages *heap, const ww_message *m)
{
    if (!messages_room(heap)) {
        return false;
    }
    uint32_t i = heap->count++;
    for (; i > 0 && acts_before(m, &heap->at[(i - 1) / 2]); i = (i - 1) / 2) {
        heap->at[i] = heap->at[(i - 1) / 2];
    }
    heap->at[i] = *m;
    return true;
}

static ww_message heap_take(ww_messages *heap)
{
    const ww_message first = heap->at[0], last = heap->at[--heap->count];
    uint32_t i = 0;
    for (uint32_t k = 1; k < heap->count; k = 2 * i + 1) {
        k += k + 1 < heap->count && acts_before(&heap->at[k + 1], &heap->at[k]);
        if (acts_before(&last, &heap->at[k])) {
            break;
        }
        heap->at[i] = heap->at[k];
        i = k;
    }
    heap->at[i] = last;
    return first;
}

/* ---- sending ---- */

/* First cycle behind what the lane has taken. */
static uint64_t lane_end(const ww_sm *sm)
{
    const uint32_t lanes = sm->arch->async.remote_lanes;
    return ww_ceil_div(sm->async->remote.lane_free, lanes);
}

/* Events that a message causes, at either end: the SMs of a cluster run one program. */
static void charge_for(ww_sm *sm, const ww_message *m, ww_counter counter, uint64_t n)
{
    ww_count(sm, counter, n);
    if (m->row > 0) {
        ww_note(sm, m->row - 1, counter, n);
    }
}

/* Takes the lane for so many flits of a message; the cycle behind the last. */
static uint64_t take_lane(ww_sm *sm, const ww_message *m, uint32_t flits, uint64_t now)
{
    const ww_async_params *p = &sm->arch->async;
    ww_remote *r = &sm->async->remote;
    r->lane_free =
        ww_max_u64(r->lane_free, now * p->remote_lanes) + (uint64_t)flits * p->remote_sms;
    charge_for(sm, m, WW_C_REMOTE_FLITS, flits);
    return lane_end(sm);
}

static uint64_t next_order(ww_sm *sm)
{
    return (uint64_t)sm->id << 40 | (sm->async->remote.sequence++ & ((UINT64_C(1) << 40) - 1));
}

static void fail(ww_sm *sm, uint64_t now)
{
    sm->async->remote.failed = true;
    sm->async->next = now;
}

/* Sends a message that arrives then. */
static void send_at(ww_sm *sm, ww_message m, uint64_t at)
{
    ww_messages *out = &sm->async->remote.out;
    if (!messages_room(out)) {
        fail(sm, at);
        return;
    }
    m.at = at;
    m.order = next_order(sm);
    m.from_rank = (uint8_t)m.from->rank;
    out->at[out->count++] = m;
}

/* Sends one by the lane, which it takes for so many flits. */
static void send_message(ww_sm *sm, ww_message m, uint32_t flits, uint64_t now)
{
    send_at(sm, m, take_lane(sm, &m, flits, now) + sm->arch->async.remote_latency);
}

static void send_op(ww_sm *sm, ww_cta *from, const ww_object_op *op, uint64_t now)
{
    send_message(
        sm, (ww_message){.kind = WW_MESSAGE_OBJECT, .from = from, .to_rank = op->rank, .op = *op},
        1, now);
}

/* ---- operations on mbarriers of others, by way of the load/store unit ---- */

static bool waiting_room(ww_remote *r, uint32_t more)
{
    ww_waiting_op *grown =
        ww_heap_room(r->waiting, r->waits, more, &r->waiting_room, sizeof *grown);
    r->waiting = grown != NULL ? grown : r->waiting;
    return grown != NULL;
}

static void sm_engine_issued(ww_sm *sm, const ww_flight *f)
{
    ww_remote *r = &sm->async->remote;
    ww_engines *e = &sm->async->engines;
    if (e->ops > 0 && !waiting_room(r, e->ops)) {
        fail(sm, 0);
        return;
    }
    for (uint32_t i = 0; i < e->ops; i++) {
        r->waiting[r->waits++] = (ww_waiting_op){.mem = f->mem, .op = e->op[i]};
    }
    e->ops = 0;
}

static void send_waiting(ww_sm *sm, ww_cta *from, uint32_t mem, uint64_t now)
{
    ww_remote *r = &sm->async->remote;
    uint32_t left = 0;
    for (uint32_t i = 0; i < r->waits; i++) {
        if (r->waiting[i].mem == mem) {
            send_op(sm, from, &r->waiting[i].op, now);
        } else {
            r->waiting[left++] = r->waiting[i];
        }
    }
    r->waits = left;
}

/* Of an instruction that did not go there. */
static void send_ops(ww_sm *sm, uint32_t w, uint64_t now)
{
    ww_engines *e = &sm->async->engines;
    for (uint32_t i = 0; i < e->ops; i++) {
        send_op(sm, sm->warps.at[w]->cta, &e->op[i], now);
    }
    e->ops = 0;
}

/* ---- accesses of warps ---- */

/* Whether a lane names a CTA other than its own. */
static bool names_other(const ww_mem_inst *m, unsigned lane, uint32_t own)
{
    const uint64_t named = m->step.address[lane] >> WW_CLUSTER_RANK_SHIFT;
    return named != 0 && named - 1 != own;
}

static uint32_t lanes_elsewhere(const ww_mem_inst *m, uint32_t lanes, uint32_t own)
{
    uint32_t there = 0;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        there |= names_other(m, lane, own) ? 1u << lane : 0;
    }
    return there;
}

/* The first line that lanes of the set name, of one CTA: the sectors that they touch; they leave
 * the set. A lane lies within a line. */
static uint32_t next_line(const ww_mem_inst *m, uint32_t *lanes, uint32_t *rank)
{
    const uint64_t line = m->step.address[__builtin_ctz(*lanes)] / PACKET;
    uint32_t sectors = 0;
    for (uint32_t left = *lanes; left != 0; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const uint64_t a = m->step.address[lane];
        if (a / PACKET == line) {
            sectors |= 1u << a % PACKET / FLIT;
            sectors |= 1u << (a + m->step.lane_bytes - 1) % PACKET / FLIT;
            *lanes &= ~(1u << lane);
        }
    }
    *rank = (uint32_t)(line * PACKET >> WW_CLUSTER_RANK_SHIFT) - 1;
    return sectors;
}

/* What lanes read or write elsewhere: a packet for each line. */
static void access_elsewhere(ww_sm *sm, ww_mem_inst *m, uint32_t lanes, ww_cta *from, uint64_t now)
{
    const ww_step *step = &m->step;
    const bool brings = step->is_store || step->is_atomic;
    while (lanes != 0) {
        uint32_t rank;
        const uint32_t flits = (uint32_t)__builtin_popcount(next_line(m, &lanes, &rank));
        const ww_message packet = {.kind = step->is_store && !step->is_atomic ? WW_MESSAGE_STORE
                                                                              : WW_MESSAGE_READ,
                                   .from = from,
                                   .to_rank = (uint8_t)rank,
                                   .rows = step->is_atomic ? 2 : 1,
                                   .bytes = (uint16_t)(flits * FLIT),
                                   .row = sm->flights.at[m->flight].uop + 1,
                                   .token = m->flight};
        send_message(sm, packet, brings ? 1 + flits : 1, now);
        sm->flights.at[m->flight].pieces++;
    }
}

/* Packets fit the lane's queue as long as it is not further behind than that. */
static uint64_t lane_accepts(const ww_sm *sm)
{
    const ww_async_params *p = &sm->arch->async;
    const uint64_t most = (uint64_t)p->remote_credits * (1 + PACKET / FLIT) * p->remote_sms;
    const uint64_t busy = sm->async->remote.lane_free;
    return busy > most ? (busy - most) / p->remote_lanes : 0;
}

static uint32_t sm_remote_access(ww_sm *sm, ww_mem_inst *m, uint64_t now)
{
    const ww_flight *f = &sm->flights.at[m->flight];
    ww_cta *from = sm->warps.at[f->warp]->cta;
    const uint32_t there = from->cluster != NULL ? lanes_elsewhere(m, f->exec, from->rank) : 0;
    if (there == 0) {
        return f->exec;
    }
    const ww_inst *inst = &sm->launch->kernel->code[ww_program_inst(sm->program, f->uop)];
    if (inst->op == WW_OP_MBARRIER) {
        send_waiting(sm, from, (uint32_t)(m - sm->ldst.at), now);
    } else {
        access_elsewhere(sm, m, there, from, now);
    }
    sm->ldst.busy_until = ww_max_u64(now + 1, lane_accepts(sm));
    return f->exec & ~there;
}

/* ---- receiving ---- */

static ww_cta_slot *slot_of(ww_sm *sm, const ww_cta *cta)
{
    return &sm->cta[sm->warps.cta_of[cta->warp[0].slot]];
}

static bool sm_deliver(ww_sm *sm, const ww_message *m)
{
    if (!heap_add(&sm->async->remote.in, m)) {
        return false;
    }
    slot_of(sm, m->to)->flights++; /* its CTA stays until it has acted */
    sm->async->next = ww_min_u64(sm->async->next, m->at);
    sm->pulse.wake = ww_min_u64(sm->pulse.wake, m->at);
    return true;
}

static ww_messages *sm_outbox(ww_sm *sm)
{
    return sm->async != NULL ? &sm->async->remote.out : NULL;
}

/* Sends the SM itself one. */
static void deliver_here(ww_sm *sm, ww_message m, uint64_t at)
{
    m.at = at;
    m.order = next_order(sm);
    if (!sm_deliver(sm, &m)) {
        fail(sm, at);
    }
}

/* The way of replies, as wide as the network's: when a packet of which the last byte is here now is
 * whole. */
static uint64_t way_in(ww_sm *sm, uint32_t bytes, uint64_t now)
{
    const ww_icnt_params *p = &sm->arch->icnt;
    ww_remote *r = &sm->async->remote;
    const uint64_t flits = ww_ceil_div(bytes + p->control_bytes, p->flit_bytes);
    r->came = ww_max_u64(now, r->came + ww_ceil_div(flits, p->reply_flits));
    return r->came;
}

/* Its way through the port, from a cycle on; the cycle behind it. */
static uint64_t pass_port(ww_sm *sm, const ww_message *m, uint64_t from, uint64_t now)
{
    const bool reads = m->kind == WW_MESSAGE_READ;
    charge_for(sm, m, WW_C_SHARED_CYCLES, m->rows);
    charge_for(sm, m, WW_C_SHARED_READ_WORDS, reads ? m->bytes / 4 : 0);
    charge_for(sm, m, WW_C_SHARED_WRITE_WORDS, reads ? 0 : m->bytes / 4);
    const uint64_t end = ww_smem_port_take(&sm->async->port, now, from, m->rows);
    uint64_t *written = &sm->async->remote.written[m->from_rank];
    *written = reads ? *written : ww_max_u64(*written, end);
    return end;
}

/* A read's data goes back behind its way through the shared memory; a store's acknowledgement takes
 * no room in the lane: many share a flit. */
static void answer(ww_sm *sm, const ww_message *m, uint64_t end)
{
    const ww_message reply = {
        .kind = WW_MESSAGE_REPLY, .from = m->to, .to_rank = m->from_rank, .token = m->token};
    const uint32_t latency = sm->arch->async.remote_latency;
    if (m->kind == WW_MESSAGE_READ) {
        const uint64_t left = take_lane(sm, m, m->bytes / FLIT, end);
        send_at(sm, reply, left + sm->arch->ldst.shared_latency - 1 + latency);
    } else {
        send_at(sm, reply, end + latency);
    }
}

static ww_status act_on_object(ww_sm *sm, const ww_message *m, uint64_t now, ww_error *err)
{
    bool flipped;
    charge_for(sm, m, WW_C_OBJECT_OPS, 1);
    WW_TRY(ww_exec_object(sm->launch, m->to, &m->op, &flipped, err));
    if (flipped) {
        phases_ended(sm, now);
    }
    return WW_OK;
}

static ww_status act_on(ww_sm *sm, const ww_message *m, uint64_t now, ww_error *err)
{
    ww_message later = *m;
    const uint64_t written = sm->async->remote.written[m->from_rank];
    switch ((ww_message_kind)m->kind) {
    case WW_MESSAGE_END:
        if (written > now) {
            later.kind = WW_MESSAGE_OBJECT;
            deliver_here(sm, later, written);
            return WW_OK;
        }
        return act_on_object(sm, m, now, err);
    case WW_MESSAGE_OBJECT:
        return act_on_object(sm, m, now, err);
    case WW_MESSAGE_DATA:
        (void)pass_port(sm, m, now, now);
        return WW_OK;
    case WW_MESSAGE_DELIVERY:
        (void)pass_port(sm, m, way_in(sm, m->bytes, now), now);
        return WW_OK;
    case WW_MESSAGE_STORE:
    case WW_MESSAGE_READ:
        answer(sm, m, pass_port(sm, m, now, now));
        return WW_OK;
    case WW_MESSAGE_REPLY:
        sm->flights.at[m->token].pieces--;
        sm_flight_settle(sm, m->token, now);
        return WW_OK;
    case WW_MESSAGE_PART:
        copy_part_came(sm, m->token, m->bytes, now);
        return WW_OK;
    case WW_MESSAGE_OPEN:
        ww_count(sm, WW_C_CLUSTER_ARRIVALS, 1);
        ww_cluster_open(m->to);
        sm_barrier_released(sm, slot_of(sm, m->to));
        return WW_OK;
    }
    return WW_OK;
}

/* What has arrived acts. */
static ww_status act_messages(ww_sm *sm, uint64_t now, ww_error *err)
{
    ww_remote *r = &sm->async->remote;
    if (r->failed) {
        return ww_no_memory_for(err, "messages of SM %u", sm->id);
    }
    while (r->in.count > 0 && r->in.at[0].at <= now) {
        const ww_message m = heap_take(&r->in);
        ww_cta_slot *slot = slot_of(sm, m.to);
        sm->pulse.progress++;
        WW_TRY(act_on(sm, &m, now, err));
        if (--slot->flights == 0) {
            sm_cta_check(sm, slot, now);
        }
    }
    return WW_OK;
}

static uint64_t messages_next(const ww_remote *r)
{
    return r->in.count > 0 ? r->in.at[0].at : UINT64_MAX;
}

static void remote_fini(ww_remote *r)
{
    ww_free(r->out.at);
    ww_free(r->in.at);
    ww_free(r->waiting);
}

/* As new, but for the room of its lists. */
static ww_remote remote_begin(const ww_remote *r)
{
    return (ww_remote){.out = {.at = r->out.at, .room = r->out.room},
                       .in = {.at = r->in.at, .room = r->in.room},
                       .waiting = r->waiting,
                       .waiting_room = r->waiting_room};
}
