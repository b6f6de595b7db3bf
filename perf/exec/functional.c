/* functional.c - a whole launch without time: CTA after CTA, warps in turns of a few instructions.
 */
#include <stdio.h>
#include <string.h>

#include "perf/exec/code.h"

/* Long enough that a warp's registers stay cached, short enough that warps that wait for each other
 * in a loop get on. */
enum { TURN = 64 };

static void count(const struct ww_exec_code *code, const ww_step *step, ww_functional_stats *stats)
{
    uint32_t threads = (uint32_t)__builtin_popcount(step->exec);
    uint32_t scheduled = (uint32_t)__builtin_popcount(step->active);
    stats->warp_inst++;
    stats->thread_inst += threads;
    stats->kind_lanes[code->uop[step->pc].kind] += scheduled;
    stats->pushed += step->pushed;
    stats->popped += step->popped;
    stats->divergent += step->divergent;
    if (stats->pc != NULL) {
        ww_pc_count *pc = &stats->pc[step->pc];
        pc->issued++;
        pc->active += threads > 0;
        pc->lanes += threads;
        pc->scheduled += scheduled;
    }
}

static ww_status run_turn(ww_exec_env *env, ww_warp *w, ww_functional_stats *stats, ww_error *err)
{
    ww_step step;
    for (unsigned n = 0; n < TURN && w->depth > 0 && !w->at_barrier; n++) {
        WW_TRY(ww_exec_step(env, w, &step, err));
        count(env->launch->code, &step, stats);
        env->cycle++;
    }
    return WW_OK;
}

/* Every warp of the CTA is finished or waits. */
static ww_status deadlock(const ww_cta *cta, const ww_launch *launch, ww_error *err)
{
    const ww_kernel *kernel = launch->kernel;
    char list[512] = "";
    size_t used = 0;
    uint32_t line = 0;
    for (uint32_t k = 0; k < cta->warp_count; k++) {
        const ww_warp *w = &cta->warp[k];
        if (w->at_barrier) {
            line = kernel->code[w->barrier_pc].line;
            if (used < sizeof list - 48) {
                used += (size_t)snprintf(list + used, sizeof list - used,
                                         "%swarp %u at barrier %u (line %u)", used > 0 ? ", " : "",
                                         k, w->barrier_id, line);
            }
        }
    }
    return ww_fail_at(
        err, WW_EDEADLOCK, kernel->file, (int)line, 0,
        "kernel %s: CTA (%u,%u,%u) makes no progress: %s; %u of %u warps have exited.",
        kernel->name, cta->id[0], cta->id[1], cta->id[2], list, cta->warp_count - cta->live_warps,
        cta->warp_count);
}

static ww_status run_cta(ww_exec_env *env, ww_cta *cta, ww_functional_stats *stats, ww_error *err)
{
    while (cta->live_warps > 0) {
        bool progress = false;
        for (uint32_t k = 0; k < cta->warp_count; k++) {
            ww_warp *w = &cta->warp[k];
            if (w->depth > 0 && !w->at_barrier) {
                progress = true;
                WW_TRY(run_turn(env, w, stats, err));
            }
        }
        if (!progress) {
            return deadlock(cta, env->launch, err);
        }
    }
    return WW_OK;
}

ww_status ww_exec_ctas(const ww_launch *launch, uint64_t first, uint64_t end, uint64_t cycle,
                       ww_functional_stats *stats, ww_error *err)
{
    ww_cta cta = {0};
    ww_exec_env env = {.launch = launch, .cycle = cycle};
    ww_status status = WW_OK;
    for (uint64_t k = first; status == WW_OK && k < end; k++) {
        status = ww_cta_init(&cta, launch, (uint32_t)k, err);
        if (status == WW_OK) {
            stats->ctas++;
            stats->warps += cta.warp_count;
            status = run_cta(&env, &cta, stats, err);
        }
    }
    ww_cta_fini(&cta);
    return status;
}

ww_status ww_exec_functional(ww_launch *launch, ww_functional_stats *stats, ww_error *err)
{
    bool prepared_here = launch->code == NULL;
    ww_functional_stats total = {0};
    if (prepared_here) {
        WW_TRY(ww_exec_prepare(launch, err));
    }
    uint64_t ctas = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    ww_status status = ww_exec_ctas(launch, 0, ctas, 0, &total, err);
    if (prepared_here) {
        ww_exec_release(launch);
    }
    if (status == WW_OK && stats != NULL) {
        *stats = total;
    }
    return status;
}
