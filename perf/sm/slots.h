/* slots.h - sets of warp slots, the width of which is chosen once per machine: perf/sm is compiled
 * twice, with one word for machines of up to 64 warps and with WW_SM_WIDE for those of more, and
 * width.c calls the one that an SM was made by. `&`, `|` and `~` work on sets of either width; what
 * C's operators do not do alike is here. */
#ifndef WW_PERF_SM_SLOTS_H
#define WW_PERF_SM_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t ww_slots_wide __attribute__((vector_size(32), aligned(8)));

#ifdef WW_SM_WIDE

enum { WW_SM_WARPS = 256, WW_SM_IS_WIDE = true };

typedef ww_slots_wide ww_slots;

/* The slot alone. */
static inline ww_slots ww_slot(uint32_t w)
{
    ww_slots m = {0};
    m[w / 64] = 1ull << (w % 64);
    return m;
}

static inline bool ww_any(ww_slots m)
{
    return (m[0] | m[1] | m[2] | m[3]) != 0;
}

static inline bool ww_in(ww_slots m, uint32_t w)
{
    return (m[w / 64] >> (w % 64) & 1) != 0;
}

/* The lowest slot; of a set that is not empty. */
static inline uint32_t ww_first(ww_slots m)
{
    uint32_t i = 0;
    while (m[i] == 0) {
        i++;
    }
    return 64 * i + (uint32_t)__builtin_ctzll(m[i]);
}

/* Without the lowest slot; of a set that is not empty. */
static inline ww_slots ww_rest(ww_slots m)
{
    return m & ~ww_slot(ww_first(m));
}

static inline uint32_t ww_number(ww_slots m)
{
    return (uint32_t)(__builtin_popcountll(m[0]) + __builtin_popcountll(m[1]) +
                      __builtin_popcountll(m[2]) + __builtin_popcountll(m[3]));
}

/* Slot w and all above; w may be WW_SM_WARPS. */
static inline ww_slots ww_from(uint32_t w)
{
    ww_slots m = {0};
    for (uint32_t i = 0; i < WW_SM_WARPS / 64; i++) {
        uint32_t low = w > 64 * i ? w - 64 * i : 0;
        m[i] = low >= 64 ? 0 : ~0ull << low;
    }
    return m;
}

#else

enum { WW_SM_WARPS = 64, WW_SM_IS_WIDE = false };

typedef uint64_t ww_slots;

static inline ww_slots ww_slot(uint32_t w)
{
    return 1ull << w;
}

static inline bool ww_any(ww_slots m)
{
    return m != 0;
}

static inline bool ww_in(ww_slots m, uint32_t w)
{
    return (m >> w & 1) != 0;
}

static inline uint32_t ww_first(ww_slots m)
{
    return (uint32_t)__builtin_ctzll(m);
}

static inline ww_slots ww_rest(ww_slots m)
{
    return m & (m - 1);
}

static inline uint32_t ww_number(ww_slots m)
{
    return (uint32_t)__builtin_popcountll(m);
}

static inline ww_slots ww_from(uint32_t w)
{
    return w >= 64 ? 0 : ~0ull << w;
}

#endif

/* The first 64. */
static inline uint64_t ww_low_word(ww_slots m)
{
#ifdef WW_SM_WIDE
    return m[0];
#else
    return m;
#endif
}

#define WW_NO_SLOTS ((ww_slots){0})

_Static_assert(WW_SM_WARPS % 64 == 0, "whole words");

#endif
