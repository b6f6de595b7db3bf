/* barrier.c - CTA barriers: arrival counts whole warps, as the machine does; a barrier opens when
 * the expected number has arrived. Without a count it expects every warp that has not exited. */
#include "perf/exec/memcheck/shadow.h"

#include "base/assert.h"

/* The instruction's predicate operand, if it is a reduction. */
static uint32_t reduced_lanes(const ww_exec_ctx *x, const ww_uop *u)
{
    return ww__pred(x, u->pred) & x->exec;
}

/* Result of bar.red for one warp that waited. */
static void deliver(const ww_launch *launch, ww_warp *w, const ww_barrier *b)
{
    const ww_uop *u = &launch->code->uop[w->barrier_pc];
    uint32_t lanes = w->barrier_lanes;
    switch ((ww_sub)u->inst->sub) {
    case WW_SUB_RED_POPC:
        for (uint32_t m = u->dst != WW_NO_REG ? lanes : 0; m != 0; m &= m - 1) {
            w->regs[u->dst + (uint32_t)__builtin_ctz(m)] = b->red_popc;
        }
        break;
    case WW_SUB_RED_AND:
    case WW_SUB_RED_OR: {
        uint32_t value = u->inst->sub == WW_SUB_RED_AND ? b->red_and : b->red_or;
        if (u->pred_dst != WW_NO_REG) {
            uint32_t *p = &w->preds[u->pred_dst];
            *p = (*p & ~lanes) | (value != 0 ? lanes : 0);
        }
        break;
    }
    default:
        break;
    }
}

static void open_if_complete(ww_cta *cta, const ww_launch *launch, ww_barrier *b)
{
    uint32_t expected = b->expected_warps != 0 ? b->expected_warps : cta->live_warps;
    if (b->arrived_warps < expected) {
        return;
    }
    if (WW_UNLIKELY(cta->shadow != NULL)) {
        ww__shadow_open(cta, (uint32_t)(b - cta->barrier), b->waiting);
    }
    for (uint64_t m = b->waiting; m != 0; m &= m - 1) {
        WW_ASSERT((uint32_t)__builtin_ctzll(m) < cta->warp_count);
        ww_warp *w = &cta->warp[__builtin_ctzll(m)];
        w->at_barrier = false;
        deliver(launch, w, b);
    }
    *b = (ww_barrier){0};
}

ww_status ww__run_bar(ww_exec_ctx *x, const ww_uop *u)
{
    ww_warp *w = x->warp;
    ww_cta *cta = w->cta;
    const ww_kernel *kernel = x->env->launch->kernel;
    uint32_t id = ww__src_uniform(x, &u->src[0]);
    uint32_t barriers = WW_ARRAY_LEN(cta->barrier);
    if (id >= barriers) {
        return ww_fail_at(x->err, WW_EKERNEL, kernel->file, (int)u->inst->line, 0,
                          "kernel %s: barrier %u does not exist; a CTA has %u.", kernel->name, id,
                          barriers);
    }
    ww_barrier *b = &cta->barrier[id];
    if (b->arrived_warps == 0) {
        *b = (ww_barrier){.red_and = 1};
    }
    if (u->src_count > 1) {
        uint32_t warps = ww_warps_of(ww__src_uniform(x, &u->src[1]));
        b->expected_warps = warps >= cta->warp_count ? 0 : warps;
    }
    uint32_t lanes = reduced_lanes(x, u);
    b->red_popc += (uint32_t)__builtin_popcount(lanes);
    b->red_and &= lanes == x->exec;
    b->red_or |= lanes != 0;
    b->arrived_warps++;
    x->out->barrier = true;
    if (u->inst->sub != WW_SUB_ARRIVE) {
        w->at_barrier = true;
        w->barrier_id = id;
        w->barrier_pc = x->out->pc;
        w->barrier_lanes = x->exec;
        b->waiting |= 1ull << w->index;
    }
    open_if_complete(cta, x->env->launch, b);
    return WW_OK;
}

void ww__barrier_warp_exited(ww_cta *cta, const ww_launch *launch, uint32_t warp)
{
    for (unsigned k = 0; k < WW_ARRAY_LEN(cta->barrier); k++) {
        if (cta->barrier[k].arrived_warps > 0) {
            open_if_complete(cta, launch, &cta->barrier[k]);
        }
    }
    ww__products_settle(cta, launch, warp);
    ww__cluster_warp_exited(cta);
}
