/* icnt.h - one direction of the interconnect: inputs and outputs with bounded buffers, and between
 * them a crossbar or, where ww__mesh_attach has made it one, a mesh (mesh.h). The crossbar:
 * A packet occupies its input port and its output link for as many cycles as it has flits
 * (serialisation), a wider output (ww__net_widen) for as many fewer; its tail arrives latency +
 * flits - 1 cycles after the grant. An input buffer has one queue per virtual channel (Dally, IEEE
 * TPDS 1992): output o belongs to channel o mod channels, and the oldest packet of each channel
 * asks for its output, so that a packet whose output is busy holds up those of its channel only.
 * `sharing` inputs that follow each other have one port between them, which sends one packet at a
 * time. Each output grants round-robin over the queues that ask. Back-pressure: an output holds
 * output_packets, and `latency` more in the pipeline, before it stops granting. */
#ifndef WW_PERF_MEM_ICNT_H
#define WW_PERF_MEM_ICNT_H

#include "perf/mem/mesh.h"

typedef struct ww_net_input {
    uint32_t count; /* packets in all its channels */
    uint32_t port;  /* through which they leave */
} ww_net_input;

typedef struct ww_net_output {
    ww_fifo queue;    /* granted packets by arrival */
    uint64_t free_at; /* cycle from which the link can start another packet */
    uint64_t latest;  /* arrival of the packet granted last: they keep their order */
    uint32_t turn;    /* queue with the highest priority in the next arbitration */
} ww_net_output;

struct ww_net {
    ww_pool *pool;
    ww_net_input *in;
    uint64_t *port_free; /* [port] cycle from which it can start another packet */
    ww_fifo *queue;      /* [input * channels + channel] */
    ww_net_output *out;
    uint16_t *dest;   /* [capacity of pool] output of a packet in this net */
    uint64_t *want;   /* [output * in_words] queues whose head asks for the output */
    uint64_t *asking; /* [output] which words of `want` are not 0; of the first 64; unless narrow */
    uint64_t *waiting; /* queues whose head has not asked yet */
    uint64_t waits;    /* bit w % 64 for word w of those: 0 where none of such words has any; unless
                          narrow */
    uint64_t *asked;   /* outputs with a request */
    ww_agenda arrivals; /* outputs whose oldest packet is on its way, by its arrival */
    uint64_t *arrived;  /* outputs whose oldest packet can be taken */
    uint32_t inputs, outputs, channels, in_words, out_words;
    bool ports_contended; /* several queues leave through one port */
    bool narrow;          /* each queue has its port, and sets are words: */
    uint32_t input_packets, output_capacity;
    uint32_t latency;
    uint32_t out_flits; /* crossbar: flits that an output takes in a cycle, of several inputs */
    uint32_t most;      /* crossbar: flits that all outputs together take in a cycle; 0: any */
    uint32_t beside;    /* crossbar: input beside + o is output o's own, as wide as it and not of
                           `most`; none where it is `inputs` */
    uint32_t first;     /* of outputs in a cycle, where the last ended by `most` */
    uint64_t most_free; /* flits since cycle 0 by when all that is granted has passed, at `most` */
    ww_mesh *mesh;      /* NULL: a crossbar */
    uint64_t
        next; /* cycle of the next work; WW_NEVER: idle. No later than the next of each part: */
    uint64_t next_request; /* crossbar: a head can ask */
    uint64_t next_grant;   /* crossbar: an output that is asked can start a packet */
    /* Called when a packet leaves its input, with the cycles that it waited there; when its arrival
     * at the output, in cycle packet.ready, is certain, `latency` cycles before or more; and when
     * an output's oldest packet arrives. */
    void (*on_grant)(void *user, uint32_t input, uint32_t id, uint64_t waited);
    void (*on_certain)(void *user, uint32_t id);
    void (*on_arrival)(void *user, uint32_t output);
    void *user;
};

/** `sharing` inputs in a row share a port, 1: each has its own. Memory from the arena; false when
 * out of memory. Hooks and user are set by the caller afterwards (NULL allowed). */
bool ww__net_init(ww_net *net, const ww_icnt_params *params, uint32_t inputs, uint32_t sharing,
                  uint32_t outputs, ww_pool *pool, ww_arena *arena);
/** An output takes so many flits in a cycle, each of another input: links that are as wide. */
void ww__net_widen(ww_net *net, uint32_t flits);
/** All outputs of a crossbar together take so many flits in a cycle; 0: no such limit. Outputs are
 * served in turn. */
void ww__net_limit(ww_net *net, uint32_t flits);
/** The last of a crossbar's inputs, one for each output, are part of it: as wide, beside the limit
 * of all, and with room for whatever comes. */
void ww__net_beside(ww_net *net);
static inline bool ww__net_can_push(const ww_net *net, uint32_t input)
{
    return net->in[input].count < net->input_packets || input >= net->beside;
}
/** Puts a packet (flits set) into an input buffer; it takes part in arbitration from the next
 * cycle, now + 1. */
void ww__net_push(ww_net *net, uint32_t input, uint32_t output, uint32_t id, uint64_t now);
/** One cycle; now = net->next or later. Updates net->next. */
void ww__net_tick(ww_net *net, uint64_t now);
static inline bool ww__net_arrived(const ww_net *net, uint32_t output)
{
    return ww__bit_get(net->arrived, output);
}
/** Puts a packet on its way to the output, where it is in cycle packet.ready; for the two kinds of
 * network. */
void ww__net_hand_over(ww_net *net, uint32_t output, uint32_t id);
/** First bit at or after `turn`, going round; UINT32_MAX: none is set. */
uint32_t ww__next_in_turn(const uint64_t *want, uint32_t words, uint32_t turn);
/** Takes the oldest arrived packet of an output; only when arrived. */
uint32_t ww__net_pop(ww_net *net, uint32_t output, uint64_t now);

#endif
