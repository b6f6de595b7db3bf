/* groups.c - the order of a warp group's products: wgmma.commit_group and wait_group. A product is
 * one operation of four warps: it ends when all of them have asked for it, so that a warp that
 * waits for it also waits for the others to have read their operands (PTX ISA,
 * "wgmma.wait_group"). */
#include "perf/exec/matrix/matrix.h"
#include "perf/exec/matrix/warpgroup.h"

/* Groups of products that a warp waits for, counted from its first. */
static uint32_t awaited(const ww_warp *w, const ww_inst *inst)
{
    uint64_t newest = (uint64_t)inst->offset;
    return newest < w->product_groups ? w->product_groups - (uint32_t)newest : 0;
}

/* Have the warps of its group closed that many groups? Those that have exited will not. */
static bool has_ended(const ww_warp *w, uint32_t groups)
{
    const ww_cta *cta = w->cta;
    uint32_t first = w->index / WW_WARPGROUP_WARPS * WW_WARPGROUP_WARPS;
    for (uint32_t k = first; k < first + WW_WARPGROUP_WARPS && k < cta->warp_count; k++) {
        if (cta->warp[k].depth > 0 && cta->warp[k].product_groups < groups) {
            return false;
        }
    }
    return true;
}

void ww__products_settle(ww_cta *cta, const ww_launch *launch, uint32_t warp)
{
    uint32_t first = warp / WW_WARPGROUP_WARPS * WW_WARPGROUP_WARPS;
    for (uint32_t k = first; k < first + WW_WARPGROUP_WARPS && k < cta->warp_count; k++) {
        ww_warp *w = &cta->warp[k];
        if (w->at_barrier && w->barrier_id == WW_BARRIER_PRODUCTS &&
            has_ended(w, awaited(w, &launch->kernel->code[w->barrier_pc]))) {
            w->at_barrier = false;
        }
    }
}

ww_status ww__run_products(ww_exec_ctx *x, const ww_uop *u)
{
    ww_warp *w = x->warp;
    switch ((ww_sub)u->inst->sub) {
    case WW_SUB_COMMIT:
        w->product_groups++;
        x->out->barrier = true;
        ww__products_settle(w->cta, x->env->launch, w->index);
        break;
    case WW_SUB_WAIT_GROUP:
        x->out->barrier = true;
        if (!has_ended(w, awaited(w, u->inst))) {
            w->at_barrier = true;
            w->barrier_id = WW_BARRIER_PRODUCTS;
            w->barrier_pc = x->out->pc;
            w->barrier_lanes = x->exec;
        }
        break;
    default: /* the order of registers is that of the instructions */
        break;
    }
    return WW_OK;
}
