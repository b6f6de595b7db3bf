/* packet.h - requests in flight: one pool, and queues that link its entries, so that moving a
 * request copies an index. */
#ifndef WW_PERF_MEM_PACKET_H
#define WW_PERF_MEM_PACKET_H

#include "base/assert.h"
#include "perf/mem/bits.h"
#include "perf/mem/mem.h"

#define WW_NO_PACKET UINT32_MAX

enum { WW_MOST_PARTS = 16 }; /* sectors of the largest request */

typedef struct ww_packet {
    ww_mem_req req;
    uint64_t ready;   /* domain cycle from which its present queue may hand it on */
    uint64_t local;   /* address within its slice (addrmap.h) */
    uint32_t next;    /* queue link */
    uint16_t slice;   /* slice that serves it */
    uint16_t flits;   /* in the network it is in, or about to enter */
    uint32_t pending; /* sectors not yet there, + 1 while the L2 lookup goes on */
    uint32_t unsure;  /* of a request taken apart: parts whose reply is not yet certain */
    uint32_t whole;   /* part of a request taken apart: that request, whose `pending` counts its
                         parts; WW_NO_PACKET: not a part */
    bool far;         /* its SM belongs to the other part of the L2 */
} ww_packet;

typedef struct ww_pool {
    ww_packet *packet;
    uint32_t capacity, used;
    uint32_t free;  /* first free entry: those given back, linked by next, then those from */
    uint32_t fresh; /* on, which nobody has taken: their memory is not touched before */
} ww_pool;

/* First in, first out, linked through ww_packet.next. */
typedef struct ww_fifo {
    uint32_t head, tail, count;
} ww_fifo;

/** Room that a machine needs (pool.c). */
uint32_t ww__pool_capacity(const ww_arch *arch);

static inline bool ww__pool_init(ww_pool *pool, uint32_t capacity, ww_arena *arena)
{
    pool->packet = WW_ARENA_NEW_ARRAY(arena, ww_packet, capacity);
    if (!pool->packet) {
        return false;
    }
    pool->capacity = capacity;
    pool->used = 0;
    pool->free = pool->fresh = 0;
    return true;
}

static inline uint32_t ww__pool_take(ww_pool *pool)
{
    uint32_t id = pool->free;
    WW_ASSERT(id < pool->capacity); /* who takes has seen to the room */
    pool->free = id == pool->fresh ? ++pool->fresh : pool->packet[id].next;
    pool->used++;
    return id;
}

static inline void ww__pool_give(ww_pool *pool, uint32_t id)
{
    WW_ASSERT(id < pool->capacity && pool->used > 0);
    pool->packet[id].next = pool->free;
    pool->free = id;
    pool->used--;
}

static inline void ww__fifo_push(ww_fifo *fifo, ww_pool *pool, uint32_t id)
{
    pool->packet[id].next = WW_NO_PACKET;
    if (fifo->count++ == 0) {
        fifo->head = id;
    } else {
        pool->packet[fifo->tail].next = id;
    }
    fifo->tail = id;
}

static inline uint32_t ww__fifo_pop(ww_fifo *fifo, const ww_pool *pool)
{
    WW_ASSERT(fifo->count > 0);
    uint32_t id = fifo->head;
    fifo->head = pool->packet[id].next;
    fifo->count--;
    return id;
}

/** True for requests that carry data towards memory. */
static inline bool ww__kind_carries_data(uint8_t kind)
{
    return kind == WW_REQ_WRITE || kind == WW_REQ_WRITEBACK || kind == WW_REQ_ATOMIC ||
           kind == WW_REQ_REDUCE;
}

/** True for stores as the L2 sees them. */
static inline bool ww__kind_writes(uint8_t kind)
{
    return kind == WW_REQ_WRITE || kind == WW_REQ_WRITEBACK;
}

/** True for read-modify-writes. */
static inline bool ww__kind_atomic(uint8_t kind)
{
    return kind == WW_REQ_ATOMIC || kind == WW_REQ_REDUCE;
}

/** True for requests whose reply brings data. */
static inline bool ww__kind_returns_data(uint8_t kind)
{
    return !ww__kind_writes(kind) && kind != WW_REQ_REDUCE && kind != WW_REQ_BRING;
}

/** True for requests whose data pass the L2's data port where they hit. */
static inline bool ww__kind_passes_port(uint8_t kind)
{
    return kind != WW_REQ_BRING;
}

#endif
