/* deadlock.c - CTAs without time in which nothing can happen any more: all their warps wait at
 * barriers, or test mbarriers in loops that change nothing. */
#include "perf/exec/deadlock.h"

#include <stdio.h>

#include "perf/exec/code.h"
#include "perf/exec/waits.h"

/* ---- a state that comes back ---- */

enum {
    PATIENCE = 16, /* failed tests in a row before a warp is taken to wait */
    WINDOW = 64,   /* rounds, after which another state is held against those to come */
    REPEATS = 4
};

static bool waits(const ww_warp *w)
{
    return w->depth == 0 || w->at_barrier || w->failed_tests >= PATIENCE;
}

/* Some warp tests an mbarrier, and no warp does anything but wait. */
static bool all_wait(ww_cta *const *cta, uint32_t count)
{
    bool tests = false;
    for (uint32_t c = 0; c < count; c++) {
        for (uint32_t k = 0; k < cta[c]->warp_count; k++) {
            const ww_warp *w = &cta[c]->warp[k];
            if (!waits(w)) {
                return false;
            }
            tests |= w->depth > 0 && !w->at_barrier;
        }
    }
    return tests;
}

/* FNV-1a over words. */
static uint64_t add(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    for (; bytes >= sizeof(uint64_t); bytes -= sizeof(uint64_t), p += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, p, sizeof word);
        hash = (hash ^ word) * 0x100000001b3ull;
        hash ^= hash >> 32;
    }
    for (; bytes > 0; bytes--, p++) {
        hash = (hash ^ *p) * 0x100000001b3ull;
    }
    return hash;
}

/* All that a CTA's future depends on but global and local memory. */
static uint64_t add_cta(uint64_t hash, const ww_kernel *kernel, const ww_cta *cta)
{
    hash = add(hash, &cta->linear, sizeof cta->linear);
    hash = add(hash, cta->shared, cta->shared_bytes);
    for (uint32_t k = 0; k < cta->warp_count; k++) {
        const ww_warp *w = &cta->warp[k];
        hash = add(hash, &w->depth, sizeof w->depth);
        hash = add(hash, w->stack, w->depth * sizeof *w->stack);
        if (w->depth > 0) {
            hash = add(hash, w->regs, (size_t)kernel->registers * WW_LANES * sizeof *w->regs);
            hash = add(hash, w->preds, kernel->predicates * sizeof *w->preds);
        }
    }
    return hash;
}

bool ww__frozen(ww_frozen *f, const ww_launch *launch, ww_cta *const *cta, uint32_t count)
{
    if (!all_wait(cta, count)) {
        *f = (ww_frozen){0};
        return false;
    }
    uint64_t hash = 0xcbf29ce484222325ull;
    for (uint32_t c = 0; c < count; c++) {
        hash = add_cta(hash, launch->kernel, cta[c]);
    }
    if (f->rounds++ % WINDOW == 0) {
        f->first = hash;
        f->repeats = 0;
        return false;
    }
    f->repeats += hash == f->first;
    return f->repeats >= REPEATS;
}

/* ---- the report ---- */

enum {
    REASON = 136,
    APART = 64,
    OTHERS = 32,
    TEXT = 352,
    LIST = 2560
}; /* LIST and its first line fit ww_error.what */

static void add_warp(ww_waits *all, const ww_kernel *kernel, const ww_warp *w)
{
    char reason[REASON], apart[APART], text[TEXT];
    uint32_t pc = w->at_barrier ? w->barrier_pc : w->tested_pc;
    const ww_inst *inst = &kernel->code[pc];
    snprintf(text, sizeof text, "line %u, %s.%s: %s%s", inst->line, ww_op_name((ww_op)inst->op),
             ww_sub_name((ww_sub)inst->sub),
             w->at_barrier ? ww_waits_at_barrier(w, reason, sizeof reason)
                           : ww_waits_for_object(w->cta, w->tested_object, reason, sizeof reason),
             ww_waits_lanes_apart(w, kernel, apart, sizeof apart));
    ww_waits_add(all, text, WW_WAIT_NO_SM, w);
}

ww_status ww__deadlock(const ww_launch *launch, ww_cta *const *cta, uint32_t count, ww_error *err)
{
    const ww_kernel *kernel = launch->kernel;
    ww_waits all = {.ctas = count};
    char list[LIST], others[OTHERS] = "";
    for (uint32_t c = 0; c < count; c++) {
        for (uint32_t k = 0; k < cta[c]->warp_count; k++) {
            const ww_warp *w = &cta[c]->warp[k];
            if (w->depth > 0 && waits(w)) {
                add_warp(&all, kernel, w);
            }
        }
    }
    if (count > 1) {
        snprintf(others, sizeof others, " and %u more", count - 1);
    }
    return ww_fail_at(err, WW_EDEADLOCK, kernel->file, 0, 0,
                      "kernel %s: nothing can happen any more in CTA (%u,%u,%u)%s (live warps %u "
                      "of %u). What the warps wait for:%s",
                      kernel->name, cta[0]->id[0], cta[0]->id[1], cta[0]->id[2], others,
                      cta[0]->live_warps, cta[0]->warp_count,
                      ww_waits_format(&all, list, sizeof list));
}
