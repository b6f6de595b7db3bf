/* cache.c - a cache as an object, line-based or sectored, and what is asked of it beside accesses
 * (cache_access.c); values are elsewhere. A sector is valid (whole), partial (some words written,
 * never fetched: write_allocate "validate") or absent; one with an MSHR is pending, and a line with
 * pending reservations cannot be evicted. */
#include <string.h>

#include "perf/mem/bits.h"
#include "perf/mem/cache_state.h"

enum { FEW_WAYS = 32 }; /* up to so many, comparing tags is faster than hashing */

static bool is_pow2(uint32_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

static ww_status check_params(const ww_cache_params *p, ww_error *err)
{
    if (!is_pow2(p->line_bytes) || !is_pow2(p->sector_bytes) || p->sector_bytes > p->line_bytes ||
        p->line_bytes / p->sector_bytes > 32) {
        return ww_fail(err, WW_ERANGE,
                       "A cache with lines of %u bytes and sectors of %u bytes cannot be built: "
                       "both must be powers of "
                       "two, with at most 32 sectors in a line.",
                       p->line_bytes, p->sector_bytes);
    }
    if (p->bytes % (p->line_bytes * p->ways) != 0) {
        return ww_fail(err, WW_ERANGE,
                       "A cache of %u bytes does not divide into sets of %u ways of %u bytes.",
                       p->bytes, p->ways, p->line_bytes);
    }
    return WW_OK;
}

static bool allocate_arrays(ww_cache *c)
{
    size_t lines = (size_t)c->sets * c->p.ways;
    c->tag = WW_ARENA_NEW_ARRAY(c->room, uint64_t, lines);
    c->lines = WW_ARENA_NEW_ARRAY(c->room, ww_cache_line, lines);
    c->order = WW_ARENA_NEW_ARRAY(c->room, ww_cache_order, c->sets);
    if (ww__cache_masks_words(c)) {
        c->words = WW_ARENA_NEW_ARRAY(c->room, uint32_t, lines * c->sectors);
        if (!c->words) {
            return false;
        }
    }
    if (c->p.ways > FEW_WAYS) {
        c->bucket_mask = ww__pow2_ceil((uint32_t)lines) - 1;
        c->bucket = WW_ARENA_NEW_ARRAY(c->room, uint32_t, (size_t)c->bucket_mask + 1);
        c->chain = WW_ARENA_NEW_ARRAY(c->room, uint32_t, lines);
        if (!c->bucket || !c->chain) {
            return false;
        }
    }
    return c->tag && c->lines && c->order &&
           ww__mshr_init(&c->mshr, c->p.mshr_entries, c->p.mshr_merge, c->sectors, c->room);
}

ww_status ww_cache_create(const ww_cache_params *params, ww_arena *room, ww_cache **out,
                          ww_error *err)
{
    WW_TRY(check_params(params, err));
    ww_cache *c = WW_NEW(ww_cache); /* beside others, not beside its own arrays: few pages */
    if (!c) {
        return ww_no_memory_for(err, "a cache");
    }
    c->p = *params;
    c->ways = params->ways;
    c->sets = params->bytes / (params->line_bytes * params->ways);
    c->sectors = params->line_bytes / params->sector_bytes;
    c->line_shift = (uint32_t)__builtin_ctz(params->line_bytes);
    c->sector_shift = (uint32_t)__builtin_ctz(params->sector_bytes);
    c->set_bits = is_pow2(c->sets) ? (uint32_t)__builtin_ctz(c->sets) : 0;
    c->set_mask = is_pow2(c->sets) ? c->sets - 1 : 0;
    c->sector_words =
        params->sector_bytes >= 128 ? UINT32_MAX : (UINT32_C(1) << (params->sector_bytes / 4)) - 1;
    ww_arena_init(&c->arena);
    c->room = room != NULL ? room : &c->arena;
    if (c->sets != 0 && !allocate_arrays(c)) {
        ww_cache_destroy(c);
        return ww_no_memory_for(err, "a cache of %u bytes", params->bytes);
    }
    *out = c;
    return WW_OK;
}

ww_status ww_cache_know_owners(ww_cache *cache, ww_error *err)
{
    const bool dirties =
        cache->p.write_policy == WW_WRITE_BACK || cache->p.write_policy == WW_WRITE_LOCAL_BACK;
    if (cache->dirtied != NULL || cache->sets == 0 || !dirties) {
        return WW_OK;
    }
    const size_t sectors = (size_t)cache->sets * cache->p.ways * cache->sectors;
    const size_t registers = (size_t)cache->mshr.entries * cache->sectors;
    uint32_t *dirtied = WW_ARENA_NEW_ARRAY(&cache->arena, uint32_t, sectors);
    cache->left = WW_ARENA_NEW_ARRAY(&cache->arena, uint32_t, cache->sectors);
    cache->promised = WW_ARENA_NEW_ARRAY(&cache->arena, uint32_t, registers + 1);
    if (dirtied == NULL || cache->left == NULL || cache->promised == NULL) {
        return ww_no_memory_for(err, "who writes to a cache");
    }
    cache->dirtied = dirtied;
    return WW_OK;
}

void ww_cache_for(ww_cache *cache, uint32_t owner)
{
    cache->owner = owner;
}

uint32_t ww_cache_dirtied_by(const ww_cache *cache, uint32_t sector)
{
    return cache->dirtied != NULL ? cache->left[sector] : 0;
}

uint32_t ww_cache_dirtied(const ww_cache *cache, const ww_cache_eviction *evicted)
{
    return ww_cache_dirtied_by(cache, (uint32_t)__builtin_ctz(evicted->sectors | 1u << 31));
}

void ww_cache_destroy(ww_cache *cache)
{
    if (cache) {
        ww_arena_fini(&cache->arena);
        ww_free(cache);
    }
}

void ww_cache_invalidate(ww_cache *cache)
{
    size_t lines = (size_t)cache->sets * cache->p.ways;
    if (lines == 0 || !cache->touched) {
        return;
    }
    cache->touched = false;
    memset(cache->tag, 0, lines * sizeof *cache->tag);
    memset(cache->lines, 0, lines * sizeof *cache->lines);
    memset(cache->order, 0, cache->sets * sizeof *cache->order);
    if (cache->locks != NULL) {
        memset(cache->locks, 0, lines * sizeof *cache->locks);
    }
    if (cache->bucket) {
        memset(cache->bucket, 0, ((size_t)cache->bucket_mask + 1) * sizeof *cache->bucket);
    }
    ww__mshr_clear(&cache->mshr);
}

void ww_cache_use_ways(ww_cache *cache, uint32_t ways)
{
    ww_cache_invalidate(cache);
    cache->ways = ways < cache->p.ways ? ways : cache->p.ways;
}

/* ---- questions ---- */

bool ww_cache_keeps(const ww_cache *cache, ww_cache_result result, bool hit)
{
    if (result == WW_CACHE_WRITE_DONE) {
        return true;
    }
    bool through = result == WW_CACHE_WRITE_NEXT && cache->p.write_policy == WW_WRITE_THROUGH;
    return through && (hit || cache->p.write_allocate == WW_WRITE_VALIDATE);
}

void ww_cache_mark_dirty(ww_cache *cache, uint64_t address, uint32_t byte_mask)
{
    if (cache->sets != 0) {
        ww_cache_place a = ww__cache_locate(cache, address, byte_mask);
        if (a.i != WW_NO_LINE) {
            ww__cache_dirty(cache, a.i, a.bit, cache->owner);
        }
    }
}

ww_cache_result ww_cache_probe(ww_cache *cache, uint64_t address)
{
    if (cache->sets == 0) {
        return WW_CACHE_MISS;
    }
    ww_cache_place a = ww__cache_locate(cache, address, UINT32_MAX);
    if (a.i != WW_NO_LINE && (cache->lines[a.i].valid & a.bit) != 0) {
        return WW_CACHE_HIT;
    }
    uint32_t id = ww__mshr_find(&cache->mshr, a.line_number);
    return (ww__mshr_pending(&cache->mshr, id) & a.bit) != 0 ? WW_CACHE_MERGED : WW_CACHE_MISS;
}

/* Locked lines of a set other than `except`. */
static uint32_t locked_lines(const ww_cache *c, uint32_t set, uint32_t except)
{
    uint32_t first = set * c->p.ways, n = 0;
    for (uint32_t i = first; c->locks != NULL && i < first + c->p.ways; i++) {
        n += i != except && c->locks[i] != 0;
    }
    return n;
}

bool ww_cache_may_lock(ww_cache *cache, uint64_t address, uint32_t most)
{
    if (cache->sets == 0) {
        return false;
    }
    ww_cache_place a = ww__cache_locate(cache, address, UINT32_MAX);
    return locked_lines(cache, a.i != WW_NO_LINE ? a.i / cache->p.ways : a.set, a.i) < most;
}

bool ww_cache_lock(ww_cache *cache, uint64_t address, uint32_t most)
{
    if (cache->sets == 0) {
        return false;
    }
    ww_cache_place a = ww__cache_locate(cache, address, UINT32_MAX);
    if (a.i == WW_NO_LINE) {
        return false;
    }
    if (cache->locks == NULL) {
        cache->locks =
            WW_ARENA_NEW_ARRAY(&cache->arena, uint16_t, (size_t)cache->sets * cache->p.ways);
        if (cache->locks == NULL) {
            return false;
        }
    }
    if (locked_lines(cache, a.i / cache->p.ways, a.i) >= most || cache->locks[a.i] == UINT16_MAX) {
        return false;
    }
    cache->locks[a.i]++;
    return true;
}

void ww_cache_unlock(ww_cache *cache, uint64_t address)
{
    if (cache->sets == 0 || cache->locks == NULL) {
        return;
    }
    ww_cache_place a = ww__cache_locate(cache, address, UINT32_MAX);
    if (a.i != WW_NO_LINE && cache->locks[a.i] > 0) {
        cache->locks[a.i]--;
    }
}

uint64_t ww_cache_fetch_address(const ww_cache *cache, uint64_t address, uint16_t *bytes)
{
    *bytes = (uint16_t)cache->p.sector_bytes;
    return address >> cache->sector_shift << cache->sector_shift;
}

uint32_t ww_cache_free_mshrs(const ww_cache *cache)
{
    return cache->sets == 0 ? UINT32_MAX : cache->mshr.entries - cache->mshr.used;
}

bool ww_cache_idle(const ww_cache *cache)
{
    return cache->sets == 0 || cache->mshr.used == 0;
}
