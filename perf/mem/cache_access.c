/* cache_access.c - replacement and policies of a cache: one access covers one sector. */
#include "perf/mem/cache_state.h"

#include <string.h>

/* ---- lines ---- */

/* Takes way i, in use until now, out of its set's order. */
static void leave_order(ww_cache *c, ww_cache_order *order, uint32_t i)
{
    ww_cache_line *l = &c->lines[i];
    *(l->older != 0 ? &c->lines[~l->older].newer : &order->oldest) = l->newer;
    *(l->newer != 0 ? &c->lines[~l->newer].older : &order->newest) = l->older;
}

/* Puts it there as the last to be replaced. */
static void enter_order(ww_cache *c, ww_cache_order *order, uint32_t i)
{
    ww_cache_line *l = &c->lines[i];
    l->older = order->newest;
    l->newer = 0;
    *(l->older != 0 ? &c->lines[~l->older].newer : &order->oldest) = ~i;
    order->newest = ~i;
}

static void touch(ww_cache *c, uint32_t i)
{
    if (c->p.replacement == WW_REPLACE_LRU && c->lines[i].newer != 0) {
        ww_cache_order *order = &c->order[i / c->p.ways];
        leave_order(c, order, i);
        enter_order(c, order, i);
    }
}

static void leave_bucket(ww_cache *c, uint32_t i)
{
    uint32_t *link = ww__cache_bucket_of(c, c->tag[i] - 1);
    while (*link != ~i) {
        link = &c->chain[~*link];
    }
    *link = c->chain[i];
}

static void enter_bucket(ww_cache *c, uint32_t i)
{
    uint32_t *head = ww__cache_bucket_of(c, c->tag[i] - 1);
    c->chain[i] = *head;
    *head = ~i;
}

/* Gives up the line in way i. */
static void free_way(ww_cache *c, uint32_t i)
{
    ww_cache_order *order = &c->order[i / c->p.ways];
    leave_order(c, order, i);
    order->freed++;
    if (c->bucket) {
        leave_bucket(c, i);
    }
    c->tag[i] = WW_NO_TAG;
}

/* The lowest free way of a set, else the oldest that is neither reserved nor locked. */
static uint32_t find_victim(const ww_cache *c, uint32_t set)
{
    const ww_cache_order *order = &c->order[set];
    uint32_t i = set * c->p.ways;
    if (order->freed > 0) {
        while (c->tag[i] != WW_NO_TAG) {
            i++;
        }
        return i;
    }
    if (order->begun < c->ways) {
        return i + order->begun;
    }
    i = ~order->oldest;
    while (i != WW_NO_LINE &&
           (c->lines[i].reserved != 0 || (c->locks != NULL && c->locks[i] != 0))) {
        i = ~c->lines[i].newer;
    }
    return i;
}

/* Takes a line for line_number, evicting; WW_NO_LINE when every way is reserved. */
static uint32_t take_line(ww_cache *c, uint64_t line_number, uint32_t set,
                          ww_cache_eviction *evicted)
{
    uint32_t i = find_victim(c, set);
    if (i == WW_NO_LINE) {
        return WW_NO_LINE;
    }
    ww_cache_line *l = &c->lines[i];
    ww_cache_order *order = &c->order[set];
    if (c->tag[i] != WW_NO_TAG) {
        *evicted = (ww_cache_eviction){.dirty = l->dirty != 0,
                                       .gone = true,
                                       .address = (c->tag[i] - 1) << c->line_shift,
                                       .sectors = l->dirty};
        if (WW_UNLIKELY(c->dirtied != NULL) && l->dirty != 0) {
            memcpy(c->left, c->dirtied + (size_t)i * c->sectors, c->sectors * sizeof *c->left);
        }
        leave_order(c, order, i);
        if (c->bucket) {
            leave_bucket(c, i);
        }
    } else if (order->freed > 0) {
        order->freed--;
    } else {
        order->begun++;
    }
    c->tag[i] = line_number + 1;
    if (c->bucket) {
        enter_bucket(c, i);
    }
    c->recent = i;
    *l = (ww_cache_line){0};
    enter_order(c, order, i);
    return i;
}

/* Records words written to a sector that may hold nothing else. */
static void write_words(ww_cache *c, uint32_t i, uint32_t sector, uint32_t mask)
{
    ww_cache_line *l = &c->lines[i];
    uint32_t bit = UINT32_C(1) << sector;
    uint32_t *words = &c->words[(size_t)i * c->sectors + sector];
    if (l->valid & bit) {
        return;
    }
    bool adds = l->partial & bit && c->p.write_allocate == WW_WRITE_VALIDATE;
    *words = (adds ? *words : 0) | mask;
    if (*words == c->sector_words && c->p.sector_bytes <= 128) {
        l->valid |= bit;
        l->partial &= ~bit;
    } else {
        l->partial |= bit;
    }
}

/* ---- accesses ---- */

static bool sector_readable(const ww_cache *c, const ww_cache_place *a)
{
    const ww_cache_line *l = &c->lines[a->i];
    if (l->valid & a->bit) {
        return true;
    }
    return (l->partial & a->bit) != 0 && a->mask != 0 && c->p.write_allocate == WW_WRITE_VALIDATE &&
           (a->mask & ~c->words[(size_t)a->i * c->sectors + a->sector]) == 0;
}

/* A store that waits makes the sector dirty when it is there: the first one is remembered. */
static void promise(ww_cache *c, uint32_t id, uint32_t sector, uint32_t dirty_mask)
{
    if (WW_UNLIKELY(c->promised != NULL) && dirty_mask != 0 &&
        ww__mshr_of(&c->mshr, id, sector)->dirty_mask == 0) {
        c->promised[(size_t)id * c->sectors + sector] = c->owner;
    }
}

static uint32_t promise_of(const ww_cache *c, uint32_t id, uint32_t sector)
{
    return c->promised != NULL ? c->promised[(size_t)id * c->sectors + sector] : 0;
}

/* A fetch is needed: joins one under way or starts one. */
static ww_cache_result miss(ww_cache *c, const ww_cache_place *a, uint32_t waiter,
                            uint32_t dirty_mask, ww_cache_eviction *evicted)
{
    uint32_t id = ww__mshr_find(&c->mshr, a->line_number);
    if ((ww__mshr_pending(&c->mshr, id) & a->bit) != 0) {
        if (!ww__mshr_wait(&c->mshr, id, a->sector, waiter)) {
            return WW_CACHE_STALL;
        }
        promise(c, id, a->sector, dirty_mask);
        ww__mshr_of(&c->mshr, id, a->sector)->dirty_mask |= dirty_mask;
        if (a->i != WW_NO_LINE) {
            touch(c, a->i);
        }
        return WW_CACHE_MERGED;
    }
    if (!ww__mshr_available(&c->mshr)) {
        return WW_CACHE_STALL;
    }
    uint32_t i = a->i;
    if (c->p.allocate == WW_ALLOCATE_ON_MISS) {
        if (i == WW_NO_LINE) {
            i = take_line(c, a->line_number, a->set, evicted);
        }
        if (i == WW_NO_LINE) {
            return WW_CACHE_STALL;
        }
        c->lines[i].reserved |= a->bit;
    }
    if (i != WW_NO_LINE) {
        touch(c, i);
    }
    id = ww__mshr_take(&c->mshr, id, a->line_number, a->sector);
    (void)ww__mshr_wait(&c->mshr, id, a->sector, waiter); /* available() said so */
    ww__mshr_of(&c->mshr, id, a->sector)->dirty_mask = 0;
    promise(c, id, a->sector, dirty_mask);
    ww__mshr_of(&c->mshr, id, a->sector)->dirty_mask = dirty_mask;
    return WW_CACHE_MISS;
}

static ww_cache_result read_access(ww_cache *c, const ww_cache_place *a, uint32_t waiter, bool *hit,
                                   ww_cache_eviction *evicted)
{
    if (a->i != WW_NO_LINE && sector_readable(c, a)) {
        touch(c, a->i);
        *hit = true;
        return WW_CACHE_HIT;
    }
    return miss(c, a, waiter, 0, evicted);
}

/* Takes the line of a store miss without fetching it ("validate", or a whole sector). */
static bool claim_line(ww_cache *c, ww_cache_place *a, ww_cache_eviction *evicted)
{
    if (a->i == WW_NO_LINE) {
        a->i = take_line(c, a->line_number, a->set, evicted);
    }
    return a->i != WW_NO_LINE;
}

static ww_cache_result write_back_access(ww_cache *c, ww_cache_place *a, uint32_t waiter, bool *hit,
                                         ww_cache_eviction *evicted)
{
    bool validate = ww__cache_masks_words(c);
    bool forward = c->p.write_allocate == WW_WRITE_FORWARD;
    bool lazy = c->p.write_allocate == WW_WRITE_LAZY;
    uint32_t present = a->i == WW_NO_LINE ? 0
                       : lazy             ? c->lines[a->i].valid
                                          : c->lines[a->i].valid | c->lines[a->i].partial;
    if ((present & a->bit) != 0) {
        *hit = true;
    } else if (c->p.write_allocate == WW_NO_WRITE_ALLOCATE) {
        return WW_CACHE_WRITE_NEXT;
    } else if (forward) {
        return miss(c, a, waiter, 0, evicted); /* the caller sends the store on */
    } else if (!validate) {
        uint32_t id = a->whole ? ww__mshr_find(&c->mshr, a->line_number) : WW_NO_MSHR;
        if (!a->whole || (ww__mshr_pending(&c->mshr, id) & a->bit) != 0) {
            return miss(c, a, waiter, a->mask, evicted);
        }
    }
    if (!claim_line(c, a, evicted)) {
        return WW_CACHE_STALL;
    }
    if (validate) {
        write_words(c, a->i, a->sector, a->mask);
    } else {
        c->lines[a->i].valid |= a->bit;
    }
    ww__cache_dirty(c, a->i, a->bit, c->owner);
    touch(c, a->i);
    return WW_CACHE_WRITE_DONE;
}

static ww_cache_result write_through_access(ww_cache *c, ww_cache_place *a, bool *hit,
                                            ww_cache_eviction *evicted)
{
    if (a->i != WW_NO_LINE && ((c->lines[a->i].valid | c->lines[a->i].partial) & a->bit)) {
        *hit = true;
        touch(c, a->i);
    }
    /* The store goes on in any case, so a line that cannot be had is not worth a stall. */
    if (ww__cache_masks_words(c) && claim_line(c, a, evicted)) {
        write_words(c, a->i, a->sector, a->mask);
    }
    return WW_CACHE_WRITE_NEXT;
}

static ww_cache_result write_evict_access(ww_cache *c, const ww_cache_place *a, bool *hit,
                                          ww_cache_eviction *evicted)
{
    if (a->i != WW_NO_LINE && ((c->lines[a->i].valid | c->lines[a->i].partial) & a->bit)) {
        *hit = true;
        ww_cache_line *l = &c->lines[a->i];
        l->valid = l->partial = l->dirty = 0;
        if (l->reserved == 0) {
            *evicted =
                (ww_cache_eviction){.gone = true, .address = a->line_number << c->line_shift};
            free_way(c, a->i);
            if (c->locks != NULL) {
                c->locks[a->i] = 0;
            }
        }
    }
    return WW_CACHE_WRITE_NEXT;
}

ww_cache_result ww_cache_access(ww_cache *cache, uint64_t address, uint32_t byte_mask, bool write,
                                bool local, uint64_t now, uint32_t waiter, bool *hit,
                                ww_cache_eviction *evicted)
{
    (void)now; /* replacement goes by order of use; a time is not needed */
    *hit = false;
    evicted->dirty = evicted->gone = false;
    if (cache->sets == 0) {
        return write ? WW_CACHE_WRITE_NEXT : WW_CACHE_MISS;
    }
    ww_cache_place a = ww__cache_locate(cache, address, byte_mask);
    if (!write) {
        return read_access(cache, &a, waiter, hit, evicted);
    }
    switch (cache->p.write_policy) {
    case WW_WRITE_BACK:
        return write_back_access(cache, &a, waiter, hit, evicted);
    case WW_WRITE_THROUGH:
        return write_through_access(cache, &a, hit, evicted);
    case WW_WRITE_LOCAL_BACK:
        if (local) {
            return write_back_access(cache, &a, waiter, hit, evicted);
        }
        return write_evict_access(cache, &a, hit, evicted);
    case WW_WRITE_EVICT:
        return write_evict_access(cache, &a, hit, evicted);
    case WW_WRITE_NONE:
        break;
    }
    return WW_CACHE_WRITE_NEXT;
}

/* ---- several sectors of a line at once ---- */

bool ww_cache_read_line(ww_cache *cache, uint64_t address, uint32_t sectors, uint32_t waiter,
                        ww_cache_sectors *out, ww_cache_eviction *evicted)
{
    ww_mshr_file *file = &cache->mshr;
    ww_cache_place a = ww__cache_locate(cache, address, 0);
    uint32_t valid = a.i != WW_NO_LINE ? cache->lines[a.i].valid : 0;
    evicted->dirty = evicted->gone = false;
    if (a.i != WW_NO_LINE && (cache->lines[a.i].partial & sectors) != 0) {
        return false; /* what can be read depends on words */
    }
    *out = (ww_cache_sectors){.hit = sectors & valid};
    uint32_t id = ww__mshr_find(file, a.line_number), pending = ww__mshr_pending(file, id);
    bool takes = cache->p.allocate == WW_ALLOCATE_ON_MISS;
    for (uint32_t left = sectors & ~valid; left != 0; left &= left - 1) {
        uint32_t sector = (uint32_t)__builtin_ctz(left), bit = UINT32_C(1) << sector;
        bool fresh = (pending & bit) == 0;
        bool stalls = fresh && !ww__mshr_available(file);
        if (fresh && !stalls && takes && a.i == WW_NO_LINE) {
            a.i = take_line(cache, a.line_number, a.set, evicted);
            stalls = a.i == WW_NO_LINE;
        }
        if (fresh && !stalls) {
            id = ww__mshr_take(file, id, a.line_number, sector);
        }
        if (stalls || !ww__mshr_wait(file, id, sector, waiter)) {
            out->hit &= bit - 1; /* those behind are not looked at */
            break;
        }
        *(fresh ? &out->missed : &out->merged) |= bit;
    }
    if (a.i != WW_NO_LINE && (out->hit | out->merged | out->missed) != 0) {
        cache->lines[a.i].reserved |= takes ? out->missed : 0;
        touch(cache, a.i);
    }
    return true;
}

bool ww_cache_write_line(ww_cache *cache, uint64_t address, uint32_t sectors, ww_cache_sectors *out,
                         ww_cache_eviction *evicted)
{
    uint32_t allocate = cache->p.write_allocate;
    evicted->dirty = evicted->gone = false;
    if (cache->p.write_policy != WW_WRITE_BACK || allocate == WW_NO_WRITE_ALLOCATE ||
        allocate == WW_WRITE_FORWARD || cache->p.sector_bytes > 128) {
        return false;
    }
    ww_cache_place a = ww__cache_locate(cache, address, 0);
    uint32_t id = ww__mshr_find(&cache->mshr, a.line_number);
    if (!ww__cache_masks_words(cache) && (ww__mshr_pending(&cache->mshr, id) & sectors) != 0) {
        return false; /* a store to what is being fetched waits for it, unless it hits */
    }
    *out = (ww_cache_sectors){0};
    if (!claim_line(cache, &a, evicted)) {
        return true;
    }
    ww_cache_line *l = &cache->lines[a.i];
    out->hit = sectors & (allocate == WW_WRITE_LAZY ? l->valid : l->valid | l->partial);
    out->missed = sectors & ~out->hit;
    l->valid |= sectors;
    l->partial &= ~sectors;
    ww__cache_dirty(cache, a.i, sectors, cache->owner);
    touch(cache, a.i);
    return true;
}

const uint32_t *ww_cache_fill_line(ww_cache *cache, uint64_t address, uint32_t sectors,
                                   uint32_t *waiters, ww_cache_eviction *evicted)
{
    ww_mshr_file *file = &cache->mshr;
    ww_cache_place a = ww__cache_locate(cache, address, 0);
    evicted->dirty = evicted->gone = false;
    if (a.i == WW_NO_LINE) {
        a.i = take_line(cache, a.line_number, a.set, evicted);
    }
    if (a.i != WW_NO_LINE) { /* else every way is reserved: the data goes to the waiters only */
        ww_cache_line *l = &cache->lines[a.i];
        l->valid |= sectors;
        l->partial &= ~sectors;
        l->reserved &= ~sectors;
    }
    uint32_t id = ww__mshr_find(file, a.line_number), pending = ww__mshr_pending(file, id);
    uint32_t *woken = file->woken;
    for (; sectors != 0; sectors &= sectors - 1) {
        uint32_t sector = (uint32_t)__builtin_ctz(sectors), bit = UINT32_C(1) << sector;
        uint32_t count = 0;
        if ((pending & bit) != 0) {
            if (a.i != WW_NO_LINE && ww__mshr_of(file, id, sector)->dirty_mask != 0) {
                ww__cache_dirty(cache, a.i, bit, promise_of(cache, id, sector));
            }
            count = ww__mshr_release(file, id, sector, woken);
        }
        *waiters++ = count;
        woken += count;
    }
    return file->woken;
}

const uint32_t *ww_cache_fill(ww_cache *cache, uint64_t address, uint64_t now, size_t *waiter_count,
                              ww_cache_eviction *evicted)
{
    (void)now;
    *waiter_count = 0;
    evicted->dirty = evicted->gone = false;
    if (cache->sets == 0) {
        return NULL;
    }
    uint32_t sector = (uint32_t)(address >> cache->sector_shift) & (cache->sectors - 1), count;
    const uint32_t *waiter =
        ww_cache_fill_line(cache, address, UINT32_C(1) << sector, &count, evicted);
    *waiter_count = count;
    return count > 0 ? waiter : NULL;
}
