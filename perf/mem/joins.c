/* joins.c - reads of SMs of a cluster that join one under way. */
#include "perf/mem/joins.h"

#include "base/arith.h"

bool ww__joins_init(ww_joins *joins, const ww_arch *arch, ww_pool *pool, ww_arena *arena)
{
    *joins = (ww_joins){.most = arch->icnt.joined_reads, .pool = pool};
    if (joins->most == 0) {
        return true;
    }
    const uint64_t leaders = (uint64_t)joins->most * arch->sm.clusters;
    const uint32_t buckets = ww__pow2_ceil((uint32_t)ww_min_u64(leaders, pool->capacity));
    joins->mask = buckets - 1;
    joins->bucket = WW_ARENA_NEW_ARRAY(arena, uint32_t, buckets);
    joins->next = WW_ARENA_NEW_ARRAY(arena, uint32_t, pool->capacity);
    joins->first = WW_ARENA_NEW_ARRAY(arena, uint32_t, pool->capacity);
    joins->last = WW_ARENA_NEW_ARRAY(arena, uint32_t, pool->capacity);
    joins->leads = WW_ARENA_NEW_ARRAY(arena, uint8_t, pool->capacity);
    joins->leading = WW_ARENA_NEW_ARRAY(arena, uint32_t, arch->sm.clusters);
    joins->shared = WW_ARENA_NEW_ARRAY(arena, uint64_t, arch->sm.count);
    joins->cluster = WW_ARENA_NEW_ARRAY(arena, uint8_t, arch->sm.count);
    if (joins->bucket == NULL || joins->next == NULL || joins->first == NULL ||
        joins->last == NULL || joins->leads == NULL || joins->leading == NULL ||
        joins->shared == NULL || joins->cluster == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < buckets; i++) {
        joins->bucket[i] = WW_NO_PACKET;
    }
    for (uint32_t i = 0; i < arch->sm.count; i++) {
        joins->cluster[i] = (uint8_t)ww_arch_cluster_of(arch, i);
    }
    return true;
}

static bool may_join(const ww_mem_req *req)
{
    return ww__kind_returns_data(req->kind) && !ww__kind_atomic(req->kind) &&
           req->kind != WW_REQ_PREFETCH;
}

static uint32_t *bucket_of(const ww_joins *joins, const ww_packet *p)
{
    const uint64_t key = (p->local >> 5) * 0x9e3779b97f4a7c15u + p->slice * UINT64_C(0x85ebca6b) +
                         joins->cluster[p->req.sm];
    return &joins->bucket[(uint32_t)(key >> 32 ^ key) & joins->mask];
}

static bool same(const ww_joins *joins, const ww_packet *a, const ww_packet *b)
{
    return a->local == b->local && a->slice == b->slice && a->req.bytes == b->req.bytes &&
           joins->cluster[a->req.sm] == joins->cluster[b->req.sm];
}

static void join(ww_joins *joins, uint32_t leader, uint32_t id)
{
    joins->next[id] = WW_NO_PACKET;
    if (joins->first[leader] == WW_NO_PACKET) {
        joins->first[leader] = id;
    } else {
        joins->next[joins->last[leader]] = id;
    }
    joins->last[leader] = id;
}

bool ww__joins_enter(ww_joins *joins, uint32_t id)
{
    const ww_packet *packet = joins->pool->packet, *p = &packet[id];
    joins->leads[id] = 0;
    if (!may_join(&p->req)) {
        return false;
    }
    uint32_t *bucket = bucket_of(joins, p);
    for (uint32_t k = *bucket; k != WW_NO_PACKET; k = joins->next[k]) {
        if (same(joins, &packet[k], p)) {
            join(joins, k, id);
            return true;
        }
    }
    uint32_t *leading = &joins->leading[joins->cluster[p->req.sm]];
    if (*leading < joins->most) {
        ++*leading;
        joins->leads[id] = 1;
        joins->first[id] = WW_NO_PACKET;
        joins->next[id] = *bucket;
        *bucket = id;
    }
    return false;
}

/* The first of those that have joined a packet; WW_NO_PACKET: none. */
static uint32_t leave(ww_joins *joins, uint32_t id)
{
    const ww_packet *p = &joins->pool->packet[id];
    if (!joins->leads[id]) {
        return WW_NO_PACKET;
    }
    uint32_t *at = bucket_of(joins, p);
    while (*at != id) {
        WW_ASSERT(*at != WW_NO_PACKET);
        at = &joins->next[*at];
    }
    *at = joins->next[id];
    joins->leads[id] = 0;
    joins->leading[joins->cluster[p->req.sm]]--;
    return joins->first[id];
}

void ww__joins_share(ww_joins *joins, ww_net *reply, uint32_t id, uint64_t now,
                     const ww_charges *charges)
{
    const uint16_t flits = joins->pool->packet[id].flits;
    uint32_t next = leave(joins, id);
    while (next != WW_NO_PACKET) {
        const uint32_t k = next;
        ww_packet *packet = &joins->pool->packet[k];
        const uint32_t sm = packet->req.sm, blocks = (packet->req.bytes + 31u) / 32;
        next = joins->next[k];
        packet->flits = flits;
        joins->shared[sm] += blocks;
        ww_charge_owner(charges, packet->req.owner, WW_C_ICNT_JOINED, blocks);
        ww__net_push(reply, reply->beside + sm, sm, k, now);
    }
}

uint64_t ww__joins_shared(ww_joins *joins, uint32_t sm)
{
    const uint64_t shared = joins->most != 0 ? joins->shared[sm] : 0;
    if (shared != 0) {
        joins->shared[sm] = 0;
    }
    return shared;
}
