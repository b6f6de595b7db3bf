/* ports.c - requests, replies and credits across the border between SMs and memory system. */
#include <string.h>

#include "perf/mem/port.h"

#include "base/assert.h"
#include "base/mem.h"
#include "perf/mem/bits.h"

/* The memory system's side of an SM's port. */
typedef struct inner {
    ww_mem_req *waiting; /* ring: collected, not yet in the network; in order of `issued` */
    uint32_t waiting_mask, waiting_first, waiting_count;
    ww_timed_reply *fresh; /* replies that became certain since the last exchange */
    uint32_t fresh_count;
    uint32_t room;      /* places in the network's port at the last edge reached */
    uint64_t next_take; /* first cycle in which the SM can take another reply */
} inner;

struct ww_ports {
    ww_arena arena;
    ww_memsys *ms;
    uint32_t sms;
    uint32_t places; /* of a port in the request network */
    bool behind;
    ww_port *port;
    inner *inner;
    uint64_t *with_waiting; /* bit per SM */
    uint64_t *with_fresh;   /* the same */
    uint64_t *moved;        /* the same, of those whose credits may be other than all places */
    uint32_t words;
    uint64_t now;   /* core cycle to simulate next */
    uint64_t since; /* last cycle with something in flight */
    bool busy;      /* something was in flight at the end of the last cycle simulated */
};

uint32_t ww_ports_window(const ww_memsys *ms, bool *behind)
{
    uint32_t lookahead = ww_memsys_lookahead(ms);
    *behind = lookahead >= 2;
    uint32_t window = *behind ? lookahead / 2 : 1;
    return window < WW_LONGEST_WINDOW ? window : WW_LONGEST_WINDOW;
}

/* A reply got its way through the network. The SM takes one packet a cycle. */
static void on_reply(void *user, uint32_t sm, const ww_mem_req *reply, uint64_t from)
{
    ww_ports *ports = user;
    inner *in = &ports->inner[sm];
    uint64_t at = from > in->next_take ? from : in->next_take;
    in->next_take = at + 1;
    if (reply != NULL) {
        WW_ASSERT(in->fresh_count <= ports->port[sm].in_mask); /* as long as the ring `in` */
        in->fresh[in->fresh_count++] = (ww_timed_reply){.at = at, .req = *reply};
        ww__bit_set(ports->with_fresh, sm);
    }
}

static bool init_port(ww_ports *ports, uint32_t i)
{
    ww_port *port = &ports->port[i];
    inner *in = &ports->inner[i];
    /* Granted and not taken: no more than an output of the network holds. Between two exchanges the
     * memory system runs two windows at most. */
    uint32_t held = ww_memsys_most_replies(ports->ms) + 1;
    uint32_t replies = ww__pow2_ceil(held + 2 * WW_LONGEST_WINDOW);
    uint32_t waiting = ww__pow2_ceil(ports->places);
    port->out = WW_ARENA_NEW_ARRAY(&ports->arena, ww_mem_req, ports->places);
    port->in = WW_ARENA_NEW_ARRAY(&ports->arena, ww_timed_reply, replies);
    port->in_mask = replies - 1;
    port->next_reply = UINT64_MAX;
    port->credits = in->room = ports->places;
    in->fresh = WW_ARENA_NEW_ARRAY(&ports->arena, ww_timed_reply, replies);
    in->waiting = WW_ARENA_NEW_ARRAY(&ports->arena, ww_mem_req, waiting);
    in->waiting_mask = waiting - 1;
    return port->out != NULL && port->in != NULL && in->fresh != NULL && in->waiting != NULL;
}

static bool init_ports(ww_ports *ports)
{
    ports->port = WW_ARENA_NEW_ARRAY(&ports->arena, ww_port, ports->sms);
    ports->inner = WW_ARENA_NEW_ARRAY(&ports->arena, inner, ports->sms);
    ports->words = ww__bit_words(ports->sms);
    ports->with_waiting = WW_ARENA_NEW_ARRAY(&ports->arena, uint64_t, ports->words);
    ports->with_fresh = WW_ARENA_NEW_ARRAY(&ports->arena, uint64_t, ports->words);
    ports->moved = WW_ARENA_NEW_ARRAY(&ports->arena, uint64_t, ports->words);
    if (ports->port == NULL || ports->inner == NULL || ports->with_waiting == NULL ||
        ports->with_fresh == NULL || ports->moved == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < ports->sms; i++) {
        if (!init_port(ports, i)) {
            return false;
        }
    }
    return true;
}

ww_status ww_ports_create(const ww_arch *arch, ww_memsys *ms, bool behind, ww_ports **out,
                          ww_error *err)
{
    ww_ports *ports = WW_NEW(ww_ports);
    if (ports == NULL) {
        return ww_no_memory_for(err, "the SMs' ports");
    }
    ww_arena_init(&ports->arena);
    ports->ms = ms;
    ports->sms = arch->sm.count;
    ports->places = arch->icnt.input_packets;
    ports->behind = behind;
    if (!init_ports(ports)) {
        ww_ports_destroy(ports);
        return ww_no_memory_for(err, "the SMs' ports");
    }
    ww_memsys_on_reply(ms, on_reply, ports);
    *out = ports;
    return WW_OK;
}

void ww_ports_destroy(ww_ports *ports)
{
    if (ports != NULL) {
        ww_arena_fini(&ports->arena);
        ww_free(ports);
    }
}

ww_port *ww_ports_of(ww_ports *ports, uint32_t sm)
{
    return &ports->port[sm];
}

void ww_ports_restart(ww_ports *ports, uint64_t now)
{
    ww_memsys_restart(ports->ms, now);
    ports->now = ports->since = now;
    ports->busy = false;
    for (uint32_t i = 0; i < ports->sms; i++) {
        ports->inner[i].next_take = 0;
        ports->inner[i].room = ports->places;
        ports->port[i].credits = ports->places;
        ports->port[i].sent = 0;
    }
    memset(ports->moved, 0, ports->words * sizeof *ports->moved);
}

uint64_t ww_ports_time(const ww_ports *ports)
{
    return ports->now;
}

static void collect(ww_ports *ports, uint32_t i)
{
    ww_port *port = &ports->port[i];
    inner *in = &ports->inner[i];
    for (uint32_t k = 0; k < port->out_count; k++) {
        WW_ASSERT(in->waiting_count <= in->waiting_mask); /* a request has a credit */
        uint32_t slot = (in->waiting_first + in->waiting_count++) & in->waiting_mask;
        in->waiting[slot] = port->out[k];
    }
    if (port->out_count > 0) {
        ww__bit_set(ports->with_waiting, i);
        ww__bit_set(ports->moved, i);
        port->out_count = 0;
    }
}

void ww_ports_collect(ww_ports *ports)
{
    for (uint32_t i = 0; i < ports->sms; i++) {
        collect(ports, i);
    }
}

void ww_ports_collect_from(ww_ports *ports, const uint32_t *sms, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        WW_ASSERT(sms[k] < ports->sms);
        collect(ports, sms[k]);
    }
}

/* Puts the requests of cycle `now` into the network, SM after SM; one that the full network has to
 * refuse tries again. Returns when the next one is due. */
static uint64_t inject(ww_ports *ports, uint64_t now)
{
    uint64_t next = WW_NEVER;
    for (uint32_t w = 0; w < ports->words; w++) {
        for (uint64_t bits = ports->with_waiting[w]; bits != 0; bits &= bits - 1) {
            uint32_t sm = w * 64 + ww__bit_first(bits);
            inner *in = &ports->inner[sm];
            const ww_mem_req *req = &in->waiting[in->waiting_first];
            if (req->issued <= now && ww_memsys_can_inject(ports->ms, sm, req)) {
                ww_memsys_inject(ports->ms, sm, req, now);
                in->waiting_first = (in->waiting_first + 1) & in->waiting_mask;
                if (--in->waiting_count == 0) {
                    ww__bit_clear(ports->with_waiting, sm);
                    continue;
                }
                req = &in->waiting[in->waiting_first];
            }
            next = ww_min_u64(next, ww_max_u64(req->issued, now + 1));
        }
    }
    return next;
}

/* The network's outputs lose what the SMs take in this cycle, as they were told. */
static void take_replies(ww_ports *ports)
{
    const uint64_t *arrived = ww_memsys_replies(ports->ms);
    for (uint32_t w = 0; w < ports->words; w++) {
        for (uint64_t bits = arrived[w]; bits != 0; bits &= bits - 1) {
            ww_mem_req reply;
            (void)ww_memsys_receive(ports->ms, w * 64 + ww__bit_first(bits), &reply);
        }
    }
}

static void note_rooms(ww_ports *ports)
{
    for (uint32_t w = 0; w < ports->words; w++) {
        for (uint64_t bits = ports->moved[w]; bits != 0; bits &= bits - 1) {
            uint32_t i = w * 64 + ww__bit_first(bits);
            inner *in = &ports->inner[i];
            WW_ASSERT(in->waiting_count <= ww_memsys_room(ports->ms, i));
            in->room = ww_memsys_room(ports->ms, i) - in->waiting_count;
        }
    }
}

void ww_ports_run(ww_ports *ports, uint64_t until, bool edge)
{
    uint64_t next_request = ports->now; /* more may have been collected since the last run */
    while (ports->now < until) {
        uint64_t now = ports->now;
        take_replies(ports);
        if (next_request <= now) {
            next_request = inject(ports, now);
        }
        ww_memsys_tick(ports->ms, now);
        bool idle = next_request == WW_NEVER && ww_memsys_idle(ports->ms);
        if (ports->busy || !idle) {
            ports->since = now;
        }
        ports->busy = !idle;
        uint64_t event = ww_memsys_next_event(ports->ms, now);
        uint64_t next = ww_min_u64(ww_min_u64(next_request, event), until);
        if (next > now + 1) {
            ww_memsys_skip(ports->ms, now, next);
        }
        ports->now = next;
    }
    if (edge) {
        note_rooms(ports);
    }
}

static void deliver_fresh(ww_port *port, inner *in)
{
    for (uint32_t k = 0; k < in->fresh_count; k++) {
        WW_ASSERT(port->in_count <= port->in_mask);
        port->in[(port->in_first + port->in_count++) & port->in_mask] = in->fresh[k];
    }
    in->fresh_count = 0;
    port->next_reply = port->in_count > 0 ? port->in[port->in_first].at : UINT64_MAX;
}

void ww_ports_deliver(ww_ports *ports)
{
    for (uint32_t w = 0; w < ports->words; w++) {
        for (uint64_t bits = ports->with_fresh[w]; bits != 0; bits &= bits - 1) {
            uint32_t sm = w * 64 + ww__bit_first(bits);
            deliver_fresh(&ports->port[sm], &ports->inner[sm]);
        }
        ports->with_fresh[w] = 0;
    }
}

void ww_ports_grant_credits(ww_ports *ports)
{
    for (uint32_t w = 0; w < ports->words; w++) {
        for (uint64_t bits = ports->moved[w]; bits != 0; bits &= bits - 1) {
            uint32_t i = w * 64 + ww__bit_first(bits);
            ww_port *port = &ports->port[i];
            WW_ASSERT(!ports->behind || port->sent <= ports->inner[i].room);
            port->credits = ports->inner[i].room - (ports->behind ? port->sent : 0);
            if (port->sent == 0 && port->credits == ports->places) {
                ww__bit_clear(ports->moved, i);
            }
            port->sent = 0;
        }
    }
}

static bool any_waiting(const ww_ports *ports)
{
    return ww__bit_any(ports->with_waiting, ports->words);
}

uint64_t ww_ports_next(const ww_ports *ports)
{
    if (any_waiting(ports)) {
        return ports->now;
    }
    return ww_memsys_next_event(ports->ms, ports->now - 1);
}

bool ww_ports_idle(const ww_ports *ports, uint64_t *since)
{
    *since = ports->since;
    if (ports->busy || any_waiting(ports)) {
        return false;
    }
    for (uint32_t i = 0; i < ports->sms; i++) {
        if (ports->port[i].out_count > 0) {
            return false;
        }
    }
    return true;
}
