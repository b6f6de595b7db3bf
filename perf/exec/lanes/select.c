/* select.c - which set of lane functions the host can run. */
#include "perf/exec/lanes/lanes.h"

unsigned ww__lanes_all(const ww_lane_set *sets[3])
{
    unsigned n = 0;
    sets[n++] = &ww__lanes_generic;
#ifdef WW_HAVE_X86_LANES
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        sets[n++] = &ww__lanes_avx2;
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
            sets[n++] = &ww__lanes_avx512;
        }
    }
#endif
    return n;
}

const ww_lane_set *ww__lanes_select(void)
{
    const ww_lane_set *sets[3];
    return sets[ww__lanes_all(sets) - 1];
}
