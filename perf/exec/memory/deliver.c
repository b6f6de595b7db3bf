/* deliver.c - bytes that engines bring to shared memory, of the CTA or of others of its cluster. */
#include <string.h>

#include "perf/exec/memory/bulk.h"

ww_status ww__delivery_of(const ww_exec_ctx *x, const ww_uop *u, unsigned lane, uint32_t address,
                          bool multicast, uint32_t mask, ww_delivery *out)
{
    const char *name = ww_op_name((ww_op)u->inst->op);
    uint32_t size = ww_cluster_size(x->env->launch), own = x->warp->cta->rank;
    uint32_t named = address >> WW_CLUSTER_RANK_SHIFT;
    uint32_t rank = named != 0 ? named - 1 : own;
    out->offset = address & ((1u << WW_CLUSTER_RANK_SHIFT) - 1);
    out->multicast = multicast;
    if (multicast) {
        out->ranks = mask & UINT16_MAX;
        if (out->ranks == 0 || out->ranks >> size != 0) {
            return ww__lane_fault(x, u, lane, "%s to CTAs 0x%x of a cluster of %u", name,
                                  out->ranks, size);
        }
        return WW_OK;
    }
    if (rank >= size) {
        return ww__lane_fault(x, u, lane, "%s names CTA %u of a cluster of %u in shared memory",
                              name, rank, size);
    }
    out->ranks = 1u << rank;
    return WW_OK;
}

ww_status ww__own_offset(const ww_exec_ctx *x, const ww_uop *u, unsigned lane, uint32_t address,
                         uint32_t *offset)
{
    uint32_t named = address >> WW_CLUSTER_RANK_SHIFT;
    *offset = address & ((1u << WW_CLUSTER_RANK_SHIFT) - 1);
    return named == 0 || named - 1 == x->warp->cta->rank
               ? WW_OK
               : ww__lane_fault(x, u, lane, "%s from shared memory of another CTA at 0x%x",
                                ww_op_name((ww_op)u->inst->op), address);
}

bool ww__delivery_is_remote(const ww_exec_ctx *x, const ww_delivery *d)
{
    return d->ranks != 1u << x->warp->cta->rank;
}

ww_cta *ww__delivery_cta(const ww_exec_ctx *x, unsigned rank)
{
    ww_cta *own = x->warp->cta;
    return rank == own->rank || own->cluster == NULL ? own : own->cluster->cta[rank];
}

void ww__deliver(const ww_exec_ctx *x, const ww_delivery *d, uint32_t at, const void *data,
                 uint32_t bytes)
{
    for (uint32_t m = d->ranks; m != 0; m &= m - 1) {
        ww_cta *cta = ww__delivery_cta(x, (unsigned)__builtin_ctz(m));
        memmove(cta->shared + d->offset + at, data, bytes);
    }
}

ww_status ww__deliver_check(const ww_exec_ctx *x, const ww_uop *u, unsigned lane,
                            const ww_delivery *d, uint32_t *object)
{
    const uint32_t named = *object >> WW_CLUSTER_RANK_SHIFT, size = x->warp->cta->shared_bytes;
    const uint32_t rank = named != 0 ? named - 1 : x->warp->cta->rank;
    const uint32_t offset = *object & ((1u << WW_CLUSTER_RANK_SHIFT) - 1);
    if (rank > 31 || (!d->multicast && d->ranks != 1u << rank)) {
        return ww__lane_fault(x, u, lane,
                              "%s names an mbarrier of CTA %u, but the bytes go to CTA %d",
                              ww_op_name((ww_op)u->inst->op), rank, __builtin_ctz(d->ranks));
    }
    if (offset % 8 != 0 || offset > size || 8 > size - offset) {
        return ww__lane_fault(x, u, lane,
                              "%s names an mbarrier at 0x%x, out of bounds or misaligned: the CTA "
                              "has %u bytes of shared memory",
                              ww_op_name((ww_op)u->inst->op), offset, size);
    }
    *object = offset;
    return WW_OK;
}

ww_status ww__deliver_complete(ww_exec_ctx *x, const ww_uop *u, unsigned lane, const ww_delivery *d,
                               uint32_t object, uint32_t bytes)
{
    uint32_t named = object >> WW_CLUSTER_RANK_SHIFT;
    uint32_t offset = object & ((1u << WW_CLUSTER_RANK_SHIFT) - 1);
    uint32_t rank = named != 0 ? named - 1 : x->warp->cta->rank;
    /* Of a multicast, the object of each CTA that receives it lies at the same offset. */
    if (!d->multicast && (rank > 31 || d->ranks != 1u << rank)) {
        return ww__lane_fault(x, u, lane,
                              "%s names an mbarrier of CTA %u, but the bytes go to CTA %d",
                              ww_op_name((ww_op)u->inst->op), rank, __builtin_ctz(d->ranks));
    }
    for (uint32_t m = d->ranks; m != 0; m &= m - 1) {
        ww_cta *cta = ww__delivery_cta(x, (unsigned)__builtin_ctz(m));
        WW_TRY(ww__mbarrier_complete(x, u, lane, cta, offset, bytes));
    }
    return WW_OK;
}
