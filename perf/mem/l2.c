/* l2.c - one L2 slice's cycle, in the order reply, fill, lookup, arrival, so that a request passes
 * one stage a cycle. A request is looked up sector by sector (each counts as one access);
 * neighbouring missed sectors leave as one DRAM request. The data port is busy for the bytes that
 * pass it: read hits, stores, fills and evicted dirty sectors; a miss takes the tags for a cycle.
 * Atomics are lookups that read and dirty their sector, 4 B per lane on the port. */
#include "perf/mem/l2_parts.h"

/* ---- towards DRAM ---- */

static void send_to_dram(ww_l2 *l2, uint32_t s, const ww_dram_req *req)
{
    ww__ring_push(&l2->slice[s].out, req);
    ww__agenda_wake(l2->channels, s / l2->per_channel, l2->dram_clock->cycle + 1);
}

/* Sends [local, local + bytes), extending the request in slot *run when it directly precedes. */
static void send_run(ww_l2 *l2, uint32_t s, uint64_t local, uint32_t bytes, bool write,
                     uint32_t owner, uint32_t *run)
{
    ww_dram_ring *out = &l2->slice[s].out;
    if (*run != UINT32_MAX) {
        WW_ASSERT(*run - out->first < out->count); /* not sent yet */
        ww_dram_req *last = &out->slot[*run & out->mask];
        if (last->local + last->bytes == local) {
            last->bytes = (uint16_t)(last->bytes + bytes);
            return;
        }
    }
    *run = out->first + out->count;
    send_to_dram(l2, s,
                 &(ww_dram_req){.local = local,
                                .slice = s,
                                .tag = WW_NO_PACKET,
                                .bytes = (uint16_t)bytes,
                                .write = write,
                                .owner = owner});
}

void ww__l2_send_dirty(ww_l2 *l2, uint32_t s, const ww_cache_eviction *evicted)
{
    uint32_t run = UINT32_MAX;
    for (uint32_t bits = evicted->sectors; bits != 0; bits &= bits - 1) {
        uint32_t sector = (uint32_t)__builtin_ctz(bits);
        const uint32_t owner = ww_cache_dirtied_by(l2->slice[s].cache, sector);
        send_run(l2, s, evicted->address + (uint64_t)sector * l2->sector_bytes, l2->sector_bytes,
                 true, owner, &run);
        ww__l2_count(l2, &l2->slice[s], owner, WW_C_L2_WRITEBACK, 1);
        l2->slice[s].port_bytes += l2->sector_bytes;
        if (WW_UNLIKELY(l2->values != NULL)) {
            ww__l2_note_read(l2, s, evicted->address + (uint64_t)sector * l2->sector_bytes,
                             l2->sector_bytes, owner);
        }
    }
}

/* ---- replies ---- */

/* The request is served: its reply is ready at `ready`. */
void ww__l2_finish(ww_l2 *l2, uint32_t s, uint32_t id, uint64_t ready)
{
    ww_packet *packet = &l2->pool->packet[id];
    if (packet->req.kind == WW_REQ_WRITEBACK) {
        uint32_t whole = packet->whole;
        ww__pool_give(l2->pool, id);
        if (whole != WW_NO_PACKET && --l2->pool->packet[whole].pending == 0) {
            ww__pool_give(l2->pool, whole);
        }
        return;
    }
    packet->ready = ready;
    ww__fifo_push(&l2->slice[s].replies, l2->pool, id);
}

static void send_reply(ww_l2 *l2, uint32_t s, uint64_t now)
{
    ww_slice *slice = &l2->slice[s];
    ww_packet *packet = &l2->pool->packet[slice->replies.head];
    if (packet->ready > now || !ww__net_can_push(l2->reply, s)) {
        return;
    }
    uint32_t id = ww__fifo_pop(&slice->replies, l2->pool);
    slice->blocked = false;
    uint32_t data = ww__kind_returns_data(packet->req.kind) ? packet->req.bytes : 0;
    packet->flits = (uint16_t)((l2->control_bytes + data + l2->flit_bytes - 1) / l2->flit_bytes);
    ww__l2_count(l2, slice, packet->req.owner, WW_C_ICNT_REP_PACKETS, 1);
    ww__l2_count(l2, slice, packet->req.owner, WW_C_ICNT_REP_FLITS, packet->flits);
    if (WW_UNLIKELY(l2->values != NULL) && data > 0) {
        ww__l2_note_reply(l2, s, packet);
    }
    ww__net_push(l2->reply, s, packet->req.sm, id, l2->icnt_clock->cycle);
}

/* ---- fills ---- */

/* Sectors of a line that bytes [first, end) of it touch, as a mask. */
static uint32_t sectors_between(const ww_l2 *l2, uint64_t first, uint64_t end)
{
    uint32_t within = (uint32_t)first & (l2->line_bytes - 1);
    uint32_t low = within >> l2->sector_shift;
    uint32_t high = (within + (uint32_t)(end - first) - 1) >> l2->sector_shift;
    return (UINT32_MAX << low) & (UINT32_MAX >> (31 - high));
}

static void dirty_by_atomic(ww_l2 *l2, uint32_t s, uint64_t local, uint32_t owner, uint32_t *run)
{
    if (l2->write_back) {
        ww_cache_for(l2->slice[s].cache, owner);
        ww_cache_mark_dirty(l2->slice[s].cache, local, UINT32_MAX);
    } else {
        send_run(l2, s, local, l2->sector_bytes, true, owner, run);
    }
}

/* Data of sectors (mask) of one line, the first of them at `local`. */
static void fill_line(ww_l2 *l2, uint32_t s, uint64_t local, uint32_t sectors, uint32_t owner,
                      uint64_t now)
{
    ww_slice *slice = &l2->slice[s];
    ww_cache_eviction evicted;
    uint32_t waiters[32];
    const uint32_t *waiter = ww_cache_fill_line(slice->cache, local, sectors, waiters, &evicted);
    uint32_t filled = (uint32_t)__builtin_popcount(sectors);
    ww__l2_count(l2, slice, owner, WW_C_L2_FILL, filled);
    if (WW_UNLIKELY(l2->values != NULL)) {
        ww__l2_note_sectors(l2, s, local & ~(uint64_t)(l2->line_bytes - 1), sectors, true, owner);
    }
    ww__l2_send_eviction(l2, s, &evicted);
    for (uint32_t k = 0; k < filled; k++) {
        uint32_t atomic = WW_NO_PACKET; /* the first */
        for (uint32_t i = 0; i < waiters[k]; i++, waiter++) {
            ww_packet *packet = &l2->pool->packet[*waiter];
            if (ww__kind_atomic(packet->req.kind) && atomic == WW_NO_PACKET) {
                atomic = *waiter;
            }
            if (--packet->pending == 0) {
                ww__l2_finish(l2, s, *waiter, now + l2->hit_latency);
            }
        }
        if (atomic != WW_NO_PACKET) {
            uint32_t run = UINT32_MAX;
            dirty_by_atomic(l2, s, local + ((uint64_t)k << l2->sector_shift),
                            l2->pool->packet[atomic].req.owner, &run);
        }
    }
}

/* What the port could pass while it takes a store of so many bytes. */
static uint32_t store_cost(const ww_l2 *l2, uint32_t bytes)
{
    return (bytes * l2->port_bytes + l2->store_bytes - 1) / l2->store_bytes;
}

/* Occupies the data port with what has been noted since the last time, for at least `least` cycles.
 */
void ww__l2_occupy_port(const ww_l2 *l2, ww_slice *slice, uint64_t now, uint32_t least)
{
    uint32_t cycles = (slice->port_bytes + l2->port_bytes - 1) / l2->port_bytes;
    slice->port_free = now + (cycles > least ? cycles : least);
    slice->port_bytes = 0;
}

static void take_fill(ww_l2 *l2, uint32_t s, uint64_t now)
{
    ww_slice *slice = &l2->slice[s];
    ww_dram_req data = *ww__ring_front(&slice->fills);
    ww__ring_drop(&slice->fills);
    slice->blocked = false;
    ww__dram_release(&l2->dram[s / l2->per_channel]);
    if (!l2->present) {
        ww_packet *packet = &l2->pool->packet[data.tag];
        if (ww__kind_atomic(packet->req.kind)) {
            data.write = true;
            slice->owed--;
            send_to_dram(l2, s, &data);
        }
        ww__l2_finish(l2, s, data.tag, now + 1);
        return;
    }
    slice->port_bytes += data.bytes;
    uint64_t end = data.local + data.bytes;
    while (data.local < end) {
        uint64_t stop = ww_min_u64(end, (data.local | (l2->line_bytes - 1)) + 1);
        fill_line(l2, s, data.local, sectors_between(l2, data.local, stop), data.owner, now);
        data.local = stop;
    }
    ww__l2_occupy_port(l2, slice, now, 1);
}

void ww__l2_deliver(ww_l2 *l2, const ww_dram_req *data, uint64_t now)
{
    ww__ring_push(&l2->slice[data->slice].fills, data);
    ww__agenda_wake(&l2->agenda, data->slice, now);
}

/* ---- lookup ---- */

static void count_access(const ww_l2 *l2, uint32_t s, const ww_mem_req *req, const ww_l2_part *at,
                         bool hit, ww_cache_result result)
{
    ww_slice *slice = &l2->slice[s];
    const uint32_t owner = req->owner;
    uint32_t blocks = (uint32_t)(((at->local + at->bytes + 31) >> 5) - (at->local >> 5));
    if (ww__kind_writes(req->kind)) {
        const bool keeps = ww_cache_keeps(slice->cache, result, hit);
        ww__l2_count(l2, slice, owner, hit ? WW_C_L2_WRITE_HIT : WW_C_L2_WRITE_MISS, 1);
        ww__l2_count(l2, slice, owner, WW_C_L2_WRITE_BLOCKS, keeps ? blocks : 0);
        if (WW_UNLIKELY(l2->values != NULL) && keeps) {
            ww__l2_note_write(l2, s, at->local, at->bytes, owner);
        }
    } else {
        ww__l2_count(l2, slice, owner, hit ? WW_C_L2_READ_HIT : WW_C_L2_READ_MISS, 1);
        ww__l2_count(l2, slice, owner, WW_C_L2_READ_MERGED, result == WW_CACHE_MERGED);
        const bool passes = hit && ww__kind_passes_port(req->kind);
        ww__l2_count(l2, slice, owner, WW_C_L2_READ_BLOCKS, passes ? blocks : 0);
        if (WW_UNLIKELY(l2->values != NULL) && passes) {
            ww__l2_note_read(l2, s, at->local, at->bytes, owner);
        }
    }
}

/* Runs of sectors of one request that go to DRAM together. */
typedef struct runs {
    uint32_t read, write;
} runs;

/* One sector of request id; false when it must be tried again. */
static bool look_up_sector(ww_l2 *l2, uint32_t s, uint32_t id, const ww_l2_part *at, uint64_t now,
                           runs *run)
{
    ww_slice *slice = &l2->slice[s];
    ww_packet *packet = &l2->pool->packet[id];
    bool write = ww__kind_writes(packet->req.kind);
    bool hit;
    ww_cache_eviction evicted;
    const uint32_t owner = packet->req.owner;
    ww_cache_for(slice->cache, owner);
    ww_cache_result result =
        ww_cache_access(slice->cache, at->local, at->words, write, false, now, id, &hit, &evicted);
    if (result == WW_CACHE_STALL) {
        return false;
    }
    count_access(l2, s, &packet->req, at, hit, result);
    if (write) {
        slice->port_bytes += store_cost(l2, at->bytes);
    } else if (result == WW_CACHE_HIT && ww__kind_passes_port(packet->req.kind)) {
        slice->port_bytes += at->bytes;
    }
    ww__l2_send_eviction(l2, s, &evicted);
    if (write && l2->forwards && (result == WW_CACHE_MISS || result == WW_CACHE_MERGED)) {
        send_run(l2, s, at->local, at->bytes, true, owner, &run->write);
    }
    switch (result) {
    case WW_CACHE_HIT:
        if (ww__kind_atomic(packet->req.kind)) {
            dirty_by_atomic(l2, s, at->local >> l2->sector_shift << l2->sector_shift, owner,
                            &run->write);
        }
        break;
    case WW_CACHE_MISS: {
        uint64_t sector = at->local >> l2->sector_shift << l2->sector_shift;
        send_run(l2, s, sector, l2->sector_bytes, false, owner, &run->read);
        packet->pending++;
        break;
    }
    case WW_CACHE_MERGED:
        packet->pending++;
        break;
    case WW_CACHE_WRITE_NEXT:
        send_run(l2, s, at->local, at->bytes, true, owner, &run->write);
        break;
    case WW_CACHE_WRITE_DONE:
    case WW_CACHE_STALL:
        break;
    }
    return true;
}

/* The cache has looked up sectors (mask) of the line in which request id begins: what it counts
 * and sends, all of them done. */
static void account_line(ww_l2 *l2, uint32_t s, uint32_t id, const ww_cache_sectors *of,
                         const ww_cache_eviction *evicted)
{
    ww_slice *slice = &l2->slice[s];
    ww_packet *packet = &l2->pool->packet[id];
    const uint32_t owner = packet->req.owner;
    bool write = ww__kind_writes(packet->req.kind);
    uint32_t hits = (uint32_t)__builtin_popcount(of->hit);
    uint32_t misses = (uint32_t)__builtin_popcount(of->merged | of->missed);
    const uint32_t read = ww__kind_passes_port(packet->req.kind) ? of->hit : 0;
    const uint32_t sectors = write ? of->hit | of->merged | of->missed : read;
    const uint32_t passed = (uint32_t)__builtin_popcount(sectors);
    ww__l2_count(l2, slice, owner, write ? WW_C_L2_WRITE_HIT : WW_C_L2_READ_HIT, hits);
    ww__l2_count(l2, slice, owner, write ? WW_C_L2_WRITE_MISS : WW_C_L2_READ_MISS, misses);
    ww__l2_count(l2, slice, owner, write ? WW_C_L2_WRITE_BLOCKS : WW_C_L2_READ_BLOCKS,
                 (uint64_t)passed * (l2->sector_bytes / 32));
    const uint32_t bytes = passed << l2->sector_shift;
    slice->port_bytes += write ? store_cost(l2, bytes) : bytes;
    if (WW_UNLIKELY(l2->values != NULL)) {
        ww__l2_note_sectors(l2, s, packet->local & ~(uint64_t)(l2->line_bytes - 1), sectors, write,
                            owner);
    }
    ww__l2_send_eviction(l2, s, evicted);
    if (write) {
        return;
    }
    ww__l2_count(l2, slice, owner, WW_C_L2_READ_MERGED, (uint32_t)__builtin_popcount(of->merged));
    packet->pending += misses;
    uint64_t line = packet->local & ~(uint64_t)(l2->line_bytes - 1);
    uint32_t run = UINT32_MAX;
    for (uint32_t left = of->missed; left != 0;) {
        uint32_t first = (uint32_t)__builtin_ctz(left);
        uint32_t beyond = left + (UINT32_C(1) << first); /* carries over what follows it */
        uint32_t together = left & ~beyond;
        send_run(l2, s, line + ((uint64_t)first << l2->sector_shift),
                 (uint32_t)__builtin_popcount(together) << l2->sector_shift, false, owner, &run);
        left &= beyond;
    }
}

/* All that is left of a request at once, where it is whole sectors of one line. False: sector by
 * sector. */
static bool look_up_line(ww_l2 *l2, uint32_t s, uint32_t id)
{
    ww_slice *slice = &l2->slice[s];
    const ww_packet *packet = &l2->pool->packet[id];
    uint64_t first = packet->local, last = first + packet->req.bytes - 1;
    if (((first | packet->req.bytes) & (l2->sector_bytes - 1)) != 0 || l2->sector_bytes < 32 ||
        ((first ^ last) & ~(uint64_t)(l2->line_bytes - 1)) != 0 ||
        ww__kind_atomic(packet->req.kind)) {
        return false;
    }
    uint32_t shift = ((uint32_t)first & (l2->line_bytes - 1)) >> l2->sector_shift;
    uint32_t sectors = slice->todo << shift;
    ww_cache_sectors of;
    ww_cache_eviction evicted;
    ww_cache_for(slice->cache, packet->req.owner);
    if (!ww__kind_writes(packet->req.kind)
            ? !ww_cache_read_line(slice->cache, first, sectors, id, &of, &evicted)
            : !ww__l2_stores_all(&packet->req) ||
                  !ww_cache_write_line(slice->cache, first, sectors, &of, &evicted)) {
        return false;
    }
    account_line(l2, s, id, &of, &evicted);
    slice->todo &= ~((of.hit | of.merged | of.missed) >> shift);
    return true;
}

/* Looks up what is left of the oldest request; true when all of it is done. */
static bool look_up_sectors(ww_l2 *l2, uint32_t s, uint32_t id, uint64_t now)
{
    ww_slice *slice = &l2->slice[s];
    const ww_packet *packet = &l2->pool->packet[id];
    uint32_t sectors = (uint32_t)__builtin_popcount(slice->todo);
    uint32_t free = ww_cache_free_mshrs(slice->cache);
    if (free < sectors && free < l2->mshr_entries) {
        return false; /* sectors that trickled out one by one would waste DRAM bursts */
    }
    if (slice->out.count >= l2->miss_queue) {
        return false;
    }
    runs run = {UINT32_MAX, UINT32_MAX};
    bool done = look_up_line(l2, s, id);
    while (!done && slice->todo != 0) {
        ww_l2_part at = ww__l2_part_of(l2, packet, (uint32_t)__builtin_ctz(slice->todo));
        done = !look_up_sector(l2, s, id, &at, now, &run);
        slice->todo &= done ? slice->todo : slice->todo - 1;
    }
    uint32_t least = 1;
    if (slice->todo == 0 && ww__kind_atomic(packet->req.kind)) {
        least = (packet->req.lanes * 4 + l2->port_bytes - 1) / l2->port_bytes;
    }
    ww__l2_occupy_port(l2, slice, now, least);
    return slice->todo == 0;
}

/* Without an L2 a request goes to DRAM as it is; atomics are done at the controller: read, then
 * write. */
static bool pass_through(ww_l2 *l2, uint32_t s, uint32_t id)
{
    ww_slice *slice = &l2->slice[s];
    ww_packet *packet = &l2->pool->packet[id];
    if (slice->out.count + slice->owed >= l2->miss_queue) {
        return false;
    }
    bool write = ww__kind_writes(packet->req.kind);
    slice->owed += ww__kind_atomic(packet->req.kind);
    send_to_dram(l2, s,
                 &(ww_dram_req){.local = packet->local,
                                .slice = s,
                                .tag = id,
                                .bytes = packet->req.bytes,
                                .write = write,
                                .owner = packet->req.owner});
    packet->pending += !write;
    return true;
}

/* A lookup failed: nothing to be done until something that it may wait for happens. Stall cycles
 * are counted by difference, so that waiting costs nothing. */
static void block(ww_slice *slice, uint64_t now)
{
    slice->counters->v[WW_C_L2_STALL]++;
    slice->blocked = true;
    slice->stalled_at = now;
}

static void count_stall(ww_slice *slice, uint64_t through)
{
    if (slice->stalled_at != 0 && through > slice->stalled_at) {
        slice->counters->v[WW_C_L2_STALL] += through - slice->stalled_at;
        slice->stalled_at = through;
    }
}

static void look_up(ww_l2 *l2, uint32_t s, uint64_t now)
{
    ww_slice *slice = &l2->slice[s];
    ww_fifo *from = ww__l2_next_lookup(l2, slice, now);
    uint32_t id = from->head;
    ww_packet *packet = &l2->pool->packet[id];
    if (slice->blocked || packet->ready > now || slice->port_free > now) {
        return;
    }
    count_stall(slice, now - 1);
    slice->stalled_at = 0;
    if (slice->replies.count >= l2->reply_limit) {
        block(slice, now);
        return;
    }
    if (packet->far && !slice->over) {
        ww__l2_far(l2, s, now);
        return;
    }
    if (!slice->started) {
        slice->started = true;
        slice->todo = l2->present ? ww__l2_sectors_of(l2, packet) : 0;
        packet->pending = 1; /* held until the lookup is over */
        if (ww__kind_atomic(packet->req.kind)) {
            ww__l2_count(l2, slice, packet->req.owner, WW_C_L2_ATOMIC, packet->req.lanes);
        }
    }
    bool done = l2->present ? look_up_sectors(l2, s, id, now) : pass_through(l2, s, id);
    if (!done) {
        block(slice, now);
        return;
    }
    slice->started = false;
    (void)ww__fifo_pop(from, l2->pool);
    if (--packet->pending == 0) {
        ww__l2_finish(l2, s, id, now + l2->hit_latency);
    }
}

/* ---- the cycle ---- */

/* Stores of which it is not known, once they are taken apart, what they write. */
static bool mask_lost(const ww_l2 *l2, const ww_mem_req *req)
{
    return req->kind == WW_REQ_WRITEBACK ||
           (l2->upper_masks_lost && req->bytes == 64 && req->address % 128 == 64);
}

/* Words [offset, offset + sector_bytes) of a request's mask. Parts without a word count as whole,
 * or, where sectors are only read when one store filled them, as not whole: as one word. */
static uint32_t part_mask(const ww_l2 *l2, const ww_mem_req *req, uint32_t offset)
{
    bool write = req->kind == WW_REQ_WRITE || req->kind == WW_REQ_WRITEBACK;
    if (!write && req->byte_mask == 0) {
        return 0;
    }
    uint32_t shift = offset / (req->bytes <= 128 ? 4 : req->bytes / 32u);
    uint32_t mask = req->byte_mask >> shift & ((UINT32_C(1) << (l2->sector_bytes / 4)) - 1);
    if (!l2->lazy || !write) {
        return mask;
    }
    return mask_lost(l2, req) || (mask == 0 && req->byte_mask != 0) ? 1 : mask;
}

/* A request becomes one request per sector, each answered by itself; the original waits in the pool
 * for their replies. */
static void take_apart(ww_l2 *l2, uint32_t s, uint32_t id, uint64_t ready)
{
    ww_packet *whole = &l2->pool->packet[id];
    uint32_t parts = whole->req.bytes / l2->sector_bytes;
    whole->pending = whole->unsure = parts;
    for (uint32_t i = 0; i < parts; i++) {
        uint32_t part_id = ww__pool_take(l2->pool);
        ww_packet *sector = &l2->pool->packet[part_id];
        *sector = *whole;
        sector->req.address += i * l2->sector_bytes;
        sector->req.bytes = (uint16_t)l2->sector_bytes;
        sector->req.byte_mask = part_mask(l2, &whole->req, i * l2->sector_bytes);
        sector->req.lanes = whole->req.lanes / parts + (i < whole->req.lanes % parts);
        sector->local += i * l2->sector_bytes;
        sector->pending = 0;
        sector->whole = id;
        sector->ready = ready;
        ww__fifo_push(&l2->slice[s].rop, l2->pool, part_id);
    }
}

/* Pool entries that the arrived request needs beyond its own. */
static bool room_to_take_apart(const ww_l2 *l2)
{
    return !l2->by_sector || l2->pool->capacity - l2->pool->used >= WW_MOST_PARTS;
}

static bool may_arrive(const ww_l2 *l2, uint32_t s)
{
    return ww__net_arrived(l2->request, s) && l2->slice[s].rop.count < l2->rop_capacity;
}

static void take_arrival(ww_l2 *l2, uint32_t s, uint64_t now)
{
    if (!may_arrive(l2, s) || !room_to_take_apart(l2)) {
        return;
    }
    uint32_t id = ww__net_pop(l2->request, s, l2->icnt_clock->cycle);
    uint64_t ready = now + l2->rop_latency;
    if (l2->by_sector && l2->pool->packet[id].req.bytes > l2->sector_bytes) {
        take_apart(l2, s, id, ready);
    } else {
        l2->pool->packet[id].ready = ready;
        ww__fifo_push(&l2->slice[s].rop, l2->pool, id);
    }
}

/* When a request is there to be looked up. */
static uint64_t request_due(const ww_l2 *l2, const ww_slice *slice)
{
    uint64_t next = slice->rop.count > 0 ? l2->pool->packet[slice->rop.head].ready : WW_NEVER;
    return slice->far.count > 0 ? ww_min_u64(next, l2->pool->packet[slice->far.head].ready) : next;
}

/* Next cycle in which the slice can do something without outside help. */
static uint64_t next_cycle(const ww_l2 *l2, uint32_t s, uint64_t now)
{
    const ww_slice *slice = &l2->slice[s];
    uint64_t next = WW_NEVER;
    if (slice->replies.count > 0 && ww__net_can_push(l2->reply, s)) { /* else a grant wakes */
        next = l2->pool->packet[slice->replies.head].ready;
    }
    if (slice->fills.count > 0) {
        next = ww_min_u64(next, slice->port_free);
    }
    if (!slice->blocked) {
        next = ww_min_u64(next, ww_max_u64(request_due(l2, slice), slice->port_free));
    }
    if (may_arrive(l2, s)) {
        next = now + 1;
    }
    return next == WW_NEVER ? WW_NEVER : ww_max_u64(next, now + 1);
}

static uint64_t tick_slice(ww_l2 *l2, uint32_t s, uint64_t now)
{
    ww_slice *slice = &l2->slice[s];
    if (slice->replies.count > 0) {
        send_reply(l2, s, now);
    }
    if (slice->fills.count > 0 && slice->port_free <= now) {
        take_fill(l2, s, now);
    }
    if (slice->rop.count + slice->far.count > 0) {
        look_up(l2, s, now);
    }
    take_arrival(l2, s, now);
    return next_cycle(l2, s, now);
}

void ww__l2_tick(ww_l2 *l2, uint64_t now)
{
    ww_agenda *agenda = &l2->agenda;
    for (uint32_t w = 0; w < agenda->words; w++) {
        for (uint64_t bits = ww__agenda_take(agenda, w, now); bits != 0; bits &= bits - 1) {
            uint32_t s = w * 64 + ww__bit_first(bits);
            uint64_t at = agenda->at[s];
            ww__agenda_put(agenda, s, at <= now ? tick_slice(l2, s, now) : at, now);
        }
    }
    ww__agenda_pass(agenda, now);
}

void ww__l2_sync(ww_l2 *l2, uint64_t now)
{
    for (uint32_t s = 0; s < l2->slices; s++) {
        count_stall(&l2->slice[s], now);
    }
}
