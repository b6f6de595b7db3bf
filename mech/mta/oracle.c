/* oracle.c - what bounds the mechanism (mta.oracle): every line that its strides ask for is in the
 * buffer at once, whatever the throttle, the queue, the L1D's port and MSHRs would keep from it.
 * Lines that are used come behind, through MSHRs, L2 and DRAM, or do not come at all; those that
 * nobody uses cost nothing. */
#include "mech/mta/buffer.h"

#include "base/assert.h"

void mta_oracle_take(mta_buffer *b, ww_prefetcher *p, uint64_t now)
{
    WW_ASSERT(b->tags != NULL);
    for (; p->count > 0; ww_prefetcher_next_in_queue(p)) {
        uint16_t bytes;
        const uint64_t address =
            ww_cache_fetch_address(b->tags, p->queue[p->first].address, &bytes);
        if (ww_cache_probe(b->tags, address) != WW_CACHE_MISS) {
            ww_mech_count(b->sm, WW_C_PF_REDUNDANT, 1);
            continue;
        }
        bool hit;
        size_t waiters;
        ww_cache_eviction evicted = {0};
        (void)ww_cache_access(b->tags, address, ~0u, false, false, now, 0, &hit, &evicted);
        (void)ww_cache_fill(b->tags, address, now, &waiters, &evicted);
        if (evicted.gone) {
            ww_prefetcher_evicted(p, evicted.address, now);
        }
        ww_prefetcher_note(p, address, WW_FOR_NOBODY, now);
    }
}

bool mta_oracle_serves(mta_buffer *b, ww_prefetcher *p, const ww_mech_access *access, uint64_t now,
                       uint64_t *ready)
{
    if (access->kind == WW_ACCESS_STORE ||
        ww_cache_probe(b->tags, access->address) != WW_CACHE_HIT) {
        return false;
    }
    *ready = now + b->latency;
    if (b->oracle == WW_MTA_ORACLE_AHEAD &&
        !ww_behind_serve(&b->behind, access, b->latency, now, ready)) {
        return false;
    }
    bool hit;
    ww_cache_eviction evicted = {0};
    (void)ww_cache_access(b->tags, access->address, ~0u, false, false, now, 0, &hit, &evicted);
    ww_prefetcher_looked_up(p, access, WW_CACHE_HIT, now);
    return true;
}
