/* warps.h - sets of warp slots as the seam knows them: of one width, whatever the SM keeps them in
 * (slots.h), so that a mechanism is compiled once. */
#ifndef WW_PERF_SM_WARPS_H
#define WW_PERF_SM_WARPS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WW_WARPS = 256, /* slots that a set names, the most of an SM */
    WW_WARPS_WORDS = WW_WARPS / 64,
};

typedef struct ww_warps {
    uint64_t word[WW_WARPS_WORDS]; /* slot w: bit w % 64 of word w / 64 */
} ww_warps;

#define WW_NO_WARPS ((ww_warps){{0}})

/** The slot alone. */
static inline ww_warps ww_warps_only(uint32_t w)
{
    ww_warps s = {{0}};
    s.word[w / 64] = UINT64_C(1) << (w % 64);
    return s;
}

static inline void ww_warps_add(ww_warps *s, uint32_t w)
{
    s->word[w / 64] |= UINT64_C(1) << (w % 64);
}

static inline void ww_warps_remove(ww_warps *s, uint32_t w)
{
    s->word[w / 64] &= ~(UINT64_C(1) << (w % 64));
}

static inline bool ww_warps_has(const ww_warps *s, uint32_t w)
{
    return (s->word[w / 64] >> (w % 64) & 1) != 0;
}

static inline bool ww_warps_any(ww_warps s)
{
    return (s.word[0] | s.word[1] | s.word[2] | s.word[3]) != 0;
}

static inline uint32_t ww_warps_count(ww_warps s)
{
    return (uint32_t)(__builtin_popcountll(s.word[0]) + __builtin_popcountll(s.word[1]) +
                      __builtin_popcountll(s.word[2]) + __builtin_popcountll(s.word[3]));
}

/** The lowest slot; of a set that is not empty. */
static inline uint32_t ww_warps_first(ww_warps s)
{
    uint32_t i = 0;
    while (s.word[i] == 0) {
        i++;
    }
    return 64 * i + (uint32_t)__builtin_ctzll(s.word[i]);
}

/** In both. */
static inline ww_warps ww_warps_both(ww_warps a, ww_warps b)
{
    return (ww_warps){{a.word[0] & b.word[0], a.word[1] & b.word[1], a.word[2] & b.word[2],
                       a.word[3] & b.word[3]}};
}

/** In either. */
static inline ww_warps ww_warps_either(ww_warps a, ww_warps b)
{
    return (ww_warps){{a.word[0] | b.word[0], a.word[1] | b.word[1], a.word[2] | b.word[2],
                       a.word[3] | b.word[3]}};
}

/** In a and not in b. */
static inline ww_warps ww_warps_without(ww_warps a, ww_warps b)
{
    return (ww_warps){{a.word[0] & ~b.word[0], a.word[1] & ~b.word[1], a.word[2] & ~b.word[2],
                       a.word[3] & ~b.word[3]}};
}

static inline bool ww_warps_equal(ww_warps a, ww_warps b)
{
    return a.word[0] == b.word[0] && a.word[1] == b.word[1] && a.word[2] == b.word[2] &&
           a.word[3] == b.word[3];
}

/* The slots of a set as it was when the walk began, lowest first:
 *     for (ww_warps_walk i = ww_warps_from(set); ww_warps_next(&i);) { … i.warp … } */
typedef struct ww_warps_walk {
    ww_warps set;
    uint64_t left; /* of the word */
    uint32_t at;   /* word */
    uint32_t warp; /* slot come to */
} ww_warps_walk;

static inline ww_warps_walk ww_warps_from(ww_warps set)
{
    return (ww_warps_walk){.set = set, .left = set.word[0]};
}

/** To the next slot; false: there was none. */
static inline bool ww_warps_next(ww_warps_walk *i)
{
    while (i->left == 0) {
        if (++i->at == WW_WARPS_WORDS) {
            return false;
        }
        i->left = i->set.word[i->at];
    }
    i->warp = 64 * i->at + (uint32_t)__builtin_ctzll(i->left);
    i->left &= i->left - 1;
    return true;
}

_Static_assert(WW_WARPS_WORDS == 4, "sets are written out word by word");

#ifdef __cplusplus
}
#endif
#endif
