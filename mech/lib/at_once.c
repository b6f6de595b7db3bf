/* at_once.c - see at_once.h. */
#include "mech/lib/at_once.h"

static const uint32_t NOBODY = UINT32_MAX; /* no load waits here */

static ww_status init(ww_at_once *a, uint32_t bytes, uint32_t ways, const ww_arch *arch,
                      ww_error *err)
{
    ww_cache_params params = arch->l1d;
    if (bytes > 0) {
        params.bytes = bytes;
        params.ways = ways;
    }
    params.set_index = WW_INDEX_LINEAR;
    params.replacement = WW_REPLACE_LRU;
    params.allocate = WW_ALLOCATE_ON_FILL;
    params.write_policy = WW_WRITE_EVICT;
    a->latency = params.hit_latency;
    a->sectors = params.bytes / params.sector_bytes;
    return ww_cache_create(&params, NULL, &a->tags, err);
}

ww_status ww_at_once_create(ww_prefetch_oracle oracle, uint32_t bytes, uint32_t ways,
                            const ww_arch *arch, ww_at_once **out, ww_error *err)
{
    ww_at_once *a = WW_NEW(ww_at_once);
    *out = NULL;
    if (a == NULL) {
        return ww_no_memory(err);
    }
    a->lines_come = oracle == WW_PREFETCH_ORACLE_AHEAD;
    ww_status status = init(a, bytes, ways, arch, err);
    if (status != WW_OK) {
        ww_at_once_destroy(a);
        return status;
    }
    *out = a;
    return WW_OK;
}

void ww_at_once_destroy(ww_at_once *a)
{
    if (a != NULL) {
        ww_cache_destroy(a->tags);
        ww_free(a);
    }
}

void ww_at_once_clear(ww_at_once *a)
{
    ww_cache_invalidate(a->tags);
    ww_behind_clear(&a->behind, a->sectors);
}

static void look_up(ww_at_once *a, uint64_t address, bool store, uint64_t now,
                    ww_cache_eviction *evicted)
{
    bool hit;
    (void)ww_cache_access(a->tags, address, ~0u, store, false, now, NOBODY, &hit, evicted);
}

bool ww_at_once_take(ww_at_once *a, uint64_t address, uint64_t now, ww_cache_eviction *evicted)
{
    if (ww_cache_probe(a->tags, address) != WW_CACHE_MISS) {
        return false;
    }
    size_t waiters;
    look_up(a, address, false, now, evicted);
    (void)ww_cache_fill(a->tags, address, now, &waiters, evicted);
    return true;
}

bool ww_at_once_serves(ww_at_once *a, const ww_mech_access *access, uint64_t now, uint64_t *ready)
{
    if (access->kind == WW_ACCESS_STORE ||
        ww_cache_probe(a->tags, access->address) != WW_CACHE_HIT) {
        return false;
    }
    *ready = now + a->latency;
    if (a->lines_come && !ww_behind_serve(&a->behind, access, a->latency, now, ready)) {
        return false;
    }
    ww_cache_eviction evicted = {0};
    look_up(a, access->address, false, now, &evicted);
    return true;
}

void ww_at_once_stored(ww_at_once *a, uint64_t address, uint64_t now, ww_cache_eviction *evicted)
{
    look_up(a, address, true, now, evicted);
}
