/* port.h - the border between SMs and memory system, crossed at the edges of windows alone.
 *
 * A reply is certain, with the cycle in which its SM takes it, some cycles before that (the way
 * through the reply network): the lookahead. So SMs can be simulated through a window of cycles
 * without looking at the memory system and the memory system without looking at the SMs, each from
 * what the other did before; with windows of half the lookahead both can be at work at once, the
 * memory system one window behind. At the edge requests, replies and credits change sides, in the
 * order of SMs. What is simulated depends on the windows, never on who simulates it when.
 *
 * An SM sends while it has credits, which count the places in its port of the request network as
 * they were known at the last edge. */
#ifndef WW_PERF_MEM_PORT_H
#define WW_PERF_MEM_PORT_H

#include "base/assert.h"
#include "perf/mem/mem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A reply and the core cycle in which its SM takes it. */
typedef struct ww_timed_reply {
    uint64_t at;
    ww_mem_req req;
} ww_timed_reply;

/* An SM's side. Between edges it belongs to whoever simulates the SM. */
typedef struct ww_port {
    uint32_t credits; /* requests that may still be sent */
    uint32_t sent;    /* since the last edge */
    ww_mem_req *out;  /* those not yet collected; `issued` is the cycle of sending */
    uint32_t out_count;
    uint32_t in_mask, in_first, in_count;
    ww_timed_reply *in;        /* ring, by time; at most one a cycle */
    uint64_t next_reply;       /* cycle of the first in the ring; UINT64_MAX: it is empty */
    unsigned char padding[72]; /* neighbours are written by other threads */
} ww_port;

static inline bool ww_port_can_send(const ww_port *port)
{
    return port->credits > 0;
}

/** Sends in core cycle `now`; only after can_send; at most one request a cycle. */
static inline void ww_port_send(ww_port *port, const ww_mem_req *req, uint64_t now)
{
    WW_ASSERT(ww_port_can_send(port)); /* `out` has a place for each credit */
    ww_mem_req *slot = &port->out[port->out_count++];
    *slot = *req;
    slot->issued = now;
    port->credits--;
    port->sent++;
}

/** Core cycle of the next reply that is known; UINT64_MAX: none is. */
static inline uint64_t ww_port_next_reply(const ww_port *port)
{
    return port->next_reply;
}

/** Takes the reply of core cycle `now`, if there is one. */
static inline bool ww_port_receive(ww_port *port, uint64_t now, ww_mem_req *reply)
{
    if (ww_port_next_reply(port) > now) {
        return false;
    }
    *reply = port->in[port->in_first].req;
    port->in_first = (port->in_first + 1) & port->in_mask;
    port->in_count--;
    port->next_reply = port->in_count > 0 ? port->in[port->in_first].at : UINT64_MAX;
    return true;
}

/* ---- all ports of a memory system (ports.c) ---- */
typedef struct ww_ports ww_ports; /* opaque */

/** Longest window in core cycles for a memory system, at most WW_LONGEST_WINDOW. *behind: the
 * memory system may run a window behind the SMs. */
uint32_t ww_ports_window(const ww_memsys *ms, bool *behind);
enum { WW_LONGEST_WINDOW = 32 };

/** Ports for every SM of arch on ms (borrowed), which is from then on run through them alone.
 * behind: as the owner will run it. */
WW_NODISCARD ww_status ww_ports_create(const ww_arch *arch, ww_memsys *ms, bool behind,
                                       ww_ports **out, ww_error *err);
void ww_ports_destroy(ww_ports *ports);
ww_port *ww_ports_of(ww_ports *ports, uint32_t sm);

/** Time starts (again) at core cycle now; nothing may be in flight. */
void ww_ports_restart(ww_ports *ports, uint64_t now);
/** Core cycle that the memory system simulates next. */
uint64_t ww_ports_time(const ww_ports *ports);
/** Takes over what the SMs have sent so far; not while an SM is simulated. */
void ww_ports_collect(ww_ports *ports);
/** The same of those SMs alone, when no other can have sent anything. */
void ww_ports_collect_from(ww_ports *ports, const uint32_t *sms, uint32_t count);
/** Runs the memory system up to core cycle `until`, exclusive; edge: a window ends there, whose
 * free places are the next credits. SMs may be simulated meanwhile. */
void ww_ports_run(ww_ports *ports, uint64_t until, bool edge);
/** Hands the SMs the replies that have become certain; not while an SM is simulated. */
void ww_ports_deliver(ww_ports *ports);
/** At an edge, after collect: credits as of the last edge that the memory system has reached, less
 * what has been sent since; before a further edge is reached. Not while an SM is simulated. */
void ww_ports_grant_credits(ww_ports *ports);
/** First core cycle at or after time() in which the memory system has something to do; UINT64_MAX:
 * none. */
uint64_t ww_ports_next(const ww_ports *ports);
/** True when nothing sent or collected is on its way; *since: the last cycle in which something
 * was. */
bool ww_ports_idle(const ww_ports *ports, uint64_t *since);

#ifdef __cplusplus
}
#endif
#endif
