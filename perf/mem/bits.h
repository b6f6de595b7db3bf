/* bits.h - bit sets over ports, slices and banks, and the agenda that tells which of them have work
 * when. */
#ifndef WW_PERF_MEM_BITS_H
#define WW_PERF_MEM_BITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arith.h"
#include "base/mem.h"

#define WW_NEVER UINT64_MAX

static inline uint32_t ww__bit_words(uint32_t n)
{
    return (n + 63) / 64;
}

static inline void ww__bit_set(uint64_t *bits, uint32_t i)
{
    bits[i >> 6] |= UINT64_C(1) << (i & 63);
}

static inline void ww__bit_clear(uint64_t *bits, uint32_t i)
{
    bits[i >> 6] &= ~(UINT64_C(1) << (i & 63));
}

static inline bool ww__bit_get(const uint64_t *bits, uint32_t i)
{
    return (bits[i >> 6] >> (i & 63)) & 1;
}

static inline bool ww__bit_any(const uint64_t *bits, uint32_t words)
{
    uint64_t all = 0;
    for (uint32_t w = 0; w < words; w++) {
        all |= bits[w];
    }
    return all != 0;
}

/** Index of the lowest set bit; word must not be 0. */
static inline uint32_t ww__bit_first(uint64_t word)
{
    return (uint32_t)__builtin_ctzll(word);
}

/** Smallest power of two >= n (n >= 1). */
static inline uint32_t ww__pow2_ceil(uint32_t n)
{
    return n <= 1 ? 1 : UINT32_C(1) << (32 - __builtin_clz(n - 1));
}

enum { WW_AGENDA_CYCLES = 64 }; /* as many as a word has bits */

/* Who of n parties must be looked at in which domain cycle; neither sleepers nor those whose time
 * has not come cost anything. Parties stand in a ring of the cycles to come, each in one of them;
 * who is due later than it reaches is passed on when it comes round. */
typedef struct ww_agenda {
    uint64_t *at;  /* [n] cycle of the next look; WW_NEVER: asleep */
    uint8_t *slot; /* [n] of those with at != WW_NEVER: their place in the ring */
    uint64_t *due; /* [WW_AGENDA_CYCLES * words] bit sets of parties */
    uint64_t used; /* bit per place of the ring that is not empty */
    uint32_t words;
    uint64_t next; /* no later than the least of at[]; WW_NEVER: all sleep */
} ww_agenda;

/** Sleeping agenda in the arena; false when out of memory. */
static inline bool ww__agenda_init(ww_agenda *agenda, uint32_t n, ww_arena *arena)
{
    agenda->words = ww__bit_words(n);
    agenda->at = WW_ARENA_NEW_ARRAY(arena, uint64_t, n);
    agenda->slot = WW_ARENA_NEW_ARRAY(arena, uint8_t, n);
    agenda->due = WW_ARENA_NEW_ARRAY(arena, uint64_t, (size_t)WW_AGENDA_CYCLES * agenda->words);
    agenda->used = 0;
    agenda->next = WW_NEVER;
    if (!agenda->at || !agenda->slot || !agenda->due) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        agenda->at[i] = WW_NEVER;
    }
    return true;
}

static inline uint64_t *ww__agenda_place(const ww_agenda *agenda, uint32_t slot)
{
    return agenda->due + (size_t)slot * agenda->words;
}

/** Puts party i, which stands nowhere in the ring, where `cycle` is, less than WW_AGENDA_CYCLES
 * ahead. */
static inline void ww__agenda_enter(ww_agenda *agenda, uint32_t i, uint64_t cycle)
{
    const uint32_t slot = (uint32_t)cycle % WW_AGENDA_CYCLES;
    agenda->slot[i] = (uint8_t)slot;
    agenda->used |= UINT64_C(1) << slot;
    ww__bit_set(ww__agenda_place(agenda, slot), i);
}

/** Makes sure party i is looked at no later than `cycle`, less than WW_AGENDA_CYCLES ahead. */
static inline void ww__agenda_wake(ww_agenda *agenda, uint32_t i, uint64_t cycle)
{
    if (cycle >= agenda->at[i]) {
        return;
    }
    if (agenda->at[i] != WW_NEVER) {
        uint64_t *place = ww__agenda_place(agenda, agenda->slot[i]);
        ww__bit_clear(place, i);
        if (!ww__bit_any(place, agenda->words)) {
            agenda->used &= ~(UINT64_C(1) << agenda->slot[i]);
        }
    }
    agenda->at[i] = cycle;
    ww__agenda_enter(agenda, i, cycle);
    agenda->next = ww_min_u64(agenda->next, cycle);
}

/** Those of word w whose place in the ring is cycle now: each is out of it until ww__agenda_put. A
 * party that is looked at is not woken meanwhile. */
static inline uint64_t ww__agenda_take(ww_agenda *agenda, uint32_t w, uint64_t now)
{
    uint64_t *word = &ww__agenda_place(agenda, (uint32_t)now % WW_AGENDA_CYCLES)[w];
    const uint64_t bits = *word;
    *word = 0;
    return bits;
}

/** Party i, which was taken in cycle now, is to be looked at in cycle `at`; WW_NEVER: it sleeps. */
static inline void ww__agenda_put(ww_agenda *agenda, uint32_t i, uint64_t at, uint64_t now)
{
    agenda->at[i] = at;
    if (at != WW_NEVER) {
        ww__agenda_enter(agenda, i, ww_min_u64(at, now + WW_AGENDA_CYCLES - 1));
    }
}

/** All that were due in cycle now have been taken and put. */
static inline void ww__agenda_pass(ww_agenda *agenda, uint64_t now)
{
    const uint32_t from = (uint32_t)(now + 1) % WW_AGENDA_CYCLES;
    agenda->used &= ~(UINT64_C(1) << ((uint32_t)now % WW_AGENDA_CYCLES));
    const uint64_t ahead = agenda->used >> from | agenda->used << (-from % WW_AGENDA_CYCLES);
    agenda->next = ahead != 0 ? now + 1 + ww__bit_first(ahead) : WW_NEVER;
}

#endif
