/* mesh.c - one cycle of the routers: heads ask for the port that they need, ports grant in turn. */
#include "perf/mem/mesh.h"

#include "perf/mem/icnt.h"

enum { EAST, WEST, SOUTH, NORTH, DIRECTIONS };

/* Room that comes back. */
typedef struct credit {
    uint64_t at;
    uint32_t flits;
} credit;

/* One virtual channel's buffer where a link ends. */
typedef struct buffer {
    ww_fifo queue;
    credit *credits;       /* ring of vc_flits: on their way to the router that sends */
    uint32_t first, count; /* of the ring */
    uint32_t room;         /* flits, as the sending router knows it */
} buffer;

struct ww_mesh {
    uint32_t columns, routers, channels;
    uint32_t hop, link_latency, vc_flits;
    uint32_t locals;       /* most inputs of one router */
    uint32_t queues;       /* of a router: of its directions, then of its inputs */
    uint32_t words;        /* of a bit set of those */
    uint32_t *first_input; /* [router] */
    uint32_t *home;        /* [input] its router */
    uint32_t *output_tile; /* [output] */
    buffer *buffer;      /* [router * DIRECTIONS * channels] by the side that the link comes from */
    uint64_t *side_free; /* [router * DIRECTIONS] that input port may send from this cycle on */
    uint64_t *link_free; /* [port]: of a direction, router * DIRECTIONS + it; behind, of outputs */
    uint32_t *turn;      /* [port] queue of the router with the highest priority */
    uint64_t *active;    /* queues with a head, router by router */
    uint64_t *want;      /* [port * words] queues of the router whose head asks */
    uint64_t *asked;     /* ports with a request */
    uint32_t port_words;
};

static bool all_there(const ww_mesh *m)
{
    return m->first_input && m->home && m->output_tile && m->buffer && m->side_free &&
           m->link_free && m->turn && m->active && m->want && m->asked;
}

/* The inputs of each tile, which follow each other; the most of one. */
static void find_inputs(ww_mesh *m, const uint32_t *input_tile, uint32_t inputs)
{
    uint32_t here = 0;
    for (uint32_t i = 0; i < inputs; i++) {
        here = i > 0 && input_tile[i] == input_tile[i - 1] ? here + 1 : 1;
        if (here == 1) {
            m->first_input[input_tile[i]] = i;
        }
        m->home[i] = input_tile[i];
        m->locals = here > m->locals ? here : m->locals;
    }
}

static bool init_buffers(ww_mesh *m, ww_arena *arena)
{
    uint32_t buffers = m->routers * DIRECTIONS * m->channels;
    credit *credits = WW_ARENA_NEW_ARRAY(arena, credit, (size_t)buffers * m->vc_flits);
    for (uint32_t i = 0; i < buffers && credits != NULL; i++) {
        m->buffer[i].credits = credits + (size_t)i * m->vc_flits;
        m->buffer[i].room = m->vc_flits;
    }
    return credits != NULL;
}

bool ww__mesh_attach(ww_net *net, const ww_icnt_params *params, uint32_t columns, uint32_t rows,
                     const uint32_t *input_tile, const uint32_t *output_tile, ww_arena *arena)
{
    ww_mesh *m = WW_ARENA_NEW_ARRAY(arena, ww_mesh, 1);
    if (m == NULL) {
        return false;
    }
    *m = (ww_mesh){.columns = columns,
                   .routers = columns * rows,
                   .channels = net->channels,
                   .hop = ww__mesh_hop(params),
                   .link_latency = params->link_latency,
                   .vc_flits = params->vc_flits};
    uint32_t sides = m->routers * DIRECTIONS, ports = sides + net->outputs;
    m->first_input = WW_ARENA_NEW_ARRAY(arena, uint32_t, m->routers);
    m->home = WW_ARENA_NEW_ARRAY(arena, uint32_t, net->inputs);
    if (m->first_input == NULL || m->home == NULL) {
        return false;
    }
    find_inputs(m, input_tile, net->inputs);
    m->queues = (DIRECTIONS + m->locals) * m->channels;
    m->words = ww__bit_words(m->queues);
    m->port_words = ww__bit_words(ports);
    m->output_tile = WW_ARENA_NEW_ARRAY(arena, uint32_t, net->outputs);
    m->buffer = WW_ARENA_NEW_ARRAY(arena, buffer, (size_t)sides * m->channels);
    m->side_free = WW_ARENA_NEW_ARRAY(arena, uint64_t, sides);
    m->link_free = WW_ARENA_NEW_ARRAY(arena, uint64_t, ports);
    m->turn = WW_ARENA_NEW_ARRAY(arena, uint32_t, ports);
    m->active = WW_ARENA_NEW_ARRAY(arena, uint64_t, (size_t)m->routers * m->words);
    m->want = WW_ARENA_NEW_ARRAY(arena, uint64_t, (size_t)ports * m->words);
    m->asked = WW_ARENA_NEW_ARRAY(arena, uint64_t, m->port_words);
    if (!all_there(m) || !init_buffers(m, arena)) {
        return false;
    }
    for (uint32_t o = 0; o < net->outputs; o++) {
        m->output_tile[o] = output_tile[o];
    }
    net->mesh = m;
    net->latency = m->hop; /* of the way from the last router, when arrival becomes certain */
    net->output_capacity = params->output_packets + m->hop;
    return true;
}

/* ---- queues of a router, by number ---- */

static bool is_local(const ww_mesh *m, uint32_t q)
{
    return q >= DIRECTIONS * m->channels;
}

static uint32_t input_of(const ww_mesh *m, uint32_t router, uint32_t q)
{
    return m->first_input[router] + q / m->channels - DIRECTIONS;
}

static ww_fifo *fifo_of(const ww_net *net, uint32_t router, uint32_t q)
{
    const ww_mesh *m = net->mesh;
    if (is_local(m, q)) {
        return &net->queue[input_of(m, router, q) * m->channels + q % m->channels];
    }
    return &m->buffer[router * DIRECTIONS * m->channels + q].queue;
}

/* Cycle from which the port that queue q leaves its buffer through may send. */
static uint64_t *port_free(const ww_net *net, uint32_t router, uint32_t q)
{
    const ww_mesh *m = net->mesh;
    if (is_local(m, q)) {
        return &net->port_free[net->in[input_of(m, router, q)].port];
    }
    return &m->side_free[router * DIRECTIONS + q / m->channels];
}

static void activate(ww_mesh *m, uint32_t router, uint32_t q)
{
    WW_ASSERT(router < m->routers && q < m->queues);
    ww__bit_set(m->active + (size_t)router * m->words, q);
}

void ww__mesh_wake(ww_mesh *m, uint32_t q)
{
    uint32_t input = q / m->channels, router = m->home[input];
    uint32_t local = input - m->first_input[router];
    activate(m, router, (DIRECTIONS + local) * m->channels + q % m->channels);
}

/* ---- ways ---- */

/* The way on from a router: a direction, or DIRECTIONS when the output lies there. */
static uint32_t direction_to(const ww_mesh *m, uint32_t router, uint32_t tile)
{
    uint32_t x = router % m->columns, to_x = tile % m->columns;
    if (x != to_x) {
        return x < to_x ? EAST : WEST;
    }
    if (router == tile) {
        return DIRECTIONS;
    }
    return router < tile ? SOUTH : NORTH;
}

static uint32_t neighbour(const ww_mesh *m, uint32_t router, uint32_t direction)
{
    switch (direction) {
    case EAST:
        return router + 1;
    case WEST:
        return router - 1;
    case SOUTH:
        return router + m->columns;
    default:
        return router - m->columns;
    }
}

/* The channel's buffer at the end of a link; a packet that goes east comes in from the west. */
static buffer *far_end(const ww_mesh *m, uint32_t router, uint32_t direction, uint32_t channel)
{
    uint32_t side = neighbour(m, router, direction) * DIRECTIONS + (direction ^ 1u);
    return &m->buffer[side * m->channels + channel];
}

/* A packet longer than a buffer takes all of it. */
static uint32_t room_needed(const ww_mesh *m, const ww_packet *packet)
{
    return packet->flits < m->vc_flits ? packet->flits : m->vc_flits;
}

/* Room in a buffer; *next becomes no later than the cycle in which there is more. */
static uint32_t room_at(const ww_mesh *m, buffer *b, uint64_t now, uint64_t *next)
{
    while (b->count > 0 && b->credits[b->first].at <= now) {
        b->room += b->credits[b->first].flits;
        b->first = b->first + 1 == m->vc_flits ? 0 : b->first + 1;
        b->count--;
    }
    if (b->count > 0) {
        *next = ww_min_u64(*next, b->credits[b->first].at);
    }
    return b->room;
}

static void give_back(const ww_mesh *m, buffer *b, uint32_t flits, uint64_t at)
{
    WW_ASSERT(b->count < m->vc_flits); /* a credit has a flit at least */
    uint32_t last = b->first + b->count++;
    b->credits[last < m->vc_flits ? last : last - m->vc_flits] = (credit){at, flits};
}

/* ---- a cycle ---- */

/* The head of a queue asks for its port if nothing but other heads can keep it from it; returns
 * when to look again, WW_NEVER: something else will have happened by then. */
static uint64_t ask(ww_net *net, uint32_t router, uint32_t q, uint64_t now)
{
    ww_mesh *m = net->mesh;
    uint32_t id = fifo_of(net, router, q)->head;
    const ww_packet *packet = &net->pool->packet[id];
    uint32_t output = net->dest[id];
    uint32_t direction = direction_to(m, router, m->output_tile[output]);
    uint32_t port =
        direction < DIRECTIONS ? router * DIRECTIONS + direction : m->routers * DIRECTIONS + output;
    uint64_t from = ww_max_u64(packet->ready, *port_free(net, router, q));
    from = ww_max_u64(from, m->link_free[port]);
    if (from > now) {
        return from;
    }
    if (direction < DIRECTIONS) {
        uint64_t more = WW_NEVER;
        buffer *b = far_end(m, router, direction, q % m->channels);
        if (room_at(m, b, now, &more) < room_needed(m, packet)) {
            return more;
        }
    } else if (net->out[output].queue.count >= net->output_capacity) {
        return WW_NEVER; /* until its consumer takes something */
    }
    ww__bit_set(&m->want[(size_t)port * m->words], q);
    ww__bit_set(m->asked, port);
    return WW_NEVER;
}

static uint64_t ask_all(ww_net *net, uint64_t now)
{
    ww_mesh *m = net->mesh;
    uint64_t next = WW_NEVER;
    for (uint32_t r = 0; r < m->routers; r++) {
        for (uint32_t w = 0; w < m->words; w++) {
            for (uint64_t bits = m->active[(size_t)r * m->words + w]; bits != 0; bits &= bits - 1) {
                next = ww_min_u64(next, ask(net, r, w * 64 + ww__bit_first(bits), now));
            }
        }
    }
    return next;
}

/* Takes the head of a queue out of the router; a buffer's room goes back to where it came from. */
static uint32_t leave(ww_net *net, uint32_t router, uint32_t q, uint64_t now)
{
    ww_mesh *m = net->mesh;
    ww_fifo *fifo = fifo_of(net, router, q);
    uint32_t id = ww__fifo_pop(fifo, net->pool);
    const ww_packet *packet = &net->pool->packet[id];
    if (fifo->count == 0) {
        ww__bit_clear(m->active + (size_t)router * m->words, q);
    }
    *port_free(net, router, q) = now + packet->flits;
    if (is_local(m, q)) {
        uint32_t input = input_of(m, router, q);
        net->in[input].count--;
        if (net->on_grant) {
            net->on_grant(net->user, input, id, now - packet->ready);
        }
    } else {
        give_back(m, &m->buffer[router * DIRECTIONS * m->channels + q], room_needed(m, packet),
                  now + packet->flits - 1u + m->link_latency);
    }
    return id;
}

static void grant(ww_net *net, uint32_t router, uint32_t port, uint32_t q, uint64_t now)
{
    ww_mesh *m = net->mesh;
    uint32_t id = leave(net, router, q, now), sides = m->routers * DIRECTIONS;
    ww_packet *packet = &net->pool->packet[id];
    m->link_free[port] = now + packet->flits;
    m->turn[port] = q + 1 == m->queues ? 0 : q + 1;
    packet->ready = now + m->hop;
    if (port >= sides) {
        packet->ready += packet->flits - 1u;
        ww__net_hand_over(net, port - sides, id);
        return;
    }
    uint32_t direction = port % DIRECTIONS, channel = q % m->channels;
    buffer *b = far_end(m, router, direction, channel);
    WW_ASSERT(b->room >= room_needed(m, packet) && b->room <= m->vc_flits);
    b->room -= room_needed(m, packet);
    ww__fifo_push(&b->queue, net->pool, id);
    activate(m, neighbour(m, router, direction), (direction ^ 1u) * m->channels + channel);
}

/* The queue that a port serves next: the first in turn whose own port is not sending yet;
 * UINT32_MAX: none, *next no later than when one is. */
static uint32_t choose(const ww_net *net, uint32_t router, uint32_t port, uint64_t now,
                       uint64_t *next)
{
    const ww_mesh *m = net->mesh;
    uint64_t *want = &m->want[(size_t)port * m->words];
    uint32_t chosen = UINT32_MAX;
    for (uint32_t q = ww__next_in_turn(want, m->words, m->turn[port]);
         q != UINT32_MAX && chosen == UINT32_MAX;
         q = ww__next_in_turn(want, m->words, m->turn[port])) {
        ww__bit_clear(want, q);
        uint64_t from = *port_free(net, router, q);
        *next = ww_min_u64(*next, ww_max_u64(from, now + 1));
        chosen = from <= now ? q : UINT32_MAX;
    }
    return chosen;
}

/* The router of a port. */
static uint32_t router_of(const ww_mesh *m, uint32_t port)
{
    uint32_t sides = m->routers * DIRECTIONS;
    return port < sides ? port / DIRECTIONS : m->output_tile[port - sides];
}

void ww__mesh_switch(ww_net *net, uint64_t now)
{
    ww_mesh *m = net->mesh;
    uint64_t next = ask_all(net, now);
    for (uint32_t w = 0; w < m->port_words; w++) {
        for (uint64_t bits = m->asked[w]; bits != 0; bits &= bits - 1) {
            uint32_t port = w * 64 + ww__bit_first(bits), router = router_of(m, port);
            uint32_t q = choose(net, router, port, now, &next);
            if (q != UINT32_MAX) {
                grant(net, router, port, q, now);
            }
            for (uint32_t k = 0; k < m->words; k++) {
                m->want[(size_t)port * m->words + k] = 0; /* who lost asks again */
            }
        }
        m->asked[w] = 0;
    }
    net->next = ww_min_u64(net->next, next);
}
