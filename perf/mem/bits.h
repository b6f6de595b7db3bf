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

/* Who of n parties must be looked at in which domain cycle; sleepers cost nothing. */
typedef struct ww_agenda {
    uint64_t *at;    /* [n] cycle of the next look; WW_NEVER: asleep */
    uint64_t *awake; /* bit set of those with at != WW_NEVER */
    uint32_t words;
    uint64_t next; /* no later than the least of at[] */
} ww_agenda;

/** Sleeping agenda in the arena; false when out of memory. */
static inline bool ww__agenda_init(ww_agenda *agenda, uint32_t n, ww_arena *arena)
{
    agenda->words = ww__bit_words(n);
    agenda->at = WW_ARENA_NEW_ARRAY(arena, uint64_t, n);
    agenda->awake = WW_ARENA_NEW_ARRAY(arena, uint64_t, agenda->words);
    agenda->next = WW_NEVER;
    if (!agenda->at || !agenda->awake) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        agenda->at[i] = WW_NEVER;
    }
    return true;
}

/** Makes sure party i is looked at no later than `cycle`. */
static inline void ww__agenda_wake(ww_agenda *agenda, uint32_t i, uint64_t cycle)
{
    if (cycle < agenda->at[i]) {
        agenda->at[i] = cycle;
        ww__bit_set(agenda->awake, i);
        agenda->next = ww_min_u64(agenda->next, cycle);
    }
}

#endif
