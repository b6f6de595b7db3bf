/* unified.c - one store for shared memory and the L1 data cache: how a kernel divides it. The
 * driver offers shared memory in a few sizes and takes the smallest that does not cost occupancy
 * (NVIDIA, Volta Tuning Guide, section 1.4.3.2); the L1 data cache has the rest, as ways of its
 * sets. */
#include "perf/sm/unified.h"

#include <stdlib.h>

uint32_t ww_carveout(const ww_ldst_params *ldst, uint64_t wanted)
{
    const char *at = ldst->carveouts;
    uint64_t size = 0;
    for (;;) {
        char *end;
        unsigned long kib = strtoul(at, &end, 10);
        if (end == at) {
            return (uint32_t)size; /* the last of the list */
        }
        size = kib * UINT64_C(1024);
        if (size >= wanted) {
            return (uint32_t)size;
        }
        at = end;
    }
}

ww_cache_params ww_unified_l1d(const ww_arch *arch)
{
    ww_cache_params p = arch->l1d;
    if (arch->ldst.unified_bytes > 0) {
        uint32_t sets = p.bytes / (p.line_bytes * p.ways);
        p.bytes = arch->ldst.unified_bytes;
        p.ways = p.bytes / (p.line_bytes * sets);
    }
    return p;
}

uint32_t ww_unified_ways(const ww_arch *arch, uint32_t carveout)
{
    const ww_cache_params *p = &arch->l1d;
    return (arch->ldst.unified_bytes - carveout) / (p->bytes / p->ways);
}
