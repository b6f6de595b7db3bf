/* warp_lanes.h - what the coalescer and the banks of shared memory ask of a warp's addresses, all
 * lanes at once. warp_lanes.c is compiled once per instruction-set extension of the host
 * (WW_LANES_SUFFIX tells the variants apart); each gives the same values. What is out of the
 * ordinary (lanes that straddle, odd sizes) is left to the plain code of coalesce.c and
 * shared_banks.c. */
#ifndef WW_PERF_MEM_WARP_LANES_H
#define WW_PERF_MEM_WARP_LANES_H

#include "perf/mem/mem.h"

typedef struct ww_warp_lanes {
    const char *name;
    /** Segments of max_bytes, at most 128, in order of their first lanes: as ww_coalesce with
     * min_bytes = max_bytes. 0: addresses too far apart, or a lane whose bytes straddle segments
     * or begin within a word that they leave. lanes is not 0. */
    unsigned (*coalesce)(const uint64_t *address, uint32_t lanes, uint32_t lane_bytes,
                         uint32_t max_bytes, ww_segment *out);
    /** How often the worst bank of `banks` (a power of two, at most 32) is asked for another item
     * of 1 << shift bytes by these lanes; *items: different ones in all. 0: an offset has one of
     * the bits `odd`. lanes is not 0. */
    uint32_t (*bank_degree)(const uint32_t *offset, uint32_t lanes, uint32_t shift, uint32_t odd,
                            uint32_t banks, uint32_t *items);
    /** Low halves of the addresses; 0 of other lanes. */
    void (*offsets)(const uint64_t *address, uint32_t lanes, uint32_t *offset);
} ww_warp_lanes;

extern const ww_warp_lanes ww__warp_lanes_generic;
#ifdef WW_HAVE_X86_LANES
extern const ww_warp_lanes ww__warp_lanes_avx2, ww__warp_lanes_avx512;

/** Of a host that has AVX2: whether it has what the set for AVX-512 takes. */
static inline bool ww__warp_lanes_has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

/** All sets that the host supports, fastest last; returns their number (at most 3). */
static inline unsigned ww__warp_lanes_all(const ww_warp_lanes *sets[3])
{
    unsigned n = 0;
    sets[n++] = &ww__warp_lanes_generic;
#ifdef WW_HAVE_X86_LANES
    if (__builtin_cpu_supports("avx2")) {
        sets[n++] = &ww__warp_lanes_avx2;
        if (ww__warp_lanes_has_avx512()) {
            sets[n++] = &ww__warp_lanes_avx512;
        }
    }
#endif
    return n;
}

/** The fastest of them. */
static inline const ww_warp_lanes *ww__warp_lanes_select(void)
{
#ifdef WW_HAVE_X86_LANES
    if (__builtin_cpu_supports("avx2")) {
        return ww__warp_lanes_has_avx512() ? &ww__warp_lanes_avx512 : &ww__warp_lanes_avx2;
    }
#endif
    return &ww__warp_lanes_generic;
}

#endif
