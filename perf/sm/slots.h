/* slots.h - sets of warp slots inside an SM, the width of which is chosen once per machine: the
 * pipeline is compiled with one word for machines of up to 64 warps (sm_one.c), and with WW_SM_WIDE
 * for those of more (sm_wide.c). `&`, `|` and `~` work on sets of either width; what C's operators
 * do not do alike is here. Mechanisms know sets of one width (warps.h). */
#ifndef WW_PERF_SM_SLOTS_H
#define WW_PERF_SM_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "perf/sm/warps.h"

#ifdef WW_SM_WIDE

enum { WW_SM_WARPS = WW_WARPS };

typedef uint64_t ww_slots __attribute__((vector_size(32), aligned(8)));

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

enum { WW_SM_WARPS = 64 };

typedef unsigned long long ww_slots;

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

/* A set as mechanisms know it, and back: slots that the SM has not are in none of theirs. */
static inline ww_warps ww_warps_of_slots(ww_slots m)
{
#ifdef WW_SM_WIDE
    return (ww_warps){{m[0], m[1], m[2], m[3]}};
#else
    return (ww_warps){{m}};
#endif
}

static inline ww_slots ww_slots_of_warps(ww_warps s)
{
#ifdef WW_SM_WIDE
    return (ww_slots){s.word[0], s.word[1], s.word[2], s.word[3]};
#else
    return s.word[0];
#endif
}

#define WW_NO_SLOTS ((ww_slots){0})

_Static_assert(WW_SM_WARPS % 64 == 0, "whole words");

#endif
