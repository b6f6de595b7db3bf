/* overhead.c - MTA's structures in an SM: tables of strides by load and warp, by load within warps
 * and by load across warps, the queue, and the buffer where it has one. */
#include "mech/lib/overhead.h"

static void add_buffer(ww__builder *b)
{
    const ww_mta_params *p = &b->arch->mta;
    ww_cache_params params = b->arch->l1d;
    params.bytes = p->buffer_bytes;
    params.ways = p->buffer_ways;
    ww_array_result cache = ww__cache(b, "prefetch buffer", &params);
    ww__structure(b, 2, "prefetch buffer", b->arch->sm.count, cache.area_m2, cache.leak_w,
                  "array model: %u bytes of %u ways", (unsigned)p->buffer_bytes,
                  (unsigned)p->buffer_ways);
    ww__event(b, "look up", WW_C_MTA_BUFFER_LOOKUP, cache.tag.read_j, "array model: tags");
    ww__event(b, "read", WW_C_MTA_BUFFER_READ, cache.data.read_j, "array model: a line");
    ww__event(b, "fill", WW_C_MTA_BUFFER_FILL, cache.write_j, "array model: a line and its tag");
}

void ww__overhead_mta(ww__builder *b)
{
    const ww_mta_params *p = &b->arch->mta;
    uint32_t warp_bits = ww__number_bits(b->arch->sm.max_warps);
    ww__overhead_strides(b, "per-warp strides", p->warp_entries, WW_PC_BITS + warp_bits,
                         WW_C_MTA_LOOKUP);
    ww__overhead_strides(b, "global strides", p->global_entries, WW_PC_BITS, WW_C_MTA_LOOKUP);
    ww__overhead_strides(b, "inter-thread strides", p->thread_entries, WW_PC_BITS, WW_C_MTA_LOOKUP);
    add_buffer(b);
    ww__overhead_prefetch_queue(b, p->queue_entries);
    ww__overhead_prefetch_l1d(b, WW_MECH_MTA);
}
