/* prefetch.c - the prefetch queue of an SM and the fate of what it requested.
 * Measures as CTA-Aware Prefetching (Koo et al., IPDPS 2018, sections VI-C to VI-E) defines them:
 * coverage = issued / demand requests, accuracy = (used + late) / issued; early: evicted before
 * use; late: demanded while still on its way; distance: cycles from issue to the first demand. */
#include "mech/lib/prefetch.h"

#include "base/assert.h"

#define FREE UINT64_MAX

static uint32_t home(const ww_prefetch_table *t, uint64_t address)
{
    return (uint32_t)((address * UINT64_C(0x9E3779B97F4A7C15)) >> 40) & (t->places - 1);
}

static ww_prefetched *find(const ww_prefetch_table *t, uint64_t address)
{
    for (uint32_t i = home(t, address);; i = (i + 1) & (t->places - 1)) {
        if (t->place[i].address == address) {
            return &t->place[i];
        }
        if (t->place[i].address == FREE) {
            return NULL;
        }
    }
}

static void insert(ww_prefetch_table *t, uint64_t address, uint16_t warp, uint64_t now)
{
    WW_ASSERT(t->held + 1 < t->places); /* a free place ends every search */
    uint32_t i = home(t, address);
    while (t->place[i].address != FREE) {
        i = (i + 1) & (t->places - 1);
    }
    t->place[i] = (ww_prefetched){.address = address, .issued = now, .warp = warp};
    t->held++;
}

/* Closes the gap, so that every place stays reachable from its home. */
static void drop(ww_prefetch_table *t, ww_prefetched *at)
{
    uint32_t mask = t->places - 1, gap = (uint32_t)(at - t->place);
    for (uint32_t i = (gap + 1) & mask; t->place[i].address != FREE; i = (i + 1) & mask) {
        uint32_t from_home = (i - home(t, t->place[i].address)) & mask;
        if (from_home >= ((i - gap) & mask)) {
            t->place[gap] = t->place[i];
            gap = i;
        }
    }
    WW_ASSERT(t->held > 0);
    t->place[gap].address = FREE;
    t->held--;
}

static void clear_table(ww_prefetch_table *t)
{
    t->held = 0;
    for (uint32_t i = 0; i < t->places; i++) {
        t->place[i].address = FREE;
    }
}

/* Room for that many at half load. */
static bool open_table(ww_prefetch_table *t, uint32_t most)
{
    t->places = 16;
    while (t->places < 2 * most) {
        t->places *= 2;
    }
    t->place = WW_NEW_ARRAY(ww_prefetched, t->places);
    return t->place != NULL;
}

static ww_status init(ww_prefetcher *p, const ww_prefetcher_kind *kind, ww_sm *sm,
                      const ww_arch *arch, ww_error *err)
{
    const ww_cache_params *l1 = &arch->l1d;
    const uint32_t lines = l1->line_bytes / l1->sector_bytes * kind->beside;
    const uint32_t tracked = l1->bytes / l1->sector_bytes + l1->mshr_entries + lines;
    *p = (ww_prefetcher){.sm = sm,
                         .line_bytes = l1->line_bytes,
                         .sector_bytes = l1->sector_bytes,
                         .free_mshrs = kind->free_mshrs,
                         .capacity = kind->queue_entries,
                         .release = kind->release};
    p->queue = WW_NEW_ARRAY(ww_prefetch_request, p->capacity + 1);
    if (p->queue == NULL || !open_table(&p->waiting, p->capacity + 1) ||
        !open_table(&p->sent, tracked)) {
        return ww_no_memory(err);
    }
    if (kind->oracle != WW_PREFETCH_ORACLE_NONE) {
        WW_TRY(ww_at_once_create(kind->oracle, kind->at_once_bytes, kind->at_once_ways, arch,
                                 &p->at_once, err));
    }
    ww_prefetcher_clear(p);
    return WW_OK;
}

ww_status ww_prefetcher_create(const ww_prefetcher_kind *kind, ww_sm *sm, const ww_arch *arch,
                               void **state, ww_error *err)
{
    void *s = ww_alloc_array(1, kind->bytes);
    if (s == NULL) {
        return ww_no_memory(err);
    }
    ww_status st = init(s, kind, sm, arch, err);
    if (st == WW_OK) {
        st = kind->set_up(s, arch, err);
    }
    if (st != WW_OK) {
        ww_prefetcher_destroy(s);
        return st;
    }
    *state = s;
    return WW_OK;
}

void ww_prefetcher_destroy(void *state)
{
    ww_prefetcher *p = state;
    if (p != NULL) {
        if (p->release != NULL) {
            p->release(state);
        }
        ww_free(p->queue);
        ww_free(p->waiting.place);
        ww_free(p->sent.place);
        ww_at_once_destroy(p->at_once);
        ww_free(state);
    }
}

void ww_prefetcher_clear(ww_prefetcher *p)
{
    p->count = p->first = 0;
    p->outcome = (ww_prefetch_outcome){0};
    clear_table(&p->waiting);
    clear_table(&p->sent);
    if (p->at_once != NULL) {
        ww_at_once_clear(p->at_once);
    }
}

static void enqueue(ww_prefetcher *p, uint64_t address, uint16_t warp)
{
    if (find(&p->waiting, address) != NULL) {
        ww_mech_count(p->sm, WW_C_PF_REDUNDANT, 1);
        return;
    }
    if (p->count == p->capacity) {
        ww_mech_count(p->sm, WW_C_PF_DROPPED, 1);
        return;
    }
    insert(&p->waiting, address, warp, 0);
    p->queue[(p->first + p->count++) % p->capacity] = (ww_prefetch_request){address, warp};
}

static void count_early(ww_prefetcher *p)
{
    ww_mech_count(p->sm, WW_C_PF_EARLY, 1);
    p->outcome.early++;
}

static void count_demanded(ww_prefetcher *p, const ww_prefetched *at, ww_counter how, uint64_t now)
{
    ww_mech_count(p->sm, how, 1);
    ww_mech_count(p->sm, WW_C_PF_DISTANCE, now - at->issued);
    p->outcome.used += how == WW_C_PF_USED;
    p->outcome.late += how == WW_C_PF_LATE;
}

void ww_prefetcher_note(ww_prefetcher *p, uint64_t address, uint16_t warp, uint64_t now)
{
    ww_prefetched *before = find(&p->sent, address);
    ww_mech_count(p->sm, WW_C_PF_ISSUED, 1);
    p->outcome.issued++;
    if (before != NULL) { /* its data found no line to stay in */
        count_early(p);
        drop(&p->sent, before);
    }
    insert(&p->sent, address, warp, now);
}

/* A demand read came to a sector. */
static void demanded(ww_prefetcher *p, uint64_t address, ww_cache_result result, uint64_t now)
{
    ww_prefetched *at =
        p->sent.held > 0 ? find(&p->sent, address / p->sector_bytes * p->sector_bytes) : NULL;
    if (at == NULL || at->demanded) {
        return;
    }
    switch (result) {
    case WW_CACHE_HIT:
        count_demanded(p, at, WW_C_PF_USED, now);
        drop(&p->sent, at);
        break;
    case WW_CACHE_MERGED: /* stays until its data are there */
        count_demanded(p, at, WW_C_PF_LATE, now);
        at->demanded = true;
        break;
    case WW_CACHE_MISS: /* its data found no line to stay in */
        count_early(p);
        drop(&p->sent, at);
        break;
    case WW_CACHE_STALL:
    case WW_CACHE_WRITE_NEXT:
    case WW_CACHE_WRITE_DONE:
        break;
    }
}

/* A line left, here or under a ceiling. */
static void line_left(ww_prefetcher *p, uint64_t line_address)
{
    for (uint32_t offset = 0; p->sent.held > 0 && offset < p->line_bytes;
         offset += p->sector_bytes) {
        ww_prefetched *at = find(&p->sent, line_address + offset);
        if (at != NULL && !at->demanded) {
            count_early(p);
            drop(&p->sent, at);
        }
    }
}

static void left(ww_prefetcher *p, const ww_cache_eviction *evicted)
{
    if (evicted->gone) {
        line_left(p, evicted->address);
    }
}

/* Under a ceiling: the sector is there. */
static void take(ww_prefetcher *p, uint64_t address, uint16_t warp, uint64_t now)
{
    ww_cache_eviction evicted = {0};
    if (!ww_at_once_take(p->at_once, address, now, &evicted)) {
        ww_mech_count(p->sm, WW_C_PF_REDUNDANT, 1);
        return;
    }
    left(p, &evicted);
    ww_prefetcher_note(p, address, warp, now);
}

void ww_prefetcher_request(ww_prefetcher *p, uint64_t address, uint16_t warp, uint64_t now)
{
    uint64_t line = address / p->line_bytes * p->line_bytes;
    for (uint32_t offset = 0; offset < p->line_bytes; offset += p->sector_bytes) {
        ww_mech_count(p->sm, WW_C_PF_REQUESTED, 1);
        if (p->at_once != NULL) {
            take(p, line + offset, warp, now);
        } else {
            enqueue(p, line + offset, warp);
        }
    }
}

void ww_prefetcher_request_split(ww_prefetcher *p, const ww_mech_split *split, int64_t distance,
                                 uint64_t now)
{
    uint64_t latest = UINT64_MAX;
    for (uint32_t i = 0; i < split->runs; i++) {
        const uint64_t first = split->run[i].address + (uint64_t)distance;
        const uint64_t last = first + split->run[i].bytes - 1;
        for (uint64_t line = first / p->line_bytes; line <= last / p->line_bytes; line++) {
            if (line != latest) { /* runs of one line ask for it once */
                ww_prefetcher_request(p, line * p->line_bytes, WW_FOR_NOBODY, now);
            }
            latest = line;
        }
    }
}

ww_inject_result ww_prefetcher_send(ww_prefetcher *p, uint64_t address, uint16_t warp, uint64_t now)
{
    if (p->sent.held >= p->sent.places / 2) {
        return WW_INJECT_BUSY;
    }
    ww_inject_result result = ww_mech_inject(p->sm, address, p->free_mshrs, now);
    if (result == WW_INJECT_BUSY) {
        return result;
    }
    ww_mech_count(p->sm, WW_C_PF_LOOKUP, 1);
    if (result == WW_INJECT_SENT) {
        ww_prefetcher_note(p, address, warp, now);
    } else {
        ww_mech_count(p->sm, WW_C_PF_REDUNDANT, 1);
    }
    return result;
}

void ww_prefetcher_next_in_queue(ww_prefetcher *p)
{
    WW_ASSERT(p->count > 0 && p->count <= p->capacity);
    drop(&p->waiting, find(&p->waiting, p->queue[p->first].address));
    p->first = (p->first + 1) % p->capacity;
    p->count--;
}

/* One look-up of the L1D a cycle at most. */
void ww_prefetcher_tick(void *state, uint64_t now)
{
    ww_prefetcher *p = state;
    if (p->at_once != NULL) {
        ww_behind_send(&p->at_once->behind, p->sm, now);
    }
    if (p->count == 0) {
        return;
    }
    const ww_prefetch_request *r = &p->queue[p->first];
    if (ww_prefetcher_send(p, r->address, r->warp, now) != WW_INJECT_BUSY) {
        ww_prefetcher_next_in_queue(p);
    }
}

uint64_t ww_prefetcher_next(const void *state, uint64_t now)
{
    const ww_prefetcher *p = state;
    const bool behind = p->at_once != NULL && ww_behind_waits(&p->at_once->behind);
    return p->count > 0 || behind ? now + 1 : UINT64_MAX;
}

bool ww_prefetcher_beside(void *state, const ww_mech_access *access, uint64_t now, uint64_t *ready)
{
    ww_prefetcher *p = state;
    if (p->at_once == NULL || !ww_at_once_serves(p->at_once, access, now, ready)) {
        return false;
    }
    demanded(p, access->address, WW_CACHE_HIT, now);
    return true;
}

void ww_prefetcher_looked_up(void *state, const ww_mech_access *access, ww_cache_result result,
                             uint64_t now)
{
    ww_prefetcher *p = state;
    if (access->kind != WW_ACCESS_STORE && p->at_once == NULL) {
        demanded(p, access->address, result, now);
    } else if (access->kind == WW_ACCESS_STORE && p->at_once != NULL) {
        ww_cache_eviction evicted = {0};
        ww_at_once_stored(p->at_once, access->address, now, &evicted);
        left(p, &evicted);
    }
}

ww_prefetch_arrival ww_prefetcher_filled(ww_prefetcher *p, uint64_t address)
{
    ww_prefetched *at = p->sent.held > 0 ? find(&p->sent, address) : NULL;
    if (at == NULL) {
        return (ww_prefetch_arrival){.warp = WW_FOR_NOBODY};
    }
    ww_prefetch_arrival arrival = {.warp = at->warp, .demanded = at->demanded};
    if (at->demanded) {
        drop(&p->sent, at);
    }
    return arrival;
}

void ww_prefetcher_fill(void *state, uint64_t address, uint32_t waiters, uint64_t now)
{
    ww_prefetcher *p = state;
    (void)waiters;
    (void)now;
    if (p->at_once != NULL) {
        ww_behind_came(&p->at_once->behind, address, p->sector_bytes);
    } else {
        (void)ww_prefetcher_filled(p, address);
    }
}

void ww_prefetcher_forget(ww_prefetcher *p, ww_warps warps)
{
    for (uint32_t i = 0; p->sent.held > 0 && i < p->sent.places; i++) {
        if (p->sent.place[i].warp < WW_WARPS && ww_warps_has(&warps, p->sent.place[i].warp)) {
            p->sent.place[i].warp = WW_FOR_NOBODY;
        }
    }
}

void ww_prefetcher_evicted(void *state, uint64_t line_address, uint64_t now)
{
    ww_prefetcher *p = state;
    (void)now;
    if (p->at_once == NULL) {
        line_left(p, line_address);
    }
}
