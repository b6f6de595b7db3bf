/* l2.h - the L2 slices: arrival pipeline (ROP), lookup, fills, evictions, atomics, replies. Time is
 * in L2 cycles. */
#ifndef WW_PERF_MEM_L2_H
#define WW_PERF_MEM_L2_H

#include "base/assert.h"
#include "perf/mem/clock.h"
#include "perf/mem/dram.h"
#include "perf/mem/icnt.h"
#include "perf/mem/values.h"

/* Requests between a slice and its memory controller: ring. */
typedef struct ww_dram_ring {
    ww_dram_req *slot;
    uint32_t mask, first, count;
} ww_dram_ring;

typedef struct ww_slice {
    ww_cache *cache;
    ww_fifo rop;         /* arrived; packet.ready: when the lookup may start */
    ww_fifo far;         /* on their way here from the other part; packet.ready: over */
    ww_fifo replies;     /* packet.ready: when the data port has it */
    ww_dram_ring out;    /* to the controller: fetches and write-backs in order */
    ww_dram_ring fills;  /* from the controller: data to be written into the cache */
    uint64_t port_free;  /* cycle from which the data port is free */
    uint32_t port_bytes; /* that passed the port in the operation under way */
    uint32_t todo;       /* sectors of the oldest request still to look up */
    uint64_t far_free;   /* cycle from which the way from the other part is free */
    bool started;        /* todo is valid */
    bool over;           /* the lookup under way is of `far` */
    bool blocked;        /* the lookup waits for a fill, a reply sent or room towards DRAM */
    uint64_t stalled_at; /* while blocked: last cycle counted as a stall */
    uint32_t owed;       /* absent cache: atomics whose write-back is to come */
    ww_counter_block *counters;
} ww_slice;

typedef struct ww_l2 {
    ww_slice *slice;
    uint32_t slices, per_channel;
    bool present; /* l2.bytes > 0 */
    bool write_back;
    bool forwards; /* store misses go to DRAM as well as fetching their line */
    uint32_t sector_bytes, sector_shift, line_bytes;
    uint32_t port_bytes, hit_latency, rop_latency;
    uint32_t store_bytes; /* of port_bytes that a cycle of the port passes of stores */
    uint32_t mshr_entries;
    uint32_t miss_queue, rop_capacity, reply_limit;
    uint32_t control_bytes, flit_bytes;
    uint8_t *sm_part, *slice_part;   /* which part of it is theirs; NULL: it is one */
    uint32_t far_latency, far_bytes; /* of an L2 in two parts */
    bool near_copies;
    bool lazy;             /* sectors are readable when one store has filled them */
    bool upper_masks_lost; /* of stores to upper halves of lines */
    bool by_sector;        /* requests are taken apart at arrival */
    ww_agenda agenda;      /* slices by L2 cycle */

    /* neighbours, borrowed */
    ww_pool *pool;
    ww_net *request, *reply;
    ww_dram *dram;       /* [channel] */
    ww_agenda *channels; /* to wake controllers */
    const ww_clock *icnt_clock, *dram_clock;
    const ww_charges *charges; /* NULL: nobody is charged */
    ww_mem_values *values;     /* NULL: bits that switch are not counted */
} ww_l2;

/** Slices of arch; the neighbours are set by the caller before the first tick. Caches are owned:
 * ww__l2_fini. */
WW_NODISCARD ww_status ww__l2_init(ww_l2 *l2, const ww_arch *arch, ww_counter_set *counters,
                                   ww_arena *arena, ww_error *err);
void ww__l2_fini(ww_l2 *l2);
/** One L2 cycle over the slices that have work. */
void ww__l2_tick(ww_l2 *l2, uint64_t now);
/** Takes the parts of an L2 that has such; false when out of memory. */
bool ww__l2_far_init(ww_l2 *l2, const ww_arch *arch, ww_arena *arena);
/** Without time: sectors that a copy of the host's leaves there, and those that a launch touches.
 */
void ww__l2_fill_by_host(ww_l2 *l2, const ww_addrmap *map, uint64_t address, uint64_t bytes);
void ww__l2_touch(ww_l2 *l2, const ww_addrmap *map, uint64_t address, uint32_t bytes, bool write);
/** The oldest arrival at a slice comes from an SM of the other part: answers it from a copy there,
 * or sends it over. */
void ww__l2_far(ww_l2 *l2, uint32_t s, uint64_t now);
/** A request is served: its reply is ready at `ready`. */
void ww__l2_finish(ww_l2 *l2, uint32_t s, uint32_t id, uint64_t ready);
/** Sends what a line that has left had written towards DRAM. */
void ww__l2_send_dirty(ww_l2 *l2, uint32_t s, const ww_cache_eviction *evicted);
static inline void ww__l2_send_eviction(ww_l2 *l2, uint32_t s, const ww_cache_eviction *evicted)
{
    if (evicted->dirty) {
        ww__l2_send_dirty(l2, s, evicted);
    }
}
/** Occupies the data port with what has been noted since the last time, for at least `least`
 * cycles. */
void ww__l2_occupy_port(const ww_l2 *l2, ww_slice *slice, uint64_t now, uint32_t least);
/** Counts the stall cycles of blocked slices through cycle now. */
void ww__l2_sync(ww_l2 *l2, uint64_t now);
/** Lets a blocked lookup try again in cycle `now`. */
static inline void ww__l2_unblock(ww_l2 *l2, uint32_t s, uint64_t now)
{
    if (l2->slice[s].blocked) {
        l2->slice[s].blocked = false;
        ww__agenda_wake(&l2->agenda, s, now);
    }
}
/** Events of a slice, and of whom they are charged to. */
static inline void ww__l2_count(const ww_l2 *l2, ww_slice *slice, uint32_t owner,
                                ww_counter counter, uint64_t n)
{
    slice->counters->v[counter] += n;
    ww_charge_owner(l2->charges, owner, counter, n);
}
/* What bits switch where data passes a slice (l2_values.c); l2->values is there. */
/** Bytes leave its data array. */
void ww__l2_note_read(const ww_l2 *l2, uint32_t s, uint64_t local, uint32_t bytes, uint32_t owner);
/** Bytes are written to it. */
void ww__l2_note_write(const ww_l2 *l2, uint32_t s, uint64_t local, uint32_t bytes, uint32_t owner);
/** Sectors (mask) of the line at `line` are written or read. */
void ww__l2_note_sectors(const ww_l2 *l2, uint32_t s, uint64_t line, uint32_t sectors, bool write,
                         uint32_t owner);
/** A reply's data passes its port. */
void ww__l2_note_reply(const ww_l2 *l2, uint32_t s, const ww_packet *packet);

/** Data from DRAM for a slice; `now`: cycle in which it may be written into the cache. */
void ww__l2_deliver(ww_l2 *l2, const ww_dram_req *data, uint64_t now);

/* Where the next lookup is, or the one that goes on: what has come over from the other part first.
 */
static inline ww_fifo *ww__l2_next_lookup(const ww_l2 *l2, ww_slice *slice, uint64_t now)
{
    if (!slice->started) {
        slice->over = slice->far.count > 0 &&
                      (slice->rop.count == 0 || l2->pool->packet[slice->far.head].ready <= now);
    }
    return slice->over ? &slice->far : &slice->rop;
}

static inline void ww__ring_push(ww_dram_ring *ring, const ww_dram_req *req)
{
    WW_ASSERT(ring->count <= ring->mask); /* who pushes has seen to the room */
    ring->slot[(ring->first + ring->count++) & ring->mask] = *req;
}
static inline const ww_dram_req *ww__ring_front(const ww_dram_ring *ring)
{
    WW_ASSERT(ring->count > 0);
    return &ring->slot[ring->first & ring->mask];
}
static inline void ww__ring_drop(ww_dram_ring *ring)
{
    WW_ASSERT(ring->count > 0);
    ring->first++;
    ring->count--;
}
static inline bool ww__ring_init(ww_dram_ring *ring, uint32_t capacity, ww_arena *arena)
{
    uint32_t size = ww__pow2_ceil(capacity);
    *ring = (ww_dram_ring){.slot = WW_ARENA_NEW_ARRAY(arena, ww_dram_req, size), .mask = size - 1};
    return ring->slot != NULL;
}

#endif
