/* l2_parts.h - the sectors of a request, which the L2 looks up one by one. Private to perf/mem. */
#ifndef WW_PERF_MEM_L2_PARTS_H
#define WW_PERF_MEM_L2_PARTS_H

#include "base/arith.h"
#include "perf/mem/l2.h"

typedef struct ww_l2_part {
    uint64_t local; /* first byte of the request in one sector */
    uint32_t bytes;
    uint32_t words; /* written (stores) or wanted */
} ww_l2_part;

/* The k-th sector's share of a request. */
static inline ww_l2_part ww__l2_part_of(const ww_l2 *l2, const ww_packet *packet, uint32_t k)
{
    uint64_t sector = ((packet->local >> l2->sector_shift) + k) << l2->sector_shift;
    uint64_t first = ww_max_u64(sector, packet->local);
    uint64_t end = ww_min_u64(sector + l2->sector_bytes, packet->local + packet->req.bytes);
    uint32_t words = (uint32_t)(end - first) / 4;
    uint32_t all = words >= 32 ? UINT32_MAX : (UINT32_C(1) << words) - 1;
    uint32_t mask = packet->req.byte_mask;
    if (mask != 0 && ww__kind_writes(packet->req.kind)) {
        uint32_t offset = (uint32_t)(first - packet->local);
        all &= packet->req.bytes <= 128                         ? mask >> (offset / 4)
               : (mask >> (offset / (packet->req.bytes / 32u))) ? UINT32_MAX
                                                                : 0;
    }
    return (ww_l2_part){.local = first, .bytes = (uint32_t)(end - first), .words = all};
}

/* Whether a store brings every word of its bytes. */
static inline bool ww__l2_stores_all(const ww_mem_req *req)
{
    uint32_t words = req->bytes / 4u;
    uint32_t all = words >= 32 ? UINT32_MAX : (UINT32_C(1) << words) - 1;
    return req->byte_mask == 0 || (req->byte_mask & all) == all;
}

/* Sectors that the request touches, as a mask from its first one. */
static inline uint32_t ww__l2_sectors_of(const ww_l2 *l2, const ww_packet *packet)
{
    uint64_t first = packet->local >> l2->sector_shift;
    uint64_t last = (packet->local + packet->req.bytes - 1) >> l2->sector_shift;
    uint32_t count = (uint32_t)(last - first) + 1;
    uint32_t todo = count >= 32 ? UINT32_MAX : (UINT32_C(1) << count) - 1;
    if (!ww__kind_writes(packet->req.kind) || ww__l2_stores_all(&packet->req)) {
        return todo;
    }
    uint32_t written = 0;
    for (; todo != 0; todo &= todo - 1) {
        uint32_t k = (uint32_t)__builtin_ctz(todo);
        written |= (uint32_t)(ww__l2_part_of(l2, packet, k).words != 0) << k;
    }
    return written;
}

#endif
