/* cache_state.h - private to perf/mem: a cache, and how the place of an address is found in it. */
#ifndef WW_PERF_MEM_CACHE_STATE_H
#define WW_PERF_MEM_CACHE_STATE_H

#include "perf/mem/mem.h"
#include "perf/mem/mshr.h"

typedef struct ww_cache_line {
    uint32_t valid;        /* whole sectors */
    uint32_t partial;      /* sectors with some words written */
    uint32_t dirty;        /* sectors to write back */
    uint32_t reserved;     /* sectors whose fill is to land in this line (allocate on miss) */
    uint32_t older, newer; /* neighbours in its set's order of replacement, as ~line; 0: none */
} ww_cache_line;

/* A set's lines in order of last use (LRU) or of allocation (FIFO), and its free ways. */
typedef struct ww_cache_order {
    uint32_t oldest, newest; /* as ~line; 0: none */
    uint32_t begun;          /* ways from this one on have not been in use */
    uint32_t freed;          /* those below that are free again */
} ww_cache_order;

/* An empty cache is memory of zeros, so that nothing is touched before it is used: tags are line
 * numbers + 1, and lines in lists and chains stand inverted. */
struct ww_cache {
    ww_cache_params p;
    ww_arena *room; /* where the arrays lie that it begins with */
    ww_arena arena; /* what is not there from the beginning */
    uint64_t *tag;  /* [set * ways + way] line number + 1; WW_NO_TAG: free */
    ww_cache_line *lines;
    ww_cache_order *order; /* [set] */
    uint32_t *words; /* [line * sectors + sector] words written of a partial sector; NULL unless
                        "validate" */
    uint32_t sets, sectors;
    uint32_t line_shift, sector_shift, set_bits;
    uint32_t set_mask; /* sets - 1; 0 unless sets is a power of two */
    uint32_t ways;     /* in use, of p.ways */
    uint32_t *bucket;  /* ~line by hash of its number, where there are many ways; else NULL */
    uint32_t *chain;   /* [line] ~next one in the bucket */
    uint32_t bucket_mask;
    uint32_t recent; /* line found last: requests go through its sectors one after the other */
    uint32_t sector_words; /* all words of a sector as a mask; sectors above 128 B are never
                              completed by stores */
    bool touched;          /* something may have been there since it was invalidated */
    uint16_t *locks;       /* [line] unlocks it waits for; NULL until a line is locked */
    uint32_t *dirtied;     /* [line * sectors + sector] who made it dirty; NULL: not known */
    uint32_t *left;        /* [sector] the same of the line evicted last */
    uint32_t *promised;    /* [MSHR] the same of a sector that a waiting store will make dirty */
    uint32_t owner;        /* whom accesses are for */
    ww_mshr_file mshr;
};

#define WW_NO_TAG  0
#define WW_NO_LINE UINT32_MAX

/* Store misses take their line without a fetch. */
static inline bool ww__cache_masks_words(const ww_cache *c)
{
    return c->p.write_allocate == WW_WRITE_VALIDATE || c->p.write_allocate == WW_WRITE_LAZY;
}

/* Sectors (mask) of line i become dirty, by `owner`. */
static inline void ww__cache_dirty(ww_cache *c, uint32_t i, uint32_t sectors, uint32_t owner)
{
    if (WW_UNLIKELY(c->dirtied != NULL)) {
        for (uint32_t m = sectors & ~c->lines[i].dirty; m != 0; m &= m - 1) {
            c->dirtied[(size_t)i * c->sectors + (uint32_t)__builtin_ctz(m)] = owner;
        }
    }
    c->lines[i].dirty |= sectors;
}

/* ---- the place of an address ---- */

/* Fermi L1D: hash of address bits found by micro-benchmarks (C. Nugteren et al., "A detailed GPU
 * cache model based on reuse distance theory", HPCA 2014, section on the hash function): bits 7-11
 * xor bits 13, 14, 15, 17, 19; with 64 sets bit 12 on top. */
static inline uint32_t ww__fermi_index(uint64_t line_number, uint32_t sets)
{
    uint64_t address = line_number << 7;
    uint64_t upper =
        ((address >> 13) & 7) | ((address >> 17) & 1) << 3 | ((address >> 19) & 1) << 4;
    uint64_t index = (line_number & 31) ^ upper;
    return (uint32_t)(sets == 64 ? index | ((address >> 12) & 1) << 5 : index);
}

static inline uint32_t ww__cache_set_of(const ww_cache *c, uint64_t line_number)
{
    uint32_t mask = c->set_mask;
    if (mask == 0) {
        return (uint32_t)(line_number % c->sets);
    }
    switch (c->p.set_index) {
    case WW_INDEX_FERMI:
        if (c->p.line_bytes == 128 && (c->sets == 32 || c->sets == 64)) {
            return ww__fermi_index(line_number, c->sets);
        }
        return (uint32_t)(line_number ^ (line_number >> c->set_bits)) & mask;
    case WW_INDEX_XOR:
        return (uint32_t)(line_number ^ (line_number >> c->set_bits)) & mask;
    case WW_INDEX_LINEAR:
        break;
    }
    return (uint32_t)line_number & mask;
}

static inline uint32_t *ww__cache_bucket_of(const ww_cache *c, uint64_t line_number)
{
    return &c->bucket[(line_number * UINT64_C(0x9E3779B97F4A7C15)) >> 40 & c->bucket_mask];
}

static inline uint32_t ww__cache_find_line(ww_cache *c, uint64_t line_number, uint32_t set)
{
    if (c->bucket) {
        uint32_t i = ~*ww__cache_bucket_of(c, line_number);
        while (i != WW_NO_LINE && c->tag[i] != line_number + 1) {
            i = ~c->chain[i];
        }
        c->recent = i != WW_NO_LINE ? i : c->recent;
        return i;
    }
    WW_ASSERT(set < c->sets);
    const uint64_t *tag = &c->tag[(size_t)set * c->p.ways];
    for (uint32_t way = 0; way < c->p.ways; way++) {
        if (tag[way] == line_number + 1) {
            c->recent = set * c->p.ways + way;
            return c->recent;
        }
    }
    return WW_NO_LINE;
}

/* One access, where it goes. */
typedef struct ww_cache_place {
    uint64_t line_number;
    uint32_t set;         /* valid when i is WW_NO_LINE */
    uint32_t sector, bit; /* sector in its line, and as a mask */
    uint32_t mask;        /* words relative to the sector */
    uint32_t i;           /* its line, or WW_NO_LINE */
    bool whole;           /* every word of the sector */
} ww_cache_place;

static WW_ALWAYS_INLINE ww_cache_place ww__cache_locate(ww_cache *c, uint64_t address,
                                                        uint32_t byte_mask)
{
    ww_cache_place a;
    c->touched = true;
    a.line_number = address >> c->line_shift;
    a.sector = (uint32_t)(address >> c->sector_shift) & (c->sectors - 1);
    a.bit = UINT32_C(1) << a.sector;
    uint32_t shift = ((uint32_t)address & (c->p.sector_bytes - 1)) / 4;
    a.mask = shift >= 32 ? 0 : (byte_mask << shift) & c->sector_words;
    a.whole = a.mask == c->sector_words && c->p.sector_bytes <= 128;
    if (c->tag[c->recent] == a.line_number + 1) {
        a.i = c->recent;
        a.set = 0; /* only needed to take a line */
    } else {
        a.set = ww__cache_set_of(c, a.line_number);
        a.i = ww__cache_find_line(c, a.line_number, a.set);
    }
    return a;
}

#endif
