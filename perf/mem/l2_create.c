/* l2_create.c - the L2 slices of a description: their caches, queues and constants. */
#include "perf/mem/l2.h"

/* Slots for what may enter the ring to DRAM after miss_queue entries stopped new lookups. */
static uint32_t out_slack(const ww_cache_params *p)
{
    enum { LARGEST_REQUEST = 256 };
    uint32_t per_access =
        p->line_bytes / p->sector_bytes / 2 + 2; /* dirty runs of one line, and the fetch */
    uint32_t accesses = LARGEST_REQUEST / p->sector_bytes + 1;
    bool fills_write = p->allocate == WW_ALLOCATE_ON_FILL || p->write_policy != WW_WRITE_BACK;
    per_access += p->write_allocate == WW_WRITE_FORWARD;
    return per_access * (fills_write ? accesses + p->mshr_entries : accesses);
}

static ww_status init_slice(ww_l2 *l2, uint32_t s, const ww_arch *arch, ww_counter_set *counters,
                            ww_arena *arena, ww_error *err)
{
    ww_slice *slice = &l2->slice[s];
    WW_TRY(ww_cache_create(&arch->l2, arena, &slice->cache, err));
    slice->counters = &counters->block[WW_SCOPE_SLICE][s];
    const ww_dram *dram = &l2->dram[s / l2->per_channel];
    if (!ww__ring_init(&slice->out, l2->miss_queue + out_slack(&arch->l2), arena) ||
        !ww__ring_init(&slice->fills, dram->ret_capacity, arena)) {
        return ww_no_memory_for(err, "an L2 slice");
    }
    return WW_OK;
}

ww_status ww__l2_init(ww_l2 *l2, const ww_arch *arch, ww_counter_set *counters, ww_arena *arena,
                      ww_error *err)
{
    const ww_cache_params *p = &arch->l2;
    l2->slices = ww_arch_slices(arch);
    l2->per_channel = arch->mem.slices;
    l2->present = p->bytes > 0;
    l2->write_back = p->write_policy == WW_WRITE_BACK;
    l2->forwards = p->write_allocate == WW_WRITE_FORWARD;
    l2->sector_bytes = p->sector_bytes;
    l2->line_bytes = p->line_bytes;
    l2->sector_shift = (uint32_t)__builtin_ctz(p->sector_bytes);
    l2->port_bytes = p->data_port_bytes;
    l2->store_bytes = arch->mem.l2_write_bytes > 0 ? arch->mem.l2_write_bytes : l2->port_bytes;
    l2->hit_latency = p->hit_latency;
    l2->rop_latency = arch->mem.rop_latency;
    l2->mshr_entries = p->mshr_entries;
    l2->miss_queue = p->miss_queue;
    l2->rop_capacity = arch->mem.rop_latency + 2; /* a pipeline: one request per cycle of latency */
    if (arch->peer.sector_requests) {             /* of which each may have been taken apart */
        l2->rop_capacity *= p->line_bytes / p->sector_bytes;
    }
    l2->reply_limit = p->hit_latency + arch->icnt.output_packets;
    l2->control_bytes = arch->icnt.control_bytes;
    l2->flit_bytes = arch->icnt.flit_bytes;
    l2->by_sector = arch->peer.sector_requests && l2->present;
    l2->lazy = p->write_allocate == WW_WRITE_LAZY;
    l2->upper_masks_lost = arch->peer.upper_masks_lost;
    l2->slice = WW_ARENA_NEW_ARRAY(arena, ww_slice, l2->slices);
    if (!l2->slice || !ww__agenda_init(&l2->agenda, l2->slices, arena) ||
        !ww__l2_far_init(l2, arch, arena)) {
        return ww_no_memory_for(err, "the L2");
    }
    for (uint32_t s = 0; s < l2->slices; s++) {
        WW_TRY(init_slice(l2, s, arch, counters, arena, err));
    }
    return WW_OK;
}

void ww__l2_fini(ww_l2 *l2)
{
    for (uint32_t s = 0; l2->slice && s < l2->slices; s++) {
        ww_cache_destroy(l2->slice[s].cache);
    }
}
