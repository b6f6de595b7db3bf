/* icnt.c - a network's ends, and the crossbar's cycle between them: post requests, arbitrate,
 * deliver. */
#include "perf/mem/icnt.h"

#include "base/assert.h"
#include "base/compiler.h"

bool ww__net_init(ww_net *net, const ww_icnt_params *params, uint32_t inputs, uint32_t sharing,
                  uint32_t outputs, ww_pool *pool, ww_arena *arena)
{
    *net = (ww_net){
        .pool = pool,
        .inputs = inputs,
        .outputs = outputs,
        .channels = params->virtual_channels,
        .in_words = ww__bit_words(inputs * params->virtual_channels),
        .out_words = ww__bit_words(outputs),
        .ports_contended = sharing > 1 || params->virtual_channels > 1,
        .narrow = sharing == 1 && params->virtual_channels == 1 && inputs <= 64 && outputs <= 64,
        .input_packets = params->input_packets,
        .output_capacity = params->output_packets + params->latency,
        .latency = params->latency,
        .beside = inputs,
        .out_flits = 1,
        .next = WW_NEVER,
        .next_request = WW_NEVER,
        .next_grant = WW_NEVER,
    };
    net->in = WW_ARENA_NEW_ARRAY(arena, ww_net_input, inputs);
    net->port_free = WW_ARENA_NEW_ARRAY(arena, uint64_t, inputs);
    net->queue = WW_ARENA_NEW_ARRAY(arena, ww_fifo, (size_t)inputs * net->channels);
    net->out = WW_ARENA_NEW_ARRAY(arena, ww_net_output, outputs);
    net->dest = WW_ARENA_NEW_ARRAY(arena, uint16_t, pool->capacity);
    net->want = WW_ARENA_NEW_ARRAY(arena, uint64_t, (size_t)outputs * net->in_words);
    net->asking = WW_ARENA_NEW_ARRAY(arena, uint64_t, outputs);
    net->waiting = WW_ARENA_NEW_ARRAY(arena, uint64_t, net->in_words);
    net->asked = WW_ARENA_NEW_ARRAY(arena, uint64_t, net->out_words);
    net->arrived = WW_ARENA_NEW_ARRAY(arena, uint64_t, net->out_words);
    for (uint32_t i = 0; net->in && i < inputs; i++) {
        net->in[i].port = i / sharing;
    }
    return net->in && net->port_free && net->queue && net->out && net->dest && net->want &&
           net->asking && net->waiting && net->asked && net->arrived &&
           ww__agenda_init(&net->arrivals, outputs, arena);
}

void ww__net_widen(ww_net *net, uint32_t flits)
{
    net->out_flits = flits;
}

void ww__net_limit(ww_net *net, uint32_t flits)
{
    net->most = flits;
}

void ww__net_beside(ww_net *net)
{
    net->beside = net->inputs - net->outputs;
}

/* Part of the work, *part its next cycle, is due in `cycle` at the latest. */
static inline void due(ww_net *net, uint64_t *part, uint64_t cycle)
{
    *part = ww_min_u64(*part, cycle);
    net->next = ww_min_u64(net->next, cycle);
}

/* The queue of an input's packets for an output. */
static inline uint32_t queue_of(const ww_net *net, uint32_t input, uint32_t output)
{
    return input * net->channels + (net->channels > 1 ? output % net->channels : 0);
}

/* The head of queue q asks its output when its port is free. */
static inline void wait_for_port(ww_net *net, uint32_t q)
{
    ww__bit_set(net->waiting, q);
    net->waits |= UINT64_C(1) << (q >> 6 & 63);
}

void ww__net_push(ww_net *net, uint32_t input, uint32_t output, uint32_t id, uint64_t now)
{
    WW_ASSERT(input < net->inputs && output < net->outputs && ww__net_can_push(net, input));
    ww_net_input *in = &net->in[input];
    uint32_t q = queue_of(net, input, output);
    net->dest[id] = (uint16_t)output;
    net->pool->packet[id].ready = now + 1; /* first cycle it could be granted */
    in->count++;
    ww__fifo_push(&net->queue[q], net->pool, id);
    if (net->mesh != NULL) {
        ww__mesh_wake(net->mesh, q);
        net->next = ww_min_u64(net->next, now + 1);
    } else if (net->queue[q].count == 1) {
        wait_for_port(net, q);
        due(net, &net->next_request, ww_max_u64(now + 1, net->port_free[in->port]));
    }
}

/* Cycle from which the port of queue q can start another packet. */
static inline uint64_t *free_at(const ww_net *net, uint32_t q)
{
    return &net->port_free[net->in[q / net->channels].port];
}

/* `narrow`, here and below: a constant at each call, ww_net.narrow, so that of a network whose sets
 * are words each no other word is asked for. */

/* Those of word w; when the others can. */
static WW_ALWAYS_INLINE uint64_t post_word(ww_net *net, uint32_t w, uint64_t now, const bool narrow)
{
    uint64_t next = WW_NEVER, left = 0;
    for (uint64_t bits = net->waiting[w]; bits != 0; bits &= bits - 1) {
        uint32_t q = w * 64 + ww__bit_first(bits);
        uint32_t head = net->queue[q].head;
        uint64_t from = ww_max_u64(*free_at(net, q), net->pool->packet[head].ready);
        if (from > now) {
            next = ww_min_u64(next, from);
            left |= bits & -bits;
            continue;
        }
        uint32_t o = net->dest[head];
        if (narrow) {
            net->want[o] |= bits & -bits;
            net->asked[0] |= UINT64_C(1) << o;
        } else {
            ww__bit_set(&net->want[(size_t)o * net->in_words], q);
            net->asking[o] |= UINT64_C(1) << (w & 63);
            ww__bit_set(net->asked, o);
        }
        net->next_grant = now;
    }
    net->waiting[w] = left;
    return next;
}

/* Heads whose port is free ask their output. */
static WW_ALWAYS_INLINE void post_requests(ww_net *net, uint64_t now, const bool narrow)
{
    if (narrow) {
        net->next_request = post_word(net, 0, now, true);
        return;
    }
    uint64_t next = WW_NEVER, waits = 0;
    for (uint64_t some = net->waits; some != 0; some &= some - 1) {
        for (uint32_t w = ww__bit_first(some); w < net->in_words; w += 64) {
            const uint64_t of_word = post_word(net, w, now, false);
            next = ww_min_u64(next, of_word);
            waits |= net->waiting[w] != 0 ? some & -some : 0;
        }
    }
    net->waits = waits;
    net->next_request = next;
}

uint32_t ww__next_in_turn(const uint64_t *want, uint32_t words, uint32_t turn)
{
    uint32_t w = turn >> 6;
    uint64_t bits = want[w] & (UINT64_MAX << (turn & 63));
    for (uint32_t k = 0; k <= words; k++) {
        if (bits != 0) {
            return w * 64 + ww__bit_first(bits);
        }
        w = w + 1 == words ? 0 : w + 1;
        bits = want[w];
    }
    return UINT32_MAX;
}

/* The first queue at or after `turn`, going round, of those that ask for output o. */
static WW_ALWAYS_INLINE uint32_t next_asking(const ww_net *net, uint32_t o, uint32_t turn,
                                             const bool narrow)
{
    if (narrow) {
        const uint64_t all = net->want[o], behind = all & (UINT64_MAX << turn);
        return ww__bit_first(behind != 0 ? behind : all);
    }
    const uint64_t *want = &net->want[(size_t)o * net->in_words];
    if (net->in_words > 64) {
        return ww__next_in_turn(want, net->in_words, turn);
    }
    uint32_t w = turn >> 6;
    uint64_t bits = want[w] & (UINT64_MAX << (turn & 63));
    if (bits == 0) {
        const uint64_t behind = net->asking[o] & (UINT64_MAX << w << 1);
        w = ww__bit_first(behind != 0 ? behind : net->asking[o]);
        bits = want[w];
    }
    return w * 64 + ww__bit_first(bits);
}

/* Queue q no longer asks for output o; true: nobody does. */
static WW_ALWAYS_INLINE bool stop_asking(ww_net *net, uint32_t o, uint32_t q, const bool narrow)
{
    if (narrow) {
        net->want[o] &= ~(UINT64_C(1) << q);
        return net->want[o] == 0;
    }
    uint64_t *want = &net->want[(size_t)o * net->in_words];
    ww__bit_clear(want, q);
    if (net->in_words > 64) {
        return !ww__bit_any(want, net->in_words);
    }
    net->asking[o] &= ~((uint64_t)(want[q >> 6] == 0) << (q >> 6));
    return net->asking[o] == 0;
}

/* The queue that output o serves next; UINT32_MAX when the ports of all that ask are sending from
 * another of their queues, *free: the first cycle in which one of them is done. */
static uint32_t choose(const ww_net *net, uint32_t o, uint64_t now, uint64_t *free)
{
    uint32_t q = next_asking(net, o, net->out[o].turn, false);
    uint32_t first = q;
    *free = WW_NEVER;
    do {
        uint64_t at = *free_at(net, q);
        if (at <= now) {
            return q;
        }
        *free = ww_min_u64(*free, at);
        uint32_t after = q + 1 == net->inputs * net->channels ? 0 : q + 1;
        q = next_asking(net, o, after, false);
    } while (q != first);
    return UINT32_MAX;
}

/* The output's oldest packet, on its way, is there in cycle `ready`. */
static void expect(ww_net *net, uint32_t output, uint64_t ready)
{
    ww__agenda_wake(&net->arrivals, output, ready);
    net->next = ww_min_u64(net->next, ready);
}

static WW_ALWAYS_INLINE void hand_over(ww_net *net, uint32_t output, uint32_t id)
{
    ww_net_output *out = &net->out[output];
    WW_ASSERT(out->queue.count < net->output_capacity);
    if (out->queue.count == 0) {
        expect(net, output, net->pool->packet[id].ready);
    }
    ww__fifo_push(&out->queue, net->pool, id);
    if (net->on_certain) {
        net->on_certain(net->user, id);
    }
}

void ww__net_hand_over(ww_net *net, uint32_t output, uint32_t id)
{
    hand_over(net, output, id);
}

/* True: nobody asks for the output any more. */
static WW_ALWAYS_INLINE bool grant(ww_net *net, uint32_t o, uint32_t q, uint64_t now,
                                   const bool narrow)
{
    ww_net_output *out = &net->out[o];
    uint32_t i = narrow ? q : q / net->channels;
    ww_net_input *in = &net->in[i];
    uint32_t id = ww__fifo_pop(&net->queue[q], net->pool);
    WW_ASSERT(in->count > 0 && out->free_at <= now && net->port_free[in->port] <= now);
    in->count--;
    ww_packet *packet = &net->pool->packet[id];
    uint64_t waited = now - packet->ready;
    packet->ready = ww_max_u64(now + net->latency + packet->flits - 1u, out->latest);
    out->latest = packet->ready;
    if (net->on_grant) {
        net->on_grant(net->user, i, id, waited);
    }
    const bool beside = i >= net->beside;
    out->free_at = now + (packet->flits + net->out_flits - 1) / net->out_flits;
    net->port_free[in->port] = beside ? out->free_at : now + packet->flits;
    out->turn = q + 1 == net->inputs * net->channels ? 0 : q + 1;
    net->most_free += beside || net->most == 0 ? 0 : packet->flits;

    hand_over(net, o, id);
    const bool last = stop_asking(net, o, q, narrow);
    if (net->queue[q].count > 0) {
        wait_for_port(net, q);
        due(net, &net->next_request, net->port_free[in->port]);
    }
    if (last) {
        ww__bit_clear(net->asked, narrow ? o & 63 : o);
    }
    return last;
}

/* Output o, which is asked, starts a packet if it can, or has its turn later. */
static WW_ALWAYS_INLINE void serve(ww_net *net, uint32_t o, uint64_t now, const bool narrow)
{
    ww_net_output *out = &net->out[o];
    if (out->queue.count >= net->output_capacity) {
        ww__bit_clear(net->asked, o); /* until its consumer takes something */
        return;
    }
    uint64_t next = out->free_at;
    if (out->free_at <= now) {
        /* the port of a head that asks is free, unless several queues share it */
        const uint32_t q = !narrow && net->ports_contended ? choose(net, o, now, &next)
                                                           : next_asking(net, o, out->turn, narrow);
        if (q != UINT32_MAX) {
            if (grant(net, o, q, now, narrow)) {
                return;
            }
            next = out->free_at;
        }
    }
    net->next_grant = ww_min_u64(net->next_grant, ww_max_u64(now + 1, next));
}

static WW_ALWAYS_INLINE void arbitrate(ww_net *net, uint64_t now, const bool narrow)
{
    const uint32_t words = narrow ? 1 : net->out_words;
    net->next_grant = WW_NEVER;
    for (uint32_t w = 0; w < words; w++) {
        for (uint64_t bits = net->asked[w]; bits != 0; bits &= bits - 1) {
            serve(net, w * 64 + ww__bit_first(bits), now, narrow);
        }
    }
}

/* The same of what comes by output o's own input alone. */
static void serve_own(ww_net *net, uint32_t o, uint64_t now)
{
    const ww_net_output *out = &net->out[o];
    const uint64_t *want = &net->want[(size_t)o * net->in_words];
    const uint32_t q = queue_of(net, net->beside + o, o);
    if (!ww__bit_get(want, q)) {
        return;
    }
    if (out->queue.count >= net->output_capacity) {
        ww__bit_clear(net->asked, o);
        return;
    }
    if (out->free_at <= now) {
        (void)grant(net, o, q, now, false);
    } else {
        net->next_grant = ww_min_u64(net->next_grant, out->free_at);
    }
}

/* The same where all outputs share `most` flits a cycle: the first that finds none left is the
 * first of the next cycle. */
static void arbitrate_shared(ww_net *net, uint64_t now)
{
    const uint64_t end = (now + 1) * net->most;
    const uint32_t first = net->first;
    bool over = false;
    net->next_grant = WW_NEVER;
    net->most_free = ww_max_u64(net->most_free, now * net->most);
    for (uint32_t k = 0, o = first; k < net->outputs; k++, o = o + 1 == net->outputs ? 0 : o + 1) {
        if (!ww__bit_get(net->asked, o)) {
            continue;
        }
        if (!over && net->most_free >= end) {
            over = true;
            net->first = o;
            net->next_grant = net->most_free / net->most;
        }
        if (!over) {
            serve(net, o, now, false);
        } else if (net->beside < net->inputs) {
            serve_own(net, o, now);
        } else {
            return;
        }
    }
}

/* Those due in cycle now are in its place of the ring, and others that are due rounds later. */
static void deliver_due(ww_net *net, uint64_t now)
{
    ww_agenda *agenda = &net->arrivals;
    for (uint32_t w = 0; w < agenda->words; w++) {
        for (uint64_t bits = ww__agenda_take(agenda, w, now); bits != 0; bits &= bits - 1) {
            const uint32_t o = w * 64 + ww__bit_first(bits);
            const uint64_t at = agenda->at[o];
            if (at > now) {
                ww__agenda_put(agenda, o, at, now);
                continue;
            }
            WW_ASSERT(net->out[o].queue.count > 0 &&
                      net->pool->packet[net->out[o].queue.head].ready == at);
            ww__agenda_put(agenda, o, WW_NEVER, now);
            ww__bit_set(net->arrived, o);
            if (net->on_arrival) {
                net->on_arrival(net->user, o);
            }
        }
    }
    ww__agenda_pass(agenda, now);
}

static void deliver(ww_net *net, uint64_t now)
{
    while (net->arrivals.next <= now) { /* of cycles that were not ticked too */
        deliver_due(net, net->arrivals.next);
    }
}

/* Requests and grants of a cycle. */
static WW_ALWAYS_INLINE void cross(ww_net *net, uint64_t now, const bool narrow)
{
    if (net->next_request <= now) {
        post_requests(net, now, narrow);
    }
    if (net->next_grant > now) {
        return;
    }
    if (!narrow && net->most != 0) {
        arbitrate_shared(net, now);
    } else {
        arbitrate(net, now, narrow);
    }
}

void ww__net_tick(ww_net *net, uint64_t now)
{
    net->next = WW_NEVER;
    if (net->mesh != NULL) {
        ww__mesh_switch(net, now);
    }
    if (net->narrow && net->most == 0) {
        cross(net, now, true);
    } else {
        cross(net, now, false);
    }
    deliver(net, now);
    net->next = ww_min_u64(ww_min_u64(net->next, net->next_request),
                           ww_min_u64(net->next_grant, net->arrivals.next));
}

uint32_t ww__net_pop(ww_net *net, uint32_t output, uint64_t now)
{
    WW_ASSERT(ww__net_arrived(net, output));
    ww_net_output *out = &net->out[output];
    if (net->mesh != NULL && out->queue.count == net->output_capacity) {
        net->next = ww_min_u64(net->next, now + 1);
    } else if (out->queue.count == net->output_capacity &&
               ww__bit_any(&net->want[(size_t)output * net->in_words], net->in_words)) {
        ww__bit_set(net->asked, output);
        due(net, &net->next_grant, now + 1);
    }
    uint32_t id = ww__fifo_pop(&out->queue, net->pool);
    if (out->queue.count == 0) {
        ww__bit_clear(net->arrived, output);
    } else {
        uint64_t ready = net->pool->packet[out->queue.head].ready;
        if (ready > now) {
            ww__bit_clear(net->arrived, output);
            expect(net, output, ready);
        }
    }
    return id;
}
