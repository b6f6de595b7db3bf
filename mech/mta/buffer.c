/* buffer.c - see buffer.h. The buffer's tags are a cache of their own kind; what becomes of its
 * lines is counted as for prefetches into the L1D. */
#include "mech/mta/buffer.h"

#include "base/assert.h"

static const uint32_t NOBODY = UINT32_MAX; /* a prefetch: no load waits for it */

ww_status mta_buffer_init(mta_buffer *b, ww_sm *sm, const ww_arch *arch, ww_error *err)
{
    *b = (mta_buffer){.sm = sm,
                      .latency = arch->l1d.hit_latency,
                      .forward = arch->sm.writeback_cycles,
                      .looks_up_l1d = arch->mta.looks_up_l1d};
    if (arch->mta.buffer_bytes == 0 || arch->mta.oracle != WW_PREFETCH_ORACLE_NONE) {
        return WW_OK;
    }
    ww_cache_params params = arch->l1d;
    params.bytes = arch->mta.buffer_bytes;
    params.ways = arch->mta.buffer_ways;
    params.set_index = WW_INDEX_LINEAR;
    params.replacement = WW_REPLACE_LRU;
    params.allocate = WW_ALLOCATE_ON_FILL;
    params.write_policy = WW_WRITE_EVICT;
    params.mshr_entries = arch->mta.buffer_mshrs;
    return ww_cache_create(&params, NULL, &b->tags, err);
}

void mta_buffer_fini(mta_buffer *b)
{
    ww_cache_destroy(b->tags);
    b->tags = NULL;
}

void mta_buffer_clear(mta_buffer *b)
{
    if (b->tags != NULL) {
        ww_cache_invalidate(b->tags);
    }
}

void mta_buffer_tick(mta_buffer *b, ww_prefetcher *p, uint32_t mech, uint64_t now)
{
    if (p->count == 0 || ww_cache_free_mshrs(b->tags) == 0) {
        return;
    }
    uint16_t bytes;
    WW_ASSERT(p->first < p->capacity);
    const ww_inject_result found = b->looks_up_l1d
                                       ? ww_mech_look_up(b->sm, p->queue[p->first].address, now)
                                       : WW_INJECT_ABSENT;
    if (found == WW_INJECT_BUSY) {
        return;
    }
    ww_mech_count(b->sm, WW_C_PF_LOOKUP, b->looks_up_l1d);
    uint64_t address = ww_cache_fetch_address(b->tags, p->queue[p->first].address, &bytes);
    ww_mech_count(b->sm, WW_C_MTA_BUFFER_LOOKUP, 1);
    if (found != WW_INJECT_ABSENT || ww_cache_probe(b->tags, address) != WW_CACHE_MISS) {
        ww_mech_count(b->sm, WW_C_PF_REDUNDANT, 1);
    } else {
        if (!ww_mech_fetch_beside(b->sm, mech, address, bytes, 0)) {
            return;
        }
        bool hit;
        ww_cache_eviction evicted = {0};
        (void)ww_cache_access(b->tags, address, ~0u, false, false, now, NOBODY, &hit, &evicted);
        ww_prefetcher_note(p, address, WW_FOR_NOBODY, now);
    }
    ww_prefetcher_next_in_queue(p);
}

static void left(ww_prefetcher *p, const ww_cache_eviction *evicted, uint64_t now)
{
    if (evicted->gone) {
        ww_prefetcher_evicted(p, evicted->address, now);
    }
}

void mta_buffer_arrived(mta_buffer *b, ww_prefetcher *p, uint64_t address, uint64_t now)
{
    size_t waiters;
    ww_cache_eviction evicted = {0};
    WW_ASSERT(b->tags != NULL); /* it has asked for the sector */
    const uint32_t *waiter = ww_cache_fill(b->tags, address, now, &waiters, &evicted);
    ww_mech_count(b->sm, WW_C_MTA_BUFFER_FILL, 1);
    left(p, &evicted, now);
    (void)ww_prefetcher_filled(p, address);
    for (size_t i = 0; i < waiters; i++) {
        if (waiter[i] != NOBODY) { /* as the L1D gives arriving data to those who wait there */
            ww_mech_serve(b->sm, waiter[i], now + b->forward, now);
        }
    }
}

/* A load's sector is on its way: it waits for it, as in an MSHR of the L1D. */
static bool waits(mta_buffer *b, ww_prefetcher *p, const ww_mech_access *access, uint64_t now)
{
    bool hit;
    ww_cache_eviction evicted = {0};
    if (ww_cache_access(b->tags, access->address, ~0u, false, false, now, access->flight, &hit,
                        &evicted) != WW_CACHE_MERGED) { /* no room among those who wait */
        return false;
    }
    ww_prefetcher_looked_up(p, access, WW_CACHE_MERGED, now);
    return true;
}

bool mta_buffer_serves(mta_buffer *b, ww_prefetcher *p, const ww_mech_access *access, uint64_t now,
                       uint64_t *ready)
{
    if (access->kind == WW_ACCESS_STORE) {
        return false;
    }
    ww_mech_count(b->sm, WW_C_MTA_BUFFER_LOOKUP, 1);
    ww_cache_result found = ww_cache_probe(b->tags, access->address);
    if (found != WW_CACHE_HIT) {
        *ready = UINT64_MAX;
        return found == WW_CACHE_MERGED && waits(b, p, access, now);
    }
    bool hit;
    ww_cache_eviction evicted = {0};
    (void)ww_cache_access(b->tags, access->address, ~0u, false, false, now, NOBODY, &hit, &evicted);
    ww_mech_count(b->sm, WW_C_MTA_BUFFER_READ, 1);
    ww_prefetcher_looked_up(p, access, WW_CACHE_HIT, now);
    *ready = now + b->latency;
    return true;
}

/* A load whose sector is on its way to the buffer, but finds no room to wait there, fetches it
 * itself. */
void mta_buffer_missed(mta_buffer *b, ww_prefetcher *p, const ww_mech_access *access, uint64_t now)
{
    if (access->kind == WW_ACCESS_STORE) {
        bool hit;
        ww_cache_eviction evicted = {0};
        ww_mech_count(b->sm, WW_C_MTA_BUFFER_LOOKUP, 1);
        (void)ww_cache_access(b->tags, access->address, ~0u, true, false, now, NOBODY, &hit,
                              &evicted);
        left(p, &evicted, now);
    } else if (ww_cache_probe(b->tags, access->address) == WW_CACHE_MERGED) {
        ww_prefetcher_looked_up(p, access, WW_CACHE_MERGED, now);
    }
}
