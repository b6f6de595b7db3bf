/* cache.c - tags, replacement and policies of one cache, line-based or sectored; values are
 * elsewhere. One access covers one sector. A sector is valid (whole), partial (some words written,
 * never fetched: write_allocate "validate") or absent; one with an MSHR is pending, and a line with
 * pending reservations cannot be evicted. */
#include <string.h>

#include "perf/mem/bits.h"
#include "perf/mem/mem.h"
#include "perf/mem/mshr.h"

typedef struct line {
    uint32_t valid;    /* whole sectors */
    uint32_t partial;  /* sectors with some words written */
    uint32_t dirty;    /* sectors to write back */
    uint32_t reserved; /* sectors whose fill is to land in this line (allocate on miss) */
    uint64_t stamp;    /* replacement order: last use (LRU) or allocation (FIFO) */
} line;

struct ww_cache {
    ww_cache_params p;
    ww_arena arena;
    uint64_t *tag; /* [set * ways + way] line number; NO_TAG: free */
    line *lines;
    uint32_t *words; /* [line * sectors + sector] words written of a partial sector; NULL unless
                        "validate" */
    uint32_t sets, sectors;
    uint32_t line_shift, sector_shift, set_bits;
    uint32_t set_mask; /* sets - 1; 0 unless sets is a power of two */
    uint32_t ways;     /* in use, of p.ways */
    uint32_t *bucket;  /* lines by hash of their number, where there are many ways; else NULL */
    uint32_t *chain;   /* [line] next one in the bucket */
    uint32_t bucket_mask;
    uint32_t recent; /* line found last: requests go through its sectors one after the other */
    uint32_t sector_words; /* all words of a sector as a mask; sectors above 128 B are never
                              completed by stores */
    uint64_t clock;
    bool touched;    /* something may have been there since it was invalidated */
    uint16_t *locks; /* [line] unlocks it waits for; NULL until a line is locked */
    ww_mshr_file mshr;
};

#define NO_TAG  UINT64_MAX
#define NO_LINE UINT32_MAX

enum { FEW_WAYS = 32 }; /* up to so many, comparing tags is faster than hashing */

/* Store misses take their line without a fetch. */
static bool masks_words(const ww_cache *c)
{
    return c->p.write_allocate == WW_WRITE_VALIDATE || c->p.write_allocate == WW_WRITE_LAZY;
}

static bool is_pow2(uint32_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

/* Fermi L1D: hash of address bits found by micro-benchmarks (C. Nugteren et al., "A detailed GPU
 * cache model based on reuse distance theory", HPCA 2014, section on the hash function): bits 7-11
 * xor bits 13, 14, 15, 17, 19; with 64 sets bit 12 on top. */
static uint32_t fermi_index(uint64_t line_number, uint32_t sets)
{
    uint64_t address = line_number << 7;
    uint64_t upper =
        ((address >> 13) & 7) | ((address >> 17) & 1) << 3 | ((address >> 19) & 1) << 4;
    uint64_t index = (line_number & 31) ^ upper;
    return (uint32_t)(sets == 64 ? index | ((address >> 12) & 1) << 5 : index);
}

static uint32_t set_of(const ww_cache *c, uint64_t line_number)
{
    uint32_t mask = c->set_mask;
    if (mask == 0) {
        return (uint32_t)(line_number % c->sets);
    }
    switch (c->p.set_index) {
    case WW_INDEX_FERMI:
        if (c->p.line_bytes == 128 && (c->sets == 32 || c->sets == 64)) {
            return fermi_index(line_number, c->sets);
        }
        return (uint32_t)(line_number ^ (line_number >> c->set_bits)) & mask;
    case WW_INDEX_XOR:
        return (uint32_t)(line_number ^ (line_number >> c->set_bits)) & mask;
    case WW_INDEX_LINEAR:
        break;
    }
    return (uint32_t)line_number & mask;
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
    c->tag = WW_ARENA_NEW_ARRAY(&c->arena, uint64_t, lines);
    c->lines = WW_ARENA_NEW_ARRAY(&c->arena, line, lines);
    if (masks_words(c)) {
        c->words = WW_ARENA_NEW_ARRAY(&c->arena, uint32_t, lines * c->sectors);
        if (!c->words) {
            return false;
        }
    }
    if (c->p.ways > FEW_WAYS) {
        c->bucket_mask = ww__pow2_ceil((uint32_t)lines) - 1;
        c->bucket = WW_ARENA_NEW_ARRAY(&c->arena, uint32_t, (size_t)c->bucket_mask + 1);
        c->chain = WW_ARENA_NEW_ARRAY(&c->arena, uint32_t, lines);
        if (!c->bucket || !c->chain) {
            return false;
        }
    }
    return c->tag && c->lines &&
           ww__mshr_init(&c->mshr, c->p.mshr_entries, c->p.mshr_merge, &c->arena);
}

ww_status ww_cache_create(const ww_cache_params *params, ww_cache **out, ww_error *err)
{
    WW_TRY(check_params(params, err));
    ww_cache *c = WW_NEW(ww_cache);
    if (!c) {
        return ww_fail(err, WW_ENOMEM, "Out of memory for a cache.");
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
    if (c->sets != 0) {
        if (!allocate_arrays(c)) {
            ww_cache_destroy(c);
            return ww_fail(err, WW_ENOMEM, "Out of memory for a cache of %u bytes.", params->bytes);
        }
        c->touched = true;
        ww_cache_invalidate(c);
    }
    *out = c;
    return WW_OK;
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
    memset(cache->tag, 0xff, lines * sizeof *cache->tag); /* NO_TAG */
    memset(cache->lines, 0, lines * sizeof(line));
    if (cache->locks != NULL) {
        memset(cache->locks, 0, lines * sizeof *cache->locks);
    }
    if (cache->bucket) {
        memset(cache->bucket, 0xff, ((size_t)cache->bucket_mask + 1) * sizeof *cache->bucket);
    }
    ww__mshr_clear(&cache->mshr);
}

void ww_cache_use_ways(ww_cache *cache, uint32_t ways)
{
    ww_cache_invalidate(cache);
    cache->ways = ways < cache->p.ways ? ways : cache->p.ways;
}

/* ---- lines ---- */

static inline uint32_t *bucket_of(const ww_cache *c, uint64_t line_number)
{
    return &c->bucket[(line_number * UINT64_C(0x9E3779B97F4A7C15)) >> 40 & c->bucket_mask];
}

/* Gives way i to another line, or to none. */
static void set_tag(ww_cache *c, uint32_t i, uint64_t line_number)
{
    if (c->bucket && c->tag[i] != NO_TAG) {
        uint32_t *link = bucket_of(c, c->tag[i]);
        while (*link != i) {
            link = &c->chain[*link];
        }
        *link = c->chain[i];
    }
    c->tag[i] = line_number;
    if (c->bucket && line_number != NO_TAG) {
        uint32_t *head = bucket_of(c, line_number);
        c->chain[i] = *head;
        *head = i;
    }
}

static inline uint32_t find_line(ww_cache *c, uint64_t line_number, uint32_t set)
{
    if (c->bucket) {
        uint32_t i = *bucket_of(c, line_number);
        while (i != NO_LINE && c->tag[i] != line_number) {
            i = c->chain[i];
        }
        c->recent = i != NO_LINE ? i : c->recent;
        return i;
    }
    const uint64_t *tag = &c->tag[(size_t)set * c->p.ways];
    for (uint32_t way = 0; way < c->p.ways; way++) {
        if (tag[way] == line_number) {
            c->recent = set * c->p.ways + way;
            return c->recent;
        }
    }
    return NO_LINE;
}

static uint32_t find_victim(const ww_cache *c, uint32_t set)
{
    uint32_t first = set * c->p.ways;
    uint32_t best = NO_LINE;
    for (uint32_t i = first; i < first + c->ways; i++) {
        if (c->tag[i] == NO_TAG) {
            return i;
        }
        if (c->lines[i].reserved == 0 && (c->locks == NULL || c->locks[i] == 0) &&
            (best == NO_LINE || c->lines[i].stamp < c->lines[best].stamp)) {
            best = i;
        }
    }
    return best;
}

/* Takes a line for line_number, evicting; NO_LINE when every way is reserved. */
static uint32_t take_line(ww_cache *c, uint64_t line_number, uint32_t set,
                          ww_cache_eviction *evicted)
{
    uint32_t i = find_victim(c, set);
    if (i == NO_LINE) {
        return NO_LINE;
    }
    line *l = &c->lines[i];
    if (c->tag[i] != NO_TAG) {
        *evicted = (ww_cache_eviction){.dirty = l->dirty != 0,
                                       .gone = true,
                                       .address = c->tag[i] << c->line_shift,
                                       .sectors = l->dirty};
    }
    set_tag(c, i, line_number);
    c->recent = i;
    *l = (line){.stamp = ++c->clock};
    return i;
}

static void touch(ww_cache *c, line *l)
{
    if (c->p.replacement == WW_REPLACE_LRU) {
        l->stamp = ++c->clock;
    }
}

/* Records words written to a sector that may hold nothing else. */
static void write_words(ww_cache *c, uint32_t i, uint32_t sector, uint32_t mask)
{
    line *l = &c->lines[i];
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

typedef struct access {
    uint64_t sector_address, line_number;
    uint32_t set;         /* valid when i is NO_LINE */
    uint32_t sector, bit; /* sector in its line, and as a mask */
    uint32_t mask;        /* words relative to the sector */
    uint32_t i;           /* its line, or NO_LINE */
    bool whole;           /* every word of the sector */
} access;

static WW_ALWAYS_INLINE access locate(ww_cache *c, uint64_t address, uint32_t byte_mask)
{
    access a;
    c->touched = true;
    a.sector_address = address >> c->sector_shift << c->sector_shift;
    a.line_number = address >> c->line_shift;
    a.sector = (uint32_t)(address >> c->sector_shift) & (c->sectors - 1);
    a.bit = UINT32_C(1) << a.sector;
    uint32_t shift = (uint32_t)(address - a.sector_address) / 4;
    a.mask = shift >= 32 ? 0 : (byte_mask << shift) & c->sector_words;
    a.whole = a.mask == c->sector_words && c->p.sector_bytes <= 128;
    if (c->tag[c->recent] == a.line_number) {
        a.i = c->recent;
        a.set = 0; /* only needed to take a line */
    } else {
        a.set = set_of(c, a.line_number);
        a.i = find_line(c, a.line_number, a.set);
    }
    return a;
}

static bool sector_readable(const ww_cache *c, const access *a)
{
    const line *l = &c->lines[a->i];
    if (l->valid & a->bit) {
        return true;
    }
    return (l->partial & a->bit) != 0 && a->mask != 0 && c->p.write_allocate == WW_WRITE_VALIDATE &&
           (a->mask & ~c->words[(size_t)a->i * c->sectors + a->sector]) == 0;
}

/* A fetch is needed: joins one under way or starts one. */
static ww_cache_result miss(ww_cache *c, const access *a, uint32_t waiter, uint32_t dirty_mask,
                            ww_cache_eviction *evicted)
{
    uint32_t id = ww__mshr_find(&c->mshr, a->sector_address);
    if (id != WW_NO_MSHR) {
        if (!ww__mshr_wait(&c->mshr, id, waiter)) {
            return WW_CACHE_STALL;
        }
        c->mshr.entry[id].dirty_mask |= dirty_mask;
        if (a->i != NO_LINE) {
            touch(c, &c->lines[a->i]);
        }
        return WW_CACHE_MERGED;
    }
    if (!ww__mshr_available(&c->mshr)) {
        return WW_CACHE_STALL;
    }
    uint32_t i = a->i;
    if (c->p.allocate == WW_ALLOCATE_ON_MISS) {
        if (i == NO_LINE) {
            i = take_line(c, a->line_number, a->set, evicted);
        }
        if (i == NO_LINE) {
            return WW_CACHE_STALL;
        }
        c->lines[i].reserved |= a->bit;
    }
    if (i != NO_LINE) {
        touch(c, &c->lines[i]);
    }
    id = ww__mshr_take(&c->mshr, a->sector_address);
    (void)ww__mshr_wait(&c->mshr, id, waiter); /* a fresh register has room: available() said so */
    c->mshr.entry[id].dirty_mask = dirty_mask;
    return WW_CACHE_MISS;
}

static ww_cache_result read_access(ww_cache *c, const access *a, uint32_t waiter, bool *hit,
                                   ww_cache_eviction *evicted)
{
    if (a->i != NO_LINE && sector_readable(c, a)) {
        touch(c, &c->lines[a->i]);
        *hit = true;
        return WW_CACHE_HIT;
    }
    return miss(c, a, waiter, 0, evicted);
}

/* Takes the line of a store miss without fetching it ("validate", or a whole sector). */
static bool claim_line(ww_cache *c, access *a, ww_cache_eviction *evicted)
{
    if (a->i == NO_LINE) {
        a->i = take_line(c, a->line_number, a->set, evicted);
    }
    return a->i != NO_LINE;
}

static ww_cache_result write_back_access(ww_cache *c, access *a, uint32_t waiter, bool *hit,
                                         ww_cache_eviction *evicted)
{
    bool validate = masks_words(c);
    bool forward = c->p.write_allocate == WW_WRITE_FORWARD;
    bool lazy = c->p.write_allocate == WW_WRITE_LAZY;
    uint32_t present = a->i == NO_LINE ? 0
                       : lazy          ? c->lines[a->i].valid
                                       : c->lines[a->i].valid | c->lines[a->i].partial;
    if ((present & a->bit) != 0) {
        *hit = true;
    } else if (c->p.write_allocate == WW_NO_WRITE_ALLOCATE) {
        return WW_CACHE_WRITE_NEXT;
    } else if (forward) {
        return miss(c, a, waiter, 0, evicted); /* the caller sends the store on */
    } else if (!validate) {
        if (!a->whole || ww__mshr_find(&c->mshr, a->sector_address) != WW_NO_MSHR) {
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
    c->lines[a->i].dirty |= a->bit;
    touch(c, &c->lines[a->i]);
    return WW_CACHE_WRITE_DONE;
}

static ww_cache_result write_through_access(ww_cache *c, access *a, bool *hit,
                                            ww_cache_eviction *evicted)
{
    if (a->i != NO_LINE && ((c->lines[a->i].valid | c->lines[a->i].partial) & a->bit)) {
        *hit = true;
        touch(c, &c->lines[a->i]);
    }
    /* The store goes on in any case, so a line that cannot be had is not worth a stall. */
    if (masks_words(c) && claim_line(c, a, evicted)) {
        write_words(c, a->i, a->sector, a->mask);
    }
    return WW_CACHE_WRITE_NEXT;
}

static ww_cache_result write_evict_access(ww_cache *c, const access *a, bool *hit,
                                          ww_cache_eviction *evicted)
{
    if (a->i != NO_LINE && ((c->lines[a->i].valid | c->lines[a->i].partial) & a->bit)) {
        *hit = true;
        line *l = &c->lines[a->i];
        l->valid = l->partial = l->dirty = 0;
        if (l->reserved == 0) {
            *evicted = (ww_cache_eviction){.gone = true, .address = c->tag[a->i] << c->line_shift};
            set_tag(c, a->i, NO_TAG);
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
    access a = locate(cache, address, byte_mask);
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

bool ww_cache_keeps(const ww_cache *cache, ww_cache_result result, bool hit)
{
    if (result == WW_CACHE_WRITE_DONE) {
        return true;
    }
    bool through = result == WW_CACHE_WRITE_NEXT && cache->p.write_policy == WW_WRITE_THROUGH;
    return through && (hit || cache->p.write_allocate == WW_WRITE_VALIDATE);
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
    access a = locate(cache, address, UINT32_MAX);
    if (a.i == NO_LINE) {
        a.i = take_line(cache, a.line_number, a.set, evicted);
    }
    uint32_t id = ww__mshr_find(&cache->mshr, a.sector_address);
    if (a.i != NO_LINE) { /* else every way is reserved: the data goes to the waiters only */
        line *l = &cache->lines[a.i];
        l->valid |= a.bit;
        l->partial &= ~a.bit;
        l->reserved &= ~a.bit;
        if (id != WW_NO_MSHR && cache->mshr.entry[id].dirty_mask != 0) {
            l->dirty |= a.bit;
        }
    }
    return id == WW_NO_MSHR ? NULL : ww__mshr_release(&cache->mshr, id, waiter_count);
}

void ww_cache_mark_dirty(ww_cache *cache, uint64_t address, uint32_t byte_mask)
{
    if (cache->sets != 0) {
        access a = locate(cache, address, byte_mask);
        if (a.i != NO_LINE) {
            cache->lines[a.i].dirty |= a.bit;
        }
    }
}

ww_cache_result ww_cache_probe(ww_cache *cache, uint64_t address)
{
    if (cache->sets == 0) {
        return WW_CACHE_MISS;
    }
    access a = locate(cache, address, UINT32_MAX);
    if (a.i != NO_LINE && (cache->lines[a.i].valid & a.bit) != 0) {
        return WW_CACHE_HIT;
    }
    bool pending = ww__mshr_find(&cache->mshr, a.sector_address) != WW_NO_MSHR;
    return pending ? WW_CACHE_MERGED : WW_CACHE_MISS;
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
    access a = locate(cache, address, UINT32_MAX);
    return locked_lines(cache, a.i != NO_LINE ? a.i / cache->p.ways : a.set, a.i) < most;
}

bool ww_cache_lock(ww_cache *cache, uint64_t address, uint32_t most)
{
    if (cache->sets == 0) {
        return false;
    }
    access a = locate(cache, address, UINT32_MAX);
    if (a.i == NO_LINE) {
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
    access a = locate(cache, address, UINT32_MAX);
    if (a.i != NO_LINE && cache->locks[a.i] > 0) {
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
