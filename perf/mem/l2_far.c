/* l2_far.c - an L2 in two parts: requests of the other part's SMs to a slice. A read whose sectors
 * lie in the reader's own part as copies is answered from there, at the price of a hit; everything
 * else goes over, there and back, before it is looked up where the address belongs, and leaves
 * copies of what it reads. A copy lies in the slice of the other part that has the same number, as
 * a clean line of its own, and takes what is stored to its address as the line itself does: values
 * are no matter here. That a request meets its copies at the slice it belongs to, and not at the
 * one where they lie, makes no difference to the sum of what the two do. */
#include "perf/mem/l2.h"

#define COPY (UINT64_C(1) << 52) /* no address has it */

bool ww__l2_far_init(ww_l2 *l2, const ww_arch *arch, ww_arena *arena)
{
    l2->far_latency = arch->mem.l2_far_latency;
    l2->far_bytes = arch->mem.l2_far_bytes;
    l2->near_copies = arch->mem.l2_near_copies && l2->present;
    if (arch->mem.l2_parts <= 1) {
        return true;
    }
    l2->sm_part = WW_ARENA_NEW_ARRAY(arena, uint8_t, arch->sm.count);
    l2->slice_part = WW_ARENA_NEW_ARRAY(arena, uint8_t, l2->slices);
    if (l2->sm_part == NULL || l2->slice_part == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < arch->sm.count; i++) {
        l2->sm_part[i] = (uint8_t)ww_arch_sm_part(arch, i);
    }
    for (uint32_t s = 0; s < l2->slices; s++) {
        l2->slice_part[s] = (uint8_t)ww_arch_slice_part(arch, s);
    }
    return true;
}

static ww_slice *other_part(const ww_l2 *l2, uint32_t s, uint32_t *t)
{
    uint32_t half = l2->slices / 2;
    *t = s < half ? s + half : s - half;
    return &l2->slice[*t];
}

/* Sectors of a request: the first byte, and how many. */
static uint64_t sectors(const ww_l2 *l2, const ww_packet *packet, uint32_t *count)
{
    uint64_t first = packet->local >> l2->sector_shift;
    *count = (uint32_t)(((packet->local + packet->req.bytes - 1) >> l2->sector_shift) - first) + 1;
    return first << l2->sector_shift | COPY;
}

static bool answer_near(ww_l2 *l2, uint32_t s, uint32_t id, uint64_t now)
{
    ww_packet *packet = &l2->pool->packet[id];
    uint32_t count, t;
    ww_cache *copies = other_part(l2, s, &t)->cache;
    ww_slice *slice = &l2->slice[s];
    uint64_t at = sectors(l2, packet, &count);
    for (uint32_t k = 0; k < count; k++) {
        if (ww_cache_probe(copies, at + (uint64_t)k * l2->sector_bytes) != WW_CACHE_HIT) {
            return false;
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        bool hit;
        ww_cache_eviction evicted;
        (void)ww_cache_access(copies, at + (uint64_t)k * l2->sector_bytes, 1, false, false, now, id,
                              &hit, &evicted);
    }
    const uint32_t owner = packet->req.owner;
    ww__l2_count(l2, slice, owner, WW_C_L2_READ_HIT, count);
    if (ww__kind_passes_port(packet->req.kind)) {
        ww__l2_count(l2, slice, owner, WW_C_L2_READ_BLOCKS, count * ((l2->sector_bytes + 31) / 32));
        slice->port_bytes += packet->req.bytes;
    }
    ww__l2_occupy_port(l2, slice, now, 1);
    ww__l2_finish(l2, s, id, now + l2->hit_latency);
    return true;
}

/* Nothing is kept where what must leave for it finds no room on its way to DRAM. */
static void keep_copies(ww_l2 *l2, uint32_t s, const ww_packet *packet, uint64_t now)
{
    uint32_t count, t;
    ww_slice *slice = other_part(l2, s, &t);
    uint64_t at = sectors(l2, packet, &count);
    for (uint32_t k = 0; k < count && slice->out.count < l2->miss_queue; k++) {
        size_t waiters;
        ww_cache_eviction evicted;
        (void)ww_cache_fill(slice->cache, at + (uint64_t)k * l2->sector_bytes, now, &waiters,
                            &evicted);
        ww__l2_send_eviction(l2, t, &evicted);
    }
}

void ww__l2_far(ww_l2 *l2, uint32_t s, uint64_t now)
{
    ww_slice *slice = &l2->slice[s];
    uint32_t id = ww__fifo_pop(&slice->rop, l2->pool);
    ww_packet *packet = &l2->pool->packet[id];
    bool reads =
        l2->near_copies && !ww__kind_writes(packet->req.kind) && !ww__kind_atomic(packet->req.kind);
    if (reads && answer_near(l2, s, id, now)) {
        return;
    }
    if (reads) {
        keep_copies(l2, s, packet, now);
    }
    uint64_t from = ww_max_u64(now, slice->far_free);
    slice->far_free = from + (packet->req.bytes + l2->far_bytes - 1) / l2->far_bytes;
    ww__l2_count(l2, slice, packet->req.owner, WW_C_L2_CROSSED, (packet->req.bytes + 31u) / 32);
    packet->ready = from + l2->far_latency;
    ww__fifo_push(&slice->far, l2->pool, id);
}
