/* l2_touch.c - what becomes of the L2 without time: sectors that the host's copies fill, and those
 * that launches run without time read and write. */
#include "perf/mem/l2.h"

void ww__l2_fill_by_host(ww_l2 *l2, const ww_addrmap *map, uint64_t address, uint64_t bytes)
{
    uint32_t sector = l2->sector_bytes;
    for (uint64_t a = address / sector * sector; l2->present && a < address + bytes; a += sector) {
        ww_slice_address at = ww__addrmap_slice(map, a);
        size_t waiters;
        ww_cache_eviction evicted; /* written back long before the kernel starts */
        (void)ww_cache_fill(l2->slice[at.slice].cache, at.local, 0, &waiters, &evicted);
    }
}

static void touch_sector(ww_l2 *l2, ww_slice_address at, bool write)
{
    ww_cache *cache = l2->slice[at.slice].cache;
    bool hit;
    size_t waiters;
    ww_cache_eviction evicted; /* written back at no cost */
    ww_cache_for(cache, 0);
    if (ww_cache_probe(cache, at.local) != WW_CACHE_MERGED &&
        ww_cache_access(cache, at.local, UINT32_MAX, write, false, 0, 0, &hit, &evicted) ==
            WW_CACHE_MISS) {
        (void)ww_cache_fill(cache, at.local, 0, &waiters, &evicted);
    }
}

void ww__l2_touch(ww_l2 *l2, const ww_addrmap *map, uint64_t address, uint32_t bytes, bool write)
{
    uint32_t sector = l2->sector_bytes;
    for (uint64_t a = address / sector * sector; l2->present && a < address + bytes; a += sector) {
        touch_sector(l2, ww__addrmap_slice(map, a), write);
    }
}
