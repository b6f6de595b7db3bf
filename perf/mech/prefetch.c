/* prefetch.c - the prefetch queue of an SM and the fate of what it requested.
 * Measures as CTA-Aware Prefetching (Koo et al., IPDPS 2018, sections VI-C to VI-E) defines them:
 * coverage = issued / demand requests, accuracy = (used + late) / issued; early: evicted before
 * use; late: demanded while still on its way; distance: cycles from issue to the first demand. */
#include "perf/mech/prefetch.h"

#define FREE UINT64_MAX

static uint32_t home(const ww_prefetcher *p, uint64_t address)
{
    return (uint32_t)((address * UINT64_C(0x9E3779B97F4A7C15)) >> 40) & (p->places - 1);
}

static ww_prefetched *find(ww_prefetcher *p, uint64_t address)
{
    for (uint32_t i = home(p, address);; i = (i + 1) & (p->places - 1)) {
        if (p->place[i].address == address) {
            return &p->place[i];
        }
        if (p->place[i].address == FREE) {
            return NULL;
        }
    }
}

static void insert(ww_prefetcher *p, uint64_t address, uint64_t now)
{
    uint32_t i = home(p, address);
    while (p->place[i].address != FREE) {
        i = (i + 1) & (p->places - 1);
    }
    p->place[i] = (ww_prefetched){.address = address, .issued = now};
    p->held++;
}

/* Closes the gap, so that every place stays reachable from its home. */
static void drop(ww_prefetcher *p, ww_prefetched *at)
{
    uint32_t mask = p->places - 1, gap = (uint32_t)(at - p->place);
    for (uint32_t i = (gap + 1) & mask; p->place[i].address != FREE; i = (i + 1) & mask) {
        uint32_t from_home = (i - home(p, p->place[i].address)) & mask;
        if (from_home >= ((i - gap) & mask)) {
            p->place[gap] = p->place[i];
            gap = i;
        }
    }
    p->place[gap].address = FREE;
    p->held--;
}

ww_status ww_prefetcher_init(ww_prefetcher *p, ww_sm *sm, const ww_arch *arch,
                             uint32_t queue_entries, uint32_t free_mshrs, ww_error *err)
{
    const ww_cache_params *l1 = &arch->l1d;
    uint32_t tracked = l1->bytes / l1->sector_bytes + l1->mshr_entries;
    *p = (ww_prefetcher){.sm = sm,
                         .line_bytes = l1->line_bytes,
                         .sector_bytes = l1->sector_bytes,
                         .free_mshrs = free_mshrs,
                         .capacity = queue_entries,
                         .places = 16};
    while (p->places < 2 * tracked) {
        p->places *= 2;
    }
    p->queue = WW_NEW_ARRAY(uint64_t, queue_entries);
    p->place = WW_NEW_ARRAY(ww_prefetched, p->places);
    if (p->queue == NULL || p->place == NULL) {
        ww_prefetcher_fini(p);
        return ww_fail(err, WW_ENOMEM, "Out of memory for a prefetcher.");
    }
    ww_prefetcher_clear(p);
    return WW_OK;
}

void ww_prefetcher_fini(ww_prefetcher *p)
{
    ww_free(p->queue);
    ww_free(p->place);
    p->queue = NULL;
    p->place = NULL;
}

void ww_prefetcher_clear(ww_prefetcher *p)
{
    p->count = p->first = p->held = 0;
    for (uint32_t i = 0; i < p->places; i++) {
        p->place[i].address = FREE;
    }
}

static void enqueue(ww_prefetcher *p, uint64_t address)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->queue[(p->first + i) % p->capacity] == address) {
            ww_mech_count(p->sm, WW_C_PF_REDUNDANT, 1);
            return;
        }
    }
    if (p->count == p->capacity) {
        ww_mech_count(p->sm, WW_C_PF_DROPPED, 1);
        return;
    }
    p->queue[(p->first + p->count++) % p->capacity] = address;
}

void ww_prefetcher_request(ww_prefetcher *p, uint64_t address)
{
    uint64_t line = address / p->line_bytes * p->line_bytes;
    for (uint32_t offset = 0; offset < p->line_bytes; offset += p->sector_bytes) {
        ww_mech_count(p->sm, WW_C_PF_REQUESTED, 1);
        enqueue(p, line + offset);
    }
}

/* One look-up of the L1D a cycle at most. */
void ww_prefetcher_tick(ww_prefetcher *p, uint64_t now)
{
    if (p->count == 0 || p->held >= p->places / 2) {
        return;
    }
    uint64_t address = p->queue[p->first];
    ww_inject_result result = ww_mech_inject(p->sm, address, p->free_mshrs, now);
    if (result == WW_INJECT_BUSY) {
        return;
    }
    p->first = (p->first + 1) % p->capacity;
    p->count--;
    ww_mech_count(p->sm, WW_C_PF_LOOKUP, 1);
    if (result != WW_INJECT_SENT) {
        ww_mech_count(p->sm, WW_C_PF_REDUNDANT, 1);
        return;
    }
    ww_mech_count(p->sm, WW_C_PF_ISSUED, 1);
    insert(p, address, now);
}

uint64_t ww_prefetcher_next(const ww_prefetcher *p, uint64_t now)
{
    return p->count > 0 ? now + 1 : UINT64_MAX;
}

void ww_prefetcher_looked_up(ww_prefetcher *p, const ww_mech_access *access, ww_cache_result result,
                             uint64_t now)
{
    if (access->store || p->held == 0) {
        return;
    }
    ww_prefetched *at = find(p, access->address / p->sector_bytes * p->sector_bytes);
    if (at == NULL) {
        return;
    }
    switch (result) {
    case WW_CACHE_HIT:
        ww_mech_count(p->sm, WW_C_PF_USED, 1);
        ww_mech_count(p->sm, WW_C_PF_DISTANCE, now - at->issued);
        break;
    case WW_CACHE_MERGED:
        ww_mech_count(p->sm, WW_C_PF_LATE, 1);
        ww_mech_count(p->sm, WW_C_PF_DISTANCE, now - at->issued);
        break;
    case WW_CACHE_MISS: /* its data found no line to stay in */
        ww_mech_count(p->sm, WW_C_PF_EARLY, 1);
        break;
    case WW_CACHE_STALL:
    case WW_CACHE_WRITE_NEXT:
    case WW_CACHE_WRITE_DONE:
        return;
    }
    drop(p, at);
}

void ww_prefetcher_evicted(ww_prefetcher *p, uint64_t line_address)
{
    for (uint32_t offset = 0; p->held > 0 && offset < p->line_bytes; offset += p->sector_bytes) {
        ww_prefetched *at = find(p, line_address + offset);
        if (at != NULL) {
            ww_mech_count(p->sm, WW_C_PF_EARLY, 1);
            drop(p, at);
        }
    }
}
